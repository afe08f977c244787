/* What is read from others' hands, given any bytes: each of these ends, reads no memory that it should not, and prints no number that is
 * none. libFuzzer calls them (make fuzz), and test_corpus.c with what is kept in corpus/. */
#ifndef BENCH_TESTS_FUZZ_H
#define BENCH_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef void fuzz_target(const uint8_t *bytes, size_t size);

/* A record, or results of Google Benchmark; of a record all that tells of one: table, comparisons, exports, the figures' data, the report. */
fuzz_target fuzz_record;
/* A suite. */
fuzz_target fuzz_suite;
/* A command line, a word a line; and each word as each kind of number. */
fuzz_target fuzz_options;

/* Another record, or nearly: one value, or one line, of this one is changed. Returns its size. */
size_t fuzz_record_change(uint8_t *bytes, size_t size, size_t room, unsigned seed);

/* A file with these bytes that has no name; its path is "/proc/self/fd/" and the descriptor, which is to be closed. */
enum { FUZZ_PATH = 32 };
int fuzz_file_make(char path[FUZZ_PATH], const uint8_t *bytes, size_t size);

#endif
