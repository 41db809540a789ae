#include "routing/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/rng.h"

struct flows {
	const struct verify_tables *in;
	port_ix *host; /* in the order of LIDs */
	uint32_t nhosts;
	uint32_t *count; /* [nports] flows leaving by a switch port */
	port_ix *hop;	 /* the switch ports that the flows leave by */
	size_t nhops, caphops;
	size_t *path; /* [nhosts + 1] first hop of each flow */
	uint32_t nflows;
	uint64_t lost;
	uint32_t busiest; /* of the last pattern */
	double lowest;
};

static bool
is_host(const struct topo *t, port_ix p, uint32_t lid)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_node *n = &t->node[port->node];

	return port->lid == lid && n->type != TOPO_SWITCH &&
	       !(n->flags & TN_AGGREGATION) && port->peer != TOPO_NONE &&
	       t->node[t->port[port->peer].node].sw != TOPO_NONE;
}

static void
flows_new(struct flows *f, const struct verify_tables *in)
{
	const struct topo *t = in->topo;

	*f = (struct flows){.in = in, .lowest = 1};
	f->host = mem_alloc((t->max_lid + 1U) * sizeof(*f->host));
	for (uint32_t lid = 1; t->by_lid != NULL && lid <= t->max_lid; lid++)
		if (t->by_lid[lid] != TOPO_NONE &&
			is_host(t, t->by_lid[lid], lid))
			f->host[f->nhosts++] = t->by_lid[lid];
	f->count = mem_zalloc(t->nports + 1U, sizeof(*f->count));
	f->path = mem_zalloc(f->nhosts + 1U, sizeof(*f->path));
}

static void
flows_end(struct flows *f)
{
	free(f->host);
	free(f->count);
	free(f->hop);
	free(f->path);
}

/* The port by which switch s sends to a LID, or TOPO_NONE. */
static port_ix
out_port(const struct verify_tables *in, sw_ix s, uint32_t lid)
{
	const struct topo_node *n = &in->topo->node[in->topo->sw[s].node];
	uint32_t b = lid / LFT_BLOCK;
	uint8_t e;

	if (b >= in->nblocks)
		return TOPO_NONE;
	e = lft_bytes(in->pool,
		in->block[(size_t)s * in->nblocks + b])[lid % LFT_BLOCK];
	return e == 0 || e == LFT_DROP || e > n->nports ? TOPO_NONE
							: n->first_port + e;
}

/* Lay one flow; a flow that gets lost leaves no trace but the count. */
static void
lay(struct flows *f, port_ix from, port_ix to)
{
	const struct topo *t = f->in->topo;
	port_ix in = t->port[from].peer;
	size_t first = f->nhops;

	for (uint32_t i = 0; i <= t->nsw; i++) {
		const struct topo_node *n = &t->node[t->port[in].node];
		port_ix out;

		if (n->sw == TOPO_NONE || n->flags & TN_QUARANTINED)
			break;
		out = out_port(f->in, n->sw, t->port[to].lid);
		if (out == TOPO_NONE || out == in)
			break;
		f->hop = mem_grow(
			f->hop, f->nhops, &f->caphops, sizeof(*f->hop));
		f->hop[f->nhops++] = out;
		in = t->port[out].peer;
		if (in == TOPO_NONE)
			break;
		if (in != to)
			continue;
		for (size_t k = first; k < f->nhops; k++)
			f->count[f->hop[k]]++;
		f->path[++f->nflows] = f->nhops;
		return;
	}
	f->nhops = first;
	f->lost++;
}

/* The sum of the flows' bandwidths; then the pattern is taken off again. */
static double
measure(struct flows *f)
{
	double sum = 0;

	f->busiest = 0;
	for (uint32_t i = 0; i < f->nflows; i++) {
		uint32_t worst = 1;

		for (size_t k = f->path[i]; k < f->path[i + 1]; k++)
			if (f->count[f->hop[k]] > worst)
				worst = f->count[f->hop[k]];
		sum += 1.0 / worst;
		if (1.0 / worst < f->lowest)
			f->lowest = 1.0 / worst;
		if (worst > f->busiest)
			f->busiest = worst;
	}
	for (size_t k = 0; k < f->nhops; k++)
		f->count[f->hop[k]] = 0;
	f->nhops = 0;
	f->nflows = 0;
	return sum;
}

/* Square root by Newton's method, so that no maths library is needed. */
static double
root(double x)
{
	double r = x > 1 ? x : 1;

	for (int i = 0; x > 0 && i < 64; i++)
		r = (r + x / r) / 2;
	return x > 0 ? r : 0;
}

void
metrics_ebb(const struct verify_tables *in, unsigned trials, uint64_t seed,
	struct metrics_ebb *out)
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
		for (uint32_t i = 0; i < half; i++)
			lay(&f, f.host[i], f.host[half + i]);
		mean = measure(&f) / half;
		sum += mean;
		squares += mean * mean;
		out->trials++;
	}
	if (out->trials > 0) {
		out->mean = sum / out->trials;
		out->spread =
			root(squares / out->trials - out->mean * out->mean);
		out->lowest = f.lost > 0 ? 0 : f.lowest;
	}
	out->lost = f.lost;
	flows_end(&f);
}

double
metrics_saturation(const struct verify_report *r, uint32_t hosts)
{
	if (r->load_max == 0 || r->load_max + 1 <= hosts)
		return 1;
	return hosts == 0 ? 0 : (double)(hosts - 1) / (double)r->load_max;
}

void
metrics_shift(const struct verify_tables *in, unsigned samples, uint64_t seed,
	struct metrics_shift *out)
{
	struct rng rng = {seed};
	double sum = 0;
	uint32_t n;
	struct flows f;
	bool all;

	memset(out, 0, sizeof(*out));
	flows_new(&f, in);
	n = out->hosts = f.nhosts;
	all = n > 0 && samples >= n - 1;
	out->shifts = n < 2 ? 0 : all ? n - 1 : samples;
	for (uint32_t k = 0; k < out->shifts; k++) {
		uint32_t by = 1 + (all ? k : rng_below(&rng, n - 1));

		for (uint32_t i = 0; i < n; i++)
			lay(&f, f.host[i], f.host[(i + by) % n]);
		sum += measure(&f) / n;
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
