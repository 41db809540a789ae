/*
 * Which legal paths differ from those under the previous routes: the levels of
 * the previous topology are made again, in its switch order (reach_before.h),
 * where they may differ from the present ones. Nothing is remembered.
 */
#include <string.h>

#include "routing/updown/reach_before.h"

/* ---- links ---- */

/* True if both are links to the same neighbour by the same ports, and lead the
 * same way. */
static bool
same_group(const struct reach_before *x, sw_ix s, const struct link_group *a,
	const struct link_group *b)
{
	const struct updown *u = x->p->u;
	const struct topo_adj *at = u->graph.t->adj + a->adj;
	const struct topo_adj *bt = x->u.graph.t->adj + b->adj;
	const uint32_t *is = u->sw_order.pos, *was = x->u.sw_order.pos;

	if (a->peer != b->peer || a->n != b->n ||
		(is[a->peer] < is[s]) != (was[b->peer] < was[s]))
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (at[i].out != bt[i].out)
			return false;
	return true;
}

/* True if the same packets may come to s from above. */
static bool
has_same_extra(const struct reach_before *x, sw_ix s)
{
	const struct updown *u = x->p->u;
	bool is = sftree_is_extension(u, s);

	return is == sftree_is_extension(&x->u, s) &&
	       (!is || memcmp(u->sftree_extra[s], x->u.sftree_extra[s],
			       u->graph.words * sizeof(uint64_t)) == 0);
}

static bool
has_same_groups(const struct reach_before *x, sw_ix s)
{
	const struct swgraph *is = &x->p->u->graph, *was = &x->u.graph;
	uint32_t n = is->first[s + 1] - is->first[s];

	if (was->first[s + 1] - was->first[s] != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!same_group(x, s, &is->group[is->first[s] + i],
			    &was->group[was->first[s] + i]))
			return false;
	return true;
}

/* True if s has the same links, those to other trees included: groups hold none
 * of these. */
static bool
has_same_links(const struct reach_before *x, sw_ix s)
{
	const struct topo *t = x->p->u->graph.t, *was = x->u.graph.t;
	const struct topo_switch *a = &t->sw[s], *b;

	if (x->p->was[s] == TOPO_NONE)
		return false;
	b = &was->sw[x->p->was[s]];
	if (a->nadj != b->nadj)
		return false;
	for (uint32_t i = 0; i < a->nadj; i++) {
		const struct topo_adj *y = &t->adj[a->adj + i];
		const struct topo_adj *z = &was->adj[b->adj + i];

		if (y->peer != x->number[z->peer] || y->out != z->out ||
			topo_sw_live(t, y->peer) != topo_sw_live(was, z->peer))
			return false;
	}
	return true;
}

static const uint64_t *
level_row(const struct reach_levels *l, uint32_t nsw, uint32_t k, sw_ix s)
{
	return l->row[(size_t)(k < l->n ? k : l->n - 1) * nsw + s];
}

/* ---- levels of the previous topology ---- */

/* Words from .. to - 1 of a row. */
struct span {
	uint32_t from, to;
};

/*
 * They are made one after the other, for the present destinations: the paths to
 * one do not depend on those to another. A row that is the same as now is the
 * present row, and only rows that may be another are made, in the words that
 * may differ: those of neighbours of switches with another row in the level
 * before, and of seeds. So what one lost link costs is what it changes.
 */
struct old_levels {
	struct reach_before *x;
	struct reach_levels dn, path;
	bool *always;	       /* [nsw] rows that are made in each level */
	uint32_t *when, round; /* [nsw] the round in which s was listed, and */
	struct span *span;     /* [nsw] in which words */
	sw_ix *list;	       /* [n] rows to make */
	sw_ix *other;	       /* [nother] those that are another, and */
	struct span *differ;   /* [nother] in which words */
	uint32_t n, nother;
	uint64_t *own; /* scratch: a row */
};

/* Row s of level k as it is now; NULL: s is gone. */
static const uint64_t *
present_row(const struct old_levels *o, const struct reach_levels *is,
	uint32_t k, sw_ix s)
{
	uint32_t nsw = o->x->p->u->graph.nsw;

	return s < nsw ? level_row(is, nsw, k, s) : NULL;
}

static const uint64_t *
old_row(const struct old_levels *o, const struct reach_levels *l, uint32_t k,
	sw_ix s)
{
	return level_row(l, o->x->u.graph.nsw, k, s);
}

static void
list_row(struct old_levels *o, sw_ix s, struct span in)
{
	struct span *has = &o->span[s];

	if (o->when[s] != o->round) {
		o->list[o->n++] = s;
		o->when[s] = o->round;
		*has = in;
		return;
	}
	has->from = in.from < has->from ? in.from : has->from;
	has->to = in.to > has->to ? in.to : has->to;
}

