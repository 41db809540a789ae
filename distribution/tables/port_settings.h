/*
 * port_settings: the fields of a PortInfo that a Set changes, as one table.
 *
 * Which fields mean something depends on the port: an external port of a switch
 * has no LID, a base port 0 has no link, a host's port enforces no partitions.
 * The table says that once; the plan asks it what a port lacks, and the push
 * compares with it what a port answered with what was sent to it. Fields that
 * only the device writes are not in it, nor those for which a Set carries "no
 * change".
 *
 * A port that answers with another value than it was sent keeps its own. What
 * that costs differs from field to field:
 *
 *	addresses	LID, LMC: no path leads to the port
 *	needed		SM's LID and SL, GID prefix, M_Key, MTU and VLs of a
 *			link, partition enforcement: traffic is lost, slower, or
 *			not kept apart
 *	others		time-outs, lifetimes, thresholds, the limit of high
 *			priority, the MTU of port 0: the port may have its own
 *
 * IBA volume 1: PortInfo 14.2.5.6.
 *
 * Folder distribution/tables: for each attribute: what a port or switch shall
 * hold -> the blocks that SMPs carry. Pure. Callers: distribution/device,
 * transition, plan and push; sm/policy, sm/core. Read next:
 * distribution/tables/pkey_table.h, the simplest one.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_PORT_SETTINGS_H
#define HEDDLE_DISTRIBUTION_TABLES_PORT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/mad/mad.h"

/*
 * The fields, a bit each, in which two PortInfos of port p differ. 0 as wanted
 * MTU or VLs is "no change".
 */
uint32_t port_settings_differ(const struct topo *t, port_ix p,
	const struct mad_port_info *is, const struct mad_port_info *want);

/*
 * The same of 64 bytes of PortInfo each, as the attribute's `lacks`: a key that
 * is protected is not shown, and counts as the one that is wanted. Of what
 * cannot be read nothing is said.
 */
uint32_t port_settings_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want);

/* Of these fields, the addresses; and those that are needed, addresses too. */
uint32_t port_settings_addresses(uint32_t fields);
uint32_t port_settings_needed(uint32_t fields);

/* Of these fields those that a live port keeps: NeighborMTU, OperationalVLs. */
uint32_t port_settings_link(uint32_t fields);

/* Copy these fields. */
void port_settings_copy(uint32_t fields, const struct mad_port_info *from,
	struct mad_port_info *to);

/*
 * "NeighborMTU 256 instead of 4096, HOQLife 16 instead of 18": these fields of
 * what a port holds, and of what it shall hold. No key is printed.
 */
void port_settings_text(uint32_t fields, const struct mad_port_info *is,
	const struct mad_port_info *want, char *out, size_t n);

/* Bytes of an MTU by its code. */
unsigned port_settings_mtu(uint8_t code);

#endif
