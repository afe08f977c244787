#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"
#include "placement.h"

/* One line of a machine's list: pairs 0 is absent, with this in its reason. */
struct expected_row {
	const char *name;
	size_t pairs;
	const char *reason;
};

static void rows_check(const char *variable, const char *value, const struct expected_row *rows, long row_count)
{
	struct topology *topology = machine_load(variable, value);
	struct placement *list;
	char name[PLACEMENT_NAME], error[TOPOLOGY_TEXT];

	print_message("%s\n", value);
	assert_int_equal(row_count, placement_list(topology, &list));
	for (long i = 0; i < row_count; i++) {
		assert_string_equal(rows[i].name, list[i].name);
		assert_int_equal(rows[i].pairs, list[i].pairs);
		assert_int_equal(rows[i].pairs > 0, list[i].present);
		if (!list[i].present) {
			if (!strstr(list[i].reason, rows[i].reason))
				fail_msg("%s: expected \"%s\", got \"%s\"", rows[i].name, rows[i].reason,
					 list[i].reason);
			continue;
		}
		assert_string_equal("", list[i].reason);
		assert_int_equal(0, placement_name(topology, list[i].cpus, 2, name, error));
		assert_string_equal(rows[i].name, name);
	}
	free(list);
	topology_free(topology);
}

#define ROWS_CHECK(variable, value, ...)                                                                    \
	do {                                                                                                \
		static const struct expected_row rows[] = {__VA_ARGS__};                                    \
		rows_check(variable, value, rows, (long)(sizeof(rows) / sizeof(rows[0])));                  \
	} while (0)

static void every_pair_of_two_sockets_has_one_relation(void **state)
{
	(void)state;
	/* 256 CPUs: the pairs add up to 256 * 255 / 2. */
	ROWS_CHECK("HWLOC_SYNTHETIC", SOCKETS_2, {"same-cpu", 256, NULL}, {"smt", 128, NULL},
		   {"same-l2", 0, "no L2 cache serves two cores"}, {"same-l3", 1792, NULL}, {"same-node", 14336, NULL},
		   {"same-package", 0, "no two cores of one package on different NUMA nodes"},
		   {"cross-package", 0, "no two packages share a NUMA node"}, {"cross-node", 16384, NULL});
}

static void packages_and_nodes_are_told_apart(void **state)
{
	(void)state;
	ROWS_CHECK("HWLOC_SYNTHETIC", "pack:2 group:2 [numa] l3:1 core:2 pu:1", {"same-cpu", 8, NULL},
		   {"smt", 0, "no core has two threads online"}, {"same-l2", 0, "no L2 cache"}, {"same-l3", 4, NULL},
		   {"same-node", 0, "without a common cache"}, {"same-package", 8, NULL},
		   {"cross-package", 0, "no two packages share"}, {"cross-node", 16, NULL});
	ROWS_CHECK("HWLOC_SYNTHETIC", "[numa] pack:2 l3:1 core:2 pu:1", {"same-cpu", 4, NULL},
		   {"smt", 0, "two threads"}, {"same-l2", 0, "reports no L2"}, {"same-l3", 2, NULL},
		   {"same-node", 0, "without a common cache"}, {"same-package", 0, "one NUMA node"},
		   {"cross-package", 4, NULL}, {"cross-node", 0, "one NUMA node"});
}

static void one_cpu_has_one_placement_and_reasons_for_the_rest(void **state)
{
	(void)state;
	ROWS_CHECK("HWLOC_SYNTHETIC", "core:1 pu:1", {"same-cpu", 1, NULL}, {"smt", 0, "only one CPU is online"},
		   {"same-l2", 0, "only one CPU is online"}, {"same-l3", 0, "only one CPU is online"},
		   {"same-node", 0, "only one CPU is online"}, {"same-package", 0, "only one CPU is online"},
		   {"cross-package", 0, "only one CPU is online"}, {"cross-node", 0, "only one CPU is online"});
}

static void offline_cpus_are_in_no_pair(void **state)
{
	(void)state;
	ROWS_CHECK("HWLOC_XMLFILE", FIXTURES "offline.xml", {"same-cpu", 3, NULL}, {"smt", 0, "two threads online"},
		   {"same-l2", 0, "no L2 cache serves two cores"}, {"same-l3", 3, NULL},
		   {"same-node", 0, "common cache"}, {"same-package", 0, "one NUMA node"},
		   {"cross-package", 0, "one package"},
		   {"cross-node", 0, "one package"});
}

static void what_only_the_cpuset_forbids_is_said_to_be_so(void **state)
{
	(void)state;
	ROWS_CHECK("HWLOC_XMLFILE", FIXTURES "disallowed.xml", {"same-cpu", 1, NULL}, {"smt", 0, "two threads online"},
		   {"same-l2", 0, "no L2 cache serves two cores"},
		   {"same-l3", 0, "the machine has it (pairs: 6), but not among the CPUs that may be used: 1"},
		   {"same-node", 0, "common cache"}, {"same-package", 0, "one NUMA node"},
		   {"cross-package", 0, "one package"}, {"cross-node", 0, "one package"});
}

