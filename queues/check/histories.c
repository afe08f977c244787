#include "histories.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "patience.h"
#include "rig.h"

enum {
	SEQUENCE_BITS = 48,  /* of a value: above them the producer's number + 1 */
	MESSAGES_MAX = 2000, /* by each producer: more make no history richer */
	EMPTIES_MAX = 4000,  /* that a consumer notes; others are not looked at */
	LATE_POLLS = 1000,
};

struct recorder;

struct recording {
	uint64_t clock QUEUE_ALIGNED;          /* all threads': atomic */
	unsigned producers_done QUEUE_ALIGNED; /* producers': atomic */
	const struct check_case *drawn;
	struct verdict *verdict;
	struct counted_memory memory;
	struct queue_config config;
	void *instance;
	struct recorder *recorders; /* producers first */
	pthread_barrier_t start;
};

/* An endpoint's thread. */
struct recorder {
	struct recording *recording QUEUE_ALIGNED;
	void *end; /* the queue's */
	unsigned index;
	bool producer;
	uint64_t seed;
	pthread_t thread;
	size_t count, room, empties;
	struct history_operation *operations;
	uint64_t done; /* atomic, for the watchdog */
};

static uint64_t tick(struct recorder *self)
{
	/* C0 acq_rel: pairs with itself: what came before a lower number happens before what comes after a higher one. */
	return fetch_add_acq_rel(&self->recording->clock, 1);
}

/* There is room: it was reckoned with. */
static void note(struct recorder *self, enum history_kind kind, uint64_t value, uint64_t begin, uint64_t end)
{
	if (self->count == self->room)
		verdict_fail(self->recording->verdict, "consumer %u read more messages than were written", self->index);
	self->operations[self->count++] = (struct history_operation){begin, end, value, kind, self->index};
	store_relaxed(&self->done, self->count);
}

static void pause_at_random(struct recorder *self)
{
	uint64_t number = random_next(&self->seed);

	if (number % 32 == 0)
		sched_yield();
	else if (number % 4 == 0)
		for (uint64_t i = 0; i < (number >> 32) % 100; i++)
			cpu_relax();
}

/* Stages up to so many messages in a row: notes each as not ended, and of a queue in place as begun: some give a message its place in the
 * order along with its slot. */
static size_t stage(struct recorder *self, size_t max)
{
	const struct recording *recording = self->recording;
	size_t stride = queue_stride(recording->config.message_bytes), n;
	uint64_t begin = recording->drawn->queue->traits.in_place ? tick(self) : UINT64_MAX;
	unsigned char *slots = recording->drawn->queue->prewrite_span(self->end, max, &n);

	for (size_t i = 0; i < n; i++) {
		uint64_t value = ((uint64_t)(self->index + 1) << SEQUENCE_BITS) + self->count + 1;

		message_write(slots + i * stride, recording->config.message_bytes, value);
		note(self, HISTORY_ENQUEUE, value, begin, UINT64_MAX);
	}
	return n;
}

/* Flushes once. What was staged since the last try may become visible from here on: of a queue that copies, no one may see it before.
 * True: all is in. */
static bool flush(struct recorder *self, size_t *flushed)
{
	uint64_t begin = tick(self);
	bool full = self->recording->drawn->queue->flush(self->end) == QUEUE_FULL;
	uint64_t end = full ? UINT64_MAX : tick(self);

	for (size_t i = self->count; i-- > *flushed && self->operations[i].begin == UINT64_MAX;)
		self->operations[i].begin = begin;
	if (full)
		return false;
	while (*flushed < self->count)
		self->operations[(*flushed)++].end = end;
	return true;
}

