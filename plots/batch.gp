# Nanoseconds per message at the reader against batch size. Columns: series, batch, ns, low, high.

set logscale xy
set xlabel 'batch size, messages staged before a flush' offset 0, 0.3
set ylabel 'time per message at read'
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)

do for [p = 1:panels] {
	set tmargin at screen line_at(panel_top[p])
	set bmargin at screen line_at(panel_bottom[p])
	set label words + 1 panel_title[p] at screen column_at(plot_left), screen line_at(panel_top[p] - 0.5) left
	set key at screen column_at(plot_right + 2), screen line_at(panel_top[p]) left top Left reverse samplen 3 spacing 1
	set xrange [panel_x_low[p]:panel_x_high[p]]
	set yrange [panel_y_low[p]:panel_y_high[p]]
	set xtics ()
	do for [b = 1:batch_count] { set xtics add (sprintf('%g', batch[b]) batch[b]) }
	set ytics ()
	do for [e = -4:9] { do for [m in tick_steps(panel_y_low[p], panel_y_high[p])] {
		set ytics add (ns_text(m * 10.0**e) m * 10.0**e)
	} }
	# A queue that does not batch is as fast at any size: a dotted line says so.
	plot for [s = panel_first[p]:panel_last[p]] data_file skip 1 using ($1 == s && series_single[s] && panel_batches[p] > 1 ? $2 : NaN):3:(panel_x_high[p] - $2):(0) with vectors nohead lc rgb series_colour[s] dt 3 lw 1 notitle, \
	     for [s = panel_first[p]:panel_last[p]] data_file skip 1 using ($1 == s ? $2 : NaN):3 with lines lc rgb series_colour[s] dt series_dash[s] lw series_width[s] notitle, \
	     for [s = panel_first[p]:panel_last[p]] data_file skip 1 using ($1 == s ? $2 : NaN):3:(cell(4, $3)):(cell(5, $3)) with yerrorbars lc rgb series_colour[s] pt series_shape[s] + 1 ps 0.9 notitle, \
	     for [s = panel_first[p]:panel_last[p]] keyentry with linespoints lc rgb series_colour[s] dt series_dash[s] lw series_width[s] pt series_shape[s] + 1 ps 0.9 title series_label[s]
	unset label
}
unset multiplot
