#include "wait.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Polls before giving way: about 10 us on a 3 GHz core, which is what a sleep and its wake-up cost. */
enum { SPINS_BEFORE_YIELD = 256, SPINS_BEFORE_PARK = 512 };

const char *const wait_policy_names[] = {"spin", "yield", "park", "eventfd", "native", NULL};

int wait_open_shared(struct wait_point *point, enum wait_policy policy, unsigned sleepers)
{
	*point = (struct wait_point){.sleeping = 0};
	if (sleepers > WAIT_SLEEPERS_MAX)
		return -EINVAL;
	while (policy == WAIT_EVENTFD && point->eventfd_count < sleepers) {
		int fd = eventfd(0, EFD_CLOEXEC), error = errno;

		if (fd < 0) {
			wait_close(point);
			return -error;
		}
		point->eventfds[point->eventfd_count++] = fd;
	}
	return 0;
}

int wait_open(struct wait_point *point, enum wait_policy policy)
{
	return wait_open_shared(point, policy, 1);
}

void wait_close(struct wait_point *point)
{
	while (point->eventfd_count)
		close(point->eventfds[--point->eventfd_count]);
}

unsigned wait_spins(enum wait_policy policy)
{
	switch (policy) {
	case WAIT_YIELD:
		return SPINS_BEFORE_YIELD;
	case WAIT_PARK:
	case WAIT_EVENTFD:
		return SPINS_BEFORE_PARK;
	default:
		return UINT_MAX;
	}
}

void wait_yield(struct wait_point *point)
{
	fetch_add_relaxed(&point->yields, 1); /* several may wait at one point; only counted */
	sched_yield();
}

void wait_sleep_as(struct wait_point *point, enum wait_policy policy, uint32_t ticket, unsigned sleeper)
{
	fetch_add_relaxed(&point->sleeps, 1); /* as above */
	if (policy == WAIT_EVENTFD) {
		uint64_t count;

		/* A wake-up sent before this read makes it return at once: the descriptor counts. */
		while (read(point->eventfds[sleeper], &count, sizeof(count)) < 0 && errno == EINTR)
			;
		return;
	}
	syscall(SYS_futex, &point->wakes, FUTEX_WAIT_BITSET_PRIVATE, ticket, NULL, NULL, UINT32_C(1) << sleeper);
}

void wait_sleep(struct wait_point *point, enum wait_policy policy, uint32_t ticket)
{
	wait_sleep_as(point, policy, ticket, 0);
}

void wait_wake_all(struct wait_point *point, enum wait_policy policy, uint32_t sleepers)
{
	fetch_add_relaxed(&point->wakes_sent, 1); /* several producers may wake one reader; only counted */
	if (policy == WAIT_EVENTFD) {
		uint64_t one = 1;

		for (unsigned i = 0; i < point->eventfd_count; i++)
			if (sleepers >> i & 1)
				while (write(point->eventfds[i], &one, sizeof(one)) < 0 && errno == EINTR)
					;
		return;
	}
	/* relaxed: the futex call orders it; the waiter learns of messages from the queue, not from here. */
	fetch_add_relaxed(&point->wakes, 1);
	syscall(SYS_futex, &point->wakes, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, sleepers);
}

void wait_wake(struct wait_point *point, enum wait_policy policy)
{
	wait_wake_all(point, policy, 1);
}
