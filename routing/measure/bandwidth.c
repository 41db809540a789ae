#include "routing/measure/bandwidth.h"

#include <stdlib.h>
#include <string.h>

#include "routing/core/link_load.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"

enum {
	BATCH = 32, /* walks at a time, so that memory is waited for once */
	HOPS_SHORT = 60, /* of a walk in a batch; longer ones go alone */
};

struct flows {
	const struct verify_tables *in;
	port_ix *far;  /* [nports] the other end of a link, or TOPO_NONE */
	sw_ix *sw_of;  /* [nports] live switch of a port, or TOPO_NONE */
	port_ix *base; /* [nsw] its port 0 */
	port_ix *host; /* in the order of LIDs */
	uint32_t nhosts;
	uint32_t *count; /* [nports] flows leaving by a switch port */
	double *slow;	 /* [nports] the rate of a host by that of the link */
	port_ix *hop;	 /* the switch ports that the flows leave by */
	size_t nhops, caphops;
	size_t *path; /* [nhosts + 1] first hop of each flow */
	uint32_t nflows;
	uint64_t lost;
	uint32_t busiest; /* of the last pattern */
	double lowest;
};

static bool
is_linked_host(const struct topo *t, port_ix p, uint32_t lid)
{
	const struct topo_port *port = &t->port[p];

	return port->lid == lid && topo_is_host(t, p) &&
	       port->peer != TOPO_NONE &&
	       t->node[t->port[port->peer].node].sw != TOPO_NONE;
}

/* Links to hosts are taken to be as fast as hosts. */
static void
find_slow_links(struct flows *f)
{
	const struct topo *t = f->in->topo;

	f->slow = mem_alloc((t->nports + 1U) * sizeof(*f->slow));
	for (port_ix p = 0; p < t->nports; p++)
		f->slow[p] = 1;
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			f->slow[f->base[s] + a->out] =
				(double)t->rate_host / a->rate;
		}
}

static void
flows_new(struct flows *f, const struct verify_tables *in)
{
	const struct topo *t = in->topo;

	*f = (struct flows){.in = in, .lowest = 1};
	f->host = mem_alloc((t->max_lid + 1U) * sizeof(*f->host));
	for (uint32_t lid = 1; t->by_lid != NULL && lid <= t->max_lid; lid++)
		if (t->by_lid[lid] != TOPO_NONE &&
			is_linked_host(t, t->by_lid[lid], lid))
			f->host[f->nhosts++] = t->by_lid[lid];
	f->far = mem_alloc((t->nports + 1U) * sizeof(*f->far));
	f->sw_of = mem_alloc((t->nports + 1U) * sizeof(*f->sw_of));
	f->base = mem_alloc((t->nsw + 1U) * sizeof(*f->base));
	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_node *n = &t->node[t->port[p].node];

		f->far[p] = t->port[p].peer;
		f->sw_of[p] = n->flags & TN_QUARANTINED ? TOPO_NONE : n->sw;
	}
	for (sw_ix i = 0; i < t->nsw; i++)
		f->base[i] = t->node[t->sw[i].node].first_port;
	f->count = mem_zalloc(t->nports + 1U, sizeof(*f->count));
	f->path = mem_zalloc(f->nhosts + 1U, sizeof(*f->path));
	find_slow_links(f);
}

static void
flows_end(struct flows *f)
{
	free(f->host);
	free(f->far);
	free(f->sw_of);
	free(f->base);
	free(f->count);
	free(f->slow);
	free(f->hop);
	free(f->path);
}

/* A flow on its path. */
struct walk {
	const uint8_t *entry; /* of the table at hand */
	port_ix to, in;	      /* its destination; where it entered the switch */
	sw_ix s;	      /* TOPO_NONE: it is over */
	uint32_t lid, n;
	port_ix hop[HOPS_SHORT];
	bool arrived, lengthy;
};

static const lft_ref *
lft_slot(const struct flows *f, sw_ix s, uint32_t lid)
{
	return lft_row_at(f->in->row[s], lid / LFT_BLOCK);
}

static void
start_flow(const struct flows *f, struct walk *w, port_ix from, port_ix to)
{
	w->to = to;
	w->in = f->far[from];
	w->s = f->sw_of[w->in];
	w->lid = f->in->topo->port[to].lid;
	w->n = 0;
	w->arrived = w->lengthy = false;
	if (w->lid / LFT_BLOCK >= f->in->nblocks)
		w->s = TOPO_NONE;
	if (w->s != TOPO_NONE)
		__builtin_prefetch(lft_slot(f, w->s, w->lid));
}

/* The out-port; TOPO_NONE when the flow ends at this switch. */
static port_ix
next_out_port(const struct flows *f, const struct walk *w)
{
	const struct topo *t = f->in->topo;
	uint8_t e = *w->entry;
	port_ix out = f->base[w->s] + e;

	if (e == 0 || e == LFT_DROP || e > t->node[t->sw[w->s].node].nports ||
		out == w->in)
		return TOPO_NONE;
	return out;
}

