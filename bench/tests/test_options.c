#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "memory.h"
#include "options.h"
#include "words.h"

enum { ARGUMENTS_MAX = 24 };

/* A command line written as one text, split at blanks. */
struct line {
	char text[512];
	char *arguments[ARGUMENTS_MAX + 1];
	int count;
};

static void line_split(struct line *line, const char *text)
{
	snprintf(line->text, sizeof(line->text), "twopoint %s", text);
	line->count = 0;
	for (char *word = strtok(line->text, " "); word; word = strtok(NULL, " "))
		line->arguments[line->count++] = word;
	line->arguments[line->count] = NULL;
}

/* The options lend the line's texts. */
static struct options parsed(struct line *line, const char *text)
{
	struct options options;
	char error[OPTIONS_TEXT] = "";

	line_split(line, text);
	if (options_parse(&options, line->count, line->arguments, error, sizeof(error)))
		fail_msg("'%s' was refused: %s", text, error);
	return options;
}

/* Each of the parts must stand in the error; ended by NULL. */
static void assert_refused(const char *text, const char *part, ...)
{
	struct options options;
	struct line line;
	char error[OPTIONS_TEXT] = "";
	va_list parts;

	line_split(&line, text);
	if (!options_parse(&options, line.count, line.arguments, error, sizeof(error)))
		fail_msg("'%s' was taken", text);
	va_start(parts, part);
	for (; part; part = va_arg(parts, const char *))
		if (!strstr(error, part))
			fail_msg("'%s': expected '%s' in the error, got '%s'", text, part, error);
	va_end(parts);
}

static void a_run_takes_lists_values_flags_and_suites(void **state)
{
	struct line line;
	struct options options = parsed(&line, "run smoke --queue ring,ypipe --batch=1,10,1k --quiet own.ini --trials 3 "
					       "--stamps none,16");

	(void)state;
	assert_int_equal(options.command, COMMAND_RUN);
	assert_int_equal(options.operand_count, 2);
	assert_string_equal(options.operands[0], "smoke");
	assert_string_equal(options.operands[1], "own.ini");
	assert_int_equal(options.parameters.queues.count, 2);
	assert_string_equal(options.parameters.queues.names[0], "ring");
	assert_int_equal(options.parameters.batches.count, 3);
	assert_int_equal(options.parameters.batches.values[2], 1000);
	assert_int_equal(options.parameters.stamps.values[0], STAMPS_NONE);
	assert_int_equal(options.parameters.stamps.values[1], STAMPS_EVERY + 16);
	assert_int_equal(options.run.trials, 3);
	assert_true(options.run.quiet);
	assert_true(option_is_given(&options, "batch"));
	assert_false(option_is_given(&options, "capacity"));
	options_free(&options);
}

static void what_is_not_given_has_its_default(void **state)
{
	struct line line;
	struct options options = parsed(&line, "run");

	(void)state;
	assert_int_equal(options.parameters.queues.count, 0);
	assert_int_equal(options.parameters.workloads.count, 2);
	assert_int_equal(options.parameters.loads.count, 0);
	assert_int_equal(options.parameters.capacities.values[0], 1024);
	assert_string_equal(options.parameters.places.names[0], "nearest");
	assert_int_equal(options.parameters.duration_ns, 100000000);
	assert_int_equal(options.parameters.warm_up_ns, 10000000);
	assert_int_equal(options.parameters.latencies.count, 0);
	assert_int_equal(options.parameters.rates.count, 0);
	assert_int_equal(options.parameters.arrivals.values[0], ARRIVAL_CONSTANT);
	assert_int_equal(options.parameters.works.values[0], 0);
	assert_int_equal(options.run.watchdog_ns, 10000000000);
	for (size_t i = 0; i < option_count; i++)
		assert_false(options.given[i]);
	options_free(&options);
}

/* Which `report` judges by, too. */
static void the_threshold_is_the_comparisons_own(void **state)
{
	struct line line;
	struct options options = parsed(&line, "compare a b");

	(void)state;
	assert_int_equal(options.compare.threshold_ppm, (uint64_t)(compare_threshold * 1e6 + 0.5));
	options_free(&options);
}

