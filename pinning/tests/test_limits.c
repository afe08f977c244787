#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "limits.h"

#define FIXTURES "pinning/tests/fixtures/"

struct expected_limits {
	const char *root;
	double quota_cpus;
	uint64_t memory_limit_bytes, memory_available_bytes;
	int64_t throttled_ns;
};

static const struct expected_limits roots[] = {
	/* The job's own group is without a limit, the container's above it has both; throttling is summed. */
	{FIXTURES "cgroup-v1", 1.5, 256 << 20, 2000 * 1024, 7000},
	/* The nearer quota is the smaller; a second mount of the hierarchy is not counted again. */
	{FIXTURES "cgroup-v2", 0.5, 1 << 30, 2000 * 1024, 12000},
	/* A group that lies outside what is mounted: the mount point is the nearest that can be seen. */
	{FIXTURES "cgroup-outside", 3.0, UINT64_MAX, 0, -1},
	{FIXTURES "cgroup-none", -1.0, UINT64_MAX, 0, -1},
	{FIXTURES "nonexistent", -1.0, UINT64_MAX, 0, -1},
};

static void the_least_limit_up_the_tree_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		struct limits limits;
		print_message("%s\n", roots[i].root);
		limits_read(&limits, roots[i].root);
		assert_true(limits.quota_cpus == roots[i].quota_cpus);
		assert_int_equal(roots[i].memory_limit_bytes, limits.memory_limit_bytes);
		assert_int_equal(roots[i].memory_available_bytes, limits.memory_available_bytes);
		assert_int_equal(roots[i].throttled_ns, limits_throttled_ns(roots[i].root));
	}
}

static void this_machine_has_memory_and_a_lock_limit(void **state)
{
	struct limits limits;
	struct rlimit memlock;

	(void)state;
	limits_read(&limits, "");
	assert_true(limits.memory_available_bytes > 0);
	assert_true(limits.memory_limit_bytes > 0);
	assert_int_equal(0, getrlimit(RLIMIT_MEMLOCK, &memlock));
	assert_int_equal(memlock.rlim_cur == RLIM_INFINITY ? UINT64_MAX : memlock.rlim_cur, limits.memlock_bytes);
	assert_true(limits_throttled_ns("") >= -1);
}

static const struct {
	const char *name, *value;
} expected_settings[] = {
	{"governor", "powersave, performance"},
	{"boost", "off"},
	{"smt", "on"},
	{"isolated", "none"},
	{"nohz_full", "none"},
	{"transparent_huge_pages", "madvise"},
	{"numa_balancing", "0"},
	{"aslr", "2"},
	{"mitigations", "spectre_v1: Vulnerable"},
	{"clock_source", "tsc"},
	{"hypervisor", "none"},
	{"cpu_model", "Some CPU 9000"},
	{"kernel", "6.1.0-44-amd64"},
	{"swap_bytes", "4096"},
};

enum { SETTINGS = sizeof(expected_settings) / sizeof(expected_settings[0]) };

static void settings_are_read_as_they_stand(void **state)
{
	struct limits_setting setting;
	size_t count = 0;

	(void)state;
	while (limits_setting(count, &setting, FIXTURES "settings")) {
		assert_true(count < SETTINGS);
		assert_string_equal(expected_settings[count].name, setting.name);
		assert_string_equal(expected_settings[count].value, setting.value);
		assert_string_equal("", setting.note);
		count++;
	}
	assert_int_equal(SETTINGS, count);
}

/* On this machine and on one that tells nothing. */
static void a_setting_that_is_not_told_says_why(void **state)
{
	static const char *const machines[] = {"", FIXTURES "nonexistent"};

	(void)state;
	for (size_t machine = 0; machine < 2; machine++) {
		struct limits_setting setting;
		size_t count = 0;
		for (; limits_setting(count, &setting, machines[machine]); count++)
			if ((setting.value[0] == '\0') == (setting.note[0] == '\0'))
				fail_msg("%s: value \"%s\", note \"%s\"", setting.name, setting.value, setting.note);
		assert_int_equal(SETTINGS, count);
	}
	struct limits_setting setting;
	assert_true(limits_setting(0, &setting, FIXTURES "nonexistent"));
	assert_string_equal("", setting.value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_limit_up_the_tree_counts),
		cmocka_unit_test(this_machine_has_memory_and_a_lock_limit),
		cmocka_unit_test(settings_are_read_as_they_stand),
		cmocka_unit_test(a_setting_that_is_not_told_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
