/*
 * layers_asked: options of the ftree engine that ask for layers.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_ENGINES_FTREE_LAYERS_ASKED_H
#define HEDDLE_TESTS_UNIT_ROUTING_ENGINES_FTREE_LAYERS_ASKED_H

#include "routing/engines/ftree/ftree.h"

/* As a configuration with routing.ftree.layers: n, 1 to 8, would have them. */
static inline struct engine_options
with_layers(unsigned n)
{
	static const struct ftree_options layers[] = {
		{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}};
	static struct schema_values own[sizeof(layers) / sizeof(*layers)];

	own[n] = (struct schema_values){&ftree_schema, &layers[n]};
	return (struct engine_options){.own = &own[n], .nown = 1};
}

#endif
