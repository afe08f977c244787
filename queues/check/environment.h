/* What is asked of the checks by the environment. */
#ifndef CHECK_ENVIRONMENT_H
#define CHECK_ENVIRONMENT_H

#include <stdint.h>

/* The number, `least` or more, that the variable holds; 1 where it is not set. One that holds anything else ends the process with status 2
 * and the reason on stderr: other cases than those that were asked for would be no answer. */
uint64_t environment_number(const char *name, uint64_t least);

#endif
