#include "routing/core/routes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct routes *
routes_ref(struct routes *r)
{
	if (r != NULL)
		r->refs++;
	return r;
}

void
routes_unref(struct routes *r)
{
	if (r == NULL || --r->refs > 0)
		return;
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		lft_row_drop(r->pool, r->row[s]);
	topo_unref(r->topo);
	if (r->state != NULL && --r->state->refs == 0)
		arena_free(r->state->arena);
	if (r->reading != NULL && --r->reading->refs == 0)
		arena_free(r->reading->arena);
	free(r->rank);
	free(r->sw_order);
	free(r->part);
	link_ranks_drop(r->link_ranks);
	routes_mcast_free(&r->mcast);
	free(r->row);
	route_layers_free(&r->layers);
	route_sets_unref(r->sets);
	verify_state_unref(r->verified);
	free(r->deps);
	free(r);
}

void
routes_set_state(struct routes *r, const struct engine_state_ops *ops,
	struct arena *a, const void *what)
{
	r->state = arena_alloc(a, sizeof(*r->state));
	*r->state = (struct route_state){1, a, ops, what};
}

struct route_reading *
routes_reading(struct routes *r)
{
	struct arena *a;

	if (r->reading != NULL)
		return r->reading;
	a = arena_new();
	r->reading = arena_alloc(a, sizeof(*r->reading));
	*r->reading = (struct route_reading){.refs = 1, .arena = a};
	return r->reading;
}

struct routes *
routes_new(struct topo *t, struct lft_pool *pool)
{
	struct routes *r = mem_zalloc(1, sizeof(*r));
	struct lft_row *empty;

	r->refs = 1;
	r->generation = t->generation;
	r->topo = topo_ref(t);
	r->pool = pool;
	r->engine = "";
	r->rank = mem_zalloc(t->nsw, sizeof(*r->rank));
	r->layers = (struct route_layers){.n = 1, .nsw = t->nsw};
	r->top = t->max_lid;
	r->nblocks = (uint32_t)t->max_lid / LFT_BLOCK + 1;
	r->row = mem_zalloc(t->nsw, sizeof(struct lft_row *));
	empty = lft_row_new(r->nblocks);
	for (sw_ix s = 0; s < t->nsw; s++)
		r->row[s] = lft_row_share(empty);
	lft_row_drop(pool, empty);
	return r;
}

lft_ref *
routes_slot(struct routes *r, sw_ix s, uint32_t b)
{
	r->row[s] = lft_row_own(r->pool, r->row[s], r->nblocks);
	return lft_row_slot(r->pool, r->row[s], b);
}

bool
routes_above(const struct routes *r, sw_ix a, sw_ix b)
{
	const struct topo *t = r->topo;
	uint64_t ga, gb;

	if (r->rank[a] != r->rank[b])
		return r->rank[a] < r->rank[b];
	ga = t->node[t->sw[a].node].guid;
	gb = t->node[t->sw[b].node].guid;
	/* Duplicate GUIDs: any fixed choice keeps the order total. */
	return ga != gb ? ga < gb : a < b;
}

struct ranked {
	uint32_t rank;
	sw_ix sw;
	uint64_t guid;
};

static int
highest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

void
routes_order(const struct routes *r, uint32_t *pos)
{
	const struct topo *t = r->topo;
	struct ranked *all;

	if (r->sw_order != NULL) {
		memcpy(pos, r->sw_order, t->nsw * sizeof(*pos));
		return;
	}
	all = mem_zalloc(t->nsw, sizeof(*all));
	for (sw_ix s = 0; s < t->nsw; s++)
		all[s] = (struct ranked){
			r->rank[s], s, t->node[t->sw[s].node].guid};
	qsort(all, t->nsw, sizeof(*all), highest_first);
	for (sw_ix i = 0; i < t->nsw; i++)
		pos[all[i].sw] = i;
	free(all);
}

struct link_ranks *
routes_link_ranks(const struct routes *r)
{
	const struct topo *t = r->topo;
	struct link_ranks *ranks;
	uint32_t *pos;

	if (r->order == ROUTE_NO_ORDER)
		return link_ranks_share(r->link_ranks);
	ranks = link_ranks_new(1, t->nadj);
	pos = mem_alloc((t->nsw + 1U) * sizeof(*pos));
	routes_order(r, pos);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++) {
			sw_ix p = t->adj[i].peer;

			ranks->of[i] = !routes_has_order(r->part, s, p) ? 0
				       : pos[p] < pos[s] ? t->nsw - pos[s]
							 : t->nsw + 1 + pos[s];
		}
	free(pos);
	return ranks;
}

