#include "conformance.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "form.h"
#include "rig.h"

static const size_t capacities[] = {1, 2, 3, 7, 64};
static const size_t sizes[] = {8, 24, 40, 200, 9, 33, QUEUE_MESSAGE_MAX};
/* just below where counters of 8, 16, 32 and 64 bits wrap, also those that step by 2 */
static const uint64_t starts[] = {0, (1 << 8) - 3, (1 << 16) - 3, (UINT64_C(1) << 32) - 4, (UINT64_C(1) << 33) - 6,
				  UINT64_MAX - 2, UINT64_MAX - 7};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void open_plain(struct rig *rig, const struct queue *queue, struct verdict *verdict, size_t capacity)
{
	rig_open(rig, queue, verdict, rig_config(queue, capacity, 24, 8));
}

static void check_table(const struct queue *queue, struct verdict *verdict)
{
	char why[FORM_TEXT];

	if (!form_has_table(queue, why))
		verdict_fail(verdict, "%s", why);
}

static void check_traits(const struct queue *queue, struct verdict *verdict)
{
	char why[FORM_TEXT];

	if (!form_has_traits(&queue->traits, why))
		verdict_fail(verdict, "%s", why);
}

/* Fills it as far as it goes, or with some chunks' worth of messages, and empties it. */
static void use_once(struct rig *rig)
{
	size_t messages = rig->config.message_bytes > 4096 ? 5 : 1500;

	for (size_t i = 0; i < messages; i++)
		if (!rig_push(rig))
			break;
	rig_drain(rig);
}

static void check_footprint(const struct queue *queue, struct verdict *verdict)
{
	static const size_t batches[] = {1, 5, 100};
	struct rig rig;

	for (size_t s = 0; s < COUNT(sizes); s++)
		for (size_t c = 0; c < COUNT(capacities); c++)
			for (size_t b = 0; b < COUNT(batches); b++) {
				if (!rig_allows_size(queue, sizes[s]) || (sizes[s] > 4096 && capacities[c] > 3))
					continue;
				rig_open(&rig, queue, verdict, rig_config(queue, capacities[c], sizes[s], batches[b]));
				use_once(&rig);
				rig_close(&rig);
			}
}

static void refuse(const struct queue *queue, struct verdict *verdict, struct queue_config config)
{
	struct counted_memory memory = counted_memory();
	void *instance = NULL;
	size_t bytes = 0;
	int footprint = queue->footprint(&config, 0, &bytes), created;

	if (footprint != -EOVERFLOW && footprint != -EINVAL && (footprint || bytes < config.capacity))
		verdict_fail(verdict, "footprint (capacity %zu, %zu bytes, batch %zu): expected an error, got %d and %zu bytes",
			     config.capacity, config.message_bytes, config.batch, footprint, bytes);
	config.memory = &memory.memory;
	created = queue->create(&config, &instance);
	if (created != -EOVERFLOW && created != -EINVAL && created != -ENOMEM)
		verdict_fail(verdict, "create (capacity %zu, %zu bytes, batch %zu): expected an error, got %d",
			     config.capacity, config.message_bytes, config.batch, created);
	if (memory.live_blocks || memory.fault)
		verdict_fail(verdict, "create (capacity %zu, %zu bytes, batch %zu) failed and left %zu blocks; fault: %s",
			     config.capacity, config.message_bytes, config.batch, memory.live_blocks,
			     memory.fault ? memory.fault : "none");
}

static void check_oversize(const struct queue *queue, struct verdict *verdict)
{
	static const size_t huge[] = {SIZE_MAX,		SIZE_MAX - 1,	   SIZE_MAX / 2 + 1,   SIZE_MAX / 8,
				      SIZE_MAX / 8 + 2, SIZE_MAX / 24 + 2, SIZE_MAX / 200 + 1, SIZE_MAX / QUEUE_MESSAGE_MAX + 1};
	struct queue_config config;
	size_t bytes;

	if (!queue->traits.bounded) {
		config = rig_config(queue, 0, 64, 1);
		if (queue->footprint(&config, SIZE_MAX, &bytes) != -EOVERFLOW)
			verdict_fail(verdict, "footprint of SIZE_MAX outstanding messages: expected -EOVERFLOW");
		return;
	}
	if (queue->traits.capacity_max || queue->traits.capacity_power_of_two)
		verdict_skip(verdict, "its capacity is limited by its traits");
	for (size_t s = 0; s < COUNT(sizes); s++)
		for (size_t c = 0; c < COUNT(huge); c++) {
			if (!rig_allows_size(queue, sizes[s]))
				continue;
			config = rig_config(queue, huge[c], sizes[s], 1);
			refuse(queue, verdict, config);
			config.batch = huge[c];
			refuse(queue, verdict, config);
		}
}

