/*
 * updown: up/down routing over a total order of switches. Two engines use it:
 * updn makes the order from distances, ftree from the tiers of a tree. The
 * graph of switches is in routing/graph.
 *
 * What makes the order:
 *   order              a fresh order: top switches, and ranks counted from them
 *   order_restore      the order of routes read back after a restart
 *   rank_keep          the order in force
 *   rank_repair        either, where switches have no path up to a top
 *   root_elect         a new root where the order has one top and lost it
 *   sftree_root        several tops: the sFtree root and its subtree, extended
 *                      when the subtree has lost links
 *   sftree_root_found  the sFtree root that tables without an order show
 *   multi_tree         several trees that only links between leaves join
 *
 * What makes the tables, in the order of the data flow:
 *   reach              bit sets: switches below each switch, shortest legal
 *                      paths by length
 *   multi_port         LIDs of one node: their paths should share no switch
 *   down_path          the designated down path of each LID, and its spread
 *                      index; down_path_priv.h
 *   rows               all rows of the tables, by several threads; the routes
 *   updown_state       what routes keep for the next computation
 *   row_fill           candidates and one row; row_priv.h
 *   next_hop_choose    the choice among candidates
 *   row_template       a row made from the row of a similar switch
 *
 * What keeps the entries of the previous tables:
 *   reach_diff         which legal paths differ from those under the previous
 *                      routes; keep_priv.h
 *   lft_stale          which entries lead through no candidate any more
 *   down_path_from_lft the down paths of their LIDs
 *   lft_keep           new entries for those; all others are kept
 *
 * Words:
 *   tier order         switches sorted by (rank, GUID); routes.rank records it.
 *                      "Above in tiers" is above in this order
 *   switch order       the order that the tables obey (u->sw_order)
 *   previous routes    job->prev: in force until the new ones are
 *   link group         the parallel links between two switches
 *   candidate          of a switch, for a destination: a link group that a
 *                      shortest legal path begins with
 *   sFtree subtree     a leaf, the sFtree root, and all that is above it in
 *                      tiers: u->sftree_set. The switch order reverses it
 *   extension switch   a switch that connects to the subtree what has no path
 *                      up into it (sftree_root.c)
 *   tree, crossing     with several trees: a tree (its number is in plane[]), a
 *   link and leaf      link between leaves of two trees, and the leaf of each
 *                      tree where packets from switches change trees
 *   down path          the path by which packets are meant to come down to a
 *                      LID. Its last switch, seen from the LID, is the path top
 *   split LID, share   a LID that no link has room for alone: its sources
 *                      are divided by class over UPDN_SHARES down paths
 *   kind               of a LID: 0 of a compute host, 1 any other
 *   spread index       path top number * spread + round robin: by it LIDs are
 *                      spread over links that lead to the same path top
 *   neighbour class    switches with the same neighbours above, or below
 *                      (routing/graph/nbr_class.h)
 *   row template       a row, and its switch, that other rows are patched from
 *   stale entry        an entry of the previous tables that leads through no
 *                      candidate
 *
 * With several tops some pairs of switches (two tops, first of all) have no
 * path that goes up and then down in the tier order. The switch order is the
 * tier order with one subtree reversed: the sFtree subtree comes first and
 * upside down, the sFtree root on top, then everything else as before. That
 * gives one top, so every pair has a path; and paths are legal in a total
 * order, so no cycle of dependencies can exist. Only links with both ends in
 * the subtree are reversed (what is above a member is a member itself).
 * Therefore, in terms of tiers, every down-up dependency is between two links
 * of the subtree: the subtree of sFtree (Bogdanski et al. 2012), free of cycles
 * by construction in any graph. Host paths stay what they were. With previous
 * routes the subtree is kept, and extended where it has lost links:
 * sftree_root.c.
 *
 * The down-first rule makes tables that look at the destination only obey the
 * order whatever port a packet came in by: a switch with paths that only lead
 * down takes the shortest of them, even if a path that goes up first is
 * shorter.
 *
 * Folder routing/updown: an order of switches -> legal paths -> rows of
 * forwarding tables. Callers: the engines ftree and updn. Read next: this
 * header in its order, then row_priv.h and keep_priv.h.
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
	UPDN_PATH_MAX = 8, /* switches of the longest down path */
	UPDN_SHARES = 4,   /* down paths that one LID may be split over */
	UPDN_MAX_GROUPS = 256,
	UPDN_MASK_WORDS = 4, /* 256 neighbours as bits */
	UPDN_NO_NUMBER = UINT16_MAX,
	/* a mark of multi_tree_copy_marks: what goes into routes.part, and */
	UPDN_TREE_LEAF = 0x40, /* may have links to other trees */
};

