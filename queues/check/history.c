#include "history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A value's way through the queue, as one view of it shows: all consumers', or one consumer's of a multicast queue. */
struct passage {
	const struct history_operation *enqueue, *dequeue; /* dequeue NULL: never */
	size_t turn;                                       /* among those that its consumer was handed */
};

struct view {
	const struct history *history;
	const struct queue_traits *traits;
	struct history_violation *violation;
	bool of_one_consumer; /* else of all */
	unsigned consumer;
	size_t count, empties;
	struct passage *passages;                    /* by value */
	struct passage **by_begin, **by_end, **some; /* by their enqueue's begin, end; room for a selection of each */
	struct passage **others;
	const struct history_operation **empty;      /* by end */
	struct edge *edges;
};

static bool violate(struct view *view, enum history_pattern pattern, const struct history_operation *const *operations)
{
	struct history_violation *violation = view->violation;

	*violation = (struct history_violation){.pattern = pattern};
	for (; *operations && violation->count < 4; operations++)
		violation->operations[violation->count++] = **operations;
	return true;
}

#define VIOLATE(view, pattern, ...) violate(view, pattern, (const struct history_operation *const[]){__VA_ARGS__, NULL})

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_values(const void *a, const void *b)
{
	return compare(((const struct passage *)a)->enqueue->value, ((const struct passage *)b)->enqueue->value);
}

static int compare_begins(const void *a, const void *b)
{
	return compare((*(struct passage *const *)a)->enqueue->begin, (*(struct passage *const *)b)->enqueue->begin);
}

static int compare_ends(const void *a, const void *b)
{
	return compare((*(struct passage *const *)a)->enqueue->end, (*(struct passage *const *)b)->enqueue->end);
}

static int compare_empties(const void *a, const void *b)
{
	return compare((*(const struct history_operation *const *)a)->end, (*(const struct history_operation *const *)b)->end);
}

static struct passage *find_passage(const struct view *view, uint64_t value)
{
	const struct history_operation wanted = {.value = value};
	const struct passage key = {.enqueue = &wanted};

	return bsearch(&key, view->passages, view->count, sizeof(key), compare_values);
}

/* ---- from nowhere, twice, lost ---- */

static bool sees(const struct view *view, const struct history_operation *operation)
{
	return operation->kind != HISTORY_ENQUEUE && (!view->of_one_consumer || operation->endpoint == view->consumer);
}

/* Joins each dequeue to its enqueue. */
static bool find_unfounded(struct view *view)
{
	const struct history *history = view->history;

	for (size_t i = 0; i < view->count; i++)
		view->passages[i].dequeue = NULL;
	for (size_t i = 0; i < history->count; i++) {
		const struct history_operation *operation = &history->operations[i];
		struct passage *passage;

		if (operation->kind != HISTORY_DEQUEUE || !sees(view, operation))
			continue;
		passage = find_passage(view, operation->value);
		if (!passage)
			return VIOLATE(view, HISTORY_FROM_NOWHERE, operation);
		if (operation->end < passage->enqueue->begin)
			return VIOLATE(view, HISTORY_FROM_NOWHERE, operation, passage->enqueue);
		if (passage->dequeue)
			return VIOLATE(view, HISTORY_TWICE, passage->dequeue, operation);
		passage->dequeue = operation;
		passage->turn = i; /* an endpoint's operations stand in their order */
	}
	return false;
}

static bool find_lost(struct view *view)
{
	for (size_t i = 0; i < view->count; i++)
		if (!view->passages[i].dequeue)
			return VIOLATE(view, HISTORY_LOST, view->passages[i].enqueue);
	return false;
}

/* ---- inverted ---- */

enum { ANY = -1 };

/* Copies those that were dequeued, by that consumer, of that producer. */
static size_t select_passages(struct passage *const *from, struct passage **to, size_t count, int consumer, int producer)
{
	size_t selected = 0;

	for (size_t i = 0; i < count; i++)
		if (from[i]->dequeue && (consumer == ANY || from[i]->dequeue->endpoint == (unsigned)consumer) &&
		    (producer == ANY || from[i]->enqueue->endpoint == (unsigned)producer))
			to[selected++] = from[i];
	return selected;
}

/* Among those selected: sweeps along b's enqueue and keeps, of all values that were in before it began, the one that left last. By turn:
 * one consumer's values left one after the other, even where one preread noted them all. */
