/*
 * hop_choice: why a switch sends packets to a LID by the port that it does, as
 * far as the tables tell: which other links it could have taken instead, and
 * what speaks for the one that it takes. Pure.
 *
 * Another link could be taken if the switch behind it is no farther from the
 * destination by its own entries and, where the tables obey an order of
 * switches, no packet would go up after it came down.
 */
#ifndef HEDDLE_SM_REPORT_HOP_CHOICE_H
#define HEDDLE_SM_REPORT_HOP_CHOICE_H

#include "routing/core/routes.h"

enum hop_reason {
	HOP_EXIT,	/* the destination is at this port */
	HOP_ONLY,	/* no other link could be taken */
	HOP_DRAINED,	/* the same: the others are drained */
	HOP_REDUNDANCY, /* others are used by the way to another port of the
			   destination's node */
	HOP_KEPT,	/* another would carry clearly less, but entries were
			   kept */
	HOP_BALANCE,	/* the others would carry about as much */
	HOP_REASONS
};

struct hop_choice {
	enum hop_reason reason;
	unsigned links;	  /* that could be taken, with the one that is */
	unsigned drained; /* others, which no route leads over */
	uint64_t load;	  /* of that one */
	uint64_t least; /* the least that another one would carry with one pair
			   of hosts more; 0: there is no other */
};

/* Why step i of the n steps of a path to port `to`, whose LID is lid, leaves by
 * its port. from: the port where the path begins. */
struct hop_choice hop_choice_of(const struct routes *r,
	const struct route_step *step, int i, int n, port_ix from, port_ix to,
	uint16_t lid);

/* "only-one", "balance" and so on. */
const char *hop_reason_name(enum hop_reason reason);

#endif
