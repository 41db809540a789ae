/*
 * repair_pairs: pairs that have no path in their layer after a repair of single
 * LIDs.
 *
 * The layer of a pair is tried first, then the others, those in which the
 * fewest of its paths are lacking before. A path is made by changing next hops
 * of switches on the way (climb_search.c), which keep the layers of their own
 * pairs; where that is not possible, a few may lose them, and are mended in
 * turn.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/climb/repair_priv.h"
#include "sm/base/mem.h"

/* Pairs that may lose their layers for one that is stuck, and in all beside
 * twice as many as are stuck. Of those, as many a switch take as long as new
 * tables. */
enum { BROKEN = 4, BROKEN_IN_ALL = 256, STUCK = 2 };

/* ---- a path ---- */

/* A search for a path to the LID at work. Nothing is known of a switch until it
 * is asked for. */
struct mending {
	struct repair *m;
	struct climb_search search;
	sw_ix u;   /* it is from there */
	bool *had; /* [nsw] of those whose paths change: was in its layer */
	/* pairs for which others lost their layers: these do not get it back at
	 * their cost, or that would go on for ever */
	struct stuck *firm;
	size_t nfirm, firm_room;
};

/* The group over which s sends the LID at work, or CLIMB_NO_GROUP. */
static uint32_t
entry_group(const struct repair *m, sw_ix s)
{
	return climb_port_group(m->x, s, repair_port(m, s, m->lid));
}

/* Pairs of what comes through s, and its own, that have another layer than that
 * searched in: as many as count. */
static uint32_t
count_breaks(void *of, sw_ix s)
{
	const struct mending *f = of;
	struct repair *m = f->m;
	const struct topo *t = m->x->g->t;
	uint32_t n = 0, left = 0;

	m->stack[left++] = s;
	while (left > 0 && n < CLIMB_BREAKS) {
		sw_ix v = m->stack[--left];

		n += v != f->u &&
		     routes_layer(&m->r->layers, v, m->t) != f->search.layer;
		for (uint32_t k = t->sw[v].adj;
			k < t->sw[v].adj + t->sw[v].nadj; k++)
			if (repair_comes_by(m, k, m->lid))
				m->stack[left++] = t->adj[k].peer;
	}
	return n;
}

static uint32_t
next_hop(void *of, sw_ix s)
{
	const struct mending *f = of;

	return entry_group(f->m, s);
}

/* The switches whose paths change by the path found: m->all, which many; and
 * which of them are in the layers of their pairs. */
static uint32_t
list_changed(struct mending *f)
{
	struct repair *m = f->m;
	const struct climb_search *q = &f->search;
	uint32_t n;

	repair_begin_lid(m, m->t, m->lid);
	for (uint32_t i = 0; i < q->length; i++)
		if (entry_group(m, m->x->d->from[q->path[i]]) != q->path[i])
			repair_add_orphan(m, m->x->d->from[q->path[i]]);
	n = repair_add_behind(m);
	repair_begin_lid(m, m->t, m->lid);
	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = m->all[i];

		repair_know_path(m, s);
		f->had[i] = s != f->u && m->state[s] == PATH_KNOWN &&
			    (m->mask[s] & repair_layer(m, s)) != 0;
	}
	return n;
}

static bool
is_firm(const struct mending *f, sw_ix u)
{
	struct stuck pair = stuck_pair(u, f->m->t);
	size_t i = 0;

	while (i < f->nfirm &&
		(f->firm[i].high != pair.high || f->firm[i].low != pair.low))
		i++;
	return i < f->nfirm;
}

static void
add_firm(struct mending *f, const struct stuck *pair)
{
	f->firm = mem_grow(f->firm, f->nfirm, &f->firm_room, sizeof(*f->firm));
	f->firm[f->nfirm++] = *pair;
}

/* Hang the path found in, and the first n of m->all by it. Returns how many of
 * them lose their layers; too many, if one must not. */
static uint32_t
hang_path(struct mending *f, uint32_t n)
{
	struct repair *m = f->m;
	const struct climb_search *q = &f->search;
	uint32_t lost = 0;

	repair_begin_lid(m, m->t, m->lid);
	for (uint32_t i = q->length; i-- > 0;) {
		sw_ix s = m->x->d->from[q->path[i]];
		uint32_t k = repair_entry_link(m, s);

		if (entry_group(m, s) != q->path[i])
			k = climb_choose_link(m->x, s, q->path[i], m->lid,
				m->load, &(bool){false});
		repair_hang(m, s, q->path[i], k);
	}
	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = m->all[i];

		repair_know_path(m, s);
		f->had[i] = f->had[i] && (m->mask[s] & repair_layer(m, s)) == 0;
		if (f->had[i])
			lost += is_firm(f, s) ? BROKEN + 1U : 1U;
	}
	return lost;
}

/* The path found gets entries. What comes through its switches moves with them,
 * where not too many lose their layers by that: these are stuck then; else
 * false. */
