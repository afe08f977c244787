/* The options and commands: the one place where they stand. The man page is checked against it. */
#include <errno.h>
#include <string.h>

#include "options.h"
#include "units.h"
#include "words.h"

enum {
	RUN = 1 << COMMAND_RUN,
	CHECK = 1 << COMMAND_CHECK,
	LIST = 1 << COMMAND_LIST,
	TOPO = 1 << COMMAND_TOPO,
	DOCTOR = 1 << COMMAND_DOCTOR,
	COMPARE = 1 << COMMAND_COMPARE,
	PLOT = 1 << COMMAND_PLOT,
	REPORT = 1 << COMMAND_REPORT,
	EXPORT = 1 << COMMAND_EXPORT,
	HISTORY = 1 << COMMAND_HISTORY,
	REPLAY = 1 << COMMAND_REPLAY,
	NO_COMMAND = 1 << COMMAND_NONE,
};

/* auto, then the policies in their order: a test holds them together */
const char *const wait_names[] = {"auto", "spin", "yield", "park", "eventfd", "adaptive", "native", NULL};
const char *const check_names[] = {"conformance", "stress", "histories", NULL};
const char *const switch_names[] = {"off", "on", NULL};
const char *const plot_terminal_names[] = {"svg", "png", "pdf", "dumb", NULL};
const char *const export_format_names[] = {"csv", "hgrm", "hlog", "gbench", "openmetrics", NULL};
static const char *const replay_names[] = {"run", "all", NULL};
const char *const list_names[] = {"queues", "workloads", "suites", "placements", "points", "figures", NULL};
const char *const shell_names[] = {"bash", NULL};

const struct command_entry command_table[COMMANDS] = {
	[COMMAND_RUN] = {"run", "[SUITE...]", "measure: suites, or what the options say", 0, SIZE_MAX, NULL},
	[COMMAND_AA] = {"aa", "[SUITE...]", "how far measurements of the same lie apart here", 0, SIZE_MAX, NULL},
	[COMMAND_CHECK] = {"check", "", "whether queues are right, apart from how fast", 0, 0, NULL},
	[COMMAND_LIST] = {"list", "WHAT", "queues, workloads, suites, placements, points, figures", 1, 1, list_names},
	[COMMAND_TOPO] = {"topo", "", "the machine and its placements", 0, 0, NULL},
	[COMMAND_DOCTOR] = {"doctor", "", "what here disturbs a measurement, how to mend it", 0, 0, NULL},
	[COMMAND_SHOW] = {"show", "FILE...", "the table of a run again", 1, SIZE_MAX, NULL},
	[COMMAND_COMPARE] = {"compare", "FILE...", "OLD NEW, or queues of one: faster, slower?", 1, 2, NULL},
	[COMMAND_PLOT] = {"plot", "FILE...", "figures of runs, by gnuplot", 0, SIZE_MAX, NULL},
	[COMMAND_REPORT] = {"report", "FILE...", "runs as one HTML page", 1, SIZE_MAX, NULL},
	[COMMAND_EXPORT] = {"export", "FILE", "a record in other tools' formats", 1, 1, NULL},
	[COMMAND_HISTORY] = {"history", "[ACTION...]", "results of many runs: add FILE..., cells, plot", 0, SIZE_MAX, NULL},
	[COMMAND_REPLAY] = {"replay", "FILE", "the command that repeats a run or a cell", 1, 1, NULL},
	[COMMAND_VALIDATE] = {"validate", "FILE...", "check records against their schema", 1, SIZE_MAX, NULL},
	[COMMAND_COMPLETION] = {"completion", "SHELL", "what a shell completes its words by: bash", 1, 1, shell_names},
};

