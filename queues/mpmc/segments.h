/* Segments of cells, linked into a list that some read at its beginning while others append at its end; and how a segment that was read to
 * its end is used again, though threads may still look into it.
 *
 * Source: hazard pointers: M. Michael, 2004.
 *
 * An endpoint keeps its hazard pointer on the segment that it uses, also between calls: only changing segments costs a fence. Whoever
 * takes a segment out of the list retires it: keeps it until no hazard pointer is on it and then puts it on a stack of free ones, from
 * which others take, under a second hazard pointer: nothing returns to the stack while someone may still take it for what it was.
 *
 * Who may call what beside whom: a hazard and a list of retired segments are one thread's; the pool is everybody's. */
#ifndef QUEUES_MPMC_SEGMENTS_H
#define QUEUES_MPMC_SEGMENTS_H

#include "queue.h"

enum {
	SEGMENT_CELLS = 1024,    /* or as many as make SEGMENT_BYTES, whichever is less */
	SEGMENT_BYTES = 1 << 20,
};

struct segment {
	uint64_t enqueued QUEUE_ALIGNED; /* producers': cells given to them, and attempts beyond the last */
	uint64_t dequeued QUEUE_ALIGNED; /* consumers': the same */
	struct segment *next QUEUE_ALIGNED; /* set once, by the producer that appends */
	/* its owner's: in a list of retired or reserved ones; constant on the stack of free ones. Relaxed, all: a producer may look at
	 * it too late, when another took the segment; its exchange will fail. */
	struct segment *link;
	unsigned char cells[] QUEUE_ALIGNED; /* the queue's own affair, but that a cell's first word is 0 at first */
};

_Static_assert(offsetof(struct segment, dequeued) - offsetof(struct segment, enqueued) == QUEUE_LINE_PAIR &&
	       offsetof(struct segment, next) - offsetof(struct segment, dequeued) == QUEUE_LINE_PAIR &&
	       offsetof(struct segment, cells) - offsetof(struct segment, next) == QUEUE_LINE_PAIR,
	       "each counter has a line pair of its own, apart from the cells");

/* What an endpoint may be about to look into: not to be used anew. Written by its owner, read by whoever retires a segment. */
struct hazard {
	struct segment *in_use QUEUE_ALIGNED;
	/* producers: the top of the stack of free segments. consumers: the segment before, while messages there are held */
	struct segment *second;
};

struct segment_pool {
	struct segment *free QUEUE_ALIGNED; /* all: a stack */
	/* constant */
	struct hazard *hazards QUEUE_ALIGNED; /* one an endpoint */
	size_t hazard_count;
	size_t cells, stride; /* of each segment */
	struct queue_memory *memory;
};

static inline size_t segment_cells(size_t message_bytes)
{
	size_t fit = SEGMENT_BYTES / queue_stride(message_bytes);

	return fit > SEGMENT_CELLS ? (size_t)SEGMENT_CELLS : fit;
}

static inline size_t segment_bytes(size_t cells, size_t stride)
{
	return sizeof(struct segment) + cells * stride;
}

QUEUE_INLINE uint64_t *segment_cell(struct segment *segment, size_t cell, size_t stride)
{
	return (uint64_t *)(void *)(segment->cells + cell * stride);
}

/* All its cells empty, behind nothing. */
static inline void segment_clear(struct segment *segment, size_t cells, size_t stride)
{
	/* plain: nobody else has it; it is published by who links it. */
	segment->enqueued = segment->dequeued = 0;
	segment->next = NULL;
	for (size_t i = 0; i < cells; i++)
		*segment_cell(segment, i, stride) = 0;
}

/* A new one, not cleared; NULL: no memory. */
static inline struct segment *segment_allocate(struct segment_pool *pool)
{
	return (struct segment *)pool->memory->allocate(pool->memory, segment_bytes(pool->cells, pool->stride), QUEUE_LINE_PAIR);
}

/* By their links, or by `next`. */
static inline void segment_release_list(const struct segment_pool *pool, struct segment *segment, bool by_next)
{
	while (segment) {
		struct segment *next = by_next ? segment->next : segment->link;

		pool->memory->release(pool->memory, segment, segment_bytes(pool->cells, pool->stride));
		segment = next;
	}
}

/* The segment that *shared leads to, safe from being used anew as long as it stays under this hazard pointer. */
static inline struct segment *segment_protect(struct segment **hazard, struct segment *const *shared)
{
	struct segment *segment = load_seq_cst(shared), *before;

	do {
		before = segment;
		/* Z0 sequentially consistent, as the load: pairs with Z1 in segment_reclaim(): either the one that retires the segment
		 * sees the hazard, or this one sees that the segment is not there any more.
		 * X0 release within it: pairs with X1: this side is done with what the pointer was on before. */
		store_seq_cst(hazard, segment);
		/* A1 acquire within it: pairs with A0, the release by which the segment was linked: the segment's contents. */
		segment = load_seq_cst(shared);
	} while (segment != before);
	return segment;
}

static inline void segment_let_go(struct segment **hazard)
{
	store_release(hazard, (struct segment *)NULL); /* X0 release: pairs with X1 in segment_reclaim() */
}

/* One off the stack of free ones, or NULL. */
static inline struct segment *segment_take_free(struct segment_pool *pool, struct hazard *hazard)
{
	struct segment *segment;

	do {
		segment = segment_protect(&hazard->second, &pool->free);
		/* Where the exchange succeeds, the segment was on the stack all the time, and its link constant: once taken, it comes
		 * back only after it was retired, which this hazard pointer prevents.
		 * F1 acquire: pairs with F0 in segment_reclaim(): it was read before it is written anew. */
	} while (segment && !compare_exchange_seq_cst(&pool->free, &segment, load_relaxed(&segment->link)));
	segment_let_go(&hazard->second);
	return segment;
}

/* Puts a segment that it has to itself onto a list of its own. */
static inline void segment_keep(struct segment **list, struct segment *segment)
{
	store_relaxed(&segment->link, *list);
	*list = segment;
}

/* Whether somebody may look into it. */
static inline bool segment_is_hazarded(const struct segment_pool *pool, const struct segment *segment)
{
	/* Z1 sequentially consistent: pairs with Z0 in segment_protect(); the segment left the list before.
	 * X1 acquire within it: pairs with X0: who had it under a hazard pointer is done with it. In this order: from the first hazard
	 * pointer a segment goes to the second, never back. */
	for (size_t i = 0; i < pool->hazard_count; i++)
		if (load_seq_cst(&pool->hazards[i].in_use) == segment || load_seq_cst(&pool->hazards[i].second) == segment)
			return true;
	return false;
}

/* Puts those of a list of retired segments that nobody may look into any more on the stack of free ones. */
static inline void segment_reclaim(struct segment_pool *pool, struct segment **retired)
{
	struct segment **place = retired, *segment, *top;

	while ((segment = load_relaxed(place))) {
		if (segment_is_hazarded(pool, segment)) {
			place = &segment->link;
			continue;
		}
		store_relaxed(place, load_relaxed(&segment->link));
		/* relaxed: the exchange makes sure that it is the newest. */
		top = load_relaxed(&pool->free);
		do
			store_relaxed(&segment->link, top);
		/* F0 release: pairs with F1 in segment_take_free(). */
		while (!compare_exchange_seq_cst(&pool->free, &top, segment));
	}
}

#endif
