#include "sm/report/hop_choice.h"

#include "routing/graph/multi_port_node.h"
#include "routing/verify/verify.h"

enum {
	STEPS = 2 * TOPO_MAX_HOPS,
	CLEARLY = 8, /* less by more than this part */
};

static const char *const names[HOP_REASONS] = {
	[HOP_EXIT] = "exit",
	[HOP_ONLY] = "only-one",
	[HOP_DRAINED] = "drained",
	[HOP_REDUNDANCY] = "redundancy",
	[HOP_KEPT] = "kept",
	[HOP_BALANCE] = "balance",
};

const char *
hop_reason_name(enum hop_reason reason)
{
	return names[reason];
}

/* Switches that packets to a LID pass from s to switch end, both counted; 0:
 * they do not come there. */
static unsigned
distance_to(const struct routes *r, sw_ix s, uint16_t lid, sw_ix end)
{
	for (unsigned n = 1; n <= STEPS && s != TOPO_NONE; n++) {
		if (s == end)
			return n;
		s = routes_next_switch(r, s, lid);
	}
	return 0;
}

/* True if packets from s to switch end never go up. */
static bool
only_descends(const struct routes *r, sw_ix s, uint16_t lid, sw_ix end)
{
	for (unsigned n = 0; n < STEPS && s != end; n++) {
		sw_ix next = routes_next_switch(r, s, lid);

		if (next == TOPO_NONE || routes_above(r, next, s))
			return false;
		s = next;
	}
	return s == end;
}

/* True if packets that came from switch before (TOPO_NONE: from a host) may go
 * from s to switch next. */
static bool
is_in_order(const struct routes *r, sw_ix before, sw_ix s, sw_ix next,
	uint16_t lid, sw_ix end)
{
	if (r->order == ROUTE_NO_ORDER)
		return true;
	if (routes_above(r, s, next))
		return only_descends(r, next, lid, end);
	return before == TOPO_NONE || !routes_above(r, before, s);
}

/* ---- redundancy ---- */

/* The steps from a port to another port of the destination's node, or 0. */
static int
trace_sibling(const struct routes *r, port_ix from, port_ix to,
	struct route_step *step)
{
	const struct topo *t = r->topo;
	uint64_t key = multi_port_node_key(t, NULL, to);
	struct reason why;

	for (port_ix p = 0; r->multi_port && p < t->nports; p++) {
		int n;

		if (p == to || !topo_is_host(t, p) ||
			multi_port_node_key(t, NULL, p) != key)
			continue;
		n = routes_trace(r, from, t->port[p].lid, step, STEPS, &why);
		return n < 0 ? 0 : n < STEPS ? n : STEPS;
	}
	return 0;
}

static bool
passes_switch(const struct route_step *step, int n, sw_ix s)
{
	for (int i = 0; i < n; i++)
		if (step[i].sw == s)
			return true;
	return false;
}

/* ---- the choice ---- */

static uint64_t
load_at(const struct routes *r, sw_ix s, unsigned port)
{
	return r->verified != NULL ? verify_state_load(r->verified, s, port)
				   : 0;
}

/* The hop that is judged. */
struct hop {
	sw_ix before, sw, next, end;
	unsigned out;
	uint16_t lid;
	unsigned far; /* distance of the next switch */
};

static bool
could_take(
	const struct routes *r, const struct hop *h, const struct topo_adj *a)
{
	unsigned far = distance_to(r, a->peer, h->lid, h->end);

	if (a->out == h->out)
		return true;
	return topo_sw_live(r->topo, a->peer) && far != 0 && far <= h->far &&
	       is_in_order(r, h->before, h->sw, a->peer, h->lid, h->end);
}

/* Links that are drained and lead as near to the destination, or to switches of
 * the rank of the one that is taken: a drained switch itself knows other ways.
 */
static unsigned
count_drained(const struct routes *r, const struct hop *h)
{
	const struct topo *t = r->topo;
	node_ix n = t->sw[h->sw].node;
	unsigned drained = 0;

	for (unsigned i = 1; i <= t->node[n].nports; i++) {
		const struct topo_port *p = &t->port[topo_port_of(t, n, i)];
		sw_ix peer = topo_port_switch(t, p->peer);
		unsigned far;

		if ((p->flags & TP_IDLE) == 0 || peer == TOPO_NONE)
			continue;
		far = distance_to(r, peer, h->lid, h->end);
		drained += (far != 0 && far <= h->far) ||
			   (r->order != ROUTE_NO_ORDER &&
				   r->rank[peer] == r->rank[h->next]);
	}
	return drained;
}

static struct hop_choice
weigh_links(const struct routes *r, const struct hop *h,
	const struct route_step *sibling, int nsibling)
{
	const struct topo_switch *sw = &r->topo->sw[h->sw];
	struct hop_choice c = {
		.reason = HOP_BALANCE, .load = load_at(r, h->sw, h->out)};
	bool shared = false; /* another one would be shared with the sibling */

	for (uint32_t k = 0; k < sw->nadj; k++) {
		const struct topo_adj *a = &r->topo->adj[sw->adj + k];
		uint64_t load;

		if (!could_take(r, h, a))
			continue;
		c.links++;
		if (a->out == h->out)
			continue;
		load = load_at(r, h->sw, a->out) + r->topo->rate_max / a->rate;
		if (c.least == 0 || load < c.least)
			c.least = load;
		shared |= a->peer != h->end && a->peer != h->next &&
			  passes_switch(sibling, nsibling, a->peer);
	}
	c.drained = count_drained(r, h);
	if (c.links <= 1)
		c.reason = c.drained > 0 ? HOP_DRAINED : HOP_ONLY;
	else if (shared && !passes_switch(sibling, nsibling, h->next))
		c.reason = HOP_REDUNDANCY;
	else if (r->entries_kept > 0 && c.load - c.least > c.load / CLEARLY)
		c.reason = HOP_KEPT;
	return c;
}

struct hop_choice
hop_choice_of(const struct routes *r, const struct route_step *step, int i,
	int n, port_ix from, port_ix to, uint16_t lid)
{
	struct route_step sibling[STEPS];
	struct hop h = {
		.before = i > 0 ? step[i - 1].sw : TOPO_NONE,
		.sw = step[i].sw,
		.out = step[i].out,
		.lid = lid,
		.end = topo_switch_of(r->topo, to),
	};

	if (i + 1 >= n)
		return (struct hop_choice){.reason = HOP_EXIT, .links = 1};
	h.next = step[i + 1].sw;
	h.far = distance_to(r, h.next, lid, h.end);
	return weigh_links(r, &h, sibling, trace_sibling(r, from, to, sibling));
}
