#include "hdr.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	SIGNIFICANT_DIGITS = 3,
	SUB_BITS = 11, /* of 2 * 10^3 values, each must be told from the next: 2048 */
	SUB_COUNT = 1 << SUB_BITS,
	SUB_HALF = SUB_COUNT / 2,
	STEPS_A_HALVING = 5,
	COOKIE = 0x1c849313,            /* version 2, counts of variable length */
	COOKIE_COMPRESSED = 0x1c849314,
	HEAD_BYTES = 40,
	COUNT_BYTES_MOST = 9,
};

/* ---- counts ---- */

static size_t index_of(uint64_t value)
{
	unsigned bucket = 64 - SUB_BITS - (unsigned)__builtin_clzll(value | (SUB_COUNT - 1));

	return ((size_t)bucket + 1) * SUB_HALF + (size_t)(value >> bucket) - SUB_HALF;
}

uint64_t hdr_highest_equivalent(size_t index)
{
	size_t bucket = index / SUB_HALF;
	uint64_t sub = index % SUB_HALF;

	if (bucket == 0)
		return sub;
	return ((sub + SUB_HALF + 1) << (bucket - 1)) - 1;
}

/* As long as all buckets that are needed for the value. */
static int grow(struct hdr *hdr, size_t index)
{
	size_t length = (index / SUB_HALF + 1) * SUB_HALF;
	uint64_t *counts;

	if (length < SUB_COUNT)
		length = SUB_COUNT;
	if (length <= hdr->length)
		return 0;
	counts = realloc(hdr->counts, length * sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	memset(counts + hdr->length, 0, (length - hdr->length) * sizeof(*counts));
	hdr->counts = counts;
	hdr->length = length;
	return 0;
}

int hdr_add(struct hdr *hdr, uint64_t value, uint64_t count)
{
	size_t index = index_of(value);

	if (!count)
		return 0;
	if (grow(hdr, index))
		return -ENOMEM;
	hdr->counts[index] += count;
	hdr->total += count;
	if (value > hdr->most)
		hdr->most = value;
	return 0;
}

void hdr_free(struct hdr *hdr)
{
	free(hdr->counts);
	*hdr = (struct hdr){ 0 };
}

/* ---- percentiles ---- */

static uint64_t middle_of(size_t index)
{
	uint64_t highest = hdr_highest_equivalent(index), width = index < SUB_COUNT ? 1 : UINT64_C(1) << (index / SUB_HALF - 1);

	return highest - width + 1 + width / 2;
}

static double mean_of(const struct hdr *hdr)
{
	double sum = 0;

	for (size_t i = 0; i < hdr->length; i++)
		sum += (double)hdr->counts[i] * (double)middle_of(i);
	return hdr->total ? sum / (double)hdr->total : 0;
}

static double deviation_of(const struct hdr *hdr, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < hdr->length; i++)
		sum += (double)hdr->counts[i] * ((double)middle_of(i) - mean) * ((double)middle_of(i) - mean);
	return hdr->total ? sqrt(sum / (double)hdr->total) : 0;
}

/* Fixed digits, with a point whatever the locale has. */
static char *fixed(char text[64], double value, int digits)
{
	char whole[32];
	double scale = digits == 12 ? 1e12 : digits == 3 ? 1e3 : 1e2, floor_of = floor(value), rest = round((value - floor_of) * scale);

	if (rest >= scale) {
		floor_of++;
		rest = 0;
	}
	snprintf(whole, sizeof(whole), "%.0f", floor_of);
	snprintf(text, 64, "%s.%0*.0f", whole, digits, rest);
	return text;
}

static void line_print(FILE *out, uint64_t value, double scale, double share, uint64_t below)
{
	char value_text[64], share_text[64], rest_text[64];

	fprintf(out, "%12s %14s %10llu", fixed(value_text, (double)value / scale, 3), fixed(share_text, share, 12), (unsigned long long)below);
	if (share < 1)
		fprintf(out, " %14s", fixed(rest_text, 1 / (1 - share), 2));
	putc('\n', out);
}

/* The next step, in percent: so many to each halving of what is left. */
static double step_from(double percent)
{
	return percent + 100 / (STEPS_A_HALVING * exp2(floor(log2(100 / (100 - percent))) + 1));
}

