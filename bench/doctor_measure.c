/* What doctor measures: stalls on all CPUs at once, the line and the clocks between two, a system call, a wake-up. */
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "atomic.h"
#include "doctor.h"
#include "gap.h"
#include "line_pair.h"
#include "pin.h"
#include "placement.h"

enum {
	WATCHERS_MOST = 1024,
	LONG_STALL_NS = 10000,
	CALLS = 20000,
	WAKES = 51,
	ASLEEP_NS = 1000000, /* it sleeps by then */
	LINE_PAUSE_NS = 20000000,
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void pause_ns(uint64_t ns)
{
	nanosleep(&(struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)}, NULL);
}

/* ---- stalls ---- */

struct watcher {
	pthread_t thread;
	int cpu;
	const struct clock *clock;
	uint64_t watch_ns;
	pthread_barrier_t *ready;
	struct gap_account gaps;
	struct disturbance met;
	char error[PIN_TEXT];
	bool failed;
};

static void *watch(void *argument)
{
	struct watcher *watcher = argument;
	struct disturbance before, after;

	watcher->failed = pin_self(watcher->cpu, watcher->error);
	pthread_barrier_wait(watcher->ready);
	disturbance_read(&before, watcher->cpu);
	if (!watcher->failed)
		gap_watch(&watcher->gaps, watcher->clock, watcher->watch_ns);
	disturbance_read(&after, watcher->cpu);
	watcher->met = disturbance_between(&before, &after);
	return NULL;
}

/* The sum over watchers of what is told; < 0: by none. */
static double add_up(const struct watcher *watchers, size_t count, size_t offset)
{
	double sum = -1;

	for (size_t i = 0; i < count; i++) {
		int64_t value = *(const int64_t *)(const void *)((const char *)&watchers[i].met + offset);

		if (value >= 0)
			sum = fmax(sum, 0) + (double)value;
	}
	return sum;
}

static void conclude_watch(struct doctor_measured *measured, const struct watcher *watchers, size_t count)
{
	double long_stalls = 0, seconds;
	struct gap_account all = {0};

	for (size_t i = 0; i < count; i++)
		gap_merge(&all, &watchers[i].gaps);
	seconds = all.watched_ns / 1e9;
	measured->stall_share = gap_share(&all);
	for (size_t i = 0; i < GAP_BUCKETS; i++) {
		double each = all.buckets[i].count ? all.buckets[i].total_ns / (double)all.buckets[i].count : 0;

		measured->longest_stall_ns = fmax(measured->longest_stall_ns, each);
		long_stalls += each > LONG_STALL_NS ? (double)all.buckets[i].count : 0;
	}
	if (seconds <= 0)
		return;
	measured->long_stalls_per_s = long_stalls / seconds;
	measured->steal_share = add_up(watchers, count, offsetof(struct disturbance, steal_ns)) / all.watched_ns;
	measured->delay_share = add_up(watchers, count, offsetof(struct disturbance, run_delay_ns)) / all.watched_ns;
	measured->switches_per_s = add_up(watchers, count, offsetof(struct disturbance, involuntary_switches)) / seconds;
}

static int watch_all(struct doctor_measured *measured, const int *cpus, size_t count, const struct clock *clock, uint64_t watch_ns, char *error)
{
	struct watcher *watchers = calloc(count, sizeof(*watchers));
	pthread_barrier_t ready;
	size_t started = 0;
	int status = 0;

	if (!watchers || pthread_barrier_init(&ready, NULL, (unsigned)count)) {
		free(watchers);
		snprintf(error, DOCTOR_TEXT, "no memory");
		return -1;
	}
	for (; started < count; started++) {
		watchers[started] = (struct watcher){.cpu = cpus[started], .clock = clock, .watch_ns = watch_ns, .ready = &ready};
		if (pthread_create(&watchers[started].thread, NULL, watch, &watchers[started]))
			break;
	}
	if (started < count) { /* they wait at the barrier for ever */
		fprintf(stderr, "twopoint: starting a thread failed\n");
		_exit(3);
	}
	for (size_t i = 0; i < started; i++) {
		pthread_join(watchers[i].thread, NULL);
		if (watchers[i].failed && !status) {
			snprintf(error, DOCTOR_TEXT, "%s", watchers[i].error);
			status = -1;
		}
	}
	if (!status)
		conclude_watch(measured, watchers, count);
	pthread_barrier_destroy(&ready);
	free(watchers);
	return status;
}

/* ---- the line ---- */

