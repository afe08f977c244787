/* nng-tcp: a pair of nng's sockets over TCP on the loopback. */
#define NNG_LISTEN "tcp://127.0.0.1:%d"
#define NNG_FIRST (20000 + (int)getpid() % 40 * NNG_NAMES)
#include "nng_socket.h"

QUEUE_TABLE(nng_tcp) = {
	.contract = QUEUE_CONTRACT,
	.name = "nng-tcp",
	.summary = "nng pair0 over tcp: nng_send, nng_recv",
	.source = NNG_PEER_SOURCE,
	.traits = NNG_PEER_TRAITS,
	PEER_OPERATIONS,
};
