#include "gbench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, FILE_BYTES_MOST = 256 << 20 };

bool gbench_is_file(const char *path)
{
	char head[HEAD_BYTES + 1];
	const char *at = head;
	struct stat about;
	FILE *file;
	size_t length;

	if (stat(path, &about) || !S_ISREG(about.st_mode))
		return false; /* what is read of a pipe is gone: there it is a record */
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(head, 1, HEAD_BYTES, file);
	fclose(file);
	head[length] = 0;
	at += strspn(at, " \t\r\n");
	if (*at != '{')
		return false;
	at++;
	at += strspn(at, " \t\r\n");
	return !strncmp(at, "\"context\"", 9) || !strncmp(at, "\"benchmarks\"", 12);
}

/* ---- text ---- */

/* The bytes of a file, ended by a NUL; NULL with the reason in error. */
static char *text_read(const char *path, size_t *length, char *error)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0, got = 1;
	int err = file ? 0 : errno;

	*length = 0;
	while (!err && got) {
		if (*length + 1 >= room) {
			char *grown = room >= FILE_BYTES_MOST ? NULL : realloc(text, room ? 2 * room : 1 << 16);

			if (!grown) {
				err = room >= FILE_BYTES_MOST ? EFBIG : ENOMEM;
				break;
			}
			text = grown;
			room = room ? 2 * room : 1 << 16;
		}
		got = fread(text + *length, 1, room - 1 - *length, file);
		*length += got;
		if (ferror(file))
			err = errno ? errno : EIO;
	}
	if (file)
		fclose(file);
	if (err) {
		snprintf(error, RECORD_TEXT, "cannot read %.300s: %s", path, strerror(err));
		free(text);
		return NULL;
	}
	text[*length] = 0;
	return text;
}

/* NaN, Infinity and their negatives, outside of strings, become null, with blanks behind it: places in the text stay what they are. */
static void numbers_mend(char *text, size_t length)
{
	static const char *const odd[] = { "-NaN", "NaN", "-nan", "nan", "-Infinity", "Infinity", "-inf", "inf" };
	bool quoted = false;

	for (size_t i = 0; i < length; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		for (size_t k = 0; !quoted && k < sizeof(odd) / sizeof(odd[0]); k++) {
			size_t odd_length = strlen(odd[k]);

			if (odd_length < 4 && (i + 4 > length || !strchr(",}] \t\r\n", text[i + odd_length])))
				continue; /* no room for four letters, or a longer word */
			if (strncmp(text + i, odd[k], odd_length) != 0)
				continue;
			if (odd_length < 4) { /* "nan," has no room for null: a 0 would be a number, so that the blank before it is taken */
				if (i == 0 || (text[i - 1] != ' ' && text[i - 1] != '\t'))
					continue;
				i--;
				odd_length++;
			}
			memset(text + i, ' ', odd_length);
			memcpy(text + i, "null", 4);
			i += odd_length - 1;
			break;
		}
	}
}

/* ---- benchmarks ---- */

static int gbench_fail(const struct gbench *gbench, size_t number, const char *what, char *error)
{
	snprintf(error, RECORD_TEXT, "%.300s: benchmarks[%zu]: %s", gbench->path, number, what);
	return -EINVAL;
}

/* Before version 1.5 nothing but their names told that they are no repetitions. */
static bool is_aggregate(const json_t *json, const char *name)
{
	static const char *const endings[] = { "_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS" };
	const char *type = json_string_value(json_object_get(json, "run_type"));
	size_t length = strlen(name);

	if (type)
		return strcmp(type, "iteration") != 0;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (length > strlen(endings[i]) && !strcmp(name + length - strlen(endings[i]), endings[i]))
			return true;
	return false;
}

/* The name as it ran: an aggregate's own is longer. */
static const char *name_of(const json_t *json)
{
	const char *run = json_string_value(json_object_get(json, "run_name"));

	return run ? run : json_string_value(json_object_get(json, "name"));
}

