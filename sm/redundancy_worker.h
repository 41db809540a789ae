/*
 * redundancy_worker: counts the nodes of each view that have a single point of
 * failure (sm/view/view_redundancy.h), in a thread of its own, so that neither
 * runs nor queries wait for the count.
 *
 *	committed view -> pinned -> thread -> view->redundancy, log
 *
 * A newer view ends the count of an older one. The thread reads the blocks of
 * the view's tables, which may be read at any time (routing/core/lft.h), and
 * touches no reference count.
 */
#ifndef HEDDLE_SM_REDUNDANCY_WORKER_H
#define HEDDLE_SM_REDUNDANCY_WORKER_H

#include <stdbool.h>

#include "config/config.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/view/view.h"

struct redundancy_worker;

/* True if views may be released now; false while another thread owns the pool
 * of their tables. */
typedef bool redundancy_worker_may_release(void *cookie);

/* Start the thread. NULL and a reason when it cannot be started. */
struct redundancy_worker *redundancy_worker_new(struct loop *l,
	redundancy_worker_may_release *may_release, void *cookie,
	struct reason *why);

/*
 * Count the nodes of v, with the groups of cfg; a count in progress for another
 * view is given up. Does nothing if v has its count already.
 */
void redundancy_worker_count(
	struct redundancy_worker *c, struct view *v, struct config *cfg);

/* Release the views that are not needed any more, if may_release allows it. */
void redundancy_worker_discard(struct redundancy_worker *c);

/* End the thread, release all views, free. NULL allowed. */
void redundancy_worker_free(struct redundancy_worker *c);

#endif
