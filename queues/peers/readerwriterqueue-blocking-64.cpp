/* readerwriterqueue-blocking-64: readerwriterqueue-blocking with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "readerwriterqueue-blocking.cpp"
