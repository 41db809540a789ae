#include <string.h>

#include "routing/improve/disjoint_priv.h"

enum { WORD = 8 }; /* entries that are compared at once */

/* True if a neighbour of s sends it packets for the LID. */
static bool
is_fed(const struct disjoint *e, sw_ix s, uint16_t lid)
{
	const struct topo *t = e->t;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		sw_ix x = t->adj[t->sw[s].adj + i].peer;
		uint32_t c = link_map_entry(&e->net, e->from, x, lid);

		if (c != DISJOINT_NONE && t->adj[c].peer == s)
			return true;
	}
	return false;
}

/*
 * The entry of s for the LID has changed: its node is due. Where no neighbour
 * sends s packets for the LID, the change concerns the hosts of s, and switches
 * that had no disjoint paths and might find some through s now. If all had
 * some, the node is due only if the hosts of s have a single point of failure.
 */
static void
find_due_by(struct disjoint *e, sw_ix s, uint16_t lid)
{
	const struct multi_port_node_ports *p = &e->ports;
	unsigned path = 0;
	size_t i;

	if (e->of_lid[lid] == 0)
		return;
	i = e->of_lid[lid] - 1;
	if (e->due[i])
		return;
	(void)topo_by_lid(e->t, lid, &path);
	e->due[i] = e->since->lost_disjoint || is_fed(e, s, lid) ||
		    (e->hosts[s] > 0 &&
			    disjoint_take_paths(e, &p->member[i],
				    multi_port_node_size(p, i), path) &&
			    disjoint_has_shared_switch(e, s, DISJOINT_NONE));
}

/* Nodes due by changed entries in a block of s; old NULL: there were none. */
static void
find_due_among(struct disjoint *e, sw_ix s, uint32_t b, const uint8_t *old)
{
	const uint8_t *is = routes_block(e->from, s, b);
	uint32_t lid = b * LFT_BLOCK;

	for (uint32_t w = 0; w < LFT_BLOCK; w += WORD) {
		if (old != NULL && memcmp(is + w, old + w, WORD) == 0)
			continue;
		for (uint32_t i = w; i < w + WORD; i++)
			if (lid + i <= e->t->max_lid &&
				(old == NULL || is[i] != old[i]))
				find_due_by(e, s, (uint16_t)(lid + i));
	}
}

/* Nodes due by changed entries of switch s, which had number `was`. */
static void
find_due_in(struct disjoint *e, sw_ix s, sw_ix was)
{
	const struct routes *prev = e->since, *r = e->from;
	const struct lft_row *x = r->row[s], *y = prev->row[was];
	uint32_t old = y->n < prev->nblocks ? y->n : prev->nblocks;

	for (uint32_t b = 0; x != y && b < r->nblocks; b++) {
		bool had = b < old;

		if (had && x->span[b / LFT_SPAN] == y->span[b / LFT_SPAN])
			b |= LFT_SPAN - 1; /* to its end */
		else if (!had || lft_row_ref(x, b) != lft_row_ref(y, b))
			find_due_among(e, s, b,
				had ? routes_block(prev, was, b) : NULL);
	}
}

/* True if port p of `was` is in t, too, with its LIDs and on its switch. */
static bool
is_there(const struct topo *t, const struct topo *was, port_ix p)
{
	uint64_t guid = was->port[p].guid;
	port_ix q = p < t->nports && t->port[p].guid == guid
			    ? p /* mostly */
			    : topo_by_port_guid(t, guid);

	return q != TOPO_NONE && t->port[q].lid == was->port[p].lid &&
	       t->port[q].lmc == was->port[p].lmc &&
	       topo_switch_of(t, q) ==
		       topo_switch_in(t, was, topo_switch_of(was, p));
}

static void
find_due_at(struct disjoint *e, port_ix p)
{
	uint32_t i = e->of_lid[e->t->port[p].lid];

	if (i > 0)
		e->due[i - 1] = true;
}

/* The node of a port that is gone or was on another switch is due. */
static void
find_due_with(struct disjoint *e, const struct multi_port_node_member *gone)
{
	size_t i = multi_port_node_find(&e->ports, gone->key);

	if (i < e->ports.n)
		find_due_at(e, e->ports.member[i].port);
}

/*
 * True if all leaves had hosts before: a new leaf was never looked at. Where
 * leaves stayed cut off there must be no fewer of them either: another path is
 * the best one where fewer leaves' paths move with it.
 */
