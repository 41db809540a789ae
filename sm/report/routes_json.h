/*
 * paths: the command "routes": a summary, the way from one port to another
 * with its reasons, one destination's entries in all switches, one switch's
 * whole table.
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

#endif
