/*
 * plan_verdict: the verdict of a plan: SAFE, or UNSAFE and who loses what.
 *
 * A loss is what hosts had before and do not have afterwards: the fabric, each
 * other, or routes that verify; and the daemon its own port. What was not there
 * before is no loss, nor are nodes that the plan lets fail themselves.
 */
#ifndef HEDDLE_SM_WHAT_IF_PLAN_VERDICT_H
#define HEDDLE_SM_WHAT_IF_PLAN_VERDICT_H

#include <jansson.h>

#include "sm/what_if/what_if.h"

struct plan_verdict_ask {
	const struct what_if *what;
	const struct failure *fail;
	size_t nfail;
	const struct topo *topo; /* the one that fail refers to */
	uint64_t cut;		 /* pairs of hosts that have no path any more */
	uint64_t disconnected;	 /* pairs in different components */
};

/*
 * {safe, text, losses}: the verdict, a line of it, and each loss as {kind,
 * count, text, list}; list: the first names.
 */
json_t *plan_verdict_make(const struct plan_verdict_ask *ask);

/* Append a loss to a verdict, which is UNSAFE then. list is taken. */
void plan_verdict_add(json_t *verdict, const char *kind, uint64_t count,
	const char *text, json_t *list);

#endif
