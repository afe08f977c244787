/* See topology.h. hwloc is asked once, in topology_load(); what is kept is one place a CPU. */
#include "topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pin.h"

struct topology {
	struct topology_facts facts;
	struct topology_place *places; /* of the online CPUs, ascending */
	size_t place_count;
	int *cpus; /* the usable ones, ascending */
	size_t cpu_count;
	int *nodes; /* of memory, by the operating system's numbers, ascending */
	size_t node_count;
	bool kinds_ranked; /* kinds are ordered by power */
};

static bool variable_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static int index_above(hwloc_topology_t machine, hwloc_obj_type_t type, hwloc_obj_t pu)
{
	hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(machine, type, pu);

	return object ? (int)object->logical_index : -1;
}

/* The NUMA node with the fewest CPUs around this one; of equals (DRAM and HBM of one place) the first. */
static int node_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
	hwloc_obj_t node = NULL, nearest = NULL;

	while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node))) {
		if (!hwloc_bitmap_isset(node->cpuset, pu->os_index))
			continue;
		if (!nearest || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(nearest->cpuset))
			nearest = node;
	}
	return nearest ? (int)nearest->os_index : -1;
}

static int place_compare(const void *left, const void *right)
{
	const struct topology_place *a = left, *b = right;

	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static int read_places(struct topology *topology, hwloc_topology_t machine)
{
	hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(machine);
	hwloc_obj_t pu = NULL;
	int count = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);

	topology->places = calloc(count > 0 ? (size_t)count : 1, sizeof(*topology->places));
	if (!topology->places)
		return -ENOMEM;
	while ((pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)))
		topology->places[topology->place_count++] = (struct topology_place){
			.cpu = (int)pu->os_index,
			.core = index_above(machine, HWLOC_OBJ_CORE, pu),
			.l2 = index_above(machine, HWLOC_OBJ_L2CACHE, pu),
			.l3 = index_above(machine, HWLOC_OBJ_L3CACHE, pu),
			.node = node_of(machine, pu),
			.package = index_above(machine, HWLOC_OBJ_PACKAGE, pu),
			.usable = hwloc_bitmap_isset(allowed, pu->os_index),
		};
	qsort(topology->places, topology->place_count, sizeof(*topology->places), place_compare);
	return 0;
}

/* Gives the CPUs of one set the next free kind, if any of them is online. */
static bool mark_kind(struct topology *topology, hwloc_const_cpuset_t set)
{
	bool any = false;

	for (size_t i = 0; i < topology->place_count; i++) {
		struct topology_place *place = &topology->places[i];
		if (place->kind >= 0 || (set && !hwloc_bitmap_isset(set, (unsigned)place->cpu)))
			continue;
		place->kind = (int)topology->facts.core_kinds;
		any = true;
	}
	topology->facts.core_kinds += any;
	return any;
}

/* Kinds come weakest first where hwloc could rank them. CPUs of no kind are one more. */
static int read_kinds(struct topology *topology, hwloc_topology_t machine)
{
	int efficiency, kinds = hwloc_cpukinds_get_nr(machine, 0);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (!set)
		return -ENOMEM;
	for (size_t i = 0; i < topology->place_count; i++)
		topology->places[i].kind = -1;
	topology->kinds_ranked = true;
	for (int kind = 0; kind < kinds; kind++) {
		if (hwloc_cpukinds_get_info(machine, (unsigned)kind, set, &efficiency, NULL, NULL, 0))
			continue;
		if (mark_kind(topology, set) && efficiency < 0)
			topology->kinds_ranked = false;
	}
	if (mark_kind(topology, NULL))
		topology->kinds_ranked = false;
	hwloc_bitmap_free(set);
	return 0;
}

