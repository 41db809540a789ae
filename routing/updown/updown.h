/*
 * updn: up/down routing over a total order of switches: the machine of two
 * engines, updn, which makes its order from distances, and ftree, which has
 * tiers. The graph of switches that it works on is in routing/graph.
 *
 *   order              a fresh order: which switches are on top, ranks from
 *                      there
 *   order_restore      the order in force as it is, where an earlier life made
 *                      it
 *   rank_keep          the order in force, repaired where it has to be
 *   root_elect         ... where one top is all and is lost
 *   sftree_root        several tops: the subtree in which down-up turns are
 *                      made; made whole, at a small cost, when it has lost a
 *                      cable
 *   multi_tree         trees that meet inside racks only
 *   reach              bit sets: who is below whom, shortest legal paths by
 *                      level
 *   multi_port         ports of one node, which should not share switches
 *   down_path          for each LID the way down that is meant for it, and what
 *                      of it matters to who is far away
 *   down_path_from_lft ... taken from the previous routes
 *   rows               all rows of the tables, by several threads, and routes
 *                      of them
 *   row_fill           candidate masks, one row
 *   next_hop_choose    ... the choice among candidates
 *   row_template       rows made from rows that are mostly equal
 *   lft_keep           entries of the previous routes that stay
 *   engine_cache       what routes remember of it; _io: for another process
 *   repair             the same routes but for some cables: reach_update finds
 *                      out which legal paths differ, lft_stale which entries
 *                      have to, lft_repair chooses them
 *
 * Two orders are in use. The tier order sorts by (rank, GUID); it is what
 * routes.rank records. With several tops some pairs of switches (top to top,
 * first of all) have no path that goes up and then down in it. The line is the
 * order that is routed by: the tier order with one subtree turned over. Take
 * a leaf L and all that is above it, U. Ordering U first and upside down, L on
 * top, then everything else as before, gives one top, so every pair has a
 * path, and paths are legal in a total order, so no cycle of dependencies can
 * exist. Only cables with both ends in U are turned over (what is above a
 * member of U is in U itself), therefore in terms of tiers every down-up turn
 * is made inside U, from one of its cables to another: the subtree of sFtree
 * (Bogdanski et al. 2012), free of cycles by construction in any graph, and
 * host paths stay what they were. With previous routes U is what it was, and
 * more where it has lost cables: sftree_root.c.
 *
 * The down-first rule makes tables that look at the destination only obey the
 * order whatever port a packet came in by: a switch that has a path leading
 * down only takes the shortest of those, even if a mixed one is shorter.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_UPDOWN_H
#define HEDDLE_ROUTING_UPDOWN_UPDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "routing/core/engine.h"
#include "routing/graph/nbr_class.h"
#include "routing/graph/swgraph.h"
#include "sm/base/bitset.h"

enum {
	UPDN_CHAIN = 8,	 /* longest designated way down */
	UPDN_SHARES = 4, /* ways that one LID may be split over */
	UPDN_MAX_GROUPS = 256,
	UPDN_MASK_WORDS = 4, /* 256 neighbours as bits */
};

/* Sets in which all[s] is a row of u->graph.words words. */
struct reach_sets {
	uint64_t *dn;  /* switches that s reaches going down, itself too */
	uint64_t *all; /* ... by any legal path */
};

struct updown {
	struct swgraph graph;
	struct arena *m;   /* of what is remembered: see engine_cache */
	struct arena *own; /* of that what no later memory rests on */

	enum route_order order;
	bool treeless; /* after a fresh order: some of it is no tree */
	uint32_t *rank;
	struct sw_order tier, sw_order;
	bool *flat;	      /* no neighbour of s has a higher rank */
	uint64_t *sftree_set; /* set of switches whose cables the line turns */
	struct nbr_class tier_kin, line_kin; /* with the sets, and with reach */
	struct reach_sets line_set; /* of the line, where it was looked at */
	struct reach_sets tier_set; /* of the tier order, once asked for, and */
	const uint64_t **tier_above; /* [nsw] switches above s, itself too */
	sw_ix turn_leaf;	 /* of the largest component that needs one */
	uint64_t **sftree_extra; /* [nsw] or NULL. Of a joiner, see
			      sftree_root.c: what may come to it from above;
			      otherwise NULL: anything */
	const bool *leaf;     /* with planes, see multi_tree.c: who is a leaf */
	sw_ix *crossing_leaf; /* [nplanes] the leaf of the turns of each */
	uint32_t nplanes;
	uint32_t reranked; /* against the remembered ranks */
	char note[256];
};

/* row[k * nsw + s]: switches within k steps of s. */
struct reach_levels {
	uint32_t n, room;
	const uint64_t **row;
};

/* The last level holds all that is ever reached. */
struct reachability {
	struct reach_levels dn, path;
};

/* A designated way down to a LID, from below: its switch, the next one up. */
struct down_path {
	uint16_t len;
	uint16_t sw[UPDN_CHAIN];
};

