#include "stress.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "patience.h"
#include "rig.h"

/* A message's first word: the producer's number + 1, then its sequence number, from 1. */
enum { SEQUENCE_BITS = 48 };

static const uint64_t STOP = UINT64_MAX; /* above all others, as the newest message of a lossy queue must be */

struct endpoint;

struct stress {
	const struct check_case *stress;
	const struct queue *queue;
	struct verdict *verdict;
	struct counted_memory memory;
	struct queue_config config;
	void *instance;
	struct endpoint *endpoints; /* producers first */
	pthread_barrier_t start;
	unsigned producers_done; /* all: atomic */
	unsigned stops_seen;     /* consumers: atomic */
};

struct endpoint {
	struct wait_point point QUEUE_ALIGNED; /* where this endpoint sleeps; one each, for a wake-up rouses one sleeper */
	struct stress *shared QUEUE_ALIGNED;
	void *end; /* the queue's */
	unsigned index;
	bool producer;
	uint64_t seed;
	pthread_t thread;
	uint64_t done; /* messages; atomic, for the watchdog's report */
	uint64_t released; /* consumer: messages; atomic */
	/* producer: what prewrite handed out last */
	unsigned char *slots;
	size_t staged, wanted;
	uint64_t sent; /* messages, when it has ended */
	/* consumer */
	uint64_t newest[CASE_ENDPOINTS_MAX];      /* sequence number by producer */
	unsigned char *seen[CASE_ENDPOINTS_MAX];  /* times that each was read */
};

/* Whether endpoints sleep by way of wait points. */
static bool sleeps(const struct stress *shared)
{
	enum wait_policy wait = shared->stress->wait;

	return wait == WAIT_PARK || wait == WAIT_EVENTFD || wait == WAIT_ADAPTIVE;
}

/* Wakes whoever of the other side has announced that it is about to sleep. */
static void wake_announced(struct endpoint *self)
{
	struct stress *shared = self->shared;
	unsigned first = self->producer ? shared->config.producers : 0;
	unsigned count = self->producer ? shared->config.consumers : shared->config.producers;

	if (!sleeps(shared))
		return;
	for (unsigned i = first; i < first + count; i++)
		if (wait_is_announced(&shared->endpoints[i].point))
			wait_wake(&shared->endpoints[i].point, shared->stress->wait);
}

/* Flushes once, and wakes the reader if need be. Also where the queue is full: part of it may have gone in. */
static bool poll_flush(struct endpoint *self)
{
	struct stress *shared = self->shared;
	enum queue_flush flushed = shared->queue->flush(self->end);

	if (!shared->queue->traits.reports_sleeper)
		wake_announced(self);
	else if (flushed == QUEUE_FLUSHED_READER_SLEEPS && sleeps(shared))
		wait_wake(&shared->endpoints[shared->config.producers].point, shared->stress->wait);
	return flushed != QUEUE_FULL;
}

static bool poll_room(struct endpoint *self)
{
	const struct queue *queue = self->shared->queue;

	self->slots = queue->prewrite_span(self->end, self->wanted, &self->staged);
	if (!self->staged) {
		poll_flush(self);
		self->slots = queue->prewrite_span(self->end, self->wanted, &self->staged);
	}
	return self->staged;
}

static bool poll_messages(struct endpoint *self)
{
	bool some = self->shared->queue->preread(self->end);

	store_release(&self->released, self->done); /* R0 release: pairs with R1 in await_release(): their slots are free */
	wake_announced(self);
	return some;
}

/* Sleeps unless a last look finds what is waited for. True: it did. */
static bool sleep_once(struct endpoint *self, bool (*poll)(struct endpoint *self))
{
	const struct queue *queue = self->shared->queue;
	uint32_t ticket = wait_ticket(&self->point);

	if (!self->producer && queue->traits.reports_sleeper) {
		if (queue->sleep(self->end))
			wait_sleep(&self->point, self->shared->stress->wait, ticket);
		return false;
	}
	wait_announce(&self->point);
	if (poll(self)) {
		wait_withdraw(&self->point);
		return true;
	}
	wait_sleep(&self->point, self->shared->stress->wait, ticket);
	return false;
}

