/*
 * down_path_search: what down_path.c and down_path_from_lft.c share while they
 * choose the ways down. Private to them.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_DOWN_PATH_PRIV_H
#define HEDDLE_ROUTING_UPDOWN_DOWN_PATH_PRIV_H

#include "routing/updown/updown.h"

/*
 * How much each cable group and switch carries down already, by kind, in
 * shares: UPDN_SHARES is one LID.
 */
struct down_path_load {
	uint32_t *link;	 /* per group of the lower switch */
	uint32_t *sw;	 /* per switch */
	uint32_t *above; /* per first of kin: of those above them together */
};

/* A way up: a group, to peer; the kin of that, by what is above it, and how
 * many switches are, at least 1. */
struct down_path_hop {
	uint32_t group;
	uint16_t peer, cables;
	uint16_t class, ups;
};

enum { UPDN_AVOID_MAX = 8 }; /* other ports of a node that are looked at */

struct down_path_search {
	const struct updown *u;
	const struct reachability *r;
	struct dest_table *d;
	struct down_path_load load[2];
	uint32_t *fair; /* [nsw] what one cable up from here should carry */
	uint32_t prefer[UPDN_PATH_MAX]; /* groups of the previous share */

	/* Ways up from s, found when they are asked for first: a repair asks
	 * about few. */
	struct down_path_hop **hop; /* [nsw] of s, or NULL: not found yet; */
	uint32_t *ups;		    /* so many, + 1, or 0: not counted yet */
	struct nbr_class_groups below;

	/* Who is a step nearer, for 64 destinations at once: neighbours ask
	 * about the same ones, one after the other. */
	uint64_t **nearer; /* as way[]: bits of one word */
	uint64_t *any;	   /* [nsw] of all of them together */
	uint32_t *asked;   /* [nsw] that word and the length of the way, or 0 */

	/* What the other ports of the node use. */
	uint32_t *taken; /* [nsw] the stamp: a switch on one of their ways */
	uint32_t stamp;
	sw_ix avoid_top[UPDN_AVOID_MAX];
	uint32_t navoid_tops;
};

/*
 * multi_port.c: before a way for LID i is sought: which switches the ways of
 * the node's other ports take. Then how bad s is: 2 it is one of them, 1 it
 * leads to the same top, so that sources would come the same way up.
 */
void multi_port_avoid(struct down_path_search *w, uint32_t i);
unsigned multi_port_overlap(const struct down_path_search *w, sw_ix s);

/* down_path.c: room for the loads, all of them none. */
void down_path_begin(struct down_path_search *w);

/*
 * What each cable up from switch s should carry if all were equal, but no less
 * than one LID. True when some cable carries more.
 */
bool down_path_set_fair_load(struct down_path_search *w, sw_ix s);

/* The group of s to peer, or UINT32_MAX. */
uint32_t down_path_find_group(const struct updown *u, sw_ix s, sw_ix peer);

/* Is the shortest legal path from x to dest exactly k long? */
bool down_path_is_exactly(
	const struct down_path_search *w, sw_ix x, sw_ix dest, uint32_t k);

/* Go on from the last switch of c as far as it goes, by the lightest load; see
 * multi_port_avoid. */
void down_path_extend(const struct down_path_search *w,
	const struct down_path_load *b, struct down_path *c, uint32_t *group);

/* Add so many shares to all that c passes, modulo 2^32: 0U - n takes n. */
void down_path_count(const struct down_path_search *w, struct down_path_load *b,
	const struct down_path *c, const uint32_t *group, uint32_t shares);

/* A way for host LID i, counted; split where a cable would get too much. */
void down_path_place(struct down_path_search *w, uint32_t i);

/* A way that begins at its destination and gets no further yet. */
static inline void
down_path_start(struct down_path *c, sw_ix dest)
{
	c->sw[0] = (uint16_t)dest;
	c->len = 1;
}

/* Mark LID i as split; its UPDN_SHARES chains, to be filled, which stay where
 * they are until the next one. */
struct down_path *down_path_mark_split(struct down_path_search *w, uint32_t i);

/* Forget what host LIDs load, and that any are split. */
void down_path_reset(struct down_path_search *w);

/*
 * down_path_from_lft.c: the ways in use under the previous routes as the chains
 * of host LIDs; new ones only for what is new or broken. seq: family order.
 */
void down_path_from_lft(struct down_path_search *w, const sw_ix *seq);

#endif
