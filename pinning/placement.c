/* See placement.h. Pairs are counted one by one and none is kept: the 720,000 of 1,200 CPUs take a few ms. */
#include "placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nearest first. */
enum relation { SAME_CPU, SMT, SAME_L2, SAME_L3, SAME_NODE, SAME_PACKAGE, CROSS_PACKAGE, CROSS_NODE, RELATIONS };

const char *const placement_relations[] = {
	"same-cpu", "smt", "same-l2", "same-l3", "same-node", "same-package", "cross-package", "cross-node", NULL,
};
_Static_assert(sizeof(placement_relations) / sizeof(*placement_relations) == RELATIONS + 1, "each relation has its name");

static const char *const relation_names_text =
	"nearest, same-cpu, smt, same-l2, same-l3, same-node, same-package, cross-package, cross-node";

/* What was found of one relation between cores of two kinds. */
struct tally {
	size_t online_pairs, usable_pairs;
	int cpus[2]; /* the first usable pair */
};

/* All tallies: one row a relation; in a row the pure kinds, strongest first, then the mixtures. */
struct census {
	const struct topology *topology;
	size_t kinds, mixtures; /* mixtures counts the pure ones too */
	struct tally *tallies;
};

static bool is_shared(int a, int b)
{
	return a >= 0 && a == b;
}

/* A machine that reports no packages counts as one, hence no is_shared() for them. */
static enum relation relation_of(const struct topology_place *a, const struct topology_place *b)
{
	if (a->cpu == b->cpu)
		return SAME_CPU;
	if (is_shared(a->core, b->core))
		return SMT;
	if (is_shared(a->l2, b->l2))
		return SAME_L2;
	if (is_shared(a->l3, b->l3))
		return SAME_L3;
	if (a->package == b->package)
		return a->node == b->node ? SAME_NODE : SAME_PACKAGE;
	return a->node == b->node ? CROSS_PACKAGE : CROSS_NODE;
}

static void name_write(const struct topology *topology, enum relation relation, int kind_a, int kind_b,
		       char name[PLACEMENT_NAME])
{
	struct topology_facts facts;
	char weak[TOPOLOGY_KIND], strong[TOPOLOGY_KIND];

	topology_facts(topology, &facts);
	topology_kind_text(topology, kind_a < kind_b ? kind_a : kind_b, weak);
	topology_kind_text(topology, kind_a < kind_b ? kind_b : kind_a, strong);
	if (facts.core_kinds <= 1)
		snprintf(name, PLACEMENT_NAME, "%s", placement_relations[relation]);
	else if (kind_a == kind_b)
		snprintf(name, PLACEMENT_NAME, "%s:%s", placement_relations[relation], strong);
	else
		snprintf(name, PLACEMENT_NAME, "%s:%s-%s", placement_relations[relation], weak, strong);
}

static size_t mixture_index(size_t kinds, int a, int b)
{
	size_t weak = (size_t)(a < b ? a : b), strong = (size_t)(a < b ? b : a);

	return weak == strong ? kinds - 1 - weak : kinds + strong * (strong - 1) / 2 + weak;
}

static struct tally *census_tally(const struct census *census, enum relation relation, int kind_a, int kind_b)
{
	return &census->tallies[(size_t)relation * census->mixtures + mixture_index(census->kinds, kind_a, kind_b)];
}

static void census_add(struct census *census, const struct topology_place *a, const struct topology_place *b)
{
	struct tally *tally = census_tally(census, relation_of(a, b), a->kind, b->kind);

	tally->online_pairs++;
	if (!a->usable || !b->usable)
		return;
	if (tally->usable_pairs++ == 0) {
		tally->cpus[0] = a->cpu;
		tally->cpus[1] = b->cpu;
	}
}