static bool
put_path(struct mending *f, uint32_t broken)
{
	struct repair *m = f->m;
	const struct climb_search *q = &f->search;
	uint32_t n = list_changed(f);

	if (hang_path(f, n) > broken)
		return false;
	for (uint32_t i = 0; i < n; i++)
		repair_move_load(
			m, m->all[i], repair_hosts(m, m->all[i]), false);
	for (uint32_t i = 0; i < q->length; i++) {
		sw_ix s = m->x->d->from[q->path[i]];

		repair_put_entry(m, s, m->x->g->t->adj[m->link[s]].out);
	}
	for (uint32_t i = 0; i < n; i++) {
		repair_move_load(
			m, m->all[i], repair_hosts(m, m->all[i]), true);
		if (f->had[i])
			repair_add_stuck(m, m->all[i], m->t);
	}
	return true;
}

/* ---- a pair ---- */

/* LIDs of t to which u has no path, by layer. */
static void
count_lacking(struct repair *m, sw_ix u, sw_ix t, uint32_t *lacking)
{
	const struct switch_lids *lids = &m->x->lids;

	for (uint32_t i = lids->first[t]; i < lids->first[t + 1]; i++) {
		uint16_t has;

		repair_begin_lid(m, t, lids->lid[i]);
		repair_know_path(m, u);
		has = m->state[u] == PATH_KNOWN ? m->mask[u] : 0;
		for (unsigned l = 0; l < m->x->job->orders->n; l++)
			lacking[l] += (has >> l & 1) == 0;
	}
}

/* Paths of u to all LIDs of t in this layer, which change those of others too;
 * false: there are none. */
static bool
mend_paths(struct mending *f, sw_ix u, sw_ix t, unsigned layer, uint32_t broken)
{
	struct repair *m = f->m;
	const struct switch_lids *lids = &m->x->lids;
	bool all = true;

	f->u = u;
	for (uint32_t i = lids->first[t]; all && i < lids->first[t + 1]; i++) {
		repair_begin_lid(m, t, lids->lid[i]);
		repair_know_path(m, u);
		if (m->state[u] == PATH_KNOWN && (m->mask[u] >> layer & 1) != 0)
			continue;
		all = climb_search_path(&f->search, t, u, layer) &&
		      put_path(f, broken);
	}
	return all;
}

/* The one of some layers in which the fewest paths of a pair are lacking; of
 * equal ones the first from that on which it has. */
static unsigned
choose_layer(const struct repair *m, unsigned has, const uint32_t *lacking,
	uint16_t layers)
{
	unsigned n = m->x->job->orders->n, best = ROUTE_LAYERS;

	for (unsigned k = 0; k < n; k++) {
		unsigned l = (has + k) % n;

		if ((layers >> l & 1) != 0 &&
			(best == ROUTE_LAYERS || lacking[l] < lacking[best]))
			best = l;
	}
	return best;
}

/* The pair gets paths in a layer; false: none has any for it. */
static bool
mend_pair(struct mending *f, const struct stuck *pair, uint32_t broken)
{
	struct repair *m = f->m;
	sw_ix a = pair->high, b = pair->low;
	unsigned has = routes_layer(&m->r->layers, a, b);
	uint32_t lacking[ROUTE_LAYERS] = {0};
	uint16_t left = m->x->all;

	count_lacking(m, a, b, lacking);
	count_lacking(m, b, a, lacking);
	while (left != 0) {
		unsigned l = choose_layer(m, has, lacking, left);

		if (mend_paths(f, a, b, l, broken) &&
			mend_paths(f, b, a, l, broken)) {
			repair_put_layer(m, a, b, l);
			repair_put_layer(m, b, a, l);
			if (broken > 0)
				add_firm(f, pair);
			return true;
		}
		left &= (uint16_t) ~(1U << l);
	}
	return false;
}

/*
 * All pairs that are left, and those that lose their layers by that, which few
 * may for one, and not many in all; false: one finds no paths, or they are too
 * many.
 */
bool
repair_pairs(struct repair *m)
{
	size_t most = 3 * m->nstuck + BROKEN_IN_ALL;
	struct mending f = {.m = m};
	bool done = true;

	if (m->nstuck == 0)
		return true;
	if (m->nstuck > (size_t)STUCK * m->x->g->nsw)
		return false;
	f.had = arena_array(m->x->g->a, m->x->g->nsw + 1U, sizeof(*f.had));
	f.search = (struct climb_search){.x = m->x,
		.of = &f,
		.next_hop = next_hop,
		.breaks = count_breaks};
	climb_search_room(&f.search);
	for (size_t i = 0; i < m->nstuck && m->nstuck <= most && done; i++) {
		struct stuck pair = m->stuck[i];

		done = false;
		for (uint32_t n = 0; !done && n <= BROKEN; n++)
			done = mend_pair(&f, &pair, n);
	}
	free(f.firm);
	return done && m->nstuck <= most;
}
