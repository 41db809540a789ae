/*
 * sl_history: the layers that connections may still use, by the SLs that were
 * given out.
 *
 * A connection keeps the SL of the path record that it was made with for as
 * long as its ports stay up, whatever path records say now. So for each pair
 * of leaves there is a mask of the layers that were ever given out since one of
 * the two came up as a whole, and a transition (transition.h) has to be sound
 * for all of them: old SLs on new tables too.
 *
 *	routes in force --> sl_history_add_routes ---+
 *	                                             +--> masks
 *	topology found ---> sl_history_add_topology -+      |
 *	                                                    v
 *	                                             sl_history_mask
 *
 * A leaf is a switch with end ports. When its last end port has come up since
 * any of its layers changed, the old connections of its pairs are over. A leaf
 * that is found with ports in use and is unknown here, or was under another
 * subnet manager, may use any layer with any other leaf.
 *
 * As long as only one layer was ever given out there are no masks, two bytes
 * a pair of leaves otherwise: 0.8 MiB for 648 leaves. The history is kept in
 * the state file: a restart of the subnet manager ends no connection.
 */
#ifndef HEDDLE_DISTRIBUTION_TRANSITION_SL_HISTORY_H
#define HEDDLE_DISTRIBUTION_TRANSITION_SL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/routes.h"
#include "routing/core/slvl.h"

enum {
	SL_HISTORY_NONE = UINT32_MAX, /* no leaf */
	SL_HISTORY_LAYERS = ROUTE_LAYERS,
};

/*
 * Where only const is asked for, NULL is a history in which no SL was ever
 * given out.
 */
struct sl_history;

struct sl_history *sl_history_new(void);
void sl_history_free(struct sl_history *p); /* NULL allowed */

/*
 * The fabric as it was found, before anything is written: end ports that are
 * not Active have no connections, and the ones that they make until the next
 * sl_history_add_routes are by the routes in force (NULL: none).
 */
void sl_history_add_topology(struct sl_history *p, const struct topo *t,
	const struct routes *in_force);

/*
 * Paths by these routes are given out from now on, in the SLs of l; NULL: those
 * without QoS levels. Where an SL that was given out means another layer by
 * them, connections may be in any layer from now on.
 */
void sl_history_add_routes(
	struct sl_history *p, const struct routes *r, const struct slvl *l);

/* All ports went down: there are no connections, and no SL is given out. */
void sl_history_end(struct sl_history *p);

/* Another subnet manager may have given out any SL. */
void sl_history_assume_any(struct sl_history *p);

/* Layers of the routes that were given out last; 0: nothing ever was. */
unsigned sl_history_layers(const struct sl_history *p);

/* SLs that were given out, and the layer of each. */
struct sl_history_sls {
	uint16_t given; /* a bit each */
	uint8_t layer[SLVL_SLS];
};
const struct sl_history_sls *sl_history_sls(const struct sl_history *p);

/* Whether an SL that was given out means another layer by l. */
bool sl_history_renumbers(const struct sl_history *p, const struct slvl *l);

/* Whether connections may use layers that these routes do not give them. */
bool sl_history_exceeds(const struct sl_history *p, const struct routes *r);

/* The leaf of this GUID, or SL_HISTORY_NONE. */
uint32_t sl_history_leaf(const struct sl_history *p, uint64_t guid);

/*
 * Layers of connections from leaf a to leaf b, where n layers are in use: SLs
 * of higher ones are in layer 0. Only layers given out so far; SL_HISTORY_NONE:
 * 0.
 */
uint16_t sl_history_mask(
	const struct sl_history *p, uint32_t a, uint32_t b, unsigned n);

/* ---- what a restart must not forget ---- */

/* Number of leaves; the GUID of leaf i. */
uint32_t sl_history_count(const struct sl_history *p);
uint64_t sl_history_guid(const struct sl_history *p, uint32_t i);

/* Leaf i's masks by the number of the other leaf; NULL: one layer for all. */
const uint16_t *sl_history_row(const struct sl_history *p, uint32_t i);
/* Any layer with any leaf: its masks mean nothing. */
bool sl_history_any(const struct sl_history *p, uint32_t i);
bool sl_history_has_any(const struct sl_history *p); /* of some leaf */

/*
 * Load a saved history into an empty one: the number of layers of the last
 * routes and the SLs, the leaves in the order of their numbers, then their
 * masks (NULL: one layer for all).
 */
void sl_history_load(struct sl_history *p, unsigned layers,
	const struct sl_history_sls *sls);
void sl_history_load_leaf(struct sl_history *p, uint64_t guid, bool any);
void sl_history_load_row(
	struct sl_history *p, uint32_t i, const uint16_t *mask);

#endif
