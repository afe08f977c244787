/* When ypipe and its kin allocate: cold, one chunk per 256 messages; in a steady flow, never; in bursts, as many chunks as were not
 * kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "list.h"
#include "rig.h"

enum { CHUNK_MESSAGES = 256 };

/* Runs body, which fails by its verdict, in a child. */
static void expect_pass(void (*body)(const void *queue, struct verdict *verdict))
{
	struct verdict verdict = verdict_run(body, queue_find("ypipe"), 60);

	if (verdict.kind != VERDICT_PASSED)
		print_error("%s\n", verdict.text);
	assert_int_equal(verdict.kind, VERDICT_PASSED);
}

extern const struct queue ypipe_one_spare;

static void expect_allocations(const struct rig *rig, size_t since, size_t expected)
{
	size_t got = rig->memory.allocations - since;

	if (got != expected)
		verdict_fail(rig->verdict, "after %zu messages: expected %zu allocations, got %zu", (size_t)rig->staged, expected,
			     got);
}

static void grow_cold(const void *queue, struct verdict *verdict)
{
	struct rig rig;

	rig_open(&rig, queue, verdict, rig_config(queue, 0, 24, 1));
	for (size_t messages = 1; messages <= 20 * CHUNK_MESSAGES; messages++) {
		rig_push(&rig);
		/* the pipe itself, and its chunks */
		expect_allocations(&rig, 0, 1 + (messages + CHUNK_MESSAGES - 1) / CHUNK_MESSAGES);
	}
	rig_drain(&rig);
	rig_close(&rig);
}

static void test_cold_it_takes_one_chunk_per_256_messages(void **state)
{
	(void)state;
	expect_pass(grow_cold);
}

static void flow_steadily(const void *queue, struct verdict *verdict)
{
	for (size_t window = 1; window <= CHUNK_MESSAGES / 2; window++) {
		struct rig rig;
		size_t warm = 0;

		rig_open(&rig, queue, verdict, rig_config(queue, 0, 24, window));
		for (size_t rounds = 0; rounds < 4 * CHUNK_MESSAGES; rounds++) {
			if (rig.staged < 2 * CHUNK_MESSAGES)
				warm = rig.memory.allocations;
			rig_push_batch(&rig, window);
			rig_drain(&rig);
		}
		expect_allocations(&rig, warm, 0);
		rig_close(&rig);
	}
}

static void test_a_steady_window_of_up_to_128_allocates_nothing(void **state)
{
	(void)state;
	expect_pass(flow_steadily);
}

static void reuse_after_peak(const void *queue, struct verdict *verdict)
{
	struct rig rig;
	size_t warm;

	rig_open(&rig, queue, verdict, rig_config(queue, 0, 24, 1));
	rig_push_batch(&rig, 10 * CHUNK_MESSAGES);
	rig_drain(&rig);
	rig_preread(&rig);
	warm = rig.memory.allocations;
	for (unsigned round = 0; round < 20; round++) {
		rig_push_batch(&rig, 9 * CHUNK_MESSAGES);
		rig_drain(&rig);
	}
	expect_allocations(&rig, warm, 0);
	rig_close(&rig);
}

static void test_chunks_of_a_peak_are_used_again(void **state)
{
	(void)state;
	expect_pass(reuse_after_peak);
}

/* A chunk of 1 MiB messages holds one of them. */
static void grow_by_large_messages(const void *queue, struct verdict *verdict)
{
	struct rig rig;

	rig_open(&rig, queue, verdict, rig_config(queue, 0, QUEUE_MESSAGE_MAX, 1));
	for (size_t messages = 1; messages <= 5; messages++) {
		rig_push(&rig);
		expect_allocations(&rig, 0, 1 + messages);
		if (rig.memory.live_bytes > (messages + 1) * (QUEUE_MESSAGE_MAX + 4096))
			verdict_fail(verdict, "%zu messages of 1 MiB take %zu bytes", messages, rig.memory.live_bytes);
	}
	rig_drain(&rig);
	rig_close(&rig);
}

static void test_a_chunk_is_at_most_1_mib_of_messages(void **state)
{
	(void)state;
	expect_pass(grow_by_large_messages);
}

/* The pipe, the chunk that both ends are in, and the spares are all that is left of an emptied queue. */
static void expect_blocks(const struct rig *rig, size_t expected)
{
	if (rig->memory.live_blocks != expected)
		verdict_fail(rig->verdict, "emptied after %zu messages: expected %zu blocks, got %zu", (size_t)rig->staged,
			     expected, rig->memory.live_blocks);
}

/* After a burst of all that fits into the spares, and one chunk more: bursts of up to `spares` chunks allocate nothing, longer ones
 * what they exceed that by, each time. */
