/* zmq-tcp: libzmq over TCP on the loopback, through a thread of its own. */
#define ZMQ_PRODUCER ZMQ_PUSH
#define ZMQ_CONSUMER ZMQ_PULL
#define ZMQ_ADDRESS "tcp://127.0.0.1:*"
#include "zmq_socket.h"

QUEUE_TABLE(zmq_tcp) = {
	.contract = QUEUE_CONTRACT,
	.name = "zmq-tcp",
	.summary = "libzmq PUSH and PULL over tcp: zmq_send, zmq_recv",
	.source = ZMQ_PEER_SOURCE,
	.traits = {ZMQ_PEER_TRAITS, .shape = QUEUE_SPSC, .producers_max = 1},
	PEER_OPERATIONS,
};
