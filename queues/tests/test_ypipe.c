/* When ypipe allocates: cold, one chunk per 256 messages; in a steady flow, never. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cold_it_takes_one_chunk_per_256_messages),
		cmocka_unit_test(test_a_steady_window_of_up_to_128_allocates_nothing),
		cmocka_unit_test(test_chunks_of_a_peak_are_used_again),
		cmocka_unit_test(test_a_chunk_is_at_most_1_mib_of_messages),
	};

	return cmocka_run_group_tests_name("ypipe", tests, NULL, NULL);
}
