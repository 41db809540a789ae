/*
 * safe_priv: what the parts of safe share, private to safe*.c.
 *
 *   lane    how many lanes have a graph of their own
 *   net     the frame: port records, cables that can carry data, names
 *   value   what each (switch, block) may hold, and in which stage
 *   blind   entries that lead where nobody knows what happens
 *   mix     turn matrices: of the mixture, of a stage, of the new routing
 *   cycle   strongly connected components, a cycle in words
 *   order   a topological order that is kept while turns are added
 *   stage   which entry is written in which stage
 *   bulk    the same for very many at once
 *   loss    how many pairs lose packets between stages
 *   stale   turns that stay closed for connections of old
 *   load    how many pairs use a turn or a cable
 *   block   which turns to block
 *   method  the turns and ports of the paper's methods
 *   write   the blocks to send, in order
 *   guest   turns of multicast trees beside the mixture
 *
 * A port record is off[switch] + port; a channel (directed cable) is named by
 * the record where it arrives, a vertex by lane * nrec + record. A dependency
 * is a turn, (vertex, out-port): bit out of the vertex's row in a matrix. The
 * last record of each lane is "nowhere", so that inner loops need no branch.
 */
#ifndef HEDDLE_DISTRIBUTION_TRANSITION_TRANSITION_PRIV_H
#define HEDDLE_DISTRIBUTION_TRANSITION_TRANSITION_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/transition/transition.h"
#include "sm/base/buf.h"

enum {
	TRANSITION_LATER = 255, /* a stage that has not been found yet */
	TRANSITION_VALUES = 16, /* values of one entry that are looked at */
};

/* Where an entry leads: the record where it arrives, and its switch. */
struct transition_to {
	uint32_t rec;
	sw_ix s;
};

struct chan_graph {
	const struct topo *t;
	const struct sl2vl_cache *turns; /* who refuses rows of SL2VL */
	uint32_t nsw;			 /* also the number of "nowhere" */
	uint32_t nrec;			 /* port records of one lane */
	uint32_t nv;			 /* vertices: nrec * lanes */
	uint32_t *off;	 /* [nsw + 1] first record of a switch */
	uint32_t *owner; /* [nv] switch */
	uint32_t *base;	 /* [nv] vertex of port 0 of its switch, same lane */
	uint32_t *peer;	 /* [nv] the other end of the cable */
	struct transition_to *to; /* [nsw * 256] by entry */
	uint64_t *alive;   /* [nsw + 1 << shift] out-ports that are channels */
	uint64_t *carry;   /* [nsw * 4] entries that are not a dead end */
	uint64_t *closed;  /* turns that stay closed, as a matrix, or NULL */
	uint64_t bit[256]; /* of a row for an out-port, 0: not a port */
	uint8_t word[256];
	unsigned shift; /* log2 of the words in a row */
	unsigned lanes;
};

struct transition_set;

/* vl_graphs.c: lanes to tell apart; 1 where any may become another's. */
unsigned vl_graphs_count(const struct transition_job *job);

/* chan_graph.c */
/* turns: who refuses rows of SL2VL; NULL: nobody does. */
void chan_graph_new(struct chan_graph *n, const struct topo *t,
	const struct sl2vl_cache *turns, unsigned lanes);
void chan_graph_free(struct chan_graph *n);
/* These turns, of as many lanes as n has, are closed from now on. */
void chan_graph_close(struct chan_graph *n, const struct transition_set *stay);
/* Can the switch send (any in, out) to lane 15? */
bool chan_graph_maps(const struct chan_graph *n, sw_ix s, unsigned out);
/* "'S1'", or its GUID. */
void chan_graph_name(const struct chan_graph *n, sw_ix s, struct buf *out);
/* Is this a switch of which no old table counts: all its ports in Init? */
bool chan_graph_fresh(const struct chan_graph *n, sw_ix s);
bool chan_graph_quarantined(const struct chan_graph *n, sw_ix s);

static inline size_t
transition_words(const struct chan_graph *n)
{
	return (size_t)n->nv << n->shift;
}

/* The vertex that follows v by way of port out. */
static inline uint32_t
transition_head(const struct chan_graph *n, uint32_t v, unsigned out)
{
	return n->peer[n->base[v] + out];
}

/* Next out-port of row v at or after *at; false at the end. */
static inline bool
transition_next(const struct chan_graph *n, const uint64_t *turn, uint32_t v,
	unsigned *at)
{
	const uint64_t *row = turn + ((size_t)v << n->shift);

	while (*at < 64U << n->shift) {
		uint64_t rest = row[*at >> 6] >> (*at & 63);

		if (rest != 0) {
			*at += (unsigned)__builtin_ctzll(rest);
			return true;
		}
		*at = (*at | 63) + 1;
	}
	return false;
}

