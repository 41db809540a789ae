#include "sm/what_if/routes_diff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/path_fate.h"
#include "sm/base/mem.h"

/* What becomes of the path from a switch to the current LID. */
enum fate { FATE_SAME, FATE_MOVED, FATE_CUT };

struct compare {
	const struct routes *was, *is;
	sw_ix *old;	 /* [is nsw] the switch in was, or TOPO_NONE */
	uint32_t *hosts; /* [is nsw] hosts at the switch that are in both */
	bool *column;	 /* [LIDs] some entry differs */
	bool *cabled;	 /* [is nsw] some link differs */
	struct path_fate fate;
	uint16_t lid;  /* at hand */
	port_ix owner; /* of it */
	struct routes_diff *out;
};

static sw_ix
switch_of_guid(const struct topo *t, uint64_t guid)
{
	node_ix n = topo_by_node_guid(t, guid);

	return n == TOPO_NONE ? TOPO_NONE : t->node[n].sw;
}

/* True if the other topology has port p of t with the same LID. */
static bool
in_both(const struct topo *t, port_ix p, const struct topo *other)
{
	const struct topo_port *port = &t->port[p];
	port_ix q = topo_by_port_guid(other, port->guid);

	return q != TOPO_NONE && other->port[q].lid == port->lid;
}

/* The peer of port num of switch s: its node GUID, and its port in *port; 0:
 * none. */
static uint64_t
peer_of_port(const struct topo *t, sw_ix s, unsigned num, unsigned *port)
{
	node_ix n = t->sw[s].node;
	port_ix peer;

	*port = 0;
	if (num > t->node[n].nports)
		return 0;
	peer = t->port[topo_port_of(t, n, num)].peer;
	if (peer == TOPO_NONE)
		return 0;
	*port = t->port[peer].num;
	return t->node[t->port[peer].node].guid;
}

static bool
is_same_link(const struct compare *c, sw_ix s, unsigned num)
{
	unsigned a, b;

	return peer_of_port(c->is->topo, s, num, &a) ==
		       peer_of_port(c->was->topo, c->old[s], num, &b) &&
	       a == b;
}

static void
match_switches(struct compare *c)
{
	const struct topo *t = c->is->topo, *o = c->was->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		unsigned nports = t->node[t->sw[s].node].nports;

		c->old[s] = switch_of_guid(o, t->node[t->sw[s].node].guid);
		if (c->old[s] == TOPO_NONE)
			continue;
		for (unsigned i = 1; i <= nports; i++)
			c->cabled[s] |= !is_same_link(c, s, i);
		for (uint32_t i = 0; i < t->sw[s].nend; i++) {
			port_ix p = t->end[t->sw[s].end + i].port;

			c->hosts[s] += topo_is_host(t, p) && in_both(t, p, o);
		}
	}
}

static const uint8_t *
block_bytes(const struct routes *r, sw_ix s, uint32_t b)
{
	return b < r->nblocks ? routes_block(r, s, b)
			      : lft_bytes(r->pool, LFT_EMPTY);
}

static lft_ref
ref_of(const struct routes *r, sw_ix s, uint32_t b)
{
	return b < r->nblocks ? routes_ref_of(r, s, b) : LFT_EMPTY;
}

/* Mark the LIDs that the switch sends to an out-port with another link. */
static void
compare_links(struct compare *c, sw_ix s)
{
	unsigned nports = c->is->topo->node[c->is->topo->sw[s].node].nports;
	bool other[256] = {false};

	for (unsigned i = 1; i <= nports; i++)
		other[i] = !is_same_link(c, s, i);
	for (uint32_t lid = 0; lid < c->is->nblocks * LFT_BLOCK; lid++)
		c->column[lid] |= other[routes_port(c->is, s, (uint16_t)lid)];
}

/* True if block b of s is written if it differs: not above the highest LID, and
 * not to a quarantined switch. */
static bool
is_written(const struct routes *is, sw_ix s, uint32_t b)
{
	const struct topo *t = is->topo;

	return b < is->nblocks && topo_sw_live(t, s);
}

/* Count the blocks of switch s that differ. */
static void
compare_row(struct compare *c, sw_ix s, uint32_t nblocks)
{
	uint64_t before = c->out->blocks;

	for (uint32_t b = 0; b < nblocks; b++) {
		const uint8_t *x, *y;
		unsigned differ = 0;

		if (ref_of(c->was, c->old[s], b) == ref_of(c->is, s, b))
			continue;
		x = block_bytes(c->was, c->old[s], b);
		y = block_bytes(c->is, s, b);
		for (unsigned i = 0; i < LFT_BLOCK; i++) {
			if (x[i] == y[i])
				continue;
			differ++;
			c->column[b * LFT_BLOCK + i] = true;
		}
		if (!is_written(c->is, s, b))
			continue;
		c->out->entries += differ;
		c->out->blocks += differ > 0;
	}
	c->out->switches += c->out->blocks > before;
}

