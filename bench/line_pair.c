#include "line_pair.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pin.h"

struct pair_side {
	struct pair_work *work;
	int cpu;
	bool asks;
	char error[PIN_TEXT];
};

struct pair_work {
	const struct clock *clock;
	struct line_exchange exchange;
	struct line_result result;
	pthread_barrier_t ready;
	bool failed;
};

static void *pair_main(void *argument)
{
	struct pair_side *side = argument;
	struct pair_work *work = side->work;

	if (pin_self(side->cpu, side->error))
		store_relaxed(&work->failed, true); /* relaxed: the barrier orders it */
	pthread_barrier_wait(&work->ready);
	if (load_relaxed(&work->failed))
		return NULL;
	if (side->asks)
		line_ask(&work->exchange, work->clock->source, false, &work->result);
	else
		line_answer(&work->exchange, work->clock->source, false);
	return NULL;
}

double line_pair_measure(const struct clock *clock, int from, int to, struct line_result *result, char *error)
{
	struct pair_work *work = aligned_alloc(QUEUE_LINE_PAIR, sizeof(*work));
	struct pair_side sides[2] = {{work, from, true, ""}, {work, to, false, ""}};
	pthread_t answering;
	double round_trip_ns = -1;

	if (!work) {
		snprintf(error, LINE_PAIR_TEXT, "no memory");
		return -1;
	}
	memset(work, 0, sizeof(*work));
	work->clock = clock;
	pthread_barrier_init(&work->ready, NULL, 2);
	if (pthread_create(&answering, NULL, pair_main, &sides[1])) {
		snprintf(error, LINE_PAIR_TEXT, "starting a thread failed");
	} else {
		pair_main(&sides[0]);
		pthread_join(answering, NULL);
		if (work->failed)
			snprintf(error, LINE_PAIR_TEXT, "%s", sides[0].error[0] ? sides[0].error : sides[1].error);
		else
			round_trip_ns = clock_ns(work->result.median_ticks, clock->ticks_per_s);
		if (result)
			*result = work->result;
	}
	pthread_barrier_destroy(&work->ready);
	free(work);
	return round_trip_ns;
}
