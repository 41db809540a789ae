/*
 * unknown_lft: quench, for tables and neighbours that are unknown.
 *
 * After a restart some blocks cannot be read, or what was sent there before
 * they could be read was not acknowledged. Whatever they hold is in force, and
 * no mixture can be proven with it: not if new paths lead there while it may
 * still be in place, nor even if none does for its LIDs, for what the switch's
 * own hosts send goes on from it by channels that other LIDs wait for. So such
 * a block becomes all 255 before anything else is written: taking dependencies
 * away is always safe. When that is acknowledged and what was in flight has
 * drained the block is known, and the transition starts from there.
 *
 * A switch that takes no blocks above its top gets that raised first, and
 * blocks above it come to life before they can be emptied. So its neighbours,
 * before all else, hold 255 for those LIDs: no packet arrives that its tables
 * could forward, and what its own hosts send ends at the next switch.
 *
 * A switch with a silent SMA cannot be written, and forwards all the same.
 * Where its tables are known they are part of every mixture. But nothing can be
 * blocked there, neither by its rows of SL2VL nor by its ports, nor can its
 * links be taken down, for they would not come up again. Nor can adaptive
 * routing be switched off there: such a switch goes on choosing among the ports
 * of its groups, which are in no mixture. Where a transition needs any of that,
 * the entries that lead into switches that cannot be written become 255 as well
 * (around), and the mixture is made anew.
 *
 * After a restart its tables are unknown, or even its presence: a port that
 * carries data and has no neighbour in the topology may lead to a switch, and
 * that switch to any other such port. There the entries that lead into the
 * unknown, for any LID, become 255: then such a switch is only a source of
 * packets and on no cycle, whatever it does. New tables do not lead there:
 * mostly they want that 255 anyway. Multicast trees that lead there have to go
 * (transition_mcast.c).
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

struct unknown {
	struct lft_values *v;
	const struct topo *t;
	struct transition_ports *port; /* [nsw] into the unknown */
	bool *dark; /* [nsw] cannot be written, and its tables are unknown, or
		       packets are led around it */
	unsigned ends; /* ports without a neighbour */
	bool around;   /* all switches that cannot be written are dark */
	bool any;      /* some switch is dark */
};

static void
set_port(struct transition_ports *p, unsigned n)
{
	p->bit[n >> 6] |= UINT64_C(1) << (n & 63);
}

static bool
has_port(const struct transition_ports *p, unsigned n)
{
	return p->bit[n >> 6] >> (n & 63) & 1;
}

/* Whether an entry may lead by this port to a neighbour that is not in the
 * topology. */
static bool
leads_to_unknown(const struct topo_port *p)
{
	return p->num != LFT_DROP && lft_values_is_unknown_end(p);
}

static void
find_unknown_ends(struct unknown *b)
{
	for (sw_ix s = 0; s < b->t->nsw; s++) {
		node_ix n = b->t->sw[s].node;

		for (unsigned p = 1; p <= b->t->node[n].nports; p++)
			if (leads_to_unknown(
				    &b->t->port[topo_port_of(b->t, n, p)])) {
				set_port(&b->port[s], p);
				b->ends++;
			}
	}
}

/* The cell's contents are unknown: from now on it is empty. */
static void
empty_cell(struct lft_values *v, struct lft_value_cell *c)
{
	c->held = (uint32_t)v->nheld;
	c->nheld = 1;
	v->held = mem_grow(v->held, v->nheld, &v->capheld, sizeof(*v->held));
	v->held[v->nheld++] = LFT_EMPTY;
	c->quench = c->settled = true;
	c->write = c->new && c->want != LFT_EMPTY;
	v->differ += c->new ? LFT_BLOCK : 0;
}

/*
 * Unknown blocks are emptied where they can be written; else the switch is
 * dark.
 */
static void
find_unknown(struct unknown *b)
{
	for (size_t i = 0; i < b->v->ncells; i++) {
		struct lft_value_cell *c = &b->v->c[i];

		if (!c->unknown)
			continue;
		if (chan_graph_quarantined(b->v->net, c->s))
			b->dark[c->s] = b->any = true;
		else
			empty_cell(b->v, c);
	}
	/* a switch that cannot be written and has such a port is dark too */
	for (sw_ix s = 0; s < b->t->nsw; s++)
		for (unsigned w = 0; w < 4; w++)
			b->dark[s] |= chan_graph_quarantined(b->v->net, s) &&
				      (b->around || b->port[s].bit[w] != 0);
}

/*
 * Mark ports to dark switches; a switch that cannot be written and has one is
 * dark too.
 */
