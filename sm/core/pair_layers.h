/*
 * pair_layers: the layers of pairs of switches that a previous run gave out, so
 * that a restart goes on with them. The tables in the switches do not tell
 * them.
 *
 *	state file --> pair_layers_load --> pair_layers_restore --> routes found
 *	routes in force --> pair_layers_gather --> state file
 */
#ifndef HEDDLE_SM_CORE_PAIR_LAYERS_H
#define HEDDLE_SM_CORE_PAIR_LAYERS_H

#include <stdint.h>

#include "routing/core/routes.h"
#include "sm/base/map.h"
#include "sm/state/state_file.h"

/* As in the state file: rows of a triangle. */
struct pair_layers {
	unsigned layers;    /* there are, 0: none is recorded */
	uint32_t n;	    /* switches */
	struct map by_guid; /* their numbers */
	uint8_t *layer;	    /* [n * (n + 1) / 2] */
};

/* What s records; it is to be freed by pair_layers_free. */
void pair_layers_load(struct pair_layers *p, const struct state_file *s);
void pair_layers_free(struct pair_layers *p);

/* Layers of the pairs of t that are recorded; layer 0 for others. Without
 * records out stays as it is. */
void pair_layers_restore(const struct pair_layers *p, const struct topo *t,
	struct route_layers *out);

/* Enter the layers of r into s, if there are several; what s points to is in
 * arena a. */
void pair_layers_gather(
	const struct routes *r, struct state_file *s, struct arena *a);

#endif
