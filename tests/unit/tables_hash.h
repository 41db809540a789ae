/* tables_hash: all forwarding tables of routes in one number, to compare. */
#ifndef HEDDLE_TESTS_UNIT_TABLES_HASH_H
#define HEDDLE_TESTS_UNIT_TABLES_HASH_H

#include "routing/core/routes.h"
#include "sm/base/hash.h"

static inline uint64_t
tables_hash(const struct routes *r)
{
	uint64_t h = FNV_START;

	for (sw_ix s = 0; s < r->topo->nsw; s++)
		for (uint32_t b = 0; b < r->nblocks; b++)
			h = fnv_more(h, routes_block(r, s, b), LFT_BLOCK);
	return h;
}

#endif
