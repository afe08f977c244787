/* The command line. One table of options feeds the parser, --help, the keys of suites and the check of the man page. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cell.h"
#include "limits.h"
#include "plugins.h"

enum command {
	COMMAND_RUN, COMMAND_AA, COMMAND_CHECK, COMMAND_LIST, COMMAND_TOPO, COMMAND_DOCTOR, COMMAND_SHOW, COMMAND_COMPARE, COMMAND_PLOT,
	COMMAND_REPORT, COMMAND_EXPORT, COMMAND_HISTORY, COMMAND_REPLAY, COMMAND_VALIDATE, COMMAND_COMPLETION,
	COMMANDS,
	COMMAND_NONE = COMMANDS,
};

enum { OPTIONS_MOST = 96, OPTIONS_LIST = 64, OPTIONS_TEXT = 512, RATE_PERCENTS_MAX = 10000 };

/* Marks a rate that was asked for in percents of the capacity. */
#define RATE_SHARE (UINT64_C(1) << 62)

enum { REPLAY_RUN, REPLAY_ALL, REPLAY_FIRST }; /* the whole run as one; each cell; a cell */

struct value_list {
	size_t count;
	uint64_t values[OPTIONS_LIST];
};

struct name_list {
	size_t count;
	char names[OPTIONS_LIST][PLACEMENT_NAME];
};

struct pair_list {
	size_t count;
	struct latency_pair pairs[CELL_LATENCIES_MAX];
};

/* What an experiment sweeps over: a list that is empty was not given. Words stand as their position in their array of names. */
struct parameters {
	struct name_list queues; /* names of built-in ones and of plug-ins: the plan looks them up */
	struct value_list workloads, loads;
	struct value_list rates;            /* messages per second, or RATE_SHARE | percents of the capacity */
	struct value_list arrivals, bursts, gaps, works, thinks;
	struct value_list windows, batches, message_sizes, capacities;
	struct value_list touches;
	struct value_list producers, consumers, stages;
	struct value_list prewrites, prereads; /* positions in switch_names */
	struct name_list places;
	struct value_list cpus;         /* by actor; instead of places */
	struct value_list waits;        /* positions in wait_names */
	struct value_list memory_nodes; /* positions in memory_owner_names; behind its end: 3 + the node */
	struct value_list stamps;       /* positions in stamp_mode_names; behind its end: 3 + K, of one in K */
	struct pair_list latencies;
	uint64_t huge_pages;            /* enum memory_pages */
	uint64_t duration_ns;           /* means nothing where messages is not 0 */
	uint64_t messages, warm_up_ns;
};

/* What holds for all of a run. */
struct run_settings {
	uint64_t trials;
	uint64_t attempts;       /* 0: not given, until run_settings_resolve() */
	uint64_t seed;           /* the same, where it was not given */
	uint64_t watchdog_ns;    /* beyond a trial's own time */
	uint64_t max_memory;     /* bytes; 0: not given, until run_settings_resolve() */
	uint64_t time_budget_ns; /* 0: none */
	uint64_t until_ppm;      /* the run goes on until half of each interval is that narrow; 0: a fixed number of trials */
	bool allow_unpinned;
	const char *out, *raw;   /* NULL: not given */
	bool quiet, dry_run;
};

/* All zero: nothing given, of the command run. */
struct options {
	bool given[OPTIONS_MOST]; /* by its place in option_table: was given, and not only defaulted */
	enum command command;
	bool help, version, include, cflags, json;
	struct parameters parameters;
	struct run_settings run;
	struct file_list plugins;
	struct {
		struct name_list queues;  /* of built-in ones and of plug-ins; empty: all, or the plug-ins alone */
		struct value_list kinds;  /* positions in check_names; empty: all */
		uint64_t times, seed;
		uint64_t only;            /* case; 0: all */
		uint64_t watchdog_ns;
	} check;
	struct {
		const char *baseline;     /* a queue; NULL: not given */
		uint64_t threshold_ppm;
		bool ignore_regime, quiet;
	} compare;
	struct {
		bool matrix;
		uint64_t max_time_ns, watch_ns; /* watch: 0: it is not asked for */
	} topo;
	struct {
		uint64_t duration_ns;
	} doctor;
	struct {
		struct name_list figures; /* empty: all */
		uint64_t terminal;        /* position in plot_terminal_names */
		const char *folder;       /* NULL: not given */
		bool list;
	} plot;
	struct {
		const char *out;          /* a file; NULL: not given */
	} report;
	struct {
		uint64_t format;          /* position in export_format_names */
		const char *out;          /* a file, or a folder; NULL: not given */
	} export;
	struct {
		const char *db;           /* NULL: not given */
		struct name_list queues;  /* both empty: all cells */
		struct value_list cells;
		uint64_t threshold_ppm;
	} history;
	struct {
		uint64_t cell;            /* REPLAY_RUN, REPLAY_ALL, or REPLAY_FIRST + a cell's number from 0 */
		bool run;
	} replay;
	const char **operands; /* suites, files, what is to be listed; the texts are argv's */
	size_t operand_count;
};

