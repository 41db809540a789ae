#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/serve/umadserve_int.h"

/* Classes of vendors with an OUI (IBA 16.5). */
enum { VENDOR_FIRST = 0x30, VENDOR_LAST = 0x4f };

static bool
on_hub_msg(void *cookie, const struct transport_msg *m, struct mono now)
{
	(void)now;
	return umadserve_mad_take(cookie, m);
}

/* The same without a hub between the endpoint and umadserve. */
static void
on_endpoint_msg(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct umadserve_port *p = cookie;

	if (!on_hub_msg(p, m, now)) {
		p->u->stats.unmatched++;
		umadserve_unmatched(p->e, m);
	}
}

/* True if one more endpoint is possible, and this port has none. */
static bool
can_attach(const struct sim *s, uint32_t node, unsigned port)
{
	int used = 0;

	for (int i = 0; i < s->nendpoints; i++) {
		const struct sim_endpoint *e = &s->endpoint[i];

		if (!e->recv)
			continue;
		used++;
		if (e->node == node && e->port == port)
			return false;
	}
	return used < SIM_MAX_ENDPOINTS;
}

static struct sim_endpoint *
attach_port(struct umadserve_port *p)
{
	const struct umadserve_hub *hub = p->u->o.hub;

	if (hub)
		return hub->attach(
			hub->cookie, p->node, p->port, on_hub_msg, p);
	if (!can_attach(p->u->sim, p->node, p->port))
		return NULL;
	return sim_attach(p->u->sim, p->node, p->port, on_endpoint_msg, p);
}

struct umadserve_port *
umadserve_port_get(struct umadserve *u, uint32_t node, unsigned port)
{
	struct umadserve_port *p = u->ports;

	while (p && (p->node != node || p->port != port))
		p = p->next;
	if (p) {
		p->refs++;
		return p;
	}
	p = mem_zalloc(1, sizeof(*p));
	*p = (struct umadserve_port){
		.u = u, .node = node, .port = (uint8_t)port, .refs = 1};
	p->e = attach_port(p);
	if (!p->e) {
		free(p);
		errno = EUSERS;
		return NULL;
	}
	p->next = u->ports;
	u->ports = p;
	return p;
}

void
umadserve_port_put(struct umadserve_port *p)
{
	struct umadserve_port **at = &p->u->ports;

	if (--p->refs > 0)
		return;
	if (p->u->o.hub)
		p->u->o.hub->detach(p->u->o.hub->cookie, p->e);
	else
		sim_detach(p->e);
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	free(p);
}

/* True if both register for the same requests. */
static bool
has_conflict(const struct proto_agent *a, const struct proto_agent *b)
{
	if (a->mgmt_class != b->mgmt_class || a->version != b->version)
		return false;
	if (a->mgmt_class >= VENDOR_FIRST && a->mgmt_class <= VENDOR_LAST &&
		a->oui != b->oui)
		return false;
	for (int i = 0; i < PROTO_METHODS; i++)
		if (a->methods[i] & b->methods[i])
			return true;
	return false;
}

int
umadserve_port_register(struct umadserve_port *p, struct umadserve_conn *c,
	const struct proto_agent *what, uint32_t *id)
{
	bool smp = what->mgmt_class == MAD_SUBN_LID ||
		   what->mgmt_class == MAD_SUBN_DR;
	struct umadserve_agent *a;

	if (what->qpn > 1 || (smp && what->qpn != 0))
		return EINVAL;
	if (c->side == (smp ? UMADSERVE_GSI : UMADSERVE_SMI))
		return EPROTONOSUPPORT;
	for (a = p->agents; a; a = a->next)
		if (has_conflict(&a->what, what))
			return EINVAL;
	for (*id = 0; *id < PROTO_AGENTS && c->agent[*id].used;)
		++*id;
	if (*id == PROTO_AGENTS)
		return ENOMEM;
	a = &c->agent[*id];
	*a = (struct umadserve_agent){
		.used = true,
		.hi = ++p->u->hi,
		.what = *what,
		.conn = c,
		.next = p->agents,
	};
	a->what.id = *id;
	p->agents = a;
	return 0;
}

void
umadserve_port_unregister(struct umadserve_agent *a)
{
	struct umadserve_port *p = a->conn->port;
	struct umadserve_agent **at = &p->agents;

	umadserve_mad_forget(p->u, a);
	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	a->used = false;
}
