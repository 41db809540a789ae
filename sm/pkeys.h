/*
 * pkeys: what the partitions of the configuration mean for the ports of a
 * topology: which P_Keys each port shall have. An immutable value; who asks
 * for the fabric asks sm/partition.h.
 *
 * A port's keys come in the order in which its table wants them: the default
 * partition first, then the others as the configuration lists them. Without
 * any partition configured every port is a full member of the default one. As
 * soon as one is, and the default is not among them, all ports are limited
 * members of it and ours a full one: everybody reaches the subnet
 * administrator, nobody reaches anybody else through it.
 *
 * Tables change in two steps, additions before removals, and a key that stays
 * keeps its index: queue pairs refer to keys by index.
 *
 * IBA volume 1: partitioning 10.9, P_KeyTable 14.2.5.7.
 */
#ifndef HEDDLE_SM_PKEYS_H
#define HEDDLE_SM_PKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "discovery/topo.h"

enum { PKEYS_FULL = 0x8000, PKEYS_BASE = 0x7fff };

/* A member in the configuration that no port of the fabric answers to. */
struct pkeys_nobody {
	uint32_t partition, member; /* indexes into the configuration */
};

struct pkeys {
	unsigned refs;
	struct topo *topo;  /* a reference */
	struct config *cfg; /* a reference */
	uint32_t *first;    /* keys of port p: key[first[p] .. first[p + 1]) */
	uint16_t *key;	    /* with the bit of full membership */
	struct pkeys_nobody *nobody;
	size_t nnobody;
};

struct pkeys *pkeys_make(struct config *c, struct topo *t);

struct pkeys *pkeys_ref(struct pkeys *k); /* NULL allowed */
void pkeys_unref(struct pkeys *k);	  /* NULL allowed */

/* Keys of port p, how many; ports without LIDs have none. */
size_t pkeys_of(const struct pkeys *k, port_ix p, const uint16_t **key);

/*
 * Lay a table of cap entries out. was: what it holds (0: empty), want: n keys.
 * grown: with everything new added, nothing taken away; out: as it shall be.
 * 0, or -1 when it has no room (grown and out then hold the keys that fit, the
 * first ones of want first).
 */
int pkeys_lay(const uint16_t *was, size_t cap, const uint16_t *want, size_t n,
	uint16_t *grown, uint16_t *out);

#endif
