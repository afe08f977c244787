/* How an endpoint waits while its queue is full or empty. Apart from the queues: they never wait.
 *
 * Each direction of waiting (a reader for messages, a writer for room) has a wait_point, which both sides share. The waiting
 * side spins a while, inline; beyond the policy's limit it calls one of the cold functions below, at most once per SPINS polls. */
#ifndef QUEUES_WAIT_H
#define QUEUES_WAIT_H

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

enum wait_policy {
	WAIT_SPIN,    /* polls until it is there */
	WAIT_YIELD,   /* polls some times, then gives its CPU away between polls */
	WAIT_PARK,    /* polls some times, then sleeps on a futex until the other side wakes it */
	WAIT_EVENTFD, /* the same, asleep in a read of an eventfd */
	/* as WAIT_PARK, but it polls for about as long as its last wake-ups took, and not at all where that was in vain of late; whoever
	 * may have to wake it executes no locked instruction for that */
	WAIT_ADAPTIVE,
	WAIT_NATIVE,  /* the queue blocks by its own means */
	WAIT_POLICIES,
};

extern const char *const wait_policy_names[]; /* in that order, ended by NULL */

enum { WAIT_SLEEPERS_MAX = 31 }; /* at one point: a bit each */

/* Not a sleeper, but in their word, of a point that has one: whoever flushes or prereads looks by a read-modify-write, so that falling
 * asleep takes no membarrier. Set by a sleeper that has reason to think that it will sleep often; taken away by looks in vain. */
#define WAIT_EXCHANGES (UINT32_C(1) << WAIT_SLEEPERS_MAX)

/* Of one sleeper under WAIT_ADAPTIVE; its own. Times are ticks of the caller's clock. */
struct wait_patience {
	uint64_t began;      /* the time of the first look of this wait that was asked about */
	uint64_t gave_up;    /* the time of the last one */
	/* from a wake-up's sending to this sleeper's being awake: about the median; before the first one: wait_expect(), else 0 */
	uint64_t wake_ticks;
	unsigned vain;       /* sleeps in a row that polling would not have spared */
	bool slept;          /* in the last wait */
};

struct wait_point {
	/* bit i: sleeper i is about to sleep. Set by it before it looks a last time; cleared by whoever wakes it */
	uint32_t sleeping QUEUE_ALIGNED;
	uint32_t wakes;                  /* the futex word: counts wake-ups */
	bool asymmetric;                 /* constant: who looks for sleepers loads; who falls asleep pays for the order, by membarrier(2) */
	bool alone;                      /* constant: one sleeper, asymmetric: WAIT_EXCHANGES may be used */
	uint32_t looked;                 /* the other side's: looks by read-modify-write in a row that found nobody; only about */
	bool refused;                    /* sleepers': that was refused after all, and they wake by themselves every now and then */
	uint64_t wake_sent;              /* ticks: the time of the last wake-up; of WAIT_ADAPTIVE, else 0 */
	/* counted for the record */
	uint64_t yields QUEUE_ALIGNED, sleeps; /* the waiters' */
	uint64_t wakes_sent QUEUE_ALIGNED;     /* the other side's */
	/* constant: by sleeper; of WAIT_EVENTFD. One each: a wake-up can't be taken by another one than it was meant for. */
	unsigned eventfd_count QUEUE_ALIGNED;
	int eventfds[WAIT_SLEEPERS_MAX];
	struct wait_patience patience[WAIT_SLEEPERS_MAX] QUEUE_ALIGNED; /* each sleeper's; touched in cold code alone */
};

/* For one sleeper, number 0. 0, or −errno where WAIT_EVENTFD gets no descriptor. */
int wait_open(struct wait_point *point, enum wait_policy policy);
/* For sleepers 0 … sleepers − 1, at most WAIT_SLEEPERS_MAX, all of whom may sleep there at once, each under its number. */
int wait_open_shared(struct wait_point *point, enum wait_policy policy, unsigned sleepers);
void wait_close(struct wait_point *point);