static bool
same_leaves(const struct disjoint *e, const struct multi_port_node_ports *old)
{
	const struct topo *was = e->since->topo;
	bool *had = arena_array(e->a, was->nsw, sizeof(*had));

	for (uint32_t i = 0; i < old->nleaves; i++)
		had[old->leaf[i]] = true;
	for (uint32_t i = 0; i < e->ports.nleaves; i++) {
		sw_ix x = topo_switch_in(was, e->t, e->ports.leaf[i]);

		if (x == TOPO_NONE || !had[x])
			return false;
	}
	return !e->since->lost_disjoint || old->nleaves == e->ports.nleaves;
}

/*
 * True if there is no new switch, and all are in the order and the parts of
 * e->since. In another order, nodes for which no disjoint paths were found may
 * have some.
 */
static bool
same_order(const struct disjoint *e)
{
	const struct routes *prev = e->since, *r = e->from;
	uint32_t nsw = e->t->nsw, last = 0;
	uint32_t *was = arena_array(e->a, nsw, sizeof(*was));
	sw_ix *seq = arena_array(e->a, nsw, sizeof(*seq));

	if ((prev->part == NULL) != (r->part == NULL))
		return false;
	routes_order_in(prev, e->t, was);
	for (sw_ix s = 0; s < nsw; s++)
		seq[e->pos[s]] = s;
	for (uint32_t i = 0; i < nsw; i++) {
		sw_ix x = topo_switch_in(prev->topo, e->t, seq[i]);

		if (x == TOPO_NONE || was[seq[i]] < last ||
			(r->part != NULL && r->part[seq[i]] != prev->part[x]))
			return false;
		last = was[seq[i]];
	}
	return true;
}

/* True if the same LIDs are on the same ports of the same nodes and switches,
 * by the same numbers. */
static bool
same_ends(const struct topo *t, const struct topo *was)
{
	if (t->nsw != was->nsw || t->nend != was->nend ||
		t->nports != was->nports)
		return false;
	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_switch_in(was, t, s) != s ||
			t->sw[s].end != was->sw[s].end ||
			t->sw[s].nend != was->sw[s].nend ||
			topo_sw_live(t, s) != topo_sw_live(was, s))
			return false;
	for (uint32_t i = 0; i < t->nend; i++) {
		const struct topo_port *p = &t->port[t->end[i].port];
		const struct topo_port *q = &was->port[was->end[i].port];

		if (t->end[i].port != was->end[i].port ||
			t->end[i].host != was->end[i].host ||
			p->guid != q->guid || p->lid != q->lid ||
			p->lmc != q->lmc ||
			t->node[p->node].sysimg != was->node[q->node].sysimg ||
			t->node[p->node].guid != was->node[q->node].guid)
			return false;
	}
	return true;
}

/* Mark the nodes with changed ports. False: all nodes may be due. */
static bool
find_due_at_ends(struct disjoint *e)
{
	const struct topo *t = e->t, *was = e->since->topo;
	struct multi_port_node_ports old;
	bool some;

	if (same_ends(t, was))
		return true; /* mostly only links have changed */
	old = multi_port_node_ports(was, e->job->options);
	some = same_leaves(e, &old);
	for (size_t i = 0; i < old.n; i++)
		if (!is_there(t, was, old.member[i].port))
			find_due_with(e, &old.member[i]);
	multi_port_node_ports_free(&old);
	for (size_t i = 0; i < e->ports.n; i++)
		if (!is_there(was, t, e->ports.member[i].port))
			find_due_at(e, e->ports.member[i].port);
	return some;
}

bool
disjoint_select(struct disjoint *e)
{
	const struct routes *prev = e->since;
	const struct topo *t = e->t;
	bool some;

	if (prev->disjoint_opts_hash != e->from->disjoint_opts_hash ||
		(prev->lost_disjoint && !same_order(e)))
		return false;
	e->due = arena_array(e->a, e->ports.n, sizeof(*e->due));
	some = find_due_at_ends(e);
	for (sw_ix s = 0; some && s < t->nsw; s++) {
		sw_ix was = topo_switch_in(prev->topo, t, s);

		some = was != TOPO_NONE || !topo_sw_live(t, s);
		if (was != TOPO_NONE)
			find_due_in(e, s, was);
	}
	return some;
}