/* The ports of links that are part of the switch order. */
static uint64_t (*ordered_links(const struct routes *r))[ROUTE_PORT_WORDS]
{
	const struct topo *t = r->topo;
	uint64_t(*link)[ROUTE_PORT_WORDS] = mem_zalloc(t->nsw, sizeof(*link));

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (routes_has_order(r->part, s, a->peer))
				link[s][a->out / 64] |= UINT64_C(1)
							<< a->out % 64;
		}
	return link;
}

static struct route_mcast
copy_mcast(const struct route_mcast *m, uint32_t nsw)
{
	return (struct route_mcast){
		.pos = m->pos != NULL ? mem_dup(m->pos, nsw * sizeof(*m->pos))
				      : NULL,
		.link = m->link != NULL
				? mem_dup(m->link, nsw * sizeof(*m->link))
				: NULL};
}

void
routes_mcast(const struct routes *r, struct route_mcast *out)
{
	if (r->order == ROUTE_NO_ORDER) {
		*out = copy_mcast(&r->mcast, r->topo->nsw);
		out->layers = route_layers_trees(&r->layers);
		return;
	}
	out->pos = mem_zalloc(r->topo->nsw, sizeof(*out->pos));
	routes_order(r, out->pos);
	out->link = r->part != NULL ? ordered_links(r) : NULL;
	out->layers = route_layers_trees(&r->layers);
}

void
routes_mcast_free(struct route_mcast *m)
{
	free(m->pos);
	free(m->link);
	*m = (struct route_mcast){0};
}

void
routes_order_in(const struct routes *r, const struct topo *t, uint32_t *pos)
{
	uint32_t *line = mem_zalloc(r->topo->nsw, sizeof(*line));

	routes_order(r, line);
	for (sw_ix s = 0; s < t->nsw; s++) {
		sw_ix was = topo_switch_in(r->topo, t, s);

		pos[s] = was == TOPO_NONE ? UINT32_MAX : line[was];
	}
	free(line);
}

sw_ix
routes_next_switch(const struct routes *r, sw_ix s, uint16_t lid)
{
	return topo_port_switch(
		r->topo, topo_port_behind(r->topo, s, routes_port(r, s, lid)));
}

/* Entries of a block that lead to a port and are unchanged; those changed. */
static void
count_entries(const uint8_t *was, const uint8_t *is, unsigned *kept,
	unsigned *changed)
{
	uint8_t same = 0, used = 0; /* as narrow as entries: many at a time */

	for (unsigned i = 0; i < LFT_BLOCK; i++) {
		same = (uint8_t)(same + (was[i] == is[i]));
		used = (uint8_t)(used +
				 ((was[i] == is[i]) & (is[i] != LFT_DROP)));
	}
	*kept = used;
	*changed = LFT_BLOCK - same;
}

void
routes_put_like(struct routes *r, sw_ix s, const uint8_t *row,
	const struct routes *prev, sw_ix prev_sw, sw_ix like)
{
	lft_ref *slot = NULL;
	unsigned kept, changed;

	assert(prev == NULL || prev->pool == r->pool);
	for (uint32_t b = 0; b < r->nblocks; b++) {
		const uint8_t *is = row + (size_t)b * LFT_BLOCK;
		lft_ref old = LFT_EMPTY,
			other = like == TOPO_NONE ? LFT_EMPTY
						  : routes_ref_of(r, like, b);

		slot = b % LFT_SPAN == 0 ? routes_slot(r, s, b) : slot + 1;
		if (prev != NULL && prev_sw != TOPO_NONE && b < prev->nblocks)
			old = lft_row_ref(prev->row[prev_sw], b);
		if (prev != NULL) {
			count_entries(
				lft_bytes(r->pool, old), is, &kept, &changed);
			r->entries_kept += kept;
			r->entries_changed += changed;
		}
		lft_drop(r->pool, *slot);
		if (memcmp(lft_bytes(r->pool, old), is, LFT_BLOCK) == 0)
			*slot = lft_share(r->pool, old);
		else if (memcmp(lft_bytes(r->pool, other), is, LFT_BLOCK) == 0)
			*slot = lft_share(r->pool, other);
		else
			*slot = lft_add(r->pool, is);
	}
}