extern const char *const switch_names[];        /* off, on */
extern const char *const wait_names[];          /* auto, then wait_policy_names */
extern const char *const check_names[];         /* conformance, stress, histories */
extern const char *const plot_terminal_names[]; /* svg, png, pdf, dumb */
extern const char *const export_format_names[]; /* csv, hgrm, hlog, gbench, openmetrics */
extern const char *const list_names[];          /* what `list` can list */
extern const char *const shell_names[];         /* that `completion` knows */

enum option_kind {
	OPTION_FLAG,   /* bool */
	OPTION_TEXT,   /* const char *, kept as it was handed in */
	OPTION_VALUE,  /* uint64_t */
	OPTION_VALUES, /* struct value_list */
	OPTION_NAMES,  /* struct name_list */
	OPTION_FILES,  /* struct file_list: given again, it goes on */
	OPTION_PAIRS,  /* struct pair_list */
};

enum option_scope {
	SCOPE_COMMAND_LINE, /* there alone */
	SCOPE_RUN,          /* and in a suite's [defaults] */
	SCOPE_EXPERIMENT,   /* and in each section of a suite */
};

struct option_entry;
/* One value. Returns 0, or −EINVAL with what is wrong and what is allowed in error. */
typedef int option_parser(const struct option_entry *entry, const char *text, uint64_t *value, char *error, size_t size);

struct option_entry {
	const char *name;         /* without dashes */
	const char *argument;     /* what stands for its value in help; NULL of a flag */
	const char *standard;     /* the default, as it would be written; or NULL */
	const char *otherwise;    /* the default in words, where it is no fixed value; or NULL: none */
	const char *help;
	const char *excludes;     /* the option that it can't be given with; or NULL */
	option_parser *parse;     /* of VALUE and VALUES */
	const char *const *words; /* of those that take words, in the values' order */
	uint64_t least, most;     /* of those that take numbers; most 0: INT64_MAX */
	enum option_kind kind;
	enum option_scope scope;
	unsigned commands;        /* bits 1 << COMMAND_…, also COMMAND_NONE; 0: all, and none */
	bool sweeps;              /* takes a list, each value of which makes cells of its own */
	size_t offset;            /* of its field in struct options */
};

extern const struct option_entry option_table[];
extern const size_t option_count;

/* aa takes the options of run. */
struct command_entry {
	const char *name, *operands, *summary;
	size_t operands_least, operands_most;
	const char *const *words; /* the only operands that there are; NULL: any */
};

extern const struct command_entry command_table[COMMANDS];

/* The default as text: for help and the man page. */
const char *option_default(const struct option_entry *entry);
/* Whether the command, or twopoint itself (COMMAND_NONE), takes it. */
bool option_belongs(const struct option_entry *entry, enum command command);
/* The option of that name that the command has, or NULL. COMMAND_NONE: one that all have. */
const struct option_entry *option_find(enum command command, const char *name);
bool option_is_given(const struct options *options, const char *name);

/* Sets an option from its text and marks it as given. dashes: stand before other options' names in the error, as they do where this one was
 * given: "--" or "". Returns 0, or −EINVAL with the reason, without the option's name, in
 * error: not its kind of value, or given already, or given beside the one that it excludes. */
int option_set(struct options *options, const struct option_entry *entry, const char *text, const char *dashes, char *error,
	       size_t size);

/* Puts what was given in above in place of what is in below, and with it out of force what that excludes. */
void options_override(struct options *below, const struct options *above);
/* Both were given it, and not the same. */
bool options_disagree(const struct options *a, const struct options *b, const struct option_entry *entry);
/* Puts the table's defaults in place of what was not given. */
void options_complete(struct options *options);

/* The whole command line, completed. Returns 0, or −EINVAL or −ENOMEM with a line in error that names option, value and what
 * is allowed. To be ended by options_free() if it returned 0. */
int options_parse(struct options *options, int argc, char **argv, char *error, size_t size);
void options_free(struct options *options);

/* Fills in what depends on the machine and the moment: attempts, seed, max_memory. Returns 0, or −EINVAL with the reason. */
int run_settings_resolve(struct options *options, const struct limits *limits, char *error, size_t size);

/* A screen of help on a command, or on the program as a whole (COMMAND_NONE). */
void options_help(FILE *file, enum command command);

#endif
