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

/*
 * e->seen counts, from e->stamp on, how many of the paths from s pass each
 * switch; e->all is the count of a switch that all of them pass.
 */
bool
disjoint_has_shared_switch(struct disjoint *e, sw_ix s, uint32_t but)
{
	bool any = true;

	e->stamp += DISJOINT_PORTS + 1;
	e->all = e->stamp;
	for (uint32_t i = 0; i < e->npaths && any; i++) {
		const struct disjoint_path *w;
		sw_ix x = s;

		if (i == but)
			continue;
		w = &e->path[i];
		any = false;
		while (x != w->dest) {
			if (disjoint_link(e, w, x) == DISJOINT_NONE)
				return false;
			x = w->to[x];
			if (e->all != e->stamp && e->seen[x] != e->all)
				continue;
			e->seen[x] = e->all + 1;
			any = true;
		}
		e->all++;
	}
	return any;
}
