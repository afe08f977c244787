/* two-lock-batch where its tail's lock is not to be had: what a flush has copied into nodes stays in order, whatever is staged
 * afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define QUEUE_TABLE(symbol) static const struct queue table
#include "counted_memory.h"
#include "locked/two-lock-batch.c"

enum { BATCH = 8 };

static void stage(void *producer, size_t messages, uint64_t *number)
{
	while (messages) {
		size_t n;
		uint64_t *slots = table.prewrite_span(producer, messages, &n);

		assert_true(n >= 1 && n <= messages);
		for (size_t i = 0; i < n; i++)
			slots[i] = ++*number;
		messages -= n;
	}
}

static void expect_messages(void *consumer, uint64_t from, uint64_t to)
{
	size_t n;

	while (from <= to) {
		assert_true(table.preread(consumer));
		for (const uint64_t *slots; slots = table.read_span(consumer, SIZE_MAX, &n), n;)
			for (size_t i = 0; i < n; i++)
				assert_int_equal(slots[i], from++);
	}
	assert_int_equal(from, to + 1);
	assert_false(table.preread(consumer));
}

/* So many messages at once before the refused flush, so many after it: at each the producer may be out of nodes. */
static void refuse_between(size_t before, size_t after)
{
	struct counted_memory memory = counted_memory();
	struct queue_config config = {.message_bytes = 8, .batch = BATCH, .producers = 2, .consumers = 1, .memory = &memory.memory};
	struct two_lock_queue *queue;
	void *instance = NULL, *producer, *consumer;
	uint64_t number = 0;

	assert_int_equal(table.create(&config, &instance), 0);
	queue = instance;
	producer = table.producer(instance, 0);
	consumer = table.consumer(instance, 0);
	for (uint64_t round = 0; round < 200; round++) {
		struct two_lock_nodes *nodes = &((struct locked_endpoint *)producer)->place;
		uint64_t first = number + 1;

		stage(producer, before, &number);
		queue->tail_lock.locked = 1;
		assert_int_equal(table.flush(producer), QUEUE_FULL);
		queue->tail_lock.locked = 0;
		/* no nodes but those that are filled: as if another producer had been quicker to take the free ones */
		while (nodes->count > before) {
			struct two_lock_node *spare = nodes->filled->next;

			nodes->filled->next = spare->next;
			nodes->count--;
			two_lock_return(queue, spare, spare);
		}
		stage(producer, after, &number);
		assert_int_equal(table.flush(producer), QUEUE_FLUSHED);
		expect_messages(consumer, first, number);
	}
	table.destroy(instance);
	assert_null(memory.fault);
	assert_int_equal(memory.live_blocks, 0);
}

static void test_messages_staged_after_a_refused_flush_follow_those_before(void **state)
{
	(void)state;
	for (size_t before = 1; before < BATCH; before++)
		for (size_t after = 1; before + after <= BATCH; after++)
			refuse_between(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_staged_after_a_refused_flush_follow_those_before),
	};

	return cmocka_run_group_tests_name("two-lock", tests, NULL, NULL);
}
