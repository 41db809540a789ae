/*
 * ptable: P_Key tables of ports: what they are known to hold, what they shall
 * hold, and how to come from the one to the other.
 *
 * A block of 32 keys is known once it was read or acknowledged; a Set whose
 * answer is lost makes it unknown, and it is read again before the next plan.
 * One that had to be repeated is looked at again some time later.
 * Keyed by node GUID and port number, so that it outlives topologies. Hosts
 * have a table per port, switches one at port 0 and, where they can enforce
 * partitions, one per external port: such a guard at a port that faces a host
 * lets pass what the host may use.
 *
 * Tables change in two steps, additions before removals, and a key that stays
 * keeps its index: queue pairs refer to keys by index.
 *
 * IBA volume 1: partitioning 10.9, P_KeyTable 14.2.5.7, enforcement by
 * switches 18.2.4.2.1.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_PKEY_TABLE_H
#define HEDDLE_DISTRIBUTION_TABLES_PKEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"

enum {
	PTABLE_BLOCK = 32,  /* keys in a block */
	PTABLE_BLOCKS = 64, /* of one table, at most: more is not used */
	PTABLE_FULL = 0x8000,
	PTABLE_BASE = 0x7fff,
};

struct ptables;

/* What ports shall hold; everything is borrowed. */
struct ptable_want {
	const uint32_t *first; /* [nports + 1]: keys of port p are */
	const uint16_t *key;   /* key[first[p] .. first[p + 1]) */
	const bool *keep;      /* [nports]: nothing is taken away yet */
	bool enforce;	       /* guards on switch ports that face hosts */
};

struct ptables *ptables_new(void);
void ptables_free(struct ptables *t); /* NULL allowed */

/* The block; false: nobody knows. */
bool ptables_block(const struct ptables *t, uint64_t guid, unsigned port,
	unsigned block, uint16_t out[PTABLE_BLOCK]);

/* It was read, or acknowledged. */
void ptables_set_block(struct ptables *t, uint64_t guid, unsigned port,
	unsigned block, const uint16_t key[PTABLE_BLOCK]);

/* A Set of it is under way, or its answer was lost. */
void ptables_unknown(
	struct ptables *t, uint64_t guid, unsigned port, unsigned block);

/*
 * A Set of a block was sent more than once: a copy may still be under way and
 * overtake what is acknowledged later. When its time is over the table has to
 * be looked at once more.
 */
struct ptable_doubt {
	uint64_t guid;
	unsigned port;
	struct mono until;
};

void ptables_doubt(
	struct ptables *t, uint64_t guid, unsigned port, struct mono until);
/* What is in doubt, a borrowed array. */
const struct ptable_doubt *ptables_doubts(const struct ptables *t, size_t *n);
/* Tables whose time was over at now are no longer in doubt. */
void ptables_believe(struct ptables *t, struct mono now);

/* The port lost its memory; the node, with all its ports; everybody. */
void ptables_forget_port(struct ptables *t, uint64_t guid, unsigned port);
void ptables_forget(struct ptables *t, uint64_t guid);
void ptables_forget_all(struct ptables *t);

/* Another number: something that is known has changed, or may have. */
uint64_t ptables_stamp(const struct ptables *t);

/*
 * What a new topology shows: end ports and switches that are not up yet may
 * have lost their tables, and are forgotten.
 */
void ptables_reconcile(struct ptables *t, const struct topo *topo);

/*
 * Did the port come up without a memory: in Init (a switch: all its ports),
 * with no LID, or told by nobody who the SM is? An end port then holds the
 * default key and nothing else (IBA 10.9.1.1).
 */
bool ptable_is_fresh(const struct topo *t, port_ix p);

/*
 * A fresh port's table of cap entries, without asking for it. Unsure: what its
 * first block holds is not relied upon, it will be written whatever is wanted.
 */
void ptables_presume(struct ptables *t, uint64_t guid, unsigned port,
	unsigned cap, bool unsure);

/* The port does not enforce although its switch says that it can. */
void ptables_refuse(struct ptables *t, uint64_t guid, unsigned port);
bool ptables_refused(const struct ptables *t, uint64_t guid, unsigned port);

/* Entries of the port's table: 0 where it has none, or none that matters. */
unsigned ptable_cap(const struct topo *t, port_ix p);

/* Blocks for so many entries. */
static inline unsigned
ptable_blocks(unsigned cap)
{
	return (cap + PTABLE_BLOCK - 1) / PTABLE_BLOCK;
}

/* Is p an external port of a switch, facing a host, that shall enforce? */
bool ptable_guards(
	const struct topo *t, const struct ptable_want *w, port_ix p);

/* Are all blocks of the port known? */
bool ptable_whole_known(
	const struct ptables *tables, const struct topo *t, port_ix p);

/*
 * The whole table of a port with cap entries into out[], the part of it that
 * is known; false: not all of it.
 */
bool ptable_whole(const struct ptables *tables, const struct topo *t, port_ix p,
	unsigned cap, uint16_t *out);

/*
 * Lay a table of cap entries out. was: what it holds (0: empty), want: n keys.
 * grown: with everything new added, nothing taken away; out: as it shall be.
 * 0, or -1 when it has no room (grown and out then hold the keys that fit, the
 * first ones of want first).
 */
int ptable_lay(const uint16_t *was, size_t cap, const uint16_t *want, size_t n,
	uint16_t *grown, uint16_t *out);

#endif
