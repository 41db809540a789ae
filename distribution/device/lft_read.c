#include "distribution/device/lft_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

/* MISSES_MAX consecutive blocks without an answer: the switch has gone. */
enum { MISSES_MAX = 2, ROUNDS_MAX = 3 };

enum { RECENT = 1 << 10 }; /* blocks that other switches may hold too */

/* A read-back in progress. */
struct lft_read {
	struct topo *topo;
	struct device_store *hw;
	struct lft_pool *pool;
	struct xact *x;
	sw_ix *sample; /* switches to sample, then ... */
	uint32_t nsample, next_sample;
	bool listed; /* ... the list of switches to read is made */
	sw_ix *todo; /* switches to read */
	uint32_t ntodo;
	uint32_t sw, block; /* next: block of todo[sw] */
	uint32_t max_block;
	unsigned round; /* blocks not answered in one are read in the next */
	bool missed;
	uint8_t *misses; /* [nsw] */
	lft_ref *recent; /* [RECENT] by hash, each counted; LFT_EMPTY: none */
	unsigned inflight;
	uint64_t count;
};

static uint64_t
guid_of(const struct lft_read *r, sw_ix s)
{
	return r->topo->node[r->topo->sw[s].node].guid;
}

static uint32_t
blocks_of(const struct topo *t, sw_ix s)
{
	return t->sw[s].lft_top / LFT_BLOCK + 1U;
}

static bool
is_readable(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & (TN_FRESH | TN_QUARANTINED)) ==
		       0 &&
	       t->sw[s].lft_top > 0;
}

static bool
needs_reading(const struct lft_read *r, sw_ix s)
{
	return is_readable(r->topo, s) && !device_knows(r->hw, guid_of(r, s));
}

bool
lft_read_lacks(const struct topo *t, const struct device_store *hw, sw_ix s)
{
	uint64_t guid = t->node[t->sw[s].node].guid;

	for (uint32_t b = 0; is_readable(t, s) && b < blocks_of(t, s); b++)
		if (device_block(hw, guid, b) == DEVICE_UNKNOWN)
			return true;
	return false;
}

/* The first block of the switch that is known and not empty, or UINT32_MAX. */
static uint32_t
first_nonempty_block(const struct lft_read *r, sw_ix s)
{
	uint32_t b, n = blocks_of(r->topo, s);

	for (b = 0; b < n; b++) {
		lft_ref ref = device_block(r->hw, guid_of(r, s), b);

		if (ref != DEVICE_UNKNOWN && ref != LFT_EMPTY)
			return b;
	}
	return UINT32_MAX;
}

struct lft_read *
lft_read_new(struct topo *t, const struct lft_read_job *job)
{
	struct lft_read *r = mem_zalloc(1, sizeof(*r));
	sw_ix s;

	r->topo = topo_ref(t);
	r->hw = job->hw;
	r->pool = job->pool;
	r->x = job->x;
	r->todo = mem_zalloc(t->nsw, sizeof(*r->todo));
	r->misses = mem_zalloc(t->nsw, sizeof(*r->misses));
	r->sample = mem_zalloc(t->nsw, sizeof(*r->sample));
	r->recent = mem_zalloc(RECENT, sizeof(*r->recent));
	for (s = 0; s < t->nsw; s++)
		if (map_get(job->suspects, guid_of(r, s), NULL) &&
			device_knows(r->hw, guid_of(r, s)) &&
			topo_sw_live(t, s))
			r->sample[r->nsample++] = s;
	return r;
}

static void
list_todo(struct lft_read *r)
{
	const struct topo *t = r->topo;
	sw_ix s;

	for (s = 0; s < t->nsw; s++)
		if (needs_reading(r, s)) {
			r->todo[r->ntodo++] = s;
			if (blocks_of(t, s) > r->max_block)
				r->max_block = blocks_of(t, s);
		}
	r->listed = true;
}

void
lft_read_free(struct lft_read *r)
{
	if (r == NULL)
		return;
	assert(r->inflight == 0);
	for (uint32_t i = 0; i < RECENT; i++)
		lft_drop(r->pool, r->recent[i]);
	free(r->recent);
	topo_unref(r->topo);
	free(r->todo);
	free(r->sample);
	free(r->misses);
	free(r);
}

/* All blocks were asked for and answered, or timed out. */
static bool
is_round_over(const struct lft_read *r)
{
	return r->listed && r->inflight == 0 && r->block >= r->max_block;
}

