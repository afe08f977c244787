/* What came of an open load: whether the rate that was asked for was reached, and whether the backlog ever ceased to grow. */
#ifndef BENCH_OPEN_LOAD_H
#define BENCH_OPEN_LOAD_H

#include <jansson.h>

#include "trial.h"

enum { OPEN_QUARTERS = 4 };

/* A schedule in four quarters, and of each the least time from `intended` to `read`. */
struct open_quarters {
	uint64_t first, last; /* ticks: intended times of the first and the last stamped message */
	bool known[OPEN_QUARTERS];
	int64_t least[OPEN_QUARTERS]; /* ticks */
	uint64_t read; /* ticks: when the last message was; 0: none was */
};

struct open_quarters open_quarters_begin(uint64_t first, uint64_t last);
/* One message that was intended then, ≥ first, and read so many ticks later. */
void open_quarters_add(struct open_quarters *quarters, uint64_t intended, int64_t response);

/* Whether the backlog never ceased to grow: the least response of each quarter exceeds that of the one before by more than a thousandth of
 * the schedule's length. One stall, however long, makes it grow once: from then on it falls, and one of three quarters is no worse than the
 * one before. What is offered beyond the capacity makes it grow in each. False where a quarter has no message. */
bool open_quarters_grow(const struct open_quarters *quarters);
bool open_quarters_are_known(const struct open_quarters *quarters);

/* Of a schedule with too few bursts for that, a quarter of which has no message: whether the backlog grew from each burst to the next, and
 * the last one was not read before one more had been due. What is offered beyond the capacity does so from the first burst on. gap_ticks:
 * from one burst to the next, of all producers. */
bool open_quarters_outlast(const struct open_quarters *quarters, double gap_ticks);

/* Whether what was offered is the capacity or more by what was measured of both, and less than what is scheduled was written or read in its
 * time: the backlog has no bound, even where stalls of the machine hide how it grew. Shares < 0, a capacity of 0: unknown. */
bool open_load_exceeds(double written_share, double read_share, double offered_per_s, double capacity_per_s);

/* Ticks from when a message is due until it is late for the rate to be reached: what is due at once has the time until the next burst, each
 * message its share of it. 0 where each is due by itself. */
double open_load_grace(const struct arrivals *arrivals, uint64_t sequence);

/* How a trial under an open load fared. */
struct open_load {
	/* of all producers: messages over the time from when the first was due to when the last was written, or, of a burst, its share of
	 * the time to the next one was over; < 0: unknown */
	double reached_per_s;
	double reached_share; /* of what it were, had the last been written by then: never above 1; < 0: unknown */
	struct open_quarters quarters;
	bool saturated;
};

struct open_load open_load_judge(const struct trial *trial);

/* What the record says of it. A new reference. */
json_t *open_load_to_json(const struct trial *trial, const struct open_load *load);

#endif