static void check_empty(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	open_plain(&rig, queue, verdict, 7);
	for (unsigned round = 0; round < 3; round++) {
		if (rig_preread(&rig) || rig_read(&rig, SIZE_MAX))
			verdict_fail(verdict, "empty, round %u: expected nothing, got a message", round);
		if (rig_flush(&rig) != QUEUE_FLUSHED)
			verdict_fail(verdict, "flush of nothing: expected QUEUE_FLUSHED");
		rig_push(&rig);
		rig_drain(&rig);
	}
	rig_close(&rig);
}

static void check_one_by_one(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	open_plain(&rig, queue, verdict, 3);
	for (unsigned i = 0; i < 3000; i++) {
		if (!rig_push(&rig) || !rig_preread(&rig) || rig_read(&rig, 1) != 1 || rig_preread(&rig))
			verdict_fail(verdict, "message %u: expected one in, one out", i);
	}
	rig_close(&rig);
}

/* Pushes until there is no room. Returns how many were published: of queues with a stage the last one stays there. */
static size_t fill(struct rig *rig)
{
	size_t messages = 0;

	while (messages <= rig->config.capacity && rig_push(rig))
		messages++;
	return messages;
}

static void check_full(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	if (!queue->traits.bounded || queue->traits.lossy)
		verdict_skip(verdict, "it is never full");
	if (queue->traits.kernel_buffer)
		verdict_skip(verdict, "its capacity is not counted in messages");
	for (size_t c = 0; c < COUNT(capacities); c++) {
		if (!rig_allows_capacity(queue, capacities[c]))
			continue;
		open_plain(&rig, queue, verdict, capacities[c]);
		for (unsigned round = 0; round < 4; round++) {
			size_t messages = fill(&rig);

			if (queue->traits.capacity_approximate ? !messages || messages > capacities[c] : messages != capacities[c])
				verdict_fail(verdict, "capacity %zu, round %u: got %zu messages in before it was full",
					     capacities[c], round, messages);
			if (rig_push(&rig))
				verdict_fail(verdict, "capacity %zu, round %u: got one more in after it was full", capacities[c],
					     round);
			if (!rig_preread(&rig) || rig_read(&rig, 1) != 1)
				verdict_fail(verdict, "capacity %zu: full, but nothing to read", capacities[c]);
			rig_drain(&rig);
			if (!rig_push(&rig)) /* so that each round begins at another slot */
				verdict_fail(verdict, "capacity %zu: read to the end, but still full", capacities[c]);
			rig_drain(&rig);
		}
		rig_close(&rig);
	}
}

/* One released slot is room for one message. */
static void check_room_returns(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	if (!queue->traits.bounded || !queue->traits.in_place || queue->traits.one_thread || queue->traits.capacity_approximate ||
	    queue->traits.lossy)
		verdict_skip(verdict, "it is not a bounded queue in place whose room comes back at once");
	open_plain(&rig, queue, verdict, 7);
	fill(&rig);
	for (unsigned i = 0; i < 50; i++) {
		rig_preread(&rig);
		if (rig_read(&rig, 1) != 1 || rig_stage(&rig, 1))
			verdict_fail(verdict, "message %u: got its slot before it was released", i);
		rig_preread(&rig);
		if (rig_stage(&rig, 2) != 1)
			verdict_fail(verdict, "message %u: released, but its slot is not to be had", i);
		rig_flush(&rig);
	}
	rig_drain(&rig);
	rig_close(&rig);
}

static void check_order(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	for (size_t burst = 1; burst < 100; burst = burst * 3 / 2 + 1) {
		open_plain(&rig, queue, verdict, 64);
		while (rig.staged < 3000) {
			if (!rig_push_batch(&rig, burst) || rig.staged % 3)
				rig_drain(&rig);
		}
		rig_drain(&rig);
		rig_close(&rig);
	}
}

