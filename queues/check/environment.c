#include "environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t environment_number(const char *name, uint64_t least)
{
	const char *given = getenv(name);
	unsigned long long number;
	char *end;

	if (!given)
		return 1;
	errno = 0;
	number = strtoull(given, &end, 10);
	if (*given >= '0' && *given <= '9' && !*end && !errno && number >= least)
		return number;
	fprintf(stderr, "%s: '%s' is not a number; allowed: %llu to %llu\n", name, given, (unsigned long long)least, ~0ull);
	exit(2);
}
