/* What the machine did to a thread between two moments: switches, faults, waiting for a CPU, steal. No hwloc here. */
#ifndef PINNING_DISTURBANCE_H
#define PINNING_DISTURBANCE_H

#include <stdint.h>

/* Counters of the calling thread and of the CPU that it is pinned to, since their beginnings. -1: this kernel does not
 * tell. */
struct disturbance {
	int64_t voluntary_switches, involuntary_switches;
	int64_t minor_faults, major_faults;
	int64_t migrations;   /* from /proc/self/task/TID/sched, where there is one */
	int64_t run_delay_ns; /* waited for a CPU while runnable: schedstat */
	int64_t steal_ns;     /* of the CPU: /proc/stat */
	int64_t cpu_time_ns;  /* CLOCK_THREAD_CPUTIME_ID */
	int64_t at_ns;        /* CLOCK_MONOTONIC: when this was read; between two readings, how long they lie apart */
};

/* To be called in the thread itself. cpu < 0: steal is not told. */
void disturbance_read(struct disturbance *now, int cpu);

/* Of the calling thread alone, and cheap. The CPU time of a span is taken within its time: it is never the longer one. */
struct thread_times {
	int64_t cpu_time_ns; /* CLOCK_THREAD_CPUTIME_ID */
	int64_t at_ns;       /* CLOCK_MONOTONIC */
};
void thread_times_begin(struct thread_times *now);
void thread_times_end(struct thread_times *now);

/* later − earlier, field by field; a field not told at either moment stays not told. */
struct disturbance disturbance_between(const struct disturbance *earlier, const struct disturbance *later);

#endif
