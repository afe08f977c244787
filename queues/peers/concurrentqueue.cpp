/* concurrentqueue: any number of producers and consumers, which poll. */
#define CONCURRENT_BLOCKING 0
#include "concurrent_queue.h"

QUEUE_TABLE(concurrentqueue) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("concurrentqueue"),
	.summary = "moodycamel::ConcurrentQueue: tokens, enqueue_bulk, try_dequeue_bulk",
	.source = CONCURRENT_SOURCE,
	.traits = {CONCURRENT_TRAITS},
	PEER_OPERATIONS,
};
