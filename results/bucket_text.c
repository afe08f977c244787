#include "bucket_text.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 15 }; /* a whole number of so many is exact as a double, and so is a quotient by a power of ten: correctly rounded */

/* Passes over text that must be there. */
static bool take_text(const char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length) != 0)
		return false;
	*at += length;
	return true;
}

/* Digits of one whole number, as JSON has it. */
static bool take_count(const char **at, uint64_t *count)
{
	const char *first = *at;

	for (*count = 0; **at >= '0' && **at <= '9' && *at - first < DIGITS_MAX; (*at)++)
		*count = *count * 10 + (uint64_t)(**at - '0');
	return *at > first && (*first != '0' || *at - first == 1);
}

/* "200.5": with a fraction, without an exponent. */
static bool take_decimal(const char **at, double *value)
{
	static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	bool negative = **at == '-';
	const char *first = *at += negative, *point;
	uint64_t digits;

	if (!take_count(at, &digits) || **at != '.')
		return false;
	point = (*at)++;
	for (; **at >= '0' && **at <= '9' && *at - first <= DIGITS_MAX; (*at)++)
		digits = digits * 10 + (uint64_t)(**at - '0');
	if (*at == point + 1)
		return false;
	*value = (double)digits / powers[*at - point - 1];
	if (negative)
		*value = -*value;
	return true;
}

static bool take_buckets(const char *at, struct record_bucket *buckets, size_t *count)
{
	do {
		struct record_bucket *bucket = &buckets[*count];

		if (!take_text(&at, "[") || !take_decimal(&at, &bucket->upper_edge_ns) || !take_text(&at, ",") ||
		    !take_count(&at, &bucket->count) || !take_text(&at, "]"))
			return false;
		if (*count && bucket->upper_edge_ns <= bucket[-1].upper_edge_ns)
			return false;
		++*count;
	} while (take_text(&at, ","));
	return strcmp(at, "]}") == 0;
}

long bucket_text_read(const char *text, size_t length, struct record_bucket **buckets)
{
	const char *at = text;
	struct record_bucket *found;
	size_t count = 0, most = 0;
	uint64_t number;

	if (!take_text(&at, "{\"kind\":\"histogram\",\"id\":") || !take_count(&at, &number) || !take_text(&at, ",\"latency\":") ||
	    !take_count(&at, &number) || !take_text(&at, ",\"buckets\":["))
		return -1;
	for (const char *c = at; (c = memchr(c, '[', length - (size_t)(c - text))); c++)
		most++;
	found = calloc(most + 1, sizeof(*found));
	if (!found || !take_buckets(at, found, &count)) {
		free(found);
		return -1;
	}
	*buckets = found;
	return (long)count;
}
