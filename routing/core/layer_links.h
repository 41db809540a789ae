/*
 * layer_links: what the links between switches have for layers: how many VLs,
 * and whether switches can map SLs to them. Engines with layers ask before they
 * use them, the driver asks for every result.
 */
#ifndef HEDDLE_ROUTING_CORE_LAYER_LINKS_H
#define HEDDLE_ROUTING_CORE_LAYER_LINKS_H

#include "routing/core/engine.h"

/* What ports between live switches have for layers to use. */
struct layer_links {
	unsigned levels;   /* service level groups, which come first */
	uint32_t ports;	   /* all of them */
	uint32_t sharing;  /* of these, have VLs for fewer layers than asked */
	unsigned least;	   /* VLs of the narrowest ones */
	uint32_t narrow;   /* how many these are */
	port_ix first;	   /* the first of them, or TOPO_NONE */
	unsigned most;	   /* VLs of the widest ones */
	uint32_t unmapped; /* have several VLs and cannot map SLs to them */
	port_ix first_unmapped;
};

/* The number of service level groups: they come first. */
unsigned layer_links_levels(const struct engine_options *o);

/* layers: the number of layers that shall have VLs of their own. o NULL: no
 * levels, and nothing limits VLs; above too. */
struct layer_links layer_links_survey(
	const struct topo *t, const struct engine_options *o, unsigned layers);

/* "port 2 of 0x1234 spine1" */
struct layer_links_name {
	char s[112];
};
struct layer_links_name layer_links_name(const struct topo *t, port_ix p);

/*
 * Whether the links that there are have VLs for the layers of these routes,
 * once verified. -1 and why: the tables have cycles that layers break, and a
 * link has fewer VLs than that takes, or a switch cannot map SLs to them. o
 * NULL: nothing limits VLs.
 */
int layer_links_fit(const struct routes *r, const struct engine_options *o,
	struct reason *why);

#endif
