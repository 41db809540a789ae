/* down_path_search: what down_path.c (all LIDs), down_path_from_lft.c (LIDs of
 * previous tables) and down_path_search.c (one LID) share while they choose
 * down paths. Private to them, multi_port.c and lft_keep.c. */
#ifndef HEDDLE_ROUTING_UPDOWN_DOWN_PATH_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_DOWN_PATH_PRIV_H

#include "routing/updown/updown.h"

/* The load that each link group and switch carries down already, by kind, in
 * shares: UPDN_SHARES is one LID. */
struct down_path_load {
	uint32_t *link;	 /* per group of the lower switch */
	uint32_t *sw;	 /* per switch */
	uint32_t *above; /* per neighbour class, by its first switch: of all
			    switches above it together */
};

/* A possible step up: a link group, to peer; the neighbour class (above) of
 * peer, and how many link groups lead up from peer, at least 1. */
struct down_path_hop {
	uint32_t group;
	uint16_t peer, links;
	uint16_t class, ups;
};

enum { UPDN_AVOID_MAX = 8 }; /* LIDs of other ports that are considered */

struct down_path_search {
	const struct updown *u;
	const struct reachability *r;
	struct dest_table *d;
	struct down_path_load load[2];
	uint32_t *fair; /* [nsw] what one link up from here should carry */
	uint32_t prefer[UPDN_PATH_MAX]; /* groups of the previous share */

	/* Steps up from s, found when first asked for: few are, where tables
	 * are kept. */
	struct down_path_hop **hop; /* [nsw] of s; NULL: not found yet */
	bool *alike;		    /* [nsw] they all have as many links */
	uint32_t *ups; /* [nsw] how many steps, + 1; 0: not counted yet */
	struct nbr_class_groups below;

	/* Which steps lead nearer, for 64 destinations at once: neighbours ask
	 * about the same ones, one after the other. */
	uint64_t **nearer; /* as hop[]: bits of one word */
	uint64_t *any;	   /* [nsw] the union of nearer[s] */
	uint32_t *asked; /* [nsw] number of that word and length of the path; 0:
			    none */

	/* What the other ports of the node use. */
	uint32_t *taken; /* [nsw] equal to stamp: on one of their down paths */
	uint32_t stamp;
	sw_ix avoid_top[UPDN_AVOID_MAX];
	uint32_t navoid_tops;
};

/*
 * multi_port.c: avoid notes, before the down path of LID i is chosen, which
 * switches the paths of the node's other ports take. overlap rates switch s: 2,
 * it is on one of these paths; 1, it leads to the same path top, so that
 * sources would come up the same path; 0, neither.
 */
void multi_port_avoid(struct down_path_search *w, uint32_t i);
unsigned multi_port_overlap(const struct down_path_search *w, sw_ix s);

/* down_path_search.c: room for the loads, which are all 0. */
void down_path_begin(struct down_path_search *w);

/* Set what each link up from switch s should carry if all were equal, but no
 * less than one LID. True if some link carries more. */
bool down_path_set_fair_load(struct down_path_search *w, sw_ix s);

/* The link group of s to peer, or UINT32_MAX. */
uint32_t down_path_find_group(const struct updown *u, sw_ix s, sw_ix peer);

/* True if the shortest legal path from x to dest is exactly k long. */
bool down_path_is_exactly(
	const struct down_path_search *w, sw_ix x, sw_ix dest, uint32_t k);

/* A down path for LID i, and the groups that it takes; nothing is counted. */
void down_path_find(struct down_path_search *w, const struct down_path_load *b,
	uint32_t i, struct down_path *c, uint32_t *group);

/* Extend c from its last switch as far as possible, by the lightest load. Call
 * multi_port_avoid() before. */
void down_path_extend(const struct down_path_search *w,
	const struct down_path_load *b, struct down_path *c, uint32_t *group);

/* Add this many shares to each link group and switch of c, modulo 2^32: 0U - n
 * subtracts n. */
void down_path_count(const struct down_path_search *w, struct down_path_load *b,
	const struct down_path *c, const uint32_t *group, uint32_t shares);

/* Choose a down path for LID i of a compute host and count it; split the LID
 * where a link would get too much. */
void down_path_place(struct down_path_search *w, uint32_t i);

/* A down path of its destination alone. */
static inline void
down_path_start(struct down_path *c, sw_ix dest)
{
	c->sw[0] = (uint16_t)dest;
	c->len = 1;
}

/* Mark LID i as split. Returns its UPDN_SHARES down paths, to be filled, which
 * are valid until the next call. */
struct down_path *down_path_mark_split(struct down_path_search *w, uint32_t i);

/* Forget the load of compute hosts' LIDs, their down paths, and which are
 * split. */
void down_path_reset(struct down_path_search *w);

/*
 * down_path_from_lft.c: the paths in use under the previous routes as down
 * paths of compute hosts' LIDs; new ones only where a path is new or broken.
 * seq: switches in family order.
 */
void down_path_from_lft(struct down_path_search *w, const sw_ix *seq);

/*
 * The same for the LIDs in want, of any kind, and nothing else: d has no paths
 * yet, and w->d->path[] of other LIDs means nothing afterwards. A path that is
 * broken gets a new one by the loads of the LIDs that compete with it.
 */
void down_path_some_from_lft(
	struct down_path_search *w, const sw_ix *seq, const bool *want);

#endif
