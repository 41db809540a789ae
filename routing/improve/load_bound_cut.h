/*
 * cut: what no tables of a fabric can do better, by cutting pieces off it.
 *
 * The hosts of a piece send to all others, and are sent to by them, over the
 * cables that lead out of it; the fullest of these carries the mean at least.
 * The pieces: every switch alone; then switches that are no further than 0, 1,
 * ... cables from one with hosts, as far as they are joined. In a tree these
 * are leaves, racks where leaves have cables to each other, then pods. It is
 * quick: pieces grow together as their switches come in by distance.
 */
#ifndef HEDDLE_ROUTING_IMPROVE_LOAD_BOUND_CUT_H
#define HEDDLE_ROUTING_IMPROVE_LOAD_BOUND_CUT_H

#include <stdint.h>

#include "discovery/topo.h"

/*
 * Host pairs that the busiest cable of any tables for t carries at the least,
 * as the verifier counts them; 0 where no cut says anything.
 */
uint64_t load_bound_cut(const struct topo *t);

#endif
