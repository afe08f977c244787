/* The headers that a plug-in is made of, as C++: a queue and its loops, whose table comes after them. */
#define QUEUE_TABLE(symbol) const struct queue table::target_table

#include "queue.h"

#include "atomic.h"
#include "clock.h"
#include "copy.h"
#include "endpoint.h"
#include "message.h"
#include "stream.h"
#include "wait.h"

namespace { namespace table { extern const struct queue target_table; } }
using table::target_table;

#include "loops.h"

#include "spsc/ring.c"
