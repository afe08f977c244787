#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "machine.h"
#include "number.h"

enum { CALIBRATE_NS = 100000000, PARTS = 2 };

/* Of the verdict. */
static const char *const part_keys[PARTS] = {"rates", "tails"}, *const part_names[PARTS] = {"rates and medians", "tails"};

static bool makes_unfit(const struct doctor_finding *finding, int part)
{
	return part ? finding->tails : finding->rates;
}

static void findings_print(const struct doctor_finding *findings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		printf("%-6s %-15s %s\n", doctor_state_names[findings[i].state], findings[i].name, findings[i].is);
		if (*findings[i].costs)
			printf("%22s costs: %s\n", "", findings[i].costs);
		if (*findings[i].mend)
			printf("%22s mend:  %s\n", "", findings[i].mend);
	}
	putchar('\n');
	for (int part = 0; part < PARTS; part++) {
		size_t reasons = 0;

		for (size_t i = 0; i < count; i++)
			if (makes_unfit(&findings[i], part))
				printf("%s%s", reasons++ ? ", " : part ? "Not fit for tails: " : "Not fit for rates and medians: ", findings[i].name);
		if (reasons)
			putchar('\n');
		else
			printf("Fit for %s.\n", part_names[part]);
	}
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static json_t *verdict_to_json(const struct doctor_finding *findings, size_t count, int part)
{
	json_t *reasons = json_array();

	for (size_t i = 0; i < count; i++)
		if (makes_unfit(&findings[i], part))
			json_array_append_new(reasons, json_string(findings[i].name));
	return json_pack("{s:b, s:o}", "fit", json_array_size(reasons) == 0, "reasons", reasons);
}

static json_t *known_or_null(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

static json_t *measured_to_json(const struct doctor_measured *measured)
{
	json_t *lines = json_array();
	bool offset = measured->offset_low_ns <= measured->offset_high_ns;

	for (size_t i = 0; i < measured->lines; i++)
		json_array_append_new(lines, json_real(measured->line_ns[i]));
	return json_pack("{s:I, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "watched_ns", (json_int_t)measured->watched_ns,
			 "stall_share", measured->stall_share, "longest_stall_ns", measured->longest_stall_ns, "long_stalls_per_s",
			 measured->long_stalls_per_s, "steal_share", known_or_null(measured->steal_share), "run_delay_share",
			 known_or_null(measured->delay_share), "involuntary_switches_per_s", known_or_null(measured->switches_per_s),
			 "throttled_ns", known_or_null(measured->throttled_ns), "line_ns", lines, "clock_offset_low_ns",
			 offset ? json_real(measured->offset_low_ns) : json_null(), "clock_offset_high_ns",
			 offset ? json_real(measured->offset_high_ns) : json_null(), "system_call_ns", measured->call_ns, "wake_ns",
			 known_or_null(measured->wake_ns));
}

static bool all_to_json(const struct doctor_facts *facts, const struct doctor_finding *findings, size_t count, json_t *machine)
{
	json_t *list = json_array(), *json;
	bool good;

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", findings[i].name, "state",
						      doctor_state_names[findings[i].state], "is", findings[i].is, "costs",
						      text_or_null(findings[i].costs), "mend", text_or_null(findings[i].mend)));
	json = json_pack("{s:o, s:o, s:{s:o, s:o}, s:O}", "findings", list, "measured", measured_to_json(&facts->measured), "verdict", part_keys[0],
			 verdict_to_json(findings, count, 0), part_keys[1], verdict_to_json(findings, count, 1), "machine", machine);
	good = json && !json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(json);
	return good;
}

static const char *setting_of(const void *context, const char *name)
{
	return json_string_value(json_object_get(json_object_get(context, "settings"), name));
}

static int examine(const struct options *options, const struct topology *topology)
{
	struct doctor_finding findings[DOCTOR_FINDINGS];
	struct doctor_facts facts = {.setting = setting_of};
	struct topology_facts about;
	char error[DOCTOR_TEXT];
	size_t usable, count;
	json_t *machine;
	int status = 0;

	topology_facts(topology, &about);
	if (!about.this_machine) {
		fprintf(stderr, "twopoint: doctor: the machine is a described one (HWLOC_XMLFILE or HWLOC_SYNTHETIC); only this machine can be examined\n");
		return 3;
	}
	topology_cpus(topology, &usable);
	facts.cpus_usable = (unsigned)usable;
	facts.cpus_online = about.cpus;
	clock_open(&facts.clock, CALIBRATE_NS);
	limits_read(&facts.limits, "");
	if (doctor_measure(&facts.measured, topology, &facts.clock, options->doctor.duration_ns, error)) {
		fprintf(stderr, "twopoint: doctor: %s\n", error);
		return 3;
	}
	machine = machine_to_json(topology, &facts.clock, &facts.limits);
	facts.context = machine;
	count = doctor_find(findings, &facts);
	if (!options->json)
		findings_print(findings, count);
	else if (!all_to_json(&facts, findings, count, machine))
		status = 3;
	json_decref(machine);
	return status;
}

int doctor_main(const struct options *options)
{
	struct topology *topology = machine_load_topology();
	int status;

	if (!topology)
		return 3;
	status = examine(options, topology);
	topology_free(topology);
	return status;
}
