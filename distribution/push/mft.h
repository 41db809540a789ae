/*
 * mft: the multicast forwarding tables: what switches shall hold, and when it
 * is read and written.
 *
 *	tree of a group --> wanted masks -+
 *	                                  +--> plan_mcast --> push
 *	device store <--------------------+                    |
 *	      ^------------------------------------------------+
 *
 * A cell is what one SMP carries: 32 groups and 16 ports of one switch
 * (mft_cell.h has the pure part). Only cells that differ are written. All
 * groups that changed since the last cycle share the next one, and so do their
 * entries in a cell. A cycle is a plan that breaks trees that move before it
 * makes them (plan.h), so that at no moment there is a loop or a duplicate
 * packet.
 *
 * Before trees gain links, cells that a late copy of an older Set would give
 * links that they have no more are waited for, and read (push.h): a copy of a
 * Set of the old tree would close a loop with the new one.
 *
 * A Set that failed leaves its cell unknown; where trees were to be broken the
 * cycle ends then. The owner gets a list of the switches that failed.
 *
 * Between cycles switches are read. An unknown cell is read before it is
 * written: after a restart or a take-over that is every cell in use, and what
 * is right already is left alone. A cell with a repeated Set is read once more
 * when no copy of that can be in flight; acknowledged cells are sampled, and a
 * switch that too often holds something else is written no more. A switch with
 * changed ports may have rebooted: one cell of it is read. So is one in
 * rotation where nothing happened: another writer may have changed it, or a
 * copy of an SMP that was under way for very long.
 *
 * Where a switch has a MulticastFDBTop, it is raised to the end of the blocks
 * in use, and never lowered: entries above it are in no table. The default
 * ports, to which a switch sends groups that are in no table, are removed: no
 * tree was built for such groups.
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
struct device_store;

struct mft_job {
	struct xact *x;
	struct device_store *hw; /* what is known of the tables is there */
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
	uint64_t broken; /* of these, had a first stage */
	uint64_t failed;
	uint64_t reads;	  /* cells asked for */
	uint64_t drifted; /* of these, not as acknowledged */
};

struct mft *mft_new(const struct mft_job *job);
void mft_free(struct mft *m); /* nothing may be in flight; NULL allowed */

/*
 * The fabric is t now (a reference is taken). Switches that are absent or
 * quarantined are forgotten. All trees have to be wanted again.
 */
void mft_adopt(struct mft *m, struct topo *t);

/* This switch lost its memory, or its table is unknown for another reason. */
void mft_forget(struct mft *m, uint64_t guid);

/* This switch may have lost its memory. */
void mft_suspect(struct mft *m, uint64_t guid);

/*
 * One cell of this switch, another in each round, is due to be read. What it
 * holds should be what is known; if not, the whole table is read again, and
 * mft_drifted tells.
 */
void mft_sample(struct mft *m, uint64_t guid, uint32_t round, struct mono now);
/* A switch of which the last reading found entries that it was not given; 0:
 * none. */
uint64_t mft_drifted(const struct mft *m);

/*
 * Begin to read, from switches that carry traffic, unknown cells of the first
 * nblocks blocks and of all below their tops, and cells that are due. Like a
 * cycle a reading is fed, and runs until it is over. False: there is nothing to
 * read. Call it before a cycle, until it returns false.
 */
bool mft_ask(struct mft *m, unsigned nblocks, struct mono now);
bool mft_asking(const struct mft *m);
/* Whether there would be nothing unknown to read if t were adopted. */
bool mft_knows(const struct mft *m, const struct topo *t, unsigned nblocks);
/* When a cell is due to be read, or a cycle that waits goes on; MONO_NEVER:
 * never. */
struct mono mft_next(const struct mft *m);

/*
 * Whether t has unknown switches that carry nothing yet, beside others that do.
 */
bool mft_has_unknown_switches(const struct mft *m, const struct topo *t);

/*
 * Group number group (MLID - 0xc000) shall have this tree; NULL: none. The tree
 * is one of the adopted topology. Not while a cycle runs.
 */
void mft_want(struct mft *m, unsigned group, const struct mcast_tree *tree);

/* The group shall keep what the switches hold; unknown cells shall be empty. */
void mft_keep(struct mft *m, unsigned group);

/*
 * The dependencies (link to link) that the group's packets take by the tables
 * in the switches. Returns how many; *out is the caller's to free. Adopted
 * topology; not while a cycle runs.
 */
struct mft_dependency {
	sw_ix sw;
	uint8_t in, out;
};
size_t mft_dependencies(
	const struct mft *m, unsigned group, struct mft_dependency **out);
/* Whether any switch may have an entry: it has, or one was for it in a cycle,
 * which may be under way, or a late copy of a Set may bring one. */
bool mft_any(const struct mft *m);

/* Begin a cycle; false: everything is as wanted.
 * stray: how long copies of an SMP stay in flight. */
bool mft_begin(struct mft *m, struct mono stray);

/* Send what there is room for; without this call the cycle rests. */
void mft_feed(struct mft *m, struct mono now);

bool mft_running(const struct mft *m); /* a cycle has begun and is not over */
bool mft_is_idle(const struct mft *m); /* nothing is in flight */

/* The cycle ends here: what was not sent is left for the next one. */
void mft_stop(struct mft *m);

/* A switch that failed in the last cycle. */
struct mft_failure {
	uint64_t guid;
	uint16_t status;  /* 0: no answer */
	bool disobedient; /* it does not hold what it acknowledged */
};
/* Whether everything that the last cycle sent was acknowledged. */
bool mft_complete(const struct mft *m);
const struct mft_failure *mft_failures(const struct mft *m, size_t *n);

/*
 * Whether this switch is written no more, because it refused a Set or does not
 * hold what it acknowledged.
 */
bool mft_refused(const struct mft *m, uint64_t guid);

/* A cell as acknowledged; false: unknown. */
bool mft_cell(const struct mft *m, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[MFT_CELL]);
/* The entry of a group, of all ports; false: it is empty or unknown. */
bool mft_row(const struct mft *m, uint64_t guid, unsigned group,
	uint64_t out[MCAST_WORDS]);
/* Blocks of 32 groups in use. */
unsigned mft_blocks(const struct mft *m);

const struct mft_counts *mft_counts(const struct mft *m);

#endif
