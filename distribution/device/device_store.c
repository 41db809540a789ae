#include "distribution/device/device_store.h"

#include <assert.h>
#include <stdlib.h>

#include "discovery/port_key.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

/* A value that a block may hold, or held since the last drain. */
struct device_ghost {
	lft_ref ref;
	uint32_t next; /* index + 1 of the next value of this block, 0: none */
};

struct device_switch {
	uint64_t guid;
	lft_ref *block;	 /* [n] acknowledged; or DEVICE_UNKNOWN */
	uint32_t *haunt; /* [n] index + 1 of the first ghost, or NULL */
	bool *wild;	 /* [n] packets may meet any value, or NULL */
	uint32_t n;
	struct device_ghost *ghost;
	size_t nghosts, capghosts;
	uint16_t top;
	bool known;
	bool top_first;
	uint8_t refused_life; /* LifeTimeValue + 1 that it does not take, or 0
			       */
};

struct device_store {
	struct lft_pool *pool;
	struct map by_guid;
	struct map keepers; /* port -> index in kept */
	struct device_kept *kept;
	size_t nkept, capkept;
	struct device_switch *sw;
	size_t n, cap;
	struct sl2vl_cache *sl2vl;
	struct pkey_tables *ptables;
	struct vlarb_cache *vlarbs;
	struct adaptive_cache *adaptive;
	struct device_doubt *doubt;
	size_t ndoubts, capdoubts;
};

struct device_store *
device_new(struct lft_pool *pool)
{
	struct device_store *h = mem_zalloc(1, sizeof(*h));

	h->pool = pool;
	h->sl2vl = sl2vl_new();
	h->ptables = pkey_tables_new();
	h->vlarbs = vlarb_cache_new();
	h->adaptive = adaptive_cache_new();
	return h;
}

static void
drop_ghosts(struct device_store *h, struct device_switch *s)
{
	size_t i;

	for (i = 0; i < s->nghosts; i++)
		lft_drop(h->pool, s->ghost[i].ref);
	free(s->ghost);
	free(s->haunt);
	free(s->wild);
	s->ghost = NULL;
	s->haunt = NULL;
	s->wild = NULL;
	s->nghosts = s->capghosts = 0;
}

static void
drop_blocks(struct device_store *h, struct device_switch *s)
{
	uint32_t b;

	drop_ghosts(h, s);
	for (b = 0; b < s->n; b++)
		if (s->block[b] != DEVICE_UNKNOWN)
			lft_drop(h->pool, s->block[b]);
	free(s->block);
	s->block = NULL;
	s->n = 0;
}

void
device_free(struct device_store *h)
{
	size_t i;

	if (h == NULL)
		return;
	for (i = 0; i < h->n; i++)
		drop_blocks(h, &h->sw[i]);
	free(h->sw);
	free(h->doubt);
	sl2vl_free(h->sl2vl);
	pkey_tables_free(h->ptables);
	vlarb_cache_free(h->vlarbs);
	adaptive_cache_free(h->adaptive);
	map_free(&h->by_guid);
	map_free(&h->keepers);
	free(h->kept);
	free(h);
}

static struct device_switch *
find_switch(const struct device_store *h, uint64_t guid)
{
	uint32_t i;

	return map_get(&h->by_guid, guid, &i) ? &h->sw[i] : NULL;
}

static struct device_switch *
find_or_add_switch(struct device_store *h, uint64_t guid)
{
	struct device_switch *s = find_switch(h, guid);

	if (s != NULL)
		return s;
	h->sw = mem_grow(h->sw, h->n, &h->cap, sizeof(*h->sw));
	s = &h->sw[h->n];
	*s = (struct device_switch){.guid = guid};
	map_put(&h->by_guid, guid, (uint32_t)h->n++);
	return s;
}

bool
device_knows(const struct device_store *h, uint64_t guid)
{
	const struct device_switch *s = find_switch(h, guid);

	return s != NULL && s->known;
}

lft_ref
device_block(const struct device_store *h, uint64_t guid, uint32_t b)
{
	const struct device_switch *s = find_switch(h, guid);

	return s == NULL || b >= s->n ? DEVICE_UNKNOWN : s->block[b];
}

const lft_ref *
device_row(
	const struct device_store *h, uint64_t guid, uint32_t *n, bool *plain)
{
	const struct device_switch *s = find_switch(h, guid);

	*n = s == NULL ? 0 : s->n;
	*plain = s == NULL || s->nghosts == 0;
	return s == NULL ? NULL : s->block;
}

