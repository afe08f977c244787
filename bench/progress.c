#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

enum { BAR = 24, PLAIN_EVERY_S = 10 };

void progress_begin(struct progress *progress, bool quiet, uint64_t planned, const char *steps)
{
	const char *terminal = getenv("TERM");

	*progress = (struct progress){.quiet = quiet, .planned = planned, .steps = steps,
				       .began_ns = clock_system_ns(CLOCK_MONOTONIC)};
	progress->terminal = isatty(STDERR_FILENO) && (!terminal || strcmp(terminal, "dumb"));
	progress->told_ns = progress->began_ns;
}

void progress_clear(const struct progress *progress)
{
	if (progress->terminal && !progress->quiet)
		fputs("\r\033[K", stderr);
}

static void print_left(const struct progress *progress, uint64_t now)
{
	double left_s;

	if (progress->uneven) {
		fprintf(stderr, "%.0f s so far", (double)(now - progress->began_ns) / 1e9);
		return;
	}
	left_s = (double)(now - progress->began_ns) / 1e9 / (double)progress->done * (double)(progress->planned - progress->done);

	fputs(progress->why_more ? "at least " : "", stderr);
	if (left_s >= 90)
		fprintf(stderr, "%.0f min left", left_s / 60);
	else
		fprintf(stderr, "%.0f s left", left_s);
	if (progress->why_more)
		fprintf(stderr, ", %s", progress->why_more);
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
		int full = (int)(progress->done * BAR / progress->planned);

		fprintf(stderr, "\r\033[K[%.*s%.*s] %llu/%llu ", full, "########################", BAR - full,
			"........................", (unsigned long long)progress->done, (unsigned long long)progress->planned);
		print_left(progress, now);
		fprintf(stderr, "  %.50s", headline);
		fflush(stderr);
	} else if (now - progress->told_ns >= PLAIN_EVERY_S * UINT64_C(1000000000)) {
		progress->told_ns = now;
		fprintf(stderr, "%llu of %llu %s, ", (unsigned long long)progress->done, (unsigned long long)progress->planned,
			progress->steps);
		print_left(progress, now);
		fputc('\n', stderr);
	}
}
