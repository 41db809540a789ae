/*
 * change: how the tables of a view came to the switches, as JSON: the method,
 * the way and why it had to be, the phases with their SMPs, the turns that were
 * closed meanwhile and what that cost.
 */
#ifndef HEDDLE_SM_REPORT_CHANGE_JSON_H
#define HEDDLE_SM_REPORT_CHANGE_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/view/view.h"

/* As a new JSON object; what was expected to be lost if each host sends `rate`
 * packets a second. */
json_t *change_json(const struct view *v, double rate);

/* Answer the request {"cmd":"explain","what":"change","rate":R?}. */
struct answer *change_answer(json_t *request, const struct view *v);

#endif
