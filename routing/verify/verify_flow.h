/*
 * verify_flow: the packets that pass every switch on their path to one
 * destination switch, for up to 64 LIDs of that switch at once; private to the
 * verifier.
 *
 * For one LID the tables are a function switch -> switch. Following it back
 * from the destination, by lists of the switches that send to each, visits
 * every switch after the one it sends to. When all switches of the component
 * have been visited, everything arrives and nothing loops.
 *
 * For two LIDs of one switch every other switch is nearly always at the same
 * distance, however different the paths. So the order found for one LID,
 * reversed, serves all: each switch, the farthest first, passes its packets for
 * LID after LID on to the next switch, reading one cache line of 64 entries,
 * and is finished. That the next switch is nearer by one link, entry by entry,
 * proves that all packets arrive. LIDs for which it is not true are returned,
 * and what they added to the loads is taken back by passing them once more with
 * the opposite weight.
 *
 * A switch has for each LID a number of hosts, and the set of in-ports by which
 * their packets come: the dependencies are this set on the out-port of the
 * entry, one word for many of them. They are collected by out-port, and
 * transposed into the rows of the graph at the end.
 */
#ifndef HEDDLE_ROUTING_VERIFY_VERIFY_FLOW_H
#define HEDDLE_ROUTING_VERIFY_VERIFY_FLOW_H

#include "routing/verify/cdg.h"

enum { VERIFY_PORT_WORDS = 4 }; /* of a set of ports */

struct verify_flow {
	struct cdg *g;
	uint8_t (*line)[LFT_BLOCK]; /* [n] a block of each switch */
	unsigned most;		    /* LIDs at once */
	/* the destination, to be set: its switch, the component */
	uint32_t root, lo, hi;
	/* ... and what verify_flow_order finds for it */
	uint16_t *far;	 /* [n + 1] links to it */
	uint32_t *order; /* [hi - lo] the farthest first */
	uint64_t *hosts; /* [n + 1] by their distance */
	uint32_t farthest;
	uint32_t *feeder; /* [n + 1] the first switch that sends to this one */
	uint32_t *other;  /* [n + 1] the next one that sends to the same */
	uint16_t *layer;  /* [n] bits of the layers from a switch to it */
	uint32_t layer_root;
	/*
	 * By switch and LID, all zeroes between passes: a word of hosts, and
	 * for each plane a set of in-ports. By port, for each plane the set of
	 * in-ports from which packets leave by it.
	 */
	uint64_t *cell;	    /* [n * most * (sets + 1)] */
	uint64_t *dep;	    /* [nports * sets] */
	uint64_t *of_class; /* in-ports by (switch, class), with a map of VLs */
};

/* LIDs of a block that end at one switch, which ejects them as it should. */
struct verify_lids {
	uint32_t first, n;
	uint32_t weight; /* what a pair counts: 1 for hosts, else 0 */
};

/* Allocate; and the end: dependencies are noted in g, memory is freed. */
void verify_flow_new(struct verify_flow *f, struct cdg *g);
void verify_flow_end(struct verify_flow *f);

/* Copy block b of all switches into line. */
void verify_flow_load(
	struct verify_flow *f, const struct verify_tables *in, uint32_t b);

/*
 * Find the order of the switches for root, lo and hi from LID l of the block,
 * which its root ejects. False: not all switches reach it, there is no order.
 */
bool verify_flow_order(struct verify_flow *f, uint32_t l);

/*
 * Add loads, hops and dependencies of l->n LIDs, at most f->most. Returns the
 * bits of the LIDs for which some switch is not as far from the root as the
 * order says: for these only dependencies were noted, and only such as they
 * really make.
 */
uint64_t verify_flow_sum(struct verify_flow *f, const struct verify_lids *l);

#endif
