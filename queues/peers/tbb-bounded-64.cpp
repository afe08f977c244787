/* tbb-bounded-64: tbb-bounded with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "tbb-bounded.cpp"