static inline bool
transition_has(const struct chan_graph *n, const uint64_t *turn, uint32_t v,
	unsigned out)
{
	return turn[((size_t)v << n->shift) + (out >> 6)] >> (out & 63) & 1;
}

static inline void
transition_put(
	const struct chan_graph *n, uint64_t *turn, uint32_t v, unsigned out)
{
	turn[((size_t)v << n->shift) + (out >> 6)] |= UINT64_C(1) << (out & 63);
}

static inline void
transition_clear(
	const struct chan_graph *n, uint64_t *turn, uint32_t v, unsigned out)
{
	turn[((size_t)v << n->shift) + (out >> 6)] &=
		~(UINT64_C(1) << (out & 63));
}

/* A (switch, block) that does not simply hold what is wanted. */
struct lft_value_cell {
	sw_ix s;
	uint32_t b;
	uint32_t held; /* the first of its values in lft_values.held */
	uint16_t nheld;
	bool new;     /* the new routing's block counts: it is or gets there */
	bool write;   /* it must be written */
	bool settled; /* held[0] is acknowledged */
	bool wall;    /* held is without the blind ways: written first */
	bool blind;   /* packets meet it, and nobody knows what it holds */
	bool above;   /* the switch's top: none does until that is raised */
	lft_ref want;
};

/* Out-ports of a switch, a bit each. */
struct transition_ports {
	uint64_t bit[4];
};

struct lft_values {
	const struct chan_graph *net;
	const struct transition_job *job;
	const struct routes *to;
	uint32_t nblocks; /* of the new routing, and what is left above it */
	uint32_t *cell;	  /* [nsw * nblocks] number + 1, 0: as wanted */
	struct lft_value_cell *c;
	size_t ncells, capcells;
	lft_ref *held; /* different ones, the acknowledged one first */
	size_t nheld, capheld;
	lft_ref *own; /* references of what is held and is not hwstate's */
	size_t nown, capown;
	uint8_t (*stage)[LFT_BLOCK]; /* [ncells] NULL: everything at once */
	uint64_t differ; /* entries of those that are not what is wanted */
	uint64_t kept;
	uint32_t unread;
	sw_ix *old_sw;	/* [nsw] in from->topo, or TOPO_NONE */
	uint32_t *leaf; /* [nsw] in sl_history.h's numbers, or NULL: one lane */
	bool *turned;	/* [nsw] up and down are exchanged among these */
	struct transition_ports
		*blind; /* [nsw] ways into the unknown, or NULL */
};

/* Which values of an entry count. */
enum transition_which {
	TRANSITION_ALL,	  /* held and new */
	TRANSITION_NEW,	  /* the new routing */
	TRANSITION_STALE, /* likewise, with all lanes that connections may use
			   */
	TRANSITION_HELD,  /* what is acknowledged, or the likeliest */
	TRANSITION_AT,	 /* in stage k: new before it, both in it, held after it
			  */
	TRANSITION_REST, /* from stage k on: new before it, else both */
};

struct transition_when {
	enum transition_which which;
	unsigned k;
};

struct transition_extra {
	sw_ix s;
	const uint8_t *line;
};

/* One block of every switch: 64 entries by either of two lines, or more. */
struct transition_pair {
	const uint8_t *a, *b;
};

struct transition_lines {
	struct transition_pair *of; /* [nsw + 1] */
	uint8_t *merged;	    /* [nsw * 2 * 64] for lines made here */
	struct transition_extra *extra;
	size_t nextra, capextra;
	bool plain; /* a is b everywhere and nothing extra */
};

/* Switches that matter. */
struct transition_some {
	sw_ix *sw;
	uint32_t n;
	bool *in; /* [nsw + 1] is it one? */
};

/* lft_values.c */
void lft_values_new(struct lft_values *v, const struct chan_graph *n,
	const struct transition_job *job);
void lft_values_free(struct lft_values *v);
/* A cell for a block that holds what is wanted and has none yet. */
void lft_values_cell(struct lft_values *v, sw_ix s, uint32_t b);
void lft_values_lines_new(
	struct transition_lines *l, const struct chan_graph *n);
void lft_values_lines_free(struct transition_lines *l);
void lft_values_load(const struct lft_values *v, uint32_t b,
	struct transition_when when, struct transition_lines *l);
