#include "routing/climb/climb.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "routing/climb/climb_priv.h"
#include "sm/base/mem.h"

/* Pairs without a common layer are few if they are at most 1/FEW_LEFT of all
 * pairs of switches, each direction counted. */
enum { FEW_LEFT = 32 };

static bool
is_cancelled(const struct climb *x)
{
	return x->job->cancel != NULL && *x->job->cancel;
}

/* Pin u, and all that its escape path leads through. */
static void
pin_path(struct climb *x, sw_ix t, sw_ix u)
{
	x->has_pins[t] = true;
	while (u != t && !x->pinned[climb_pair(x, t, u)]) {
		x->pinned[climb_pair(x, t, u)] = true;
		u = x->g->group[x->escape[u]].peer;
	}
}

/* ---- a tree ---- */

/* What an offer has to leave of layers: the one that the pair has; one that the
 * other direction has; any. */
enum wish { WISH_KEPT, WISH_BOTH, WISH_LAST, WISH_NONE };

/* ... and how it has to go. */
enum path_kind {
	PATH_ANY,
	PATH_REGULAR,	/* see climb_is_regular */
	PATH_LAST_STEP, /* straight, and by a last step to the destination */
};

struct demand {
	enum wish wish;
	uint16_t layers; /* of these; 0: even in none */
	enum path_kind kind;
	uint32_t longer; /* links more than a shortest path, at most */
};

enum { ANY_LENGTH = INT_MAX };

static uint16_t
wanted_layers(const struct climb *x, sw_ix t, sw_ix u, enum wish wish)
{
	uint16_t theirs = x->mask[climb_pair(x, u, t)];
	uint16_t has = wish == WISH_KEPT ? climb_former_layer(x, t, u) : 0;

	if (has != 0)
		return has;
	if (wish == WISH_NONE)
		return x->all;
	if (x->made[u] ? wish != WISH_LAST || x->last
		       : wish != WISH_LAST && theirs != 0)
		return theirs;
	return x->all;
}

static struct climb_onward
onward_from(const struct climb *x, sw_ix t, sw_ix v)
{
	size_t row = climb_pair(x, t, 0);

	return climb_onward(x, t, v, x->next + row, x->tail + row);
}

/*
 * Whether group c is the straight way to a last step: up to the switch before t
 * by links of the last class, then by one that a last step leads onto.
 */
static bool
is_last_step(const struct climb *x, sw_ix t, uint32_t c,
	const struct climb_onward *onward)
{
	const struct layer_orders *o = x->job->orders;
	unsigned straight = x->ins - 1;

	if (onward->next == CLIMB_NO_GROUP)
		return o->in[c] != straight;
	return o->in[c] == straight && (x->g->group[onward->next].peer == t ||
					       o->in[onward->next] == straight);
}

/* Whether layers l of a path of u to t, by group c and then onward, meet a
 * demand. */
static bool
meets_demand(const struct climb *x, sw_ix t, uint32_t c,
	const struct climb_onward *onward, struct climb_layers l,
	const struct demand *d)
{
	sw_ix u = x->d->from[c], v = x->g->group[c].peer;
	uint16_t wanted = d->layers & wanted_layers(x, t, u, d->wish);

	if (d->longer != ANY_LENGTH &&
		x->level[v] + 1 > x->shortest[u] + d->longer)
		return false;
	if ((l.mask & wanted) == 0)
		return d->layers == 0;
	if (d->kind == PATH_REGULAR)
		return climb_is_regular(x, t, c, onward, l.tail & wanted);
	return d->kind == PATH_ANY || is_last_step(x, t, c, onward);
}

/* Offer v, which is settled, to its neighbours; *n in the wave. */
static void
offer_switch(
	struct climb *x, sw_ix t, sw_ix v, const struct demand *d, uint32_t *n)
{
	const struct swgraph *g = x->g;
	struct climb_onward onward = onward_from(x, t, v);

	for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
		sw_ix u = g->group[i].peer;
		uint32_t c = x->d->back[i];
		struct climb_layers l;
		uint64_t cost;

		if (!g->live[u] || x->settled[u])
			continue;
		l = climb_step(x, c, &onward);
		if (x->pinned[climb_pair(x, t, u)]
				? c != x->escape[u]
				: !meets_demand(x, t, c, &onward, l, d))
			continue;
		cost = x->cost[v] + x->load[c];
		if (x->offer[u] == CLIMB_NO_GROUP)
			x->wave[(*n)++] = u;
		else if (cost >= x->offered[u])
			continue;
		x->offer[u] = c;
		x->offered[u] = cost;
		x->leaves[u] = l;
	}
}

