#include "lines.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES_FIRST_BYTES = 1 << 18 };

/* What comes through a pipe can't be read again, as histograms are: it is put into a file without a name. Returns the
 * descriptor of that, or -errno; the other is closed. */
static int pipe_keep(int fd)
{
	FILE *kept = tmpfile();
	char buffer[1 << 16];
	ssize_t n = -1;
	int file = kept ? fcntl(fileno(kept), F_DUPFD_CLOEXEC, 0) : -1, err;

	while (file >= 0 && ((n = read(fd, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0 && write(file, buffer, (size_t)n) != n) {
			n = -1;
			break;
		}
	err = n < 0 ? -errno : 0;
	if (!err && lseek(file, 0, SEEK_SET))
		err = -errno;
	if (kept)
		fclose(kept);
	if (err && file >= 0)
		close(file);
	close(fd);
	return err ? err : file;
}

int lines_open(struct lines *lines, const char *path)
{
	struct stat about;

	*lines = (struct lines){ .fd = open(path, O_RDONLY | O_CLOEXEC), .size = LINES_FIRST_BYTES };
	if (lines->fd < 0)
		return -errno;
	if (!fstat(lines->fd, &about) && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)))
		lines->fd = pipe_keep(lines->fd);
	if (lines->fd < 0)
		return lines->fd;
	lines->buffer = malloc(lines->size);
	if (!lines->buffer) {
		lines_close(lines, false);
		return -ENOMEM;
	}
	return 0;
}

/* Moves what is left to the buffer's beginning and reads more behind it; one byte stays free for the NUL. */
static int lines_fill(struct lines *lines)
{
	size_t left = lines->filled - lines->next;

	memmove(lines->buffer, lines->buffer + lines->next, left);
	lines->next = 0;
	lines->filled = left;
	if (left > RECORD_LINE_BYTES)
		return -EMSGSIZE;
	if (left + 1 >= lines->size) {
		char *larger = realloc(lines->buffer, lines->size * 2);

		if (!larger)
			return -ENOMEM;
		lines->buffer = larger;
		lines->size *= 2;
	}
	for (;;) {
		ssize_t n = read(lines->fd, lines->buffer + left, lines->size - 1 - left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		lines->at_end = n == 0;
		lines->filled += (size_t)n;
		return 0;
	}
}

int lines_next(struct lines *lines)
{
	size_t searched = 0; /* bytes behind next that are known to hold no newline */
	char *newline;

	lines->offset += lines->number ? lines->length + lines->terminated : 0;
	for (;;) {
		char *start = lines->buffer + lines->next;
		size_t left = lines->filled - lines->next;
		int err;

		newline = memchr(start + searched, '\n', left - searched);
		if (newline || lines->at_end)
			break;
		searched = left;
		err = lines_fill(lines);
		if (err) {
			lines->number++;
			return err;
		}
	}
	lines->text = lines->buffer + lines->next;
	lines->terminated = newline != NULL;
	lines->length = newline ? (size_t)(newline - lines->text) : lines->filled - lines->next;
	if (!newline && lines->length == 0)
		return 0;
	lines->number++;
	if (lines->length > RECORD_LINE_BYTES)
		return -EMSGSIZE;
	lines->text[lines->length] = '\0';
	lines->next += lines->length + lines->terminated;
	return 1;
}

void lines_close(struct lines *lines, bool keep_fd)
{
	free(lines->buffer);
	lines->buffer = NULL;
	if (lines->fd >= 0 && !keep_fd)
		close(lines->fd);
	lines->fd = -1;
}