/* The rows of the next level that may be another than now. */
static void
list_rows(struct old_levels *o)
{
	const struct swgraph *g = &o->x->u.graph;

	o->round++;
	o->n = 0;
	for (sw_ix s = 0; s < g->nsw; s++)
		if (o->always[s])
			list_row(o, s, (struct span){0, g->words});
	for (uint32_t i = 0; i < o->nother; i++) {
		sw_ix s = o->other[i];

		list_row(o, s, o->differ[i]);
		for (uint32_t k = g->first[s]; k < g->first[s + 1]; k++)
			list_row(o, g->group[k].peer, o->differ[i]);
	}
	o->nother = 0;
}

static bool
leads_up(const struct reach_before *x, sw_ix s, sw_ix peer)
{
	return x->u.sw_order.pos[peer] < x->u.sw_order.pos[s];
}

static void
add_row(struct old_levels *o, const uint64_t *row, struct span in)
{
	for (uint32_t w = in.from; w < in.to; w++)
		o->own[w] |= row[w];
}

/* Row s of level k of the down paths into o->own. */
static void
make_down_row(struct old_levels *o, uint32_t k, sw_ix s, struct span in)
{
	const struct reach_before *x = o->x;
	const struct swgraph *g = &x->u.graph;

	add_row(o, old_row(o, &o->dn, k - 1, s), in);
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (!leads_up(x, s, g->group[i].peer))
			add_row(o, old_row(o, &o->dn, k - 1, g->group[i].peer),
				in);
	if (sftree_is_extension(&x->u, s))
		for (uint32_t w = in.from; w < in.to; w++)
			o->own[w] &= x->u.sftree_extra[s][w];
}

/* Row s of level k of the legal paths into o->own, as reach.c makes it. */
static void
make_path_row(struct old_levels *o, uint32_t k, sw_ix s, struct span in)
{
	const struct reach_before *x = o->x;
	const struct swgraph *g = &x->u.graph;
	const uint64_t *below = old_row(o, &o->dn, UINT32_MAX, s);
	const uint64_t *dn = old_row(o, &o->dn, k, s);
	const uint64_t *was = old_row(o, &o->path, k - 1, s);

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix peer = g->group[i].peer;

		if (leads_up(x, s, peer))
			add_row(o, old_row(o, &o->path, k - 1, peer), in);
		else if (sftree_is_extension(&x->u, s))
			add_row(o, old_row(o, &o->dn, k - 1, peer), in);
	}
	for (uint32_t w = in.from; w < in.to; w++)
		o->own[w] = (o->own[w] & ~below[w]) | was[w] | dn[w];
}

/* Where rows a and b differ in these words; nothing: from is to. */
static struct span
find_differing(const uint64_t *a, const uint64_t *b, struct span in)
{
	while (in.from < in.to && a[in.from] == b[in.from])
		in.from++;
	while (in.from < in.to && a[in.to - 1] == b[in.to - 1])
		in.to--;
	return in;
}

/* s has row `was` in some level, and has row `is` now: add to diff[s] the
 * destinations that are not in both. */
static void
add_diff(struct old_levels *o, sw_ix s, const uint64_t *is, const uint64_t *was,
	struct span in)
{
	struct keep_job *p = o->x->p;
	const struct swgraph *g = &p->u->graph;

	o->differ[o->nother] = in;
	o->other[o->nother++] = s;
	if (p->was[s] == TOPO_NONE)
		return;
	if (p->diff[s] == NULL)
		p->diff[s] = arena_array(g->a, g->words, sizeof(*p->diff[s]));
	for (uint32_t w = in.from; w < in.to; w++) {
		p->diff[s][w] |= is[w] ^ was[w];
		if (is[w] != was[w])
			bitset_add(p->wide + (size_t)s * p->nwide, w);
	}
}

/* The row that o->own is in the given words, and elsewhere `now`: that of the
 * level before, or one of its own. */
static const uint64_t *
take_row(struct old_levels *o, const uint64_t *now, const uint64_t *before,
	struct span in)
{
	const struct swgraph *g = &o->x->u.graph;
	size_t bytes = g->words * sizeof(*o->own);
	uint64_t *row;

	if (now != NULL) {
		memcpy(o->own, now, in.from * sizeof(*o->own));
		memcpy(o->own + in.to, now + in.to,
			(g->words - in.to) * sizeof(*o->own));
	}
	if (memcmp(before, o->own, bytes) == 0)
		return before;
	row = arena_alloc(g->a, bytes);
	return memcpy(row, o->own, bytes);
}

