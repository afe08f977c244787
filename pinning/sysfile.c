/* See sysfile.h. */
#include "sysfile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT = 64 };

FILE *sysfile_open(const char *root, const char *path)
{
	char full[SYSFILE_TEXT];
	int length = snprintf(full, sizeof(full), "%s%s", root, path);

	return length > 0 && (size_t)length < sizeof(full) ? fopen(full, "re") : NULL;
}

bool sysfile_line(const char *root, const char *path, char *text, size_t size)
{
	FILE *file = sysfile_open(root, path);

	if (!file)
		return false;
	text[0] = '\0';
	bool read = fgets(text, (int)size, file) || !ferror(file);
	fclose(file);
	size_t length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return read;
}

bool sysfile_value(const char *root, const char *path, const char *key, char *text, size_t size)
{
	FILE *file = sysfile_open(root, path);
	char line[SYSFILE_TEXT];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *rest = line + strlen(key);
		found = strncmp(line, key, strlen(key)) == 0 && strchr(" :\t", *rest);
		if (found) {
			rest += strspn(rest, " :\t");
			rest[strcspn(rest, "\n")] = '\0';
			snprintf(text, size, "%s", rest);
		}
	}
	if (file)
		fclose(file);
	return found;
}

bool sysfile_number(const char *root, const char *path, uint64_t *number)
{
	char text[NUMBER_TEXT];
	char *end;

	if (!sysfile_line(root, path, text, sizeof(text)) || !isdigit((unsigned char)text[0]))
		return false;
	*number = strtoull(text, &end, 10);
	return *end == '\0';
}

bool sysfile_meminfo_bytes(const char *root, const char *key, uint64_t *bytes)
{
	char text[NUMBER_TEXT];

	if (!sysfile_value(root, "/proc/meminfo", key, text, sizeof(text)) || !isdigit((unsigned char)text[0]))
		return false;
	*bytes = strtoull(text, NULL, 10) * 1024;
	return true;
}
