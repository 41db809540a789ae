/*
 * cuts: what holds a fabric together by itself. A cable whose loss would part
 * two switches, a switch whose loss would part others: single points of
 * failure. Quarantined switches pass nothing and count as not there.
 */
#ifndef HEDDLE_SM_WHAT_IF_CUT_POINTS_H
#define HEDDLE_SM_WHAT_IF_CUT_POINTS_H

#include <stddef.h>

#include "discovery/topo.h"

struct cuts {
	port_ix *cable; /* one end of each, the switch nearer to us */
	size_t ncables;
	sw_ix *sw;
	size_t nsw;
};

/* Find them; free with cuts_free. */
void cuts_find(const struct topo *t, struct cuts *out);

void cuts_free(struct cuts *c);

#endif
