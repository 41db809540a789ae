/*
 * change: how the tables of a view came to the switches, as JSON: the method,
 * the way and why it had to be, the phases with their SMPs, the turns that were
 * closed meanwhile and what that cost.
 */
#ifndef HEDDLE_CTL_CHANGE_H
#define HEDDLE_CTL_CHANGE_H

#include <jansson.h>

#include "sm/ctl/answer.h"
#include "sm/view.h"

/* As a new JSON object; what was expected to be lost if each host sends `rate`
 * packets a second. */
json_t *change_json(const struct view *v, double rate);

/* Answer the request {"cmd":"explain","what":"change","rate":R?}. */
struct answer *change_answer(json_t *request, const struct view *v);

#endif
