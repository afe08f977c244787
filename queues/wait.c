#include "wait.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "membarrier.h"

/* Polls before giving way: about 10 us on a 3 GHz core, which is what a sleep and its wake-up cost. */
enum { SPINS_BEFORE_YIELD = 256, SPINS_BEFORE_PARK = 512 };

/* WAIT_ADAPTIVE polls so often before it asks how long to go on: where it does not, this is all that it polls. */
enum { SPINS_BEFORE_ASKING = 64 };

enum {
	VAIN_MOST = 4,          /* after so many vain sleeps in a row it does not poll on */
	LOOKS_MOST = 64,        /* after so many looks in vain in a row by read-modify-write the other side goes back to loads */
	REFUSED_NAP_NS = 1000000,
};

const char *const wait_policy_names[] = {"spin", "yield", "park", "eventfd", "adaptive", "native", NULL};

int wait_open_shared(struct wait_point *point, enum wait_policy policy, unsigned sleepers)
{
	/* each way has what it costs: the others' wakers exchange, and their sleepers interrupt nobody */
	*point = (struct wait_point){.asymmetric = policy == WAIT_ADAPTIVE && membarrier_register()};
	point->alone = point->asymmetric && sleepers == 1;
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
	case WAIT_ADAPTIVE:
		return SPINS_BEFORE_ASKING;
	default:
		return UINT_MAX;
	}
}

void wait_announce_as(struct wait_point *point, unsigned sleeper)
{
	bool often = point->alone && point->patience[sleeper].vain >= VAIN_MOST;
	/* A1 acq_rel: pairs with A0 in wait_announced(). The two meet in one order on this word: whichever comes second sees
	 * what the other side did before: either the waiter's last look finds the message (the room), or the other side
	 * finds the waiter. */
	uint32_t found = fetch_or_acq_rel(&point->sleeping, UINT32_C(1) << sleeper | (often ? WAIT_EXCHANGES : 0));

	/* Found set, it was set by this thread, which then was here below: no look since can have missed it but by being a
	 * read-modify-write itself. Who takes it away does so by such a look, which finds this announcement, or comes before it; and
	 * then it was not found. */
	if (found & WAIT_EXCHANGES)
		return;
	/* M1: pairs with M0 in wait_announced(): behind it either the other side's next look finds the waiter, or the waiter's last look
	 * finds what the other side flushed. */
	if (point->asymmetric && !membarrier_all())
		store_relaxed(&point->refused, true); /* relaxed: for sleepers, and each one finds out by itself */
}

uint32_t wait_take_announced(struct wait_point *point)
{
	/* relaxed: a count that may be wrong */
	uint32_t looked = load_relaxed(&point->looked), keeps = looked < LOOKS_MOST ? WAIT_EXCHANGES : 0;
	/* A0 acq_rel: as in wait_announced() */
	uint32_t sleepers = fetch_and_acq_rel(&point->sleeping, keeps) & ~WAIT_EXCHANGES;

	store_relaxed(&point->looked, sleepers || !keeps ? 0 : looked + 1);
	return sleepers;
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
	if (queue_unlikely(load_relaxed(&point->refused))) { /* relaxed: see wait_announce_as() */
		/* No order, no promise of a wake-up: FUTEX_WAIT's time is relative. */
		const struct timespec nap = {.tv_nsec = REFUSED_NAP_NS};

		syscall(SYS_futex, &point->wakes, FUTEX_WAIT_PRIVATE, ticket, &nap);
		return;
	}
	syscall(SYS_futex, &point->wakes, FUTEX_WAIT_BITSET_PRIVATE, ticket, NULL, NULL, UINT32_C(1) << sleeper);
}

void wait_sleep(struct wait_point *point, enum wait_policy policy, uint32_t ticket)
{
	wait_sleep_as(point, policy, ticket, 0);
}

void wait_expect(struct wait_point *point, uint64_t wake_ticks)
{
	for (unsigned i = 0; i < WAIT_SLEEPERS_MAX; i++)
		point->patience[i].wake_ticks = wake_ticks;
}

/* Whether to wait awake, and how long, without knowing how long it takes: whoever polls as long as a wake-up costs and then sleeps never
 * pays more than twice what one would who knew (A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator, 1988). Of waits that are all
 * long that is twice too much: after some vain ones it does not poll on until one was short, asleep or not. */
bool wait_polls_on(struct wait_point *point, unsigned sleeper, bool first, uint64_t now)
{
	struct wait_patience *patience = &point->patience[sleeper];

	if (first) {
		patience->began = now;
		if (!patience->slept)
			patience->vain = 0; /* the wait before ended while it polled */
		patience->slept = false;
	}
	patience->gave_up = now;
	return patience->vain < VAIN_MOST && now - patience->began < patience->wake_ticks;
}

void wait_woke(struct wait_point *point, unsigned sleeper, uint64_t now)
{
	struct wait_patience *patience = &point->patience[sleeper];
	/* relaxed: a time, and compared with others */
	uint64_t sent = load_relaxed(&point->wake_sent), took = now - sent;

	patience->slept = true;
	/* it never slept, or woke for no reason */
	if ((int64_t)(sent - patience->gave_up) <= 0 || (int64_t)took <= 0)
		return;
	if (!patience->wake_ticks)
		patience->wake_ticks = took;
	/* in steps, towards the median: what else ran on this CPU for once is no cost of a wake-up */
	if (took > patience->wake_ticks)
		patience->wake_ticks += patience->wake_ticks / 16;
	else if (took < patience->wake_ticks)
		patience->wake_ticks -= patience->wake_ticks / 16;
	patience->vain = sent - patience->began <= patience->wake_ticks ? 0 : patience->vain + (patience->vain < VAIN_MOST);
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
