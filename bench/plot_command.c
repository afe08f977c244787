#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "identity.h"
#include "list_command.h"
#include "loaded.h"
#include "plot.h"
#include "record_join.h"
#include "sheet.h"
#include "words.h"

enum {
	FIGURES_MOST = 64, /* named in an error */
	NAME_WIDTH = 28,   /* characters of a file's name within a figure: a record's name as `run` makes it fits */
	NAME_BYTES = 256,
};

/* A record and what it says. */
struct subject {
	struct loaded loaded;
	char name[NAME_BYTES];       /* of its folder */
	char short_name[NAME_BYTES]; /* within figures of several */
};

/* All that were named, and the same as one. */
struct subjects {
	struct subject *list;
	size_t count;
	struct subject joined; /* where there are several */
};

/* The file's name without folders and .jsonl. */
static void base_name(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/');
	size_t length;

	snprintf(name, size, "%s", slash ? slash + 1 : path);
	length = strlen(name);
	if (length > 6 && !strcmp(name + length - 6, ".jsonl"))
		name[length - 6] = 0;
	else
		snprintf(name + length, size - length, "-figures");
}

static int subject_read(struct subject *subject, const char *path)
{
	if (!loaded_open(&subject->loaded, path))
		return 3;
	base_name(path, subject->name, sizeof(subject->name));
	return 0;
}

static void subjects_free(struct subjects *subjects)
{
	for (size_t i = 0; i < subjects->count; i++)
		loaded_free(&subjects->list[i].loaded);
	free(subjects->list);
}

static int subjects_read(struct subjects *subjects, const struct options *options)
{
	int status = 0;

	*subjects = (struct subjects){.list = calloc(options->operand_count, sizeof(*subjects->list))};
	if (!subjects->list) {
		fprintf(stderr, "twopoint: plot: out of memory\n");
		return 3;
	}
	for (size_t i = 0; i < options->operand_count && !status; i++) {
		status = subject_read(&subjects->list[i], options->operands[i]);
		subjects->count += !status;
	}
	if (status)
		subjects_free(subjects);
	return status;
}

/* Each file's name; with a number where two of them would be the same. */
static void names_shorten(struct subjects *subjects)
{
	bool same = false;

	for (size_t i = 0; i < subjects->count; i++) {
		sheet_clean(subjects->list[i].short_name, NAME_BYTES, subjects->list[i].name, NAME_WIDTH);
		for (size_t k = 0; k < i; k++)
			same = same || !strcmp(subjects->list[i].short_name, subjects->list[k].short_name) ||
			       !strcmp(subjects->list[i].name, subjects->list[k].name);
	}
	for (size_t i = 0; same && i < subjects->count; i++) {
		char numbered[NAME_BYTES + 32];

		snprintf(numbered, sizeof(numbered), "%zu: %s", i + 1, subjects->list[i].name);
		sheet_clean(subjects->list[i].short_name, NAME_BYTES, numbered, NAME_WIDTH);
		snprintf(numbered, sizeof(numbered), "%zu-%s", i + 1, subjects->list[i].name);
		snprintf(subjects->list[i].name, NAME_BYTES, "%.*s", NAME_BYTES - 1, numbered);
	}
}

static bool is_wanted(const struct options *options, const char *name)
{
	bool wanted = !options->plot.figures.count;

	for (size_t i = 0; i < options->plot.figures.count; i++)
		wanted = wanted || !strcmp(options->plot.figures.names[i], name);
	return wanted;
}

/* Draws those figures of a record that can show several, or those that can't, or all. A figure that was asked for by its name and can't be
 * drawn is an error. drawn: how many were is added. Returns the status. */
static int draw_some(const struct options *options, const struct subject *subject, const char *folder, bool several, bool single,
		     size_t *drawn)
{
	struct figure_request request = {.terminal = plot_terminal_names[options->plot.terminal], .folder = folder};
	char path[PLOT_PATH], message[2048];
	int worst = 0;
	size_t count;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++) {
		int status;

		if (!is_wanted(options, figures[i].name) || !(figures[i].one_record ? single : several))
			continue;
		status = figure_draw(&figures[i], &subject->loaded.record, &subject->loaded.summary, &request, path, sizeof(path), message,
				     sizeof(message));
		if (status == 0 && path[0])
			fprintf(stderr, "%s\n", path);
		if (status || message[0])
			fprintf(stderr, "twopoint: figure %s: %s\n", figures[i].name, message);
		if (status < 0 || (status && options->plot.figures.count))
			worst = 3;
		*drawn += status == 0;
	}
	return worst;
}

/* What is of one record only, or all of it, each into a folder of its own. Returns the status. */
static int draw_apart(const struct options *options, const struct subjects *subjects, const char *folder, bool several, size_t *drawn)
{
	int worst = 0;

	for (size_t i = 0; i < subjects->count; i++) {
		char own[PLOT_PATH];
		size_t found;
		int status = 3;

		snprintf(own, sizeof(own), "%s", folder);
		if (plot_subfolder(own, sizeof(own), subjects->list[i].name, options, &found))
			return 3;
		fprintf(stderr, "%s:\n", subjects->list[i].loaded.record.path);
		status = draw_some(options, &subjects->list[i], own, several, true, drawn);
		if (found)
			plot_leave_folder(own, options, found);
		worst = status > worst ? status : worst;
	}
	return worst;
}

