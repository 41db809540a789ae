#include "tests/topo/gen.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/base/rng.h"

enum { MAX_RADIX = 254, MAX_SWITCHES = 100000 };

/* Link the next free ports of a and b; sizes were checked before. */
static void
connect_nodes(struct fabric *f, uint32_t a, uint32_t b)
{
	unsigned pa = fabric_free_port(f, a), pb = fabric_free_port(f, b);
	uint32_t c = fabric_connect(f, a, pa, b, pb, NULL);

	assert(c != FABRIC_NONE);
	(void)c;
}

static void
add_hosts(struct fabric *f, uint32_t sw, unsigned hosts)
{
	for (unsigned i = 0; i < hosts; i++)
		connect_nodes(f, sw,
			fabric_addf(f, FABRIC_CA, 1, "h%u", f->nhosts + 1));
}

struct fabric *
gen_pair(void)
{
	struct fabric *f = fabric_new();
	uint32_t a = fabric_add(f, FABRIC_CA, 1, "h1");
	uint32_t b = fabric_add(f, FABRIC_CA, 1, "h2");

	connect_nodes(f, a, b);
	return f;
}

/* "sw2.0.7": the switch at these coordinates. */
static uint32_t
add_at(struct fabric *f, const unsigned *dim, unsigned ndims, unsigned ix,
	unsigned radix)
{
	char name[8 * GEN_MAX_DIMS + 8] = "sw";
	size_t n = 2;

	for (unsigned d = 0; d < ndims; d++) {
		n += (size_t)snprintf(name + n, sizeof(name) - n, "%s%u",
			d ? "." : "", ix % dim[d]);
		ix /= dim[d];
	}
	/* a switch needs a port: no reader accepts one without */
	return fabric_add(f, FABRIC_SWITCH, radix > 0 ? radix : 1, name);
}

/* The number of switches of a grid, or 0 and a reason. */
static unsigned
box_size(const unsigned *dim, unsigned ndims, struct reason *why)
{
	uint64_t n = 1;

	if (ndims == 0 || ndims > GEN_MAX_DIMS) {
		reason_set(
			why, "1 to %d dimensions, not %u", GEN_MAX_DIMS, ndims);
		return 0;
	}
	for (unsigned d = 0; d < ndims; d++) {
		n *= dim[d];
		if (n == 0 || n > MAX_SWITCHES) {
			reason_set(why, "dimension %u: 1 to %d switches", d,
				MAX_SWITCHES);
			return 0;
		}
	}
	return (unsigned)n;
}

static bool
radix_ok(unsigned radix, struct reason *why)
{
	if (radix <= MAX_RADIX)
		return true;
	reason_set(why, "a switch of %u ports, at most %d", radix, MAX_RADIX);
	return false;
}

/* Add the switches of a grid with their hosts; their node indexes. */
static uint32_t *
add_box(struct fabric *f, const unsigned *dim, unsigned ndims, unsigned links,
	unsigned hosts)
{
	unsigned n = box_size(dim, ndims, NULL);
	uint32_t *at = mem_zalloc(n, sizeof(*at));

	for (unsigned i = 0; i < n; i++) {
		at[i] = add_at(f, dim, ndims, i, links + hosts);
		add_hosts(f, at[i], hosts);
	}
	return at;
}

struct fabric *
gen_grid(const unsigned *dim, unsigned ndims, bool wrap, unsigned hosts,
	struct reason *why)
{
	unsigned n = box_size(dim, ndims, why), links = 0, stride = 1;
	struct fabric *f;
	uint32_t *at;

	for (unsigned d = 0; n && d < ndims; d++)
		links += dim[d] > 2 ? 2 : dim[d] - 1;
	if (n == 0 || !radix_ok(links + hosts, why))
		return NULL;
	f = fabric_new();
	at = add_box(f, dim, ndims, links, hosts);
	for (unsigned d = 0; d < ndims; d++) {
		for (unsigned i = 0; i < n; i++) {
			unsigned x = i / stride % dim[d];

			if (x + 1 < dim[d])
				connect_nodes(f, at[i], at[i + stride]);
			else if (wrap && dim[d] > 2)
				connect_nodes(f, at[i], at[i - x * stride]);
		}
		stride *= dim[d];
	}
	free(at);
	return f;
}