/* u is in the tree, at a level. */
static void
join_level(struct climb *x, sw_ix u, uint32_t level)
{
	const struct swgraph *g = x->g;
	struct climb_level *l = &x->at[level];

	x->settled[u] = true;
	x->level[u] = level;
	if (level > x->deepest)
		x->deepest = level;
	for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++)
		x->open[g->group[i].peer]--;
	if (l->first == TOPO_NONE)
		l->first = u;
	else
		x->after[l->last] = u;
	l->last = u;
	x->after[u] = TOPO_NONE;
}

static void
settle_switch(struct climb *x, sw_ix t, sw_ix u)
{
	uint32_t c = x->offer[u];
	sw_ix v = x->g->group[c].peer;
	size_t p = climb_pair(x, t, u);

	join_level(x, u, x->level[v] + 1);
	x->cost[u] = x->cost[v] + x->load[c];
	x->next[p] = c;
	x->mask[p] = x->leaves[u].mask;
	x->tail[p] = x->leaves[u].tail;
	x->seq[climb_pair(x, t, x->nseq[t]++)] = u;
	x->offer[u] = CLIMB_NO_GROUP;
}

static bool
is_complete(const struct climb *x, sw_ix t)
{
	return x->nseq[t] == x->size[x->g->comp[t]];
}

/* What the settled ones of a level lead to; those whose neighbours are all
 * settled are looked at no more. */
static void
grow_level(struct climb *x, sw_ix t, uint32_t level, const struct demand *d)
{
	sw_ix *at = &x->at[level].first, last = TOPO_NONE;
	uint32_t n = 0;

	while (*at != TOPO_NONE) {
		sw_ix v = *at;

		if (x->open[v] == 0) {
			*at = x->after[v];
			continue;
		}
		offer_switch(x, t, v, d, &n);
		last = v;
		at = &x->after[v];
	}
	x->at[level].last = last;
	for (uint32_t k = 0; k < n; k++)
		settle_switch(x, t, x->wave[k]);
}

/* All that the settled ones lead to, level by level, by one demand after the
 * other. */
static void
grow_levels(struct climb *x, sw_ix t, const struct demand *d, unsigned n)
{
	for (uint32_t l = 0; l <= x->deepest; l++)
		for (unsigned i = 0; i < n && !is_complete(x, t); i++)
			grow_level(x, t, l, &d[i]);
}

static void
begin_tree(struct climb *x, sw_ix t)
{
	size_t row = climb_pair(x, t, 0), n = x->g->nsw;

	memset(x->next + row, 0xff, n * sizeof(*x->next));
	memset(x->mask + row, 0, n * sizeof(*x->mask));
	memset(x->tail + row, 0, n * sizeof(*x->tail));
	memset(x->settled, 0, n * sizeof(*x->settled));
	memset(x->offer, 0xff, n * sizeof(*x->offer));
	memset(x->at, 0xff, n * sizeof(*x->at));
	memcpy(x->open, x->degree, n * sizeof(*x->open));
	x->deepest = 0;
	join_level(x, t, 0);
	x->cost[t] = 0;
	x->mask[climb_pair(x, t, t)] = x->all;
	x->nseq[t] = 0;
	x->seq[climb_pair(x, t, x->nseq[t]++)] = t;
}

/* The previous paths, as far as they stand, in the layers of their pairs. */
static void
keep_paths(struct climb *x, sw_ix t)
{
	const struct climb_paths *p = climb_former_tree(x, t);

	for (uint32_t k = 1; k < p->n; k++) {
		sw_ix u = p->seq[k];
		uint32_t c = p->next[u];
		bool pinned = x->pinned[climb_pair(x, t, u)];
		uint16_t has = pinned ? 0 : climb_former_layer(x, t, u);

		/* a path of no layer is a detour now, or it leads through one
		 */
		if (!x->settled[x->g->group[c].peer] ||
			(pinned && c != x->escape[u]) ||
			(p->mask[u] & (has != 0 ? has : x->all)) == 0)
			continue;
		x->offer[u] = c;
		x->leaves[u] = (struct climb_layers){p->mask[u], p->tail[u]};
		settle_switch(x, t, u);
	}
}

