#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "words.h"

static size_t place_of(const struct option_entry *entry)
{
	return (size_t)(entry - option_table);
}

bool option_belongs(const struct option_entry *entry, enum command command)
{
	if (command == COMMAND_AA)
		command = COMMAND_RUN; /* whose options it takes */
	return !entry->commands || entry->commands & 1u << command;
}

const char *option_default(const struct option_entry *entry)
{
	if (entry->standard)
		return entry->standard;
	return entry->otherwise ? entry->otherwise : "none";
}

const struct option_entry *option_find(enum command command, const char *name)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_belongs(&option_table[i], command) && !strcmp(option_table[i].name, name))
			return &option_table[i];
	return NULL;
}

bool option_is_given(const struct options *options, const char *name)
{
	return options->given[place_of(option_find(options->command, name))];
}

static int list_refuse_full(char *error, size_t size)
{
	snprintf(error, size, "too many values; allowed: %d", OPTIONS_LIST);
	return -EINVAL;
}

static int values_add(const struct option_entry *entry, struct value_list *list, const char *item, char *error, size_t size)
{
	if (list->count == OPTIONS_LIST)
		return list_refuse_full(error, size);
	return entry->parse(entry, item, &list->values[list->count++], error, size);
}

static int names_add(struct name_list *list, const char *item, char *error, size_t size)
{
	if (list->count == OPTIONS_LIST)
		return list_refuse_full(error, size);
	if (strlen(item) >= sizeof(*list->names)) {
		snprintf(error, size, "'%s' is too long a name; allowed: %zu letters", item, sizeof(*list->names) - 1);
		return -EINVAL;
	}
	strcpy(list->names[list->count++], item);
	return 0;
}

static int files_add(struct file_list *list, const char *item, char *error, size_t size)
{
	if (list->count == PLUGINS_MAX || strlen(item) >= sizeof(*list->paths)) {
		snprintf(error, size, "'%s': %s", item, list->count == PLUGINS_MAX ? "too many files" : "too long a path");
		return -EINVAL;
	}
	strcpy(list->paths[list->count++], item);
	return 0;
}

static int pairs_add(struct pair_list *list, const char *item, char *error, size_t size)
{
	static const char way[] = "intended, write, flush, preread, read, handled";
	struct latency_pair pair;

	if (!latency_pair_parse(&pair, item))
		snprintf(error, size, "'%s' is not a pair of points; allowed: FROM:TO of %s", item, way);
	else if (pair.from == pair.to)
		snprintf(error, size, "'%s': latency exists only between two different points", item);
	else if (pair.from > pair.to)
		snprintf(error, size, "'%s' goes backwards; a message passes %s", item, way);
	else {
		for (size_t i = 0; i < list->count; i++)
			if (list->pairs[i].from == pair.from && list->pairs[i].to == pair.to) {
				snprintf(error, size, "'%s' stands there twice", item);
				return -EINVAL;
			}
		list->pairs[list->count++] = pair; /* there are no more different ones than CELL_LATENCIES_MAX */
		return 0;
	}
	return -EINVAL;
}

static int item_add(const struct option_entry *entry, void *field, const char *item, char *error, size_t size)
{
	if (entry->kind == OPTION_NAMES)
		return names_add(field, item, error, size);
	if (entry->kind == OPTION_FILES)
		return files_add(field, item, error, size);
	if (entry->kind == OPTION_PAIRS)
		return pairs_add(field, item, error, size);
	return values_add(entry, field, item, error, size);
}

/* Up to a comma, but for those behind a backslash. */
static size_t item_length(const char *text)
{
	size_t length = 0;

	while (text[length] && text[length] != ',')
		length += text[length] == '\\' && text[length + 1] == ',' ? 2 : 1;
	return length;
}

/* The backslash before a comma goes. */
static void item_copy(char *item, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != '\\' || i + 1 == length || text[i + 1] != ',')
			*item++ = text[i];
	*item = '\0';
}

/* "a, b,c": blanks around the items are left out; an empty item is an error. */
static int list_parse(const struct option_entry *entry, void *field, const char *text, char *error, size_t size)
{
	const char *whole = text;

	for (;;) {
		size_t length = item_length(text += strspn(text, " \t"));
		const char *next = text + length;
		char item[PLUGINS_PATH];

		while (length && strchr(" \t", text[length - 1]))
			length--;
		if (!length || length >= sizeof(item)) {
			if (length)
				snprintf(error, size, "'%.*s…' is too long; allowed: %zu letters", 40, text, sizeof(item) - 1);
			else
				snprintf(error, size, "'%s' has an empty value; allowed: %s%s", whole, entry->argument,
					 entry->sweeps ? ", or several: A,B" : "");
			return -EINVAL;
		}
		item_copy(item, text, length);
		if (item_add(entry, field, item, error, size))
			return -EINVAL;
		if (!*next)
			return 0;
		text = next + 1;
	}
}

