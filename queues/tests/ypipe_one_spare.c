/* ypipe that keeps one chunk for reuse: what the others' numbers of spares are held against. */
#define QUEUE_TABLE(symbol) const struct queue symbol
#define YPIPE_SPARES 1
#include "spsc/ypipe_core.h"

extern const struct queue ypipe_one_spare;

QUEUE_TABLE(ypipe_one_spare) = {
	.contract = QUEUE_CONTRACT,
	.name = "ypipe-one-spare",
	.summary = "ypipe that keeps one chunk for reuse",
	.source = "the pipe of ØMQ, M. Sustrik, 2009",
	.traits = {.role = QUEUE_ORDINARY, YPIPE_TRAITS},
	YPIPE_OPERATIONS,
};