static void *record_producer(void *argument)
{
	struct recorder *self = argument;
	struct recording *recording = self->recording;
	size_t flushed = 0;
	uint64_t deadline_ns;

	pthread_barrier_wait(&recording->start);
	deadline_ns = case_clock_ns() + recording->drawn->most_ns;
	do {
		size_t batch = random_next(&self->seed) % recording->config.batch + 1;
		size_t end = self->count + batch < self->room ? self->count + batch : self->room;

		while (self->count < end)
			if (!stage(self, end - self->count) && (!flush(self, &flushed) || !stage(self, end - self->count)))
				sched_yield();
		while (!flush(self, &flushed))
			sched_yield();
		pause_at_random(self);
	} while (self->count < self->room && case_clock_ns() < deadline_ns);
	/* D0 acq_rel: pairs with D1 in record_consumer(): who sees that all are done finds all that they flushed. */
	fetch_add_acq_rel(&recording->producers_done, 1);
	return NULL;
}

/* Notes and takes what is there. False: nothing was. */
static bool take(struct recorder *self)
{
	const struct queue *queue = self->recording->drawn->queue;
	size_t bytes = self->recording->config.message_bytes, n;
	uint64_t begin = tick(self);
	bool some = queue->preread(self->end);
	uint64_t end = tick(self);
	const unsigned char *slots;

	if (!some) {
		if (self->empties++ < EMPTIES_MAX)
			note(self, HISTORY_EMPTY, 0, begin, end);
		return false;
	}
	while ((slots = queue->read_span(self->end, random_next(&self->seed) % 8 + 1, &n)), n)
		for (size_t i = 0; i < n; i++) {
			uint64_t value = message_first(slots + i * queue_stride(bytes));
			int64_t damage = message_find_damage(slots + i * queue_stride(bytes), bytes, value);

			if (damage >= 0)
				verdict_fail(self->recording->verdict, "consumer %u took %016" PRIx64 ", damaged in word %" PRId64,
					     self->index, value, damage);
			note(self, HISTORY_DEQUEUE, value, begin, end);
		}
	return true;
}

static void *record_consumer(void *argument)
{
	struct recorder *self = argument;
	struct recording *recording = self->recording;

	pthread_barrier_wait(&recording->start);
	for (;;) {
		/* D1 acquire: pairs with D0 in record_producer(). */
		bool last = load_acquire(&recording->producers_done) == recording->config.producers;

		if (!take(self)) {
			if (last)
				break;
			if (random_next(&self->seed) % 2)
				sched_yield();
		}
		pause_at_random(self);
	}
	return NULL;
}

static void open_recorder(struct recording *recording, unsigned i)
{
	const struct queue *queue = recording->drawn->queue;
	struct recorder *recorder = &recording->recorders[i];
	unsigned producers = recording->config.producers;
	uint64_t messages = recording->drawn->messages < MESSAGES_MAX ? recording->drawn->messages : MESSAGES_MAX;

	*recorder = (struct recorder){.recording = recording, .producer = i < producers,
				      .index = i < producers ? i : i - producers,
				      .seed = case_seed(recording->drawn, i)};
	recorder->end = recorder->producer ? queue->producer(recording->instance, recorder->index) :
					     queue->consumer(recording->instance, recorder->index);
	/* a consumer's: all messages, some of them twice */
	recorder->room = recorder->producer ? messages : EMPTIES_MAX + 2 * producers * messages;
	recorder->operations = case_allocate(recording->verdict, recorder->room, sizeof(*recorder->operations));
}

static uint64_t progress(const struct recording *recording)
{
	uint64_t sum = load_relaxed(&recording->producers_done);

	for (unsigned i = 0; i < recording->config.producers + recording->config.consumers; i++)
		sum += load_relaxed(&recording->recorders[i].done);
	return sum;
}

static void run_threads(struct recording *recording)
{
	unsigned count = recording->config.producers + recording->config.consumers;
	struct patience patience = patience_begin(recording->drawn->watchdog_seconds * UINT64_C(1000000000));

	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&recording->recorders[i].thread, NULL,
				   recording->recorders[i].producer ? record_producer : record_consumer, &recording->recorders[i]))
			verdict_fail(recording->verdict, "pthread_create failed");
	for (unsigned i = 0; i < count; i++)
		while (!case_thread_ended(recording->recorders[i].thread))
			if (patience_ends(&patience, progress(recording)))
				verdict_fail(recording->verdict, "hangs: nothing moved for %u s, after %" PRIu64 " operations",
					     recording->drawn->watchdog_seconds, progress(recording));
}

