/* A plan as people read it. */
#include <inttypes.h>
#include <string.h>

#include "cell_text.h"
#include "plan.h"
#include "units.h"

static void machine_print(FILE *file, const struct topology *topology)
{
	struct topology_facts facts;
	char cpus[TOPOLOGY_TEXT];

	topology_facts(topology, &facts);
	fprintf(file, "machine%s: CPUs %u, cores %u, packages %u, NUMA nodes %u; CPUs that may be used: %s\n",
		facts.this_machine ? "" : " (described, not this one)", facts.cpus, facts.cores, facts.packages,
		facts.numa_nodes, topology_cpus_text(topology, cpus, sizeof(cpus)));
}

static bool cells_share_place(const struct cell *a, const struct cell *b)
{
	return !strcmp(a->place, b->place) && cell_actors(a) == cell_actors(b) && !memcmp(a->cpus, b->cpus, sizeof(a->cpus));
}

static void places_print(FILE *file, const struct plan *plan)
{
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct cell *cell = &plan->cells[i];
		size_t first = 0;

		while (!cells_share_place(&plan->cells[first], cell))
			first++;
		if (first != i)
			continue;
		fprintf(file, "place %s: CPUs", cell->place);
		for (unsigned k = 0; k < cell_actors(cell); k++)
			fprintf(file, "%s%d", !k ? " " : k + 1 < cell_actors(cell) ? ", " : " and ", cell->cpus[k]);
		fprintf(file, "\n");
	}
}

/* How wide a field's column is; 0 if all cells have the same there. The queue's stands there always. */
static size_t column_width(const json_t *cells, const char *field)
{
	char first[CELL_TEXT], text[CELL_TEXT];
	size_t width = strlen(cell_field_option(field, text)), i;
	bool differ = false;
	const json_t *cell;

	cell_field_text(field, json_object_get(json_array_get(cells, 0), field), first);
	json_array_foreach(cells, i, cell) {
		size_t length = strlen(cell_field_text(field, json_object_get(cell, field), text));

		width = length > width ? length : width;
		differ |= strcmp(first, text) != 0;
	}
	return differ || !strcmp(field, "queue") ? width : 0;
}

/* One row of the table: the title of each column (cell NULL) or the cell's text; no blanks behind the last. */
static void row_print(FILE *file, const json_t *first, const json_t *cell, const size_t *widths)
{
	size_t column = 0, blanks = 0;
	char text[CELL_TEXT];
	const char *field;
	json_t *value;

	json_object_foreach((json_t *)first, field, value) {
		size_t width = widths[column++];
		const char *word = cell ? cell_field_text(field, json_object_get(cell, field), text) : cell_field_option(field, text);

		if (!width)
			continue;
		fprintf(file, "%*s%s", (int)blanks, "", word);
		blanks = width - strlen(word) + 2;
	}
	fprintf(file, "\n");
}

/* Whether a field that is the same in all cells is left out of what one would type: it does not apply, is said by the places above, or is
 * what a workload of one sender and one receiver has anyway. */
static bool goes_without_saying(const char *field, const char *text)
{
	return !strcmp(text, "-") || !strcmp(field, "cpus") ||
	       ((!strcmp(field, "producers") || !strcmp(field, "consumers")) && !strcmp(text, "1"));
}

/* What is the same in all cells stands in one line above, as one would type it; the rest in columns. */
static void cells_print(FILE *file, const struct plan *plan)
{
	json_t *cells = json_array(), *first, *cell, *value;
	size_t widths[64] = {0}, column = 0, i;
	char text[CELL_TEXT], name[CELL_TEXT];
	const char *field;

	for (i = 0; i < plan->cell_count; i++)
		json_array_append_new(cells, cell_to_json(&plan->cells[i]));
	first = json_array_get(cells, 0);
	fprintf(file, "all cells:");
	json_object_foreach(first, field, value) {
		widths[column] = column_width(cells, field);
		if (!widths[column++] && !goes_without_saying(field, cell_field_text(field, value, text)))
			fprintf(file, " --%s %s", cell_field_option(field, name), text);
	}
	fprintf(file, "\n\n");
	row_print(file, first, NULL, widths);
	json_array_foreach(cells, i, cell)
		row_print(file, first, cell, widths);
	json_decref(cells);
}

/* Of those that were asked for batches, the ones that are measured without. */
static void unbatched_print(FILE *file, const struct plan *plan)
{
	for (size_t i = 0; i < plan->unbatched_count; i++)
		for (size_t k = 0; k < plan->cell_count; k++)
			if (plan->cells[k].queue == plan->unbatched[i] && plan->cells[k].workload != WORKLOAD_PINGPONG) {
				fprintf(file, "note: %s does not batch: it is measured at batch 1 alone\n", plan->unbatched[i]->name);
				break;
			}
}

void plan_warn_of_nodes(FILE *file, const struct plan *plan, const struct topology *topology)
{
	size_t count;
	const int *nodes = topology_nodes(topology, &count);

	for (size_t i = 0; count == 1 && i < plan->cell_count; i++)
		if (plan->cells[i].memory_owner != MEMORY_OF_PRODUCER) {
			fprintf(file, "note: --memory-node: this machine has one NUMA node, %d: all memory lies there, whichever was asked for\n", nodes[0]);
			return;
		}
}

void plan_print(FILE *file, const struct plan *plan, const struct run_settings *settings, const struct topology *topology)
{
	char time[UNITS_TEXT], most[UNITS_TEXT];

	machine_print(file, topology);
	places_print(file, plan);
	cells_print(file, plan);
	fprintf(file, "\n");
	for (size_t i = 0; i < plan->skipped_count; i++)
		fprintf(file, "skipped: %zu cell%s: %s\n", plan->skipped[i].cells, plan->skipped[i].cells == 1 ? "" : "s",
			plan->skipped[i].reason);
	unbatched_print(file, plan);
	plan_warn_of_nodes(file, plan, topology);
	fprintf(file, "%zu cell%s, %" PRIu64 " trial%s each, seed %" PRIu64 ": about %s, at most %s where trials are %s\n",
		plan->cell_count, plan->cell_count == 1 ? "" : "s", settings->trials, settings->trials == 1 ? "" : "s", settings->seed,
		units_show_time(time, plan_estimate_ns(plan, settings->trials)),
		units_show_time(most, plan_estimate_ns(plan, settings->attempts)), settings->until_ppm ? "added" : "repeated");
}
