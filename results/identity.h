/* The machine that a record is of, by what its numbers depend on: not by its name. */
#ifndef RESULTS_IDENTITY_H
#define RESULTS_IDENTITY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* {"cpu_model", "cpus", "kernel_major", "hypervisor", "clock_source"}, null what is not known. run: a record's first line. A new
 * reference, or NULL: out of memory. */
json_t *identity_of_run(const json_t *run);

/* Whether two records' machines and clocks are the same; if not, what differs, in reason. Clocks: of the same source, read in the same
 * order, at rates within 1 %. */
bool identity_same(const json_t *run_a, const json_t *run_b, char *reason, size_t size);

#endif