/* How many messages were put, or taken. */
static size_t count_messages(const struct recording *recording, bool put)
{
	size_t count = 0;

	for (unsigned i = 0; i < recording->config.producers + recording->config.consumers; i++) {
		const struct recorder *recorder = &recording->recorders[i];

		for (size_t j = 0; recorder->producer == put && j < recorder->count; j++)
			count += recorder->operations[j].kind != HISTORY_EMPTY;
	}
	return count;
}

/* What is left, by this thread alone: until no consumer finds anything. Of what the kernel brings over something may still be
 * on its way. */
static void drain(struct recording *recording)
{
	unsigned polls = recording->drawn->queue->traits.kernel_buffer ? LATE_POLLS : 1;

	for (unsigned nothing = 0; nothing < polls; nothing++) {
		for (unsigned c = 0; c < recording->config.consumers; c++)
			while (take(&recording->recorders[recording->config.producers + c]))
				nothing = 0;
		if (polls > 1 && count_messages(recording, false) >= count_messages(recording, true))
			break;
		sched_yield();
	}
}

static void judge(struct recording *recording)
{
	unsigned count = recording->config.producers + recording->config.consumers;
	struct history history = {.consumers = recording->config.consumers, .drained = true};
	struct history_operation *operations;
	struct history_violation violation;
	char text[400];

	for (unsigned i = 0; i < count; i++)
		history.count += recording->recorders[i].count;
	history.operations = operations = case_allocate(recording->verdict, history.count, sizeof(*operations));
	for (unsigned i = 0; i < count; i++) {
		memcpy(operations, recording->recorders[i].operations, recording->recorders[i].count * sizeof(*operations));
		operations += recording->recorders[i].count;
	}
	if (history_check(&history, &recording->drawn->queue->traits, &violation))
		verdict_fail(recording->verdict, "no memory for the test itself");
	if (violation.pattern != HISTORY_FINE)
		verdict_fail(recording->verdict, "%s", history_violation_text(&violation, text, sizeof(text)));
	free((void *)(uintptr_t)history.operations);
}

static void record_body(const void *argument, struct verdict *verdict)
{
	const struct check_case *drawn = argument;
	struct recording recording = {.drawn = drawn, .verdict = verdict, .memory = counted_memory(), .config = case_config(drawn)};
	unsigned count = drawn->producers + drawn->consumers;
	int status;

	case_text(drawn, verdict->text, sizeof(verdict->text)); /* it leads each failure's */
	recording.config.memory = &recording.memory.memory;
	if (drawn->one_cpu)
		case_share_one_cpu(verdict);
	status = drawn->queue->create(&recording.config, &recording.instance);
	if (status == -ENOSYS || status == -EPERM)
		verdict_skip(verdict, "this machine does not offer what it rests on");
	if (status)
		verdict_fail(verdict, "create: expected 0, got %d", status);
	recording.recorders = aligned_alloc(QUEUE_LINE_PAIR, count * sizeof(*recording.recorders));
	if (!recording.recorders)
		verdict_fail(verdict, "no memory for the test itself");
	pthread_barrier_init(&recording.start, NULL, count);
	for (unsigned i = 0; i < count; i++)
		open_recorder(&recording, i);
	run_threads(&recording);
	drain(&recording);
	judge(&recording);
	for (unsigned i = 0; i < count; i++)
		free(recording.recorders[i].operations);
	free(recording.recorders);
	pthread_barrier_destroy(&recording.start);
	drawn->queue->destroy(recording.instance);
}

struct verdict histories_run(const struct check_case *drawn)
{
	return verdict_run(record_body, drawn, case_seconds(drawn));
}
