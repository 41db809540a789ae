/*
 * guid_table: the GUIDs of a port: its own and its aliases, one for each
 * virtual function of an adapter. Entry 0 is the port's own and cannot be
 * written; what subnet administration assigned to the others is what the port
 * shall hold.
 *
 * IBA volume 1: GUIDInfo 14.2.5.5, GUIDCap 14.2.5.6.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_GUID_TABLE_H
#define HEDDLE_DISTRIBUTION_TABLES_GUID_TABLE_H

#include <stdint.h>

#include "discovery/topo.h"

enum {
	GUID_TABLE_BLOCK = 8,	/* GUIDs */
	GUID_TABLE_BLOCKS = 32, /* GUIDCap has 8 bits */
};

/* A block as a Set carries it. */
void guid_table_lay(const uint64_t guid[GUID_TABLE_BLOCK],
	uint8_t out[GUID_TABLE_BLOCK * sizeof(uint64_t)]);

/* Bytes of a block that port p has, by its GUIDCap. */
unsigned guid_table_bytes(const struct topo *t, port_ix p, uint32_t block);

/* Entries that differ from the wanted ones, a bit each; the port's own GUID is
 * none of them. As the attribute's `lacks`. */
uint32_t guid_table_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want);

#endif
