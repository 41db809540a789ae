/*
 * drain_limits: what keeps a link that is bad from being drained without an
 * administrator. A drain of that kind may cost bandwidth, and nothing else:
 *
 *	1. It is a link between two switches: nothing else leads to a host.
 *	2. Of the links of a tier, no more than DRAIN_LIMITS_PERCENT are drained
 *	   so, but always one. The tier of a link is that of its lower end;
 *	   where a fabric is read as no tree, all its links are one tier.
 *	3. All switches stay connected to our own port if the drained links were
 *	   pulled, those with hosts and the others.
 *	4. No multi-port node gets a single point of failure, a link or a switch
 *	   that all of its ports depend on, and that was none before.
 *
 * Only links and live switches count, not the tables: what could be routed is
 * the question, not what is. Pure. O(links) for each link that is judged, and
 * for each single point of failure where there are multi-port nodes.
 */
#ifndef HEDDLE_SM_VIEW_DRAIN_LIMITS_H
#define HEDDLE_SM_VIEW_DRAIN_LIMITS_H

#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/engine.h"
#include "sm/base/reason.h"
#include "sm/view/drains.h"

/* Of the links of a tier that may be drained so. */
enum { DRAIN_LIMITS_PERCENT = 2 };

enum drain_limit {
	DRAIN_LIMIT_NONE, /* it may be drained */
	DRAIN_LIMIT_HOST,
	DRAIN_LIMIT_TIER,
	DRAIN_LIMIT_CUT,
	DRAIN_LIMIT_REDUNDANCY,
	DRAIN_LIMIT_OTHER, /* none of these: never judged so */
};

struct drain_limits {
	const struct topo *t;
	/* by switch, UINT32_MAX where it has none; NULL: there are no tiers */
	const uint32_t *tier;
	const struct engine_options *options; /* of multi-port nodes, or NULL */
	const struct drains *drains;	      /* whoever asked for them */
};

/* Which limit keeps the link of port p, which has one, from being drained; and
 * why, in words. Of several the first in the order above. */
enum drain_limit drain_limits_judge(
	const struct drain_limits *l, port_ix p, struct reason *why);

#endif
