/*
 * mft: the multicast forwarding tables: what switches shall hold, what they
 * acknowledged, and the way from one to the other.
 *
 *	tree of a group --> wanted masks -+
 *	                                  +--> cells that differ --> SMPs
 *	acknowledged cells <--------------+                           |
 *	      ^-------------------------------------------------------+
 *
 * A cell is what one SMP carries: 32 groups and 16 ports of one switch. Only
 * cells that differ are written. All groups that changed since share a cycle,
 * and so do their entries in a cell.
 *
 * No moment has a loop or a copy too many. A cycle that only adds cables to a
 * group's tree, or only takes some away, is inside one tree whatever order the
 * switches take it in. A tree that moves is broken first: stage one leaves of
 * its cables those that are in the old tree and in the new one, and when all
 * switches have acknowledged that, stage two adds the rest. What a switch
 * holds that is not known counts as anything: it is emptied in stage one.
 *
 * A Set that failed leaves its cell unknown and ends the cycle after its stage;
 * the owner hears which switches failed.
 *
 * Between cycles switches are asked. What is not known is read before it is
 * written: after a restart or a takeover that is every cell in use, and what
 * is right already is left alone. A cell whose Set was repeated is read once
 * more when no copy of it can be under way; of what was acknowledged samples
 * are read, and who holds something else too often is written no more. A
 * switch whose ports changed may have rebooted: one cell of it is read.
 *
 * Where a switch has a MulticastFDBTop, it is raised to the end of the blocks
 * in use, and never lowered: entries above it are no table's. Ports to which a
 * switch would send groups that are in no table are taken away: nobody built a
 * tree for those.
 *
 * IBA volume 1: MulticastForwardingTable 14.2.5.12, MulticastFDBTop and
 * DefaultMulticastPrimaryPort 14.2.5.4.
 */
#ifndef HEDDLE_DISTRIBUTION_PUSH_MFT_H
#define HEDDLE_DISTRIBUTION_PUSH_MFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/tables/mft_cell.h"
#include "routing/mcast/mcast.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

struct mft;

struct mft_job {
	struct xact *x;
	/* A switch acknowledged this SwitchInfo. */
	void (*switch_written)(
		void *cookie, uint64_t guid, const uint8_t info[MAD_DATA]);
	void *cookie;
};

/* Counters since mft_new. */
struct mft_counts {
	uint64_t cells;	 /* acknowledged */
	uint64_t sets;	 /* sent, SwitchInfo included */
	uint64_t cycles; /* that wrote something */
	uint64_t broken; /* of these: had a first stage */
	uint64_t failed;
	uint64_t reads;	 /* cells asked for */
	uint64_t untrue; /* of these: not as acknowledged */
};

/* What is sent with. */
struct mft_wire {
	uint64_t mkey;
	struct mono stray; /* how long copies of an SMP may be under way */
};

struct mft *mft_new(const struct mft_job *job);
void mft_free(struct mft *m); /* nothing may be in flight; NULL allowed */

/*
 * The fabric is this one now (a reference is taken). Switches that are not in
 * it, or quarantined, are forgotten. All trees have to be wanted again.
 */
void mft_adopt(struct mft *m, struct topo *t);

/* This switch lost its memory, or nobody knows what is in it. */
void mft_forget(struct mft *m, uint64_t guid);

/* This switch may have lost its memory. */
void mft_suspect(struct mft *m, uint64_t guid);

/*
 * Begin to ask switches that carry traffic for what is not known of the first
 * nblocks blocks, and of all below their tops, and for what is due to be looked
 * at; like a cycle it is fed, and runs until it is over. False: there is
 * nothing to ask. Before a cycle, until it says so.
 */
bool mft_ask(struct mft *m, unsigned nblocks, struct mono now);
bool mft_asking(const struct mft *m);
/* Would there be nothing to ask if t were adopted? */
bool mft_knows(const struct mft *m, const struct topo *t, unsigned nblocks);
/* When something is due to be looked at; MONO_NEVER: nothing is. */
struct mono mft_next(const struct mft *m);

/* Has t switches that carry nothing yet, beside others, and what they hold is
 * not known? */
bool mft_has_unknown_switches(const struct mft *m, const struct topo *t);

/* Group number group (MLID - 0xc000) shall have this tree; NULL: none. Not
 * while a cycle runs. The tree is one of the adopted topology. */
void mft_want(struct mft *m, unsigned group, const struct mcast_tree *tree);

/* It shall have what the switches hold; what is not known shall be empty. */
void mft_keep(struct mft *m, unsigned group);

/*
 * Turns from cable to cable that its packets take by the tables in the
 * switches, n of them; *out is the caller's to free. Adopted topology; no cycle
 * runs.
 */
struct mft_dependency {
	sw_ix sw;
	uint8_t in, out;
};
size_t mft_dependencies(
	const struct mft *m, unsigned group, struct mft_dependency **out);
bool mft_any(const struct mft *m); /* is there any entry at all? */

/* Begin a cycle; false: everything is as it shall be. */
bool mft_begin(struct mft *m);

/* Send what there is room for; who does not call this lets the cycle rest. */
void mft_feed(struct mft *m, const struct mft_wire *w, struct mono now);

bool mft_running(const struct mft *m); /* a cycle has begun and is not over */
bool mft_is_idle(const struct mft *m); /* nothing is in flight */

/* The cycle ends here: what was not sent is left for the next one. */
void mft_stop(struct mft *m);

/* Switches that failed in the last cycle, and whether they said no. */
struct mft_failure {
	uint64_t guid;
	uint16_t status; /* 0: silence */
	bool liar;	 /* it does not hold what it acknowledged */
};
/* Was everything that the last cycle sent acknowledged? */
bool mft_complete(const struct mft *m);
const struct mft_failure *mft_failures(const struct mft *m, size_t *n);

/* Is this switch written no more, because it said no, or lied? */
bool mft_refused(const struct mft *m, uint64_t guid);

/* A cell as acknowledged; false: not known. */
bool mft_cell(const struct mft *m, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[MFT_CELL]);
/* The entry of a group, of all ports; false: it is empty, or not known. */
bool mft_row(const struct mft *m, uint64_t guid, unsigned group,
	uint64_t out[MCAST_WORDS]);
/* Blocks of 32 groups in use. */
unsigned mft_blocks(const struct mft *m);

const struct mft_counts *mft_counts(const struct mft *m);

#endif
