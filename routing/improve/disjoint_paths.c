/* The paths to the ports of one node. */
#include "routing/improve/disjoint_priv.h"

bool
disjoint_take_paths(struct disjoint *e, const struct multi_port_node_member *m,
	size_t n, unsigned path)
{
	const struct topo *t = e->t;
	bool has_disjoint = false;

	e->npaths = 0;
	for (size_t i = 0; i < n; i++) {
		const struct topo_port *p = &t->port[m[i].port];
		const struct route_multi_port *h =
			multi_port_node_option(e->job->options, p->guid);
		struct disjoint_path *w = &e->path[e->npaths];

		if (path >= 1U << p->lmc)
			continue;
		w->lid = (uint16_t)(p->lid + path);
		w->dest = topo_switch_of(t, m[i].port);
		w->idle = h != NULL && h->passive;
		w->base = path == 0;
		w->nth = ++e->nth;
		has_disjoint |= w->dest != e->path[0].dest;
		e->npaths++;
	}
	return has_disjoint;
}

bool
disjoint_has_shared_switch(struct disjoint *e, sw_ix s, uint32_t but)
{
	struct shared_switch *shared = &e->shared_by;

	shared_switch_begin(shared);
	for (uint32_t i = 0; i < e->npaths && shared->any; i++) {
		const struct disjoint_path *w = &e->path[i];

		if (i == but)
			continue;
		shared_switch_next_path(shared);
		for (sw_ix x = s; x != w->dest;) {
			if (disjoint_link(e, w, x) == DISJOINT_NONE)
				return false;
			x = w->to[x];
			shared_switch_pass(shared, x);
		}
	}
	return shared->any;
}
