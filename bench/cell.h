/* A cell: one combination of all parameters of a measurement. */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "placement.h"
#include "queue.h"
#include "wait.h"

enum workload { WORKLOAD_STREAM, WORKLOAD_PINGPONG, WORKLOAD_FANIN, WORKLOAD_FANOUT, WORKLOAD_MESH, WORKLOAD_PIPELINE };
enum load { LOAD_SATURATE, LOAD_CLOSED, LOAD_OPEN };
enum arrival { ARRIVAL_CONSTANT, ARRIVAL_POISSON, ARRIVAL_BURST };
enum touch { TOUCH_ALL, TOUCH_HEAD };
/* of a message's way, in its order */
enum point { POINT_INTENDED, POINT_WRITE, POINT_FLUSH, POINT_PREREAD, POINT_READ, POINT_HANDLED, POINT_COUNT };
enum stamp_mode {
	STAMPS_NONE,
	STAMPS_BATCH,   /* one per batch and end, and no nearer than CELL_STAMP_SPACING messages, but of few */
	STAMPS_MESSAGE, /* each message */
	STAMPS_EVERY,   /* one message in stamp_every */
};
enum memory_owner { MEMORY_OF_PRODUCER, MEMORY_OF_CONSUMER, MEMORY_INTERLEAVED, MEMORY_OF_NODE };

enum {
	CELL_STAMP_SPACING = 256,
	CELL_STAMPS_OF_FEW = 64, /* where so many messages are to be measured that these would be fewer, they are stamped nearer */
	CELL_ACTORS_MAX = 16,
	CELL_QUEUES_MAX = CELL_ACTORS_MAX - 1,
	CELL_STAGES_MIN = 3, /* a pipeline of two is a stream */
	CELL_LATENCIES_MAX = 15, /* pairs of points */
	CELL_TEXT = 256,
	CELL_WINDOW_UNBOUNDED = 65536, /* default window of a saturated unbounded queue, messages */
	CELL_WINDOW_CLOSED = 64,       /* default window of a closed stream, messages */
	CELL_STAMP_BYTES_MAX = 256 << 20,
};

/* The place of threads that are not pinned. */
#define CELL_UNPINNED "unpinned"

/* A latency that was asked for: from one point of a message's way to a later one. */
struct latency_pair {
	enum point from, to;
};

struct cell {
	const struct queue *queue; /* its table */
	enum workload workload;
	enum load load;
	/* of an open load: messages/s of all producers together, or percents of the capacity that is measured first; or neither, but bursts
	 * with a gap */
	uint64_t rate_per_s, rate_percent;
	enum arrival arrival;
	uint64_t burst;         /* of ARRIVAL_BURST: messages that are due at once; else 0 */
	uint64_t gap_ns;        /* from one burst of a producer to the next; 0: by the rate */
	uint64_t work_ns;       /* a consumer's busy work per message */
	uint64_t think_ns;      /* a producer's busy work between messages; not of an open load */
	uint64_t window;        /* messages outstanding at most, of all producers together; 0: none */
	uint64_t batch;         /* messages staged before a flush */
	uint64_t message_bytes;
	enum touch touch;
	uint64_t capacity;      /* messages; 0: the queue is unbounded */
	unsigned producers, consumers; /* of a queue */
	unsigned stages;        /* a pipeline's actors; 0 of other workloads */
	bool prewrite;          /* false: each message is flushed by itself, whatever the batch */
	bool preread;           /* false: each message is taken note of by itself */
	char place[PLACEMENT_NAME];
	int cpus[CELL_ACTORS_MAX]; /* the operating system's numbers, by actor */
	enum wait_policy wait;
	enum memory_owner memory_owner;
	int memory_node;        /* of MEMORY_OF_NODE */
	int huge_pages;         /* enum memory_pages */
	uint64_t duration_ns;   /* 0 where messages says when to end */
	uint64_t messages;      /* 0 where duration_ns says */
	uint64_t warm_up_ns;
	enum stamp_mode stamps;
	uint64_t stamp_every;   /* of STAMPS_EVERY */
	struct latency_pair latencies[CELL_LATENCIES_MAX];
	size_t latency_count;
};

/* The words of the enumerations above, in their order, ended by NULL: for parsers, records and error messages. */
extern const char *const workload_names[], *const load_names[], *const touch_names[], *const point_names[], *const arrival_names[];
/* Those that stand beside a number: MEMORY_OF_NODE and STAMPS_EVERY come where these end. And enum memory_pages. */
extern const char *const memory_owner_names[], *const stamp_mode_names[], *const huge_pages_names[];

/* "write:read"; the order of the two points is not looked at. False: that is no pair of points. */
bool latency_pair_parse(struct latency_pair *pair, const char *text);

/* The cell as the record has it. A new reference. */
json_t *cell_to_json(const struct cell *cell);

/* The reverse, for a trial's process. 0, or −EINVAL with the field and the reason in error. */
int cell_from_json(struct cell *cell, const json_t *json, char error[CELL_TEXT]);
/* The same where its queue may be one that is not built in; queue: its table, or NULL. */
int cell_of_queue_from_json(struct cell *cell, const json_t *json, const struct queue *queue, char error[CELL_TEXT]);

/* One queue, with several endpoints on a side: fanin, fanout, mesh. Its actors are the producers, then the consumers. */
bool cell_is_fan(const struct cell *cell);
unsigned cell_actors(const struct cell *cell);
/* A pipeline's queue i leads from actor i to actor i + 1, a ping-pong's queue 1 back from actor 1 to actor 0. */
unsigned cell_queues(const struct cell *cell);
unsigned cell_first_consumer(const struct cell *cell);
/* Whether its threads are left to the scheduler: on purpose, to see what that does. Its CPUs are those that they would have
 * been pinned to. */
bool cell_is_unpinned(const struct cell *cell);
/* Whether this actor shares its CPU with another one; whether any does. */
bool cell_shares_cpu(const struct cell *cell, unsigned actor);
bool cell_is_crowded(const struct cell *cell);
/* The actor that the line is measured to from actor 0: the first consumer, or else the next actor on another CPU than that one's. */
unsigned cell_line_partner(const struct cell *cell);

/* The bytes of its queues' memory, for all queues of the workload. 0, −EINVAL (outside of the queue's rules), −EOVERFLOW, or −EAGAIN: a
 * plug-in is still to be asked (plugins.h). */
int cell_footprint(const struct cell *cell, size_t *bytes);

/* Whether the queue's traits allow such messages, such a capacity (0 for an unbounded queue, and nothing else). */
bool cell_message_allowed(const struct queue *queue, uint64_t message_bytes);
bool cell_capacity_allowed(const struct queue *queue, uint64_t capacity);

/* How long it takes at most to work off what is queued when its senders end: a trial is over when all was read. */
double cell_backlog_ns(const struct cell *cell);

/* Whether consumers stamp messages at `handled`, be it that they work on them or that it is asked for. */
bool cell_handles(const struct cell *cell);

/* How many stamps one of its producer (consumer) endpoints has room for: enough for the fastest that was seen, up to
 * CELL_STAMP_BYTES_MAX. A consumer has room for those of all producers, for it may be the one that reads them all. */
uint64_t cell_stamp_room(const struct cell *cell, bool consumer);
/* The bytes that they take. */
uint64_t cell_stamp_bytes(const struct cell *cell, bool consumer);
/* All its endpoints'. */
uint64_t cell_stamp_bytes_all(const struct cell *cell);

/* The configuration of each of its queues; memory is left NULL. */
struct queue_config cell_queue_config(const struct cell *cell);

#endif
