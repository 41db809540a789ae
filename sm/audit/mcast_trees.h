/*
 * audit_groups: the trees of multicast groups as switches hold them: does a
 * packet reach every port that is in the tree, does it come once, does it stop;
 * and the turns that it makes. Who is a member nobody tells without the key of
 * subnet administration: members are the ports of hosts in the tables.
 *
 * A switch forwards a group's packet to all ports of its entry but the one that
 * it came in by (IBA 18.2.4.3.3). Entries in which cables close a ring are
 * harmless only if no packet can follow it around.
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
	const struct audit_lanes *lanes; /* NULL: all is on one lane */
	const struct audit_sa_client_facts *sa;
	uint16_t assumed; /* SLs of groups that nobody told about */
};

/* How often something is wrong, and the first of it in words. */
struct audit_mcast_fault {
	uint32_t n;
	char first[320];
};

struct audit_mcast_facts {
	uint32_t trees; /* MLIDs with entries */
	uint32_t ports; /* of hosts in them, a port once a tree */
	struct audit_mcast_fault loops;	 /* trees: a packet never stops */
	struct audit_mcast_fault copies; /* trees: it comes more than once */
	struct audit_mcast_fault parted; /* trees: it does not reach all */
	struct audit_mcast_fault dead;	 /* entries that name no link */
	struct audit_mcast_fault nobody; /* trees that no group has */
	struct audit_mcast_fault none;	 /* groups without a tree */
};

/* Judge all trees and note their turns. */
void audit_mcast_judge(const struct audit_mcast_job *job, struct audit_deps *d,
	struct audit_mcast_facts *out);

#endif
