#include "gnuplot.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* All that comes until the other end closes; what does not fit is read and left out, so that gnuplot never blocks. */
static void words_read(int fd, char *words, size_t size)
{
	char rest[512];
	size_t used = 0;
	ssize_t got;

	do {
		size_t room = size - 1 - used;

		got = room ? read(fd, words + used, room) : read(fd, rest, sizeof(rest));
		if (got > 0 && room)
			used += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	while (used && (words[used - 1] == '\n' || words[used - 1] == ' '))
		used--;
	words[used] = '\0';
}

static int gnuplot_spawn(pid_t *child, const char *folder, const char *script, int words_fd)
{
	/* -d: neither the user's nor the site's start-up file, which could change anything. */
	char *const arguments[] = { "gnuplot", "-d", (char *)script, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, broken_pipe;
	int error;

	sigemptyset(&none);
	sigemptyset(&broken_pipe);
	sigaddset(&broken_pipe, SIGPIPE);
	error = posix_spawn_file_actions_init(&actions);
	if (error)
		return -error;
	error = posix_spawnattr_init(&attributes);
	if (error)
		goto actions_destroy;
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, words_fd, STDERR_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addchdir_np(&actions, folder);
	if (!error)
		error = posix_spawnattr_setsigmask(&attributes, &none);
	if (!error)
		error = posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
	if (!error)
		error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!error)
		error = posix_spawnp(child, "gnuplot", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
actions_destroy:
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

int gnuplot_run(const char *folder, const char *script, char *words, size_t size)
{
	int fd[2], status, error;
	pid_t child;

	words[0] = '\0';
	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	fflush(stdout); /* what was printed before the figure stays before it */
	error = gnuplot_spawn(&child, folder, script, fd[1]);
	close(fd[1]);
	if (!error)
		words_read(fd[0], words, size);
	close(fd[0]);
	if (error)
		return error;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}
