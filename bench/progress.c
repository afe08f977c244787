#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"

enum { BAR = 24, LINE = 512, COLUMNS_USUAL = 80, COLUMNS_LEAST = 20, PLAIN_EVERY_S = 10 };

/* A line that grows up to its room. */
struct line_text {
	char text[LINE];
	size_t used;
};

__attribute__((format(printf, 2, 3)))
static void append(struct line_text *line, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line->text + line->used, sizeof(line->text) - line->used, format, arguments);
	va_end(arguments);
	if (length > 0)
		line->used += (size_t)length < sizeof(line->text) - line->used ? (size_t)length : sizeof(line->text) - line->used - 1;
}

void progress_clear(const struct progress *progress)
{
	if (progress->terminal && !progress->quiet)
		fputs("\r\033[K", stderr);
}

static void append_left(struct line_text *line, const struct progress *progress, uint64_t now)
{
	double left_s;

	if (progress->uneven) {
		append(line, "%.0f s so far", (double)(now - progress->began_ns) / 1e9);
		return;
	}
	left_s = (double)(now - progress->began_ns) / 1e9 / (double)progress->done * (double)(progress->planned - progress->done);
	append(line, "%s%.0f %s left", progress->why_more ? "at least " : "", left_s >= 90 ? left_s / 60 : left_s, left_s >= 90 ? "min" : "s");
	if (progress->why_more)
		append(line, ", %s", progress->why_more);
}

/* What both forms tell: "3 of 20 trials, 1 of 2 cells, 17 s left". */
static void append_state(struct line_text *line, const struct progress *progress, uint64_t now, const char *of)
{
	append(line, "%llu%s%llu %s, ", (unsigned long long)progress->done, of, (unsigned long long)progress->planned, progress->steps);
	if (progress->cells && !progress->why_more) /* those that had all trials by then have not where some are repeated: it would run backwards */
		append(line, "%llu%s%llu cells, ", (unsigned long long)progress->cells_done, of, (unsigned long long)progress->cells);
	if (progress->done)
		append_left(line, progress, now);
	else
		append(line, "none yet");
}

static int columns_of_terminal(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS_USUAL;
	return size.ws_col > COLUMNS_LEAST ? size.ws_col : COLUMNS_LEAST;
}

/* In one line of the terminal, whatever its width is by now: one that is wrapped could not be cleared. */
static void draw(const struct progress *progress, uint64_t now, const char *headline)
{
	int columns = columns_of_terminal(), bar = columns / 8 < BAR ? columns / 8 : BAR;
	int full = progress->planned ? (int)(progress->done * (uint64_t)bar / progress->planned) : 0;
	struct line_text line = {.used = 0};

	append(&line, "[%.*s%.*s] ", full, "########################", bar - full, "........................");
	append_state(&line, progress, now, "/");
	append(&line, "  %s", headline);
	fprintf(stderr, "\r\033[K%.*s", columns - 1, line.text);
	fflush(stderr);
}

static void print_plain(const struct progress *progress, uint64_t now)
{
	struct line_text line = {.used = 0};

	append_state(&line, progress, now, " of ");
	fprintf(stderr, "%s\n", line.text);
}

void progress_begin(struct progress *progress, bool quiet, uint64_t planned, const char *steps)
{
	const char *terminal = getenv("TERM");

	*progress = (struct progress){.quiet = quiet, .planned = planned, .steps = steps,
				       .began_ns = clock_system_ns(CLOCK_MONOTONIC)};
	progress->terminal = isatty(STDERR_FILENO) && (!terminal || strcmp(terminal, "dumb"));
	progress->told_ns = progress->began_ns;
	if (progress->terminal && !quiet)
		draw(progress, progress->began_ns, "");
}

void progress_extend(struct progress *progress, uint64_t more, const char *why)
{
	progress->planned = progress->done + more;
	progress->why_more = why;
}

void progress_step(struct progress *progress, const char *headline)
{
	uint64_t now = clock_system_ns(CLOCK_MONOTONIC);

	progress->done++;
	if (progress->planned < progress->done)
		progress->planned = progress->done;
	if (progress->quiet)
		return;
	if (progress->terminal) {
		draw(progress, now, headline);
	} else if (now - progress->told_ns >= PLAIN_EVERY_S * UINT64_C(1000000000)) {
		progress->told_ns = now;
		print_plain(progress, now);
	}
}
