#include "number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct number_unit unit_of(double magnitude, const struct number_unit *units, int count)
{
	int i = 0;

	while (i + 1 < count && fabs(magnitude) >= 0.99995 * units[i + 1].scale) /* 999.96 is 1.000 of the next */
		i++;
	return units[i];
}

static const struct number_unit time_units[] = { { 1.0, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };

struct number_unit number_time_unit(double ns)
{
	return unit_of(ns, time_units, 4);
}

struct number_unit number_rate_unit(double per_s)
{
	static const struct number_unit units[] = { { 1.0, "/s" }, { 1e3, "k/s" }, { 1e6, "M/s" }, { 1e9, "G/s" } };

	return unit_of(per_s, units, 4);
}

char *number_decimal(char *text, double value)
{
	static const int power[] = { 1, 10, 100, 1000 };
	double magnitude = fabs(value);
	long long scaled;
	int digits = 3, thousandths, length;

	if (!isfinite(value)) { /* of a record that no program wrote: nothing is known */
		snprintf(text, NUMBER_TEXT, "-");
		return text;
	}
	if (!(magnitude < 1e15)) { /* no point in it, so no locale */
		snprintf(text, NUMBER_TEXT, "%.0e", value);
		return text;
	}
	if (magnitude == 0.0)
		digits = 0;
	while (digits > 0 && llround(magnitude * power[digits]) >= 10000)
		digits--;
	scaled = llround(magnitude * power[digits]);
	thousandths = (int)(scaled % power[digits]) * power[3 - digits];
	length = snprintf(text, NUMBER_TEXT, "%s%lld.%03d", value < 0.0 && scaled ? "-" : "", scaled / power[digits],
			  thousandths);
	text[length - (digits > 0 ? 3 - digits : 4)] = '\0';
	return text;
}

char *number_plain(char *text, double value)
{
	const char *point = localeconv()->decimal_point;
	char *at;

	snprintf(text, NUMBER_TEXT, "%.10g", value);
	if (!isfinite(value))
		text[0] = '\0';
	at = strstr(text, point);
	if (at) {
		*at = '.';
		memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
	}
	return text;
}

char *number_scaled(char *text, double value, struct number_unit in)
{
	return number_decimal(text, value / in.scale);
}

static char *with_unit(char *text, double value, struct number_unit unit)
{
	char number[NUMBER_TEXT];

	snprintf(text, NUMBER_TEXT, "%.24s %s", number_scaled(number, value, unit), unit.name);
	return text;
}

static bool is_time_unit(struct number_unit unit)
{
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++)
		if (strcmp(unit.name, time_units[i].name) == 0)
			return true;
	return false;
}

char *number_beside(char *text, double value, struct number_unit in)
{
	double magnitude = fabs(value / in.scale);

	if (magnitude == 0.0 || (magnitude >= 0.01 && magnitude < 9999.5))
		return number_scaled(text, value, in);
	return is_time_unit(in) ? number_time(text, value) : number_rate(text, value);
}

char *number_time(char *text, double ns)
{
	return with_unit(text, ns, number_time_unit(ns));
}

char *number_rate(char *text, double per_s)
{
	return with_unit(text, per_s, number_rate_unit(per_s));
}

/* In tenths of a percent, from 100 % on in whole ones; sign: what stands before one that is not negative. */
static char *percent(char *text, double share, const char *sign)
{
	double magnitude = fabs(share);
	bool tenths = magnitude < 0.9995;
	long long whole = llround(fmin(magnitude * (tenths ? 1000 : 100), 1e15));

	if (share < 0.0 && whole)
		sign = "-";
	if (tenths)
		snprintf(text, NUMBER_TEXT, "%s%lld.%lld %%", sign, whole / 10, whole % 10);
	else
		snprintf(text, NUMBER_TEXT, "%s%lld %%", sign, whole);
	return text;
}

char *number_percent(char *text, double share)
{
	return percent(text, share, "");
}

char *number_change(char *text, double share)
{
	char factor[NUMBER_TEXT];

	if (share < 9.995)
		return percent(text, share, "+");
	snprintf(text, NUMBER_TEXT, "x%.20s", number_decimal(factor, share + 1));
	return text;
}

char *number_probability(char *text, double p)
{
	long long parts = llround(p * 1e4);

	if (p < 1e-4)
		snprintf(text, NUMBER_TEXT, "<.0001");
	else
		snprintf(text, NUMBER_TEXT, "%lld.%04lld", parts / 10000, parts % 10000);
	return text;
}

char *number_size(char *text, uint64_t count)
{
	static const char prefixes[] = "KMG";
	int i = -1;

	while (count != 0 && count % 1024 == 0 && i < 2) {
		count /= 1024;
		i++;
	}
	if (i < 0)
		snprintf(text, NUMBER_TEXT, "%ju", (uintmax_t)count);
	else
		snprintf(text, NUMBER_TEXT, "%ju%ci", (uintmax_t)count, prefixes[i]);
	return text;
}

char *number_of(char *text, uint64_t count, const char *thing)
{
	snprintf(text, NUMBER_TEXT, "%ju %.16s%s", (uintmax_t)count, thing, count == 1 ? "" : "s");
	return text;
}

const char *number_is(uint64_t count)
{
	return count == 1 ? "is" : "are";
}
