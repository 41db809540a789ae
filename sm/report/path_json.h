/*
 * path_json: the command "path": why is it slow from one port to another. Both
 * directions link by link: why each was chosen, what it carries, what it does
 * and could do, what its ends counted, and in one sentence which link is the
 * worst.
 */
#ifndef HEDDLE_SM_REPORT_PATH_JSON_H
#define HEDDLE_SM_REPORT_PATH_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/report/links_json.h"
#include "sm/view/view.h"

/* Answer {"cmd":"path"} with "from" and "to"; f: about the topology of v. Never
 * NULL. */
struct answer *path_answer(
	json_t *request, struct view *v, const struct links_facts *f);

#endif
