/* The machine and the build, as the record's first line has them. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <jansson.h>

#include "clock.h"
#include "limits.h"
#include "topology.h"

/* host, topology, placements, clock, limits, settings, settings_notes, build, tool. A new reference. */
json_t *machine_to_json(const struct topology *topology, const struct clock *clock, const struct limits *limits);

/* The machine's topology, to be freed; NULL, and told on stderr, where there is none. */
struct topology *machine_load_topology(void);

/* "20261130T093010Z" or, readable, "2026-11-30T09:30:10Z", in text of at least 24 bytes. Returns text. */
char *machine_utc(char *text, size_t size, bool compact);

#endif