void
routes_count_changes(struct routes *r, const struct routes *prev)
{
	unsigned kept, changed;

	r->entries_kept = r->entries_changed = 0;
	for (sw_ix s = 0; prev != NULL && s < r->topo->nsw; s++) {
		sw_ix was = topo_switch_in(prev->topo, r->topo, s);

		for (uint32_t b = 0; b < r->nblocks; b++) {
			lft_ref old = was != TOPO_NONE && b < prev->nblocks
					      ? routes_ref_of(prev, was, b)
					      : LFT_EMPTY;

			count_entries(lft_bytes(prev->pool, old),
				routes_block(r, s, b), &kept, &changed);
			r->entries_kept += kept;
			r->entries_changed += changed;
		}
	}
}

void
routes_put_row(struct routes *r, sw_ix s, const uint8_t *row,
	const struct routes *prev, sw_ix prev_sw)
{
	routes_put_like(r, s, row, prev, prev_sw, TOPO_NONE);
}

void
routes_put_same(
	struct routes *r, sw_ix s, const struct routes *from, sw_ix from_sw)
{
	struct lft_row *is = lft_row_share(from->row[from_sw]);

	assert(from->pool == r->pool);
	lft_row_drop(r->pool, r->row[s]);
	if (is->n != r->nblocks)
		is = lft_row_own(r->pool, is, r->nblocks);
	r->row[s] = is;
}

void
routes_put_block(struct routes *r, sw_ix s, uint32_t b,
	const uint8_t bytes[LFT_BLOCK], sw_ix like)
{
	lft_ref *slot = routes_slot(r, s, b);
	lft_ref other =
		like == TOPO_NONE ? LFT_EMPTY : routes_ref_of(r, like, b);

	lft_drop(r->pool, *slot);
	*slot = memcmp(lft_bytes(r->pool, other), bytes, LFT_BLOCK) == 0
			? lft_share(r->pool, other)
			: lft_add(r->pool, bytes);
}

void
routes_put_entry(struct routes *r, sw_ix s, uint16_t lid, uint8_t out,
	const struct routes *prev)
{
	uint32_t b = lid / LFT_BLOCK;
	uint8_t block[LFT_BLOCK], *entry = block + lid % LFT_BLOCK;
	sw_ix was = prev == NULL ? TOPO_NONE
				 : topo_switch_in(prev->topo, r->topo, s);
	uint8_t old = was == TOPO_NONE ? LFT_DROP : routes_port(prev, was, lid);

	memcpy(block, routes_block(r, s, b), sizeof(block));
	if (prev != NULL && *entry == old) {
		r->entries_kept--;
		r->entries_changed++;
	} else if (prev != NULL && out == old) {
		r->entries_kept++;
		r->entries_changed--;
	}
	*entry = out;
	routes_put_block(r, s, b, block, TOPO_NONE);
}

/* The name of a switch, for a message. */
static const char *
switch_name(const struct routes *r, sw_ix s)
{
	return topo_desc(r->topo, r->topo->sw[s].node);
}

/* The first switch and the in-port there; false when there is none. */
static bool
first_hop(const struct topo *t, port_ix from, sw_ix *s, uint8_t *in)
{
	const struct topo_port *p = &t->port[from];
	const struct topo_node *n = &t->node[p->node];

	if (n->type == TOPO_SWITCH) {
		*s = n->sw;
		*in = p->num;
		return true;
	}
	if (p->peer == TOPO_NONE)
		return false;
	*s = t->node[t->port[p->peer].node].sw;
	*in = t->port[p->peer].num;
	return *s != TOPO_NONE;
}

/* One step through switch *s; 1 when owner is reached, 0 to go on, or -1. */
static int
step_on(const struct routes *r, uint8_t out, port_ix owner, sw_ix *s,
	uint8_t *in)
{
	const struct topo *t = r->topo;
	port_ix peer = topo_port_behind(t, *s, out);

	if (out == 0)
		return t->node[t->sw[*s].node].first_port == owner ? 1 : -1;
	if (peer == owner)
		return 1;
	*s = topo_port_switch(t, peer);
	*in = peer == TOPO_NONE ? 0 : t->port[peer].num;
	return *s == TOPO_NONE ? -1 : 0;
}

int
routes_trace(const struct routes *r, port_ix from, uint16_t dlid,
	struct route_step *step, int max, struct reason *why)
{
	const struct topo *t = r->topo;
	port_ix owner = topo_by_lid(t, dlid, NULL);
	uint32_t n = 0;
	sw_ix s = TOPO_NONE;
	uint8_t in = 0;

