/* What doctor says of machines that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doctor.h"

/* Names and values in turn, ended by NULL. */
static const char *setting_of(const void *context, const char *name)
{
	for (const char *const *settings = context; *settings; settings += 2)
		if (!strcmp(*settings, name))
			return settings[1];
	return NULL;
}

static const char *const quiet_settings[] = {"governor", "performance", "boost", "off", "isolated", "2-7", "nohz_full", "2-7", "hypervisor", "none",
				       "transparent_huge_pages", "madvise", "numa_balancing", "0", "aslr", "2", NULL};

/* A machine that nothing is wrong with. */
static struct doctor_facts quiet(void)
{
	return (struct doctor_facts){
		.cpus_usable = 8,
		.cpus_online = 8,
		.clock = {.source = CLOCK_COUNTER, .ticks_per_s = 3e9, .quantum_ticks = 1, .read_ns = 8, .ordered_read_ns = 14},
		.limits = {.quota_cpus = -1, .memory_available_bytes = 1u << 30},
		.measured = {.watched_ns = 1000000000, .stall_share = 0.0001, .longest_stall_ns = 3000, .steal_share = 0, .throttled_ns = 0, .lines = 3,
			     .line_ns = {100, 104, 110}, .offset_low_ns = -10, .offset_high_ns = 12, .call_ns = 80, .wake_ns = 4000},
		.setting = setting_of,
		.context = quiet_settings,
	};
}

static const struct doctor_finding *find(const struct doctor_facts *facts, const char *name)
{
	static struct doctor_finding findings[DOCTOR_FINDINGS];
	size_t count = doctor_find(findings, facts);

	assert_true(count <= DOCTOR_FINDINGS);
	for (size_t i = 0; i < count; i++) {
		/* each tells what it costs and how it is mended, or is good */
		assert_int_equal(findings[i].state != DOCTOR_GOOD, *findings[i].costs != '\0');
		assert_int_equal(findings[i].state == DOCTOR_UNFIT, findings[i].rates || findings[i].tails);
	}
	for (size_t i = 0; i < count; i++)
		if (!strcmp(findings[i].name, name))
			return &findings[i];
	fail_msg("nothing is said of %s", name);
	return NULL;
}

static void assert_state(const struct doctor_facts *facts, const char *name, enum doctor_state state, bool rates, bool tails)
{
	const struct doctor_finding *finding = find(facts, name);

	if (finding->state != state || finding->rates != rates || finding->tails != tails)
		fail_msg("%s: %s, rates %d, tails %d: %s", name, doctor_state_names[finding->state], finding->rates, finding->tails, finding->is);
}

static void a_quiet_machine_is_good(void **state)
{
	struct doctor_facts facts = quiet();
	struct doctor_finding findings[DOCTOR_FINDINGS];
	size_t count = doctor_find(findings, &facts);

	(void)state;
	assert_true(count > 10);
	for (size_t i = 0; i < count; i++)
		if (findings[i].state != DOCTOR_GOOD)
			fail_msg("%s: %s", findings[i].name, findings[i].costs);
}

static void one_cpu_and_quotas_are_told(void **state)
{
	struct doctor_facts facts = quiet();

	(void)state;
	facts.cpus_usable = 4;
	assert_state(&facts, "CPUs", DOCTOR_NOTE, false, false);
	facts.limits.quota_cpus = 3;
	assert_state(&facts, "CPU quota", DOCTOR_UNFIT, false, true);
	facts.measured.throttled_ns = 1e6;
	assert_state(&facts, "CPU quota", DOCTOR_UNFIT, true, true);
	facts.limits.quota_cpus = 8;
	facts.measured.throttled_ns = 0;
	assert_state(&facts, "CPU quota", DOCTOR_GOOD, false, false);
	facts = quiet();
	facts.cpus_usable = 1;
	facts.measured.lines = 0;
	facts.measured.wake_ns = -1;
	assert_state(&facts, "CPUs", DOCTOR_UNFIT, true, true);
	assert_non_null(strstr(find(&facts, "kernel")->is, "(not measured)"));
}

static void clocks_are_told(void **state)
{
	struct doctor_facts facts = quiet();

	(void)state;
	facts.clock.read_ns = 1500;
	assert_state(&facts, "clock", DOCTOR_COSTS, false, false);
	facts = quiet();
	facts.clock = (struct clock){.source = CLOCK_SYSTEM, .ticks_per_s = 1e9, .quantum_ticks = 1, .read_ns = 30, .why = "not constant"};
	assert_state(&facts, "clock", DOCTOR_COSTS, false, false);
	assert_non_null(strstr(find(&facts, "clock")->costs, "not constant"));
	facts = quiet();
	facts.measured.offset_low_ns = -280;
	assert_state(&facts, "clock offset", DOCTOR_NOTE, false, false);
	assert_non_null(strstr(find(&facts, "clock offset")->costs, "1.120 us"));
	facts.measured.offset_low_ns = 20;
	assert_state(&facts, "clock offset", DOCTOR_UNFIT, false, true);
}

static void what_moves_and_stalls_is_told(void **state)
{
	struct doctor_facts facts = quiet();

	(void)state;
	facts.measured.line_ns[2] = 151;
	assert_state(&facts, "line", DOCTOR_COSTS, false, false);
	facts.measured.stall_share = 0.002;
	assert_state(&facts, "stalls", DOCTOR_UNFIT, false, true);
	facts.measured.stall_share = 0.2;
	assert_state(&facts, "stalls", DOCTOR_UNFIT, true, true);
	facts.measured.delay_share = 0.01;
	assert_state(&facts, "other programs", DOCTOR_UNFIT, false, true);
	facts.measured.delay_share = 0.5;
	assert_state(&facts, "other programs", DOCTOR_UNFIT, true, true);
	facts.measured.delay_share = facts.measured.switches_per_s = -1;
	assert_state(&facts, "other programs", DOCTOR_NOTE, false, false);
	facts.measured.steal_share = 0.06;
	assert_state(&facts, "hypervisor", DOCTOR_UNFIT, true, true);
	facts.measured.steal_share = -1;
	assert_state(&facts, "hypervisor", DOCTOR_GOOD, false, false);
}

static void settings_are_told(void **state)
{
	static const char *const odd[] = {"governor", "powersave", "isolated", "none", "hypervisor", "KVMKVMKVM", "numa_balancing", "1", "aslr", "0", NULL};
	static const char *const mild[] = {"governor", "performance", "boost", "on", "transparent_huge_pages", "always", NULL};
	struct doctor_facts facts = quiet();

	(void)state;
	facts.context = odd;
	assert_state(&facts, "frequency", DOCTOR_COSTS, false, false);
	assert_state(&facts, "isolation", DOCTOR_NOTE, false, false);
	assert_state(&facts, "hypervisor", DOCTOR_NOTE, false, false);
	assert_state(&facts, "memory", DOCTOR_COSTS, false, false);
	assert_state(&facts, "layout", DOCTOR_COSTS, false, false);
	facts.context = mild;
	assert_state(&facts, "frequency", DOCTOR_NOTE, false, false);
	assert_state(&facts, "memory", DOCTOR_NOTE, false, false);
	assert_state(&facts, "layout", DOCTOR_GOOD, false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_is_good),
		cmocka_unit_test(one_cpu_and_quotas_are_told),
		cmocka_unit_test(clocks_are_told),
		cmocka_unit_test(what_moves_and_stalls_is_told),
		cmocka_unit_test(settings_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