/* The value of a flag in a suite, where it needs one. */
static int flag_parse(bool *flag, const char *text, char *error, size_t size)
{
	*flag = !strcmp(text, "yes");
	if (*flag || !strcmp(text, "no"))
		return 0;
	snprintf(error, size, "'%s' is not allowed; allowed: yes, no", text);
	return -EINVAL;
}

static int value_parse(const struct option_entry *entry, void *field, const char *text, char *error, size_t size)
{
	switch (entry->kind) {
	case OPTION_FLAG:
		return flag_parse(field, text, error, size);
	case OPTION_TEXT:
		*(const char **)field = text;
		if (*text)
			return 0;
		snprintf(error, size, "'' is no value; allowed: a %s", entry->argument);
		return -EINVAL;
	case OPTION_VALUE:
		return entry->parse(entry, text, field, error, size);
	default:
		return list_parse(entry, field, text, error, size);
	}
}

static void *entry_field(const struct option_entry *entry, struct options *options)
{
	return (char *)options + entry->offset;
}

static size_t entry_bytes(const struct option_entry *entry)
{
	static const size_t bytes[] = {
		[OPTION_FLAG] = sizeof(bool), [OPTION_TEXT] = sizeof(const char *), [OPTION_VALUE] = sizeof(uint64_t),
		[OPTION_VALUES] = sizeof(struct value_list), [OPTION_NAMES] = sizeof(struct name_list),
		[OPTION_FILES] = sizeof(struct file_list), [OPTION_PAIRS] = sizeof(struct pair_list),
	};

	return bytes[entry->kind];
}

/* The option that this one can't be given with, or NULL. */
static const struct option_entry *entry_excluded(const struct option_entry *entry)
{
	for (size_t i = 0; entry->excludes && i < option_count; i++)
		if (!strcmp(option_table[i].name, entry->excludes))
			return &option_table[i];
	return NULL;
}

int option_set(struct options *options, const struct option_entry *entry, const char *text, const char *dashes, char *error,
	       size_t size)
{
	const struct option_entry *excluded = entry_excluded(entry);

	if (options->given[place_of(entry)] && entry->kind != OPTION_FILES) {
		snprintf(error, size, "given twice%s", entry->sweeps ? "; several values stand in one list: A,B" : "");
		return -EINVAL;
	}
	if (excluded && options->given[place_of(excluded)]) {
		snprintf(error, size, "can't be given together with %s%s", dashes, excluded->name);
		return -EINVAL;
	}
	if (value_parse(entry, entry_field(entry, options), text, error, size))
		return -EINVAL;
	if (!strcmp(entry->name, "cpus") && (options->parameters.cpus.count < 2 || options->parameters.cpus.count > CELL_ACTORS_MAX)) {
		snprintf(error, size, "'%s' names %zu; allowed: 2 to %d CPUs, one an actor", text,
			 options->parameters.cpus.count, CELL_ACTORS_MAX);
		return -EINVAL;
	}
	options->given[place_of(entry)] = true;
	return 0;
}

void options_override(struct options *below, const struct options *above)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_table[i], *excluded = entry_excluded(entry);
		size_t bytes = entry_bytes(entry);

		if (!above->given[place_of(entry)])
			continue;
		memcpy(entry_field(entry, below), (const char *)above + entry->offset, bytes);
		below->given[place_of(entry)] = true;
		if (excluded) {
			memset(entry_field(excluded, below), 0, entry_bytes(excluded));
			below->given[place_of(excluded)] = false;
		}
	}
}

bool options_disagree(const struct options *a, const struct options *b, const struct option_entry *entry)
{
	return a->given[place_of(entry)] && b->given[place_of(entry)] &&
	       memcmp((const char *)a + entry->offset, (const char *)b + entry->offset, entry_bytes(entry));
}

void options_complete(struct options *options)
{
	char error[OPTIONS_TEXT];

	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_table[i];

		if (entry->standard && !options->given[place_of(entry)]) {
			memset(entry_field(entry, options), 0, entry_bytes(entry));
			value_parse(entry, entry_field(entry, options), entry->standard, error, sizeof(error));
		}
	}
}