/* Of each switch s a set of switches: row s, of u->graph.words words. Equal
 * rows may be the same one. */
struct reach_sets {
	const uint64_t **dn;  /* what s reaches going down, and s itself */
	const uint64_t **all; /* what s reaches by any legal path */
};

struct updown {
	struct swgraph graph;
	const uint64_t *roots; /* given as the tops: switch GUIDs, sorted */
	size_t nroots;

	enum route_order order;
	bool treeless; /* of a fresh order: part of the fabric is no tree */
	uint32_t *rank;
	struct sw_order tier, sw_order;
	bool *flat;	      /* no neighbour of s has a smaller rank */
	uint64_t *sftree_set; /* switches of sFtree subtrees, extensions
				 included */
	struct nbr_class tier_class, order_class; /* made with the sets, and by
						     reach_make_levels() */
	struct reach_sets order_set; /* of sw_order, once asked for */
	struct reach_sets tier_set; /* of the tier order, once asked for, and */
	const uint64_t **tier_above; /* [nsw] switches above s, and s itself */
	sw_ix sftree_root;	 /* of the first component that needs one, or
				    TOPO_NONE */
	uint64_t **sftree_extra; /* [nsw] or NULL. Of an extension switch, see
				    sftree_root.c: the destinations that may
				    come to it from above; otherwise NULL: any
				    destination */
	const bool *leaf; /* with several trees (multi_tree.c): which switches
			     are leaves */
	sw_ix *crossing_leaf; /* [nplanes] the sFtree root of each tree */
	uint32_t nplanes;
	uint16_t *leaf_number; /* [nsw] of leaves, by which their pairs get
				  layers: to be found again; UPDN_NO_NUMBER:
				  none. NULL: there is one layer */
	uint32_t reranked;     /* switches with a new rank */
	uint32_t moved; /* switches with another rank than the tier read */
	char note[256];
};

/* row[k * nsw + s]: set of the switches within k steps of s. */
struct reach_levels {
	uint32_t n, room;
	const uint64_t **row;
};

/* The last level holds all that is ever reached. */
struct reachability {
	struct reach_levels dn, path;
};

/*
 * A down path, listed from below: the switch of the LID, the next one up, ...
 */
struct down_path {
	uint16_t len;
	uint16_t sw[UPDN_PATH_MAX];
};

/* LIDs to route, LIDs of one switch together: at[s] .. end[s). */
struct dest_table {
	uint32_t n;
	uint32_t *at, *end;
	uint32_t *run; /* [nsw] how many from at[s] on have consecutive LIDs */
	uint16_t *lid;
	sw_ix *dest;
	uint8_t *out;	/* port of switch dest */
	uint8_t *other; /* the kind: 1: not a compute host */
	uint32_t
		*next_port; /* the next LID of the same node, in a ring, or i */
	uint32_t nmulti_port; /* LIDs of nodes with several ports */
	struct down_path *path;
	uint16_t *spread_index; /* path top number * spread + round robin */
	uint32_t *spread_count; /* LIDs of compute hosts by spread index */
	uint32_t spread;
	uint32_t npath_tops, nhost_tops;
	sw_ix *path_top; /* [npath_tops] [nhost_tops] of hosts' LIDs first */

	/* Split LIDs: no link has room for one alone, so its sources share them
	 * out. */
	uint32_t nsplit, room;
	uint32_t *split;	 /* [nsplit] LID indexes */
	uint32_t *share_of;	 /* [n] number in split + 1, or 0 */
	struct down_path *share; /* [nsplit * UPDN_SHARES] */
	uint8_t *class;		 /* [nsw] which share a source takes first */
};

/* Some switches, and the words of their set that are not empty. */
struct sw_subset {
	uint64_t *set;
	uint32_t *word;
	uint32_t n;
};

/* order.c: build u->graph, and make room for orders of its switches. */
void order_begin(struct updown *u);
/* Sort by (rank, GUID) into u->tier; u->sw_order becomes the same. Sets
 * u->flat. */
