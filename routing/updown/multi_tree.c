#include <stdio.h>
#include <string.h>

#include "routing/updown/row_priv.h"
#include "sm/base/mem.h"

enum {
	MOST_TREES = ROUTE_PARTS,
	NONE = 0xff,
	CROSSING_SHARE = 4, /* one leaf in this many must have links to all
			       other trees */
};

/* What a tree consists of. */
struct tree_size {
	uint32_t inner; /* switches that are no leaves */
	uint32_t racks; /* leaves with hosts */
};

struct tree_search {
	const struct updown *u;
	const bool *leaf;
	uint32_t comp; /* the component searched: most hosts */
	uint8_t *plane;
	struct tree_size of[MOST_TREES];
	uint32_t n;
};

static uint32_t
main_component(const struct updown *u)
{
	uint32_t best = 0;

	for (uint32_t c = 1; c < u->graph.ncomp; c++)
		if (u->graph.hosts[c] > u->graph.hosts[best])
			best = c;
	return best;
}

/* All that s reaches without a link from leaf to leaf gets number n. */
static void
flood_tree(struct tree_search *f, sw_ix s, sw_ix *queue)
{
	const struct updown *u = f->u;
	uint32_t head = 0, tail = 0;

	f->plane[s] = (uint8_t)f->n;
	queue[tail++] = s;
	while (head < tail) {
		sw_ix x = queue[head++];

		f->of[f->n].inner += !f->leaf[x];
		f->of[f->n].racks += f->leaf[x] && u->graph.weight[x] != 0;
		for (uint32_t g = u->graph.first[x]; g < u->graph.first[x + 1];
			g++) {
			sw_ix y = u->graph.group[g].peer;

			if (f->plane[y] != NONE || (f->leaf[x] && f->leaf[y]))
				continue;
			f->plane[y] = (uint8_t)f->n;
			queue[tail++] = y;
		}
	}
	f->n++;
}

/* Leaves that only have links to other leaves belong to the tree of these. True
 * if there was one. */
static bool
adopt_leaves(struct tree_search *f)
{
	const struct updown *u = f->u;
	bool more = false;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (!u->graph.live[s] || u->graph.comp[s] != f->comp ||
			f->plane[s] != NONE)
			continue;
		for (uint32_t g = u->graph.first[s];
			f->plane[s] == NONE && g < u->graph.first[s + 1]; g++)
			f->plane[s] = f->plane[u->graph.group[g].peer];
		more |= f->plane[s] != NONE;
	}
	return more;
}

/* Number the trees; false when there are not several, or too many. */
static bool
number_trees(struct tree_search *f)
{
	const struct updown *u = f->u;
	sw_ix *queue = arena_array(u->graph.a, u->graph.nsw, sizeof(*queue));

	memset(f->plane, NONE, u->graph.nsw);
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (!u->graph.live[s] || u->graph.comp[s] != f->comp ||
			f->leaf[s] || f->plane[s] != NONE)
			continue;
		if (f->n == MOST_TREES)
			return false;
		flood_tree(f, s, queue);
	}
	if (f->n < 2)
		return false;
	while (adopt_leaves(f))
		;
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (f->plane[s] == NONE)
			f->plane[s] = 0;
	return true;
}

/* Trees of the neighbours of leaf s, and its own, as bits. */
static uint32_t
trees_seen(const struct tree_search *f, sw_ix s)
{
	const struct updown *u = f->u;
	uint32_t bits = 1U << f->plane[s];

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (f->leaf[u->graph.group[g].peer])
			bits |= 1U << f->plane[u->graph.group[g].peer];
	return bits;
}

bool
multi_tree_find(struct updown *u, const bool *leaf)
{
	struct tree_search f = {.u = u, .leaf = leaf};
	uint32_t racks = 0, across = 0;

	if (u->graph.ncomp == 0)
		return false;
	f.comp = main_component(u);
	f.plane = arena_alloc(u->graph.a, u->graph.nsw);
	if (!number_trees(&f))
		return false;
	for (uint32_t p = 0; p < f.n; p++)
		if (f.of[p].racks < 2)
			return false;
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (u->graph.comp[s] != f.comp || !leaf[s] ||
			u->graph.weight[s] == 0)
			continue;
		racks++;
		across += trees_seen(&f, s) == (1U << f.n) - 1;
	}
	if (across * CROSSING_SHARE < racks)
		return false;
	u->graph.plane = f.plane;
	u->nplanes = f.n;
	u->leaf = leaf;
	return true;
}

