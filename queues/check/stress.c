#include "stress.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rig.h"

/* A message's first word: the producer's number + 1, then its sequence number, from 1. */
enum { SEQUENCE_BITS = 48 };

static const uint64_t STOP = UINT64_MAX; /* above all others, as the newest message of a lossy queue must be */

struct endpoint;

struct stress {
	const struct stress_case *stress;
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
	/* consumer */
	uint64_t newest[STRESS_ENDPOINTS_MAX];      /* sequence number by producer */
	unsigned char *seen[STRESS_ENDPOINTS_MAX];  /* times that each was read */
};

/* Into a verdict's text, which then leads each failure's. */
static void name_case(const struct stress_case *stress, struct verdict *verdict)
{
	snprintf(verdict->text, sizeof(verdict->text),
		 "%s, %u:%u, wait %s, capacity %zu, %zu bytes, batch %zu, start %#" PRIx64 ", seed %" PRIu64 "%s",
		 stress->queue->name, stress->producers, stress->consumers, wait_policy_names[stress->wait], stress->capacity,
		 stress->message_bytes, stress->batch, stress->counter_start, stress->seed, stress->one_cpu ? ", one CPU" : "");
}

/* Whether endpoints sleep by way of wait points. */
static bool sleeps(const struct stress *shared)
{
	return shared->stress->wait == WAIT_PARK || shared->stress->wait == WAIT_EVENTFD;
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
	uint64_t released;

	do {
		released = 0;
		sched_yield();
		for (unsigned c = 0; c < shared->config.consumers; c++)
			/* R1 acquire: pairs with R0 in poll_messages() */
			released += load_acquire(&shared->endpoints[shared->config.producers + c].released);
	} while (released < shared->config.producers * shared->stress->messages);
}

/* One consumer after the other, when all else is in: at most one stop is under way, so that no consumer takes two. Where each message goes
 * to each consumer, one stop is enough. Where each pair of endpoints has a lane, all are empty by then: the stops go to each in turn, and
 * none past a full one to a consumer that has left. */
static void stop_consumers(struct endpoint *self)
{
	struct stress *shared = self->shared;

	/* acquire: only to be sure that all the others' messages went in before the first stop */
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
	uint64_t word = (uint64_t)(self->index + 1) << SEQUENCE_BITS, end = word + shared->stress->messages;

	pthread_barrier_wait(&shared->start);
	while (word < end) {
		size_t batch = random_next(&self->seed) % shared->config.batch + 1;

		for (size_t left = batch < end - word ? batch : end - word; left; left -= self->staged) {
			self->wanted = left;
			find_room(self);
			for (size_t i = 0; i < self->staged; i++)
				message_write(self->slots + i * stride, shared->config.message_bytes, ++word);
		}
		flush_all(self);
		store_relaxed(&self->done, word & ((UINT64_C(1) << SEQUENCE_BITS) - 1));
		pause_at_random(self);
	}
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
	if (sequence <= self->newest[producer])
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
		for (uint64_t sequence = 1; sequence <= shared->stress->messages; sequence++)
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
	if (shared->queue->describe && used < sizeof(text))
		shared->queue->describe(shared->instance, text + used, sizeof(text) - used);
	verdict_fail(shared->verdict, "hangs after%s", text);
}

static void join_all(struct stress *shared)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += shared->stress->watchdog_seconds;
	for (unsigned i = 0; i < shared->config.producers + shared->config.consumers; i++)
		if (pthread_timedjoin_np(shared->endpoints[i].thread, NULL, &deadline))
			report_hang(shared);
}

static void *checked(struct stress *shared, void *memory)
{
	if (!memory)
		verdict_fail(shared->verdict, "no memory for the test itself");
	return memory;
}

/* All threads to come on the CPU that this one runs on. */
static void share_one_cpu(struct stress *shared)
{
	cpu_set_t *one;
	unsigned cpu;

	if (getcpu(&cpu, NULL))
		verdict_fail(shared->verdict, "getcpu failed");
	one = checked(shared, CPU_ALLOC(cpu + 1));
	CPU_ZERO_S(CPU_ALLOC_SIZE(cpu + 1), one);
	CPU_SET_S(cpu, CPU_ALLOC_SIZE(cpu + 1), one);
	if (sched_setaffinity(0, CPU_ALLOC_SIZE(cpu + 1), one))
		verdict_fail(shared->verdict, "sched_setaffinity failed");
	CPU_FREE(one);
}

