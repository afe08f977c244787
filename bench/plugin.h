/* What a queue of your own is compiled with, as a shared object that twopoint measures exactly as its own queues:
 *
 *	#include <twopoint/plugin.h>         first, before any other header
 *	…                                    the queue's operations, marked QUEUE_INLINE: see queue.h for the contract
 *	QUEUE_TABLE(my_queue) = { … };       its table, once
 *
 *	cc -shared -fPIC -I$(twopoint --include) mine.c -o mine.so
 *	twopoint check --plugin ./mine.so
 *	twopoint run --plugin ./mine.so --queue my-queue,ring
 *
 * The measured loops stand in this header, and the operations are inlined into them: C or C++, no call is left. With gcc the loops are
 * optimised as twopoint's own are, whatever the command line says of it (-DTWOPOINT_OWN_FLAGS: as the command line says). Other compilers
 * need flags, -O3 -march=native say; `twopoint --cflags` prints those of its own queues, for the compiler that it was built by. */
#ifndef TWOPOINT_PLUGIN_H
#define TWOPOINT_PLUGIN_H

#if defined(QUEUES_QUEUE_H) || defined(_X86GPRINTRIN_H_INCLUDED) || defined(_IMMINTRIN_H_INCLUDED)
#error "<twopoint/plugin.h> must be included first: it says how all that follows is compiled"
#endif

#include "plugin_flags.h"

#ifdef __cplusplus
/* what a table leaves out is 0: in C nobody warns of that */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define QUEUE_TABLE(symbol) const struct queue twopoint_table::target_table
#else
#define QUEUE_TABLE(symbol) static const struct queue target_table
#endif
/* vectors are handed to inlined functions only, which have no calling convention */
#pragma GCC diagnostic ignored "-Wpsabi"

#include "copy.h"
#include "queue.h"

/* The queue's table, which the loops below are made for; it comes at the end of the including file. */
#ifdef __cplusplus
namespace { namespace twopoint_table { extern const struct queue target_table; } }
using twopoint_table::target_table;
#else
static const struct queue target_table;
#endif

#include "loop_table.h"
#include "plugin_abi.h"

static const struct target plugin_target = LOOP_TABLE;

#ifdef __cplusplus
extern "C"
#else
extern
#endif
__attribute__((visibility("default"))) const struct plugin twopoint_plugin;

const struct plugin twopoint_plugin = {
	PLUGIN_MAGIC, PLUGIN_ABI, PLUGIN_HEADERS, PLUGIN_SIZES, PLUGIN_OPTIMISED, PLUGIN_COMPILER, PLUGIN_INSTRUCTIONS, &plugin_target,
};

#endif
