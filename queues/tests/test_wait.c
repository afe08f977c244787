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
	static const enum wait_policy policies[] = {WAIT_PARK, WAIT_EVENTFD};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
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
	static const enum wait_policy policies[] = {WAIT_PARK, WAIT_EVENTFD};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
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
		cmocka_unit_test(letters_reach_everyone),
	};

	alarm(60); /* a lost wake-up hangs */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
