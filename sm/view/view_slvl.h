/*
 * view_slvl: which service level a path has, which VL that takes, and how VLs
 * share a link, as acknowledged in the committed view. What a device did to its
 * tables by itself is unknown, and not guessed.
 *
 * IBA volume 1: SLtoVLMappingTable 14.2.5.8, VLArbitrationTable 14.2.5.9.
 */
#ifndef HEDDLE_SM_VIEW_VIEW_SLVL_H
#define HEDDLE_SM_VIEW_VIEW_SLVL_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/policy/qos.h"
#include "sm/view/view.h"

/* Row (in, out) of a switch's SL2VL, or a CA's own (in 0, out its port): 16 VLs
 * of 4 bits, that of SL 0 first. False: unknown. */
bool view_slvl_sl2vl(const struct view *v, node_ix n, unsigned in, unsigned out,
	uint8_t row[8]);

/* Block 1..4 (low, low, high, high) of a port's VLArbitrationTable: 32 pairs
 * {VL, weight}. False: unknown. */
bool view_slvl_vlarb(
	const struct view *v, port_ix p, unsigned block, uint8_t table[64]);

/* Service level i (0: the default one): its name, and its SL in a layer of
 * routing (layer). NULL: there is no such level. */
const char *view_slvl_sl(
	const struct view *v, unsigned i, unsigned layer, uint8_t *sl);

/* Whether multicast groups may have this SL (see route_layers_trees). */
bool view_slvl_has_trees(const struct view *v, uint8_t sl);

/* True if service levels are configured. */
bool view_slvl_levels(const struct view *v);

enum { VIEW_SLVL_SHORT = 320 }; /* bytes of such a text */

/* Why routing has fewer layers than the configuration asks for, in words; "":
 * it does not. */
void view_slvl_why_few(
	const struct config *c, const struct routes *r, char *out, size_t size);

/* At how many ports between switches layers share VLs, and where, in words; 0,
 * "": nowhere. */
uint32_t view_slvl_why_shared(
	const struct config *c, const struct routes *r, char *out, size_t size);

/* What a path gets from its service level; limits as in PathRecord, 0: none. */
struct view_slvl_grant {
	uint8_t sl, mtu, rate, life;
	bool by_lid;   /* LIDs say which packets may choose among ports, */
	bool adaptive; /* ... and its packets may */
};

/* For a path that is asked for like this; layer: that of the path. */
struct view_slvl_grant view_slvl_grant(
	const struct view *v, const struct qos_ask *ask, unsigned layer);

#endif
