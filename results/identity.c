#include "identity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CLOCK_TOLERANCE = 0.01; /* of a rate: calibrating errs by far less, other hardware differs by more */

static json_t *value_or_null(const json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	return value ? json_incref(value) : json_null();
}

/* "6" of "6.1.0-18-amd64" */
static json_t *kernel_major(const json_t *host)
{
	const char *kernel = json_string_value(json_object_get(host, "kernel"));

	return kernel ? json_stringn(kernel, strcspn(kernel, ".")) : json_null();
}

json_t *identity_of_run(const json_t *run)
{
	const json_t *host = json_object_get(run, "host");

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "cpu_model", value_or_null(host, "cpu_model"), "cpus", value_or_null(host, "cpus"),
			 "kernel_major", kernel_major(host), "hypervisor", value_or_null(host, "hypervisor"), "clock_source",
			 value_or_null(host, "clock_source"));
}

/* "another machine: cpus 2 against 4" */
static void difference_say(const char *what, const char *name, const json_t *a, const json_t *b, char *reason, size_t size)
{
	char *before = json_dumps(a, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)),
	     *after = json_dumps(b, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

	snprintf(reason, size, "another %s: %s %.60s against %.60s", what, name, before ? before : "?", after ? after : "?");
	free(before);
	free(after);
}

static bool machine_same(const json_t *run_a, const json_t *run_b, char *reason, size_t size)
{
	json_t *a = identity_of_run(run_a), *b = identity_of_run(run_b), *value;
	const char *name;
	bool same = a && b;

	if (!same)
		snprintf(reason, size, "out of memory");
	json_object_foreach (a, name, value)
		if (same && !json_equal(value, json_object_get(b, name))) {
			difference_say("machine", name, value, json_object_get(b, name), reason, size);
			same = false;
		}
	json_decref(a);
	json_decref(b);
	return same;
}

static bool clock_same(const json_t *a, const json_t *b, char *reason, size_t size)
{
	static const char *const names[] = { "source", "ordering" };
	const json_t *rate_a = json_object_get(a, "ticks_per_s"), *rate_b = json_object_get(b, "ticks_per_s");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		json_t *of_a = value_or_null(a, names[i]), *of_b = value_or_null(b, names[i]);
		bool same = json_equal(of_a, of_b);

		if (!same)
			difference_say("clock", names[i], of_a, of_b, reason, size);
		json_decref(of_a);
		json_decref(of_b);
		if (!same)
			return false;
	}
	if (!json_is_number(rate_a) || !json_is_number(rate_b) ||
	    fabs(json_number_value(rate_a) / json_number_value(rate_b) - 1) <= CLOCK_TOLERANCE)
		return true;
	difference_say("clock", "ticks_per_s", rate_a, rate_b, reason, size);
	return false;
}

bool identity_same(const json_t *run_a, const json_t *run_b, char *reason, size_t size)
{
	return machine_same(run_a, run_b, reason, size) &&
	       clock_same(json_object_get(run_a, "clock"), json_object_get(run_b, "clock"), reason, size);
}
