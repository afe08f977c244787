/* Contended stress: threads that write and read a queue with random batches and pauses, and wait as wait.h says. */
#ifndef QUEUES_CHECK_STRESS_H
#define QUEUES_CHECK_STRESS_H

#include "cases.h"

/* Runs one case in a process of its own. Nothing may be lost, read twice, invented, torn, or out of its producer's order; of a lossy
 * queue values must only never go backwards, and of a multicast one all this holds for each consumer. A failure's text begins with the
 * case. */
struct verdict stress_run(const struct check_case *drawn);

#endif
