#include "fields.h"
#include "record.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fields_fail(struct fields *fields, int err, const char *format, ...)
{
	va_list arguments;
	int n;

	if (fields->failed)
		return fields->failed;
	fields->failed = err;
	n = snprintf(fields->error, RECORD_TEXT, "%.300s: line %zu: ", fields->path, fields->line);
	va_start(arguments, format);
	vsnprintf(fields->error + n, RECORD_TEXT - (size_t)n, format, arguments);
	va_end(arguments);
	return err;
}

void fields_at(struct fields *fields, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fields->where, sizeof(fields->where), format, arguments);
	va_end(arguments);
}

static void fields_wrong(struct fields *fields, const char *name, const char *wanted)
{
	fields_fail(fields, -EINVAL, "%s%s is not %s", fields->where, name, wanted);
}

/* NULL after a failure. */
static json_t *fields_take(struct fields *fields, const json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	if (!value)
		fields_fail(fields, -EINVAL, "%s%s is missing", fields->where, name);
	return fields->failed ? NULL : value;
}

uint64_t fields_count(struct fields *fields, const json_t *object, const char *name)
{
	const json_t *value = fields_take(fields, object, name);

	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0) {
		fields_wrong(fields, name, "a whole number of 0 or more");
		return 0;
	}
	return (uint64_t)json_integer_value(value);
}

uint64_t fields_count_or_null(struct fields *fields, const json_t *object, const char *name)
{
	return json_is_null(json_object_get(object, name)) ? 0 : fields_count(fields, object, name);
}

double fields_count_or_unknown(struct fields *fields, const json_t *object, const char *name)
{
	return json_is_null(json_object_get(object, name)) ? -1.0 : (double)fields_count(fields, object, name);
}

int fields_small(struct fields *fields, const json_t *object, const char *name)
{
	uint64_t count = fields_count(fields, object, name);

	if (count > INT_MAX) {
		fields_wrong(fields, name, "a whole number below 2^31");
		return 0;
	}
	return (int)count;
}

int fields_small_or_null(struct fields *fields, const json_t *object, const char *name)
{
	return json_is_null(json_object_get(object, name)) ? -1 : fields_small(fields, object, name);
}

double fields_number(struct fields *fields, const json_t *object, const char *name, double if_null)
{
	const json_t *value = fields_take(fields, object, name);

	if (!value)
		return 0.0;
	if (json_is_null(value))
		return if_null;
	if (!json_is_number(value)) {
		fields_wrong(fields, name, "a number or null");
		return 0.0;
	}
	return json_number_value(value); /* finite: jansson reads no other */
}

double fields_positive(struct fields *fields, const json_t *object, const char *name)
{
	double value = fields_number(fields, object, name, 0.0);

	if (value < 0.0)
		fields_wrong(fields, name, "0 or more");
	return json_is_null(json_object_get(object, name)) ? -1.0 : value;
}

bool fields_bool(struct fields *fields, const json_t *object, const char *name)
{
	const json_t *value = fields_take(fields, object, name);

	if (value && !json_is_boolean(value))
		fields_wrong(fields, name, "true or false");
	return json_is_true(value);
}

const char *fields_text(struct fields *fields, const json_t *object, const char *name)
{
	const json_t *value = fields_take(fields, object, name);

	if (!value)
		return NULL;
	if (!json_is_string(value) || json_string_length(value) > FIELDS_TEXT) {
		fields_wrong(fields, name, "a text of 4096 bytes or fewer");
		return NULL;
	}
	return json_string_value(value);
}

const char *fields_text_or_null(struct fields *fields, const json_t *object, const char *name)
{
	return json_is_null(json_object_get(object, name)) ? NULL : fields_text(fields, object, name);
}

json_t *fields_object(struct fields *fields, const json_t *object, const char *name)
{
	json_t *value = fields_take(fields, object, name);

	if (value && !json_is_object(value)) {
		fields_wrong(fields, name, "an object");
		return NULL;
	}
	return value;
}

json_t *fields_object_or_null(struct fields *fields, const json_t *object, const char *name)
{
	return json_is_null(json_object_get(object, name)) ? NULL : fields_object(fields, object, name);
}

json_t *fields_array(struct fields *fields, const json_t *object, const char *name)
{
	json_t *value = fields_take(fields, object, name);

	if (value && (!json_is_array(value) || json_array_size(value) > FIELDS_ITEMS)) {
		fields_wrong(fields, name, "a list of 4096 items or fewer");
		return NULL;
	}
	return value;
}
