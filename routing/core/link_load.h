/*
 * link_load: what the host pairs that use a link count, so that links of
 * different rates can be compared.
 *
 * The load of a link is the number of pairs on it, times the rate of the
 * fastest link between switches, divided by its own rate, rounded up. Two links
 * with the same load are full at the same time when all hosts send to all
 * others evenly. In a fabric of one rate it is the number of pairs. Rates are
 * integers (topo.rate_max, topo_adj.rate), so loads are the same everywhere.
 *
 * Whatever compares loads uses these functions: the verifier for its figures,
 * the load bounds, rebalancing. Pairs add up along links, loads do not, because
 * of the rounding: what moves traffic counts in pairs.
 */
#ifndef HEDDLE_ROUTING_CORE_LINK_LOAD_H
#define HEDDLE_ROUTING_CORE_LINK_LOAD_H

#include <stdint.h>

#include "discovery/topo.h"

/*
 * The load of a link of this rate that carries this number of pairs. With the
 * sums of the rates and of the pairs of several links it is a lower bound: the
 * busiest of these links has at least this load.
 */
static inline uint64_t
link_load_of_pairs(uint64_t pairs, uint64_t rate, uint32_t rate_max)
{
	if (rate == rate_max)
		return pairs;
	return (pairs * rate_max + rate - 1) / rate;
}

/* The most pairs with which a link of this rate has no more than this load. */
static inline uint64_t
link_load_room(uint64_t load, uint32_t rate, uint32_t rate_max)
{
	return rate == rate_max ? load : load * rate / rate_max;
}

/*
 * The load of a host's own link in a fabric of this number of hosts, whatever
 * the tables: all other hosts send over it. The rate is that of the fastest
 * hosts: a slow host must not raise the bound for all links. hosts is not 0.
 */
static inline uint64_t
link_load_of_host(const struct topo *t, uint64_t hosts)
{
	return link_load_of_pairs(hosts - 1, t->rate_host, t->rate_max);
}

#endif
