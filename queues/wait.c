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

int wait_open(struct wait_point *point, enum wait_policy policy)
{
	*point = (struct wait_point){.eventfd = -1};
	if (policy != WAIT_EVENTFD)
		return 0;
	point->eventfd = eventfd(0, EFD_CLOEXEC);
	return point->eventfd < 0 ? -errno : 0;
}

void wait_close(struct wait_point *point)
{
	if (point->eventfd >= 0)
		close(point->eventfd);
	point->eventfd = -1;
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
	point->yields++;
	sched_yield();
}

void wait_sleep(struct wait_point *point, enum wait_policy policy, uint32_t ticket)
{
	point->sleeps++;
	if (policy == WAIT_EVENTFD) {
		uint64_t count;

		/* A wake-up sent before this read makes it return at once: the descriptor counts. */
		while (read(point->eventfd, &count, sizeof(count)) < 0 && errno == EINTR)
			;
		return;
	}
	syscall(SYS_futex, &point->wakes, FUTEX_WAIT_PRIVATE, ticket, NULL, NULL, 0);
}

void wait_wake(struct wait_point *point, enum wait_policy policy)
{
	fetch_add_relaxed(&point->wakes_sent, 1); /* several producers may wake one reader; only counted */
	if (policy == WAIT_EVENTFD) {
		uint64_t one = 1;

		while (write(point->eventfd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		return;
	}
	/* relaxed: the futex call orders it; the waiter learns of messages from the queue, not from here. */
	fetch_add_relaxed(&point->wakes, 1);
	syscall(SYS_futex, &point->wakes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
