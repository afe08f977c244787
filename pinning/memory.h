/* Memory for queues and stamps: on a chosen NUMA node, pre-faulted, counted, bounded.
 *
 * A region is one reserved range of addresses out of which blocks are handed. It is faulted in ahead of use, so that a
 * block handed out never faults; no page is faulted in before it is needed or asked for. A released block is kept by
 * size and handed out again. All calls on one region may be made by several threads at once. No hwloc here.
 *
 * Blocks of different sizes never become one another, so the range is four times the limit (just the limit where
 * hugetlb pages were had: they are taken from the machine at once). A region whose sizes change without end runs out of
 * addresses before it reaches the limit; allocation then fails as it does at the limit. */
#ifndef PINNING_MEMORY_H
#define PINNING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_pages { MEMORY_PAGES_ORDINARY, MEMORY_PAGES_TRY_HUGE, MEMORY_PAGES_REQUIRE_HUGE };

enum { MEMORY_TEXT = 160 };

/* In place of a node's number. */
enum { MEMORY_NODE_HERE = -1, MEMORY_NODES_INTERLEAVED = -2 };

struct memory_request {
	size_t limit_bytes;    /* the most that the region may hand out at one time */
	size_t prefault_bytes; /* faulted in before memory_open() returns; ≤ limit_bytes */
	int node;              /* NUMA node; MEMORY_NODE_HERE: of the thread that opens the region; MEMORY_NODES_INTERLEAVED: of
				  all that may be used, page by page */
	enum memory_pages pages;
	bool lock; /* try mlock on what is faulted in */
};

/* What came of the request: the record prints it. */
struct memory_facts {
	int node;                    /* where the pages lie by move_pages or get_mempolicy; -1: unverified */
	char node_note[MEMORY_TEXT]; /* why unverified, or why not bound; empty otherwise */
	size_t page_bytes;           /* of what is faulted in: huge only if all of it is */
	char pages_note[MEMORY_TEXT]; /* what came of asking for huge pages; empty if not asked, or had at once */
	bool locked;                  /* all that is faulted in */
	char lock_note[MEMORY_TEXT];
	uint64_t allocations, releases; /* blocks handed out and taken back so far */
	uint64_t fresh;                 /* of the allocations, those that no released block served */
	size_t bytes_now, bytes_peak;   /* handed out */
};

struct memory_region;

/* Returns 0, or -errno with the reason in error (MEMORY_TEXT bytes). */
int memory_open(struct memory_region **region, const struct memory_request *request, char *error);
void memory_close(struct memory_region *region);

/* A block of at least `bytes`, aligned to `alignment` (a power of two ≤ 4096), contents arbitrary.
 * NULL: beyond the limit, or the machine has no more memory. The limit counts bytes as they were asked for. */
void *memory_allocate(struct memory_region *region, size_t bytes, size_t alignment);
/* `bytes` as it was asked for; NULL is nothing to release. A released block is poisoned under AddressSanitizer. */
void memory_release(struct memory_region *region, void *block, size_t bytes);

void memory_facts(struct memory_region *region, struct memory_facts *facts);

#endif
