#include "bucket_text.h"
#include "record.h"
#include "record_index.h"
#include "record_join.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the line's text, allocated and ended by a NUL, or NULL with the reason in fields. */
static char *load_text(const struct record *record, struct line_place place, struct fields *fields)
{
	char *text = malloc(place.length + 1);
	size_t read = 0;
	ssize_t n = 1;

	fields->line = place.number;
	while (text && read < place.length && n > 0) {
		n = pread(record->index->fd, text + read, place.length - read, (off_t)(place.offset + read));
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			read += (size_t)n;
	}
	if (!text)
		fields_fail(fields, -ENOMEM, "out of memory");
	else if (n < 0)
		fields_fail(fields, -errno, "%s", strerror(errno));
	else if (read < place.length)
		fields_fail(fields, -EIO, "the file has become shorter");
	else
		text[place.length] = '\0';
	if (fields->failed) {
		free(text);
		return NULL;
	}
	return text;
}

static json_t *parse_line(const char *text, size_t length, struct fields *fields)
{
	json_error_t reason;
	json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &reason);

	if (!json)
		fields_fail(fields, -EINVAL, "column %d: %s", reason.column, reason.text);
	return json;
}

/* Returns the line's object, or NULL with the reason in fields. */
static json_t *load_line(const struct record *record, struct line_place place, struct fields *fields)
{
	char *text = load_text(record, place, fields);
	json_t *json = text ? parse_line(text, place.length, fields) : NULL;

	free(text);
	return json;
}

json_t *record_trial_json(const struct record *record, const struct record_trial *trial, char *error)
{
	const struct record *part = record_join_part(record, &trial);
	struct fields fields = { .path = part->path, .error = error };

	return load_line(part, part->index->trials[trial - part->trials], &fields);
}

