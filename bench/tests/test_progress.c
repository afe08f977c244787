#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "progress.h"

enum { TEXT = 400 };

/* What a step tells on stderr, no terminal, when it is time for a line. */
static void step_told(struct progress *progress, char text[TEXT])
{
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);
	size_t length;

	assert_true(file && kept >= 0);
	fflush(stderr);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	progress->told_ns = 0;
	progress_step(progress, "ring");
	fflush(stderr);
	assert_true(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	rewind(file);
	length = fread(text, 1, TEXT - 1, file);
	text[length] = '\0';
	fclose(file);
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static void steps_are_counted_against_those_planned(void **state)
{
	struct progress progress;
	char text[TEXT];

	(void)state;
	progress_begin(&progress, false, 2, "trials");
	progress.terminal = false;
	step_told(&progress, text);
	assert_says(text, "1 of 2 trials, ");
	assert_says(text, " s left\n");
	assert_null(strstr(text, "at least"));
}

static void steps_beyond_the_plan_are_counted_with_their_reason(void **state)
{
	struct progress progress;
	char text[TEXT];

	(void)state;
	progress_begin(&progress, false, 1, "trials");
	progress.terminal = false;
	step_told(&progress, text);
	progress_extend(&progress, 3, "repeating some");
	step_told(&progress, text);
	assert_says(text, "2 of 4 trials, at least ");
	assert_says(text, " left, repeating some\n");
	progress_extend(&progress, 1, "repeating some");
	step_told(&progress, text);
	assert_says(text, "3 of 3 trials, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_counted_against_those_planned),
		cmocka_unit_test(steps_beyond_the_plan_are_counted_with_their_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
