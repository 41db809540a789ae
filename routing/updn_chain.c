#include <string.h>

#include "routing/updn.h"

/* How much each cable group and switch carries down already, by kind. */
struct burden {
	uint32_t *link; /* per group of the lower switch */
	uint32_t *sw;
};

struct walk {
	const struct updn *u;
	const struct updn_reach *r;
	struct updn_dests *d;
	struct burden load[2];
};

/*
 * Switches from the top, each under the first of those above it: leaves of
 * one pod follow each other, which is what makes the choices at the top fall
 * evenly on the pods.
 */
static sw_ix *
family_order(const struct updn *u)
{
	sw_ix *seq = arena_array(u->a, u->nsw, sizeof(*seq));
	bool *done = arena_array(u->a, u->nsw, sizeof(*done));
	uint32_t n = 0, head = 0;

	for (uint32_t i = 0; i < u->nsw; i++) {
		sw_ix root = u->tier.seq[i];
		bool top = true;

		for (uint32_t g = u->first[root]; g < u->first[root + 1]; g++)
			top &= u->tier.pos[u->group[g].peer] > i;
		if (!top)
			continue;
		seq[n++] = root;
		done[root] = true;
	}
	while (head < n) {
		sw_ix s = seq[head++];

		for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++) {
			sw_ix peer = u->group[g].peer;

			if (done[peer] || u->tier.pos[peer] < u->tier.pos[s])
				continue;
			done[peer] = true;
			seq[n++] = peer;
		}
	}
	return seq;
}

/* LIDs of one end. */
static void
add_end(const struct updn *u, struct updn_dests *d, const struct topo_end *e)
{
	const struct topo_port *p = &u->t->port[e->port];
	const struct topo_node *n = &u->t->node[p->node];
	bool host = e->out != 0 && !(n->flags & TN_AGGREGATION);

	for (uint32_t i = 0; p->lid != 0 && i < 1U << p->lmc; i++) {
		d->lid[d->n] = (uint16_t)(p->lid + i);
		d->out[d->n] = e->out;
		d->other[d->n++] = !host;
	}
}

/* All LIDs that hang on s: cabled ports first, in order, then its own. */
static void
add_switch(const struct updn *u, struct updn_dests *d, sw_ix s)
{
	const struct topo_switch *sw = &u->t->sw[s];
	uint32_t from = d->n, n = 0;

	for (unsigned own = 0; own < 2; own++)
		for (uint32_t i = sw->end; i < sw->end + sw->nend; i++)
			if ((u->t->end[i].out == 0) == (own == 1))
				add_end(u, d, &u->t->end[i]);
	while (from + n < d->n && d->lid[from + n] == d->lid[from] + n)
		n++;
	d->at[s] = from;
	d->end[s] = d->n;
	d->run[s] = n;
}

/* Is the shortest legal path from x to dest exactly k long? */
static bool
exactly(const struct updn_reach *r, uint32_t nsw, sw_ix x, sw_ix dest,
	uint32_t k)
{
	uint32_t last = r->path.n - 1;
	uint32_t is = k < last ? k : last, was = k - 1 < last ? k - 1 : last;

	return updn_bit(r->path.row[(size_t)is * nsw + x], dest) &&
	       !updn_bit(r->path.row[(size_t)was * nsw + x], dest);
}

/* The next switch up for dest: least loaded cable, then least loaded switch. */
static uint32_t
next_up(const struct walk *w, const struct burden *b, sw_ix s, sw_ix dest,
	uint32_t k)
{
	const struct updn *u = w->u;
	uint32_t best = UINT32_MAX;

	for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++) {
		const struct updn_group *x = &u->group[g];
		uint64_t mine, its;

		if (u->tier.pos[x->peer] > u->tier.pos[s] ||
			!exactly(w->r, u->nsw, x->peer, dest, k))
			continue;
		if (best == UINT32_MAX) {
			best = g;
			continue;
		}
		mine = (uint64_t)b->link[g] * u->group[best].n;
		its = (uint64_t)b->link[best] * x->n;
		if (mine < its ||
			(mine == its &&
				b->sw[x->peer] < b->sw[u->group[best].peer]))
			best = g;
	}
	return best;
}

