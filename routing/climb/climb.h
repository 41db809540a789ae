/*
 * climb: paths that climb in the orders of layers, for any graph of switches.
 *
 * Level by level to each destination switch: a switch takes the least loaded
 * neighbour whose path, with the dependency into it, leaves layers in which all
 * of it climbs. A switch that is stuck is pinned to its path in an escape tree,
 * which is up/down in layer 0, and the tree is made again around it. With
 * everything pinned the tree is the escape tree, so this ends; one layer routes
 * any connected graph, more only make paths shorter.
 *
 *	for each pass, for each destination t: take its load off;
 *		mask[t] = all layers; level by level, u by link c to v:
 *		mask[u] = mask[v] with the dependencies of c that climb
 *	pairs without a common layer both ways: where they are few, or the
 *	orders are a structure's, paths are changed for them (climb_mend.c);
 *	else their escape paths are pinned in both trees, until there are none
 *	the layer of a pair: the one in force if it can be, else the least used
 *	each further LID of t: other neighbours at the same levels, in the
 *	layers of the pairs; a switch that is stuck is pinned to the tree of t
 *
 * Where the graph has lost or gained links since the routes in force, and no
 * order has changed for the rest, what does not lead over them stays as it is
 * (climb_repair.c).
 *
 * With a map of VLs the VL and the rank of a link depend on the link before. A
 * path has two sets of layers then: those in which all of it climbs, for its
 * switch as a source, and those in which it does behind its first link, for
 * what comes over that link. Paths that are regular in a structure come first,
 * level by level; pairs without a common layer are mended (climb_mend.c).
 *
 * Any subset of such paths is free of deadlock: every dependency of a layer
 * leads to a higher rank (Dally and Seitz 1987). So paths may be lost, kept and
 * mixed without another look at the whole.
 *
 * Related: Domke, Hoefler and Matsuoka, Nue (HPDC 2016), which searches for the
 * orders while it routes; DFSSSP and LASH, which cut paths into layers
 * afterwards.
 */
#ifndef HEDDLE_ROUTING_CLIMB_CLIMB_H
#define HEDDLE_ROUTING_CLIMB_CLIMB_H

#include "routing/climb/climb_basis.h"
#include "routing/climb/layer_order.h"
#include "routing/core/layer_memory.h"
#include "routing/core/route_layers.h"
#include "routing/core/routes.h"

struct climb_job {
	const struct directions *d;
	const struct layer_orders *orders;
	unsigned passes;	   /* 1 ..: each balances the one before; where
				      paths are kept there is one */
	const struct routes *prev; /* in force, or NULL */
	bool keep;		   /* its paths, where they climb */
	const struct route_layers *layers; /* of pairs of its switches, to be
					      kept where that layer is; NULL:
					      not known */
	const struct layer_memory *pairs;  /* the same of all that ever were,
					      first; or NULL */
	const struct climb_basis *basis;   /* of prev, or NULL: not known */
	const volatile bool *cancel;	   /* NULL: never cancelled */
	struct arena *state; /* for what is kept with the routes */
};

/*
 * Routes for the topology of the graph: rows of live switches, layers; entries
 * of prev are kept where they climb. *basis, in job->state: what repairs of
 * them go on from. NULL and why: cancelled, or a pair has no path and the
 * orders have no layer for such.
 */
struct routes *climb_routes(const struct climb_job *job,
	struct climb_basis **basis, struct reason *why);

/* The load of the busiest link (link_load.h), by the pairs of hosts over each:
 * load[topo.nadj]. */
uint64_t climb_highest_load(const struct topo *t, const uint64_t *load);

#endif