static void every_default_of_the_table_parses(void **state)
{
	char error[OPTIONS_TEXT] = "";

	(void)state;
	for (size_t i = 0; i < option_count; i++) {
		struct options options = {0};

		const char *standard = option_table[i].standard;

		if (standard && option_set(&options, &option_table[i], standard, "--", error, sizeof(error)))
			fail_msg("--%s %s: %s", option_table[i].name, standard, error);
	}
}

static void export_and_replay_take_theirs(void **state)
{
	struct line line;
	struct options options = parsed(&line, "export --format hlog --out x a.jsonl");

	(void)state;
	assert_string_equal(export_format_names[options.export.format], "hlog");
	assert_string_equal(options.export.out, "x");
	options_free(&options);
	options = parsed(&line, "export a.jsonl");
	assert_string_equal(export_format_names[options.export.format], "csv");
	options_free(&options);
	options = parsed(&line, "replay --cell 3 --run a.jsonl");
	assert_int_equal(options.replay.cell, REPLAY_FIRST + 2);
	assert_true(options.replay.run);
	options_free(&options);
	options = parsed(&line, "replay a.jsonl");
	assert_int_equal(options.replay.cell, REPLAY_RUN);
	options_free(&options);
	assert_refused("replay --cell 0 a.jsonl", "--cell", "'0'", "all", NULL);
	assert_refused("export --format xml a.jsonl", "--format", "'xml'", "csv", NULL);
	assert_refused("export a.jsonl b.jsonl", "b.jsonl", "too much", NULL);
}

static void other_commands_take_their_own_options(void **state)
{
	struct line line;
	struct options options = parsed(&line, "plot --term png --out here --figure rates,split a.jsonl b.jsonl");

	(void)state;
	assert_int_equal(options.command, COMMAND_PLOT);
	assert_string_equal(plot_terminal_names[options.plot.terminal], "png");
	assert_string_equal(options.plot.folder, "here");
	assert_null(options.run.out);
	assert_int_equal(options.plot.figures.count, 2);
	assert_int_equal(options.operand_count, 2);
	options_free(&options);
	options = parsed(&line, "topo --matrix --max-time 5s --json");
	assert_true(options.topo.matrix && options.json);
	assert_int_equal(options.topo.max_time_ns, 5000000000);
	options_free(&options);
	options = parsed(&line, "show -- --odd-name");
	assert_string_equal(options.operands[0], "--odd-name");
	options_free(&options);
}

static void check_takes_queues_kinds_and_how_to_repeat_a_case(void **state)
{
	struct line line;
	struct options options = parsed(&line, "check --queue ring,mutex --checks stress,histories --stress 3 --seed 7 --case 12 "
					       "--watchdog 2s --json --quiet");

	(void)state;
	assert_int_equal(options.command, COMMAND_CHECK);
	assert_int_equal(options.check.queues.count, 2);
	assert_string_equal(options.check.queues.names[1], "mutex");
	assert_int_equal(options.check.kinds.count, 2);
	assert_string_equal(check_names[options.check.kinds.values[1]], "histories");
	assert_int_equal(options.check.times, 3);
	assert_int_equal(options.check.seed, 7);
	assert_int_equal(options.check.only, 12);
	assert_int_equal(options.check.watchdog_ns, 2000000000);
	assert_true(options.json && options.run.quiet);
	options_free(&options);
	options = parsed(&line, "check");
	assert_int_equal(options.check.queues.count + options.check.kinds.count, 0);
	assert_int_equal(options.check.times, 1);
	assert_int_equal(options.check.seed, 1);
	assert_int_equal(options.check.only, 0);
	assert_int_equal(options.check.watchdog_ns, 10000000000);
	options_free(&options);
	assert_refused("check --checks stres", "--checks", "'stres'", "did you mean 'stress'", NULL);
	assert_refused("check --stress 0", "--stress", "1 to", NULL);
	assert_refused("check --seed x", "--seed", "'x'", NULL);
	assert_refused("check --case 0", "--case", "1 to", NULL);
	assert_refused("check --watchdog 1ms", "--watchdog", "1s to", NULL);
	assert_refused("check --json=yes", "--json", NULL);
	assert_refused("check --quiet=1", "--quiet", NULL);
	assert_refused("check ring", "'ring'", NULL);
}

