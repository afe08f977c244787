#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"
#include "pin.h"

struct expected_machine {
	const char *variable, *value;
	struct topology_facts facts; /* sizes are compared where they are not 0 */
	const char *cpus;
};

static const struct expected_machine machines[] = {
	{"HWLOC_SYNTHETIC", SOCKETS_2,
	 {.packages = 2, .cores = 128, .cpus = 256, .numa_nodes = 2, .core_kinds = 1}, "0-255"},
	{"HWLOC_SYNTHETIC", "pack:2 core:300 pu:2",
	 {.packages = 2, .cores = 600, .cpus = 1200, .numa_nodes = 1, .core_kinds = 1}, "0-1199"},
	{"HWLOC_SYNTHETIC", "core:1 pu:1",
	 {.packages = 0, .cores = 1, .cpus = 1, .numa_nodes = 1, .core_kinds = 1}, "0"},
	{"HWLOC_XMLFILE", FIXTURES "hybrid.xml",
	 {.packages = 1, .cores = 6, .cpus = 8, .numa_nodes = 1, .core_kinds = 2,
	  .cache_line_bytes = 64, .l2_bytes = 2097152, .l3_bytes = 12582912}, "0-7"},
	{"HWLOC_XMLFILE", FIXTURES "three-kinds.xml",
	 {.packages = 1, .cores = 4, .cpus = 4, .numa_nodes = 1, .core_kinds = 3}, "0-3"},
	{"HWLOC_XMLFILE", FIXTURES "offline.xml",
	 {.packages = 1, .cores = 3, .cpus = 3, .numa_nodes = 1, .core_kinds = 1, .l1d_bytes = 32768}, "0,2,5"},
	{"HWLOC_XMLFILE", FIXTURES "disallowed.xml",
	 {.packages = 1, .cores = 4, .cpus = 4, .numa_nodes = 1, .core_kinds = 1}, "1"},
};

static void size_check(size_t expected, size_t got)
{
	if (expected)
		assert_int_equal(expected, got);
}

static void machine_check(const struct expected_machine *machine)
{
	struct topology *topology = machine_load(machine->variable, machine->value);
	struct topology_facts facts;
	char text[TOPOLOGY_TEXT];

	topology_facts(topology, &facts);
	print_message("%s\n", machine->value);
	assert_int_equal(machine->facts.packages, facts.packages);
	assert_int_equal(machine->facts.cores, facts.cores);
	assert_int_equal(machine->facts.cpus, facts.cpus);
	assert_int_equal(machine->facts.numa_nodes, facts.numa_nodes);
	assert_int_equal(machine->facts.core_kinds, facts.core_kinds);
	size_check(machine->facts.cache_line_bytes, facts.cache_line_bytes);
	size_check(machine->facts.l1d_bytes, facts.l1d_bytes);
	size_check(machine->facts.l2_bytes, facts.l2_bytes);
	size_check(machine->facts.l3_bytes, facts.l3_bytes);
	assert_false(facts.this_machine);
	assert_string_equal(machine->cpus, topology_cpus_text(topology, text, sizeof(text)));
	topology_free(topology);
}

static void each_described_machine_is_read_as_described(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		machine_check(&machines[i]);
}

