/*
 * report_faults: links that are bad, slow or err, as the page of a report wants
 * them: which they are, why they are listed, and how many errors there were.
 * The result of the command links (sm/report/links_json.h) has every counter of
 * both ends, a hundred times as much.
 */
#ifndef HEDDLE_SM_REPORT_REPORT_FAULTS_H
#define HEDDLE_SM_REPORT_REPORT_FAULTS_H

#include <jansson.h>

/*
 * {"read": whether counters are read, "found": how many links there are,
 * "list":
 * [[GUID, port, GUID, port, bad, slow, why, errors in the last hour, in the
 * last day], ..]}, a new object. Errors are those of both ends; waiting is
 * none.
 */
json_t *report_faults_json(const json_t *links);

#endif
