#include <string.h>

#include "routing/updown/repair_priv.h"

/* Switches to compute, each once. */
struct set {
	bool *in;
	sw_ix *list;
	uint32_t n;
};

struct level_update {
	struct repair_job *p;
	struct set todo, always, now, before;
	uint64_t *own;	/* a row of scratch */
	uint64_t *wide; /* set of the words in which it may differ */
};

void
reach_update_changed_words(const struct repair_job *p, sw_ix s, uint64_t *words)
{
	const struct updown *u = p->u;
	uint32_t n = p->nwide;

	memcpy(words, p->wide + (size_t)s * n, n * sizeof(*words));
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		for (uint32_t i = 0; i < n; i++)
			words[i] |=
				p->wide[(size_t)u->graph.group[g].peer * n + i];
}

static struct set
set_new(const struct updown *u)
{
	struct set s = {arena_array(u->graph.a, u->graph.nsw, sizeof(*s.in)),
		arena_array(u->graph.a, u->graph.nsw, sizeof(*s.list)), 0};

	return s;
}

static void
set_add(struct set *set, sw_ix s)
{
	if (set->in[s])
		return;
	set->in[s] = true;
	set->list[set->n++] = s;
}

static void
set_clear(struct set *set)
{
	while (set->n > 0)
		set->in[set->list[--set->n]] = false;
}

static void
add_around(const struct updown *u, struct set *to, const struct set *from)
{
	for (uint32_t i = 0; i < from->n; i++) {
		sw_ix s = from->list[i];

		set_add(to, s);
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			set_add(to, u->graph.group[g].peer);
	}
}

/* The previous row of level k. */
static const uint64_t *
old_row(const struct updown *u, const struct reach_levels *l, uint32_t k,
	sw_ix s)
{
	return l->row[(size_t)(k < l->n ? k : l->n - 1) * u->graph.nsw + s];
}

static bool
rows_equal(const struct updown *u, const uint64_t *a, const uint64_t *b)
{
	return a == b || memcmp(a, b, u->graph.words * sizeof(*a)) == 0;
}

static void
note_diff(struct level_update *x, sw_ix s, const uint64_t *a, const uint64_t *b)
{
	const struct updown *u = x->p->u;

	if (x->p->diff[s] == NULL)
		x->p->diff[s] = arena_array(
			u->graph.a, u->graph.words, sizeof(*x->p->diff[s]));
	for (uint32_t w = 0; w < u->graph.words; w++) {
		x->p->diff[s][w] |= a[w] ^ b[w];
		if (a[w] != b[w])
			bitset_add(x->p->wide + (size_t)s * x->p->nwide, w);
	}
}

/* One word of the row that reach_make_down_row() or reach_make_path_row() would
 * make. */
static uint64_t
make_word(const struct level_update *x, bool path, uint32_t k, sw_ix s,
	uint32_t w)
{
	const struct updown *u = x->p->u;
	const struct reach_levels *dn = &x->p->reach.dn;
	const struct reach_levels *l = path ? &x->p->reach.path : dn;
	const uint64_t **was = l->row + (size_t)(k - 1) * u->graph.nsw;
	uint64_t own = 0;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if ((u->sw_order.pos[peer] < u->sw_order.pos[s]) == path)
			own |= was[peer][w];
	}
	if (path)
		own = (own & ~old_row(u, dn, dn->n - 1, s)[w]) |
		      old_row(u, dn, k, s)[w];
	return own | was[s][w];
}

/*
 * Row k of s into x->own, from the rows of the level before; false: it is equal
 * to old. A switch with unchanged links can differ only where rows of its
 * neighbours do.
 */
