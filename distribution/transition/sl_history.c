#include "distribution/transition/sl_history.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

struct leaf {
	uint64_t guid;
	uint32_t changed; /* when a pair of it last got another layer */
	bool any;
	bool many; /* a pair of it has more than one layer */
};

struct sl_history {
	struct map by_guid;
	struct leaf *leaf;
	size_t n, cap;
	uint16_t *mask; /* [room * room], or NULL: layer 0 for all */
	size_t room;
	struct map came; /* end ports of leaves with more than one layer: when
			    they came up */
	uint32_t clock;
	unsigned layers;
	struct sl_history_sls sls;
};

struct sl_history *
sl_history_new(void)
{
	return mem_zalloc(1, sizeof(struct sl_history));
}

void
sl_history_free(struct sl_history *p)
{
	if (p == NULL)
		return;
	map_free(&p->by_guid);
	map_free(&p->came);
	free(p->leaf);
	free(p->mask);
	free(p);
}

unsigned
sl_history_layers(const struct sl_history *p)
{
	return p != NULL ? p->layers : 0;
}

const struct sl_history_sls *
sl_history_sls(const struct sl_history *p)
{
	return &p->sls;
}

bool
sl_history_renumbers(const struct sl_history *p, const struct slvl *l)
{
	for (unsigned sl = 0; p != NULL && sl < SLVL_SLS; sl++)
		if ((p->sls.given >> sl & 1) != 0 &&
			p->sls.layer[sl] != l->layer[sl])
			return true;
	return false;
}

uint32_t
sl_history_leaf(const struct sl_history *p, uint64_t guid)
{
	uint32_t i;

	return p != NULL && map_get(&p->by_guid, guid, &i) ? i
							   : SL_HISTORY_NONE;
}

static uint16_t *
mask_cell(const struct sl_history *p, size_t a, size_t b)
{
	return &p->mask[a * p->room + b];
}

/* Make room for more leaves; without masks so far all pairs get `all`. */
static void
make_room(struct sl_history *p, size_t room, uint16_t all)
{
	uint16_t *mask = mem_zalloc(room, room * sizeof(*mask));

	for (size_t a = 0; a < p->n && a < room; a++) {
		for (size_t b = 0; p->mask == NULL && b < p->n; b++)
			mask[a * room + b] = all;
		if (p->mask != NULL && a < p->room)
			memcpy(mask + a * room, mask_cell(p, a, 0),
				(p->room < room ? p->room : room) *
					sizeof(*mask));
	}
	free(p->mask);
	p->mask = mask;
	p->room = room;
}

static uint32_t
add_leaf(struct sl_history *p, uint64_t guid, bool any)
{
	p->leaf = mem_grow(p->leaf, p->n, &p->cap, sizeof(*p->leaf));
	p->leaf[p->n] =
		(struct leaf){.guid = guid, .changed = p->clock, .any = any};
	map_put(&p->by_guid, guid, (uint32_t)p->n++);
	if (p->mask != NULL && p->n > p->room)
		make_room(p, p->n + p->n / 8 + 8, 0);
	return (uint32_t)p->n - 1;
}

/* ---- the fabric ---- */

/* The next end port of switch s at or after *i, port 0 left out. */
static const struct topo_port *
next_end_port(const struct topo *t, sw_ix s, uint32_t *i)
{
	const struct topo_end *end = t->end + t->sw[s].end;

	while (*i < t->sw[s].nend) {
		const struct topo_end *e = &end[(*i)++];

		if (e->out != 0)
			return &t->port[e->port];
	}
	return NULL;
}

static bool
is_leaf(const struct topo *t, sw_ix s)
{
	uint32_t i = 0;

	return next_end_port(t, s, &i) != NULL;
}

static uint64_t
guid_of(const struct topo *t, sw_ix s)
{
	return t->node[t->sw[s].node].guid;
}

/*
 * Numbers of leaves by switch, SL_HISTORY_NONE for others; unknown leaves are
 * added.
 */
static uint32_t *
number_leaves(struct sl_history *p, const struct topo *t)
{
	uint32_t *leaf = mem_alloc(t->nsw * sizeof(*leaf));

	for (sw_ix s = 0; s < t->nsw; s++) {
		leaf[s] = sl_history_leaf(p, guid_of(t, s));
		if (leaf[s] == SL_HISTORY_NONE && is_leaf(t, s))
			leaf[s] = add_leaf(p, guid_of(t, s), false);
	}
	return leaf;
}

