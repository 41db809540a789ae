/*
 * verify_flow: what comes through every switch on its way to one of them, for
 * up to 64 LIDs of that one at once; private to the verifier.
 *
 * For one LID the tables are a function switch -> switch. Following it back
 * from the destination, by lists of who sends to whom, visits every switch
 * after the one it sends to. When all of the component have been visited,
 * everything arrives and nothing loops.
 *
 * Two LIDs of one switch nearly always leave every switch equally far from it,
 * however different their ways. So the order that one of them gives, turned
 * round, serves all: each switch, the farthest first, gives what it has for LID
 * after LID to the next one, out of one line of 64 entries, and is done with.
 * That the next one is nearer by one cable, entry by entry, proves that all
 * arrive. LIDs of which it is not true are told, and what they left in the
 * loads is taken back by passing them once more with the opposite weight.
 *
 * What a switch has for a LID is a number of hosts, and the set of in-ports
 * that it comes by: the turns are that set by the out-port of the entry, one
 * word for many turns. They are collected by out-port, and turned over into
 * the rows of the graph at the end.
 */
#ifndef HEDDLE_ROUTING_VERIFY_VERIFY_FLOW_H
#define HEDDLE_ROUTING_VERIFY_VERIFY_FLOW_H

#include "routing/verify/cdg.h"

struct verify_flow {
	struct cdg *g;
	uint8_t (*line)[LFT_BLOCK]; /* [n] a block of each switch */
	unsigned most;		    /* LIDs at once */
	/* the destination, to be set: its switch, the component */
	uint32_t root, lo, hi;
	/* ... and what verify_flow_order makes of it */
	uint16_t *far;	 /* [n + 1] cables to it */
	uint32_t *order; /* [hi - lo] the farthest first */
	uint64_t *hosts; /* [n + 1] by their distance */
	uint32_t farthest;
	uint32_t *feeder; /* [n + 1] the first that sends there */
	uint32_t *other;  /* [n + 1] the next that sends to the same */
	uint8_t *lane;	  /* [n] bits of the lanes from a switch to it */
	uint32_t lane_root;
	/*
	 * By switch and LID, all zeroes between passes: a word of hosts, and
	 * for each lane a set of in-ports. By port, for each lane the set of
	 * in-ports from which packets leave by it.
	 */
	uint64_t *cell; /* [n * most * (sets + 1)] */
	uint64_t *turn; /* [nports * sets] */
};

/* LIDs of a block that end at one switch, which ejects them as it should. */
struct verify_lids {
	uint32_t first, n;
	uint32_t weight; /* what a pair counts: 1 for hosts, else 0 */
};

/* Find room; and note loads and turns in g, free it. */
void verify_flow_new(struct verify_flow *f, struct cdg *g);
void verify_flow_end(struct verify_flow *f);

/* Block b of all switches. */
void verify_flow_load(
	struct verify_flow *f, const struct verify_tables *in, uint32_t b);

/*
 * Make the order of root, lo and hi from LID l of the block, which its root
 * ejects. False: not all reach it, and there is none.
 */
bool verify_flow_order(struct verify_flow *f, uint32_t l);

/*
 * Add loads, hops and turns of n LIDs, at most f->most. Returns the bits of
 * those that are not as far from the root as the order says: of these only
 * turns were noted, and only such as they really make.
 */
uint64_t verify_flow_sum(struct verify_flow *f, const struct verify_lids *l);

#endif
