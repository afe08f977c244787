/* The figures: what there is to draw of a record, and the drawing itself (by gnuplot). README.md tells how to read
 * them. */
#ifndef PLOTS_FIGURES_H
#define PLOTS_FIGURES_H

#include "summary.h"
#include <stddef.h>

struct sheet;

struct figure {
	const char *name; /* of its files: NAME.svg, NAME.tsv, NAME.gp */
	const char *title;
	const char *question; /* the one that it answers */
	const char *script;   /* the .gp file that draws it, or two of them, parted by a space */
	/* Writes the figure's data and words. Returns 0, 1 (nothing to draw; sheet_complain() has said what is missing)
	 * or -errno. */
	int (*fill)(struct sheet *sheet, const struct record *record, const struct summary *summary);
	bool one_record; /* it can't show several records side by side (record_join.h) */
};

/* All figures of a record; constant. */
const struct figure *figure_list(size_t *count);
/* The one of that name, or NULL. */
const struct figure *figure_find(const char *name);

struct figure_request {
	const char *terminal; /* svg, png, pdf; dumb: characters on stdout */
	const char *folder;   /* exists; figure, data and script are written here, older ones replaced */
	const char *scripts;  /* folder of the .gp files; NULL: the copies compiled in */
};

/* Draws one figure of one record (summary made from it). Returns 0; 1 where the record has nothing for this figure
 * (message says what is missing; no file is written); or -errno with the reason, gnuplot's own words included, in
 * message; data and script stay, a broken figure does not. path receives the figure's file, "" for dumb. After 0,
 * message holds what gnuplot had to say, usually nothing. */
int figure_draw(const struct figure *figure, const struct record *record, const struct summary *summary,
		const struct figure_request *request, char *path, size_t path_size, char *message, size_t message_size);

/* The core-to-core matrix: n CPUs by the OS's numbers, round_trip_ns[i * n + j] medians, < 0: not measured. Its files
 * are called matrix.*. Returns as figure_draw(). */
int figure_draw_matrix(const int *cpus, const double *round_trip_ns, size_t n, const char *title,
		       const struct figure_request *request, char *path, size_t path_size, char *message,
		       size_t message_size);

/* The courses of a history's cells over its runs, and where they change. Its files are called history.*. Returns as figure_draw(). */
struct history_print;
int figure_draw_history(const struct history_print *history, const struct figure_request *request, char *path, size_t path_size,
			char *message, size_t message_size);

/* The .gp files as text, by name without .gp, ended by {NULL, NULL}: generated when the folder is compiled. */
struct figure_script {
	const char *name, *text;
};
extern const struct figure_script figure_scripts[];

#endif
