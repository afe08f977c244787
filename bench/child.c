#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

extern char **environ;

enum { DUMP_NS = 1000000000 }; /* what a hung trial is given to say what it hung at */

/* The signals that interrupt a run are blocked but while the parent waits, so that none comes between the look at *interrupted
 * and the wait. */
static sigset_t block_interrupts(void)
{
	sigset_t interrupts, old;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigaddset(&interrupts, SIGHUP);
	sigaddset(&interrupts, SIGTERM);
	sigprocmask(SIG_BLOCK, &interrupts, &old);
	return old;
}

static int start(const char *command, const char *request, int output, const sigset_t *signals, pid_t *pid)
{
	char *arguments[] = {"twopoint", (char *)(uintptr_t)command, (char *)(uintptr_t)request, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	/* a group of its own: a Ctrl-C at the terminal is for this process alone, which decides what it ends */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, signals);
	status = posix_spawn(pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -status;
}

static bool make_room(struct child_result *result, size_t *room)
{
	char *more;

	if (*room - result->length >= 65536)
		return true;
	more = realloc(result->output, *room = 2 * *room + 131072);
	if (more)
		result->output = more;
	return more != NULL;
}

/* Reads to the end of the pipe, with `signals` let through while it waits. False: the deadline passed while there was nothing to
 * read (what a parent that was stopped finds late still counts), an interrupt came, or memory ran out. */
static bool read_all(int pipe, uint64_t deadline_ns, const sigset_t *signals, const volatile sig_atomic_t *interrupted,
		     struct child_result *result)
{
	size_t room = 0;

	while (!*interrupted) {
		uint64_t now = clock_system_ns(CLOCK_MONOTONIC), left_ns = now < deadline_ns ? deadline_ns - now : 0;
		struct timespec left = {.tv_sec = (time_t)(left_ns / 1000000000u), .tv_nsec = (long)(left_ns % 1000000000u)};
		struct pollfd ready = {.fd = pipe, .events = POLLIN};
		int polled = ppoll(&ready, 1, &left, signals);
		ssize_t got;

		if (polled == 0 && !left_ns)
			return false;
		if (polled <= 0)
			continue;
		if (!make_room(result, &room))
			return false;
		got = read(pipe, result->output + result->length, room - result->length - 1);
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			result->length += (size_t)got;
		result->output[result->length] = 0;
		if (got == 0)
			return true;
	}
	return false;
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

int child_run(const char *command, const char *request, uint64_t limit_ns, const volatile sig_atomic_t *interrupted,
	      struct child_result *result)
{
	uint64_t deadline = clock_system_ns(CLOCK_MONOTONIC) + limit_ns;
	int ends[2], status = 0, error;
	sigset_t signals;
	bool ended;
	pid_t pid;

	*result = (struct child_result){0};
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	signals = block_interrupts();
	error = start(command, request, ends[1], &signals, &pid);
	close(ends[1]);
	ended = !error && read_all(ends[0], deadline, &signals, interrupted, result);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	close(ends[0]);
	if (error)
		return error;
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

bool child_follow_parent(void)
{
	struct pollfd output = {.fd = STDOUT_FILENO};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return poll(&output, 1, 0) <= 0 || !(output.revents & POLLERR);
}
