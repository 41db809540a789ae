#include "routing/updn_repair.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 64 }; /* memories that rest on each other */

/* The same ports by the same numbers for all LIDs? */
static bool
same_lids(const struct topo *t, const struct topo *was)
{
	return t->max_lid == was->max_lid &&
	       memcmp(t->by_lid, was->by_lid,
		       ((size_t)t->max_lid + 1) * sizeof(*t->by_lid)) == 0;
}

static bool
same_end(const struct topo *t, const struct topo *was, uint32_t i, uint32_t j)
{
	const struct topo_port *a = &t->port[t->end[i].port];
	const struct topo_port *b = &was->port[was->end[j].port];

	return a->lid == b->lid && a->lmc == b->lmc;
}

/* The same switches by the same numbers, with the same LIDs on them? */
static bool
same_switches(const struct topo *t, const struct topo *was)
{
	bool same = same_lids(t, was);

	if (t->nsw != was->nsw || t->max_lid != was->max_lid)
		return false;
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *a = &t->sw[s], *b = &was->sw[s];
		const struct topo_node *x = &t->node[a->node];
		const struct topo_node *y = &was->node[b->node];

		if (x->guid != y->guid || a->nend != b->nend ||
			((x->flags ^ y->flags) & TN_QUARANTINED))
			return false;
		for (uint32_t i = 0; i < a->nend; i++) {
			const struct topo_end *e = &t->end[a->end + i];
			const struct topo_end *f = &was->end[b->end + i];

			if (e->out != f->out || e->host != f->host ||
				((!same || e->port != f->port) &&
					!same_end(t, was, a->end + i,
						b->end + i)))
				return false;
		}
	}
	return true;
}

static bool
same_cables(const struct topo *t, const struct topo *was, sw_ix s)
{
	const struct topo_switch *a = &t->sw[s], *b = &was->sw[s];

	if (a->nadj != b->nadj)
		return false;
	if (memcmp(t->adj + a->adj, was->adj + b->adj,
		    a->nadj * sizeof(*t->adj)) == 0)
		return true;
	for (uint32_t i = 0; i < a->nadj; i++) {
		const struct topo_adj *x = &t->adj[a->adj + i];
		const struct topo_adj *y = &was->adj[b->adj + i];

		if (x->peer != y->peer || x->out != y->out)
			return false;
	}
	return true;
}

/*
 * A subtree that is turned over must be left as it is: what is above its
 * members belongs to it.
 */
static bool
find_seeds(struct updn_repair *p)
{
	const struct topo *t = p->u->t, *was = p->prev->topo;
	bool *inside = arena_array(p->u->a, t->nsw, sizeof(*inside));
	uint32_t n = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		p->seed[s] = !same_cables(t, was, s);
		inside[s] = p->seed[s] && updn_bit(p->past->turn, s);
		n += inside[s];
	}
	if (n == 0)
		return true;
	/* Seeds inside: none may have lost or got a cable upwards. */
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo *both[2] = {t, was};

		for (unsigned k = 0; inside[s] && k < 2; k++)
			for (uint32_t i = 0; i < both[k]->sw[s].nadj; i++) {
				sw_ix peer =
					both[k]->adj[both[k]->sw[s].adj + i]
						.peer;

				if (p->seed[peer] && peer != s &&
					!updn_plane_across(p->u, s, peer) &&
					p->u->tier.pos[peer] <
						p->u->tier.pos[s])
					return false;
			}
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
		!same_switches(job->topo, job->prev->topo))
		return NULL;
	u.plane = p.past->plane;
	u.leaf = p.past->leaf;
	u.apex = p.past->apex;
	u.nplanes = p.past->nplanes;
	updn_graph(&u);
	p.seed = arena_array(a, u.nsw, sizeof(*p.seed));
	p.diff = arena_array(a, u.nsw, sizeof(*p.diff));
	p.nwide = (u.words + 63) / 64;
	p.wide = arena_array(a, (size_t)u.nsw * p.nwide, sizeof(*p.wide));
	if (!same_order(&p) || !find_seeds(&p) ||
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
