#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "wait.h"

enum { SLEEPERS = 4, LETTERS = 2000 };

static void each_sleeper_announces_itself_alone(void **state)
{
	struct wait_point point;

	(void)state;
	assert_int_equal(wait_open_shared(&point, WAIT_PARK, SLEEPERS), 0);
	wait_announce_as(&point, 1);
	wait_announce_as(&point, 3);
	wait_withdraw_as(&point, 1);
	wait_withdraw_as(&point, 2);
	assert_int_equal(wait_announced(&point), 1u << 3);
	assert_int_equal(wait_announced(&point), 0);
	wait_close(&point);
}

static void a_wake_up_before_the_sleep_ends_it(void **state)
{
	static const enum wait_policy policies[] = {WAIT_PARK, WAIT_EVENTFD, WAIT_ADAPTIVE};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wait_point point;
		uint32_t ticket;

		assert_int_equal(wait_open_shared(&point, policies[i], SLEEPERS), 0);
		ticket = wait_ticket(&point);
		wait_announce_as(&point, 2);
		wait_wake_all(&point, policies[i], wait_announced(&point));
		wait_sleep_as(&point, policies[i], ticket, 2); /* returns: it would hang otherwise */
		assert_int_equal(point.sleeps, 1);
		wait_close(&point);
	}
}

static void too_many_sleepers_are_refused(void **state)
{
	struct wait_point point;

	(void)state;
	assert_true(wait_open_shared(&point, WAIT_PARK, WAIT_SLEEPERS_MAX + 1) < 0);
	wait_close(&point);
}

/* One wait: the polls asked about from `began` on, and, where they end it in a sleep, a wake-up sent `after` ticks later that takes `took`.
 * Returns for how many ticks it polled on. */
static uint64_t wait_once(struct wait_point *point, uint64_t began, uint64_t after, uint64_t took)
{
	uint64_t now = began;

	while (wait_polls_on(point, 0, now == began, now))
		if (++now == began + after)
			return after; /* what it waits for came */
	point->wake_sent = began + after;
	wait_woke(point, 0, began + after + took);
	return now - began;
}

static void polls_as_long_as_a_wake_up_takes(void **state)
{
	struct wait_point point;

	(void)state;
	assert_int_equal(wait_open(&point, WAIT_ADAPTIVE), 0);
	assert_int_equal(wait_once(&point, 1000, 50, 100), 0); /* nothing is known of wake-ups yet */
	assert_int_equal(wait_once(&point, 2000, 5000, 100), 100);
	assert_int_equal(wait_once(&point, 10000, 99, 100), 99);
	assert_int_equal(wait_once(&point, 20000, 5000, 180), 100);
	assert_int_equal(wait_once(&point, 30000, 5000, 110), 106); /* a step of a sixteenth */
	/* however late a wake-up comes, because others ran: a step */
	assert_int_equal(wait_once(&point, 40000, 5000, 1000000), 112);
	wait_expect(&point, 77);
	assert_int_equal(wait_once(&point, 50000, 60, 77), 60); /* and ends those in vain */
	assert_int_equal(wait_once(&point, 60000, 5000, 50), 77);
	assert_int_equal(wait_once(&point, 70000, 5000, 77), 73);
	wait_close(&point);
}

static void does_not_poll_where_that_was_in_vain(void **state)
{
	struct wait_point point;
	uint64_t now = 1000;

	(void)state;
	assert_int_equal(wait_open(&point, WAIT_ADAPTIVE), 0);
	for (int i = 0; i < 4; i++, now += 100000, wait_expect(&point, 100))
		assert_int_equal(wait_once(&point, now, 50000, 100), i ? 100 : 0);
	for (int i = 0; i < 4; i++, now += 100000)
		assert_int_equal(wait_once(&point, now, 50000, 100), 0);
	/* a sleep that polling would have spared */
	wait_expect(&point, 100);
	assert_int_equal(wait_once(&point, now, 90, 100), 0);
	wait_expect(&point, 100);
	for (int i = 0; i < 3; i++, wait_expect(&point, 100))
		assert_int_equal(wait_once(&point, now += 100000, 50000, 100), 100);
	/* and a wait that ended while it polled */
	assert_int_equal(wait_once(&point, now += 100000, 60, 100), 60);
	for (int i = 0; i < 4; i++, wait_expect(&point, 100))
		assert_int_equal(wait_once(&point, now += 100000, 50000, 100), 100);
	assert_int_equal(wait_once(&point, now += 100000, 50000, 100), 0);
	wait_close(&point);
}

static void learns_nothing_from_a_sleep_that_nobody_ended(void **state)
{
	struct wait_point point;

	(void)state;
	assert_int_equal(wait_open(&point, WAIT_ADAPTIVE), 0);
	assert_int_equal(wait_once(&point, 1000, 50, 100), 0);
	assert_false(wait_polls_on(&point, 0, true, 500000) && wait_polls_on(&point, 0, false, 500100));
	wait_woke(&point, 0, 900000); /* the last wake-up was sent long before */
	assert_false(wait_polls_on(&point, 0, true, 1000000) && wait_polls_on(&point, 0, false, 1000100));
	point.wake_sent = 1000200;
	wait_woke(&point, 0, 1000190); /* two clocks, a little apart */
	assert_int_equal(wait_once(&point, 2000000, 5000, 100), 100); /* still what the first one took */
	wait_close(&point);
}

