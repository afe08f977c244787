#include "list_queues.h"

#include <string.h>

enum {
	COLUMNS = 7, TEXT = 96, /* before the summary */
	CAPACITY_ANY = 1 << 30, /* what is allowed up to here is called any */
};

static const char *const progress_names[] = {
	[QUEUE_WAIT_FREE] = "wait-free", [QUEUE_LOCK_FREE] = "lock-free", [QUEUE_BLOCKING] = "blocking",
	[QUEUE_WAITS_FOR_PREEMPTED] = "waits-for-preempted",
};
static const char *const order_names[] = {
	[QUEUE_ORDER_TOTAL] = "total", [QUEUE_ORDER_PER_PRODUCER] = "producer", [QUEUE_ORDER_NONE] = "none",
};
static const char *const shape_names[] = {
	[QUEUE_SPSC] = "spsc", [QUEUE_MPSC] = "mpsc", [QUEUE_SPMC] = "spmc", [QUEUE_MPMC] = "mpmc",
};
static const char *const role_names[] = {
	[QUEUE_ORDINARY] = "ordinary", [QUEUE_BASELINE] = "baseline", [QUEUE_FLOOR] = "floor", [QUEUE_PEER] = "peer",
};

/* null: any number */
static json_t *number_or_any(size_t number)
{
	return number ? json_integer((json_int_t)number) : json_null();
}

json_t *list_queue_json(const struct queue *queue)
{
	const struct queue_traits *traits = &queue->traits;
	const struct {
		const char *name;
		bool is;
	} flags[] = {
		{"capacity_power_of_two", traits->capacity_power_of_two}, {"capacity_approximate", traits->capacity_approximate},
		{"kernel_buffer", traits->kernel_buffer}, {"batches", traits->batches}, {"in_place", traits->in_place},
		{"lossy", traits->lossy}, {"multicast", traits->multicast}, {"blocks_natively", traits->blocks_natively},
		{"calls_in_loop", traits->calls_in_loop}, {"reports_sleeper", traits->reports_sleeper}, {"lanes", traits->lanes},
		{"one_thread", traits->one_thread},
	};
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:I, s:o, s:I, s:I, s:s, s:s, s:I}", "name", queue->name,
				 "summary", queue->summary, "source", queue->source, "role", role_names[traits->role], "shape",
				 shape_names[traits->shape], "producers_max", number_or_any(traits->producers_max),
				 "consumers_max", number_or_any(traits->consumers_max), "bounded", traits->bounded,
				 "capacity_min", (json_int_t)traits->capacity_min, "capacity_max",
				 number_or_any(traits->capacity_max), "message_min", (json_int_t)traits->message_min,
				 "message_max", (json_int_t)traits->message_max, "progress", progress_names[traits->progress],
				 "order", order_names[traits->order], "own_batch_bytes", (json_int_t)traits->own_batch_bytes);

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		json_object_set_new(json, flags[i].name, json_boolean(flags[i].is));
	return json;
}

struct row {
	char cells[COLUMNS][TEXT];
	const char *summary;
};

static void print_endpoints(char *text, size_t size, unsigned most, const char *any)
{
	if (most)
		snprintf(text, size, "%u", most);
	else
		snprintf(text, size, "%s", any);
}

/* "any", "2^k", "1", "≤ 64" …: what a capacity may be. */
static void print_capacity(char *text, size_t size, const struct queue_traits *traits)
{
	size_t least = traits->capacity_min, most = traits->capacity_max < CAPACITY_ANY ? traits->capacity_max : 0;

	if (!traits->bounded)
		snprintf(text, size, "unbounded");
	else if (least == most)
		snprintf(text, size, "%zu", least);
	else if (most)
		snprintf(text, size, "%s%zu..%zu", traits->capacity_power_of_two ? "2^k " : "", least, most);
	else if (least > 1)
		snprintf(text, size, "%s>=%zu", traits->capacity_power_of_two ? "2^k " : "", least);
	else
		snprintf(text, size, "%s", traits->kernel_buffer	 ? "kernel's" :
					   traits->capacity_power_of_two ? "2^k" :
					   traits->capacity_approximate	 ? "about" :
									   "any");
}

static void print_flags(char *text, size_t size, const struct queue_traits *traits)
{
	const struct {
		const char *name;
		bool is;
	} flags[] = {
		{"floor", traits->role == QUEUE_FLOOR}, {"baseline", traits->role == QUEUE_BASELINE},
		{"peer", traits->role == QUEUE_PEER}, {"lossy", traits->lossy},
		{"multicast", traits->multicast}, {"lanes", traits->lanes}, {"native", traits->blocks_natively},
		{"sleeper", traits->reports_sleeper}, {"one-thread", traits->one_thread},
	};
	size_t used = 0;

	snprintf(text, size, "-");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags) && used < size; i++)
		if (flags[i].is)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", flags[i].name);
}

static struct row row_of(const struct queue *queue)
{
	const struct queue_traits *traits = &queue->traits;
	char producers[16], consumers[16];
	struct row row;

	print_endpoints(producers, sizeof(producers), traits->producers_max, "n");
	print_endpoints(consumers, sizeof(consumers), traits->consumers_max, traits->producers_max ? "n" : "m");
	snprintf(row.cells[0], TEXT, "%s", queue->name);
	snprintf(row.cells[1], TEXT, "%s:%s", producers, consumers);
	print_capacity(row.cells[2], TEXT, traits);
	snprintf(row.cells[3], TEXT, "%s", progress_names[traits->progress]);
	snprintf(row.cells[4], TEXT, "%s", order_names[traits->order]);
	snprintf(row.cells[5], TEXT, "%s/%s", traits->batches ? "batch" : "one", traits->in_place ? "place" : "copy");
	print_flags(row.cells[6], TEXT, traits);
	row.summary = queue->summary;
	return row;
}

/* The summary ends where the line must, where that has an end: at a character's beginning. */
static void print_row(FILE *file, const struct row *row, const size_t *widths, unsigned width)
{
	size_t used = 0, left;

	for (size_t i = 0; i < COLUMNS; i++) {
		fprintf(file, "%-*s ", (int)widths[i], row->cells[i]);
		used += widths[i] + 1;
	}
	left = used < width ? width - used : 0;
	if (!width || strlen(row->summary) <= left) {
		fprintf(file, "%s\n", row->summary);
		return;
	}
	left = left > 3 ? left - 3 : 0;
	while (left && (row->summary[left] & 0xc0) == 0x80)
		left--;
	fprintf(file, "%.*s...\n", (int)left, row->summary);
}

void list_queues_print(FILE *file, const struct queue *const *queues, unsigned width)
{
	static const struct row head = {{"queue", "p:c", "capacity", "progress", "order", "moves", "flags"}, "summary"};
	size_t widths[COLUMNS];

	for (size_t column = 0; column < COLUMNS; column++) {
		widths[column] = strlen(head.cells[column]);
		for (size_t i = 0; queues[i]; i++) {
			struct row row = row_of(queues[i]);

			if (strlen(row.cells[column]) > widths[column])
				widths[column] = strlen(row.cells[column]);
		}
	}
	print_row(file, &head, widths, width);
	for (size_t i = 0; queues[i]; i++) {
		struct row row = row_of(queues[i]);

		print_row(file, &row, widths, width);
	}
}
