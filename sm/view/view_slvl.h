/*
 * lanes: which service level a path has, which virtual lane that takes, and how
 * lanes share a link, as the committed view has it acknowledged. What a device
 * made of its tables by itself is not known, and not guessed.
 *
 * IBA volume 1: SLtoVLMappingTable 14.2.5.8, VLArbitrationTable 14.2.5.9.
 */
#ifndef HEDDLE_SM_VIEW_VIEW_SLVL_H
#define HEDDLE_SM_VIEW_VIEW_SLVL_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/policy/qos.h"
#include "sm/view/view.h"

/*
 * Row (in, out) of a switch's SL2VL, or a CA's own (in 0, out its port): 16
 * lanes of 4 bits, that of SL 0 first. False: not known.
 */
bool view_slvl_sl2vl(const struct view *v, node_ix n, unsigned in, unsigned out,
	uint8_t row[8]);

/*
 * Block 1..4 (low, low, high, high) of a port's VLArbitrationTable: 32 pairs
 * {lane, weight}. False: not known.
 */
bool view_slvl_vlarb(
	const struct view *v, port_ix p, unsigned block, uint8_t table[64]);

/*
 * Level i (0: the default one): its name and the SL that it has on a lane of
 * routing. NULL: there are not so many.
 */
const char *view_slvl_sl(
	const struct view *v, unsigned i, unsigned lane, uint8_t *sl);

/* Are there levels of service? */
bool view_slvl_levels(const struct view *v);

enum { VIEW_SLVL_SHORT = 320 }; /* bytes of such a text */

/*
 * Why routing spreads over fewer lanes than the configuration asks for, in
 * words; "": it does not.
 */
void view_slvl_why_few(
	const struct config *c, const struct routes *r, char *out, size_t size);

/*
 * At how many ports between switches lanes share VLs, and where, in words; 0,
 * "": nowhere.
 */
uint32_t view_slvl_why_shared(
	const struct config *c, const struct routes *r, char *out, size_t size);

/* What a path gets from its level; limits as in PathRecord, 0: none. */
struct view_slvl_grant {
	uint8_t sl, mtu, rate, life;
};

/* For a path asked for like this; lane: the routing's. */
struct view_slvl_grant view_slvl_grant(
	const struct view *v, const struct qos_ask *ask, unsigned lane);

#endif
