/* Checks a record, line by line, against record.schema.json, which is compiled in. */
#ifndef RESULTS_SCHEMA_H
#define RESULTS_SCHEMA_H

#include <jansson.h>
#include <stddef.h>

enum { SCHEMA_TEXT = 512 };

/* One line of a record. Returns 0, or -EINVAL with the place (a JSON pointer), what was found and what is allowed in
 * error. */
int schema_check_line(const json_t *line, char error[SCHEMA_TEXT]);

/* A whole file: each line, the order of the kinds, and whether record.h reads it. Returns 0, or -errno with path, line number and reason in
 * error.
 */
int schema_check_file(const char *path, char error[SCHEMA_TEXT]);

#endif
