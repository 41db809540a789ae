/*
 * verdict: tables to be judged, and what the verifier says of them. Values:
 * the judge itself is routing/verify/verify.h.
 */
#ifndef HEDDLE_ROUTING_CORE_VERDICT_H
#define HEDDLE_ROUTING_CORE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/lft.h"

struct link_ranks;
struct route_layers;

/* Tables to judge: row[s] of the switches of topo, nblocks each. */
struct verify_tables {
	const struct topo *topo;
	const struct lft_pool *pool;
	struct lft_row *const *row;
	uint32_t nblocks;
	const struct route_layers *layers; /* NULL: one layer */
	const struct link_ranks *ranks; /* that paths are meant to climb; NULL:
				 not known. They decide nothing but how
				 quickly tables are judged. */
};

/* What the verifier says of them. */
struct verify_report {
	bool ok;	      /* nothing unreachable, no loop, no cycle, layers
				 alike in both directions */
	uint64_t pairs;	      /* (switch, LID) pairs that have a path */
	uint64_t unreachable; /* of those: dead ends and wrong ejections */
	uint64_t loops;	      /* (switch, LID) pairs that run into a loop */
	uint64_t cut_off;     /* (switch, LID) pairs with no physical path */
	uint64_t asymmetric;  /* pairs of switches with another layer
			     back */
	uint32_t cyclic_channels; /* on a cycle, or only reachable from one */
	uint32_t layers;	  /* judged */
	uint32_t vls;		  /* groups of VLs that they take */
	bool plain; /* no cycle even if all layers were one; see slvl.h */
	uint64_t load_max; /* of the busiest link direction, see link_load.h */
	uint64_t load_min; /* ... and of the idlest */
	double load_mean;  /* over link directions between switches */
	sw_ix load_sw;	   /* where the busiest one leaves */
	uint8_t load_port;
	unsigned hops_max; /* links between switches on the longest path */
	double hops_mean;  /* over host pairs */
	bool by_change;	   /* judged by verify_incremental, from differences */
	bool by_rank;	   /* judged by the ranks of links alone; they hold */
	bool exact;	   /* no dependency is noted that is not made */
	char first[512];   /* the first fault in words: names and ports */
	char cycle[512];   /* a cycle in words, where there is one */
};

/*
 * The dependencies that tables make, by the topology's numbers: record r of
 * switch s and in-port i is the sum of (ports + 1) of the switches before s,
 * plus i; the records of the next layer follow. Bit `out` of its row: a packet
 * that arrives there leaves by out.
 */
struct verify_dependencies {
	uint32_t nrec; /* of one layer */
	unsigned layers;
	unsigned shift; /* log2 of the words in a row: 64 ports fit in one */
	uint64_t row[];
};

/*
 * What a judgement found out, kept: loads by link, hops, dependencies. Opaque;
 * routing/verify/verify.h has the functions that read it.
 */
struct verify_state;

/* One reference more, and one less; NULL allowed. In verify_state.c. */
struct verify_state *verify_state_ref(struct verify_state *v);
void verify_state_unref(struct verify_state *v);

#endif
