/*
 * audit_mcast: the multicast trees that switches hold: whether a packet reaches
 * every port of the tree, arrives once, and stops; and the dependencies of its
 * packets. Subnet administration does not report members without its key: the
 * host ports in the tables are taken as members.
 *
 * A switch forwards a group's packet to all ports of its entry except the port
 * at which it arrived (IBA 18.2.4.3.3). Entries in which links form a ring are
 * harmless only if no packet can follow the ring.
 *
 * The packets of a tree that belongs to no reported group may have any SL;
 * dependencies of these are not sure.
 */
#ifndef HEDDLE_SM_AUDIT_MCAST_TREES_H
#define HEDDLE_SM_AUDIT_MCAST_TREES_H

#include <stdbool.h>
#include <stdint.h>

#include "distribution/push/mft.h"
#include "sm/audit/dependencies.h"
#include "sm/audit/sa_client.h"
#include "sm/audit/vl_read.h"

struct audit_mcast_job {
	const struct topo *t;
	const struct mft *mft;
	const struct audit_vls *vls; /* NULL: all packets are on one VL */
	const struct audit_sa_client_facts *sa;
};

/* How often a fault was found, and the first one in words. */
struct audit_mcast_fault {
	uint32_t n;
	char first[320];
};

struct audit_mcast_facts {
	uint32_t trees; /* MLIDs with entries */
	uint32_t ports; /* host ports in them, once for each tree */
	struct audit_mcast_fault loops;	 /* trees: a packet never stops */
	struct audit_mcast_fault copies; /* trees: it arrives more than once */
	struct audit_mcast_fault
		disconnected;		  /* trees: it does not reach all */
	struct audit_mcast_fault dead;	  /* entries for ports without a link */
	struct audit_mcast_fault unowned; /* trees that belong to no group */
	struct audit_mcast_fault none;	  /* groups without a tree */
};

/* Judge all trees and add their dependencies to d. */
void audit_mcast_judge(const struct audit_mcast_job *job, struct audit_deps *d,
	struct audit_mcast_facts *out);

#endif