static void check_wrap(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	for (size_t s = 0; s < COUNT(starts); s++)
		for (size_t c = 0; c < COUNT(capacities); c++) {
			struct queue_config config = rig_config(queue, capacities[c], 24, 8);

			config.counter_start = starts[s];
			rig_open(&rig, queue, verdict, config);
			for (unsigned i = 0; i < 700; i++) {
				rig_push_batch(&rig, 1 + i % 5);
				if (i % 3)
					rig_drain(&rig);
			}
			rig_drain(&rig);
			rig_close(&rig);
		}
}

static void check_unflushed(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	open_plain(&rig, queue, verdict, 7);
	for (unsigned round = 0; round < 300; round++) {
		rig_stage(&rig, 1 + round % 3);
		if (rig_preread(&rig) || rig_read(&rig, SIZE_MAX))
			verdict_fail(verdict, "round %u: expected nothing before the flush, got a message", round);
		rig_flush(&rig);
		rig_stage(&rig, 1);
		rig_preread(&rig);
		while (rig_read(&rig, SIZE_MAX)) /* the rig knows what was flushed */
			;
		rig_drain(&rig);
	}
	rig_close(&rig);
}

static void check_together(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	if (!queue->traits.batches)
		verdict_skip(verdict, "it does not publish in batches");
	if (queue->traits.kernel_buffer)
		verdict_skip(verdict, "the kernel brings it over, in parts");
	open_plain(&rig, queue, verdict, 64);
	for (unsigned round = 0; round < 300; round++) {
		size_t staged = rig_push_batch(&rig, 1 + round % 8), read = 0, n;

		rig_preread(&rig);
		while ((n = rig_read(&rig, 3)))
			read += n;
		if (read != staged)
			verdict_fail(verdict, "batch of %zu: one preread after the flush noted %zu", staged, read);
	}
	rig_close(&rig);
}

static void check_large_batch(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	for (size_t c = 0; c < COUNT(capacities); c++) {
		rig_open(&rig, queue, verdict, rig_config(queue, capacities[c], 24, 3 * capacities[c] + 1));
		for (unsigned round = 0; round < 50; round++) {
			uint64_t before = rig.staged;

			rig_push_batch(&rig, rig.config.batch);
			rig_drain(&rig);
			if (rig.staged == before || rig.read != rig.staged)
				verdict_fail(verdict, "capacity %zu, batch %zu: round %u brought nothing in, or not all out",
					     rig.config.capacity, rig.config.batch, round);
		}
		rig_close(&rig);
	}
}

static void check_spans(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	for (size_t write = 1; write < 70; write++) {
		open_plain(&rig, queue, verdict, 64);
		for (size_t read = 1; read < 70; read++) {
			rig_stage(&rig, write);
			rig_stage(&rig, SIZE_MAX);
			rig_flush(&rig);
			rig_preread(&rig);
			rig_read(&rig, read);
			rig_read(&rig, SIZE_MAX);
		}
		rig_drain(&rig);
		rig_close(&rig);
	}
}

/* What was handed out stays as it was, whatever the writer does, until the next preread. */
static void check_slots_stay(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	for (size_t c = 0; c < COUNT(capacities); c++) {
		open_plain(&rig, queue, verdict, capacities[c]);
		for (unsigned round = 0; round < 200; round++) {
			const unsigned char *slots;
			uint64_t first;
			size_t n;

			rig_push_batch(&rig, 1 + round % 7);
			rig_preread(&rig);
			first = rig.queue->traits.lossy ? rig.noted : rig.read + 1;
			slots = rig.queue->read_span(rig.consumer, SIZE_MAX, &n);
			rig.read = first + n - 1;
			for (unsigned i = 0; i < 5; i++)
				rig_push_batch(&rig, 8);
			for (size_t i = 0; i < n; i++)
				if (message_find_damage(slots + i * queue_stride(rig.config.message_bytes),
							rig.config.message_bytes, first + i) >= 0)
					verdict_fail(verdict, "capacity %zu: message %" PRIu64 " changed before the next preread",
						     rig.config.capacity, first + i);
			rig_drain(&rig);
		}
		rig_close(&rig);
	}
}

static void check_sizes(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	for (size_t s = 0; s < COUNT(sizes); s++) {
		if (!rig_allows_size(queue, sizes[s]))
			continue;
		rig_open(&rig, queue, verdict, rig_config(queue, 3, sizes[s], 2));
		for (unsigned i = 0; i < 10; i++) {
			rig_push_batch(&rig, 1 + i % 3);
			rig_drain(&rig);
		}
		rig_close(&rig);
	}
}

