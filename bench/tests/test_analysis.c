#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* loop_mark() stands among the loops, which need a queue */
#define QUEUE_TABLE(symbol) static const struct queue target_table
#include "spsc/ring.c"

#include "loops.h"

#include "analysis.h"

enum { MESSAGES_MOST = 8 };

static const double TICKS_PER_S = 1e9;
static const uint64_t SECOND = 1000000000, BEGIN = 1000 * UINT64_C(1000000000); /* a mark at 0 ticks would be none */

/* The stamps and marks of one endpoint, as its loop makes them. */
struct endpoint {
	struct stamp at[MESSAGES_MOST];
	struct stamps stamps;
	struct mark first, last;
	ticks_sum sum;
};

/* passed: how many messages had passed the point when the first one was stamped: none at write, one at read. */
static void endpoint_make(struct endpoint *end, const double *seconds, size_t count, uint64_t passed)
{
	*end = (struct endpoint){.stamps = {.at = end->at, .count = count, .room = MESSAGES_MOST}};
	for (size_t i = 0; i < count; i++) {
		uint64_t ticks = BEGIN + (uint64_t)(seconds[i] * (double)SECOND);

		end->at[i] = (struct stamp){.sequence = i + 1, .outer = ticks};
		end->sum += ticks;
		loop_mark(&end->first, &end->last, i + passed, ticks);
	}
}

static double endpoint_rate(const struct endpoint *end)
{
	return analysis_rate(&end->first, &end->last, TICKS_PER_S);
}

static struct analysis_point outer(const struct endpoint *end)
{
	return (struct analysis_point){.stamps = &end->stamps};
}

/* Five messages: sent two a second, received one a second, the first of them after two. */
static const double SENT[] = {0, .5, 1, 1.5, 2}, RECEIVED[] = {2, 3, 4, 5, 6};

static void five_messages_have_the_latency_that_is_found_by_hand(void **state)
{
	struct histogram *histogram = histogram_new();
	struct endpoint sent, received;

	(void)state;
	endpoint_make(&sent, SENT, 5, 0);
	endpoint_make(&received, RECEIVED, 5, 1);
	assert_int_equal(analysis_latency(outer(&sent), outer(&received), histogram), 0);
	assert_int_equal(histogram->count, 5);
	assert_int_equal(histogram->min, 2 * SECOND);
	assert_int_equal(histogram->max, 4 * SECOND);
	assert_true(histogram->sum == (__int128)15 * (__int128)SECOND);
	assert_true((double)histogram->sum / (double)histogram->count / TICKS_PER_S == 3.0);
	/* the area between the curves of arrivals and departures, by the sums alone */
	assert_true((__int128)received.sum - (__int128)sent.sum == histogram->sum);
	free(histogram);
}

static void five_messages_have_a_rate_at_each_endpoint(void **state)
{
	struct endpoint sent, received;

	(void)state;
	endpoint_make(&sent, SENT, 5, 0);
	endpoint_make(&received, RECEIVED, 5, 1);
	assert_true(endpoint_rate(&sent) == 2.0);
	assert_true(endpoint_rate(&received) == 1.0);
}

/* J. Little, 1961: L = λ W over the six seconds from the first sending to the last receiving. */
static void the_mean_number_under_way_is_arrivals_times_latency(void **state)
{
	struct histogram *histogram = histogram_new();
	struct endpoint sent, received;
	double window_s, per_s, latency_s, under_way;

	(void)state;
	endpoint_make(&sent, SENT, 5, 0);
	endpoint_make(&received, RECEIVED, 5, 1);
	analysis_latency(outer(&sent), outer(&received), histogram);
	window_s = (double)(received.last.ticks - sent.first.ticks) / TICKS_PER_S;
	per_s = (double)histogram->count / window_s;
	latency_s = (double)histogram->sum / (double)histogram->count / TICKS_PER_S;
	under_way = (double)((__int128)received.sum - (__int128)sent.sum) / TICKS_PER_S / window_s;
	assert_true(per_s == 5.0 / 6);
	assert_true(under_way == 2.5);
	assert_true(per_s * latency_s > 2.4999999 && per_s * latency_s < 2.5000001);
	free(histogram);
}

static void no_message_has_neither_latency_nor_rate(void **state)
{
	struct histogram *histogram = histogram_new();
	struct endpoint none;

	(void)state;
	endpoint_make(&none, NULL, 0, 0);
	assert_int_equal(analysis_latency(outer(&none), outer(&none), histogram), 0);
	assert_int_equal(histogram->count, 0);
	assert_true(endpoint_rate(&none) < 0);
	assert_true(analysis_ascends(outer(&none)));
	free(histogram);
}

static void one_message_has_a_latency_and_no_rate(void **state)
{
	struct histogram *histogram = histogram_new();
	struct endpoint sent, received;

	(void)state;
	endpoint_make(&sent, SENT, 1, 0);
	endpoint_make(&received, RECEIVED, 1, 1);
	assert_int_equal(analysis_latency(outer(&sent), outer(&received), histogram), 0);
	assert_int_equal(histogram->count, 1);
	assert_true(histogram->sum == (__int128)2 * (__int128)SECOND);
	assert_true(endpoint_rate(&sent) < 0 && endpoint_rate(&received) < 0);
	free(histogram);
}

