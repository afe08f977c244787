/* The core-to-core matrix as a heat map. */
#include "figure_fill.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { NUMBERS_MOST = 20, LABELS_MOST = 24 };

static void notes_write(struct sheet *sheet, size_t measured, size_t n)
{
	if (measured < n * (n - 1))
		sheet_note(sheet, "%zu of %zu pairs were measured; the others are blank.", measured, n * (n - 1));
	sheet_note(sheet, "Median round trips of one cache line, each way of a pair by itself; a virtual machine's "
			  "change while it runs.");
}

int figure_fill_matrix(struct sheet *sheet, const int *cpus, const double *round_trip_ns, size_t n, const char *title)
{
	double low = DBL_MAX, high = 0, *numbers;
	size_t measured = 0;
	unsigned side;

	for (size_t i = 0; i < n * n; i++)
		if (round_trip_ns[i] >= 0) {
			low = fmin(low, round_trip_ns[i]);
			high = fmax(high, round_trip_ns[i]);
			measured += i / n != i % n;
		}
	if (high < low)
		return sheet_complain(sheet, "no pair of CPUs was measured");
	numbers = calloc(n, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	fprintf(sheet->data, "row\tcolumn\tround_trip_ns\trow_cpu\tcolumn_cpu\n");
	for (size_t i = 0; i < n; i++) {
		numbers[i] = cpus[i];
		for (size_t j = 0; j < n; j++)
			fprintf(sheet->data, "%zu\t%zu\t%.6g\t%d\t%d\n", i, j,
				round_trip_ns[i * n + j] < 0 ? NAN : round_trip_ns[i * n + j], cpus[i], cpus[j]);
	}
	low = fmin(low, high / 2); /* colours that lie far apart are not to stand for times that hardly differ */
	high = fmax(high, 1);      /* a palette needs two ends */
	side = n <= 8              ? 48
	       : n <= NUMBERS_MOST ? (unsigned)n * 6
				   : 100; /* columns; half as many lines are about a square */
	sheet_head(sheet, "%s", title);
	sheet->width = 10 + side + 20;
	sheet->width = sheet->width < 64 ? 64 : sheet->width;
	sheet->height = 1 + side / 2 + 4;
	sheet_set_number(sheet, "plot_left", 10);
	sheet_set_number(sheet, "plot_right", 10 + side);
	sheet_set_number(sheet, "plot_top", 1);
	sheet_set_number(sheet, "plot_bottom", 1 + side / 2);
	sheet_set_number(sheet, "n", (double)n);
	sheet_set_numbers(sheet, "cpu", numbers, n);
	sheet_set_number(sheet, "low", low);
	sheet_set_number(sheet, "high", high);
	sheet_set_number(sheet, "numbers", n <= NUMBERS_MOST);
	sheet_set_number(sheet, "label_every", (double)((n + LABELS_MOST - 1) / LABELS_MOST));
	notes_write(sheet, measured, n);
	free(numbers);
	return 0;
}
