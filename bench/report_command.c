#include "report_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare_command.h"
#include "loaded.h"
#include "report.h"

enum { REPORT_PATH = 4096 };

/* Beside where figures go: the first record's name with .html. */
static void default_path(char path[REPORT_PATH], const char *record)
{
	const char *slash = strrchr(record, '/'), *name = slash ? slash + 1 : record;
	size_t length = strlen(name);
	struct stat about;
	bool plots = !stat("plots", &about) && S_ISDIR(about.st_mode);

	if (length > 6 && !strcmp(name + length - 6, ".jsonl"))
		length -= 6;
	if (plots)
		mkdir("plots/out", 0777); /* where it can't be made, the page can't either, and that is told */
	snprintf(path, REPORT_PATH, "%s%.*s.html", plots ? "plots/out/" : "", (int)length, name);
}

/* One record is in memory at a time. Returns the status; what is written so far is no page where the record can't be read. */
static int add_record(struct report *report, const char *path, bool *readable)
{
	struct compare_settings settings = {.threshold = compare_threshold};
	struct noise_floor floor;
	char message[2048];
	struct loaded loaded;
	int status;

	*readable = loaded_open(&loaded, path);
	if (!*readable)
		return 3;
	if (!compare_floor_take(&settings, &floor, &loaded.record, false)) {
		loaded_free(&loaded);
		*readable = false;
		return 3;
	}
	status = report_add(report, (struct compare_input){&loaded.record, &loaded.summary}, &settings, message, sizeof(message)) ? 3 : 0;
	if (status)
		fprintf(stderr, "twopoint: %s: %s\n", path, message);
	loaded_free(&loaded);
	return status;
}

/* The whole page as text, to be freed; NULL: there is none. */
static char *page_make(const struct options *options, size_t *size, int *status)
{
	struct report report;
	bool readable = true;
	char *page = NULL;
	FILE *out = open_memstream(&page, size);

	*status = 3;
	if (!out) {
		fprintf(stderr, "twopoint: no memory for a page\n");
		return NULL;
	}
	*status = 0;
	report_begin(&report, out, options->operands, options->operand_count);
	for (size_t i = 0; i < options->operand_count && readable; i++) {
		int added = add_record(&report, options->operands[i], &readable);

		*status = added ? added : *status;
	}
	report_end(&report);
	if (fclose(out)) {
		fprintf(stderr, "twopoint: no memory for a page\n");
		readable = false;
		*status = 3;
	}
	if (!readable) {
		free(page);
		page = NULL;
	}
	return page;
}

/* What is there is never overwritten, and no half page stays. */
static int page_write(const char *path, const char *page, size_t size)
{
	FILE *out = fopen(path, "wx");
	bool failed;

	if (!out) {
		fprintf(stderr, "twopoint: --out: '%s': %s\n", path,
			errno == EEXIST ? "is there already; nothing is overwritten" : strerror(errno));
		return 3;
	}
	failed = fwrite(page, 1, size, out) != size;
	if (fclose(out) || failed) {
		fprintf(stderr, "twopoint: %s: %s\n", path, strerror(errno));
		unlink(path);
		return 3;
	}
	fprintf(stderr, "%s\n", path);
	return 0;
}

int report_main(const struct options *options)
{
	const char *path = options->report.out;
	char otherwise[REPORT_PATH], *page;
	size_t size;
	int status, written;

	if (!path) {
		default_path(otherwise, options->operands[0]);
		path = otherwise;
	}
	if (!access(path, F_OK)) { /* before minutes are spent on it */
		fprintf(stderr, "twopoint: --out: '%s': is there already; nothing is overwritten\n", path);
		return 3;
	}
	page = page_make(options, &size, &status);
	if (!page)
		return status;
	written = page_write(path, page, size);
	free(page);
	return written ? written : status;
}