/* The size of the largest instance; line_bytes, if asked for, is that of its lines. */
static size_t cache_bytes(hwloc_topology_t machine, hwloc_obj_type_t type, unsigned *line_bytes)
{
	hwloc_obj_t cache = NULL;
	size_t bytes = 0;

	while ((cache = hwloc_get_next_obj_by_type(machine, type, cache))) {
		if (cache->attr->cache.size > bytes)
			bytes = (size_t)cache->attr->cache.size;
		if (line_bytes && cache->attr->cache.linesize > *line_bytes)
			*line_bytes = cache->attr->cache.linesize;
	}
	return bytes;
}

static bool node_has_cpu(const struct topology *topology, hwloc_obj_t node)
{
	for (size_t i = 0; i < topology->place_count; i++)
		if (topology->places[i].node == (int)node->os_index)
			return true;
	return false;
}

static void read_facts(struct topology *topology, hwloc_topology_t machine)
{
	struct topology_facts *facts = &topology->facts;
	int cores = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE);
	hwloc_obj_t node = NULL;

	facts->cpus = (unsigned)topology->place_count;
	facts->cores = cores > 0 ? (unsigned)cores : facts->cpus;
	facts->packages = (unsigned)hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PACKAGE);
	while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)))
		facts->numa_nodes += node_has_cpu(topology, node);
	facts->l1d_bytes = cache_bytes(machine, HWLOC_OBJ_L1CACHE, &facts->cache_line_bytes);
	facts->l2_bytes = cache_bytes(machine, HWLOC_OBJ_L2CACHE, &facts->cache_line_bytes);
	facts->l3_bytes = cache_bytes(machine, HWLOC_OBJ_L3CACHE, &facts->cache_line_bytes);
	facts->this_machine = hwloc_topology_is_thissystem(machine);
}

/* Also those that no CPU belongs to: slower or faster memory, or an expander. */
static int list_nodes(struct topology *topology, hwloc_topology_t machine)
{
	int count = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE), number;
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
	hwloc_obj_t node = NULL;

	topology->nodes = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof(*topology->nodes));
	if (!topology->nodes || !nodes) {
		hwloc_bitmap_free(nodes);
		return -ENOMEM;
	}
	while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)))
		hwloc_bitmap_set(nodes, node->os_index);
	hwloc_bitmap_foreach_begin(number, nodes)
		topology->nodes[topology->node_count++] = number;
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(nodes);
	return 0;
}

/* hwloc takes no account of the affinity mask. */
static int apply_affinity(struct topology *topology)
{
	int *allowed;
	size_t count, at = 0;
	int error = pin_allowed(&allowed, &count);

	if (error)
		return error;
	for (size_t i = 0; i < topology->place_count; i++) {
		struct topology_place *place = &topology->places[i];
		while (at < count && allowed[at] < place->cpu)
			at++;
		place->usable = place->usable && at < count && allowed[at] == place->cpu;
	}
	free(allowed);
	return 0;
}

static int list_usable(struct topology *topology)
{
	topology->cpus = calloc(topology->place_count + 1, sizeof(*topology->cpus));
	if (!topology->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < topology->place_count; i++)
		if (topology->places[i].usable)
			topology->cpus[topology->cpu_count++] = topology->places[i].cpu;
	return 0;
}

/* hwloc reads a description of a machine, and not the machine, if these say so. Of both it takes the file, if it can. NULL: neither does. */
static const char *describing_variable(void)
{
	return variable_is_set("HWLOC_XMLFILE") ? "HWLOC_XMLFILE" : variable_is_set("HWLOC_SYNTHETIC") ? "HWLOC_SYNTHETIC" : NULL;
}

/* Where a description can't be read, hwloc either fails or goes on with the real machine and says nothing; which, depends on its plugins. */
static bool description_ignored(hwloc_topology_t machine)
{
	return describing_variable() && !variable_is_set("HWLOC_THISSYSTEM") && hwloc_topology_is_thissystem(machine);
}

static int description_fail(char error[TOPOLOGY_TEXT])
{
	const char *name = describing_variable();

	snprintf(error, TOPOLOGY_TEXT, "%s: '%.80s' describes no machine that hwloc can read; allowed: %s", name, getenv(name),
		 strcmp(name, "HWLOC_SYNTHETIC") ? "a file of lstopo, as XML" : "as 'pack:1 core:2 pu:1'");
	return -EINVAL;
}

