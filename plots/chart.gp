# Lines of points with intervals along an axis, an area each setting. Columns: series, x, y, low, high.
# A series' rows lie side by side; those of the next one that are read with them are left out by its number.
# panel_unit: 0 a time, 1 a rate, 2 a share. reaches: what a line of one point says is dotted to the right.

if (!x_is_linear) { set logscale x }
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)
is_dotted(p, s) = reaches && series_single[s] && panel_places[p] > 1
# A curve has no points; among characters it has a dot, for -1 would be a question mark.
point_of(s) = series_pointed[s] ? series_shape[s] + 1 : terminal eq 'dumb' ? 0 : -1

do for [p = 1:panels] {
	set tmargin at screen line_at(panel_top[p])
	set bmargin at screen line_at(panel_bottom[p])
	set label words + 1 panel_title[p] at screen column_at(plot_left), screen line_at(panel_top[p] - 0.5) left
	set key at screen column_at(plot_right + 2), screen line_at(panel_top[p]) left top Left reverse samplen 3 spacing 1
	set xlabel panel_x_title[p] offset 0, 0.3
	set ylabel panel_y_title[p]
	# of whole numbers from 1 on: 0 is none
	if (x_is_linear) { set xtics panel_x_step[p], panel_x_step[p]; set xtics add ('1' 1) } else { set xtics () }
	if (name_count) { set xtics () }
	do for [t = 1:name_count] { set xtics add (name[t] name_x[t]) }
	do for [t = 1:tick_count] {
		if (tick_panel[t] == p) { set xtics add (tick_text[t] tick[t]) }
	}
	set xrange [panel_x_low[p]:panel_x_high[p]]
	unset logscale y
	set yrange [panel_y_low[p]:panel_y_high[p]]
	set ytics ()
	if (panel_unit[p] == 2) {
		do for [i = 0:4] { set ytics add (sprintf('%g', i / 4.0) i / 4.0) }
	} else {
		set logscale y
		do for [e = -6:15] { do for [m in tick_steps(panel_y_low[p], panel_y_high[p])] {
			set ytics add ((panel_unit[p] ? rate_text(m * 10.0**e) : ns_text(m * 10.0**e)) m * 10.0**e)
		} }
	}
	marked = 0
	do for [m = 1:marks] {
		if (mark_panel[m] == p) {
			set arrow m from first mark_x[m], graph 0 to first mark_x[m], graph 1 nohead dt 2 lw 1.2 lc rgb '#444444'
			set label words + 1 + m mark_text[m] at first mark_x[m], graph 0.97 - 0.06 * marked left offset 0.6, 0 front
			marked = marked + 1
		}
	}
	plot for [s = panel_first[p]:panel_last[p]] data_file skip series_row[s] every ::0::series_rows[s] \
		using ($1 == s && is_dotted(p, s) ? $2 : NaN):3:(panel_x_high[p] - $2):(0) \
		with vectors nohead lc rgb series_colour[s] dt 3 lw 1.5 notitle, \
	     for [s = panel_first[p]:panel_last[p]] data_file skip series_row[s] every ::0::series_rows[s] \
	         using ($1 == s && series_joined[s] ? $2 : NaN):3 \
	         with lines lc rgb series_colour[s] dt series_dash[s] lw series_width[s] notitle, \
	     for [s = panel_first[p]:panel_last[p]] data_file skip series_row[s] every ::0::series_rows[s] \
	         using ($1 == s && series_pointed[s] ? $2 : NaN):3:(cell(4, $3)):(cell(5, $3)) \
	         with yerrorbars lc rgb series_colour[s] pt series_shape[s] + 1 ps 0.9 notitle, \
	     for [s = panel_first[p]:panel_bare[p] ? panel_first[p] - 1 : panel_last[p]] keyentry \
	         with linespoints lc rgb series_colour[s] dt series_dash[s] lw series_width[s] pt point_of(s) ps 0.9 title series_label[s]
	unset label
	unset arrow
}
unset multiplot
