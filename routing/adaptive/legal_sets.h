/*
 * legal_sets: the ports that switches may choose among without closing a cycle:
 * those by which the shortest paths begin that obey the order of switches that
 * the tables obey.
 *
 *	tables, order of switches -> levels, 64 destination switches a word
 *	                          -> ports by destination switch -> sets
 *
 * A destination switch is one with compute hosts; packets to other LIDs never
 * choose. Let t be one, and let a switch be "above" t when a path leads down to
 * t from it. A switch that is above t may use every neighbour below it from
 * which the shortest path down is one link shorter; any other switch every
 * neighbour above it from which the path is. So whatever switches choose,
 * packets go up and then down, which ends and closes no cycle, and the tables
 * obey the same rule: both share one proof.
 *
 * Where tables do more than the rule (the extension switches of an sFtree
 * subtree do), a default may lead up from a switch that is above t: then no
 * options lead down to it. All of it is judged anew, from the sets alone, by
 * routing/verify/verify_sets.h.
 *
 * After a change nothing is known of the routes before but their sets: the
 * levels of both topologies are found, which is cheap, and compared, switches
 * by GUID, since a change may give all of them other numbers. Options are made
 * anew to those destinations whose level, or whose entries against the rule,
 * are others at the switch or behind one of its links, and to all where its
 * links are others; the rest of a row is copied, and a row without such
 * destinations is shared.
 *
 * A port that comes back, as of a returned link, is taken into the sets of the
 * switches whose own links are others. Elsewhere what is left of a set is kept,
 * as entries of tables are, while the ports that are legal are at most
 * job->load_limit times as many: one port of a destination switch is a write of
 * its entries at every leaf of a fabric, and gains each a few per cent. Such
 * sets are narrow. They are legal like any part of a legal set, are counted,
 * and end with job->rebalance. A switch keeps none where its groups get scarce.
 * After a restart they are what the switches were found with.
 *
 * Folder routing/adaptive: tables with an order of switches -> sets of ports.
 * Callers: routing/driver. Read next: routing/core/route_sets.h (the value),
 * then routing/adaptive/legal_levels.h.
 * Source: up/down routing, Schroeder et al., Autonet (1991).
 */
#ifndef HEDDLE_ROUTING_ADAPTIVE_LEGAL_SETS_H
#define HEDDLE_ROUTING_ADAPTIVE_LEGAL_SETS_H

#include <stdbool.h>

#include "routing/core/engine.h"
#include "routing/core/routes.h"

/*
 * Sets for r, of switches that can choose by job->adaptive (not NULL). Rows
 * that are those of job->prev are shared with it. Without options out->why says
 * why. One reference, the caller's. The same for any number of threads; but for
 * ports that narrow sets lack, whatever job->prev is.
 */
struct route_sets *legal_sets_make(
	const struct route_job *job, const struct routes *r);

#endif