/* A message of 2^n bytes does not lie astride of two cache lines. (The rig looks at words.) */
static void check_alignment(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;
	size_t n;

	for (size_t bytes = 8; bytes <= 64; bytes *= 2) {
		if (!rig_allows_size(queue, bytes))
			continue;
		rig_open(&rig, queue, verdict, rig_config(queue, 3, bytes, 2));
		for (unsigned i = 0; i < 600; i++) {
			void *slot = queue->prewrite_span(rig.producer, 1, &n);

			if (n != 1 || (uintptr_t)slot % bytes)
				verdict_fail(verdict, "%zu bytes: expected a slot at a multiple of that, got %zu at %p", bytes, n, slot);
			message_write(slot, bytes, ++rig.staged);
			rig_flush(&rig);
			rig_drain(&rig);
		}
		rig.outstanding_most = 1;
		rig_close(&rig);
	}
}

static void expect_flush(struct rig *rig, enum queue_flush expected, const char *when)
{
	enum queue_flush got = rig_flush(rig);

	if (got != expected)
		verdict_fail(rig->verdict, "flush %s: expected %s, got %s", when,
			     expected == QUEUE_FLUSHED ? "QUEUE_FLUSHED" : "QUEUE_FLUSHED_READER_SLEEPS",
			     got == QUEUE_FLUSHED ? "QUEUE_FLUSHED" : "QUEUE_FLUSHED_READER_SLEEPS");
}

static void expect_sleep(struct rig *rig, bool expected, const char *when)
{
	if (rig->queue->sleep(rig->consumer) != expected)
		verdict_fail(rig->verdict, "sleep %s: expected %s", when, expected ? "asleep" : "awake");
}

static void sleep_and_wake(struct rig *rig)
{
	rig_preread(rig);
	expect_sleep(rig, true, "with nothing there");
	expect_sleep(rig, true, "while asleep");
	expect_flush(rig, QUEUE_FLUSHED, "of nothing, while the reader sleeps");
	rig_stage(rig, 1);
	expect_flush(rig, QUEUE_FLUSHED_READER_SLEEPS, "while the reader sleeps");
	rig_stage(rig, 1);
	expect_flush(rig, QUEUE_FLUSHED, "after the one that was told");
	rig_drain(rig);
}

static void stay_awake(struct rig *rig)
{
	rig_push(rig);
	rig_preread(rig);
	rig_read(rig, 1);
	rig_push(rig);
	expect_sleep(rig, false, "with a message there that was not noted");
	rig_stage(rig, 1);
	expect_flush(rig, QUEUE_FLUSHED, "while the reader is awake");
	rig_drain(rig);
}

static void check_sleep(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	if (!queue->traits.reports_sleeper)
		verdict_skip(verdict, "it does not report sleepers");
	for (size_t s = 0; s < COUNT(starts); s++) {
		struct queue_config config = rig_config(queue, 7, 24, 8);

		config.counter_start = starts[s];
		rig_open(&rig, queue, verdict, config);
		rig_stage(&rig, 1);
		expect_flush(&rig, QUEUE_FLUSHED, "before the reader ever slept");
		rig_drain(&rig);
		for (unsigned round = 0; round < 300; round++) {
			sleep_and_wake(&rig);
			stay_awake(&rig);
		}
		rig_close(&rig);
	}
}

/* Where there is room, something to read, the waiting operations don't wait. */
static void check_native(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;

	if (!queue->traits.blocks_natively)
		verdict_skip(verdict, "it does not block natively");
	open_plain(&rig, queue, verdict, 64);
	for (unsigned round = 0; round < 300; round++) {
		queue->flush_wait(rig.producer);
		rig_stage(&rig, 1 + round % 8);
		queue->flush_wait(rig.producer);
		rig.published_least = rig.published_most = rig.staged;
		queue->preread_wait(rig.consumer);
		rig.noted = rig.published_most;
		if (!rig_read(&rig, SIZE_MAX))
			verdict_fail(verdict, "round %u: preread_wait came back, but there is nothing to read", round);
		rig_drain(&rig);
	}
	rig_close(&rig);
}

