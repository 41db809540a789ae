/*
 * audit_adaptive_sets: judges the groups by which switches choose among ports,
 * whoever wrote them: as sets of ports beside the forwarding tables, by the
 * judge of Heddle's own (routing/verify/verify_sets.h), which knows nothing of
 * how they were made.
 *
 *	groups, entries by LID -> ports by destination switch -> the judge
 *
 * The judge takes packets to all LIDs of a destination switch together. Where
 * their ports differ (mixed) it may see a loop that no packet meets. It judges
 * destinations with hosts: LIDs of other switches are counted alone.
 */
#ifndef HEDDLE_SM_AUDIT_ADAPTIVE_SETS_H
#define HEDDLE_SM_AUDIT_ADAPTIVE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/core/routes.h"
#include "routing/verify/verify_sets.h"
#include "sm/audit/audit_adaptive_read.h"

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
	uint64_t unjudged; /* entries with a group of LIDs of switches without
			      hosts */
	bool mixed;
	bool safe; /* or nothing was judged */
	char why[500];
	struct verify_sets_report judged;
};

/* Judge what was read beside the tables of r, whose dependencies are deps. */
void audit_adaptive_sets_judge(const struct audit_adaptive_read *read,
	const struct routes *r, const struct verify_dependencies *deps,
	unsigned threads, struct audit_adaptive_facts *out);

#endif
