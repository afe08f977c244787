/* uring: words from one io_uring to another, by its msg_ring operation.
 *
 * Source: io_uring, J. Axboe, 2019; IORING_OP_MSG_RING, 2022 (Linux 5.18).
 * Promise: one writer and one reader, messages of 8 bytes; order is kept; never more than `capacity` messages in it.
 *
 * How it works. Each end has an io_uring. Words are staged in the writer's buffer; a flush makes a submission of each and hands all of them
 * over by one io_uring_enter(2); the kernel puts the word into a completion of the reader's ring. The reader finds completions without a
 * system call and copies them into its stage; where there are none, it may wait in io_uring_enter(2). `taken` tells the writer how many
 * completions are free again: the kernel would keep what does not fit apart, without a bound.
 *
 * Limits: 8 bytes, for a completion has no more of its own. A writer without room gives its CPU away between looks. Not every machine
 * offers it: then footprint() and create() say −ENOSYS or −EPERM.
 */
#include "queue.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { URING_CAPACITY_MAX = 16384, URING_SUBMISSIONS = 256 };

/* One io_uring, as it is mapped. */
struct uring_ring {
	int descriptor;
	unsigned char *mapped; /* both rings' counters and the completions; NULL: not yet */
	size_t mapped_bytes;
	struct io_uring_sqe *submissions;
	size_t submissions_bytes;
	uint32_t *submission_tail, *submission_array;
	uint32_t *completion_head, *completion_tail;
	uint32_t submission_mask, completion_mask;
	struct io_uring_cqe *completions;
};

struct uring {
	struct uring_writer {
		struct uring_ring ring;
		uint64_t *stage;
		size_t first, staged, room; /* of the stage, messages */
		uint64_t sent, taken_seen;
		uint64_t capacity;
		unsigned refused; /* submissions that the kernel did not carry out */
		struct uring *uring;
	} writer QUEUE_ALIGNED;
	struct uring_reader {
		struct uring_ring ring;
		uint64_t *stage;
		size_t first, staged, room;
		struct uring *uring;
	} reader QUEUE_ALIGNED;
	uint64_t taken QUEUE_ALIGNED; /* reader's: messages taken out of the completions */
	struct queue_memory *memory QUEUE_ALIGNED;
};

/* 0, or −ENOSYS or −EPERM where this machine offers no io_uring. */
static int uring_offered(void)
{
	struct io_uring_params params;
	int descriptor;

	__builtin_memset(&params, 0, sizeof(params));
	descriptor = (int)syscall(SYS_io_uring_setup, 1, &params);
	if (descriptor < 0)
		return errno == ENOSYS || errno == EPERM ? -errno : 0;
	close(descriptor);
	return 0;
}

static int uring_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	int status = uring_offered();

	(void)outstanding;
	if (status)
		return status;
	return queue_size(config->batch, 2 * sizeof(uint64_t), sizeof(struct uring), bytes);
}

static void uring_unmap(struct uring_ring *ring)
{
	if (ring->mapped)
		munmap(ring->mapped, ring->mapped_bytes);
	if (ring->submissions)
		munmap(ring->submissions, ring->submissions_bytes);
	if (ring->descriptor >= 0)
		close(ring->descriptor);
}

static int uring_map(struct uring_ring *ring, unsigned submissions, unsigned completions)
{
	struct io_uring_params params;
	size_t bytes, more;
	void *mapped;

	__builtin_memset(&params, 0, sizeof(params));
	params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
	params.cq_entries = completions > submissions ? completions : submissions;
	ring->descriptor = (int)syscall(SYS_io_uring_setup, submissions, &params);
	if (ring->descriptor < 0)
		return -errno;
	if (!(params.features & IORING_FEAT_SINGLE_MMAP))
		return -38; /* −ENOSYS: before Linux 5.4, which has no msg_ring either */
	bytes = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
	more = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	ring->mapped_bytes = bytes > more ? bytes : more;
	mapped = mmap(NULL, ring->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->descriptor, IORING_OFF_SQ_RING);
	if (mapped == MAP_FAILED)
		return -errno;
	ring->mapped = (unsigned char *)mapped;
	ring->submissions_bytes = params.sq_entries * sizeof(struct io_uring_sqe);
	mapped = mmap(NULL, ring->submissions_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->descriptor, IORING_OFF_SQES);
	if (mapped == MAP_FAILED)
		return -errno;
	ring->submissions = (struct io_uring_sqe *)mapped;
	ring->submission_tail = (uint32_t *)(void *)(ring->mapped + params.sq_off.tail);
	ring->submission_array = (uint32_t *)(void *)(ring->mapped + params.sq_off.array);
	ring->submission_mask = params.sq_entries - 1;
	ring->completion_head = (uint32_t *)(void *)(ring->mapped + params.cq_off.head);
	ring->completion_tail = (uint32_t *)(void *)(ring->mapped + params.cq_off.tail);
	ring->completion_mask = params.cq_entries - 1;
	ring->completions = (struct io_uring_cqe *)(void *)(ring->mapped + params.cq_off.cqes);
	return 0;
}