static void open_endpoint(struct stress *shared, unsigned i)
{
	const struct queue *queue = shared->queue;
	struct endpoint *endpoint = &shared->endpoints[i];
	unsigned producers = shared->config.producers;

	*endpoint = (struct endpoint){.shared = shared, .producer = i < producers,
				      .index = i < producers ? i : i - producers,
				      .seed = (shared->stress->seed * 8 + i) * 0x9e3779b97f4a7c15 | 1};
	endpoint->end = endpoint->producer ? queue->producer(shared->instance, endpoint->index) :
					     queue->consumer(shared->instance, endpoint->index);
	for (unsigned p = 0; !endpoint->producer && p < producers; p++)
		endpoint->seen[p] = checked(shared, calloc(1, shared->stress->messages + 1));
	if (wait_open(&endpoint->point, shared->stress->wait))
		verdict_fail(shared->verdict, "wait_open failed");
}

static void close_all(struct stress *shared)
{
	for (unsigned i = 0; i < shared->config.producers + shared->config.consumers; i++) {
		wait_close(&shared->endpoints[i].point);
		for (unsigned p = 0; p < STRESS_ENDPOINTS_MAX; p++)
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
	const struct stress_case *stress = argument;
	unsigned count = stress->producers + stress->consumers;
	int status;

	name_case(stress, verdict);
	shared.queue = stress->queue;
	shared.config = rig_config(stress->queue, stress->capacity, stress->message_bytes, stress->batch);
	shared.config.producers = stress->producers;
	shared.config.consumers = stress->consumers;
	if (stress->queue->traits.lanes && shared.config.capacity < stress->producers * stress->consumers)
		shared.config.capacity = stress->producers * stress->consumers;
	shared.config.counter_start = stress->counter_start;
	shared.config.memory = &shared.memory.memory;
	if (stress->one_cpu)
		share_one_cpu(&shared);
	status = shared.queue->create(&shared.config, &shared.instance);
	if (status == -ENOSYS || status == -EPERM)
		return; /* this machine does not offer what it rests on: nothing can go wrong */
	if (status)
		verdict_fail(verdict, "create: expected 0, got %d", status);
	shared.endpoints = checked(&shared, aligned_alloc(QUEUE_LINE_PAIR, count * sizeof(struct endpoint)));
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

bool stress_allows(const struct queue *queue, enum wait_policy wait, unsigned producers, unsigned consumers)
{
	const struct queue_traits *traits = &queue->traits;

	return !traits->one_thread && (wait != WAIT_NATIVE || traits->blocks_natively) &&
	       (!traits->producers_max || producers <= traits->producers_max) &&
	       (!traits->consumers_max || consumers <= traits->consumers_max) && producers <= STRESS_ENDPOINTS_MAX &&
	       consumers <= STRESS_ENDPOINTS_MAX;
}

struct verdict stress_run(const struct stress_case *stress)
{
	/* the child's own watchdog knows what hangs; this one is for a watchdog that hangs */
	return verdict_run(stress_body, stress, stress->watchdog_seconds + 10);
}

/* Few where each message may cost a sleep, or its waiter all of a time slice. */
static uint64_t case_messages(const struct stress_case *stress)
{
	unsigned threads = stress->producers + stress->consumers;
	bool spins = stress->wait == WAIT_SPIN, crowded = stress->one_cpu || threads > 2;

	if (!stress->queue->traits.bounded || stress->capacity > 16)
		return spins && crowded ? 800 : 6000 / threads;
	if (spins)
		return (crowded ? 4 : 30) * stress->capacity;
	return 120 * stress->capacity / threads;
}

struct verdict stress_run_all(const struct queue *queue, unsigned times, unsigned watchdog_seconds, unsigned *cases)
{
	static const unsigned shapes[][2] = {{1, 1}, {2, 2}, {3, 1}, {1, 3}};
	static const size_t capacities[] = {1, 2, 7, 1024}, sizes[] = {8, 64, 200}, batches[] = {1, 3, 40};
	static const uint64_t starts[] = {0, UINT32_MAX - 60, UINT64_MAX - 60};
	struct verdict verdict = {.kind = VERDICT_PASSED};

	/* shape × policy × capacity × one CPU or all; the others are drawn along the way */
	for (unsigned i = 0; i < 4 * WAIT_POLICIES * 4 * 2 && verdict.kind == VERDICT_PASSED; i++) {
		const unsigned *shape = shapes[i % 4];
		size_t capacity = capacities[i / 4 % 4];
		uint64_t number = (i + 1) * 0x9e3779b97f4a7c15 >> 32;
		struct stress_case stress = {
			.queue = queue, .wait = (enum wait_policy)(i / 32), .one_cpu = i / 16 % 2,
			.producers = shape[0], .consumers = shape[1], .capacity = capacity,
			.message_bytes = sizes[number % 3], .batch = batches[number / 3 % 3], .counter_start = starts[number / 9 % 3],
			.seed = i + 1, .watchdog_seconds = watchdog_seconds,
		};

		if (!stress_allows(queue, stress.wait, stress.producers, stress.consumers))
			continue;
		stress.messages = case_messages(&stress) * times;
		verdict = stress_run(&stress);
		++*cases;
	}
	return verdict;
}
