/*
 * transition_mcast: dependencies of multicast trees, which stay as they are
 * while unicast tables are written. Each tree asks whether there is room for it
 * in the mixture. Trees that are made while the tables are written meet a tree
 * that stays, so it has to keep the new order of multicast too; and it must not
 * lead where tables are unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "routing/mcast/mcast_order.h"
#include "sm/base/mem.h"

struct transition_guests {
	struct topo *topo; /* a reference */
	struct chan_graph net;
	struct dynamic_order order;
	struct route_mcast keep; /* the new order */
	struct transition_ports
		*unknown; /* [nsw] ports into the unknown, or NULL */
	bool full;
};

struct place {
	uint32_t was, is;
};

static int
by_new_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->is < y->is ? -1 : x->is > y->is;
}

/* Whether two switches have changed places in the order. */
static bool
places_changed(const struct topo *was, const struct route_mcast *old,
	const struct topo *t, const struct route_mcast *new)
{
	struct place *p = mem_zalloc(t->nsw, sizeof(*p));
	uint32_t last = 0;
	bool any = false;

	for (sw_ix s = 0; s < t->nsw; s++) {
		sw_ix o = topo_switch_in(was, t, s);

		p[s] = (struct place){
			o == TOPO_NONE ? UINT32_MAX : old->pos[o], new->pos[s]};
	}
	qsort(p, t->nsw, sizeof(*p), by_new_place);
	for (sw_ix s = 0; s < t->nsw; s++) {
		if (p[s].was == UINT32_MAX)
			continue; /* new: it carried nothing */
		any |= p[s].was < last;
		last = p[s].was;
	}
	free(p);
	return any;
}

/* Whether trees might use a port before that they may not use now. */
static bool
links_withdrawn(const struct topo *was, const struct route_mcast *old,
	const struct topo *t, const struct route_mcast *new)
{
	for (sw_ix s = 0; new->link != NULL &&s < t->nsw; s++) {
		sw_ix o = topo_switch_in(was, t, s);
		unsigned nports = t->node[t->sw[s].node].nports;

		/* idle links, too */
		for (unsigned p = 1; o != TOPO_NONE && p <= nports; p++)
			if (topo_port_switch(t, topo_port_behind(t, s, p)) !=
					TOPO_NONE &&
				!routes_mcast_link(new, s, p) &&
				routes_mcast_link(old, o, p))
				return true;
	}
	return false;
}

/* Whether a tree that kept the order of `from` may break that of `to`. */
static bool
order_changed(const struct transition_job *job, const struct route_mcast *new)
{
	const struct routes *from = job->from, *to = job->to;
	struct route_mcast old;
	bool changed;

	if (from == NULL) /* nothing makes trees yet; some may be there */
		return job->guests;
	routes_mcast(from, &old);
	changed = old.pos == NULL || old.layers != new->layers ||
		  places_changed(from->topo, &old, to->topo, new) ||
		  links_withdrawn(from->topo, &old, to->topo, new);
	routes_mcast_free(&old);
	return changed;
}

/*
 * Whether the mixture has a dependency from above to above (a valley). Each of
 * the two routings has none; a packet that meets both may make one.
 */
static bool
has_valley(const struct chan_graph *n, const uint64_t *mix, const uint32_t *pos)
{
	for (uint32_t v = 0; v < n->nv; v++) {
		sw_ix s = n->owner[v], q = n->owner[n->peer[v]];

		if (s >= n->nsw || q >= n->nsw || pos[q] > pos[s])
			continue;
		for (unsigned at = 0; dep_graph_next(&n->frame, mix, v, &at);
			at++) {
			sw_ix w = n->owner[dep_graph_head(&n->frame, v, at)];

			if (w < n->nsw && pos[w] < pos[s])
				return true;
		}
	}
	return false;
}

/*
 * Whether the mixture and whatever trees may do in this order have no cycle.
 * Where unicast obeys the same order, it is enough that the mixture does too.
 */
static bool
has_room(const struct chan_graph *n, const struct routes *to,
	const struct route_mcast *keep, const uint64_t *mix)
{
	return to->order != ROUTE_NO_ORDER
		       ? !has_valley(n, mix, keep->pos)
		       : mcast_order_fits(to->topo, keep, &n->frame, mix);
}

bool
transition_mcast_is_broken(const struct chan_graph *net,
	const struct transition_job *job, const uint64_t *mix)
{
	struct route_mcast keep;
	bool broken;

	if (job->guests && job->unsettled)
		return true;
	routes_mcast(job->to, &keep);
	broken = keep.pos == NULL || order_changed(job, &keep) ||
		 !has_room(net, job->to, &keep, mix);
	routes_mcast_free(&keep);
	return broken;
}

