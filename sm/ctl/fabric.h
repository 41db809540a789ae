/*
 * fabric: the command "topology": the nodes and cables of a view, as JSON or
 * as ibnetdiscover prints them.
 */
#ifndef HEDDLE_CTL_FABRIC_H
#define HEDDLE_CTL_FABRIC_H

#include <jansson.h>

#include "sm/ctl/answer.h"
#include "sm/view.h"

/* Answer {"cmd":"topology","format":"json"|"ibnetdiscover"}. Never NULL. */
struct answer *fabric_answer(json_t *request, struct view *v);

#endif