void hdr_print_percentiles(FILE *out, const struct hdr *hdr, double scale)
{
	char text[64];
	double step = 0, mean = mean_of(hdr);
	uint64_t below = 0, value = 0;

	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
	for (size_t i = 0; i < hdr->length && below < hdr->total; i++) {
		if (!hdr->counts[i])
			continue;
		below += hdr->counts[i];
		value = hdr_highest_equivalent(i);
		/* the last value has one step and the end */
		for (bool again = true; again && 100 * (double)below / (double)hdr->total >= step; again = below < hdr->total) {
			line_print(out, value, scale, step / 100, below);
			step = step_from(step);
		}
	}
	if (hdr->total)
		line_print(out, value, scale, 1, below);
	fprintf(out, "#[Mean    = %12s", fixed(text, mean / scale, 3));
	fprintf(out, ", StdDeviation   = %12s]\n", fixed(text, deviation_of(hdr, mean) / scale, 3));
	fprintf(out, "#[Max     = %12s, Total count    = %12llu]\n", fixed(text, (double)value / scale, 3), (unsigned long long)hdr->total);
	fprintf(out, "#[Buckets = %12zu, SubBuckets     = %12d]\n", hdr->length ? hdr->length / SUB_HALF - 1 : 1, SUB_COUNT);
}

/* ---- encoding ---- */

/* Highest byte first. */
static void put_big(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

/* Zigzag, seven bits a byte, lowest first; the ninth byte has eight. */
static size_t put_signed(uint8_t *to, int64_t value)
{
	uint64_t rest = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
	size_t bytes = 0;

	while (rest > 0x7f && bytes < COUNT_BYTES_MOST - 1) {
		to[bytes++] = (uint8_t)(rest | 0x80);
		rest >>= 7;
	}
	to[bytes++] = (uint8_t)rest;
	return bytes;
}

/* Counts up to the last that is not 0; a run of zeros is its length, negative. */
static size_t put_counts(uint8_t *to, const struct hdr *hdr)
{
	size_t used = hdr->total ? index_of(hdr->most) + 1 : 0, bytes = 0;

	for (size_t i = 0; i < used;) {
		size_t zeros = 0;

		while (i + zeros < used && !hdr->counts[i + zeros])
			zeros++;
		if (zeros > 1) {
			bytes += put_signed(to + bytes, -(int64_t)zeros);
			i += zeros;
		} else {
			bytes += put_signed(to + bytes, (int64_t)hdr->counts[i++]);
		}
	}
	return bytes;
}

/* Allocated. *bytes: how many. NULL: no memory. */
static uint8_t *encode_plain(const struct hdr *hdr, size_t *bytes)
{
	uint8_t *to = malloc(HEAD_BYTES + (hdr->length + 1) * COUNT_BYTES_MOST);
	size_t counts;
	static const uint64_t one = 0x3ff0000000000000; /* 1.0: what an integer stands for */

	if (!to)
		return NULL;
	counts = put_counts(to + HEAD_BYTES, hdr);
	put_big(to, COOKIE, 4);
	put_big(to + 4, counts, 4);
	put_big(to + 8, 0, 4); /* offset of the counts */
	put_big(to + 12, SIGNIFICANT_DIGITS, 4);
	put_big(to + 16, 1, 8); /* the least value that is told from 0 */
	put_big(to + 24, hdr->length ? hdr_highest_equivalent(hdr->length - 1) : SUB_COUNT - 1, 8);
	put_big(to + 32, one, 8);
	*bytes = HEAD_BYTES + counts;
	return to;
}

/* Allocated, ended by a NUL. NULL: no memory. */
static char *base64(const uint8_t *from, size_t bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((bytes + 2) / 3 * 4 + 1), *to = text;

	for (size_t i = 0; text && i < bytes; i += 3) {
		size_t left = bytes - i;
		uint32_t group = (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) | (left > 2 ? from[i + 2] : 0);

		*to++ = digits[group >> 18];
		*to++ = digits[group >> 12 & 63];
		*to++ = left > 1 ? digits[group >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[group & 63] : '=';
	}
	if (text)
		*to = '\0';
	return text;
}

char *hdr_encode(const struct hdr *hdr)
{
	size_t plain_bytes = 0;
	uint8_t *plain = encode_plain(hdr, &plain_bytes), *packed = NULL;
	uLongf packed_bytes = compressBound((uLong)plain_bytes);
	char *text = NULL;

	if (plain)
		packed = malloc(8 + packed_bytes);
	if (packed && compress2(packed + 8, &packed_bytes, plain, (uLong)plain_bytes, Z_BEST_SPEED) == Z_OK) {
		put_big(packed, COOKIE_COMPRESSED, 4);
		put_big(packed + 4, packed_bytes, 4);
		text = base64(packed, 8 + packed_bytes);
	}
	free(packed);
	free(plain);
	return text;
}
