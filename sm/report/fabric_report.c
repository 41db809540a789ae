#include "sm/report/fabric_report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/link_rate.h"
#include "routing/tiers/tree.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/packed_json.h"

/* A kind of link. */
struct rate {
	uint8_t width, speed, speed_ext;
};

/* What is being made. */
struct report {
	const struct fabric_report_facts *facts;
	const struct topo *t;
	const struct tree *tree; /* or NULL */
	struct rate *rate;
	size_t nrates, caprates;
	port_ix *host; /* the ports in "hosts" */
	size_t nhosts;
	json_t *rates, *switches, *links, *hosts, *cut_links;
};

static json_int_t
rate_ix(struct report *r, port_ix p)
{
	const struct topo_port *port = &r->t->port[p];
	struct rate is = {port->width, port->speed, port->speed_ext};
	char name[32];

	for (size_t i = 0; i < r->nrates; i++)
		if (memcmp(&r->rate[i], &is, sizeof(is)) == 0)
			return (json_int_t)i;
	(void)snprintf(name, sizeof(name), "%s %s", names_width(port->width),
		names_speed(port));
	json_util_add(r->rates,
		json_pack("[s, f]", name, link_rate_active(port) / 10.0));
	r->rate = mem_grow(r->rate, r->nrates, &r->caprates, sizeof(*r->rate));
	r->rate[r->nrates] = is;
	return (json_int_t)r->nrates++;
}

/* The bits of a that are in flags, each as its bit of the report. */
static int
node_flags(const struct topo_node *n)
{
	int is = 0;

	if ((n->flags & TN_QUARANTINED) != 0)
		is |= FABRIC_REPORT_QUARANTINED;
	if ((n->flags & TN_PARTIAL) != 0)
		is |= FABRIC_REPORT_PARTIAL;
	if ((n->flags & TN_DUPLICATE) != 0)
		is |= FABRIC_REPORT_DUPLICATE;
	if ((n->flags & TN_AGGREGATION) != 0)
		is |= FABRIC_REPORT_NO_HOST;
	return is;
}

/* Those of the link of port p. */
static int
link_flags(const struct topo *t, port_ix p)
{
	const struct topo_port *a = &t->port[p], *b = &t->port[a->peer];
	int is = 0;

	if (((a->flags | b->flags) & (TP_DRAINED | TP_IDLE)) != 0)
		is |= FABRIC_REPORT_DRAINED;
	if (a->state != PORT_ACTIVE || b->state != PORT_ACTIVE)
		is |= FABRIC_REPORT_INACTIVE;
	return is;
}

static void
add_switch(struct report *r, sw_ix s)
{
	const struct topo_node *n = &r->t->node[r->t->sw[s].node];
	const struct topo_port *own = &r->t->port[n->first_port];
	int flags = node_flags(n);
	json_int_t tier = -1;

	if ((own->flags & TP_DRAINED) != 0)
		flags |= FABRIC_REPORT_DRAINED;
	if (r->tree != NULL && r->tree->leaf[s])
		flags |= FABRIC_REPORT_LEAF;
	if (r->tree != NULL && r->tree->tier[s] != UINT32_MAX)
		tier = r->tree->tier[s];
	json_util_add(r->switches,
		json_pack("[o, o, i, I, i, i]",
			names_node_desc(r->t, r->t->sw[s].node),
			names_guid(n->guid), own->lid, tier, flags, n->nports));
}

static bool
is_cut(const struct fabric_report_facts *f, port_ix p, port_ix peer)
{
	for (size_t i = 0; i < f->ncut_links; i++)
		if (f->cut_link[i] == p || f->cut_link[i] == peer)
			return true;
	return false;
}

static json_int_t
load_of(const struct report *r, sw_ix s, unsigned port)
{
	const struct verify_state *v = r->facts->routes->verified;

	return v != NULL ? (json_int_t)verify_state_load(v, s, port) : 0;
}

/* The link of port p of switch s to another switch, seen from its lower end. */
static void
add_link(struct report *r, sw_ix s, port_ix p)
{
	const struct topo_port *a = &r->t->port[p], *b = &r->t->port[a->peer];
	sw_ix peer = topo_port_switch(r->t, a->peer);

	if (is_cut(r->facts, p, a->peer))
		json_util_add(r->cut_links,
			json_integer((json_int_t)json_array_size(r->links)));
	json_util_add(r->links,
		json_pack("[i, i, i, i, I, I, I, i]", (int)s, a->num, (int)peer,
			b->num, rate_ix(r, p), load_of(r, s, a->num),
			load_of(r, peer, b->num), link_flags(r->t, p)));
}

