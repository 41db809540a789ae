#include "distribution/device/adaptive_read.h"

#include <stdlib.h>

#include "distribution/device/device_read.h"
#include "routing/core/lft.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_ar.h"

enum {
	SIXTEENS = LFT_BLOCK / MAD_AR_ENTRIES, /* blocks of entries in one of
						  the forwarding table */
	MISSES = 2, /* a switch that is silent about all of it is asked no more
		     */
};

struct adaptive_read {
	struct device_read *read;
	const struct topo *topo; /* of the reading */
	struct device_store *hw;
	sw_ix *todo; /* [ntodo] switches to read */
	uint32_t ntodo;
	uint32_t blocks; /* of each of todo that are still to be asked for */
	uint32_t listed; /* of todo: their groups are */
};

static uint64_t
guid_of(const struct adaptive_read *r, sw_ix s)
{
	return r->topo->node[r->topo->sw[s].node].guid;
}

/* Entries for the LIDs of its forwarding table, whole blocks of that. */
static uint32_t
blocks_of(const struct topo *t, sw_ix s)
{
	return (t->sw[s].lft_top / LFT_BLOCK + 1U) * SIXTEENS;
}

static void
add_block(
	struct adaptive_read *r, sw_ix s, enum device_attr attr, uint32_t block)
{
	device_read_add(r->read,
		&(struct device_job){
			.port = r->topo->node[r->topo->sw[s].node].first_port,
			.attr = attr,
			.block = block,
			.mode = DEVICE_READ_UNKNOWN});
}

/* The groups that entries of a switch name. */
static void
add_groups(struct adaptive_read *r, sw_ix s)
{
	uint64_t named[MAD_AR_GROUPS / 64] = {0};
	uint32_t n;
	const lft_ref *block = device_blocks(
		r->hw, device_at_switch(guid_of(r, s), DEVICE_AR_LFT), &n);

	for (uint32_t b = 0; b < n; b++) {
		struct mad_ar_entry e[MAD_AR_ENTRIES];

		if (block[b] == DEVICE_UNKNOWN)
			continue;
		mad_ar_lft_decode(
			device_value(r->hw, DEVICE_AR_LFT, block[b]), e);
		for (unsigned i = 0; i < MAD_AR_ENTRIES; i++)
			if (e[i].state != MAD_AR_STATIC)
				bitset_add(named, e[i].group % MAD_AR_GROUPS);
	}
	for (unsigned g = 0; g < MAD_AR_GROUPS; g++)
		if (bitset_has(named, g))
			add_block(r, s, DEVICE_AR_GROUP, g);
}

/* The next block of entries of all switches; when all are read, the groups of
 * one switch after the other. */
static bool
add_more(void *self, struct device_read *read)
{
	struct adaptive_read *r = self;

	if (r->blocks > 0) {
		r->blocks--;
		for (uint32_t i = 0; i < r->ntodo; i++)
			if (r->blocks < blocks_of(r->topo, r->todo[i]))
				add_block(r, r->todo[i], DEVICE_AR_LFT,
					r->blocks);
		return true;
	}
	if (r->listed == r->ntodo ||
		(r->listed == 0 && !device_read_idle(read)))
		return false;
	add_groups(r, r->todo[r->listed++]);
	return true;
}

static bool
needs_reading(const struct adaptive_read *r, sw_ix s)
{
	return topo_sw_live(r->topo, s) &&
	       device_marked(r->hw,
		       device_at_switch(guid_of(r, s), DEVICE_AR_INFO),
		       DEVICE_FOUND);
}

struct adaptive_read *
adaptive_read_new(struct topo *t, struct device_store *hw, struct xact *x)
{
	struct adaptive_read *r = mem_zalloc(1, sizeof(*r));

	r->topo = t;
	r->hw = hw;
	r->todo = mem_zalloc(t->nsw, sizeof(*r->todo));
	r->read = device_read_new(&(struct device_reading){.topo = t,
		.hw = hw,
		.x = x,
		.more = add_more,
		.self = r,
		.misses = MISSES});
	for (sw_ix s = 0; s < t->nsw; s++) {
		if (!needs_reading(r, s))
			continue;
		r->todo[r->ntodo++] = s;
		if (blocks_of(t, s) > r->blocks)
			r->blocks = blocks_of(t, s);
	}
	return r;
}

void
adaptive_read_free(struct adaptive_read *r)
{
	if (r == NULL)
		return;
	free(r->todo);
	device_read_free(r->read);
	free(r);
}

void
adaptive_read_feed(struct adaptive_read *r, struct mono now)
{
	device_read_feed(r->read, now);
}

bool
adaptive_read_done(const struct adaptive_read *r)
{
	return device_read_done(r->read);
}

void
adaptive_read_stop(struct adaptive_read *r, struct mono now)
{
	device_read_stop(r->read, now);
}

uint32_t
adaptive_read_switches(const struct adaptive_read *r)
{
	return r->ntodo;
}
