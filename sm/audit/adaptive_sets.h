/*
 * audit_adaptive_sets: judges the groups by which switches choose among ports,
 * no matter which manager wrote them: as sets of ports beside the forwarding
 * tables, by the judge of Heddle's own (routing/verify/verify_sets.h), which
 * knows nothing of how they were made.
 *
 *	groups, entries by LID -> ports by destination switch -> the judge
 *
 * The judge takes packets to all LIDs of a destination switch together, and
 * those to hosts alone, and all VLs for one. So what packets wait for is found
 * once more, LID by LID, those of switches included, and joins the dependencies
 * of the tables and of multicast groups (dependencies.h): which cycles that
 * closes is the last word on them. Where there are any, and several VLs,
 * packets are followed VL by VL (path_dependencies.h). Where the ports of LIDs
 * differ (mixed) the rest of a fault may be one that no packet meets.
 */
#ifndef HEDDLE_SM_AUDIT_ADAPTIVE_SETS_H
#define HEDDLE_SM_AUDIT_ADAPTIVE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/core/routes.h"
#include "routing/verify/verify_sets.h"
#include "sm/audit/audit_adaptive_read.h"
#include "sm/audit/dependencies.h"

/* How often something is wrong, and the first time in words. */
struct audit_adaptive_fault {
	uint64_t n;
	char first[200];
};

struct audit_adaptive_facts {
	uint32_t switches; /* whose groups are judged */
	uint32_t unread;   /* that did not give all of their groups */
	char unread_first[100];
	uint64_t choices; /* entries of LIDs that name a group */
	struct audit_adaptive_fault no_group; /* ... one without ports */
	struct audit_adaptive_fault no_link;  /* ports of them without a link */
	struct audit_adaptive_fault away;     /* ports away from a destination
						 that is there */
	struct audit_adaptive_fault
		other_default; /* defaults that are not the forwarding table's
				*/
	bool mixed;
	uint32_t cyclic; /* channels on cycles, beyond those on cycles without
			    any choice, on the VLs that packets have */
	uint32_t sure;	 /* ... by dependencies that are sure */
	char cycle[400];
	bool safe; /* or nothing was judged */
	char why[500];
	struct verify_sets_report judged;
};

/* The judge of sets found a cycle, which counts if LIDs one by one close one.
 */
static inline bool
audit_adaptive_is_safe(const struct audit_adaptive_facts *c)
{
	return c->cyclic == 0 && (c->safe || c->judged.cyclic > 0);
}

/* Why it is not, a cycle or the words of the judge; "": it is. */
static inline const char *
audit_adaptive_why(const struct audit_adaptive_facts *c)
{
	if (c->cyclic > 0)
		return c->cycle;
	return audit_adaptive_is_safe(c) ? "" : c->why;
}

/* Judge what was read beside the tables of r, whose dependencies are deps. */
void audit_adaptive_sets_judge(const struct audit_adaptive_read *read,
	const struct routes *r, const struct verify_dependencies *deps,
	unsigned threads, struct audit_adaptive_facts *out);

/* Add to d what packets may wait for by choices of switches, beside what they
 * do by the tables of r, if all are on one VL, or (not sure) may be. */
void audit_adaptive_sets_add(const struct audit_adaptive_read *read,
	const struct routes *r, bool sure, struct audit_deps *d);

#endif
