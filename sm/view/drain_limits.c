#include "sm/view/drain_limits.h"

#include <stdlib.h>

#include "routing/graph/multi_port_node.h"
#include "sm/base/mem.h"
#include "sm/view/cut_points.h"

/* ---- which switches are connected to our own port ---- */

/* Switches and links that count as missing. */
struct missing {
	const bool *link; /* [nports] by either end */
	sw_ix sw;	  /* or TOPO_NONE */
};

static bool
is_link_there(const struct topo *t, const struct missing *x, sw_ix s,
	const struct topo_adj *a)
{
	return topo_sw_live(t, a->peer) && a->peer != x->sw &&
	       !x->link[topo_port_of(t, t->sw[s].node, a->out)] &&
	       !x->link[topo_port_of(t, t->sw[a->peer].node, a->peer_port)];
}

/* [nsw], to be freed. */
static bool *
find_connected(const struct topo *t, const struct missing *x)
{
	bool *in = mem_zalloc(t->nsw, sizeof(*in));
	sw_ix *queue = mem_alloc(t->nsw * sizeof(*queue));
	sw_ix own = topo_switch_of(t, t->sm_port);
	uint32_t n = 0;

	if (own != TOPO_NONE && own != x->sw) {
		in[own] = true;
		queue[n++] = own;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct topo_switch *s = &t->sw[queue[i]];

		for (uint32_t k = 0; k < s->nadj; k++) {
			const struct topo_adj *a = &t->adj[s->adj + k];

			if (in[a->peer] || !is_link_there(t, x, queue[i], a))
				continue;
			in[a->peer] = true;
			queue[n++] = a->peer;
		}
	}
	free(queue);
	return in;
}

/* ---- links that are drained ---- */

static void
mark_link(const struct topo *t, port_ix p, bool *link)
{
	link[p] = true;
	if (t->port[p].peer != TOPO_NONE)
		link[t->port[p].peer] = true;
}

/* The links that are drained, and those of drained switches: [nports], to be
 * freed. */
static bool *
find_drained(const struct drain_limits *l)
{
	const struct topo *t = l->t;
	bool *link = mem_zalloc(t->nports, sizeof(*link));

	for (size_t i = 0; i < l->drains->n; i++) {
		const struct drain *d = &l->drains->list[i];
		node_ix n = topo_by_node_guid(t, d->guid);

		if (n == TOPO_NONE || d->port > t->node[n].nports)
			continue;
		for (unsigned p = 1; p <= t->node[n].nports; p++)
			if (d->port == 0 || d->port == p)
				mark_link(t, topo_port_of(t, n, p), link);
	}
	return link;
}

/* ---- the limits ---- */

static enum drain_limit
judge_host(const struct topo *t, port_ix p, struct reason *why)
{
	port_ix peer = t->port[p].peer;
	node_ix a = t->port[p].node, b = t->port[peer].node;
	node_ix host = t->node[a].sw == TOPO_NONE ? a : b;

	if (t->node[host].sw == TOPO_NONE)
		(void)reason_set(why, "no other link leads to this port of %s",
			topo_name(t, host).s);
	else if (a == b)
		(void)reason_set(why, "it leads back to the same switch");
	else
		return DRAIN_LIMIT_NONE;
	return DRAIN_LIMIT_HOST;
}

/* was, is: the drained links, without and with this one. */
static enum drain_limit
judge_cut(const struct topo *t, const bool *was, const bool *is,
	struct reason *why)
{
	bool *before = find_connected(t, &(struct missing){was, TOPO_NONE});
	bool *after = find_connected(t, &(struct missing){is, TOPO_NONE});
	sw_ix cut = TOPO_NONE;
	unsigned n = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		if (!before[s] || after[s])
			continue;
		cut = n++ == 0 ? s : cut;
	}
	free(before);
	free(after);
	if (n == 0)
		return DRAIN_LIMIT_NONE;
	(void)reason_set(why, "it is the last link to %s",
		topo_name(t, t->sw[cut].node).s);
	if (n > 1)
		(void)reason_add(why, " and %u more switches", n - 1);
	return DRAIN_LIMIT_CUT;
}

/* Whether node i of m, of n ports, has ports on several switches, and none of
 * them is connected. */
static bool
is_lost(const struct topo *t, const struct multi_port_node_ports *m, size_t i,
	size_t n, const bool *in)
{
	sw_ix first = topo_switch_of(t, m->member[i].port);
	bool several = false, lost = true;

	for (size_t k = 0; k < n; k++) {
		sw_ix s = topo_switch_of(t, m->member[i + k].port);

		several |= s != first;
		lost &= !in[s];
	}
	return several && lost;
}

/* The drained links, without and with the one that is judged; and of whose
 * ports it is judged. */
struct judged {
	const struct topo *t;
	const struct multi_port_node_ports *m;
	bool *was, *is; /* [nports] */
};

/* The first port of a node that is lost without this switch, or the links that
 * are marked, and was not without the link that is judged; or TOPO_NONE. */
static port_ix
find_lost(const struct judged *j, sw_ix without)
{
	const struct multi_port_node_ports *m = j->m;
	bool *is = find_connected(j->t, &(struct missing){j->is, without});
	bool *was = find_connected(j->t, &(struct missing){j->was, without});
	port_ix lost = TOPO_NONE;

	for (size_t i = 0, n; i < m->n && lost == TOPO_NONE; i += n) {
		n = multi_port_node_size(m, i);
		if (is_lost(j->t, m, i, n, is) && !is_lost(j->t, m, i, n, was))
			lost = m->member[i].port;
	}
	free(is);
	free(was);
	return lost;
}

