/*
 * link_rate: the data rate of a link from the width and speed codes of its
 * ports, so that links of different generations can be compared.
 *
 * IBA volume 1, PortInfo 14.2.5.6: LinkWidthActive, LinkSpeedActive,
 * LinkSpeedExtActive and their Supported fields.
 */
#ifndef HEDDLE_DISCOVERY_LINK_RATE_H
#define HEDDLE_DISCOVERY_LINK_RATE_H

#include "discovery/topo.h"

/*
 * The rate, in units of 100 Mb/s, of the widest width and the fastest speed of
 * these masks, which are coded as in struct topo_port. Masks without a known
 * bit count as 1x and SDR.
 */
uint32_t link_rate_of(uint8_t width, uint8_t speed, uint8_t speed_ext);

/* The rate at which the link of port p runs. */
uint32_t link_rate_active(const struct topo_port *p);

/*
 * Find the rates of t: of topo_adj, rate_min, rate_max and rate_host. Where the
 * two ends of a link differ, the slower one counts; an end without a known
 * width and speed does not count. topo_seal calls it.
 */
void link_rate_find(struct topo *t);

#endif
