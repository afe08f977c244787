/* tbb-queue-64: tbb-queue with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "tbb-queue.cpp"