/* Several endpoints in one thread: each producer's messages are read in its order, each by one consumer; by each of a multicast queue. */
static void check_endpoints(const struct queue *queue, struct verdict *verdict)
{
	enum { ENDPOINTS = 3, ROUNDS = 300 };
	const struct queue_traits *traits = &queue->traits;
	struct queue_config config = rig_config(queue, 64, 24, 8);
	uint64_t read[ENDPOINTS][ENDPOINTS] = {{0}}, total = 0, due; /* read: by consumer where that matters */
	void *producers[ENDPOINTS], *consumers[ENDPOINTS];
	struct rig rig;
	size_t n;

	config.producers = traits->producers_max == 1 ? 1 : ENDPOINTS;
	config.consumers = traits->consumers_max == 1 ? 1 : ENDPOINTS;
	if (config.producers == 1 && config.consumers == 1)
		verdict_skip(verdict, "it has one producer and one consumer");
	rig_open(&rig, queue, verdict, config);
	for (unsigned i = 0; i < config.producers; i++)
		producers[i] = queue->producer(rig.instance, i);
	for (unsigned i = 0; i < config.consumers; i++)
		consumers[i] = queue->consumer(rig.instance, i);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		for (uint64_t p = 0; p < config.producers; p++) {
			void *slot = queue->prewrite_span(producers[p], 1, &n);

			if (n != 1)
				verdict_fail(verdict, "producer %" PRIu64 ": expected a slot in an empty queue", p);
			message_write(slot, config.message_bytes, p << 48 | round);
			queue->flush(producers[p]);
		}
		rig.outstanding_most = config.producers;
		for (unsigned i = 0; i < config.consumers; i++) {
			unsigned c = (unsigned)(i + round) % config.consumers;

			while (queue->preread(consumers[c])) {
				const void *slot = queue->read_span(consumers[c], 1, &n);
				uint64_t first = n == 1 ? message_first(slot) : 0, p = first >> 48;

				if (n != 1 || p >= config.producers || message_find_damage(slot, config.message_bytes, first) >= 0 ||
				    (first & 0xffffffff) != ++read[traits->multicast ? c : 0][p])
					verdict_fail(verdict, "consumer %u: read %016" PRIx64, c, first);
				total++;
			}
		}
		due = round * config.producers * (traits->multicast ? config.consumers : 1);
		if (total != due)
			verdict_fail(verdict, "round %" PRIu64 ": expected %" PRIu64 " read, got %" PRIu64, round, due, total);
	}
	rig_close(&rig);
}

static void operate_at_random(struct rig *rig, uint64_t *seed)
{
	uint64_t number = random_next(seed);
	size_t max = number >> 8 & 1 ? SIZE_MAX : (number >> 16) % 9 + 1;

	switch (number & 7) {
	case 0 ... 2:
		rig_stage(rig, max);
		break;
	case 3:
		rig_flush(rig);
		break;
	case 4:
		rig_preread(rig);
		break;
	default:
		rig_read(rig, max);
	}
}

static void check_random(const struct queue *queue, struct verdict *verdict)
{
	enum { SEQUENCES = 50, OPERATIONS = 2000 };
	uint64_t base = environment_number("TWOPOINT_SEED", 0);

	for (uint64_t sequence = 0; sequence < SEQUENCES; sequence++) {
		uint64_t seed = (base + sequence) * 0x9e3779b97f4a7c15 | 1;
		struct queue_config config = rig_config(queue, random_next(&seed) % 20 + 1, random_next(&seed) % 100 + 8,
							random_next(&seed) % 30 + 1);
		struct rig rig;

		snprintf(verdict->text, sizeof(verdict->text), "in the sequence of TWOPOINT_SEED=%" PRIu64, base + sequence);
		config.counter_start = -(random_next(&seed) % 3000);
		rig_open(&rig, queue, verdict, config);
		for (unsigned i = 0; i < OPERATIONS; i++)
			operate_at_random(&rig, &seed);
		rig_drain(&rig);
		rig_close(&rig);
	}
}

