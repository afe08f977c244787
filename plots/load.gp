# Latency against the offered rate, a panel a queue. Columns: series, offered, ns, low, high, line (0 to 3 measured, 4 model, 5 machine,
# 6 saturated, 7 not reached), trials, offered per second, a quarter and three quarters of the offered.

set ylabel 'intended to read'
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)

do for [p = 1:panels] {
	set tmargin at screen line_at(panel_top[p])
	set bmargin at screen line_at(panel_bottom[p])
	set label words + 1 panel_title[p] at screen column_at(plot_left), screen line_at(panel_top[p] - 0.85) left
	set key at screen column_at(plot_right + 2), screen line_at(panel_top[p]) left top Left reverse samplen 3 spacing 1
	set xlabel panel_x_title[p] offset 0, 0.3
	set xrange [panel_x_low[p]:panel_x_high[p]]
	set logscale y
	set yrange [panel_y_low[p]:panel_y_high[p]]
	set ytics ()
	do for [e = -1:12] { do for [m in tick_steps(panel_y_low[p], panel_y_high[p])] {
		set ytics add (ns_text(m * 10.0**e) m * 10.0**e)
	} }
	# what is not stationary has no y of its own: its marks sit on the frame
	top = panel_y_high[p]
	last = panel_last_line[p]
	# gnuplot looks at a loop's first round even where there is none
	at(s) = s > panel_last[p] ? panel_last[p] : s
	dash_of(s) = series_dash[s] ? series_dash[s] : 1
	# a line without points; among characters it has a dot, for -1 would be a question mark
	point_of(s) = series_width[s] == 1.8 || series_dash[s] == 4 ? (terminal eq 'dumb' ? 0 : -1) : series_shape[s] + 1
	if (capacity[p] > 0) {
		set arrow 1 from first capacity[p], graph 0 to first capacity[p], graph 1 nohead dt 2 lw 1.2 lc rgb '#444444'
		if (terminal ne 'dumb') {
			band_end = capacity_high[p] < panel_x_high[p] ? capacity_high[p] : panel_x_high[p]
			set object 1 rectangle from first capacity_low[p], graph 0 to first band_end, graph 1 \
				behind fc rgb '#eeeeee' fs solid 1.0 noborder
		}
	}
	plot for [s = panel_first[p]:last] data_file skip 1 using ($1 == s && $6 < 6 ? $2 : NaN):3 \
		with lines lc rgb series_colour[s] dt dash_of(s) lw series_width[s] notitle, \
	     data_file skip 1 using ($1 == panel_first[p] ? $2 : NaN):3:(cell(9, $2)):(cell(10, $2)) \
	         with xerrorbars lc rgb series_colour[panel_first[p]] pt 0 notitle, \
	     for [s = panel_first[p]:last] data_file skip 1 using ($1 == s && $6 < 4 ? $2 : NaN):3:(cell(4, $3)):(cell(5, $3)) \
	         with yerrorbars lc rgb series_colour[s] pt series_shape[s] + 1 ps 0.9 notitle, \
	     for [s = last + 1:panel_last[p]] data_file skip 1 using ($1 == s && $6 >= 6 ? $2 : NaN):(top) \
	         with points lc rgb series_colour[at(s)] pt series_shape[at(s)] ps 1.2 lw 2 notitle, \
	     for [s = panel_first[p]:last] keyentry with linespoints lc rgb series_colour[s] \
	         dt dash_of(s) lw series_width[s] pt point_of(s) ps 0.9 title series_label[s], \
	     for [s = last + 1:panel_last[p]] keyentry with points lc rgb series_colour[at(s)] pt series_shape[at(s)] ps 1.2 lw 2 \
	         title series_label[at(s)], \
	     for [k = 1:(capacity[p] > 0)] keyentry with lines dt 2 lw 1.2 lc rgb '#444444' title capacity_text[p]
	unset label
	unset arrow
	unset object
}
unset multiplot
