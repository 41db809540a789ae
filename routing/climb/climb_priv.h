/*
 * climb_priv: shared by climb.c (trees and layers), climb_room.c,
 * climb_escape.c, climb_former.c (previous paths), climb_load.c, climb_search.c
 * (paths that change little), climb_mend.c (pairs without a common layer),
 * climb_lids.c (entries of LIDs), climb_rebalance.c (their balance) and
 * climb_repair.c (routes in force without a link), and included by no other
 * file.
 */
#ifndef HEDDLE_ROUTING_CLIMB_CLIMB_PRIV_H
#define HEDDLE_ROUTING_CLIMB_CLIMB_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/climb/climb.h"
#include "routing/graph/switch_lids.h"

enum { CLIMB_NO_PORT = 255 };

/* Of a path: see mask and tail of struct climb. */
struct climb_layers {
	uint16_t mask, tail;
};

/* Settled switches of a level: a list by climb.after, without those that no
 * other switch can be settled by. */
struct climb_level {
	sw_ix first, last; /* TOPO_NONE: there are none */
};

/* Arrays [nsw * nsw] are by destination switch, then by switch. */
struct climb {
	const struct climb_job *job;
	const struct directions *d;
	const struct swgraph *g;
	const uint16_t *dep; /* layers in which a dependency climbs, as
				layer_orders_climbing gives them */
	uint16_t *on;	   /* [dependencies] ... for packets that come over any
			      link, where there is a map of VLs */
	unsigned ins;	   /* in-classes */
	const uint8_t *in; /* [groups] in-class of a link */
	uint32_t *ports;   /* [nsw + 1] first of a switch in port_group */
	uint8_t *port_group; /* by out-port: number of the group among those of
				its switch, or CLIMB_NO_PORT */
	uint16_t all;	     /* layers, a bit each */
	uint32_t *next;	     /* [nsw * nsw] the group that leads on, or
				CLIMB_NO_GROUP */
	uint16_t *mask; /* [nsw * nsw] layers in which the whole path climbs */
	uint16_t *tail; /* [nsw * nsw] ... in which it does behind its first
			   link, after that link */
	sw_ix *seq;	/* [nsw * nsw] parents first */
	uint32_t *nseq; /* [nsw] */
	bool *pinned;	/* [nsw * nsw] to the escape tree */
	bool *has_pins; /* [nsw] */
	bool *made;	/* [nsw] the tree is of this pass */
	bool last;	/* of the passes: pairs must have a common layer */
	uint64_t *load; /* [groups] pairs of hosts, by all trees */
	uint32_t *size; /* [ncomp] live switches */
	struct climb_former *former;
	struct switch_lids lids;
	struct route_layers layers;
	/* room for one tree */
	sw_ix escape_to;	/* the destination of escape[], or TOPO_NONE */
	uint32_t *escape;	/* [nsw] groups of the escape tree */
	uint32_t *depth;	/* [nsw] links of the escape path */
	uint32_t *level;	/* [nsw] links of the path */
	uint32_t *shortest;	/* [nsw] links of the shortest path */
	uint32_t deepest;	/* level so far */
	struct climb_level *at; /* [nsw] by level */
	sw_ix *after;		/* [nsw] the next of its level, or TOPO_NONE */
	uint32_t *degree;	/* [nsw] live neighbours */
	uint32_t *open;		/* [nsw] ... that are not settled */
	uint64_t *cost;		/* [nsw] load on the path */
	bool *settled;		/* [nsw] */
	uint32_t *offer;   /* [nsw] the best group so far, or CLIMB_NO_GROUP */
	uint64_t *offered; /* [nsw] what it costs */
	struct climb_layers *leaves; /* [nsw] the layers that it leaves */
	sw_ix *wave;		     /* [nsw] switches with an offer */
	uint64_t *behind; /* [nsw] hosts that come through a switch */
};

/* The place of (destination, switch) in arrays of pairs. */
static inline size_t
climb_pair(const struct climb *x, sw_ix t, sw_ix u)
{
	return (size_t)t * x->g->nsw + u;
}

/* The group that a port of u belongs to, or CLIMB_NO_GROUP. */
static inline uint32_t
climb_port_group(const struct climb *x, sw_ix u, uint8_t port)
{
	uint32_t at = x->ports[u] + port;

	return at >= x->ports[u + 1] || x->port_group[at] == CLIMB_NO_PORT
		       ? CLIMB_NO_GROUP
		       : x->g->first[u] + x->port_group[at];
}

/* Layers that t and u have both ways. */
static inline uint16_t
climb_common_layers(const struct climb *x, sw_ix t, sw_ix u)
{
	return x->mask[climb_pair(x, t, u)] & x->mask[climb_pair(x, u, t)];
}

/* Layers in which group next comes after c, which comes after a link of a
 * class. */
static inline uint16_t
climb_dep(const struct climb *x, unsigned in, uint32_t c, uint32_t next)
{
	return x->dep[(size_t)in * x->d->dep[x->d->n] +
		      directions_dep(x->d, c, next)];
}

/* How a path goes on from a switch: by which group, or CLIMB_NO_GROUP at the
 * destination, and in which layers, by the class of the link that it came
 * over. */
struct climb_onward {
	uint32_t next;
	uint16_t tail[VL_MAP_IN];
};

/* From v to t by the groups of next[], of which tail[] is known. */
static inline struct climb_onward
climb_onward(const struct climb *x, sw_ix t, sw_ix v, const uint32_t *next,
	const uint16_t *tail)
{
	struct climb_onward o;
	sw_ix w;

	o.next = v == t ? CLIMB_NO_GROUP : next[v];
	w = v == t ? t : x->g->group[o.next].peer;
	for (unsigned in = 0; in < x->ins; in++)
		o.tail[in] =
			w == t ? x->all
			       : tail[v] & climb_dep(x, in, o.next, next[w]);
	return o;
}