static bool
needs_another_round(const struct lft_read *r)
{
	return r->missed && r->round + 1 < ROUNDS_MAX;
}

bool
lft_read_done(const struct lft_read *r)
{
	return r->inflight == 0 &&
	       (r->ntodo == 0 || (is_round_over(r) && !needs_another_round(r)));
}

void
lft_read_stop(struct lft_read *r, struct mono now)
{
	r->next_sample = r->nsample;
	r->ntodo = 0;
	r->listed = true;
	xact_cancel(r->x, r, now);
}

uint64_t
lft_read_count(const struct lft_read *r)
{
	return r->count;
}

/*
 * The block that was read, as a reference shared with recent blocks:
 * neighbouring switches have nearly the same tables, and each is asked for one
 * block before any is asked for the next.
 */
static lft_ref
share_block(struct lft_read *r, const uint8_t bytes[LFT_BLOCK])
{
	lft_ref *at =
		&r->recent[fnv_more(FNV_START, bytes, LFT_BLOCK) % RECENT];

	if (memcmp(lft_bytes(r->pool, *at), bytes, LFT_BLOCK) != 0) {
		lft_drop(r->pool, *at);
		*at = lft_add(r->pool, bytes);
	}
	return *at;
}

static void
block_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct lft_read *r = cookie;
	sw_ix s = (sw_ix)(tag >> 32);

	r->inflight--;
	if (res->outcome == XACT_TIMEOUT && r->misses[s] < MISSES_MAX)
		r->misses[s]++;
	if (res->outcome != XACT_OK) {
		r->missed |= res->outcome == XACT_TIMEOUT;
		return;
	}
	r->misses[s] = 0;
	r->count++;
	device_set_block(
		r->hw, guid_of(r, s), (uint32_t)tag, share_block(r, res->data));
	device_set_top(r->hw, guid_of(r, s), r->topo->sw[s].lft_top);
}

/* A sample without an answer counts as a mismatch. */
static void
sample_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct lft_read *r = cookie;
	uint64_t guid = guid_of(r, (sw_ix)(tag >> 32));
	lft_ref known = device_block(r->hw, guid, (uint32_t)tag);

	r->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome == XACT_OK)
		r->count++;
	if (res->outcome != XACT_OK || known == DEVICE_UNKNOWN ||
		memcmp(res->data, lft_bytes(r->pool, known), LFT_BLOCK) != 0)
		device_forget_node(r->hw, guid);
}

static void
submit_block_get(struct lft_read *r, sw_ix s, uint32_t b, struct mono now)
{
	node_ix node = r->topo->sw[s].node;
	struct xact_request q;

	if (device_request(r->topo, node, &q) != 0)
		return;
	q.method = MAD_GET;
	q.attr = MAD_LFT;
	q.mod = b;
	r->inflight++;
	xact_submit(r->x, &q, now, r->listed ? block_done : sample_done, r,
		(uint64_t)s << 32 | b);
}

static void
feed_samples(struct lft_read *r, struct mono now)
{
	while (r->next_sample < r->nsample && xact_room(r->x)) {
		sw_ix s = r->sample[r->next_sample++];
		uint32_t b = first_nonempty_block(r, s);

		if (b != UINT32_MAX)
			submit_block_get(r, s, b, now);
	}
	if (r->next_sample == r->nsample && r->inflight == 0)
		list_todo(r);
}

static void
feed_blocks(struct lft_read *r, struct mono now)
{
	while (r->ntodo > 0 && r->block < r->max_block && xact_room(r->x)) {
		sw_ix s = r->todo[r->sw];

		if (r->block < blocks_of(r->topo, s) &&
			r->misses[s] < MISSES_MAX &&
			device_block(r->hw, guid_of(r, s), r->block) ==
				DEVICE_UNKNOWN)
			submit_block_get(r, s, r->block, now);
		if (++r->sw == r->ntodo) {
			r->sw = 0;
			r->block++;
		}
	}
}

void
lft_read_feed(struct lft_read *r, struct mono now)
{
	if (!r->listed)
		feed_samples(r, now);
	if (!r->listed)
		return;
	feed_blocks(r, now);
	while (r->ntodo > 0 && is_round_over(r) && needs_another_round(r)) {
		r->round++;
		r->missed = false;
		r->block = 0;
		feed_blocks(r, now);
	}
}
