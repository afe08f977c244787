#include "topo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "figures.h"
#include "line_pair.h"
#include "machine.h"
#include "placement.h"
#include "plot.h"
#include "regime.h"

enum {
	TOPO_TEXT = 512,
	CALIBRATE_NS = 100000000,
};

/* The matrix of the usable CPUs. */
struct matrix {
	const int *cpus;
	size_t n;
	double *round_trip_ns; /* [n × n], < 0: not measured; the diagonal stays so */
	size_t pairs, measured;
};

/* ---- the matrix ---- */

static int measure_matrix(struct matrix *matrix, const struct clock *clock, uint64_t max_time_ns)
{
	uint64_t began = clock_system_ns(CLOCK_MONOTONIC);
	char error[LINE_PAIR_TEXT];

	fprintf(stderr, "%zu pair%s, about %.1f s\n", matrix->pairs, matrix->pairs == 1 ? "" : "s", (double)(matrix->pairs * LINE_PAIR_COST_NS) / 1e9);
	for (size_t i = 0; i < matrix->n; i++)
		for (size_t j = i + 1; j < matrix->n; j++) {
			double ns;

			if (clock_system_ns(CLOCK_MONOTONIC) - began > max_time_ns) {
				fprintf(stderr, "twopoint: --max-time is over: %zu of %zu pair%s measured\n", matrix->measured,
					matrix->pairs, matrix->pairs == 1 ? " was" : "s were");
				return 0;
			}
			ns = line_pair_measure(clock, matrix->cpus[i], matrix->cpus[j], NULL, error);
			if (ns < 0) {
				fprintf(stderr, "twopoint: CPUs %d and %d: %s\n", matrix->cpus[i], matrix->cpus[j], error);
				return 3;
			}
			matrix->round_trip_ns[i * matrix->n + j] = matrix->round_trip_ns[j * matrix->n + i] = ns;
			matrix->measured++;
		}
	return 0;
}

static void print_matrix(const struct matrix *matrix)
{
	printf("\nround trip of one cache line, ns (medians)\n%6s", "CPU");
	for (size_t i = 0; i < matrix->n; i++)
		printf("%7d", matrix->cpus[i]);
	putchar('\n');
	for (size_t i = 0; i < matrix->n; i++) {
		printf("%6d", matrix->cpus[i]);
		for (size_t j = 0; j < matrix->n; j++) {
			double ns = matrix->round_trip_ns[i * matrix->n + j];

			if (ns < 0)
				printf("%7s", i == j ? "." : "-");
			else
				printf("%7.0f", ns);
		}
		putchar('\n');
	}
	if (matrix->measured < matrix->pairs)
		puts("  -: not measured");
}

static json_t *matrix_to_json(const struct matrix *matrix)
{
	json_t *cpus = json_array(), *rows = json_array();

	for (size_t i = 0; i < matrix->n; i++) {
		json_t *row = json_array();

		json_array_append_new(cpus, json_integer(matrix->cpus[i]));
		for (size_t j = 0; j < matrix->n; j++) {
			double ns = matrix->round_trip_ns[i * matrix->n + j];

			json_array_append_new(row, ns < 0 ? json_null() : json_real(round(ns * 10) / 10));
		}
		json_array_append_new(rows, row);
	}
	return json_pack("{s:o, s:o}", "cpus", cpus, "round_trip_ns", rows);
}

/* ---- over time ---- */

enum { WATCH_EVERY_NS = 100000000, WATCH_TIMES = 36000, WATCH_BAR_NS = 10, WATCH_BAR = 80 };

/* The line of the nearest two CPUs, looked at again and again. */
struct watched {
	int cpus[2];
	size_t count;
	double at_s[WATCH_TIMES], ns[WATCH_TIMES];
	size_t regime[WATCH_TIMES];
	struct regime *regimes;
	size_t regime_count;
};

