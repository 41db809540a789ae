/*
 * audit_findings: the findings of an audit, each a sentence that an
 * administrator can act on, the most severe first.
 *
 * Severities. fault: packets are lost, or can wait for each other forever right
 * now. risk: this may be so, depending on what was not read, or concerns only
 * packets that switches send themselves. unknown: something could not be read.
 * note: a fact without a fault.
 */
#ifndef HEDDLE_SM_AUDIT_FINDINGS_H
#define HEDDLE_SM_AUDIT_FINDINGS_H

#include <jansson.h>

#include "sm/audit/adaptive_sets.h"
#include "sm/audit/audit_json.h"
#include "sm/audit/dependencies.h"
#include "sm/audit/mcast_trees.h"
#include "sm/audit/path_dependencies.h"
#include "sm/audit/unreachable.h"
#include "sm/what_if/forecast.h"

/* Everything that is judged, before it becomes JSON. */
struct audit_judged {
	const struct audit_input *read;
	struct forecast found, ours;
	struct audit_deps *deps;
	struct audit_path_facts paths;
	struct audit_mcast_facts groups;
	struct audit_dependencies_verdict sure, all;
	struct audit_unreachable_facts unreachable;
	struct audit_adaptive_facts choices;
	bool by_vl; /* whether there is a credit loop depends on VLs */
};

/* A list of {severity, kind, text, lines}, sorted by severity. */
json_t *audit_findings(const struct audit_judged *j);

/* What Heddle's routes would improve, and what not: a list of sentences. */
json_t *audit_findings_better(const struct audit_judged *j);

#endif