/* "'9x' is not a size (64, 1.5k, 64Ki)"; and the bounds */
static int number_parse(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size,
			int (*parse)(const char *, uint64_t *), char *(*print)(char *, uint64_t), const char *kind)
{
	uint64_t most = entry->most ? entry->most : INT64_MAX;
	char from[UNITS_TEXT], to[UNITS_TEXT];
	int failed = parse(text, value);

	if (failed == -EINVAL) {
		snprintf(error, size, "'%s' is not a %s", text, kind);
		return failed;
	}
	if (!failed && *value >= entry->least && *value <= most)
		return 0;
	snprintf(error, size, "'%s' is out of range; allowed: %s to %s", text, print(from, entry->least), print(to, most));
	return -EINVAL;
}

static int parse_size(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	return number_parse(entry, text, value, error, size, units_parse_size, units_print_size,
			    "size; allowed: whole bytes, as 64, 1.5k or 64Ki");
}

static int parse_percent(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	return number_parse(entry, text, value, error, size, units_parse_percent, units_print_percent,
			    "share; allowed: a number with %, as 2% or 0.5%");
}

static int parse_time(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	return number_parse(entry, text, value, error, size, units_parse_time, units_print_time,
			    "time; allowed: a number with ns, us, ms, s or min, as 1.5ms");
}

static int parse_count(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	return number_parse(entry, text, value, error, size, units_parse_count, units_print_count,
			    "count; allowed: digits, perhaps with k, M or G, as 64 or 10k");
}

static int parse_integer(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	return number_parse(entry, text, value, error, size, units_parse_integer, units_print_count,
			    "number; allowed: digits");
}

static int parse_word(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	*value = words_find(entry->words, text);
	return entry->words[*value] ? 0 : words_refuse(text, entry->words, "", error, size);
}

/* A number is kept behind the words: as their count plus the number. */
static int parse_word_or_number(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	size_t found = words_find(entry->words, text);
	char also[3 * UNITS_TEXT], from[UNITS_TEXT], to[UNITS_TEXT];
	uint64_t number = 0;

	if (!entry->words[found] && (units_parse_count(text, &number) || number < entry->least || number > entry->most)) {
		snprintf(also, sizeof(also), " or %s to %s", units_print_count(from, entry->least), units_print_count(to, entry->most));
		return words_refuse(text, entry->words, also, error, size);
	}
	*value = found + number;
	return 0;
}

/* Cells are counted from 1 on. */
static int parse_cell(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	int failed = parse_word_or_number(entry, text, value, error, size);

	*value -= !failed && *value >= REPLAY_FIRST;
	return failed;
}

/* Messages per second; or a share of the capacity: RATE_SHARE and its percents. */
static int parse_rate(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	size_t length = strlen(text);
	char percents[8];

	if (!length || text[length - 1] != '%') {
		if (!number_parse(entry, text, value, error, size, units_parse_count, units_print_count, "rate"))
			return 0;
		snprintf(error, size, "'%s' is no rate; allowed: 1 to 100G messages per second, as 1000 or 2M, or a share of the capacity, as 50%%",
			 text);
		return -EINVAL;
	}
	snprintf(percents, sizeof(percents), "%.*s", (int)length - 1, text);
	if (length > sizeof(percents) || units_parse_integer(percents, value) || !*value || *value > RATE_PERCENTS_MAX) {
		snprintf(error, size, "'%s' is not a share of the capacity; allowed: 1%% to %d%%, whole percents", text, RATE_PERCENTS_MAX);
		return -EINVAL;
	}
	*value |= RATE_SHARE;
	return 0;
}

static int parse_stamps(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size)
{
	if (!strcmp(text, "1"))
		text = stamp_mode_names[STAMPS_MESSAGE]; /* one in one is each */
	return parse_word_or_number(entry, text, value, error, size);
}

#define PARAMETER(field) .scope = SCOPE_EXPERIMENT, .commands = RUN, .offset = offsetof(struct options, parameters.field)
#define SETTING(field) .scope = SCOPE_RUN, .commands = RUN, .offset = offsetof(struct options, run.field)
#define FIELD(field) .scope = SCOPE_COMMAND_LINE, .offset = offsetof(struct options, field)
#define SWEEPS .kind = OPTION_VALUES, .sweeps = true

