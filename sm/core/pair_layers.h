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

#include "routing/core/layer_memory.h"
#include "sm/state/state_file.h"

/* What s records, with one reference; NULL: nothing. */
struct layer_memory *pair_layers_load(const struct state_file *s);

/* Layers of the pairs of t that are remembered; layer 0 for others. Without a
 * memory (NULL) out stays as it is. */
void pair_layers_restore(const struct layer_memory *m, const struct topo *t,
	struct route_layers *out);

/* Enter the layers of m (NULL: nothing), as a state file said them, into s;
 * what s points to is in arena a. As long as there is no view, they are of the
 * routes in force. */
void pair_layers_gather_kept(
	const struct layer_memory *m, struct state_file *s, struct arena *a);

/* The same for the layers of r, if there are several. */
void pair_layers_gather(
	const struct routes *r, struct state_file *s, struct arena *a);

#endif
