/*
 * redundancy: multi-port nodes and their single points of failure. Of each node
 * the report says whether the failure of one switch or one link would cut off
 * all of its ports from some leaf at once, until new tables are in force, and
 * names the worst one. It is found from tables alone, of any origin; whether
 * other routes could help is found from the links.
 *
 * Source: Bogdanski et al., Multi-homed Fat-Tree Routing with InfiniBand (PDP
 * 2014).
 */
#ifndef HEDDLE_ROUTING_IMPROVE_REDUNDANCY_H
#define HEDDLE_ROUTING_IMPROVE_REDUNDANCY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "routing/core/engine.h"
#include "routing/core/verdict.h"
#include "routing/graph/multi_port_node.h"

struct redundancy_node {
	uint64_t key;	 /* see multi_port_node_key */
	port_ix port;	 /* the first of its ports */
	uint32_t nports; /* that have a LID and hang on a live switch */
	uint32_t leaves; /* switches with hosts that were looked at */
	uint32_t cut;	 /* leaves with a single point of failure */
	sw_ix sw;	 /* the worst point of failure: a switch, or its link at
			    out; if one_switch, the one that all ports are on */
	uint8_t out;	 /* 0: the switch itself */
	uint32_t worst;	 /* leaves that it cuts off */
	bool one_switch; /* all ports on one switch: no routing helps */
	bool only_path;	 /* without it some leaf has no path over any links:
			    no routing helps */
};

struct redundancy_report {
	struct redundancy_node *node; /* multi-port nodes, by key */
	size_t n;
	uint64_t *alone; /* keys of nodes with one port, ascending */
	size_t nalone;
	size_t single; /* multi-port nodes with a single point of failure */
};

/* Fill *out; options: for the groups of ports, NULL allowed. */
void redundancy_find(const struct verify_tables *in,
	const struct engine_options *options, struct redundancy_report *out);

/*
 * The same, unless another thread sets *cancel meanwhile: then -1, and *out is
 * empty.
 */
int redundancy_find_unless(const struct verify_tables *in,
	const struct engine_options *options, const atomic_bool *cancel,
	struct redundancy_report *out);

void redundancy_free(struct redundancy_report *h);

/* A single point of failure, and how many nodes have it as their worst one. */
struct redundancy_point {
	sw_ix sw;
	uint8_t out; /* as in struct redundancy_node */
	uint32_t nodes;
};

/* All of a report's, those with most nodes first; to be freed. *n: how many. */
struct redundancy_point *redundancy_points(
	const struct redundancy_report *h, size_t *n);

/* True if a node with this key has exactly one port. */
bool redundancy_is_single_port(const struct redundancy_report *h, uint64_t key);

/* One node in words: "node N1: switch \"S7\" cuts off 12 of 36 leaves". */
void redundancy_text(const struct topo *t, const struct redundancy_node *n,
	char *out, size_t room);

#endif
