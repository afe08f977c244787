#include "interleave_queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS = INTERLEAVE_THREADS_MAX,
	ARENA_BYTES = 8 << 20,
	GARBAGE_BYTES = 4096, /* of a block: filling all of it costs too much where a chunk is large */
	WORDS = 2,            /* of a message: enough to be torn */
	SEQUENCE_BITS = 32,
	MESSAGES_MAX = 16,
};

struct actor {
	unsigned index;
	void *end;
	uint64_t written;          /* producer: messages that were staged */
	bool woke;                 /* producer: was told to wake the reader */
	bool asleep;               /* consumer: went to sleep */
	uint64_t newest[THREADS];  /* consumer: sequence number by producer */
};

struct subject {
	const struct queue *queue;
	const struct interleave_case *one;
	struct verdict *verdict;
	struct queue_memory memory; /* blocks lie where they lay in the execution before */
	unsigned char *arena;
	size_t arena_used;
	void *instance;
	struct actor actors[THREADS]; /* producers first */
	unsigned read[THREADS][MESSAGES_MAX]; /* times that each message was, by producer */
};

static struct subject *subject_of(struct queue_memory *memory)
{
	return (struct subject *)(void *)((char *)memory - offsetof(struct subject, memory));
}

static void *arena_allocate(struct queue_memory *memory, size_t bytes, size_t alignment)
{
	struct subject *subject = subject_of(memory);
	size_t at = (subject->arena_used + alignment - 1) & ~(alignment - 1);

	if (at + bytes > ARENA_BYTES)
		verdict_fail(subject->verdict, "the arena of %d bytes is used up", ARENA_BYTES);
	subject->arena_used = at + bytes;
	return memset(subject->arena + at, 0xa5, bytes < GARBAGE_BYTES ? bytes : GARBAGE_BYTES);
}

static void arena_release(struct queue_memory *memory, void *block, size_t bytes)
{
	(void)memory;
	memset(block, 0x5a, bytes < GARBAGE_BYTES ? bytes : GARBAGE_BYTES);
}

static uint64_t second_word(uint64_t first)
{
	return first * 0x9e3779b97f4a7c15;
}

/* A slot to be written is shared where the queue works in place; else it lies in a stage of the endpoint's own. */
static void write_word(const struct subject *subject, uint64_t *word, uint64_t value)
{
	if (subject->queue->traits.in_place)
		interleave_store(word, 8, value, INTERLEAVE_PLAIN_ACCESS);
	else
		*word = value;
}

static void produce(struct subject *subject, struct actor *actor)
{
	const struct interleave_case *one = subject->one;

	for (unsigned attempts = 0; actor->written < one->messages && attempts < one->looks; attempts++) {
		size_t left = one->messages - actor->written, n;
		uint64_t *slot = (uint64_t *)subject->queue->prewrite_span(actor->end, left < one->batch ? left : one->batch, &n);

		for (size_t i = 0; i < n; i++, slot += WORDS) {
			uint64_t first = (uint64_t)(actor->index + 1) << SEQUENCE_BITS | ++actor->written;

			write_word(subject, &slot[0], first);
			write_word(subject, &slot[1], second_word(first));
			attempts = 0;
		}
		if (subject->queue->flush(actor->end) == QUEUE_FLUSHED_READER_SLEEPS)
			actor->woke = true;
	}
}

static void take(struct subject *subject, struct actor *actor, const uint64_t *slot)
{
	const struct queue_traits *traits = &subject->queue->traits;
	uint64_t first = interleave_load(&slot[0], 8), second = interleave_load(&slot[1], 8);
	uint64_t producer = (first >> SEQUENCE_BITS) - 1, sequence = first & UINT32_MAX;
	uint64_t before;

	if (producer >= subject->one->producers || !sequence || sequence > subject->one->messages)
		verdict_fail(subject->verdict, "consumer %u read %016" PRIx64 ", which nobody wrote", actor->index, first);
	if (second != second_word(first))
		verdict_fail(subject->verdict, "consumer %u read message %" PRIu64 " of producer %" PRIu64 " torn", actor->index,
			     sequence, producer);
	before = actor->newest[producer];
	if (sequence <= before || (traits->multicast && sequence != before + 1))
		verdict_fail(subject->verdict, "consumer %u read message %" PRIu64 " of producer %" PRIu64 " after %" PRIu64,
			     actor->index, sequence, producer, before);
	actor->newest[producer] = sequence;
	if (subject->read[producer][sequence]++ && !traits->multicast)
		verdict_fail(subject->verdict, "message %" PRIu64 " of producer %" PRIu64 " was read twice", sequence, producer);
}

