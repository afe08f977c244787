/* What an endpoint's loop is given, and what it gives back. */
#ifndef BENCH_ENDPOINT_H
#define BENCH_ENDPOINT_H

#include "arrivals.h"
#include "clock.h"
#include "queue.h"
#include "wait.h"

typedef unsigned __int128 ticks_sum; /* a sum of readings: 2^64 of them don't overflow it */

/* When one message was at an endpoint's two points. Written into memory of the endpoint's own. */
struct stamp {
	uint64_t sequence;
	uint64_t outer; /* ticks at `write` (producer) or `read` (consumer) */
	uint64_t inner; /* ticks at `flush` or `preread`; 0: not stamped */
};

struct stamps {
	struct stamp *at;  /* borrowed */
	uint64_t *outmost; /* likewise, by the same index: ticks at `intended` (producer) or `handled` (consumer); NULL: not stamped */
	size_t count, room;
};

/* So many measured messages had passed a point at that time. */
struct mark {
	uint64_t count, ticks;
};

/* Windows of time, one behind the other from an endpoint's first mark on: how many measured messages had passed it when each was over. */
enum { TIME_WINDOWS_MAX = 1024 }; /* a longer trial's are wider */

struct time_windows {
	uint64_t width_ticks;
	uint64_t end_ticks; /* of the one that is on; 0: none is yet */
	size_t count;       /* whole ones */
	uint64_t passed[TIME_WINDOWS_MAX];
};

/* What the two ends of one queue share besides it. */
struct stream_shared {
	uint64_t read QUEUE_ALIGNED;        /* consumer: messages read; kept only where there is a window */
	uint64_t stamp_every QUEUE_ALIGNED; /* producer, before its first measured message: stamp one in so many; 0: none */
	struct wait_point messages;         /* where a reader waits for messages */
	struct wait_point room;             /* where a writer waits for room */
};

enum { FAN_SIDE_MAX = 15 }; /* producers, consumers of one queue */

/* One producer's part of what follows. */
struct fan_producer {
	uint64_t read QUEUE_ALIGNED; /* consumers: its messages read; kept only where there is a window */
	/* producer, before its first measured message: that one's sequence number; stamp one in so many from there on; 0: none */
	uint64_t from QUEUE_ALIGNED, stamp_every;
};

/* What all ends of a queue share that has several on a side, besides struct stream_shared. */
struct fan_shared {
	unsigned producers, consumers; /* constant */
	bool multicast;                /* constant: each consumer gets each message */
	uint64_t producers_left QUEUE_ALIGNED; /* all: those that have not flushed their last message */
	uint64_t cut_short;                    /* producers: one has no more room for stamps, all end */
	uint64_t consumers_left QUEUE_ALIGNED; /* consumers */
	uint64_t nudges_seen;                  /* consumers: messages that say no more than that all others were flushed */
	struct fan_producer by_producer[FAN_SIDE_MAX];
};

/* A set of one producer's messages: equal ones have equal tallies, and others do not. */
struct fan_tally {
	uint64_t messages, fingerprint;
};

struct endpoint_plan {
	void *endpoint; /* the queue's */
	struct stream_shared *shared;
	struct fan_shared *fan; /* NULL: one producer, one consumer */
	unsigned sleeper;       /* its number at the wait points of its side */
	uint64_t *read;                 /* of a window, a fan's producers: where it is told how far their messages were read */
	struct wait_point *window_room; /* of a window: where producers wait for that */
	enum clock_source clock;
	unsigned producer; /* whose messages: index */
	size_t batch;      /* messages: staged before a flush; taken at once from what is noted */
	size_t stride, touched; /* bytes */
	uint64_t window;      /* messages outstanding at most; 0: any number */
	uint64_t look_every;  /* messages from one look at the clock to the next: of batch, or a part of one that takes long */
	uint64_t stamp_every; /* as asked for; 0: no stamps */
	bool inner;           /* stamp flush and preread as well */
	bool read_singly;     /* one read after each preread, whatever it noted */
	const struct arrivals *arrivals; /* a producer's, under an open load; else NULL */
	uint64_t late_ticks;  /* of that: so long beyond the measured phase, what was due within it is written still */
	bool yields;          /* while it waits for a message to be due it gives its CPU away: others need it */
	bool handles;         /* a consumer: works on each message by itself, and stamps `handled`. Its look_every is 1 */
	uint64_t work_steps;  /* of that: busy_work(); may be 0 */
	uint64_t think_steps; /* a producer's, before each message; where it is not 0, its look_every is 1 */
	uint64_t warm_up_ticks, measure_ticks, measure_messages; /* the latter two: UINT64_MAX where the other one decides */
	uint64_t time_window_ticks; /* 0: none are counted */
	enum wait_policy wait;
	unsigned spins; /* polls in vain before waiting in the kernel */
	void (*measuring)(void *context); /* called once by the first producer before its first measured message; cold */
	void *context;
};

struct endpoint_account {
	/* of the measured phase */
	uint64_t messages;
	uint64_t batches; /* producer: flushes; consumer: prereads that found something */
	uint64_t refused; /* producer: attempts that found no room */
	uint64_t empty;   /* consumer: prereads that found nothing */
	struct mark outer_first, outer_last, inner_first, inner_last, outmost_first, outmost_last;
	ticks_sum outer_sum, inner_sum, outmost_sum; /* over all stamps, kept in the loop */
	struct stamps stamps;
	/* of all phases */
	uint64_t all_messages;
	struct fan_tally tallies[FAN_SIDE_MAX]; /* of a fan: by producer */
	uint64_t looked, longest_gap; /* of a fan: ticks of the last look at the clock; the longest time from one to the next */
	/* a consumer's findings */
	uint64_t lost, repeated, torn; /* jumped over; came when it was not their turn any more; of other contents than was written */
	/* of one producer and one consumer: what was jumped over, less what came after its turn; all 0: the same ones */
	struct fan_tally missed;
	/* a producer's: there was no more room for stamps, and it ended early */
	bool stamps_full;
	/* a producer's, under an open load: what was due from then on (ticks), to the end of the measured phase, was never written; 0: all was */
	uint64_t unwritten_from, unwritten_to;
	struct time_windows windows; /* of the measured phase; the longest field stands last */
};

#endif
