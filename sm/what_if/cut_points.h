/*
 * cuts: what holds a fabric together by itself. A cable whose loss would part
 * two switches, a switch whose loss would part others: single points of
 * failure. Quarantined switches pass nothing and count as not there.
 */
#ifndef HEDDLE_SM_WHAT_IF_CUT_POINTS_H
#define HEDDLE_SM_WHAT_IF_CUT_POINTS_H

#include <stddef.h>

#include "discovery/topo.h"

struct cut_points {
	port_ix *cable; /* one end of each, the switch nearer to us */
	size_t ncables;
	sw_ix *sw;
	size_t nsw;
};

/* Find them; free with cut_points_free. */
void cut_points_find(const struct topo *t, struct cut_points *out);

void cut_points_free(struct cut_points *c);

#endif
