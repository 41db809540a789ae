/*
 * past: the lanes that connections may still use.
 *
 * A connection keeps the SL that its path record said when it was made, for as
 * long as its ports stay up, whatever the records say today. So for each pair
 * of leaves there is a mask of the lanes that were ever given out since one of
 * the two came up as a whole, and a transition (safe.h) has to be sound for all
 * of them: old SLs on new tables too.
 *
 *	routes in force --> sl_history_add_routes --+
 *	                                +--> masks --> sl_history_mask (safe.c)
 *	topology found ---> sl_history_add_topology -+
 *
 * A leaf is a switch with end ports. When its last end port has come up since
 * any of its lanes changed, what its pairs had is over. A leaf that is found
 * with ports in use and that nobody here knows, or whose fabric another SM has
 * had, may use any lane with anybody.
 *
 * As long as one lane was all that was ever given out there are no masks, a
 * byte a pair of leaves otherwise: 0.4 MiB for 648 leaves. It is kept in the
 * state file: a restart of the SM ends no connection.
 */
#ifndef HEDDLE_DISTRIBUTION_TRANSITION_SL_HISTORY_H
#define HEDDLE_DISTRIBUTION_TRANSITION_SL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/routes.h"

enum {
	SL_HISTORY_NONE = UINT32_MAX, /* no leaf */
	SL_HISTORY_LANES = 8,	      /* lanes that routing may use */
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
 * not Active have no connections, and those that they make until the next
 * sl_history_add_routes are by the routes in force (NULL: none).
 */
void sl_history_add_topology(struct sl_history *p, const struct topo *t,
	const struct routes *in_force);

/* Paths by these routes are given out from now on. */
void sl_history_add_routes(struct sl_history *p, const struct routes *r);

/* Another SM may have given out whatever it liked. */
void sl_history_assume_any(struct sl_history *p);

/* Lanes of the routes that were given out last; 0: nothing ever was. */
unsigned sl_history_layers(const struct sl_history *p);

/* May connections use lanes that these routes do not give them? */
bool sl_history_exceeds(const struct sl_history *p, const struct routes *r);

/* The leaf of this GUID, or SL_HISTORY_NONE. */
uint32_t sl_history_leaf(const struct sl_history *p, uint64_t guid);

/*
 * Lanes of connections from leaf a to leaf b, where n lanes are in use: SLs
 * beyond them are on lane 0. Only those given out so far; SL_HISTORY_NONE: 0.
 */
uint8_t sl_history_mask(
	const struct sl_history *p, uint32_t a, uint32_t b, unsigned n);

/* ---- what a restart must not forget ---- */

/* How many leaves there are; the GUID of leaf i. */
uint32_t sl_history_count(const struct sl_history *p);
uint64_t sl_history_guid(const struct sl_history *p, uint32_t i);

/* Leaf i's masks by the number of the other leaf; NULL: one lane for all. */
const uint8_t *sl_history_row(const struct sl_history *p, uint32_t i);
/* Any lane with anybody: its masks say nothing. */
bool sl_history_any(const struct sl_history *p, uint32_t i);

/*
 * An empty past gets what was saved: the lanes of the last routes, leaf by leaf
 * in the order of their numbers, then their masks (NULL: one lane for all).
 */
void sl_history_load(struct sl_history *p, unsigned lanes);
void sl_history_load_leaf(struct sl_history *p, uint64_t guid, bool any);
void sl_history_load_row(struct sl_history *p, uint32_t i, const uint8_t *mask);

#endif
