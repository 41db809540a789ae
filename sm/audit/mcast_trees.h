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

struct audit_groups_job {
	const struct topo *t;
	const struct mft *mft;
	const struct audit_lanes *lanes; /* NULL: all is on one lane */
	const struct audit_sa_facts *sa;
	uint16_t assumed; /* SLs of groups that nobody told about */
};

/* How often something is wrong, and the first of it in words. */
struct audit_groups_fault {
	uint32_t n;
	char first[320];
};

struct audit_groups_facts {
	uint32_t trees; /* MLIDs with entries */
	uint32_t ports; /* of hosts in them, a port once a tree */
	struct audit_groups_fault loops;  /* trees: a packet never stops */
	struct audit_groups_fault copies; /* trees: it comes more than once */
	struct audit_groups_fault parted; /* trees: it does not reach all */
	struct audit_groups_fault dead;	  /* entries that name no link */
	struct audit_groups_fault nobody; /* trees that no group has */
	struct audit_groups_fault none;	  /* groups without a tree */
};

/* Judge all trees and note their turns. */
void audit_groups_judge(const struct audit_groups_job *job,
	struct audit_deps *d, struct audit_groups_facts *out);

#endif
