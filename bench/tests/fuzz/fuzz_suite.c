#include "fuzz.h"

#include <stdlib.h>
#include <unistd.h>

#include "suite.h"

void fuzz_suite(const uint8_t *bytes, size_t size)
{
	char path[FUZZ_PATH], error[OPTIONS_TEXT];
	int fd = fuzz_file_make(path, bytes, size);
	const char *operands[] = {path};
	const struct options command_line = {.command = COMMAND_RUN, .operands = operands, .operand_count = 1};
	struct suites suites;

	if (!suites_load(&suites, &command_line, error, sizeof(error))) {
		if (!suites.count)
			abort();
		suites_free(&suites);
	}
	close(fd);
}
