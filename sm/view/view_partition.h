/*
 * view_partition: which ports may talk to each other in the committed view. All
 * answers about it come from here.
 *
 * What counts is what a port shall have and is known to hold
 * (sm/policy/pkeys.h). The external ports of a switch are in the partitions of
 * its port 0. In a view without keys no port may talk to another.
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
	VIEW_PARTITION_DEFAULT = 0xffff,
};

/*
 * The P_Key with which a talks to b, with a's membership bit: the first one
 * that they share, or 0 when they share none. Two limited members share
 * nothing. A port shares all its keys with itself.
 */
uint16_t view_partition_shared(const struct view *v, port_ix a, port_ix b);

/*
 * As view_partition_shared for one partition: pkey as a has it, or 0 when they
 * cannot talk to each other in it. The membership bit of pkey does not count.
 */
uint16_t view_partition_has(
	const struct view *v, port_ix a, port_ix b, uint16_t pkey);

/* The keys with which port p may talk, with their membership bits. */
size_t view_partition_keys(
	const struct view *v, port_ix p, const uint16_t **key);

/* The partition's name in the configuration; "Default", or "" where it has
 * none. */
const char *view_partition_name(const struct view *v, uint16_t pkey);

/* How many P_Key blocks of this port have entries. */
unsigned view_partition_blocks(const struct view *v, port_ix p);

/* Block number block of the port's table; false: it has no such block. */
bool view_partition_table(const struct view *v, port_ix p, unsigned block,
	uint16_t out[VIEW_PARTITION_BLOCK]);

#endif
