#include "routing/measure/even_split.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/rng.h"

enum {
	BATCH = 32, /* LIDs of one destination switch that go together */
	PORTS = 256,
	NO_LINK = UINT32_MAX,
};
/* Links that flows of bisections are laid over, at most: about a second. */
static const uint64_t MOST_VISITS = 30000000;

enum state { UNSEEN, OPEN, CLOSED };

/* A switch whose ports are being followed. */
struct visit {
	sw_ix s;
	unsigned port; /* the next one */
};

struct host {
	uint16_t lid;
	sw_ix sw;
};

struct split {
	const struct verify_tables *in;
	const struct route_sets *sets;
	const struct topo *t;
	struct host *host; /* by switch, then port */
	uint32_t nhosts;
	uint32_t *first;      /* [nsw + 1] hosts of a switch */
	uint32_t *link;	      /* [nsw * PORTS] in topo.adj, or NO_LINK */
	double *load;	      /* [nadj] shares of flows */
	double *flow;	      /* [nsw * BATCH] what arrives, by destination */
	uint8_t *state;	      /* [nsw] enum state */
	struct route_set *to; /* [nsw] ports that some packet leaves by */
	sw_ix *order;	      /* switches that are passed, later ones first */
	uint32_t norder;
	struct visit *stack;
	uint64_t visits;
};

/* Hosts of one switch that flows go to. */
struct batch {
	const struct host *to;
	uint32_t n;
};

static void
add_switch(struct split *x, sw_ix s)
{
	const struct topo *t = x->t;
	const struct topo_switch *sw = &t->sw[s];

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (topo_sw_live(t, s) && topo_sw_live(t, t->adj[i].peer))
			x->link[(size_t)s * PORTS + t->adj[i].out] = i;
	x->first[s] = x->nhosts;
	for (uint32_t i = sw->end; i < sw->end + sw->nend; i++) {
		const struct topo_end *e = &t->end[i];

		if (!topo_sw_live(t, s) || !e->host ||
			t->port[e->port].lid == 0)
			continue;
		x->host[x->nhosts++] = (struct host){t->port[e->port].lid, s};
	}
}

static void
split_new(struct split *x, const struct verify_tables *in,
	const struct route_sets *sets)
{
	const struct topo *t = in->topo;

	*x = (struct split){.in = in, .sets = sets, .t = t};
	x->host = mem_alloc((t->nend + 1U) * sizeof(*x->host));
	x->first = mem_zalloc(t->nsw + 1U, sizeof(*x->first));
	x->link = mem_alloc(((size_t)t->nsw + 1) * PORTS * sizeof(*x->link));
	memset(x->link, 0xff, ((size_t)t->nsw + 1) * PORTS * sizeof(*x->link));
	x->load = mem_zalloc(t->nadj + 1U, sizeof(*x->load));
	x->flow = mem_zalloc((t->nsw + 1U) * (size_t)BATCH, sizeof(*x->flow));
	x->state = mem_zalloc(t->nsw + 1U, sizeof(*x->state));
	x->to = mem_alloc((t->nsw + 1U) * sizeof(*x->to));
	x->order = mem_alloc((t->nsw + 1U) * sizeof(*x->order));
	x->stack = mem_alloc((t->nsw + 1U) * sizeof(*x->stack));
	for (sw_ix s = 0; s < t->nsw; s++)
		add_switch(x, s);
	x->first[t->nsw] = x->nhosts;
}

static void
split_end(struct split *x)
{
	free(x->host);
	free(x->first);
	free(x->link);
	free(x->load);
	free(x->flow);
	free(x->state);
	free(x->to);
	free(x->order);
	free(x->stack);
}

/* ---- the graph of a batch ---- */

static uint8_t
default_of(const struct split *x, sw_ix s, const struct host *h)
{
	return lft_row_entry(
		x->in->pool, x->in->row[s], x->in->nblocks, h->lid);
}

/* Whether the table decides, or adds to the options: where a switch escapes it
 * is left to packets that find these full. */
static bool
uses_default(const struct split *x, sw_ix s, const struct route_set *options)
{
	return options == NULL || x->sets->can[s].kind != ROUTE_ESCAPES;
}