static void
make_chain(struct walk *w, uint32_t i, sw_ix dest)
{
	const struct updn *u = w->u;
	struct burden *b = &w->load[w->d->other[i]];
	sw_ix *chain = w->d->chain + (size_t)i * UPDN_CHAIN;
	sw_ix s = dest;
	uint32_t n = 1;

	chain[0] = dest;
	while (n < UPDN_CHAIN) {
		uint32_t g = next_up(w, b, s, dest, n);

		if (g == UINT32_MAX)
			break;
		s = u->group[g].peer;
		b->link[g]++;
		b->sw[s]++;
		chain[n++] = s;
	}
	w->d->len[i] = (uint8_t)n;
}

/* How many ways of splitting over parallel cables a key must tell apart. */
static uint32_t
spread_of(const struct updn *u)
{
	uint32_t lcm = 1, most = 1;

	for (uint32_t g = 0; g < u->first[u->nsw]; g++) {
		uint32_t n = u->group[g].n, a = lcm, b = n;

		while (b != 0) {
			uint32_t c = a % b;

			a = b;
			b = c;
		}
		most = n > most ? n : most;
		if (lcm <= 64)
			lcm = lcm / a * n;
	}
	return lcm <= 64 ? lcm : most;
}

/* Number the apexes; LIDs of one apex take turns on parallel cables. */
static void
make_keys(const struct updn *u, struct updn_dests *d)
{
	uint32_t *number = arena_array(u->a, u->nsw, sizeof(*number));
	uint32_t *turn[2];

	d->apex = arena_array(u->a, u->nsw, sizeof(*d->apex));
	d->spread = spread_of(u);
	for (unsigned kind = 0; kind < 2; kind++)
		turn[kind] = arena_array(u->a, u->nsw, sizeof(*turn[kind]));
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix x = d->chain[(size_t)i * UPDN_CHAIN + d->len[i] - 1];

		if (number[x] == 0) {
			d->apex[d->napex++] = x;
			number[x] = d->napex;
		}
		if (d->napex * d->spread > UINT16_MAX)
			d->spread = 1;
	}
	for (uint32_t i = 0; i < d->n; i++) {
		sw_ix x = d->chain[(size_t)i * UPDN_CHAIN + d->len[i] - 1];
		uint32_t q = turn[d->other[i]][x]++ % d->spread;

		d->key[i] = (uint16_t)((number[x] - 1) * d->spread + q);
	}
}

struct updn_dests
updn_chain(const struct updn *u, const struct updn_reach *r)
{
	struct updn_dests d = {0};
	struct walk w = {.u = u, .r = r, .d = &d};
	sw_ix *seq = family_order(u);
	uint32_t max = (uint32_t)u->t->max_lid + 1;

	d.at = arena_array(u->a, u->nsw, sizeof(*d.at));
	d.end = arena_array(u->a, u->nsw, sizeof(*d.end));
	d.run = arena_array(u->a, u->nsw, sizeof(*d.run));
	d.lid = arena_array(u->a, max, sizeof(*d.lid));
	d.out = arena_array(u->a, max, sizeof(*d.out));
	d.other = arena_array(u->a, max, sizeof(*d.other));
	d.len = arena_array(u->a, max, sizeof(*d.len));
	d.key = arena_array(u->a, max, sizeof(*d.key));
	d.chain = arena_array(u->a, (size_t)max * UPDN_CHAIN, sizeof(*d.chain));
	for (unsigned kind = 0; kind < 2; kind++) {
		w.load[kind].link =
			arena_array(u->a, u->first[u->nsw], sizeof(uint32_t));
		w.load[kind].sw = arena_array(u->a, u->nsw, sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < u->nsw; i++) {
		if (!u->live[seq[i]])
			continue;
		add_switch(u, &d, seq[i]);
		for (uint32_t e = d.at[seq[i]]; e < d.n; e++)
			make_chain(&w, e, seq[i]);
	}
	make_keys(u, &d);
	return d;
}
