#include "history_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "figures.h"
#include "history.h"
#include "history_print.h"
#include "plot.h"
#include "words.h"

enum { HISTORY_PATH = 4096 };

const char *const history_actions[] = {"add", "cells", "plot", NULL};

/* Below where a user's data are kept. make: the folders, too. Returns 0, or −errno, told. */
static int default_path(char *path, size_t size, bool make)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	bool own = data && *data == '/';
	int length = -1;

	if (own)
		length = snprintf(path, size, "%s/twopoint/history.db", data);
	else if (home && *home)
		length = snprintf(path, size, "%s/.local/share/twopoint/history.db", home);
	if (length < 0 || (size_t)length >= size) {
		fprintf(stderr, "twopoint: history: no folder for it: neither XDG_DATA_HOME nor HOME is set; --db FILE names one\n");
		return -ENOENT;
	}
	for (char *slash = strchr(path + 1, '/'); make && slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, 0777) && errno != EEXIST) {
			int error = errno;

			fprintf(stderr, "twopoint: history: folder %s: %s\n", path, strerror(error));
			return -error;
		}
		*slash = '/';
	}
	return 0;
}

static struct history *open_history(const struct options *options, bool to_write, char path[HISTORY_PATH])
{
	char error[RECORD_TEXT];
	struct history *history;

	if (options->history.db)
		snprintf(path, HISTORY_PATH, "%s", options->history.db);
	else if (default_path(path, HISTORY_PATH, to_write))
		return NULL;
	if (history_open(&history, path, to_write, error))
		fprintf(stderr, "twopoint: %s\n", error);
	return history;
}

/* ---- add ---- */

static int add_file(struct history *history, const char *path)
{
	static const char *const words[] = {[HISTORY_ADDED] = "added", [HISTORY_THERE] = "is in it already; nothing was done",
					    [HISTORY_COMPLETED] = "was in it with fewer trials; these took their place"};
	char error[RECORD_TEXT];
	struct record record;
	struct summary summary;
	int added;

	if (record_read(&record, path, error)) {
		fprintf(stderr, "twopoint: %s\n", error);
		return 3;
	}
	added = summary_make(&summary, &record);
	if (added) {
		snprintf(error, sizeof(error), "%.300s: no memory to sum it up", path);
	} else {
		added = history_add(history, &record, &summary, error);
		summary_free(&summary);
	}
	record_free(&record);
	if (added < 0)
		fprintf(stderr, "twopoint: %s\n", error);
	else
		printf("%s: %s\n", path, words[added]);
	return added < 0 ? 3 : 0;
}

static int add(const struct options *options)
{
	char path[HISTORY_PATH];
	struct history *history;
	int worst = 0;

	if (options->operand_count < 2) {
		fprintf(stderr, "twopoint: history add: needs FILE...; see: twopoint history --help\n");
		return 2;
	}
	history = open_history(options, true, path);
	if (!history)
		return 3;
	for (size_t i = 1; i < options->operand_count; i++) {
		int status = add_file(history, options->operands[i]);

		worst = status > worst ? status : worst;
	}
	history_close(history);
	return worst;
}

/* ---- show ---- */

static bool is_wanted(const struct history_cell *cell, const void *wish)
{
	const struct options *options = wish;
	const struct name_list *queues = &options->history.queues;
	const struct value_list *cells = &options->history.cells;
	bool queue = !queues->count, number = !cells->count;

	for (size_t i = 0; i < queues->count; i++)
		queue = queue || !strcmp(queues->names[i], cell->queue);
	for (size_t i = 0; i < cells->count; i++)
		number = number || (int64_t)cells->values[i] == cell->id;
	return queue && number;
}

static int print_json(const struct history_print *print)
{
	json_t *json = history_to_json(print);
	bool good = json && !json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

	putchar('\n');
	json_decref(json);
	if (!good)
		fprintf(stderr, "twopoint: history: can't be written as JSON\n");
	return good ? 0 : 3;
}

static int draw(const struct options *options, const struct history_print *print)
{
	char folder[PLOT_PATH], path[PLOT_PATH], message[2048];
	struct figure_request request = {.terminal = plot_terminal_names[options->plot.terminal], .folder = folder};
	size_t found;
	int status;

	if (plot_folder(folder, sizeof(folder), options, "history", &found))
		return 3;
	status = figure_draw_history(print, &request, path, sizeof(path), message, sizeof(message));
	if (!status && path[0])
		fprintf(stderr, "%s\n", path);
	if (status || message[0])
		fprintf(stderr, "twopoint: figure history: %s\n", message);
	plot_leave_folder(folder, options, found);
	return status ? 3 : 0;
}

static int show(const struct options *options, const struct history_print *print, const char *action)
{
	int status = 0;

	if (!print->view->cell_count && print->chosen) {
		fprintf(stderr, "twopoint: history: %s: no cell is as asked for by --queue and --cell; twopoint history cells lists those "
				"that there are\n", print->path);
		return 2;
	}
	if (!strcmp(action, "plot"))
		return draw(options, print);
	if (options->json)
		return print_json(print);
	if (!strcmp(action, "cells"))
		history_print_cells(stdout, print->view);
	else
		status = history_print(stdout, print);
	if (status)
		fprintf(stderr, "twopoint: history: out of memory\n");
	return status ? 3 : 0;
}

static int read_and_show(const struct options *options, const char *action)
{
	char path[HISTORY_PATH], error[RECORD_TEXT];
	struct history *history = open_history(options, false, path);
	struct history_view view;
	struct history_trends trends;
	struct history_print print = {.view = &view, .trends = &trends, .path = path,
				      .chosen = options->history.queues.count || options->history.cells.count};
	int status = 3;

	if (!history)
		return 3;
	if (history_read(history, &view, is_wanted, options, error)) {
		fprintf(stderr, "twopoint: %s\n", error);
		history_close(history);
		return 3;
	}
	history_close(history);
	if (history_trends_make(&trends, &view, (double)options->history.threshold_ppm / 1e6)) {
		fprintf(stderr, "twopoint: history: out of memory\n");
	} else {
		status = show(options, &print, action);
		history_trends_free(&trends);
	}
	history_view_free(&view);
	return status;
}

int history_main(const struct options *options)
{
	const char *action = options->operand_count ? options->operands[0] : "";
	char error[OPTIONS_TEXT];

	if (!strcmp(action, "add"))
		return add(options);
	if (*action && !history_actions[words_find(history_actions, action)]) {
		words_refuse(action, history_actions, "", error, sizeof(error));
		fprintf(stderr, "twopoint: history: %s\n", error);
		return 2;
	}
	if (options->operand_count > 1) {
		fprintf(stderr, "twopoint: history: '%s' is too much; see: twopoint history --help\n", options->operands[1]);
		return 2;
	}
	return read_and_show(options, action);
}
