/*
 * audit_paths: the turns that packets between two ports make, lane by lane, by
 * the tables that are in force and the SLs that their senders were told.
 *
 * A path is walked for every switch, for its hosts and for its own port 0, to
 * every LID with every SL that is in use between them, as far as another path
 * has not been there before. What nobody told is taken to use any of some SLs;
 * turns of these are not sure, nor are those that only switches make.
 */
#ifndef HEDDLE_SM_AUDIT_PATH_DEPENDENCIES_H
#define HEDDLE_SM_AUDIT_PATH_DEPENDENCIES_H

#include <stdint.h>

#include "routing/core/routes.h"
#include "sm/audit/dependencies.h"
#include "sm/audit/sa_client.h"
#include "sm/audit/vl_read.h"

struct audit_path_job {
	const struct routes *r;
	const struct audit_lanes *lanes;
	const struct audit_sa *sa;
	uint16_t assumed; /* SLs, a bit each, where nobody told any */
};

struct audit_path_facts {
	uint64_t told;	    /* (switch, LID) whose SLs are known; of hosts
			       and of port 0 apart */
	uint64_t assumed;   /* those whose are not */
	uint64_t discarded; /* turns on the way to a LID that discard an SL
			       that was given out */
	char first[256];    /* the first of these, in words */
};

void audit_path_walk(const struct audit_path_job *job, struct audit_deps *d,
	struct audit_path_facts *out);

/* The same where all is on one lane, or (not sure) may be: turns as the
 * verifier found them. */
void audit_path_one_layer(const struct topo *t,
	const struct verify_dependencies *turns, bool sure,
	struct audit_deps *d);

#endif
