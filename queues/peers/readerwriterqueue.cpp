/* readerwriterqueue: one producer, one consumer, which polls. */
#define READERWRITER_BLOCKING 0
#include "readerwriter_queue.h"

QUEUE_TABLE(readerwriterqueue) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("readerwriterqueue"),
	.summary = "moodycamel::ReaderWriterQueue: enqueue, try_dequeue",
	.source = READERWRITER_SOURCE,
	.traits = {READERWRITER_TRAITS},
	PEER_OPERATIONS,
};
