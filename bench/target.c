/* One queue and its measured loops. Compiled once per line of queues.def, with TARGET_FILE (the queue's file) and TARGET (the
 * name of what it exports). */
#define QUEUE_TABLE(symbol) static const struct queue target_table
#include TARGET_FILE

#include "loop_table.h"

extern const struct target TARGET;
const struct target TARGET = LOOP_TABLE;