static int watch(struct watched *watched, const struct clock *clock, uint64_t watch_ns, bool told)
{
	uint64_t began = clock_system_ns(CLOCK_MONOTONIC), now;
	char error[LINE_PAIR_TEXT];

	while ((now = clock_system_ns(CLOCK_MONOTONIC)) - began < watch_ns && watched->count < WATCH_TIMES) {
		double ns = line_pair_measure(clock, watched->cpus[0], watched->cpus[1], NULL, error);

		if (ns < 0) {
			fprintf(stderr, "twopoint: CPUs %d and %d: %s\n", watched->cpus[0], watched->cpus[1], error);
			return 3;
		}
		watched->at_s[watched->count] = (double)(now - began) / 1e9;
		watched->ns[watched->count++] = ns;
		if (told) {
			printf("%8.1f s %7.0f ns  ", (double)(now - began) / 1e9, ns);
			for (double bar = 0; bar < ns / WATCH_BAR_NS && bar < WATCH_BAR; bar++)
				putchar('#');
			putchar('\n');
			fflush(stdout);
		}
		nanosleep(&(struct timespec){.tv_nsec = WATCH_EVERY_NS}, NULL);
	}
	return 0;
}

static size_t watched_moves(const struct watched *watched)
{
	size_t moves = 0;

	for (size_t i = 1; i < watched->count; i++)
		moves += watched->regime[i] != watched->regime[i - 1];
	return moves;
}

static void print_watched(const struct watched *watched)
{
	size_t moves = watched_moves(watched);

	printf("\nCPUs %d and %d, %zu looks:", watched->cpus[0], watched->cpus[1], watched->count);
	for (size_t i = 0; i < watched->regime_count; i++)
		printf("%s %s in %.0f %% of them", i ? "," : "", watched->regimes[i].name,
		       100 * (double)watched->regimes[i].trials / (double)watched->count);
	printf("; %zu move%s from one to another\n", moves, moves == 1 ? "" : "s");
}

static json_t *watched_to_json(const struct watched *watched)
{
	json_t *looks = json_array(), *regimes = json_array();

	for (size_t i = 0; i < watched->count; i++)
		json_array_append_new(looks, json_pack("{s:f, s:f}", "at_s", watched->at_s[i], "round_trip_ns", watched->ns[i]));
	for (size_t i = 0; i < watched->regime_count; i++)
		json_array_append_new(regimes, json_pack("{s:s, s:I}", "name", watched->regimes[i].name, "looks", (json_int_t)watched->regimes[i].trials));
	return json_pack("{s:[i, i], s:o, s:o, s:I}", "cpus", watched->cpus[0], watched->cpus[1], "looks", looks, "regimes", regimes, "moves",
			 (json_int_t)watched_moves(watched));
}

/* Adds to machine where data are asked for. Returns a status. */
static int watch_line(const struct topology *topology, const struct clock *clock, const struct options *options, json_t *machine)
{
	struct watched *watched = calloc(1, sizeof(*watched));
	long regimes;
	int status = 3;

	if (!watched || !placement_nearest_pair(topology, watched->cpus)) {
		fprintf(stderr, watched ? "twopoint: --watch: there are no two CPUs that may be used\n" : "twopoint: no memory\n");
		free(watched);
		return 3;
	}
	if (!options->json)
		puts("\nround trip of one cache line over time");
	if (!watch(watched, clock, options->topo.watch_ns, !options->json)) {
		regimes = regime_find(watched->ns, watched->count, watched->regime, &watched->regimes);
		watched->regime_count = regimes < 0 ? 0 : (size_t)regimes;
		if (options->json)
			json_object_set_new(machine, "watch", watched_to_json(watched));
		else
			print_watched(watched);
		status = regimes < 0 ? 3 : 0;
	}
	free(watched->regimes);
	free(watched);
	return status;
}

static int draw_matrix(const struct matrix *matrix, const struct options *options, const char *cpu_model)
{
	char folder[PLOT_PATH], path[PLOT_PATH], message[TOPO_TEXT], title[TOPO_TEXT];
	struct figure_request request = {.terminal = plot_terminal_names[options->plot.terminal], .folder = folder};
	size_t found;
	int status = plot_folder(folder, sizeof(folder), options, "matrix", &found);

	if (!status) {
		snprintf(title, sizeof(title), "%s: round trip of one cache line", cpu_model);
		status = figure_draw_matrix(matrix->cpus, matrix->round_trip_ns, matrix->n, title, &request, path, sizeof(path),
					    message, sizeof(message));
		if (status >= 0 && path[0])
			fprintf(stderr, "%s\n", path);
		else if (status)
			fprintf(stderr, "twopoint: matrix: %s\n", message);
		plot_leave_folder(folder, options, found);
	}
	return status < 0 ? 3 : 0;
}

/* ---- the machine ---- */