static void uring_destroy(void *instance)
{
	struct uring *uring = (struct uring *)instance;
	struct queue_memory *memory = uring->memory;

	uring_unmap(&uring->writer.ring);
	uring_unmap(&uring->reader.ring);
	if (uring->writer.stage)
		memory->release(memory, uring->writer.stage, uring->writer.room * sizeof(uint64_t));
	if (uring->reader.stage)
		memory->release(memory, uring->reader.stage, uring->reader.room * sizeof(uint64_t));
	memory->release(memory, uring, sizeof(*uring));
}

static int uring_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct uring *uring = (struct uring *)memory->allocate(memory, sizeof(*uring), QUEUE_LINE_PAIR);
	uint64_t start = config->counter_start;
	int status;

	if (!uring)
		return -12; /* −ENOMEM */
	__builtin_memset(uring, 0, sizeof(*uring));
	uring->memory = memory;
	uring->writer.uring = uring->reader.uring = uring;
	uring->writer.ring.descriptor = uring->reader.ring.descriptor = -1;
	uring->writer.capacity = config->capacity;
	uring->writer.room = uring->reader.room = config->batch;
	uring->writer.sent = uring->writer.taken_seen = uring->taken = start;
	uring->writer.stage = (uint64_t *)memory->allocate(memory, config->batch * sizeof(uint64_t), QUEUE_LINE_PAIR);
	uring->reader.stage = (uint64_t *)memory->allocate(memory, config->batch * sizeof(uint64_t), QUEUE_LINE_PAIR);
	status = uring->writer.stage && uring->reader.stage ? 0 : -12;
	if (!status)
		status = uring_map(&uring->writer.ring, URING_SUBMISSIONS, URING_SUBMISSIONS);
	if (!status)
		status = uring_map(&uring->reader.ring, 1, (unsigned)config->capacity);
	if (status) {
		uring_destroy(uring);
		return status;
	}
	*instance = uring;
	return 0;
}

static void *uring_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct uring *)instance)->writer;
}

static void *uring_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct uring *)instance)->reader;
}

static inline void *uring_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct uring_writer *writer = (struct uring_writer *)producer;
	size_t used = writer->first + writer->staged;

	*n = writer->room - used < max ? writer->room - used : max;
	writer->staged += *n;
	return *n ? writer->stage + used : NULL;
}

/* What could not be carried out left a completion with the writer. */
static inline void uring_count_refused(struct uring_writer *writer)
{
	struct uring_ring *ring = &writer->ring;
	uint32_t head = *ring->completion_head;
	/* K1 acquire: pairs with the kernel's release of its tail. */
	uint32_t tail = load_acquire(ring->completion_tail);

	writer->refused += tail - head;
	/* K2 release: pairs with the kernel's acquire: the completions may be written anew. */
	store_release(ring->completion_head, tail);
}

/* One system call's worth of the stage. False: some were refused. */
static inline bool uring_submit(struct uring_writer *writer, size_t count)
{
	struct uring_ring *ring = &writer->ring;
	uint32_t tail = *ring->submission_tail;
	size_t entered = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t at = (tail + (uint32_t)i) & ring->submission_mask;
		struct io_uring_sqe *submission = &ring->submissions[at];

		__builtin_memset(submission, 0, sizeof(*submission));
		submission->opcode = IORING_OP_MSG_RING;
		submission->flags = IOSQE_CQE_SKIP_SUCCESS;
		submission->fd = writer->uring->reader.ring.descriptor;
		submission->off = writer->stage[writer->first + i]; /* the word that the other side sees */
		ring->submission_array[at] = at;
	}
	/* K0 release: pairs with the kernel's acquire of the tail: the submissions are written. */
	store_release(ring->submission_tail, tail + (uint32_t)count);
	/* the kernel may take fewer, when it has no memory for more at the moment: those that it left stay in the ring */
	while (entered < count && !writer->refused) {
		long taken = syscall(SYS_io_uring_enter, ring->descriptor, count - entered, 0, 0, NULL, 0);

		if (taken > 0)
			entered += (size_t)taken;
		else if (!taken || (errno != EINTR && errno != EAGAIN && errno != EBUSY))
			writer->refused += (unsigned)(count - entered);
		uring_count_refused(writer);
	}
	return !writer->refused;
}

