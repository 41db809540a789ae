#include <string.h>

#include "routing/updown/updown.h"

enum { HEIRS = 16 }; /* of the stored order, that are compared */

/* An order being grown from one top: what comes first is above. */
struct growth {
	struct updown *u;
	uint32_t *left;	 /* [nsw] cables to what was above and is not there */
	uint32_t *nth;	 /* [nsw] place, UINT32_MAX: not there yet */
	bool *met;	 /* [nsw] a neighbour is there */
	sw_ix *seq;	 /* [n] what is there */
	uint32_t n, end; /* ... and what follows at no cost */
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
begin(struct growth *w)
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
put(struct growth *w, sw_ix s)
{
	w->reversed += w->left[s];
	w->nth[s] = w->end;
	w->seq[w->end++] = s;
}

/* Put s there, and then what no longer has anything above it elsewhere. */
static void
follow(struct growth *w, sw_ix s)
{
	const struct updown *u = w->u;

	put(w, s);
	while (w->n < w->end) {
		s = w->seq[w->n++];
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++) {
			sw_ix peer = u->graph.group[g].peer;

			w->met[peer] = true;
			if (was_above(u, s, peer))
				w->left[peer] -= u->graph.group[g].n;
			if (w->nth[peer] == UINT32_MAX && w->left[peer] == 0)
				put(w, peer);
		}
	}
}

/*
 * All that is connected with root, in an order with one top that turns few
 * cables over: what has all that was above it above it again goes next, and
 * only when there is nothing like that, what turns the fewest over.
 */
static void
grow(struct growth *w, sw_ix root)
{
	const struct updown *u = w->u;
	sw_ix next = root;

	begin(w);
	while (next != TOPO_NONE) {
		follow(w, next);
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

/* Ranks that say the same, and differ from the old ones where they must. */
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

	for (uint32_t i = 0; i < u->graph.nsw && tried < HEIRS && least > 0;
		i++) {
		sw_ix s = u->tier.seq[i];

		if (u->graph.comp[s] != comp)
			continue;
		grow(&w, s);
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
	grow(&w, best);
	return take_ranks(&w);
}
