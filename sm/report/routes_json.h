/*
 * routes_json: the command "routes": a summary, the path from one port to
 * another with its reasons, the entries for one destination in all switches, or
 * the whole table of one switch.
 */
#ifndef HEDDLE_SM_REPORT_ROUTES_JSON_H
#define HEDDLE_SM_REPORT_ROUTES_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/view/view.h"

/*
 * Answer {"cmd":"routes"} with "from" and "to", "to" alone, "switch", or none
 * of them. Never NULL.
 */
struct answer *routes_answer(json_t *request, struct view *v);

/* [{"rank", "switches"}]: the number of switches of each rank, top first; empty
 * where the routes obey no order; without switches whose rank is not known. A
 * new array. */
json_t *routes_json_ranks(const struct routes *r);

/* Put into o what the engine tells of its routes, each fact under its key. */
void routes_json_facts(json_t *o, const struct routes *r);

#endif