static inline enum queue_flush uring_flush(void *producer)
{
	struct uring_writer *writer = (struct uring_writer *)producer;

	while (writer->staged && !writer->refused) {
		uint64_t room = writer->capacity - (writer->sent - writer->taken_seen);
		size_t count = writer->staged < URING_SUBMISSIONS ? writer->staged : URING_SUBMISSIONS;

		if (!room) {
			/* U1 acquire: pairs with U0 in uring_preread(): those completions are free again. */
			writer->taken_seen = load_acquire(&writer->uring->taken);
			room = writer->capacity - (writer->sent - writer->taken_seen);
		}
		if (room < count)
			count = (size_t)room;
		if (!count || !uring_submit(writer, count))
			return QUEUE_FULL; /* refused: for ever; describe() tells why */
		writer->sent += count;
		writer->first += count;
		writer->staged -= count;
	}
	if (writer->staged)
		return QUEUE_FULL; /* as above */
	writer->first = 0;
	return QUEUE_FLUSHED;
}

static inline bool uring_preread(void *consumer)
{
	struct uring_reader *reader = (struct uring_reader *)consumer;
	struct uring_ring *ring = &reader->ring;
	uint32_t head, count;

	if (reader->staged)
		return true;
	head = *ring->completion_head;
	/* K1 acquire: pairs with the kernel's release of its tail: the words are there. */
	count = load_acquire(ring->completion_tail) - head;
	if (count > reader->room)
		count = (uint32_t)reader->room;
	for (uint32_t i = 0; i < count; i++)
		reader->stage[i] = ring->completions[(head + i) & ring->completion_mask].user_data;
	/* K2 release: pairs with the kernel's acquire: the completions may be written anew. */
	store_release(ring->completion_head, head + count);
	if (count) {
		/* U0 release: pairs with U1 in uring_flush(): the completions are free again. */
		store_release(&reader->uring->taken, reader->uring->taken + count);
	}
	reader->first = 0;
	reader->staged = count;
	return count;
}

static inline const void *uring_read_span(void *consumer, size_t max, size_t *n)
{
	struct uring_reader *reader = (struct uring_reader *)consumer;
	const uint64_t *slot = reader->stage + reader->first;

	*n = max < reader->staged ? max : reader->staged;
	reader->first += *n;
	reader->staged -= *n;
	return *n ? slot : NULL;
}

static inline void uring_flush_wait(void *producer)
{
	while (uring_flush(producer) == QUEUE_FULL)
		sched_yield();
}

static inline void uring_preread_wait(void *consumer)
{
	struct uring_reader *reader = (struct uring_reader *)consumer;

	while (!uring_preread(reader))
		syscall(SYS_io_uring_enter, reader->ring.descriptor, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
}

static void uring_describe(const void *instance, char *text, size_t size)
{
	const struct uring *uring = (const struct uring *)instance;

	/* relaxed: a look from outside */
	snprintf(text, size, "sent %llu, taken %llu, %u submissions not carried out", (unsigned long long)load_relaxed(&uring->writer.sent),
		 (unsigned long long)load_relaxed(&uring->taken), load_relaxed(&uring->writer.refused));
}

QUEUE_TABLE(uring) = {
	.contract = QUEUE_CONTRACT,
	.name = "uring",
	.summary = "words from one io_uring to another",
	.source = "io_uring, J. Axboe, 2019; IORING_OP_MSG_RING, 2022",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1, .capacity_max = URING_CAPACITY_MAX,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MIN,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .blocks_natively = true, .calls_in_loop = true,
	},
	.footprint = uring_footprint,
	.create = uring_create,
	.destroy = uring_destroy,
	.producer = uring_producer,
	.consumer = uring_consumer,
	.prewrite_span = uring_prewrite_span,
	.flush = uring_flush,
	.preread = uring_preread,
	.read_span = uring_read_span,
	.flush_wait = uring_flush_wait,
	.preread_wait = uring_preread_wait,
	.describe = uring_describe,
};
