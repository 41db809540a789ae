/*
 * pkey_table: P_Key tables of ports: what they shall hold, and the steps to it
 * from what they hold (distribution/device/device_keys.h).
 *
 * Hosts have a table per port, switches one at port 0 and, where they can
 * enforce partitions, one per external port: such a table at a port that faces
 * a host, a guard, lets pass what the host may use.
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

enum {
	PKEY_TABLE_BLOCK = 32,	/* keys in a block */
	PKEY_TABLE_BLOCKS = 64, /* the most that is used of one table */
	PKEY_TABLE_FULL = PKEY_FULL,
	PKEY_TABLE_BASE = PKEY_NUMBER,
};

/* What ports shall hold; everything is borrowed. */
struct pkey_table_want {
	const uint32_t *first; /* [nports + 1]: keys of port p are */
	const uint16_t *key;   /* key[first[p] .. first[p + 1]) */
	const bool *keep;      /* [nports]: nothing is taken away yet */
	bool enforce;	       /* guards on switch ports that face hosts */
};

/*
 * Whether the port came up without a memory: in Init (a switch: all its ports),
 * with no LID or no SM LID. An end port then holds the default key and nothing
 * else (IBA 10.9.1.1).
 */
bool pkey_table_is_fresh(const struct topo *t, port_ix p);

/* Entries of the port's table: 0 where it has none, or none that is used. */
unsigned pkey_table_cap(const struct topo *t, port_ix p);

/* Blocks that hold cap entries. */
static inline unsigned
pkey_table_blocks(unsigned cap)
{
	return (cap + PKEY_TABLE_BLOCK - 1) / PKEY_TABLE_BLOCK;
}

/* Bytes that the port has of a block. */
unsigned pkey_table_bytes(const struct topo *t, port_ix p, uint32_t block);

/* Whether p is an external port of a switch, faces a host and shall enforce. */
bool pkey_table_guards(
	const struct topo *t, const struct pkey_table_want *w, port_ix p);

/*
 * Lay a table of cap entries out. was: what it holds (0: empty), want: n keys.
 * grown: with everything new added, nothing removed; out: as it shall be. 0, or
 * -1 when the table has no room (grown and out then hold the keys that fit, in
 * the order of want).
 */
int pkey_table_lay(const uint16_t *was, size_t cap, const uint16_t *want,
	size_t n, uint16_t *grown, uint16_t *out);

#endif
