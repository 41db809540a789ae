/*
 * verify_sets: the judge of sets of ports beside tables
 * (routing/core/route_sets.h): whether any choice of any switch may close a
 * cycle of waiting packets, lead round in a loop, or end where no entry goes
 * on.
 *
 * It knows nothing of how sets were made. For a destination switch t and a
 * switch s let D be the ports that the tables of s name for the LIDs of hosts
 * on t, and O the options. What a packet in an input buffer of s waits for is
 *
 *	fixed     D
 *	commits   D and O: it may have chosen any of them
 *	escapes   D: it may at any time go on by the default, for which half of
 *	          the buffer is kept
 *
 * and a packet that came by an option counts as being in that buffer, unless
 * both ends of the link escape: then it lies in the other half, and waits with
 * no other packet. That waiting is acyclic on every VL means that no packets
 * wait for each other in a circle, whatever switches choose (Dally and Seitz
 * 1987; for switches that escape, Duato 1996 for virtual cut-through). Mixtures
 * of kinds are judged exactly: a switch that escapes is no help to a neighbour
 * that does not.
 *
 * Where no switch escapes, a loop would be such a cycle, since a switch waits
 * for all that it may choose. Where some do, options are searched for loops by
 * destination switch; their defaults are left out, which lead back at most as
 * often as buffers are full.
 *
 * A switch does not send a packet back by the link that it came over. So an
 * option is refused that leads to a switch whose default would: there the
 * packet would be discarded.
 *
 * Several sides, each tables with sets, are judged as one mixture in which any
 * entry and any set may be that of any side. The dependencies of the tables
 * among themselves are given, since the judge of tables has found them. Packets
 * of such a mixture may be wherever old tables sent them: on links that new
 * routes leave alone, since they are drained, and at switches in quarantine,
 * which forward by what they hold. All of these are judged then, but for
 * options towards hosts at switches in quarantine.
 *
 * Sets are transposed: of each port the destinations that it is an
 * option for, a bit each. One link waits for another where packets to some
 * destination may come by the first and leave by the second, so where two rows
 * of bits have one in common. Destinations are taken a few hundred at a time.
 * Entries of tables count where they are not among the options, which say as
 * much.
 */
#ifndef HEDDLE_ROUTING_VERIFY_VERIFY_SETS_H
#define HEDDLE_ROUTING_VERIFY_VERIFY_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/lft.h"
#include "routing/core/route_sets.h"
#include "routing/core/verdict.h"
#include "sm/base/reason.h"

enum { VERIFY_SETS_SIDES = 2 };

/* Tables with their sets, by the numbers of the topology; borrowed. */
struct verify_sets_side {
	const struct lft_pool *pool;
	struct lft_row *const *row; /* [nsw], of nblocks; NULL: not known */
	uint32_t nblocks;
	const struct route_sets *sets; /* NULL: none */
};

struct verify_sets_job {
	const struct topo *topo;
	struct verify_sets_side side[VERIFY_SETS_SIDES];
	unsigned nsides;
	bool everywhere; /* packets may be on links and at switches that no
			    route uses, too */
	/* of the tables of all sides, the mixture of their entries included;
	 * layers count as one */
	const struct verify_dependencies *deps;
	unsigned threads;
};

struct verify_sets_report {
	uint64_t choices; /* pairs of a switch and a destination switch with
			     options */
	uint64_t options; /* all of theirs */
	uint32_t cyclic;  /* channels on a cycle, or behind one */
};

/* 0 if everything holds; else -1 and the first fault in words. *out is filled
 * in both cases. The same for any number of threads. */
int verify_sets(const struct verify_sets_job *job,
	struct verify_sets_report *out, struct reason *why);

#endif
