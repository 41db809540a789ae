/*
 * pkey_table: P_Key tables of ports: what they are known to hold, what they
 * shall hold, and the steps from one to the other.
 *
 * A block of 32 keys is known once it was read or acknowledged; a Set without
 * an answer makes it unknown, and it is read again before the next plan. After
 * a repeated Set the block is read again some time later.
 *
 * Keyed by node GUID and port number, so that it outlives topologies. Hosts
 * have a table per port, switches one at port 0 and, where they can enforce
 * partitions, one per external port: such a table at a port that faces a host,
 * a guard, lets pass what the host may use.
 *
 * Tables change in two steps, additions before removals, and a key that stays
 * keeps its index: queue pairs refer to keys by index.
 *
 * IBA volume 1: partitioning 10.9, P_KeyTable 14.2.5.7, enforcement by switches
 * 18.2.4.2.1.
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
	PKEY_TABLE_BLOCKS = 64, /* the most that is used of one table */
	PKEY_TABLE_FULL = PKEY_FULL,
	PKEY_TABLE_BASE = PKEY_NUMBER,
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

/* The block; false: unknown. */
bool pkey_tables_block(const struct pkey_tables *t, uint64_t guid,
	unsigned port, unsigned block, uint16_t out[PKEY_TABLE_BLOCK]);

/* The block was read or acknowledged. */
void pkey_tables_set_block(struct pkey_tables *t, uint64_t guid, unsigned port,
	unsigned block, const uint16_t key[PKEY_TABLE_BLOCK]);

/* A Set of the block is in flight, or its answer was lost. */
void pkey_tables_unknown(
	struct pkey_tables *t, uint64_t guid, unsigned port, unsigned block);

/*
 * A Set of a block was sent more than once: a copy may still be in flight and
 * overwrite what is acknowledged later. At the time `until` the table has to be
 * read once more.
 */
struct pkey_table_doubt {
	uint64_t guid;
	unsigned port;
	struct mono until;
};

void pkey_tables_doubt(
	struct pkey_tables *t, uint64_t guid, unsigned port, struct mono until);
/* The tables in doubt, a borrowed array. */
const struct pkey_table_doubt *pkey_tables_doubts(
	const struct pkey_tables *t, size_t *n);
/* Tables are no longer in doubt when `until` is not after now. */
void pkey_tables_believe(struct pkey_tables *t, struct mono now);

void pkey_tables_forget(struct pkey_tables *t, uint64_t guid);
void pkey_tables_forget_all(struct pkey_tables *t);

/*
 * A number that changes whenever something that is known has changed, or may
 * have.
 */
uint64_t pkey_tables_stamp(const struct pkey_tables *t);

/*
 * Forget what a new topology shows to be lost: tables of end ports and switches
 * that are not up yet.
 */
void pkey_tables_reconcile(struct pkey_tables *t, const struct topo *topo);

/*
 * Whether the port came up without a memory: in Init (a switch: all its ports),
 * with no LID or no SM LID. An end port then holds the default key and nothing
 * else (IBA 10.9.1.1).
 */
bool pkey_table_is_fresh(const struct topo *t, port_ix p);

/*
 * Presume the table of a fresh port, of cap entries, without a Get. Unsure: the
 * first block is not relied upon, and will be written whatever is wanted.
 */
void pkey_tables_presume(struct pkey_tables *t, uint64_t guid, unsigned port,
	unsigned cap, bool unsure);

/* The port does not enforce although its switch reports that it can. */
void pkey_tables_refuse(struct pkey_tables *t, uint64_t guid, unsigned port);
bool pkey_tables_refused(
	const struct pkey_tables *t, uint64_t guid, unsigned port);

/* Entries of the port's table: 0 where it has none, or none that is used. */
unsigned pkey_table_cap(const struct topo *t, port_ix p);

/* Blocks that hold cap entries. */
static inline unsigned
pkey_table_blocks(unsigned cap)
{
	return (cap + PKEY_TABLE_BLOCK - 1) / PKEY_TABLE_BLOCK;
}

/* Whether p is an external port of a switch, faces a host and shall enforce. */
bool pkey_table_guards(
	const struct topo *t, const struct pkey_table_want *w, port_ix p);

/* Whether all blocks of the port are known. */
bool pkey_table_whole_known(
	const struct pkey_tables *tables, const struct topo *t, port_ix p);

/*
 * The whole table of a port with cap entries into out[], unknown blocks as
 * zeros. False: some block is unknown.
 */
bool pkey_table_whole(const struct pkey_tables *tables, const struct topo *t,
	port_ix p, unsigned cap, uint16_t *out);

/*
 * Lay a table of cap entries out. was: what it holds (0: empty), want: n keys.
 * grown: with everything new added, nothing removed; out: as it shall be. 0, or
 * -1 when the table has no room (grown and out then hold the keys that fit, in
 * the order of want).
 */
int pkey_table_lay(const uint16_t *was, size_t cap, const uint16_t *want,
	size_t n, uint16_t *grown, uint16_t *out);

#endif