/* LIDs to route, those of one switch together: at[s] .. end[s). */
struct dest_table {
	uint32_t n;
	uint32_t *at, *end;
	uint32_t *run; /* [nsw] how many from at[s] on have consecutive LIDs */
	uint16_t *lid;
	sw_ix *dest;
	uint8_t *out;	 /* port at dest */
	uint8_t *other;	 /* 1: not a compute host */
	uint32_t *home;	 /* the next LID of the same node, in a ring, or i */
	uint32_t nhomes; /* LIDs that have such */
	struct down_path *chain;
	uint16_t *key;	/* apex number * spread + turn */
	uint32_t *nkey; /* compute hosts' LIDs by key */
	uint32_t spread;
	uint32_t napex, nmain;
	sw_ix *apex; /* [napex] chains' last switches, [nmain] of hosts first */

	/* LIDs for which no cable is left alone: sources share them out. */
	uint32_t nsplit, room;
	uint32_t *split;	 /* [nsplit] LID indexes */
	uint32_t *share_of;	 /* [n] number in split + 1, or 0 */
	struct down_path *share; /* [nsplit * UPDN_SHARES] */
	uint8_t *class;		 /* [nsw] which share a source takes first */
};

/*
 * What routes remember of how they were made, so that the next run looks only
 * at what has changed: the same switches, in the same order, by the same
 * numbers.
 */
struct engine_cache {
	struct reachability reach;
	struct dest_table dests;
	const uint64_t *
		*above; /* [nsw] switches above s in tiers, itself too */
	uint32_t *pos;	/* the line */
	uint64_t *turn; /* switches whose cables are turned over in it */
	uint8_t *plane; /* NULL: one; as in struct swgraph, and */
	bool *leaf;
	sw_ix *apex;
	uint32_t nplanes;
	uint64_t options; /* the hash of what the administrator said */
	uint32_t ncomp;
	uint64_t **serves; /* of joiners, or NULL */
	uint32_t depth;	   /* how many memories this one rests on */
};

/* Some switches, and the words of their set that are not empty. */
struct sw_subset {
	uint64_t *set;
	uint32_t *word;
	uint32_t n;
};

/* order.c: build u->graph, and room for orders of its switches. */
void order_begin(struct updown *u);
/* Sort by (rank, GUID) into u->tier; u->line becomes the same; u->flat. */
void order_sort(struct updown *u);

/* Ranks for a fabric without memory. single: one top only. */
void order_make_fresh(struct updown *u, bool single);
/* Ranks by distance from this switch: one top in its component. */
void order_from_root(struct updown *u, sw_ix root);
/* Weighted sum of squared distances to hosts, per switch, in the arena. */
uint64_t *order_host_distance(const struct updown *u);

/*
 * order_restore.c: the order of routes that this engine made for this very
 * fabric in an earlier life, planes and turns included. u has nothing yet but
 * the job. False: there are none, or they do not hold together; begin again
 * with u.
 */
bool order_restore(struct updown *u, const char *engine);
/* Did another engine make the routes that stand? */
bool order_is_of_other_engine(const struct route_job *job, const char *engine);

/* rank_keep.c: below its neighbours with what has no way up to a top; counts
 * it, sorts. */
void rank_keep_repair(struct updown *u);
/* Ranks as remembered. False when nothing usable is remembered. */
bool rank_keep(struct updown *u);
/*
 * Ranks for the live switches that are not good: each one below a neighbour
 * that is. Returns how many; sorts again.
 */
uint32_t rank_keep_lower(struct updown *u, bool *good);

/*
 * root_elect.c: where one top is the order and somebody has no way up to it, or
 * it is gone: ranks for the component, with the top it has, or the next one of
 * the order whose taking over turns the fewest cables over, and few cables
 * turned over below it. Returns how many ranks are new. The order in force,
 * u->tier, is read alone: sort again then.
 */
uint32_t root_elect(struct updown *u, uint32_t comp);

/*
 * sftree_root.c: where the tier order leaves pairs without a path, choose the
 * leaf and turn its subtree over in u->line, with joiners where the one in
 * force needs them; u->turn has what is above those, too.
 * keep: what is turned over in the line in force stays so, if that can be. May
 * re-rank tops that no subtree can serve. Returns how many host pairs per cable
 * of the leaf only the subtree joins: a measure of what tiers are worth here.
 * UINT64_MAX: cannot be done.
 */
uint64_t sftree_root_choose(struct updown *u, bool keep);
/* Is switch s at the bottom of the tier order? Only there turns happen. */
bool sftree_root_is_leaf(const struct updown *u, sw_ix s);

/*
 * The same file: turn what is above these leaves over, one of each component,
 * whether it is needed or not, with joiners where they serve all together;
 * else tops that the leaves do not serve go down a tier. False: cannot be
 * done. Do joiners serve all? And: how many switches get up into what is above
 * leaf.
 */
bool sftree_root_set(
	struct updown *u, bool keep, const sw_ix *leaf, uint32_t n);
bool sftree_root_is_extendable(
	struct updown *u, bool keep, const sw_ix *leaf, uint32_t n);
uint32_t sftree_root_reach_count(const struct updown *u, sw_ix leaf);

