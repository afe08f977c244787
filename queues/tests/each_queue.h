/* A test program that has one test for each queue of the list. */
#ifndef QUEUES_TESTS_EACH_QUEUE_H
#define QUEUES_TESTS_EACH_QUEUE_H

#include "cases.h"

/* main()'s: runs the test, *state of which is the queue, for all queues, or for those that are named. */
int each_queue_run(const char *group, void (*test)(void **state), int argc, char **argv);

/* A test's: all cases of a queue, by stress_run() or histories_run(). TWOPOINT_STRESS=N: N times as many; TWOPOINT_SEED=N: others. */
void each_queue_run_cases(const struct queue *queue, struct verdict (*run_case)(const struct check_case *drawn));

#endif
