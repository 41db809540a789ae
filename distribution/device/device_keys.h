/*
 * device_keys: P_Key tables of ports as the device store knows them.
 *
 * A block of 32 keys is known once it was read or acknowledged; a Set without
 * an answer makes it unknown, and it is read again before the next plan. After
 * a repeated Set the table is in doubt, and read again some time later.
 *
 * Hosts have a table per port, switches one at port 0 and, where they can
 * enforce partitions, one per external port. A port that is marked as refusing
 * does not enforce although its switch reports that it can.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_KEYS_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"

/* Whether all blocks of the port are known. */
bool device_keys_known(
	const struct device_store *h, const struct topo *t, port_ix p);

/*
 * The whole table of a port with cap entries into out[], unknown blocks as
 * zeros; *n, if not NULL: how many there are up to the last one in use. False:
 * some block is unknown.
 */
bool device_keys_table(const struct device_store *h, const struct topo *t,
	port_ix p, unsigned cap, uint16_t *out, unsigned *n);

/*
 * Presume the table of a fresh port (pkey_table_is_fresh), of cap entries,
 * without a Get. Unsure: the first block is not relied upon, and will be
 * written whatever is wanted.
 */
void device_keys_presume(struct device_store *h, const struct topo *t,
	port_ix p, unsigned cap, bool unsure);

#endif