static bool find_inverted(struct view *view, int consumer, int producer, bool by_turn)
{
	size_t count = select_passages(view->by_begin, view->some, view->count, consumer, producer), entered = 0;
	const struct passage *last = NULL;

	select_passages(view->by_end, view->others, view->count, consumer, producer);
	for (size_t i = 0; i < count; i++) {
		const struct passage *b = view->some[i];

		for (; entered < count && view->others[entered]->enqueue->end < b->enqueue->begin; entered++) {
			const struct passage *a = view->others[entered];

			if (!last || (by_turn ? a->turn > last->turn : a->dequeue->begin > last->dequeue->begin))
				last = a;
		}
		if (last && (by_turn ? last->turn > b->turn : last->dequeue->begin > b->dequeue->end))
			return VIOLATE(view, HISTORY_INVERTED, last->enqueue, b->enqueue, b->dequeue, last->dequeue);
	}
	return false;
}

static unsigned producers_of(const struct view *view)
{
	unsigned producers = 0;

	for (size_t i = 0; i < view->count; i++)
		if (view->passages[i].enqueue->endpoint >= producers)
			producers = view->passages[i].enqueue->endpoint + 1;
	return producers;
}

static bool find_any_inverted(struct view *view)
{
	bool total = view->traits->order == QUEUE_ORDER_TOTAL;
	int producers = total ? 0 : (int)producers_of(view);

	for (int consumer = 0; consumer < (int)view->history->consumers; consumer++) {
		if (view->of_one_consumer && consumer != (int)view->consumer)
			continue;
		if (total && find_inverted(view, consumer, ANY, true))
			return true;
		for (int producer = 0; producer < producers; producer++)
			if (find_inverted(view, consumer, producer, true))
				return true;
	}
	return total && find_inverted(view, ANY, ANY, false);
}

/* ---- false empty ---- */

/* Between two such a value is surely in: its enqueue has ended, its dequeue has not begun. */
struct edge {
	uint64_t at;
	int step; /* +1: it is in from here on; −1: until here */
};

static int compare_edges(const void *a, const void *b)
{
	const struct edge *one = a, *other = b;
	int order = compare(one->at, other->at);

	return order ? order : one->step - other->step; /* where they meet there was an instant without */
}

static size_t mark_edges(struct view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->count; i++) {
		const struct passage *passage = &view->passages[i];

		if (passage->dequeue && passage->dequeue->begin <= passage->enqueue->end)
			continue;
		view->edges[count++] = (struct edge){passage->enqueue->end, +1};
		if (passage->dequeue)
			view->edges[count++] = (struct edge){passage->dequeue->begin, -1};
	}
	qsort(view->edges, count, sizeof(*view->edges), compare_edges);
	return count;
}

/* A value that was in when the preread began. */
static bool report_empty(struct view *view, const struct history_operation *empty)
{
	for (size_t i = 0; i < view->count; i++) {
		const struct passage *passage = &view->passages[i];

		if (passage->enqueue->end < empty->begin && (!passage->dequeue || passage->dequeue->begin > empty->begin))
			return VIOLATE(view, HISTORY_FALSE_EMPTY, empty, passage->enqueue, passage->dequeue);
	}
	return false; /* not reached: find_… saw it */
}

/* Whether at each instant of a preread that found nothing some value was in, be it one after the other. */
static bool find_covered_empty(struct view *view)
{
	size_t edges = mark_edges(view), edge = 0;
	uint64_t in = 0, since = 0; /* values that are in; since when there is any */

	for (size_t i = 0; i < view->empties; i++) {
		const struct history_operation *empty = view->empty[i];

		for (; edge < edges && view->edges[edge].at <= empty->end; edge++) {
			if (!in)
				since = view->edges[edge].at;
			in += (uint64_t)view->edges[edge].step;
		}
		if (in && since < empty->begin)
			return report_empty(view, empty);
	}
	return false;
}

static int compare_empty_begins(const void *a, const void *b)
{
	return compare((*(const struct history_operation *const *)a)->begin,
		       (*(const struct history_operation *const *)b)->begin);
}

/* Whether one value was in all the while: of those that were in before it began, the one that left last. consumer: of those bound to it. */
static bool find_empty_beside_one(struct view *view, int consumer)
{
	const struct passage *last = NULL;
	size_t entered = 0;

	qsort(view->empty, view->empties, sizeof(*view->empty), compare_empty_begins);
	for (size_t i = 0; i < view->empties; i++) {
		const struct history_operation *empty = view->empty[i];

		if (consumer != ANY && empty->endpoint != (unsigned)consumer)
			continue;
		for (; entered < view->count && view->by_end[entered]->enqueue->end < empty->begin; entered++) {
			const struct passage *passage = view->by_end[entered];

			if (consumer != ANY && (!passage->dequeue || passage->dequeue->endpoint != (unsigned)consumer))
				continue;
			if (!last || (last->dequeue && (!passage->dequeue || passage->dequeue->begin > last->dequeue->begin)))
				last = passage;
		}
		if (last && (!last->dequeue || last->dequeue->begin > empty->end))
			return VIOLATE(view, HISTORY_FALSE_EMPTY, empty, last->enqueue, last->dequeue);
	}
	return false;
}

