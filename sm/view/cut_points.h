/*
 * cut_points: the single points of failure of a fabric: a link without which
 * two switches would be disconnected, a switch without which others would be.
 * Quarantined switches pass no traffic and count as missing.
 */
#ifndef HEDDLE_SM_VIEW_CUT_POINTS_H
#define HEDDLE_SM_VIEW_CUT_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "discovery/topo.h"

struct cut_points {
	port_ix *link; /* one end of each link, at the switch nearer to us */
	size_t nlinks;
	sw_ix *sw;
	size_t nsw;
};

/* Find them; free with cut_points_free. without: ports whose links count as
 * missing, too ([t->nports], by either end), or NULL. */
void cut_points_find(
	const struct topo *t, const bool *without, struct cut_points *out);

/* The same for an administrator, in whose eyes a drained switch that has one
 * neighbour left and no hosts is missing: what is lost with its link is to be
 * pulled anyway. */
void cut_points_find_in_use(const struct topo *t, struct cut_points *out);

void cut_points_free(struct cut_points *c);

#endif