static void plugins_add_up_wherever_they_stand(void **state)
{
	struct line line;
	struct options options = parsed(&line, "run --queue mine,ring --plugin ./mine.so,b.so --trials 1 --plugin c.so");

	(void)state;
	assert_int_equal(options.plugins.count, 3);
	assert_string_equal(options.plugins.paths[0], "./mine.so");
	assert_string_equal(options.plugins.paths[1], "b.so");
	assert_string_equal(options.plugins.paths[2], "c.so");
	options_free(&options);
	options = parsed(&line, "list queues --plugin a\\,b.so,c\\d.so");
	assert_int_equal(options.plugins.count, 2);
	assert_string_equal(options.plugins.paths[0], "a,b.so");
	assert_string_equal(options.plugins.paths[1], "c\\d.so");
	options_free(&options);
	options = parsed(&line, "list queues --plugin a.so");
	assert_int_equal(options.plugins.count, 1);
	options_free(&options);
	assert_refused("run --plugin 1,2,3,4,5,6,7,8,9", "--plugin", "'9'", "too many files", NULL);
}

static void folder_and_flags_are_asked_for_without_a_command(void **state)
{
	struct line line;
	struct options options = parsed(&line, "--include");

	(void)state;
	assert_true(options.include);
	options_free(&options);
	options = parsed(&line, "--cflags");
	assert_true(options.cflags);
	options_free(&options);
	assert_refused("list queues --include", "--include", NULL);
}

static void help_and_version_need_nothing_else(void **state)
{
	struct line line;
	struct options options = parsed(&line, "--version");

	(void)state;
	assert_true(options.version);
	assert_int_equal(options.command, COMMAND_NONE);
	options_free(&options);
	options = parsed(&line, "plot --help");
	assert_true(options.help);
	assert_int_equal(options.command, COMMAND_PLOT);
	options_free(&options);
}

