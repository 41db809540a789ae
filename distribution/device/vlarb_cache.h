/*
 * vlarb_cache: the VLArbitrationTables that ports are known to hold, by node
 * GUID and port, in the parts that distribution/tables/vlarb.h describes. Part
 * of the device store; equal parts share their memory.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_VLARB_CACHE_H
#define HEDDLE_DISTRIBUTION_DEVICE_VLARB_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "distribution/tables/vlarb.h"

struct vlarb_cache;

struct vlarb_cache *vlarb_cache_new(void);
void vlarb_cache_free(struct vlarb_cache *v); /* NULL allowed */

/* Part 1..4 of a port's table; false: unknown. */
bool vlarb_cache_part(const struct vlarb_cache *v, uint64_t guid, unsigned port,
	unsigned part, uint8_t out[VLARB_PART]);

/*
 * The part was read or acknowledged (set_part); a Set of it is in flight, or
 * its answer was lost (unknown).
 */
void vlarb_cache_set_part(struct vlarb_cache *v, uint64_t guid, unsigned port,
	unsigned part, const uint8_t in[VLARB_PART]);
void vlarb_cache_unknown(
	struct vlarb_cache *v, uint64_t guid, unsigned port, unsigned part);

/* Forget the tables of a port that lost its memory, of a node, of all nodes. */
void vlarb_cache_forget_port(
	struct vlarb_cache *v, uint64_t guid, unsigned port);
void vlarb_cache_forget(struct vlarb_cache *v, uint64_t guid);
void vlarb_cache_forget_all(struct vlarb_cache *v);

/* The port refuses the table that it says it has. */
void vlarb_cache_refuse(struct vlarb_cache *v, uint64_t guid, unsigned port);
bool vlarb_cache_refused(
	const struct vlarb_cache *v, uint64_t guid, unsigned port);

#endif
