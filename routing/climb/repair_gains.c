/*
 * repair_gains: links that were not there, as those that come back, are used.
 *
 * Nothing has to change: an order loses nothing by a link that it has more. A
 * switch sends a LID over a new link where its path gets shorter, and so do
 * those whose paths get shorter through it, one after the other, each with all
 * that comes through it. Where the path stays as long the link takes LIDs off
 * the one beside it, as long as that carries more. Pairs keep their layers.
 */
#include <stdlib.h>

#include "routing/climb/repair_priv.h"
#include "sm/base/mem.h"

/* Switches whose paths to the LID at work may get shorter. */
struct wave {
	sw_ix *sw;
	size_t n, room;
};

static void
add_to_wave(struct wave *w, sw_ix u)
{
	w->sw = mem_grow(w->sw, w->n, &w->room, sizeof(*w->sw));
	w->sw[w->n++] = u;
}

/* The neighbours of n switches that are farther than through them. */
static void
add_neighbours(struct repair *m, uint32_t n, struct wave *w)
{
	const struct swgraph *g = m->x->g;

	for (uint32_t k = 0; k < n; k++) {
		sw_ix x = m->all[k];

		for (uint32_t i = g->first[x]; i < g->first[x + 1]; i++) {
			sw_ix u = g->group[i].peer;

			repair_know_path(m, u);
			if (m->state[u] == PATH_KNOWN &&
				m->level[u] > m->level[x] + 1)
				add_to_wave(w, u);
		}
	}
}

/* u gets a shorter path, with all that comes through it, where there is one. */
static void
shorten_path(struct repair *m, sw_ix u, uint16_t lid, struct wave *w)
{
	uint32_t n, before;
	bool shorter;

	repair_begin_lid(m, m->owner[lid], lid);
	repair_know_path(m, u); /* it has one: it is on the wave */
	before = m->level[u];
	n = repair_take_out(m, u, lid);
	shorter = repair_hang_all(m) && m->level[u] < before;
	repair_put_in(m, n, shorter);
	if (shorter)
		add_neighbours(m, n, w);
}

static void
shorten_paths(struct repair *m, const struct gain *gain, uint16_t lid)
{
	struct wave w = {0};

	add_to_wave(&w, gain->from);
	for (size_t i = 0; i < w.n; i++)
		shorten_path(m, w.sw[i], lid, &w);
	free(w.sw);
}

/* Whether the new link may follow in the tree of the LID at work: in the layer
 * of the pair, as the structure wants it. */
static bool
link_climbs(const struct repair *m, const struct gain *gain)
{
	const struct climb *x = m->x;
	const struct climb_onward *on =
		&m->onward[x->g->group[gain->group].peer];
	struct climb_layers l = climb_step(x, gain->group, on);
	uint16_t layer = repair_layer(m, gain->from);

	return (l.mask & layer) != 0 &&
	       (x->job->orders->structure == 0 ||
		       climb_is_regular(
			       x, m->t, gain->group, on, l.tail & layer));
}

/* The LID goes over the new link, where the one it goes over carries more after
 * that, too. */
static void
share_load(struct repair *m, const struct gain *gain, uint16_t lid)
{
	sw_ix s = gain->from;
	uint32_t k = repair_entry_link(m, s), n;
	uint64_t had = m->load[k];
	bool moved;

	if (m->load[gain->link] >= had)
		return;
	n = repair_take_out(m, s, lid);
	repair_know_path(m, m->x->g->group[gain->group].peer);
	moved = m->load[gain->link] + (had - m->load[k]) <= m->load[k] &&
		link_climbs(m, gain);
	if (moved) {
		repair_hang(m, s, gain->group, gain->link);
		m->orphan[0] = m->orphan[--m->norphans];
		moved = repair_hang_all(m);
	}
	repair_put_in(m, n, moved);
}

static void
use_link(struct repair *m, const struct gain *gain, uint16_t lid)
{
	sw_ix s = gain->from, v = m->x->g->group[gain->group].peer;

	if (m->owner[lid] == s)
		return;
	repair_begin_lid(m, m->owner[lid], lid);
	repair_know_path(m, s);
	repair_know_path(m, v);
	if (m->state[s] != PATH_KNOWN || m->state[v] != PATH_KNOWN)
		return;
	if (m->level[v] + 1 < m->level[s])
		shorten_paths(m, gain, lid);
	else if (m->level[v] + 1 == m->level[s] && m->x->lids.host[lid])
		share_load(m, gain, lid);
}

void
repair_gains(struct repair *m)
{
	for (uint32_t lid = 1; lid <= m->r->top; lid++)
		for (uint32_t i = 0;
			i < m->ngains && m->owner[lid] != TOPO_NONE; i++)
			use_link(m, &m->gain[i], (uint16_t)lid);
}
