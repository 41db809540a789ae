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
is_same_link(const struct topo_match *m, const struct topo_adj *is,
	const struct topo_adj *was)
{
	return was->out == is->out && was->peer_port == is->peer_port &&
	       m->sw[is->peer] == was->peer;
}

/* True if s and its match o have the same links: each in the same place, unless
 * neighbours have other numbers. */
static bool
have_same_links(const struct topo_match *m, sw_ix s, sw_ix o)
{
	const struct topo_adj *is = m->t->adj + m->t->sw[s].adj;
	const struct topo_adj *was = m->was->adj + m->was->sw[o].adj;
	uint16_t by_port[PORTS], n = m->t->sw[s].nadj, i = 0;

	if (n != m->was->sw[o].nadj)
		return false;
	while (i < n && is_same_link(m, &is[i], &was[i]))
		i++;
	if (i == n)
		return true;
	memset(by_port, 0, sizeof(by_port));
	for (i = 0; i < n; i++)
		by_port[was[i].out] = i;
	for (i = 0; i < n; i++)
		if (!is_same_link(m, &is[i], &was[by_port[is[i].out]]))
			return false;
	return true;
}

void
topo_match_open(
	struct topo_match *m, const struct topo *t, const struct topo *was)
{
	*m = (struct topo_match){.t = t, .was = was};
	m->sw = mem_alloc((t->nsw + 1U) * sizeof(*m->sw));
	m->links = mem_zalloc(t->nsw, sizeof(*m->links));
	for (sw_ix s = 0; s < t->nsw; s++)
		m->sw[s] = match_switch(t, was, s);
	for (sw_ix s = 0; s < t->nsw; s++)
		m->links[s] = m->sw[s] != TOPO_NONE &&
			      have_same_links(m, s, m->sw[s]);
}

void
topo_match_close(struct topo_match *m)
{
	free(m->sw);
	free(m->links);
	*m = (struct topo_match){0};
}
