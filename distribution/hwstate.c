#include "distribution/hwstate.h"

#include <stdlib.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

struct hw_switch {
	uint64_t guid;
	lft_ref *block; /* [n], HW_UNKNOWN where nothing is known */
	uint32_t n;
	uint16_t top;
	bool known;
	bool top_first;
};

struct hwstate {
	struct lft_pool *pool;
	struct map by_guid;
	struct map stubborn; /* port -> what it did not take */
	struct hw_switch *sw;
	size_t n, cap;
};

struct hwstate *
hw_new(struct lft_pool *pool)
{
	struct hwstate *h = mem_zalloc(1, sizeof(*h));

	h->pool = pool;
	return h;
}

static void
drop_blocks(struct hwstate *h, struct hw_switch *s)
{
	uint32_t b;

	for (b = 0; b < s->n; b++)
		if (s->block[b] != HW_UNKNOWN)
			lft_drop(h->pool, s->block[b]);
	free(s->block);
	s->block = NULL;
	s->n = 0;
}

void
hw_free(struct hwstate *h)
{
	size_t i;

	if (h == NULL)
		return;
	for (i = 0; i < h->n; i++)
		drop_blocks(h, &h->sw[i]);
	free(h->sw);
	map_free(&h->by_guid);
	map_free(&h->stubborn);
	free(h);
}

static struct hw_switch *
find(const struct hwstate *h, uint64_t guid)
{
	uint32_t i;

	return map_get(&h->by_guid, guid, &i) ? &h->sw[i] : NULL;
}

static struct hw_switch *
find_or_add(struct hwstate *h, uint64_t guid)
{
	struct hw_switch *s = find(h, guid);

	if (s != NULL)
		return s;
	h->sw = mem_grow(h->sw, h->n, &h->cap, sizeof(*h->sw));
	s = &h->sw[h->n];
	*s = (struct hw_switch){.guid = guid};
	map_put(&h->by_guid, guid, (uint32_t)h->n++);
	return s;
}

bool
hw_knows(const struct hwstate *h, uint64_t guid)
{
	const struct hw_switch *s = find(h, guid);

	return s != NULL && s->known;
}

lft_ref
hw_block(const struct hwstate *h, uint64_t guid, uint32_t b)
{
	const struct hw_switch *s = find(h, guid);

	return s == NULL || b >= s->n ? HW_UNKNOWN : s->block[b];
}

static lft_ref *
slot(struct hw_switch *s, uint32_t b)
{
	uint32_t n = s->n;

	if (b >= n) {
		s->n = b + 1;
		s->block = mem_resize(s->block, s->n, sizeof(*s->block));
		for (; n < s->n; n++)
			s->block[n] = HW_UNKNOWN;
	}
	return &s->block[b];
}

void
hw_set_block(struct hwstate *h, uint64_t guid, uint32_t b, lft_ref r)
{
	struct hw_switch *s = find_or_add(h, guid);
	lft_ref *p = slot(s, b);

	lft_share(h->pool, r);
	if (*p != HW_UNKNOWN)
		lft_drop(h->pool, *p);
	*p = r;
	s->known = true;
}

void
hw_unknown_block(struct hwstate *h, uint64_t guid, uint32_t b)
{
	struct hw_switch *s = find(h, guid);

	if (s == NULL || b >= s->n || s->block[b] == HW_UNKNOWN)
		return;
	lft_drop(h->pool, s->block[b]);
	s->block[b] = HW_UNKNOWN;
}

void
hw_forget(struct hwstate *h, uint64_t guid)
{
	struct hw_switch *s = find(h, guid);

	if (s == NULL)
		return;
	drop_blocks(h, s);
	s->known = false;
	s->top = 0;
}

void
hw_set_top_first(struct hwstate *h, uint64_t guid)
{
	find_or_add(h, guid)->top_first = true;
}

bool
hw_top_first(const struct hwstate *h, uint64_t guid)
{
	const struct hw_switch *s = find(h, guid);

	return s != NULL && s->top_first;
}

void
hw_set_top(struct hwstate *h, uint64_t guid, uint16_t top)
{
	find_or_add(h, guid)->top = top;
}

void
hw_reconcile(struct hwstate *h, const struct topo *t)
{
	struct hw_switch *hs;
	sw_ix s;

	for (s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		hs = find(h, n->guid);
		if (hs == NULL || !hs->known)
			continue;
		if (hs->top != t->sw[s].lft_top ||
			t->port[n->first_port].found_lid == 0)
			hw_forget(h, n->guid);
	}
}

/* Ports by one number: GUIDs of one vendor differ in their low 48 bits. */
static uint64_t
port_key(uint64_t node_guid, unsigned port)
{
	return node_guid ^ (uint64_t)port << 56;
}

void
hw_set_stubborn(
	struct hwstate *h, uint64_t node_guid, unsigned port, uint32_t wanted)
{
	map_put(&h->stubborn, port_key(node_guid, port), wanted);
}

bool
hw_stubborn(const struct hwstate *h, uint64_t node_guid, unsigned port,
	uint32_t wanted)
{
	uint32_t was;

	return map_get(&h->stubborn, port_key(node_guid, port), &was) &&
	       was == wanted;
}