/* Who sleeps often has the other side look by read-modify-write, until that has looked in vain for a while. */
static void looks_in_vain_end_what_a_frequent_sleeper_asked_for(void **state)
{
	struct wait_point point;

	(void)state;
	assert_int_equal(wait_open(&point, WAIT_ADAPTIVE), 0);
	if (!point.asymmetric)
		skip(); /* no membarrier: every look is one */
	for (int i = 0; i < 4; i++)
		wait_once(&point, 100000 * (uint64_t)(i + 1), 50000, 100);
	wait_announce(&point);
	assert_int_equal(point.sleeping, WAIT_EXCHANGES | 1);
	assert_int_equal(wait_announced(&point), 1);
	wait_announce(&point);
	wait_withdraw(&point);
	assert_int_equal(point.sleeping, WAIT_EXCHANGES);
	for (int i = 0; i < 65; i++)
		assert_int_equal(wait_announced(&point), 0);
	assert_int_equal(point.sleeping, 0);
	wait_announce(&point);
	assert_int_equal(wait_announced(&point), 1);
	wait_close(&point);
	/* where several may sleep nobody can know what the others had done */
	assert_int_equal(wait_open_shared(&point, WAIT_ADAPTIVE, 2), 0);
	for (int i = 0; i < 5; i++)
		wait_once(&point, 100000 * (uint64_t)(i + 1), 50000, 100);
	wait_announce(&point);
	assert_int_equal(point.sleeping, 1);
	wait_close(&point);
}

/* A letter box for each sleeper, all of whom sleep at one point. */
struct boxes {
	struct wait_point point;
	enum wait_policy policy;
	unsigned letters[SLEEPERS]; /* atomic: those that were put in */
	unsigned taken[SLEEPERS];   /* atomic */
};

struct sleeper {
	struct boxes *boxes;
	unsigned index;
	pthread_t thread;
};

static void *sleeper_main(void *argument)
{
	struct sleeper *self = argument;
	struct boxes *boxes = self->boxes;

	for (unsigned taken = 0; taken < LETTERS;) {
		uint32_t ticket = wait_ticket(&boxes->point);

		wait_announce_as(&boxes->point, self->index);
		/* acquire: pairs with the release in letters_reach_everyone() */
		if (load_acquire(&boxes->letters[self->index]) == taken) {
			wait_sleep_as(&boxes->point, boxes->policy, ticket, self->index);
			continue;
		}
		wait_withdraw_as(&boxes->point, self->index);
		store_release(&boxes->taken[self->index], ++taken);
	}
	return NULL;
}

/* Letters for some of them, now and then for one alone: who wakes for nothing must not keep another one from waking. */
static void letters_reach_everyone(void **state)
{
	static const enum wait_policy policies[] = {WAIT_PARK, WAIT_EVENTFD, WAIT_ADAPTIVE};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct boxes boxes = {.policy = policies[i]};
		struct sleeper sleepers[SLEEPERS];

		assert_int_equal(wait_open_shared(&boxes.point, policies[i], SLEEPERS), 0);
		for (unsigned s = 0; s < SLEEPERS; s++) {
			sleepers[s] = (struct sleeper){.boxes = &boxes, .index = s};
			assert_int_equal(pthread_create(&sleepers[s].thread, NULL, sleeper_main, &sleepers[s]), 0);
		}
		for (unsigned letter = 1; letter <= LETTERS; letter++) {
			uint32_t woken;

			for (unsigned s = 0; s < SLEEPERS; s++) {
				unsigned to = (s + letter) % SLEEPERS;

				store_release(&boxes.letters[to], letter);
				woken = wait_announced(&boxes.point);
				if (woken)
					wait_wake_all(&boxes.point, policies[i], woken);
			}
			for (unsigned s = 0; s < SLEEPERS; s++)
				while (load_acquire(&boxes.taken[s]) < letter)
					sched_yield();
		}
		for (unsigned s = 0; s < SLEEPERS; s++)
			pthread_join(sleepers[s].thread, NULL);
		wait_close(&boxes.point);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sleeper_announces_itself_alone),
		cmocka_unit_test(a_wake_up_before_the_sleep_ends_it),
		cmocka_unit_test(too_many_sleepers_are_refused),
		cmocka_unit_test(polls_as_long_as_a_wake_up_takes),
		cmocka_unit_test(does_not_poll_where_that_was_in_vain),
		cmocka_unit_test(learns_nothing_from_a_sleep_that_nobody_ended),
		cmocka_unit_test(looks_in_vain_end_what_a_frequent_sleeper_asked_for),
		cmocka_unit_test(letters_reach_everyone),
	};

	alarm(60); /* a lost wake-up hangs */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