static void wrong_values_are_refused_with_what_is_allowed(void **state)
{
	(void)state;
	assert_refused("run --touch some", "--touch", "'some'", "all, head", NULL);
	assert_refused("run --message-size abc", "--message-size", "'abc'", "allowed", NULL);
	assert_refused("run --message-size 7", "--message-size", "'7'", "8 to 1Mi", NULL);
	assert_refused("run --message-size 1e99", "'1e99'", NULL);
	assert_refused("run --messages 0", "--messages", "1 to", NULL);
	assert_refused("run --messages -1", "'-1'", NULL);
	assert_refused("run --duration 100", "--duration", "ms", NULL);
	assert_refused("run --duration NaN", "'NaN'", NULL);
	assert_refused("run --trials 99999999999999999999", "--trials", "out of range", NULL);
	assert_refused("run --stamps 0", "--stamps", "'0'", NULL);
	assert_refused("run --memory-node here", "producer, consumer, interleaved or 0 to 65535", NULL);
	assert_refused("run --cpus 0", "--cpus", "2 to 16 CPUs", NULL);
	assert_refused("run --cpus 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "--cpus", "16 CPUs", NULL);
	assert_refused("run --producers 16", "--producers", "15", NULL);
	assert_refused("run --consumers 0", "--consumers", NULL);
	assert_refused("run --stages 2", "--stages", "3", NULL);
	assert_refused("run --prewrite no", "--prewrite", "off, on", NULL);
	assert_refused("run --batch 1,,2", "--batch", "empty", NULL);
	assert_refused("run --batch 1,", "--batch", "empty", NULL);
	assert_refused("run --batch=", "--batch", "empty", NULL);
	assert_refused("run --out=", "--out", "a FILE", NULL);
	assert_refused("run --place a-name-that-is-longer-than-any-placement-has", "--place", NULL);
}

static void latency_needs_two_different_points_in_order(void **state)
{
	struct line line;
	struct options options = parsed(&line, "run --latency write:read,flush:preread");

	(void)state;
	assert_int_equal(options.parameters.latencies.count, 2);
	assert_int_equal(options.parameters.latencies.pairs[1].from, POINT_FLUSH);
	options_free(&options);
	assert_refused("run --latency write:write", "--latency", "'write:write'", "only between two different points", NULL);
	assert_refused("run --latency read:write", "'read:write'", "backwards", NULL);
	assert_refused("run --latency write:sent", "'write:sent'", "write, flush, preread, read", NULL);
	assert_refused("run --latency write", "'write'", NULL);
	assert_refused("run --latency write:read:read", NULL);
	assert_refused("run --latency write:read,write:read", "twice", NULL);
}

static void a_rate_is_a_number_or_a_share_of_the_capacity(void **state)
{
	struct line line;
	struct options options = parsed(&line, "run --load open --rate 2M,1500,50%,200%");

	(void)state;
	assert_int_equal(options.parameters.rates.count, 4);
	assert_int_equal(options.parameters.rates.values[0], 2000000);
	assert_int_equal(options.parameters.rates.values[1], 1500);
	assert_true(options.parameters.rates.values[2] == (RATE_SHARE | 50));
	assert_true(options.parameters.rates.values[3] == (RATE_SHARE | 200));
	options_free(&options);
	assert_refused("run --rate 0", "--rate", "'0'", NULL);
	assert_refused("run --rate 0%", "'0%'", "1%", NULL);
	assert_refused("run --rate %", "'%'", "share of the capacity", NULL);
	assert_refused("run --rate 12.5%", "'12.5%'", "whole percents", NULL);
	assert_refused("run --rate 10001%", "10000%", NULL);
	assert_refused("run --rate 99999999999999%", "10000%", NULL);
	assert_refused("run --rate fast", "'fast'", "messages per second", NULL);
	assert_refused("run --rate 1M --gap 1ms", "--gap", "can't be given together with --rate", NULL);
	assert_refused("run --arrival regular", "constant, poisson, burst", NULL);
	assert_refused("run --burst 0", "--burst", NULL);
}

static void unknown_options_and_commands_are_refused_with_the_nearest(void **state)
{
	(void)state;
	assert_refused("run --quue ring", "--quue", "--queue", NULL);
	assert_refused("run --mesage-size 8", "--message-size", NULL);
	assert_refused("run --zzzzzzzz", "--zzzzzzzz", "twopoint run --help", NULL);
	assert_refused("run -q ring", "-q", NULL);
	assert_refused("rnu", "'rnu'", "did you mean 'run'", "validate", NULL);
	assert_refused("show --trials 3 x", "--trials", "run", NULL);
	assert_refused("list quees", "'quees'", "'queues'", NULL);
	assert_refused("run --places x", "--places", "--place?", NULL);
}

static void incomplete_and_contradicting_lines_are_refused(void **state)
{
	(void)state;
	assert_refused("", "no command", NULL);
	assert_refused("show", "show", "FILE", NULL);
	assert_refused("list", "WHAT", NULL);
	assert_refused("list queues points", "'points'", NULL);
	assert_refused("topo x", "'x'", NULL);
	assert_refused("run --queue", "--queue", "NAME", NULL);
	assert_refused("run --out --quiet", "--out", "FILE", NULL);
	assert_refused("run --quiet=yes", "--quiet", NULL);
	assert_refused("run --batch 1 --batch 2", "--batch", "twice", NULL);
	assert_refused("run --duration 1s --messages 5", "--messages", "duration", NULL);
	assert_refused("run --cpus 0,1 --place nearest", "--place", "cpus", NULL);
}

static void a_list_that_is_too_long_is_refused(void **state)
{
	char text[400] = "1";
	struct options options = {0};
	char error[OPTIONS_TEXT] = "";

	(void)state;
	for (size_t i = 1; i <= OPTIONS_LIST; i++)
		strcat(text, ",1");
	assert_int_not_equal(option_set(&options, option_find(COMMAND_RUN, "batch"), text, "--", error, sizeof(error)), 0);
	assert_non_null(strstr(error, "too many"));
	text[strlen(text) - 2] = '\0';
	memset(&options, 0, sizeof(options));
	assert_int_equal(option_set(&options, option_find(COMMAND_RUN, "batch"), text, "--", error, sizeof(error)), 0);
	assert_int_equal(options.parameters.batches.count, OPTIONS_LIST);
}

static void what_is_given_above_overrides_and_puts_its_opposite_out_of_force(void **state)
{
	struct line line;
	struct options below = parsed(&line, "run --messages 1000 --batch 1 --trials 2");
	struct options above = parsed(&line, "run --duration 1s --batch 7,8");

	(void)state;
	options_override(&below, &above);
	options_complete(&below);
	assert_int_equal(below.parameters.messages, 0);
	assert_int_equal(below.parameters.duration_ns, 1000000000);
	assert_int_equal(below.parameters.batches.count, 2);
	assert_int_equal(below.run.trials, 2);
	options_free(&below);
	options_free(&above);
}

static void settings_follow_machine_and_trials_unless_given(void **state)
{
	struct line line;
	struct limits limits = {.memory_available_bytes = 8000, .memory_limit_bytes = 4000};
	struct options options = parsed(&line, "run --trials 7");
	char error[OPTIONS_TEXT] = "";

	(void)state;
	assert_int_equal(run_settings_resolve(&options, &limits, error, sizeof(error)), 0);
	assert_int_equal(options.run.attempts, 11);
	assert_int_equal(options.run.max_memory, 2000);
	assert_true(options.run.seed > 0 && options.run.seed < 1ull << 53);
	options_free(&options);
	options = parsed(&line, "run --trials 7 --attempts 7 --seed 0 --max-memory 1Gi");
	assert_int_equal(run_settings_resolve(&options, &limits, error, sizeof(error)), 0);
	assert_int_equal(options.run.attempts, 7);
	assert_int_equal(options.run.seed, 0);
	assert_int_equal(options.run.max_memory, 1 << 30);
	options_free(&options);
	options = parsed(&line, "run --trials 7 --attempts 6");
	assert_int_not_equal(run_settings_resolve(&options, &limits, error, sizeof(error)), 0);
	assert_non_null(strstr(error, "--attempts: '6' "));
	options_free(&options);
}

static void words_stand_in_the_order_of_their_values(void **state)
{
	(void)state;
	assert_string_equal(wait_names[0], "auto");
	for (size_t i = 0; i < WAIT_POLICIES; i++)
		assert_string_equal(wait_names[1 + i], wait_policy_names[i]);
	assert_null(wait_names[1 + WAIT_POLICIES]);
	assert_string_equal(stamp_mode_names[STAMPS_MESSAGE], "message");
	assert_null(stamp_mode_names[STAMPS_EVERY]);
	assert_null(memory_owner_names[MEMORY_OF_NODE]);
	assert_null(point_names[POINT_COUNT]);
	assert_string_equal(huge_pages_names[MEMORY_PAGES_REQUIRE_HUGE], "require");
}

static void help_fits_a_screen(void **state)
{
	(void)state;
	for (enum command command = 0; command <= COMMAND_NONE; command++) {
		char *text = NULL;
		size_t size = 0, lines = 0;
		FILE *file = open_memstream(&text, &size);

		options_help(file, command);
		fclose(file);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
			if (strlen(line) > 80)
				fail_msg("wider than 80: '%s'", line);
		assert_in_range(lines, 4, 50); /* and up to 3 that are empty */
		free(text);
	}
}

static void help_names_every_option_of_the_command_and_no_other(void **state)
{
	(void)state;
	for (enum command command = 0; command < COMMANDS; command++) {
		char *text = NULL, name[64];
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);

		options_help(file, command);
		fclose(file);
		for (size_t i = 0; i < option_count; i++) {
			const struct option_entry *found = option_find(command, option_table[i].name);

			snprintf(name, sizeof(name), " --%s%s ", option_table[i].name, option_table[i].sweeps ? "*" : "");
			/* another command's option of that name may take no list */
			if (!strstr(text, name) != !(found && found->sweeps == option_table[i].sweeps))
				fail_msg("%s and%s", command_table[command].name, name);
		}
		free(text);
	}
}

