#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A queue that hands out what a test has written down, compiled into the loops as every queue is. */
#define QUEUE_TABLE(symbol) static const struct queue target_table
#include "queue.h"

struct script {
	unsigned char *slots;
	size_t stride, count, span; /* span: how many are handed out at once */
	size_t noted, read;
};

static inline bool script_preread(void *consumer)
{
	struct script *script = consumer;

	/* a loop that goes on behind the last message would go on for ever */
	if (script->read == script->count)
		fail_msg("no message is left, and the loop did not end");
	script->noted = script->count < script->read + 3 * script->span ? script->count : script->read + 3 * script->span;
	return true;
}

static inline const void *script_read_span(void *consumer, size_t max, size_t *n)
{
	struct script *script = consumer;
	const unsigned char *slots = script->slots + script->read * script->stride;

	*n = script->noted - script->read;
	if (*n > max)
		*n = max;
	if (*n > script->span)
		*n = script->span;
	script->read += *n;
	return slots;
}

static inline void *script_prewrite_span(void *producer, size_t max, size_t *n)
{
	(void)producer, (void)max;
	*n = 0;
	return NULL;
}

static inline enum queue_flush script_flush(void *producer)
{
	(void)producer;
	return QUEUE_FLUSHED;
}

QUEUE_TABLE(script) = {
	.contract = QUEUE_CONTRACT,
	.name = "script",
	.prewrite_span = script_prewrite_span,
	.flush = script_flush,
	.preread = script_preread,
	.read_span = script_read_span,
};

#include "loops.h"

enum { WARM_UP = 10, MEASURED = 40, COUNT = WARM_UP + MEASURED + 1, BYTES_MOST = 72 };

/* Ten messages of the warm-up, forty measured ones, the last one: sequence numbers from 1. Tests swap, copy and spoil slots. */
struct reading {
	struct script script;
	struct stream_shared shared;
	struct endpoint_plan plan;
	struct endpoint_account account;
	struct stamp stamps[COUNT];
	uint64_t slots[2 * COUNT * BYTES_MOST / 8];
};

static unsigned char *slot(struct reading *reading, uint64_t sequence)
{
	return (unsigned char *)reading->slots + (sequence - 1) * reading->plan.stride;
}

static struct reading *reading_make(size_t bytes, size_t span)
{
	struct reading *reading = aligned_alloc(QUEUE_LINE_PAIR, sizeof(*reading)); /* whose size is a multiple of that */
	size_t stride = queue_stride(bytes);

	assert_non_null(reading);
	memset(reading, 0, sizeof(*reading));
	reading->script = (struct script){
		.slots = (unsigned char *)reading->slots, .stride = stride, .count = COUNT, .span = span};
	reading->shared.stamp_every = 1;
	reading->plan = (struct endpoint_plan){
		.endpoint = &reading->script, .shared = &reading->shared, .read = &reading->shared.read,
		.window_room = &reading->shared.room, .clock = CLOCK_SYSTEM, .batch = 64, .stride = stride,
		.touched = bytes, .look_every = 8, .stamp_every = 1, .spins = 1, .wait = WAIT_SPIN,
	};
	reading->account.stamps = (struct stamps){.at = reading->stamps, .room = COUNT};
	for (uint64_t i = 1; i <= COUNT; i++) {
		enum message_phase phase = i <= WARM_UP ? PHASE_WARM_UP : i < COUNT ? PHASE_MEASURED : PHASE_LAST;

		message_fill(MESSAGE_ANY, slot(reading, i), stride, bytes, 1, message_header(0, phase, i));
	}
	return reading;
}

static void reading_run(struct reading *reading)
{
	switch (message_class(reading->plan.stride, reading->plan.touched)) {
	case MESSAGE_8:
		loop_consume(&reading->plan, &reading->account, MESSAGE_8);
		break;
	case MESSAGE_24:
		loop_consume(&reading->plan, &reading->account, MESSAGE_24);
		break;
	case MESSAGE_64:
		loop_consume(&reading->plan, &reading->account, MESSAGE_64);
		break;
	default:
		loop_consume(&reading->plan, &reading->account, MESSAGE_ANY);
	}
}

