/*
 * routes: what an engine computed, an immutable value.
 *
 * Forwarding tables as block references, layers, the ranks that give the total
 * order of switches if the tables obey one, and the verifier's verdict. It
 * belongs to one topology: it uses the topology's indexes and keeps it alive.
 */
#ifndef HEDDLE_ROUTING_CORE_ROUTES_H
#define HEDDLE_ROUTING_CORE_ROUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/lft.h"
#include "routing/core/link_ranks.h"
#include "routing/core/route_layers.h"
#include "routing/core/route_sets.h"
#include "routing/core/verdict.h"
#include "sm/base/arena.h"
#include "sm/base/reason.h"

/*
 * The order of switches: s is above t when (rank, GUID) of s is smaller.
 * Kept across sweeps and restarts: reversing a link is what can deadlock.
 */
enum route_order {
	ROUTE_TIERS,	/* tiers share a rank, several tops */
	ROUTE_SINGLE,	/* one top, ranks by distance from it at first */
	ROUTE_ROOTS,	/* tops given by the administrator */
	ROUTE_NO_ORDER, /* the tables obey no order of switches */
};

/* The rank of a switch whose rank is not known, or which has none. */
#define ROUTE_NO_RANK UINT32_MAX

/*
 * What multicast trees obey, whatever the unicast tables do: a total order of
 * the switches and the links that trees may use. pos[s] is the place of switch
 * s, smaller is above, no two are alike. Packets of a tree never go up again
 * after they came from above, and all such dependencies on these links,
 * together with those of the unicast tables, have no cycle. layers: those that
 * packets of trees may travel in, a bit each.
 */
enum { ROUTE_PORT_WORDS = 4 }; /* 256 ports as bits */

struct route_mcast {
	uint32_t *pos;			    /* [nsw] */
	uint64_t (*link)[ROUTE_PORT_WORDS]; /* [nsw] ports of such links, a bit
					       each; NULL: all links */
	uint16_t layers;
};

/* True when trees may use the link at a port of switch s. */
static inline bool
routes_mcast_link(const struct route_mcast *m, sw_ix s, unsigned port)
{
	return m->link == NULL || (m->link[s][port / 64] >> port % 64 & 1) != 0;
}

/* What a switch was read as; see topo_class.h. */
enum route_read {
	ROUTE_READ_NEVER, /* unknown */
	ROUTE_READ_TREE,
	ROUTE_READ_MESH, /* in a component that is no tree */
};

/*
 * What is remembered of a switch, by GUID; arrays of these are sorted by it.
 * place is one more than in routes.sw_order; 0 is none. Without an order of
 * switches place is that in routes.mcast.
 */
struct route_rank {
	uint64_t guid;
	uint32_t rank;
	uint32_t place;
	uint8_t read; /* enum route_read */
};

/* The rank of guid among n, or NULL. */
const struct route_rank *routes_rank_of(
	const struct route_rank *rank, size_t n, uint64_t guid);

/* What the fabric as a whole was read as; each switch has its route_read. */
struct topo_class {
	const char *engine; /* in force, a static string; NULL: no reading */
	uint64_t options;   /* engine_options.reading then */
	uint64_t when;	    /* seconds since 1970; 0: not known */
};

/*
 * What the fabric was read as, in every result, whichever engine made it.
 * Routes of one numbering share it. It is filled and read by routing/tiers:
 * tree.h and topo_class.h.
 */
struct tree;
struct route_reading {
	unsigned refs;
	struct arena *arena;	 /* holds all of it, itself too */
	const struct tree *tree; /* NULL: not read */
	struct topo_class class; /* {0}: not noted */
	uint8_t *of;		 /* [nsw] enum route_read, or NULL */
};

struct engine_state_ops; /* routing/core/engine.h */

/*
 * What an engine wants to know of its routes when it routes the next time.
 * Only engines with these ops read it. A restart keeps what is printed of it.
 */
struct route_state {
	unsigned refs;			    /* by routes */
	struct arena *arena;		    /* holds all of it */
	const struct engine_state_ops *ops; /* what can be done with it */
	const void *what;
};

