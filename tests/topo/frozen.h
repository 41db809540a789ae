/*
 * frozen: the bridge from the tests' fabrics to the product's topology, by way
 * of the draft, as if a sweep had read it.
 */
#ifndef HEDDLE_TESTS_TOPO_FROZEN_H
#define HEDDLE_TESTS_TOPO_FROZEN_H

#include "discovery/topo.h"
#include "tests/topo/fabric.h"

/* How LIDs are given; zeroes: dense, hosts of a leaf together, LMC 0. */
struct frozen_lids {
	bool found;	     /* as the capture says, where it says so */
	unsigned lmc;	     /* of hosts */
	uint64_t shuffle;    /* not 0: a random permutation from this seed */
	uint64_t quarantine; /* GUID of a switch to quarantine, or 0 */
};

/* f as seen from its first host, with LIDs; the caller drops it. */
struct topo *frozen_topo(const struct fabric *f, const struct frozen_lids *l);

/* The same LIDs by port GUID as in old; new ports get free ones behind. */
struct topo *frozen_again(
	const struct fabric *f, const struct topo *old, uint64_t quarantine);

/* So, of f without the cables of which drop is true. */
struct topo *frozen_less(
	const struct fabric *f, const bool *drop, const struct topo *old);

#endif
