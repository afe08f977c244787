/* Suites: INI files that hold experiments. [defaults] first, then a section for each experiment; keys are the options of `run`
 * without their dashes. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include "options.h"

enum { SUITE_NAME = 64 };

/* The suites that are compiled in, ended by {NULL, NULL}: generated from bench/suites/. */
struct suite_text {
	const char *name, *text;
};
extern const struct suite_text suite_texts[];

struct experiment {
	char name[SUITE_NAME];  /* its section; "" of one made of options alone */
	struct options options; /* [defaults], its section, the command line, each over the one before; completed */
};

/* All that a run is asked to do. */
struct suites {
	char name[SUITE_NAME];  /* "default", "smoke+mine"; "custom" where options alone say what to do */
	struct options options; /* what holds for the whole run: of [defaults], under the command line, completed */
	struct experiment *experiments;
	size_t count;
};

/* Reads the suites that are the command line's operands, by path (with a slash, or ending in .ini) or by name (in
 * bench/suites/, else compiled in); without operands, the options themselves are the one experiment.
 * Returns 0; −EINVAL with file, line and reason in error; or −errno of a file that can't be read, with its path. */
int suites_load(struct suites *suites, const struct options *command_line, char *error, size_t size);
void suites_free(struct suites *suites);

#endif
