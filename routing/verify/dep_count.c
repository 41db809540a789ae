#include "routing/verify/dep_count.h"

#include <stdlib.h>
#include <string.h>

#include "routing/verify/cdg.h"
#include "sm/base/mem.h"

/* Dependencies of g at links from live switches to live switches. */
static void
number_dependencies(struct dep_count *c, const struct cdg *g)
{
	for (uint32_t s = 0; s < g->n; s++) {
		uint8_t links = 0;

		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
			if (cdg_has_link(g, p))
				c->place[p] = links++;
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
			if (cdg_has_link(g, p)) {
				c->first[p] = c->n;
				c->n += links;
			}
	}
}

struct dep_count *
dep_count_new(const struct cdg *g)
{
	struct dep_count *c = mem_zalloc(1, sizeof(*c));

	c->stride = 2;
	while (c->stride < g->nlayers)
		c->stride *= 2;
	c->first = mem_zalloc(g->nports, sizeof(*c->first));
	c->place = mem_zalloc(g->nports, sizeof(*c->place));
	number_dependencies(c, g);
	c->pairs = mem_zalloc((size_t)c->n * c->stride + 1, sizeof(*c->pairs));
	if (g->map != NULL)
		c->planes = mem_zalloc(c->n + 1U, sizeof(*c->planes));
	return c;
}

void
dep_count_free(struct dep_count *c)
{
	if (c == NULL)
		return;
	free(c->first);
	free(c->place);
	free(c->pairs);
	free(c->planes);
	free(c);
}

/* n dependencies of one count become those of another. */
static void
copy_pairs(struct dep_count *c, uint32_t at, const struct dep_count *from,
	uint32_t was, uint32_t n)
{
	memcpy(c->pairs + (size_t)at * c->stride,
		from->pairs + (size_t)was * c->stride,
		(size_t)n * c->stride * sizeof(*c->pairs));
	if (c->planes != NULL)
		memcpy(c->planes + at, from->planes + was,
			n * sizeof(*c->planes));
}

/* What packets do that arrive by port record `in` of switch s. */
static void
follow_port(struct dep_count *c, const struct dep_count *from,
	const struct cdg *was, const struct cdg *g, uint32_t s, uint32_t in)
{
	for (uint32_t out = g->off[s]; out < g->off[s + 1]; out++)
		if (cdg_has_link(g, out) && cdg_has_link(was, out))
			copy_pairs(c, dep_count_of(c, in, out), from,
				dep_count_of(from, in, out), 1);
}

struct dep_count *
dep_count_follow(const struct dep_count *from, const struct cdg *was,
	const struct cdg *g)
{
	struct dep_count *c = dep_count_new(g);

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t off = g->off[s], n = g->off[s + 1] - off, links = 0;

		if (memcmp(was->peer + off, g->peer + off,
			    n * sizeof(*g->peer)) != 0) {
			for (uint32_t in = off; in < off + n; in++)
				if (cdg_has_link(g, in) &&
					cdg_has_link(was, in))
					follow_port(c, from, was, g, s, in);
			continue;
		}
		for (uint32_t p = off; p < off + n; p++)
			links += cdg_has_link(g, p);
		for (uint32_t p = off; p < off + n; p++)
			if (cdg_has_link(g, p))
				copy_pairs(c, c->first[p], from, from->first[p],
					links);
	}
	return c;
}

void
dep_count_add(struct dep_count *c, const struct dep_count *more)
{
	for (size_t i = 0; i < (size_t)c->n * c->stride; i++)
		c->pairs[i] += more->pairs[i];
	for (uint32_t i = 0; c->planes != NULL && i < c->n; i++)
		c->planes[i] |= more->planes[i];
}

/* The links of a switch, by their place among them: out-ports. */
struct links {
	uint32_t n;
	uint8_t port[256];
};

static struct links
list_links(const struct cdg *g, uint32_t s)
{
	struct links x = {0};

	for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
		if (cdg_has_link(g, p))
			x.port[x.n++] = (uint8_t)(p - g->off[s]);
	return x;
}

void
dep_count_rows(const struct dep_count *c, const struct cdg *g, uint16_t layers,
	uint64_t *dep)
{
	layers &= (uint16_t)((1U << c->stride) - 1);
	for (uint32_t s = 0; s < g->n; s++) {
		const struct links x = list_links(g, s);

		for (uint32_t i = 0; i < x.n; i++) {
			uint32_t in = g->off[s] + x.port[i];
			uint64_t *row = dep + ((size_t)in << g->shift);
			const uint32_t *pairs =
				c->pairs + (size_t)c->first[in] * c->stride;

			for (unsigned left = layers; left != 0;
				left &= left - 1) {
				unsigned l = (unsigned)__builtin_ctz(left);

				for (uint32_t k = 0; k < x.n; k++)
					row[x.port[k] / 64] |=
						(uint64_t)(pairs[k * c->stride +
								   l] != 0)
						<< x.port[k] % 64;
			}
		}
	}
}

