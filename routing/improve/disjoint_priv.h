/*
 * disjoint_priv: what disjoint.c (paths, and how entries are changed),
 * disjoint_select.c (which nodes to look at) and disjoint_meet.c (which of them
 * have paths that meet) share. Private to them.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_DISJOINT_PRIV_H
#define HEDDLE_ROUTING_IMPROVE_DISJOINT_PRIV_H

#include "routing/improve/disjoint.h"
#include "routing/improve/link_map.h"
#include "routing/improve/redundancy.h"
#include "routing/improve/shared_switch.h"

enum {
	DISJOINT_PORTS = 16,  /* of a node; with more it is redundant anyway */
	DISJOINT_PATHS = 128, /* LIDs of one port */
	DISJOINT_NONE = LINK_MAP_NONE,
};

/* The paths to one LID. */
struct disjoint_path {
	uint16_t lid;
	sw_ix dest;
	bool idle;	/* nothing is sent there while others are up */
	bool base;	/* a base LID: its paths count as load */
	uint32_t *next; /* [nsw] link, or DISJOINT_NONE; valid where read is
			   nth */
	sw_ix *to;	/* [nsw] the switch behind it */
	uint32_t *was;	/* [nsw] next as in the tables, while it changes */
	uint32_t *read; /* [nsw] */
	uint32_t nth;	/* number of the LID, of all taken up */
	uint32_t *dist; /* [nsw] links to dest, or DISJOINT_NONE */
	uint32_t *pass; /* [nsw] leaves that send packets through it */
};

struct disjoint_state; /* of a search: disjoint.c */

struct disjoint {
	const struct topo *t;
	const struct route_job *job;
	const struct routes *from;
	const struct routes *since; /* look at what has changed since; NULL: at
				       all */
	struct routes *r; /* a copy, being changed; NULL: nothing is yet */
	struct multi_port_node_ports ports;
	struct arena *a;
	uint32_t *pos;	 /* [nsw] place in the order, smaller is above */
	uint32_t *hosts; /* [nsw] */
	struct link_map net;
	uint32_t *pairs;  /* [nadj] on a link, or NULL: not read yet */
	uint32_t *of_lid; /* its node: number of the first port + 1, or 0 */
	bool *due;   /* by number of the first port: look at the node; NULL:
			look at all */
	bool *meets; /* by the first port's LID: disjoint_find_shared */

	/* Of the node at hand. */
	struct disjoint_path path[DISJOINT_PORTS];
	uint32_t npaths;
	bool *cut; /* [nleaves] a switch is on all paths from there */
	uint32_t ncut;
	sw_ix *order; /* [norder] see measure_paths */
	uint32_t norder;
	bool *shared;			/* [nsw] see find_cut_leaves */
	uint32_t nth;			/* LIDs taken up so far */
	struct shared_switch shared_by; /* its paths from one leaf */
	struct disjoint_state *state;	/* [nsw * (CHANGES + 1)] */
	uint32_t *queue;		/* of states */
	uint32_t search;		/* number of the search at hand */
	uint32_t patience; /* links that may still be tried in vain */
	uint32_t *moved;   /* numbers of leaves with paths that a trial moves */
	bool left;	   /* a node stays cut, as far as was looked at */
};

/* The link by which s sends to the LID, or DISJOINT_NONE. */
static inline uint32_t
disjoint_link(const struct disjoint *e, const struct disjoint_path *w, sw_ix s)
{
	uint32_t c = DISJOINT_NONE;

	if (w->read[s] == w->nth)
		return w->next[s];
	if (s != w->dest)
		c = link_map_entry(&e->net, e->from, s, w->lid);
	w->read[s] = w->nth;
	w->next[s] = c;
	if (c != DISJOINT_NONE)
		w->to[s] = e->net.head[c];
	return c;
}

/*
 * disjoint_paths.c: take up the paths to the LIDs number `path` of n ports, to
 * be looked at from now on. False: there are not several, or all lead to one
 * switch.
 */
bool disjoint_take_paths(struct disjoint *e,
	const struct multi_port_node_member *m, size_t n, unsigned path);

/*
 * disjoint_paths.c: true if some switch behind leaf s is on the paths from
 * there to all ports except number `but` (DISJOINT_NONE: to all). Then
 * e->shared_by has such switches. False where a port is not reached.
 */
bool disjoint_has_shared_switch(struct disjoint *e, sw_ix s, uint32_t but);

/* True if the node is to be looked at that has its first port at number i. */
static inline bool
disjoint_is_due(const struct disjoint *e, size_t i)
{
	return e->of_lid[e->t->port[e->ports.member[i].port].lid] > 0 &&
	       (e->due == NULL || e->due[i]);
}

/*
 * disjoint_meet.c: note in e->meets which of the nodes that are to be looked at
 * have a switch that is on a path to the first port and on a path to the
 * second, from any leaves. The others have no single point of failure.
 */
void disjoint_find_shared(struct disjoint *e);

/*
 * disjoint_select.c: mark in e->due the nodes with ports or entries that differ
 * from job->prev. False: all nodes may be due.
 */
bool disjoint_select(struct disjoint *e);

#endif