static void print_machine(const struct topology *topology, const json_t *machine)
{
	struct topology_facts facts;
	struct placement *placements = NULL;
	char text[TOPOLOGY_TEXT];
	const json_t *host = json_object_get(machine, "host"), *settings = json_object_get(machine, "settings"), *value;
	const char *model = json_string_value(json_object_get(host, "cpu_model")), *key;
	long count;

	topology_facts(topology, &facts);
	if (facts.this_machine)
		printf("%s, kernel %s\n", model ? model : "unknown CPU", json_string_value(json_object_get(host, "kernel")));
	else
		puts("a described machine (HWLOC_XMLFILE or HWLOC_SYNTHETIC)");
	printf("%u package%s, %u core%s, %u CPU%s online, %u NUMA node%s, %u kind%s of core\n", facts.packages,
	       facts.packages == 1 ? "" : "s", facts.cores, facts.cores == 1 ? "" : "s", facts.cpus, facts.cpus == 1 ? "" : "s",
	       facts.numa_nodes, facts.numa_nodes == 1 ? "" : "s", facts.core_kinds, facts.core_kinds == 1 ? "" : "s");
	printf("caches: L1d %zu KiB, L2 %zu KiB, L3 %zu KiB; lines of %u bytes\n", facts.l1d_bytes >> 10, facts.l2_bytes >> 10,
	       facts.l3_bytes >> 10, facts.cache_line_bytes);
	printf("usable CPUs: %s\n\nplacements\n", topology_cpus_text(topology, text, sizeof(text)));
	count = placement_list(topology, &placements);
	for (long i = 0; i < count; i++) {
		const struct placement *placement = &placements[i];

		if (placement->present)
			printf("  %-16s CPUs %d and %d, one of %zu pair%s\n", placement->name, placement->cpus[0],
			       placement->cpus[1], placement->pairs, placement->pairs == 1 ? "" : "s");
		else
			printf("  %-16s absent: %s\n", placement->name, placement->reason);
	}
	free(placements);
	if (!facts.this_machine)
		return;
	puts("\nsettings");
	json_object_foreach((json_t *)(uintptr_t)settings, key, value)
	{
		const char *note = json_string_value(json_object_get(json_object_get(machine, "settings_notes"), key));

		printf("  %-24s %s%s%s\n", key, json_is_string(value) ? json_string_value(value) : "-", note ? "  " : "",
		       note ? note : "");
	}
}

static int show_topology(const struct topology *topology, const struct options *options)
{
	struct clock clock = {.ticks_per_s = 1e9};
	struct topology_facts facts;
	struct limits limits;
	struct matrix matrix = {0};
	json_t *machine;
	int status = 0;
	const char *model;

	topology_facts(topology, &facts);
	if ((options->topo.matrix || options->topo.watch_ns) && !facts.this_machine) {
		fprintf(stderr, "twopoint: --%s: the machine is a described one; only this machine can be measured\n",
			options->topo.matrix ? "matrix" : "watch");
		return 3;
	}
	if (facts.this_machine)
		clock_open(&clock, CALIBRATE_NS);
	limits_read(&limits, "");
	machine = machine_to_json(topology, &clock, &limits);
	if (!options->json)
		print_machine(topology, machine);
	if (options->topo.matrix) {
		matrix.cpus = topology_cpus(topology, &matrix.n);
		matrix.pairs = matrix.n * (matrix.n - 1) / 2;
		matrix.round_trip_ns = malloc((matrix.n * matrix.n + 1) * sizeof(double));
		for (size_t i = 0; matrix.round_trip_ns && i < matrix.n * matrix.n; i++)
			matrix.round_trip_ns[i] = -1;
		status = matrix.round_trip_ns ? measure_matrix(&matrix, &clock, options->topo.max_time_ns) : 3;
		if (!status && options->json)
			json_object_set_new(machine, "matrix", matrix_to_json(&matrix));
		else if (!status)
			print_matrix(&matrix);
		model = json_string_value(json_object_get(json_object_get(machine, "host"), "cpu_model"));
		if (!status && matrix.measured)
			status = draw_matrix(&matrix, options, model ? model : "unknown CPU");
		free(matrix.round_trip_ns);
	}
	if (!status && options->topo.watch_ns)
		status = watch_line(topology, &clock, options, machine);
	if (options->json) {
		json_dumpf(machine, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(machine);
	return status;
}

int topo_main(const struct options *options)
{
	struct topology *topology = machine_load_topology();
	int status;

	if (!topology)
		return 3;
	status = show_topology(topology, options);
	topology_free(topology);
	return status;
}
