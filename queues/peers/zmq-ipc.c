/* zmq-ipc: libzmq over a Unix socket, through a thread of its own. */
#define ZMQ_PRODUCER ZMQ_PUSH
#define ZMQ_CONSUMER ZMQ_PULL
#define ZMQ_ADDRESS "ipc://*"
#include "zmq_socket.h"

QUEUE_TABLE(zmq_ipc) = {
	.contract = QUEUE_CONTRACT,
	.name = "zmq-ipc",
	.summary = "libzmq PUSH and PULL over ipc: zmq_send, zmq_recv",
	.source = ZMQ_PEER_SOURCE,
	.traits = {ZMQ_PEER_TRAITS, .shape = QUEUE_SPSC, .producers_max = 1},
	PEER_OPERATIONS,
};
