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
	SAFE_LATER = 255, /* a stage that has not been found yet */
	SAFE_VALUES = 16, /* values of one entry that are looked at */
};

/* Where an entry leads: the record where it arrives, and its switch. */
struct safe_to {
	uint32_t rec;
	sw_ix s;
};

struct safe_net {
	const struct topo *t;
	const struct turns *turns; /* who refuses rows of SL2VL */
	uint32_t nsw;		   /* also the number of "nowhere" */
	uint32_t nrec;		   /* port records of one lane */
	uint32_t nv;		   /* vertices: nrec * lanes */
	uint32_t *off;		   /* [nsw + 1] first record of a switch */
	uint32_t *owner;	   /* [nv] switch */
	uint32_t *base;	    /* [nv] vertex of port 0 of its switch, same lane */
	uint32_t *peer;	    /* [nv] the other end of the cable */
	struct safe_to *to; /* [nsw * 256] by entry */
	uint64_t *alive;    /* [nsw + 1 << shift] out-ports that are channels */
	uint64_t *carry;    /* [nsw * 4] entries that are not a dead end */
	uint64_t *closed;   /* turns that stay closed, as a matrix, or NULL */
	uint64_t bit[256];  /* of a row for an out-port, 0: not a port */
	uint8_t word[256];
	unsigned shift; /* log2 of the words in a row */
	unsigned lanes;
};

struct safe_set;

/* vl_graphs.c: lanes to tell apart; 1 where any may become another's. */
unsigned safe_lane_count(const struct safe_job *job);

/* chan_graph.c */
/* turns: who refuses rows of SL2VL; NULL: nobody does. */
void safe_net_new(struct safe_net *n, const struct topo *t,
	const struct turns *turns, unsigned lanes);
void safe_net_free(struct safe_net *n);
/* These turns, of as many lanes as n has, are closed from now on. */
void safe_net_close(struct safe_net *n, const struct safe_set *stay);
/* Can the switch send (any in, out) to lane 15? */
bool safe_net_maps(const struct safe_net *n, sw_ix s, unsigned out);
/* "'S1'", or its GUID. */
void safe_net_name(const struct safe_net *n, sw_ix s, struct buf *out);
/* Is this a switch of which no old table counts: all its ports in Init? */
bool safe_net_fresh(const struct safe_net *n, sw_ix s);
bool safe_net_quarantined(const struct safe_net *n, sw_ix s);

static inline size_t
safe_words(const struct safe_net *n)
{
	return (size_t)n->nv << n->shift;
}

/* The vertex that follows v by way of port out. */
static inline uint32_t
safe_head(const struct safe_net *n, uint32_t v, unsigned out)
{
	return n->peer[n->base[v] + out];
}