/* Row s of level k, the last one of l. */
static const uint64_t *
make_row(struct old_levels *o, const struct reach_levels *l, uint32_t k,
	sw_ix s, const uint64_t *now)
{
	struct span in = o->span[s];
	const uint64_t *row;

	memset(o->own + in.from, 0, (in.to - in.from) * sizeof(*o->own));
	if (l == &o->dn)
		make_down_row(o, k, s, in);
	else
		make_path_row(o, k, s, in);
	if (now != NULL) {
		in = find_differing(now, o->own, in);
		if (in.from == in.to)
			return now;
	}
	row = take_row(o, now, old_row(o, l, k - 1, s), in);
	if (now != NULL)
		add_diff(o, s, now, row, in);
	return row;
}

/* The next level of dn, or of path; true if it is not the last one. */
static bool
next_level(struct old_levels *o, const struct reach_levels *is,
	struct reach_levels *l)
{
	uint32_t k = l->n, nsw = o->x->u.graph.nsw;
	const uint64_t **row = reach_add_level(&o->x->u, l);
	bool grown = false;

	list_rows(o);
	for (sw_ix s = 0; s < nsw; s++)
		row[s] = present_row(o, is, k, s);
	for (uint32_t i = 0; i < o->n; i++) {
		sw_ix s = o->list[i];

		row[s] = make_row(o, l, k, s, row[s]);
		grown |= row[s] != old_row(o, l, k - 1, s);
	}
	return grown || k < is->n;
}

/* Switches with other down paths have other legal paths; extension switches
 * send down by what their neighbours have. */
static void
find_always(struct old_levels *o)
{
	for (sw_ix s = 0; s < o->x->u.graph.nsw; s++) {
		o->always[s] |= sftree_is_extension(&o->x->u, s);
		for (uint32_t k = 0; k < o->dn.n && !o->always[s]; k++)
			o->always[s] =
				old_row(o, &o->dn, k, s) !=
				present_row(o, &o->x->p->reach->dn, k, s);
	}
}

static void
first_level(struct old_levels *o)
{
	const struct swgraph *g = &o->x->u.graph;
	const uint64_t **row = reach_add_level(&o->x->u, &o->dn);
	const uint64_t *none = arena_array(g->a, g->words, sizeof(*none));

	for (sw_ix s = 0; s < g->nsw; s++) {
		row[s] = present_row(o, &o->x->p->reach->dn, 0, s);
		if (row[s] == NULL)
			row[s] = none;
	}
}

static void
compare_levels(struct reach_before *x)
{
	const struct reachability *is = x->p->reach;
	const struct swgraph *g = &x->u.graph;
	struct old_levels o = {.x = x,
		.always = arena_array(g->a, g->nsw, sizeof(*o.always)),
		.when = arena_array(g->a, g->nsw, sizeof(*o.when)),
		.list = arena_array(g->a, g->nsw, sizeof(*o.list)),
		.other = arena_array(g->a, g->nsw, sizeof(*o.other)),
		.span = arena_array(g->a, g->nsw, sizeof(*o.span)),
		.differ = arena_array(g->a, g->nsw, sizeof(*o.differ)),
		.own = arena_array(g->a, g->words, sizeof(*o.own))};

	for (sw_ix s = 0; s < g->nsw; s++)
		o.always[s] = s >= x->p->u->graph.nsw || x->p->seed[s];
	first_level(&o);
	while (next_level(&o, &is->dn, &o.dn))
		;
	find_always(&o);
	o.nother = 0;
	memcpy(reach_add_level(&x->u, &o.path), o.dn.row,
		g->nsw * sizeof(*o.path.row));
	while (next_level(&o, &is->path, &o.path))
		;
}

void
reach_diff_words(const struct keep_job *p, sw_ix s, uint64_t *words)
{
	const struct updown *u = p->u;
	uint32_t n = p->nwide;

	memcpy(words, p->wide + (size_t)s * n, n * sizeof(*words));
	for (uint32_t i = 0; p->moved_wide != NULL && i < n; i++)
		words[i] |= p->moved_wide[i];
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		for (uint32_t i = 0; i < n; i++)
			words[i] |=
				p->wide[(size_t)u->graph.group[g].peer * n + i];
}

void
reach_diff_find(struct keep_job *p, const char *engine)
{
	struct updown *u = p->u;
	struct arena *a = arena_new();
	struct reach_before x;
	bool told;

	p->seed = arena_array(u->graph.a, u->graph.nsw, sizeof(*p->seed));
	p->diff = arena_array(u->graph.a, u->graph.nsw, sizeof(*p->diff));
	p->wide = arena_array(
		u->graph.a, (size_t)u->graph.nsw * p->nwide, sizeof(*p->wide));
	told = reach_before_find(&x, p, a, engine);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		p->seed[s] = !told || !has_same_groups(&x, s) ||
			     !has_same_extra(&x, s) ||
			     (u->graph.plane != NULL && !has_same_links(&x, s));
	if (told)
		compare_levels(&x);
	arena_free(a);
}
