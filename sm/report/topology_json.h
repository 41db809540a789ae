/*
 * topology_json: the command "topology": the nodes and links of a view, as JSON
 * or as ibnetdiscover prints them.
 */
#ifndef HEDDLE_SM_REPORT_TOPOLOGY_JSON_H
#define HEDDLE_SM_REPORT_TOPOLOGY_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/view/view.h"

/* Answer {"cmd":"topology","format":"json"|"ibnetdiscover"}. Never NULL. */
struct answer *topology_answer(json_t *request, struct view *v);

#endif
