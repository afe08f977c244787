#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct record_writer {
	int fd;
	bool regular;  /* a file that can be synced and cut; else a pipe or a device */
	off_t written; /* bytes of whole lines */
	int failed;    /* 0, or -errno of the first failure, after which nothing is written any more */
	char *path;
};

static int writer_tell(const struct record_writer *writer, const char *doing, int err, char *error)
{
	snprintf(error, RECORD_TEXT, "cannot %s %.300s: %s", doing, writer->path, strerror(-err));
	return err;
}

static int writer_fail(struct record_writer *writer, const char *doing, int err, char *error)
{
	writer->failed = err;
	return writer_tell(writer, doing, err, error);
}

/* A name that is taken is opened only where nothing can be overwritten. */
static int writer_open(const char *path)
{
	struct stat status;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd >= 0 || errno != EEXIST)
		return fd;
	if (stat(path, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)))
		return open(path, O_WRONLY | O_CLOEXEC);
	errno = EEXIST;
	return -1;
}

int record_create(struct record_writer **writer, const char *path, char *error)
{
	struct record_writer *created = calloc(1, sizeof(*created));
	char *copy = strdup(path);
	struct stat status;
	int err = -ENOMEM;

	*writer = NULL;
	if (!created || !copy)
		goto fail;
	*created = (struct record_writer){ .fd = writer_open(path), .path = copy };
	if (created->fd < 0 || fstat(created->fd, &status) < 0) {
		err = -errno;
		if (created->fd >= 0)
			close(created->fd);
		goto fail;
	}
	created->regular = S_ISREG(status.st_mode);
	*writer = created;
	return 0;
fail:
	snprintf(error, RECORD_TEXT, "cannot create %.300s: %s", path, strerror(-err));
	free(created);
	free(copy);
	return err;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

int record_append_text(struct record_writer *writer, const char *line, size_t length, char *error)
{
	char *whole;
	int err;

	if (writer->failed)
		return writer_tell(writer, "write", writer->failed, error);
	if (length > RECORD_LINE_BYTES || memchr(line, '\n', length)) /* refused; the file is as it was */
		return writer_tell(writer, "write a line to", length > RECORD_LINE_BYTES ? -EMSGSIZE : -EINVAL, error);
	/* one write for line and newline: a process that dies leaves whole lines */
	whole = malloc(length + 1);
	if (!whole)
		return writer_tell(writer, "write", -ENOMEM, error);
	memcpy(whole, line, length);
	whole[length] = '\n';
	err = write_all(writer->fd, whole, length + 1);
	free(whole);
	if (err) {
		/* half a line in the middle would make what follows unreadable; at the end the reader bears it */
		if (writer->regular && ftruncate(writer->fd, writer->written) < 0)
			return writer_fail(writer, "write and then cut", err, error);
		return writer_fail(writer, "write", err, error);
	}
	writer->written += (off_t)length + 1;
	return 0;
}

int record_append(struct record_writer *writer, const json_t *line, char *error)
{
	/* 15 digits bring back every decimal number as it was: 148.2, not 148.19999999999999 */
	char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15));
	int err;

	if (!text)
		return writer_tell(writer, "make a line of text for", -EINVAL, error);
	err = record_append_text(writer, text, strlen(text), error);
	free(text);
	return err;
}

int record_sync(struct record_writer *writer, char *error)
{
	if (writer->failed)
		return writer_tell(writer, "write", writer->failed, error);
	if (writer->regular && fdatasync(writer->fd) < 0)
		return writer_fail(writer, "sync", -errno, error);
	return 0;
}

int record_close(struct record_writer *writer, char *error)
{
	int err = record_sync(writer, error);

	if (close(writer->fd) < 0 && !err)
		err = writer_fail(writer, "close", -errno, error);
	free(writer->path);
	free(writer);
	return err;
}