struct routes {
	unsigned refs;
	uint32_t generation;   /* of the topology */
	struct topo *topo;     /* a reference */
	struct lft_pool *pool; /* not owned */
	const char *engine;    /* static string */
	enum route_order order;
	uint32_t *rank;	    /* [nsw] */
	uint32_t *sw_order; /* [nsw] places in the switch order, or NULL:
		       by rank and GUID; see routes_order */
	uint8_t *part;	    /* [nsw] or NULL: see routes_has_order */
	struct link_ranks *link_ranks; /* a reference, where there is no order:
				that all paths climb; NULL: not known. From the
				engine, by group of VLs where there are layers
			      */
	struct route_mcast mcast;      /* where there is no order; pos NULL: not
					  found. From the engine: places to try */
	uint16_t top;		       /* LinearFDBTop: highest LID */
	uint32_t nblocks;	       /* blocks per switch: top / 64 + 1 */
	struct lft_row **row; /* [nsw] of nblocks each, shared with others */
	struct route_layers layers;
	struct route_sets *sets; /* a reference, where switches choose among
				    ports; NULL: the tables alone decide */
	uint64_t entries_kept;	 /* against the previous routes */
	uint64_t entries_changed;
	uint64_t fresh_load;  /* that these routes are accepted against: highest
				 link load of a fresh computation, hosts' links
				 included, or the load bound; see compute.h */
	uint32_t fresh_links; /* between live switches, of the fabric that it is
				 the load of; 0: not known */
	bool multi_port;      /* there are multi-port nodes */
	bool lost_disjoint;   /* one switch cut off a multi-port node from some
				 leaf when it was last looked at, after
				 routing/improve/disjoint.h */
	uint64_t disjoint_opts_hash; /* of the options about ports with which
			paths were made disjoint, or 0: they were not */
	struct verify_report report;
	struct verify_state *verified;	  /* what the verdict rests on, for the
					     next one; or NULL */
	struct verify_dependencies *deps; /* dependencies: at least those made,
				       or NULL: not noted */
	struct route_state *state;	  /* the engine's, or NULL */
	struct route_reading *reading;	  /* or NULL */
	char note[256]; /* how the order came about, in words */
};

struct routes *routes_ref(struct routes *r);
void routes_unref(struct routes *r); /* drops its blocks; NULL allowed */

/* The engine's state of r, which is in arena a; routes free it with the last of
 * them that has it. */
void routes_set_state(struct routes *r, const struct engine_state_ops *ops,
	struct arena *a, const void *what);

/* The reading of r, an empty one if it had none. */
struct route_reading *routes_reading(struct routes *r);

/* Reference of block b of switch s, and its 64 entries. */
static inline lft_ref
routes_ref_of(const struct routes *r, sw_ix s, uint32_t b)
{
	return lft_row_ref(r->row[s], b);
}

static inline const uint8_t *
routes_block(const struct routes *r, sw_ix s, uint32_t b)
{
	return lft_bytes(r->pool, lft_row_ref(r->row[s], b));
}

/* Block b of switch s, to be changed: no longer shared with other routes. */
lft_ref *routes_slot(struct routes *r, sw_ix s, uint32_t b);

/* Out-port of switch s for lid: LFT_DROP beyond the top. */
static inline uint8_t
routes_port(const struct routes *r, sw_ix s, uint16_t lid)
{
	if (s >= r->topo->nsw || lid > r->top)
		return LFT_DROP;
	return routes_block(r, s, lid / LFT_BLOCK)[lid % LFT_BLOCK];
}

/* The switch that s sends to for lid, or TOPO_NONE. */
sw_ix routes_next_switch(const struct routes *r, sw_ix s, uint16_t lid);

/* True when switch a is above switch b by (rank, GUID); there is an order. */
bool routes_above(const struct routes *r, sw_ix a, sw_ix b);

/*
 * The switch order, the total order that the tables obey: pos[s] is the place
 * of switch s, smaller is above, no two are alike. No packet that came from
 * above goes up again in it, and every component of the fabric has one top. So
 * whatever else obeys it (multicast trees), on links that routes_has_order
 * allows, has no cycle of dependencies with unicast. There is an order.
 */
void routes_order(const struct routes *r, uint32_t *pos);

/*
 * The same by the numbers of another topology: pos[t->nsw], UINT32_MAX for
 * switches that r does not have.
 */
void routes_order_in(
	const struct routes *r, const struct topo *t, uint32_t *pos);

