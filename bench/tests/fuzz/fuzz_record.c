#include "fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare_print.h"
#include "export.h"
#include "figures.h"
#include "gbench.h"
#include "replayed.h"
#include "report_parts.h"
#include "schema.h"
#include "sheet.h"
#include "table.h"

/* One that was read and summed up, and where what tells of it writes. */
struct told {
	const struct record *record;
	const struct summary *summary;
	bool words_allowed; /* the record itself may say nan, or inf */
};

typedef void teller(FILE *out, const struct told *told);

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		if ((at == text || !isalpha((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

/* What was told has no number that is none, as printf writes them; gaps: but nan, where gnuplot is to draw nothing. */
static void tell(const struct told *told, const char *by, teller *write, bool gaps)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	write(out, told);
	fclose(out);
	if (!told->words_allowed && ((!gaps && has_word(text, "nan")) || has_word(text, "inf"))) {
		fprintf(stderr, "%s prints a number that is none:\n%s\n", by, text);
		abort();
	}
	free(text);
}

static void tell_table(FILE *out, const struct told *told)
{
	table_print(out, told->record, told->summary, 0);
	table_print(out, told->record, told->summary, 80);
}

static void compare(FILE *out, const struct told *told, const char *queue)
{
	const struct compare_settings settings = {.threshold = 0.02, .floor = {-1, -1}};
	const struct compare_input input = {told->record, told->summary};
	const struct compare_subject subject = {.baseline = told->record, .record = told->record, .queue = queue, .successive = !queue};
	struct comparison comparison;
	json_t *json;

	if (queue ? compare_queues(&comparison, input, queue, &settings) : compare_records(&comparison, input, input, &settings))
		return;
	compare_print(out, &comparison, &subject, 0);
	json = compare_to_json(&comparison, &subject, compare_status(&comparison, !queue));
	if (!json || json_dumpf(json, out, 0)) {
		fprintf(stderr, "a comparison has what JSON has no word for\n");
		abort();
	}
	json_decref(json);
	compare_free(&comparison);
}

static void tell_comparisons(FILE *out, const struct told *told)
{
	compare(out, told, NULL);
	if (told->record->trial_count)
		compare(out, told, told->record->trials[0].cell.queue);
}

static void tell_exports(FILE *out, const struct told *told)
{
	char error[RECORD_TEXT];

	export_csv(out, told->record, told->summary, error);
	export_gbench(out, told->record, told->summary, error);
	export_openmetrics(out, told->record, told->summary, error);
	export_hlog(out, told->record, told->summary, error);
	for (size_t i = 0; i < told->summary->row_count; i++)
		for (size_t l = 0; l < told->summary->rows[i].latency_count; l++)
			if (export_has_distribution(&told->summary->rows[i], &told->summary->rows[i].latency[l]))
				export_hgrm(out, told->record, &told->summary->rows[i], &told->summary->rows[i].latency[l], error);
}

static void figures_fill(FILE *out, const struct told *told, bool words)
{
	size_t count;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++) {
		struct sheet sheet;

		if (!sheet_open(&sheet, false) && !figures[i].fill(&sheet, told->record, told->summary) && !sheet_finish(&sheet)) {
			fputs(words ? sheet.header_text : sheet.data_text, out);
			fputs(words ? sheet.notes_text : sheet.settings_text, out);
		}
		sheet_close(&sheet);
	}
}

static void tell_figures_data(FILE *out, const struct told *told)
{
	figures_fill(out, told, false);
}

static void tell_figures_words(FILE *out, const struct told *told)
{
	figures_fill(out, told, true);
}

/* All but the figures, which gnuplot draws. */
static void tell_report(FILE *out, const struct told *told)
{
	const struct compare_settings settings = {.threshold = compare_threshold};
	struct report_part part = {.out = out, .number = 1, .record = told->record, .summary = told->summary, .settings = &settings,
				   .contests = report_contests_make()};
	struct table_row *rows;
	long count = part.contests ? table_groups_make(&rows, told->summary) : -1;

	if (count < 0) {
		report_contests_free(part.contests);
		return;
	}
	part.rows = rows;
	part.row_count = (size_t)count;
	report_headline(&part);
	report_verdict(&part);
	report_floors(&part);
	report_disturbances(&part);
	report_repeat(&part);
	report_tables(&part);
	report_machine(&part);
	table_groups_free(rows, count);
	report_contests_free(part.contests);
}

static void tell_command(FILE *out, const struct told *told)
{
	struct replayed command = {0};
	char *text = replayed_add_run(&command, told->record) ? NULL : replayed_text(&command);

	fputs(text ? text : "", out);
	free(text);
	replayed_free(&command);
}

static bool bytes_say(const uint8_t *bytes, size_t size, const char *word)
{
	return memmem(bytes, size, word, strlen(word)) != NULL;
}

void fuzz_record(const uint8_t *bytes, size_t size)
{
	char path[FUZZ_PATH], error[RECORD_TEXT], invalid[SCHEMA_TEXT];
	int fd = fuzz_file_make(path, bytes, size);
	struct record record;
	struct summary summary;
	struct gbench gbench;

	if (!gbench_read(&gbench, path, error))
		gbench_free(&gbench);
	schema_check_file(path, invalid);
	if (!record_read(&record, path, error)) {
		if (!summary_make(&summary, &record)) {
			const struct told told = {&record, &summary,
						  bytes_say(bytes, size, "nan") || bytes_say(bytes, size, "inf") || bytes_say(bytes, size, "\\u")};

			tell(&told, "show", tell_table, false);
			tell(&told, "compare", tell_comparisons, false);
			tell(&told, "export", tell_exports, false);
			tell(&told, "plot", tell_figures_data, true);
			tell(&told, "plot", tell_figures_words, false);
			tell(&told, "report", tell_report, false);
			tell(&told, "replay", tell_command, false);
			summary_free(&summary);
		}
		record_free(&record);
	}
	close(fd);
}