/* The same of some switches; what l has of others means nothing then. */
void lft_values_load_some(const struct lft_values *v, uint32_t b,
	struct transition_when when, const struct transition_some *some,
	struct transition_lines *l);
/* The values of one entry then; how many, at most TRANSITION_VALUES. */
unsigned lft_values_entry(const struct lft_values *v, sw_ix s, uint32_t lid,
	struct transition_when when, uint8_t out[TRANSITION_VALUES]);
/* Entries of a cell that must change, and those that lead nowhere now. */
struct transition_diff {
	uint64_t changed, urgent; /* a bit for each entry */
};
struct transition_diff lft_values_diff(
	const struct lft_values *v, const struct lft_value_cell *c);
/*
 * Lanes of packets from each switch to a LID, [nsw] masks. Those of old too,
 * which connections keep, unless only the new ones (or those that were given
 * out last) are asked for.
 */
void lft_values_layers(const struct lft_values *v, uint32_t lid,
	enum transition_which which, uint8_t *mask);

/* unknown_lft.c: close the ways into the unknown before all else. */
void unknown_lft_quench(struct lft_values *v);

/* cdg_mixed.c: lanes reach what `reach` lets them reach. turn:
 * transition_words. */
void cdg_mixed_build(const struct lft_values *v, struct transition_when edges,
	struct transition_when reach, uint64_t *turn);
/* Only the rows of vertices on cycles; for one lane. Good for few of them. */
void cdg_mixed_rows(const struct lft_values *v, struct transition_when edges,
	const uint32_t *comp, uint64_t *turn);
/* Lanes that reach each switch for one LID, [nsw]. */
void cdg_mixed_reach(const struct lft_values *v, uint32_t lid,
	struct transition_when reach, uint8_t *mask);
uint64_t cdg_mixed_count(const struct chan_graph *n, const uint64_t *turn);

/*
 * cdg_cycle.c: comp[v] gets the number of its component, 1 ..., or 0 where v
 * is on no cycle. Returns how many vertices are on cycles.
 */
uint32_t cdg_cycle_find(
	const struct chan_graph *n, const uint64_t *turn, uint32_t *comp);
/*
 * The same of the mixture, knowing that nearly all its turns obey the order of
 * the new routing where it has one: what they are is looked at, not where they
 * lead.
 */
uint32_t cdg_cycle_search(
	const struct lft_values *v, const uint64_t *turn, uint32_t *comp);
/* A short cycle of the mixture in words. */
void cdg_cycle_describe(const struct lft_values *v, const uint64_t *turn,
	const uint32_t *comp, char *text, size_t size);
/*
 * A short cycle through turns inside components; path has room for nv. Its
 * length; 0: none.
 */
uint32_t cdg_cycle_shortest(const struct chan_graph *n, const uint64_t *turn,
	const uint32_t *comp, uint32_t *path);

/* dynamic_order.c: turns inside components alone are seen. */
struct dynamic_order {
	const struct chan_graph *n;
	const uint32_t *comp;
	uint64_t *turn;		      /* own copy */
	uint32_t *pos;		      /* [nv] */
	uint8_t *mark;		      /* [nv] */
	uint32_t *fore, *back, *pool; /* vertices of one search */
	uint32_t nfore, nback;
	uint32_t left; /* vertices that searches may still visit: beyond, what
			  does not obviously fit is refused */
};
/* Copies turn. False when it has a cycle: then only free it. */
bool dynamic_order_new(struct dynamic_order *o, const struct chan_graph *n,
	const uint32_t *comp, const uint64_t *turn);
void dynamic_order_free(struct dynamic_order *o);
/* Add a turn; false and nothing changed when it closes a cycle. */
bool dynamic_order_add(struct dynamic_order *o, uint32_t v, unsigned out);
void dynamic_order_remove(struct dynamic_order *o, uint32_t v, unsigned out);

/* What stage_find admits to a stage. */
enum transition_admission {
	TRANSITION_SMOOTH, /* what fits and sends no packet straight back */
	TRANSITION_SMOOTH_LEGAL, /* ... by turns that the new order allows */
	TRANSITION_GREEDY,	 /* whatever fits */
	TRANSITION_LEGAL,  /* what fits by turns that the new order allows */
	TRANSITION_REPAIR, /* what lost packets need and fits; then the rest */
	TRANSITION_BULK,   /* whatever fits, of very many */
	TRANSITION_ADMISSIONS,
};

