#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "build_facts.h"
#include "placement.h"

struct topology *machine_load_topology(void)
{
	struct topology *topology;
	char error[TOPOLOGY_TEXT];

	if (!topology_load(&topology, error))
		return topology;
	fprintf(stderr, "twopoint: %s\n", error);
	return NULL;
}

char *machine_utc(char *text, size_t size, bool compact)
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(text, size, compact ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ", &utc);
	return text;
}

static json_t *json_text(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

/* Bytes or a count of which 0 means not told, UINT64_MAX none. */
static json_t *json_told(uint64_t value)
{
	return value && value != UINT64_MAX ? json_integer((json_int_t)value) : json_null();
}

static void settings_to_json(json_t *settings, json_t *notes)
{
	struct limits_setting setting;

	for (size_t i = 0; limits_setting(i, &setting, ""); i++) {
		json_object_set_new(settings, setting.name, json_text(setting.value));
		if (setting.note[0])
			json_object_set_new(notes, setting.name, json_string(setting.note));
	}
}

static json_t *host_to_json(const json_t *settings)
{
	struct utsname name;
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);

	uname(&name);
	return json_pack("{s:s, s:O, s:i, s:s, s:O, s:o, s:O, s:s}", "name", name.nodename, "cpu_model",
			 json_object_get(settings, "cpu_model"), "cpus", (int)sysconf(_SC_NPROCESSORS_ONLN), "kernel",
			 name.release, "hypervisor", json_object_get(settings, "hypervisor"), "memory_bytes",
			 json_told((uint64_t)pages * (uint64_t)page_bytes), "clock_source",
			 json_object_get(settings, "clock_source"), "architecture", name.machine);
}

static json_t *topology_to_json(const struct topology *topology)
{
	struct topology_facts facts;

	topology_facts(topology, &facts);
	return json_pack("{s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "packages", json_told(facts.packages), "cores",
			 (int)facts.cores, "cpus", (int)facts.cpus, "numa_nodes", (int)facts.numa_nodes, "core_kinds",
			 (int)facts.core_kinds, "cache_line_bytes", json_told(facts.cache_line_bytes), "l1d_bytes",
			 json_told(facts.l1d_bytes), "l2_bytes", json_told(facts.l2_bytes), "l3_bytes", json_told(facts.l3_bytes));
}

static json_t *placements_to_json(const struct topology *topology)
{
	struct placement *placements = NULL;
	long count = placement_list(topology, &placements);
	json_t *list = json_array();

	for (long i = 0; i < count; i++) {
		const struct placement *placement = &placements[i];

		json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", placement->name, "cpus",
						      placement->present ? json_pack("[i, i]", placement->cpus[0], placement->cpus[1])
									 : json_null(),
						      "reason", placement->present ? json_null() : json_text(placement->reason)));
	}
	free(placements);
	return list;
}

static json_t *clock_to_json(const struct clock *clock)
{
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:s, s:o}", "source", clock_name(clock->source), "ticks_per_s",
			 clock->ticks_per_s, "quantum_ns", clock_ns((double)clock->quantum_ticks, clock->ticks_per_s), "read_ns",
			 clock->read_ns, "ordered_read_ns", clock->ordered_read_ns, "ordering", clock_ordering(clock->source),
			 "why", json_text(clock->why));
}

static json_t *limits_to_json(const struct topology *topology, const struct limits *limits)
{
	json_t *cpus = json_array();
	size_t count;
	const int *allowed = topology_cpus(topology, &count);

	for (size_t i = 0; i < count; i++)
		json_array_append_new(cpus, json_integer(allowed[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "allowed_cpus", cpus, "quota_cpus",
			 limits->quota_cpus < 0 ? json_null() : json_real(limits->quota_cpus), "memory_limit_bytes",
			 json_told(limits->memory_limit_bytes), "memory_available_bytes",
			 json_told(limits->memory_available_bytes), "memlock_bytes",
			 limits->memlock_bytes == UINT64_MAX ? json_null() : json_integer((json_int_t)limits->memlock_bytes));
}

json_t *machine_to_json(const struct topology *topology, const struct clock *clock, const struct limits *limits)
{
	json_t *settings = json_object(), *notes = json_object();

	settings_to_json(settings, notes);
	return json_pack("{s:{s:s, s:s, s:s}, s:{s:s, s:s}, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tool", "name", "twopoint",
			 "version", build_version, "commit", build_commit, "build", "compiler", build_compiler, "flags",
			 build_flags, "host", host_to_json(settings), "topology", topology_to_json(topology), "placements",
			 placements_to_json(topology), "clock", clock_to_json(clock), "limits", limits_to_json(topology, limits),
			 "settings", settings, "settings_notes", notes);
}
