/*
 * Which drained links carry no routes. All of them, except where the switches
 * would not be connected any more: draining cuts nothing off. Links are put
 * back for that in this order, each only if it joins what is not joined yet:
 *
 *	1. single links between switches that are not drained themselves;
 *	2. of a drained switch with hosts, the links to switches that are not
 *	   drained and have none: its hosts keep their bandwidth, and up/down
 *	   routes pass nothing on through it, or seldom: then it is narrowed,
 *	   and this step leaves it out;
 *	3. the links between a drained switch and one that is not: first those
 *	   that are not drained by themselves;
 *	4. those between two drained switches.
 *
 * Of several the one farthest from us is taken, where the root of an sFtree
 * subtree is sought first, too (routing/updown): a root elsewhere would lack
 * the path up to the drained switch, and had to move.
 *
 * So a drained switch without hosts keeps the link to one neighbour, with its
 * parallels: it stays a destination, and nothing can be passed on through it.
 * It passes traffic on only where the others have no other connection.
 */
#include <stdlib.h>

#include "discovery/builder/builder_priv.h"
#include "sm/base/mem.h"
#include "sm/base/union_find.h"

void
builder_drain_none(struct builder *d)
{
	for (builder_id i = 0; i < d->nnodes; i++)
		for (unsigned p = 0;
			d->node[i] != NULL && p <= d->node[i]->nports; p++)
			d->node[i]->port[p].flags &=
				(uint8_t) ~(TP_DRAINED | TP_IDLE);
}

void
builder_drain(struct builder *d, uint64_t guid, unsigned port, bool narrow)
{
	uint8_t flags = narrow && port == 0 ? TP_DRAINED | TP_IDLE : TP_DRAINED;
	builder_id n;

	if (!builder_find(d, guid, &n))
		return;
	for (; n != BUILDER_NONE; n = d->node[n]->next)
		if (port <= d->node[n]->nports)
			d->node[n]->port[port].flags |= flags;
}

/* ---- a link, from one of its ends ---- */

struct end {
	builder_id n;
	unsigned p;
};

static struct builder_port *
port_at(const struct builder *d, struct end e)
{
	return &d->node[e.n]->port[e.p];
}

static struct end
far_end(const struct builder *d, struct end e)
{
	const struct builder_port *p = port_at(d, e);

	return (struct end){p->peer, p->peer_port};
}

/* Whether it is a link between two switches that the topology holds. */
static bool
links_switches(const struct builder *d, struct end e)
{
	const struct builder_port *p = port_at(d, e);

	return e.p > 0 && p->peer != BUILDER_NONE && p->peer != e.n &&
	       d->node[e.n]->type == TOPO_SWITCH &&
	       d->node[p->peer]->type == TOPO_SWITCH &&
	       d->node[p->peer]->reach != BUILDER_UNREACHED;
}

static bool
is_switch_drained(const struct builder *d, builder_id n)
{
	return (d->node[n]->port[0].flags & TP_DRAINED) != 0;
}

static bool
is_narrow(const struct builder *d, builder_id n)
{
	return (d->node[n]->port[0].flags & TP_IDLE) != 0;
}

/* The link alone, whatever its switches are. */
static bool
is_link_drained(const struct builder *d, struct end e)
{
	return ((port_at(d, e)->flags | port_at(d, far_end(d, e))->flags) &
		       TP_DRAINED) != 0;
}

static bool
is_live(const struct builder *d, builder_id n)
{
	return d->node[n]->quarantine == NULL &&
	       d->node[n]->reach != BUILDER_CUT_OFF;
}

/* Compute nodes: an aggregation node is no sign of a leaf. */
static bool
has_hosts(const struct builder *d, builder_id n)
{
	for (unsigned p = 1; p <= d->node[n]->nports; p++) {
		builder_id peer = d->node[n]->port[p].peer;

		if (peer != BUILDER_NONE &&
			d->node[peer]->type != TOPO_SWITCH &&
			!topo_is_aggregation(
				d->node[peer]->vendor, d->node[peer]->device))
			return true;
	}
	return false;
}

static void
mark_idle(const struct builder *d, struct end e, bool idle)
{
	struct builder_port *a = port_at(d, e);
	struct builder_port *b = port_at(d, far_end(d, e));

	a->marks = idle ? a->marks | DP_IDLE : a->marks & (uint8_t)~DP_IDLE;
	b->marks = idle ? b->marks | DP_IDLE : b->marks & (uint8_t)~DP_IDLE;
}

