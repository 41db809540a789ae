/*
 * cabling_watch: the daemon's eye on the plan of the fabric: each view is
 * compared with it, in a thread of its own, and what begins or ends to differ
 * is told as events.
 *
 *	committed view -> topology, pinned -> thread -> deviations -> events
 *
 * The first comparison after a plan was read is one event, whatever it finds;
 * later ones tell each deviation that is new or over, up to a limit. A plan of
 * another fabric is an alarm.
 *
 * A plan without GUIDs needs the names of nodes, which the core reads after the
 * first view: what it finds while names are missing waits for them, but not for
 * ever, since a node may have none.
 */
#ifndef HEDDLE_SM_CABLING_WATCH_H
#define HEDDLE_SM_CABLING_WATCH_H

#include "config/config.h"
#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/cabling/cabling.h"
#include "sm/daemon_events.h"
#include "sm/report/status_json.h"
#include "sm/view/drains.h"
#include "sm/view/view.h"

struct cabling_watch;

/* Start the thread; sink is called for each event. NULL and why not. */
struct cabling_watch *cabling_watch_new(struct loop *l,
	daemon_events_sink *sink, void *cookie, struct reason *why);
void cabling_watch_free(struct cabling_watch *w); /* NULL allowed */

/* Read the plan that c names; own: the file of the configuration. A bad one is
 * an alarm, and no plan. */
void cabling_watch_load(
	struct cabling_watch *w, const struct config *c, const char *own);

/* Take another plan (it is taken over), or none (NULL), and compare it with
 * the last view. */
void cabling_watch_set(struct cabling_watch *w, struct cabling *plan);

/* There is a new view, and this list has what is drained; it is borrowed as
 * long as the watch lives. */
void cabling_watch_view(struct cabling_watch *w, const struct view *v,
	const struct drains *drains);

/* What a status tells; valid until the loop goes on. */
struct status_cabling cabling_watch_status(struct cabling_watch *w);

/* The result of the last comparison, as a new object; NULL and why there is
 * none. */
json_t *cabling_watch_json(struct cabling_watch *w, struct reason *why);

#endif