/*
 * multi_tree.c: where trees are joined by cables from leaf to leaf inside racks
 * and nowhere else, the way from one to another goes across first and then up
 * and down in the tree of the destination, so that nothing has to come down in
 * the wrong one. Each tree is routed by itself, as a component, with the order
 * turned over under a leaf; those leaves, the apexes, are of one rack.
 *
 * A packet changes planes at the leaf where it enters the fabric. Switches
 * above send to the apex of their plane, and that sends it across. No cycle
 * of dependencies can exist: inside a plane paths obey a total order; what
 * comes across begins a path there; what goes across comes from hosts, or ends
 * a way up at the apex, the first of the order, to which no way leads that
 * began with a step down, as all ways that came across at an apex did.
 *
 * find: are there planes? leaf is kept. Then order_begin() makes components
 * of them, and turn stands in for sftree_root_choose(); false: route it as one.
 * marks: for routes.plane, malloced. row: the rest of the row of s: what is in
 * other planes.
 */
struct row_job;
bool multi_tree_find(struct updown *u, const bool *leaf);
bool multi_tree_order(struct updown *u, bool keep);
uint8_t *multi_tree_numbers(const struct updown *u);
void multi_tree_row(struct row_job *f, sw_ix s, sw_ix prev_sw);

/*
 * The same file, for the repair. stands: do planes and apexes of before still
 * hold, where the cables of seeds differ? across: is x in another plane than s?
 * exits: mark the ports by which s goes across to plane p; false: there are
 * none, then it goes to the apex of its own.
 */
bool multi_tree_is_valid(const struct updown *u, const bool *seed);
bool multi_tree_is_across(const struct updown *u, sw_ix s, sw_ix x);
bool multi_tree_exits(
	const struct updown *u, sw_ix s, uint32_t p, uint8_t mark[256]);

/*
 * engine_cache.c: give r what the next run wants to know; u->m, which it made,
 * becomes r's. little: the most of it is that of before, on which it rests.
 */
void engine_cache_begin(struct updown *u, bool little);
void engine_cache_store(struct updown *u, const struct reachability *reach,
	const struct dest_table *d, uint32_t depth, struct routes *r);
uint64_t engine_cache_options(const struct engine_options *o);

/*
 * repair.c, where the graph is known: of routes that the same engine made,
 * those that differ from the previous ones in what must be different now, found
 * from the cables that differ. NULL when more than cables has changed, or more
 * than the order of switches can bear, or when cancelled: then the whole has to
 * be done.
 */
struct routes *routes_repair(const struct swgraph *like, const char *engine);

/* reach.c: u->tier_kin, u->tier_set and u->tier_above, if not there
 * already. */
void reach_tiers(struct updown *u);
/* Has everybody a path to all of its component in the line? */
bool reach_whole(struct updown *u);
/* Levels over u->line; and u->line_kin. */
struct reachability reachability(struct updown *u);
/* One row: what s reaches going down, or at all, within one step more than was
 * says. dn_was: ... than by going down; below: all that s reaches going down;
 * dn: within the same steps. */
void reach_dn(const struct updown *u, sw_ix s, const uint64_t *const *was,
	uint64_t *own);
void reach_path(const struct updown *u, sw_ix s, const uint64_t *const *was,
	const uint64_t *const *dn_was, const uint64_t *const below_dn[2],
	uint64_t *own);
/*
 * Candidates of s: one row per group of s, which this clears first. among:
 * NULL, or the only ones that matter.
 */
void reach_candidates(const struct updown *u, const struct reachability *r,
	sw_ix s, const struct sw_subset *among, uint64_t *rows);

/*
 * multi_port.c: d->home and d->nhomes, and d->other for passive ports of nodes
 * that have others; the LIDs are there. idle: is LID i one of those? It finds
 * its way when they have theirs.
 */
void multi_port_find(const struct updown *u, struct dest_table *d);
bool multi_port_is_passive(const struct dest_table *d, uint32_t i);

/* down_path.c: room for n split LIDs in all, in u->own. */
void dest_table_reserve(
	const struct updown *u, struct dest_table *d, uint32_t n);

/* The same file. keep: the ways of the previous routes where they stand. */
struct dest_table down_path(
	const struct updown *u, const struct reachability *r, bool keep);

/*
 * rows.c: from an order to routes, in the name of an engine. NULL when
 * cancelled.
 */
struct routes *routes_from_order(
	struct updown *u, bool keep, const char *engine);

/* Does s take what it may from above only, and everything else anywhere? */
static inline bool
sftree_is_extended(const struct updown *u, sw_ix s)
{
	return u->sftree_extra != NULL && u->sftree_extra[s] != NULL;
}

/*
 * May ways lead up from s to peer? In tiers not to a sibling: its cables serve
 * the two alone, unless nothing else is above.
 */
static inline bool
sw_is_above(const struct updown *u, sw_ix s, sw_ix peer)
{
	return u->tier.pos[peer] < u->tier.pos[s] &&
	       (u->rank[peer] < u->rank[s] || u->flat[s] ||
		       u->order != ROUTE_TIERS);
}

#endif
