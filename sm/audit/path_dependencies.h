/*
 * audit_path: the dependencies of unicast packets, VL by VL, from the tables in
 * force and the SLs that subnet administration gave to senders.
 *
 * A path is followed from every switch, for its hosts and for its own port 0,
 * to every LID with every SL in use between them, until it reaches a channel
 * where another path to that LID has been. If the SLs of a pair are not known,
 * it is assumed to use any of some SLs; the dependencies of these are not sure,
 * nor are those of packets that only switches send.
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
	uint16_t assumed; /* SLs, a bit each, where none were reported */
};

struct audit_path_facts {
	uint64_t told; /* pairs (switch, LID) with known SLs; hosts and port 0
			  of a switch count separately */
	uint64_t assumed;   /* pairs with unknown SLs */
	uint64_t discarded; /* pairs of in-port and out-port, on the path to a
			       LID, that discard an SL that was given out */
	char first[256];    /* the first of these, in words */
};

void audit_path_walk(const struct audit_path_job *job, struct audit_deps *d,
	struct audit_path_facts *out);

/* Add the dependencies of unicast packets if all are on one VL, or (not sure)
 * may be: as the verifier found them. */
void audit_path_one_layer(const struct topo *t,
	const struct verify_dependencies *turns, bool sure,
	struct audit_deps *d);

#endif
