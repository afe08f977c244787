#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

/* Ended by a factor of 0; largest first within a family, which is the order of preference in print. */
static const struct unit count_units[] = {{"G", 1000000000}, {"M", 1000000}, {"k", 1000}, {"", 1}, {NULL, 0}};
static const struct unit size_units[] = {
	{"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}, {"G", 1000000000}, {"M", 1000000}, {"k", 1000}, {"", 1}, {NULL, 0},
};
static const struct unit time_units[] = {
	{"min", 60000000000}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {NULL, 0},
};

/* A number as written: digits without their point, and how many of them stood behind it. */
struct decimal {
	uint64_t digits;
	unsigned places;
};

/* Returns what follows the digits from text on, appended to number; NULL: they do not fit. */
static const char *digits_take(const char *text, struct decimal *number)
{
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number->digits, 10u, &number->digits) ||
		    __builtin_add_overflow(number->digits, (unsigned)(*text - '0'), &number->digits))
			return NULL;
	return text;
}

/* Returns 0 with *rest behind the number, −EINVAL or −ERANGE. */
static int decimal_take(const char *text, bool point_allowed, struct decimal *number, const char **rest)
{
	const char *end;

	*number = (struct decimal){0, 0};
	end = digits_take(text, number);
	if (!end)
		return -ERANGE;
	if (end == text)
		return -EINVAL;
	if (*end == '.' && point_allowed) {
		const char *fraction = end + 1;

		end = digits_take(fraction, number);
		if (!end)
			return -ERANGE;
		if (end == fraction)
			return -EINVAL;
		number->places = (unsigned)(end - fraction);
	}
	*rest = end;
	return 0;
}

/* number × factor, if that is whole. */
static int decimal_scale(struct decimal number, uint64_t factor, uint64_t *value)
{
	unsigned __int128 product = (unsigned __int128)number.digits * factor;

	for (; number.places; number.places--) {
		if (product % 10)
			return -EINVAL;
		product /= 10;
	}
	if (product > UINT64_MAX)
		return -ERANGE;
	*value = (uint64_t)product;
	return 0;
}

static int units_parse(const char *text, bool point_allowed, const struct unit *units, uint64_t *value)
{
	struct decimal number;
	const char *name;
	int error = decimal_take(text, point_allowed, &number, &name);

	if (error)
		return error;
	for (const struct unit *unit = units; unit->factor; unit++)
		if (!strcmp(name, unit->name))
			return decimal_scale(number, unit->factor, value);
	if (*name || number.digits)
		return -EINVAL;
	*value = 0; /* zero is zero in any unit */
	return 0;
}

int units_parse_integer(const char *text, uint64_t *value)
{
	static const struct unit none[] = {{"", 1}, {NULL, 0}};

	return units_parse(text, false, none, value);
}

int units_parse_count(const char *text, uint64_t *count)
{
	return units_parse(text, false, count_units, count);
}

int units_parse_size(const char *text, uint64_t *bytes)
{
	return units_parse(text, true, size_units, bytes);
}

int units_parse_percent(const char *text, uint64_t *ppm)
{
	static const struct unit percent[] = {{"%", 10000}, {NULL, 0}};

	return units_parse(text, true, percent, ppm);
}

int units_parse_time(const char *text, uint64_t *ns)
{
	return units_parse(text, true, time_units, ns);
}

static char *units_print(char *text, const struct unit *unit, uint64_t value)
{
	if (!value)
		return strcpy(text, "0");
	while (value % unit->factor)
		unit++;
	snprintf(text, UNITS_TEXT, "%" PRIu64 "%s", value / unit->factor, unit->name);
	return text;
}

char *units_print_count(char *text, uint64_t count)
{
	return units_print(text, count_units, count);
}

char *units_print_size(char *text, uint64_t bytes)
{
	return units_print(text, size_units, bytes);
}

char *units_print_percent(char *text, uint64_t ppm)
{
	int length = snprintf(text, UNITS_TEXT, "%" PRIu64 ".%04" PRIu64, ppm / 10000, ppm % 10000);

	while (text[length - 1] == '0')
		length--;
	length -= text[length - 1] == '.';
	return strcpy(text + length, "%") - length;
}

char *units_print_time(char *text, uint64_t ns)
{
	return units_print(text, time_units, ns);
}

char *units_show_size(char *text, uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	unsigned unit = 0;

	for (; value >= 1024; value /= 1024)
		unit++;
	snprintf(text, UNITS_TEXT, unit && value < 100 ? "%.1f %s" : "%.0f %s", value, names[unit]);
	return text;
}

char *units_show_time(char *text, uint64_t ns)
{
	uint64_t seconds = (ns + 500000000) / 1000000000;

	if (ns < 10000000000)
		snprintf(text, UNITS_TEXT, "%.1f s", (double)ns / 1e9);
	else if (seconds < 60)
		snprintf(text, UNITS_TEXT, "%" PRIu64 " s", seconds);
	else if (seconds < 3600)
		snprintf(text, UNITS_TEXT, "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
	else
		snprintf(text, UNITS_TEXT, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
	return text;
}
