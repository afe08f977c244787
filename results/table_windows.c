#include "table_windows.h"
#include "number.h"
#include "table_print.h"

static double percent(size_t part, size_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

/* "two modes: 62 M/s in 70 % of the time, 25 M/s in 26 %; next to nothing in 4 %" */
static void modes_line(FILE *out, const struct summary_windows *windows)
{
	char upper[NUMBER_TEXT], lower[NUMBER_TEXT], width[NUMBER_TEXT];

	if (windows->modes.two)
		table_say(out, "  two modes: %s in %.0f %% of the time, %s in %.0f %%; next to nothing in %.0f %%\n",
			  number_rate(upper, windows->modes.upper_per_s), percent(windows->modes.upper, windows->count),
			  number_rate(lower, windows->modes.lower_per_s), percent(windows->modes.lower, windows->count),
			  percent(windows->stalls, windows->count));
	else if (windows->stalls)
		table_say(out, "  stalled: next to nothing moved in %zu of %zu windows of %s\n", windows->stalls, windows->count,
			  number_time(width, windows->width_ns));
}

/* "of 10 trials 7 were flat, 2 warming, 1 unsteady" */
static void courses_line(FILE *out, const struct summary_windows *windows)
{
	size_t judged = 0;
	const char *comma = "";

	for (int course = WINDOWS_FLAT; course < WINDOWS_COURSES; course++)
		judged += windows->courses[course];
	if (judged == windows->courses[WINDOWS_FLAT])
		return;
	table_say(out, "  of %zu trial%s", judged, judged == 1 ? "" : "s");
	for (int course = WINDOWS_FLAT; course < WINDOWS_COURSES; course++) {
		if (!windows->courses[course])
			continue;
		table_say(out, "%s %zu %s%s", comma, windows->courses[course],
			  comma[0]                      ? ""
			  : windows->courses[course] == 1 ? "was "
							  : "were ",
			  windows_course_names[course]);
		comma = ",";
	}
	table_say(out, "\n");
}

void table_windows_lines(FILE *out, const struct summary_windows *windows)
{
	modes_line(out, windows);
	courses_line(out, windows);
}
