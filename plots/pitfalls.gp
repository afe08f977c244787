# Percentiles under an open and a closed load; bars.gp goes on below. Columns: the word curve, series, 1/(1-p), ns, marked.

set logscale xy
set xlabel 'percentile of messages (log scale of 1 - p)' offset 0, 0.3
set ylabel 'latency'
set xtics ('0' 1, '50' 2, '90' 10, '99' 100, '99.9' 1e3, '99.99' 1e4, '99.999' 1e5, '99.9999' 1e6, '99.99999' 1e7)
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)

do for [p = 1:panels] {
	set tmargin at screen line_at(panel_top[p])
	set bmargin at screen line_at(panel_bottom[p])
	set label words + 1 panel_title[p] at screen column_at(1), screen line_at(panel_top[p] - 0.5) left
	set key at screen column_at(plot_right + 2), screen line_at(panel_top[p]) left top Left reverse samplen 3 spacing 1
	set xrange [panel_x_low[p]:panel_x_high[p]]
	set yrange [panel_y_low[p]:panel_y_high[p]]
	set ytics ()
	do for [e = -1:12] { do for [m in tick_steps(panel_y_low[p], panel_y_high[p])] {
		set ytics add (ns_text(m * 10.0**e) m * 10.0**e)
	} }
	plot for [s = panel_first[p]:panel_last[p]] data_file skip 1 using (strcol(1) eq 'curve' && $2 == s ? $3 : NaN):4 \
		with lines lc rgb series_colour[s] dt series_dash[s] lw series_width[s] notitle, \
	     for [s = panel_first[p]:panel_last[p]] data_file skip 1 using (strcol(1) eq 'curve' && $2 == s && $5 == 1 ? $3 : NaN):4 \
	         with points lc rgb series_colour[s] pt series_shape[s] + 1 ps 0.8 notitle, \
	     for [s = panel_first[p]:panel_last[p]] keyentry with linespoints lc rgb series_colour[s] \
	         dt series_dash[s] lw series_width[s] pt series_shape[s] + 1 ps 0.8 title series_label[s]
	unset label
}
unset key
