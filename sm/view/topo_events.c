#include "sm/view/topo_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/link_rate.h"
#include "sm/base/mem.h"

/* Two topologies, and the nodes of each in the other (TOPO_NONE: not there). */
struct pair {
	const struct topo *t, *other;
	node_ix *node;
};

/* A GUID that two nodes have matches neither. */
static void
match_nodes(struct pair *p)
{
	p->node = mem_alloc((p->t->nnodes + 1U) * sizeof(*p->node));
	for (node_ix n = 0; n < p->t->nnodes; n++) {
		node_ix m = topo_by_node_guid(p->other, p->t->node[n].guid);

		if (m != TOPO_NONE &&
			((p->t->node[n].flags | p->other->node[m].flags) &
				TN_DUPLICATE) != 0)
			m = TOPO_NONE;
		p->node[n] = m;
	}
}

/* Port x of t in the other topology, or TOPO_NONE. */
static port_ix
port_there(const struct pair *p, port_ix x)
{
	const struct topo_port *port = &p->t->port[x];
	node_ix m = p->node[port->node];

	return m != TOPO_NONE && port->num <= p->other->node[m].nports
		       ? topo_port_of(p->other, m, port->num)
		       : TOPO_NONE;
}

/* The link of port x in the other topology, by its port there, if its other end
 * is the same; else TOPO_NONE. */
static port_ix
same_link_there(const struct pair *p, port_ix x)
{
	port_ix here = port_there(p, x);
	port_ix there = port_there(p, p->t->port[x].peer);

	return here != TOPO_NONE && there != TOPO_NONE &&
			       p->other->port[here].peer == there
		       ? here
		       : TOPO_NONE;
}

static bool
is_duplicate(const struct topo *t, port_ix x)
{
	return (t->node[t->port[x].node].flags & TN_DUPLICATE) != 0;
}

/* Each link once, by the end of the lower index; none of a GUID that two nodes
 * have. */
static bool
is_first_end(const struct topo *t, port_ix x)
{
	port_ix peer = t->port[x].peer;

	return peer != TOPO_NONE && x <= peer && !is_duplicate(t, x) &&
	       !is_duplicate(t, peer);
}

/* True if a node of this link is not in the other topology. */
static bool
is_with_node(const struct pair *p, port_ix x)
{
	const struct topo_port *port = p->t->port;

	return p->node[port[x].node] == TOPO_NONE ||
	       p->node[port[port[x].peer].node] == TOPO_NONE;
}

void
topo_event_end_of(
	const struct topo *t, node_ix n, unsigned num, struct event_end *out)
{
	bool is_host = topo_is_host_node(t, n);

	out->guid = t->node[n].guid;
	out->port = (uint8_t)num;
	if (t->node[n].type == TOPO_SWITCH)
		out->is = EVENT_IS_SWITCH;
	else
		out->is = is_host && t->node[n].type == TOPO_CA
				  ? EVENT_IS_HOST
				  : EVENT_IS_OTHER;
	(void)snprintf(out->name, sizeof(out->name), "%s", topo_desc(t, n));
}

static void
fill_link(const struct topo *t, port_ix x, struct topo_event *e)
{
	const struct topo_port *a = &t->port[x], *b = &t->port[a->peer];

	topo_event_end_of(t, a->node, a->num, &e->a);
	topo_event_end_of(t, b->node, b->num, &e->b);
}

/* A node, its number of links, and the far end of the first one: the one that
 * our directed route to it takes. */
static void
fill_node(const struct topo *t, node_ix n, struct topo_event *e)
{
	const struct topo_node *node = &t->node[n];
	port_ix far = node->via;

	topo_event_end_of(t, n, 0, &e->a);
	for (unsigned i = 1; i <= node->nports; i++)
		e->links += t->port[topo_port_of(t, n, i)].peer != TOPO_NONE;
	if (far != TOPO_NONE)
		topo_event_end_of(
			t, t->port[far].node, t->port[far].num, &e->b);
}

/* Nodes of p->t that are not in the other topology. */
static void
tell_nodes(const struct pair *p, bool gone, topo_event_sink *sink, void *cookie)
{
	for (node_ix n = 0; n < p->t->nnodes; n++) {
		struct topo_event e = {
			.kind = gone ? EVENT_NODE_GONE : EVENT_NODE_NEW};

		if (p->node[n] != TOPO_NONE ||
			(p->t->node[n].flags & TN_DUPLICATE) != 0)
			continue;
		fill_node(p->t, n, &e);
		sink(cookie, &e);
	}
}

/* True if this end, in the later topology, shows that its link is no more. */
static bool
shows_lost(const struct pair *p, port_ix x)
{
	port_ix there = port_there(p, x);

	return there != TOPO_NONE &&
	       (p->other->port[there].peer != TOPO_NONE ||
		       p->other->port[there].state <= PORT_DOWN);
}

