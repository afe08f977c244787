# Which queue is ahead where, a map each regime and setting. Columns: map, column, row, colour, batch or bytes, capacity, the best two
# values, whether they are told apart, and the tile's three lines. Their colour is one that the report leaves dark: tiles are never dark.

unset grid
set style fill solid 1.0 noborder
set lmargin at screen column_at(map_left)
do for [p = 1:map_count] {
	set tmargin at screen line_at(map_top[p])
	set bmargin at screen line_at(map_bottom[p])
	set rmargin at screen column_at(map_right[p])
	set label words + 1 map_title[p] at screen column_at(1), screen line_at(map_top[p] - 0.7) left
	set ylabel map_rows[p] > 1 ? 'capacity, messages' : 'capacity' offset 1, 0
	set xlabel map_x_title[p] offset 0, 0.3
	set xrange [0.5:map_columns[p] + 0.5]
	set yrange [map_rows[p] + 0.5:0.5]
	set xtics ()
	set ytics ()
	do for [i = 1:map_columns[p]] { set xtics add (map_column_name[map_column[p] + i] i) }
	do for [i = 1:map_rows[p]] { set ytics add (map_row_name[map_row[p] + i] i) }
	if (terminal eq 'dumb') {
		plot for [k = 0:2] data_file skip 1 using ($1 == p ? $2 : NaN):($3 + (k - 1) * 0.32):(strcol(10 + k)) with labels textcolor rgb '#1a1a1a' notitle
	} else {
		plot data_file skip 1 using ($1 == p ? $2 : NaN):3:($2 - 0.49):($2 + 0.49):($3 - 0.48):($3 + 0.48):4 \
			with boxxyerror lc rgb variable notitle, \
		     for [k = 0:2] data_file skip 1 using ($1 == p ? $2 : NaN):($3 + (k - 1) * 0.27):(strcol(10 + k)) with labels textcolor rgb '#1a1a1a' notitle
	}
	unset label
}
unset multiplot
