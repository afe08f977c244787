/* The machine as the operating system shows it: CPUs that may be used, and how each two of them are related.
 *
 * CPU numbers are the operating system's everywhere; hwloc's logical numbers never leave this folder. */
#ifndef PINNING_TOPOLOGY_H
#define PINNING_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

enum { TOPOLOGY_TEXT = 256 };

struct topology; /* owned by the caller of topology_load(), ended by topology_free() */

struct topology_facts {
	unsigned packages, cores, cpus, numa_nodes; /* counted over the online CPUs; packages 0: not reported */
	unsigned cache_line_bytes;                  /* 0: not reported */
	size_t l1d_bytes, l2_bytes, l3_bytes;       /* of one instance; 0: none reported */
	unsigned core_kinds;                        /* 1 where all cores are alike */
	bool this_machine;                          /* false: read from HWLOC_XMLFILE or HWLOC_SYNTHETIC */
};

/* Reads the machine, or what HWLOC_XMLFILE or HWLOC_SYNTHETIC describes. On this machine the usable CPUs are
 * online, in the cpuset and in the affinity mask of the calling thread; on a described one they are all online CPUs
 * that the description does not forbid. A description that cannot be read is an error (hwloc would go on in silence
 * with the real machine). Returns 0, or -errno with the reason in error. */
int topology_load(struct topology **topology, char error[TOPOLOGY_TEXT]);
void topology_free(struct topology *topology);

void topology_facts(const struct topology *topology, struct topology_facts *facts);

/* The usable CPUs, ascending; the array belongs to the topology. */
const int *topology_cpus(const struct topology *topology, size_t *count);
bool topology_has_cpu(const struct topology *topology, int cpu);

/* The NUMA node that a CPU belongs to, by the operating system's number; -1: unknown. */
int topology_node(const struct topology *topology, int cpu);

/* The NUMA nodes, by the operating system's numbers, ascending, those without CPUs among them; the array belongs to the topology. */
const int *topology_nodes(const struct topology *topology, size_t *count);

/* Where an online CPU lies. Two CPUs share a thing if its numbers are equal and not -1, which is: not reported. Apart
 * from cpu and node, which are the operating system's, the numbers mean nothing else. */
struct topology_place {
	int cpu, core, l2, l3, node, package, kind;
	bool usable;
};

/* The places of all online CPUs, usable or not, by ascending CPU; the array belongs to the topology. */
const struct topology_place *topology_places(const struct topology *topology, size_t *count);
/* The place of one online CPU; NULL if it is not online. */
const struct topology_place *topology_place(const struct topology *topology, int cpu);

/* A kind of core, 0 to core_kinds - 1: "E" and "P" where there are two and it is known which has the more power; else
 * its number, weakest first where that is known. */
enum { TOPOLOGY_KIND = 12 };
char *topology_kind_text(const struct topology *topology, int kind, char text[TOPOLOGY_KIND]);

/* The usable CPUs as text: "0-3,8"; what does not fit is cut and ends in "...". Returns text. */
char *topology_cpus_text(const struct topology *topology, char *text, size_t size);

#endif
