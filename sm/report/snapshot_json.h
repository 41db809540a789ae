/*
 * snapshot: all that the next computation starts from, in one answer and of
 * one piece, for who does the same computation elsewhere (heddlectl plan --from
 * live): configuration and memory, which the daemon gives, and the committed
 * view: nodes and ports as they answered, and the tables. For programs of the
 * same version: numbers and bytes are as they are inside.
 *
 *	{"format":1, "version":"..", "generation":7, "hash":"0x..",
 *	 "config":"YAML", "state":"as in the state file",
 *	 "memoir":"routing/updown/engine_cache_io.h", "answer":0.00002,
 *	 "sm":[node, port], "note":"..",
 *	 "lanes":{"n":1, "spread":1, "plain":true, "pairs":[[src, dst, lane]]},
 *	 "nodes":[{"guid":"0x..", .., "ports":[..], "row":"hexadecimal"}]}
 *
 * Nodes are in the topology's order and refer to each other by index. No key
 * that is secret is told: M_Keys read as 0.
 */
#ifndef HEDDLE_SM_REPORT_SNAPSHOT_JSON_H
#define HEDDLE_SM_REPORT_SNAPSHOT_JSON_H

#include "sm/report/answer.h"

enum { SNAPSHOT_FORMAT = 1 };

/* head: what the daemon adds, taken over. v: there is one. */
struct answer *snapshot_answer(json_t *head, struct view *v);

#endif
