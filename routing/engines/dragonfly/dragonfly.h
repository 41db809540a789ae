/*
 * dragonfly: groups of switches that are linked to each other inside, with
 * links between the groups. Groups are read from the links
 * (routing/graph/switch_groups.h), paths lead to the group of the destination
 * and then to its switch (routing/climb/dragonfly_orders.h, climb.h).
 *
 * Groups can be given by the names of their switches, too.
 *
 * Refused is what is no dragonfly, and what has fewer VLs than one takes.
 *
 * Folder routing/engines/dragonfly: a graph -> groups -> orders -> paths.
 * Callers: routing/driver, by the row of the registry. Read next: dragonfly.c.
 */
#ifndef HEDDLE_ROUTING_ENGINES_DRAGONFLY_DRAGONFLY_H
#define HEDDLE_ROUTING_ENGINES_DRAGONFLY_DRAGONFLY_H

#include "routing/core/engine.h"

struct dragonfly_options {
	struct schema_names groups; /* of switches: each entry is one; none:
				       read from the links */
};

extern const struct engine engine_dragonfly;

#endif