static int census_take(struct census *census, const struct topology *topology)
{
	struct topology_facts facts;
	size_t count;
	const struct topology_place *places = topology_places(topology, &count);

	topology_facts(topology, &facts);
	census->topology = topology;
	census->kinds = facts.core_kinds;
	census->mixtures = census->kinds * (census->kinds + 1) / 2;
	census->tallies = calloc(RELATIONS * census->mixtures, sizeof(*census->tallies));
	if (!census->tallies)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		for (size_t j = i; j < count; j++)
			census_add(census, &places[i], &places[j]);
	return 0;
}

static size_t relation_online_pairs(const struct census *census, enum relation relation)
{
	size_t pairs = 0;

	for (size_t i = 0; i < census->mixtures; i++)
		pairs += census->tallies[(size_t)relation * census->mixtures + i].online_pairs;
	return pairs;
}

static bool is_reported(const struct topology *topology, enum relation relation)
{
	size_t count;
	const struct topology_place *places = topology_places(topology, &count);

	for (size_t i = 0; i < count; i++)
		if ((relation == SMT && places[i].core >= 0) || (relation == SAME_L2 && places[i].l2 >= 0) ||
		    (relation == SAME_L3 && places[i].l3 >= 0))
			return true;
	return false;
}

/* Why no two online CPUs at all are so related. */
static const char *machine_reason(const struct topology *topology, enum relation relation)
{
	struct topology_facts facts;

	topology_facts(topology, &facts);
	if (facts.cpus == 1)
		return "only one CPU is online";
	switch (relation) {
	case SMT:
		return is_reported(topology, SMT) ? "no core has two threads online" : "the machine reports no cores";
	case SAME_L2:
		return is_reported(topology, SAME_L2) ? "no L2 cache serves two cores" :
							"the machine reports no L2 cache";
	case SAME_L3:
		return is_reported(topology, SAME_L3) ? "no L3 cache serves two cores that have no L2 cache in common" :
							"the machine reports no L3 cache";
	case SAME_NODE:
		return "no two cores of one NUMA node and one package are without a common cache";
	case SAME_PACKAGE:
		if (facts.numa_nodes <= 1)
			return "the machine has one NUMA node";
		return "no two cores of one package on different NUMA nodes are without a common cache";
	default:
		break;
	}
	if (facts.packages <= 1)
		return facts.packages ? "the machine has one package" : "the machine reports no packages";
	if (relation == CROSS_PACKAGE)
		return "no two packages share a NUMA node";
	return facts.numa_nodes <= 1 ? "the machine has one NUMA node" :
				       "no two cores differ in package and NUMA node both";
}

static void absent_reason(const struct census *census, enum relation relation, int weak, int strong, char *reason)
{
	const struct tally *tally = census_tally(census, relation, weak, strong);
	char weak_text[TOPOLOGY_KIND], strong_text[TOPOLOGY_KIND], cpus[TOPOLOGY_TEXT / 2];

	if (tally->online_pairs > 0)
		snprintf(reason, TOPOLOGY_TEXT,
			 "the machine has it (pairs: %zu), but not among the CPUs that may be used: %s",
			 tally->online_pairs, topology_cpus_text(census->topology, cpus, sizeof(cpus)));
	else if (relation_online_pairs(census, relation) == 0)
		snprintf(reason, TOPOLOGY_TEXT, "%s", machine_reason(census->topology, relation));
	else if (weak == strong)
		snprintf(reason, TOPOLOGY_TEXT, "no two CPUs of kind %s are so related",
			 topology_kind_text(census->topology, weak, weak_text));
	else
		snprintf(reason, TOPOLOGY_TEXT, "no CPU of kind %s is so related to one of kind %s",
			 topology_kind_text(census->topology, weak, weak_text),
			 topology_kind_text(census->topology, strong, strong_text));
}

static void placement_fill(struct placement *placement, const struct census *census, enum relation relation, int weak,
			   int strong)
{
	const struct tally *tally = census_tally(census, relation, weak, strong);

	name_write(census->topology, relation, weak, strong, placement->name);
	placement->present = tally->usable_pairs > 0;
	placement->pairs = tally->usable_pairs;
	placement->cpus[0] = placement->present ? tally->cpus[0] : -1;
	placement->cpus[1] = placement->present ? tally->cpus[1] : -1;
	if (!placement->present)
		absent_reason(census, relation, weak, strong, placement->reason);
}