static void kinds_of_core_are_never_mixed_under_one_name(void **state)
{
	(void)state;
	ROWS_CHECK("HWLOC_XMLFILE", FIXTURES "hybrid.xml", {"same-cpu:P", 4, NULL}, {"same-cpu:E", 4, NULL},
		   {"smt:P", 2, NULL}, {"smt:E", 0, "no two CPUs of kind E"}, {"same-l2:P", 0, "no two CPUs of kind P"},
		   {"same-l2:E", 6, NULL}, {"same-l2:E-P", 0, "no CPU of kind E is so related to one of kind P"},
		   {"same-l3:P", 4, NULL}, {"same-l3:E", 0, "no two CPUs of kind E"}, {"same-l3:E-P", 16, NULL},
		   {"same-node:P", 0, "common cache"}, {"same-node:E", 0, "common cache"},
		   {"same-node:E-P", 0, "common cache"}, {"same-package:P", 0, "one NUMA node"},
		   {"same-package:E", 0, "one NUMA node"}, {"same-package:E-P", 0, "one NUMA node"},
		   {"cross-package:P", 0, "one package"}, {"cross-package:E", 0, "one package"},
		   {"cross-package:E-P", 0, "one package"}, {"cross-node:P", 0, "one package"},
		   {"cross-node:E", 0, "one package"}, {"cross-node:E-P", 0, "one package"});
}

struct expected_choice {
	const char *variable, *value, *name;
	size_t actors;
	const char *chosen;
	int cpus[6];
};

static const struct expected_choice choices[] = {
	{"HWLOC_SYNTHETIC", SOCKETS_2, "nearest", 2, "same-l3", {0, 2}},
	{"HWLOC_SYNTHETIC", SOCKETS_2, "nearest", 1, "same-cpu", {0}},
	/* Threads of one core come last. */
	{"HWLOC_SYNTHETIC", SOCKETS_2, "nearest", 4, "same-l3", {0, 2, 4, 6}},
	{"HWLOC_SYNTHETIC", SOCKETS_2, "smt", 2, "smt", {0, 1}},
	/* A core has two threads and no more. */
	{"HWLOC_SYNTHETIC", SOCKETS_2, "smt", 4, "smt", {0, 1, 0, 1}},
	{"HWLOC_SYNTHETIC", SOCKETS_2, "cross-node", 3, "cross-node", {0, 128, 130}},
	{"HWLOC_SYNTHETIC", SOCKETS_2, "same-cpu", 3, "same-cpu", {0, 0, 0}},
	{"HWLOC_SYNTHETIC", "core:1 pu:2", "nearest", 2, "smt", {0, 1}},
	{"HWLOC_SYNTHETIC", "core:1 pu:1", "nearest", 2, "same-cpu", {0, 0}},
	{"HWLOC_SYNTHETIC", "pack:1 l3:1 core:2 pu:2", "nearest", 4, "same-l3", {0, 2, 1, 3}},
	{"HWLOC_SYNTHETIC", "pack:1 l3:1 core:2 pu:2", "same-l3", 4, "same-l3", {0, 2, 3, 0}},
	/* CPU 0 is alone; the nearest pair lies elsewhere. */
	{"HWLOC_XMLFILE", FIXTURES "three-kinds.xml", "nearest", 2, "same-l3:2", {2, 3}},
	{"HWLOC_XMLFILE", FIXTURES "three-kinds.xml", "same-l3:0-2", 3, "same-l3:0-2", {0, 2, 3}},
	{"HWLOC_XMLFILE", FIXTURES "hybrid.xml", "same-l3", 2, "same-l3:P", {0, 2}},
	{"HWLOC_XMLFILE", FIXTURES "hybrid.xml", "same-l3:E-P", 2, "same-l3:E-P", {0, 4}},
	{"HWLOC_XMLFILE", FIXTURES "hybrid.xml", "same-l2", 2, "same-l2:E", {4, 5}},
	/* All of one kind before any of another. */
	{"HWLOC_XMLFILE", FIXTURES "hybrid.xml", "nearest", 4, "same-l2:E", {4, 5, 6, 7}},
	{"HWLOC_XMLFILE", FIXTURES "offline.xml", "nearest", 3, "same-l3", {0, 2, 5}},
	{"HWLOC_XMLFILE", FIXTURES "disallowed.xml", "nearest", 2, "same-cpu", {1, 1}},
};

static void choice_check(const struct expected_choice *choice)
{
	struct topology *topology = machine_load(choice->variable, choice->value);
	char chosen[PLACEMENT_NAME] = "", error[TOPOLOGY_TEXT] = "";
	int cpus[6];

	print_message("%s: %s for %zu\n", choice->value, choice->name, choice->actors);
	if (placement_choose(topology, choice->name, choice->actors, cpus, chosen, error))
		fail_msg("%s", error);
	assert_string_equal(choice->chosen, chosen);
	for (size_t i = 0; i < choice->actors; i++)
		assert_int_equal(choice->cpus[i], cpus[i]);
	topology_free(topology);
}