/* Leaf i has no connections but the ones made by the routes in force. */
static void
reset_leaf(struct sl_history *p, uint32_t i, const struct routes *r)
{
	const struct topo *t = r != NULL ? r->topo : NULL;
	node_ix n =
		t != NULL ? topo_by_node_guid(t, p->leaf[i].guid) : TOPO_NONE;
	sw_ix me = n != TOPO_NONE ? t->node[n].sw : TOPO_NONE;

	p->leaf[i].any = p->leaf[i].many = false;
	p->leaf[i].changed = p->clock;
	if (p->mask == NULL)
		return;
	memset(mask_cell(p, i, 0), 0, p->room * sizeof(*p->mask));
	for (size_t a = 0; a < p->n; a++)
		*mask_cell(p, a, i) = 0;
	for (sw_ix s = 0; me != TOPO_NONE && s < t->nsw; s++) {
		uint32_t k = sl_history_leaf(p, guid_of(t, s));

		if (k == SL_HISTORY_NONE)
			continue;
		*mask_cell(p, i, k) =
			(uint16_t)(1U << routes_layer(&r->layers, me, s));
		*mask_cell(p, k, i) =
			(uint16_t)(1U << routes_layer(&r->layers, s, me));
	}
}

/*
 * Update leaf s as found: when all its ports are younger than its last change,
 * its old connections are over.
 */
static void
look_at_leaf(struct sl_history *p, const struct topo *t, sw_ix s,
	const struct routes *r)
{
	uint32_t i = sl_history_leaf(p, guid_of(t, s)), k = 0, when;
	const struct topo_port *e;
	bool used = false, young = true;

	while ((e = next_end_port(t, s, &k)) != NULL)
		used |= e->state == PORT_ACTIVE;
	if (i == SL_HISTORY_NONE)
		i = add_leaf(p, guid_of(t, s), used);
	if (!p->leaf[i].any && !p->leaf[i].many)
		return;
	for (k = 0; (e = next_end_port(t, s, &k)) != NULL;) {
		if (e->state != PORT_ACTIVE)
			map_put(&p->came, e->guid, p->clock);
		young &= map_get(&p->came, e->guid, &when) &&
			 when > p->leaf[i].changed;
	}
	if (young)
		reset_leaf(p, i, r);
}

void
sl_history_add_topology(struct sl_history *p, const struct topo *t,
	const struct routes *in_force)
{
	p->clock++;
	for (sw_ix s = 0; s < t->nsw; s++)
		if (is_leaf(t, s))
			look_at_leaf(p, t, s, in_force);
}

/* ---- what is given out ---- */

/* A pair is given this layer, and keeps the layers it had. */
static void
give_layer(struct sl_history *p, uint32_t a, uint32_t b, uint8_t layer)
{
	uint16_t *m = mask_cell(p, a, b), is = (uint16_t)(1U << layer);

	if ((*m & ~is) != 0) {
		p->leaf[a].many = p->leaf[b].many = true;
		if ((*m & is) == 0)
			p->leaf[a].changed = p->leaf[b].changed = p->clock;
	}
	*m |= is;
}

/* Drop the masks if every pair only ever had layer 0. */
static void
forget_masks(struct sl_history *p)
{
	for (size_t a = 0; a < p->n; a++)
		for (size_t b = 0; b < p->n; b++)
			if ((*mask_cell(p, a, b) & ~1) != 0)
				return;
	free(p->mask);
	p->mask = NULL;
	p->room = 0;
}

/* The SLs of l are given out, and no other from now on. */
static void
give_sls(struct sl_history *p, const struct slvl *l)
{
	if (sl_history_renumbers(p, l)) {
		sl_history_assume_any(p);
		p->sls.given = 0;
	}
	for (unsigned i = 0; i < l->n; i++)
		for (unsigned k = 0; k < l->layers; k++) {
			p->sls.given |= (uint16_t)(1U << l->sl[i][k]);
			p->sls.layer[l->sl[i][k]] = (uint8_t)k;
		}
}

void
sl_history_add_routes(
	struct sl_history *p, const struct routes *r, const struct slvl *l)
{
	const struct slvl_want alike = {0};
	const struct topo *t = r->topo;
	size_t known = p->n;
	uint32_t *leaf = number_leaves(p, t);
	struct slvl own;

