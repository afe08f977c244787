/* Whether a queue's table has the form that the contract asks for: looked at without calling the queue. */
#ifndef QUEUES_CHECK_FORM_H
#define QUEUES_CHECK_FORM_H

#include "queue.h"

enum { FORM_NAME_MAX = 32, FORM_TEXT = 256 };

/* That it is made for this contract, bears a name, and has the operations that its traits announce, and no others. False: why not. */
bool form_has_table(const struct queue *queue, char why[FORM_TEXT]);

/* That its traits are within the contract's bounds and don't contradict each other. False: why not. */
bool form_has_traits(const struct queue_traits *traits, char why[FORM_TEXT]);

#endif
