/*
 * audit_verdict: the verdict of an audit, which follows from its findings, and
 * the exit code.
 *
 * AT RISK: there is a fault or a risk. UNKNOWN: there is neither in what was
 * read, but not everything that matters was. SAFE: everything was, and every
 * packet of which nothing is known was judged with every SL that it could have.
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_VERDICT_H
#define HEDDLE_SM_AUDIT_AUDIT_VERDICT_H

#include <jansson.h>

#include "sm/base/buf.h"

/* The value is the exit code; 2 is that of a wrong command line. */
enum audit_verdict {
	AUDIT_VERDICT_SAFE = 0,
	AUDIT_VERDICT_AT_RISK = 1,
	AUDIT_VERDICT_UNKNOWN = 3,
};

/* SAFE, AT RISK, UNKNOWN. */
const char *audit_verdict_word(enum audit_verdict v);

struct audit_judged;

/* The verdict on what was judged and found (audit_findings); the reason is
 * appended to what, in a line for people. */
enum audit_verdict audit_verdict_of(
	const struct audit_judged *j, const json_t *findings, struct buf *what);

#endif
