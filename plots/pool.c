#include "pool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_edge(const void *left, const void *right)
{
	const struct record_bucket *a = left, *b = right;

	return (a->upper_edge_ns > b->upper_edge_ns) - (a->upper_edge_ns < b->upper_edge_ns);
}

static bool is_that(const struct record_latency *latency, const struct summary_latency *wanted_latency)
{
	return latency->from_actor == wanted_latency->from_actor && latency->from_queue == wanted_latency->from_queue &&
	       latency->to_actor == wanted_latency->to_actor && latency->to_queue == wanted_latency->to_queue &&
	       !strcmp(latency->from_point, wanted_latency->from_point) &&
	       !strcmp(latency->to_point, wanted_latency->to_point);
}

static int pool_add(struct pool *pool, struct record_bucket *buckets, size_t count, uint64_t beyond)
{
	struct record_bucket *grown = realloc(pool->buckets, (pool->count + count) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	pool->buckets = grown;
	memcpy(grown + pool->count, buckets, count * sizeof(*grown));
	pool->count += count;
	for (size_t i = 0; i < count; i++)
		pool->samples += buckets[i].count;
	pool->beyond += beyond;
	return 0;
}

int pool_fill(struct pool *pool, struct sheet *sheet, const struct record *record, const struct summary_row *row,
	      const struct summary_latency *latency)
{
	char error_text[RECORD_TEXT];

	for (size_t t = 0; t < row->trials; t++) {
		const struct record_trial *trial = row->members[t];

		if (summary_trial_fell_behind(trial)) {
			pool->behind++;
			continue;
		}
		for (size_t l = 0; l < trial->latency_count; l++) {
			struct record_bucket *buckets = NULL;
			long count = 0;
			int error = 0;

			if (!is_that(&trial->latencies[l], latency))
				continue;
			count = record_histogram(record, trial, l, &buckets, error_text);
			if (count < 0) {
				sheet_complain(sheet, "%s", error_text);
				return (int)count;
			}
			if (count > 0)
				error = pool_add(pool, buckets, (size_t)count, trial->latencies[l].beyond);
			free(buckets);
			if (error)
				return error;
		}
	}
	if (pool->count)
		qsort(pool->buckets, pool->count, sizeof(*pool->buckets), by_edge);
	return 0;
}

double pool_percentile(const struct pool *pool, double p)
{
	double rank = ceil(p * (double)pool->samples);
	uint64_t below = 0;

	if (rank > (double)(pool->samples - pool->beyond))
		return NAN;
	for (size_t i = 0; i < pool->count; i++) {
		below += pool->buckets[i].count;
		if (below && (double)below >= rank)
			return pool->buckets[i].upper_edge_ns;
	}
	return NAN;
}

size_t pool_points(const struct pool *pool, struct pool_point points[POOL_POINTS_MOST])
{
	double most = (double)pool->samples / POOL_BEYOND_LEAST;
	size_t count = 0;

	for (int step = 0; count + 2 <= POOL_POINTS_MOST; step++) {
		double tail = pow(10, (double)step / POOL_STEPS_A_DECADE), next = pow(10, (double)(step + 1) / POOL_STEPS_A_DECADE);

		if (tail > most * (1 + 1e-9))
			break;
		points[count++] = (struct pool_point){ tail, pool_percentile(pool, 1 - 1 / tail), step % POOL_STEPS_A_DECADE == 0 && step };
		if (tail < 2 && next > 2)
			points[count++] = (struct pool_point){ 2, pool_percentile(pool, 0.5), true };
	}
	return count;
}

void pool_free(struct pool *pool)
{
	free(pool->buckets);
	*pool = (struct pool){ 0 };
}
