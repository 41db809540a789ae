#include "distribution/plan/tables_found.h"

struct routes *
tables_found(
	const struct device_store *hw, struct topo *t, struct lft_pool *pool)
{
	struct routes *r = routes_new(t, pool);

	r->engine = "found";
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		for (uint32_t b = 0; b < r->nblocks; b++) {
			lft_ref ref = device_block(hw, guid, b);

			if (ref != DEVICE_UNKNOWN)
				*routes_slot(r, s, b) = lft_share(pool, ref);
		}
	}
	return r;
}
