#include "distribution/device/lft_read.h"

#include <stdlib.h>

#include "distribution/device/device_read.h"
#include "sm/base/mem.h"

enum { ROUNDS_MAX = 3 };

/* Why a block is read. */
enum { SAMPLE, READ_BACK };

/* A read-back in progress. */
struct lft_read {
	struct device_read *read;
	struct topo *topo;
	struct device_store *hw;
	bool listed; /* samples are read, the list of switches is made */
	sw_ix *todo; /* switches to read */
	uint32_t ntodo;
	uint32_t block; /* the next, of all of todo */
	uint32_t max_block;
	unsigned round; /* blocks not answered in one are read in the next */
	bool missed;
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

static void
add_block(struct lft_read *r, sw_ix s, uint32_t b, bool sample)
{
	device_read_add(r->read,
		&(struct device_job){
			.port = r->topo->node[r->topo->sw[s].node].first_port,
			.attr = DEVICE_LFT,
			.block = b,
			.mode = sample ? DEVICE_READ_COMPARE
				       : DEVICE_READ_UNKNOWN,
			.why = sample ? SAMPLE : READ_BACK});
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

static bool
needs_another_round(const struct lft_read *r)
{
	return r->missed && r->round + 1 < ROUNDS_MAX;
}

/*
 * After the samples the next block of all switches: neighbours have nearly the
 * same tables, and equal blocks that are read together share their memory.
 */
static bool
add_more(void *self, struct device_read *read)
{
	struct lft_read *r = self;

	if (!r->listed || r->block == r->max_block) {
		if (!device_read_idle(read))
			return false;
		if (r->listed && !needs_another_round(r))
			return false;
		r->round += r->listed;
		if (!r->listed)
			list_todo(r);
		r->missed = false;
		r->block = 0;
	}
	for (uint32_t i = 0; r->block < r->max_block && i < r->ntodo; i++)
		if (r->block < blocks_of(r->topo, r->todo[i]))
			add_block(r, r->todo[i], r->block, false);
	r->block += r->block < r->max_block;
	return true;
}

/* A sample without an answer counts as a mismatch. */
static void
take_answer(void *self, const struct device_job *job, enum device_verdict v,
	const struct xact_result *res)
{
	struct lft_read *r = self;
	sw_ix s = r->topo->node[r->topo->port[job->port].node].sw;

	if (v == DEVICE_CANCELLED)
		return;
	r->count += res->outcome == XACT_OK;
	if (job->why == SAMPLE) {
		if (v != DEVICE_SAME)
			device_forget_node(r->hw, guid_of(r, s));
		return;
	}
	r->missed |= res->outcome == XACT_TIMEOUT;
	if (res->outcome == XACT_OK)
		device_set_top(r->hw, guid_of(r, s), r->topo->sw[s].lft_top);
}

struct lft_read *
lft_read_new(struct topo *t, const struct lft_read_job *job)
{
	struct lft_read *r = mem_zalloc(1, sizeof(*r));

	r->topo = topo_ref(t);
	r->hw = job->hw;
	r->todo = mem_zalloc(t->nsw, sizeof(*r->todo));
	r->read = device_read_new(&(struct device_reading){.topo = t,
		.hw = job->hw,
		.x = job->x,
		.more = add_more,
		.taken = take_answer,
		.self = r});
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint32_t b;

		if (!map_get(job->suspects, guid_of(r, s), NULL) ||
			!device_knows(r->hw, guid_of(r, s)) ||
			!topo_sw_live(t, s))
			continue;
		b = first_nonempty_block(r, s);
		if (b != UINT32_MAX)
			add_block(r, s, b, true);
	}
	return r;
}

void
lft_read_free(struct lft_read *r)
{
	if (r == NULL)
		return;
	device_read_free(r->read);
	topo_unref(r->topo);
	free(r->todo);
	free(r);
}

void
lft_read_feed(struct lft_read *r, struct mono now)
{
	device_read_feed(r->read, now);
}

bool
lft_read_done(const struct lft_read *r)
{
	return device_read_done(r->read);
}

void
lft_read_stop(struct lft_read *r, struct mono now)
{
	device_read_stop(r->read, now);
}

uint64_t
lft_read_count(const struct lft_read *r)
{
	return r->count;
}
