#include "export_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"
#include "loaded.h"

enum { EXPORT_PATH = 4096 };

typedef int writer(FILE *out, const struct record *record, const struct summary *summary, char *error);

/* In the order of export_format_names. NULL: a file a distribution. */
static writer *const writers[] = {export_csv, NULL, export_hlog, export_gbench, export_openmetrics};

/* Closes. Whether all that was written has arrived. */
static int finish(FILE *out, const char *path, int err, const char *error)
{
	bool failed = ferror(out);
	int reason = failed ? errno : 0; /* whatever did not go through set it last: closing may have nothing left to write */

	errno = 0;
	if (out == stdout ? fflush(out) : fclose(out)) {
		failed = true;
		reason = errno ? errno : reason;
	}
	if (err)
		fprintf(stderr, "twopoint: %s\n", error);
	else if (failed)
		fprintf(stderr, "twopoint: %s: %s\n", path, strerror(reason ? reason : EIO));
	if ((err || failed) && out != stdout)
		unlink(path);
	return err || failed ? 3 : 0;
}

/* What is there is never overwritten. */
static FILE *open_new(const char *path)
{
	FILE *out = fopen(path, "wx");

	if (!out)
		fprintf(stderr, "twopoint: --out: '%s': %s\n", path, errno == EEXIST ? "is there already; nothing is overwritten" : strerror(errno));
	return out;
}

static int write_whole(const struct options *options, const struct record *record, const struct summary *summary)
{
	const char *path = options->export.out;
	char error[RECORD_TEXT] = "";
	FILE *out = path ? open_new(path) : stdout;

	if (!out)
		return 3;
	return finish(out, path ? path : "standard output", writers[options->export.format](out, record, summary, error), error);
}

/* Histograms have no room for a word of what is not among them. */
static void tell_left_out(const struct summary *summary)
{
	struct export_left_out left_out = export_left_out_count(summary);

	if (left_out.saturated)
		fprintf(stderr, "twopoint: left out: %zu latencies of saturated loads, or of rates that were not reached: no property of a queue\n",
			left_out.saturated);
	if (left_out.behind)
		fprintf(stderr, "twopoint: left out: %zu trials that were saturated, or did not reach their rate, of rows of which others did\n",
			left_out.behind);
}

/* ---- a file a distribution ---- */

/* What is to be done with each; name: NULL where nothing is. Returns a status, and ends what goes through them unless that is 0. */
struct distributions {
	const struct options *options;
	const struct record *record;
	size_t count;
	int (*act)(struct distributions *all, const struct summary_row *row, const struct summary_latency *latency, const char *name);
};

static int for_each_distribution(struct distributions *all, const struct summary *summary)
{
	char (*names)[EXPORT_NAME] = export_names(summary);
	int status = 0;

	if (!names) {
		fprintf(stderr, "twopoint: %s: no memory to export it\n", all->record->path);
		return 3;
	}
	for (size_t i = 0; i < summary->row_count; i++)
		for (size_t l = 0; !status && l < summary->rows[i].latency_count; l++) {
			const struct summary_latency *latency = &summary->rows[i].latency[l];
			char name[EXPORT_NAME + 64];

			if (!export_has_distribution(&summary->rows[i], latency))
				continue;
			all->count++;
			export_distribution_name(name, names[i], latency);
			status = all->act(all, &summary->rows[i], latency, name);
		}
	free(names);
	return status;
}

static int count_one(struct distributions *all, const struct summary_row *row, const struct summary_latency *latency, const char *name)
{
	(void)all;
	(void)row;
	(void)latency;
	(void)name;
	return 0;
}

static int write_one(struct distributions *all, const struct summary_row *row, const struct summary_latency *latency, const char *name)
{
	const char *folder = all->options->export.out;
	char path[EXPORT_PATH], error[RECORD_TEXT] = "";
	FILE *out = stdout;

	if (folder) {
		snprintf(path, sizeof(path), "%s/%.249s.hgrm", folder, name);
		out = open_new(path);
		if (!out)
			return 3;
	}
	return finish(out, folder ? path : "standard output", export_hgrm(out, all->record, row, latency, error), error);
}

static int write_distributions(const struct options *options, const struct record *record, const struct summary *summary)
{
	struct distributions all = {.options = options, .record = record, .act = count_one};
	const char *folder = options->export.out;
	int status = for_each_distribution(&all, summary);

	if (status)
		return status;
	if (!all.count) {
		fprintf(stderr, "twopoint: %s: no trial that counts has a latency%s\n", record->path,
			export_left_out_count(summary).saturated ? " that is not of a saturated load" : "");
		return 3;
	}
	if (!folder && all.count > 1) {
		fprintf(stderr, "twopoint: --out: hgrm has a file for each distribution, and %s has %zu: name a folder for them\n", record->path,
			all.count);
		return 2;
	}
	if (folder && mkdir(folder, 0777) && errno != EEXIST) {
		fprintf(stderr, "twopoint: --out: '%s': %s\n", folder, strerror(errno));
		return 3;
	}
	all.act = write_one;
	return for_each_distribution(&all, summary);
}

int export_main(const struct options *options)
{
	writer *write = writers[options->export.format];
	struct loaded loaded;
	int status;

	if (!loaded_open(&loaded, options->operands[0]))
		return 3;
	if (!write || write == export_hlog)
		tell_left_out(&loaded.summary);
	status = (write ? write_whole : write_distributions)(options, &loaded.record, &loaded.summary);
	loaded_free(&loaded);
	return status;
}