long placement_list(const struct topology *topology, struct placement **placements)
{
	struct census census;
	int error = census_take(&census, topology);
	size_t count = 0;

	if (error)
		return error;
	struct placement *list = calloc(RELATIONS * census.mixtures, sizeof(*list));
	for (int relation = 0; list && relation < RELATIONS; relation++) {
		for (int kind = (int)census.kinds - 1; kind >= 0; kind--)
			placement_fill(&list[count++], &census, (enum relation)relation, kind, kind);
		/* One CPU and one core are of one kind: no mixtures. */
		for (int strong = 1; relation > SMT && strong < (int)census.kinds; strong++)
			for (int weak = 0; weak < strong; weak++)
				placement_fill(&list[count++], &census, (enum relation)relation, weak, strong);
	}
	free(census.tallies);
	if (!list)
		return -ENOMEM;
	*placements = list;
	return (long)count;
}

static enum relation placement_relation(const struct topology *topology, const struct placement *placement)
{
	return relation_of(topology_place(topology, placement->cpus[0]), topology_place(topology, placement->cpus[1]));
}

/* The nearest present one between distinct cores; failing that between threads of a core; failing that the first. */
static const struct placement *nearest_find(const struct topology *topology, const struct placement *list, size_t count)
{
	static const enum relation at_least[] = {SAME_L2, SMT, SAME_CPU};

	for (size_t step = 0; step < sizeof(at_least) / sizeof(at_least[0]); step++)
		for (size_t i = 0; i < count; i++)
			if (list[i].present && placement_relation(topology, &list[i]) >= at_least[step])
				return &list[i];
	return NULL;
}

/* Equal, or a relation without the kinds that follow it in the list. */
static bool name_matches(const char *full, const char *asked)
{
	size_t length = strlen(asked);

	return strncmp(full, asked, length) == 0 && (full[length] == '\0' || full[length] == ':');
}

/* The first present one of that name, else the first of that name, else NULL. */
static const struct placement *named_find(const struct placement *list, size_t count, const char *name)
{
	const struct placement *absent = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!name_matches(list[i].name, name))
			continue;
		if (list[i].present)
			return &list[i];
		if (!absent)
			absent = &list[i];
	}
	return absent;
}

/* How gladly a CPU is taken beside those already taken: less is better, -1 is never. With `wanted` it must be related
 * to the first as the second is. */
static int cpu_rank(const struct topology *topology, const int *taken, size_t count, const struct topology_place *place,
		    bool wanted)
{
	const struct topology_place *first = topology_place(topology, taken[0]);
	const struct topology_place *second = topology_place(topology, taken[count > 1 ? 1 : 0]);
	enum relation relation = relation_of(first, place);
	int sibling = 0;

	if (!place->usable || (wanted && (relation != relation_of(first, second) || place->kind != second->kind)))
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (taken[i] == place->cpu)
			return -1;
		sibling |= relation_of(topology_place(topology, taken[i]), place) == SMT;
	}
	return (2 * (place->kind != first->kind) + sibling) * RELATIONS + (int)relation;
}

/* The CPU to take next, -1: none is left. */
static int cpu_next(const struct topology *topology, const int *taken, size_t count, bool wanted)
{
	size_t places;
	const struct topology_place *place = topology_places(topology, &places);
	int best = -1, best_rank = 0;

	for (size_t i = 0; i < places; i++) {
		int rank = cpu_rank(topology, taken, count, &place[i], wanted);
		if (rank >= 0 && (best < 0 || rank < best_rank)) {
			best = place[i].cpu;
			best_rank = rank;
		}
	}
	return best;
}