/* A step of the LID at hand in the new tables. */
static uint8_t
next_switch(void *arg, sw_ix *s)
{
	const struct compare *c = arg;
	const struct topo *t = c->is->topo;
	port_ix peer = topo_port_behind(t, *s, routes_port(c->is, *s, c->lid));

	*s = topo_port_switch(t, peer);
	if (*s != TOPO_NONE)
		return PATH_FATE_OPEN;
	return peer == c->owner ? FATE_SAME : FATE_CUT;
}

static bool
own_step_moved(const struct compare *c, sw_ix s, uint16_t lid)
{
	uint8_t out = routes_port(c->is, s, lid);

	return c->old[s] == TOPO_NONE ||
	       routes_port(c->was, c->old[s], lid) != out ||
	       (c->cabled[s] && !is_same_link(c, s, out));
}

static uint8_t
pass_switch(void *arg, sw_ix s, uint8_t next)
{
	const struct compare *c = arg;

	return next == FATE_SAME && own_step_moved(c, s, c->lid) ? FATE_MOVED
								 : next;
}

/* True if the old tables have a path to the LID from old switch s to its
 * owner. */
static bool
had_path(const struct compare *c, sw_ix s, uint16_t lid, uint64_t owner)
{
	const struct topo *t = c->was->topo;

	for (uint32_t i = 0; i <= t->nsw && s != TOPO_NONE; i++) {
		port_ix peer =
			topo_port_behind(t, s, routes_port(c->was, s, lid));

		s = topo_port_switch(t, peer);
		if (s == TOPO_NONE && peer != TOPO_NONE)
			return t->port[peer].guid == owner;
	}
	return false;
}

static void
compare_column(struct compare *c, port_ix owner)
{
	const struct topo *t = c->is->topo;
	uint16_t lid = t->port[owner].lid;
	sw_ix dest = topo_switch_of(t, owner);

	c->lid = lid;
	c->owner = owner;
	path_fate_reset(&c->fate);
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t n = c->hosts[s];
		uint8_t end;

		if (n == 0)
			continue;
		n -= s == dest;
		end = path_fate_follow(
			&c->fate, s, FATE_CUT, next_switch, pass_switch, c);
		if (end == FATE_CUT)
			c->out->cut +=
				had_path(c, c->old[s], lid, t->port[owner].guid)
					? n
					: 0;
		else if (end == FATE_MOVED)
			c->out->moved += n;
	}
}

static void
find_lost(const struct compare *c)
{
	const struct topo *was = c->was->topo;
	struct routes_diff *out = c->out;
	size_t cap = 0;

	for (node_ix n = 0; n < was->nnodes; n++) {
		if (topo_by_node_guid(c->is->topo, was->node[n].guid) !=
			TOPO_NONE)
			continue;
		out->lost = mem_grow(
			out->lost, out->nlost, &cap, sizeof(*out->lost));
		out->lost[out->nlost++] = n;
	}
}

void
routes_diff_of(const struct routes *was, const struct routes *is,
	struct routes_diff *out)
{
	const struct topo *t = is->topo;
	uint32_t nblocks =
		was->nblocks > is->nblocks ? was->nblocks : is->nblocks;
	struct compare c = {.was = was,
		.is = is,
		.old = mem_alloc(t->nsw * sizeof(*c.old)),
		.hosts = mem_zalloc(t->nsw, sizeof(*c.hosts)),
		.column = mem_zalloc((size_t)nblocks * LFT_BLOCK, 1),
		.cabled = mem_zalloc(t->nsw, sizeof(*c.cabled)),
		.fate = path_fate_new(t->nsw),
		.out = out};
	uint64_t hosts = 0;

	assert(was->pool == is->pool);
	*out = (struct routes_diff){0};
	match_switches(&c);
	for (sw_ix s = 0; s < t->nsw; s++) {
		hosts += c.hosts[s];
		if (c.old[s] != TOPO_NONE)
			compare_row(&c, s, nblocks);
		if (c.cabled[s])
			compare_links(&c, s);
	}
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nend; i++) {
			port_ix p = t->end[t->sw[s].end + i].port;

			if (!topo_is_host(t, p) || !in_both(t, p, was->topo))
				continue;
			out->pairs += hosts - 1;
			if (c.column[t->port[p].lid])
				compare_column(&c, p);
		}
	find_lost(&c);
	free(c.old);
	free(c.hosts);
	free(c.column);
	free(c.cabled);
	path_fate_free(&c.fate);
}

void
routes_diff_free(struct routes_diff *i)
{
	free(i->lost);
	*i = (struct routes_diff){0};
}
