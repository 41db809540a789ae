#include <string.h>

#include "routing/updown/updown.h"

enum { MOST_ROOTS = 16 }; /* switches compared, from the top of the order */

/* An order that grows from one top: what is placed first is above. */
struct growth {
	struct updown *u;
	uint32_t
		*left; /* [nsw] links to what was above and is not placed yet */
	uint32_t *nth; /* [nsw] place; UINT32_MAX: not placed yet */
	bool *met;     /* [nsw] a neighbour is placed */
	sw_ix *seq;    /* [end] switches placed, [n] of them followed */
	uint32_t n, end; /* n <= end */
	uint32_t reversed;
};

static bool
was_above(const struct updown *u, sw_ix a, sw_ix b)
{
	return u->tier.pos[a] < u->tier.pos[b];
}

static struct growth
growth_new(struct updown *u)
{
	return (struct growth){.u = u,
		.left = arena_array(u->graph.a, u->graph.nsw, sizeof(uint32_t)),
		.nth = arena_array(u->graph.a, u->graph.nsw, sizeof(uint32_t)),
		.met = arena_array(u->graph.a, u->graph.nsw, sizeof(bool)),
		.seq = arena_array(u->graph.a, u->graph.nsw, sizeof(sw_ix))};
}

static void
growth_begin(struct growth *w)
{
	const struct updown *u = w->u;

	w->n = w->end = w->reversed = 0;
	memset(w->nth, 0xff, u->graph.nsw * sizeof(*w->nth));
	memset(w->met, 0, u->graph.nsw * sizeof(*w->met));
	memset(w->left, 0, u->graph.nsw * sizeof(*w->left));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			if (was_above(u, u->graph.group[g].peer, s))
				w->left[s] += u->graph.group[g].n;
}

static void
growth_put(struct growth *w, sw_ix s)
{
	w->reversed += w->left[s];
	w->nth[s] = w->end;
	w->seq[w->end++] = s;
}

/* Place s, and then each switch above which nothing is left to be placed. */
static void
growth_follow(struct growth *w, sw_ix s)
{
	const struct updown *u = w->u;

	growth_put(w, s);
	while (w->n < w->end) {
		s = w->seq[w->n++];
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			sw_ix peer = u->graph.group[g].peer;

			w->met[peer] = true;
			if (was_above(u, s, peer))
				w->left[peer] -= u->graph.group[g].n;
			if (w->nth[peer] == UINT32_MAX && w->left[peer] == 0)
				growth_put(w, peer);
		}
	}
}

/*
 * Place all that is connected with root, in an order with one top that reverses
 * few links. A switch comes next if all that was above it is placed; only where
 * there is none, the switch that reverses the fewest links.
 */
static void
grow_from(struct growth *w, sw_ix root)
{
	const struct updown *u = w->u;
	sw_ix next = root;

	growth_begin(w);
	while (next != TOPO_NONE) {
		growth_follow(w, next);
		next = TOPO_NONE;
		for (uint32_t i = 0; i < u->graph.nsw; i++) {
			sw_ix s = u->tier.seq[i];

			if (w->met[s] && w->nth[s] == UINT32_MAX &&
				(next == TOPO_NONE ||
					w->left[s] < w->left[next]))
				next = s;
		}
	}
}

/* Ranks for the new order, different from the old ones only where necessary. */
static uint32_t
take_ranks(const struct growth *w)
{
	struct updown *u = w->u;
	const struct topo *t = u->graph.t;
	uint32_t changed = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		sw_ix s = w->seq[i];
		uint64_t guid = t->node[t->sw[s].node].guid;
		uint32_t was = u->rank[s];

		u->rank[s] = i == 0 ? 0 : was > 0 ? was : 1;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			sw_ix peer = u->graph.group[g].peer;
			uint32_t least =
				u->rank[peer] +
				(t->node[t->sw[peer].node].guid >= guid);

			if (w->nth[peer] < i && least > u->rank[s])
				u->rank[s] = least;
		}
		changed += u->rank[s] != was;
	}
	return changed;
}

uint32_t
root_elect(struct updown *u, uint32_t comp)
{
	struct growth w = growth_new(u);
	uint32_t tried = 0, least = UINT32_MAX;
	sw_ix best = TOPO_NONE;

	for (uint32_t i = 0;
		i < u->graph.nsw && tried < MOST_ROOTS && least > 0; i++) {
		sw_ix s = u->tier.seq[i];

		if (u->graph.comp[s] != comp)
			continue;
		grow_from(&w, s);
		if (w.reversed < least) {
			least = w.reversed;
			best = s;
		}
		tried++;
		if (u->rank[s] == 0)
			break;
	}
	if (best == TOPO_NONE)
		return 0;
	grow_from(&w, best);
	return take_ranks(&w);
}
