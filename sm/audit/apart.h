/*
 * audit_apart: pairs whose path goes through a switch that could not be read.
 * The verifier, made for tables of our own, takes them for lost; of another
 * manager's nobody knows.
 */
#ifndef HEDDLE_SM_AUDIT_APART_H
#define HEDDLE_SM_AUDIT_APART_H

#include <stdint.h>

#include "routing/routes.h"

struct audit_apart_facts {
	uint32_t nodes;	 /* set apart */
	uint64_t unseen; /* (switch, LID): the path ends in one of these */
	char lost[192];	 /* the first pair that is lost elsewhere, or "" */
};

/* Of routes that the verifier judged; looks only where there are nodes. */
void audit_apart_judge(const struct routes *r, struct audit_apart_facts *out);

#endif
