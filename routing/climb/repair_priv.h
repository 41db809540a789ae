/*
 * repair_priv: shared by climb_repair.c (what is lost, and the whole),
 * repair_room.c, repair_paths.c (the paths to one LID), repair_layers.c (layers
 * of pairs that lose paths), repair_pairs.c (pairs without a layer),
 * repair_gains.c (links that were not there), repair_rebalance.c (links that
 * carry too much) and climb_rebalance.c (those of new tables), and included by
 * no other file.
 */
#ifndef HEDDLE_ROUTING_CLIMB_REPAIR_PRIV_H
#define HEDDLE_ROUTING_CLIMB_REPAIR_PRIV_H

#include "routing/climb/climb_priv.h"

/* What is known of a switch, in the tables of one LID. */
enum path_state {
	PATH_UNKNOWN,
	PATH_KNOWN,  /* by its entry, or it has been hung in again */
	PATH_ORPHAN, /* it has none */
};

/* A pair of which an entry is without a path in its layer. */
struct stuck {
	sw_ix high, low;
};

static inline struct stuck
stuck_pair(sw_ix a, sw_ix b)
{
	return (struct stuck){a > b ? a : b, a > b ? b : a};
}

/* A direction of a link that was not there. */
struct gain {
	sw_ix from;
	uint32_t group, link; /* the latter an index in topo.adj */
};

/* The entries of a switch for the LIDs of a block. */
struct repair_line {
	const uint8_t *entry;
	uint32_t block;
};

struct repair {
	struct climb *x;
	struct routes *r;
	struct repair_line *line; /* [nsw] that were looked at last */
	sw_ix *was;		  /* [nsw] numbers of switches in job->prev */
	sw_ix *is;		  /* [prev->topo->nsw] and back, or TOPO_NONE */
	const sw_ix *owner; /* [max_lid + 1] the switch that delivers a LID, or
			       TOPO_NONE */
	uint64_t *load;	    /* [topo.nadj] pairs of hosts */
	struct gain *gain;  /* [ngains] */
	uint32_t ngains;
	bool *owned;	/* [nsw] the row of layers is not shared any more */
	uint16_t *open; /* [nsw * nsw] layers that a pair of switches may get by
			   the paths that it has so far, 0: it keeps its own;
			   NULL: all do */
	struct stuck *stuck;
	size_t nstuck, stuck_room;
	/* of one LID, all by switch */
	sw_ix t;
	uint16_t lid;
	uint8_t *state; /* enum path_state */
	sw_ix *touched; /* those that are not unknown; n of them */
	uint32_t n;
	sw_ix *orphan; /* the first norphans of them are left */
	uint32_t norphans;
	sw_ix *all; /* those that there were */
	sw_ix *stack;
	uint32_t *trail; /* links of a path, indices in topo.adj */
	uint64_t *room;	 /* [topo.nadj] pairs that links may carry; NULL: any
			    number. Then links are chosen by load alone */
	uint32_t shut;	 /* a link that is not taken then */
	bool *tight;	 /* a link of the path has no room */
	uint32_t *level; /* links to t */
	uint32_t deepest;
	uint32_t *next;	       /* the group that leads on */
	uint32_t *link;	       /* index in topo.adj */
	uint64_t *cost;	       /* load on the path */
	uint16_t *mask, *tail; /* as those of struct climb */
	struct climb_onward *onward;
};

/* The port by which u sends a LID. */
static inline uint8_t
repair_port(const struct repair *m, sw_ix u, uint16_t lid)
{
	struct repair_line *line = &m->line[u];

	if (line->block != lid / LFT_BLOCK)
		*line = (struct repair_line){
			routes_block(m->r, u, lid / LFT_BLOCK),
			lid / LFT_BLOCK};
	return line->entry[lid % LFT_BLOCK];
}

/* Whether what arrives at u for the LID comes from the switch behind link k of
 * u, an index in topo.adj. */
