/* The places of a plan: which CPUs each has for so many actors. */
#include "plan_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int seats_from_cpus(struct seats *seats, const struct place *place, unsigned actors, const struct topology *topology,
			   char reason[TOPOLOGY_TEXT])
{
	if (place->cpus->count != actors) {
		snprintf(seats->absent, sizeof(seats->absent), "--cpus names %zu CPUs: not applicable to %u actors", place->cpus->count,
			 actors);
		return 0;
	}
	for (size_t i = 0; i < actors; i++)
		seats->cpus[i] = (int)place->cpus->values[i];
	return placement_name(topology, seats->cpus, actors, seats->name, reason) ? -ENODEV : 0;
}

static int seats_from_name(struct seats *seats, const struct place *place, unsigned actors, const struct topology *topology,
			   char reason[TOPOLOGY_TEXT])
{
	bool unpinned = !strcmp(place->asked, CELL_UNPINNED);
	int result = placement_choose(topology, unpinned ? "nearest" : place->asked, actors, seats->cpus, seats->name, reason);

	if (unpinned && !result)
		strcpy(seats->name, CELL_UNPINNED);
	if (result != -ENOENT)
		return result;
	snprintf(seats->name, sizeof(seats->name), "%s", place->asked);
	memcpy(seats->absent, reason, sizeof(seats->absent));
	memset(seats->cpus, 0, sizeof(seats->cpus));
	return 0;
}

/* 0, or an error with its reason: what was asked for makes no sense, however many actors there are. */
static int seats_find(struct place *place, unsigned actors, const struct topology *topology, char reason[TOPOLOGY_TEXT])
{
	struct seats *seats = &place->seats[actors];
	int result = 0;

	if (!seats->known)
		result = place->cpus ? seats_from_cpus(seats, place, actors, topology, reason) :
				       seats_from_name(seats, place, actors, topology, reason);
	seats->known = true;
	return result;
}

/* Whatever is wrong with a place itself is found here: later ones can at worst be absent. */
int plan_resolve_places(struct making *making, struct sweep *sweep)
{
	const struct parameters *parameters = &sweep->options->parameters;
	bool by_cpus = option_is_given(sweep->options, "cpus");
	char reason[TOPOLOGY_TEXT];

	sweep->place_count = by_cpus ? 1 : parameters->places.count;
	for (size_t i = 0; i < sweep->place_count; i++) {
		struct place *place = &sweep->places[i];
		int result;

		if (by_cpus)
			place->cpus = &parameters->cpus;
		else
			place->asked = parameters->places.names[i];
		result = seats_find(place, by_cpus ? (unsigned)parameters->cpus.count : 2, sweep->topology, reason);
		if (result)
			return plan_fail(making, result, "--%s: %s", by_cpus ? "cpus" : "place", reason);
	}
	return 0;
}

static const struct seats *seats_of_place(const struct sweep *sweep, size_t place, unsigned actors)
{
	struct seats *seats = &sweep->places[place].seats[actors];
	char reason[TOPOLOGY_TEXT];

	if (seats_find(&sweep->places[place], actors, sweep->topology, reason))
		snprintf(seats->absent, sizeof(seats->absent), "%s", reason);
	return seats;
}

/* A queue that has one thread alone is measured once: at the first place that is there. */
const struct seats *plan_find_seats(const struct sweep *sweep, const uint64_t *asked, unsigned actors)
{
	if (sweep->queues[asked[AXIS_QUEUE]]->traits.one_thread)
		for (size_t i = 0; i < sweep->place_count; i++)
			if (!*seats_of_place(sweep, i, actors)->absent)
				return seats_of_place(sweep, i, actors);
	return seats_of_place(sweep, asked[AXIS_PLACE], actors);
}
