/*
 * tiers: the fabric as a tree: which tier each switch is in, who said so, and
 * what contradicts it. A part of the status, and the command "tree" with all of
 * it.
 */
#ifndef HEDDLE_SM_REPORT_TREE_JSON_H
#define HEDDLE_SM_REPORT_TREE_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/view/view.h"

enum { TREE_JSON_FIRST = 10 }; /* oddities in a status */

/*
 * The tree of v in figures, and the first oddities, at most so many; null
 * before the first.
 */
json_t *tree_json(const struct view *v, size_t most);

/* Which engine reads it as what it is, and since when; null: not noted. */
json_t *tree_json_class(const struct view *v);

/*
 * Answer {"cmd":"tree"}: the same figures and every oddity that is listed;
 * with "list":"switches" every switch with its tier instead, with
 * "list":"homes" every node that has a single point of failure. Never NULL.
 */
struct answer *tree_answer(json_t *request, struct view *v);

#endif
