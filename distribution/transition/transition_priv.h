/*
 * transition_priv: what the parts of transition share, private to this folder.
 *
 *   transition        the choice among stages, blocked dependencies and methods
 *   vl_graphs         how many layers have a graph of their own, and whether
 *                     rows or ports have to go first
 *   chan_graph        the frame: port records, links that can carry data, names
 *   lft_values        what each (switch, block) may hold, and in which stage
 *   unknown_lft       quench: entries that lead where tables are unknown
 *   cdg_mixed         dependency matrices: mixture, stage, new routing
 *   cdg_cycle         strongly connected components, a cycle in words
 *   stage             which entry is written in which stage
 *   stage_bulk        the same for very many entries at once
 *   stage_loss        how many pairs lose packets between stages
 *   stale_sl          dependencies that stay blocked for old connections
 *   dependency_load   how many pairs use a dependency or a link
 *   block_select      which dependencies to block
 *   method            the dependencies and ports of the paper's methods
 *   lft_writes        the blocks to send, in order
 *   transition_mcast  dependencies of multicast trees beside the mixture
 *   sl_history        the SLs that connections may still use (sl_history.h)
 *   loss_*            the expected packet loss (loss_estimate.h)
 *
 * Port records, channels, vertices and dependencies are those of
 * routing/verify/dep_graph.h.
 */
#ifndef HEDDLE_DISTRIBUTION_TRANSITION_TRANSITION_PRIV_H
#define HEDDLE_DISTRIBUTION_TRANSITION_TRANSITION_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/transition/transition.h"
#include "routing/verify/dynamic_order.h"
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
	const struct device_store *hw; /* switches that refuse rows */
	struct dep_graph frame;
	uint32_t nsw, nrec, nv; /* the frame's, for short */
	const uint32_t *off, *owner, *base, *peer;
	unsigned shift;
	struct transition_to *to; /* [nsw * 256] by entry */
	uint64_t *alive;   /* [nsw + 1 << shift] out-ports that are channels */
	uint64_t *carry;   /* [nsw * 4] entries that are not a dead end */
	uint64_t *closed;  /* dependencies that stay blocked, as a matrix, or
			      NULL */
	uint64_t bit[256]; /* of a row for an out-port, 0: not a port */
	uint8_t word[256];
	unsigned layers; /* 1: all layers are one graph */
	unsigned planes; /* layers, times the in-classes of a map of VLs */
};

/* The layer of a vertex. */
static inline unsigned
chan_graph_layer(const struct chan_graph *n, uint32_t v)
{
	return v / n->nrec % n->layers;
}

/*
 * Where packets are in these planes at a switch, a bit each, and leave by the
 * channel of record rec: their planes at the next switch. Packets keep their
 * layer; the class is that of the port by which they arrive.
 */
static inline uint64_t
chan_graph_arrive(const struct chan_graph *n, uint64_t planes, uint32_t rec)
{
	uint64_t layers = 0;

	if (n->frame.in == NULL)
		return planes;
	for (; planes != 0; planes >>= n->layers)
		layers |= planes & ((UINT64_C(1) << n->layers) - 1);
	return layers << n->frame.in[rec] * n->layers;
}

struct transition_set;

/* vl_graphs.c: how layers are judged while tables are written. */
struct vl_graphs {
	unsigned n;	 /* layers with graphs of their own; 1 where any VL may
			    become another's */
	bool rows_first; /* n holds when the rows of SL2VL have drained, which
			    may be written beside the old tables */
	bool renumbers;	 /* SLs that were given out mean other layers */
	const char *ports_down; /* NULL, or why no order of writes is safe */
	bool rows_unknown; /* ... unless rows that are unknown say otherwise */
};
void vl_graphs_find(const struct transition_job *job, struct vl_graphs *g);

/*
 * chan_graph.c: hw: switches that refuse rows of SL2VL; NULL: none. layers:
 * those that have graphs of their own, by the map of VLs that they need; NULL:
 * all are one graph.
 */
void chan_graph_new(struct chan_graph *n, const struct topo *t,
	const struct device_store *hw, const struct route_layers *layers);