/* Runs the loop over the script and compares what it found. */
static void reading_expect(struct reading *reading, uint64_t lost, uint64_t repeated, uint64_t torn, uint64_t messages)
{
	const struct endpoint_account *account = &reading->account;

	reading_run(reading);
	if (account->lost != lost || account->repeated != repeated || account->torn != torn || account->messages != messages)
		fail_msg("%zu bytes, spans of %zu: expected %ju lost, %ju repeated, %ju torn, %ju measured; got %ju, %ju, %ju, %ju",
			 reading->plan.touched, reading->script.span, (uintmax_t)lost, (uintmax_t)repeated, (uintmax_t)torn,
			 (uintmax_t)messages, (uintmax_t)account->lost, (uintmax_t)account->repeated, (uintmax_t)account->torn,
			 (uintmax_t)account->messages);
}

/* ---- what is done to the messages ---- */

static void remove_slot(struct reading *reading, uint64_t sequence)
{
	size_t stride = reading->plan.stride;

	memmove(slot(reading, sequence), slot(reading, sequence + 1), (reading->script.count - sequence) * stride);
	reading->script.count--;
}

static void repeat_slot(struct reading *reading, uint64_t sequence)
{
	size_t stride = reading->plan.stride;

	memmove(slot(reading, sequence + 1), slot(reading, sequence), (reading->script.count - sequence + 1) * stride);
	reading->script.count++;
}

static void swap_slots(struct reading *reading, uint64_t a, uint64_t b)
{
	unsigned char kept[BYTES_MOST];
	size_t stride = reading->plan.stride;

	memcpy(kept, slot(reading, a), stride);
	memcpy(slot(reading, a), slot(reading, b), stride);
	memcpy(slot(reading, b), kept, stride);
}

static const size_t sizes[] = {8, 13, 24, 40, 64, 72}, spans[] = {1, 4, 64};

#define FOR_EACH_READING(reading)                                                                                      \
	for (size_t size_ = 0; size_ < sizeof(sizes) / sizeof(sizes[0]); size_++)                                      \
		for (size_t span_ = 0; span_ < sizeof(spans) / sizeof(spans[0]); span_++)                              \
			for (struct reading *reading = reading_make(sizes[size_], spans[span_]); reading; free(reading), reading = NULL)

/* ---- the tests ---- */

static void a_good_stream_is_found_good(void **state)
{
	(void)state;
	FOR_EACH_READING(reading) {
		reading_expect(reading, 0, 0, 0, MEASURED);
		assert_int_equal(reading->account.all_messages, COUNT);
		assert_int_equal(reading->account.stamps.count, MEASURED);
		assert_int_equal(reading->stamps[0].sequence, WARM_UP + 1);
	}
}

static void a_lost_message_is_counted(void **state)
{
	(void)state;
	FOR_EACH_READING(reading) {
		remove_slot(reading, 30);
		reading_expect(reading, 1, 0, 0, MEASURED - 1);
	}
}

static void lost_messages_are_counted_across_the_phases(void **state)
{
	(void)state;
	FOR_EACH_READING(reading) {
		/* 1, 2; 10, the last of the warm-up, and 11, the first measured one; 50, the last measured one */
		remove_slot(reading, COUNT - 1);
		remove_slot(reading, WARM_UP);
		remove_slot(reading, WARM_UP);
		remove_slot(reading, 1);
		remove_slot(reading, 1);
		reading_expect(reading, 5, 0, 0, MEASURED - 2);
		assert_int_equal(reading->stamps[0].sequence, WARM_UP + 2);
	}
}

static void a_repeated_message_is_counted(void **state)
{
	(void)state;
	FOR_EACH_READING(reading) {
		repeat_slot(reading, 30);
		reading_expect(reading, 0, 1, 0, MEASURED + 1);
		assert_int_equal(reading->account.stamps.count, MEASURED);
	}
}

static void two_messages_in_the_wrong_order_are_counted(void **state)
{
	(void)state;
	FOR_EACH_READING(reading) {
		/* the later one seems to have lost the earlier, which then comes behind its place */
		swap_slots(reading, 30, 31);
		reading_expect(reading, 1, 1, 0, MEASURED);
	}
}

