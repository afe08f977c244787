/* A histogram as HdrHistogram has it: three significant digits, from 1 up; and its encodings, of version 2.
 * Source: G. Tene, HdrHistogram, 2012; https://hdrhistogram.github.io/HdrHistogram. */
#ifndef RESULTS_HDR_H
#define RESULTS_HDR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hdr {
	uint64_t *counts; /* by index; NULL: empty */
	size_t length;
	uint64_t total, most; /* samples; the greatest value */
};

/* Adds count samples. Returns 0 or −ENOMEM. */
int hdr_add(struct hdr *hdr, uint64_t value, uint64_t count);
void hdr_free(struct hdr *hdr);

/* The greatest value that counts as the same, of that index. */
uint64_t hdr_highest_equivalent(size_t index);

/* Percentiles as HdrHistogram prints them: value, share, how many lie at or below, 1 / (1 − share), five steps each time that the rest
 * halves. Values are divided by scale. */
void hdr_print_percentiles(FILE *out, const struct hdr *hdr, double scale);

/* Compressed, in Base64, ended by a NUL; allocated. NULL: no memory. */
char *hdr_encode(const struct hdr *hdr);

#endif