static bool find_false_empty(struct view *view)
{
	view->empties = 0;
	for (size_t i = 0; i < view->history->count; i++)
		if (view->history->operations[i].kind == HISTORY_EMPTY && sees(view, &view->history->operations[i]))
			view->empty[view->empties++] = &view->history->operations[i];
	qsort(view->empty, view->empties, sizeof(*view->empty), compare_empties);
	if (view->traits->order == QUEUE_ORDER_TOTAL)
		return find_covered_empty(view);
	for (int consumer = 0; view->traits->lanes && consumer < (int)view->history->consumers; consumer++)
		if (find_empty_beside_one(view, consumer))
			return true;
	return !view->traits->lanes && find_empty_beside_one(view, ANY);
}

/* ---- all of them ---- */

static bool find_any(struct view *view)
{
	const struct queue_traits *traits = view->traits;
	bool misses = traits->lossy || traits->kernel_buffer || traits->progress == QUEUE_WAITS_FOR_PREEMPTED;

	return find_unfounded(view) || (view->history->drained && !traits->lossy && find_lost(view)) ||
	       (traits->order != QUEUE_ORDER_NONE && find_any_inverted(view)) || (!misses && find_false_empty(view));
}

/* False: a value stands there twice. */
static bool list_passages(struct view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->history->count; i++)
		if (view->history->operations[i].kind == HISTORY_ENQUEUE)
			view->passages[count++].enqueue = &view->history->operations[i];
	view->count = count;
	qsort(view->passages, count, sizeof(*view->passages), compare_values);
	for (size_t i = 0; i < count; i++) {
		view->by_begin[i] = view->by_end[i] = &view->passages[i];
		if (i && !compare_values(&view->passages[i - 1], &view->passages[i]))
			return false;
	}
	qsort(view->by_begin, count, sizeof(*view->by_begin), compare_begins);
	qsort(view->by_end, count, sizeof(*view->by_end), compare_ends);
	return true;
}

int history_check(const struct history *history, const struct queue_traits *traits, struct history_violation *violation)
{
	struct view view = {.history = history, .traits = traits, .violation = violation, .of_one_consumer = traits->multicast};
	size_t room = history->count + 1;
	int status = -ENOMEM;

	*violation = (struct history_violation){.pattern = HISTORY_FINE};
	view.passages = calloc(room, sizeof(*view.passages));
	view.by_begin = calloc(4 * room, sizeof(*view.by_begin));
	view.empty = calloc(room, sizeof(*view.empty));
	view.edges = calloc(2 * room, sizeof(*view.edges));
	if (view.passages && view.by_begin && view.empty && view.edges) {
		view.by_end = view.by_begin + room;
		view.some = view.by_end + room;
		view.others = view.some + room;
		status = list_passages(&view) ? 0 : -EINVAL;
		for (unsigned views = traits->multicast ? history->consumers : 1;
		     !status && view.consumer < views && !find_any(&view); view.consumer++)
			;
	}
	free(view.passages);
	free(view.by_begin);
	free(view.empty);
	free(view.edges);
	return status;
}

char *history_violation_text(const struct history_violation *violation, char *text, size_t size)
{
	static const char *const patterns[] = {
		[HISTORY_FINE] = "no violation", [HISTORY_FROM_NOWHERE] = "a value from nowhere", [HISTORY_TWICE] = "a value twice",
		[HISTORY_LOST] = "a value lost", [HISTORY_INVERTED] = "inverted order", [HISTORY_FALSE_EMPTY] = "a false empty",
	};
	size_t used = (size_t)snprintf(text, size, "%s:", patterns[violation->pattern]);

	for (size_t i = 0; i < violation->count && used < size; i++) {
		const struct history_operation *operation = &violation->operations[i];
		bool enqueue = operation->kind == HISTORY_ENQUEUE, empty = operation->kind == HISTORY_EMPTY;
		char value[24] = "nothing";

		if (!empty)
			snprintf(value, sizeof(value), "%016" PRIx64, operation->value);
		used += (size_t)snprintf(text + used, size - used, "%s %s %u %s %s in [%" PRIu64 ", %" PRIu64 "]", i ? "," : "",
					 enqueue ? "producer" : "consumer", operation->endpoint,
					 enqueue ? "put" : empty ? "found" : "took", value, operation->begin, operation->end);
	}
	return text;
}