/* Pin what is stuck; false: nothing is, or there is no escape tree. */
static bool
pin_stuck(struct climb *x, sw_ix t)
{
	const struct swgraph *g = x->g;

	if (is_complete(x, t) || x->job->orders->escape == x->job->orders->n)
		return false;
	climb_escape_make(x, t);
	for (sw_ix u = 0; u < g->nsw; u++)
		if (g->live[u] && g->comp[u] == g->comp[t] && !x->settled[u])
			pin_path(x, t, u);
	return true;
}

/* What finds a path in the layers of a structure. */
static void
grow_structure(struct climb *x, sw_ix t, enum wish wish, uint32_t longer)
{
	const struct layer_orders *o = x->job->orders;
	const struct demand structure[] = {
		{wish, o->first, PATH_REGULAR, longer},
		{wish, o->first, PATH_ANY, longer},
		{wish, o->structure, PATH_ANY, longer},
	};
	/* with a map those that are not first are for what is left */
	const unsigned n = o->map == NULL ? 3 : 2;
	const struct demand last = {wish, o->structure, PATH_LAST_STEP, longer};

	if (o->last_steps != NULL && o->last_steps[t])
		grow_levels(x, t, &last, 1);
	grow_levels(x, t, structure, n);
	grow_levels(x, t, &structure[2], 1);
}

/* What finds a path by one wish: in the layers of a structure first. Regular
 * paths go a long way round what is lost, and all that comes through such a
 * switch does; so those come first that are as short as any. */
static void
grow_wish(struct climb *x, sw_ix t, enum wish wish)
{
	const struct demand any = {wish, x->all, PATH_ANY, ANY_LENGTH};

	if (x->job->orders->structure != 0) {
		grow_structure(x, t, wish, 0);
		grow_structure(x, t, wish, ANY_LENGTH);
	}
	grow_levels(x, t, &any, 1);
}

/* Whether climb_mend finds layers for pairs that have none: few are left by
 * orders of a structure, while learned ones leave thousands where they do not
 * fit. */
static bool
is_mended(const struct layer_orders *o)
{
	return (o->map != NULL || o->structure != 0) && o->escape < o->n;
}

/*
 * All that finds a path. Switches that find none which leaves a layer for the
 * other direction take any first, while that is a wish. Where climb_mend finds
 * layers, the last pass takes any path rather than none. Paths that are all new
 * go the ways of the structure then, from which most pairs have the layers of
 * before again: a pair that a lost link has driven out of its layer would only
 * find a long way round in it.
 */
static void
grow_tree(struct climb *x, sw_ix t)
{
	const struct demand none = {WISH_NONE, 0, PATH_ANY, ANY_LENGTH};
	const struct layer_orders *o = x->job->orders;

	if (x->job->layers != NULL && (x->job->keep || !is_mended(o)))
		grow_wish(x, t, WISH_KEPT);
	grow_wish(x, t, WISH_BOTH);
	grow_wish(x, t, WISH_LAST);
	if (x->last && is_mended(o)) {
		grow_wish(x, t, WISH_NONE);
		grow_levels(x, t, &none, 1);
	}
}

/* False: a switch has no path, and there is no escape tree. */
static bool
make_tree(struct climb *x, sw_ix t)
{
	if (x->job->orders->structure != 0)
		climb_measure(x, t, x->shortest);
	if (x->has_pins[t])
		climb_escape_make(x, t);
	do {
		begin_tree(x, t);
		if (x->job->keep)
			keep_paths(x, t);
		grow_tree(x, t);
	} while (pin_stuck(x, t));
	if (!is_complete(x, t) && x->job->keep) {
		begin_tree(x, t);
		grow_tree(x, t);
	}
	x->made[t] = is_complete(x, t);
	return x->made[t];
}

/* ---- pairs ---- */

/* Pin the escape paths of u in the tree of t; false: they were. */
static bool
pin_pair(struct climb *x, sw_ix t, sw_ix u)
{
	if (x->pinned[climb_pair(x, t, u)])
		return false;
	climb_escape_make(x, t);
	pin_path(x, t, u);
	return true;
}

/* Pairs without a common layer get their escape paths both ways, until there
 * are none: pins only grow. */
