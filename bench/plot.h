/* `twopoint plot`: figures of records, and where figures go. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "options.h"

enum { PLOT_PATH = 1024 };

/* The folder for figures called `name`: --out; a folder of that name in plots/out where there is plots/, else here; for `dumb` a
 * temporary one. It is made; found: how many bytes of the path were there before. Returns 0, or −errno after it was said on stderr. */
int plot_folder(char *folder, size_t size, const struct options *options, const char *name, size_t *found);
/* Appends one more folder, and makes it; for `dumb` nothing: the temporary one is for all. Returns as plot_folder(). */
int plot_subfolder(char *folder, size_t size, const char *name, const struct options *options, size_t *found);
/* After drawing: what was only for the terminal goes, and so do folders that were made and that nothing came into. */
void plot_leave_folder(const char *folder, const struct options *options, size_t found);

/* Returns the exit status. */
int plot_main(const struct options *options);

#endif
