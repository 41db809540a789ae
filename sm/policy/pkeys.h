/*
 * pkeys: what the partitions of the configuration mean for the ports of a
 * topology: which P_Keys each port shall have, and, once a push is over, which
 * it has. From then on it is an immutable value; questions about the fabric go
 * to sm/view/view_partition.h.
 *
 * A port's keys come in the order in which its table wants them: the default
 * partition first, then the others as the configuration lists them. Without any
 * partition configured every port is a full member of the default one. As soon
 * as one is, and the default is not among them, all ports are limited members
 * of the default partition and our own a full one: every port reaches the
 * subnet administrator, and no other port, through it. Our own port is a full
 * member of it in any case.
 *
 * A port that is given by name keeps the keys that it has while its name
 * could not be read: it may only gain.
 *
 * IBA volume 1: partitioning 10.9, P_KeyTable 14.2.5.7.
 */
#ifndef HEDDLE_SM_POLICY_PKEYS_H
#define HEDDLE_SM_POLICY_PKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "config/partition_options.h"
#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "distribution/tables/pkey_table.h"
#include "sm/policy/name_pins.h"

enum { PKEYS_FULL = PKEY_TABLE_FULL, PKEYS_BASE = PKEY_TABLE_BASE };

/* A member in the configuration that matches no port of the fabric. */
struct pkeys_unmatched {
	uint32_t partition, member; /* indexes into the configuration */
};

/* Lists of keys, one a port: of port p key[first[p] .. first[p + 1]). */
struct pkeys_lists {
	uint32_t *first; /* [nports + 1], or NULL */
	uint16_t *key;	 /* with the bit of full membership */
};

struct pkeys {
	unsigned refs;
	struct topo *topo;  /* a reference */
	struct config *cfg; /* a reference */
	struct pkeys_lists want;
	bool *keep; /* [nports]: no key is taken away */
	struct pkeys_unmatched *unmatched;
	size_t nunmatched;
	/* since pkeys_settle: keys that are wanted and held; tables by index */
	struct pkeys_lists live, table;
};

/* pins: the nodes that names of members mean; NULL: those that call themselves
 * so. */
struct pkeys *pkeys_make(
	struct config *c, struct topo *t, const struct name_pins *pins);

struct pkeys *pkeys_ref(struct pkeys *k); /* NULL allowed */
void pkeys_unref(struct pkeys *k);	  /* NULL allowed */

/* Use t from now on, another freeze of the same fabric. NULL allowed. */
void pkeys_adopt(struct pkeys *k, struct topo *t);

/*
 * The keys that port p shall have, and how many; ports without LIDs have none.
 */
size_t pkeys_of(const struct pkeys *k, port_ix p, const uint16_t **key);

/* Keys of port p in one of the lists. */
size_t pkeys_list(const struct pkeys_lists *l, port_ix p, const uint16_t **key);

/* A push is over: enter what the tables are known to hold. A port whose table
 * is not known counts as one that has what it shall have. */
void pkeys_settle(struct pkeys *k, const struct device_store *known);

/*
 * As pkeys_settle where no table has changed since was (older keys) was
 * settled: what was entered there holds here. False: the ports, or what they
 * shall have, differ.
 */
bool pkeys_settle_like(struct pkeys *k, const struct pkeys *was);

/* Whether two of the same numbering want the same; and whether they are the
 * same when settled. */
bool pkeys_want_same(const struct pkeys *a, const struct pkeys *b);
bool pkeys_same(const struct pkeys *a, const struct pkeys *b);

/* True if the configuration gives members by name. */
bool pkeys_by_name(const struct config *c);

/* What the distribution is to write; borrows from k. */
struct pkey_table_want pkeys_wanted(const struct pkeys *k);

#endif