static void two_messages_span_one_gap(void **state)
{
	struct endpoint sent, received;

	(void)state;
	endpoint_make(&sent, SENT, 2, 0);
	endpoint_make(&received, RECEIVED, 2, 1);
	assert_true(endpoint_rate(&sent) == 2.0);
	assert_true(endpoint_rate(&received) == 1.0);
}

static void marks_of_one_instant_have_no_rate(void **state)
{
	const struct mark first = {0, 500}, same_time = {10, 500}, same_count = {0, 900}, unset = {0, 0};

	(void)state;
	assert_true(analysis_rate(&first, &same_time, TICKS_PER_S) < 0);
	assert_true(analysis_rate(&first, &same_count, TICKS_PER_S) < 0);
	assert_true(analysis_rate(&unset, &same_time, TICKS_PER_S) < 0);
	assert_true(analysis_rate(&same_time, &first, TICKS_PER_S) < 0);
}

static void of_a_time_set_beforehand_nothing_is_a_rate_of_0(void **state)
{
	const struct mark begin = {7, 500}, nothing = {7, 900}, some = {11, 900}, unset = {0, 0};

	(void)state;
	assert_true(analysis_rate_of_time(&begin, &nothing, 100) == 0);
	assert_true(analysis_rate_of_time(&begin, &some, 100) == 1);
	assert_true(analysis_rate_of_time(&begin, &begin, 100) < 0);
	assert_true(analysis_rate_of_time(&unset, &some, 100) < 0);
}

static void marks_cover_a_phase_from_half_of_it_on(void **state)
{
	const struct mark first = {0, 500}, half = {10, 1500}, less = {10, 1499}, none = {0, 500};

	(void)state;
	assert_true(analysis_covers(&first, &half, 2000));
	assert_false(analysis_covers(&first, &less, 2000));
	assert_true(analysis_covers(&first, &less, 1000));
	assert_false(analysis_covers(&first, &none, 2000));
}

static void stamps_without_a_partner_are_counted_and_joined_to_none(void **state)
{
	struct histogram *histogram = histogram_new();
	struct endpoint sent, received;

	(void)state;
	endpoint_make(&sent, SENT, 5, 0);
	endpoint_make(&received, RECEIVED, 4, 1);
	/* sent 1 2 3 4 5, received 2 3 5 9 */
	for (size_t i = 0; i < 4; i++)
		received.at[i].sequence = (const uint64_t[]){2, 3, 5, 9}[i];
	assert_int_equal(analysis_latency(outer(&sent), outer(&received), histogram), 3);
	assert_int_equal(histogram->count, 3);
	/* 2 − 0.5, 3 − 1, 4 − 2 */
	assert_true(histogram->sum == (__int128)(5.5 * (double)SECOND));
	free(histogram);
}

static void a_latency_below_zero_stays_below_zero(void **state)
{
	struct histogram *histogram = histogram_new();
	struct endpoint sent, received;

	(void)state;
	endpoint_make(&sent, SENT, 5, 0);
	endpoint_make(&received, RECEIVED, 5, 1);
	assert_int_equal(analysis_latency(outer(&received), outer(&sent), histogram), 0);
	assert_int_equal(histogram->below_zero, 5);
	assert_int_equal(histogram->min, -4 * (int64_t)SECOND);
	assert_true(histogram->sum == -(__int128)15 * (__int128)SECOND);
	free(histogram);
}

static void inner_points_are_joined_apart_from_outer_ones(void **state)
{
	struct histogram *histogram = histogram_new();
	struct endpoint sent, received;

	(void)state;
	endpoint_make(&sent, SENT, 5, 0);
	endpoint_make(&received, RECEIVED, 5, 1);
	for (size_t i = 0; i < 5; i++) {
		sent.at[i].inner = sent.at[i].outer + 10;
		received.at[i].inner = sent.at[i].outer + 17;
	}
	assert_int_equal(analysis_latency((struct analysis_point){&sent.stamps, true},
					  (struct analysis_point){&received.stamps, true}, histogram), 0);
	assert_int_equal(histogram->min, 7);
	assert_int_equal(histogram->max, 7);
	free(histogram);
}

static void disorder_among_stamps_is_seen(void **state)
{
	struct endpoint end;

	(void)state;
	endpoint_make(&end, RECEIVED, 5, 1);
	assert_true(analysis_ascends(outer(&end)));
	end.at[3].outer = end.at[2].outer; /* two readings within one step of the clock */
	assert_true(analysis_ascends(outer(&end)));
	end.at[3].outer--;
	assert_false(analysis_ascends(outer(&end)));
	endpoint_make(&end, RECEIVED, 5, 1);
	end.at[3].sequence = end.at[2].sequence;
	assert_false(analysis_ascends(outer(&end)));
	assert_false(analysis_ascends((struct analysis_point){&end.stamps, true}));
}

