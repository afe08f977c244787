/* What the parts of a trial's report share. */
#ifndef BENCH_TRIAL_PARTS_H
#define BENCH_TRIAL_PARTS_H

#include <math.h>

#include "audit.h"
#include "histogram.h"
#include "open_load.h"

enum {
	REPORT_PAIRS_MAX = 16, /* of producer and consumer: more are told of together alone */
	REPORT_QUANTA_LEAST = 100, /* a measurement shorter than so many clock quanta is none */
	REPORT_LATENCIES = CELL_LATENCIES_MAX * (REPORT_PAIRS_MAX + 1),
};

/* A latency of a trial: between two points, each at an endpoint; of a fan also of all its producers and consumers together. */
struct latency {
	const struct trial_endpoint *from, *to; /* NULL: all of them */
	enum point from_point, to_point;
	struct histogram *histogram;
	/* what the audit holds it against; where it is a part of another one, nothing */
	bool part;
	uint64_t alone;    /* stamps without a partner */
	uint64_t expected; /* latencies */
	__int128 area;     /* Σ to − Σ from, kept in the loops */
};

struct report {
	const struct trial *trial;
	double ticks_per_s;
	uint64_t measured_ticks; /* that the measured phase took */
	double offset_low_ns, offset_high_ns; /* of actor 1's clock against actor 0's: all that is known */
	double least_trip_ns;
	struct audit audit;
	struct latency latencies[REPORT_LATENCIES];
	size_t latency_count;
	struct open_load open; /* of an open load */
};

static inline double report_ns(const struct report *report, double ticks)
{
	return clock_ns(ticks, report->ticks_per_s);
}

/* Whether so long a time is told by the clock with some precision. */
static inline bool report_is_resolved(const struct report *report, uint64_t ticks)
{
	return ticks >= REPORT_QUANTA_LEAST * report->trial->request->clock.quantum_ticks;
}

/* Nanoseconds to a tenth: a record is read by people, too. */
static inline json_t *report_ns_to_json(double ns)
{
	return json_real(round(ns * 10) / 10);
}

static inline bool report_is_open(const struct report *report)
{
	return report->trial->request->cell.load == LOAD_OPEN;
}

/* Whether messages are stamped there: only the first producers intend times, and only who works on a message handles it. */
bool report_has_point(const struct trial_endpoint *end, enum point point);
/* The first endpoint of that queue where messages pass the point, or NULL. */
const struct trial_endpoint *report_endpoint_at(const struct trial *trial, unsigned queue, enum point point);
/* How often a fan's message is read. */
unsigned report_copies(const struct trial *trial);
/* The clocks' offset is known between two CPUs: those that the line was measured between. */
bool report_is_line_cpu(const struct trial *trial, int cpu);

/* In trial_latency.c. Finds all latencies that were asked for; false: no memory. Their histograms are to be freed in any case. */
bool report_find_latencies(struct report *report);
json_t *report_latency_to_json(const struct report *report, const struct latency *latency);

/* In trial_audit.c: notes all checks, once the latencies are found. */
void report_audit(struct report *report);

#endif
