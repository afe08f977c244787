/* `twopoint check`: whether queues are right, apart from how fast they are. */
#ifndef BENCH_CHECK_COMMAND_H
#define BENCH_CHECK_COMMAND_H

#include <jansson.h>

#include "cases.h"
#include "options.h"

enum check_kind { CHECK_CONFORMANCE, CHECK_STRESS, CHECK_HISTORIES, CHECK_KINDS }; /* as check_names has them */

/* Returns the exit status. */
int check_main(const struct options *options);

/* `twopoint check-queue REQUEST`: the process that one queue is checked in, for one kind of check; the command's process never calls a
 * queue. Prints what check_queue() returns. */
int check_queue_main(const char *request);

/* Checks a queue, wherever its table comes from. The caller has no threads. told: {queue, plugin}, as it was asked for, where failures are
 * told on stderr as soon as they are found; NULL: they are not. Returns
 * {passed, not_applicable, failed, cases, failures: [{check, text, again}], skipped: [{check, why}]}, a new reference. */
json_t *check_queue(const struct queue *queue, enum check_kind kind, const struct check_plan *plan, json_t *told);

#endif
