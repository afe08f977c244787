/* The cases in which threads are set upon a queue. Which there are follows from the queue's traits: each shape that they allow, up to 4
 * producers and 4 consumers, on all CPUs and on one, each way of waiting with each capacity; the rest is drawn. */
#ifndef QUEUES_CHECK_CASES_H
#define QUEUES_CHECK_CASES_H

#include <pthread.h>

#include "queue.h"
#include "verdict.h"
#include "wait.h"

enum { CASE_ENDPOINTS_MAX = 4 }; /* of each kind */

struct check_case {
	const struct queue *queue;
	enum wait_policy wait;
	size_t capacity, message_bytes, batch; /* as near as the queue's traits allow */
	unsigned producers, consumers;
	uint64_t messages;                     /* by each producer; fewer where the time is up before, but at least a batch */
	uint64_t most_ns;                      /* that a producer goes on for */
	uint64_t counter_start;
	uint64_t seed, number;                 /* that it was drawn by */
	bool one_cpu;                          /* all threads share one */
	unsigned watchdog_seconds;             /* see patience.h */
};

struct check_plan {
	unsigned times; /* so many rounds, each of other cases; 0 is 1 */
	uint64_t seed;
	uint64_t only;  /* case, from 1; 0: all */
	unsigned watchdog_seconds;
};

/* That of the test programs: one round, or TWOPOINT_STRESS of them; seed 1, or TWOPOINT_SEED. */
struct check_plan case_plan_of_tests(void);

/* How many cases a round has; 0: the queue can't be shared by threads. */
unsigned case_count(const struct queue *queue);
/* number: from 1. The same for the same queue, seed and number. */
struct check_case case_draw(const struct queue *queue, const struct check_plan *plan, uint64_t number);
/* The queue, the case, how to draw it again. */
char *case_text(const struct check_case *drawn, char *text, size_t size);
/* What the random numbers of an endpoint, producers first, begin with: not 0. */
uint64_t case_seed(const struct check_case *drawn, unsigned endpoint);
/* Its queue's configuration, but for the memory. */
struct queue_config case_config(const struct check_case *drawn);

/* Seconds after which a case's process is ended whatever it does: long after its own watchdog, which knows what hangs. */
unsigned case_seconds(const struct check_case *drawn);

/* Runs all that the plan asks for; stops at the first that fails. *cases counts them. */
struct verdict case_run_all(const struct queue *queue, const struct check_plan *plan,
			    struct verdict (*run)(const struct check_case *drawn), unsigned *cases);

/* For a case's process: memory for the test itself, and all threads to come on the CPU that this one runs on. Both fail the
 * verdict where that can't be had. */
void *case_allocate(struct verdict *verdict, size_t count, size_t bytes);
void case_share_one_cpu(struct verdict *verdict);

/* Joins a thread that ends within a tenth of a second. */
bool case_thread_ended(pthread_t thread);
/* CLOCK_MONOTONIC. */
uint64_t case_clock_ns(void);

#endif
