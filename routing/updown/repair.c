#include "routing/updown/repair_priv.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 64 }; /* memories that rest on each other */

/* Has s a cable upwards, in its tree, to another switch with other cables? */
static bool
leads_up(const struct routes_repair *p, const struct topo *t, sw_ix s)
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

/*
 * A subtree that is turned over must be left as it is: what is above its
 * members belongs to it. None of them may have lost or got a cable upwards.
 */
static bool
turned_stays(const struct routes_repair *p)
{
	const struct topo_diff *since = p->u->graph.topo_diff;

	for (uint32_t i = 0; i < since->n; i++) {
		sw_ix s = since->list[i];

		if (bitset_has(p->past->turn, s) &&
			(leads_up(p, p->u->graph.t, s) ||
				leads_up(p, since->was, s)))
			return false;
	}
	return true;
}

/* Everything but the cables is as it was; the order is taken over. */
static bool
same_order(struct routes_repair *p)
{
	struct updown *u = p->u;
	uint32_t *pos = u->sw_order.pos;

	if (u->graph.ncomp != p->past->ncomp)
		return false;
	memcpy(u->rank, p->prev->rank, u->graph.nsw * sizeof(*u->rank));
	u->order = p->prev->order;
	order_sort(u);
	memcpy(pos, p->past->pos, u->graph.nsw * sizeof(*pos));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		u->sw_order.seq[pos[s]] = s;
	memcpy(u->sftree_set, p->past->turn,
		u->graph.words * sizeof(*u->sftree_set));
	u->turn_leaf = p->prev->sftree_root;
	u->sftree_extra = p->past->serves;
	/* a cable that is new may end in a switch below it: another computation
	 * would choose again */
	return u->turn_leaf == TOPO_NONE ||
	       sftree_root_is_leaf(u, u->turn_leaf);
}

static struct dest_table
own_dests(struct routes_repair *p)
{
	const struct dest_table *was = &p->past->dests;
	struct updown *u = p->u;
	struct dest_table d = *was;

	d.chain = arena_array(u->own, was->n, sizeof(*d.chain));
	memcpy(d.chain, was->chain, was->n * sizeof(*d.chain));
	d.share_of = arena_array(u->own, was->n, sizeof(*d.share_of));
	memcpy(d.share_of, was->share_of, was->n * sizeof(*d.share_of));
	dest_table_reserve(u, &d, was->nsplit);
	return d;
}

struct routes *
routes_repair(const struct swgraph *like, const char *engine)
{
	const struct route_job *job = like->job;
	struct arena *a = like->a;
	struct updown u = {
		.graph = {.job = job, .t = job->topo, .a = a, .like = like}};
	struct routes_repair p = {.u = &u, .prev = job->prev};
	struct dest_table d;
	struct routes *r;

	if (job->prev == NULL || job->prev->cache == NULL ||
		strcmp(job->prev->engine, engine) != 0)
		return NULL;
	p.past = job->prev->cache->what;
	if (p.past->depth >= DEPTH ||
		p.past->options != engine_cache_options(job->options) ||
		like->topo_diff == NULL)
		return NULL;
	u.graph.plane = p.past->plane;
	u.leaf = p.past->leaf;
	u.crossing_leaf = p.past->apex;
	u.nplanes = p.past->nplanes;
	order_begin(&u);
	p.seed = u.graph.topo_diff->seed;
	p.diff = arena_array(a, u.graph.nsw, sizeof(*p.diff));
	p.nwide = (u.graph.words + 63) / 64;
	p.wide = arena_array(a, (size_t)u.graph.nsw * p.nwide, sizeof(*p.wide));
	if (!same_order(&p) || !turned_stays(&p) ||
		(u.graph.plane != NULL && !multi_tree_is_valid(&u, p.seed)))
		return NULL;
	engine_cache_begin(&u, true);
	if (!reach_update(&p)) {
		arena_free(u.own);
		arena_free(u.m);
		return NULL;
	}
	d = own_dests(&p);
	r = lft_repair(&p, &d);
	if (r == NULL) {
		arena_free(u.own);
		arena_free(u.m);
		return NULL;
	}
	engine_cache_store(&u, &p.reach, &d, p.past->depth + 1, r);
	routes_cache_set_base(r->cache, job->prev->cache);
	(void)snprintf(r->note, sizeof(r->note), "%s", job->prev->note);
	return r;
}
