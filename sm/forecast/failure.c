#include "sm/forecast/failure.h"

#include <stdlib.h>
#include <string.h>

#include "discovery/draft.h"
#include "sm/base/mem.h"
#include "sm/ctl/find.h"

static int
find_cabled(const struct topo *t, const char *text, const char *slash,
	struct failure *out, struct reason *why)
{
	size_t n = (size_t)(slash - text);
	char *name = mem_dup(text, n + 1);
	unsigned long port = strtoul(slash + 1, NULL, 10);

	name[n] = '\0';
	out->node = find_node(t, name, why);
	free(name);
	if (out->node == TOPO_NONE)
		return -1;
	if (port == 0 || port > t->node[out->node].nports)
		return reason_set(why, "'%s' has no port %s: 1 to %u",
			topo_desc(t, out->node), slash + 1,
			t->node[out->node].nports);
	out->port = (unsigned)port;
	if (t->port[topo_port_of(t, out->node, out->port)].peer == TOPO_NONE)
		return reason_set(why, "nothing is cabled to '%s' port %u",
			topo_desc(t, out->node), out->port);
	return 0;
}

int
failure_find(const struct topo *t, const char *text, struct failure *out,
	struct reason *why)
{
	const char *slash = strrchr(text, '/');
	struct reason ignored;

	*out = (struct failure){.node = find_node(t, text, &ignored)};
	if (out->node != TOPO_NONE)
		return 0;
	/* names hold slashes too: only digits behind it make it a port */
	if (slash != NULL && slash[1] != '\0' && strlen(slash + 1) <= 3 &&
		strspn(slash + 1, "0123456789") == strlen(slash + 1))
		return find_cabled(t, text, slash, out, why);
	return reason_set(why, "%s", ignored.text);
}

struct copy {
	const struct topo *t;
	struct draft *d;
	draft_id *id; /* by node; TOPO_NONE: failed */
	bool *cut;    /* by port */
};

static void
copy_node(struct copy *c, node_ix n)
{
	const struct topo *t = c->t;
	const struct topo_node *node = &t->node[n];
	draft_id id = draft_add_node(c->d, (enum topo_type)node->type,
		node->guid, node->nports, topo_desc(t, n));

	c->id[n] = id;
	draft_set_ids(c->d, id, node->sysimg, node->vendor, node->device);
	if (node->sw != TOPO_NONE) {
		const struct topo_switch *sw = &t->sw[node->sw];

		draft_set_enhanced_p0(
			c->d, id, (node->flags & TN_ENHANCED_P0) != 0);
		draft_set_lft(c->d, id, sw->lft_cap, sw->lft_top);
	}
	for (unsigned i = node->sw != TOPO_NONE ? 0 : 1; i <= node->nports;
		i++) {
		const struct topo_port *p = &t->port[topo_port_of(t, n, i)];

		if (p->guid != 0 && !(p->flags & TP_ABSENT))
			draft_set_port_guid(c->d, id, i, p->guid);
		if (p->lid != 0)
			draft_set_found_lid(c->d, id, i, p->lid);
	}
	if (node->flags & TN_QUARANTINED)
		draft_quarantine(c->d, node->guid, "quarantined before");
}

static void
copy_cable(struct copy *c, port_ix a)
{
	const struct topo_port *p = &c->t->port[a];
	const struct topo_port *q;

	if (p->peer == TOPO_NONE || p->peer < a || c->cut[a] || c->cut[p->peer])
		return;
	q = &c->t->port[p->peer];
	if (c->id[p->node] == TOPO_NONE || c->id[q->node] == TOPO_NONE)
		return;
	draft_add_link(c->d, c->id[p->node], p->num, c->id[q->node], q->num);
	if (p->width == 0)
		return;
	draft_set_port_speed(
		c->d, c->id[p->node], p->num, p->width, p->speed, p->speed_ext);
	draft_set_port_speed(
		c->d, c->id[q->node], q->num, q->width, q->speed, q->speed_ext);
}

/* Is this a place to look from: a host port with its cable, or a switch? */
static bool
can_see(const struct copy *c, port_ix p)
{
	const struct topo_port *port = &c->t->port[p];

	if (c->id[port->node] == TOPO_NONE)
		return false;
	if (c->t->node[port->node].sw != TOPO_NONE)
		return port->num == 0;
	return port->peer != TOPO_NONE && !c->cut[p] && !c->cut[port->peer] &&
	       c->id[c->t->port[port->peer].node] != TOPO_NONE &&
	       !(c->t->node[port->node].flags & TN_AGGREGATION);
}

/* Where we were, else the first host that has a cable, else a switch. */
static port_ix
lookout(const struct copy *c)
{
	const struct topo *t = c->t;
	port_ix any = TOPO_NONE;

	if (t->sm_port != TOPO_NONE && can_see(c, t->sm_port))
		return t->sm_port;
	for (port_ix p = 0; p < t->nports; p++) {
		if (!can_see(c, p))
			continue;
		if (t->node[t->port[p].node].sw == TOPO_NONE)
			return p;
		if (any == TOPO_NONE)
			any = p;
	}
	return any;
}

int
failure_apply(const struct topo *t, const struct failure *f, size_t n,
	struct draft_pieces *out, struct reason *why)
{
	struct copy c = {.t = t,
		.d = draft_new(),
		.id = mem_zalloc(t->nnodes, sizeof(*c.id)),
		.cut = mem_zalloc(t->nports, sizeof(*c.cut))};
	port_ix self;
	int rc;

	for (size_t i = 0; i < n; i++) {
		if (f[i].port == 0)
			c.id[f[i].node] = TOPO_NONE;
		else
			c.cut[topo_port_of(t, f[i].node, f[i].port)] = true;
	}
	for (node_ix i = 0; i < t->nnodes; i++)
		if (c.id[i] != TOPO_NONE)
			copy_node(&c, i);
	for (port_ix p = 0; p < t->nports; p++)
		copy_cable(&c, p);
	self = lookout(&c);
	if (self != TOPO_NONE) {
		draft_set_self(
			c.d, c.id[t->port[self].node], t->port[self].num);
		rc = draft_pieces(c.d, t->generation + 1, out, why);
	} else {
		*out = (struct draft_pieces){0};
		rc = reason_set(why, "nothing is left of the fabric");
	}
	draft_free(c.d);
	free(c.id);
	free(c.cut);
	return rc;
}