static int command_parse(struct options *options, const char *text, char *error, size_t size)
{
	struct nearest nearest = nearest_begin(text);
	char suggestion[80];

	for (unsigned i = 0; i < COMMANDS; i++) {
		if (!strcmp(command_table[i].name, text)) {
			options->command = i;
			return 0;
		}
		nearest_offer(&nearest, command_table[i].name);
	}
	snprintf(error, size, "unknown command '%s'; allowed: ", text);
	for (unsigned i = 0; i < COMMANDS; i++) {
		size_t used = strlen(error);

		snprintf(error + used, size - used, "%s%s", i ? ", " : "", command_table[i].name);
	}
	snprintf(error + strlen(error), size - strlen(error), "%s", nearest_text(&nearest, suggestion, sizeof(suggestion)));
	return -EINVAL;
}

/* The commands that have an option of that name; none: of twopoint itself. */
static void option_owners(const char *name, char *text, size_t size)
{
	size_t used = 0;

	snprintf(text, size, "twopoint itself");
	for (unsigned c = 0; c < COMMANDS; c++)
		for (size_t i = 0; i < option_count; i++)
			if (!strcmp(option_table[i].name, name) && option_belongs(&option_table[i], c)) {
				snprintf(text + used, size - used, "%s%s", used ? ", " : "", command_table[c].name);
				used = strlen(text);
				break;
			}
}

static int option_refuse(enum command command, const char *name, char *error, size_t size)
{
	struct nearest nearest = nearest_begin(name);
	char suggestion[80], owners[160];

	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_table[i];

		if (!strcmp(entry->name, name)) {
			option_owners(name, owners, sizeof(owners));
			if (command < COMMANDS)
				snprintf(error, size, "%s has no option --%s: it is one of %s", command_table[command].name, name, owners);
			else
				snprintf(error, size, "--%s is an option of %s; it stands behind that word", name, owners);
			return -EINVAL;
		}
		if (option_belongs(entry, command))
			nearest_offer(&nearest, entry->name);
	}
	if (nearest.word)
		snprintf(suggestion, sizeof(suggestion), "; did you mean --%s?", nearest.word);
	else
		snprintf(suggestion, sizeof(suggestion), "; see: twopoint %s%s--help",
			 command < COMMANDS ? command_table[command].name : "", command < COMMANDS ? " " : "");
	snprintf(error, size, "unknown option --%s%s", name, suggestion);
	return -EINVAL;
}

/* One option of the command line: argument without its dashes, and next, which may be its value. Returns how many of the two
 * were used, or −EINVAL. */
static int option_parse(struct options *options, const char *argument, const char *next, char *error, size_t size)
{
	const char *equals = strchr(argument, '=');
	size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
	const struct option_entry *entry;
	char name[64], reason[OPTIONS_TEXT];
	const char *value = equals ? equals + 1 : next;

	snprintf(name, sizeof(name), "%.*s", (int)length, argument);
	entry = option_find(options->command, name);
	if (!entry)
		return option_refuse(options->command, name, error, size);
	if (entry->kind == OPTION_FLAG) {
		if (equals) {
			snprintf(error, size, "--%s: '%s' is too much; allowed: --%s alone, it takes no value", name, equals + 1, name);
			return -EINVAL;
		}
		value = "yes";
	}
	if (!value || (!equals && entry->kind != OPTION_FLAG && !strncmp(value, "--", 2))) {
		snprintf(error, size, "--%s: needs a value: %s%s", name, entry->argument, entry->sweeps ? ",..." : "");
		return -EINVAL;
	}
	if (option_set(options, entry, value, "--", reason, sizeof(reason))) {
		snprintf(error, size, "--%s: %s", name, reason);
		return -EINVAL;
	}
	return equals || entry->kind == OPTION_FLAG ? 1 : 2;
}

static int operands_check(const struct options *options, char *error, size_t size)
{
	const struct command_entry *command;

	if (options->help || options->version || options->include || options->cflags)
		return 0;
	if (options->command == COMMAND_NONE) {
		snprintf(error, size, "no command; see: twopoint --help");
		return -EINVAL;
	}
	command = &command_table[options->command];
	if (options->operand_count < command->operands_least) {
		snprintf(error, size, "%s: needs %s; see: twopoint %s --help", command->name, command->operands, command->name);
		return -EINVAL;
	}
	if (options->operand_count > command->operands_most) {
		snprintf(error, size, "%s: '%s' is too much; see: twopoint %s --help", command->name,
			 options->operands[command->operands_most], command->name);
		return -EINVAL;
	}
	if (command->words && !command->words[words_find(command->words, options->operands[0])])
		return words_refuse(options->operands[0], command->words, "", error, size);
	return 0;
}

static int argument_parse(struct options *options, char **argv, int at, bool options_ended, char *error, size_t size)
{
	const char *argument = argv[at];

	if (!options_ended && !strncmp(argument, "--", 2))
		return option_parse(options, argument + 2, argv[at + 1], error, size);
	if (!options_ended && argument[0] == '-' && argument[1]) {
		snprintf(error, size, "unknown option %s; options begin with --, see: twopoint --help", argument);
		return -EINVAL;
	}
	if (options->command == COMMAND_NONE)
		return command_parse(options, argument, error, size) ? -EINVAL : 1;
	options->operands[options->operand_count++] = argument;
	return 1;
}

