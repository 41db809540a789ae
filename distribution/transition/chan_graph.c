#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

bool
chan_graph_quarantined(const struct chan_graph *n, sw_ix s)
{
	return !topo_sw_live(n->t, s);
}

bool
chan_graph_fresh(const struct chan_graph *n, sw_ix s)
{
	return (n->t->node[n->t->sw[s].node].flags & TN_FRESH) != 0;
}

/* Whether a port that is in Init stays there: no Set can bring it up. */
static bool
stays_in_init(const struct topo *t, const struct topo_port *p)
{
	return (p->flags & (TP_ABSENT | TP_UNREAD)) != 0 ||
	       (t->node[p->node].flags & TN_QUARANTINED) != 0;
}

/* Whether data can cross the link, now or when the plan is done. */
static bool
link_carries_data(const struct topo *t, const struct topo_port *p)
{
	const struct topo_port *q;

	if (p->peer == TOPO_NONE)
		return false;
	q = &t->port[p->peer];
	if (p->state == PORT_DOWN || q->state == PORT_DOWN)
		return false;
	if (p->state != PORT_INIT && q->state != PORT_INIT)
		return true;
	return !stays_in_init(t, p) && !stays_in_init(t, q);
}

/* The record and switch where the link of a port arrives, or "nowhere". */
static struct transition_to
link_target(const struct chan_graph *n, sw_ix s, unsigned port)
{
	const struct topo *t = n->t;
	const struct topo_port *p =
		&t->port[topo_port_of(t, t->sw[s].node, port)];
	const struct topo_port *q;
	struct transition_to nowhere = {n->off[n->nsw], n->nsw};
	sw_ix peer;

	if (port == 0 || port == LFT_DROP || !link_carries_data(t, p))
		return nowhere;
	q = &t->port[p->peer];
	peer = t->node[q->node].sw;
	if (peer == TOPO_NONE || q->num == LFT_DROP)
		return nowhere;
	return (struct transition_to){n->off[peer] + q->num, peer};
}

/* Connect the records, and find what entries lead to. */
static void
connect_records(struct chan_graph *n)
{
	const struct topo *t = n->t;
	uint32_t nowhere = n->off[n->nsw];

	for (size_t i = 0; i < (size_t)n->nsw * 256; i++)
		n->to[i] = (struct transition_to){nowhere, n->nsw};
	for (sw_ix s = 0; s < n->nsw; s++) {
		node_ix node = t->sw[s].node;

		for (unsigned p = 0; p <= t->node[node].nports; p++) {
			const struct topo_port *port =
				&t->port[topo_port_of(t, node, p)];
			struct transition_to e = link_target(n, s, p);

			dep_graph_link(&n->frame, n->off[s] + p, e.rec);
			if (p == LFT_DROP)
				continue;
			n->to[(size_t)s * 256 + p] = e;
			if (e.rec != nowhere)
				n->alive[((size_t)s << n->shift) +
					 n->word[p]] |= n->bit[p];
			if (p == 0 || link_carries_data(t, port))
				n->carry[(size_t)s * 4 + (p >> 6)] |=
					UINT64_C(1) << (p & 63);
		}
	}
}

/* Vertices become nodes by a map of VLs, whose ports are those of the topology.
 */
static void
use_map(struct chan_graph *n, const struct vl_map *map)
{
	uint8_t *port = mem_zalloc(n->nrec, 1);

	for (sw_ix s = 0; s < n->nsw; s++)
		memcpy(port + n->off[s],
			map->port + n->t->node[n->t->sw[s].node].first_port,
			n->off[s + 1] - n->off[s]);
	dep_graph_use_map(&n->frame, map, n->layers, port);
	free(port);
}

void
chan_graph_new(struct chan_graph *n, const struct topo *t,
	const struct device_store *hw, const struct route_layers *layers)
{
	/* plain layers share VLs whatever a map says */
	const struct vl_map *map =
		layers != NULL && !layers->plain ? layers->map : NULL;
	unsigned nlayers = layers != NULL ? layers->n : 1;
	unsigned planes = nlayers * vl_map_ins(map);
	struct dep_graph f;

	dep_graph_by_topo(&f, t, planes);
	*n = (struct chan_graph){.t = t,
		.hw = hw,
		.frame = f,
		.nsw = f.nsw,
		.nrec = f.nrec,
		.nv = f.nv,
		.off = f.off,
		.owner = f.owner,
		.base = f.base,
		.peer = f.peer,
		.shift = f.shift,
		.layers = nlayers,
		.planes = planes};
	for (unsigned p = 0; p < 64U << n->shift && p < LFT_DROP; p++) {
		n->bit[p] = UINT64_C(1) << (p & 63);
		n->word[p] = (uint8_t)(p >> 6);
	}
	n->to = mem_alloc(((size_t)n->nsw + 1) * 256 * sizeof(*n->to));
	n->alive =
		mem_zalloc(((size_t)n->nsw + 1) << n->shift, sizeof(*n->alive));
	n->carry = mem_zalloc((size_t)n->nsw * 4, sizeof(*n->carry));
	connect_records(n);
	if (map != NULL)
		use_map(n, map);
}

void
chan_graph_free(struct chan_graph *n)
{
	dep_graph_free(&n->frame);
	free(n->to);
	free(n->alive);
	free(n->carry);
	free(n->closed);
}

void
chan_graph_close(struct chan_graph *n, const struct transition_set *stay)
{
	if (n->closed == NULL)
		n->closed = mem_zalloc(
			dep_graph_words(&n->frame), sizeof(*n->closed));
	for (size_t i = 0; i < stay->n; i++) {
		const struct transition_dependency *x = &stay->dep[i];

		for (uint32_t v = n->off[x->sw] + x->in; v < n->nv;
			v += n->nrec)
			if (x->layers >> chan_graph_layer(n, v) & 1)
				n->closed[((size_t)v << n->shift) +
					  n->word[x->out]] |= n->bit[x->out];
	}
}

bool
chan_graph_maps(const struct chan_graph *n, sw_ix s, unsigned out)
{
	const struct topo *t = n->t;
	node_ix node = t->sw[s].node;

	return !(n->hw != NULL && device_marked(n->hw,
					  device_at_switch(t->node[node].guid,
						  DEVICE_SL2VL),
					  DEVICE_REFUSES)) &&
	       t->port[topo_port_of(t, node, out)].vl_cap != 1 &&
	       (t->port[topo_port_of(t, node, 0)].capmask & MAD_CAP_SL_MAPPING);
}
