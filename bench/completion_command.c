/* The facts are printed from the tables; what is done with them stands in completion.bash, behind them. */
#include "completion_command.h"

#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "history_command.h"
#include "options.h"
#include "peers.h"
#include "placement.h"
#include "suite.h"

extern const char completion_text[];

static void print_words(const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		printf(" %s", words[i]);
}

static void print_queues(void)
{
	const struct queue *queues[QUEUES_MAX];

	peers_add(queues, plugins_all(NULL, queues), QUEUES_MAX);
	for (size_t i = 0; queues[i]; i++)
		printf(" %s", queues[i]->name);
}

static void print_figures(void)
{
	size_t count;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++)
		printf(" %s", figures[i].name);
}

static void print_suites(void)
{
	for (const struct suite_text *suite = suite_texts; suite->name; suite++)
		printf(" %s", suite->name);
}

static void print_pairs(void)
{
	for (size_t from = 0; point_names[from]; from++)
		for (size_t to = from + 1; point_names[to]; to++)
			printf(" %s:%s", point_names[from], point_names[to]);
}

/* The names that a list of names is of. */
static void print_names(const char *option)
{
	if (!strcmp(option, "queue")) {
		print_queues();
		printf(" %s", peers_word);
	} else if (!strcmp(option, "place")) {
		printf(" nearest %s", CELL_UNPINNED);
		print_words(placement_relations);
	} else {
		print_figures();
	}
}

static void print_text(const struct option_entry *entry)
{
	if (!strcmp(entry->argument, "QUEUE")) {
		printf("one");
		print_queues();
	} else {
		printf(!strcmp(entry->argument, "FOLDER") ? "folder" : "file");
	}
}

/* What an option takes: "one" of words, a "list" of them, a "file", a "folder", or "any" of which nothing is known. */
static void print_values(const struct option_entry *entry)
{
	switch (entry->kind) {
	case OPTION_TEXT:
		print_text(entry);
		break;
	case OPTION_FILES:
		printf("file");
		break;
	case OPTION_PAIRS:
		printf("list");
		print_pairs();
		break;
	case OPTION_NAMES:
		printf("list");
		print_names(entry->name);
		break;
	default:
		if (!entry->words)
			printf("any");
		else
			printf(entry->kind == OPTION_VALUES ? "list" : "one");
		if (entry->words)
			print_words(entry->words);
	}
}

/* COMMAND_NONE: twopoint itself, whose word is empty. */
static const char *command_word(unsigned command)
{
	return command < COMMANDS ? command_table[command].name : "";
}

static void print_options(unsigned command)
{
	printf("\t'%s') echo '", command_word(command));
	for (size_t i = 0, before = 0; i < option_count; i++)
		if (option_belongs(&option_table[i], command))
			printf("%s--%s", before++ ? " " : "", option_table[i].name);
	printf("' ;;\n");
}

static void print_values_of(unsigned command)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_belongs(&option_table[i], command) && option_table[i].kind != OPTION_FLAG) {
			printf("\t'%s --%s') echo '", command_word(command), option_table[i].name);
			print_values(&option_table[i]);
			printf("' ;;\n");
		}
}

static void print_operands(const struct command_entry *command)
{
	printf("\t'%s') echo '", command->name);
	if (command->words) {
		printf("one");
		print_words(command->words);
	} else if (strstr(command->operands, "SUITE")) {
		printf("file");
		print_suites();
	} else if (strstr(command->operands, "ACTION")) {
		printf("file");
		print_words(history_actions);
	} else if (*command->operands) {
		printf("file");
	} else {
		printf("any");
	}
	printf("' ;;\n");
}

int completion_main(void)
{
	printf("# What bash completes twopoint's command line by. Made by: twopoint completion bash\n\n"
	       "_twopoint_commands='");
	for (unsigned c = 0; c < COMMANDS; c++)
		printf("%s%s", c ? " " : "", command_table[c].name);
	printf("'\n\n_twopoint_options() { case $1 in\n");
	for (unsigned c = 0; c <= COMMAND_NONE; c++)
		print_options(c);
	printf("esac; }\n\n_twopoint_values() { case \"$1 $2\" in\n");
	for (unsigned c = 0; c <= COMMAND_NONE; c++)
		print_values_of(c);
	printf("esac; }\n\n_twopoint_operands() { case $1 in\n");
	for (unsigned c = 0; c < COMMANDS; c++)
		print_operands(&command_table[c]);
	printf("esac; }\n\n%s", completion_text);
	return 0;
}
