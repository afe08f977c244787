/* What fuzzing found, and what it began with: all in fuzz/corpus, given to what it is for. That it ends is the test: a crash, a hang, a
 * number that is none, and under sanitizers a fault of memory end the program otherwise. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/fuzz.h"

enum { BYTES_MAX = 1 << 20 };

static void file_try(const char *path, fuzz_target *target)
{
	FILE *file = fopen(path, "re");
	uint8_t *bytes = malloc(BYTES_MAX);
	size_t size;

	if (!file || !bytes)
		fail_msg("can't read %s", path);
	size = fread(bytes, 1, BYTES_MAX, file);
	fclose(file);
	target(bytes, size);
	free(bytes);
}

static void folder_try(const char *name, fuzz_target *target)
{
	char path[512];
	DIR *folder;
	const struct dirent *entry;
	unsigned files = 0;

	snprintf(path, sizeof(path), "bench/tests/fuzz/corpus/%s", name);
	folder = opendir(path);
	if (!folder)
		fail_msg("no folder %s", path);
	while ((entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "bench/tests/fuzz/corpus/%s/%s", name, entry->d_name);
		file_try(path, target);
		files++;
	}
	closedir(folder);
	if (!files)
		fail_msg("nothing is kept for %s", name);
}

static void any_record_is_told_of_or_refused(void **state)
{
	(void)state;
	folder_try("record", fuzz_record);
}

/* The same records with values, and lines, of theirs changed: a fixed few. */
static void any_change_of_a_record_is_told_of_or_refused(void **state)
{
	enum { CHANGES = 200 };
	FILE *file = fopen("results/tests/example.jsonl", "re");
	uint8_t *whole = malloc(BYTES_MAX), *bytes = malloc(BYTES_MAX);
	size_t size;

	(void)state;
	if (!file || !whole || !bytes)
		fail_msg("can't read the example");
	size = fread(whole, 1, BYTES_MAX, file);
	fclose(file);
	for (unsigned seed = 1; seed <= CHANGES; seed++) {
		memcpy(bytes, whole, size);
		fuzz_record(bytes, fuzz_record_change(bytes, size, BYTES_MAX, seed));
	}
	free(whole);
	free(bytes);
}

static void any_suite_is_read_or_refused(void **state)
{
	(void)state;
	folder_try("suite", fuzz_suite);
}

static void any_command_line_is_read_or_refused(void **state)
{
	(void)state;
	folder_try("options", fuzz_options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_record_is_told_of_or_refused),
		cmocka_unit_test(any_change_of_a_record_is_told_of_or_refused),
		cmocka_unit_test(any_suite_is_read_or_refused),
		cmocka_unit_test(any_command_line_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
