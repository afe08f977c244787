#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures.h"
#include "record.h"
#include "summary.h"
#include "words.h"

enum { FIGURES_MOST = 64 }; /* named in an error */

static bool is_dumb(const struct options *options)
{
	return !strcmp(plot_terminal_names[options->plot.terminal], "dumb");
}

/* found: grows to the bytes of the path that were there before. */
static int make_folder(const char *folder, size_t *found)
{
	if (!mkdir(folder, 0777))
		return 0;
	if (errno != EEXIST)
		return -errno;
	*found = strlen(folder);
	return 0;
}

/* Each part of the path that is not there yet. */
static int make_folders(const char *folder, size_t *found)
{
	char part[PLOT_PATH];
	int status = 0;

	snprintf(part, sizeof(part), "%s", folder);
	for (char *slash = strchr(part + 1, '/'); slash && !status; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		status = make_folder(part, found);
		*slash = '/';
	}
	return status ? status : make_folder(part, found);
}

/* Of the folders that were made, those that nothing was put into. */
static void remove_empty_folders(const char *folder, size_t found)
{
	char part[PLOT_PATH];
	char *slash;

	snprintf(part, sizeof(part), "%s", folder);
	while (strlen(part) > found && !rmdir(part) && (slash = strrchr(part, '/')))
		*slash = 0;
}

/* All that a drawing in the terminal leaves. */
static void remove_temporary(const char *folder)
{
	static const char *const endings[] = {"tsv", "gp"};
	size_t count;
	const struct figure *figures = figure_list(&count);
	char path[PLOT_PATH + 64];

	for (size_t i = 0; i <= count; i++)
		for (size_t k = 0; k < 2; k++) {
			snprintf(path, sizeof(path), "%s/%s.%s", folder, i < count ? figures[i].name : "matrix", endings[k]);
			unlink(path);
		}
	rmdir(folder);
}

void plot_leave_folder(const char *folder, const struct options *options, size_t found)
{
	if (is_dumb(options))
		remove_temporary(folder);
	else
		remove_empty_folders(folder, found);
}

int plot_folder(char *folder, size_t size, const struct options *options, const char *name, size_t *found)
{
	struct stat about;
	int status;

	*found = 0;
	if (is_dumb(options)) {
		snprintf(folder, size, "/tmp/twopoint-XXXXXX");
		status = mkdtemp(folder) ? 0 : -errno;
	} else {
		/* several records: a folder each, so that none's figures replace another's */
		if (options->plot.folder && options->operand_count > 1)
			snprintf(folder, size, "%s/%s", options->plot.folder, name);
		else if (options->plot.folder)
			snprintf(folder, size, "%s", options->plot.folder);
		else
			snprintf(folder, size, "%s%s", !stat("plots", &about) && S_ISDIR(about.st_mode) ? "plots/out/" : "", name);
		for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/'; end--)
			folder[end - 1] = 0;
		status = make_folders(folder, found);
	}
	if (status)
		fprintf(stderr, "twopoint: folder %s: %s\n", folder, strerror(-status));
	return status;
}

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

static bool is_wanted(const struct options *options, const char *name)
{
	bool wanted = !options->plot.figures.count;

	for (size_t i = 0; i < options->plot.figures.count; i++)
		wanted = wanted || !strcmp(options->plot.figures.names[i], name);
	return wanted;
}

/* A figure that was asked for by its name and can't be drawn is an error; so is a record of which none can. */
static int draw_all(const struct options *options, const struct record *record, const struct summary *summary,
		    const char *folder)
{
	struct figure_request request = {.terminal = plot_terminal_names[options->plot.terminal], .folder = folder};
	char path[PLOT_PATH], message[2048];
	int worst = 0;
	size_t count, drawn = 0;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++) {
		int status;

		if (!is_wanted(options, figures[i].name))
			continue;
		status = figure_draw(&figures[i], record, summary, &request, path, sizeof(path), message, sizeof(message));
		if (status == 0 && path[0])
			fprintf(stderr, "%s\n", path);
		if (status || message[0])
			fprintf(stderr, "twopoint: figure %s: %s\n", figures[i].name, message);
		if (status < 0 || (status && options->plot.figures.count))
			worst = 3;
		drawn += status == 0;
	}
	if (!drawn)
		fprintf(stderr, "twopoint: no figure was drawn\n");
	return drawn ? worst : 3;
}

static int plot_file(const struct options *options, const char *path)
{
	char error[RECORD_TEXT], folder[PLOT_PATH], name[256];
	struct record record;
	struct summary summary;
	size_t found;
	int status = 3;

	if (record_read(&record, path, error)) {
		fprintf(stderr, "twopoint: %s\n", error);
		return 3;
	}
	if (summary_make(&summary, &record)) {
		fprintf(stderr, "twopoint: %s: no memory to sum it up\n", path);
	} else {
		base_name(path, name, sizeof(name));
		if (!plot_folder(folder, sizeof(folder), options, name, &found)) {
			status = draw_all(options, &record, &summary, folder);
			plot_leave_folder(folder, options, found);
		}
		summary_free(&summary);
	}
	record_free(&record);
	return status;
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
	int worst = 0;

	for (size_t i = 0; i < options->plot.figures.count; i++)
		if (!figure_is_known(options->plot.figures.names[i]))
			return 2;
	for (size_t i = 0; i < options->operand_count; i++) {
		int status = plot_file(options, options->operands[i]);

		worst = status > worst ? status : worst;
	}
	return worst;
}