/* The table and the man page: each option of the one stands in the other, with its argument and its default. */
struct manual {
	int command;     /* whose options stand here; COMMAND_NONE: those of all; −1: no options */
	const struct option_entry *entry; /* whose default is still to come */
	size_t entries;
};

static void manual_section(struct manual *manual, const char *title)
{
	assert_null(manual->entry);
	manual->command = -1;
	if (strncmp(title, "Options of ", 11))
		return;
	title += 11;
	manual->command = COMMAND_NONE;
	for (int i = 0; i < COMMANDS; i++)
		if (!strncmp(title, command_table[i].name, strlen(command_table[i].name)))
			manual->command = i;
	if (manual->command == COMMAND_NONE)
		assert_string_equal(title, "all commands");
}

static void manual_item(struct manual *manual, const char *item)
{
	char expected[128], name[64];

	if (manual->command < 0)
		return;
	assert_null(manual->entry); /* else the one before has no default */
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(item, "* "), item);
	manual->entry = option_find((enum command)manual->command, name);
	if (!manual->entry || (manual->command < COMMANDS) != ((manual->entry->commands & ~(1u << COMMAND_NONE)) != 0))
		fail_msg("in the man page alone: %s", item);
	snprintf(expected, sizeof(expected), "%s%s%s%s", name, manual->entry->sweeps ? "*" : "",
		 manual->entry->argument ? " Ar " : "", manual->entry->argument ? manual->entry->argument : "");
	assert_string_equal(item, expected);
	manual->entries++;
}

