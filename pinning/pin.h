/* Pinning the calling thread, with the mask read back. No hwloc here: a trial's process never loads it. */
#ifndef PINNING_PIN_H
#define PINNING_PIN_H

#include <stdbool.h>
#include <stddef.h>

enum { PIN_TEXT = 256 };

/* Pins the calling thread to one CPU and reads the mask back; masks of any size. Returns 0 only if the thread may run
 * there and nowhere else; else -errno, with the reason and the allowed CPUs in error. */
int pin_self(int cpu, char error[PIN_TEXT]);

/* The calling thread's affinity mask as ascending CPU numbers; *cpus is allocated, the caller frees it.
 * Returns 0, or -errno. */
int pin_allowed(int **cpus, size_t *count);

/* The calling thread's affinity mask as text, "0-3,8"; "unknown" where it can't be read. Returns text. */
char *pin_allowed_text(char *text, size_t size);

/* Ascending CPU numbers as text, "0-3,8"; what does not fit is cut and ends in "...". Returns text. */
char *pin_cpus_text(const int *cpus, size_t count, char *text, size_t size);

#endif
