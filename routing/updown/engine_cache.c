#include <stdlib.h>
#include <string.h>

#include "routing/updown/updown.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"

uint64_t
engine_cache_options_hash(const struct engine_options *o)
{
	uint64_t h = 1;

	if (o == NULL)
		return h;
	for (size_t i = 0; i < o->nroots; i++)
		h = hash_mix(h, o->roots[i]);
	h = hash_mix(h, o->nroots);
	for (size_t i = 0; i < o->nroles; i++) {
		h = hash_mix(h, o->role[i].guid);
		h = hash_mix(
			h, o->role[i].role + (o->role[i].told ? 256U : 0U));
	}
	for (size_t i = 0; i < o->nmulti_port; i++) {
		h = hash_mix(h, o->multi_port[i].guid);
		h = hash_mix(h,
			o->multi_port[i].group * 2U + o->multi_port[i].passive);
	}
	return hash_mix(h, o->layers);
}

static void *
copy_array(struct updown *u, const void *from, size_t n, size_t size)
{
	return memcpy(arena_array(u->own, n, size), from, n * size);
}

static uint64_t **
copy_extra(struct updown *u)
{
	uint64_t **served = arena_array(u->own, u->graph.nsw, sizeof(*served));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->sftree_extra[s] != NULL)
			served[s] = copy_array(u, u->sftree_extra[s],
				u->graph.words, sizeof(**served));
	return served;
}

/* Rows that later caches share. */
static void
copy_above(struct updown *u)
{
	const uint64_t **above =
		arena_array(u->own, u->graph.nsw, sizeof(*above));
	uint64_t *rows = arena_array(
		u->m, (size_t)u->graph.nsw * u->graph.words, sizeof(*rows));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		above[s] = memcpy(rows + (size_t)s * u->graph.words,
			u->tier_above[s], u->graph.words * sizeof(*rows));
	u->tier_above = above;
}

void
engine_cache_begin(struct updown *u, bool little)
{
	u->m = little ? arena_new_small() : arena_new();
	u->own = arena_new();
	if (u->tier_above != NULL)
		copy_above(u);
}

void
engine_cache_store(struct updown *u, const struct reachability *reach,
	const struct dest_table *d, uint32_t depth, struct routes *r)
{
	struct route_cache *m = mem_zalloc(1, sizeof(*m));
	struct engine_cache *cache = arena_alloc(u->own, sizeof(*cache));

	cache->reach = *reach;
	cache->dests = *d;
	cache->tier_above = u->tier_above;
	free(r->sw_order);
	r->sw_order =
		mem_dup(u->sw_order.pos, u->graph.nsw * sizeof(*r->sw_order));
	cache->pos = copy_array(
		u, u->sw_order.pos, u->graph.nsw, sizeof(*cache->pos));
	cache->sftree_set = copy_array(
		u, u->sftree_set, u->graph.words, sizeof(*cache->sftree_set));
	if (u->graph.plane != NULL) {
		cache->nplanes = u->nplanes;
		cache->plane = copy_array(
			u, u->graph.plane, u->graph.nsw, sizeof(*cache->plane));
		cache->leaf = copy_array(
			u, u->leaf, u->graph.nsw, sizeof(*cache->leaf));
		cache->crossing_leaf = copy_array(u, u->crossing_leaf,
			u->nplanes, sizeof(*cache->crossing_leaf));
	}
	cache->options = engine_cache_options_hash(u->graph.job->options);
	cache->ncomp = u->graph.ncomp;
	if (u->sftree_extra != NULL)
		cache->sftree_extra = copy_extra(u);
	cache->depth = depth;
	m->refs = m->rests = 1;
	m->arena = u->m;
	m->own = u->own;
	m->what = cache;
	r->cache = m;
}