static void burst(const struct queue *queue, size_t spares, struct verdict *verdict)
{
	struct rig rig;

	for (size_t chunks = 1; chunks <= spares + 4; chunks++) {
		rig_open(&rig, queue, verdict, rig_config(queue, 0, 24, 1));
		rig_push_batch(&rig, (spares + 1) * CHUNK_MESSAGES);
		expect_allocations(&rig, 0, 1 + spares + 1);
		rig_drain(&rig);
		expect_blocks(&rig, 2 + spares);
		for (unsigned round = 0; round < 20; round++) {
			size_t before = rig.memory.allocations;

			rig_push_batch(&rig, chunks * CHUNK_MESSAGES);
			expect_allocations(&rig, before, chunks > spares ? chunks - spares : 0);
			rig_drain(&rig);
			expect_blocks(&rig, 2 + spares);
		}
		rig_close(&rig);
	}
}

/* One message more than the spares hold takes one chunk more; wherever in its chunk the writer is, as many as they hold take none. */
static void burst_to_the_message(const struct queue *queue, size_t spares, struct verdict *verdict)
{
	struct rig rig;

	rig_open(&rig, queue, verdict, rig_config(queue, 0, 24, 1));
	rig_push_batch(&rig, (spares + 1) * CHUNK_MESSAGES);
	rig_drain(&rig);
	for (unsigned round = 0; round < 2 * CHUNK_MESSAGES; round++) {
		size_t used = rig.staged % CHUNK_MESSAGES, before = rig.memory.allocations;
		size_t room = used ? CHUNK_MESSAGES - used : 0;

		rig_push_batch(&rig, spares * CHUNK_MESSAGES);
		expect_allocations(&rig, before, 0);
		rig_drain(&rig);
		rig_push_batch(&rig, room + spares * CHUNK_MESSAGES);
		expect_allocations(&rig, before, 0);
		rig_push(&rig);
		expect_allocations(&rig, before, 1);
		rig_drain(&rig);
	}
	rig_close(&rig);
}

static void burst_with_eight_spares(const void *unused, struct verdict *verdict)
{
	(void)unused;
	burst(queue_find("ypipe-spares"), 8, verdict);
	burst_to_the_message(queue_find("ypipe-spares"), 8, verdict);
}

static void burst_with_one_spare(const void *unused, struct verdict *verdict)
{
	(void)unused;
	burst(&ypipe_one_spare, 1, verdict);
	burst_to_the_message(&ypipe_one_spare, 1, verdict);
}

/* As libzmq's, it has a slot behind the one to be written next, in a chunk more where need be. */
static void burst_packed(const void *unused, struct verdict *verdict)
{
	struct rig rig;

	(void)unused;
	rig_open(&rig, queue_find("ypipe-packed"), verdict, rig_config(queue_find("ypipe-packed"), 0, 24, 1));
	for (size_t messages = 1; messages <= 4 * CHUNK_MESSAGES; messages++) {
		rig_push(&rig);
		expect_allocations(&rig, 0, 2 + (messages + 1) / CHUNK_MESSAGES);
	}
	rig_drain(&rig);
	for (size_t chunks = 1; chunks <= 5; chunks++) {
		for (unsigned round = 0; round < 20; round++) {
			size_t before = rig.memory.allocations;

			rig_push_batch(&rig, chunks * CHUNK_MESSAGES);
			expect_allocations(&rig, before, chunks - 1);
			rig_drain(&rig);
			expect_blocks(&rig, 3);
		}
	}
	rig_close(&rig);
}

static void test_packed_makes_one_slot_ahead_and_keeps_one_chunk(void **state)
{
	(void)state;
	expect_pass(burst_packed);
}

static void test_with_eight_spares_a_burst_of_8_chunks_allocates_nothing(void **state)
{
	(void)state;
	expect_pass(burst_with_eight_spares);
}

static void test_with_one_spare_a_burst_beyond_a_chunk_allocates(void **state)
{
	(void)state;
	expect_pass(burst_with_one_spare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cold_it_takes_one_chunk_per_256_messages),
		cmocka_unit_test(test_a_steady_window_of_up_to_128_allocates_nothing),
		cmocka_unit_test(test_chunks_of_a_peak_are_used_again),
		cmocka_unit_test(test_a_chunk_is_at_most_1_mib_of_messages),
		cmocka_unit_test(test_with_eight_spares_a_burst_of_8_chunks_allocates_nothing),
		cmocka_unit_test(test_with_one_spare_a_burst_beyond_a_chunk_allocates),
		cmocka_unit_test(test_packed_makes_one_slot_ahead_and_keeps_one_chunk),
	};

	return cmocka_run_group_tests_name("ypipe", tests, NULL, NULL);
}