void chan_graph_free(struct chan_graph *n);
/* These dependencies, of as many layers as n has, are blocked from now on, too,
 * whatever link packets come by to the switch before. */
void chan_graph_close(struct chan_graph *n, const struct transition_set *stay);
/* Whether the switch can map (any in, out) to VL 15. */
bool chan_graph_maps(const struct chan_graph *n, sw_ix s, unsigned out);
/* Whether no old table of the switch counts: all its ports are in Init. */
bool chan_graph_fresh(const struct chan_graph *n, sw_ix s);
bool chan_graph_quarantined(const struct chan_graph *n, sw_ix s);

/* A (switch, block) that does not simply hold what is wanted. */
struct lft_value_cell {
	sw_ix s;
	uint32_t b;
	uint32_t held; /* the first of its values in lft_values.held */
	uint16_t nheld;
	bool new;   /* the new routing's block counts: it is in place or will be
		       written */
	bool write; /* it must be written */
	bool settled; /* held[0] is acknowledged */
	bool quench;  /* quench: held is without the entries into the unknown;
		       written first */
	bool unknown; /* packets meet it, and its contents are unknown */
	bool above; /* above the switch's top: no packet meets it until that is
		       raised */
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
	lft_ref *own; /* references to held values that the device store does
			 not own */
	size_t nown, capown;
	uint8_t (*stage)[LFT_BLOCK]; /* [ncells] NULL: everything at once */
	uint64_t differ; /* held entries that are not what is wanted */
	uint64_t kept;
	uint32_t unread;
	sw_ix *old_sw;	/* [nsw] in from->topo, or TOPO_NONE */
	uint32_t *leaf; /* [nsw] numbers of sl_history.h, or NULL: one layer */
	bool *foreign;	/* [nsw] packets arrive from switches that have no part
			   in this, or NULL: one layer */
	uint32_t *pos;	/* [nsw] places in the switch order of the new routing,
			   or NULL: its tables obey none */
	struct transition_ports
		*unknown; /* [nsw] ports into the unknown, or NULL */
};

