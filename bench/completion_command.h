/* twopoint completion: what a shell completes its command line by, made from the table of options. */
#ifndef BENCH_COMPLETION_COMMAND_H
#define BENCH_COMPLETION_COMMAND_H

/* Prints it. Returns the exit status. */
int completion_main(void);

#endif