/* ---- where trees meet ---- */

/* The first leaf of tree p that s has a link to, or TOPO_NONE. */
static sw_ix
crossing_neighbour(const struct updown *u, sw_ix s, uint32_t p)
{
	const struct topo_switch *sw = &u->graph.t->sw[s];

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		sw_ix x = u->graph.t->adj[i].peer;

		if (u->graph.live[x] && u->leaf[x] && u->graph.plane[x] == p)
			return x;
	}
	return TOPO_NONE;
}

static bool
has_link(const struct updown *u, sw_ix a, sw_ix b)
{
	const struct topo_switch *sw = &u->graph.t->sw[a];

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (u->graph.t->adj[i].peer == b)
			return true;
	return false;
}

/* True if s has crossing neighbours in every other tree which are all linked to
 * each other; at: these leaves, by tree. */
static bool
is_crossing_set(const struct updown *u, sw_ix s, sw_ix *at)
{
	at[0] = s;
	for (uint32_t p = 1; p < u->nplanes; p++) {
		at[p] = crossing_neighbour(u, s, p);
		if (at[p] == TOPO_NONE)
			return false;
		for (uint32_t q = 0; q < p; q++)
			if (!has_link(u, at[p], at[q]))
				return false;
	}
	return true;
}

/* True if one of these leaves is the sFtree root of the previous routes;
 * former: that of each component. */
static bool
is_in_force(const struct updown *u, const sw_ix *former, const sw_ix *at)
{
	bool any = false;

	for (uint32_t p = 0; p < u->nplanes; p++)
		any |= at[p] == former[u->graph.comp[at[p]]];
	return any;
}

/*
 * A rating of a crossing set. The set in force is the best as long as all
 * switches of each tree have a path up to what is above its leaf, or extension
 * switches give them one: half of all entries, from switches above the leaves
 * to other trees, lead to it and would move with it. Else it is the set that
 * most switches have such a path for; not the subnet manager's, if another is
 * as good.
 */
static uint64_t
rate_crossing_set(
	struct updown *u, bool keep, const sw_ix *former, const sw_ix *at)
{
	uint64_t good = 0;
	bool sm = false;

	if (is_in_force(u, former, at) &&
		sftree_root_is_extendable(u, keep, at, u->nplanes))
		return UINT64_MAX - 1;
	for (uint32_t p = 0; p < u->nplanes; p++) {
		good += sftree_root_reach_count(u, at[p]);
		sm |= at[p] == topo_switch_of(u->graph.t, u->graph.t->sm_port);
	}
	return good * 2 + (sm ? 0U : 1U);
}

bool
multi_tree_order(struct updown *u, bool keep)
{
	sw_ix at[MOST_TREES] = {TOPO_NONE}, best[MOST_TREES] = {TOPO_NONE};
	sw_ix *former =
		arena_array(u->graph.a, u->graph.ncomp, sizeof(*former));
	uint64_t most = 0;
	size_t n;

	reach_find_tiers(u);
	for (uint32_t c = 0; c < u->graph.ncomp; c++)
		former[c] = sftree_root_previous(u, c);
	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i];
		uint64_t is;

		if (!u->graph.live[s] || !u->leaf[s] ||
			u->graph.plane[s] != 0 || !is_crossing_set(u, s, at))
			continue;
		is = rate_crossing_set(u, keep, former, at) + 1;
		if (is <= most)
			continue;
		most = is;
		memcpy(best, at, sizeof(best));
	}
	if (most == 0 || !sftree_root_set(u, keep, best, u->nplanes))
		return false;
	u->crossing_leaf =
		arena_array(u->graph.a, u->nplanes, sizeof(*u->crossing_leaf));
	memcpy(u->crossing_leaf, best, u->nplanes * sizeof(*best));
	n = strlen(u->note);
	(void)snprintf(u->note + n, sizeof(u->note) - n,
		"; %u planes joined by links between leaves, for switches by "
		"those of %s",
		u->nplanes,
		topo_desc(u->graph.t, u->graph.t->sw[best[0]].node));
	return true;
}

