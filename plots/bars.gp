# Bars, an area each setting. Columns: the word bar, area, y, value, low, high, colour.

unset ylabel
unset ytics
unset logscale
set grid xtics noytics
set lmargin at screen column_at(bars_left)
set rmargin at screen column_at(columns - 4)
set style fill solid 0.85 noborder
half = terminal eq 'dumb' ? 0.3 : 0.38

do for [p = 1:bars_areas] {
	set tmargin at screen line_at(bars_top[p])
	set bmargin at screen line_at(bars_bottom[p])
	set label words + 1 bars_title[p] at screen column_at(1), screen line_at(bars_top[p] - 0.6) left
	do for [r = bars_first[p]:bars_last[p]] {
		set label words + 2 + 2 * (r - bars_first[p]) bar_label[r] at screen column_at(bars_left - 1), first bar_y[r] right
		set label words + 3 + 2 * (r - bars_first[p]) bar_word[r] at first bar_end[r], bar_y[r] left offset 1.5, 0 front
	}
	set xlabel bars_x_title[p] offset 0, 0.3
	set xrange [0:bars_high[p]]
	set yrange [bars_rows[p]:0.5]
	set xtics ()
	do for [i = 0:ceil(bars_high[p] / bars_step[p])] {
		set xtics add ((i == 0 ? '0' : bars_unit[p] == 0 ? ns_text(i * bars_step[p]) \
			: rate_text(i * bars_step[p])) i * bars_step[p])
	}
	plot data_file skip 1 using (strcol(1) eq 'bar' && $2 == p ? $4 : NaN):3:(0):4:($3 - half):($3 + half):7 \
		with boxxyerror lc rgb variable notitle, \
	     data_file skip 1 using (strcol(1) eq 'bar' && $2 == p ? cell(5, $4) : NaN):3:(cell(6, $4) - cell(5, $4)):(0) \
	         with vectors nohead lw 2 lc rgb '#000000' notitle
	unset label
}
unset multiplot
