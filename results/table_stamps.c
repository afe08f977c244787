/* What stands below a row because of its stamps: too few samples, fewer stamps than asked for. */
#include "table_rows.h"

#include <string.h>

void table_stamps_lines(FILE *out, const struct summary_row *row)
{
	const struct summary_stamps *stamps = &row->stamps;

	if (stamps->thinned && stamps->every_least == stamps->every_most)
		table_say(out, "  %zu of %zu trials stamped one message in %ju, not one in %ju: more found no room\n", stamps->thinned,
			  row->trials, (uintmax_t)stamps->every_most, (uintmax_t)stamps->asked);
	else if (stamps->thinned)
		table_say(out, "  %zu of %zu trials stamped one message in %ju to %ju, not one in %ju: more found no room\n",
			  stamps->thinned, row->trials, (uintmax_t)stamps->every_least, (uintmax_t)stamps->every_most,
			  (uintmax_t)stamps->asked);
	if (stamps->thinned && stamps->thinned < row->trials)
		table_say(out, "    the medians are across both: where stamps cost much, compare the trials alone\n");
	if (stamps->full)
		table_say(out, "  %zu of %zu trials ended early: the memory for stamps was full\n", stamps->full, row->trials);
}

/* "10", "10 to 12" */
static const char *samples_text(char text[TABLE_TEXT], const struct summary_samples *samples)
{
	if (samples->least == samples->most)
		snprintf(text, TABLE_TEXT, "%ju", (uintmax_t)samples->most);
	else
		snprintf(text, TABLE_TEXT, "%ju to %ju", (uintmax_t)samples->least, (uintmax_t)samples->most);
	return text;
}

/* Empty where nothing is missing. */
static void lack_text(char text[TABLE_TEXT], const struct summary_latency *latency)
{
	const struct summary_samples *samples = &latency->samples;
	char number[TABLE_TEXT];

	text[0] = '\0';
	if (!latency->p50_ns.known && samples->poor > samples->left_out && samples->poor < samples->trials)
		snprintf(text, TABLE_TEXT, "%.44s samples a trial: a p50 needs %d, %zu of %zu have fewer", samples_text(number, samples),
			 SUMMARY_P50_SAMPLES, samples->poor, samples->trials);
	else if (!latency->p50_ns.known && samples->poor > samples->left_out)
		snprintf(text, TABLE_TEXT, "%.44s samples a trial: a p50 needs %d", samples_text(number, samples), SUMMARY_P50_SAMPLES);
	else if (latency->p50_ns.known && !latency->p99_ns.known && samples->least < SUMMARY_P99_SAMPLES)
		snprintf(text, TABLE_TEXT, "%.44s samples a trial: a p99 needs %d", samples_text(number, samples), SUMMARY_P99_SAMPLES);
}

static void left_out_text(char text[TABLE_TEXT], const struct summary_samples *samples)
{
	text[0] = '\0';
	if (samples->left_out)
		snprintf(text, TABLE_TEXT, "%zu of %zu trials left out of the latencies: %ju samples%s, a p50 needs %d", samples->left_out,
			 samples->trials, (uintmax_t)samples->most_left_out, samples->left_out > 1 ? " at most" : "", SUMMARY_P50_SAMPLES);
}

/* Says it unless that was said of the latency before. */
static void say_once(FILE *out, char said[TABLE_TEXT], const char *text)
{
	if (text[0] && strcmp(said, text))
		table_say(out, "  %s\n", text);
	if (text[0])
		snprintf(said, TABLE_TEXT, "%s", text);
}

void table_samples_lines(FILE *out, const struct summary_row *row)
{
	char lack_said[TABLE_TEXT] = "", left_out_said[TABLE_TEXT] = "", text[TABLE_TEXT];

	for (size_t i = 0; i < row->latency_count; i++) {
		const struct summary_latency *latency = &row->latency[i];

		if (latency->saturated)
			continue;
		lack_text(text, latency);
		say_once(out, lack_said, text);
		left_out_text(text, &latency->samples);
		say_once(out, left_out_said, text);
	}
}