static void check_create_failures(const struct queue *queue, struct verdict *verdict)
{
	for (size_t failing = 1;; failing++) {
		struct counted_memory memory = counted_memory();
		struct queue_config config = rig_config(queue, 7, 24, 8);
		void *instance;
		int status;

		config.memory = &memory.memory;
		config.producers = queue->traits.producers_max == 1 ? 1 : 2;
		config.consumers = queue->traits.consumers_max == 1 ? 1 : 2;
		memory.fail_first = memory.fail_last = failing;
		status = queue->create(&config, &instance);
		if (status == -ENOSYS || status == -EPERM)
			verdict_skip(verdict, "this machine does not offer what it rests on");
		if (memory.allocations < failing) { /* none failed */
			if (status)
				verdict_fail(verdict, "create: expected 0, got %d", status);
			queue->destroy(instance);
			return;
		}
		if (status != -ENOMEM || memory.live_blocks || memory.fault)
			verdict_fail(verdict, "create without its allocation %zu: expected -ENOMEM, got %d, %zu blocks left; fault: %s",
				     failing, status, memory.live_blocks, memory.fault ? memory.fault : "none");
	}
}

static void check_growth_failures(const struct queue *queue, struct verdict *verdict)
{
	struct rig rig;
	size_t n;

	if (queue->traits.bounded)
		verdict_skip(verdict, "it takes all its memory at the start");
	open_plain(&rig, queue, verdict, 0);
	for (unsigned round = 0; round < 5; round++) {
		size_t asked = rig.memory.allocations;

		counted_memory_fail_next(&rig.memory, SIZE_MAX / 2);
		for (unsigned i = 0; i < 5000; i++) {
			void *slot = queue->prewrite_span(rig.producer, 1, &n);

			if (!n) { /* its stage may be full */
				rig_flush(&rig);
				slot = queue->prewrite_span(rig.producer, 1, &n);
			}
			if (!n)
				break;
			message_write(slot, rig.config.message_bytes, ++rig.staged);
			if (i % 7 == 3)
				rig_flush(&rig);
		}
		if (n && rig.memory.allocations == asked)
			verdict_skip(verdict, "5000 messages find room in what it takes at the start");
		if (n)
			verdict_fail(verdict, "round %u: no memory, but 5000 messages found room", round);
		counted_memory_fail_next(&rig.memory, 0);
		if (!rig_stage(&rig, 1))
			verdict_fail(verdict, "round %u: memory is back, but there is no room", round);
		rig_flush(&rig);
		if (round % 2)
			rig_drain(&rig);
	}
	rig_drain(&rig);
	rig_close(&rig);
}

static void check_describe(const struct queue *queue, struct verdict *verdict)
{
	char text[256];
	struct rig rig;

	if (!queue->describe)
		verdict_skip(verdict, "it does not describe itself");
	open_plain(&rig, queue, verdict, 7);
	rig_push(&rig);
	for (size_t size = 1; size < sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		queue->describe(rig.instance, text, size);
		if (!memchr(text, 0, size) || memchr(text, '\n', size) || text[size] != '#')
			verdict_fail(verdict, "describe into %zu bytes: expected one line of text that ends within", size);
	}
	rig_drain(&rig);
	rig_close(&rig);
}

const struct conformance_check conformance_checks[] = {
	{"its table is complete", check_table},
	{"its traits agree with each other", check_traits},
	{"it is empty at first", check_empty},
	{"one in, one out", check_one_by_one},
	{"exactly its capacity fits", check_full},
	{"a released slot is room again", check_room_returns},
	{"it keeps order", check_order},
	{"its counters may wrap", check_wrap},
	{"what is not flushed is not seen", check_unflushed},
	{"what is flushed is seen together", check_together},
	{"a batch may exceed its capacity", check_large_batch},
	{"spans of all sizes", check_spans},
	{"slots read stay until the next preread", check_slots_stay},
	{"messages of all sizes", check_sizes},
	{"no message lies astride of lines", check_alignment},
	{"a sleeper is reported once", check_sleep},
	{"its own waits end", check_native},
	{"several endpoints", check_endpoints},
	{"its footprint is true", check_footprint},
	{"sizes that overflow are refused", check_oversize},
	{"create survives each failed allocation", check_create_failures},
	{"it goes on after memory ran out", check_growth_failures},
	{"it describes itself", check_describe},
	{"random operations", check_random},
	{NULL, NULL},
};

struct task {
	const struct queue *queue;
	const struct conformance_check *check;
};

static void conformance_body(const void *argument, struct verdict *verdict)
{
	const struct task *task = argument;

	task->check->check(task->queue, verdict);
}

struct verdict conformance_run(const struct queue *queue, const struct conformance_check *check, unsigned seconds)
{
	struct task task = {queue, check};

	return verdict_run(conformance_body, &task, seconds);
}
