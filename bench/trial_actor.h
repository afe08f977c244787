/* What a trial's actors are given, and what they do. */
#ifndef BENCH_TRIAL_ACTOR_H
#define BENCH_TRIAL_ACTOR_H

#include "trial.h"

/* Whether one thread holds both ends. In trial_plan.c. */
bool trial_single(const struct trial *trial);
/* Who is at which end of which queue, and how it is to go about it. In trial_plan.c. */
void trial_plan_endpoints(struct trial *trial);

/* In trial_memory.c, called by the actor that is to own the memory. False: the actor's error tells why. */
bool trial_open_queues(struct trial *trial, struct trial_actor *actor);
bool trial_open_stamps(struct trial_actor *actor);

/* In trial_actor.c. An actor's thread: prepares, meets the others, measures. */
void *trial_run_actor(void *argument);
/* An actor failed: nobody is to wait for it. */
void trial_fail(struct trial *trial);

#endif