struct fabric *
gen_hyperx(
	const unsigned *dim, unsigned ndims, unsigned hosts, struct reason *why)
{
	unsigned n = box_size(dim, ndims, why), links = 0, stride = 1;
	struct fabric *f;
	uint32_t *at;

	for (unsigned d = 0; n && d < ndims; d++)
		links += dim[d] - 1;
	if (n == 0 || !radix_ok(links + hosts, why))
		return NULL;
	f = fabric_new();
	at = add_box(f, dim, ndims, links, hosts);
	for (unsigned d = 0; d < ndims; d++) {
		for (unsigned i = 0; i < n; i++) {
			unsigned x = i / stride % dim[d];

			for (unsigned y = x + 1; y < dim[d]; y++)
				connect_nodes(
					f, at[i], at[i + (y - x) * stride]);
		}
		stride *= dim[d];
	}
	free(at);
	return f;
}

/* power[i] is the i-th power of a generator of the numbers modulo q but 0;
 * false: q is not a prime. */
static bool
find_powers(unsigned q, unsigned *power)
{
	for (unsigned base = 2; base < q; base++) {
		unsigned n = 0, p = 1;

		do {
			power[n++] = p;
			p = p * base % q;
		} while (p > 1 && n < q - 1);
		if (p == 1 && n == q - 1)
			return true;
	}
	return false;
}

/* The links of Slim Fly, between switches (square, column, row). */
static void
connect_slimfly(
	struct fabric *f, const uint32_t *at, unsigned q, const unsigned *power)
{
	const uint32_t *second = at + q * q;

	for (unsigned x = 0; x < q; x++)
		for (unsigned y = 0; y < q; y++) {
			for (unsigned i = 0; i < q - 1; i++) {
				unsigned other = (y + power[i]) % q;

				/* each link once: its ends differ by the
				   power both ways */
				if (other > y)
					connect_nodes(f,
						(i % 2 == 0 ? at
							    : second)[x * q +
								      y],
						(i % 2 == 0 ? at
							    : second)[x * q +
								      other]);
			}
			for (unsigned m = 0; m < q; m++)
				connect_nodes(f, at[x * q + y],
					second[m * q + (y + m * (q - x)) % q]);
		}
}

struct fabric *
gen_slimfly(unsigned q, unsigned hosts, struct reason *why)
{
	unsigned dim[2] = {2 * q, q}, degree = (3 * q - 1) / 2;
	unsigned power[MAX_RADIX];
	struct fabric *f;
	uint32_t *at;

	if (q >= MAX_RADIX || q % 4 != 1 || !find_powers(q, power)) {
		reason_set(why, "a Slim Fly of q=%u cannot be", q);
		return NULL;
	}
	if (!radix_ok(degree + hosts, why))
		return NULL;
	f = fabric_new();
	at = add_box(f, dim, 2, degree, hosts);
	connect_slimfly(f, at, q, power);
	free(at);
	return f;
}

struct fabric *
gen_dragonfly(unsigned a, unsigned p, unsigned h, struct reason *why)
{
	unsigned groups = a * h + 1, n = a * groups;
	struct fabric *f;
	uint32_t *at;

	if (a == 0 || a > MAX_RADIX || h == 0 || h > MAX_RADIX ||
		n > MAX_SWITCHES) {
		reason_set(why, "a dragonfly of a=%u, h=%u cannot be", a, h);
		return NULL;
	}
	if (!radix_ok(a - 1 + p + h, why))
		return NULL;
	f = fabric_new();
	at = mem_zalloc(n, sizeof(*at));
	for (unsigned i = 0; i < n; i++) {
		at[i] = fabric_addf(f, FABRIC_SWITCH, a - 1 + p + h, "g%u.%u",
			i / a, i % a);
		add_hosts(f, at[i], p);
		for (unsigned j = i / a * a; j < i; j++)
			connect_nodes(f, at[j], at[i]);
	}
	for (unsigned g = 0; g < groups; g++) {
		/* the k-th global link leads k + 1 groups onward */
		for (unsigned k = 0; k < a * h; k++) {
			unsigned to = (g + k + 1) % groups;

			if (to > g)
				connect_nodes(f, at[g * a + k / h],
					at[to * a + (a * h - 1 - k) / h]);
		}
	}
	free(at);
	return f;
}

