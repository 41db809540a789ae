/*
 * groups_json: multicast groups as JSON, for the control socket: a summary of
 * all of them, or one with its members and its tree.
 */
#ifndef HEDDLE_SM_REPORT_GROUPS_JSON_H
#define HEDDLE_SM_REPORT_GROUPS_JSON_H

#include <jansson.h>

#include "routing/mcast/mcast.h"
#include "sm/base/reason.h"
#include "sm/sa/sa.h"

/* Where groups are found; read only. */
struct groups_facts {
	const struct sa *sa;
	const struct topo *topo; /* of the committed view */
	/* of each MLID from MFT_MLID on; NULL: none */
	const struct mcast_tree *const *tree;
};

/*
 * which: NULL for all groups, or an MGID such as ff12:401b:ffff::1, or an MLID
 * such as 0xc000. A new object, or NULL and why.
 */
json_t *groups_json(
	const struct groups_facts *f, const char *which, struct reason *why);

#endif
