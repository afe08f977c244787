/* A trial in a few words, for who watches a run: what it is of, and its one number. */
#ifndef BENCH_HEADLINE_H
#define BENCH_HEADLINE_H

#include <jansson.h>

#include "cell.h"

enum { HEADLINE_TEXT = 160 };

/* "ring: round trip p50 240.4 ns (pingpong, 64 B, batch 1)", what a narrow terminal has no room for last: of what has a latency that; else
 * the receivers' rate; of what did not count what became of it. trial: its line of the record. Returns text. */
char *headline_write(const struct cell *cell, const json_t *trial, char text[HEADLINE_TEXT]);

#endif