/* Which values of an entry count. */
enum transition_which {
	TRANSITION_ALL,	  /* held and new */
	TRANSITION_NEW,	  /* the new routing */
	TRANSITION_STALE, /* the new routing, with all layers that connections
			     may use */
	TRANSITION_HELD,  /* what is acknowledged, or the likeliest */
	TRANSITION_OLD,	  /* all that is held */
	TRANSITION_AT,	 /* in stage k: new before it, both in it, held after */
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

/* One block of every switch: 64 entries by either of two images, or more. */
struct transition_pair {
	const uint8_t *a, *b;
};

struct transition_lines {
	struct transition_pair *of; /* [nsw + 1] */
	uint8_t *merged;	    /* [nsw * 2 * 64] for images made here */
	struct transition_extra *extra;
	size_t nextra, capextra;
	bool plain; /* a is b everywhere and nothing extra */
};

/* A set of switches. */
struct transition_some {
	sw_ix *sw;
	uint32_t n;
	bool *in; /* [nsw + 1] membership */
};

/* lft_values.c */
/* Whether port record r of a live switch leads to a switch above it in `to`. */
bool lft_values_is_up(const struct lft_values *v, uint32_t r);
/*
 * Whether the dependency from record `in` out of a port is legal in the new
 * order.
 */
bool lft_values_is_legal(const struct lft_values *v, uint32_t in, unsigned out);
void lft_values_new(struct lft_values *v, const struct chan_graph *n,
	const struct transition_job *job);
void lft_values_free(struct lft_values *v);
/* Adds a cell for a block that holds what is wanted and has none yet. */
void lft_values_cell(struct lft_values *v, sw_ix s, uint32_t b);
void lft_values_lines_new(
	struct transition_lines *l, const struct chan_graph *n);
void lft_values_lines_free(struct transition_lines *l);
void lft_values_load(const struct lft_values *v, uint32_t b,
	struct transition_when when, struct transition_lines *l);
/* The same for some switches; l means nothing for the others then. */
void lft_values_load_some(const struct lft_values *v, uint32_t b,
	struct transition_when when, const struct transition_some *some,
	struct transition_lines *l);
/* The values of one entry at that time; how many, at most TRANSITION_VALUES. */
unsigned lft_values_entry(const struct lft_values *v, sw_ix s, uint32_t lid,
	struct transition_when when, uint8_t out[TRANSITION_VALUES]);
/*
 * Entries of a cell that must change, and of these the ones that lead nowhere
 * now.
 */
struct transition_diff {
	uint64_t changed, urgent; /* a bit for each entry */
};
struct transition_diff lft_values_diff(
	const struct lft_values *v, const struct lft_value_cell *c);
/*
 * Layers of packets from each switch to a LID, [nsw] masks. Old layers too,
 * which connections keep, unless `which` asks for the new ones (or the last
 * ones given out) alone.
 */
void lft_values_layers(const struct lft_values *v, uint32_t lid,
	enum transition_which which, uint16_t *mask);

/*
 * Planes with packets at switch s that it sends itself in these layers, or that
 * arrive from switches that have no part in this: in any layer, by any class.
 */
uint64_t lft_values_planes(const struct lft_values *v, sw_ix s, uint16_t layers,
	enum transition_which which);
/* Whether any switch has such a neighbour. */
bool lft_values_has_foreign(const struct topo *t);
/* Whether a port that carries data has a neighbour that is not in the
 * topology. */
bool lft_values_is_unknown_end(const struct topo_port *p);

/*
 * unknown_lft.c: quench the entries that lead into the unknown, before all
 * else. around: also those that lead into any switch that cannot be written.
 */
void unknown_lft_quench(struct lft_values *v, bool around);

/*
 * cdg_mixed.c: layers reach what `reach` lets them reach. dep:
 * a matrix over the frame.
 */
void cdg_mixed_build(const struct lft_values *v, struct transition_when edges,
	struct transition_when reach, uint64_t *dep);
/* Only the rows of vertices on cycles; for one layer. Good for few of them. */
void cdg_mixed_rows(const struct lft_values *v, struct transition_when edges,
	const uint32_t *comp, uint64_t *dep);
/* Planes with packets at each switch for one LID, [nsw] masks. */
void cdg_mixed_reach(const struct lft_values *v, uint32_t lid,
	struct transition_when reach, uint64_t *mask);
uint64_t cdg_mixed_count(const struct chan_graph *n, const uint64_t *dep);

/*
 * cdg_cycle.c: comp[v] gets the number of its component, 1 ..., or 0 where v
 * is on no cycle; the vertices of a node have the same. Returns how many nodes
 * are on cycles.
 */
uint32_t cdg_cycle_find(
	const struct chan_graph *n, const uint64_t *dep, uint32_t *comp);
/*
 * The same for the mixture, of which nearly all dependencies obey the order of
 * the new routing: only those that break it are searched.
 */
uint32_t cdg_cycle_search(
	const struct lft_values *v, const uint64_t *dep, uint32_t *comp);
/* A short cycle of the mixture in words. */
void cdg_cycle_describe(const struct lft_values *v, const uint64_t *dep,
	const uint32_t *comp, char *text, size_t size);

/* What stage_find admits to a stage. */
enum transition_admission {
	TRANSITION_SMOOTH, /* what fits and sends no packet straight back */
	TRANSITION_SMOOTH_LEGAL, /* ... by dependencies that the new order
				    allows */
	TRANSITION_GREEDY,	 /* whatever fits */
	TRANSITION_LEGAL, /* what fits by dependencies that the new order allows
			   */
	TRANSITION_REPAIR, /* what lost packets need, if it fits; then the rest
			    */
	TRANSITION_BULK,   /* whatever fits, of very many */
	TRANSITION_ADMISSIONS,
};

/*
 * stage.c: find stages for all entries, at most max. Fills v->stage. True:
 * *nstages of them are enough. False: entries marked with stage *nstages - 1
 * are left over for a last stage that needs blocked dependencies; 0 stages:
 * there is nothing to repair.
 */
bool stage_find(struct lft_values *v, const uint32_t *comp,
	enum transition_admission how, unsigned max, unsigned *nstages);

/* stage_bulk.c: the same for one layer and many entries, as many as fit. */
bool stage_bulk_find(struct lft_values *v, const uint32_t *comp, unsigned max,
	unsigned *nstages);

/*
 * stage_loss.c: (switch, LID) pairs that lose packets between stages, summed up
 * over the intervals before the last of nstages. Estimated where there are
 * many.
 */
uint64_t stage_loss_estimate(const struct lft_values *v, unsigned nstages);
/*
 * The same with the tables as they are now, for LIDs with entries that lead
 * nowhere.
 */
uint64_t stage_loss_current(const struct lft_values *v);
/*
 * Whether packets from each switch to a LID arrive, [nsw], by the first of the
 * values that count then.
 */
void stage_loss_arrives(const struct lft_values *v, uint32_t lid,
	struct transition_when when, uint8_t *yes);

/*
 * dependency_load.c: (switch, LID) pairs with the tables as they are then, by
 * the first value.
 */
struct dependency_load {
	uint32_t *dep; /* by dependency: layer, switch, in-port, out-port */
	size_t *first; /* [nsw + 1] where the dependencies of a switch begin in
			  a layer */
	uint64_t *rec; /* [nrec] by the record where they arrive */
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

