/* Recorded histories: threads write and read a queue, note when each of their operations began and ended, and history.h judges them.
 *
 * The clock is one shared counter, raised by an atomic addition before and after each operation. If one operation's end is less than
 * another's begin, the one addition happens before the other, and with it, by the memory model alone, all that the first operation did
 * before all that the second one does: on any machine a queue that is right can't be called wrong, and stamps never tie. A clock of the
 * machine's could not promise that: two CPUs' differ by an unknown offset, and a store may still be on its way out when the stamp behind it
 * is taken, so that it would need a margin and a fence. What the counter costs: it is a fence and a shared line between operations, so it
 * hides what goes wrong only where nothing orders the threads: stores that pass each other, stores without a release. That is left
 * to stress (which has no clock), to ThreadSanitizer, and to models. Within an operation, between its two stamps, nothing is ordered. */
#ifndef QUEUES_CHECK_HISTORIES_H
#define QUEUES_CHECK_HISTORIES_H

#include "cases.h"

/* Records one case's history, in a process of its own, and checks it. The endpoints do not sleep, however the case says that they wait.
 * A failure's text begins with the case. */
struct verdict histories_run(const struct check_case *drawn);

#endif
