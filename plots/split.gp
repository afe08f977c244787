# Where a message spends its time: a bar a queue and batch size, three parts one behind the other, and the whole's own median.
# Columns: panel, row, three parts, whole.

unset ylabel
unset ytics
set grid xtics noytics
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)
set style fill solid 1.0 noborder
half = terminal eq 'dumb' ? 0.3 : 0.4
part_colour = '#56b4e9 #0072b2 #e69f00'
array part_title[3]
part_title[1] = 'write to flush: waits for its batch'
part_title[2] = 'flush to preread: in the queue'
part_title[3] = 'preread to read: waits for its turn'
# the numbers beside the bars, in columns of their own: a short bar can't be read off a long one's axis
number_head = 'to-flush to-preread to-read whole'
number_end(k) = plot_right + 2 + k * number_wide
# the sum of the parts before the k-th one
before(k) = k == 1 ? 0 : k == 2 ? column(3) : column(3) + column(4)

do for [p = 1:panels] {
	set tmargin at screen line_at(panel_top[p])
	set bmargin at screen line_at(panel_bottom[p])
	tag = words + 1
	set label tag panel_title[p] at screen column_at(1), screen line_at(panel_top[p] - (p == 1 ? 1.6 : 0.6)) left
	if (p == 1) {
		do for [k = 1:4] {
			tag = tag + 1
			set label tag word(number_head, k) at screen column_at(number_end(k)), screen line_at(panel_top[p] - 0.6) right
		}
	}
	do for [r = panel_first[p]:panel_last[p]] {
		tag = tag + 1
		set label tag row_label[r] at screen column_at(plot_left - 1), first row_y[r] right
		do for [k = 1:4] {
			tag = tag + 1
			set label tag row_number[4 * (r - 1) + k] at screen column_at(number_end(k)), first row_y[r] right
		}
	}
	set xrange [0:panel_high[p]]
	set yrange [panel_rows[p]:0.5]
	set xtics ()
	do for [i = 0:ceil(panel_high[p] / panel_step[p])] { set xtics add ((i ? ns_text(i * panel_step[p]) : '0') i * panel_step[p]) }
	# among characters a box is drawn of them, the first plot's of asterisks
	if (p == panels && terminal eq 'dumb') {
		array mark[4] = ['* ', '# ', '$ ', '| ']
		do for [k = 1:4] {
			set label tag + k mark[k].(k < 4 ? part_title[k] : 'write to read: the whole') \
				at screen column_at(plot_left), screen line_at(legend_line + k + 1) left
		}
	}
	if (p == panels) {
		set xlabel 'time, medians one behind the other' offset 0, 0.3
		if (terminal ne 'dumb') {
			set key at screen column_at(plot_left), screen line_at(legend_line) \
				left top Left reverse samplen 2 vertical maxrows 2 width 2
		}
	}
	plot for [k = 1:3] data_file skip 1 \
		using ($1 == p ? before(k) : NaN):2:(before(k)):(before(k) + column(2 + k)):($2 - half):($2 + half) \
		with boxxyerror fc rgb word(part_colour, k) notitle, \
	     data_file skip 1 using ($1 == p ? $6 : NaN):($2 - 1.2 * half):(0):(2.4 * half) \
	         with vectors nohead lw 2.5 lc rgb '#000000' notitle, \
	     for [k = 1:(p == panels ? 3 : 0)] keyentry with boxes fc rgb word(part_colour, k) title part_title[k], \
	     for [k = 1:(p == panels ? 1 : 0)] keyentry with points pt '|' lc rgb '#000000' title 'write to read: the whole'
	unset label
}
unset multiplot
