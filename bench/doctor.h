/* `twopoint doctor`: what here disturbs a measurement, by how much, and how to mend it. Reads and measures; changes nothing. */
#ifndef BENCH_DOCTOR_H
#define BENCH_DOCTOR_H

#include "clock.h"
#include "disturbance.h"
#include "limits.h"
#include "options.h"
#include "topology.h"

enum { DOCTOR_TEXT = 320, DOCTOR_FINDINGS = 32, DOCTOR_LINES = 24 };

/* What was measured; times in ns, shares of the time watched. */
struct doctor_measured {
	uint64_t watched_ns;     /* all usable CPUs at the same time, for so long */
	double stall_share;      /* a loop that reads the clock stood still */
	double longest_stall_ns, long_stalls_per_s; /* long: over 10 us; of one CPU */
	double steal_share;      /* < 0: this kernel does not tell */
	double delay_share;      /* ready to run, but another had the CPU; < 0: not told */
	double switches_per_s;   /* of one CPU: taken away from a thread that had not done; < 0: not told */
	double throttled_ns;     /* by a cgroup's quota meanwhile; < 0: not told */
	size_t lines;            /* round trips of a line between the two nearest CPUs, spread over the time; 0: there is one CPU */
	double line_ns[DOCTOR_LINES]; /* ascending */
	double offset_low_ns, offset_high_ns; /* of these CPUs' clocks: it lies between; low > high: not known */
	double call_ns;          /* a system call */
	double wake_ns;          /* from waking a sleeping thread to its running; < 0: there is one CPU */
};

/* Everything that findings are made of. */
struct doctor_facts {
	unsigned cpus_usable, cpus_online;
	struct clock clock;
	struct limits limits;
	struct doctor_measured measured;
	/* the settings of limits.h by name; NULL: not told */
	const char *(*setting)(const void *context, const char *name);
	const void *context;
};

enum doctor_state {
	DOCTOR_GOOD,
	DOCTOR_NOTE,  /* worth knowing */
	DOCTOR_COSTS, /* makes numbers worse, or less certain */
	DOCTOR_UNFIT, /* so much that a part of the verdict falls */
};
extern const char *const doctor_state_names[]; /* "good", "note", "costs", "unfit" */

struct doctor_finding {
	const char *name;
	enum doctor_state state;
	bool rates, tails;                                /* what it makes unfit */
	char is[DOCTOR_TEXT], costs[DOCTOR_TEXT], mend[DOCTOR_TEXT]; /* costs, mend: "" of what is good */
};

/* Returns how many. */
size_t doctor_find(struct doctor_finding findings[DOCTOR_FINDINGS], const struct doctor_facts *facts);

/* Measures for about watch_ns and a second more. Returns 0, or −1 with the reason in error (DOCTOR_TEXT bytes). */
int doctor_measure(struct doctor_measured *measured, const struct topology *topology, const struct clock *clock, uint64_t watch_ns, char *error);

/* Returns the exit status. */
int doctor_main(const struct options *options);

#endif
