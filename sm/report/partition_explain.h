/*
 * partition_explain: the command "explain" for one port or two: the partitions
 * of each, with the index in its P_Key table, and whether the two may talk to
 * each other, in which partition, or why not.
 */
#ifndef HEDDLE_SM_REPORT_PARTITION_EXPLAIN_H
#define HEDDLE_SM_REPORT_PARTITION_EXPLAIN_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/view/view.h"

/*
 * Answer {"cmd":"explain","what":"partitions","from":A} with or without
 * "to":B. Never NULL.
 */
struct answer *partition_explain(json_t *request, const struct view *v);

#endif
