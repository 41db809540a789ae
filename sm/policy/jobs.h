/*
 * jobs: what a configuration asks of LID assignment and of the engines. The
 * daemon, the plan command and the audit all ask through this, so that a plan
 * shows what the daemon would do.
 *
 * Folder sm/policy: configuration and topology -> the jobs of LID assignment
 * and of routing, P_Keys per port, SLs and VLs, roles of switches. Values, made
 * anew when one of the two changes. Callers: sm/core, sm/what_if and sm/audit
 * make them; sm/view and sm/report read them. Read next: sm/policy/pkeys.h and
 * sm/policy/qos.h.
 */
#ifndef HEDDLE_SM_POLICY_JOBS_H
#define HEDDLE_SM_POLICY_JOBS_H

#include <stddef.h>

#include "config/config.h"
#include "routing/core/engine.h"
#include "routing/core/lid.h"

/* LIDs on record, sorted by GUID. */
struct jobs_lid_records {
	const struct lid_record *record;
	size_t n;
	bool outdated; /* another subnet manager was the master since */
};

/* Assign LIDs to t as c says. As lid_assign; free *out with lid_table_free. */
int jobs_lids(const struct config *c, const struct topo *t,
	const struct jobs_lid_records *r, struct lid_table *out,
	struct reason *why);

/* The options of the engines, and the arrays that they point to. */
struct jobs_options {
	struct engine_options engine;
	struct route_role_of *role; /* engine.role */
	struct route_multi_port *multi_port;
};

/* What c says about the switches and ports of t; it points into c. */
void jobs_options(
	const struct config *c, const struct topo *t, struct jobs_options *out);
void jobs_options_free(struct jobs_options *o);

/*
 * The job of routing t (borrowed) as c says, with its options in *options,
 * which must outlive it. What is in force is the caller's to add: prev, or
 * ranks and reading; rebalance; the time.
 */
void jobs_route(const struct config *c, struct topo *t, struct lft_pool *pool,
	struct jobs_options *options, struct route_job *job);

/* Threads to compute and verify routes with: as c says, else by cores. */
unsigned jobs_threads(const struct config *c);

#endif
