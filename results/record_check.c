#include "record.h"

#include <stdlib.h>

/* What is read of a trial only where it is asked for. */
static int check_details(const struct record *record, const struct record_trial *trial, char *error)
{
	struct record_positions positions;
	struct record_slice slice;
	int found;

	for (size_t i = 0; i < trial->latency_count; i++) {
		struct record_bucket *buckets;
		long count = record_histogram(record, trial, i, &buckets, error);

		if (count < 0)
			return (int)count;
		free(buckets);
	}
	found = record_positions(record, trial, &positions, error);
	if (found > 0)
		record_positions_free(&positions);
	if (found < 0)
		return found;
	found = record_slice(record, trial, &slice, error);
	if (found > 0)
		record_slice_free(&slice);
	return found < 0 ? found : 0;
}

int record_check(const char *path, char *error)
{
	struct record record;
	int err = record_read(&record, path, error);

	if (err)
		return err;
	for (size_t i = 0; !err && i < record.trial_count; i++)
		err = check_details(&record, &record.trials[i], error);
	record_free(&record);
	return err;
}
