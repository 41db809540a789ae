#include "tests/bench/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { PORTS = 256 };

/* ---- what is lost ---- */

struct search {
	const struct fabric *f;
	const struct routes *r;
	uint32_t home;	   /* the switch of the SM's host */
	uint32_t *traffic; /* [nsw][PORTS] entries for hosts, by switch and
			      out-port */
};

/* True if more than one end node is linked: not just an aggregation node. */
static bool
has_hosts(const struct fabric *f, uint32_t n)
{
	uint32_t peer;
	unsigned port, hosts = 0;

	for (unsigned p = 1; p <= f->node[n].nports; p++)
		hosts += fabric_peer(f, n, p, &peer, &port) &&
			 f->node[peer].type != FABRIC_SWITCH;
	return hosts > 1;
}

/* A switch with, or without, hosts, but not that of the SM's host. */
static bool
is_candidate(const struct search *x, uint32_t n, bool hosts)
{
	return x->f->node[n].type == FABRIC_SWITCH && n != x->home &&
	       has_hosts(x->f, n) == hosts;
}

static void
count_traffic(struct search *x)
{
	const struct topo *t = x->r->topo;

	x->traffic = mem_zalloc((size_t)t->nsw * PORTS, sizeof(*x->traffic));
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		port_ix to = topo_by_lid(t, (uint16_t)lid, NULL);

		if (to == TOPO_NONE ||
			t->node[t->port[to].node].type == TOPO_SWITCH)
			continue;
		for (sw_ix s = 0; s < t->nsw; s++)
			x->traffic[s * PORTS +
				   routes_port(x->r, s, (uint16_t)lid)]++;
	}
}

/* Number of entries for hosts that lead from the neighbour to port p of n. */
static uint32_t
port_traffic(const struct search *x, uint32_t n, unsigned p)
{
	const struct topo *t = x->r->topo;
	uint32_t peer;
	unsigned port;
	node_ix at;

	if (!fabric_peer(x->f, n, p, &peer, &port) ||
		x->f->node[peer].type != FABRIC_SWITCH)
		return 0;
	at = topo_by_node_guid(t, x->f->node[peer].guid);
	return at == TOPO_NONE ? 0 : x->traffic[t->node[at].sw * PORTS + port];
}

static bool
is_neighbour(const struct fabric *f, uint32_t a, uint32_t b)
{
	uint32_t peer;
	unsigned port;

	for (unsigned p = 1; p <= f->node[a].nports; p++)
		if (fabric_peer(f, a, p, &peer, &port) && peer == b)
			return true;
	return false;
}

/* Number of common neighbours. */
static unsigned
count_common(const struct fabric *f, uint32_t a, uint32_t b)
{
	uint32_t peer;
	unsigned port, n = 0;

	for (unsigned p = 1; p <= f->node[a].nports; p++)
		n += fabric_peer(f, a, p, &peer, &port) &&
		     f->node[peer].type == FABRIC_SWITCH &&
		     is_neighbour(f, peer, b);
	return n;
}

/* The busiest switch of the kind, and its busiest port. */
static void
find_busiest(const struct search *x, bool hosts, struct parts *e)
{
	uint32_t most = 0;

	for (uint32_t n = 0; n < x->f->nnodes; n++) {
		uint32_t sum = 0, best = 0;

		if (!is_candidate(x, n, hosts))
			continue;
		for (unsigned p = 1; p <= x->f->node[n].nports; p++)
			sum += port_traffic(x, n, p);
		if (sum <= most)
			continue;
		most = sum;
		e->node[0] = n;
		e->nnodes = 1;
		for (unsigned p = 1; p <= x->f->node[n].nports; p++) {
			uint32_t is = port_traffic(x, n, p);

			if (is > best)
				e->port = p;
			best = is > best ? is : best;
		}
	}
}