static lft_ref *
block_slot(struct device_switch *s, uint32_t b)
{
	uint32_t n = s->n;

	if (b >= n) {
		s->n = b + 1;
		s->block = mem_resize(s->block, s->n, sizeof(*s->block));
		if (s->haunt != NULL)
			s->haunt =
				mem_resize(s->haunt, s->n, sizeof(*s->haunt));
		if (s->wild != NULL)
			s->wild = mem_resize(s->wild, s->n, sizeof(*s->wild));
		for (; n < s->n; n++) {
			s->block[n] = DEVICE_UNKNOWN;
			if (s->haunt != NULL)
				s->haunt[n] = 0;
			if (s->wild != NULL)
				s->wild[n] = false;
		}
	}
	return &s->block[b];
}

/* Packets may meet r in block b, which s has; takes over a reference to r. */
static void
add_ghost(
	struct device_store *h, struct device_switch *s, uint32_t b, lft_ref r)
{
	uint32_t i;

	if (s->haunt == NULL)
		s->haunt = mem_zalloc(s->n, sizeof(*s->haunt));
	assert(s->haunt[b] <= s->nghosts);
	for (i = s->haunt[b]; i != 0; i = s->ghost[i - 1].next)
		if (s->ghost[i - 1].ref == r) {
			lft_drop(h->pool, r);
			return;
		}
	s->ghost = mem_grow(
		s->ghost, s->nghosts, &s->capghosts, sizeof(*s->ghost));
	s->ghost[s->nghosts++] = (struct device_ghost){r, s->haunt[b]};
	s->haunt[b] = (uint32_t)s->nghosts;
}

void
device_set_block(struct device_store *h, uint64_t guid, uint32_t b, lft_ref r)
{
	struct device_switch *s = find_or_add_switch(h, guid);
	lft_ref *p = block_slot(s, b);

	if (*p != DEVICE_UNKNOWN && *p != r)
		add_ghost(h, s, b, *p);
	else if (*p != DEVICE_UNKNOWN)
		lft_drop(h->pool, *p);
	*p = lft_share(h->pool, r);
	s->known = true;
}

void
device_unknown_block(struct device_store *h, uint64_t guid, uint32_t b)
{
	struct device_switch *s = find_switch(h, guid);

	if (s == NULL || b >= s->n || s->block[b] == DEVICE_UNKNOWN)
		return;
	add_ghost(h, s, b, s->block[b]);
	s->block[b] = DEVICE_UNKNOWN;
}

void
device_sending(struct device_store *h, uint64_t guid, uint32_t b, lft_ref image)
{
	struct device_switch *s = find_or_add_switch(h, guid);
	lft_ref is = *block_slot(s, b);

	if (is == DEVICE_UNKNOWN && (s->haunt == NULL || s->haunt[b] == 0)) {
		if (s->wild == NULL)
			s->wild = mem_zalloc(s->n, sizeof(*s->wild));
		s->wild[b] = true;
	}
	if (is != image)
		add_ghost(h, s, b, lft_share(h->pool, image));
}

void
device_set_never_used(struct device_store *h, uint64_t guid, uint32_t b)
{
	struct device_switch *s = find_switch(h, guid);

	if (s != NULL && b < s->n && s->wild != NULL)
		s->wild[b] = false;
}

size_t
device_values(const struct device_store *h, uint64_t guid, uint32_t b,
	lft_ref *out, size_t max)
{
	const struct device_switch *s = find_switch(h, guid);
	size_t n = 0;
	uint32_t i;

	if (s == NULL || b >= s->n || (s->wild != NULL && s->wild[b]))
		return 0;
	if (s->block[b] != DEVICE_UNKNOWN && n++ < max)
		out[0] = s->block[b];
	for (i = s->haunt != NULL ? s->haunt[b] : 0; i != 0;
		i = s->ghost[i - 1].next) {
		if (s->ghost[i - 1].ref == s->block[b])
			continue;
		if (n < max)
			out[n] = s->ghost[i - 1].ref;
		n++;
	}
	return n;
}

static bool
is_in_doubt(const struct device_store *h, uint64_t guid, uint32_t b)
{
	size_t i;

	for (i = 0; i < h->ndoubts; i++)
		if (h->doubt[i].guid == guid && h->doubt[i].block == b)
			return true;
	return false;
}

/* Only blocks that are unknown or in doubt keep their other values. */
static void
drain_switch(struct device_store *h, struct device_switch *s)
{
	struct device_ghost *old = s->ghost;
	uint32_t *haunt = s->haunt;
	uint32_t b, i;

	if (haunt == NULL)
		return;
	s->ghost = NULL;
	s->haunt = NULL;
	s->nghosts = s->capghosts = 0;
	for (b = 0; b < s->n; b++) {
		if (s->wild != NULL && s->block[b] != DEVICE_UNKNOWN)
			s->wild[b] = false;
		for (i = haunt[b]; i != 0; i = old[i - 1].next) {
			if (s->block[b] == DEVICE_UNKNOWN ||
				is_in_doubt(h, s->guid, b))
				add_ghost(h, s, b, old[i - 1].ref);
			else
				lft_drop(h->pool, old[i - 1].ref);
		}
	}
	free(old);
	free(haunt);
}