	if (owner == TOPO_NONE)
		return reason_set(why, "no port owns LID %u", dlid);
	if (owner == from || t->port[from].peer == owner)
		return 0;
	if (!first_hop(t, from, &s, &in))
		return reason_set(why, "the port has no link to a switch");
	for (;;) {
		uint8_t out = routes_port(r, s, dlid);
		sw_ix at = s;
		int end;

		if ((int)n < max)
			step[n] = (struct route_step){s, in, out};
		if (++n > t->nsw)
			return reason_set(why,
				"LID %u loops, last seen at \"%s\"", dlid,
				switch_name(r, at));
		end = step_on(r, out, owner, &s, &in);
		if (end > 0)
			return (int)n;
		if (end < 0)
			return reason_set(why,
				"LID %u ends at \"%s\", out-port %u", dlid,
				switch_name(r, at), out);
	}
}

const struct route_rank *
routes_rank_of(const struct route_rank *rank, size_t n, uint64_t guid)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rank[mid].guid < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && rank[lo].guid == guid ? &rank[lo] : NULL;
}

struct routes *
routes_for(const struct routes *r, struct topo *t)
{
	struct routes *c = mem_dup(r, sizeof(*r));

	assert(t->hash == r->topo->hash && t->nsw == r->topo->nsw);
	c->refs = 1;
	c->generation = t->generation;
	c->topo = topo_ref(t);
	if (c->state != NULL)
		c->state->refs++;
	if (c->reading != NULL)
		c->reading->refs++;
	c->verified = verify_state_ref(r->verified);
	c->rank = mem_dup(r->rank, t->nsw * sizeof(*r->rank));
	if (r->sw_order != NULL)
		c->sw_order =
			mem_dup(r->sw_order, t->nsw * sizeof(*r->sw_order));
	if (r->part != NULL)
		c->part = mem_dup(r->part, t->nsw);
	(void)link_ranks_share(c->link_ranks);
	c->mcast = copy_mcast(&r->mcast, t->nsw);
	c->row = mem_dup(r->row, t->nsw * sizeof(struct lft_row *));
	for (sw_ix s = 0; s < t->nsw; s++)
		(void)lft_row_share(c->row[s]);
	c->layers = route_layers_copy(&r->layers);
	(void)route_sets_ref(c->sets);
	if (r->deps != NULL)
		c->deps = mem_dup(r->deps,
			sizeof(*r->deps) +
				((size_t)r->deps->nrec << r->deps->shift) *
					r->deps->layers *
					sizeof(r->deps->row[0]));
	return c;
}

struct route_rank
routes_note(const struct routes *r, sw_ix s)
{
	struct route_rank is = {
		.guid = r->topo->node[r->topo->sw[s].node].guid,
		.rank = r->rank[s],
		.read = r->reading != NULL && r->reading->of != NULL
				? r->reading->of[s]
				: ROUTE_READ_NEVER,
	};

	if (r->sw_order != NULL || r->mcast.pos != NULL)
		is.place =
			(r->sw_order != NULL ? r->sw_order : r->mcast.pos)[s] +
			1;
	return is;
}

/*
 * Nothing is restored when a switch has no place, as a new one has, or two have
 * the same. Switches that have gone leave gaps in the places: they are closed.
 */
static void
restore_sw_order(struct routes *r, struct ranked *all)
{
	uint32_t n = r->topo->nsw, *pos;

	for (sw_ix s = 0; s < n; s++)
		if (all[s].rank == 0)
			return;
	qsort(all, n, sizeof(*all), highest_first);
	for (sw_ix i = 1; i < n; i++)
		if (all[i].rank == all[i - 1].rank)
			return;
	pos = mem_alloc(n * sizeof(*pos));
	for (sw_ix i = 0; i < n; i++)
		pos[all[i].sw] = i;
	if (r->order == ROUTE_NO_ORDER)
		r->mcast.pos = pos;
	else
		r->sw_order = pos;
}

void
routes_restore(struct routes *r, const struct route_rank *rank, size_t n)
{
	const struct topo *t = r->topo;
	struct ranked *all = mem_zalloc(t->nsw, sizeof(*all));

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;
		const struct route_rank *is = routes_rank_of(rank, n, guid);

		r->rank[s] = is != NULL ? is->rank : ROUTE_NO_RANK;
		all[s] = (struct ranked){is != NULL ? is->place : 0, s, guid};
	}
	restore_sw_order(r, all);
	free(all);
}