static bool
make_row(struct level_update *x, bool path, uint32_t k, sw_ix s,
	const uint64_t *old)
{
	const struct updown *u = x->p->u;
	const struct reach_levels *dn = &x->p->reach.dn;
	const struct reach_levels *l = path ? &x->p->reach.path : dn;
	const uint64_t **was = l->row + (size_t)(k - 1) * u->graph.nsw;
	bool differs = false;

	if (x->p->seed[s] || sftree_is_extension(u, s)) {
		const uint64_t *const below_dn[2] = {
			old_row(u, dn, dn->n - 1, s), old_row(u, dn, k, s)};
		uint32_t last = k < dn->n ? k - 1 : dn->n - 1;

		if (path)
			reach_make_path_row(u, s, was,
				dn->row + (size_t)last * u->graph.nsw, below_dn,
				x->own);
		else
			reach_make_down_row(u, s, was, x->own);
		return !rows_equal(u, x->own, old);
	}
	reach_update_changed_words(x->p, s, x->wide);
	for (uint32_t i = 0; i < x->p->nwide; i++)
		for (uint64_t b = x->wide[i]; b != 0; b &= b - 1) {
			uint32_t w = i * 64 + bitset_lowest64(b);
			uint64_t own = make_word(x, path, k, s, w);

			if (own == old[w])
				continue;
			if (!differs)
				memcpy(x->own, old,
					u->graph.words * sizeof(*x->own));
			x->own[w] = own;
			differs = true;
		}
	return differs;
}

/* Room for one more level. Mostly there are as many as before. */
static const uint64_t **
add_level(const struct updown *u, struct reach_levels *l)
{
	if (l->n == l->room) {
		const uint64_t **old = l->row;

		l->room += 2;
		l->row = arena_array(u->own, (size_t)l->room * u->graph.nsw,
			sizeof(*l->row));
		memcpy(l->row, old,
			(size_t)l->n * u->graph.nsw * sizeof(*l->row));
	}
	return l->row + (size_t)l->n++ * u->graph.nsw;
}

/* Level k, computed where it may differ; elsewhere the old rows. */
static void
next_level(struct level_update *x, bool path, uint32_t k)
{
	const struct updown *u = x->p->u;
	struct reach_levels *l = path ? &x->p->reach.path : &x->p->reach.dn;
	const struct reach_levels *old =
		path ? &x->p->cache->reach.path : &x->p->cache->reach.dn;
	const uint64_t **is = add_level(u, l);
	struct set swap = x->before;

	memcpy(is,
		old->row + (size_t)(k < old->n ? k : old->n - 1) * u->graph.nsw,
		u->graph.nsw * sizeof(*is));
	set_clear(&x->todo);
	add_around(u, &x->todo, &x->now);
	for (uint32_t i = 0; i < x->always.n; i++)
		set_add(&x->todo, x->always.list[i]);
	x->before = x->now;
	x->now = swap;
	set_clear(&x->now);
	for (uint32_t i = 0; i < x->todo.n; i++) {
		sw_ix s = x->todo.list[i];
		uint64_t *row;

		if (!make_row(x, path, k, s, is[s]))
			continue;
		note_diff(x, s, x->own, is[s]);
		row = arena_array(u->m, u->graph.words, sizeof(*row));
		is[s] = memcpy(row, x->own, u->graph.words * sizeof(*row));
		set_add(&x->now, s);
	}
}

/* True if level k adds nothing to the level before, where rows are new. */
static bool
is_settled(
	const struct level_update *x, const struct reach_levels *l, uint32_t k)
{
	const struct updown *u = x->p->u;
	const struct set *both[2] = {&x->now, &x->before};

	for (unsigned b = 0; b < 2; b++)
		for (uint32_t i = 0; i < both[b]->n; i++) {
			sw_ix s = both[b]->list[i];

			if (!rows_equal(u, l->row[(size_t)k * u->graph.nsw + s],
				    l->row[(size_t)(k - 1) * u->graph.nsw + s]))
				return false;
		}
	return true;
}

static void
make_levels(struct level_update *x, bool path)
{
	const struct updown *u = x->p->u;
	const struct reach_levels *old =
		path ? &x->p->cache->reach.path : &x->p->cache->reach.dn;
	struct reach_levels *l = path ? &x->p->reach.path : &x->p->reach.dn;
	uint32_t k = 0, most = old->n + u->graph.nsw;

	/* Detours are short: no path exceeds this. */
	most = most < 4 * old->n + 16 ? most : 4 * old->n + 16;
	*l = (struct reach_levels){.room = old->n};
	l->row = arena_array(
		u->own, (size_t)l->room * u->graph.nsw, sizeof(*l->row));
	memcpy(add_level(u, l), old->row, u->graph.nsw * sizeof(*l->row));
	set_clear(&x->now);
	set_clear(&x->before);
	do
		next_level(x, path, ++k);
	while (k + 1 < most && (k + 1 < old->n || !is_settled(x, l, k)));
}

