/*
 * certificate: tables proven by a local rule, without following any packet.
 *
 * Every link direction has a rank, given with the tables. The rule has three
 * parts, each about one entry and the entry behind it:
 *
 *   1. the switch of a LID ejects it by the right port;
 *   2. every other switch of its component has an entry for it that leads to a
 *      live switch;
 *   3. where a packet arrives over a link and is sent on over another, the
 *      second link direction has the higher rank.
 *
 * A path by such entries climbs, so it ends; it can end at the LID's own switch
 * alone; and no dependencies form a cycle. So the tables are what verify.h
 * demands of tables with one layer, and of those with several that may share
 * VLs. The rule holds for LIDs that are no destination in a component as far as
 * 3: what leads round in a loop does not climb. There an entry that leads back
 * by the in-port is excepted: hardware discards the packet, which makes neither
 * a loop nor a dependency.
 *
 * An order of switches is the special case of ranks in which a packet never
 * goes up again (routes_link_ranks).
 *
 * The set of ports forbidden behind an in-port depends on the rank of the link
 * alone: a switch has a few such sets, one inside the other. A block of 64
 * entries becomes one word for each set, with the bits of the LIDs whose entry
 * is in it; part 3 is one AND for a switch, a block and an out-port. The words
 * follow from the bytes of the block and the sets of the switch (its port
 * class), so blocks that switches share are worked once.
 *
 * The rule is sufficient, not necessary: what it refuses may be right. It has
 * no words for faults. verify_keep decides what is refused here, and says why.
 *
 *   certificate               the proof
 *   certificate_load          loads and hops over proven tables
 *   certificate_dependencies  the dependencies that they make
 *   block_mask                64 entries as words
 */
#ifndef HEDDLE_ROUTING_VERIFY_CERTIFICATE_H
#define HEDDLE_ROUTING_VERIFY_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/verify/cdg.h"

enum {
	CERTIFICATE_SETS = 6, /* of forbidden ports, at one switch */
	CERTIFICATE_RUNS = 4,
};

/* Ports of one code that follow each other; code 0 is left out. */
struct certificate_runs {
	unsigned n; /* CERTIFICATE_RUNS + 1: too many */
	struct {
		uint8_t lo, hi, code;
	} run[CERTIFICATE_RUNS];
};

/* Tables, their ranks by port, and what follows from both. */
struct certificate {
	const struct cdg *g;
	const struct verify_tables *in;
	struct verify_dest *dest; /* [nblocks * LFT_BLOCK] */
	uint32_t nblocks;
	uint32_t *rank;	 /* [nports] of the link that leaves by a port */
	unsigned sets;	 /* the most that a switch has */
	uint8_t *behind; /* [nports] number of the set that is forbidden behind
		    the link that leaves by a port; 0: none is */
	uint32_t *port_class; /* [n] of a switch */
	uint8_t (*code)[256]; /* [port class]: what an entry is, see below */
	struct certificate_runs *runs; /* [port class]: the same */
	uint32_t *seq; /* [n] switches; links with a `behind` nearly always
			  lead to an earlier one */
};

/* The bits of a code: bit i for set i + 1, and these. */
enum {
	CERTIFICATE_BEHIND = 6, /* behind which some set is forbidden */
	CERTIFICATE_LIVE = 7,	/* leads to a live switch */
	CERTIFICATE_BITS = 8,
};

/* True if the tables have a rank for each link, for all VLs the same. */
bool certificate_is_ranked(const struct verify_tables *in);

/*
 * Prepare the proof of tables by in->ranks, of which g is the graph; both stay
 * in use. NULL: links have no ranks, or not one each, or a switch has too many
 * sets.
 */
struct certificate *certificate_new(
	const struct cdg *g, const struct verify_tables *in);
void certificate_free(struct certificate *c); /* NULL allowed */

/*
 * True when the rule holds of all entries. Then verify_keep accepts the tables
 * as tables of one layer. threads: as in verify_keep.
 */
bool certificate_proves(const struct certificate *c, unsigned threads);

/*
 * Of proven tables, added to g, which is c's graph or a copy: loads, and hops
 * unless g is light; the dependencies, for one layer. The same as a walk finds.
 */
void certificate_add_loads(
	const struct certificate *c, struct cdg *g, unsigned threads);
void certificate_add_dependencies(
	const struct certificate *c, struct cdg *g, unsigned threads);

#endif
