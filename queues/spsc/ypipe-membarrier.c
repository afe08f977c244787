/* ypipe-membarrier: ypipe whose flush is a plain store; the reader that goes to sleep pays for the order.
 *
 * Source: the pipe of ØMQ (Martin Sustrik, 2009), woken by an asymmetric pair of barriers (D. Dice, H. Huang and M. Yang, 2001) by means
 * of membarrier(2) (Mathieu Desnoyers, 2015).
 * Promise: as ypipe.
 *
 * How it works. As ypipe (its file tells), but whether the reader sleeps is told by a word of its own. flush stores the count, then
 * loads `asleep`, with nothing between the two but that the compiler keeps their order: the processor may load first. Before it sleeps
 * the reader stores `asleep`, asks the kernel for a barrier in each running thread of the process, and looks once more. The writer's
 * thread passes that barrier either after its store, which the reader's last look then finds, or before its load, which then finds the
 * reader. A flush that finds somebody asleep takes the word back by an exchange: once per sleep.
 *
 * Where the kernel refuses membarrier when the queue is created (too old, or forbidden by a filter), each flush is an exchange on
 * `asleep` instead; describe() says so. The same goes for builds with ThreadSanitizer, which knows nothing of membarrier: it checks the
 * exchange only. That membarrier suffices is shown by tests/membarrier.pml, by the interleaver over this file, and tried by the stress
 * test.
 *
 * Limits: as ypipe. Falling asleep interrupts each CPU that runs a thread of this process. Both ends belong to one process. A flush that
 * comes while the reader is about to sleep tells of a sleeper, though that finds the message and stays awake: a needless wake-up. Should
 * the kernel begin to refuse while the queue is in use, the reader does not sleep: it polls.
 */
#include <inttypes.h>
#include <stdio.h>

#include "membarrier.h"

#define YPIPE_SPARES 0
/* both: SLEEPER by the reader, taken back by either side; EXCHANGES from the start or never */
#define YPIPE_FIELDS uint32_t asleep QUEUE_ALIGNED;
#include "ypipe_core.h"

enum {
	SLEEPER = 1,
	EXCHANGES = 2, /* there is no membarrier: each flush exchanges the word */
};

static int membarrier_create(const struct queue_config *config, void **instance)
{
	int status = ypipe_create(config, instance);

	if (!status && !membarrier_register())
		((struct ypipe *)*instance)->asleep = EXCHANGES;
	return status;
}

QUEUE_INLINE enum queue_flush membarrier_flush(void *producer)
{
	struct writer *writer = producer;
	uint32_t seen;

	if (writer->written == writer->flushed)
		return QUEUE_FLUSHED;
	writer->flushed = writer->written;
	/* P0 release: pairs with P1 in ypipe_preread(): makes the slots' contents and the chunks' links visible. */
	store_release(&writer->pipe->published, writer->written);
	membarrier_here(); /* M0: pairs with M1 in membarrier_sleep(), which makes it a barrier when it matters */
	/* relaxed: M0 orders it; what else is learnt from the reader, A0 acquires. */
	seen = load_relaxed(&writer->pipe->asleep);
	if (queue_likely(!seen))
		return QUEUE_FLUSHED;
	/* A0 acq_rel: pairs with A1 and A2 in membarrier_sleep(): what the reader did before it fell asleep comes before its being woken.
	 * Without membarrier the two sides' exchanges are what keeps a wake-up from getting lost: the reader's comes first, and this one
	 * finds it, or it comes second, and the reader's last look finds the message. */
	seen = exchange_acq_rel(&writer->pipe->asleep, seen & EXCHANGES);
	return seen & SLEEPER ? QUEUE_FLUSHED_READER_SLEEPS : QUEUE_FLUSHED;
}

static QUEUE_COLD bool membarrier_sleep(void *consumer)
{
	struct reader *reader = consumer;
	struct ypipe *pipe = reader->pipe;
	/* relaxed: only EXCHANGES counts, which never changes. */
	uint32_t exchanges = load_relaxed(&pipe->asleep) & EXCHANGES;

	/* A1 acq_rel: pairs with A0 in membarrier_flush(). */
	exchange_acq_rel(&pipe->asleep, exchanges | SLEEPER);
	/* M1: pairs with M0 in membarrier_flush(): behind it either the writer's next look finds SLEEPER, or this one finds its message.
	 * relaxed: only compared; what may be read is learnt by the next preread(). */
	if ((exchanges || membarrier_all()) && load_relaxed(&pipe->published) == reader->noted)
		return true;
	/* A2 acquire: pairs with A0. No plain store: it could hide from the next announcement what a flush exchanged before. */
	exchange_acquire(&pipe->asleep, exchanges);
	return false;
}

static void membarrier_describe(const void *instance, char *text, size_t size)
{
	const struct ypipe *pipe = instance;
	/* relaxed: a look at what others are using */
	uint32_t asleep = load_relaxed(&pipe->asleep);

	snprintf(text, size, "flushed %" PRIu64 ", reader %s, %s", load_relaxed(&pipe->published) / MESSAGE,
		 asleep & SLEEPER ? "asleep" : "awake",
		 asleep & EXCHANGES ? "an exchange per flush: membarrier is refused" : "woken by membarrier");
}

QUEUE_TABLE(ypipe_membarrier) = {
	.contract = QUEUE_CONTRACT,
	.name = "ypipe-membarrier",
	.summary = "ypipe whose flush is a plain store: the reader that goes to sleep pays for the order",
	.source = "ypipe; asymmetric barriers: D. Dice, H. Huang, M. Yang, 2001; membarrier(2): M. Desnoyers, 2015",
	.traits = {.role = QUEUE_ORDINARY, YPIPE_TRAITS},
	.footprint = ypipe_footprint,
	.create = membarrier_create,
	.destroy = ypipe_destroy,
	.producer = ypipe_producer,
	.consumer = ypipe_consumer,
	.prewrite_span = ypipe_prewrite_span,
	.flush = membarrier_flush,
	.preread = ypipe_preread,
	.read_span = ypipe_read_span,
	.sleep = membarrier_sleep,
	.describe = membarrier_describe,
};