static void
spread_unknown(struct unknown *b)
{
	const struct chan_graph *n = b->v->net;
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t r = 0; r < n->off[n->nsw]; r++) {
			sw_ix s = n->owner[r], to = n->owner[n->peer[r]];

			if (to == n->nsw || !b->dark[to])
				continue;
			b->any = true;
			set_port(&b->port[s], r - n->base[r]);
			if (b->dark[s] || !chan_graph_quarantined(n, s))
				continue;
			b->dark[s] = more = true;
		}
	}
}

static bool
leads_to_ports(const uint8_t *line, const struct transition_ports *p)
{
	for (unsigned l = 0; l < LFT_BLOCK; l++)
		if (line[l] != LFT_DROP && has_port(p, line[l]))
			return true;
	return false;
}

static lft_ref
quenched_block(
	struct lft_pool *pool, lft_ref was, const struct transition_ports *p)
{
	uint8_t line[LFT_BLOCK];

	memcpy(line, lft_bytes(pool, was), sizeof(line));
	for (unsigned l = 0; l < LFT_BLOCK; l++)
		if (line[l] != LFT_DROP && has_port(p, line[l]))
			line[l] = LFT_DROP;
	return lft_add(pool, line);
}

/* From now on the cell holds what it will hold when it is quenched. */
static void
quench_cell(struct lft_values *v, struct lft_value_cell *c,
	const struct transition_ports *p)
{
	struct lft_pool *pool = v->to->pool;
	uint32_t first = (uint32_t)v->nheld;

	for (uint16_t i = 0; i < c->nheld; i++) {
		lft_ref r = quenched_block(pool, v->held[c->held + i], p);

		v->held = mem_grow(
			v->held, v->nheld, &v->capheld, sizeof(*v->held));
		v->held[v->nheld++] = r;
		v->own = mem_grow(v->own, v->nown, &v->capown, sizeof(*v->own));
		v->own[v->nown++] = r;
	}
	c->held = first;
	c->quench = true;
	v->kept -= c->new && !c->write;
	c->write = c->new;
	v->differ += LFT_BLOCK;
}

/* Quench the entries of a block that lead to these ports. */
static void
quench_block(struct unknown *b, sw_ix s, uint32_t k, struct transition_ports p)
{
	struct lft_values *v = b->v;
	uint32_t *i = &v->cell[(size_t)s * v->nblocks + k];
	struct lft_pool *pool = v->to->pool;
	bool is_next_hop = false;

	if ((p.bit[0] | p.bit[1] | p.bit[2] | p.bit[3]) == 0)
		return;
	if (*i == 0) {
		if (k >= v->to->nblocks ||
			!leads_to_ports(routes_block(v->to, s, k), &p))
			return;
		lft_values_cell(v, s, k);
		is_next_hop = true;
	}
	for (uint16_t h = 0; h < v->c[*i - 1].nheld; h++)
		is_next_hop |= leads_to_ports(
			lft_bytes(pool, v->held[v->c[*i - 1].held + h]), &p);
	if (is_next_hop)
		quench_cell(v, &v->c[*i - 1], &p);
}

/*
 * Quench the neighbours of switches with unknown blocks above tops that are
 * raised.
 */
static void
quench_neighbours(struct unknown *b)
{
	const struct transition_ports all = {
		{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
	size_t n = b->v->ncells;

	for (size_t i = 0; i < n; i++) {
		const struct lft_value_cell c = b->v->c[i];
		unsigned nports = b->t->node[b->t->sw[c.s].node].nports;

		if (!c.unknown || !c.quench || !c.above)
			continue;
		for (unsigned p = 1; p <= nports; p++) {
			sw_ix near = topo_port_switch(
				b->t, topo_port_behind(b->t, c.s, p));

			if (near != TOPO_NONE && near != c.s &&
				!chan_graph_fresh(b->v->net, near) &&
				!chan_graph_quarantined(b->v->net, near))
				quench_block(b, near, c.b, all);
		}
	}
}

void
unknown_lft_quench(struct lft_values *v, bool around)
{
	const struct chan_graph *n = v->net;
	struct unknown b = {.v = v, .t = n->t, .around = around};

	b.port = mem_zalloc(n->nsw, sizeof(*b.port));
	b.dark = mem_zalloc(n->nsw, sizeof(*b.dark));
	find_unknown_ends(&b);
	if (b.ends < 2) /* there is only one way in */
		memset(b.port, 0, n->nsw * sizeof(*b.port));
	find_unknown(&b);
	spread_unknown(&b);
	for (sw_ix s = 0; s < n->nsw && (b.any || b.ends > 1); s++)
		for (uint32_t k = 0; k < v->nblocks; k++)
			if (!chan_graph_fresh(n, s) &&
				!chan_graph_quarantined(n, s))
				quench_block(&b, s, k, b.port[s]);
	quench_neighbours(&b);
	v->unknown = b.port;
	free(b.dark);
}
