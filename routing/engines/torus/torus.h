/*
 * torus: tori of up to three rings, with any lines and full meshes beside them,
 * or of these alone, on three VLs. Dimensions are read from the links
 * (routing/graph/dimensions.h), layers are by dimension and ring
 * (routing/climb/torus_orders.h), paths climb in them (routing/climb/climb.h).
 * Links and switches may be missing: what is remembered of the dimensions
 * stays, a ring that has lost a link is a line.
 *
 * Refused is what is no such product, and what has fewer VLs than a torus
 * takes.
 *
 * Folder routing/engines/torus: a graph -> dimensions -> orders -> paths.
 * Callers: routing/driver, by the row of the registry. Read next: torus.c.
 */
#ifndef HEDDLE_ROUTING_ENGINES_TORUS_TORUS_H
#define HEDDLE_ROUTING_ENGINES_TORUS_TORUS_H

#include "routing/core/engine.h"

extern const struct engine engine_torus;

#endif
