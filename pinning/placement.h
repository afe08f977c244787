/* Placements: pairs of CPUs named by how they are related, nearest first.
 *
 * A pair has one relation, that of the nearest thing that its CPUs share:
 *
 *	same-cpu       they are one CPU
 *	smt            threads of one core
 *	same-l2        different cores, one L2 cache
 *	same-l3        no common L2, one L3 cache
 *	same-node      no common cache, one NUMA node of one package
 *	same-package   no common cache, one package, different NUMA nodes
 *	cross-package  different packages, one NUMA node (it spans them)
 *	cross-node     different packages, different NUMA nodes
 *
 * Where a machine has several kinds of core, a relation is split by kind ("same-l3:P", "same-l3:E", "same-l3:E-P"),
 * so that kinds are never mixed into one cell. */
#ifndef PINNING_PLACEMENT_H
#define PINNING_PLACEMENT_H

#include "topology.h"

enum { PLACEMENT_NAME = 32 };

/* The names of the relations, nearest first, ended by NULL. */
extern const char *const placement_relations[];

struct placement {
	char name[PLACEMENT_NAME]; /* the relation, with ":KIND" or ":KIND-KIND" after it where kinds of core differ */
	bool present;
	int cpus[2];                /* one pair that has this relation, if present */
	size_t pairs;               /* how many unordered pairs have it */
	char reason[TOPOLOGY_TEXT]; /* why it is absent; empty if present */
};

/* All relations, nearest first, the absent ones with their reason. *placements is allocated; the caller frees it.
 * Returns their number, or -errno. */
long placement_list(const struct topology *topology, struct placement **placements);

/* The nearest two usable CPUs that are two: those that a run takes by default. False: there are none. */
bool placement_nearest_pair(const struct topology *topology, int cpus[2]);

/* CPUs for `actors` actors (>= 1) under a placement's name. "nearest" is the nearest pair of distinct cores; smt where
 * only one core, same-cpu where only one CPU may be used. Where kinds of core differ, a bare relation ("same-l3") takes
 * the first kind of core that has it, strongest first, then mixed ones.
 * More than two actors: further CPUs are taken so that each has the named relation to the first (under "nearest": those
 * of the same kind first, then the nearest), threads of cores not yet taken first, where there are such; else CPUs are
 * used again in turn. Fills cpus[actors] and the name that was settled on, which is that of placement_name(); one actor
 * alone is same-cpu. Returns 0, or -errno with the reason (which names what is allowed) in error. */
int placement_choose(const struct topology *topology, const char *name, size_t actors, int *cpus,
		     char chosen[PLACEMENT_NAME], char error[TOPOLOGY_TEXT]);

/* The name of the relation of two CPUs; for a list of more than two, that of its farthest pair, with the weakest and
 * the strongest kind of core in the list. Returns 0, or -errno where a CPU is not usable, with the usable
 * ones in error. */
int placement_name(const struct topology *topology, const int *cpus, size_t count, char name[PLACEMENT_NAME],
		   char error[TOPOLOGY_TEXT]);

#endif
