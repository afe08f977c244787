/* What this program was built from and with. */
#ifndef BENCH_BUILD_FACTS_H
#define BENCH_BUILD_FACTS_H

extern const char build_version[], build_commit[], build_compiler[], build_flags[];
extern const char build_loop_flags[]; /* those that the queues and their loops were compiled with */

#endif
