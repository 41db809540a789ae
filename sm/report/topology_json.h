/*
 * topology_json: the command "topology": the nodes and links of a view, as JSON
 * and as other programs want them: ibnetdiscover's output, pictures, files of
 * Slurm.
 */
#ifndef HEDDLE_SM_REPORT_TOPOLOGY_JSON_H
#define HEDDLE_SM_REPORT_TOPOLOGY_JSON_H

#include <jansson.h>

#include <stdbool.h>

#include "sm/report/answer.h"
#include "sm/report/links_json.h"
#include "sm/view/view.h"

/*
 * Answer {"cmd":"topology","format":F}: json (default), the nodes; map, the
 * object of fabric_map_json; or a text: ibnetdiscover, svg, dot, slurm or
 * slurm-yaml, of which the last three take "hosts", as fabric_graph_matches
 * reads it. f: what is missing of the fabric, and whether names are read: while
 * a host has none yet, files of Slurm are refused. Never NULL.
 */
struct answer *topology_answer(
	json_t *request, struct view *v, const struct links_facts *f);

/* Whether a format is a text. */
bool topology_is_text(const char *format);

#endif
