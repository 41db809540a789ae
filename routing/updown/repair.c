#include "routing/updown/repair_priv.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 64 }; /* memories that rest on each other */

/* Has s a cable upwards, in its tree, to another switch with other cables? */
static bool
leads_up(const struct updn_repair *p, const struct topo *t, sw_ix s)
{
	const struct updn *u = p->u;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		sw_ix peer = t->adj[t->sw[s].adj + i].peer;

		if (p->seed[peer] && !updn_plane_across(u, s, peer) &&
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
turned_stays(const struct updn_repair *p)
{
	const struct updn_since *since = p->u->since;

	for (uint32_t i = 0; i < since->n; i++) {
		sw_ix s = since->list[i];

		if (updn_bit(p->past->turn, s) &&
			(leads_up(p, p->u->t, s) || leads_up(p, since->was, s)))
			return false;
	}
	return true;
}

/* Everything but the cables is as it was; the order is taken over. */
static bool
same_order(struct updn_repair *p)
{
	struct updn *u = p->u;
	uint32_t *pos = u->line.pos;

	if (u->ncomp != p->past->ncomp)
		return false;
	memcpy(u->rank, p->prev->rank, u->nsw * sizeof(*u->rank));
	u->order = p->prev->order;
	updn_graph_sort(u);
	memcpy(pos, p->past->pos, u->nsw * sizeof(*pos));
	for (sw_ix s = 0; s < u->nsw; s++)
		u->line.seq[pos[s]] = s;
	memcpy(u->turn, p->past->turn, u->words * sizeof(*u->turn));
	u->turn_leaf = p->prev->turn_leaf;
	u->serves = p->past->serves;
	/* a cable that is new may end in a switch below it: another computation
	 * would choose again */
	return u->turn_leaf == TOPO_NONE || updn_turn_is_leaf(u, u->turn_leaf);
}

static struct updn_dests
own_dests(struct updn_repair *p)
{
	const struct updn_dests *was = &p->past->dests;
	struct updn *u = p->u;
	struct updn_dests d = *was;

	d.chain = arena_array(u->own, was->n, sizeof(*d.chain));
	memcpy(d.chain, was->chain, was->n * sizeof(*d.chain));
	d.share_of = arena_array(u->own, was->n, sizeof(*d.share_of));
	memcpy(d.share_of, was->share_of, was->n * sizeof(*d.share_of));
	updn_dests_room(u, &d, was->nsplit);
	return d;
}

struct routes *
updn_repair(const struct updn *like, const char *engine)
{
	const struct route_job *job = like->job;
	struct arena *a = like->a;
	struct updn u = {.job = job, .t = job->topo, .a = a, .like = like};
	struct updn_repair p = {.u = &u, .prev = job->prev};
	struct updn_dests d;
	struct routes *r;

	if (job->prev == NULL || job->prev->memory == NULL ||
		strcmp(job->prev->engine, engine) != 0)
		return NULL;
	p.past = job->prev->memory->what;
	if (p.past->depth >= DEPTH ||
		p.past->options != updn_past_options(job->options) ||
		like->since == NULL)
		return NULL;
	u.plane = p.past->plane;
	u.leaf = p.past->leaf;
	u.apex = p.past->apex;
	u.nplanes = p.past->nplanes;
	updn_graph(&u);
	p.seed = u.since->seed;
	p.diff = arena_array(a, u.nsw, sizeof(*p.diff));
	p.nwide = (u.words + 63) / 64;
	p.wide = arena_array(a, (size_t)u.nsw * p.nwide, sizeof(*p.wide));
	if (!same_order(&p) || !turned_stays(&p) ||
		(u.plane != NULL && !updn_plane_stands(&u, p.seed)))
		return NULL;
	updn_past_begin(&u, true);
	if (!updn_differ(&p)) {
		arena_free(u.own);
		arena_free(u.m);
		return NULL;
	}
	d = own_dests(&p);
	r = updn_mend(&p, &d);
	if (r == NULL) {
		arena_free(u.own);
		arena_free(u.m);
		return NULL;
	}
	updn_past_keep(&u, &p.reach, &d, p.past->depth + 1, r);
	routes_memory_rest(r->memory, job->prev->memory);
	(void)snprintf(r->note, sizeof(r->note), "%s", job->prev->note);
	return r;
}
