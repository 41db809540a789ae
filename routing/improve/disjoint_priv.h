/*
 * apart_priv: what apart.c (ways, and how they are led apart),
 * disjoint_select.c (which nodes to look at) and disjoint_meet.c (which of them
 * have ways that meet) share. Private to them.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_DISJOINT_PRIV_H
#define HEDDLE_ROUTING_IMPROVE_DISJOINT_PRIV_H

#include "routing/improve/disjoint.h"
#include "routing/improve/redundancy.h"
#include "sm/base/arena.h"

enum {
	DISJOINT_PORTS = 16,  /* of a node; more are redundant by themselves */
	DISJOINT_PATHS = 128, /* LIDs of one port */
	DISJOINT_NONE = UINT32_MAX,
};

/* The ways to one LID. */
struct disjoint_path {
	uint16_t lid;
	sw_ix dest;
	bool idle;	/* nothing is sent there while others are up */
	bool base;	/* this one carries load */
	uint32_t *next; /* [nsw] cable, or DISJOINT_NONE, of those that are */
	sw_ix *to;	/* [nsw] the switch behind it */
	uint32_t *was;	/* [nsw] as the tables have it, while it changes */
	uint32_t *read; /* [nsw] read for this LID, whose number is */
	uint32_t nth;
	uint32_t *dist; /* [nsw] cables to dest, or DISJOINT_NONE */
	uint32_t *pass; /* [nsw] leaves whose packets pass */
};

struct disjoint_switch {
	port_ix first_port;
	uint8_t nports;
};

struct disjoint_state; /* of a search */

struct disjoint {
	const struct topo *t;
	const struct route_job *job;
	const struct routes *from;
	struct routes *r; /* the same, being changed; NULL: not yet */
	struct multi_port_node_ports ports;
	struct arena *a;
	uint32_t *pos;	 /* [nsw] place in the order, smaller is above */
	uint32_t *hosts; /* [nsw] */
	struct disjoint_switch *sw; /* [nsw] */
	uint32_t *cable;  /* [nports] of a switch's port: number in t->adj of a
			     cable between live switches, or DISJOINT_NONE */
	uint16_t *behind; /* [nports] the switch at its other end + 1, or 0 */
	uint64_t *load;	  /* [nadj], or NULL: not asked for yet */
	uint32_t *of_lid; /* its node: number of the first port + 1, or 0 */
	bool *due;	  /* by that: look at it; NULL: at all */
	bool *meets; /* by the LID of the first way: see disjoint_find_shared */

	/* Of the node at hand. */
	struct disjoint_path way[DISJOINT_PORTS];
	uint32_t nways;
	bool *cut; /* [nleaves] a switch is on all ways from there */
	uint32_t ncut;
	sw_ix *order; /* [norder] see measure */
	uint32_t norder;
	bool *shared;	/* [nsw] see find_cut */
	uint32_t nth;	/* of all ways that were looked at */
	uint64_t *seen; /* [nsw] stamp + how many of the ways pass */
	uint64_t stamp, all;
	struct disjoint_state *state; /* [nsw * (CHANGES + 1)] */
	uint32_t *queue;	      /* of them */
	uint32_t search;	      /* number of the one at hand */
	uint32_t patience;	      /* left */
	uint32_t *moved; /* numbers of leaves whose ways a trial moves */
	uint32_t left;	 /* nodes that stay cut, of all */
};

/* The cable by which s leads to the LID, or DISJOINT_NONE. */
static inline uint32_t
disjoint_link(const struct disjoint *e, const struct disjoint_path *w, sw_ix s)
{
	const struct disjoint_switch *sw = &e->sw[s];
	uint32_t c = DISJOINT_NONE;
	uint8_t out;

	if (w->read[s] == w->nth)
		return w->next[s];
	out = routes_block(e->from, s, w->lid / LFT_BLOCK)[w->lid % LFT_BLOCK];
	if (s != w->dest && out <= sw->nports)
		c = e->cable[sw->first_port + out];
	w->read[s] = w->nth;
	w->next[s] = c;
	if (c != DISJOINT_NONE)
		w->to[s] = (sw_ix)(e->behind[sw->first_port + out] - 1U);
	return c;
}

/*
 * apart.c: take up the ways to the path-th LIDs of n ports, to be looked at
 * from now on. False: there are not several, or all lead to one switch.
 */
bool disjoint_take_paths(struct disjoint *e,
	const struct multi_port_node_member *m, size_t n, unsigned path);

/*
 * The same file: is any switch behind leaf s on all ways from there, but that
 * of number `but` (DISJOINT_NONE: on all)? Then e->seen of those is e->all.
 * Where a port is not reached none is.
 */
bool disjoint_has_shared_switch(struct disjoint *e, sw_ix s, uint32_t but);

/* Is the node whose first port has number i to be looked at? */
static inline bool
disjoint_is_due(const struct disjoint *e, size_t i)
{
	return e->of_lid[e->t->port[e->ports.member[i].port].lid] > 0 &&
	       (e->due == NULL || e->due[i]);
}

/*
 * disjoint_meet.c: which of the nodes that are to be looked at have a switch
 * that is on a way to the first port, and on one to the second, from whichever
 * leaves: into e->meets. The others have no single point of failure.
 */
void disjoint_find_shared(struct disjoint *e);

/*
 * disjoint_select.c: mark in e->due the nodes whose ports or entries are not
 * what they were in job->prev. False: all may be.
 */
bool disjoint_select(struct disjoint *e);

#endif
