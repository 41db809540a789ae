/*
 * link_ranks: ranks of link directions, which the paths of tables climb.
 *
 * A packet leaves each switch over a link of higher rank than it came over, so
 * that no dependencies form a cycle (Dally and Seitz 1987). A link has one rank
 * for all its VLs, or one for each group of VLs (route_layers.h): what has a
 * rank then is what can be waited for, a link direction on a VL. The value is
 * immutable and shared.
 *
 * Ranks are an engine's claim about its tables. The verifier takes them for a
 * proof that it has to check, entry by entry (routing/verify/certificate.h).
 */
#ifndef HEDDLE_ROUTING_CORE_LINK_RANKS_H
#define HEDDLE_ROUTING_CORE_LINK_RANKS_H

#include <stdint.h>
#include <stdlib.h>

#include "sm/base/mem.h"

struct link_ranks {
	unsigned refs;
	unsigned groups; /* of VLs that have ranks of their own; 1: all VLs of a
			    link have the same */
	uint32_t nadj;	 /* of the topology */
	uint32_t of[];	 /* [groups * nadj] by group, then by topo.adj */
};

/* All zeroes, with one reference. */
static inline struct link_ranks *
link_ranks_new(unsigned groups, uint32_t nadj)
{
	struct link_ranks *k = mem_zalloc(
		1, sizeof(*k) + (size_t)groups * nadj * sizeof(k->of[0]));

	k->refs = 1;
	k->groups = groups;
	k->nadj = nadj;
	return k;
}

/* One reference more, and one less; NULL allowed. */
static inline struct link_ranks *
link_ranks_share(struct link_ranks *k)
{
	if (k != NULL)
		k->refs++;
	return k;
}

static inline void
link_ranks_drop(struct link_ranks *k)
{
	if (k != NULL && --k->refs == 0)
		free(k);
}

#endif
