#include "routing/improve/load_bound_cut.h"

#include <string.h>

#include "sm/base/arena.h"
#include "sm/base/union_find.h"

/* Switches in the order of their distance from hosts, in pieces of which one
 * is named by one of its switches. */
struct cut {
	const struct topo *t;
	sw_ix *seq; /* [n] */
	uint32_t n;
	uint32_t *far;	 /* [nsw] cables to a switch with hosts */
	bool *here;	 /* [nsw] joined to those that are here */
	sw_ix *in;	 /* [nsw] what it is a part of, in the end the piece */
	uint64_t *hosts; /* [nsw] of a piece */
	uint64_t *out;	 /* [nsw] cables that lead out of it */
	uint64_t *all;	 /* [nsw] hosts that can be reached from it */
	uint64_t least;
};

/* Every switch a piece of its own. */
static void
take_apart(struct cut *c)
{
	const struct topo *t = c->t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];

		c->in[s] = s;
		c->hosts[s] = c->out[s] = 0;
		for (uint32_t i = 0; topo_sw_live(t, s) && i < sw->nend; i++) {
			const struct topo_end *e = &t->end[sw->end + i];

			c->hosts[s] += e->host && t->port[e->port].lid != 0;
		}
		for (uint32_t i = 0; topo_sw_live(t, s) && i < sw->nadj; i++)
			c->out[s] += topo_sw_live(t, t->adj[sw->adj + i].peer);
	}
}

static void
find_far(struct cut *c)
{
	const struct topo *t = c->t;

	memset(c->far, 0xff, t->nsw * sizeof(*c->far));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (c->hosts[s] > 0) {
			c->far[s] = 0;
			c->seq[c->n++] = s;
		}
	for (uint32_t head = 0; head < c->n; head++) {
		sw_ix s = c->seq[head];
		const struct topo_switch *sw = &t->sw[s];

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			sw_ix x = t->adj[i].peer;

			if (c->far[x] != UINT32_MAX || !topo_sw_live(t, x))
				continue;
			c->far[x] = c->far[s] + 1;
			c->seq[c->n++] = x;
		}
	}
}

/*
 * Join number k of the order to what is there. A cable is seen from the end
 * that comes later.
 */
static void
join(struct cut *c, uint32_t k)
{
	const struct topo *t = c->t;
	sw_ix s = c->seq[k];
	const struct topo_switch *sw = &t->sw[s];

	c->here[s] = true;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		sw_ix x = t->adj[i].peer, a, b;

		if (!c->here[x])
			continue;
		a = union_find_of(c->in, s);
		b = union_find_of(c->in, x);
		if (a != b) {
			c->in[b] = a;
			c->hosts[a] += c->hosts[b];
			c->out[a] += c->out[b];
		}
		c->out[a] -= 2;
	}
}

/* What the pieces of the first n switches say. */
static void
look(struct cut *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = c->seq[i];
		uint64_t pairs = c->hosts[s] * (c->all[s] - c->hosts[s]);

		if (c->in[s] != s || c->out[s] == 0)
			continue;
		pairs = (pairs + c->out[s] - 1) / c->out[s];
		c->least = c->least < pairs ? pairs : c->least;
	}
}

/* Hosts that can be reached: those of the piece when all is joined. */
static void
find_all(struct cut *c)
{
	for (uint32_t k = 0; k < c->n; k++)
		join(c, k);
	for (uint32_t k = 0; k < c->n; k++)
		c->all[c->seq[k]] = c->hosts[union_find_of(c->in, c->seq[k])];
	memset(c->here, false, c->t->nsw);
	take_apart(c);
}

uint64_t
load_bound_cut(const struct topo *t)
{
	struct arena *a = arena_new();
	struct cut c = {.t = t};

	c.seq = arena_array(a, t->nsw, sizeof(*c.seq));
	c.far = arena_array(a, t->nsw, sizeof(*c.far));
	c.here = arena_array(a, t->nsw, sizeof(*c.here));
	c.in = arena_array(a, t->nsw, sizeof(*c.in));
	c.hosts = arena_array(a, t->nsw, sizeof(*c.hosts));
	c.out = arena_array(a, t->nsw, sizeof(*c.out));
	c.all = arena_array(a, t->nsw, sizeof(*c.all));
	take_apart(&c);
	find_far(&c);
	find_all(&c);
	look(&c, c.n);
	for (uint32_t k = 0; k < c.n; k++) {
		join(&c, k);
		if (k + 1 == c.n || c.far[c.seq[k + 1]] > c.far[c.seq[k]])
			look(&c, k + 1);
	}
	arena_free(a);
	return c.least;
}