/* ---- the choice ---- */

struct choice {
	struct builder *d;
	uint32_t *in; /* union-find by node: joined by links with routes */
};

/* The steps above, and what comes first: a link is idle if it is drained. */
enum step {
	ALL,
	SINGLE,
	HOSTED,
	ONE_DRAINED,
	ONE_AND_LINK,
	BOTH_DRAINED,
	STEPS
};

/* Whether this step is about the link. */
static bool
is_of_step(const struct builder *d, struct end e, enum step step)
{
	struct end f = far_end(d, e);
	bool a = is_switch_drained(d, e.n), b = is_switch_drained(d, f.n);

	switch (step) {
	case SINGLE:
		return !a && !b;
	case HOSTED:
		return a != b && !is_link_drained(d, e) &&
		       !is_narrow(d, a ? e.n : f.n) &&
		       has_hosts(d, a ? e.n : f.n) &&
		       !has_hosts(d, a ? f.n : e.n);
	case ONE_DRAINED:
		return a != b && !is_link_drained(d, e);
	case ONE_AND_LINK:
		return a != b;
	case BOTH_DRAINED:
		return a && b;
	case ALL:
	case STEPS:
	default:
		return true;
	}
}

static bool
is_joined(const struct choice *c, builder_id a, builder_id b)
{
	return union_find_of(c->in, a) == union_find_of(c->in, b);
}

static void
join_switches(const struct choice *c, builder_id a, builder_id b)
{
	c->in[union_find_of(c->in, a)] = union_find_of(c->in, b);
}

/* All links between the two switches carry routes, but for those that are
 * drained by themselves. */
static void
put_back_parallels(const struct choice *c, struct end e)
{
	const struct builder_node *n = c->d->node[e.n];
	builder_id peer = far_end(c->d, e).n;

	for (unsigned p = 1; p <= n->nports; p++)
		if (n->port[p].peer == peer &&
			!is_link_drained(c->d, (struct end){e.n, p}))
			mark_idle(c->d, (struct end){e.n, p}, false);
}

/* Mark the link as idle if it is drained; what is not joins its switches. */
static void
begin_link(const struct choice *c, struct end e)
{
	builder_id peer = far_end(c->d, e).n;
	bool idle = is_link_drained(c->d, e) || is_switch_drained(c->d, e.n) ||
		    is_switch_drained(c->d, peer);

	mark_idle(c->d, e, idle);
	if (!idle && is_live(c->d, e.n) && is_live(c->d, peer))
		join_switches(c, e.n, peer);
}

/* Put an idle link back if the step does so. */
static void
try_link(const struct choice *c, struct end e, enum step step)
{
	builder_id peer = far_end(c->d, e).n;

	if ((port_at(c->d, e)->marks & DP_IDLE) == 0 || !is_live(c->d, e.n) ||
		!is_live(c->d, peer) || !is_of_step(c->d, e, step))
		return;
	if (step != HOSTED && is_joined(c, e.n, peer))
		return;
	mark_idle(c->d, e, false);
	if (step > HOSTED)
		put_back_parallels(c, e);
	join_switches(c, e.n, peer);
}

static void
run_step(const struct choice *c, enum step step)
{
	const struct builder *d = c->d;

	for (size_t i = d->norder; i > 0; i--)
		for (unsigned p = 1; p <= d->node[d->order[i - 1]]->nports;
			p++) {
			struct end e = {d->order[i - 1], p};

			if (!links_switches(d, e))
				continue;
			if (step == ALL)
				begin_link(c, e);
			else
				try_link(c, e, step);
		}
}

/* Clear the marks of last time; whether anything is drained. */
static bool
has_drained(struct builder *d)
{
	unsigned any = 0;

	for (builder_id i = 0; i < d->nnodes; i++)
		for (unsigned p = 0;
			d->node[i] != NULL && p <= d->node[i]->nports; p++) {
			struct builder_port *port = &d->node[i]->port[p];

			port->marks &= (uint8_t)~DP_IDLE;
			any |= port->flags & TP_DRAINED;
		}
	return any != 0;
}

void
builder_choose_idle(struct builder *d)
{
	struct choice c = {.d = d};

	if (!has_drained(d))
		return;
	c.in = mem_alloc(d->nnodes * sizeof(*c.in));
	for (builder_id i = 0; i < d->nnodes; i++)
		c.in[i] = i;
	for (enum step step = ALL; step < STEPS; step++)
		run_step(&c, step);
	free(c.in);
}
