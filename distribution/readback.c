#include "distribution/readback.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/mad.h"

struct readback {
	struct topo *topo;
	struct hwstate *hw;
	struct lft_pool *pool;
	struct xact *x;
	uint64_t mkey;
	sw_ix *todo; /* switches to read */
	uint32_t ntodo;
	uint32_t sw, block; /* next: block of todo[sw] */
	uint32_t max_block;
	unsigned inflight;
	uint64_t count;
};

static uint32_t
blocks_of(const struct topo *t, sw_ix s)
{
	return t->sw[s].lft_top / LFT_BLOCK + 1U;
}

static bool
worth_reading(const struct readback *r, sw_ix s)
{
	const struct topo_node *n = &r->topo->node[r->topo->sw[s].node];

	return (n->flags & (TN_FRESH | TN_QUARANTINED)) == 0 &&
	       r->topo->sw[s].lft_top > 0 && !hw_knows(r->hw, n->guid);
}

struct readback *
readback_new(struct topo *t, struct hwstate *hw, struct lft_pool *pool,
	struct xact *x, uint64_t mkey)
{
	struct readback *r = mem_zalloc(1, sizeof(*r));
	sw_ix s;

	r->topo = topo_ref(t);
	r->hw = hw;
	r->pool = pool;
	r->x = x;
	r->mkey = mkey;
	r->todo = mem_zalloc(t->nsw, sizeof(*r->todo));
	for (s = 0; s < t->nsw; s++)
		if (worth_reading(r, s)) {
			r->todo[r->ntodo++] = s;
			if (blocks_of(t, s) > r->max_block)
				r->max_block = blocks_of(t, s);
		}
	return r;
}

void
readback_free(struct readback *r)
{
	if (r == NULL)
		return;
	assert(r->inflight == 0);
	topo_unref(r->topo);
	free(r->todo);
	free(r);
}

bool
readback_done(const struct readback *r)
{
	return r->inflight == 0 && (r->ntodo == 0 || r->block >= r->max_block);
}

uint64_t
readback_count(const struct readback *r)
{
	return r->count;
}

static void
block_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct readback *r = cookie;
	sw_ix s = (sw_ix)(tag >> 32);
	uint64_t guid = r->topo->node[r->topo->sw[s].node].guid;
	lft_ref ref;

	r->inflight--;
	if (res->outcome != XACT_OK)
		return;
	r->count++;
	ref = lft_add(r->pool, res->data);
	hw_set_block(r->hw, guid, (uint32_t)tag, ref);
	hw_set_top(r->hw, guid, r->topo->sw[s].lft_top);
	lft_drop(r->pool, ref);
}

static void
submit(struct readback *r, sw_ix s, uint32_t b, struct mono now)
{
	node_ix node = r->topo->sw[s].node;
	struct xact_request q;
	int hops;

	memset(&q, 0, sizeof(q));
	hops = topo_route(r->topo, node, q.path);
	if (hops < 0)
		return;
	q.hops = (uint8_t)hops;
	q.method = MAD_GET;
	q.attr = MAD_LFT;
	q.mod = b;
	q.mkey = r->mkey;
	q.target = r->topo->node[node].guid;
	r->inflight++;
	xact_submit(r->x, &q, now, block_done, r, (uint64_t)s << 32 | b);
}

void
readback_feed(struct readback *r, struct mono now)
{
	while (r->ntodo > 0 && r->block < r->max_block && xact_room(r->x)) {
		sw_ix s = r->todo[r->sw];

		if (r->block < blocks_of(r->topo, s))
			submit(r, s, r->block, now);
		if (++r->sw == r->ntodo) {
			r->sw = 0;
			r->block++;
		}
	}
}
