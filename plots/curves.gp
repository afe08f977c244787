# Arrivals and departures of consecutive messages. Columns: message, write_ns, read_ns, departures_ns (sorted).

set xrange [0:x_high]
set yrange [0:y_high]
set xlabel 'time, '.time_unit
set ylabel 'messages, cumulative'
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)
set tmargin at screen line_at(panel_top[1])
set bmargin at screen line_at(panel_bottom[1])
set key at screen column_at(plot_left), screen line_at(legend_line) left top Left reverse samplen 3 vertical maxrows 3
set style fill solid 1.0 noborder

# Each message is a strip as long as its latency: together they are the area between the curves.
plot data_file skip 1 using ($2 / time_scale):($1 - 0.5):($2 / time_scale):($3 / time_scale):($1 - 1):1 \
	with boxxyerror lc rgb '#cfe3f1' title area_label, \
     data_file skip 1 using ($2 / time_scale):1 with steps lc rgb '#0072b2' lw 2 dt 1 title 'arrivals: messages at '.from_label, \
     data_file skip 1 using ($4 / time_scale):1 with steps lc rgb '#d55e00' lw 2 dt 1 title 'departures: messages at '.to_label
unset multiplot