/* Reads all that one preread notes. False: nothing. */
static bool consume_once(struct subject *subject, struct actor *actor)
{
	const uint64_t *slot;
	size_t n;
	bool some = false;

	if (!subject->queue->preread(actor->end))
		return false;
	while (slot = (const uint64_t *)subject->queue->read_span(actor->end, SIZE_MAX, &n), n) {
		some = true;
		for (size_t i = 0; i < n; i++, slot += WORDS)
			take(subject, actor, slot);
	}
	if (!some)
		verdict_fail(subject->verdict, "consumer %u: preread found something, read_span handed out nothing", actor->index);
	return true;
}

static void consume(struct subject *subject, struct actor *actor)
{
	for (unsigned look = 0; look < subject->one->looks && !actor->asleep; look++)
		if (!consume_once(subject, actor) && subject->queue->traits.reports_sleeper)
			actor->asleep = subject->queue->sleep(actor->end);
}

static void thread_main(void *context, unsigned index)
{
	struct subject *subject = context;

	if (index < subject->one->producers)
		produce(subject, &subject->actors[index]);
	else
		consume(subject, &subject->actors[index]);
}

static void begin(void *context)
{
	struct subject *subject = context;
	const struct interleave_case *one = subject->one;
	struct queue_config config = {.message_bytes = 8 * WORDS, .capacity = subject->queue->traits.bounded ? one->capacity : 0,
				      .batch = one->batch, .producers = one->producers, .consumers = one->consumers,
				      .counter_start = one->counter_start, .memory = &subject->memory};
	int status;

	subject->arena_used = 0;
	memset(subject->read, 0, sizeof(subject->read));
	status = subject->queue->create(&config, &subject->instance);
	if (status)
		verdict_fail(subject->verdict, "create: expected 0, got %d", status);
	for (unsigned i = 0; i < one->producers + one->consumers; i++) {
		unsigned index = i < one->producers ? i : i - one->producers;

		subject->actors[i] = (struct actor){.index = index, .end = i < one->producers
									    ? subject->queue->producer(subject->instance, index)
									    : subject->queue->consumer(subject->instance, index)};
	}
}

/* Publishes and reads what is left. Returns whether anything was. */
static bool drain(struct subject *subject)
{
	struct actor *consumers = &subject->actors[subject->one->producers];
	bool any = false;

	/* a preread that finds nothing may still have released what a flush waits for */
	for (unsigned in_vain = 0; in_vain < 2; in_vain++) {
		for (unsigned p = 0; p < subject->one->producers; p++)
			subject->queue->flush(subject->actors[p].end);
		for (unsigned c = 0; c < subject->one->consumers; c++)
			while (consume_once(subject, &consumers[c])) {
				any = true;
				in_vain = 0;
			}
	}
	return any;
}

static void check_nothing_is_missing(const struct subject *subject)
{
	const struct interleave_case *one = subject->one;
	const struct queue_traits *traits = &subject->queue->traits;

	for (unsigned p = 0; p < one->producers; p++)
		for (uint64_t sequence = 1; sequence <= subject->actors[p].written; sequence++) {
			bool newest = sequence == subject->actors[p].written;
			unsigned due = traits->multicast ? one->consumers : traits->lossy ? newest : 1;

			if (subject->read[p][sequence] < due)
				verdict_fail(subject->verdict, "message %" PRIu64 " of producer %u was read %u times, not %u", sequence, p,
					     subject->read[p][sequence], due);
		}
}

static void end(void *context)
{
	struct subject *subject = context;
	bool asleep = subject->actors[subject->one->producers].asleep, woke = false;

	for (unsigned p = 0; p < subject->one->producers; p++)
		woke = woke || subject->actors[p].woke;
	if (drain(subject) && asleep && !woke)
		verdict_fail(subject->verdict, "the reader sleeps, messages are there, and no flush told of it");
	check_nothing_is_missing(subject);
	subject->queue->destroy(subject->instance);
}

static void prepare(void *context, struct verdict *verdict)
{
	struct subject *subject = context;

	subject->verdict = verdict;
	subject->arena = aligned_alloc(4096, ARENA_BYTES);
	if (!subject->arena)
		verdict_fail(verdict, "no memory for the arena");
}

struct interleave_result interleave_queue(const struct queue *queue, const struct interleave_case *one,
					  const struct interleave_options *options)
{
	struct subject subject = {.queue = queue, .one = one, .memory = {arena_allocate, arena_release}};
	struct interleave_program program = {.threads = one->producers + one->consumers, .begin = begin, .thread = thread_main,
					     .end = end, .context = &subject};

	if (one->messages >= MESSAGES_MAX || program.threads > THREADS)
		abort();
	return interleave_run(&program, options, prepare);
}
