/*
 * audit_json: the report of an audit as JSON, made from what was read. The page
 * for people (audit_page.h) is made from it.
 *
 *	tables in force -> verifier -> reach, loops, loads
 *	               \-> dependencies of paths and groups -> credit loops
 *	the same fabric -> Heddle's engines -> routes to compare with
 *
 * The verdict follows from the findings (audit_verdict.h).
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_JSON_H
#define HEDDLE_SM_AUDIT_AUDIT_JSON_H

#include <jansson.h>

#include "config/config.h"
#include "discovery/builder/builder.h"
#include "distribution/device/adaptive_seen.h"
#include "distribution/push/mft.h"
#include "routing/core/routes.h"
#include "sm/audit/audit_adaptive_read.h"
#include "sm/audit/audit_verdict.h"
#include "sm/audit/sa_client.h"
#include "sm/audit/vl_read.h"

/* What was read; owned by struct audit. */
struct audit_input {
	const struct config *cfg;
	struct lft_pool *pool;
	const struct builder *builder; /* why a switch is in quarantine */
	struct topo *topo;	       /* LIDs as found */
	const struct device_store *hw; /* what else forwards */
	struct routes *routes; /* as read, with the report of the verifier */
	struct verify_dependencies *deps;
	struct audit_adaptive_read *choices;
	struct audit_vls *vls;
	struct audit_sa *sa;
	struct mft *mft;
	const struct xact_stats *wire;
	uint32_t one_vl; /* channels in credit loops if there were one VL */
	uint32_t one_vl_choices; /* ... with those that adaptive groups close */
	uint32_t no_lid, bad_lid;
	uint32_t unread; /* table blocks that switches did not give */
	uint64_t held;	 /* messages that were not reads, not sent */
};

/* The values of one_vl and one_vl_choices, from forwarding tables,
 * dependencies, groups and multicast tables. */
void audit_json_one_vl(struct audit_input *f);

json_t *audit_json_make(const struct audit_input *f, enum audit_verdict *v);

/* The report of a fabric that could not be read at all: the verdict, and why.
 */
json_t *audit_json_failed(const char *why);

#endif
