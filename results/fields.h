/* Fields of a JSON object, taken with a check of their types. The first thing that is wrong is kept as the reader's
 * error, naming file, line and field; what is taken after it is zero. So a caller takes all fields and asks once. */
#ifndef RESULTS_FIELDS_H
#define RESULTS_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIELDS_ITEMS = 4096, FIELDS_TEXT = 4096 }; /* longer arrays and texts are refused */

struct fields {
	const char *path;
	size_t line;
	char *error;    /* RECORD_TEXT bytes */
	int failed;     /* 0 or -errno of the first failure */
	char where[96]; /* put before the names in errors: "latency[2]." */
};

/* Sets the error unless there is one already. Returns fields->failed. */
int fields_fail(struct fields *fields, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sets where. */
void fields_at(struct fields *fields, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint64_t fields_count(struct fields *fields, const json_t *object, const char *name);
/* null is 0 */
uint64_t fields_count_or_null(struct fields *fields, const json_t *object, const char *name);
/* null is -1 */
double fields_count_or_unknown(struct fields *fields, const json_t *object, const char *name);
/* A count that fits an int. */
int fields_small(struct fields *fields, const json_t *object, const char *name);
/* null is -1 */
int fields_small_or_null(struct fields *fields, const json_t *object, const char *name);
/* A finite number of either sign; null gives if_null. */
double fields_number(struct fields *fields, const json_t *object, const char *name, double if_null);
/* The same, but refused where negative; null gives -1. */
double fields_positive(struct fields *fields, const json_t *object, const char *name);
bool fields_bool(struct fields *fields, const json_t *object, const char *name);
/* Borrowed from object; NULL after a failure. */
const char *fields_text(struct fields *fields, const json_t *object, const char *name);
/* NULL for null too. */
const char *fields_text_or_null(struct fields *fields, const json_t *object, const char *name);
json_t *fields_object(struct fields *fields, const json_t *object, const char *name);
json_t *fields_object_or_null(struct fields *fields, const json_t *object, const char *name);
json_t *fields_array(struct fields *fields, const json_t *object, const char *name);

#endif
