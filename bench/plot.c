#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures.h"

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

	for (size_t i = 0; i < count + 2; i++)
		for (size_t k = 0; k < 2; k++) {
			snprintf(path, sizeof(path), "%s/%s.%s", folder, i < count ? figures[i].name : i == count ? "matrix" : "history",
				 endings[k]);
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

int plot_subfolder(char *folder, size_t size, const char *name, const struct options *options, size_t *found)
{
	size_t length = strlen(folder);
	int status = 0;

	*found = 0;
	if (is_dumb(options))
		return 0;
	snprintf(folder + length, size - length, "/%s", name);
	status = make_folders(folder, found);
	if (status)
		fprintf(stderr, "twopoint: folder %s: %s\n", folder, strerror(-status));
	return status;
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
		if (options->plot.folder)
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
