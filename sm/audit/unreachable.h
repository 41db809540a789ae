/*
 * audit_apart: pairs that do not arrive, told apart. Of those whose path goes
 * through a switch that could not be read nobody knows; the verifier, made for
 * tables of our own, takes them for lost. Of those that are lost it matters
 * whose they are: OpenSM's ftree, for one, leaves switches without hosts no way
 * to each other, which no host notices.
 */
#ifndef HEDDLE_SM_AUDIT_UNREACHABLE_H
#define HEDDLE_SM_AUDIT_UNREACHABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/core/routes.h"

struct audit_unreachable_facts {
	uint32_t nodes;	 /* set apart */
	uint64_t unseen; /* (switch, LID): the path ends in one of these */
	uint64_t hosts;	 /* lost or in a loop: from a switch with hosts to a
			    host's LID */
	char lost[192];	 /* the first pair that is lost elsewhere, or "" */
};

/*
 * Of routes that the verifier judged. Looks only where there are nodes, or
 * where it found something lost.
 */
void audit_unreachable_judge(
	const struct routes *r, bool lost, struct audit_unreachable_facts *out);

#endif