/* Add the next switch to a card. */
static bool
add_like(const struct search *x, bool hosts, struct parts *e)
{
	uint32_t best = FABRIC_NONE;
	unsigned most = 0;

	for (uint32_t n = 0; n < x->f->nnodes; n++) {
		bool in = false;
		unsigned is;

		for (unsigned i = 0; i < e->nnodes; i++)
			in |= e->node[i] == n;
		if (in || !is_candidate(x, n, hosts))
			continue;
		is = count_common(x->f, e->node[0], n);
		if (is > most) {
			most = is;
			best = n;
		}
	}
	if (best != FABRIC_NONE)
		e->node[e->nnodes++] = best;
	return best != FABRIC_NONE;
}

void
parts_find(const struct fabric *f, const struct routes *r, enum parts_what what,
	struct parts *p)
{
	struct search x = {.f = f, .r = r, .home = FABRIC_NONE};
	bool hosts = what == PARTS_LEAVES;
	unsigned port;

	*p = (struct parts){.what = what};
	(void)fabric_peer(f, fabric_first_host(f), 1, &x.home, &port);
	count_traffic(&x);
	find_busiest(&x, hosts, p);
	while (what >= PARTS_CORES && p->nnodes > 0 && p->nnodes < PARTS_CARD &&
		add_like(&x, hosts, p))
		;
	free(x.traffic);
}

void
parts_name(const struct fabric *f, const struct parts *p, char out[160])
{
	static const char *const name[PARTS] = {
		"link", "switch", "core card", "leaf card"};

	(void)snprintf(out, 160, "%s of \"%s\"%s", name[p->what],
		f->node[p->node[0]].name, p->nnodes > 1 ? " and others" : "");
}

/* ---- how many entries ---- */

/* Counts entries of one switch, in the order of LIDs. */
struct count {
	struct parts_sum sum;
	uint64_t block;
};

static void
count_entry(struct count *c, uint32_t lid)
{
	c->sum.entries++;
	c->sum.blocks += lid / LFT_BLOCK != c->block;
	c->block = lid / LFT_BLOCK;
}

/* The index in `was` of switch s of t, or TOPO_NONE. */
static sw_ix
previous_switch(const struct topo *was, const struct topo *t, sw_ix s)
{
	node_ix n = topo_by_node_guid(was, t->node[t->sw[s].node].guid);

	return n == TOPO_NONE ? TOPO_NONE : was->node[n].sw;
}

struct parts_sum
parts_changed(const struct routes *was, const struct routes *is)
{
	const struct topo *t = is->topo;
	struct count c = {.block = UINT64_MAX};

	for (sw_ix s = 0; s < t->nsw; s++) {
		sw_ix o = previous_switch(was->topo, t, s);

		c.block = UINT64_MAX;
		for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
			uint16_t d = (uint16_t)lid;

			if (routes_port(is, s, d) !=
				(o == TOPO_NONE ? LFT_DROP
						: routes_port(was, o, d)))
				count_entry(&c, lid);
		}
	}
	return c.sum;
}

/* ---- the least that must change ---- */

/* Paths to one switch over the present links, in a switch order. */
struct ways {
	uint32_t *pos;	  /* [nsw] */
	sw_ix *seq;	  /* [nsw] from the top */
	bool *down, *any; /* [nsw] */
};

struct least {
	const struct routes *was;
	const struct topo *t;
	sw_ix *old; /* [nsw of t] its index before; TOPO_NONE: new */
	struct ways tiers, line;
	uint8_t *bit; /* [nsw][LID] 1: the entry must change */
};

/* True if a link leads from s to a switch of the set, in that direction. */
static bool
has_link_into(const struct topo *t, const struct ways *w, sw_ix s,
	const bool *set, bool down)
{
	const struct topo_switch *x = &t->sw[s];

	for (uint32_t i = x->adj; i < x->adj + x->nadj; i++) {
		sw_ix peer = t->adj[i].peer;

		if (set[peer] && (w->pos[peer] > w->pos[s]) == down)
			return true;
	}
	return false;
}

static void
find_ways(const struct topo *t, struct ways *w, sw_ix dest)
{
	for (uint32_t i = t->nsw; i-- > 0;) {
		sw_ix s = w->seq[i];

		w->down[s] = s == dest || has_link_into(t, w, s, w->down, true);
	}
	for (uint32_t i = 0; i < t->nsw; i++) {
		sw_ix s = w->seq[i];

		w->any[s] = w->down[s] || has_link_into(t, w, s, w->any, false);
	}
}

