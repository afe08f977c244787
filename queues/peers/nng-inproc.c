/* nng-inproc: a pair of nng's sockets within the process. */
#define NNG_LISTEN "inproc://twopoint-%d"
#define NNG_FIRST 0
#include "nng_socket.h"

QUEUE_TABLE(nng_inproc) = {
	.contract = QUEUE_CONTRACT,
	.name = "nng-inproc",
	.summary = "nng pair0 over inproc: nng_send, nng_recv",
	.source = NNG_PEER_SOURCE,
	.traits = NNG_PEER_TRAITS,
	PEER_OPERATIONS,
};
