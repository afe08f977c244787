#include "patience.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOOK_MAX_NS = 1000000000 }; /* of one look: a process that was stopped and goes on has not hung meanwhile */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* How long this process's threads were ready to run and did not, in all; 0 where the kernel does not tell. */
static uint64_t kept_waiting_ns(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	uint64_t sum = 0;

	while (tasks && (task = readdir(tasks))) {
		uint64_t ran, queued;
		char path[300];
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", task->d_name);
		file = task->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &queued) == 2)
			sum += queued;
		fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

struct patience patience_begin(uint64_t limit_ns)
{
	return (struct patience){.limit_ns = limit_ns, .wall_ns = clock_ns(CLOCK_MONOTONIC),
				 .ran_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), .queued_ns = kept_waiting_ns()};
}

static uint64_t advance(uint64_t *last, uint64_t now)
{
	uint64_t passed = now > *last ? now - *last : 0; /* a thread that ended took its share along */

	*last = now;
	return passed;
}

uint64_t patience_counted(uint64_t wall_ns, uint64_t ran_ns, uint64_t queued_ns)
{
	uint64_t idle = wall_ns > queued_ns ? wall_ns - queued_ns : 0, counted = ran_ns > idle ? ran_ns : idle;

	return counted < wall_ns ? counted : wall_ns;
}

bool patience_ends(struct patience *patience, uint64_t progress)
{
	uint64_t wall = advance(&patience->wall_ns, clock_ns(CLOCK_MONOTONIC));
	uint64_t ran = advance(&patience->ran_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	uint64_t counted = patience_counted(wall, ran, advance(&patience->queued_ns, kept_waiting_ns()));

	if (counted > LOOK_MAX_NS)
		counted = LOOK_MAX_NS;
	patience->counted_ns = progress == patience->progress ? patience->counted_ns + counted : 0;
	patience->progress = progress;
	return patience->counted_ns >= patience->limit_ns;
}
