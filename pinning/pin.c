/* See pin.h. */
#include "pin.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel knows at most 8,192 CPUs today. A mask that reaches further is nothing that we will ever need. */
enum { FIRST_MASK_CPUS = 1024, MOST_MASK_CPUS = 1 << 20 };

/* Reads the calling thread's mask into a set just large enough for this kernel; EINVAL says that it was too small. */
static int mask_read(cpu_set_t **mask, size_t *bytes)
{
	for (size_t cpus = FIRST_MASK_CPUS; cpus <= MOST_MASK_CPUS; cpus *= 2) {
		*bytes = CPU_ALLOC_SIZE(cpus);
		*mask = CPU_ALLOC(cpus);
		if (!*mask)
			return -ENOMEM;
		CPU_ZERO_S(*bytes, *mask);
		if (sched_getaffinity(0, *bytes, *mask) == 0)
			return 0;
		int error = errno;
		CPU_FREE(*mask);
		if (error != EINVAL)
			return -error;
	}
	return -EINVAL;
}

static int mask_write(int cpu)
{
	size_t bytes = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *mask = CPU_ALLOC((size_t)cpu + 1);

	if (!mask)
		return -ENOMEM;
	CPU_ZERO_S(bytes, mask);
	CPU_SET_S((size_t)cpu, bytes, mask);
	int error = sched_setaffinity(0, bytes, mask) == 0 ? 0 : -errno;
	CPU_FREE(mask);
	return error;
}

int pin_allowed(int **cpus, size_t *count)
{
	cpu_set_t *mask;
	size_t bytes;
	int error = mask_read(&mask, &bytes);

	if (error)
		return error;
	*count = 0;
	*cpus = malloc((size_t)CPU_COUNT_S(bytes, mask) * sizeof(**cpus) + 1);
	for (size_t cpu = 0; *cpus && cpu < bytes * 8; cpu++)
		if (CPU_ISSET_S(cpu, bytes, mask))
			(*cpus)[(*count)++] = (int)cpu;
	CPU_FREE(mask);
	return *cpus ? 0 : -ENOMEM;
}

/* Appends "a", "a-b" or with a comma before it. False if it does not fit with "..." to follow. */
static bool text_append_range(char *text, size_t size, int first, int last)
{
	char range[32];
	size_t used = strlen(text);
	const char *comma = used ? "," : "";

	if (first == last)
		snprintf(range, sizeof(range), "%s%d", comma, first);
	else
		snprintf(range, sizeof(range), "%s%d-%d", comma, first, last);
	if (used + strlen(range) + sizeof("...") > size)
		return false;
	memcpy(text + used, range, strlen(range) + 1);
	return true;
}

char *pin_cpus_text(const int *cpus, size_t count, char *text, size_t size)
{
	size_t last;

	if (size == 0)
		return text;
	text[0] = '\0';
	for (size_t first = 0; first < count; first = last + 1) {
		last = first;
		while (last + 1 < count && cpus[last + 1] == cpus[last] + 1)
			last++;
		if (!text_append_range(text, size, cpus[first], cpus[last])) {
			strncat(text, "...", size - strlen(text) - 1);
			break;
		}
	}
	return text;
}

char *pin_allowed_text(char *text, size_t size)
{
	int *cpus;
	size_t count;

	if (pin_allowed(&cpus, &count)) {
		snprintf(text, size, "unknown");
		return text;
	}
	pin_cpus_text(cpus, count, text, size);
	free(cpus);
	return text;
}

/* True only if the thread's mask is this one CPU. */
static bool mask_is(int cpu)
{
	int *cpus;
	size_t count;

	if (pin_allowed(&cpus, &count))
		return false;
	bool same = count == 1 && cpus[0] == cpu;
	free(cpus);
	return same;
}

int pin_self(int cpu, char error[PIN_TEXT])
{
	char allowed[PIN_TEXT / 2];

	error[0] = '\0';
	int result = cpu < 0 || cpu >= MOST_MASK_CPUS ? -EINVAL : mask_write(cpu);
	if (result == -EINVAL) {
		snprintf(error, PIN_TEXT,
			 "cannot pin to CPU %d: it does not exist, is offline or outside the cpuset; allowed: %s", cpu,
			 pin_allowed_text(allowed, sizeof(allowed)));
	} else if (result) {
		snprintf(error, PIN_TEXT, "cannot pin to CPU %d: %s; allowed: %s", cpu, strerror(-result),
			 pin_allowed_text(allowed, sizeof(allowed)));
	} else if (!mask_is(cpu)) {
		snprintf(error, PIN_TEXT, "pinned to CPU %d, but the mask reads back as %s", cpu,
			 pin_allowed_text(allowed, sizeof(allowed)));
		result = -EIO;
	}
	return result;
}