static void wait_until(struct endpoint *self, bool (*poll)(struct endpoint *self))
{
	enum wait_policy wait = self->shared->stress->wait;
	unsigned spins = 0;

	while (!poll(self)) {
		cpu_relax();
		if (++spins < wait_spins(wait))
			continue;
		spins = 0;
		if (wait == WAIT_YIELD)
			wait_yield(&self->point);
		else if (sleeps(self->shared) && sleep_once(self, poll))
			return;
	}
}

static void flush_all(struct endpoint *self)
{
	if (self->shared->stress->wait == WAIT_NATIVE)
		self->shared->queue->flush_wait(self->end);
	else
		wait_until(self, poll_flush);
}

static void find_room(struct endpoint *self)
{
	if (self->shared->stress->wait != WAIT_NATIVE) {
		wait_until(self, poll_room);
		return;
	}
	self->slots = self->shared->queue->prewrite_span(self->end, self->wanted, &self->staged);
	if (self->staged)
		return;
	flush_all(self);
	self->slots = self->shared->queue->prewrite_span(self->end, self->wanted, &self->staged);
}

static void find_messages(struct endpoint *self)
{
	if (self->shared->stress->wait == WAIT_NATIVE)
		self->shared->queue->preread_wait(self->end);
	else
		wait_until(self, poll_messages);
}

static void pause_at_random(struct endpoint *self)
{
	uint64_t number = random_next(&self->seed);

	if (number % 64 == 0)
		sched_yield();
	else if (number % 8 == 0)
		for (uint64_t i = 0; i < (number >> 32) % 200; i++)
			cpu_relax();
}

static void write_stop(struct endpoint *self)
{
	self->wanted = 1;
	find_room(self);
	if (self->staged)
		message_write(self->slots, self->shared->config.message_bytes, STOP);
	flush_all(self);
}

/* Until the consumers have released all that was written. */
static void await_release(struct stress *shared)
{
	uint64_t sent = 0, released;

	for (unsigned p = 0; p < shared->config.producers; p++)
		sent += shared->endpoints[p].sent;
	do {
		released = 0;
		sched_yield();
		for (unsigned c = 0; c < shared->config.consumers; c++)
			/* R1 acquire: pairs with R0 in poll_messages() */
			released += load_acquire(&shared->endpoints[shared->config.producers + c].released);
	} while (released < sent);
}

/* One consumer after the other, when all else is in: at most one stop is under way, so that no consumer takes two. Where each message goes
 * to each consumer, one stop is enough. Where each pair of endpoints has a lane, all are empty by then: the stops go to each in turn, and
 * none past a full one to a consumer that has left. */
static void stop_consumers(struct endpoint *self)
{
	struct stress *shared = self->shared;

	/* D1 acquire: pairs with D0 in producer_main(): all the others' messages went in before the first stop */
	while (load_acquire(&shared->producers_done) < shared->config.producers)
		sched_yield();
	if (shared->queue->traits.lanes)
		await_release(shared);
	for (unsigned i = 0; i < (shared->queue->traits.multicast ? 1 : shared->config.consumers); i++) {
		write_stop(self);
		while (load_relaxed(&shared->stops_seen) <= i)
			sched_yield();
	}
}

static void *producer_main(void *argument)
{
	struct endpoint *self = argument;
	struct stress *shared = self->shared;
	size_t stride = queue_stride(shared->config.message_bytes);
	uint64_t first = (uint64_t)(self->index + 1) << SEQUENCE_BITS, word = first, end = word + shared->stress->messages;
	uint64_t deadline_ns;

	pthread_barrier_wait(&shared->start);
	deadline_ns = case_clock_ns() + shared->stress->most_ns;
	do {
		size_t batch = random_next(&self->seed) % shared->config.batch + 1;

		for (size_t left = batch < end - word ? batch : end - word; left; left -= self->staged) {
			self->wanted = left;
			find_room(self);
			for (size_t i = 0; i < self->staged; i++)
				message_write(self->slots + i * stride, shared->config.message_bytes, ++word);
		}
		flush_all(self);
		store_relaxed(&self->done, word - first);
		pause_at_random(self);
	} while (word < end && case_clock_ns() < deadline_ns);
	self->sent = word - first;
	/* D0 release: pairs with D1 in stop_consumers() */
	fetch_add_acq_rel(&shared->producers_done, 1);
	if (self->index == 0)
		stop_consumers(self);
	return NULL;
}