int options_parse(struct options *options, int argc, char **argv, char *error, size_t size)
{
	bool options_ended = false;
	int used = 1, result;

	memset(options, 0, sizeof(*options));
	options->command = COMMAND_NONE;
	options->operands = calloc((size_t)argc + 1, sizeof(*options->operands));
	if (!options->operands) {
		snprintf(error, size, "out of memory");
		return -ENOMEM;
	}
	for (int i = 1; i < argc; i += used) {
		if (!options_ended && !strcmp(argv[i], "--")) {
			options_ended = true;
			used = 1;
			continue;
		}
		used = result = argument_parse(options, argv, i, options_ended, error, size);
		if (result < 0)
			goto fail;
	}
	result = operands_check(options, error, size);
	if (result)
		goto fail;
	options_complete(options);
	return 0;
fail:
	options_free(options);
	return result;
}

void options_free(struct options *options)
{
	free(options->operands);
	options->operands = NULL;
	options->operand_count = 0;
}

static uint64_t half_of_memory(const struct limits *limits)
{
	uint64_t available = limits->memory_available_bytes ? limits->memory_available_bytes : UINT64_MAX;

	return (available < limits->memory_limit_bytes ? available : limits->memory_limit_bytes) / 2;
}

int run_settings_resolve(struct options *options, const struct limits *limits, char *error, size_t size)
{
	struct run_settings *run = &options->run;
	struct timespec now;

	if (!option_is_given(options, "attempts"))
		run->attempts = run->until_ppm ? run->trials * 10 : (run->trials * 3 + 1) / 2;
	if (run->attempts < run->trials) {
		snprintf(error, size, "--attempts: '%llu' is less than --trials; allowed: %llu or more", (unsigned long long)run->attempts,
			 (unsigned long long)run->trials);
		return -EINVAL;
	}
	if (!option_is_given(options, "max-memory"))
		run->max_memory = half_of_memory(limits);
	if (!option_is_given(options, "seed")) {
		clock_gettime(CLOCK_REALTIME, &now);
		/* 53 bits: a reader of JSON may keep its numbers as doubles */
		run->seed = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) & ((1ull << 53) - 1);
	}
	return 0;
}

enum { HELP_COLUMN = 24, HELP_WIDTH = 80 };

static void entry_help(FILE *file, const struct option_entry *entry)
{
	char left[HELP_COLUMN * 2], right[HELP_WIDTH * 2] = "";

	snprintf(left, sizeof(left), "--%s%s %s", entry->name, entry->sweeps ? "*" : "",
		 entry->argument ? entry->argument : "");
	if (entry->standard || entry->otherwise)
		snprintf(right, sizeof(right), " [%s]", option_default(entry));
	fprintf(file, " %-*s%s", HELP_COLUMN - 1, left, entry->help);
	if (HELP_COLUMN + strlen(entry->help) + strlen(right) > HELP_WIDTH)
		fprintf(file, "\n%*s", HELP_COLUMN - 1, "");
	fprintf(file, "%s\n", right);
}

static void program_help(FILE *file)
{
	fprintf(file, "usage: twopoint COMMAND [OPTION...]\n\n"
		      "Measures messages between threads: latency between two points of a message's\n"
		      "way, throughput at each endpoint.\n\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		fprintf(file, "  %-11s%-12s%s\n", command_table[i].name, command_table[i].operands, command_table[i].summary);
	fprintf(file, "\n");
}

static void command_usage(FILE *file, const struct command_entry *command)
{
	fprintf(file, "usage: twopoint %s%s%s [OPTION...]\n%s\n\n", command->name, *command->operands ? " " : "",
		command->operands, command->summary);
}

void options_help(FILE *file, enum command command)
{
	bool sweeps = false;

	if (command == COMMAND_NONE)
		program_help(file);
	else
		command_usage(file, &command_table[command]);
	for (size_t i = 0; i < option_count; i++)
		if (option_belongs(&option_table[i], command)) {
			entry_help(file, &option_table[i]);
			sweeps |= option_table[i].sweeps;
		}
	if (command == COMMAND_NONE)
		fprintf(file, "\nOptions of a command: twopoint COMMAND --help. All else: man twopoint.\n");
	else if (sweeps)
		fprintf(file, "* takes a list (A,B)%s. Defaults stand in brackets.\n",
			command == COMMAND_RUN ? "; lists multiply" : "");
}