	return &l->dep[chan_graph_layer(n, v) * l->first[n->nsw] + l->first[s] +
		       (v - n->base[v]) * width + out];
}
static inline uint32_t
dependency_load_of(const struct chan_graph *n, const struct dependency_load *l,
	uint32_t v, unsigned out)
{
	return *dependency_load_at(n, l, v, out);
}

/* Dependencies being collected. */
struct transition_set {
	struct transition_dependency *dep;
	size_t n, cap;
	uint64_t pairs;
};

/*
 * block_select.c: a cheap set of dependencies that `fixed` lacks and without
 * which mix has no cycle.
 */
void block_select_find(const struct lft_values *v,
	const struct dependency_load *l, const uint64_t *mix,
	const uint64_t *fixed, struct transition_set *out);
/*
 * Adds one dependency (by its port where the switch cannot map it) or a port.
 */
void block_select_add(const struct chan_graph *n,
	const struct dependency_load *l, struct transition_set *set, uint32_t v,
	unsigned out);
void block_select_add_port(const struct chan_graph *n,
	const struct dependency_load *l, struct transition_set *set,
	uint32_t rec);
/* Sort, merge duplicates, sum up. */
void block_select_finish(struct transition_set *set);

/*
 * stale_sl.c: dependencies that have to stay blocked for old connections with
 * the new tables; sorted, with stays set. Describes a cycle in t->stale. False:
 * the new routing uses some of them.
 */
bool stale_sl_find(const struct transition_job *job,
	struct transition_result *t, struct transition_set *out);

/*
 * Dependencies that are blocked for old connections by now, as rows that are
 * known say; the caller frees dep.
 */
void stale_sl_blocked(
	const struct transition_job *job, struct transition_set *out);

/* method.c: what the methods of the paper block. */
void method_static(const struct lft_values *v, const struct dependency_load *l,
	struct transition_set *out);
void method_ports(const struct lft_values *v, const struct dependency_load *l,
	struct transition_set *out);
void method_dependencies(const struct lft_values *v,
	const struct dependency_load *l, struct transition_set *out);

/*
 * transition_mcast.c: is_broken: whether trees that keep the order that trees
 * obey beside `from` can be on a cycle with the mixture. Then open: trees have
 * to ask, with the mixture, or NULL: none is admitted.
 */
bool transition_mcast_is_broken(const struct chan_graph *net,
	const struct transition_job *job, const uint64_t *mix);
void transition_mcast_open(struct transition_result *t,
	const struct lft_values *v, const uint64_t *mix);
void transition_mcast_close(struct transition_guests *g); /* NULL allowed */
/* All dependencies that trees may have beside `to`, in their layers, added to
 * dep. */
void transition_mcast_add_all(
	const struct chan_graph *n, const struct routes *to, uint64_t *dep);

/* lft_writes.c: t->write and the counts that go with it. */
void lft_writes_all(struct lft_values *v, struct transition_result *t);

#endif
