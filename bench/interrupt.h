/* A signal that asks a command to end: noted, for the command to look at between two steps. */
#ifndef BENCH_INTERRUPT_H
#define BENCH_INTERRUPT_H

#include <signal.h>

/* The signal's number, or 0: the one thing that the handler touches. */
extern volatile sig_atomic_t interrupted;

/* From here on the first SIGINT, SIGTERM or SIGHUP is noted; a second one finds the default action. */
void interrupt_catch(void);

#endif
