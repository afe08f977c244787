# The reader's rate in windows of time, a panel a cell. Columns: panel, begin_ms, end_ms, rate, stalled, trial.

set xlabel 'time measured, ms' offset 0, 0.3
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)
set style fill solid 0.25 noborder
red = '#b00000'

do for [p = 1:panels] {
	set tmargin at screen line_at(panel_top[p])
	set bmargin at screen line_at(panel_bottom[p])
	set label words + 1 panel_title[p] at screen column_at(plot_left), screen line_at(panel_top[p] - 0.5) left
	set key at screen column_at(plot_right + 2), screen line_at(panel_top[p]) left top Left reverse samplen 3 spacing 1
	set ylabel strip_unit[p]
	set xrange [0:strip_end[p]]
	set yrange [0:strip_high[p]]
	set ytics autofreq
	s = strip_first[p]
	two = strip_upper[p] > 0
	colour = series_colour[s]
	begun = -1
	plot data_file skip 1 using ($1 == p ? $2 : NaN):($4 / strip_scale[p]):2:3:(0):($4 / strip_scale[p]) \
		with boxxyerror fc rgb colour notitle, \
	     data_file skip 1 using ($1 == p ? $2 : NaN):($4 / strip_scale[p]):($3 - $2):(0) \
	         with vectors nohead lw 1.8 lc rgb colour notitle, \
	     data_file skip 1 \
	         using ($1 == p && $6 > 1 && $6 != begun ? (begun = $6, $2) : (begun = $1 == p ? $6 : begun, NaN)):(0):(0):(strip_high[p]) \
	         with vectors nohead lw 0.8 dt 2 lc rgb '#666666' notitle, \
	     data_file skip 1 using ($1 == p && $5 == 1 ? ($2 + $3) / 2 : NaN):(strip_high[p] * 0.04) \
	         with points pt 2 ps 0.8 lw 1.5 lc rgb red notitle, \
	     two ? strip_upper[p] : NaN with lines lw 1.8 dt 2 lc rgb '#000000' notitle, \
	     two ? strip_lower[p] : NaN with lines lw 1.8 dt 3 lc rgb '#000000' notitle, \
	     keyentry with lines lw 1.8 lc rgb colour title series_label[s], \
	     keyentry with points pt 2 ps 0.8 lw 1.5 lc rgb red title series_label[s + 1], \
	     for [i = 2:(two ? 3 : 1)] keyentry with lines lw 1.8 dt i lc rgb '#000000' title series_label[two ? s + i : s]
	unset label
}
unset multiplot