void
dep_count_add_all(struct dep_count *c, const struct cdg *g, uint32_t dep)
{
	for (unsigned i = 0; i < g->nlayers; i++)
		c->pairs[(size_t)dep * c->stride + i]++;
	if (c->planes != NULL)
		c->planes[dep] |= UINT64_MAX >> (VL_MAP_PLANES - g->nplanes);
}

/* The planes in which a dependency is made, a bit each. */
static uint64_t
planes_of(const struct dep_count *c, const struct cdg *g, uint32_t dep)
{
	uint64_t made = 0;

	for (unsigned q = 0; q < g->nplanes; q++)
		made |= (uint64_t)(c->pairs[(size_t)dep * c->stride +
					    q % g->nlayers] != 0)
			<< q;
	return c->planes != NULL ? made & c->planes[dep] : made;
}

void
dep_count_planes(const struct dep_count *c, const struct cdg *g, uint64_t *dep)
{
	for (uint32_t s = 0; s < g->n; s++) {
		const struct links x = list_links(g, s);

		for (uint32_t i = 0; i < x.n * x.n; i++) {
			uint32_t in = g->off[s] + x.port[i / x.n];
			uint8_t out = x.port[i % x.n];
			size_t at = ((size_t)in << g->shift) + out / 64;
			uint64_t made = planes_of(
				c, g, dep_count_of(c, in, g->off[s] + out));

			for (; made != 0; made &= made - 1)
				dep[(unsigned)__builtin_ctzll(made) * g->plane +
					at] |= UINT64_C(1) << out % 64;
		}
	}
}

/* The links of a switch with their ranks, where packets go on over them. */
struct steps {
	struct links links;
	uint32_t from[VL_MAP_PLANES];	 /* of the link of arrival, by plane */
	uint32_t to[256 * ROUTE_LAYERS]; /* by place and layer */
};

/* The ranks of the link that arrives by port record `in`, by the planes in
 * which its packets may be. */
static void
rank_arrival(
	const struct cdg *g, const uint32_t *rank, uint32_t in, struct steps *x)
{
	for (unsigned q = 0; q < g->nplanes; q++) {
		unsigned l = q % g->nlayers, group = l;

		if (g->map != NULL)
			group = vl_map_group(g->map, l, q / g->nlayers,
				g->port_class[cdg_far_end(g, in)] >> 4);
		x->from[q] = rank[(size_t)group * g->nports + in];
	}
}

/* The ranks of the links of switch s for what arrives by a link of a class. */
static void
rank_departures(const struct cdg *g, const uint32_t *rank, uint32_t s,
	unsigned class, struct steps *x)
{
	for (uint32_t k = 0; k < x->links.n; k++) {
		uint32_t out = g->off[s] + x->links.port[k];
		uint32_t end = cdg_far_end(g, out);

		for (unsigned l = 0; l < g->nlayers; l++) {
			unsigned group = l;

			if (g->map != NULL)
				group = vl_map_group(g->map, l, class,
					g->port_class[out] >> 4);
			x->to[k * g->count->stride + l] =
				rank[(size_t)group * g->nports + end];
		}
	}
}

/* True if all that is made of what arrives by port record `in` climbs, in the
 * planes in which it may be made. */
static bool
arrivals_climb(const struct dep_count *c, const struct cdg *g, uint32_t in,
	const struct steps *x)
{
	const uint32_t *pairs = c->pairs + (size_t)c->first[in] * c->stride;
	bool climb = true;

	for (uint32_t i = 0; c->planes == NULL && i < x->links.n * c->stride;
		i++)
		climb &= (pairs[i] == 0) |
			 (x->from[i & (c->stride - 1)] < x->to[i]);
	for (uint32_t k = 0; c->planes != NULL && k < x->links.n; k++) {
		uint64_t planes = c->planes[c->first[in] + k];

		for (; planes != 0; planes &= planes - 1) {
			unsigned q = (unsigned)__builtin_ctzll(planes);
			uint32_t i = k * c->stride + q % g->nlayers;

			climb &= pairs[i] == 0 || x->from[q] < x->to[i];
		}
	}
	return climb;
}

bool
dep_count_all_climb(
	const struct dep_count *c, const struct cdg *g, const uint32_t *rank)
{
	struct steps *x = mem_zalloc(1, sizeof(*x));
	bool climb = true;

	for (uint32_t s = 0; s < g->n && climb; s++) {
		unsigned had = VL_MAP_IN;

		x->links = list_links(g, s);
		for (uint32_t i = 0; i < x->links.n && climb; i++) {
			uint32_t in = g->off[s] + x->links.port[i];
			unsigned class =
				g->map != NULL ? g->port_class[in] & 15U : 0;

			if (class != had)
				rank_departures(g, rank, s, class, x);
			had = class;
			rank_arrival(g, rank, in, x);
			climb = arrivals_climb(c, g, in, x);
		}
	}
	free(x);
	return climb;
}
