/*
 * paths: the command "routes": a summary, the way from one port to another
 * with its reasons, one destination's entries in all switches, one switch's
 * whole table.
 */
#ifndef HEDDLE_CTL_PATHS_H
#define HEDDLE_CTL_PATHS_H

#include <jansson.h>

#include "sm/ctl/answer.h"
#include "sm/view.h"

/*
 * Answer {"cmd":"routes"} with "from" and "to", "to" alone, "switch", or none
 * of them. Never NULL.
 */
struct answer *paths_answer(json_t *request, struct view *v);

#endif
