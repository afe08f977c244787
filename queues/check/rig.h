/* A queue set up for one thread, with a model of what must be in it: each operation is checked against the contract. */
#ifndef QUEUES_CHECK_RIG_H
#define QUEUES_CHECK_RIG_H

#include "counted_memory.h"
#include "queue.h"
#include "verdict.h"

struct rig {
	const struct queue *queue;
	struct verdict *verdict; /* where failures go */
	struct counted_memory memory;
	struct queue_config config;
	void *instance, *producer, *consumer;
	/* messages so far: staged ⊇ maybe published ⊇ surely published ⊇ read ⊇ released. The two differ only where a flush
	 * found the queue full and no one but the queue knows how many it took. */
	uint64_t staged, published_most, published_least, read, released;
	uint64_t emptied; /* what was read when a preread last found nothing */
	uint64_t noted; /* what may have been published at the last preread */
	uint64_t outstanding_most; /* the most that were staged and not yet released */
};

/* The nearest to what is asked for that the queue's traits allow, for one producer and one consumer. */
struct queue_config rig_config(const struct queue *queue, size_t capacity, size_t message_bytes, size_t batch);
bool rig_allows_capacity(const struct queue *queue, size_t capacity);
bool rig_allows_size(const struct queue *queue, size_t message_bytes);

void rig_open(struct rig *rig, const struct queue *queue, struct verdict *verdict, struct queue_config config);
/* Also checks that all memory came back, and that its footprint was kept to. */
void rig_close(struct rig *rig);

/* Each is one call of the queue's operation. */
size_t rig_stage(struct rig *rig, size_t max); /* and writes the messages */
enum queue_flush rig_flush(struct rig *rig);
bool rig_preread(struct rig *rig);
size_t rig_read(struct rig *rig, size_t max);  /* and checks the messages */

/* Stages and flushes one message. False: no room; it may be left staged. */
bool rig_push(struct rig *rig);
/* Stages up to that many messages and flushes once. Returns how many were staged. */
size_t rig_push_batch(struct rig *rig, size_t messages);
/* Reads all that is there, also what a full queue had left staged. */
void rig_drain(struct rig *rig);

/* A message: the first word, the rest derived from it. */
void message_write(void *slot, size_t bytes, uint64_t first);
/* The index of the first word that is not as message_write() left it, or −1. */
int64_t message_find_damage(const void *slot, size_t bytes, uint64_t first);
static inline uint64_t message_first(const void *slot)
{
	return *(const uint64_t *)slot;
}

/* A pseudo-random number from *state ≠ 0 (xorshift64). */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