static void manual_default(struct manual *manual, const char *text)
{
	char expected[128];

	if (!manual->entry)
		fail_msg("a default without an option: %s", text);
	snprintf(expected, sizeof(expected), "%s.", option_default(manual->entry));
	assert_string_equal(text, expected);
	manual->entry = NULL;
}

static void the_man_page_has_each_option_with_its_default_and_no_other(void **state)
{
	struct manual manual = {.command = -1};
	FILE *file = fopen("bench/twopoint.1", "r");
	size_t expected = 0;
	char line[512];

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, ".Ss ", 4) || !strncmp(line, ".Sh ", 4))
			manual_section(&manual, line + 4);
		else if (!strncmp(line, ".It Fl -", 8))
			manual_item(&manual, line + 8);
		else if (!strncmp(line, "Default: ", 9))
			manual_default(&manual, line + 9);
	}
	fclose(file);
	for (size_t i = 0; i < option_count; i++)
		expected += option_table[i].commands ? (size_t)__builtin_popcount(option_table[i].commands) : 1;
	assert_int_equal(manual.entries, expected);
}

static void only_near_words_are_suggested(void **state)
{
	struct nearest nearest = nearest_begin("mutx");

	(void)state;
	nearest_offer(&nearest, "ypipe");
	assert_null(nearest.word);
	nearest_offer(&nearest, "mutex-batch");
	assert_null(nearest.word);
	nearest_offer(&nearest, "mutex");
	assert_string_equal(nearest.word, "mutex");
	nearest = nearest_begin("");
	nearest_offer(&nearest, "a");
	assert_null(nearest.word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_takes_lists_values_flags_and_suites),
		cmocka_unit_test(what_is_not_given_has_its_default),
		cmocka_unit_test(the_threshold_is_the_comparisons_own),
		cmocka_unit_test(every_default_of_the_table_parses),
		cmocka_unit_test(export_and_replay_take_theirs),
		cmocka_unit_test(other_commands_take_their_own_options),
		cmocka_unit_test(check_takes_queues_kinds_and_how_to_repeat_a_case),
		cmocka_unit_test(plugins_add_up_wherever_they_stand),
		cmocka_unit_test(folder_and_flags_are_asked_for_without_a_command),
		cmocka_unit_test(help_and_version_need_nothing_else),
		cmocka_unit_test(wrong_values_are_refused_with_what_is_allowed),
		cmocka_unit_test(latency_needs_two_different_points_in_order),
		cmocka_unit_test(a_rate_is_a_number_or_a_share_of_the_capacity),
		cmocka_unit_test(unknown_options_and_commands_are_refused_with_the_nearest),
		cmocka_unit_test(incomplete_and_contradicting_lines_are_refused),
		cmocka_unit_test(a_list_that_is_too_long_is_refused),
		cmocka_unit_test(what_is_given_above_overrides_and_puts_its_opposite_out_of_force),
		cmocka_unit_test(settings_follow_machine_and_trials_unless_given),
		cmocka_unit_test(words_stand_in_the_order_of_their_values),
		cmocka_unit_test(help_fits_a_screen),
		cmocka_unit_test(help_names_every_option_of_the_command_and_no_other),
		cmocka_unit_test(the_man_page_has_each_option_with_its_default_and_no_other),
		cmocka_unit_test(only_near_words_are_suggested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
