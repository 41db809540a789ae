/*
 * layer_memory: the layers that pairs of switches had when they last had a
 * path, by the GUIDs of switches; an immutable value.
 *
 * Connections keep the SL of their path. So a pair that loses its paths, as
 * when the manager's own cable is out or a part of the fabric is away, should
 * get its layer back with them: what routes say of pairs is of the switches
 * that are there.
 *
 *	previous memory, routes in force --> layer_memory_learn --> route_job
 */
#ifndef HEDDLE_ROUTING_CORE_LAYER_MEMORY_H
#define HEDDLE_ROUTING_CORE_LAYER_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "routing/core/routes.h"
#include "sm/base/map.h"

enum { LAYER_MEMORY_NONE = 255 }; /* the pair had no layer */

struct layer_memory {
	unsigned refs;
	unsigned layers;    /* there were, 2 .. */
	uint32_t n;	    /* switches */
	uint64_t *guid;	    /* [n] */
	struct map by_guid; /* their numbers */
	uint8_t *layer;	    /* [n * (n + 1) / 2] layers, or NONE */
};

/* A memory of n switches without any layer, with one reference; guid and
 * by_guid are to be filled. */
struct layer_memory *layer_memory_new(unsigned layers, uint32_t n);
struct layer_memory *layer_memory_ref(struct layer_memory *m);
void layer_memory_unref(struct layer_memory *m); /* NULL allowed */

/* The layer of switches i and k, at its place. */
static inline uint8_t *
layer_memory_at(const struct layer_memory *m, uint32_t i, uint32_t k)
{
	size_t a = i < k ? i : k, b = i < k ? k : i;

	return &m->layer[b * (b + 1) / 2 + a];
}

/*
 * What is remembered once r is in force, with one reference: the layers of its
 * pairs that have paths, and of other pairs what m (NULL allowed) says.
 * Switches that are away are forgotten where they are too many. Routes with one
 * layer change nothing.
 */
struct layer_memory *layer_memory_learn(
	struct layer_memory *m, const struct routes *r);

#endif