/* True if the entry of s must change, for the destination of find_ways. */
static bool
must_change(const struct least *l, sw_ix s, uint8_t port)
{
	const struct topo *t = l->t, *u = l->was->topo;
	const struct topo_node *n = &t->node[t->sw[s].node];
	const struct topo_node *m = &u->node[u->sw[l->old[s]].node];
	const struct ways *w = l->tiers.any[s] ? &l->tiers : &l->line;
	port_ix is;
	sw_ix peer;

	if (port == LFT_DROP)
		return true;
	if (port == 0 || port > n->nports || port > m->nports)
		return false;
	is = t->port[n->first_port + port].peer;
	if (is == TOPO_NONE)
		return u->port[m->first_port + port].peer != TOPO_NONE;
	peer = t->node[t->port[is].node].sw;
	if (peer == TOPO_NONE)
		return false;
	return !(w->pos[peer] > w->pos[s] ? w->down[peer] : w->any[peer]);
}

/* Mark the entries of all switches for a LID of x that must change. */
static void
mark_lid(struct least *l, sw_ix x, uint32_t lid)
{
	size_t row = l->t->max_lid + (size_t)1;

	for (sw_ix s = 0; s < l->t->nsw; s++)
		l->bit[s * row + lid] =
			l->old[s] == TOPO_NONE ||
			(s != x && must_change(l, s,
					   routes_port(l->was, l->old[s],
						   (uint16_t)lid)));
}

static void
mark_changes(struct least *l)
{
	const struct topo *t = l->t;

	for (sw_ix x = 0; x < t->nsw; x++) {
		const struct topo_switch *sw = &t->sw[x];

		find_ways(t, &l->tiers, x);
		find_ways(t, &l->line, x);
		for (uint32_t e = sw->end; e < sw->end + sw->nend; e++) {
			const struct topo_port *p = &t->port[t->end[e].port];

			for (uint32_t k = 0; p->lid != 0 && k < 1U << p->lmc;
				k++)
				mark_lid(l, x, p->lid + k);
		}
	}
}

/* In the order of `is`, or by its ranks alone. */
static void
ways_new(struct ways *w, const struct routes *is, bool ranks)
{
	uint32_t n = is->topo->nsw;

	w->pos = mem_zalloc(n, sizeof(*w->pos));
	w->seq = mem_zalloc(n, sizeof(*w->seq));
	w->down = mem_zalloc(n, sizeof(*w->down));
	w->any = mem_zalloc(n, sizeof(*w->any));
	if (!ranks)
		routes_order(is, w->pos);
	for (sw_ix s = 0; ranks && s < n; s++)
		for (sw_ix x = 0; x < n; x++)
			w->pos[s] += routes_above(is, x, s);
	for (sw_ix s = 0; s < n; s++)
		w->seq[w->pos[s]] = s;
}

static void
ways_end(struct ways *w)
{
	free(w->pos);
	free(w->seq);
	free(w->down);
	free(w->any);
}

struct parts_sum
parts_least(const struct routes *was, const struct routes *is)
{
	const struct topo *t = is->topo;
	size_t row = t->max_lid + (size_t)1;
	struct least l = {.was = was, .t = t};
	struct count c = {.block = UINT64_MAX};

	l.bit = mem_zalloc(t->nsw, row);
	l.old = mem_zalloc(t->nsw, sizeof(*l.old));
	for (sw_ix s = 0; s < t->nsw; s++)
		l.old[s] = previous_switch(was->topo, t, s);
	ways_new(&l.tiers, is, true);
	ways_new(&l.line, is, false);
	mark_changes(&l);
	for (sw_ix s = 0; s < t->nsw; s++) {
		c.block = UINT64_MAX;
		for (uint32_t lid = 1; lid <= t->max_lid; lid++)
			if (l.bit[s * row + lid])
				count_entry(&c, lid);
	}
	ways_end(&l.tiers);
	ways_end(&l.line);
	free(l.old);
	free(l.bit);
	return c.sum;
}
