/* nng-ipc: a pair of nng's sockets over a Unix socket. */
#define NNG_LISTEN "abstract://twopoint-%d"
#define NNG_FIRST ((int)(getpid() % 1000000) * NNG_NAMES)
#include "nng_socket.h"

QUEUE_TABLE(nng_ipc) = {
	.contract = QUEUE_CONTRACT,
	.name = "nng-ipc",
	.summary = "nng pair0 over ipc: nng_send, nng_recv",
	.source = NNG_PEER_SOURCE,
	.traits = NNG_PEER_TRAITS,
	PEER_OPERATIONS,
};