/* How many polls in a row may find nothing before wait_… below is called; UINT_MAX: any number. */
unsigned wait_spins(enum wait_policy policy);

QUEUE_COLD void wait_yield(struct wait_point *point);

/* The value to be handed to wait_sleep(); taken before the last look at the queue. */
QUEUE_INLINE uint32_t wait_ticket(const struct wait_point *point)
{
	/* relaxed: read by the waiter before it announces itself; a wake-up in between changes it, and the sleep ends at once. */
	return load_relaxed(&point->wakes);
}

/* Tells the other side that this one is about to sleep. The queue must be looked at once more afterwards. */
QUEUE_COLD void wait_announce_as(struct wait_point *point, unsigned sleeper);

/* Takes back its own announcement alone: another sleeper may have announced itself, and sleep by now. */
QUEUE_INLINE void wait_withdraw_as(struct wait_point *point, unsigned sleeper)
{
	/* A2 acquire: pairs with A0. At worst one needless wake-up was sent meanwhile; no plain store, for it could hide from the
	 * next announcement what the sender of that wake-up had flushed before. */
	fetch_and_acquire(&point->sleeping, ~(UINT32_C(1) << sleeper));
}

QUEUE_INLINE void wait_announce(struct wait_point *point)
{
	wait_announce_as(point, 0);
}

QUEUE_INLINE void wait_withdraw(struct wait_point *point)
{
	wait_withdraw_as(point, 0);
}

/* Of an asymmetric point: who is announced, for the caller to wake. */
QUEUE_COLD uint32_t wait_take_announced(struct wait_point *point);

/* After a flush (a release), after a preread: who must be woken, a bit each. Whoever asks must wake them. */
QUEUE_INLINE uint32_t wait_announced(struct wait_point *point)
{
	if (point->asymmetric) {
		/* M0: pairs with M1 in wait_announce_as(), which makes it a barrier when it matters. Here the compiler alone is kept
		 * from moving the load before the flush's store: where the processor does so, and the load misses the waiter, then the
		 * waiter's last look comes after the store. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		/* relaxed: M0 orders it; what else is learnt from the waiter, A0 acquires. */
		if (queue_likely(!load_relaxed(&point->sleeping)))
			return 0;
		return wait_take_announced(point);
	}
	/* A0 acq_rel: pairs with A1 in wait_announce_as() and A2 in wait_withdraw_as(). A read-modify-write and no load: a load could
	 * pass the flush's store. */
	return exchange_acq_rel(&point->sleeping, 0);
}

/* The same of a point that has one sleeper. */
QUEUE_INLINE bool wait_is_announced(struct wait_point *point)
{
	return wait_announced(point) != 0;
}

/* Sleeps until a wake-up was sent to this sleeper after the ticket was taken; may return early. */
QUEUE_COLD void wait_sleep_as(struct wait_point *point, enum wait_policy policy, uint32_t ticket, unsigned sleeper);
QUEUE_COLD void wait_sleep(struct wait_point *point, enum wait_policy policy, uint32_t ticket);
/* WAIT_ADAPTIVE: what a wake-up is taken to cost as long as none was seen; before anybody waits there. */
void wait_expect(struct wait_point *point, uint64_t wake_ticks);
/* WAIT_ADAPTIVE: after a number of polls in vain, and each further one: whether to go on polling. first: it is asked for the first time in
 * this wait. */
QUEUE_COLD bool wait_polls_on(struct wait_point *point, unsigned sleeper, bool first, uint64_t now);
/* WAIT_ADAPTIVE: to be called after each sleep. */
QUEUE_COLD void wait_woke(struct wait_point *point, unsigned sleeper, uint64_t now);
/* Wakes these, as wait_announced() told them. */
QUEUE_COLD void wait_wake_all(struct wait_point *point, enum wait_policy policy, uint32_t sleepers);
QUEUE_COLD void wait_wake(struct wait_point *point, enum wait_policy policy);

#ifdef __cplusplus
}
#endif

#endif
