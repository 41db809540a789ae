/*
 * updn_repair: what updn_repair.c (what is different), updn_differ.c (which
 * legal paths differ) and updn_mend.c (which entries have to) share. Private
 * to them.
 */
#ifndef HEDDLE_ROUTING_UPDN_REPAIR_H
#define HEDDLE_ROUTING_UPDN_REPAIR_H

#include "routing/updn.h"

struct updn_repair {
	struct updn *u;
	const struct routes *prev;
	const struct updn_past *past;
	bool *seed;	 /* [nsw] switches whose cables differ */
	uint64_t **diff; /* [nsw] about whom levels differ, or NULL */
	struct updn_reach reach;
};

/*
 * updn_differ.c: levels and what is above whom, from those of the past: only
 * where something differs they are worked out. False when some pair has no
 * path any more.
 */
bool updn_differ(struct updn_repair *p);

/*
 * updn_mend.c: the tables of the previous routes with the entries that do not
 * lead through a candidate chosen anew. NULL when cancelled, or when more LIDs
 * would have to be split than is sensible.
 */
struct routes *updn_mend(struct updn_repair *p, struct updn_dests *d);

#endif