static int measure_line(struct doctor_measured *measured, const int cpus[2], const struct clock *clock, char *error)
{
	char why[LINE_PAIR_TEXT];
	double low = -INFINITY, high = INFINITY;

	for (measured->lines = 0; measured->lines < DOCTOR_LINES; measured->lines++) {
		struct line_result result;
		double ns = line_pair_measure(clock, cpus[0], cpus[1], &result, why);

		if (ns < 0) {
			snprintf(error, DOCTOR_TEXT, "%.300s", why);
			return -1;
		}
		measured->line_ns[measured->lines] = ns;
		low = fmax(low, clock_ns((double)result.offset_low, clock->ticks_per_s));
		high = fmin(high, clock_ns((double)result.offset_high, clock->ticks_per_s));
		pause_ns(LINE_PAUSE_NS);
	}
	qsort(measured->line_ns, measured->lines, sizeof(*measured->line_ns), compare_doubles);
	measured->offset_low_ns = low;
	measured->offset_high_ns = high;
	return 0;
}

/* ---- the kernel ---- */

static double measure_call(const struct clock *clock)
{
	double each[15];
	enum { TIMES = sizeof(each) / sizeof(*each) };

	for (size_t i = 0; i < TIMES; i++) {
		uint64_t before = clock_ticks(clock->source);

		for (int k = 0; k < CALLS / TIMES; k++)
			syscall(SYS_getppid);
		each[i] = clock_ns((double)(clock_ticks(clock->source) - before), clock->ticks_per_s) / (CALLS / TIMES);
	}
	qsort(each, TIMES, sizeof(*each), compare_doubles);
	return each[TIMES / 2];
}

struct wake {
	const struct clock *clock;
	int cpu;
	char error[PIN_TEXT];
	uint32_t word; /* how often it was woken; of both threads */
	uint64_t woken_at;
	uint32_t answered;
};

static void *sleeper(void *argument)
{
	struct wake *wake = argument;

	if (pin_self(wake->cpu, wake->error))
		wake->clock = NULL;
	for (uint32_t round = 0; round < WAKES; round++) {
		/* W1 acquire: pairs with W0 in measure_wake() */
		while (load_acquire(&wake->word) == round)
			syscall(SYS_futex, &wake->word, FUTEX_WAIT_PRIVATE, round, NULL, NULL, 0);
		wake->woken_at = wake->clock ? clock_ticks_after(wake->clock->source) : 0;
		/* A0 release: pairs with A1 in measure_wake(): the time */
		store_release(&wake->answered, round + 1);
	}
	return NULL;
}

/* The median; < 0: a thread can't be had there. */
static double measure_wake(const int cpus[2], const struct clock *clock)
{
	struct wake wake = {.clock = clock, .cpu = cpus[1]};
	double took[WAKES];
	pthread_t thread;
	char error[PIN_TEXT];

	if (pin_self(cpus[0], error) || pthread_create(&thread, NULL, sleeper, &wake))
		return -1;
	for (uint32_t round = 0; round < WAKES; round++) {
		uint64_t before;

		pause_ns(ASLEEP_NS);
		before = clock_ticks(clock->source);
		store_release(&wake.word, round + 1); /* W0 */
		syscall(SYS_futex, &wake.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		while (load_acquire(&wake.answered) == round) /* A1 */
			sched_yield();
		took[round] = clock_ns((double)(int64_t)(wake.woken_at - before), clock->ticks_per_s);
	}
	pthread_join(thread, NULL);
	qsort(took, WAKES, sizeof(*took), compare_doubles);
	return wake.clock ? took[WAKES / 2] : -1;
}

/* ---- all of it ---- */

int doctor_measure(struct doctor_measured *measured, const struct topology *topology, const struct clock *clock, uint64_t watch_ns, char *error)
{
	size_t count;
	const int *cpus = topology_cpus(topology, &count);
	int64_t throttled = limits_throttled_ns(""), later;
	int pair[2];
	bool two = placement_nearest_pair(topology, pair);

	*measured = (struct doctor_measured){.watched_ns = watch_ns, .wake_ns = -1, .offset_low_ns = 1, .offset_high_ns = -1, .throttled_ns = -1};
	if (count > WATCHERS_MOST)
		count = WATCHERS_MOST;
	if (watch_all(measured, cpus, count, clock, watch_ns, error) || (two && measure_line(measured, pair, clock, error)))
		return -1;
	measured->call_ns = measure_call(clock);
	if (two)
		measured->wake_ns = measure_wake(pair, clock);
	later = limits_throttled_ns("");
	if (throttled >= 0 && later >= 0)
		measured->throttled_ns = (double)(later - throttled);
	return 0;
}
