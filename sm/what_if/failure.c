#include "sm/what_if/failure.h"

#include <stdlib.h>

#include "discovery/builder/builder.h"
#include "sm/base/mem.h"
#include "sm/report/port_find.h"

int
failure_find(const struct topo *t, const char *text, struct failure *out,
	struct reason *why)
{
	*out = (struct failure){0};
	if (port_find_end(t, text, &out->node, &out->port, why) != 0)
		return -1;
	if (out->port == 0 ||
		t->port[topo_port_of(t, out->node, out->port)].peer !=
			TOPO_NONE)
		return 0;
	return reason_set(why, "'%s' port %u has no link",
		topo_desc(t, out->node), out->port);
}

struct copy {
	const struct topo *t;
	struct builder *d;
	bool *gone; /* by node */
	bool *cut;  /* by port */
};

/* The copy keeps the LIDs that were assigned, not those that were found. */
static void
copy_lids(struct copy *c)
{
	for (port_ix p = 0; p < c->t->nports; p++) {
		const struct topo_port *port = &c->t->port[p];

		if (port->lid != 0 && port->lid != port->found_lid)
			builder_set_found_lid(
				c->d, port->node, port->num, port->lid);
	}
}

static void
fail_all(struct copy *c)
{
	for (port_ix p = 0; p < c->t->nports; p++)
		if (c->cut[p])
			builder_remove_link(
				c->d, c->t->port[p].node, c->t->port[p].num);
	for (node_ix n = 0; n < c->t->nnodes; n++)
		if (c->gone[n])
			builder_remove_node(c->d, n);
}

/* True if the rest of the fabric can be seen from this port: a host port with
 * its link, or port 0 of a switch. */
static bool
can_see(const struct copy *c, port_ix p)
{
	const struct topo_port *port = &c->t->port[p];

	if (c->gone[port->node])
		return false;
	if (c->t->node[port->node].sw != TOPO_NONE)
		return port->num == 0;
	return port->peer != TOPO_NONE && !c->cut[p] && !c->cut[port->peer] &&
	       !c->gone[c->t->port[port->peer].node] &&
	       topo_is_host_node(c->t, port->node);
}

/* The port of the subnet manager, else the first host port with a link, else a
 * switch; TOPO_NONE: nothing is left. */
static port_ix
choose_viewpoint(const struct copy *c)
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
	struct builder_components *out, struct reason *why)
{
	struct copy c = {.t = t,
		.d = builder_from_topo(t),
		.gone = mem_zalloc(t->nnodes, sizeof(*c.gone)),
		.cut = mem_zalloc(t->nports, sizeof(*c.cut))};
	port_ix self;
	int rc;

	for (size_t i = 0; i < n; i++) {
		if (f[i].drained)
			builder_drain(
				c.d, t->node[f[i].node].guid, f[i].port, false);
		else if (f[i].port == 0)
			c.gone[f[i].node] = true;
		else
			c.cut[topo_port_of(t, f[i].node, f[i].port)] = true;
	}
	copy_lids(&c);
	self = choose_viewpoint(&c);
	fail_all(&c);
	if (self != TOPO_NONE) {
		builder_set_self(c.d, t->port[self].node, t->port[self].num);
		rc = builder_components(c.d, t->generation + 1, out, why);
	} else {
		*out = (struct builder_components){0};
		rc = reason_set(why, "nothing is left of the fabric: no "
				     "switch, and no two hosts on one link");
	}
	builder_free(c.d);
	free(c.gone);
	free(c.cut);
	return rc;
}
