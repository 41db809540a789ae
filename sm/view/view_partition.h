/*
 * partition: who may talk to whom, as the committed view has it. Everybody who
 * answers for the fabric asks here and nowhere else.
 *
 * What counts is what a port shall have and is known to hold
 * (sm/policy/pkeys.h). The external ports of a switch are where its port 0 is.
 * A view without keys is one in which nobody may talk.
 *
 * IBA volume 1: partitions 10.9, P_KeyTable 14.2.5.7.
 */
#ifndef HEDDLE_SM_VIEW_VIEW_PARTITION_H
#define HEDDLE_SM_VIEW_VIEW_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/view/view.h"

enum {
	VIEW_PARTITION_BLOCK = 32, /* P_Keys in a block of the table */
	VIEW_PARTITION_FULL = 0x8000,
	VIEW_PARTITION_DEFAULT = 0xffff,
};

/*
 * The P_Key with which a talks to b, a's membership bit in it: the first one
 * they share, or 0 when they share none. Two limited members share nothing. A
 * port shares with itself whatever it has.
 */
uint16_t view_partition_shared(const struct view *v, port_ix a, port_ix b);

/*
 * The same for one partition: pkey as a has it, or 0 when they cannot talk to
 * each other in it. The membership bit of pkey does not matter.
 */
uint16_t view_partition_has(
	const struct view *v, port_ix a, port_ix b, uint16_t pkey);

/* The keys with which port p may talk, with their membership bits. */
size_t view_partition_keys(
	const struct view *v, port_ix p, const uint16_t **key);

/* Its name in the configuration; "Default", or "" where it has none. */
const char *view_partition_name(const struct view *v, uint16_t pkey);

/* P_Key blocks of this port that hold anything. */
unsigned view_partition_blocks(const struct view *v, port_ix p);

/* Block number block of the port's table; false: it has no such block. */
bool view_partition_table(const struct view *v, port_ix p, unsigned block,
	uint16_t out[VIEW_PARTITION_BLOCK]);

#endif
