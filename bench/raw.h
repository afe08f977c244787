/* Every stamp of a run, as text: for whoever wants to reckon with another tool. */
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include "trial.h"

/* Makes the file, which must not exist, with its first line. 0, or −errno. */
int raw_create(const char *path);

/* Appends a trial's stamps, where its request names a file. 0, or −errno. */
int raw_append(const struct trial *trial);

#endif