/* The port of a host, an aggregation node or a router at port p of switch s. */
static void
add_host(struct report *r, sw_ix s, port_ix p)
{
	const struct topo_port *out = &r->t->port[p];
	const struct topo_port *in = &r->t->port[out->peer];
	const struct topo_node *n = &r->t->node[in->node];
	int flags = link_flags(r->t, p) | node_flags(n);

	if (in->lid == 0)
		return;
	if ((in->flags & TP_OURS) != 0)
		flags |= FABRIC_REPORT_OURS;
	r->host[r->nhosts++] = out->peer;
	json_util_add(r->hosts,
		json_pack("[o, o, i, i, i, i, I, I, i]",
			names_node_desc(r->t, in->node), names_guid(n->guid),
			in->lid, (int)s, out->num, in->num, rate_ix(r, p),
			(json_int_t)(in->guid - n->guid), flags));
}

static void
add_ports(struct report *r, sw_ix s)
{
	node_ix n = r->t->sw[s].node;

	for (unsigned i = 1; i <= r->t->node[n].nports; i++) {
		port_ix p = topo_port_of(r->t, n, i), peer = r->t->port[p].peer;

		if (peer == TOPO_NONE || r->t->port[peer].node == n)
			continue;
		if (topo_port_switch(r->t, peer) == TOPO_NONE)
			add_host(r, s, p);
		else if (p < peer)
			add_link(r, s, p);
	}
}

/* A byte for each switch and host: where packets to the host go. */
static json_t *
tables_json(const struct report *r)
{
	const struct topo *t = r->t;
	uint8_t *out = mem_alloc((size_t)t->nsw * r->nhosts), *at = out;
	json_t *o;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (size_t i = 0; i < r->nhosts; i++)
			*at++ = routes_port(
				r->facts->routes, s, t->port[r->host[i]].lid);
	o = packed_json(out, (size_t)(at - out));
	free(out);
	return o;
}

static json_t *
cut_switches_json(const struct fabric_report_facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->ncut_switches; i++)
		json_util_add(list, json_integer(f->cut_switch[i]));
	return list;
}

/* Ports with a LID that are linked to something that is no switch, or to
 * nothing: two hosts back to back, or a host in another component. */
static json_int_t
count_unplaced(const struct report *r)
{
	json_int_t n = 0;

	for (port_ix p = 0; p < r->t->nports; p++)
		n += r->t->port[p].lid != 0 &&
		     topo_switch_of(r->t, p) == TOPO_NONE;
	return n;
}

json_t *
fabric_report_json(const struct fabric_report_facts *f)
{
	const struct topo *t = f->routes->topo;
	struct report r = {.facts = f,
		.t = t,
		.tree = tree_kept(f->routes),
		.host = mem_alloc(t->nports * sizeof(*r.host)),
		.rates = json_array(),
		.switches = json_array(),
		.links = json_array(),
		.hosts = json_array(),
		.cut_links = json_array()};
	json_t *o = json_object();

	for (sw_ix s = 0; s < t->nsw; s++)
		add_switch(&r, s);
	for (sw_ix s = 0; s < t->nsw; s++)
		add_ports(&r, s);
	json_util_put(o, M("rates", r.rates), M("switches", r.switches),
		M("links", r.links), M("hosts", r.hosts),
		M("unplaced", count_unplaced(&r)), M("tables", tables_json(&r)),
		M("cuts", json_util_object(M("links", r.cut_links),
				  M("switches", cut_switches_json(f)))));
	free(r.rate);
	free(r.host);
	return o;
}

/* Append JSON with its "<", which are in strings only, written in another way:
 * then no text in it ends the element that it is in, or opens a comment. */
static void
put_inert(const char *json, struct buf *out)
{
	size_t n;

	for (; *json != '\0'; json += n) {
		n = strcspn(json, "<");
		buf_put(out, json, n);
		if (json[n] == '<') {
			buf_printf(out, "\\u003c");
			n++;
		}
	}
}

void
fabric_report_page(const json_t *report, struct buf *out)
{
	static const char mark[] = "@REPORT@";
	const char *at = strstr(fabric_report_html, mark);
	char *json = json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(6));

	assert(at != NULL && json != NULL);
	buf_put(out, fabric_report_html, (size_t)(at - fabric_report_html));
	put_inert(json, out);
	buf_printf(out, "%s", at + sizeof(mark) - 1);
	free(json);
}