/* tier_above, in the tier order: when s is due, the rows above it are final. */
static void
make_above(struct level_update *x)
{
	struct updown *u = x->p->u;
	bool *due = arena_array(u->graph.a, u->graph.nsw, sizeof(*due));

	u->tier_above =
		arena_array(u->own, u->graph.nsw, sizeof(*u->tier_above));
	memcpy(u->tier_above, x->p->cache->tier_above,
		u->graph.nsw * sizeof(*u->tier_above));
	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i];
		uint64_t *row;

		if (!due[s] && !x->p->seed[s])
			continue;
		memset(x->own, 0, u->graph.words * sizeof(*x->own));
		bitset_add(x->own, s);
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			if (u->tier.pos[u->graph.group[g].peer] < i)
				bitset_or(x->own,
					u->tier_above[u->graph.group[g].peer],
					u->graph.words);
		if (rows_equal(u, u->tier_above[s], x->own))
			continue;
		row = arena_array(u->m, u->graph.words, sizeof(*row));
		u->tier_above[s] =
			memcpy(row, x->own, u->graph.words * sizeof(*row));
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			due[u->graph.group[g].peer] = true;
	}
}

/* True if each switch with new rows still reaches its whole component. */
static bool
is_complete(const struct level_update *x)
{
	const struct updown *u = x->p->u;
	const struct reach_levels *l = &x->p->reach.path;
	uint32_t *size = arena_array(u->graph.a, u->graph.ncomp, sizeof(*size));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			size[u->graph.comp[s]]++;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		const uint64_t *row =
			l->row[(size_t)(l->n - 1) * u->graph.nsw + s];
		uint32_t n = 0;

		if (x->p->diff[s] == NULL || !u->graph.live[s])
			continue;
		for (uint32_t w = 0; w < u->graph.words; w++)
			n += bitset_count64(row[w]);
		if (n != size[u->graph.comp[s]])
			return false;
	}
	return true;
}

/* True if each switch that had a neighbour above it still has one. */
static bool
all_have_uplink(const struct repair_job *p)
{
	const struct updown *u = p->u;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		bool hangs = false;

		if (!p->seed[s] || !u->graph.live[s] || u->rank[s] == 0)
			continue;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			hangs |= u->tier.pos[u->graph.group[g].peer] <
				 u->tier.pos[s];
		if (!hangs)
			return false;
	}
	return true;
}

/*
 * True if sftree_extra is as it was. That of an extension switch holds what is
 * below it in tiers, and what has no path up into the switches before it in the
 * switch order.
 */
static bool
extra_is_same(const struct repair_job *p)
{
	const struct updown *u = p->u;

	for (sw_ix j = 0; j < u->graph.nsw; j++) {
		uint64_t *before;

		if (!sftree_is_extension(u, j))
			continue;
		before = arena_array(
			u->graph.a, u->graph.words, sizeof(*before));
		for (uint32_t i = 0; i < u->sw_order.pos[j]; i++)
			bitset_add(before, u->sw_order.seq[i]);
		for (sw_ix s = 0; s < u->graph.nsw; s++) {
			const uint64_t *is = u->tier_above[s];
			const uint64_t *was = p->cache->tier_above[s];

			if (!rows_equal(u, is, was) &&
				(bitset_has(is, j) != bitset_has(was, j) ||
					bitset_intersects(
						is, before, u->graph.words) !=
						bitset_intersects(was, before,
							u->graph.words)))
				return false;
		}
	}
	return true;
}

bool
reach_update(struct repair_job *p)
{
	struct level_update x = {.p = p};
	const struct updown *u = p->u;

	if (!all_have_uplink(p))
		return false;
	x.todo = set_new(u);
	x.always = set_new(u);
	x.now = set_new(u);
	x.before = set_new(u);
	x.own = arena_array(u->graph.a, u->graph.words, sizeof(*x.own));
	x.wide = arena_array(u->graph.a, p->nwide, sizeof(*x.wide));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (p->seed[s] || sftree_is_extension(u, s))
			set_add(&x.always, s);
	make_levels(&x, false);
	/* What is reached going down decides what has to be sought above. */
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (p->diff[s] != NULL)
			set_add(&x.always, s);
	make_levels(&x, true);
	make_above(&x);
	return is_complete(&x) && extra_is_same(p);
}
