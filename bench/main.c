/* twopoint: measures queues between threads. This file parses, dispatches, and is the only one with a main(). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "aa_command.h"
#include "build_facts.h"
#include "check_command.h"
#include "compare_command.h"
#include "completion_command.h"
#include "doctor.h"
#include "export_command.h"
#include "history_command.h"
#include "installation.h"
#include "list_command.h"
#include "loaded.h"
#include "options.h"
#include "plot.h"
#include "report_command.h"
#include "plugin_load.h"
#include "replay_command.h"
#include "run.h"
#include "schema.h"
#include "table.h"
#include "topo.h"
#include "trial.h"

enum { STACK_LEAST = 1 << 20, STACK_USUAL = 8 << 20 };

static int show_file(const char *path)
{
	struct loaded loaded;
	struct winsize size;

	if (!loaded_open(&loaded, path))
		return 3;
	table_print(stdout, &loaded.record, &loaded.summary, ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col);
	loaded_free(&loaded);
	return 0;
}

static int validate_file(const char *path)
{
	char error[SCHEMA_TEXT];
	int status = schema_check_file(path, error);

	if (status) {
		fprintf(stderr, "twopoint: %s\n", error);
		return status == -EINVAL ? 1 : 3;
	}
	printf("%s: valid\n", path);
	return 0;
}

static int print_include(void)
{
	char path[INSTALLATION_PATH], error[INSTALLATION_PATH];

	if (installation_include(path, error)) {
		fprintf(stderr, "twopoint: %s\n", error);
		return 3;
	}
	printf("%s\n", path);
	return 0;
}

static int for_each_file(const struct options *options, int (*act)(const char *path))
{
	int worst = 0;

	for (size_t i = 0; i < options->operand_count; i++) {
		int status = act(options->operands[i]);

		worst = status > worst ? status : worst;
	}
	return worst;
}

static int dispatch(const struct options *options, int argc, char **argv)
{
	switch (options->command) {
	case COMMAND_RUN:
		return run_main(options, argc, argv, NULL);
	case COMMAND_AA:
		return aa_main(options, argc, argv);
	case COMMAND_CHECK:
		return check_main(options);
	case COMMAND_LIST:
		return list_main(options);
	case COMMAND_TOPO:
		return topo_main(options);
	case COMMAND_DOCTOR:
		return doctor_main(options);
	case COMMAND_SHOW:
		return for_each_file(options, show_file);
	case COMMAND_COMPARE:
		return compare_main(options);
	case COMMAND_PLOT:
		return plot_main(options);
	case COMMAND_REPORT:
		return report_main(options);
	case COMMAND_EXPORT:
		return export_main(options);
	case COMMAND_HISTORY:
		return history_main(options);
	case COMMAND_REPLAY:
		return replay_main(options);
	case COMMAND_VALIDATE:
		return for_each_file(options, validate_file);
	case COMMAND_COMPLETION:
		return completion_main();
	default:
		options_help(stderr, COMMAND_NONE);
		return 2;
	}
}

/* Were one of the first three descriptors closed, the next file to be opened would get its number, and what is printed would
 * land in that file. Opened the wrong way round, a write to it fails as it should. */
static bool open_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

/* A trial keeps some 400 KB on its stack. Where less is allowed, as much as may be had is taken, by what is started as well. */
static bool take_stack(void)
{
	struct rlimit limit;
	pthread_attr_t threads;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_LEAST)
		return true;
	if (limit.rlim_max < STACK_LEAST) {
		fprintf(stderr, "twopoint: the stack may have %llu KiB only, and needs %u: ulimit -s\n",
			(unsigned long long)limit.rlim_max / 1024, STACK_LEAST / 1024);
		return false;
	}
	limit.rlim_cur = limit.rlim_max < STACK_USUAL ? limit.rlim_max : STACK_USUAL;
	/* what threads get by default was settled by the old limit */
	if (setrlimit(RLIMIT_STACK, &limit) || pthread_attr_init(&threads) || pthread_attr_setstacksize(&threads, limit.rlim_cur) ||
	    pthread_setattr_default_np(&threads)) {
		fprintf(stderr, "twopoint: the stack can't be made larger\n");
		return false;
	}
	pthread_attr_destroy(&threads);
	return true;
}

int main(int argc, char **argv)
{
	struct options options;
	char error[OPTIONS_TEXT];
	int status;

	if (!open_standard_streams() || !take_stack())
		return 3;
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow further is an error to be told of */
	if (argc == 3 && !strcmp(argv[1], "trial"))
		return trial_main(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "check-queue"))
		return check_queue_main(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "probe"))
		return plugin_probe_main(argv[2]);
	if (options_parse(&options, argc, argv, error, sizeof(error))) {
		fprintf(stderr, "twopoint: %s\n", error);
		return 2;
	}
	if (options.help) {
		options_help(stdout, options.command);
		status = 0;
	} else if (options.version) {
		printf("twopoint %s (%s), %s\n", build_version, build_commit, build_compiler);
		status = 0;
	} else if (options.include) {
		status = print_include();
	} else if (options.cflags) {
		printf("%s\n", build_loop_flags);
		status = 0;
	} else {
		status = dispatch(&options, argc, argv);
	}
	options_free(&options);
	if ((fflush(stdout) || ferror(stdout)) && status != 3) { /* else it was told of */
		fprintf(stderr, "twopoint: writing to stdout failed: %s\n", strerror(errno));
		status = status ? status : 3; /* a verdict stays one */
	}
	return status;
}
