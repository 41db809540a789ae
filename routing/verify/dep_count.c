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

/* The layers in which a dependency is made, a bit each. */
static uint16_t
layers_made(const struct dep_count *c, uint32_t dep)
{
	const uint32_t *pairs = c->pairs + (size_t)dep * c->stride;
	unsigned layers = 0;

	for (unsigned l = 0; l < c->stride; l++)
		layers |= (unsigned)(pairs[l] != 0) << l;
	return (uint16_t)layers;
}

void
dep_count_rows(const struct dep_count *c, const struct cdg *g, uint16_t layers,
	uint64_t *dep)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t in = g->off[s]; in < g->off[s + 1]; in++) {
			uint64_t *row = dep + ((size_t)in << g->shift);
			uint32_t at = c->first[in];

			if (!cdg_has_link(g, in))
				continue;
			for (uint32_t o = g->off[s]; o < g->off[s + 1]; o++) {
				uint32_t out = o - g->off[s];

				if (!cdg_has_link(g, o))
					continue;
				row[out / 64] |=
					(uint64_t)((layers_made(c, at++) &
							   layers) != 0)
					<< out % 64;
			}
		}
}

/* True if a dependency of a plane does. */
static bool
plane_climbs(const struct cdg *g, const uint32_t *rank, unsigned plane,
	uint32_t in, uint32_t out)
{
	unsigned layer = plane % g->nlayers, from = layer, to = layer;

	if (g->map != NULL) {
		from = vl_map_group(g->map, layer, plane / g->nlayers,
			g->port_class[cdg_far_end(g, in)] >> 4);
		to = vl_map_group(g->map, layer, g->port_class[in] & 15U,
			g->port_class[out] >> 4);
	}
	return rank[(size_t)from * g->nports + in] <
	       rank[(size_t)to * g->nports + cdg_far_end(g, out)];
}

/* True if a dependency climbs in the planes in which it may be made. */
static bool
climbs_where_made(const struct dep_count *c, const struct cdg *g,
	const uint32_t *rank, uint32_t in, uint32_t out)
{
	uint32_t dep = dep_count_of(c, in, out);
	uint16_t layers = layers_made(c, dep);
	uint64_t planes = layers;

	if (c->planes != NULL && layers != 0)
		planes = c->planes[dep];
	for (; planes != 0; planes &= planes - 1) {
		unsigned plane = (unsigned)__builtin_ctzll(planes);

		if ((layers >> plane % g->nlayers & 1) != 0 &&
			!plane_climbs(g, rank, plane, in, out))
			return false;
	}
	return true;
}

bool
dep_count_all_climb(
	const struct dep_count *c, const struct cdg *g, const uint32_t *rank)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t in = g->off[s]; in < g->off[s + 1]; in++)
			for (uint32_t out = g->off[s];
				cdg_has_link(g, in) && out < g->off[s + 1];
				out++)
				if (cdg_has_link(g, out) &&
					!climbs_where_made(c, g, rank, in, out))
					return false;
	return true;
}