static void
mend_pairs(struct climb *x)
{
	const struct swgraph *g = x->g;
	bool *again = mem_alloc((g->nsw + 1U) * sizeof(*again));
	bool any;

	do {
		memset(again, 0, g->nsw * sizeof(*again));
		any = false;
		for (sw_ix t = 0; t < g->nsw; t++)
			for (uint32_t k = 1; k < x->nseq[t]; k++) {
				sw_ix u = x->seq[climb_pair(x, t, k)];

				if (u > t || climb_common_layers(x, t, u) != 0)
					continue;
				again[t] |= pin_pair(x, t, u);
				again[u] |= pin_pair(x, u, t);
				any = true;
			}
		for (sw_ix t = 0; t < g->nsw; t++) {
			if (!again[t])
				continue;
			climb_add_load(x, t, false);
			(void)make_tree(x, t);
			climb_add_load(x, t, true);
		}
	} while (any);
	free(again);
}

/* Whether so few pairs are without a common layer that climb_mend is quick; by
 * two layers it would find little but up/down paths. */
static bool
are_few_left(const struct climb *x)
{
	uint64_t pairs = 0, left = 0;

	for (sw_ix t = 0; t < x->g->nsw; t++)
		for (uint32_t k = 1; k < x->nseq[t]; k++) {
			sw_ix u = x->seq[climb_pair(x, t, k)];

			pairs++;
			left += u < t && climb_common_layers(x, t, u) == 0;
		}
	return x->job->orders->n > 2 && left * FEW_LEFT <= pairs;
}

/* Layers of a structure in which others can go on over the first link of u's
 * path. */
static uint16_t
passable_layers(const struct climb *x, sw_ix t, sw_ix u)
{
	uint32_t c = x->next[climb_pair(x, t, u)];
	sw_ix v = x->g->group[c].peer;
	uint16_t on = x->all;

	if (v != t)
		on = x->tail[climb_pair(x, t, u)] &
		     x->on[directions_dep(
			     x->d, c, x->next[climb_pair(x, t, v)])];
	return on & x->job->orders->structure;
}

/* The best layers of some of a structure, in which LIDs have the most to
 * choose from. */
static uint16_t
prefer_layers(const struct climb *x, sw_ix t, sw_ix u, uint16_t can)
{
	const struct layer_orders *o = x->job->orders;
	uint16_t structure = can & (can & o->first ? o->first : o->structure),
		 both;

	if (structure == 0)
		return can;
	both = structure & passable_layers(x, t, u) & passable_layers(x, u, t);
	return both != 0 ? both : structure;
}

/* The layer of a pair: that in force if it can be, else the least used. */
static unsigned
choose_layer(const struct climb *x, sw_ix t, sw_ix u, const uint64_t *used)
{
	uint16_t can = climb_common_layers(x, t, u);
	unsigned best = ROUTE_LAYERS;

	if ((can & climb_former_layer(x, t, u)) != 0)
		can = climb_former_layer(x, t, u);
	can = prefer_layers(x, t, u, can);
	for (unsigned l = 0; l < x->job->orders->n; l++)
		if ((can >> l & 1) != 0 &&
			(best == ROUTE_LAYERS || used[l] < used[best]))
			best = l;
	return best;
}

static void
choose_layers(struct climb *x)
{
	const struct swgraph *g = x->g;
	uint64_t used[ROUTE_LAYERS] = {0};
	struct layer_row **row = mem_zalloc(g->nsw + 1U, sizeof(*row));

	for (sw_ix t = 0; t < g->nsw; t++)
		row[t] = layer_row_new(g->nsw);
	x->layers.nsw = g->nsw;
	for (sw_ix t = 0; t < g->nsw; t++)
		for (uint32_t k = 1; k < x->nseq[t]; k++) {
			sw_ix u = x->seq[climb_pair(x, t, k)];
			unsigned l = u < t ? choose_layer(x, t, u, used) : 0;

			if (u > t)
				continue;
			used[l] += (uint64_t)(g->weight[t] + 1U) *
				   (g->weight[u] + 1U);
			layer_row_put(row[t], u, (uint8_t)l);
			layer_row_put(row[u], t, (uint8_t)l);
			if (l >= x->layers.n)
				x->layers.n = (uint8_t)(l + 1);
		}
	x->layers.n = x->layers.n == 0 ? 1 : x->layers.n;
	for (sw_ix t = 0; t < g->nsw; t++)
		route_layers_put(&x->layers, t, row[t],
			t > 0 ? x->layers.row[t - 1] : NULL);
	free(row);
}

/* ---- the whole ---- */

/* Layers in which dependencies climb for packets that did not start there,
 * which are a class of their own where there is a map. */