/* Disallowed CPUs are loaded too, so that it can be told what the machine has and we may not use. */
static int load_machine(hwloc_topology_t *machine, char error[TOPOLOGY_TEXT])
{
	int result = 0;

	if (hwloc_topology_init(machine)) {
		snprintf(error, TOPOLOGY_TEXT, "hwloc cannot start: %s", strerror(errno));
		return -ENOMEM;
	}
	if (hwloc_topology_set_flags(*machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) || hwloc_topology_load(*machine))
		result = -errno;
	if (result ? describing_variable() != NULL : description_ignored(*machine)) {
		result = description_fail(error);
	} else if (result) {
		snprintf(error, TOPOLOGY_TEXT, "hwloc cannot read the machine: %s", strerror(-result));
		result = -EIO;
	}
	if (result)
		hwloc_topology_destroy(*machine);
	return result;
}

int topology_load(struct topology **topology, char error[TOPOLOGY_TEXT])
{
	hwloc_topology_t machine;
	int result = load_machine(&machine, error);

	if (result)
		return result;
	struct topology *loaded = calloc(1, sizeof(*loaded));
	result = -ENOMEM;
	if (!loaded || (result = read_places(loaded, machine)) || (result = read_kinds(loaded, machine)))
		goto fail;
	read_facts(loaded, machine);
	if (loaded->facts.this_machine && (result = apply_affinity(loaded)))
		goto fail;
	if ((result = list_usable(loaded)) || (result = list_nodes(loaded, machine)))
		goto fail;
	result = -ENODEV;
	if (loaded->cpu_count == 0)
		goto fail;
	hwloc_topology_destroy(machine);
	*topology = loaded;
	return 0;
fail:
	if (result == -ENODEV)
		snprintf(error, TOPOLOGY_TEXT,
			 "no CPU may be used: none is online, in the cpuset and in the affinity mask");
	else
		snprintf(error, TOPOLOGY_TEXT, "cannot read the machine: %s", strerror(-result));
	hwloc_topology_destroy(machine);
	topology_free(loaded);
	return result;
}

void topology_free(struct topology *topology)
{
	if (!topology)
		return;
	free(topology->places);
	free(topology->cpus);
	free(topology->nodes);
	free(topology);
}

void topology_facts(const struct topology *topology, struct topology_facts *facts)
{
	*facts = topology->facts;
}

const int *topology_cpus(const struct topology *topology, size_t *count)
{
	*count = topology->cpu_count;
	return topology->cpus;
}

const struct topology_place *topology_places(const struct topology *topology, size_t *count)
{
	*count = topology->place_count;
	return topology->places;
}

const struct topology_place *topology_place(const struct topology *topology, int cpu)
{
	const struct topology_place key = {.cpu = cpu};

	return bsearch(&key, topology->places, topology->place_count, sizeof(key), place_compare);
}

bool topology_has_cpu(const struct topology *topology, int cpu)
{
	const struct topology_place *place = topology_place(topology, cpu);

	return place && place->usable;
}

const int *topology_nodes(const struct topology *topology, size_t *count)
{
	*count = topology->node_count;
	return topology->nodes;
}

int topology_node(const struct topology *topology, int cpu)
{
	const struct topology_place *place = topology_place(topology, cpu);

	return place ? place->node : -1;
}

char *topology_kind_text(const struct topology *topology, int kind, char text[TOPOLOGY_KIND])
{
	if (topology->facts.core_kinds == 2 && topology->kinds_ranked)
		snprintf(text, TOPOLOGY_KIND, "%s", kind == 0 ? "E" : "P");
	else
		snprintf(text, TOPOLOGY_KIND, "%d", kind);
	return text;
}

char *topology_cpus_text(const struct topology *topology, char *text, size_t size)
{
	return pin_cpus_text(topology->cpus, topology->cpu_count, text, size);
}
