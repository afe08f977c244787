/* readerwriter-circular-64: readerwriter-circular with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "readerwriter-circular.cpp"
