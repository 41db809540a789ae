#include "distribution/device/adaptive_found.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_ar.h"

/* The groups and entries of a switch. */
struct held {
	const struct device_store *hw;
	const lft_ref *block; /* [nblocks] of entries */
	uint32_t nblocks;
	struct route_set *ports; /* [nports] of groups; of one that is unknown
				    none */
	uint32_t nports;
	uint32_t at; /* block number of entry[] */
	struct mad_ar_entry entry[MAD_AR_ENTRIES];
};

static void
read_groups(struct held *h, uint64_t guid)
{
	const lft_ref *block = device_blocks(
		h->hw, device_at_switch(guid, DEVICE_AR_GROUP), &h->nports);
	struct mad_ar_group g;

	h->ports = mem_zalloc(h->nports, sizeof(*h->ports));
	for (uint32_t i = 0; i < h->nports; i++) {
		if (block[i] == DEVICE_UNKNOWN)
			continue;
		mad_ar_group_decode(
			device_value(h->hw, DEVICE_AR_GROUP, block[i]), &g);
		for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
			h->ports[i].port[w] = g.port[0][w] | g.port[1][w];
	}
}

/* The entry of a LID, or NULL. */
static const struct mad_ar_entry *
entry_of(struct held *h, uint32_t lid)
{
	uint32_t b = lid / MAD_AR_ENTRIES;

	if (b >= h->nblocks || h->block[b] == DEVICE_UNKNOWN)
		return NULL;
	if (b != h->at)
		mad_ar_lft_decode(
			device_value(h->hw, DEVICE_AR_LFT, h->block[b]),
			h->entry);
	h->at = b;
	return &h->entry[lid % MAD_AR_ENTRIES];
}

/* Leave in *set what the group of a LID has, if it names one; true if so. */
static bool
add_lid(struct held *h, uint32_t lid, struct route_set *set)
{
	const struct mad_ar_entry *e = entry_of(h, lid);

	if (e == NULL || e->state == MAD_AR_STATIC || e->group >= h->nports)
		return false;
	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		set->port[w] &= h->ports[e->group].port[w];
	return true;
}

/* The set of destination switch number i. */
static struct route_set
find_set(struct held *h, const struct dest_lids *d, uint32_t i)
{
	struct route_set set;
	bool any = false;

	memset(&set, 0xff, sizeof(set));
	for (uint32_t r = d->first[i]; r < d->first[i + 1]; r++)
		for (uint64_t m = d->run[r].lids; m != 0; m &= m - 1)
			any |= add_lid(h,
				d->run[r].block * DEST_BLOCK +
					bitset_lowest64(m),
				&set);
	if (!any)
		memset(&set, 0, sizeof(set));
	return set;
}

static struct route_set_row *
find_row(const struct device_store *hw, uint64_t guid,
	const struct dest_lids *dest)
{
	struct route_set_row *row = route_set_row_new(dest->n);
	struct held h = {.hw = hw, .at = UINT32_MAX};

	h.block = device_blocks(
		hw, device_at_switch(guid, DEVICE_AR_LFT), &h.nblocks);
	read_groups(&h, guid);
	for (uint32_t i = 0; i < dest->n; i++) {
		struct route_set set = find_set(&h, dest, i);

		row->of[i] = route_set_row_number(row, &set);
	}
	free(h.ports);
	return row;
}

struct route_sets *
adaptive_found_sets(const struct device_store *hw, const struct topo *t,
	const struct route_choice *can)
{
	struct route_sets *out = NULL;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		if (!topo_sw_live(t, s) ||
			!device_marked(hw,
				device_at_switch(guid, DEVICE_AR_INFO),
				DEVICE_FOUND))
			continue;
		if (out == NULL)
			out = route_sets_new(t, can, false);
		out->row[s] = find_row(hw, guid, &out->dest);
	}
	return out;
}