/* Next out-port of row v at or after *at; false at the end. */
static inline bool
safe_next(const struct safe_net *n, const uint64_t *turn, uint32_t v,
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
safe_has(const struct safe_net *n, const uint64_t *turn, uint32_t v,
	unsigned out)
{
	return turn[((size_t)v << n->shift) + (out >> 6)] >> (out & 63) & 1;
}

static inline void
safe_put(const struct safe_net *n, uint64_t *turn, uint32_t v, unsigned out)
{
	turn[((size_t)v << n->shift) + (out >> 6)] |= UINT64_C(1) << (out & 63);
}

static inline void
safe_clear(const struct safe_net *n, uint64_t *turn, uint32_t v, unsigned out)
{
	turn[((size_t)v << n->shift) + (out >> 6)] &=
		~(UINT64_C(1) << (out & 63));
}

/* A (switch, block) that does not simply hold what is wanted. */
struct safe_cell {
	sw_ix s;
	uint32_t b;
	uint32_t held; /* the first of its values in safe_values.held */
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
struct safe_ports {
	uint64_t bit[4];
};

struct safe_values {
	const struct safe_net *net;
	const struct safe_job *job;
	const struct routes *to;
	uint32_t nblocks; /* of the new routing, and what is left above it */
	uint32_t *cell;	  /* [nsw * nblocks] number + 1, 0: as wanted */
	struct safe_cell *c;
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
	struct safe_ports *blind; /* [nsw] ways into the unknown, or NULL */
};

/* Which values of an entry count. */
enum safe_which {
	SAFE_ALL,   /* held and new */
	SAFE_NEW,   /* the new routing */
	SAFE_STALE, /* likewise, with all lanes that connections may use */
	SAFE_HELD,  /* what is acknowledged, or the likeliest */
	SAFE_AT,    /* in stage k: new before it, both in it, held after it */
	SAFE_REST,  /* from stage k on: new before it, else both */
};

struct safe_when {
	enum safe_which which;
	unsigned k;
};

struct safe_extra {
	sw_ix s;
	const uint8_t *line;
};

/* One block of every switch: 64 entries by either of two lines, or more. */
struct safe_pair {
	const uint8_t *a, *b;
};

struct safe_lines {
	struct safe_pair *of; /* [nsw + 1] */
	uint8_t *merged;      /* [nsw * 2 * 64] for lines made here */
	struct safe_extra *extra;
	size_t nextra, capextra;
	bool plain; /* a is b everywhere and nothing extra */
};

/* Switches that matter. */
struct safe_some {
	sw_ix *sw;
	uint32_t n;
	bool *in; /* [nsw + 1] is it one? */
};

/* lft_values.c */
void safe_value_new(struct safe_values *v, const struct safe_net *n,
	const struct safe_job *job);
void safe_value_free(struct safe_values *v);
/* A cell for a block that holds what is wanted and has none yet. */
void safe_value_cell(struct safe_values *v, sw_ix s, uint32_t b);
void safe_value_lines_new(struct safe_lines *l, const struct safe_net *n);
void safe_value_lines_free(struct safe_lines *l);
void safe_value_load(const struct safe_values *v, uint32_t b,
	struct safe_when when, struct safe_lines *l);
/* The same of some switches; what l has of others means nothing then. */
void safe_value_load_some(const struct safe_values *v, uint32_t b,
	struct safe_when when, const struct safe_some *some,
	struct safe_lines *l);
/* The values of one entry then; how many, at most SAFE_VALUES. */
unsigned safe_value_entry(const struct safe_values *v, sw_ix s, uint32_t lid,
	struct safe_when when, uint8_t out[SAFE_VALUES]);
/* Entries of a cell that must change, and those that lead nowhere now. */
struct safe_diff {
	uint64_t changed, urgent; /* a bit for each entry */
};
struct safe_diff safe_value_diff(
	const struct safe_values *v, const struct safe_cell *c);
/*
 * Lanes of packets from each switch to a LID, [nsw] masks. Those of old too,
 * which connections keep, unless only the new ones (or those that were given
 * out last) are asked for.
 */
void safe_value_lanes(const struct safe_values *v, uint32_t lid,
	enum safe_which which, uint8_t *mask);

/* unknown_lft.c: close the ways into the unknown before all else. */
void safe_blind_wall(struct safe_values *v);

/* cdg_mixed.c: lanes reach what `reach` lets them reach. turn: safe_words. */
void safe_mix_build(const struct safe_values *v, struct safe_when edges,
	struct safe_when reach, uint64_t *turn);
/* Only the rows of vertices on cycles; for one lane. Good for few of them. */
void safe_mix_rows(const struct safe_values *v, struct safe_when edges,
	const uint32_t *comp, uint64_t *turn);
/* Lanes that reach each switch for one LID, [nsw]. */
void safe_mix_reach(const struct safe_values *v, uint32_t lid,
	struct safe_when reach, uint8_t *mask);
uint64_t safe_mix_count(const struct safe_net *n, const uint64_t *turn);

/*
 * cdg_cycle.c: comp[v] gets the number of its component, 1 ..., or 0 where v
 * is on no cycle. Returns how many vertices are on cycles.
 */
uint32_t safe_cycle_find(
	const struct safe_net *n, const uint64_t *turn, uint32_t *comp);
/*
 * The same of the mixture, knowing that nearly all its turns obey the order of
 * the new routing where it has one: what they are is looked at, not where they
 * lead.
 */
uint32_t safe_cycle_seek(
	const struct safe_values *v, const uint64_t *turn, uint32_t *comp);
/* A short cycle of the mixture in words. */
void safe_cycle_tell(const struct safe_values *v, const uint64_t *turn,
	const uint32_t *comp, char *text, size_t size);
/*
 * A short cycle through turns inside components; path has room for nv. Its
 * length; 0: none.
 */
uint32_t safe_cycle_short(const struct safe_net *n, const uint64_t *turn,
	const uint32_t *comp, uint32_t *path);

/* dynamic_order.c: turns inside components alone are seen. */
struct safe_order {
	const struct safe_net *n;
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
bool safe_order_new(struct safe_order *o, const struct safe_net *n,
	const uint32_t *comp, const uint64_t *turn);
void safe_order_free(struct safe_order *o);
/* Add a turn; false and nothing changed when it closes a cycle. */
bool safe_order_add(struct safe_order *o, uint32_t v, unsigned out);
void safe_order_remove(struct safe_order *o, uint32_t v, unsigned out);

/* What safe_stage_find admits to a stage. */
enum safe_admission {
	SAFE_SMOOTH,	   /* what fits and sends no packet straight back */
	SAFE_SMOOTH_LEGAL, /* ... by turns that the new order allows */
	SAFE_GREEDY,	   /* whatever fits */
	SAFE_LEGAL,	   /* what fits by turns that the new order allows */
	SAFE_REPAIR,	   /* what lost packets need and fits; then the rest */
	SAFE_BULK,	   /* whatever fits, of very many */
	SAFE_ADMISSIONS,
};

/*
 * stage.c: find stages for all entries, at most max. Fills v->stage.
 * True: *nstages of them are enough. False: entries marked with stage *nstages
 * - 1 are left over for a last stage that needs blocks; 0 stages: there is
 * nothing to repair.
 */
bool safe_stage_find(struct safe_values *v, const uint32_t *comp,
	enum safe_admission how, unsigned max, unsigned *nstages);

/* stage_bulk.c: the same for one lane and many entries, as much as fits. */
bool safe_bulk_find(struct safe_values *v, const uint32_t *comp, unsigned max,
	unsigned *nstages);

/*
 * stage_loss.c: (switch, LID) pairs whose packets do not arrive between stages,
 * summed up over those that come before the last one of nstages. Estimated
 * where there are many.
 */
uint64_t safe_loss(const struct safe_values *v, unsigned nstages);
/* The same pairs as tables are now, of LIDs that entries lead nowhere for. */
uint64_t safe_loss_now(const struct safe_values *v);
/* Do packets from each switch to a LID arrive, [nsw], by the first of the
 * values that count then? */
void safe_loss_arrives(const struct safe_values *v, uint32_t lid,
	struct safe_when when, uint8_t *yes);

/* dependency_load.c: (switch, LID) pairs as tables are then, by the first
 * value. */
struct safe_load {
	uint32_t *turn; /* by turn: lane, switch, in-port, out-port */
	size_t *first;	/* [nsw + 1] where those of a switch begin in a lane */
	uint64_t *rec;	/* [nrec] by record where they arrive */
};
void safe_load_new(struct safe_load *l, const struct safe_values *v,
	struct safe_when when);
void safe_load_free(struct safe_load *l);
static inline uint32_t *
safe_load_at(const struct safe_net *n, const struct safe_load *l, uint32_t v,
	unsigned out)
{
	sw_ix s = n->owner[v];
	size_t width = n->off[s + 1] - n->off[s];

	return &l->turn[v / n->nrec * l->first[n->nsw] + l->first[s] +
			(v - n->base[v]) * width + out];
}
static inline uint32_t
safe_load_of(const struct safe_net *n, const struct safe_load *l, uint32_t v,
	unsigned out)
{
	return *safe_load_at(n, l, v, out);
}

/* Turns being collected. */
struct safe_set {
	struct safe_turn *turn;
	size_t n, cap;
	uint64_t pairs;
};

/* block_select.c: a cheap set of turns that `fixed` lacks and mix must lose. */
void safe_block_find(const struct safe_values *v, const struct safe_load *l,
	const uint64_t *mix, const uint64_t *fixed, struct safe_set *out);
/* Adds one turn (by its port where the switch cannot map it) or a port. */
void safe_block_add(const struct safe_net *n, const struct safe_load *l,
	struct safe_set *set, uint32_t v, unsigned out);
void safe_block_add_port(const struct safe_net *n, const struct safe_load *l,
	struct safe_set *set, uint32_t rec);
/* Sort, merge what is there twice, sum up. */
void safe_block_finish(struct safe_set *set);

/*
 * stale_sl.c: turns that have to stay closed for connections of old with the
 * new tables; sorted, with stays set. Tells of a cycle in t->stale.
 */
void safe_stale_find(const struct safe_job *job, struct safe_transition *t,
	struct safe_set *out);

/* method.c: what the paper's methods block. */
void safe_method_static(const struct safe_values *v, const struct safe_load *l,
	struct safe_set *out);
void safe_method_ports(const struct safe_values *v, const struct safe_load *l,
	struct safe_set *out);
void safe_method_dependencies(const struct safe_values *v,
	const struct safe_load *l, struct safe_set *out);
/* Switches that the new order has upside down, [nsw], for safe_values. */
bool *safe_method_turned(const struct safe_values *v);
/* Is the turn from record `in` out of a port legal in the new order? */
bool safe_method_legal(const struct safe_values *v, uint32_t in, unsigned out);

/* transition_mcast.c: can trees that keep the order of `from` be on a cycle
 * with the mixture? Then let them ask, with the mixture, or NULL: no room for
 * any. */
bool safe_guest_harmed(const struct safe_net *net, const struct safe_job *job,
	const uint64_t *mix);
void safe_guest_open(struct safe_transition *t, const struct safe_values *v,
	const uint64_t *mix);
void safe_guest_close(struct safe_guests *g); /* NULL allowed */

/* lft_writes.c: t->write and the counts that go with it. */
void safe_write_all(struct safe_values *v, struct safe_transition *t);

#endif