uint8_t *
multi_tree_copy_marks(const struct updown *u)
{
	uint8_t *mark = mem_dup(u->graph.plane, u->graph.nsw);

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		mark[s] |= u->leaf[s] ? UPDN_TREE_LEAF : 0;
	for (uint32_t p = 0; p < u->nplanes; p++)
		mark[u->crossing_leaf[p]] |= ROUTE_GATE;
	return mark;
}

/* ---- rows ---- */

/* Ports of s by which packets for leaves of tree p may leave. */
struct exits {
	uint8_t port[UPDN_MAX_GROUPS];
	uint32_t n;
	uint32_t load[UPDN_MAX_GROUPS]; /* by port */
};

/* True if s carries packets of other leaves: then it is no exit, since only
 * packets from hosts may cross. */
static bool
carries_others(const struct updown *u, sw_ix s)
{
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (u->leaf[u->graph.group[g].peer])
			return true;
	return false;
}

static void
find_exits(const struct updown *u, sw_ix s, uint32_t p, struct exits *e)
{
	const struct topo_switch *sw = &u->graph.t->sw[s];
	bool crossing = s == u->crossing_leaf[u->graph.plane[s]];

	memset(e, 0, sizeof(*e));
	if (!u->leaf[s] || (!crossing && carries_others(u, s)))
		return;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		sw_ix x = u->graph.t->adj[i].peer;

		if (u->graph.live[x] && u->leaf[x] && u->graph.plane[x] == p &&
			(!crossing || x == u->crossing_leaf[p]))
			e->port[e->n++] = u->graph.t->adj[i].out;
	}
}

static uint8_t
least_loaded(const struct exits *e)
{
	uint8_t best = e->port[0];

	for (uint32_t k = 1; k < e->n; k++)
		if (e->load[e->port[k]] < e->load[best])
			best = e->port[k];
	return best;
}

/* True if LID i is in tree p. */
static bool
is_in_tree(const struct row_job *f, uint32_t i, uint32_t p)
{
	const struct updown *u = f->u;

	return u->graph.comp[f->d->dest[i]] ==
	       u->graph.comp[u->crossing_leaf[p]];
}

/* Cross by the links of s itself, spread evenly. */
static void
fill_across(struct row_job *f, struct exits *e, uint32_t p)
{
	const struct dest_table *d = f->d;

	for (uint32_t i = 0; i < d->n; i++) {
		uint8_t out;

		if (!is_in_tree(f, i, p))
			continue;
		out = least_loaded(e);
		f->row[d->lid[i]] = out;
		e->load[out] += !d->other[i];
	}
}

void
multi_tree_fill_row(struct row_job *f, sw_ix s)
{
	const struct updown *u = f->u;
	const struct dest_table *d = f->d;
	sw_ix crossing = u->crossing_leaf[u->graph.plane[s]];
	uint8_t there = LFT_DROP;
	struct exits e;

	if (u->graph.comp[s] != u->graph.comp[crossing])
		return;
	for (uint32_t i = d->at[crossing]; i < d->end[crossing]; i++)
		if (d->out[i] == 0)
			there = f->row[d->lid[i]];
	for (uint32_t p = 0; p < u->nplanes; p++) {
		if (p == u->graph.plane[s])
			continue;
		find_exits(u, s, p, &e);
		if (e.n > 0) {
			fill_across(f, &e, p);
			continue;
		}
		for (uint32_t i = 0; i < d->n; i++)
			if (is_in_tree(f, i, p))
				f->row[d->lid[i]] = there;
	}
}

/* ---- entries that are kept ---- */

bool
multi_tree_is_across(const struct updown *u, sw_ix s, sw_ix x)
{
	return u->graph.plane != NULL &&
	       u->graph.plane[x] != u->graph.plane[s] &&
	       u->graph.comp[x] ==
		       u->graph.comp[u->crossing_leaf[u->graph.plane[x]]] &&
	       u->graph.comp[s] ==
		       u->graph.comp[u->crossing_leaf[u->graph.plane[s]]];
}

bool
multi_tree_mark_exits(
	const struct updown *u, sw_ix s, uint32_t p, uint8_t mark[256])
{
	struct exits e;

	find_exits(u, s, p, &e);
	memset(mark, 0, 256);
	for (uint32_t k = 0; k < e.n; k++)
		mark[e.port[k]] = 1;
	return e.n > 0;
}
