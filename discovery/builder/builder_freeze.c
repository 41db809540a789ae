#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "discovery/builder/builder_priv.h"
#include "sm/base/mem.h"

/* Order of nodes: distance, GUID, and for duplicates the handle. */
struct rank {
	uint64_t guid;
	builder_id id;
	uint32_t hops;
};

static int
rank_cmp(const void *pa, const void *pb)
{
	const struct rank *a = pa;
	const struct rank *b = pb;

	if (a->hops != b->hops)
		return a->hops < b->hops ? -1 : 1;
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void
sort_order(struct builder *d, size_t from)
{
	size_t n = d->norder - from;
	struct rank *rank = mem_zalloc(n, sizeof(*rank));

	for (size_t i = 0; i < n; i++) {
		builder_id id = d->order[from + i];

		rank[i].id = id;
		rank[i].guid = d->node[id]->guid;
		rank[i].hops = d->node[id]->hops;
	}
	qsort(rank, n, sizeof(*rank), rank_cmp);
	for (size_t i = 0; i < n; i++)
		d->order[from + i] = rank[i].id;
	free(rank);
}

static void
reach_node(struct builder *d, builder_id id, uint8_t reach)
{
	d->node[id]->reach = reach;
	d->order =
		mem_grow(d->order, d->norder, &d->order_cap, sizeof(*d->order));
	d->order[d->norder++] = id;
}

/* Reach every node that is one link away from node id and not reached yet. */
static void
reach_neighbours(struct builder *d, builder_id id, uint8_t reach)
{
	struct builder_node *n = d->node[id];
	unsigned from = 1;
	unsigned to = n->nports;

	if (n->type != TOPO_SWITCH) {
		/* CAs and routers forward nothing; our own node sends. */
		if (id != d->self)
			return;
		from = to = d->self_port;
	}
	for (unsigned p = from; p <= to; p++) {
		builder_id peer = n->port[p].peer;
		struct builder_node *m;

		if (peer == BUILDER_NONE || d->node[peer]->reach)
			continue;
		m = d->node[peer];
		m->via = id;
		m->via_port = (uint8_t)p;
		m->hops = (uint16_t)(n->hops + 1);
		reach_node(d, peer, reach);
	}
}

/* Breadth first, one distance after the other, each in order of GUID, so that
 * the routes do not depend on the order in which nodes were found. */
static void
reach_clean(struct builder *d)
{
	size_t from = 0;

	while (from < d->norder) {
		size_t to = d->norder;

		sort_order(d, from);
		for (size_t i = from; i < to; i++) {
			if (d->node[d->order[i]]->quarantine == NULL)
				reach_neighbours(d, d->order[i], BUILDER_CLEAN);
		}
		from = to;
	}
}

/*
 * Then the nodes that only quarantined switches lead to: first those that
 * answer, and pass directed routes on, at last the silent ones.
 */
static void
reach_behind(struct builder *d)
{
	size_t clean = d->norder, n;

	for (size_t i = 0; i < d->norder; i++) {
		const struct builder_node *node = d->node[d->order[i]];

		if (!node->silent && (i >= clean || node->quarantine != NULL))
			reach_neighbours(d, d->order[i], BUILDER_BEHIND);
	}
	n = d->norder;
	for (size_t i = 0; i < d->norder; i++)
		if (i >= n || d->node[d->order[i]]->silent)
			reach_neighbours(d, d->order[i], BUILDER_CUT_OFF);
	for (size_t i = n; i < d->norder; i++)
		d->node[d->order[i]]->was_cut = true;
	if (d->norder > clean)
		sort_order(d, 0);
}

void
builder_route(struct builder *d)
{
	if (d->routed)
		return;
	d->routed = true;
	for (builder_id i = 0; i < d->nnodes; i++) {
		if (d->node[i] == NULL)
			continue;
		d->node[i]->reach = BUILDER_UNREACHED;
		d->node[i]->via = BUILDER_NONE;
	}
	d->norder = 0;
	if (d->self == BUILDER_NONE)
		return;
	d->node[d->self]->hops = 0;
	reach_node(d, d->self, BUILDER_CLEAN);
	reach_clean(d);
	reach_behind(d);
}

/*
 * The node at the other end of the port's link; NULL: no link, or a node that
 * the topology does not hold.
 */
static const struct builder_node *
linked_peer(const struct builder *d, const struct builder_port *p)
{
	if (p->peer == BUILDER_NONE || d->node[p->peer]->reach == 0)
		return NULL;
	return d->node[p->peer];
}

static void
count_ports(const struct builder *d, builder_id id, struct topo_dims *m)
{
	const struct builder_node *n = d->node[id];

	for (unsigned p = 0; p <= n->nports; p++) {
		const struct builder_port *port = &n->port[p];
		const struct builder_node *peer = linked_peer(d, port);

		m->nguid += port->guid != 0;
		if (n->type != TOPO_SWITCH || peer == NULL)
			continue;
		if (peer->type != TOPO_SWITCH)
			m->nend++;
		else if (port->peer != id && (port->marks & DP_IDLE) == 0)
			m->nadj++;
	}
}

/* Number the PortInfos that this node has and that have no number yet. */
static void
number_infos(
	const struct builder_node *n, uint32_t *info_at, struct topo_dims *m)
{
	for (unsigned p = 0; p <= n->nports; p++) {
		info_ref r = n->port[p].info;

		if (r != INFO_NONE && info_at[r] == 0)
			info_at[r] = m->ninfo++;
	}
}

/* Count what the topology will hold, and give every node its index and its
 * first port, every PortInfo its place. */
static struct topo_dims
count_all(struct builder *d, port_ix *first_port, uint32_t *info_at)
{
	struct topo_dims m = {.ntext = 1, .ninfo = 1};

	for (size_t i = 0; i < d->norder; i++) {
		struct builder_node *n = d->node[d->order[i]];

		n->ix = m.nnodes++;
		first_port[i] = m.nports;
		m.nports += (uint32_t)n->nports + 1;
		if (n->desc != NULL)
			m.ntext += (uint32_t)strlen(n->desc) + 1;
		if (n->type == TOPO_SWITCH) {
			m.nsw++;
			m.nend++; /* port 0 */
		}
		count_ports(d, d->order[i], &m);
		number_infos(n, info_at, &m);
	}
	return m;
}

static void
freeze_port(const struct builder *d, const struct builder_node *n, unsigned p,
	struct topo_port *out)
{
	const struct builder_port *in = &n->port[p];
	bool linked = linked_peer(d, in) != NULL;

	out->guid = in->guid;
	out->peer = TOPO_NONE;
	out->node = n->ix;
	out->num = (uint8_t)p;
	out->flags = (uint8_t)(in->flags & ~TP_UNREAD);
	if ((in->marks & DP_READ) == 0 &&
		(linked || (n->type == TOPO_SWITCH && p > 0 &&
				   (n->flags & TN_PARTIAL) != 0)))
		out->flags |= TP_UNREAD;
	if ((in->marks & DP_IDLE) != 0)
		out->flags |= TP_IDLE;
	out->capmask = in->capmask;
	if (n->keeps_rows)
		out->capmask &= ~(uint32_t)MAD_CAP_SL_MAPPING;
	out->capmask2 = in->capmask2;
	out->found_lid = in->lid;
	out->state = in->state;
	out->phys = in->phys;
	out->mtu_cap = in->mtu_cap;
	out->mtu = in->mtu;
	out->vl_cap = in->vl_cap;
	out->op_vls = in->op_vls;
	out->width = in->width;
	out->speed = in->speed;
	out->speed_ext = in->speed_ext;
	/* A host's extended speed is known from the other end of its link. */
	if (linked && out->speed_ext == 0)
		out->speed_ext =
			d->node[in->peer]->port[in->peer_port].speed_ext;
}

/* True if no traffic passes this switch: every linked port is known to be in
 * Init. */
static bool
is_fresh(const struct builder *d, const struct builder_node *n)
{
	for (unsigned p = 1; p <= n->nports; p++) {
		const struct builder_port *port = &n->port[p];

		if (linked_peer(d, port) != NULL &&
			((port->marks & DP_READ) == 0 ||
				port->state > PORT_INIT))
			return false;
	}
	return true;
}

static void
freeze_node(struct builder *d, struct topo *t, node_ix i, port_ix first,
	const uint32_t *info_at)
{
	builder_id id = d->order[i];
	const struct builder_node *n = d->node[id];
	struct topo_node *out = &t->node[i];

	out->guid = n->guid;
	out->sysimg = n->sysimg;
	out->first_port = first;
	out->via = TOPO_NONE;
	out->sw = TOPO_NONE;
	out->vendor = n->vendor;
	out->revision = n->revision;
	out->partition_cap = n->partition_cap;
	out->device = n->device;
	out->hops = n->hops;
	out->type = n->type;
	out->nports = n->nports;
	out->flags = n->flags;
	out->role = n->role;
	if (n->quarantine != NULL || n->reach == BUILDER_CUT_OFF)
		out->flags |= TN_QUARANTINED;
	if (id == d->self)
		out->flags |= TN_SM;
	if (n->type == TOPO_SWITCH && is_fresh(d, n))
		out->flags |= TN_FRESH;
	if (n->type == TOPO_CA && topo_is_aggregation(n->vendor, n->device))
		out->flags |= TN_AGGREGATION;
	for (unsigned p = 0; p <= n->nports; p++) {
		freeze_port(d, n, p, &t->port[first + p]);
		t->info_at[first + p] = info_at[n->port[p].info];
	}
}

/* Peers and routes: they need every node's first port. */
static void
freeze_links(struct builder *d, struct topo *t)
{
	for (node_ix i = 0; i < t->nnodes; i++) {
		builder_id id = d->order[i];
		const struct builder_node *n = d->node[id];
		struct topo_node *out = &t->node[i];

		if (n->via != BUILDER_NONE)
			out->via = topo_port_of(
				t, d->node[n->via]->ix, n->via_port);
		for (unsigned p = 0; p <= n->nports; p++) {
			const struct builder_port *port = &n->port[p];
			const struct builder_node *peer = linked_peer(d, port);
			struct topo_port *tp = &t->port[out->first_port + p];

			if (peer == NULL)
				continue;
			tp->peer = topo_port_of(t, peer->ix, port->peer_port);
			if (port->peer == id)
				tp->flags |= TP_SELF;
		}
	}
	t->sm_port = topo_port_of(t, 0, d->self_port);
	t->port[t->sm_port].flags |= TP_OURS;
}

/* Sort by (peer, out); the entries come sorted by out and are few. */
static void
sort_adj(struct topo_adj *a, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		struct topo_adj x = a[i];
		unsigned j = i;

		for (; j > 0 && a[j - 1].peer > x.peer; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

static void
freeze_switch_links(
	struct topo *t, struct topo_switch *w, uint32_t *nadj, uint32_t *nend)
{
	const struct topo_node *n = &t->node[w->node];

	w->adj = *nadj;
	w->end = *nend;
	t->end[(*nend)++] = (struct topo_end){.port = n->first_port};
	for (unsigned p = 1; p <= n->nports; p++) {
		const struct topo_port *port = &t->port[n->first_port + p];
		const struct topo_port *peer;
		sw_ix sw;

		if (port->peer == TOPO_NONE || (port->flags & TP_IDLE) != 0)
			continue;
		peer = &t->port[port->peer];
		if (port->flags & TP_SELF) {
			if (peer->num >= p)
				w->nself++;
			continue;
		}
		sw = t->node[peer->node].sw;
		if (sw == TOPO_NONE) {
			bool host = topo_is_host_node(t, peer->node);

			if (host)
				w->nhost++;
			t->end[(*nend)++] =
				(struct topo_end){port->peer, (uint8_t)p, host};
		} else {
			t->adj[(*nadj)++] = (struct topo_adj){.peer = sw,
				.out = (uint8_t)p,
				.peer_port = peer->num};
		}
	}
	w->nadj = (uint16_t)(*nadj - w->adj);
	w->nend = (uint16_t)(*nend - w->end);
	sort_adj(&t->adj[w->adj], w->nadj);
}

static void
freeze_switches(const struct builder *d, struct topo *t)
{
	uint32_t nadj = 0;
	uint32_t nend = 0;
	sw_ix s = 0;

	for (node_ix i = 0; i < t->nnodes; i++) {
		const struct builder_node *n = d->node[d->order[i]];
		struct topo_switch *w = &t->sw[s];

		if (n->type != TOPO_SWITCH)
			continue;
		t->node[i].sw = s++;
		w->node = i;
		w->lft_cap = n->lft_cap;
		memcpy(t->sinfo[s - 1], n->switch_info, 64);
		w->lft_top = n->lft_top;
		w->mft_cap = n->mft_cap;
		w->enf_cap = n->enf_cap;
		w->life = n->life;
		w->changed = n->changed;
		w->opt_sl2vl = n->opt_sl2vl;
	}
	for (s = 0; s < t->nsw; s++)
		freeze_switch_links(t, &t->sw[s], &nadj, &nend);
	assert(nadj == t->nadj && nend == t->nend);
}

static void
freeze_text(const struct builder *d, struct topo *t)
{
	uint32_t at = 1; /* offset 0 is the empty string */

	for (node_ix i = 0; i < t->nnodes; i++) {
		const char *desc = d->node[d->order[i]]->desc;
		size_t n;

		if (desc == NULL)
			continue;
		n = strlen(desc) + 1;
		memcpy(t->text + at, desc, n);
		t->node[i].desc = at;
		at += (uint32_t)n;
	}
}

struct topo *
builder_freeze(struct builder *d, uint32_t generation, struct reason *why)
{
	struct topo_dims dims;
	struct topo *t;
	port_ix *first;
	uint32_t *info_at;

	if (d->self == BUILDER_NONE) {
		reason_set(why, "our own port has not been read yet");
		return NULL;
	}
	builder_route(d);
	builder_choose_idle(d);
	first = mem_zalloc(d->norder, sizeof(*first));
	info_at = mem_zalloc(d->infos.n + 1U, sizeof(*info_at));
	dims = count_all(d, first, info_at);
	t = topo_new(&dims);
	t->generation = generation;
	for (node_ix i = 0; i < t->nnodes; i++)
		freeze_node(d, t, i, first[i], info_at);
	for (info_ref r = 1; r < d->infos.n; r++)
		if (info_at[r] != 0)
			memcpy(t->info[info_at[r]], d->infos.at[r], INFO_BYTES);
	free(first);
	free(info_at);
	freeze_links(d, t);
	freeze_switches(d, t);
	freeze_text(d, t);
	topo_seal(t);
	d->touched = false;
	return t;
}