static void actors_get_the_cpus_that_the_name_promises(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		choice_check(&choices[i]);
}

static void many_actors_get_a_core_each(void **state)
{
	enum { ACTORS = 600 };
	struct topology *topology = machine_load("HWLOC_SYNTHETIC", "pack:2 core:300 pu:2");
	char chosen[PLACEMENT_NAME], error[TOPOLOGY_TEXT];
	int cpus[ACTORS];
	bool taken[1200] = {false};

	(void)state;
	assert_int_equal(0, placement_choose(topology, "nearest", ACTORS, cpus, chosen, error));
	for (size_t i = 0; i < ACTORS; i++) {
		assert_false(taken[cpus[i]]);
		taken[cpus[i]] = true;
	}
	for (size_t core = 0; core < 600; core++)
		assert_int_equal(1, taken[2 * core] + taken[2 * core + 1]);
	topology_free(topology);
}

static void what_cannot_be_chosen_is_refused_with_its_reason(void **state)
{
	struct topology *topology = machine_load("HWLOC_XMLFILE", FIXTURES "disallowed.xml");
	char chosen[PLACEMENT_NAME], error[TOPOLOGY_TEXT];
	int cpus[2];

	(void)state;
	assert_int_equal(-ENOENT, placement_choose(topology, "same-l3", 2, cpus, chosen, error));
	assert_non_null(strstr(error, "CPUs that may be used: 1"));
	assert_int_equal(-EINVAL, placement_choose(topology, "beside", 2, cpus, chosen, error));
	assert_non_null(strstr(error, "'beside'"));
	assert_non_null(strstr(error, "cross-node"));
	assert_int_equal(-EINVAL, placement_choose(topology, "", 2, cpus, chosen, error));
	assert_int_equal(-EINVAL, placement_choose(topology, "same", 2, cpus, chosen, error));
	assert_int_equal(-EINVAL, placement_choose(topology, "nearest", 0, cpus, chosen, error));
	topology_free(topology);
}

static void cpus_that_may_not_be_used_have_no_name(void **state)
{
	struct topology *topology = machine_load("HWLOC_XMLFILE", FIXTURES "disallowed.xml");
	char name[PLACEMENT_NAME], error[TOPOLOGY_TEXT];

	(void)state;
	assert_int_equal(-EINVAL, placement_name(topology, (const int[]){1, 99999}, 2, name, error));
	assert_string_equal("CPU 99999 does not exist or is offline; CPUs that may be used: 1", error);
	assert_int_equal(-EINVAL, placement_name(topology, (const int[]){0, 1}, 2, name, error));
	assert_string_equal("CPU 0 is outside the cpuset or the affinity mask; CPUs that may be used: 1", error);
	assert_int_equal(-EINVAL, placement_name(topology, NULL, 0, name, error));
	topology_free(topology);
}

static void a_list_is_named_by_its_farthest_pair_and_all_its_kinds(void **state)
{
	struct topology *topology = machine_load("HWLOC_SYNTHETIC", SOCKETS_2);
	char name[PLACEMENT_NAME], error[TOPOLOGY_TEXT];

	(void)state;
	assert_int_equal(0, placement_name(topology, (const int[]){0, 1, 2}, 3, name, error));
	assert_string_equal("same-l3", name);
	assert_int_equal(0, placement_name(topology, (const int[]){0, 255, 1}, 3, name, error));
	assert_string_equal("cross-node", name);
	topology_free(topology);
	topology = machine_load("HWLOC_XMLFILE", FIXTURES "hybrid.xml");
	assert_int_equal(0, placement_name(topology, (const int[]){0, 2, 4}, 3, name, error));
	assert_string_equal("same-l3:E-P", name);
	assert_int_equal(0, placement_name(topology, (const int[]){4}, 1, name, error));
	assert_string_equal("same-cpu:E", name);
	topology_free(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_two_sockets_has_one_relation),
		cmocka_unit_test(packages_and_nodes_are_told_apart),
		cmocka_unit_test(one_cpu_has_one_placement_and_reasons_for_the_rest),
		cmocka_unit_test(offline_cpus_are_in_no_pair),
		cmocka_unit_test(what_only_the_cpuset_forbids_is_said_to_be_so),
		cmocka_unit_test(kinds_of_core_are_never_mixed_under_one_name),
		cmocka_unit_test(actors_get_the_cpus_that_the_name_promises),
		cmocka_unit_test(many_actors_get_a_core_each),
		cmocka_unit_test(what_cannot_be_chosen_is_refused_with_its_reason),
		cmocka_unit_test(cpus_that_may_not_be_used_have_no_name),
		cmocka_unit_test(a_list_is_named_by_its_farthest_pair_and_all_its_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
