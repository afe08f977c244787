#include "summary_parts.h"

#include <stdlib.h>

int summary_windows_make(struct summary_row *row)
{
	struct summary_windows *windows = &row->windows;
	double *per_s = NULL;
	long count = 0;
	int err = 0;

	for (size_t i = 0; i < row->trials && !err; i++) {
		long before = count;
		enum windows_course course;

		count = windows_collect(&per_s, (size_t)before, row->members[i], false);
		err = count < 0 ? (int)count : windows_find_course(&course, count > before ? per_s + before : NULL, (size_t)(count - before));
		if (err)
			break;
		windows->courses[course]++;
		if (count > before)
			windows->width_ns = windows_width_ns(row->members[i], false);
	}
	if (!err && count > 0) {
		windows->count = (size_t)count;
		err = windows_find_modes(&windows->modes, per_s, windows->count);
		windows->stalls = windows->modes.stalls;
	}
	free(per_s);
	return err;
}
