#include "distribution/tables/vlarb.h"

#include <stdlib.h>
#include <string.h>

#include "sm/mad/mad.h"

enum {
	QUANTUM = 64, /* the smallest weight, if there is room: 4 KiB */
	MOST = 255,   /* of an entry */
	VLS = 15,
};

enum vlarb_class
vlarb_class(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	if (n->type == TOPO_SWITCH)
		return t->port[p].num != 0 ? VLARB_SWITCH : VLARB_PORT0;
	return n->type == TOPO_ROUTER ? VLARB_ROUTER : VLARB_HOST;
}

unsigned
vlarb_bytes(const struct topo *t, port_ix p, unsigned part)
{
	unsigned n = topo_vl_list(t, p, part > 2);

	if (part % 2 == 0)
		n = n > VLARB_ENTRIES / 2 ? n - VLARB_ENTRIES / 2 : 0;
	return 2 * (n < VLARB_ENTRIES / 2 ? n : VLARB_ENTRIES / 2);
}

unsigned
vlarb_vls(const struct vlarb_want *w, const struct topo *t, port_ix p)
{
	return slvl_weighted(t, p, w->max_vls,
		w->levels.wanted
			? w->high != 0 ? SLVL_BOTH_LISTS : SLVL_LOW_LIST
			: SLVL_NO_LIST);
}

/* ---- making a table ---- */

/* One list being made: weights by VL, in any unit, then in entries. */
struct list {
	uint32_t share[VLS];
	uint32_t weight[VLS];
	unsigned entries[VLS];
	unsigned n; /* entries in all */
};

/* Weights of the shares when the smallest gets `least`; the entries. */
static void
scale_weights(struct list *l, uint32_t smallest, uint32_t least)
{
	l->n = 0;
	for (unsigned vl = 0; vl < VLS; vl++) {
		uint64_t w = ((uint64_t)l->share[vl] * least + smallest / 2) /
			     smallest;

		l->weight[vl] = l->share[vl] == 0 ? 0 : w > 0 ? (uint32_t)w : 1;
		l->entries[vl] = (l->weight[vl] + MOST - 1) / MOST;
		l->n += l->entries[vl];
	}
}

/* As large as the room allows; smaller ones would round shares away. */
static void
fit_list(struct list *l, unsigned room)
{
	uint32_t smallest = 0, largest = 0, least;

	for (unsigned vl = 0; vl < VLS; vl++) {
		if (l->share[vl] > largest)
			largest = l->share[vl];
		if (l->share[vl] > 0 &&
			(smallest == 0 || l->share[vl] < smallest))
			smallest = l->share[vl];
	}
	if (smallest == 0)
		return;
	for (least = QUANTUM; least > 1; least--) {
		scale_weights(l, smallest, least);
		if (l->n <= room)
			return;
	}
	/* the ratio is too large: the largest gets what one entry holds */
	scale_weights(l, largest, MOST);
}

/* The entries of all VLs, each VL spread over the list. Returns how many. */
static unsigned
lay_entries(const struct list *l, unsigned room, uint8_t *out)
{
	unsigned done[VLS] = {0}, n = 0;

	while (n < l->n && n < room) {
		unsigned best = VLS;
		uint32_t part;

		/* the VL farthest behind its share of the list */
		for (unsigned vl = 0; vl < VLS; vl++)
			if (done[vl] < l->entries[vl] &&
				(best == VLS ||
					(2 * done[vl] + 1) * l->entries[best] <
						(2 * done[best] + 1) *
							l->entries[vl]))
				best = vl;
		part = l->weight[best] / l->entries[best];
		if (done[best] < l->weight[best] % l->entries[best])
			part++;
		out[(size_t)2 * n] = (uint8_t)best;
		out[2 * n + 1] = (uint8_t)part;
		done[best]++;
		n++;
	}
	return n;
}

/* The share of each VL of the link, of high or of low QoS levels. */
static void
gather_shares(const struct vlarb_want *w, const struct topo *t, port_ix p,
	bool high, struct list *l)
{
	const struct slvl *v = &w->levels;
	const uint8_t *weight = w->weight[vlarb_class(t, p)];
	unsigned vls = vlarb_vls(w, t, p);
	bool end = slvl_end(t, p);
	unsigned groups = end ? v->layers : slvl_groups(v);

	*l = (struct list){0};
	for (unsigned i = 0; i < v->separate; i++) {
		if ((w->high >> i & 1) != high)
			continue;
		for (unsigned k = 0; k < groups; k++) {
			unsigned vl = slvl_group_vl(v, i, k, vls, end);

			if (vl < VLS)
				l->share[vl] += weight[i];
		}
	}
}

/* VLs that work and are in neither list come last in the low one. */
static void
add_unused_vls(const struct list *low, const struct list *high, unsigned vls,
	unsigned at, unsigned room, uint8_t *out)
{
	for (unsigned vl = 0; vl < vls && vl < VLS && at < room; vl++) {
		if (low->share[vl] > 0 || high->share[vl] > 0)
			continue;
		out[(size_t)2 * at] = (uint8_t)vl;
		out[2 * at + 1] = 1;
		at++;
	}
}

bool
vlarb_make(const struct vlarb_want *w, const struct topo *t, port_ix p,
	struct vlarb_table *out)
{
	unsigned low_cap = topo_vl_list(t, p, false), at, spare = 0;
	unsigned high_cap = topo_vl_list(t, p, true);
	unsigned vls = slvl_link(t, p, w->max_vls);
	struct list low, high;

	memset(out, 0, sizeof(*out));
	if (low_cap == 0 || vls == 0)
		return false;
	gather_shares(w, t, p, false, &low);
	gather_shares(w, t, p, true, &high);
	for (unsigned vl = 0; vl < VLS; vl++)
		if (high_cap == 0) { /* no high list */
			low.share[vl] += high.share[vl];
			high.share[vl] = 0;
		}
	for (unsigned vl = 0; vl < vls && vl < VLS; vl++)
		spare += low.share[vl] == 0 && high.share[vl] == 0;
	fit_list(&low, spare < low_cap ? low_cap - spare : low_cap);
	fit_list(&high, high_cap);
	at = lay_entries(&low, low_cap, out->part[0]);
	add_unused_vls(&low, &high, vls, at, low_cap, out->part[0]);
	(void)lay_entries(&high, high_cap, out->part[2]);
	return true;
}
