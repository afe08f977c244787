#include "schema_interpret.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { POINTER_TEXT = 256 };

struct check {
	const json_t *whole;
	char pointer[POINTER_TEXT]; /* where in the value we are: "/latency/2/p50_ns" */
	char *error;
};

typedef int keyword_check(struct check *check, const json_t *operand, const json_t *value);

static int check_value(struct check *check, const json_t *schema, const json_t *value);

__attribute__((format(printf, 2, 3))) static int refuse(struct check *check, const char *format, ...)
{
	va_list arguments;
	int n = snprintf(check->error, SCHEMA_TEXT, "%s: ", check->pointer[0] ? check->pointer : "/");

	va_start(arguments, format);
	vsnprintf(check->error + n, SCHEMA_TEXT - (size_t)n, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* Checks a part of the value, with the pointer led there and back. */
static int check_part(struct check *check, const json_t *schema, const json_t *part, const char *name, size_t number)
{
	size_t length = strlen(check->pointer);
	int err;

	if (name)
		snprintf(check->pointer + length, POINTER_TEXT - length, "/%s", name);
	else
		snprintf(check->pointer + length, POINTER_TEXT - length, "/%zu", number);
	err = check_value(check, schema, part);
	check->pointer[length] = '\0';
	return err;
}

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "object";
	case JSON_ARRAY:
		return "array";
	case JSON_STRING:
		return "string";
	case JSON_INTEGER:
		return "integer";
	case JSON_REAL:
		return "number";
	case JSON_NULL:
		return "null";
	default:
		return "boolean";
	}
}

static bool type_is(const json_t *value, const char *type)
{
	return strcmp(type_name(value), type) == 0 || (json_is_integer(value) && strcmp(type, "number") == 0);
}

static int check_type(struct check *check, const json_t *operand, const json_t *value)
{
	char wanted[128] = "";
	const json_t *type;
	size_t i;

	if (json_is_string(operand))
		return type_is(value, json_string_value(operand))
			       ? 0
			       : refuse(check, "it is of type %s and must be %s", type_name(value),
					json_string_value(operand));
	json_array_foreach(operand, i, type) {
		size_t length = strlen(wanted);

		if (type_is(value, json_string_value(type)))
			return 0;
		snprintf(wanted + length, sizeof(wanted) - length, "%s%s", i > 0 ? " or " : "",
			 json_string_value(type));
	}
	return refuse(check, "it is of type %s and must be %s", type_name(value), wanted);
}

static int check_required(struct check *check, const json_t *operand, const json_t *value)
{
	const json_t *name;
	size_t i;

	json_array_foreach(operand, i, name)
		if (json_is_object(value) && !json_object_get(value, json_string_value(name)))
			return refuse(check, "%s is missing", json_string_value(name));
	return 0;
}

static int check_properties(struct check *check, const json_t *operand, const json_t *value)
{
	const char *name;
	json_t *property;

	json_object_foreach((json_t *)operand, name, property) {
		const json_t *part = json_object_get(value, name);
		int err = part ? check_part(check, property, part, name, 0) : 0;

		if (err)
			return err;
	}
	return 0;
}

static int check_items(struct check *check, const json_t *operand, const json_t *value)
{
	const json_t *item;
	size_t i;

	json_array_foreach(value, i, item) {
		int err = check_part(check, operand, item, NULL, i);

		if (err)
			return err;
	}
	return 0;
}

static int check_min_items(struct check *check, const json_t *operand, const json_t *value)
{
	if (json_is_array(value) && (json_int_t)json_array_size(value) < json_integer_value(operand))
		return refuse(check, "it has %zu items and must have at least %" JSON_INTEGER_FORMAT,
			      json_array_size(value), json_integer_value(operand));
	return 0;
}

static int check_max_items(struct check *check, const json_t *operand, const json_t *value)
{
	if (json_is_array(value) && (json_int_t)json_array_size(value) > json_integer_value(operand))
		return refuse(check, "it has %zu items and must have at most %" JSON_INTEGER_FORMAT,
			      json_array_size(value), json_integer_value(operand));
	return 0;
}

static int check_minimum(struct check *check, const json_t *operand, const json_t *value)
{
	if (json_is_number(value) && json_number_value(value) < json_number_value(operand))
		return refuse(check, "it is %.15g and must be at least %.15g", json_number_value(value),
			      json_number_value(operand));
	return 0;
}

static int check_const(struct check *check, const json_t *operand, const json_t *value)
{
	char *wanted;
	int err;

	if (json_equal(operand, value))
		return 0;
	wanted = json_dumps(operand, JSON_ENCODE_ANY);
	err = refuse(check, "it must be %s", wanted ? wanted : "another");
	free(wanted);
	return err;
}

static int check_enum(struct check *check, const json_t *operand, const json_t *value)
{
	char wanted[128] = "";
	const json_t *one;
	size_t i;

	json_array_foreach(operand, i, one) {
		size_t length = strlen(wanted);

		if (json_equal(one, value))
			return 0;
		snprintf(wanted + length, sizeof(wanted) - length, "%s%s", i > 0 ? ", " : "",
			 json_is_null(one) ? "null" : json_string_value(one));
	}
	return refuse(check, "it is %.64s and must be one of %s",
		      json_is_string(value) ? json_string_value(value) : type_name(value), wanted);
}

/* "#/definitions/NAME" only */
static int check_ref(struct check *check, const json_t *operand, const json_t *value)
{
	static const char prefix[] = "#/definitions/";
	const char *reference = json_string_value(operand);
	const json_t *definition = NULL;

	if (reference && strncmp(reference, prefix, sizeof(prefix) - 1) == 0)
		definition =
			json_object_get(json_object_get(check->whole, "definitions"), reference + sizeof(prefix) - 1);
	return definition ? check_value(check, definition, value)
			  : refuse(check, "the schema's reference leads nowhere");
}

static const struct keyword {
	const char *name;
	keyword_check *check; /* NULL: for readers only */
} keywords[] = {
	{ "type", check_type },
	{ "required", check_required },
	{ "properties", check_properties },
	{ "items", check_items },
	{ "minItems", check_min_items },
	{ "maxItems", check_max_items },
	{ "minimum", check_minimum },
	{ "const", check_const },
	{ "enum", check_enum },
	{ "$ref", check_ref },
	{ "title", NULL },
	{ "description", NULL },
};

static const struct keyword *keyword_find(const char *name)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strcmp(keywords[i].name, name) == 0)
			return &keywords[i];
	return NULL;
}

static int check_value(struct check *check, const json_t *schema, const json_t *value)
{
	const char *name;
	json_t *operand;

	json_object_foreach((json_t *)schema, name, operand) {
		const struct keyword *keyword = keyword_find(name);
		int err = 0;

		if (!keyword)
			return refuse(check, "the schema's keyword %s is not known", name);
		if (keyword->check)
			err = keyword->check(check, operand, value);
		if (err)
			return err;
	}
	return 0;
}

int schema_interpret(const json_t *whole, const json_t *schema, const json_t *value, char error[SCHEMA_TEXT])
{
	struct check check = { .whole = whole, .error = error };

	return check_value(&check, schema, value);
}