static void cpus_fill(const struct topology *topology, const struct placement *placement, bool wanted, size_t actors,
		      int *cpus)
{
	size_t taken = 1;

	cpus[0] = placement->cpus[0];
	if (actors > 1 && placement->cpus[1] != placement->cpus[0])
		cpus[taken++] = placement->cpus[1];
	while (taken < actors && (cpus[taken] = cpu_next(topology, cpus, taken, wanted)) >= 0)
		taken++;
	for (size_t i = taken; i < actors; i++)
		cpus[i] = cpus[i % taken];
}

int placement_choose(const struct topology *topology, const char *name, size_t actors, int *cpus,
		     char chosen[PLACEMENT_NAME], char error[TOPOLOGY_TEXT])
{
	bool nearest = strcmp(name, "nearest") == 0;
	struct placement *list;
	long count = placement_list(topology, &list);
	int result = -EINVAL;

	if (count < 0) {
		snprintf(error, TOPOLOGY_TEXT, "cannot list the placements: %s", strerror((int)-count));
		return (int)count;
	}
	const struct placement *found = nearest ? nearest_find(topology, list, (size_t)count) :
						  named_find(list, (size_t)count, name);
	if (actors == 0) {
		snprintf(error, TOPOLOGY_TEXT, "a placement needs at least one actor");
	} else if (!found) {
		snprintf(error, TOPOLOGY_TEXT, "'%.64s' is no placement; allowed: %s", name, relation_names_text);
	} else if (!found->present) {
		/* The precision only tells the compiler that it fits. */
		snprintf(error, TOPOLOGY_TEXT, "no %s here: %.200s", found->name, found->reason);
		result = -ENOENT;
	} else {
		cpus_fill(topology, found, !nearest, actors, cpus);
		result = placement_name(topology, cpus, actors, chosen, error);
	}
	free(list);
	return result;
}

/* Every CPU named must be usable; the error says why the first that isn't, is not. */
static int cpus_check(const struct topology *topology, const int *cpus, size_t count, char error[TOPOLOGY_TEXT])
{
	char usable[TOPOLOGY_TEXT / 2];

	for (size_t i = 0; i < count; i++) {
		if (topology_has_cpu(topology, cpus[i]))
			continue;
		snprintf(error, TOPOLOGY_TEXT, "CPU %d %s; CPUs that may be used: %s", cpus[i],
			 topology_place(topology, cpus[i]) ? "is outside the cpuset or the affinity mask" :
							     "does not exist or is offline",
			 topology_cpus_text(topology, usable, sizeof(usable)));
		return -EINVAL;
	}
	if (count > 0)
		return 0;
	snprintf(error, TOPOLOGY_TEXT, "no CPU is named");
	return -EINVAL;
}

int placement_name(const struct topology *topology, const int *cpus, size_t count, char name[PLACEMENT_NAME],
		   char error[TOPOLOGY_TEXT])
{
	enum relation farthest = SAME_CPU;
	int error_number = cpus_check(topology, cpus, count, error);

	if (error_number)
		return error_number;
	int weak = topology_place(topology, cpus[0])->kind, strong = weak;
	for (size_t i = 0; i < count; i++) {
		const struct topology_place *place = topology_place(topology, cpus[i]);
		weak = place->kind < weak ? place->kind : weak;
		strong = place->kind > strong ? place->kind : strong;
		for (size_t j = i + 1; j < count; j++) {
			enum relation relation = relation_of(place, topology_place(topology, cpus[j]));
			farthest = relation > farthest ? relation : farthest;
		}
	}
	name_write(topology, farthest, weak, strong, name);
	return 0;
}

bool placement_nearest_pair(const struct topology *topology, int cpus[2])
{
	struct placement *placements = NULL;
	long count = placement_list(topology, &placements);
	bool found = false;

	for (long i = 0; i < count && !found; i++) {
		found = placements[i].present && placements[i].cpus[0] != placements[i].cpus[1];
		if (found)
			memcpy(cpus, placements[i].cpus, sizeof(placements[i].cpus));
	}
	free(placements);
	return found;
}
