#include "loaded.h"

#include <stdio.h>

int loaded_read(struct loaded *loaded, const char *path, char *error)
{
	int err = record_read(&loaded->record, path, error);

	if (err)
		return err;
	err = summary_make(&loaded->summary, &loaded->record);
	if (err) {
		snprintf(error, RECORD_TEXT, "%.300s: no memory to sum it up", path);
		record_free(&loaded->record);
	}
	return err;
}

bool loaded_open(struct loaded *loaded, const char *path)
{
	char error[RECORD_TEXT];

	if (!loaded_read(loaded, path, error))
		return true;
	fprintf(stderr, "twopoint: %s\n", error);
	return false;
}

void loaded_free(struct loaded *loaded)
{
	summary_free(&loaded->summary);
	record_free(&loaded->record);
}
