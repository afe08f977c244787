/* boost-spsc-64: boost-spsc with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "boost-spsc.cpp"