void
transition_mcast_open(struct transition_result *t, const struct lft_values *v,
	const uint64_t *mix)
{
	struct transition_guests *g = mem_zalloc(1, sizeof(*g));
	const struct routes *to = v->to;
	uint32_t nsw = v->net->nsw;

	t->guests = g;
	g->full = true;
	routes_mcast(to, &g->keep);
	if (mix == NULL || g->keep.pos == NULL)
		return;
	g->topo = topo_ref(to->topo);
	chan_graph_new(&g->net, to->topo, NULL,
		v->net->layers > 1 ? &to->layers : NULL);
	if (v->unknown != NULL)
		g->unknown = mem_dup(v->unknown, nsw * sizeof(*g->unknown));
	g->full = !dynamic_order_new(&g->order, &g->net.frame, NULL, mix);
}

void
transition_mcast_close(struct transition_guests *g)
{
	if (g == NULL)
		return;
	if (g->topo != NULL) {
		dynamic_order_free(&g->order);
		chan_graph_free(&g->net);
		topo_unref(g->topo);
	}
	routes_mcast_free(&g->keep);
	free(g->unknown);
	free(g);
}

void
transition_mcast_add_all(
	const struct chan_graph *n, const struct routes *to, uint64_t *dep)
{
	struct route_mcast keep;

	routes_mcast(to, &keep);
	if (keep.pos != NULL)
		mcast_order_add(to->topo, &keep, &n->frame, dep);
	routes_mcast_free(&keep);
}

bool
transition_mcast_must_ask(const struct transition_result *t)
{
	return t->guests != NULL;
}

/* The switch behind a port, or nsw. */
static sw_ix
switch_behind(const struct transition_guests *g, sw_ix s, unsigned port)
{
	return g->net.owner[g->net.peer[g->net.off[s] + port]];
}

/*
 * Whether the dependency keeps the new order, and leads where the tables are
 * known.
 */
static bool
keeps_order(const struct transition_guests *g, const struct transition_mcast *a)
{
	sw_ix s = a->sw, nsw = g->net.nsw;
	sw_ix from = switch_behind(g, s, a->in),
	      to = switch_behind(g, s, a->out);

	if (g->unknown != NULL &&
		(g->unknown[s].bit[a->out >> 6] >> (a->out & 63) & 1) != 0)
		return false;
	if (from == nsw || to == nsw)
		return true; /* no dependency */
	return routes_mcast_link(&g->keep, s, a->in) &&
	       routes_mcast_link(&g->keep, s, a->out) &&
	       (g->keep.pos[from] > g->keep.pos[s] ||
		       g->keep.pos[to] > g->keep.pos[s]);
}

/* Add one dependency in the layers of trees, whatever link their packets come
 * by before: the layer of a group is not known here. Without a switch on both
 * sides it is none. */
static bool
add_dependency(struct transition_guests *g, const struct transition_mcast *a,
	struct transition_mcast *done, size_t *ndone)
{
	const struct chan_graph *n = &g->net;

	if (switch_behind(g, a->sw, a->in) == n->nsw ||
		switch_behind(g, a->sw, a->out) == n->nsw)
		return true;
	for (uint32_t v = n->off[a->sw] + a->in; v < n->nv; v += n->nrec) {
		if ((g->keep.layers >> chan_graph_layer(n, v) & 1) == 0)
			continue;
		if (dep_graph_has(&n->frame, g->order.dep, v, a->out))
			continue;
		if (!dynamic_order_add(&g->order, v, a->out))
			return false;
		done[(*ndone)++] = (struct transition_mcast){v, a->in, a->out};
	}
	return true;
}

bool
transition_mcast_admit(struct transition_result *t,
	const struct transition_mcast *dep, size_t n)
{
	struct transition_guests *g = t->guests;
	struct transition_mcast *done;
	size_t ndone = 0;
	bool room = true;

	if (g == NULL || n == 0)
		return true;
	if (g->full)
		return false;
	done = mem_alloc(n * g->net.planes * sizeof(*done));
	for (size_t i = 0; i < n && room; i++)
		room = keeps_order(g, &dep[i]) &&
		       add_dependency(g, &dep[i], done, &ndone);
	while (!room && ndone > 0) {
		ndone--;
		dynamic_order_remove(
			&g->order, done[ndone].sw, done[ndone].out);
	}
	free(done);
	return room;
}
