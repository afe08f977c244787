/* readerwriterqueue-blocking: one producer, one consumer, which sleeps. */
#define READERWRITER_BLOCKING 1
#include "readerwriter_queue.h"

QUEUE_TABLE(readerwriterqueue_blocking) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("readerwriterqueue-blocking"),
	.summary = "moodycamel::BlockingReaderWriterQueue: enqueue, wait_dequeue",
	.source = READERWRITER_SOURCE,
	.traits = {READERWRITER_TRAITS},
	PEER_OPERATIONS,
};