void order_sort(struct updown *u);

/* Ranks for a fabric without previous ranks. single: one top only. */
void order_make_fresh(struct updown *u, bool single);
/* Ranks by distance from this switch: one top in its component. */
void order_from_root(struct updown *u, sw_ix root);
/* Weighted sum of squared distances to hosts, per switch, in the arena. */
uint64_t *order_host_distance(const struct updown *u);

/*
 * order_restore.c: the order of previous routes that were read back after a
 * restart, with trees and sFtree subtree, if this engine made them for this
 * very fabric. u holds nothing but the job. False: there are none, or they are
 * inconsistent; start again with u.
 */
bool order_restore(struct updown *u, const char *engine);
/* True if the previous routes were read back and another engine made them. */
bool order_is_of_other_engine(const struct route_job *job, const char *engine);

/*
 * rank_repair.c: a switch without a path up to a top gets a rank below a
 * neighbour that has one; in an order of one top, see root_elect(). Counts new
 * ranks in u->reranked, and sorts.
 */
void rank_repair(struct updown *u);
/* New tops for the components that have lost all. */
void rank_repair_tops(struct updown *u);
/* Ranks for the live switches that are not good: each one below a neighbour
 * that is. Returns how many; sorts again. */
uint32_t rank_repair_lower(struct updown *u, bool *good);

/* rank_keep.c: ranks as in the previous routes or the state file. False: none
 * is usable. */
bool rank_keep(struct updown *u);

/*
 * root_elect.c: for an order of one top, where that is gone or a switch has no
 * path up to it: new ranks for the component. Its top is the current one, or
 * the next switch of the order that as a top reverses the fewest links; below
 * it few links are reversed. Returns how many ranks are new. Only reads the
 * order in force, u->tier: sort again afterwards.
 */
uint32_t root_elect(struct updown *u, uint32_t comp);

/*
 * sftree_root.c: where the tier order leaves pairs without a path, choose the
 * sFtree root and reverse its subtree in u->sw_order, with extension switches
 * where the subtree in force needs them. u->sftree_set holds what is above
 * extension switches, too. keep: what the previous order reverses stays
 * reversed, if possible. May lower tops that no subtree can connect. Returns
 * how many host pairs per link of the root only the subtree connects: a measure
 * of what tiers are worth here. UINT64_MAX: impossible.
 */
uint64_t sftree_root_choose(struct updown *u, bool keep);

/*
 * The sFtree root of the previous routes, or TOPO_NONE. Where they came from
 * the switches, without an order, it is seen in their tables: that of this
 * component; u->tier_set is there.
 */
sw_ix sftree_root_previous(const struct updown *u, uint32_t comp);

/*
 * The same file, for given roots, one of each component. set: reverse their
 * subtrees, whether necessary or not, with extension switches if these connect
 * everything; else tops that the roots do not connect go down a tier. False:
 * impossible. is_extendable: true if extension switches connect everything.
 * reach_count: how many switches have a path up to a switch above leaf.
 */
bool sftree_root_set(
	struct updown *u, bool keep, const sw_ix *leaf, uint32_t n);
bool sftree_root_is_extendable(
	struct updown *u, bool keep, const sw_ix *leaf, uint32_t n);
uint32_t sftree_root_reach_count(const struct updown *u, sw_ix leaf);

/*
 * sftree_root_found.c: the root that the previous tables of a component show,
 * TOPO_NONE where their order is known or they show none. unknown_order:
 * true if the previous routes came from the switches, without any order; they
 * have the numbers of u then.
 */
sw_ix sftree_root_found(const struct updown *u, uint32_t comp);
bool sftree_root_unknown_order(const struct updown *u);
/* True if s is at the bottom of the tier order: it can be an sFtree root. */
bool sftree_root_is_leaf(const struct updown *u, sw_ix s);

