#include "sm/view/drains.h"

#include <stdlib.h>
#include <string.h>

#include "routing/core/routes.h"
#include "routing/mcast/mcast.h"
#include "sm/base/mem.h"

struct drain *
drains_find(const struct drains *d, uint64_t guid, unsigned port)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->list[i].guid == guid && d->list[i].port == port)
			return &d->list[i];
	return NULL;
}

bool
drains_is_of_health(const struct drain *d)
{
	return strcmp(d->by, DRAIN_BY_HEALTH) == 0;
}

struct drain *
drains_find_link(const struct drains *d, const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	struct drain *x = drains_find(d, t->node[port->node].guid, port->num);

	if (x != NULL || port->peer == TOPO_NONE)
		return x;
	port = &t->port[port->peer];
	return drains_find(d, t->node[port->node].guid, port->num);
}

bool
drains_is_own(const struct topo *t, uint64_t guid)
{
	sw_ix s = topo_switch_of(t, t->sm_port);

	return s != TOPO_NONE && t->node[t->sw[s].node].guid == guid;
}

/* ---- whom it cuts off ---- */

/* What is pulled. */
struct pulled {
	bool *node; /* [nnodes] */
	bool *port; /* [nports] */
};

static void
pull_one(const struct topo *t, const struct drain *d, struct pulled *out)
{
	node_ix n = topo_by_node_guid(t, d->guid);

	if (n == TOPO_NONE || d->port > t->node[n].nports)
		return;
	if (d->port == 0)
		out->node[n] = true;
	else
		out->port[topo_port_of(t, n, d->port)] = true;
}

/* The port at the other end of a link that stays, or TOPO_NONE. */
static port_ix
peer_left(const struct topo *t, const struct pulled *x, port_ix p)
{
	port_ix peer = t->port[p].peer;

	return peer == TOPO_NONE || x->port[p] || x->port[peer] ||
			       x->node[t->port[peer].node]
		       ? TOPO_NONE
		       : peer;
}

/* Mark the nodes that our own port is still connected to; only switches pass
 * anything on. */
static void
reach_nodes(const struct topo *t, const struct pulled *x, bool *reached)
{
	node_ix *queue = mem_alloc(t->nnodes * sizeof(*queue));
	uint32_t n = 0;

	reached[t->port[t->sm_port].node] = true;
	queue[n++] = t->port[t->sm_port].node;
	for (uint32_t i = 0; i < n; i++) {
		node_ix at = queue[i];

		for (unsigned k = 1; k <= t->node[at].nports; k++) {
			port_ix p = topo_port_of(t, at, k);
			port_ix peer = peer_left(t, x, p);

			if (peer == TOPO_NONE || reached[t->port[peer].node] ||
				(t->node[at].sw == TOPO_NONE &&
					p != t->sm_port))
				continue;
			reached[t->port[peer].node] = true;
			queue[n++] = t->port[peer].node;
		}
	}
	free(queue);
}

uint32_t
drains_cut_off(
	const struct topo *t, const struct drain *list, size_t n, bool *cut)
{
	struct pulled x = {mem_zalloc(t->nnodes, sizeof(bool)),
		mem_zalloc(t->nports, sizeof(bool))};
	bool *reached = mem_zalloc(t->nnodes, sizeof(*reached));
	uint32_t found = 0;

	for (size_t i = 0; i < n; i++)
		pull_one(t, &list[i], &x);
	reach_nodes(t, &x, reached);
	for (port_ix p = 0; p < t->nports; p++) {
		port_ix peer;

		if (!topo_is_host(t, p) || cut[p] || p == t->sm_port)
			continue;
		peer = peer_left(t, &x, p);
		if (peer != TOPO_NONE && reached[t->port[peer].node])
			continue;
		cut[p] = true;
		found++;
	}
	free(reached);
	free(x.node);
	free(x.port);
	return found;
}

/* ---- what still leads over it ---- */

/* The port that owns a LID, if it is neither the switch's nor linked to it; a
 * link is used by any LID. */
static bool
is_other(const struct topo *t, uint16_t lid, sw_ix drained)
{
	port_ix p = topo_by_lid(t, lid, NULL);

	return p != TOPO_NONE && topo_switch_of(t, p) != drained;
}

/* Count the entries of the switch at the far end of port p that lead to p. */
static void
count_entries(
	const struct routes *r, port_ix p, bool whole, struct drain_use *out)
{
	const struct topo *t = r->topo;
	const struct topo_port *far = &t->port[t->port[p].peer];
	sw_ix drained = whole ? t->node[t->port[p].node].sw : TOPO_NONE;
	sw_ix s = t->node[far->node].sw;

	for (uint32_t lid = 1; lid <= r->top; lid++) {
		if (routes_port(r, s, (uint16_t)lid) != far->num ||
			!is_other(t, (uint16_t)lid, drained))
			continue;
		if (out->entries++ > 0)
			continue;
		out->lid = (uint16_t)lid;
		out->from = t->node[far->node].guid;
	}
}

static bool
is_between_switches(const struct topo *t, port_ix p)
{
	return t->port[p].peer != TOPO_NONE &&
	       (t->port[p].flags & TP_SELF) == 0 &&
	       topo_port_switch(t, t->port[p].peer) != TOPO_NONE;
}

static void
count_port(const struct routes *r, port_ix p, bool whole, struct drain_use *out)
{
	const struct topo *t = r->topo;

	if (!is_between_switches(t, p))
		return;
	out->linked = true;
	if (topo_sw_live(t, topo_port_switch(t, t->port[p].peer)))
		count_entries(r, p, whole, out);
	if (!whole && topo_sw_live(t, topo_port_switch(t, p)))
		count_entries(r, t->port[p].peer, false, out);
}

bool
drains_in_tree(const struct drain *d, const struct mcast_tree *tree)
{
	node_ix n = topo_by_node_guid(tree->topo, d->guid);
	sw_ix s = n != TOPO_NONE ? tree->topo->node[n].sw : TOPO_NONE;
	unsigned links = 0;

	for (size_t i = 0; s != TOPO_NONE && i < tree->n; i++) {
		const struct mcast_branch *b = &tree->branch[i];
		bool up = b->sw == s && b->parent != TOPO_NONE;

		if (d->port != 0 &&
			((up && b->up == d->port) ||
				(b->parent == s && b->down == d->port)))
			return true;
		links += (up ? 1U : 0U) + (b->parent == s ? 1U : 0U);
	}
	return d->port == 0 && s != TOPO_NONE &&
	       links > (tree->topo->sw[s].nend > 1 ? 1 : 0);
}

void
drains_use(const struct drain *d, const struct routes *r,
	const struct mcast_tree *const *tree, size_t ntrees,
	struct drain_use *out)
{
	const struct topo *t = r->topo;
	node_ix n = topo_by_node_guid(t, d->guid);

	*out = (struct drain_use){0};
	if (n == TOPO_NONE || t->node[n].sw == TOPO_NONE ||
		d->port > t->node[n].nports)
		return;
	out->there = true;
	for (unsigned p = 1; p <= t->node[n].nports; p++)
		if (d->port == 0 || d->port == p)
			count_port(r, topo_port_of(t, n, p), d->port == 0, out);
	for (size_t i = 0; i < ntrees && tree != NULL; i++)
		out->trees += tree[i] != NULL && drains_in_tree(d, tree[i]);
}
