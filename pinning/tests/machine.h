/* Described machines for the tests of topology and placement. */
#ifndef PINNING_TESTS_MACHINE_H
#define PINNING_TESTS_MACHINE_H

#include <stdlib.h>

#include "topology.h"

#define FIXTURES "pinning/tests/fixtures/"

/* 2 sockets, 8 L3 caches a socket, 8 cores of two threads to each. */
#define SOCKETS_2 "pack:2 [numa] l3:8 l2:8 core:1 pu:2"

static inline int machine_try(const char *variable, const char *value, struct topology **topology,
			      char error[TOPOLOGY_TEXT])
{
	setenv(variable, value, 1);
	int result = topology_load(topology, error);
	unsetenv(variable);
	return result;
}

static inline struct topology *machine_load(const char *variable, const char *value)
{
	char error[TOPOLOGY_TEXT] = "";
	struct topology *topology = NULL;

	if (machine_try(variable, value, &topology, error))
		fail_msg("%s=%s: %s", variable, value, error);
	return topology;
}

#endif
