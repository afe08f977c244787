/* Reading the short texts of /proc and /sys, for this folder's own use. root: "" for this machine, or a folder that
 * holds proc/ and sys/. False: the file, or what was looked for in it, is not there. */
#ifndef PINNING_SYSFILE_H
#define PINNING_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SYSFILE_TEXT = 4096 };

/* NULL: can't be read. */
FILE *sysfile_open(const char *root, const char *path);

/* The first line, without blanks at its end. */
bool sysfile_line(const char *root, const char *path, char *text, size_t size);

/* The rest of the first line that begins with key, without the blanks and colons between the two. */
bool sysfile_value(const char *root, const char *path, const char *key, char *text, size_t size);

/* A file that is one number without a sign. */
bool sysfile_number(const char *root, const char *path, uint64_t *number);

/* A field of /proc/meminfo. */
bool sysfile_meminfo_bytes(const char *root, const char *key, uint64_t *bytes);

#endif
