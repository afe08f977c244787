/* Who is told apart from the best one: what `compare --baseline` says, made once for each queue that comes out best somewhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report_parts.h"

struct contest {
	const char *queue; /* the baseline, borrowed from the record */
	struct comparison comparison;
	struct contest *next;
};

struct report_contests {
	struct contest *first;
};

struct report_contests *report_contests_make(void)
{
	return calloc(1, sizeof(struct report_contests));
}

void report_contests_free(struct report_contests *contests)
{
	while (contests && contests->first) {
		struct contest *first = contests->first;

		contests->first = first->next;
		compare_free(&first->comparison);
		free(first);
	}
	free(contests);
}

/* NULL: out of memory. */
static const struct comparison *contest_of(const struct report_part *part, const char *queue)
{
	struct contest *contest = part->contests->first;

	while (contest && strcmp(contest->queue, queue))
		contest = contest->next;
	if (contest)
		return &contest->comparison;
	contest = calloc(1, sizeof(*contest));
	if (!contest)
		return NULL;
	if (compare_queues(&contest->comparison, (struct compare_input){part->record, part->summary}, queue, part->settings)) {
		free(contest);
		return NULL;
	}
	contest->queue = queue;
	contest->next = part->contests->first;
	part->contests->first = contest;
	return &contest->comparison;
}

/* The row of these two, in their regime and of the same quantity; or else the one that says why the other is held against nothing. */
static const struct compare_row *row_find(const struct comparison *comparison, const struct table_row *best, const struct table_row *other)
{
	enum compare_metric metric = report_is_time(best) ? COMPARE_TIME : COMPARE_RATE;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compare_row *row = &comparison->rows[i];

		if (!row->cell || row->cell->index != other->row->cell->index)
			continue;
		if (row->baseline_cell && row->baseline_cell->index != best->row->cell->index)
			continue;
		if (row->verdict == COMPARE_INCOMPARABLE)
			return row;
		if (row->metric == metric && !strcmp(row->regime, other->row->regime) &&
		    !strcmp(row->baseline_regime, best->row->regime))
			return row;
	}
	return NULL;
}

static const char *untested_reason(const struct record_cell *best, const struct record_cell *other)
{
	if (!strcmp(best->queue, other->queue))
		return "the same queue";
	if (best->batch != other->batch)
		return "another batch size";
	return "another capacity or wait, or another regime";
}

/* Without a default: whatever is added must be decided upon. */
static enum report_apart apart_of(enum compare_verdict verdict)
{
	switch (verdict) {
	case COMPARE_SLOWER:
		return REPORT_APART;
	case COMPARE_FASTER:
	case COMPARE_UNCHANGED:
	case COMPARE_BLIND:
		return REPORT_TOGETHER;
	case COMPARE_NOISY:
		return REPORT_NOISY;
	case COMPARE_TOO_FEW:
		return REPORT_TOO_FEW;
	case COMPARE_INCOMPARABLE:
	case COMPARE_VERDICTS:
		break;
	}
	return REPORT_UNTESTED;
}

int report_contest_judge(struct report_judgement *judgement, const struct report_part *part, const struct table_row *best,
			 const struct table_row *other)
{
	const struct record_cell *cell = other->row->cell;
	const struct comparison *comparison = contest_of(part, best->row->cell->queue);
	const struct compare_row *row = comparison ? row_find(comparison, best, other) : NULL;

	*judgement = (struct report_judgement){.apart = REPORT_UNTESTED, .reason = untested_reason(best->row->cell, cell)};
	if (!comparison)
		return -ENOMEM;
	/* of another batch compare's reason would be that of whatever cell comes nearest */
	if (row && cell->batch == best->row->cell->batch)
		*judgement = (struct report_judgement){.apart = apart_of(row->verdict), .reason = row->reason};
	return 0;
}
