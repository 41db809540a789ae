/*
 * sim_hops: how a simulated switch forwards data packets to a LID, from what it
 * holds at that moment: LFT, ARInfo, groups of ports, ARLFT. One reader for all
 * that forward or judge: the data plane, the referee and the watch.
 *
 * A switch is of one of three kinds.
 *
 *   fixed     the LFT names the out-port.
 *   commits   an adaptive switch as they are built (mad_ar.h, "Rev1"): a packet
 *             is given one of several out-ports when it arrives, and keeps it.
 *             By ARLFT a LID is Static (its default port), Free (any port of a
 *             group) or Bounded (any port of a group, but a flow keeps its
 *             port). The ports of sub-group 0 go first, those of sub-group 1
 *             are for when these are congested. A group without a usable port
 *             leaves the default port.
 *   escapes   the switch of Martinez et al. (2003), which is not built by
 *             anybody: a packet chooses when it leaves. The forwarding table is
 *             read in rows of `interleave` entries. Packets to the first LID of
 *             a row are ordered and take its entry, the escape; packets to
 *             another LID of the row may take the port of any other entry, and
 *             the escape. LIDs that are no multiple of the row, as those of
 *             ports with too small an LMC, are not told from adaptive ones:
 *             whoever switches this on has to give LIDs accordingly. With
 *             groups as Rev1 its alternatives are the ports of the group, and
 *             the escape is the default port.
 *
 * An adaptive switch is fixed until ARInfo.E is set, and for SLs that
 * EnableBySLMask leaves out.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SIM_HOPS_H
#define HEDDLE_TESTS_SIM_MODEL_SIM_HOPS_H

#include "tests/sim/model/sim.h"

enum { SIM_TIERS = 2, SIM_HOP_WORDS = 4 };

enum sim_kind { SIM_FIXED, SIM_COMMITS, SIM_ESCAPES };

/* The out-ports of packets to a LID. */
struct sim_hops {
	enum sim_kind kind; /* fixed: tiers are empty */
	bool bounded;	    /* a flow keeps its port for ageing_us */
	uint8_t port;	    /* of the ordered path, the escape; 255: none */
	uint32_t ageing_us;
	/* alternatives, preferred and secondary: port n is bit n % 64 of word n
	 * / 64; ports that are down are among them */
	uint64_t tier[SIM_TIERS][SIM_HOP_WORDS];
};

/*
 * How a switch (asserted) forwards packets to a LID on an SL. A LID beyond
 * LinearFDBTop has port 255 and no alternatives.
 */
void sim_hops(const struct sim *s, uint32_t node, uint16_t lid, unsigned sl,
	struct sim_hops *out);

/*
 * All out-ports that packets to a LID may leave by on any SL, as a mask, for
 * judges; port 0 and ports that do not exist are not among them. Of a switch of
 * kind escapes it is the escape alone: what its packets wait for in the end,
 * and what ends a walk (true while its neighbours are of the same kind).
 */
void sim_hops_any(const struct sim *s, uint32_t node, uint16_t lid,
	uint64_t ports[SIM_HOP_WORDS]);

/* True if the switch forwards by more than its LFT. */
bool sim_hops_adaptive(const struct sim *s, uint32_t node);

static inline bool
sim_hops_has(const uint64_t ports[SIM_HOP_WORDS], unsigned port)
{
	return (ports[port / 64] >> port % 64 & 1) != 0;
}

static inline void
sim_hops_add(uint64_t ports[SIM_HOP_WORDS], unsigned port)
{
	ports[port / 64] |= 1ULL << port % 64;
}

static inline void
sim_hops_remove(uint64_t ports[SIM_HOP_WORDS], unsigned port)
{
	ports[port / 64] &= ~(1ULL << port % 64);
}

/* The first port at or after *port; false: none. */
static inline bool
sim_hops_next(const uint64_t ports[SIM_HOP_WORDS], unsigned *port)
{
	for (unsigned i = *port / 64; i < SIM_HOP_WORDS; i++) {
		uint64_t w = ports[i];

		if (i == *port / 64)
			w &= ~0ULL << *port % 64;
		if (w) {
			*port = i * 64 + (unsigned)__builtin_ctzll(w);
			return true;
		}
	}
	return false;
}

#endif
