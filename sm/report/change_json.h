/*
 * change_json: how the tables of a view were written to the switches, as JSON:
 * the method, the kind of transition and its reason, the phases with their
 * SMPs, the dependencies that were blocked meanwhile and the packets lost by
 * that.
 */
#ifndef HEDDLE_SM_REPORT_CHANGE_JSON_H
#define HEDDLE_SM_REPORT_CHANGE_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/view/view.h"

/* A new JSON object; expected losses assume that each host sends `rate` packets
 * per second. */
json_t *change_json(const struct view *v, double rate);

/* Answer the request {"cmd":"explain","what":"change","rate":R?}. */
struct answer *change_answer(json_t *request, const struct view *v);

#endif
