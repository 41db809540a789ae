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
	PKEY_TABLE_BLOCK = 32,	/* keys in a block */
	PKEY_TABLE_BLOCKS = 64, /* of one table, at most: more is not used */
	PKEY_TABLE_FULL = 0x8000,
	PKEY_TABLE_BASE = 0x7fff,
};

struct pkey_tables;

/* What ports shall hold; everything is borrowed. */
struct pkey_table_want {
	const uint32_t *first; /* [nports + 1]: keys of port p are */
	const uint16_t *key;   /* key[first[p] .. first[p + 1]) */
	const bool *keep;      /* [nports]: nothing is taken away yet */
	bool enforce;	       /* guards on switch ports that face hosts */
};

struct pkey_tables *pkey_tables_new(void);
void pkey_tables_free(struct pkey_tables *t); /* NULL allowed */

/* The block; false: nobody knows. */
bool pkey_tables_block(const struct pkey_tables *t, uint64_t guid,
	unsigned port, unsigned block, uint16_t out[PKEY_TABLE_BLOCK]);

/* It was read, or acknowledged. */
void pkey_tables_set_block(struct pkey_tables *t, uint64_t guid, unsigned port,
	unsigned block, const uint16_t key[PKEY_TABLE_BLOCK]);

/* A Set of it is under way, or its answer was lost. */
void pkey_tables_unknown(
	struct pkey_tables *t, uint64_t guid, unsigned port, unsigned block);

/*
 * A Set of a block was sent more than once: a copy may still be under way and
 * overtake what is acknowledged later. When its time is over the table has to
 * be looked at once more.
 */
struct pkey_table_doubt {
	uint64_t guid;
	unsigned port;
	struct mono until;
};

void pkey_tables_doubt(
	struct pkey_tables *t, uint64_t guid, unsigned port, struct mono until);
/* What is in doubt, a borrowed array. */
const struct pkey_table_doubt *pkey_tables_doubts(
	const struct pkey_tables *t, size_t *n);
/* Tables whose time was over at now are no longer in doubt. */
void pkey_tables_believe(struct pkey_tables *t, struct mono now);

/* The port lost its memory; the node, with all its ports; everybody. */
void pkey_tables_forget_port(
	struct pkey_tables *t, uint64_t guid, unsigned port);
void pkey_tables_forget(struct pkey_tables *t, uint64_t guid);
void pkey_tables_forget_all(struct pkey_tables *t);

/* Another number: something that is known has changed, or may have. */
uint64_t pkey_tables_stamp(const struct pkey_tables *t);

/*
 * What a new topology shows: end ports and switches that are not up yet may
 * have lost their tables, and are forgotten.
 */
void pkey_tables_reconcile(struct pkey_tables *t, const struct topo *topo);

/*
 * Did the port come up without a memory: in Init (a switch: all its ports),
 * with no LID, or told by nobody who the SM is? An end port then holds the
 * default key and nothing else (IBA 10.9.1.1).
 */
bool pkey_table_is_fresh(const struct topo *t, port_ix p);

/*
 * A fresh port's table of cap entries, without asking for it. Unsure: what its
 * first block holds is not relied upon, it will be written whatever is wanted.
 */
void pkey_tables_presume(struct pkey_tables *t, uint64_t guid, unsigned port,
	unsigned cap, bool unsure);

/* The port does not enforce although its switch says that it can. */
void pkey_tables_refuse(struct pkey_tables *t, uint64_t guid, unsigned port);
bool pkey_tables_refused(
	const struct pkey_tables *t, uint64_t guid, unsigned port);

/* Entries of the port's table: 0 where it has none, or none that matters. */
unsigned pkey_table_cap(const struct topo *t, port_ix p);

/* Blocks for so many entries. */
static inline unsigned
pkey_table_blocks(unsigned cap)
{
	return (cap + PKEY_TABLE_BLOCK - 1) / PKEY_TABLE_BLOCK;
}

/* Is p an external port of a switch, facing a host, that shall enforce? */
bool pkey_table_guards(
	const struct topo *t, const struct pkey_table_want *w, port_ix p);

/* Are all blocks of the port known? */
bool pkey_table_whole_known(
	const struct pkey_tables *tables, const struct topo *t, port_ix p);

/*
 * The whole table of a port with cap entries into out[], the part of it that
 * is known; false: not all of it.
 */
bool pkey_table_whole(const struct pkey_tables *tables, const struct topo *t,
	port_ix p, unsigned cap, uint16_t *out);

/*
 * Lay a table of cap entries out. was: what it holds (0: empty), want: n keys.
 * grown: with everything new added, nothing taken away; out: as it shall be.
 * 0, or -1 when it has no room (grown and out then hold the keys that fit, the
 * first ones of want first).
 */
int pkey_table_lay(const uint16_t *was, size_t cap, const uint16_t *want,
	size_t n, uint16_t *grown, uint16_t *out);

#endif