	slvl_of_layers(&alike, &r->layers, &own);
	give_sls(p, l != NULL ? l : &own);
	p->clock++;
	if (r->layers.n > 1 && p->mask == NULL) {
		size_t all = p->n;

		p->n = p->layers > 0 ? known : 0; /* leaves that had layer 0 */
		make_room(p, all + all / 8 + 8, 1);
		p->n = all;
	}
	p->layers = r->layers.n;
	for (sw_ix a = 0; p->mask != NULL && a < t->nsw; a++)
		for (sw_ix b = 0; leaf[a] != SL_HISTORY_NONE && b < t->nsw; b++)
			if (leaf[b] != SL_HISTORY_NONE)
				give_layer(p, leaf[a], leaf[b],
					routes_layer(&r->layers, a, b));
	free(leaf);
	if (p->mask != NULL && r->layers.n == 1)
		forget_masks(p);
}

void
sl_history_assume_any(struct sl_history *p)
{
	p->clock++;
	for (size_t i = 0; i < p->n; i++) {
		p->leaf[i].any = true;
		p->leaf[i].changed = p->clock;
	}
}

void
sl_history_end(struct sl_history *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->leaf[i].any = p->leaf[i].many = false;
	free(p->mask);
	p->mask = NULL;
	p->room = 0;
	p->layers = 0;
	p->sls.given = 0;
}

uint16_t
sl_history_mask(const struct sl_history *p, uint32_t a, uint32_t b, unsigned n)
{
	unsigned m, below = (1U << n) - 1;

	if (a == SL_HISTORY_NONE || b == SL_HISTORY_NONE)
		return 0;
	if (p->leaf[a].any || p->leaf[b].any)
		return (uint16_t)below;
	m = p->mask != NULL ? *mask_cell(p, a, b) : p->layers > 0;
	return (uint16_t)((m & below) | ((m & ~below) != 0));
}

bool
sl_history_exceeds(const struct sl_history *p, const struct routes *r)
{
	const struct topo *t = r->topo;
	uint32_t *leaf = mem_alloc(t->nsw * sizeof(*leaf));
	bool found = false;

	for (sw_ix s = 0; s < t->nsw; s++)
		leaf[s] = sl_history_leaf(p, guid_of(t, s));
	for (sw_ix a = 0; r->layers.n > 1 && a < t->nsw && !found; a++)
		for (sw_ix b = 0; b < t->nsw && !found; b++)
			found = (sl_history_mask(
					 p, leaf[a], leaf[b], r->layers.n) &
					~(1U << routes_layer(
						  &r->layers, a, b))) != 0;
	free(leaf);
	return found;
}

/* ---- what a restart must not forget ---- */

uint32_t
sl_history_count(const struct sl_history *p)
{
	return p != NULL ? (uint32_t)p->n : 0;
}

uint64_t
sl_history_guid(const struct sl_history *p, uint32_t i)
{
	return p->leaf[i].guid;
}

const uint16_t *
sl_history_row(const struct sl_history *p, uint32_t i)
{
	return p->mask != NULL ? mask_cell(p, i, 0) : NULL;
}

bool
sl_history_any(const struct sl_history *p, uint32_t i)
{
	return p->leaf[i].any;
}

bool
sl_history_has_any(const struct sl_history *p)
{
	for (size_t i = 0; p != NULL && i < p->n; i++)
		if (p->leaf[i].any)
			return true;
	return false;
}

void
sl_history_load(
	struct sl_history *p, unsigned layers, const struct sl_history_sls *sls)
{
	p->layers = layers;
	p->sls = *sls;
}

void
sl_history_load_leaf(struct sl_history *p, uint64_t guid, bool any)
{
	(void)add_leaf(p, guid, any);
}

void
sl_history_load_row(struct sl_history *p, uint32_t i, const uint16_t *mask)
{
	if (mask == NULL)
		return;
	if (p->mask == NULL)
		make_room(p, p->n + p->n / 8 + 8, 0);
	memcpy(mask_cell(p, i, 0), mask, p->n * sizeof(*mask));
	for (size_t b = 0; b < p->n; b++)
		if ((mask[b] & (mask[b] - 1)) != 0)
			p->leaf[i].many = p->leaf[b].many = true;
}
