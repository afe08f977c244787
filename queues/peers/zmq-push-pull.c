/* zmq-push-pull: libzmq's sockets for many producers and one consumer, within the process. */
#define ZMQ_PRODUCER ZMQ_PUSH
#define ZMQ_CONSUMER ZMQ_PULL
#define ZMQ_ADDRESS "inproc://twopoint"
#include "zmq_socket.h"

QUEUE_TABLE(zmq_push_pull) = {
	.contract = QUEUE_CONTRACT,
	.name = "zmq-push-pull",
	.summary = "libzmq PUSH and PULL over inproc: zmq_send, zmq_recv",
	.source = ZMQ_PEER_SOURCE,
	.traits = {ZMQ_PEER_TRAITS, .shape = QUEUE_MPSC},
	PEER_OPERATIONS,
};
