/*
 * snapshot_json: everything that the next computation starts from, in one
 * consistent answer, for a program that does the same computation elsewhere
 * (heddlectl plan --from live): the daemon's configuration and state, and the
 * committed view: nodes and ports as they answered, and the tables. Both
 * programs are of the same version: numbers and bytes are as they are in
 * memory.
 *
 *	{"format":5, "version":"..", "generation":7, "hash":"0x..",
 *	 "config":"YAML", "state":"as in the state file",
 *	 "tables":true, "answer":0.00002,
 *	 "choices":[{"kind":1, "groups":64, "by_sl":true, "why":"..",
 *	  "slots":[words of ports]}],
 *	 "sm":[node, port], "note":"..",
 *	 "layers":{"n":1, "plain":true},
 *	 "nodes":[{"guid":"0x..", .., "ports":[..], "row":"hexadecimal",
 *	   "narrow":[{"to":5, "ports":"hexadecimal"}],
 *	   "layers":"of packets to it, a digit a source"}]}
 *
 * Without tables, each "row", the PortInfo of each port and "choices", what
 * each switch can do of adaptive routing, are left out: that is enough to judge
 * what another configuration takes from ports, and an eighth of the bytes.
 *
 * Sets of ports of adaptive routing follow from all that, but for narrow ones
 * (routing/core/route_sets.h), which are told.
 *
 * Nodes are in the order of the topology and refer to each other by index. No
 * secret key is included: M_Keys read as 0.
 */
#ifndef HEDDLE_SM_REPORT_SNAPSHOT_JSON_H
#define HEDDLE_SM_REPORT_SNAPSHOT_JSON_H

#include "sm/report/answer.h"

enum { SNAPSHOT_FORMAT = 5 };

/* head: members that the daemon adds, taken over. v is not NULL. */
struct answer *snapshot_answer(json_t *head, struct view *v, bool tables);

#endif