/*
 * multi_tree.c: where trees are joined by links from leaf to leaf inside racks
 * and nowhere else, a path from one tree to another crosses first and then goes
 * up and down in the tree of the destination, so that no path has to come down
 * in the wrong tree. Each tree is routed by itself, as a component, with its
 * own sFtree root. These roots are the crossing leaves; they are in one rack.
 *
 * A packet from a host changes trees at the leaf where it enters the fabric.
 * Switches above the leaves send to the crossing leaf of their tree, which
 * sends it across. No cycle of dependencies can exist. Inside a tree paths obey
 * a total order. A packet that has crossed starts a new path in its tree. A
 * packet that goes across comes from a host, or ends a path up at the crossing
 * leaf. That is the first switch of its order, so no path that began with a
 * step down leads to it; and every path that came across at a crossing leaf
 * began with a step down.
 *
 * find: true if there are several trees; keeps the pointer leaf. Then
 * order_begin() makes them components, and multi_tree_order() replaces
 * sftree_root_choose(); if it returns false, route the fabric as one.
 * copy_marks: of each switch the number of its tree, with ROUTE_GATE a crossing
 * leaf, and whether it is a leaf; malloced. fill_row: the rest of the row of s:
 * destinations in other trees.
 */
struct row_job;
bool multi_tree_find(struct updown *u, const bool *leaf);
bool multi_tree_order(struct updown *u, bool keep);
uint8_t *multi_tree_copy_marks(const struct updown *u);
void multi_tree_fill_row(struct row_job *f, sw_ix s);

/*
 * The same file, for entries that are kept. is_across: true if x is in another
 * tree than s. mark_exits: mark the ports by which s crosses to tree p; false:
 * there are none, packets go to the crossing leaf of its own tree.
 */
bool multi_tree_is_across(const struct updown *u, sw_ix s, sw_ix x);
bool multi_tree_mark_exits(
	const struct updown *u, sw_ix s, uint32_t p, uint8_t mark[256]);

/*
 * reach.c: u->tier_class, u->tier_set and u->tier_above, if not there already.
 */
void reach_find_tiers(struct updown *u);
/*
 * True if each switch has a path to all of its component in the switch order.
 */
bool reach_is_complete(struct updown *u);
/* Set gap[] of the components in which some switch does not reach all. */
void reach_mark_gaps(
	const struct updown *u, const struct reach_sets *set, bool *gap);
/* Levels over u->sw_order; also sets u->order_class. */
struct reachability reach_make_levels(struct updown *u);
/* Candidates of s: one row per group of s, which this clears first. among: the
 * only destinations that matter, NULL: all. */
void reach_candidates(const struct updown *u, const struct reachability *r,
	sw_ix s, const struct sw_subset *among, uint64_t *rows);

/*
 * multi_port.c: d->next_port and d->nhomes; sets d->other for passive ports of
 * nodes that have active ones. The LIDs are there. is_passive: true if LID i is
 * of such a passive port. Its down path is found after those of the active
 * ports.
 */
void multi_port_find(const struct updown *u, struct dest_table *d);
bool multi_port_is_passive(const struct dest_table *d, uint32_t i);

/* down_path.c: all LIDs, without down paths yet; seq: switches in the order
 * of their LIDs. */
struct dest_table down_path_list_lids(const struct updown *u, sw_ix **seq);

/* The same file, with down paths. keep: those of the previous routes where
 * still valid. */
struct dest_table down_path_choose_all(
	const struct updown *u, const struct reachability *r, bool keep);

/*
 * lft_keep.c: the rows of r, empty so far, by the previous tables: entries that
 * lead through a candidate are kept, the others chosen anew. Only destinations
 * are looked at of which the candidates differ; all other blocks are shared.
 * Also counts what is kept and changed. engine: who asks. -1 when cancelled.
 */
int lft_keep_rows(struct updown *u, const struct reachability *reach,
	const char *engine, struct routes *r);

/* rows.c: from an order to routes, in the name of an engine. NULL when
 * cancelled. */
struct routes *rows_make_routes(
	struct updown *u, bool keep, const char *engine);

/* True if s is an extension switch: only what sftree_extra[s] names comes to it
 * from above; packets for all else it may send up or down. */
static inline bool
sftree_is_extension(const struct updown *u, sw_ix s)
{
	return u->sftree_extra != NULL && u->sftree_extra[s] != NULL;
}

/*
 * True if paths may lead up from s to peer. In an order of tiers not within a
 * tier: such links serve their two ends alone, unless nothing else is above s.
 */
static inline bool
sw_has_uplink(const struct updown *u, sw_ix s, sw_ix peer)
{
	return u->tier.pos[peer] < u->tier.pos[s] &&
	       (u->rank[peer] < u->rank[s] || u->flat[s] ||
		       u->order != ROUTE_TIERS);
}

#endif
