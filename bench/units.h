/* Numbers with units, as people write them: parsed strictly, printed so that they parse back to the same. The locale plays
 * no part. */
#ifndef BENCH_UNITS_H
#define BENCH_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum { UNITS_TEXT = 32 };

/* All of them return 0, −EINVAL (not such a number, or not a whole one in its least unit) or −ERANGE (does not fit). Signs,
 * blanks, exponents and whatever follows the number are refused. */
int units_parse_integer(const char *text, uint64_t *value); /* digits */
int units_parse_count(const char *text, uint64_t *count);   /* digits, then perhaps k, M or G */
int units_parse_size(const char *text, uint64_t *bytes);    /* decimals too; k, M, G (decimal) or Ki, Mi, Gi (binary) */
int units_parse_percent(const char *text, uint64_t *ppm);   /* decimals too; %, left out for 0 alone; in millionths */
int units_parse_time(const char *text, uint64_t *ns);       /* decimals too; ns, us, ms, s or min, left out for 0 alone */

/* In the largest unit in which the value is whole: "64Ki", "1500us". All return text, of at least UNITS_TEXT bytes. */
char *units_print_count(char *text, uint64_t count);
char *units_print_size(char *text, uint64_t bytes);
char *units_print_percent(char *text, uint64_t ppm);
char *units_print_time(char *text, uint64_t ns);

/* Rounded, for reading only: "3.2 GiB", "1 min 24 s". */
char *units_show_size(char *text, uint64_t bytes);
char *units_show_time(char *text, uint64_t ns);

#endif
