/* readerwriterqueue-64: readerwriterqueue with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "readerwriterqueue.cpp"
