/* For peers in C++: the peer is an object, and what it throws does not leave its file. */
#ifndef QUEUES_PEERS_PEER_CXX_H
#define QUEUES_PEERS_PEER_CXX_H

#include <new>

#include "queue.h"

/* As peer.h has it; a template, for the peer's object is not known yet. */
template <class object> static void peer_close(object *queue, const struct queue_config *config)
{
	(void)config;
	delete queue;
}

#include "peer.h"

/* NULL where its constructor found no memory. */
template <class object, class... parameters> static object *peer_new(parameters... given)
{
	try {
		return new object(given...);
	} catch (const std::bad_alloc &) {
		return nullptr;
	}
}

#endif
