/*
 * nue: an engine for any topology. Short, balanced paths on as many layers as
 * there are VLs for, up to the number that is asked for; one is enough for any
 * connected fabric. Orders of link directions are learned from the shortest
 * paths (routing/climb/layer_order.h), paths climb in them
 * (routing/climb/climb.h).
 *
 * Named after Nue routing (Domke, Hoefler and Matsuoka, HPDC 2016), which
 * routes any topology on a given number of VLs too, by another algorithm.
 *
 * Folder routing/engines/nue: a graph -> orders -> paths. Callers:
 * routing/driver, by the row of the registry. Read next: nue.c.
 */
#ifndef HEDDLE_ROUTING_ENGINES_NUE_NUE_H
#define HEDDLE_ROUTING_ENGINES_NUE_NUE_H

#include "routing/core/engine.h"

struct nue_options {
	uint32_t layers; /* at most */
};

extern const struct engine engine_nue;

#endif