static void an_unreadable_description_is_an_error_not_the_real_machine(void **state)
{
	static const char *const described[][2] = {
		{"HWLOC_XMLFILE", "/nonexistent.xml"},
		{"HWLOC_XMLFILE", FIXTURES "cgroup-v1/proc/meminfo"},
		{"HWLOC_SYNTHETIC", "nonsense:x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(described) / sizeof(described[0]); i++) {
		struct topology *topology = NULL;
		char error[TOPOLOGY_TEXT] = "";
		assert_int_equal(-EINVAL, machine_try(described[i][0], described[i][1], &topology, error));
		assert_non_null(strstr(error, "describes"));
		assert_null(topology);
	}
}

static void offline_and_unknown_cpus_are_not_usable(void **state)
{
	struct topology *topology = machine_load("HWLOC_XMLFILE", FIXTURES "offline.xml");
	size_t count;
	const int *cpus = topology_cpus(topology, &count);

	(void)state;
	assert_int_equal(3, count);
	assert_int_equal(0, cpus[0]);
	assert_int_equal(2, cpus[1]);
	assert_int_equal(5, cpus[2]);
	assert_true(topology_has_cpu(topology, 5));
	assert_false(topology_has_cpu(topology, 1));
	assert_false(topology_has_cpu(topology, 99999));
	assert_false(topology_has_cpu(topology, -1));
	assert_null(topology_place(topology, 3));
	topology_free(topology);
}

static void a_cpu_that_the_cpuset_forbids_is_online_and_not_usable(void **state)
{
	struct topology *topology = machine_load("HWLOC_XMLFILE", FIXTURES "disallowed.xml");

	(void)state;
	assert_non_null(topology_place(topology, 0));
	assert_false(topology_has_cpu(topology, 0));
	assert_true(topology_has_cpu(topology, 1));
	topology_free(topology);
}

static void nodes_bear_the_numbers_of_the_operating_system(void **state)
{
	struct topology *topology = machine_load("HWLOC_SYNTHETIC", "pack:2 [numa(indexes=4,7)] core:2 pu:1");

	(void)state;
	assert_int_equal(4, topology_node(topology, 1));
	assert_int_equal(7, topology_node(topology, 2));
	assert_int_equal(-1, topology_node(topology, 4));
	topology_free(topology);
}

/* The usual numbering of x86 servers: CPU n and n + 4 are threads of one core. */
static void cpus_bear_the_numbers_of_the_operating_system(void **state)
{
	struct topology *topology = machine_load("HWLOC_SYNTHETIC", "core:4 pu:2(indexes=0,4,1,5,2,6,3,7)");

	(void)state;
	for (int cpu = 0; cpu < 4; cpu++)
		assert_int_equal(topology_place(topology, cpu)->core, topology_place(topology, cpu + 4)->core);
	assert_int_not_equal(topology_place(topology, 0)->core, topology_place(topology, 1)->core);
	topology_free(topology);
}

static void kinds_are_named_by_power(void **state)
{
	struct topology *topology = machine_load("HWLOC_XMLFILE", FIXTURES "hybrid.xml");
	char kind[TOPOLOGY_KIND];

	(void)state;
	assert_string_equal("P", topology_kind_text(topology, topology_place(topology, 0)->kind, kind));
	assert_string_equal("E", topology_kind_text(topology, topology_place(topology, 7)->kind, kind));
	topology_free(topology);
	topology = machine_load("HWLOC_XMLFILE", FIXTURES "three-kinds.xml");
	assert_string_equal("0", topology_kind_text(topology, topology_place(topology, 0)->kind, kind));
	assert_string_equal("2", topology_kind_text(topology, topology_place(topology, 3)->kind, kind));
	topology_free(topology);
}

static void the_affinity_mask_bounds_this_machine_and_no_described_one(void **state)
{
	char error[TOPOLOGY_TEXT], pin_error[PIN_TEXT];
	struct topology *topology;
	struct topology_facts facts;
	int *allowed;
	size_t allowed_count, count;

	(void)state;
	assert_int_equal(0, pin_allowed(&allowed, &allowed_count));
	int last = allowed[allowed_count - 1];
	free(allowed);
	assert_int_equal(0, pin_self(last, pin_error));

	assert_int_equal(0, topology_load(&topology, error));
	topology_facts(topology, &facts);
	assert_true(facts.this_machine);
	assert_true(facts.cpus >= 1);
	const int *cpus = topology_cpus(topology, &count);
	assert_int_equal(1, count);
	assert_int_equal(last, cpus[0]);
	topology_free(topology);

	topology = machine_load("HWLOC_SYNTHETIC", SOCKETS_2);
	topology_cpus(topology, &count);
	assert_int_equal(256, count);
	topology_free(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_described_machine_is_read_as_described),
		cmocka_unit_test(an_unreadable_description_is_an_error_not_the_real_machine),
		cmocka_unit_test(offline_and_unknown_cpus_are_not_usable),
		cmocka_unit_test(a_cpu_that_the_cpuset_forbids_is_online_and_not_usable),
		cmocka_unit_test(nodes_bear_the_numbers_of_the_operating_system),
		cmocka_unit_test(cpus_bear_the_numbers_of_the_operating_system),
		cmocka_unit_test(kinds_are_named_by_power),
		/* Last: it narrows this process's mask. */
		cmocka_unit_test(the_affinity_mask_bounds_this_machine_and_no_described_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