static void
advance_flow(const struct flows *f, struct walk *w)
{
	port_ix out = next_out_port(f, w);

	w->s = TOPO_NONE;
	if (out == TOPO_NONE)
		return;
	if (w->n == HOPS_SHORT) {
		w->lengthy = true;
		return;
	}
	w->hop[w->n++] = out;
	w->in = f->far[out];
	w->arrived = w->in == w->to;
	if (w->arrived || w->in == TOPO_NONE)
		return;
	w->s = f->sw_of[w->in];
	if (w->s != TOPO_NONE)
		__builtin_prefetch(lft_slot(f, w->s, w->lid));
}

static void
add_hop(struct flows *f, port_ix out)
{
	f->hop = mem_grow(f->hop, f->nhops, &f->caphops, sizeof(*f->hop));
	f->hop[f->nhops++] = out;
}

/* Count the flow on its links; a flow that does not arrive is counted as lost
 * alone. */
static void
finish_flow(struct flows *f, bool arrived, size_t first)
{
	if (!arrived) {
		f->nhops = first;
		f->lost++;
		return;
	}
	for (size_t k = first; k < f->nhops; k++)
		f->count[f->hop[k]]++;
	f->path[++f->nflows] = f->nhops;
}

/* Lay one flow with a long path: at most as many steps as switches. */
static void
lay_alone(struct flows *f, struct walk *w, port_ix from)
{
	size_t first = f->nhops;

	start_flow(f, w, from, w->to);
	for (uint32_t i = 0; i <= f->in->topo->nsw && w->s != TOPO_NONE; i++) {
		w->n = 0;
		w->entry = lft_bytes(f->in->pool, *lft_slot(f, w->s, w->lid)) +
			   w->lid % LFT_BLOCK;
		advance_flow(f, w);
		if (w->n > 0)
			add_hop(f, w->hop[0]);
	}
	finish_flow(f, w->arrived, first);
}

/* Lay n flows, at most BATCH: from[i] to to[i]. */
static void
lay_batch(struct flows *f, const port_ix *from, const port_ix *to, uint32_t n)
{
	struct walk w[BATCH];
	bool more = true;

	for (uint32_t i = 0; i < n; i++)
		start_flow(f, &w[i], from[i], to[i]);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < n; i++) {
			if (w[i].s == TOPO_NONE)
				continue;
			w[i].entry = lft_bytes(f->in->pool,
					     *lft_slot(f, w[i].s, w[i].lid)) +
				     w[i].lid % LFT_BLOCK;
			__builtin_prefetch(w[i].entry);
			more = true;
		}
		for (uint32_t i = 0; i < n; i++)
			if (w[i].s != TOPO_NONE)
				advance_flow(f, &w[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		size_t first = f->nhops;

		if (w[i].lengthy) {
			lay_alone(f, &w[i], from[i]);
			continue;
		}
		for (uint32_t k = 0; w[i].arrived && k < w[i].n; k++)
			add_hop(f, w[i].hop[k]);
		finish_flow(f, w[i].arrived, first);
	}
}

/* The first n hosts send, each to the one `by` places after it. */
static void
lay_pattern(struct flows *f, uint32_t n, uint32_t by)
{
	port_ix to[BATCH];

	for (uint32_t i = 0; i < n; i += BATCH) {
		uint32_t k = n - i < BATCH ? n - i : BATCH;

		for (uint32_t j = 0; j < k; j++) {
			uint32_t at = i + j + by;

			to[j] = f->host[at < f->nhosts ? at : at - f->nhosts];
		}
		lay_batch(f, f->host + i, to, k);
	}
}

/* The sum of the flows' bandwidths; then the pattern is taken off again. */
static double
measure_pattern(struct flows *f)
{
	double sum = 0;

	f->busiest = 0;
	for (uint32_t i = 0; i < f->nflows; i++) {
		double worst = 1;

		for (size_t k = f->path[i]; k < f->path[i + 1]; k++) {
			uint32_t n = f->count[f->hop[k]];

			if (n * f->slow[f->hop[k]] > worst)
				worst = n * f->slow[f->hop[k]];
			if (n > f->busiest)
				f->busiest = n;
		}
		sum += 1.0 / worst;
		if (1.0 / worst < f->lowest)
			f->lowest = 1.0 / worst;
	}
	for (size_t k = 0; k < f->nhops; k++)
		f->count[f->hop[k]] = 0;
	f->nhops = 0;
	f->nflows = 0;
	return sum;
}

/* Square root by Newton's method, so that no maths library is needed. */
static double
square_root(double x)
{
	double r = x > 1 ? x : 1;

	for (int i = 0; x > 0 && i < 64; i++)
		r = (r + x / r) / 2;
	return x > 0 ? r : 0;
}

void
bandwidth_ebb(const struct verify_tables *in, unsigned trials, uint64_t seed,
	struct bandwidth_ebb *out)
{
	struct rng rng = {seed};
	double sum = 0, squares = 0;
	uint32_t half;
	struct flows f;

