#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

extern char **environ;

enum { DUMP_NS = 1000000000 }; /* what a hung trial is given to say what it hung at */

static int start(const char *request, int output, pid_t *pid)
{
	char *arguments[] = {"twopoint", "trial", (char *)(uintptr_t)request, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	/* a group of its own: a Ctrl-C at the terminal is for this process alone, which decides what it ends */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	status = posix_spawn(pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -status;
}

/* Reads to the end of the pipe. False: the deadline passed, or an interrupt came. */
static bool read_all(int pipe, uint64_t deadline_ns, const volatile sig_atomic_t *interrupted, struct child_result *result)
{
	size_t room = 0;

	for (;;) {
		uint64_t now = clock_system_ns(CLOCK_MONOTONIC);
		struct timespec left = {0};
		struct pollfd ready = {.fd = pipe, .events = POLLIN};
		ssize_t got;

		if (*interrupted || now >= deadline_ns)
			return false;
		left.tv_sec = (time_t)((deadline_ns - now) / 1000000000u);
		left.tv_nsec = (long)((deadline_ns - now) % 1000000000u);
		if (ppoll(&ready, 1, &left, NULL) <= 0)
			continue;
		if (room - result->length < 65536) {
			char *more = realloc(result->output, room = 2 * room + 131072);

			if (!more)
				return false;
			result->output = more;
		}
		got = read(pipe, result->output + result->length, room - result->length - 1);
		if (got == 0)
			break;
		if (got > 0)
			result->length += (size_t)got;
		else if (errno != EINTR)
			return false;
	}
	result->output[result->length] = 0;
	return true;
}

static bool ended_within(pid_t pid, uint64_t limit_ns, int *status)
{
	uint64_t deadline = clock_system_ns(CLOCK_MONOTONIC) + limit_ns;
	const struct timespec step = {.tv_nsec = 500000};

	do {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		nanosleep(&step, NULL);
	} while (clock_system_ns(CLOCK_MONOTONIC) < deadline);
	return false;
}

int child_run(const char *request, uint64_t limit_ns, const volatile sig_atomic_t *interrupted, struct child_result *result)
{
	uint64_t deadline = clock_system_ns(CLOCK_MONOTONIC) + limit_ns;
	int ends[2], status = 0, error;
	bool ended;
	pid_t pid;

	*result = (struct child_result){0};
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	error = start(request, ends[1], &pid);
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return error;
	}
	ended = read_all(ends[0], deadline, interrupted, result);
	close(ends[0]);
	if (ended) {
		/* its output is complete; it may still hang on its way out */
		ended = ended_within(pid, DUMP_NS, &status);
	} else if (!*interrupted) {
		kill(pid, SIGTERM);
		if (ended_within(pid, DUMP_NS, &status))
			pid = 0;
	}
	if (!ended) {
		if (pid) {
			kill(pid, SIGKILL);
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
		}
		result->end = *interrupted ? CHILD_INTERRUPTED : CHILD_HUNG;
		return 0;
	}
	result->end = WIFSIGNALED(status) ? CHILD_CRASHED : CHILD_FINISHED;
	result->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}
