#ifndef PLOTS_GNUPLOT_H
#define PLOTS_GNUPLOT_H

#include <stddef.h>

/* Runs gnuplot on a script in its folder, without a shell and without the user's own gnuplot settings. What it writes
 * to stderr comes back in words, its stdout is ours. Returns 0, -ENOENT (no gnuplot on PATH), -EIO (it failed), or
 * another -errno. */
int gnuplot_run(const char *folder, const char *script, char *words, size_t size);

#endif