static void take_message(struct endpoint *self, const void *slot, uint64_t first)
{
	struct stress *shared = self->shared;
	uint64_t producer = (first >> SEQUENCE_BITS) - 1, sequence = first & ((UINT64_C(1) << SEQUENCE_BITS) - 1);
	int64_t damage = message_find_damage(slot, shared->config.message_bytes, first);

	if (producer >= shared->config.producers || !sequence || sequence > shared->stress->messages)
		verdict_fail(shared->verdict, "consumer %u read %016" PRIx64 ", which nobody wrote", self->index, first);
	if (damage >= 0)
		verdict_fail(shared->verdict, "consumer %u read message %" PRIu64 " of producer %" PRIu64 ", damaged in word %" PRId64,
			     self->index, sequence, producer, damage);
	if (shared->queue->traits.order != QUEUE_ORDER_NONE && sequence <= self->newest[producer])
		verdict_fail(shared->verdict, "consumer %u read message %" PRIu64 " of producer %" PRIu64 " after %" PRIu64,
			     self->index, sequence, producer, self->newest[producer]);
	self->newest[producer] = sequence;
	self->seen[producer][sequence]++;
}

static void *consumer_main(void *argument)
{
	struct endpoint *self = argument;
	struct stress *shared = self->shared;
	size_t stride = queue_stride(shared->config.message_bytes), n;
	const unsigned char *slots;
	bool stopping = false;

	pthread_barrier_wait(&shared->start);
	for (;;) {
		/* a consumer that stops releases what it read, down to the stop itself: the next stop may need the slot */
		if (stopping && !poll_messages(self)) {
			fetch_add_relaxed(&shared->stops_seen, 1);
			return NULL;
		}
		if (!stopping)
			find_messages(self);
		while ((slots = shared->queue->read_span(self->end, random_next(&self->seed) % 50 + 1, &n)), n) {
			for (size_t i = 0; i < n; i++) {
				uint64_t first = message_first(slots + i * stride);

				if (first == STOP)
					stopping = true;
				else
					take_message(self, slots + i * stride, first);
			}
			store_relaxed(&self->done, self->done + n);
		}
		pause_at_random(self);
	}
}

/* Each message exactly once: over all consumers, or by each of them where the queue is multicast. */
static void count_message(struct stress *shared, unsigned producer, uint64_t sequence)
{
	const struct endpoint *consumers = &shared->endpoints[shared->config.producers];
	unsigned total = 0;

	for (unsigned c = 0; c < shared->config.consumers; c++) {
		unsigned times = consumers[c].seen[producer][sequence];

		if (shared->queue->traits.multicast && times != 1)
			verdict_fail(shared->verdict, "message %" PRIu64 " of producer %u was read %u times by consumer %u", sequence,
				     producer, times, c);
		total += times;
	}
	if (!shared->queue->traits.multicast && total != 1)
		verdict_fail(shared->verdict, "message %" PRIu64 " of producer %u was read %u times", sequence, producer, total);
}

static void count_messages(struct stress *shared)
{
	if (shared->queue->traits.lossy)
		return;
	for (unsigned p = 0; p < shared->config.producers; p++)
		for (uint64_t sequence = 1; sequence <= shared->endpoints[p].sent; sequence++)
			count_message(shared, p, sequence);
}

static _Noreturn void report_hang(struct stress *shared)
{
	char text[200] = "";
	size_t used = 0;

	for (unsigned i = 0; i < shared->config.producers + shared->config.consumers; i++) {
		struct endpoint *endpoint = &shared->endpoints[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, " %s %u: %" PRIu64,
					 endpoint->producer ? "producer" : "consumer", endpoint->index, load_relaxed(&endpoint->done));
		if (used >= sizeof(text))
			break;
	}
	if (shared->queue->describe && used + 2 < sizeof(text)) {
		memcpy(text + used, "; ", 3);
		shared->queue->describe(shared->instance, text + used + 2, sizeof(text) - used - 2);
	}
	verdict_fail(shared->verdict, "hangs: nothing moved for %u s after%s", shared->stress->watchdog_seconds, text);
}