static inline bool
repair_comes_by(const struct repair *m, uint32_t k, uint16_t lid)
{
	const struct topo_adj *a = &m->x->g->t->adj[k];

	return m->x->g->live[a->peer] && a->peer != m->t &&
	       repair_port(m, a->peer, lid) == a->peer_port;
}

/* What is open of the layer of a pair, where layers are. */
static inline uint16_t *
repair_open(const struct repair *m, sw_ix a, sw_ix b)
{
	struct stuck pair = stuck_pair(a, b);

	return &m->open[climb_pair(m->x, pair.high, pair.low)];
}

/* repair_room.c: room for a repair of x, of which nothing is known yet. */
struct repair repair_make_room(struct climb *x);

/* repair_paths.c: the paths to one LID, that at work. */

/* Another LID, of switch t: nothing is known of its paths. */
void repair_begin_lid(struct repair *m, sw_ix t, uint16_t lid);
/* The path of u by its entries, as far as there is one. */
void repair_know_path(struct repair *m, sw_ix u);
/* u goes on over a link of group c, to a switch with a known path. */
void repair_hang(struct repair *m, sw_ix u, uint32_t c, uint32_t link);
/* The layer of the pair of u and t, a bit; those that it may get, if it does
 * not keep its own. */
uint16_t repair_layer(const struct repair *m, sw_ix u);
/* Hosts of u that have pairs by the LID. */
uint64_t repair_hosts(const struct repair *m, sw_ix u);
/* Pairs of hosts from switch o of job->prev do not go over its previous path
 * any more, up to the lost link and behind it, or do. */
void repair_former_load(struct repair *m, sw_ix o, uint64_t hosts, bool add);
/* Index in topo.adj of the link by which u sends the LID, TOPO_NONE: none. */
uint32_t repair_entry_link(const struct repair *m, sw_ix u);
/* Pairs of hosts from u leave the path by its entries, where it arrives, or
 * come to it. */
void repair_move_load(struct repair *m, sw_ix u, uint64_t hosts, bool add);
/* The entry of u becomes `out`. */
void repair_put_entry(struct repair *m, sw_ix u, uint8_t out);
/* u has no path. */
void repair_add_orphan(struct repair *m, sw_ix u);
/* All that comes through the orphans so far is an orphan too: m->all, which
 * many. */
uint32_t repair_add_behind(struct repair *m);
/* u and all that comes through it are taken out of the tree of a LID, with
 * their load: m->all, which many. */
uint32_t repair_take_out(struct repair *m, sw_ix u, uint16_t lid);
/* These n have the paths by which they have been hung in, or stay where they
 * were; their load comes back. */
void repair_put_in(struct repair *m, uint32_t n, bool moved);
/* The orphans get paths by entries that are not put; false: not all. */
bool repair_hang_all(struct repair *m);
/* The orphans so far, and what is behind them, get paths; or they are stuck. */
void repair_orphans(struct repair *m);
void repair_add_stuck(struct repair *m, sw_ix a, sw_ix b);

/* repair_layers.c: the layer of a pair, that of both directions apart; and the
 * pairs noted as stuck, whose paths are lost, get one of the structure. */
void repair_put_layer(struct repair *m, sw_ix u, sw_ix t, unsigned layer);
void repair_choose_layers(struct repair *m);
/* These pairs may get any layer in which the paths that they keep climb; and
 * they get one, by those that they have got. */
void repair_open_layers(struct repair *m);
void repair_close_layers(struct repair *m);

/* repair_pairs.c: all pairs that are stuck get paths in a layer; false: one
 * finds none, or they are too many. */
bool repair_pairs(struct repair *m);

/* repair_gains.c: links that were not there are used. */
void repair_gains(struct repair *m);

/* repair_rebalance.c: entries are moved off links that carry too much. */
void repair_rebalance(struct repair *m);
/* No link is to carry more than the load `goal`; the path to a LID may become
 * longer for that, by up to `longer` links. */
void repair_unload(struct repair *m, uint64_t goal, uint32_t longer);

#endif
