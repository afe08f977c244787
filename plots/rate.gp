# Messages per second: a row a queue, a column a batch size. Columns: panel, endpoint (1 write, 2 read), row, rate, low, high, colour,
# shape. A panel's rows lie side by side.

set logscale x
unset xlabel
unset ytics
unset ylabel
set grid xtics noytics
row_offset = terminal eq 'dumb' ? 0.25 : 0.17
decades = log10(x_high / x_low)
tick_every = ceil(decades * 5.5 / panel_width)

do for [p = 1:panels] {
	set lmargin at screen column_at(panel_left[p])
	set rmargin at screen column_at(panel_left[p] + panel_width)
	set tmargin at screen line_at(panel_top[p])
	set bmargin at screen line_at(panel_bottom[p])
	set label words + 1 panel_title[p] at screen column_at(1), screen line_at(panel_top[p] - 1.5) left
	set label words + 2 column_title[p] \
		at screen column_at(panel_left[p] + panel_width / 2.0), screen line_at(panel_top[p] - 0.5) center
	do for [r = panel_first_row[p]:panel_last_row[p]] {
		caption = panel_is_first[p] ? row_label[r] : ''
		set label words + 4 + r - panel_first_row[p] caption at screen column_at(panel_left[p] - 1), first r right
	}
	set yrange [panel_last_row[p] + 0.5:panel_first_row[p] - 0.5]
	if (panel_floor_row[p] <= panel_last_row[p]) {
		set arrow 1 from graph 0, first panel_floor_row[p] - 0.5 to graph 1, first panel_floor_row[p] - 0.5 nohead \
			lc rgb '#888888' lw 0.8
	}
	caption = p == 1 ? 'messages per second at the endpoint' : ''
	set label words + 3 caption at screen column_at(grid_left), screen line_at(legend_line - 1) left
	set xrange [x_low:x_high]
	set xtics ()
	do for [e = -3:15] {
		do for [m in (decades * 20 < panel_width && decades < 2 ? '1 2 5' : '1')] {
			if (e % tick_every == 0) { set xtics add (rate_text(m * 10.0**e) m * 10.0**e) }
		}
	}
	if (p == 1) {
		set label words + 5 + panel_last_row[p] 'sender, at write' \
			at screen column_at(grid_left + 1), screen line_at(legend_line + 0.5) left \
			point pt sender_shape ps 0.9 offset 1, 0
		set label words + 6 + panel_last_row[p] 'receiver, at read' \
			at screen column_at(grid_left + 25), screen line_at(legend_line + 0.5) left \
			point pt receiver_shape ps 0.9 offset 1, 0
	}
	plot data_file skip panel_data[p] every ::0::panel_data_last[p] \
		using ($1 == p && $2 == 1 ? cell(5, $4) : NaN):($3 - row_offset):(cell(6, $4) - cell(5, $4)):(0):7 \
		with vectors nohead lw 1.5 lc rgb variable notitle, \
	     data_file skip panel_data[p] every ::0::panel_data_last[p] \
	         using ($1 == p && $2 == 2 ? cell(5, $4) : NaN):($3 + row_offset):(cell(6, $4) - cell(5, $4)):(0):7 \
	         with vectors nohead lw 1.5 lc rgb variable notitle, \
	     data_file skip panel_data[p] every ::0::panel_data_last[p] \
	         using ($1 == p && $2 == 1 ? $4 : NaN):($3 - row_offset):8:7 \
	         with points pt variable ps 0.9 lc rgb variable notitle, \
	     data_file skip panel_data[p] every ::0::panel_data_last[p] \
	         using ($1 == p && $2 == 2 ? $4 : NaN):($3 + row_offset):8:7 \
	         with points pt variable ps 0.9 lc rgb variable notitle
	unset label
	unset arrow
}
unset multiplot
