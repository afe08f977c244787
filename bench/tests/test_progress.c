#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "progress.h"

enum { TEXT = 1000 };

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
	progress.cells = 1;
	step_told(&progress, text);
	progress_extend(&progress, 3, "repeating some");
	step_told(&progress, text);
	assert_says(text, "2 of 4 trials, at least "); /* and nothing of cells, of which fewer have all trials now */
	assert_says(text, " left, repeating some\n");
	progress_extend(&progress, 1, "repeating some");
	step_told(&progress, text);
	assert_says(text, "3 of 3 trials, ");
}

/* A terminal of so many columns in place of stderr; what was there before is put back by terminal_end(). */
struct terminal {
	int master, kept;
};

static struct terminal terminal_begin(unsigned short columns)
{
	struct terminal terminal = {.master = posix_openpt(O_RDWR | O_NOCTTY), .kept = dup(STDERR_FILENO)};
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int slave;

	assert_true(terminal.master >= 0 && !grantpt(terminal.master) && !unlockpt(terminal.master));
	slave = open(ptsname(terminal.master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	fflush(stderr);
	assert_true(dup2(slave, STDERR_FILENO) >= 0);
	close(slave);
	return terminal;
}

static void terminal_end(struct terminal *terminal, char text[TEXT])
{
	size_t used = 0;
	ssize_t got;

	fflush(stderr);
	assert_true(dup2(terminal->kept, STDERR_FILENO) >= 0);
	close(terminal->kept);
	/* nobody has the other end any more: what was written is there, then an error */
	while (used < TEXT - 1 && (got = read(terminal->master, text + used, TEXT - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	close(terminal->master);
}

/* What two steps of a run of 20 look like there; the longest that stands between two beginnings of a line in *longest. */
static void draw_two(unsigned short columns, const char *headline, bool quiet, char text[TEXT], size_t *longest)
{
	struct terminal terminal = terminal_begin(columns);
	struct progress progress;

	progress_begin(&progress, quiet, 20, "trials");
	progress.cells = 4;
	progress_step(&progress, "first");
	progress.cells_done = 1;
	progress_step(&progress, headline);
	terminal_end(&terminal, text);
	*longest = 0;
	for (const char *line = text; (line = strstr(line, "\r\033[K"));) {
		size_t length = strcspn(line += 4, "\r");

		*longest = length > *longest ? length : *longest;
	}
}

static void a_terminal_has_a_bar_what_is_done_what_is_left_and_the_last_headline(void **state)
{
	char text[TEXT];
	size_t longest;

	(void)state;
	setenv("TERM", "xterm", 1);
	draw_two(200, "ring stream 64 B, batch 1: 12 M/s read", false, text, &longest);
	assert_says(text, "\r\033[K[........................] 0/20 trials, none yet"); /* before there is anything to go by */
	assert_says(text, "[#.......................] 1/20 trials, 0/4 cells, ");
	assert_says(text, "[##......................] 2/20 trials, 1/4 cells, ");
	assert_says(text, " s left  ring stream 64 B, batch 1: 12 M/s read");
	assert_null(strchr(text, '\n'));
}

static void a_line_is_never_wider_than_its_terminal(void **state)
{
	static const unsigned short columns[] = {200, 80, 40, 20};
	char text[TEXT];
	size_t longest;

	(void)state;
	setenv("TERM", "xterm", 1);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		draw_two(columns[i], "a queue with a very long name, of very many very large messages, in very large batches: 1 M/s read", false, text,
			 &longest);
		assert_in_range(longest, columns[i] / 2, columns[i] - 1);
		assert_says(text, "] 2/20");
	}
}

static void a_terminal_is_left_alone_where_it_can_t_or_shall_not_be_drawn_on(void **state)
{
	char text[TEXT];
	size_t longest;

	(void)state;
	setenv("TERM", "xterm", 1);
	draw_two(80, "ring", true, text, &longest);
	assert_string_equal(text, "");
	setenv("TERM", "dumb", 1);
	draw_two(80, "ring", false, text, &longest);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_counted_against_those_planned),
		cmocka_unit_test(steps_beyond_the_plan_are_counted_with_their_reason),
		cmocka_unit_test(a_terminal_has_a_bar_what_is_done_what_is_left_and_the_last_headline),
		cmocka_unit_test(a_line_is_never_wider_than_its_terminal),
		cmocka_unit_test(a_terminal_is_left_alone_where_it_can_t_or_shall_not_be_drawn_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