/*
 * The switch order may leave links out: then the fabric has parts, and part[s]
 * is the number of that of switch s, with a flag. What leads into another part
 * is the engine's own business: nothing else changes such entries.
 */
enum {
	ROUTE_PARTS = 8,
	ROUTE_PART = ROUTE_PARTS - 1, /* in part[]: its number */
	ROUTE_GATE = 0x80, /* links to other gates are in the order */
};

/*
 * True when a link between a and b is part of the switch order: links between
 * parts are not, except those between gates.
 */
static inline bool
routes_has_order(const uint8_t *part, sw_ix a, sw_ix b)
{
	return part == NULL || !((part[a] ^ part[b]) & ROUTE_PART) ||
	       (part[a] & part[b] & ROUTE_GATE);
}

/* True if switches a and b are in one part. */
static inline bool
routes_in_one_part(const uint8_t *part, sw_ix a, sw_ix b)
{
	return part == NULL || !((part[a] ^ part[b]) & ROUTE_PART);
}

/*
 * The ranks of links by which the tables may be proven: r's own, or those that
 * follow from the switch order, of which links between parts that have no order
 * come first on a path. A reference; NULL: r has neither.
 */
struct link_ranks *routes_link_ranks(const struct routes *r);

/*
 * What multicast trees obey beside r: the switch order and its links, or
 * r->mcast. To be freed with routes_mcast_free.
 */
void routes_mcast(const struct routes *r, struct route_mcast *out);
void routes_mcast_free(struct route_mcast *m);

/* An empty value for topology t (reference taken), all entries dropping. */
struct routes *routes_new(struct topo *t, struct lft_pool *pool);

/*
 * The same routes for another freeze of the same fabric: t must have the hash
 * (hence the numbering) of r->topo; only names and port states differ. Blocks
 * are shared. Returns a new reference-counted value.
 */
struct routes *routes_for(const struct routes *r, struct topo *t);

/*
 * routes_note: what is remembered of switch s of r. routes_restore puts it back
 * into routes that were read from the switches, from rank[n], sorted by GUID.
 * The switch order is restored only if every switch has a place of its own.
 */
struct route_rank routes_note(const struct routes *r, sw_ix s);
void routes_restore(struct routes *r, const struct route_rank *rank, size_t n);

/*
 * Store the row of switch s: nblocks * 64 bytes. Blocks equal to those of the
 * same switch (by GUID, row prev_sw) in prev are shared with it. prev NULL or
 * prev_sw TOPO_NONE: all blocks are new. Used by engines while they build.
 */
void routes_put_row(struct routes *r, sw_ix s, const uint8_t *row,
	const struct routes *prev, sw_ix prev_sw);

/* The same; blocks that differ from prev but equal those in the row of switch
 * `like` of r are shared with that row. */
void routes_put_like(struct routes *r, sw_ix s, const uint8_t *row,
	const struct routes *prev, sw_ix prev_sw, sw_ix like);

/*
 * Give switch s the row of switch from_sw in from (r itself, or routes with
 * the same pool), sharing all blocks; blocks that from has beyond r's are left
 * out. Then single blocks of it may be replaced: by the block of switch `like`
 * where that has the same bytes (TOPO_NONE: by a new one). Entries are not
 * counted.
 */
void routes_put_same(
	struct routes *r, sw_ix s, const struct routes *from, sw_ix from_sw);
void routes_put_block(struct routes *r, sw_ix s, uint32_t b,
	const uint8_t bytes[LFT_BLOCK], sw_ix like);

/* Count anew what r keeps and changes of prev; NULL: nothing. */
void routes_count_changes(struct routes *r, const struct routes *prev);

/* Change one entry, counted as kept if it is as in prev (NULL: nothing is
 * counted) and as changed if not. */
void routes_put_entry(struct routes *r, sw_ix s, uint16_t lid, uint8_t out,
	const struct routes *prev);

/*
 * The path from a port to LID dlid by the tables: up to max (switch, out-port)
 * steps. Returns the number of switches passed, or -1 with a reason (dead end,
 * loop).
 */
struct route_step {
	sw_ix sw;
	uint8_t in, out;
};
int routes_trace(const struct routes *r, port_ix from, uint16_t dlid,
	struct route_step *step, int max, struct reason *why);

#endif
