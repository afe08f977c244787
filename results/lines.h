/* A file line by line, in bounded memory, with the place of each line. */
#ifndef RESULTS_LINES_H
#define RESULTS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines {
	int fd;
	char *buffer;
	size_t size, filled; /* bytes of buffer: allocated, read into */
	size_t next;         /* where the following line begins in buffer */
	bool at_end;         /* nothing more comes from fd */

	/* the line that lines_next() found: text borrowed until the next call, without its newline, ended by a NUL */
	char *text;
	size_t length;
	bool terminated; /* by a newline; false only for a last line that was cut off */
	uint64_t offset; /* of text in the file */
	size_t number;   /* from 1 */
};

/* Returns 0 or -errno. */
int lines_open(struct lines *lines, const char *path);
/* Finds the next line. Returns 1, 0 at the end, -EMSGSIZE for one longer than RECORD_LINE_BYTES, or -errno. */
int lines_next(struct lines *lines);
/* Gives up the buffer, and closes the file unless keep_fd. */
void lines_close(struct lines *lines, bool keep_fd);

#endif
