# The round trip of a line between each two CPUs. Columns: row, column, ns, the two CPUs.

set xrange [-0.5:n - 0.5]
set yrange [n - 0.5:-0.5]
set cbrange [low:high]
set palette defined (0 '#fde725', 1 '#7ad151', 2 '#22a884', 3 '#2a788e', 4 '#414487', 5 '#440154')
set xlabel 'CPU, by the OS'
set ylabel 'CPU'
set cblabel 'round trip of one cache line, ns'
set colorbox user origin screen column_at(plot_right + 3), screen line_at(plot_bottom) \
	size screen column_at(2.5), screen line_at(plot_top) - line_at(plot_bottom)
set lmargin at screen column_at(plot_left)
set rmargin at screen column_at(plot_right)
set tmargin at screen line_at(plot_top)
set bmargin at screen line_at(plot_bottom)
unset grid
set xtics ()
set ytics ()
do for [i = 0:n - 1:label_every] {
	set xtics add (sprintf('%d', cpu[i + 1]) i)
	set ytics add (sprintf('%d', cpu[i + 1]) i)
}
set style fill solid 1.0 noborder
ns_number(v) = v < 100 ? sprintf('%.3g', v) : sprintf('%.0f', v)
dark(v) = v > low + (high - low) * 0.45
if (terminal eq 'dumb') {
	plot data_file skip 1 using 2:1:(valid(3) ? ns_number($3) : '') with labels notitle
} else { if (numbers) {
	plot data_file skip 1 using (valid(3) ? $2 : NaN):1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):3 \
		with boxxyerror lc palette notitle, \
	     data_file skip 1 using 2:1:(valid(3) ? ns_number($3) : ''):(dark(cell(3, low)) ? 0xffffff : 0x000000) \
	         with labels textcolor rgb variable notitle
} else {
	plot data_file skip 1 using (valid(3) ? $2 : NaN):1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):3 with boxxyerror lc palette notitle
} }
unset multiplot
