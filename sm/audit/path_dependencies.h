/*
 * audit_path: the dependencies of unicast packets, VL by VL, from the tables in
 * force and the SLs that subnet administration gave to senders.
 *
 * A path is followed from every switch, for its hosts and for its own port 0,
 * to every LID with every SL in use between them, until it reaches a channel
 * where another path to that LID has been. Hosts of a switch are followed
 * together if their ports have the same SL to VL tables. If the SLs from one of
 * them are not known, the packets may have any SL; the dependencies that only
 * these cause are not sure, nor are those of packets that only switches send.
 *
 * Where a switch chooses among ports, packets with an SL that it may choose for
 * are followed by every port of the group, and others by the default. A default
 * that the entry and the forwarding table do not agree on is not sure.
 */
#ifndef HEDDLE_SM_AUDIT_PATH_DEPENDENCIES_H
#define HEDDLE_SM_AUDIT_PATH_DEPENDENCIES_H

#include <stdint.h>

#include "routing/core/routes.h"
#include "sm/audit/audit_adaptive_read.h"
#include "sm/audit/dependencies.h"
#include "sm/audit/sa_client.h"
#include "sm/audit/vl_read.h"

struct audit_path_job {
	const struct routes *r;
	const struct audit_vls *vls;
	const struct audit_sa *sa;
	const struct audit_adaptive_read *choices; /* NULL: tables alone */
};

struct audit_path_facts {
	uint64_t told; /* pairs (port, LID) whose SLs are known; the ports are
			  those of hosts, and port 0 of switches */
	uint64_t assumed;   /* pairs that may use any SL */
	uint64_t discarded; /* pairs of in-port and out-port, on the path to a
			       LID, that discard an SL that was given out, or
			       every SL */
	char first[256];    /* the first of these, in words */
};

void audit_path_walk(const struct audit_path_job *job, struct audit_deps *d,
	struct audit_path_facts *out);

/* Add the dependencies of unicast packets if all are on one VL, or (not sure)
 * may be: as the verifier found them. */
void audit_path_one_layer(const struct topo *t,
	const struct verify_dependencies *deps, bool sure,
	struct audit_deps *d);

#endif
