/*
 * certificate_layers: tables in several layers, proven by ranks of channels.
 *
 * Every link direction has a rank on each group of VLs, given with the tables.
 * Where the packets of a pair arrive over a link and go on over another, the
 * second has, on the VLs of their layer, the higher rank: then no dependencies
 * form a cycle, however layers share VLs.
 *
 * To one LID the tables are a tree. It is walked once, the farthest switches
 * first, and what passes a link is the number of switches behind it, by layer:
 * so a LID costs a step for each switch, not one for each link of each path.
 * That the tree has all switches proves that all packets arrive. What is
 * counted are the dependencies (dep_count.h); ranks are compared at the end,
 * once for each that is made. LIDs that a switch leaves by ports at the same
 * distances as the LID before, as those of its hosts nearly always are, are
 * walked in the same order.
 *
 * As with one layer (certificate.h) the proof is sufficient, not necessary, and
 * has no words for faults. What LIDs that are no destinations do counts in all
 * layers; with a map of VLs it rarely climbs in all, and is left to the judge.
 */
#ifndef HEDDLE_ROUTING_VERIFY_CERTIFICATE_LAYERS_H
#define HEDDLE_ROUTING_VERIFY_CERTIFICATE_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/verify/cdg.h"

/* True if the tables have several layers and ranks for each of their groups of
 * VLs. */
bool certificate_layers_ranked(const struct verify_tables *in);

/*
 * Prove such tables: g, which counts and is empty, gets their loads, hops and
 * dependencies. dest: of all LIDs, nblocks * LFT_BLOCK; rank: cdg_ranks. False:
 * nothing is proven, and g is to be freed. threads: as in verify_keep.
 */
bool certificate_layers_prove(struct cdg *g, const struct verify_tables *in,
	const struct verify_dest *dest, const uint32_t *rank, unsigned threads);

#endif
