/* zmq-inproc: a pair of libzmq's sockets within the process. */
#define ZMQ_PRODUCER ZMQ_PAIR
#define ZMQ_CONSUMER ZMQ_PAIR
#define ZMQ_ADDRESS "inproc://twopoint"
#include "zmq_socket.h"

QUEUE_TABLE(zmq_inproc) = {
	.contract = QUEUE_CONTRACT,
	.name = "zmq-inproc",
	.summary = "libzmq PAIR over inproc: zmq_send, zmq_recv",
	.source = ZMQ_PEER_SOURCE,
	.traits = {ZMQ_PEER_TRAITS, .shape = QUEUE_SPSC, .producers_max = 1},
	PEER_OPERATIONS,
};