static void
merge_classes(struct climb *x)
{
	uint32_t n = x->d->dep[x->d->n];

	if (x->job->orders->map == NULL && x->job->orders->structure == 0)
		return;
	x->on = arena_array(x->g->a, n + 1U, sizeof(*x->on));
	for (unsigned in = x->ins > 1; in < x->ins; in++)
		for (uint32_t i = 0; i < n; i++)
			x->on[i] |= x->dep[(size_t)in * n + i];
}

/* Previous paths first, of all trees: what is made anew sees their layers. */
static void
keep_trees(struct climb *x)
{
	const struct swgraph *g = x->g;

	for (sw_ix t = 0; t < g->nsw; t++) {
		if (!g->live[t])
			continue;
		begin_tree(x, t);
		keep_paths(x, t);
		x->made[t] = is_complete(x, t);
		climb_add_load(x, t, true);
	}
}

/* A switch has no path to t. Returns false. */
static bool
refuse_tree(const struct climb *x, sw_ix t, struct reason *why)
{
	const struct swgraph *g = x->g;
	sw_ix s = 0;

	while (!g->live[s] || g->comp[s] != g->comp[t] || x->settled[s])
		s++;
	(void)reason_set(why,
		"the order of its one layer leaves no path from %s to %s: a "
		"link or a switch is missing",
		swgraph_name(g, s).s, swgraph_name(g, t).s);
	return false;
}

/* One pass over all trees but those that are kept whole; false and why:
 * cancelled, or a pair has no path. */
static bool
make_pass(struct climb *x, struct reason *why)
{
	const struct swgraph *g = x->g;

	memset(x->made, 0, g->nsw * sizeof(*x->made));
	memset(x->has_pins, 0, g->nsw * sizeof(*x->has_pins));
	memset(x->pinned, 0, climb_pair(x, g->nsw, 0) * sizeof(*x->pinned));
	if (x->job->keep)
		keep_trees(x);
	for (sw_ix t = 0; t < g->nsw; t++) {
		if (is_cancelled(x)) {
			(void)reason_set(why, "cancelled");
			return false;
		}
		if (!g->live[t] || x->made[t])
			continue;
		climb_add_load(x, t, false);
		if (!make_tree(x, t))
			return refuse_tree(x, t, why);
		climb_add_load(x, t, true);
	}
	return true;
}

static bool
make_trees(struct climb *x, struct reason *why)
{
	for (unsigned pass = 0; pass < x->job->passes; pass++) {
		x->last = pass + 1 == x->job->passes;
		if (!make_pass(x, why))
			return false;
	}
	if (is_mended(x->job->orders) || are_few_left(x))
		climb_mend(x);
	else
		mend_pairs(x);
	choose_layers(x);
	return true;
}

/* Routes by trees to all switches; NULL and why: see climb_routes. */
static struct routes *
make_routes(struct climb *x, uint64_t **load, struct reason *why)
{
	const struct climb_job *job = x->job;
	struct routes *r;

	climb_make_room(x);
	if (!make_trees(x, why)) {
		route_layers_free(&x->layers);
		return NULL;
	}
	r = routes_new(x->g->job->topo, x->g->job->pool);
	r->order = ROUTE_NO_ORDER;
	r->layers = x->layers;
	r->layers.map = vl_map_share(job->orders->map);
	if (!climb_fill_lids(x, r, load)) {
		(void)reason_set(why, "cancelled");
		routes_unref(r);
		return NULL;
	}
	if (!job->keep)
		climb_rebalance(x, r, *load);
	return r;
}

struct routes *
climb_routes(const struct climb_job *job, struct climb_basis **basis,
	struct reason *why)
{
	const struct swgraph *g = job->d->g;
	struct climb_job own = *job;
	struct climb x = {.job = &own,
		.d = job->d,
		.g = g,
		.dep = layer_orders_climbing(job->d, job->orders, job->state),
		.ins = vl_map_ins(job->orders->map),
		.in = job->orders->in,
		.all = (uint16_t)((1U << job->orders->n) - 1)};
	uint64_t *load = NULL;
	struct routes *r;
	bool renew;

	switch_lids_list(&x.lids, g->t, g->a);
	merge_classes(&x);
	climb_former_begin(&x);
	r = climb_repair(&x, &load, &renew);
	own.keep &= !renew;
	own.passes = own.keep ? 1 : own.passes;
	if (r == NULL)
		r = make_routes(&x, &load, why);
	if (r != NULL)
		*basis = climb_basis_new(
			job->d, job->orders, x.dep, load, job->state);
	return r;
}
