/*
 * audit_report: from what was read to what is said of it, as JSON. The page for
 * people (page.h) is made of that.
 *
 *	tables in force -> verifier -> reach, loops, loads
 *	               \-> turns of paths and groups -> credit loops
 *	the same fabric -> Heddle's engines -> what to compare with
 *
 * Findings have a severity. fault: packets are lost, or can be waiting for ever
 * right now. risk: that cannot be ruled out by what could be read. unjudged:
 * something could not be looked at. note: worth knowing, nothing is wrong. All
 * is well where there are but notes.
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_JSON_H
#define HEDDLE_SM_AUDIT_AUDIT_JSON_H

#include <jansson.h>

#include "config/config.h"
#include "discovery/builder/builder.h"
#include "distribution/push/mft.h"
#include "routing/core/routes.h"
#include "sm/audit/sa_client.h"
#include "sm/audit/vl_read.h"

/* What was read. Nobody else's but its owner's. */
struct audit_input {
	const struct config *cfg;
	struct lft_pool *pool;
	const struct builder *draft; /* knows why a switch is set apart */
	struct topo *topo;	     /* LIDs as found */
	struct routes *routes;	     /* as read, judged by the verifier */
	struct verify_dependencies *turns;
	struct audit_lanes *lanes;
	struct audit_sa *sa;
	struct mft *mft;
	const struct xact_stats *wire;
	uint32_t one_lane; /* channels in credit loops, were there one lane */
	uint32_t no_lid, bad_lid;
	uint32_t unread; /* table blocks that no switch gave */
	uint64_t held;	 /* messages that were no questions, not sent */
};

/* found.one_lane, from tables, turns, groups and multicast tables. */
uint32_t audit_json_one_lane(const struct audit_input *f);

json_t *audit_json_make(const struct audit_input *f, bool *well);

#endif
