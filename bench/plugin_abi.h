/* What a plug-in exports, and what tells whether it fits the program that loads it. */
#ifndef BENCH_PLUGIN_ABI_H
#define BENCH_PLUGIN_ABI_H

#include "target.h"

/* Goes up where what a plug-in and the program exchange changes its meaning: the contract, the structs of an endpoint, the functions that a
 * plug-in calls (tests/cold_calls.txt). What changes their layout is found by the sizes below, what changes the loops by the headers' checksum. */
#define PLUGIN_ABI 1u

#define PLUGIN_MAGIC "twopoint plug-in"
#define PLUGIN_SYMBOL "twopoint_plugin"

/* The sizes of all that is shared, in one order for both sides. */
#define PLUGIN_SIZES                                                                                                   \
	{                                                                                                              \
		sizeof(struct plugin), sizeof(struct target), sizeof(struct queue), sizeof(struct queue_config),       \
			sizeof(struct queue_memory), sizeof(struct endpoint_plan), sizeof(struct endpoint_account),    \
			sizeof(struct stream_shared), sizeof(struct fan_shared), sizeof(struct wait_point),            \
			sizeof(struct stamp),                                                                          \
			sizeof(enum queue_flush), sizeof(enum clock_source), MESSAGE_CLASSES,                          \
	}

enum { PLUGIN_SIZE_COUNT = 14 };

struct plugin {
	char magic[sizeof(PLUGIN_MAGIC)];
	uint32_t abi;
	uint32_t headers; /* the checksum of the headers that it was compiled with */
	uint32_t sizes[PLUGIN_SIZE_COUNT];
	bool optimised;
	const char *compiler;     /* name and version */
	const char *instructions; /* those beyond the architecture's first ones that it may use */
	const struct target *target;
};

#if defined(__clang__)
#define PLUGIN_COMPILER "clang " __VERSION__
#else
#define PLUGIN_COMPILER "gcc " __VERSION__
#endif

#if defined(__OPTIMIZE__)
#define PLUGIN_OPTIMISED true
#else
#define PLUGIN_OPTIMISED false
#endif

/* Of what makes a difference to the loops: copies, and atomic operations. */
#if defined(__AVX512F__)
#define PLUGIN_VECTORS "avx2 avx512f"
#elif defined(__AVX2__)
#define PLUGIN_VECTORS "avx2"
#elif defined(__AVX__)
#define PLUGIN_VECTORS "avx"
#elif defined(__ARM_FEATURE_ATOMICS)
#define PLUGIN_VECTORS "lse"
#else
#define PLUGIN_VECTORS ""
#endif
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
#define PLUGIN_INSTRUCTIONS PLUGIN_VECTORS " cx16"
#else
#define PLUGIN_INSTRUCTIONS PLUGIN_VECTORS
#endif

#endif
