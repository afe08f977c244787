/* What a plug-in exports, and what tells whether it fits the program that loads it. */
#ifndef BENCH_PLUGIN_ABI_H
#define BENCH_PLUGIN_ABI_H

#include "target.h"

/* Goes up where what a plug-in and the program exchange changes its meaning: the contract, the structs of an endpoint, the functions that a
 * plug-in calls (tests/cold_calls.txt). What changes their layout is found by the sizes below, what changes the loops by the headers'
 * checksum. */
#define PLUGIN_ABI 2u

#define PLUGIN_MAGIC "twopoint plug-in"
#define PLUGIN_SYMBOL "twopoint_plugin"

/* The sizes of all that is shared, in one order for both sides. */
#define PLUGIN_SIZES                                                                                                   \
	{                                                                                                              \
		sizeof(struct plugin), sizeof(struct target), sizeof(struct queue), sizeof(struct queue_config),       \
			sizeof(struct queue_memory), sizeof(struct endpoint_plan), sizeof(struct endpoint_account),    \
			sizeof(struct stream_shared), sizeof(struct fan_shared), sizeof(struct wait_point),            \
			sizeof(struct stamp), sizeof(struct arrivals),                                                 \
			sizeof(enum queue_flush), sizeof(enum clock_source), MESSAGE_CLASSES,                          \
	}

enum { PLUGIN_SIZE_COUNT = 15 };

struct plugin {
	char magic[sizeof(PLUGIN_MAGIC)];
	uint32_t abi;
	uint32_t headers; /* the checksum of the headers that it was compiled with */
	uint32_t sizes[PLUGIN_SIZE_COUNT];
	bool optimised;
	const char *compiler;     /* name and version */
	const char *instructions; /* those beyond the architecture's first ones that it may use; NULL: as the built-in queues */
	const struct target *target;
};

#if defined(__clang__)
#define PLUGIN_COMPILER "clang " __VERSION__
#else
#define PLUGIN_COMPILER "gcc " __VERSION__
#endif

/* plugin_flags.h gives the flags of the built-in queues; not every compiler then defines the macros that go with them. */
#if defined(__OPTIMIZE__) || defined(PLUGIN_FLAGS_OPTIMISE)
#define PLUGIN_OPTIMISED true
#else
#define PLUGIN_OPTIMISED false
#endif

/* What makes a difference to the loops: how messages are written, read and copied, how atomic operations are done. */
#if defined(PLUGIN_FLAGS_OF_BUILT_IN)
#define PLUGIN_INSTRUCTIONS NULL
#elif defined(__AVX512F__)
#define PLUGIN_INSTRUCTIONS "avx512f"
#elif defined(__AVX2__)
#define PLUGIN_INSTRUCTIONS "avx2"
#elif defined(__AVX__)
#define PLUGIN_INSTRUCTIONS "avx"
#elif defined(__ARM_FEATURE_ATOMICS)
#define PLUGIN_INSTRUCTIONS "lse"
#else
#define PLUGIN_INSTRUCTIONS ""
#endif

#endif
