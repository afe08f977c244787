# What all figures share. Above stand the settings of this one figure; below, the figure itself.
# Lengths are in characters and lines, 7 x 16 pixels each.

set encoding utf8
set datafile separator "\t"

have(name) = strstrt(' '.GPVAL_TERMINALS.' ', ' '.name.' ') > 0
missing = 'this gnuplot cannot draw '.terminal.'; it can draw:'.(have('svg') ? ' svg' : ''). \
	(have('pngcairo') || have('png') ? ' png' : '').(have('pdfcairo') ? ' pdf' : '').' dumb'

if (terminal eq 'svg' && have('svg')) {
	set terminal svg size 7 * columns, 16 * lines noenhanced standalone background rgb 'white' font 'Arial,12'
} else { if (terminal eq 'png' && have('pngcairo')) {
	set terminal pngcairo size 7 * columns, 16 * lines noenhanced background rgb 'white' font 'Sans,9'
} else { if (terminal eq 'png' && have('png')) {
	set terminal png size 7 * columns, 16 * lines noenhanced small
} else { if (terminal eq 'pdf' && have('pdfcairo')) {
	set terminal pdfcairo size 7 * columns / 96.0, 16 * lines / 96.0 noenhanced background rgb 'white' font 'Sans,9'
} else { if (terminal eq 'dumb') {
	set terminal dumb size columns, lines noenhanced
} else {
	exit error missing
} } } } }
if (terminal ne 'dumb') { set output output_file }

title_font = terminal eq 'svg' ? ',15' : GPVAL_TERM eq 'pngcairo' || GPVAL_TERM eq 'pdfcairo' ? ',11' : ''

# Screen coordinates of a column, and of a line below the header.
column_at(c) = c / (1.0 * columns)
line_at(l) = 1 - (header_count + l) / (1.0 * lines)
# Of the notes' lines, counted from the lowest one up; among characters each must meet its own.
note_at(l) = terminal eq 'dumb' ? l / (lines - 1.0) : (l + 0.7) / lines

# Numbers as people write them.
ns_text(v) = v < 999 ? sprintf('%g ns', v) : v < 999e3 ? sprintf('%g us', v / 1e3) : v < 999e6 ? sprintf('%g ms', v / 1e6) \
	: sprintf('%g s', v / 1e9)
rate_text(v) = v < 999 ? sprintf('%g', v) : v < 999e3 ? sprintf('%gk', v / 1e3) : v < 999e6 ? sprintf('%gM', v / 1e6) \
	: sprintf('%gG', v / 1e9)
# The ticks of a decade: all three where the axis spans less than two.
tick_steps(low, high) = high / low < 100 ? '1 2 5' : '1'

# A cell of the data where it has a number, else v: an interval that is not known has no length.
cell(c, v) = valid(c) ? column(c) : v

set border 3 lc rgb '#444444'
set tics nomirror out
set grid lc rgb '#cccccc' lw 1 dt 1
unset key

set multiplot
do for [i = 1:header_count] {
	set label i header[i] font (i == 1 ? title_font : '') at screen column_at(1), screen line_at(i - 0.3 - header_count) left front
}
do for [i = 1:notes_count] {
	set label header_count + i notes[i] \
		at screen column_at(1), screen note_at(notes_count - i) left front textcolor rgb '#444444'
}
words = header_count + notes_count
