/*
 * counters_json: the command "counters": the counters of all ports as they were
 * read last, in pages, for metrics. The nodes come by their GUIDs, and a page
 * begins after the last GUID of the one before: so a page is made in little
 * time, and no port is told twice, whatever happens to the fabric in between.
 */
#ifndef HEDDLE_SM_REPORT_COUNTERS_JSON_H
#define HEDDLE_SM_REPORT_COUNTERS_JSON_H

#include <jansson.h>

#include "sm/report/answer.h"
#include "sm/report/links_json.h"

/* A page ends with the node that brings it to so many ports. */
enum { COUNTERS_JSON_PAGE = 256 };

/*
 * Answer {"cmd":"counters"}, with "after" or without: {"nodes", "next"}; each
 * node has its "guid", "name", "lid", "type" and "ports"; each port that was
 * read its "port", "gbps", what it is linked to ("peer"), and the "counters" by
 * the names that perfquery has for them. next: what the next page comes after;
 * null: this is the last one. Never NULL.
 */
struct answer *counters_answer(json_t *request, const struct links_facts *f);

#endif
