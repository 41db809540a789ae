/*
 * audit_unreachable: classifies the pairs (switch, LID) that do not arrive. If
 * a path goes through a switch that could not be read, nothing is known of its
 * end; the verifier, which is made for Heddle's own tables, reports it as lost.
 * Of the pairs that are lost it matters whether hosts use them: OpenSM's ftree,
 * for one, leaves switches without hosts no path to each other, which no host
 * notices.
 */
#ifndef HEDDLE_SM_AUDIT_UNREACHABLE_H
#define HEDDLE_SM_AUDIT_UNREACHABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/core/routes.h"

enum { AUDIT_UNREACHABLE_SHOWN = 6 };

/* A host that some hosts do not reach. */
struct audit_unreachable_victim {
	uint16_t lid;
	uint32_t switches; /* with hosts, from which nothing arrives */
	sw_ix first;	   /* one of these */
};

struct audit_unreachable_facts {
	uint32_t nodes;	 /* in quarantine: could not be read */
	uint64_t unseen; /* pairs (switch, LID) with a path that ends at such a
			    node */
	uint64_t hosts;	 /* lost or looping pairs, from a switch with hosts to
			    the LID of a host */
	uint32_t nvictims;
	struct audit_unreachable_victim
		victim[AUDIT_UNREACHABLE_SHOWN]; /* the first of nvictims */
	char lost[192]; /* the first other pair that is lost, or "" */
};

/*
 * Classify the pairs of routes that the verifier judged. Does nothing unless
 * there are quarantined nodes, or the verifier found a pair lost.
 */
void audit_unreachable_judge(
	const struct routes *r, bool lost, struct audit_unreachable_facts *out);

#endif