static void
open_switch(struct split *x, const struct batch *b, sw_ix s, uint32_t *depth)
{
	const struct route_set *o = route_sets_get(x->sets, s, b->to->sw);
	struct route_set *to = &x->to[s];

	*to = o != NULL ? *o : (struct route_set){{0}};
	for (uint32_t k = 0;
		k < b->n && s != b->to->sw && uses_default(x, s, o); k++)
		route_set_add(to, default_of(x, s, &b->to[k]));
	x->state[s] = OPEN;
	x->stack[(*depth)++] = (struct visit){s, 0};
}

/* Put the switches that packets pass from s on into order. False: they may come
 * back to one. */
static bool
follow_ports(struct split *x, const struct batch *b, sw_ix from)
{
	uint32_t depth = 0;

	if (x->state[from] == UNSEEN)
		open_switch(x, b, from, &depth);
	while (depth > 0) {
		struct visit *v = &x->stack[depth - 1];
		uint32_t link;
		sw_ix next;

		v->port = route_set_next(&x->to[v->s], v->port);
		if (v->port >= PORTS) {
			x->state[v->s] = CLOSED;
			x->order[x->norder++] = v->s;
			depth--;
			continue;
		}
		link = x->link[(size_t)v->s * PORTS + v->port++];
		x->visits++;
		if (link == NO_LINK)
			continue;
		next = x->t->adj[link].peer;
		if (x->state[next] == OPEN)
			return false;
		if (x->state[next] == UNSEEN)
			open_switch(x, b, next, &depth);
	}
	return true;
}

static void
forget_order(struct split *x)
{
	memset(x->state, UNSEEN, x->t->nsw * sizeof(*x->state));
	x->norder = 0;
}

/* ---- shares ---- */

/* A share of the flow to host k of the batch leaves s by a port; false: it is
 * lost there. */
static bool
send_share(struct split *x, sw_ix s, unsigned port, uint32_t k, double share)
{
	uint32_t link = x->link[(size_t)s * PORTS + port];

	if (link == NO_LINK)
		return false;
	x->load[link] += share;
	x->flow[(size_t)x->t->adj[link].peer * BATCH + k] += share;
	return true;
}

/* Returns false if a part of the flow to host k is lost at s. */
static bool
send_flow(struct split *x, const struct batch *b, sw_ix s, uint32_t k)
{
	double *flow = &x->flow[(size_t)s * BATCH + k];
	const struct route_set *o = route_sets_get(x->sets, s, b->to->sw);
	unsigned d = default_of(x, s, &b->to[k]);
	struct route_set to = o != NULL ? *o : (struct route_set){{0}};
	double share = *flow;
	bool all = true;

	*flow = 0;
	if (share == 0 || s == b->to->sw)
		return true;
	if (uses_default(x, s, o))
		route_set_add(&to, d);
	share /= route_set_count(&to);
	for (unsigned p = route_set_next(&to, 0); p < PORTS;
		p = route_set_next(&to, p + 1))
		all &= send_share(x, s, p, k, share);
	return all;
}

/* Spread what was put into flow over the links; returns to how many hosts some
 * of it is lost, by switch. The order is kept. */
static uint64_t
send_batch(struct split *x, const struct batch *b)
{
	uint64_t lost = 0;

	for (uint32_t i = x->norder; i-- > 0;)
		for (uint32_t k = 0; k < b->n; k++)
			lost += !send_flow(x, b, x->order[i], k);
	return lost;
}

/* ---- all to all ---- */

static bool
order_all(struct split *x, const struct batch *b)
{
	for (sw_ix s = 0; s < x->t->nsw; s++)
		if (x->first[s + 1] > x->first[s] && !follow_ports(x, b, s))
			return false;
	return true;
}

/* All hosts send to those of the batch. False: their paths have no common
 * order of switches. */
static bool
lay_batch(struct split *x, const struct batch *b, uint64_t *lost)
{
	bool ok;

	forget_order(x);
	ok = order_all(x, b);
	for (sw_ix s = 0; ok && s < x->t->nsw; s++)
		for (uint32_t k = 0; k < b->n && s != b->to->sw; k++)
			x->flow[(size_t)s * BATCH + k] =
				x->first[s + 1] - x->first[s];
	if (ok)
		*lost += send_batch(x, b);
	return ok;
}

static void
lay_switch(struct split *x, sw_ix s, uint64_t *lost)
{
	for (uint32_t i = x->first[s]; i < x->first[s + 1]; i += BATCH) {
		uint32_t rest = x->first[s + 1] - i;
		struct batch b = {&x->host[i], rest < BATCH ? rest : BATCH};

		if (lay_batch(x, &b, lost))
			continue;
		for (uint32_t k = 0; k < b.n; k++) {
			const struct batch one = {&b.to[k], 1};

			*lost += !lay_batch(x, &one, lost);
		}
	}
}

