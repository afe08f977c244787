#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "pin.h"

/* Planted kernels: these two definitions take the place of the C library's in this program. */
static struct {
	size_t least_mask_bytes; /* of sched_getaffinity; 0: the real one */
	int cpus[2];             /* what it then tells */
	int set_errno;           /* of sched_setaffinity; 0: none, -1: it says that all is well and does nothing */
} planted;

int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *mask)
{
	if (planted.least_mask_bytes) {
		if (bytes < planted.least_mask_bytes) {
			errno = EINVAL;
			return -1;
		}
		memset(mask, 0, bytes);
		for (size_t i = 0; i < 2; i++)
			CPU_SET_S((size_t)planted.cpus[i], bytes, mask);
		return 0;
	}
	long result = syscall(SYS_sched_getaffinity, pid, bytes, mask);
	return result < 0 ? -1 : 0;
}

int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *mask)
{
	if (planted.set_errno < 0)
		return 0;
	if (planted.set_errno > 0) {
		errno = planted.set_errno;
		return -1;
	}
	return (int)syscall(SYS_sched_setaffinity, pid, bytes, mask);
}

static int planted_clear(void **state)
{
	(void)state;
	memset(&planted, 0, sizeof(planted));
	return 0;
}

static int last_allowed_cpu(void)
{
	int *cpus;
	size_t count;

	assert_int_equal(0, pin_allowed(&cpus, &count));
	assert_true(count > 0);
	int last = cpus[count - 1];
	free(cpus);
	return last;
}

struct pinned {
	int cpu, result, runs_on;
	char allowed[PIN_TEXT];
};

static void *pin_thread(void *argument)
{
	struct pinned *pinned = argument;
	char error[PIN_TEXT];

	pinned->result = pin_self(pinned->cpu, error);
	pinned->runs_on = sched_getcpu();
	pin_allowed_text(pinned->allowed, sizeof(pinned->allowed));
	return NULL;
}

static void a_pinned_thread_runs_there_and_others_keep_their_mask(void **state)
{
	struct pinned pinned = {.cpu = last_allowed_cpu()};
	char before[PIN_TEXT], after[PIN_TEXT], expected[16];
	pthread_t thread;

	(void)state;
	pin_allowed_text(before, sizeof(before));
	assert_int_equal(0, pthread_create(&thread, NULL, pin_thread, &pinned));
	assert_int_equal(0, pthread_join(thread, NULL));
	pin_allowed_text(after, sizeof(after));
	snprintf(expected, sizeof(expected), "%d", pinned.cpu);
	assert_int_equal(0, pinned.result);
	assert_int_equal(pinned.cpu, pinned.runs_on);
	assert_string_equal(expected, pinned.allowed);
	assert_string_equal(before, after);
}

static void an_absurd_cpu_is_refused_with_the_allowed_ones(void **state)
{
	static const int absurd[] = {99999, -1, 1 << 20, 0x7fffffff};
	char before[PIN_TEXT], after[PIN_TEXT], error[PIN_TEXT], named[32];

	(void)state;
	pin_allowed_text(before, sizeof(before));
	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		assert_int_equal(-EINVAL, pin_self(absurd[i], error));
		snprintf(named, sizeof(named), "CPU %d:", absurd[i]);
		assert_non_null(strstr(error, named));
		assert_non_null(strstr(error, before));
	}
	assert_string_equal(before, pin_allowed_text(after, sizeof(after)));
}

/* As a cpuset does it. */
static void a_forbidden_cpu_is_refused_with_the_allowed_ones(void **state)
{
	char error[PIN_TEXT];

	(void)state;
	planted.least_mask_bytes = 8;
	planted.cpus[0] = planted.cpus[1] = 1;
	planted.set_errno = EINVAL;
	assert_int_equal(-EINVAL, pin_self(0, error));
	assert_string_equal("cannot pin to CPU 0: it does not exist, is offline or outside the cpuset; allowed: 1",
			    error);
	planted.set_errno = EPERM;
	assert_int_equal(-EPERM, pin_self(0, error));
	assert_string_equal("cannot pin to CPU 0: Operation not permitted; allowed: 1", error);
}

static void a_mask_that_reads_back_otherwise_is_an_error(void **state)
{
	char error[PIN_TEXT];

	(void)state;
	planted.set_errno = -1;
	planted.least_mask_bytes = 8;
	planted.cpus[0] = 0;
	planted.cpus[1] = 5;
	assert_int_equal(-EIO, pin_self(5, error));
	assert_string_equal("pinned to CPU 5, but the mask reads back as 0,5", error);
	planted.cpus[1] = 0;
	assert_int_equal(-EIO, pin_self(5, error));
	assert_int_equal(0, pin_self(0, error));
}

static void masks_grow_beyond_1024_cpus(void **state)
{
	char text[PIN_TEXT], error[PIN_TEXT];
	int *cpus;
	size_t count;

	(void)state;
	planted.least_mask_bytes = 4096 / 8;
	planted.cpus[0] = 3;
	planted.cpus[1] = 4000;
	assert_int_equal(0, pin_allowed(&cpus, &count));
	assert_int_equal(2, count);
	assert_int_equal(4000, cpus[1]);
	free(cpus);
	assert_string_equal("3,4000", pin_allowed_text(text, sizeof(text)));
	planted.cpus[0] = 4000;
	planted.set_errno = -1;
	assert_int_equal(0, pin_self(4000, error));
}

static void a_mask_that_cannot_be_read_is_unknown(void **state)
{
	char text[PIN_TEXT];
	int *cpus;
	size_t count;

	(void)state;
	planted.least_mask_bytes = SIZE_MAX;
	assert_int_equal(-EINVAL, pin_allowed(&cpus, &count));
	assert_string_equal("unknown", pin_allowed_text(text, sizeof(text)));
}

static void cpus_are_written_as_ranges_and_cut_where_they_do_not_fit(void **state)
{
	static const int cpus[] = {0, 1, 2, 3, 8, 10, 11, 1199};
	char text[32], short_text[10], one[1] = {'x'};

	(void)state;
	assert_string_equal("0-3,8,10-11,1199", pin_cpus_text(cpus, 8, text, sizeof(text)));
	assert_string_equal("", pin_cpus_text(cpus, 0, text, sizeof(text)));
	assert_string_equal("0-3,8...", pin_cpus_text(cpus, 8, short_text, sizeof(short_text)));
	assert_string_equal("", pin_cpus_text(cpus, 8, one, sizeof(one)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_pinned_thread_runs_there_and_others_keep_their_mask, planted_clear),
		cmocka_unit_test_teardown(an_absurd_cpu_is_refused_with_the_allowed_ones, planted_clear),
		cmocka_unit_test_teardown(a_forbidden_cpu_is_refused_with_the_allowed_ones, planted_clear),
		cmocka_unit_test_teardown(a_mask_that_reads_back_otherwise_is_an_error, planted_clear),
		cmocka_unit_test_teardown(masks_grow_beyond_1024_cpus, planted_clear),
		cmocka_unit_test_teardown(a_mask_that_cannot_be_read_is_unknown, planted_clear),
		cmocka_unit_test_teardown(cpus_are_written_as_ranges_and_cut_where_they_do_not_fit, planted_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