/* A simple graph under random edge swaps. */
struct graph {
	unsigned n, m;
	unsigned (*edge)[2];
	bool *adj; /* [n * n] */
};

static bool *
graph_adj(struct graph *g, unsigned a, unsigned b)
{
	return &g->adj[(size_t)a * g->n + b];
}

static void
graph_set(struct graph *g, unsigned e, unsigned a, unsigned b)
{
	g->edge[e][0] = a;
	g->edge[e][1] = b;
	*graph_adj(g, a, b) = *graph_adj(g, b, a) = true;
}

/* Every switch linked to the d nearest on a circle: regular and simple. */
static void
graph_circulant(struct graph *g, unsigned d)
{
	for (unsigned off = 1; off <= d / 2; off++) {
		for (unsigned i = 0; i < g->n; i++)
			graph_set(g, g->m++, i, (i + off) % g->n);
	}
	for (unsigned i = 0; d % 2 && i < g->n / 2; i++)
		graph_set(g, g->m++, i, i + g->n / 2);
}

/* Replace edges ab, cd by ad, cb if the graph stays simple. */
static void
graph_swap(struct graph *g, struct rng *r)
{
	unsigned e = rng_below(r, g->m), k = rng_below(r, g->m);
	unsigned flip = rng_below(r, 2);
	unsigned a = g->edge[e][0], b = g->edge[e][1];
	unsigned c = g->edge[k][flip], d = g->edge[k][1 - flip];

	if (a == c || a == d || b == c || b == d || *graph_adj(g, a, d) ||
		*graph_adj(g, c, b))
		return;
	*graph_adj(g, a, b) = *graph_adj(g, b, a) = false;
	*graph_adj(g, c, d) = *graph_adj(g, d, c) = false;
	graph_set(g, e, a, d);
	graph_set(g, k, c, b);
}

static struct fabric *
graph_fabric(const struct graph *g, unsigned d, unsigned hosts)
{
	struct fabric *f = fabric_new();
	uint32_t *at = mem_zalloc(g->n, sizeof(*at));

	for (unsigned i = 0; i < g->n; i++) {
		at[i] = fabric_addf(f, FABRIC_SWITCH, d + hosts, "sw%u", i);
		add_hosts(f, at[i], hosts);
	}
	for (unsigned e = 0; e < g->m; e++)
		connect_nodes(f, at[g->edge[e][0]], at[g->edge[e][1]]);
	free(at);
	return f;
}

struct fabric *
gen_random(unsigned n, unsigned d, unsigned hosts, uint64_t seed,
	struct reason *why)
{
	struct graph g = {.n = n};
	struct rng r = {seed};
	struct fabric *f = NULL;

	if (n < 2 || n > 5000 || d == 0 || d >= n || n * d % 2 ||
		(d == 1 && n > 2)) {
		reason_set(why,
			"no connected graph of %u switches of degree %u", n, d);
		return NULL;
	}
	if (!radix_ok(d + hosts, why))
		return NULL;
	g.edge = mem_zalloc((size_t)n * d, sizeof(*g.edge));
	g.adj = mem_zalloc((size_t)n * n, sizeof(*g.adj));
	graph_circulant(&g, d);
	do {
		fabric_free(f);
		for (unsigned i = 0; i < 20 * g.m; i++)
			graph_swap(&g, &r);
		f = graph_fabric(&g, d, hosts);
	} while (!fabric_connected(f, FABRIC_NONE, FABRIC_NONE));
	free(g.edge);
	free(g.adj);
	return f;
}

struct fabric *
gen_petersen(unsigned n, unsigned k, unsigned hosts, struct reason *why)
{
	const unsigned dim[2] = {n, 2};
	struct fabric *f;
	uint32_t *at;

	if (k == 0 || 2 * k >= n) {
		reason_set(why, "steps of 1 to less than half of %u", n);
		return NULL;
	}
	if (box_size(dim, 2, why) == 0 || !radix_ok(3 + hosts, why))
		return NULL;
	f = fabric_new();
	at = add_box(f, dim, 2, 3, hosts);
	for (unsigned i = 0; i < n; i++) {
		connect_nodes(f, at[i], at[(i + 1) % n]);
		connect_nodes(f, at[i], at[n + i]);
		connect_nodes(f, at[n + i], at[n + (i + k) % n]);
	}
	free(at);
	return f;
}
