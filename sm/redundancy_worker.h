/*
 * counter: counts of each view the nodes that have a single point of failure
 * (view_redundancy.h), in a thread of its own: neither does the fabric wait for
 *figures, nor do questions.
 *
 *	committed view -> counter, pinned -> thread -> view->homes, log
 *
 * A newer view ends the count of an older one. The thread reads the blocks of
 * the view's tables, which may be read at any time (routing/core/lft.h), and
 *touches no count of references.
 */
#ifndef HEDDLE_SM_REDUNDANCY_WORKER_H
#define HEDDLE_SM_REDUNDANCY_WORKER_H

#include <stdbool.h>

#include "config/config.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/view/view.h"

struct redundancy_worker;

/* May views be let go now, or does somebody else own their pool? */
typedef bool redundancy_worker_may_release(void *cookie);

/* Start the thread. NULL and a reason when there is none to be had. */
struct redundancy_worker *redundancy_worker_new(struct loop *l,
	redundancy_worker_may_release *may_release, void *cookie,
	struct reason *why);

/*
 * Count v's, with the groups of cfg; what is under way for another view is
 * given up. Nothing to do where v knows.
 */
void redundancy_worker_count(
	struct redundancy_worker *c, struct view *v, struct config *cfg);

/* Let go of views that are not needed any more, if that may be. */
void redundancy_worker_discard(struct redundancy_worker *c);

/* End the thread, let go of all, free. NULL allowed. */
void redundancy_worker_free(struct redundancy_worker *c);

#endif
