/*
 * adaptive_mixture: whether forwarding tables may change while switches choose
 * among ports, where the order of switches does not say so.
 *
 * While tables change a LID at a switch where adaptive routing is on has its
 * old default or its new one, and the ports that both the old routes and the
 * new ones allow (distribution/tables/adaptive_groups.h). Its entry is written
 * in the same stage as the forwarding table. So for each stage these sets,
 * beside the tables before it and those after it, are judged as one mixture by
 * routing/verify/verify_sets.h; the dependencies of the tables among themselves
 * are those that the transition found.
 *
 * Packets may still be on links that they took by ports which their LID has
 * lost since. If the mixture stands with these ports too, nothing has to drain.
 *
 * Ports of a switch in quarantine are not judged: while one may choose, nothing
 * is proven, and adaptive routing is switched off where it can be. The
 * transition leads packets around such a switch (transition.h).
 */
#ifndef HEDDLE_DISTRIBUTION_PLAN_ADAPTIVE_MIXTURE_H
#define HEDDLE_DISTRIBUTION_PLAN_ADAPTIVE_MIXTURE_H

#include "distribution/device/device_store.h"
#include "distribution/tables/adaptive_groups.h"
#include "distribution/transition/transition.h"
#include "routing/core/routes.h"

struct adaptive_mixture;

enum adaptive_verdict {
	ADAPTIVE_HOLDS,	 /* nothing has to drain */
	ADAPTIVE_DRAINS, /* ... between the loss of ports and the tables */
	ADAPTIVE_FAILS,
};

/* Of a topology in which no switch chooses. */
struct adaptive_mixture *adaptive_mixture_new(const struct topo *t);
void adaptive_mixture_free(struct adaptive_mixture *x); /* NULL allowed */

/*
 * Switch s, where adaptive routing is on, is to be written by g, which was made
 * from job; target[job->nlids]: the destination switch of a LID that may have a
 * choice, or TOPO_NONE.
 */
void adaptive_mixture_add(struct adaptive_mixture *x, sw_ix s,
	const struct adaptive_groups_job *job, const struct adaptive_groups *g,
	const sw_ix *target);

/* The verdict for a change of tables, stage by stage: the worst of all. */
enum adaptive_verdict adaptive_mixture_judge(const struct adaptive_mixture *x,
	struct topo *t, const struct device_store *hw,
	const struct transition_result *change);

#endif
