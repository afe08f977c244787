/* ypipe whose flush publishes without a release. */
#define QUEUE_TABLE(symbol) const struct queue broken_##symbol##_relaxed
#include "queue.h"

#undef exchange_acq_rel
#define exchange_acq_rel(address, value) __atomic_exchange_n(address, value, __ATOMIC_RELAXED)
#include "spsc/ypipe.c"
