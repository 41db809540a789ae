#include "routing/updown/repair_priv.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 64 }; /* of struct engine_cache */

/* True if s has a link upwards, in its tree, to another switch with changed
 * links. */
static bool
has_changed_uplink(const struct repair_job *p, const struct topo *t, sw_ix s)
{
	const struct updown *u = p->u;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		sw_ix peer = t->adj[t->sw[s].adj + i].peer;

		if (p->seed[peer] && !multi_tree_is_across(u, s, peer) &&
			u->tier.pos[peer] < u->tier.pos[s])
			return true;
	}
	return false;
}

/* The reversed subtree must stay as it is: what is above its members belongs to
 * it. True if no member has lost or gained a link upwards. */
static bool
subtree_stays(const struct repair_job *p)
{
	const struct topo_diff *since = p->u->graph.topo_diff;

	for (uint32_t i = 0; i < since->n; i++) {
		sw_ix s = since->list[i];

		if (bitset_has(p->cache->sftree_set, s) &&
			(has_changed_uplink(p, p->u->graph.t, s) ||
				has_changed_uplink(p, since->was, s)))
			return false;
	}
	return true;
}

/* Take over the previous order. False if it does not hold any more. */
static bool
same_order(struct repair_job *p)
{
	struct updown *u = p->u;
	uint32_t *pos = u->sw_order.pos;

	if (u->graph.ncomp != p->cache->ncomp)
		return false;
	memcpy(u->rank, p->prev->rank, u->graph.nsw * sizeof(*u->rank));
	u->order = p->prev->order;
	order_sort(u);
	memcpy(pos, p->cache->pos, u->graph.nsw * sizeof(*pos));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		u->sw_order.seq[pos[s]] = s;
	memcpy(u->sftree_set, p->cache->sftree_set,
		u->graph.words * sizeof(*u->sftree_set));
	u->sftree_root = p->prev->sftree_root;
	u->sftree_extra = p->cache->sftree_extra;
	/* a new link may end in a switch below the root: a full computation
	 * would choose another root */
	return u->sftree_root == TOPO_NONE ||
	       sftree_root_is_leaf(u, u->sftree_root);
}

static struct dest_table
copy_dests(struct repair_job *p)
{
	const struct dest_table *was = &p->cache->dests;
	struct updown *u = p->u;
	struct dest_table d = *was;

	d.path = arena_array(u->own, was->n, sizeof(*d.path));
	memcpy(d.path, was->path, was->n * sizeof(*d.path));
	d.share_of = arena_array(u->own, was->n, sizeof(*d.share_of));
	memcpy(d.share_of, was->share_of, was->n * sizeof(*d.share_of));
	down_path_reserve_splits(u, &d, was->nsplit);
	return d;
}

struct routes *
repair_routes(const struct swgraph *like, const char *engine)
{
	const struct route_job *job = like->job;
	struct arena *a = like->a;
	struct updown u = {
		.graph = {.job = job, .t = job->topo, .a = a, .like = like}};
	struct repair_job p = {.u = &u, .prev = job->prev};
	struct dest_table d;
	struct routes *r;

	if (job->prev == NULL || job->prev->cache == NULL ||
		strcmp(job->prev->engine, engine) != 0)
		return NULL;
	p.cache = job->prev->cache->what;
	if (p.cache->depth >= DEPTH ||
		p.cache->options != engine_cache_options_hash(job->options) ||
		like->topo_diff == NULL)
		return NULL;
	u.graph.plane = p.cache->plane;
	u.leaf = p.cache->leaf;
	u.crossing_leaf = p.cache->crossing_leaf;
	u.nplanes = p.cache->nplanes;
	order_begin(&u);
	p.seed = u.graph.topo_diff->seed;
	p.diff = arena_array(a, u.graph.nsw, sizeof(*p.diff));
	p.nwide = (u.graph.words + 63) / 64;
	p.wide = arena_array(a, (size_t)u.graph.nsw * p.nwide, sizeof(*p.wide));
	if (!same_order(&p) || !subtree_stays(&p) ||
		(u.graph.plane != NULL && !multi_tree_is_valid(&u, p.seed)))
		return NULL;
	engine_cache_begin(&u, true);
	if (!reach_update(&p)) {
		arena_free(u.own);
		arena_free(u.m);
		return NULL;
	}
	d = copy_dests(&p);
	r = lft_repair_entries(&p, &d);
	if (r == NULL) {
		arena_free(u.own);
		arena_free(u.m);
		return NULL;
	}
	engine_cache_store(&u, &p.reach, &d, p.cache->depth + 1, r);
	routes_cache_set_base(r->cache, job->prev->cache);
	(void)snprintf(r->note, sizeof(r->note), "%s", job->prev->note);
	return r;
}