static void
tell_down(const struct pair *p, topo_event_sink *sink, void *cookie)
{
	for (port_ix x = 0; x < p->t->nports; x++) {
		struct topo_event e = {.kind = EVENT_LINK_DOWN};

		if (!is_first_end(p->t, x) ||
			same_link_there(p, x) != TOPO_NONE)
			continue;
		fill_link(p->t, x, &e);
		e.unseen =
			!shows_lost(p, x) && !shows_lost(p, p->t->port[x].peer);
		e.folded = is_with_node(p, x);
		sink(cookie, &e);
	}
}

/* A link that is in both: there, in the earlier topology. */
static void
tell_changed(const struct pair *p, port_ix x, port_ix there,
	topo_event_sink *sink, void *cookie)
{
	const struct topo_port *is = &p->t->port[x];
	const struct topo_port *was = &p->other->port[there];
	struct topo_event e = {.kind = EVENT_LINK_RATE,
		.was = link_rate_active(was),
		.is = link_rate_active(is)};

	if (was->width != 0 && is->width != 0 && e.was != e.is) {
		fill_link(p->t, x, &e);
		sink(cookie, &e);
	} else if (was->state == PORT_ACTIVE && is->state == PORT_INIT) {
		e.kind = EVENT_LINK_RESET;
		fill_link(p->t, x, &e);
		sink(cookie, &e);
	}
}

static void
tell_up(const struct pair *p, topo_event_sink *sink, void *cookie)
{
	for (port_ix x = 0; x < p->t->nports; x++) {
		struct topo_event e = {.kind = EVENT_LINK_UP};
		port_ix there;

		if (!is_first_end(p->t, x))
			continue;
		there = same_link_there(p, x);
		if (there != TOPO_NONE) {
			tell_changed(p, x, there, sink, cookie);
			continue;
		}
		fill_link(p->t, x, &e);
		e.folded = is_with_node(p, x);
		sink(cookie, &e);
	}
}

/* Ports that are in both, and have another LID. */
static void
tell_lids(const struct pair *p, topo_event_sink *sink, void *cookie)
{
	for (port_ix x = 0; x < p->t->nports; x++) {
		struct topo_event e = {.kind = EVENT_LID_MOVED};
		port_ix there;

		if (p->t->port[x].lid == 0)
			continue;
		there = port_there(p, x);
		if (there == TOPO_NONE || p->other->port[there].lid == 0 ||
			p->other->port[there].lid == p->t->port[x].lid)
			continue;
		topo_event_end_of(
			p->t, p->t->port[x].node, p->t->port[x].num, &e.a);
		e.is = p->t->port[x].lid;
		e.was = p->other->port[there].lid;
		sink(cookie, &e);
	}
}

static void
tell_quarantine(const struct pair *p, topo_event_sink *sink, void *cookie)
{
	for (node_ix n = 0; n < p->t->nnodes; n++) {
		node_ix m = p->node[n];
		bool is = (p->t->node[n].flags & TN_QUARANTINED) != 0;
		bool was = m != TOPO_NONE &&
			   (p->other->node[m].flags & TN_QUARANTINED) != 0;
		struct topo_event e = {
			.kind = is ? EVENT_QUARANTINED : EVENT_RELEASED};

		if (is == was)
			continue;
		fill_node(p->t, n, &e);
		sink(cookie, &e);
	}
}

void
topo_events(const struct topo *was, const struct topo *is,
	topo_event_sink *sink, void *cookie)
{
	struct pair before = {was, is, NULL}, after = {is, was, NULL};

	match_nodes(&before);
	match_nodes(&after);
	tell_nodes(&before, true, sink, cookie);
	tell_down(&before, sink, cookie);
	tell_quarantine(&after, sink, cookie);
	tell_nodes(&after, false, sink, cookie);
	tell_up(&after, sink, cookie);
	tell_lids(&after, sink, cookie);
	free(before.node);
	free(after.node);
}

/* ---- as events ---- */

static bool
is_of_link(enum event_kind kind)
{
	return kind == EVENT_LINK_DOWN || kind == EVENT_LINK_UP ||
	       kind == EVENT_LINK_RESET || kind == EVENT_LINK_RATE;
}

struct event
topo_event_value(const struct topo_event *e)
{
	struct event out = {.kind = e->kind};

	if (e->kind == EVENT_LID_MOVED) {
		event_end(&out, "port", &e->a);
		event_number(&out, "lid", e->is);
		event_number(&out, "was", e->was);
		return out;
	}
	event_end(&out, is_of_link(e->kind) ? "a" : "node", &e->a);
	if (is_of_link(e->kind))
		event_end(&out, "b", &e->b);
	if (e->kind == EVENT_NODE_GONE || e->kind == EVENT_NODE_NEW) {
		event_end(&out, "linked_to", &e->b);
		event_number(&out, "more", e->links > 1 ? e->links - 1 : 0);
	}
	if (e->lasted > 0)
		event_seconds(&out, "lasted", e->lasted);
	if (e->kind == EVENT_LINK_RATE) {
		event_rate(&out, "rate", e->is);
		event_rate(&out, "was", e->was);
	}
	if (e->kind == EVENT_QUARANTINED || e->kind == EVENT_NAME_WAITS)
		event_text(&out, "why", e->why);
	return out;
}