#define SECOND_NS 1000000000ull

const struct option_entry option_table[] = {
	{"queue", "NAME", .otherwise = "each of them", .help = "or peers; see: twopoint list queues", .kind = OPTION_NAMES,
	 .sweeps = true, PARAMETER(queues)},
	{"workload", "WORD", "stream,pingpong", .help = "see: twopoint list workloads", SWEEPS, .parse = parse_word,
	 .words = workload_names, PARAMETER(workloads)},
	{"load", "WORD", .otherwise = "pingpong closed, else saturate", .help = "saturate, closed, open", SWEEPS,
	 .parse = parse_word, .words = load_names, PARAMETER(loads)},
	{"rate", "RATE", .otherwise = "50%", .help = "open: messages/s, or % of the capacity", SWEEPS,
	 .excludes = "gap", .parse = parse_rate, .least = 1, .most = 100000000000, PARAMETER(rates)},
	{"arrival", "WORD", "constant", .help = "constant, poisson, burst", SWEEPS, .parse = parse_word,
	 .words = arrival_names, PARAMETER(arrivals)},
	{"burst", "COUNT", "32", .help = "messages that are due at once", SWEEPS, .parse = parse_count, .least = 1,
	 .most = 1 << 20, PARAMETER(bursts)},
	{"gap", "TIME", .otherwise = "by --rate", .help = "from one burst to the next", SWEEPS, .excludes = "rate",
	 .parse = parse_time, .least = 1, .most = 3600 * SECOND_NS, PARAMETER(gaps)},
	{"window", "COUNT", .otherwise = "closed 64; unbounded queue 65536",
	 .help = "messages outstanding at most", SWEEPS, .parse = parse_count, .least = 1, .most = 1 << 30, PARAMETER(windows)},
	{"batch", "COUNT", "1", .help = "messages staged before a flush", SWEEPS, .parse = parse_count, .least = 1,
	 .most = 1 << 16, PARAMETER(batches)},
	{"message-size", "SIZE", "64", .help = "bytes of a message", SWEEPS, .parse = parse_size, .least = QUEUE_MESSAGE_MIN,
	 .most = QUEUE_MESSAGE_MAX, PARAMETER(message_sizes)},
	{"touch", "WORD", "all", .help = "bytes written and read: all, or 8: head", SWEEPS, .parse = parse_word,
	 .words = touch_names, PARAMETER(touches)},
	{"work", "TIME", "0", .help = "a consumer's, per message", SWEEPS, .parse = parse_time, .most = SECOND_NS,
	 PARAMETER(works)},
	{"think", "TIME", "0", .help = "a producer's, between messages; not open", SWEEPS, .parse = parse_time,
	 .most = SECOND_NS, PARAMETER(thinks)},
	{"capacity", "COUNT", "1024", .help = "messages in a bounded queue", SWEEPS, .parse = parse_count, .least = 1,
	 .most = 1ull << 40, PARAMETER(capacities)},
	{"producers", "COUNT", .otherwise = "fanin 2, mesh 2", .help = "of fanin, mesh", SWEEPS, .parse = parse_integer, .least = 1,
	 .most = CELL_ACTORS_MAX - 1, PARAMETER(producers)},
	{"consumers", "COUNT", .otherwise = "fanout 2, mesh 2", .help = "of fanout, mesh", SWEEPS, .parse = parse_integer, .least = 1,
	 .most = CELL_ACTORS_MAX - 1, PARAMETER(consumers)},
	{"stages", "COUNT", "3", .help = "actors of a pipeline", SWEEPS, .parse = parse_integer, .least = CELL_STAGES_MIN,
	 .most = CELL_ACTORS_MAX, PARAMETER(stages)},
	{"prewrite", "WORD", "on", .help = "off: each message is flushed by itself", SWEEPS, .parse = parse_word,
	 .words = switch_names, PARAMETER(prewrites)},
	{"preread", "WORD", "on", .help = "off: each is noted by itself", SWEEPS, .parse = parse_word,
	 .words = switch_names, PARAMETER(prereads)},
	{"place", "NAME", "nearest", .help = "see: twopoint list placements", .kind = OPTION_NAMES, .sweeps = true,
	 .excludes = "cpus", PARAMETER(places)},
	{"cpus", "A,B,...", .otherwise = "by --place", .help = "these CPUs instead, one an actor", .kind = OPTION_VALUES,
	 .excludes = "place", .parse = parse_integer, .most = INT32_MAX, PARAMETER(cpus)},
	{"wait", "WORD", "auto", .help = "auto, spin, yield, park, eventfd, adaptive, native", SWEEPS, .parse = parse_word,
	 .words = wait_names, PARAMETER(waits)},
	{"memory-node", "NODE", "producer", .help = "producer, consumer, interleaved or a number", SWEEPS, .parse = parse_word_or_number,
	 .words = memory_owner_names, .most = 65535, PARAMETER(memory_nodes)},
	{"huge-pages", "WORD", "no", .help = "no, try, require", .kind = OPTION_VALUE, .parse = parse_word,
	 .words = huge_pages_names, PARAMETER(huge_pages)},
	{"duration", "TIME", "100ms", .help = "measured time of a trial", .kind = OPTION_VALUE, .excludes = "messages",
	 .parse = parse_time, .least = 1000, .most = 86400 * SECOND_NS, PARAMETER(duration_ns)},
	{"messages", "COUNT", .otherwise = "by --duration", .help = "end after so many messages", .kind = OPTION_VALUE,
	 .excludes = "duration", .parse = parse_count, .least = 1, .most = 1ull << 40, PARAMETER(messages)},
	{"warm-up", "TIME", "10ms", .help = "run before measuring", .kind = OPTION_VALUE, .parse = parse_time,
	 .most = 3600 * SECOND_NS, PARAMETER(warm_up_ns)},
	{"stamps", "WORD", .otherwise = "saturate batch, else message", .help = "none, batch, message, K",
	 SWEEPS, .parse = parse_stamps, .words = stamp_mode_names, .least = 2, .most = 1 << 30, PARAMETER(stamps)},
	{"latency", "PAIRS", .otherwise = "by the load", .help = "between points: FROM:TO,...",
	 .kind = OPTION_PAIRS, PARAMETER(latencies)},

	{"trials", "COUNT", "10", .help = "of each cell, each a process", .kind = OPTION_VALUE, .parse = parse_integer,
	 .least = 1, .most = 1000000, SETTING(trials)},
	{"until", "PERCENT", .help = "add trials until medians are so certain", .kind = OPTION_VALUE, .parse = parse_percent, .least = 1000,
	 .most = 1000000, SETTING(until_ppm)},
	{"attempts", "COUNT", .otherwise = "1.5 times the trials", .help = "at most, where trials fail", .kind = OPTION_VALUE,
	 .parse = parse_integer, .least = 1, .most = 10000000, SETTING(attempts)},
	{"time-budget", "TIME", .help = "start no trial after it", .kind = OPTION_VALUE, .parse = parse_time,
	 .least = 1, SETTING(time_budget_ns)},
	{"seed", "NUMBER", .otherwise = "from the clock, recorded", .help = "of order and layout", .kind = OPTION_VALUE,
	 .parse = parse_integer, SETTING(seed)},
	{"watchdog", "TIME", "10s", .help = "ends a trial so long overdue", .kind = OPTION_VALUE, .parse = parse_time,
	 .least = 1000000, .most = 86400 * SECOND_NS, SETTING(watchdog_ns)},
	{"max-memory", "SIZE", .otherwise = "half of what is available", .help = "a trial's", .kind = OPTION_VALUE,
	 .parse = parse_size, .least = 1, SETTING(max_memory)},
	{"allow-unpinned", .help = "go on where a CPU can't be had", .kind = OPTION_FLAG, SETTING(allow_unpinned)},

	{"out", "FILE", .otherwise = "in results/runs, or else here", .help = "the record", .kind = OPTION_TEXT,
	 .commands = RUN, FIELD(run.out)},
	{"raw", "FILE", .help = "all stamps, as CSV", .kind = OPTION_TEXT, .commands = RUN, FIELD(run.raw)},
	{"quiet", .help = "no progress", .kind = OPTION_FLAG, .commands = RUN | CHECK, FIELD(run.quiet)},
	{"dry-run", .help = "show the plan, measure nothing", .kind = OPTION_FLAG, .commands = RUN, FIELD(run.dry_run)},

	{"queue", "NAME", .otherwise = "each of them, or each plug-in", .help = "or peers; see: twopoint list queues", .kind = OPTION_NAMES,
	 .sweeps = true, .commands = CHECK, FIELD(check.queues)},
	{"checks", "WORD", .otherwise = "all", .help = "conformance, stress, histories", SWEEPS, .parse = parse_word,
	 .words = check_names, .commands = CHECK, FIELD(check.kinds)},
	{"stress", "COUNT", "1", .help = "so many times as many cases", .kind = OPTION_VALUE, .parse = parse_count, .least = 1,
	 .most = 1000000, .commands = CHECK, FIELD(check.times)},
	{"seed", "NUMBER", "1", .help = "of what is drawn", .kind = OPTION_VALUE, .parse = parse_integer, .commands = CHECK,
	 FIELD(check.seed)},
	{"case", "NUMBER", .otherwise = "all", .help = "only this one of stress and histories", .kind = OPTION_VALUE,
	 .parse = parse_integer, .least = 1, .commands = CHECK, FIELD(check.only)},
	{"watchdog", "TIME", "10s", .help = "ends a case in which nothing moves", .kind = OPTION_VALUE, .parse = parse_time,
	 .least = 1000000000, .most = 86400 * SECOND_NS, .commands = CHECK, FIELD(check.watchdog_ns)},

	{"matrix", .help = "measure the round trip between all pairs", .kind = OPTION_FLAG, .commands = TOPO,
	 FIELD(topo.matrix)},
	{"watch", "TIME", .help = "look at the nearest two CPUs' line for so long", .kind = OPTION_VALUE, .parse = parse_time, .least = 1,
	 .most = 3600 * SECOND_NS, .commands = TOPO, FIELD(topo.watch_ns)},
	{"max-time", "TIME", "60s", .help = "end the matrix by then", .kind = OPTION_VALUE, .parse = parse_time,
	 .least = 1000000, .commands = TOPO, FIELD(topo.max_time_ns)},

	{"duration", "TIME", "2s", .help = "watch all CPUs for so long", .kind = OPTION_VALUE, .parse = parse_time, .least = 1000000,
	 .most = 3600 * SECOND_NS, .commands = DOCTOR, FIELD(doctor.duration_ns)},

	{"baseline", "QUEUE", .otherwise = "the first record", .help = "of one record: the others against this one", .kind = OPTION_TEXT,
	 .commands = COMPARE, FIELD(compare.baseline)},
	{"threshold", "PERCENT", "2%", .help = "changes no larger are none", .kind = OPTION_VALUE, .parse = parse_percent,
	 .most = 1000000, .commands = COMPARE, FIELD(compare.threshold_ppm)},
	{"ignore-regime", .help = "trials of all regimes together", .kind = OPTION_FLAG, .commands = COMPARE,
	 FIELD(compare.ignore_regime)},
	{"quiet", .help = "no table: the exit status alone", .kind = OPTION_FLAG, .commands = COMPARE, FIELD(compare.quiet)},

	{"figure", "NAME", .otherwise = "all", .help = "see: twopoint list figures", .kind = OPTION_NAMES, .sweeps = true,
	 .commands = PLOT, FIELD(plot.figures)},
	{"list", .help = "the figures that there are, and what each shows", .kind = OPTION_FLAG, .commands = PLOT, FIELD(plot.list)},
	{"term", "WORD", "svg", .help = "svg, png, pdf, dumb", .kind = OPTION_VALUE, .parse = parse_word,
	 .words = plot_terminal_names, .commands = PLOT | TOPO | HISTORY, FIELD(plot.terminal)},
	{"out", "FOLDER", .otherwise = "plots/out, or else here", .help = "where figures go", .kind = OPTION_TEXT,
	 .commands = PLOT | TOPO | HISTORY, FIELD(plot.folder)},

	{"out", "FILE", .otherwise = "RECORD.html in plots/out, or else here", .help = "a new file", .kind = OPTION_TEXT, .commands = REPORT,
	 FIELD(report.out)},

	{"format", "WORD", "csv", .help = "csv, hgrm, hlog, gbench, openmetrics", .kind = OPTION_VALUE, .parse = parse_word,
	 .words = export_format_names, .commands = EXPORT, FIELD(export.format)},
	{"out", "PATH", .otherwise = "standard output", .help = "a new file; of hgrm a folder", .kind = OPTION_TEXT, .commands = EXPORT,
	 FIELD(export.out)},

	{"db", "FILE", .otherwise = "history.db in ~/.local/share/twopoint", .help = "where it is kept", .kind = OPTION_TEXT,
	 .commands = HISTORY, FIELD(history.db)},
	{"queue", "NAME", .otherwise = "all", .help = "only these queues", .kind = OPTION_NAMES, .sweeps = true, .commands = HISTORY,
	 FIELD(history.queues)},
	{"cell", "NUMBER", .otherwise = "all", .help = "only these cells; see: twopoint history cells", SWEEPS, .parse = parse_integer,
	 .least = 1, .commands = HISTORY, FIELD(history.cells)},
	{"threshold", "PERCENT", "2%", .help = "changes no larger are none", .kind = OPTION_VALUE, .parse = parse_percent,
	 .most = 1000000, .commands = HISTORY, FIELD(history.threshold_ppm)},

	{"cell", "NUMBER", "run", .help = "in the record's order; all: each; run: the whole", .kind = OPTION_VALUE, .parse = parse_cell,
	 .words = replay_names, .least = 1, .most = 1 << 30, .commands = REPLAY, FIELD(replay.cell)},
	{"run", .help = "do it, with this program", .kind = OPTION_FLAG, .commands = REPLAY, FIELD(replay.run)},

	{"plugin", "FILE", .help = "a queue as a shared object; again: more", .kind = OPTION_FILES, .scope = SCOPE_RUN,
	 .commands = RUN | CHECK | LIST, .offset = offsetof(struct options, plugins)},
	{"json", .help = "data as JSON on stdout", .kind = OPTION_FLAG, .commands = RUN | CHECK | LIST | TOPO | DOCTOR | COMPARE | HISTORY, FIELD(json)},
	{"include", .help = "print the folder of its headers, for -I", .kind = OPTION_FLAG, .commands = NO_COMMAND, FIELD(include)},
	{"cflags", .help = "print the flags that its queues are compiled with", .kind = OPTION_FLAG, .commands = NO_COMMAND,
	 FIELD(cflags)},
	{"help", .help = "this page", .kind = OPTION_FLAG, FIELD(help)},
	{"version", .help = "the program's version", .kind = OPTION_FLAG, FIELD(version)},
};

const size_t option_count = sizeof(option_table) / sizeof(*option_table);

_Static_assert(sizeof(option_table) / sizeof(*option_table) <= OPTIONS_MOST, "struct options tells of each whether it was given");
