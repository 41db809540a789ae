/* Tarjan 1974: lowest visit numbers, without recursion. */
#include "sm/view/cut_points.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct visit {
	const struct topo *t;
	const bool *without; /* or NULL */
	uint32_t *seen;	     /* [nsw] visit number, 0: not yet */
	uint32_t *low;	     /* [nsw] lowest number reached from below */
	uint32_t *at;	     /* [nsw] next link to follow */
	uint32_t *by;	     /* [nsw] the link (topo.adj) it was reached by */
	sw_ix *stack;
	bool *parts; /* [nsw] */
	uint32_t n;
	size_t capcables;
	struct cut_points *out;
};

/* True if these two records are the ends of one link. */
static bool
is_same_link(const struct topo_adj *a, const struct topo_adj *b, sw_ix of_a,
	sw_ix of_b)
{
	return a->peer == of_b && b->peer == of_a && a->out == b->peer_port &&
	       a->peer_port == b->out;
}

/* Whether traffic can leave switch s by this link. */
static bool
is_there(const struct visit *v, sw_ix s, const struct topo_adj *a)
{
	const struct topo *t = v->t;

	return topo_sw_live(t, a->peer) &&
	       (v->without == NULL ||
		       (!v->without[topo_port_of(t, t->sw[s].node, a->out)] &&
			       !v->without[topo_port_of(
				       t, t->sw[a->peer].node, a->peer_port)]));
}

static void
enter_switch(struct visit *v, sw_ix s, uint32_t by, uint32_t *depth)
{
	v->seen[s] = v->low[s] = ++v->n;
	v->by[s] = by;
	v->stack[(*depth)++] = s;
}

/* Go back from s to u, from which it was reached. */
static void
leave_switch(struct visit *v, sw_ix s, sw_ix u)
{
	const struct topo *t = v->t;
	struct cut_points *out = v->out;

	if (v->low[s] < v->low[u])
		v->low[u] = v->low[s];
	if (v->low[s] >= v->seen[u])
		v->parts[u] = true;
	if (v->low[s] <= v->seen[u])
		return;
	out->link = mem_grow(
		out->link, out->nlinks, &v->capcables, sizeof(*out->link));
	out->link[out->nlinks++] =
		topo_port_of(t, t->sw[u].node, t->adj[v->by[s]].out);
}

static void
visit_from(struct visit *v, sw_ix root)
{
	const struct topo *t = v->t;
	uint32_t depth = 0, children = 0;

	enter_switch(v, root, TOPO_NONE, &depth);
	while (depth > 0) {
		sw_ix s = v->stack[depth - 1], u;
		const struct topo_adj *a;
		uint32_t i = v->at[s]++;

		if (i >= t->sw[s].nadj) {
			depth--;
			if (depth > 0)
				leave_switch(v, s, v->stack[depth - 1]);
			children += depth == 1;
			continue;
		}
		a = &t->adj[t->sw[s].adj + i];
		u = a->peer;
		if (!is_there(v, s, a))
			continue;
		if (v->seen[u] == 0)
			enter_switch(v, u, t->sw[s].adj + i, &depth);
		else if ((v->by[s] == TOPO_NONE ||
				 !is_same_link(a, &t->adj[v->by[s]], s, u)) &&
			 v->seen[u] < v->low[s])
			v->low[s] = v->seen[u];
	}
	v->parts[root] = children > 1;
}

void
cut_points_find(
	const struct topo *t, const bool *without, struct cut_points *out)
{
	size_t n = t->nsw + 1U;
	struct visit v = {.t = t,
		.without = without,
		.seen = mem_zalloc(n, sizeof(*v.seen)),
		.low = mem_zalloc(n, sizeof(*v.low)),
		.at = mem_zalloc(n, sizeof(*v.at)),
		.by = mem_zalloc(n, sizeof(*v.by)),
		.stack = mem_zalloc(n, sizeof(*v.stack)),
		.parts = mem_zalloc(n, sizeof(*v.parts)),
		.out = out};

	*out = (struct cut_points){.sw = mem_alloc(n * sizeof(*out->sw))};
	for (sw_ix s = 0; s < t->nsw; s++)
		if (v.seen[s] == 0 && topo_sw_live(t, s))
			visit_from(&v, s);
	for (sw_ix s = 0; s < t->nsw; s++)
		if (v.parts[s])
			out->sw[out->nsw++] = s;
	free(v.seen);
	free(v.low);
	free(v.at);
	free(v.by);
	free(v.stack);
	free(v.parts);
}

/* True if a drained switch is left to itself. */
static bool
is_left_out(const struct topo *t, sw_ix s)
{
	node_ix n = t->sw[s].node;
	const struct topo_adj *a = &t->adj[t->sw[s].adj];

	if ((t->port[t->node[n].first_port].flags & TP_DRAINED) == 0)
		return false;
	for (uint32_t i = 1; i < t->sw[s].nadj; i++)
		if (a[i].peer != a[0].peer)
			return false;
	for (unsigned i = 1; i <= t->node[n].nports; i++) {
		port_ix peer = t->port[topo_port_of(t, n, i)].peer;

		if (peer != TOPO_NONE &&
			t->node[t->port[peer].node].sw == TOPO_NONE)
			return false;
	}
	return true;
}

void
cut_points_find_in_use(const struct topo *t, struct cut_points *out)
{
	bool *without = mem_zalloc(t->nports + 1U, sizeof(*without));

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			without[topo_port_of(t, t->sw[s].node,
				t->adj[t->sw[s].adj + i].out)] =
				is_left_out(t, s);
	cut_points_find(t, without, out);
	free(without);
}

void
cut_points_free(struct cut_points *c)
{
	free(c->link);
	free(c->sw);
	*c = (struct cut_points){0};
}
