#include "distribution/device/device_store.h"

#include <stdlib.h>

#include "discovery/port_key.h"
#include "distribution/device/device_priv.h"
#include "sm/base/mem.h"

struct device_store *
device_new(struct lft_pool *pool)
{
	struct device_store *h = mem_zalloc(1, sizeof(*h));

	h->pool = pool;
	h->values = lft_pool_new();
	h->blocked = mem_zalloc(1, sizeof(*h->blocked));
	return h;
}

static void
drop_attribute(
	struct device_store *h, struct device_node *s, enum device_attr attr)
{
	if (attr == DEVICE_LFT)
		device_drop_ghosts(h, s);
	for (unsigned p = 0; p < s->of[attr].n; p++)
		device_drop_table(h, attr, &s->of[attr].port[p]);
}

/* Attributes that get lost this way are unknown: of one port, of all. */
static void
lose_port(struct device_store *h, struct device_node *s, unsigned port,
	enum device_loss why)
{
	for (unsigned a = 0; a < DEVICE_ATTRS; a++)
		if ((device_attribute[a].lost & why) != 0 && port < s->of[a].n)
			device_drop_table(h, a, &s->of[a].port[port]);
}

static void
lose_node(struct device_store *h, struct device_node *s, enum device_loss why)
{
	for (unsigned a = 0; a < DEVICE_ATTRS; a++)
		if ((device_attribute[a].lost & why) != 0)
			drop_attribute(h, s, a);
}

/* Nothing of ours is in its tables. */
static void
forget_assigned(struct device_node *s)
{
	struct device_table *t = device_find_table(s, DEVICE_SL2VL, 0);

	if (t != NULL)
		t->marks &= ~(unsigned)DEVICE_ASSIGNED;
}

void
device_free(struct device_store *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; i < h->n; i++)
		for (unsigned a = 0; a < DEVICE_ATTRS; a++) {
			drop_attribute(h, &h->node[i], a);
			free(h->node[i].of[a].port);
		}
	for (unsigned i = 0; h->pool != NULL && i < DEVICE_RECENT; i++)
		lft_drop(h->pool, h->recent[1][i]);
	free(h->node);
	free(h->doubt);
	map_free(&h->doubted);
	free(h->blocked->row);
	free(h->blocked);
	map_free(&h->by_guid);
	map_free(&h->keepers);
	free(h->kept);
	lft_pool_free(h->values);
	free(h);
}

void
device_put(struct device_store *h, struct device_at at, const uint8_t *bytes)
{
	lft_ref r;

	if (at.attr != DEVICE_LFT) {
		device_put_value(h, at, bytes);
		return;
	}
	r = device_share_value(h, at.attr, bytes);
	device_set_block(h, at.guid, at.block, r);
	lft_drop(h->pool, r);
}

void
device_lose(struct device_store *h, struct device_at at)
{
	if (at.attr == DEVICE_LFT)
		device_unknown_block(h, at.guid, at.block);
	else
		device_lose_value(h, at);
}

bool
device_knows(const struct device_store *h, uint64_t guid)
{
	const struct device_node *s = device_find_node(h, guid);

	return s != NULL && s->known;
}

void
device_drained(struct device_store *h)
{
	for (size_t i = 0; i < h->n; i++)
		device_drain_switch(h, &h->node[i]);
	h->undrained = false;
}

void
device_mark_undrained(struct device_store *h)
{
	h->undrained = true;
}

bool
device_is_undrained(const struct device_store *h)
{
	return h->undrained;
}

void
device_forget_node(struct device_store *h, uint64_t guid)
{
	struct device_node *s = device_find_node(h, guid);

	if (s == NULL)
		return;
	lose_node(h, s, DEVICE_LOST_NODE);
	forget_assigned(s);
	s->known = false;
	s->top = 0;
	s->refused_life = 0;
}

void
device_distrust_ports(struct device_store *h)
{
	for (size_t i = 0; i < h->n; i++)
		lose_node(h, &h->node[i], DEVICE_LOST_RIVAL);
}

void
device_forget_tables(
	struct device_store *h, uint64_t guid, enum device_attr attr)
{
	struct device_node *s = device_find_node(h, guid);

	if (s == NULL)
		return;
	drop_attribute(h, s, attr);
	for (unsigned p = 0; p < s->of[attr].n; p++)
		s->of[attr].port[p].marks = 0;
}

void
device_forget_attribute(struct device_store *h, enum device_attr attr)
{
	for (size_t i = 0; i < h->n; i++)
		drop_attribute(h, &h->node[i], attr);
}

void
device_set_top(struct device_store *h, uint64_t guid, uint16_t top)
{
	device_find_or_add_node(h, guid)->top = top;
}

/* Forget what nodes that are not up have lost beside forwarding tables. */
static void
reconcile_node(struct device_store *h, const struct topo *t, node_ix ix)
{
	const struct topo_node *n = &t->node[ix];
	struct device_node *s = device_find_node(h, n->guid);

	if (s != NULL && (n->flags & TN_FRESH) != 0) {
		lose_node(h, s, DEVICE_LOST_FRESH);
		forget_assigned(s);
	}
	for (unsigned p = 1;
		s != NULL && n->type != TOPO_SWITCH && p <= n->nports; p++)
		if (t->port[n->first_port + p].state <= PORT_INIT)
			lose_port(h, s, p, DEVICE_LOST_DOWN);
}

void
device_reconcile(struct device_store *h, const struct topo *t)
{
	struct device_node *hs;
	sw_ix s;

	for (node_ix n = 0; n < t->nnodes; n++)
		reconcile_node(h, t, n);
	for (s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		hs = device_find_node(h, n->guid);
		if (hs == NULL || !hs->known)
			continue;
		if (hs->top != t->sw[s].lft_top ||
			t->port[n->first_port].found_lid == 0)
			device_forget_node(h, n->guid);
	}
}

/* ---- what devices keep ---- */

const struct device_kept *
device_kept(const struct device_store *h, uint64_t node_guid, unsigned port)
{
	uint32_t i;

	return map_get(&h->keepers, port_key(node_guid, port), &i) ? &h->kept[i]
								   : NULL;
}

void
device_set_kept(struct device_store *h, const struct device_kept *k)
{
	uint64_t key = port_key(k->guid, k->port);
	uint32_t i;

	if (!map_get(&h->keepers, key, &i)) {
		h->kept = mem_grow(
			h->kept, h->nkept, &h->capkept, sizeof(*h->kept));
		i = (uint32_t)h->nkept++;
		map_put(&h->keepers, key, i);
	}
	h->kept[i] = *k;
}

void
device_took(struct device_store *h, uint64_t node_guid, unsigned port)
{
	const struct device_kept *last;
	uint32_t i;

	if (!map_get(&h->keepers, port_key(node_guid, port), &i))
		return;
	(void)map_del(&h->keepers, port_key(node_guid, port));
	last = &h->kept[--h->nkept];
	if (i == h->nkept)
		return;
	h->kept[i] = *last;
	map_put(&h->keepers, port_key(last->guid, last->port), i);
}

void
device_set_keeps_life(struct device_store *h, uint64_t guid, uint8_t wanted)
{
	device_find_or_add_node(h, guid)->refused_life = (uint8_t)(wanted + 1);
}

bool
device_keeps_life(const struct device_store *h, uint64_t guid, uint8_t wanted)
{
	const struct device_node *s = device_find_node(h, guid);

	return s != NULL && s->refused_life == wanted + 1;
}

struct blocked_rows *
device_blocked(const struct device_store *h)
{
	return h->blocked;
}