static uint64_t of(uint64_t producer, uint64_t sequence)
{
	return producer << MESSAGE_SEQUENCE_BITS | sequence;
}

/* Two producers' messages 1, 2, 3 at one consumer, which missed the second one's 2. */
static void stamps_of_several_producers_are_joined_by_number(void **state)
{
	struct stamp at_a[] = {{1, 10, 0}, {2, 20, 0}, {3, 30, 0}}, at_b[] = {{1, 11, 0}, {2, 21, 0}, {3, 31, 0}};
	struct stamp read[] = {{of(1, 1), 100, 0}, {of(0, 1), 110, 0}, {of(0, 2), 120, 0}, {of(1, 3), 130, 0}, {of(0, 3), 140, 0}};
	struct stamps a = {.at = at_a, .count = 3}, b = {.at = at_b, .count = 3}, received = {.at = read, .count = 5};
	struct histogram *histogram = histogram_new();

	(void)state;
	assert_int_equal(analysis_latency_of((struct analysis_point){&a, false}, 0, (struct analysis_point){&received, false}, histogram), 3);
	assert_true(histogram->sum == 100 + 100 + 110);
	assert_int_equal(analysis_latency_of((struct analysis_point){&b, false}, 1, (struct analysis_point){&received, false}, histogram), 2);
	assert_int_equal(histogram->count, 5);
	assert_int_equal(histogram->min, 89);
	assert_int_equal(analysis_latency_of((struct analysis_point){&b, false}, 2, (struct analysis_point){&received, false}, histogram), 0);
	free(histogram);
}

static void each_producers_stamps_ascend_for_themselves(void **state)
{
	struct stamp good[] = {{of(1, 7), 1, 0}, {of(0, 1), 2, 0}, {of(1, 8), 2, 0}, {of(0, 2), 3, 0}};
	struct stamp twice[] = {{of(1, 7), 1, 0}, {of(0, 1), 2, 0}, {of(1, 7), 3, 0}};
	struct stamp back[] = {{of(1, 7), 2, 0}, {of(0, 1), 1, 0}};
	struct stamps stamps[] = {{.at = good, .count = 4}, {.at = twice, .count = 3}, {.at = back, .count = 2}};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(analysis_ascends_each((struct analysis_point){&stamps[i], false}), i == 0);
}

static void fairness_is_jains_index(void **state)
{
	static const double even[] = {2, 2, 2, 2}, one[] = {0, 5, 0, 0}, most[] = {3, 1}, none[] = {0, 0};

	(void)state;
	assert_true(fabs(analysis_fairness(even, 4) - 1) < 1e-12);
	assert_true(fabs(analysis_fairness(one, 4) - 0.25) < 1e-12);
	assert_true(fabs(analysis_fairness(most, 2) - 0.8) < 1e-12);
	assert_true(analysis_fairness(none, 2) < 0);
}

/* The tallies of a set are those of its parts, whatever the parts are; and another set has another one. */
static void tallies_tell_sets_apart(void **state)
{
	struct fan_tally whole = {0}, parts = {0}, other = {0};

	(void)state;
	loop_tally(&whole, 1, 1000);
	loop_tally(&parts, 501, 500);
	loop_tally(&parts, 1, 1);
	loop_tally(&parts, 2, 499);
	assert_int_equal(parts.messages, whole.messages);
	assert_true(parts.fingerprint == whole.fingerprint);
	/* as many, with the same sum, sum of squares: 1, 5, 6 for 2, 3, 7 */
	for (uint64_t i = 1; i <= 1000; i++)
		if (i != 1 && i != 5 && i != 6)
			loop_tally(&other, i, 1);
	loop_tally(&other, 2, 2);
	loop_tally(&other, 7, 1);
	assert_int_equal(other.messages, whole.messages);
	assert_true(other.fingerprint != whole.fingerprint);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_of_several_producers_are_joined_by_number),
		cmocka_unit_test(each_producers_stamps_ascend_for_themselves),
		cmocka_unit_test(fairness_is_jains_index),
		cmocka_unit_test(tallies_tell_sets_apart),
		cmocka_unit_test(five_messages_have_the_latency_that_is_found_by_hand),
		cmocka_unit_test(five_messages_have_a_rate_at_each_endpoint),
		cmocka_unit_test(the_mean_number_under_way_is_arrivals_times_latency),
		cmocka_unit_test(no_message_has_neither_latency_nor_rate),
		cmocka_unit_test(one_message_has_a_latency_and_no_rate),
		cmocka_unit_test(two_messages_span_one_gap),
		cmocka_unit_test(marks_of_one_instant_have_no_rate),
		cmocka_unit_test(of_a_time_set_beforehand_nothing_is_a_rate_of_0),
		cmocka_unit_test(marks_cover_a_phase_from_half_of_it_on),
		cmocka_unit_test(stamps_without_a_partner_are_counted_and_joined_to_none),
		cmocka_unit_test(a_latency_below_zero_stays_below_zero),
		cmocka_unit_test(inner_points_are_joined_apart_from_outer_ones),
		cmocka_unit_test(disorder_among_stamps_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
