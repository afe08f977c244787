#include "compare_command.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "compare.h"
#include "compare_gbench_command.h"
#include "compare_print.h"
#include "loaded.h"
#include "noise_floor.h"
#include "table_print.h"
#include "words.h"

/* One side, which a thread of its own may read. */
struct side {
	const char *path;
	struct loaded loaded;
	char error[RECORD_TEXT];
	bool good;
};

static void *load(void *argument)
{
	struct side *side = argument;

	side->good = !loaded_read(&side->loaded, side->path, side->error);
	return NULL;
}

static void unload(struct side *side)
{
	if (side->good)
		loaded_free(&side->loaded);
}

/* Both at once, where there are two: reading is what takes the time. */
static bool load_all(struct side *records, size_t count)
{
	pthread_t other;
	bool parallel = count > 1 && !pthread_create(&other, NULL, load, &records[1]), good = true;

	load(&records[0]);
	if (parallel)
		pthread_join(other, NULL);
	else if (count > 1)
		load(&records[1]);
	for (size_t i = 0; i < count; i++) {
		good = good && records[i].good;
		if (!records[i].good)
			fprintf(stderr, "twopoint: %s\n", records[i].error);
	}
	return good;
}

bool noise_floor_folder(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int length = -1;

	if (state && *state == '/')
		length = snprintf(path, size, "%s/twopoint", state);
	else if (home && *home)
		length = snprintf(path, size, "%s/.local/state/twopoint", home);
	return length >= 0 && (size_t)length < size;
}

bool compare_floor_take(struct compare_settings *settings, struct noise_floor *floor, const struct record *record, bool successive)
{
	char folder[NOISE_FLOOR_PATH], error[RECORD_TEXT];

	*floor = (struct noise_floor){0};
	if (noise_floor_folder(folder, sizeof(folder)) && noise_floor_read(floor, folder, record->run, error)) {
		fprintf(stderr, "twopoint: %s\n", error);
		return false;
	}
	for (int i = 0; i < COMPARE_METRICS; i++) {
		const struct noise_floor_metric *metric = &floor->metrics[i];

		settings->floor[i] = !metric->known ? -1 : successive ? metric->successive : metric->interleaved;
	}
	return true;
}

unsigned compare_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static bool print_json(const struct comparison *comparison, const struct compare_subject *subject, int status)
{
	json_t *json = compare_to_json(comparison, subject, status);
	/* what standard output does not take is told of at the end, as of all commands */
	bool good = json && (!json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) || ferror(stdout));

	putchar('\n');
	json_decref(json);
	if (!good)
		fprintf(stderr, "twopoint: the comparison can't be written as JSON\n");
	return good;
}

static int conclude(const struct options *options, const struct comparison *comparison, const struct compare_subject *subject)
{
	int status = compare_status(comparison, !subject->queue);

	if (options->json) {
		if (!print_json(comparison, subject, status))
			return 3;
	} else if (!options->compare.quiet) {
		compare_print(stdout, comparison, subject, compare_width());
	}
	if (subject->queue && !comparison->row_count)
		fprintf(stderr, "twopoint: %s: no cell of the queue '%s', nor of others like it\n", subject->record->path, subject->queue);
	return status;
}

/* Whether the record has trials of that queue, or of none at all, which is no mistake of the name's. */
static bool baseline_is_known(const struct record *record, const char *queue)
{
	struct nearest nearest = nearest_begin(queue);
	json_t *queues = json_object();
	const char *name, *between = "";
	char suggestion[80];
	json_t *value;
	bool known = !record->trial_count;

	for (size_t i = 0; i < record->trial_count; i++) {
		known = known || !strcmp(record->trials[i].cell.queue, queue);
		json_object_set_new(queues, record->trials[i].cell.queue, json_true());
	}
	if (!known) {
		table_say(stderr, "twopoint: --baseline: unknown baseline queue '%.60s'; allowed, those of %.200s: ", queue, record->path);
		json_object_foreach(queues, name, value) {
			table_say(stderr, "%s%.60s", between, name);
			nearest_offer(&nearest, name);
			between = ", ";
		}
		table_say(stderr, "%s\n", nearest_text(&nearest, suggestion, sizeof(suggestion)));
	}
	json_decref(queues);
	return known;
}

static int compare_loaded(const struct options *options, const struct loaded *baseline, const struct loaded *changed)
{
	bool records = baseline != changed;
	struct compare_settings settings = {.threshold = (double)options->compare.threshold_ppm / 1e6,
					    .ignore_regime = options->compare.ignore_regime};
	struct noise_floor floor;
	const struct compare_subject subject = {.baseline = &baseline->record, .record = &changed->record,
						.queue = options->compare.baseline, .floor = &floor, .successive = records};
	const struct compare_input before = {&baseline->record, &baseline->summary}, after = {&changed->record, &changed->summary};
	struct comparison comparison;
	int status;

	if (!records && !baseline_is_known(&changed->record, subject.queue))
		return 2;
	if (!compare_floor_take(&settings, &floor, &changed->record, records))
		return 3;
	if (records ? compare_records(&comparison, before, after, &settings)
		    : compare_queues(&comparison, after, options->compare.baseline, &settings)) {
		fprintf(stderr, "twopoint: no memory to compare\n");
		return 3;
	}
	status = conclude(options, &comparison, &subject);
	compare_free(&comparison);
	return status;
}

int compare_main(const struct options *options)
{
	size_t count = options->operand_count;
	struct side records[2] = {{.path = options->operands[0]}, {.path = options->operands[count - 1]}};
	int status = 3;

	if (compare_gbench_is_asked(options))
		return compare_gbench_main(options);
	if (count != (options->compare.baseline ? 1 : 2)) {
		fprintf(stderr, "twopoint: compare: needs two records, or one and --baseline; see: twopoint compare --help\n");
		return 2;
	}
	if (load_all(records, count))
		status = compare_loaded(options, &records[0].loaded, &records[count - 1].loaded);
	unload(&records[0]);
	unload(&records[1]);
	return status;
}