	memset(out, 0, sizeof(*out));
	flows_new(&f, in);
	out->hosts = f.nhosts;
	half = f.nhosts / 2;
	for (unsigned k = 0; half > 0 && k < trials; k++) {
		double mean;

		for (uint32_t i = f.nhosts; i > 1; i--) {
			uint32_t j = rng_below(&rng, i);
			port_ix p = f.host[j];

			f.host[j] = f.host[i - 1];
			f.host[i - 1] = p;
		}
		lay_pattern(&f, half, half);
		mean = measure_pattern(&f) / half;
		sum += mean;
		squares += mean * mean;
		out->trials++;
	}
	if (out->trials > 0) {
		out->mean = sum / out->trials;
		out->spread = square_root(
			squares / out->trials - out->mean * out->mean);
		out->lowest = f.lost > 0 ? 0 : f.lowest;
	}
	out->lost = f.lost;
	flows_end(&f);
}

double
bandwidth_saturation(
	const struct verify_report *r, const struct topo *t, uint32_t hosts)
{
	uint64_t own = hosts == 0 ? 0 : link_load_of_host(t, hosts);

	if (r->load_max <= own)
		return 1;
	return (double)own / (double)r->load_max;
}

/* The switch that host i hangs on. */
static sw_ix
host_switch(const struct flows *f, uint32_t i)
{
	return f->sw_of[f->far[f->host[i]]];
}

/* The port by which switch s sends to host i, 0 when to no other switch. */
static uint8_t
first_out(const struct flows *f, sw_ix s, uint32_t i)
{
	uint32_t lid = f->in->topo->port[f->host[i]].lid;
	struct walk w = {.s = s, .in = TOPO_NONE};
	port_ix out;

	if (lid / LFT_BLOCK >= f->in->nblocks)
		return 0;
	w.entry =
		lft_bytes(f->in->pool, *lft_slot(f, s, lid)) + lid % LFT_BLOCK;
	out = next_out_port(f, &w);
	if (out == TOPO_NONE || f->far[out] == TOPO_NONE ||
		f->sw_of[f->far[out]] == TOPO_NONE)
		return 0;
	return *w.entry;
}

/*
 * Hosts lo .. lo + m - 1 are all hosts of switch s: in the shift by k they send
 * to the window of m hosts that begins at lo + k. Returns the most flows on one
 * port of s over all shifts.
 */
static uint32_t
slide_window(const struct flows *f, sw_ix s, uint32_t lo, uint32_t m)
{
	uint32_t n = f->nhosts, count[256] = {0}, worst = 0;
	uint8_t *out = mem_alloc(n);

	for (uint32_t i = 0; i < n; i++)
		out[i] = first_out(f, s, i);
	for (uint32_t j = 0; j + 1 < m; j++)
		count[out[(lo + 1 + j) % n]]++;
	for (uint32_t p = 1; p < 256; p++)
		worst = count[p] > worst ? count[p] : worst;
	for (uint32_t k = 1; k < n; k++) {
		uint8_t in = out[(lo + m - 1 + k) % n];

		if (++count[in] > worst && in != 0)
			worst = count[in];
		count[out[(lo + k) % n]]--;
	}
	free(out);
	return worst;
}

static void
slide_all_windows(const struct flows *f, struct bandwidth_shift *out)
{
	bool *seen = mem_zalloc(f->in->topo->nsw, sizeof(*seen));
	uint32_t m;

	out->first_exact = true;
	for (uint32_t i = 0; i < f->nhosts && out->first_exact; i += m) {
		sw_ix s = host_switch(f, i);
		uint32_t worst;

		for (m = 1; i + m < f->nhosts && host_switch(f, i + m) == s;)
			m++;
		if (s == TOPO_NONE)
			continue;
		out->first_exact = !seen[s];
		seen[s] = true;
		worst = slide_window(f, s, i, m);
		if (worst > out->first_worst)
			out->first_worst = worst;
	}
	if (!out->first_exact)
		out->first_worst = 0;
	free(seen);
}

void
bandwidth_shift(const struct verify_tables *in, unsigned samples, uint64_t seed,
	struct bandwidth_shift *out)
{
	struct rng rng = {seed};
	double sum = 0;
	uint32_t n;
	struct flows f;
	bool all;

	memset(out, 0, sizeof(*out));
	flows_new(&f, in);
	n = out->hosts = f.nhosts;
	if (n > 1)
		slide_all_windows(&f, out);
	all = n > 0 && samples >= n - 1;
	out->shifts = n < 2 ? 0 : all ? n - 1 : samples;
	for (uint32_t k = 0; k < out->shifts; k++) {
		uint32_t by = 1 + (all ? k : rng_below(&rng, n - 1));

		lay_pattern(&f, n, by);
		sum += measure_pattern(&f) / n;
		if (f.busiest > out->worst) {
			out->worst = f.busiest;
			out->worst_by = by;
		}
	}
	if (out->shifts > 0)
		out->mean = sum / out->shifts;
	out->lost = f.lost;
	flows_end(&f);
}