/* Where a line of the trial's stands; NULL: there is none. */
static const struct line_place *find_detail(const struct record *record, uint64_t id, long latency)
{
	const struct record_index *index = record->index;
	size_t low = 0, high = index->detail_count;

	while (low < high) { /* the first one of the trial */
		size_t middle = low + (high - low) / 2;

		if (index->details[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < index->detail_count && index->details[low].id == id; low++)
		if (index->details[low].latency == latency)
			return &index->details[low].place;
	return NULL;
}

/* Returns 1 with the line in *json, 0 if there is none, or -errno. */
static int load_detail(const struct record *record, uint64_t id, long latency, json_t **json, struct fields *fields)
{
	const struct line_place *place = find_detail(record, id, latency);

	if (!place)
		return 0;
	*json = load_line(record, *place, fields);
	return *json ? 1 : fields->failed;
}

static int take_buckets(const json_t *list, struct record_bucket *buckets, struct fields *fields)
{
	const json_t *bucket;
	size_t i;

	json_array_foreach(list, i, bucket) {
		const json_t *edge = json_array_get(bucket, 0), *count = json_array_get(bucket, 1);

		if (!json_is_number(edge) || !json_is_integer(count) || json_integer_value(count) < 0)
			return fields_fail(fields, -EINVAL, "buckets[%zu] is not [upper edge in ns, count]", i);
		buckets[i].upper_edge_ns = json_number_value(edge);
		buckets[i].count = (uint64_t)json_integer_value(count);
		if (i > 0 && buckets[i].upper_edge_ns <= buckets[i - 1].upper_edge_ns)
			return fields_fail(fields, -EINVAL, "buckets[%zu] is not above the one before it", i);
	}
	return 0;
}

/* As record_histogram(), of a line that only the parser can read. */
static long parse_buckets(const char *text, size_t length, struct record_bucket **buckets, struct fields *fields)
{
	json_t *json = parse_line(text, length, fields);
	const json_t *list = json_object_get(json, "buckets");
	long count = (long)json_array_size(list);

	*buckets = calloc((size_t)count + 1, sizeof(**buckets));
	if (json && !json_is_array(list))
		fields_fail(fields, -EINVAL, "buckets is not a list");
	else if (!*buckets)
		fields_fail(fields, -ENOMEM, "out of memory");
	else
		take_buckets(list, *buckets, fields);
	json_decref(json);
	return count;
}

long record_histogram(const struct record *record, const struct record_trial *trial, size_t latency,
		      struct record_bucket **buckets, char *error)
{
	const struct record *part = record_join_part(record, &trial);
	struct fields fields = { .path = part->path, .error = error };
	const struct line_place *place = find_detail(part, trial->id, (long)latency);
	char *text = place ? load_text(part, *place, &fields) : NULL;
	long count = 0;

	*buckets = NULL;
	if (text) {
		count = bucket_text_read(text, place->length, buckets);
		if (count < 0)
			count = parse_buckets(text, place->length, buckets, &fields);
		free(text);
	}
	if (fields.failed || count == 0) {
		free(*buckets);
		*buckets = NULL;
	}
	return fields.failed ? fields.failed : count;
}

/* A list of n numbers or nulls. */
static void take_list(double *values, size_t n, const json_t *json, const char *name, struct fields *fields)
{
	const json_t *list = fields_array(fields, json, name), *value;
	size_t i;

	if (json_array_size(list) != n) {
		fields_fail(fields, -EINVAL, "positions.%s is not a list as long as position", name);
		return;
	}
	json_array_foreach(list, i, value) {
		if (!json_is_number(value) && !json_is_null(value))
			fields_fail(fields, -EINVAL, "positions.%s[%zu] is neither a number nor null", name, i);
		values[i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
}

static void take_places(struct record_positions *positions, const json_t *json, struct fields *fields)
{
	const json_t *list = fields_array(fields, json, "position"), *value;
	size_t i;

	json_array_foreach(list, i, value) {
		positions->position[i] = json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
		if (positions->position[i] <= (i ? positions->position[i - 1] : 0) || positions->position[i] > positions->batch)
			fields_fail(fields, -EINVAL, "positions.position[%zu] is no place behind the one before it", i);
	}
}

static void take_positions(struct record_positions *positions, const json_t *json, struct fields *fields)
{
	const char *from, *to;
	size_t n;

	fields_at(fields, "positions.");
	from = fields_text(fields, json, "from");
	to = fields_text(fields, json, "to");
	n = json_array_size(fields_array(fields, json, "position"));
	*positions = (struct record_positions){ .batch = fields_count(fields, json, "batch"),
						.batches = fields_count(fields, json, "batches"),
						.others = fields_count(fields, json, "others"),
						.n = n,
						.position = calloc(n + 1, sizeof(*positions->position)),
						.p50_ns = calloc(n + 1, sizeof(*positions->p50_ns)),
						.p99_ns = calloc(n + 1, sizeof(*positions->p99_ns)) };
	if (!positions->position || !positions->p50_ns || !positions->p99_ns) {
		fields_fail(fields, -ENOMEM, "out of memory");
		return;
	}
	snprintf(positions->from_point, sizeof(positions->from_point), "%s", from ? from : "");
	snprintf(positions->to_point, sizeof(positions->to_point), "%s", to ? to : "");
	take_places(positions, json, fields);
	take_list(positions->p50_ns, n, json, "p50_ns", fields);
	take_list(positions->p99_ns, n, json, "p99_ns", fields);
}

int record_positions(const struct record *record, const struct record_trial *trial, struct record_positions *positions, char *error)
{
	const struct record *part = record_join_part(record, &trial);
	struct fields fields = { .path = part->path, .error = error };
	struct line_place place = part->index->trials[trial - part->trials];
	json_t *json = load_line(part, place, &fields), *told = json_object_get(json, "positions");
	bool tells = told && !json_is_null(told);

	*positions = (struct record_positions){ 0 };
	if (tells)
		take_positions(positions, told, &fields);
	json_decref(json);
	if (fields.failed) {
		record_positions_free(positions);
		return fields.failed;
	}
	return tells;
}

void record_positions_free(struct record_positions *positions)
{
	free(positions->position);
	free(positions->p50_ns);
	free(positions->p99_ns);
	*positions = (struct record_positions){ 0 };
}

static const double TIMES_MOST_NS = 1e18; /* 30 years; of more, sums and axes might become infinite */

static void take_times(double *times, size_t n, const json_t *json, const char *name, struct fields *fields)
{
	const json_t *list = json_object_get(json, name), *value;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) != n) {
		fields_fail(fields, -EINVAL, "%s is not a list as long as sequence", name);
		return;
	}
	json_array_foreach(list, i, value) {
		if (!json_is_number(value))
			fields_fail(fields, -EINVAL, "%s[%zu] is not a number", name, i);
		else if (fabs(json_number_value(value)) > TIMES_MOST_NS)
			fields_fail(fields, -EINVAL, "%s[%zu] is no time within 30 years of the trial's start", name, i);
		times[i] = json_number_value(value);
	}
}

static void take_slice(struct record_slice *slice, const json_t *json, struct fields *fields)
{
	const json_t *sequence = json_object_get(json, "sequence"), *value;
	const char *from = fields_text(fields, json, "from"), *to = fields_text(fields, json, "to");
	size_t i, n = json_array_size(sequence);

	*slice = (struct record_slice){ .n = n,
					.sequence = calloc(n + 1, sizeof(*slice->sequence)),
					.from_ns = calloc(n + 1, sizeof(*slice->from_ns)),
					.to_ns = calloc(n + 1, sizeof(*slice->to_ns)) };
	if (!slice->sequence || !slice->from_ns || !slice->to_ns) {
		fields_fail(fields, -ENOMEM, "out of memory");
		return;
	}
	if (!json_is_array(sequence))
		fields_fail(fields, -EINVAL, "sequence is not a list");
	snprintf(slice->from_point, sizeof(slice->from_point), "%s", from ? from : "");
	snprintf(slice->to_point, sizeof(slice->to_point), "%s", to ? to : "");
	json_array_foreach(sequence, i, value) {
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			fields_fail(fields, -EINVAL, "sequence[%zu] is not a whole number of 0 or more", i);
		slice->sequence[i] = (uint64_t)json_integer_value(value);
	}
	take_times(slice->from_ns, n, json, "from_ns", fields);
	take_times(slice->to_ns, n, json, "to_ns", fields);
}

int record_slice(const struct record *record, const struct record_trial *trial, struct record_slice *slice, char *error)
{
	const struct record *part = record_join_part(record, &trial);
	struct fields fields = { .path = part->path, .error = error };
	json_t *json;
	int found = load_detail(part, trial->id, RECORD_SLICE, &json, &fields);

	*slice = (struct record_slice){ 0 };
	if (found <= 0)
		return found;
	take_slice(slice, json, &fields);
	json_decref(json);
	if (fields.failed) {
		record_slice_free(slice);
		return fields.failed;
	}
	return 1;
}

void record_slice_free(struct record_slice *slice)
{
	free(slice->sequence);
	free(slice->from_ns);
	free(slice->to_ns);
	*slice = (struct record_slice){ 0 };
}