/* Names the figures that were asked for and can't show several records. Returns whether there are any. */
static bool tell_single_ones(const struct options *options)
{
	const char *between = "twopoint: ";
	bool any = false;
	size_t count;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++)
		if (figures[i].one_record && is_wanted(options, figures[i].name)) {
			fprintf(stderr, "%s%s", between, figures[i].name);
			between = ", ";
			any = true;
		}
	if (any)
		fprintf(stderr, ": can't show several records in one figure; drawn of each by itself\n");
	return any;
}

/* Why the records have no place in one figure; "" where they have. */
static void find_difference(const struct subjects *subjects, char *reason, size_t size)
{
	reason[0] = 0;
	for (size_t i = 1; i < subjects->count && !reason[0]; i++)
		identity_same(subjects->list[0].loaded.record.run, subjects->list[i].loaded.record.run, reason, size);
}

static int join(struct subjects *subjects)
{
	struct record_part *parts = calloc(subjects->count, sizeof(*parts));
	struct subject *joined = &subjects->joined;
	int error = parts ? 0 : -ENOMEM;

	for (size_t i = 0; parts && i < subjects->count; i++)
		parts[i] = (struct record_part){&subjects->list[i].loaded.record, subjects->list[i].short_name};
	if (!error)
		error = record_join(&joined->loaded.record, parts, subjects->count);
	free(parts);
	if (error)
		return error;
	error = summary_make(&joined->loaded.summary, &joined->loaded.record);
	if (error)
		record_join_free(&joined->loaded.record);
	return error;
}

static int draw_joined(const struct options *options, struct subjects *subjects, const char *folder, size_t *drawn)
{
	int status;

	if (join(subjects)) {
		fprintf(stderr, "twopoint: plot: no memory to sum the records up together\n");
		return 3;
	}
	status = draw_some(options, &subjects->joined, folder, true, false, drawn);
	summary_free(&subjects->joined.loaded.summary);
	record_join_free(&subjects->joined.loaded.record);
	return status;
}

static int draw_several(const struct options *options, struct subjects *subjects, const char *folder, size_t *drawn)
{
	char reason[RECORD_TEXT];
	int worst, status = 0;

	names_shorten(subjects);
	find_difference(subjects, reason, sizeof(reason));
	if (reason[0]) {
		fprintf(stderr, "twopoint: %s: no figure shows both; each is drawn by itself\n", reason);
		return draw_apart(options, subjects, folder, true, drawn);
	}
	worst = draw_joined(options, subjects, folder, drawn);
	if (tell_single_ones(options))
		status = draw_apart(options, subjects, folder, false, drawn);
	return status > worst ? status : worst;
}

static int draw(const struct options *options, struct subjects *subjects)
{
	char folder[PLOT_PATH], name[NAME_BYTES + 32];
	size_t found, drawn = 0;
	int status;

	snprintf(name, sizeof(name), "%.200s", subjects->list[0].name);
	if (subjects->count > 1)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "+%zu", subjects->count - 1);
	if (plot_folder(folder, sizeof(folder), options, name, &found))
		return 3;
	status = subjects->count > 1 ? draw_several(options, subjects, folder, &drawn)
				     : draw_some(options, &subjects->list[0], folder, true, true, &drawn);
	plot_leave_folder(folder, options, found);
	if (!drawn)
		fprintf(stderr, "twopoint: no figure was drawn\n");
	return drawn ? status : 3;
}

/* False, and told with those that there are: no figure has that name. */
static bool figure_is_known(const char *name)
{
	const char *names[FIGURES_MOST + 1] = {NULL};
	char error[OPTIONS_TEXT];
	size_t count;
	const struct figure *figures = figure_list(&count);

	if (figure_find(name))
		return true;
	for (size_t i = 0; i < count && i < FIGURES_MOST; i++)
		names[i] = figures[i].name;
	words_refuse(name, names, "", error, sizeof(error));
	fprintf(stderr, "twopoint: --figure: %s\n", error);
	return false;
}

int plot_main(const struct options *options)
{
	struct subjects subjects;
	int status;

	if (options->plot.list)
		return list_what(options, "figures");
	if (!options->operand_count) {
		fprintf(stderr, "twopoint: plot: needs FILE..., or --list; see: twopoint plot --help\n");
		return 2;
	}
	for (size_t i = 0; i < options->plot.figures.count; i++)
		if (!figure_is_known(options->plot.figures.names[i]))
			return 2;
	status = subjects_read(&subjects, options);
	if (status)
		return status;
	status = draw(options, &subjects);
	subjects_free(&subjects);
	return status;
}