void
device_drained(struct device_store *h)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		drain_switch(h, &h->sw[i]);
	sl2vl_drained(h->sl2vl);
}

void
device_forget_node(struct device_store *h, uint64_t guid)
{
	struct device_switch *s = find_switch(h, guid);

	pkey_tables_forget(h->ptables, guid);
	vlarb_cache_forget(h->vlarbs, guid);
	adaptive_cache_forget(h->adaptive, guid);
	if (s == NULL)
		return;
	drop_blocks(h, s);
	sl2vl_forget(h->sl2vl, guid);
	s->known = false;
	s->top = 0;
	s->refused_life = 0;
}

void
device_set_top_first(struct device_store *h, uint64_t guid)
{
	find_or_add_switch(h, guid)->top_first = true;
}

bool
device_top_first(const struct device_store *h, uint64_t guid)
{
	const struct device_switch *s = find_switch(h, guid);

	return s != NULL && s->top_first;
}

void
device_set_top(struct device_store *h, uint64_t guid, uint16_t top)
{
	find_or_add_switch(h, guid)->top = top;
}

/* Forget all but the tables of nodes that are not up. */
static void
reconcile_port_tables(struct device_store *h, const struct topo *t)
{
	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_node *n = &t->node[t->port[p].node];

		if (n->type == TOPO_SWITCH) {
			if (p == n->first_port && (n->flags & TN_FRESH) != 0) {
				sl2vl_forget(h->sl2vl, n->guid);
				vlarb_cache_forget(h->vlarbs, n->guid);
				adaptive_cache_forget(h->adaptive, n->guid);
			}
		} else if (t->port[p].state <= PORT_INIT) {
			sl2vl_unknown(h->sl2vl, n->guid, 0, t->port[p].num);
			vlarb_cache_forget_port(
				h->vlarbs, n->guid, t->port[p].num);
		}
	}
}

void
device_reconcile(struct device_store *h, const struct topo *t)
{
	struct device_switch *hs;
	sw_ix s;

	reconcile_port_tables(h, t);
	for (s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		hs = find_switch(h, n->guid);
		if (hs == NULL || !hs->known)
			continue;
		if (hs->top != t->sw[s].lft_top ||
			t->port[n->first_port].found_lid == 0)
			device_forget_node(h, n->guid);
	}
}

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
	find_or_add_switch(h, guid)->refused_life = (uint8_t)(wanted + 1);
}

bool
device_keeps_life(const struct device_store *h, uint64_t guid, uint8_t wanted)
{
	const struct device_switch *s = find_switch(h, guid);

	return s != NULL && s->refused_life == wanted + 1;
}

struct sl2vl_cache *
device_sl2vl(const struct device_store *h)
{
	return h->sl2vl;
}

struct vlarb_cache *
device_vlarbs(const struct device_store *h)
{
	return h->vlarbs;
}

void
device_distrust_ports(struct device_store *h)
{
	sl2vl_forget_all(h->sl2vl);
	vlarb_cache_forget_all(h->vlarbs);
	pkey_tables_forget_all(h->ptables);
	adaptive_cache_forget_all(h->adaptive);
}

struct adaptive_cache *
device_adaptive(const struct device_store *h)
{
	return h->adaptive;
}

struct pkey_tables *
device_ptables(const struct device_store *h)
{
	return h->ptables;
}

void
device_doubt(
	struct device_store *h, uint64_t guid, uint32_t b, struct mono until)
{
	size_t i;

	for (i = 0; i < h->ndoubts; i++)
		if (h->doubt[i].guid == guid && h->doubt[i].block == b) {
			h->doubt[i].until = until;
			return;
		}
	h->doubt = mem_grow(
		h->doubt, h->ndoubts, &h->capdoubts, sizeof(*h->doubt));
	h->doubt[h->ndoubts++] = (struct device_doubt){guid, b, until};
}

const struct device_doubt *
device_doubts(const struct device_store *h, size_t *n)
{
	*n = h->ndoubts;
	return h->doubt;
}

void
device_believe(struct device_store *h, struct mono t)
{
	size_t i, n = 0;

	for (i = 0; i < h->ndoubts; i++)
		if (mono_before(t, h->doubt[i].until))
			h->doubt[n++] = h->doubt[i];
	h->ndoubts = n;
}
