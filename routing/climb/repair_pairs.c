/*
 * repair_pairs: pairs that have no path in their layer after a repair of single
 * LIDs.
 *
 * The layer of a pair is tried first, then the others, those in which the
 * fewest of its paths are lacking before. A path is made by changing next hops
 * of switches on the way (climb_mend.c), which keep the layers of their own
 * pairs; where that is not possible, a few may lose them, and are mended in
 * turn.
 */
#include <string.h>

#include "routing/climb/repair_priv.h"

/* Pairs that may lose their layers for one that is stuck, and in all beside
 * half as many as are stuck. Of those, as many a switch take as long as new
 * tables. */
enum { BROKEN = 4, BROKEN_IN_ALL = 64, STUCK = 2 };

static void
put_layer(struct repair *m, sw_ix u, sw_ix t, unsigned layer)
{
	struct route_layers *l = &m->r->layers;

	if (!m->owned[t]) {
		struct layer_row *row = layer_row_new(l->nsw);

		if (l->row != NULL && l->row[t] != NULL)
			memcpy(row->of, l->row[t]->of, layer_row_bytes(l->nsw));
		route_layers_put(l, t, row, NULL);
		m->owned[t] = true;
	}
	layer_row_put(l->row[t], u, (uint8_t)layer);
}

/* Stuck switches get a next hop in no layer, so that the tree is whole. */
static void
complete_tree(struct repair *m)
{
	const struct swgraph *g = m->x->g;
	bool any;

	do {
		any = false;
		for (sw_ix u = 0; u < g->nsw; u++) {
			uint32_t i = g->first[u];

			if (m->state[u] != PATH_ORPHAN)
				continue;
			while (i < g->first[u + 1] &&
				m->state[g->group[i].peer] != PATH_KNOWN)
				i++;
			if (i == g->first[u + 1])
				continue;
			repair_hang(m, u, i, g->group[i].adj);
			any = true;
		}
	} while (any);
}

/* The tree of the LID at work into y, and the layers of the paths back: can for
 * u; of others those of their pairs; none for those that are stuck, which count
 * for nothing then. */
static void
put_tree(struct repair *m, struct climb *y, sw_ix u, uint16_t can)
{
	const struct swgraph *g = y->g;
	sw_ix t = m->t;

	for (sw_ix s = 0; s < g->nsw; s++) {
		uint16_t has;

		if (!g->live[s] || g->comp[s] != g->comp[t])
			continue;
		repair_know_path(m, s);
		has = m->state[s] == PATH_KNOWN
			      ? repair_layer(m, s) & m->mask[s]
			      : 0;
		y->mask[climb_pair(y, s, t)] = s == u ? can : has;
	}
	y->mask[climb_pair(y, t, t)] = y->all;
	complete_tree(m);
	for (sw_ix s = 0; s < g->nsw; s++)
		y->next[climb_pair(y, t, s)] = m->next[s];
}

/* Whether the entry of s for the LID at work leads over group c. */
static bool
leads_over(const struct repair *m, sw_ix s, uint32_t c)
{
	return climb_former_group(m->x, s, routes_port(m->r, s, m->lid)) == c;
}

/* The entries of the LID at work on the path of u by the tree in y, which
 * differs nowhere else. What comes through them moves with them. */
static void
put_path(struct repair *m, const struct climb *y, sw_ix u)
{
	const struct swgraph *g = y->g;
	const uint32_t *next = y->next + climb_pair(y, m->t, 0);
	uint32_t n;

	repair_begin_lid(m, m->t, m->lid);
	for (sw_ix s = u; s != m->t; s = g->group[next[s]].peer)
		if (!leads_over(m, s, next[s]))
			repair_add_orphan(m, s);
	n = repair_add_behind(m);
	for (uint32_t i = 0; i < n; i++)
		repair_move_load(
			m, m->all[i], repair_hosts(m, m->all[i]), false);
	for (sw_ix s = u; s != m->t; s = g->group[next[s]].peer) {
		uint32_t k = climb_choose_link(
			m->x, s, next[s], m->lid, m->load, &(bool){false});

		if (!leads_over(m, s, next[s]))
			repair_put_entry(m, s, g->t->adj[k].out);
	}
	for (uint32_t i = 0; i < n; i++)
		repair_move_load(
			m, m->all[i], repair_hosts(m, m->all[i]), true);
}

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

/* Those that have lost their layers by a change in the tree of t are stuck
 * now. */
static void
note_broken(struct repair *m, const struct climb *y, sw_ix t, sw_ix u)
{
	const struct swgraph *g = y->g;

	for (sw_ix s = 0; s < g->nsw; s++) {
		uint16_t back = y->mask[climb_pair(y, s, t)];

		if (s != u && g->live[s] && g->comp[s] == g->comp[t] &&
			back != 0 && (y->mask[climb_pair(y, t, s)] & back) == 0)
			repair_add_stuck(m, s, t);
	}
}

/* Paths of u to all LIDs of t in this layer, which change those of others too;
 * false: there are none. */
static bool
mend_paths(struct repair *m, struct climb *y, sw_ix u, sw_ix t, unsigned layer,
	int broken)
{
	const struct switch_lids *lids = &m->x->lids;
	bool all = true;

	for (uint32_t i = lids->first[t]; all && i < lids->first[t + 1]; i++) {
		repair_begin_lid(m, t, lids->lid[i]);
		repair_know_path(m, u);
		if (m->state[u] == PATH_KNOWN && (m->mask[u] >> layer & 1) != 0)
			continue;
		put_tree(m, y, u, (uint16_t)(1U << layer));
		all = climb_mend_path(y, t, u, broken);
		if (all) {
			put_path(m, y, u);
			note_broken(m, y, t, u);
		}
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
mend_pair(struct repair *m, struct climb *y, sw_ix a, sw_ix b, int broken)
{
	unsigned has = routes_layer(&m->r->layers, a, b);
	uint32_t lacking[ROUTE_LAYERS] = {0};
	uint16_t left = m->x->all;

	count_lacking(m, a, b, lacking);
	count_lacking(m, b, a, lacking);
	while (left != 0) {
		unsigned l = choose_layer(m, has, lacking, left);

		if (mend_paths(m, y, a, b, l, broken) &&
			mend_paths(m, y, b, a, l, broken)) {
			put_layer(m, a, b, l);
			put_layer(m, b, a, l);
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
	struct climb y = *m->x;
	size_t most = m->nstuck + m->nstuck / 2 + BROKEN_IN_ALL;
	bool done = true;

	if (m->nstuck == 0)
		return true;
	if (m->nstuck > (size_t)STUCK * m->x->g->nsw)
		return false;
	climb_make_room(&y);
	for (size_t i = 0; i < m->nstuck && m->nstuck <= most && done; i++) {
		struct stuck s = m->stuck[i];

		done = false;
		for (int broken = 0; !done && broken <= BROKEN; broken++)
			done = mend_pair(m, &y, s.high, s.low, broken);
	}
	return done && m->nstuck <= most;
}
