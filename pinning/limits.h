/* What the machine allows and how it is set up: read, reported, never changed. No hwloc here. */
#ifndef PINNING_LIMITS_H
#define PINNING_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIMITS_TEXT = 128 };

struct limits {
	double quota_cpus;              /* least CPU quota of the cgroups up the tree (v1 and v2), in CPUs; < 0: none */
	uint64_t memory_limit_bytes;    /* least memory limit of the cgroups up the tree; UINT64_MAX: none */
	uint64_t memory_available_bytes; /* MemAvailable; 0: not told */
	uint64_t memlock_bytes;         /* RLIMIT_MEMLOCK; UINT64_MAX: none */
};

/* root: "" for this machine; a test gives a folder that holds proc/ and sys/. */
void limits_read(struct limits *limits, const char *root);

/* Time for which the cgroups of this process, summed up the tree, were throttled so far; -1: not told. */
int64_t limits_throttled_ns(const char *root);

/* A machine's settings that matter to a measurement, one after the other: name and value, value "" where it can't be
 * read (the note then says why). index from 0; returns false past the last. */
struct limits_setting {
	/* governor, boost, smt, isolated, nohz_full, transparent_huge_pages, numa_balancing, aslr, mitigations,
	 * clock_source, hypervisor, cpu_model, kernel, swap_bytes */
	const char *name;
	char value[4 * LIMITS_TEXT];
	char note[LIMITS_TEXT];
};
bool limits_setting(size_t index, struct limits_setting *setting, const char *root);

#endif
