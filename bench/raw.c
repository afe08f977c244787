#include "raw.h"

#include <errno.h>
#include <inttypes.h>

#include "message.h"

/* A line for each stamped message at each endpoint. What an endpoint does not stamp stays empty. */
static const char columns[] = "trial,actor,queue,role,producer,sequence,intended,write,flush,preread,read,handled\n";

int raw_create(const char *path)
{
	FILE *file = fopen(path, "wxe");
	int failed;

	if (!file)
		return -errno;
	failed = fputs(columns, file) < 0;
	return fclose(file) || failed ? -errno : 0;
}

/* Ticks since the trial's start, after a comma; it may have come before that. */
static void put_time(FILE *file, const struct trial *trial, bool known, uint64_t ticks)
{
	if (known)
		fprintf(file, ",%" PRId64, (int64_t)(ticks - trial->start));
	else
		putc(',', file);
}

static void put_stamp(FILE *file, const struct trial *trial, const struct trial_endpoint *end, bool producer, size_t i)
{
	const struct stamps *stamps = &end->account.stamps;
	const struct stamp *stamp = &stamps->at[i];
	bool outmost = stamps->outmost;
	uint64_t outmost_ticks = outmost ? stamps->outmost[i] : 0;

	fprintf(file, "%" PRIu64 ",%u,%u,%s,%u,%" PRIu64, trial->request->id, end->actor, end->queue, producer ? "producer" : "consumer",
		trial->fan && !producer ? (unsigned)(stamp->sequence >> MESSAGE_SEQUENCE_BITS) : end->plan.producer,
		message_sequence(stamp->sequence));
	put_time(file, trial, producer && outmost, outmost_ticks);
	put_time(file, trial, producer, stamp->outer);
	put_time(file, trial, producer && end->plan.inner, stamp->inner);
	put_time(file, trial, !producer && end->plan.inner, stamp->inner);
	put_time(file, trial, !producer, stamp->outer);
	put_time(file, trial, !producer && outmost, outmost_ticks);
	putc('\n', file);
}

int raw_append(const struct trial *trial)
{
	FILE *file;
	int failed;

	if (!*trial->request->raw)
		return 0;
	file = fopen(trial->request->raw, "ae");
	if (!file)
		return -errno;
	for (unsigned actor = 0; actor < trial->actor_count; actor++)
		for (int consumer = 0; consumer < 2; consumer++) {
			const struct trial_endpoint *end = consumer ? &trial->actors[actor].in : &trial->actors[actor].out;

			for (size_t i = 0; end->used && i < end->account.stamps.count && !ferror(file); i++)
				put_stamp(file, trial, end, !consumer, i);
		}
	failed = ferror(file) ? errno : 0;
	if (fclose(file) && !failed)
		failed = errno;
	return failed ? -failed : 0;
}
