#include "routing/improve/rebalance_multi_port.h"

#include <string.h>

#include "routing/graph/multi_port_node.h"

static bool
is_idle(const struct topo *t, const struct engine_options *o, port_ix p)
{
	const struct route_multi_port *h =
		multi_port_node_option(o, t->port[p].guid);

	return h != NULL && h->passive;
}

void
rebalance_multi_port_begin(struct rebalance_multi_port *h,
	const struct rebalance_tree_ring *g, const struct engine_options *o,
	bool *fixed)
{
	const struct topo *t = g->net->t;
	struct arena *a = g->a;
	struct multi_port_node_ports p = multi_port_node_ports(t, o);

	h->net = g->net;
	h->now = 1;
	h->mate = arena_array(a, t->max_lid + 1U, sizeof(*h->mate));
	h->barred = arena_array(a, t->nsw, sizeof(*h->barred));
	h->shared.seen = arena_array(a, t->nsw, sizeof(*h->shared.seen));
	h->behind = arena_array(a, t->nsw, sizeof(*h->behind));
	memset(fixed, true, t->max_lid + 1U);
	for (uint32_t lid = 0; lid <= t->max_lid; lid++)
		h->mate[lid] = (uint16_t)lid;
	for (size_t i = 0, n; i < p.n; i += n) {
		n = multi_port_node_size(&p, i);
		for (size_t k = 0; k < n; k++) {
			port_ix at = p.member[i + k].port;
			port_ix next = p.member[i + (k + 1) % n].port;

			h->mate[t->port[at].lid] = t->port[next].lid;
			fixed[t->port[at].lid] = n > 1 && is_idle(t, o, at);
		}
	}
	multi_port_node_ports_free(&p);
}

/* Follow the paths from a leaf to the other ports; returns how many there are,
 * 0 if some port is not reached. Then h->shared has the switches that are on
 * all of them. */
static uint32_t
follow_other_ports(struct rebalance_multi_port *h, const struct routes *r,
	uint16_t lid, sw_ix leaf)
{
	const struct topo *t = h->net->t;
	uint32_t n = 0;

	shared_switch_begin(&h->shared);
	for (uint16_t m = h->mate[lid]; m != lid; m = h->mate[m]) {
		sw_ix dest = topo_switch_of(t, t->by_lid[m]), s = leaf;

		shared_switch_next_path(&h->shared);
		n++;
		while (s != dest) {
			uint32_t c = link_map_entry(h->net, r, s, m);

			if (c == LINK_MAP_NONE)
				return 0;
			s = h->net->head[c];
			shared_switch_pass(&h->shared, s);
		}
	}
	return n;
}

/* Exclude the switches on all paths from a leaf to the other ports. */
static void
exclude_from_leaf(struct rebalance_multi_port *h, const struct routes *r,
	uint16_t lid, sw_ix leaf)
{
	const struct topo *t = h->net->t;
	uint16_t m = h->mate[lid];
	sw_ix dest = topo_switch_of(t, t->by_lid[m]);

	if (follow_other_ports(h, r, lid, leaf) == 0)
		return;
	for (sw_ix s = leaf; s != dest;) {
		s = h->net->head[link_map_entry(h->net, r, s, m)];
		if (shared_switch_has(&h->shared, s))
			h->barred[s] = h->now;
	}
}

uint32_t
rebalance_multi_port_exclude(struct rebalance_multi_port *h,
	const struct routes *r, uint16_t lid, const struct rebalance_tree *x,
	sw_ix s)
{
	uint32_t i = x->n, took = 0;

	h->now++;
	if (!rebalance_multi_port_has(h, lid))
		return 0;
	while (i > 0 && x->dist[x->seq[i - 1]] >= x->dist[s])
		i--;
	for (; i < x->n; i++) {
		sw_ix y = x->seq[i];

		took++;
		h->behind[y] =
			y == s ||
			(x->dist[y] > x->dist[s] &&
				h->behind[h->net->head[x->next_link[y]]]);
		if (h->behind[y] && h->net->t->sw[y].nhost > 0) {
			exclude_from_leaf(h, r, lid, y);
			took += x->dist[y];
		}
	}
	return took;
}

bool
rebalance_multi_port_shares(struct rebalance_multi_port *h,
	const struct routes *r, uint16_t lid, const struct rebalance_tree *x)
{
	for (uint32_t i = 1; rebalance_multi_port_has(h, lid) && i < x->n;
		i++) {
		sw_ix s = x->seq[i];

		if (h->net->t->sw[s].nhost == 0 ||
			follow_other_ports(h, r, lid, s) == 0)
			continue;
		while (x->next_link[s] != LINK_MAP_NONE) {
			s = h->net->head[x->next_link[s]];
			if (shared_switch_has(&h->shared, s))
				return true;
		}
	}
	return false;
}