/* The layers of a path that takes group c and then goes on like that. */
static inline struct climb_layers
climb_step(const struct climb *x, uint32_t c, const struct climb_onward *o)
{
	struct climb_layers l;

	l.tail = o->tail[x->in[c]];
	l.mask = o->next == CLIMB_NO_GROUP
			 ? l.tail
			 : l.tail & climb_dep(x, 0, c, o->next);
	return l;
}

/* Whether a path to t over group c is as the structure wants it: others can go
 * on over c in a layer of these, which are layers behind it, and it is the
 * right way round a ring. With a map of VLs. */
static inline bool
climb_is_regular(const struct climb *x, sw_ix t, uint32_t c,
	const struct climb_onward *onward, uint16_t layers)
{
	return !layer_orders_avoids(x->job->orders, t, c) &&
	       (onward->next == CLIMB_NO_GROUP ||
		       (layers &
			       x->on[directions_dep(x->d, c, onward->next)]) !=
			       0);
}

/* climb_room.c: arrays of pairs, and room for one tree. */
void climb_make_room(struct climb *x);

/* climb_measure.c: links of the shortest path from each switch to t, UINT32_MAX
 * where there is none: links[nsw]. Uses x->wave. */
void climb_measure(struct climb *x, sw_ix t, uint32_t *links);

/*
 * climb_escape.c: the up/down paths to t, into x->escape.
 */
void climb_escape_make(struct climb *x, sw_ix t);

/* climb_former.c: previous paths. */

/* A path by previous entries: all of it is in the tree. */
struct climb_paths {
	uint32_t *next; /* [nsw] the group that leads on, or CLIMB_NO_GROUP */
	uint16_t *mask, *tail; /* [nsw] as those of struct climb */
	sw_ix *seq; /* [nsw] those with a path, parents first; n of them */
	uint32_t n;
};
struct climb_paths climb_former_room(const struct climb *x);
void climb_former_begin(struct climb *x);
/* The previous paths to a LID of t that climb in a layer. */
void climb_former_paths(
	struct climb *x, sw_ix t, uint16_t lid, struct climb_paths *out);
/* Those of the last LID of t that may stay. */
const struct climb_paths *climb_former_tree(struct climb *x, sw_ix t);
/* The switch in job->prev, or TOPO_NONE. */
sw_ix climb_former_switch(const struct climb *x, sw_ix s);
/* The port by which the previous tables left u for a LID, or LFT_DROP. */
uint8_t climb_former_port(const struct climb *x, sw_ix u, uint16_t lid);
/* The layer that a pair of switches had, a bit; 0: not known, or not there. */
uint16_t climb_former_layer(const struct climb *x, sw_ix t, sw_ix u);

/* climb_load.c: add the pairs of the tree of t to the load of its links, or
 * take them off. */
void climb_add_load(struct climb *x, sw_ix t, bool add);
/* The link of group c for u and a LID, an index in topo.adj: the previous one,
 * *kept, or the least loaded by load[topo.nadj]. */
uint32_t climb_choose_link(const struct climb *x, sw_ix u, uint32_t c,
	uint16_t lid, const uint64_t *load, bool *kept);

/* climb_search.c: paths that change little. */

/* Costs of a search: of a next hop, of one that is not the one in use, and of a
 * pair that loses its layer by that; of such pairs at most BREAKS count. */
enum {
	CLIMB_COST_HOP = 1,
	CLIMB_COST_CHANGE = 3,
	CLIMB_COST_BREAK = 30,
	CLIMB_BREAKS = 10,
	CLIMB_COST_MOST = 4096, /* of a path: longer ones are not looked for */
};

struct climb_search {
	const struct climb *x;
	/* of the trees in use; they are asked late, and breaks rarely */
	void *of;
	uint32_t (*next_hop)(
		void *of, sw_ix s);	       /* a group, or CLIMB_NO_GROUP */
	uint32_t (*breaks)(void *of, sw_ix s); /* pairs that lose their layer
		      by another; CLIMB_COST_MOST: there must not be one */
	sw_ix t;			       /* searched for */
	unsigned layer;
	uint32_t *path; /* groups that were found; length of them */
	uint32_t length;
	uint32_t cost; /* of the path; CLIMB_COST_MOST: there was none */
	struct climb_search_room *room;
};

/* Room for q, of which the functions are set, in the graph's arena. */
void climb_search_room(struct climb_search *q);
/* The cheapest path of u to t that climbs in a layer; false: there is none, or
 * it passes a switch twice. */
bool climb_search_path(
	struct climb_search *q, sw_ix t, sw_ix u, unsigned layer);

/* climb_mend.c: every pair gets a common layer. */
void climb_mend(struct climb *x);

/* climb_lids.c: the entries of all LIDs, and the pairs of hosts over each link,
 * [topo.nadj] in the graph's arena; false: cancelled. */
bool climb_fill_lids(struct climb *x, struct routes *r, uint64_t **load);

/* climb_rebalance.c: entries of new tables are moved off the busiest links;
 * load as climb_fill_lids gives it. */
void climb_rebalance(struct climb *x, struct routes *r, uint64_t *load);

/* climb_repair.c: the routes in force without links that are lost, and the
 * pairs of hosts over each link, as above. NULL: more has changed, or a pair
 * finds no layer; *renew: a link has come back with which the structure has
 * other orders, as a ring that is whole again, so that new tables are nearer to
 * those before the loss than kept ones. */
struct routes *climb_repair(struct climb *x, uint64_t **load, bool *renew);

#endif
