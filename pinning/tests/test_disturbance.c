#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "disturbance.h"
#include "pin.h"

enum { PAGES = 64, PAGE_BYTES = 4096 };

static int first_allowed_cpu(void)
{
	int *cpus;
	size_t count;

	assert_int_equal(0, pin_allowed(&cpus, &count));
	int first = cpus[0];
	free(cpus);
	return first;
}

static void a_sleep_is_a_voluntary_switch(void **state)
{
	struct disturbance before, after;
	const struct timespec shortest = {.tv_nsec = 1};

	(void)state;
	disturbance_read(&before, -1);
	nanosleep(&shortest, NULL);
	disturbance_read(&after, -1);
	assert_true(disturbance_between(&before, &after).voluntary_switches >= 1);
}

static void first_touches_are_minor_faults_of_the_thread(void **state)
{
	struct disturbance before, after;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	volatile char *pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);

	(void)state;
	assert_true(pages != MAP_FAILED);
	madvise((void *)pages, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	disturbance_read(&before, -1);
	for (size_t page = 0; page < PAGES; page++)
		pages[page * PAGE_BYTES] = 1;
	disturbance_read(&after, -1);
	assert_true(disturbance_between(&before, &after).minor_faults >= PAGES);
	munmap((void *)pages, PAGES * PAGE_BYTES);
}

static void cpu_time_grows_with_work(void **state)
{
	struct disturbance before, after;

	(void)state;
	disturbance_read(&before, -1);
	disturbance_read(&after, -1);
	assert_true(before.cpu_time_ns > 0);
	assert_true(disturbance_between(&before, &after).cpu_time_ns > 0);
}

static void a_span_has_no_more_cpu_time_than_time(void **state)
{
	struct thread_times began, ended;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		thread_times_begin(&began);
		thread_times_end(&ended);
		assert_true(began.cpu_time_ns > 0);
		assert_true(ended.cpu_time_ns > began.cpu_time_ns);
		assert_true(ended.cpu_time_ns - began.cpu_time_ns <= ended.at_ns - began.at_ns);
	}
}

/* The counters of one thread say nothing of another's. */
static void *other_thread(void *argument)
{
	disturbance_read(argument, -1);
	return NULL;
}

static void a_new_thread_begins_anew(void **state)
{
	struct disturbance mine, others;
	const struct timespec shortest = {.tv_nsec = 1};
	pthread_t thread;

	(void)state;
	for (int i = 0; i < 50; i++)
		nanosleep(&shortest, NULL);
	assert_int_equal(0, pthread_create(&thread, NULL, other_thread, &others));
	assert_int_equal(0, pthread_join(thread, NULL));
	disturbance_read(&mine, -1);
	assert_true(mine.voluntary_switches >= 50);
	assert_true(others.voluntary_switches < 50);
}

static void a_kernel_that_keeps_schedstat_tells_the_run_delay(void **state)
{
	long long run_ns, delay_ns, times = 0;
	struct disturbance now;
	FILE *file = fopen("/proc/thread-self/schedstat", "re");

	(void)state;
	bool kept = file && fscanf(file, "%lld %lld %lld", &run_ns, &delay_ns, &times) == 3 && times > 0;
	if (file)
		fclose(file);
	disturbance_read(&now, -1);
	if (kept)
		assert_true(now.run_delay_ns >= delay_ns);
	else
		assert_int_equal(-1, now.run_delay_ns);
}

static void a_move_to_another_cpu_is_a_migration(void **state)
{
	struct disturbance before, after;
	char error[PIN_TEXT];
	int *cpus;
	size_t count;

	(void)state;
	assert_int_equal(0, pin_allowed(&cpus, &count));
	int first = cpus[0], last = cpus[count - 1];
	free(cpus);
	disturbance_read(&before, -1);
	if (first == last || before.migrations < 0)
		skip();
	assert_int_equal(0, pin_self(first, error));
	assert_int_equal(0, pin_self(last, error));
	disturbance_read(&after, -1);
	assert_true(disturbance_between(&before, &after).migrations >= 1);
	assert_true(disturbance_between(&before, &after).at_ns > 0); /* two moments */
}

static void steal_is_told_of_a_cpu_that_exists(void **state)
{
	struct disturbance now;

	(void)state;
	disturbance_read(&now, first_allowed_cpu());
	assert_true(now.steal_ns >= 0);
	disturbance_read(&now, -1);
	assert_int_equal(-1, now.steal_ns);
	disturbance_read(&now, 99999);
	assert_int_equal(-1, now.steal_ns);
}

static void what_was_not_told_at_either_moment_stays_not_told(void **state)
{
	const struct disturbance told = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	const struct disturbance later = {11, 22, 33, 44, 55, 66, 77, 88, 99};
	const struct disturbance untold = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
	const struct disturbance difference = {10, 20, 30, 40, 50, 60, 70, 80, 90};
	struct disturbance got = disturbance_between(&told, &later);

	(void)state;
	assert_memory_equal(&difference, &got, sizeof(got));
	got = disturbance_between(&untold, &later);
	assert_memory_equal(&untold, &got, sizeof(got));
	got = disturbance_between(&told, &untold);
	assert_memory_equal(&untold, &got, sizeof(got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleep_is_a_voluntary_switch),
		cmocka_unit_test(first_touches_are_minor_faults_of_the_thread),
		cmocka_unit_test(cpu_time_grows_with_work),
		cmocka_unit_test(a_span_has_no_more_cpu_time_than_time),
		cmocka_unit_test(a_new_thread_begins_anew),
		cmocka_unit_test(a_kernel_that_keeps_schedstat_tells_the_run_delay),
		cmocka_unit_test(steal_is_told_of_a_cpu_that_exists),
		cmocka_unit_test(what_was_not_told_at_either_moment_stays_not_told),
		/* Last: it narrows this thread's mask. */
		cmocka_unit_test(a_move_to_another_cpu_is_a_migration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
