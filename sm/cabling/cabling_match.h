/*
 * cabling_match: which node of the fabric is which node of the plan.
 *
 *	1. by GUID, where the plan has one
 *	2. by name: the NodeDescription; or its first word, as hosts are called
 *	   "node07 mlx5_0"; or what is between ';' and ':' of
 *"MF0;leaf1:MQM8700/U1", with leaf and ASIC for a switch in a director,
 *"dir1/L3/U1". A name that several nodes have means none of them
 *	3. by links: a node in whose ports the links of a planned one end is in
 *	   its place, if more than half of them do
 *
 * What is matched by links has another GUID or another name than was planned:
 * it was replaced.
 */
#ifndef HEDDLE_SM_CABLING_CABLING_MATCH_H
#define HEDDLE_SM_CABLING_CABLING_MATCH_H

#include "sm/cabling/cabling.h"

enum cabling_how {
	CABLING_UNMATCHED,
	CABLING_BY_GUID,
	CABLING_BY_NAME,
	CABLING_BY_LINKS,
	CABLING_AMBIGUOUS, /* unmatched: several nodes have its name */
};

struct cabling_match {
	uint32_t *is;	   /* [plan nodes]: the node of the fabric, or
			      CABLING_NONE */
	uint32_t *planned; /* [fabric nodes]: the node of the plan, or
			      CABLING_NONE */
	uint8_t *how;	   /* [plan nodes]: enum cabling_how */
	size_t known;	   /* matched by GUID or name */
	size_t unnamed;	   /* unmatched nodes of the fabric without a name, if
			      that of a planned node was not found, else 0 */
};

/* Match the nodes of two cablings, both sealed. O(nodes + links). */
void cabling_match_nodes(const struct cabling *plan,
	const struct cabling *fabric, struct cabling_match *out);
void cabling_match_free(struct cabling_match *m);

/* Whether node p of the plan, which is matched, has another GUID than planned,
 * or another name where no GUID was. */
bool cabling_is_replaced(const struct cabling *plan,
	const struct cabling *fabric, const struct cabling_match *m,
	uint32_t p);

#endif
