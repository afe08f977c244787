/* ck-fifo-mpmc: Concurrency Kit's list for any number of both, after M. Michael and M. Scott. A message is the word that an entry holds. A free
 * entry is one of the same library's stack (ck_stack), for it is a consumer who has it back and a producer who needs it, and its memory must
 * stay an entry's; there are no more than the capacity asks for. */
#include <ck_fifo.h>
#include <ck_stack.h>

#define PEER_BATCHES false
#include "peer.h"

struct entry {
	struct ck_fifo_mpmc_entry fifo; /* first: a pointer to it is one to the whole */
	struct ck_stack_entry stack;
};

struct peer_queue {
	struct ck_fifo_mpmc fifo QUEUE_ALIGNED; /* has its ends on lines of their own */
	struct ck_stack unused QUEUE_ALIGNED;
	struct entry *entries QUEUE_ALIGNED;
	size_t count;
};

CK_STACK_CONTAINER(struct entry, stack, entry_of_stack)

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t entries;

	(void)outstanding;
	return queue_size(1, config->capacity, 1, &entries) || queue_size(entries, sizeof(struct entry), sizeof(peer_queue), bytes)
		       ? -75 /* −EOVERFLOW */
		       : 0;
}

static peer_queue *peer_open(const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	peer_queue *queue = (peer_queue *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	size_t count = config->capacity + 1;

	if (!queue)
		return NULL;
	queue->entries = (struct entry *)memory->allocate(memory, count * sizeof(struct entry), QUEUE_LINE_PAIR);
	if (!queue->entries) {
		memory->release(memory, queue, sizeof(*queue));
		return NULL;
	}
	queue->count = count;
	ck_fifo_mpmc_init(&queue->fifo, &queue->entries[0].fifo);
	ck_stack_init(&queue->unused);
	for (size_t i = 1; i < count; i++)
		ck_stack_push_spnc(&queue->unused, &queue->entries[i].stack);
	return queue;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	config->memory->release(config->memory, queue->entries, queue->count * sizeof(struct entry));
	config->memory->release(config->memory, queue, sizeof(*queue));
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	peer_queue *queue = endpoint->queue;
	struct ck_stack_entry *unused = ck_stack_pop_mpmc(&queue->unused);

	(void)n;
	if (!unused)
		return 0;
	ck_fifo_mpmc_enqueue(&queue->fifo, &entry_of_stack(unused)->fifo, *(void *const *)messages);
	return 1;
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	peer_queue *queue = endpoint->queue;
	struct ck_fifo_mpmc_entry *entry;

	(void)n;
	if (!ck_fifo_mpmc_dequeue(&queue->fifo, messages, &entry))
		return 0;
	ck_stack_push_mpmc(&queue->unused, &((struct entry *)entry)->stack);
	return 1;
}

QUEUE_TABLE(ck_fifo_mpmc) = {
	.contract = QUEUE_CONTRACT,
	.name = "ck-fifo-mpmc",
	.summary = "Concurrency Kit ck_fifo, mpmc: a word an entry, free ones on a ck_stack",
	.source = "S. Al Bahra, Concurrency Kit, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1, PEER_MESSAGES, .progress = QUEUE_LOCK_FREE,
		.order = QUEUE_ORDER_TOTAL,
	},
	PEER_OPERATIONS,
};