/*
 * stage.c: find stages for all entries, at most max. Fills v->stage.
 * True: *nstages of them are enough. False: entries marked with stage *nstages
 * - 1 are left over for a last stage that needs blocks; 0 stages: there is
 * nothing to repair.
 */
bool stage_find(struct lft_values *v, const uint32_t *comp,
	enum transition_admission how, unsigned max, unsigned *nstages);

/* stage_bulk.c: the same for one lane and many entries, as much as fits. */
bool stage_bulk_find(struct lft_values *v, const uint32_t *comp, unsigned max,
	unsigned *nstages);

/*
 * stage_loss.c: (switch, LID) pairs whose packets do not arrive between stages,
 * summed up over those that come before the last one of nstages. Estimated
 * where there are many.
 */
uint64_t stage_loss_estimate(const struct lft_values *v, unsigned nstages);
/* The same pairs as tables are now, of LIDs that entries lead nowhere for. */
uint64_t stage_loss_current(const struct lft_values *v);
/* Do packets from each switch to a LID arrive, [nsw], by the first of the
 * values that count then? */
void stage_loss_arrives(const struct lft_values *v, uint32_t lid,
	struct transition_when when, uint8_t *yes);

/* dependency_load.c: (switch, LID) pairs as tables are then, by the first
 * value. */
struct dependency_load {
	uint32_t *turn; /* by turn: lane, switch, in-port, out-port */
	size_t *first;	/* [nsw + 1] where those of a switch begin in a lane */
	uint64_t *rec;	/* [nrec] by record where they arrive */
};
void dependency_load_new(struct dependency_load *l, const struct lft_values *v,
	struct transition_when when);
void dependency_load_free(struct dependency_load *l);
static inline uint32_t *
dependency_load_at(const struct chan_graph *n, const struct dependency_load *l,
	uint32_t v, unsigned out)
{
	sw_ix s = n->owner[v];
	size_t width = n->off[s + 1] - n->off[s];

	return &l->turn[v / n->nrec * l->first[n->nsw] + l->first[s] +
			(v - n->base[v]) * width + out];
}
static inline uint32_t
dependency_load_of(const struct chan_graph *n, const struct dependency_load *l,
	uint32_t v, unsigned out)
{
	return *dependency_load_at(n, l, v, out);
}

/* Turns being collected. */
struct transition_set {
	struct transition_dependency *turn;
	size_t n, cap;
	uint64_t pairs;
};

/* block_select.c: a cheap set of turns that `fixed` lacks and mix must lose. */
void block_select_find(const struct lft_values *v,
	const struct dependency_load *l, const uint64_t *mix,
	const uint64_t *fixed, struct transition_set *out);
/* Adds one turn (by its port where the switch cannot map it) or a port. */
void block_select_add(const struct chan_graph *n,
	const struct dependency_load *l, struct transition_set *set, uint32_t v,
	unsigned out);
void block_select_add_port(const struct chan_graph *n,
	const struct dependency_load *l, struct transition_set *set,
	uint32_t rec);
/* Sort, merge what is there twice, sum up. */
void block_select_finish(struct transition_set *set);

/*
 * stale_sl.c: turns that have to stay closed for connections of old with the
 * new tables; sorted, with stays set. Tells of a cycle in t->stale.
 */
void stale_sl_find(const struct transition_job *job,
	struct transition_result *t, struct transition_set *out);

/* method.c: what the paper's methods block. */
void method_static(const struct lft_values *v, const struct dependency_load *l,
	struct transition_set *out);
void method_ports(const struct lft_values *v, const struct dependency_load *l,
	struct transition_set *out);
void method_dependencies(const struct lft_values *v,
	const struct dependency_load *l, struct transition_set *out);
/* Switches that the new order has upside down, [nsw], for lft_values. */
bool *method_sftree_members(const struct lft_values *v);
/* Is the turn from record `in` out of a port legal in the new order? */
bool method_is_legal(const struct lft_values *v, uint32_t in, unsigned out);

/* transition_mcast.c: can trees that keep the order of `from` be on a cycle
 * with the mixture? Then let them ask, with the mixture, or NULL: no room for
 * any. */
bool transition_mcast_is_broken(const struct chan_graph *net,
	const struct transition_job *job, const uint64_t *mix);
void transition_mcast_open(struct transition_result *t,
	const struct lft_values *v, const uint64_t *mix);
void transition_mcast_close(struct transition_guests *g); /* NULL allowed */

/* lft_writes.c: t->write and the counts that go with it. */
void lft_writes_all(struct lft_values *v, struct transition_result *t);

#endif
