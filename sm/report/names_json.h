/*
 * names_json: names of members that wait to be accepted, as JSON, for the
 * control socket.
 */
#ifndef HEDDLE_SM_REPORT_NAMES_JSON_H
#define HEDDLE_SM_REPORT_NAMES_JSON_H

#include <jansson.h>

#include "sm/policy/name_pins.h"

/* {"pinned", "waiting": [{"guid", "name", "member", "joins"}]}: pins may be
 * NULL, then nothing waits. A new object. */
json_t *names_json(const struct name_pins *pins, const struct topo *t);

#endif
