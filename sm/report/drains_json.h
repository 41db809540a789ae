/*
 * drains_json: what is drained for maintenance, for the control socket, and
 * which of it a command means.
 */
#ifndef HEDDLE_SM_REPORT_DRAINS_JSON_H
#define HEDDLE_SM_REPORT_DRAINS_JSON_H

#include <jansson.h>

#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "sm/health/link_watch.h"
#include "sm/view/drains.h"
#include "sm/view/view.h"

/* All borrowed; tree: by MLID, as run_mcast_trees has it, or NULL. */
struct drains_facts {
	const struct drains *drains;
	const struct view *view;
	const struct mcast_tree *const *tree;
	const struct link_watches *watches; /* or NULL */
	struct mono now;
};

/*
 * {"drains": [{"guid", "name", "port", "peer", "state", "entries", "trees",
 * "lid", "from", "by", "reason", "forced", "cut_off", "generation", "age",
 * "left", "watch"}], "kept", "standby"}, a new object, the last as in
 * standby_json.h. "watch" is what is known of a link that is drained for its
 * health, else null; "kept" are the bad links that may not be drained: as in
 * watch_json.h. "generation" is that of the first view it can be in force in.
 * "state" is "pending" (its routes are on the way, or this is a standby),
 * "clear" (it may be pulled; "cut_off" host ports lose the fabric then), "used"
 * (entries and trees lead over it) or "absent".
 */
json_t *drains_json(const struct drains_facts *f);

/* The same of one drain alone. */
json_t *drains_json_one(const struct drains_facts *f, const struct drain *d);

/* How many drains there are, and of each state: {"all", "pending", ...}. */
json_t *drains_counts_json(const struct drains_facts *f);

/*
 * The drain that `text` names: by the name that its switch has or had, GUID or
 * LID, and port. NULL and a reason.
 */
const struct drain *drains_named(const struct drains *d, const struct topo *t,
	const char *text, struct reason *why);

/* Append the result as a table, or say that nothing is drained. */
void drains_show(const json_t *result, struct buf *out);

#endif