void
even_split_uniform(const struct verify_tables *in,
	const struct route_sets *sets, struct even_split_load *out)
{
	const struct topo *t = in->topo;
	uint64_t links = 0;
	struct split x;

	*out = (struct even_split_load){.sw = TOPO_NONE};
	split_new(&x, in, sets);
	for (sw_ix s = 0; s < t->nsw; s++)
		lay_switch(&x, s, &out->lost);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned p = 0; p < PORTS; p++) {
			uint32_t i = x.link[(size_t)s * PORTS + p];
			double load;

			if (i == NO_LINK)
				continue;
			load = x.load[i] * t->rate_max / t->adj[i].rate;
			links++;
			out->mean += load;
			if (load <= out->max)
				continue;
			out->max = load;
			out->sw = s;
			out->port = (uint8_t)p;
		}
	if (links > 0)
		out->mean /= (double)links;
	split_end(&x);
}

/* ---- bisections ---- */

static bool
order_flow(struct split *x, const struct host *from, const struct batch *b)
{
	for (uint32_t i = 0; i < x->norder; i++)
		x->state[x->order[i]] = UNSEEN;
	x->norder = 0;
	return follow_ports(x, b, from->sw);
}

/* False: the flow does not arrive, wholly. */
static bool
lay_flow(struct split *x, const struct host *from, const struct host *to)
{
	const struct batch b = {to, 1};

	if (!order_flow(x, from, &b)) {
		forget_order(x);
		return false;
	}
	x->flow[(size_t)from->sw * BATCH] = 1;
	return send_batch(x, &b) == 0;
}

/* The bandwidth of a flow when all are laid. */
static double
bandwidth_of(struct split *x, const struct host *from, const struct host *to)
{
	const struct batch b = {to, 1};
	double worst = 1;

	if (!order_flow(x, from, &b)) {
		forget_order(x);
		return 0;
	}
	for (uint32_t i = 0; i < x->norder; i++) {
		sw_ix s = x->order[i];

		for (unsigned p = route_set_next(&x->to[s], 0); p < PORTS;
			p = route_set_next(&x->to[s], p + 1)) {
			uint32_t link = x->link[(size_t)s * PORTS + p];
			double n;

			if (link == NO_LINK)
				return 0;
			n = x->load[link] * x->t->rate_host /
			    x->t->adj[link].rate;
			worst = n > worst ? n : worst;
		}
	}
	return 1 / worst;
}

static int
by_lid(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	return (x->lid > y->lid) - (x->lid < y->lid);
}

static void
shuffle_hosts(struct split *x, struct rng *rng)
{
	for (uint32_t i = x->nhosts; i > 1; i--) {
		uint32_t j = rng_below(rng, i);
		struct host h = x->host[j];

		x->host[j] = x->host[i - 1];
		x->host[i - 1] = h;
	}
}

/* The sum of the bandwidths of a bisection. */
static double
measure_bisection(
	struct split *x, uint32_t half, struct even_split_bisection *out)
{
	double sum = 0;

	memset(x->load, 0, x->t->nadj * sizeof(*x->load));
	for (uint32_t i = 0; i < half; i++)
		out->lost += !lay_flow(x, &x->host[i], &x->host[half + i]);
	for (uint32_t i = 0; i < half; i++) {
		double w = bandwidth_of(x, &x->host[i], &x->host[half + i]);

		sum += w;
		out->lowest = w < out->lowest ? w : out->lowest;
	}
	return sum;
}

void
even_split_bisections(const struct verify_tables *in,
	const struct route_sets *sets, unsigned trials, uint64_t seed,
	struct even_split_bisection *out)
{
	struct rng rng = {seed};
	double sum = 0;
	struct split x;
	uint32_t half;

	*out = (struct even_split_bisection){.lowest = 1};
	split_new(&x, in, sets);
	qsort(x.host, x.nhosts, sizeof(*x.host), by_lid);
	half = x.nhosts / 2;
	for (unsigned k = 0; half > 0 && k < trials && x.visits < MOST_VISITS;
		k++) {
		shuffle_hosts(&x, &rng);
		sum += measure_bisection(&x, half, out) / half;
		out->trials++;
	}
	if (out->trials > 0)
		out->mean = sum / out->trials;
	else
		out->lowest = 0;
	split_end(&x);
}