/* In ns; 0: none of the units that there are. */
static double unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

	for (size_t i = 0; unit && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

/* The benchmark that an entry is of; found by the one before it, or by its name, or new. index: names, to positions. */
static struct gbench_benchmark *benchmark_of(struct gbench *gbench, json_t *index, const json_t *json, const char *name)
{
	const json_t *known = json_object_get(index, name), *family = json_object_get(json, "family_index");
	json_int_t number = json_integer_value(json_object_get(json, "per_family_instance_index"));
	struct gbench_benchmark *benchmark;

	if (known) {
		benchmark = &gbench->benchmarks[json_integer_value(known)];
		if ((family && benchmark->instance && !json_equal(family, benchmark->instance)) || benchmark->number != number)
			benchmark->ambiguous = true;
		return benchmark;
	}
	if (json_object_set_new(index, name, json_integer((json_int_t)gbench->count)))
		return NULL;
	benchmark = &gbench->benchmarks[gbench->count++];
	*benchmark = (struct gbench_benchmark){ .name = name, .instance = family, .number = number };
	return benchmark;
}

static int entry_take(struct gbench *gbench, json_t *index, const json_t *json, size_t number, char *error)
{
	const char *name = json_is_object(json) ? name_of(json) : NULL;
	const json_t *real = json_object_get(json, "real_time");
	struct gbench_benchmark *benchmark;
	double unit, *grown;

	if (!json_is_object(json))
		return gbench_fail(gbench, number, "is not an object", error);
	if (!name)
		return gbench_fail(gbench, number, "name is missing or is not a string", error);
	if (is_aggregate(json, name) && !json_object_get(json, "run_name"))
		return 0; /* of an old file, under a name that no repetition has */
	benchmark = benchmark_of(gbench, index, json, name);
	if (!benchmark)
		return gbench_fail(gbench, number, "out of memory", error);
	if (is_aggregate(json, name)) {
		benchmark->aggregates++;
		return 0;
	}
	if (json_is_true(json_object_get(json, "error_occurred")) || json_is_true(json_object_get(json, "skipped"))) {
		benchmark->errors++;
		return 0;
	}
	unit = unit_ns(json_string_value(json_object_get(json, "time_unit")));
	if (!json_is_number(real) || !(json_number_value(real) >= 0) || !isfinite(json_number_value(real) * 1e9))
		return gbench_fail(gbench, number, "real_time is missing or is no time", error);
	if (!(unit > 0))
		return gbench_fail(gbench, number, "time_unit is none of ns, us, ms, s", error);
	grown = realloc(benchmark->real_ns, (benchmark->n + 1) * sizeof(*grown));
	if (!grown)
		return gbench_fail(gbench, number, "out of memory", error);
	benchmark->real_ns = grown;
	grown[benchmark->n++] = json_number_value(real) * unit;
	return 0;
}

static int entries_take(struct gbench *gbench, char *error)
{
	const json_t *list = json_object_get(gbench->json, "benchmarks"), *entry;
	json_t *index = json_object();
	int status = 0;
	size_t i;

	gbench->benchmarks = calloc(json_array_size(list) + 1, sizeof(*gbench->benchmarks));
	if (!gbench->benchmarks || !index)
		status = gbench_fail(gbench, 0, "out of memory", error);
	json_array_foreach(list, i, entry) {
		if (!status)
			status = entry_take(gbench, index, entry, i, error);
	}
	json_decref(index);
	return status;
}

int gbench_read(struct gbench *gbench, const char *path, char *error)
{
	json_error_t reason;
	size_t length;
	char *text = text_read(path, &length, error);
	int status = -EINVAL;

	*gbench = (struct gbench){ .path = strdup(path) };
	if (!text || !gbench->path) {
		if (text)
			snprintf(error, RECORD_TEXT, "%.300s: out of memory", path);
		gbench_free(gbench);
		free(text);
		return -EIO;
	}
	numbers_mend(text, length);
	gbench->json = json_loadb(text, length, 0, &reason);
	free(text);
	if (!gbench->json)
		snprintf(error, RECORD_TEXT, "%.300s: line %d, column %d: %.100s", path, reason.line, reason.column, reason.text);
	else if (!json_is_array(json_object_get(gbench->json, "benchmarks")))
		snprintf(error, RECORD_TEXT, "%.300s: these are no results of Google Benchmark: benchmarks is missing or is not a list", path);
	else
		status = entries_take(gbench, error);
	if (status)
		gbench_free(gbench);
	return status;
}

void gbench_free(struct gbench *gbench)
{
	for (size_t i = 0; i < gbench->count; i++)
		free(gbench->benchmarks[i].real_ns);
	free(gbench->benchmarks);
	json_decref(gbench->json);
	free(gbench->path);
	*gbench = (struct gbench){ 0 };
}
