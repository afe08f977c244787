/* A histogram's line read without a JSON parser, which makes objects of all its numbers and takes ten times as long. */
#ifndef RESULTS_BUCKET_TEXT_H
#define RESULTS_BUCKET_TEXT_H

#include "record.h"

/* Reads a line of the form that the tool itself writes: {"kind":"histogram","id":1,"latency":0,"buckets":[[200.0,1000],…]}, edges ascending,
 * no blanks. text ends by a NUL, at its length. *buckets is allocated, for the caller to free; untouched where there are none. Returns their
 * number; −1: it is another text, or memory ran out, and the parser is to judge it. */
long bucket_text_read(const char *text, size_t length, struct record_bucket **buckets);

#endif