static uint64_t progress(const struct stress *shared)
{
	uint64_t sum = load_relaxed(&shared->producers_done) + load_relaxed(&shared->stops_seen);

	for (unsigned i = 0; i < shared->config.producers + shared->config.consumers; i++)
		sum += load_relaxed(&shared->endpoints[i].done);
	return sum;
}

static void join_all(struct stress *shared)
{
	struct patience patience = patience_begin(shared->stress->watchdog_seconds * UINT64_C(1000000000));

	for (unsigned i = 0; i < shared->config.producers + shared->config.consumers; i++)
		while (!case_thread_ended(shared->endpoints[i].thread))
			if (patience_ends(&patience, progress(shared)))
				report_hang(shared);
}

static void open_endpoint(struct stress *shared, unsigned i)
{
	const struct queue *queue = shared->queue;
	struct endpoint *endpoint = &shared->endpoints[i];
	unsigned producers = shared->config.producers;

	*endpoint = (struct endpoint){.shared = shared, .producer = i < producers,
				      .index = i < producers ? i : i - producers,
				      .seed = case_seed(shared->stress, i)};
	endpoint->end = endpoint->producer ? queue->producer(shared->instance, endpoint->index) :
					     queue->consumer(shared->instance, endpoint->index);
	for (unsigned p = 0; !endpoint->producer && p < producers; p++)
		endpoint->seen[p] = case_allocate(shared->verdict, 1, shared->stress->messages + 1);
	if (wait_open(&endpoint->point, shared->stress->wait))
		verdict_fail(shared->verdict, "wait_open failed");
}

static void close_all(struct stress *shared)
{
	for (unsigned i = 0; i < shared->config.producers + shared->config.consumers; i++) {
		wait_close(&shared->endpoints[i].point);
		for (unsigned p = 0; p < CASE_ENDPOINTS_MAX; p++)
			free(shared->endpoints[i].seen[p]);
	}
	free(shared->endpoints);
	pthread_barrier_destroy(&shared->start);
	shared->queue->destroy(shared->instance);
	if (shared->memory.fault || shared->memory.live_blocks)
		verdict_fail(shared->verdict, "memory: %zu blocks left; fault: %s", shared->memory.live_blocks,
		     shared->memory.fault ? shared->memory.fault : "none");
}

static void stress_body(const void *argument, struct verdict *verdict)
{
	struct stress shared = {.stress = argument, .verdict = verdict, .memory = counted_memory()};
	const struct check_case *stress = argument;
	unsigned count = stress->producers + stress->consumers;
	int status;

	case_text(stress, verdict->text, sizeof(verdict->text)); /* it leads each failure's */
	shared.queue = stress->queue;
	shared.config = case_config(stress);
	shared.config.memory = &shared.memory.memory;
	if (stress->one_cpu)
		case_share_one_cpu(verdict);
	status = shared.queue->create(&shared.config, &shared.instance);
	if (status == -ENOSYS || status == -EPERM)
		verdict_skip(verdict, "this machine does not offer what it rests on");
	if (status)
		verdict_fail(verdict, "create: expected 0, got %d", status);
	shared.endpoints = aligned_alloc(QUEUE_LINE_PAIR, count * sizeof(struct endpoint));
	if (!shared.endpoints)
		verdict_fail(verdict, "no memory for the test itself");
	pthread_barrier_init(&shared.start, NULL, count);
	for (unsigned i = 0; i < count; i++)
		open_endpoint(&shared, i);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&shared.endpoints[i].thread, NULL,
				   shared.endpoints[i].producer ? producer_main : consumer_main, &shared.endpoints[i]))
			verdict_fail(verdict, "pthread_create failed");
	join_all(&shared);
	count_messages(&shared);
	close_all(&shared);
}

struct verdict stress_run(const struct check_case *stress)
{
	return verdict_run(stress_body, stress, case_seconds(stress));
}
