/*
 * routes: what an engine computed, an immutable value.
 *
 * Forwarding tables as block references, the ranks that give the total order
 * of switches, and the verifier's verdict. It belongs to one topology, whose
 * indexes it uses and which it keeps alive.
 */
#ifndef HEDDLE_ROUTING_ROUTES_H
#define HEDDLE_ROUTING_ROUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/lft.h"
#include "routing/verify.h"
#include "sm/base/reason.h"

/*
 * The order of switches: s is above t when (rank, GUID) of s is smaller.
 * Kept across sweeps and restarts: reversing a cable is what can deadlock.
 */
enum route_order {
	ROUTE_TIERS,  /* tiers share a rank, several tops */
	ROUTE_SINGLE, /* one top, ranks by distance from it */
	ROUTE_ROOTS,  /* tops given by the administrator */
};

/* A rank remembered by GUID; arrays of these are sorted by GUID. */
struct route_rank {
	uint64_t guid;
	uint32_t rank;
};

/*
 * Lanes: which data VL the packets from one switch's ports to another's take.
 * SL and VL have the same number, and a lane is kept all the way, so that the
 * dependencies of lanes are separate graphs. With one lane (n is 1) both
 * arrays are NULL. Otherwise the lane of (a, b) is the exception where there
 * is one, else (cls[a] + cls[b]) % n: symmetric, two bytes a switch.
 */
struct route_lane_pair {
	sw_ix src, dst;
	uint8_t lane;
};

struct route_lanes {
	uint8_t n;     /* data VLs in use by routing, 1..8 */
	uint16_t *cls; /* [nsw], or NULL: everything on lane 0 but exceptions */
	struct route_lane_pair *pair; /* exceptions, sorted by (src, dst) */
	size_t npairs;
};

struct routes {
	unsigned refs;
	uint32_t generation;   /* of the topology */
	struct topo *topo;     /* a reference */
	struct lft_pool *pool; /* not owned */
	const char *engine;    /* static string */
	enum route_order order;
	uint32_t *rank;	  /* [nsw] */
	sw_ix turn_leaf;  /* the leaf under which down-up turns are
			     made, or TOPO_NONE where none is needed */
	uint16_t top;	  /* LinearFDBTop: highest LID */
	uint32_t nblocks; /* blocks per switch: top / 64 + 1 */
	lft_ref *block;	  /* [nsw * nblocks] */
	struct route_lanes lanes;
	uint64_t entries_kept; /* against the previous routes */
	uint64_t entries_changed;
	uint32_t reranked;   /* switches whose rank had to change */
	uint64_t fresh_load; /* highest link load of a fresh computation, as
				far as it was computed: see route.h */
	struct verify_report report;
	struct verify_turns *turns; /* as verified, or NULL: nobody noted */
	char note[256];		    /* how the order came about, in words */
};

struct routes *routes_ref(struct routes *r);
void routes_unref(struct routes *r); /* drops its blocks; NULL allowed */

/* The 64 entries of block b of switch s. */
static inline const uint8_t *
routes_block(const struct routes *r, sw_ix s, uint32_t b)
{
	return lft_bytes(r->pool, r->block[(size_t)s * r->nblocks + b]);
}

/* Out-port of switch s for lid: LFT_DROP beyond the top. */
uint8_t routes_port(const struct routes *r, sw_ix s, uint16_t lid);

/*
 * True when switch a is above switch b in the order (ranks, then GUIDs).
 */
bool routes_above(const struct routes *r, sw_ix a, sw_ix b);

/* The lane (SL and VL) of packets from ports of switch src to ports of dst. */
uint8_t routes_lane(const struct route_lanes *l, sw_ix src, sw_ix dst);

/* An empty value for topology t (reference taken), all entries dropping. */
struct routes *routes_new(struct topo *t, struct lft_pool *pool);

/*
 * The same routes for another freeze of the same fabric: t must have the hash
 * (hence the numbering) of r->topo; only names and port states differ. Blocks
 * are shared. Returns a new reference-counted value.
 */
struct routes *routes_for(const struct routes *r, struct topo *t);

/*
 * Store the row of switch s: nblocks * 64 bytes. Blocks equal to those of the
 * same switch (by GUID, row prev_sw) in prev are shared with it. prev NULL or
 * prev_sw TOPO_NONE: all blocks are new. Used by engines while they build.
 */
void routes_put_row(struct routes *r, sw_ix s, const uint8_t *row,
	const struct routes *prev, sw_ix prev_sw);

/*
 * The path from port a to LID dlid as the tables go: up to max (switch, out
 * port) steps. Returns the number of switches passed, or -1 with a reason
 * (dead end, loop).
 */
struct route_step {
	sw_ix sw;
	uint8_t in, out;
};
int routes_trace(const struct routes *r, port_ix from, uint16_t dlid,
	struct route_step *step, int max, struct reason *why);

#endif
