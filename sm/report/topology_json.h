/*
 * topology_json: the command "topology": the nodes and links of a view, as JSON
 * and as other programs want them: ibnetdiscover's output, a picture.
 */
#ifndef HEDDLE_SM_REPORT_TOPOLOGY_JSON_H
#define HEDDLE_SM_REPORT_TOPOLOGY_JSON_H

#include <jansson.h>

#include <stdbool.h>

#include "sm/report/answer.h"
#include "sm/view/event_log.h"
#include "sm/view/view.h"

/*
 * Answer {"cmd":"topology","format":F}: json (default), the nodes; map, the
 * object of fabric_map_json; or a text: ibnetdiscover or svg. missing: what is
 * missing of the fabric, or NULL. Never NULL.
 */
struct answer *topology_answer(
	json_t *request, struct view *v, const struct event_log *missing);

/* Whether a format is a text. */
bool topology_is_text(const char *format);

#endif
