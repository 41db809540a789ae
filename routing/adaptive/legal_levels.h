/*
 * legal_levels: the links between each switch and each destination switch on
 * the shortest path that obeys an order of switches, as bits.
 *
 * A switch is "above" a destination switch when a path leads down to it; then
 * the shortest such path counts, else the shortest one of those that lead up to
 * a switch above it. reach[k] has a word of bits for 64 destination switches:
 * those that are k links away. A level is found from the one before, by what
 * was new there: so each link is followed a few times, 64 destinations a word.
 *
 * Callers: routing/adaptive/legal_sets.c, which compares those of two
 * topologies.
 */
#ifndef HEDDLE_ROUTING_ADAPTIVE_LEGAL_LEVELS_H
#define HEDDLE_ROUTING_ADAPTIVE_LEGAL_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/dest_lids.h"
#include "discovery/topo.h"
#include "routing/core/route_sets.h"
#include "sm/base/arena.h"

/* No fabric of switches with LIDs is deeper than an SMP's path. */
enum { LEGAL_LEVELS = 64 };

enum legal_link {
	LEGAL_NO_LINK, /* between live switches */
	LEGAL_UP,
	LEGAL_DOWN,
};

struct legal_levels {
	const struct topo *t;
	uint32_t words;		       /* of destination switches */
	uint8_t *link;		       /* [nadj] enum legal_link */
	struct route_set *up;	       /* [nsw] ports that lead up */
	uint64_t *above;	       /* [nsw * words], itself included */
	uint64_t *reach[LEGAL_LEVELS]; /* [nsw * words] */
	unsigned n;		       /* levels */
};

/*
 * Fill *x, from arena a, for the destination switches d by the places
 * pos[nsw], smaller above. False: paths are longer than LEGAL_LEVELS.
 */
bool legal_levels_find(struct legal_levels *x, const struct topo *t,
	const struct dest_lids *d, const uint32_t *pos, struct arena *a);

#endif
