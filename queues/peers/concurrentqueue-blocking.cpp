/* concurrentqueue-blocking: any number of producers and consumers, which sleep. */
#define CONCURRENT_BLOCKING 1
#include "concurrent_queue.h"

QUEUE_TABLE(concurrentqueue_blocking) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("concurrentqueue-blocking"),
	.summary = "moodycamel::BlockingConcurrentQueue: tokens, enqueue_bulk, wait_dequeue_bulk",
	.source = CONCURRENT_SOURCE,
	.traits = {CONCURRENT_TRAITS},
	PEER_OPERATIONS,
};
