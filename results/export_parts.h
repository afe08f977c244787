/* What the formats share. */
#ifndef RESULTS_EXPORT_PARTS_H
#define RESULTS_EXPORT_PARTS_H

#include "export.h"
#include "number.h"
#include "summary_parts.h"

struct export_parameter {
	const char *name;  /* NULL: behind the last */
	const char *usual; /* the value with which a row's name need not tell it; or NULL */
	bool alone;        /* a name tells its value without its name */
};

extern const struct export_parameter export_parameters[];

enum { EXPORT_VALUE = 128, EXPORT_POINTS = 80 };

/* A scalar of JSON as plain text, "" for null. Returns text. */
char *export_value(char text[EXPORT_VALUE], const json_t *value);

/* "write_0-read_1": points with their actors, which tell all latencies of a cell apart; "all" of several. Returns text. */
char *export_points(char text[EXPORT_POINTS], const char *from_point, int from_actor, const char *between, const char *to_point, int to_actor);

#endif
