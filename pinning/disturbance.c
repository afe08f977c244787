/* See disturbance.h. Reading costs some 50 us, nearly all of it the kernel's writing of /proc/stat. */
#include "disturbance.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { NOT_TOLD = -1, NS_PER_S = 1000000000 };

/* Three numbers: time run, time waited while runnable, times run. A kernel that does not keep them writes three zeros;
 * a running thread has run at least once. */
static int64_t run_delay_read(void)
{
	long long run_ns, delay_ns, times;
	FILE *file = fopen("/proc/thread-self/schedstat", "re");

	if (!file)
		return NOT_TOLD;
	bool told = fscanf(file, "%lld %lld %lld", &run_ns, &delay_ns, &times) == 3 && times > 0;
	fclose(file);
	return told ? delay_ns : NOT_TOLD;
}

/* "se.nr_migrations   :   3" */
static int64_t migrations_read(void)
{
	long long migrations = NOT_TOLD;
	char line[256];
	FILE *file = fopen("/proc/thread-self/sched", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "se.nr_migrations : %lld", &migrations) == 1)
			break;
	if (file)
		fclose(file);
	return migrations;
}

/* "cpu3 user nice system idle iowait irq softirq steal ...", in ticks; lines before it are those of other CPUs. */
static int64_t steal_read(int cpu)
{
	long long ticks = NOT_TOLD;
	int line_cpu;
	char line[512];
	FILE *file = cpu < 0 ? NULL : fopen("/proc/stat", "re");

	while (file && fgets(line, sizeof(line), file) && strncmp(line, "cpu", 3) == 0)
		if (sscanf(line, "cpu%d %*u %*u %*u %*u %*u %*u %*u %lld", &line_cpu, &ticks) == 2 && line_cpu == cpu)
			break;
		else
			ticks = NOT_TOLD;
	if (file)
		fclose(file);
	return ticks < 0 ? NOT_TOLD : ticks * (NS_PER_S / sysconf(_SC_CLK_TCK));
}

static int64_t time_read(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return NOT_TOLD;
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void disturbance_read(struct disturbance *now, int cpu)
{
	struct rusage usage;
	bool told = getrusage(RUSAGE_THREAD, &usage) == 0;

	*now = (struct disturbance){
		.voluntary_switches = told ? usage.ru_nvcsw : NOT_TOLD,
		.involuntary_switches = told ? usage.ru_nivcsw : NOT_TOLD,
		.minor_faults = told ? usage.ru_minflt : NOT_TOLD,
		.major_faults = told ? usage.ru_majflt : NOT_TOLD,
		.migrations = migrations_read(),
		.run_delay_ns = run_delay_read(),
		.steal_ns = steal_read(cpu),
		.cpu_time_ns = time_read(CLOCK_THREAD_CPUTIME_ID),
		.at_ns = time_read(CLOCK_MONOTONIC),
	};
}

void thread_times_begin(struct thread_times *now)
{
	now->at_ns = time_read(CLOCK_MONOTONIC);
	now->cpu_time_ns = time_read(CLOCK_THREAD_CPUTIME_ID);
}

void thread_times_end(struct thread_times *now)
{
	now->cpu_time_ns = time_read(CLOCK_THREAD_CPUTIME_ID);
	now->at_ns = time_read(CLOCK_MONOTONIC);
}

static int64_t told_difference(int64_t earlier, int64_t later)
{
	return earlier < 0 || later < 0 ? NOT_TOLD : later - earlier;
}

struct disturbance disturbance_between(const struct disturbance *earlier, const struct disturbance *later)
{
	return (struct disturbance){
		.voluntary_switches = told_difference(earlier->voluntary_switches, later->voluntary_switches),
		.involuntary_switches = told_difference(earlier->involuntary_switches, later->involuntary_switches),
		.minor_faults = told_difference(earlier->minor_faults, later->minor_faults),
		.major_faults = told_difference(earlier->major_faults, later->major_faults),
		.migrations = told_difference(earlier->migrations, later->migrations),
		.run_delay_ns = told_difference(earlier->run_delay_ns, later->run_delay_ns),
		.steal_ns = told_difference(earlier->steal_ns, later->steal_ns),
		.cpu_time_ns = told_difference(earlier->cpu_time_ns, later->cpu_time_ns),
		.at_ns = told_difference(earlier->at_ns, later->at_ns),
	};
}
