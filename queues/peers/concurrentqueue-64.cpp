/* concurrentqueue-64: concurrentqueue with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "concurrentqueue.cpp"
