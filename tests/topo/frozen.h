/*
 * frozen: converts the tests' fabrics to the product's topology, through the
 * topology builder, as if a sweep had read them.
 */
#ifndef HEDDLE_TESTS_TOPO_FROZEN_H
#define HEDDLE_TESTS_TOPO_FROZEN_H

#include "discovery/topo.h"
#include "tests/topo/fabric.h"

/* How LIDs are assigned; zeroes: dense, hosts of a leaf together, LMC 0. */
struct frozen_lids {
	bool found;	     /* as in the capture, if it has one */
	unsigned lmc;	     /* of hosts */
	uint64_t shuffle;    /* not 0: a random permutation from this seed */
	uint64_t quarantine; /* GUID of a switch to quarantine, or 0 */
};

/* f as seen from its first host, with LIDs. The caller calls topo_unref. */
struct topo *frozen_topo(const struct fabric *f, const struct frozen_lids *l);

/* The same, with the LIDs of old by port GUID; new ports get free LIDs. */
struct topo *frozen_again(
	const struct fabric *f, const struct topo *old, uint64_t quarantine);

/* The same, of f without the cables that are true in drop. */
struct topo *frozen_less(
	const struct fabric *f, const bool *drop, const struct topo *old);

/* The same, as seen from the host with this node GUID if it is there. */
struct topo *frozen_less_from(const struct fabric *f, const bool *drop,
	const struct topo *old, uint64_t host);

#endif