/* From 16 bytes on: below that, the whole of the header has nothing to be held against. */
static void each_torn_byte_is_counted(void **state)
{
	(void)state;
	for (size_t s = 2; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (size_t byte = 0; byte < sizes[s]; byte++) {
			struct reading *reading = reading_make(sizes[s], 4);

			slot(reading, 30)[byte] ^= 0x10;
			reading_expect(reading, 0, 0, 1, MEASURED);
			assert_int_equal(reading->account.stamps.count, MEASURED);
			free(reading);
		}
}

/* A message of 8 bytes is all header: what is torn there may look like one that was lost or came before. */
static void each_flipped_bit_of_a_bare_header_is_found(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (uint64_t sequence = 5; sequence <= 30; sequence += 25) {
			struct reading *reading = reading_make(8, 4);

			((uint64_t *)(void *)slot(reading, sequence))[0] ^= UINT64_C(1) << bit;
			reading_run(reading);
			assert_true(reading->account.lost + reading->account.repeated + reading->account.torn > 0);
			free(reading);
		}
}

static void another_producers_message_is_torn(void **state)
{
	(void)state;
	FOR_EACH_READING(reading) {
		message_fill(MESSAGE_ANY, slot(reading, 30), reading->plan.stride, reading->plan.touched, 1,
			     message_header(1, PHASE_MEASURED, 30));
		reading_expect(reading, 0, 0, 1, MEASURED);
	}
}

static void a_message_of_a_phase_that_is_over_is_torn(void **state)
{
	(void)state;
	FOR_EACH_READING(reading) {
		message_fill(MESSAGE_ANY, slot(reading, 30), reading->plan.stride, reading->plan.touched, 1,
			     message_header(0, PHASE_WARM_UP, 30));
		reading_expect(reading, 0, 0, 1, MEASURED);
	}
}

static void bytes_that_are_not_touched_are_not_looked_at(void **state)
{
	struct reading *reading = reading_make(40, 4);

	(void)state;
	reading->plan.touched = 8;
	slot(reading, 30)[8] ^= 1;
	reading_expect(reading, 0, 0, 0, MEASURED);
	free(reading);
}

static void the_last_message_ends_the_loop_whatever_came_before(void **state)
{
	struct reading *reading = reading_make(8, 4);

	(void)state;
	/* all that follows seems to have come before */
	((uint64_t *)(void *)slot(reading, 30))[0] += UINT64_C(1) << 40;
	reading_expect(reading, UINT64_C(1) << 40, COUNT - 30, 0, MEASURED);
	free(reading);
}

static void a_stream_without_a_measured_phase_measures_nothing(void **state)
{
	struct reading *reading = reading_make(24, 4);

	(void)state;
	for (int i = 0; i < MEASURED; i++)
		remove_slot(reading, WARM_UP + 1);
	message_fill(MESSAGE_ANY, slot(reading, WARM_UP + 1), 24, 24, 1, message_header(0, PHASE_LAST, WARM_UP + 1));
	reading_expect(reading, 0, 0, 0, 0);
	assert_int_equal(reading->account.all_messages, WARM_UP + 1);
	assert_int_equal(reading->account.stamps.count, 0);
	assert_int_equal(reading->account.outer_first.ticks, 0);
	free(reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_stream_is_found_good),
		cmocka_unit_test(a_lost_message_is_counted),
		cmocka_unit_test(lost_messages_are_counted_across_the_phases),
		cmocka_unit_test(a_repeated_message_is_counted),
		cmocka_unit_test(two_messages_in_the_wrong_order_are_counted),
		cmocka_unit_test(each_torn_byte_is_counted),
		cmocka_unit_test(each_flipped_bit_of_a_bare_header_is_found),
		cmocka_unit_test(another_producers_message_is_torn),
		cmocka_unit_test(a_message_of_a_phase_that_is_over_is_torn),
		cmocka_unit_test(bytes_that_are_not_touched_are_not_looked_at),
		cmocka_unit_test(the_last_message_ends_the_loop_whatever_came_before),
		cmocka_unit_test(a_stream_without_a_measured_phase_measures_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