/* The same without each single point of failure that there is with the link
 * drained; our own switch is none, since without it nothing is managed. */
static port_ix
find_lost_by_any(const struct judged *j)
{
	struct cut_points c;
	port_ix lost = TOPO_NONE;

	cut_points_find(j->t, j->is, &c);
	for (size_t i = 0; i < c.nlinks && lost == TOPO_NONE; i++) {
		bool was = j->was[c.link[i]];

		j->was[c.link[i]] = j->is[c.link[i]] = true;
		lost = find_lost(j, TOPO_NONE);
		j->was[c.link[i]] = was;
		j->is[c.link[i]] = false;
	}
	for (size_t i = 0; i < c.nsw && lost == TOPO_NONE; i++)
		if (c.sw[i] != topo_switch_of(j->t, j->t->sm_port))
			lost = find_lost(j, c.sw[i]);
	cut_points_free(&c);
	return lost;
}

static enum drain_limit
judge_redundancy(
	const struct drain_limits *l, bool *was, bool *is, struct reason *why)
{
	struct multi_port_node_ports m =
		multi_port_node_ports(l->t, l->options);
	const struct judged j = {l->t, &m, was, is};
	port_ix lost = TOPO_NONE;

	if (multi_port_node_exists(l->t, l->options))
		lost = find_lost_by_any(&j);
	multi_port_node_ports_free(&m);
	if (lost == TOPO_NONE)
		return DRAIN_LIMIT_NONE;
	(void)reason_set(why,
		"all ports of %s would depend on one link or switch",
		topo_name(l->t, l->t->port[lost].node).s);
	return DRAIN_LIMIT_REDUNDANCY;
}

/* ---- tiers ---- */

/* The tier of the lower end of a link; UINT32_MAX: it has none. */
static uint32_t
tier_of(const struct drain_limits *l, port_ix p)
{
	uint32_t a, b;

	if (l->tier == NULL)
		return UINT32_MAX;
	a = l->tier[topo_port_switch(l->t, p)];
	b = l->tier[topo_port_switch(l->t, l->t->port[p].peer)];
	return a > b ? a : b;
}

static bool
is_between_switches(const struct topo *t, port_ix p)
{
	return t->port[p].peer != TOPO_NONE &&
	       topo_port_switch(t, p) != TOPO_NONE &&
	       topo_port_switch(t, t->port[p].peer) != TOPO_NONE;
}

/* Whether the link of port p is of this tier. One that is down for now, whose
 * other end is not known, may be of that of this end, or of the one below. */
static bool
may_be_of(const struct drain_limits *l, port_ix p, uint32_t tier)
{
	sw_ix s = topo_port_switch(l->t, p);
	uint32_t own;

	if (is_between_switches(l->t, p))
		return tier_of(l, p) == tier;
	if (l->t->port[p].peer != TOPO_NONE || s == TOPO_NONE)
		return false;
	own = l->tier != NULL ? l->tier[s] : UINT32_MAX;
	return own == tier || (own != UINT32_MAX && own + 1 == tier);
}

/* The links of this tier that are drained for their health; one that is down
 * has its share all the same, since it comes back drained. */
static uint32_t
count_drained(const struct drain_limits *l, uint32_t tier)
{
	const struct topo *t = l->t;
	uint32_t n = 0;

	for (size_t i = 0; i < l->drains->n; i++) {
		const struct drain *d = &l->drains->list[i];
		node_ix node = topo_by_node_guid(t, d->guid);

		if (drains_is_of_health(d) && node != TOPO_NONE &&
			d->port <= t->node[node].nports)
			n += may_be_of(l, topo_port_of(t, node, d->port), tier);
	}
	return n;
}

static enum drain_limit
judge_tier(const struct drain_limits *l, port_ix p, struct reason *why)
{
	uint32_t tier = tier_of(l, p), links = 0, most;
	uint32_t drained = count_drained(l, tier);

	for (port_ix q = 0; q < l->t->nports; q++)
		links += is_between_switches(l->t, q) &&
			 l->t->port[q].peer > q && tier_of(l, q) == tier;
	most = links * DRAIN_LIMITS_PERCENT / 100;
	if (drained < most || drained == 0)
		return DRAIN_LIMIT_NONE;
	(void)reason_set(why, "%u of the %u links", drained, links);
	if (tier != UINT32_MAX)
		(void)reason_add(why, " of tier %u", tier);
	(void)reason_add(why,
		" %s drained for health already: the limit is %d %%, but at "
		"least one",
		drained == 1 ? "is" : "are", DRAIN_LIMITS_PERCENT);
	return DRAIN_LIMIT_TIER;
}

enum drain_limit
drain_limits_judge(const struct drain_limits *l, port_ix p, struct reason *why)
{
	enum drain_limit limit = judge_host(l->t, p, why);
	bool *was, *is;

	if (limit == DRAIN_LIMIT_NONE)
		limit = judge_tier(l, p, why);
	if (limit != DRAIN_LIMIT_NONE)
		return limit;
	was = find_drained(l);
	is = mem_dup(was, l->t->nports * sizeof(*is));
	mark_link(l->t, p, is);
	limit = judge_cut(l->t, was, is, why);
	if (limit == DRAIN_LIMIT_NONE)
		limit = judge_redundancy(l, was, is, why);
	free(was);
	free(is);
	return limit;
}
