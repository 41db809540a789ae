/*
 * tree_json: the fabric as a tree: the tier of each switch, the evidence for
 * it, and irregularities. A part of the status, and in full the command "tree".
 */
#ifndef HEDDLE_SM_REPORT_TREE_JSON_H
#define HEDDLE_SM_REPORT_TREE_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/view/view.h"

enum { TREE_JSON_FIRST = 10 }; /* irregularities in a status */

/*
 * The tree of v in figures, and its first irregularities, at most `most`; null
 * before the first tree.
 */
json_t *tree_json(const struct view *v, size_t most);

/* The engine for which the fabric was classified as a tree or mesh, and when;
 * null if this is not recorded. */
json_t *tree_json_class(const struct view *v);

/*
 * Answer {"cmd":"tree"}: the figures and every irregularity that is listed;
 * with "list":"switches" every switch with its tier instead, with
 * "list":"multi-port" every node that has a single point of failure. Never
 * NULL.
 */
struct answer *tree_answer(json_t *request, struct view *v);

#endif
