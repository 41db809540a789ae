#include "discovery/topo_match.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { PORTS = 256 };

static bool
is_duplicate(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_DUPLICATE) != 0;
}

static sw_ix
match_switch(const struct topo *t, const struct topo *was, sw_ix s)
{
	sw_ix o = topo_switch_in(was, t, s);

	return o == TOPO_NONE || is_duplicate(t, s) || is_duplicate(was, o) ||
			       topo_sw_live(t, s) != topo_sw_live(was, o)
		       ? TOPO_NONE
		       : o;
}

static bool
is_same_link(const struct topo_match *m, const struct topo_adj *is, uint32_t i)
{
	const struct topo_adj *was = &m->was->adj[i];

	return was->out == is->out && was->peer_port == is->peer_port &&
	       m->sw[is->peer] == was->peer;
}

/* The links of s, whose match is o: in the same place unless a neighbour has
 * another number, or a link is lost or new. */
static void
match_links(struct topo_match *m, sw_ix s, sw_ix o)
{
	const struct topo_switch *is = &m->t->sw[s], *was = &m->was->sw[o];
	uint32_t by_port[PORTS];
	bool moved = is->nadj != was->nadj;

	for (uint32_t i = 0; i < is->nadj && !moved; i++) {
		moved = !is_same_link(m, &m->t->adj[is->adj + i], was->adj + i);
		m->adj[is->adj + i] = was->adj + i;
	}
	if (!moved)
		return;
	memset(by_port, 0xff, sizeof(by_port));
	for (uint32_t i = was->adj; i < was->adj + was->nadj; i++)
		by_port[m->was->adj[i].out] = i;
	for (uint32_t i = is->adj; i < is->adj + is->nadj; i++) {
		uint32_t k = by_port[m->t->adj[i].out];

		m->adj[i] = k != TOPO_NONE && is_same_link(m, &m->t->adj[i], k)
				    ? k
				    : TOPO_NONE;
	}
}

void
topo_match_open(
	struct topo_match *m, const struct topo *t, const struct topo *was)
{
	*m = (struct topo_match){.t = t, .was = was};
	m->sw = mem_alloc((t->nsw + 1U) * sizeof(*m->sw));
	m->adj = mem_alloc((t->nadj + 1U) * sizeof(*m->adj));
	memset(m->adj, 0xff, (t->nadj + 1U) * sizeof(*m->adj));
	for (sw_ix s = 0; s < t->nsw; s++)
		m->sw[s] = match_switch(t, was, s);
	for (sw_ix s = 0; s < t->nsw; s++)
		if (m->sw[s] != TOPO_NONE)
			match_links(m, s, m->sw[s]);
}

void
topo_match_close(struct topo_match *m)
{
	free(m->sw);
	free(m->adj);
	*m = (struct topo_match){0};
}

bool
topo_match_links(const struct topo_match *m, sw_ix s)
{
	const struct topo_switch *is = &m->t->sw[s];
	sw_ix o = m->sw[s];

	if (o == TOPO_NONE || is->nadj != m->was->sw[o].nadj)
		return false;
	for (uint32_t i = is->adj; i < is->adj + is->nadj; i++)
		if (m->adj[i] == TOPO_NONE)
			return false;
	return true;
}
