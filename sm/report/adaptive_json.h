/*
 * adaptive_json: adaptive routing of our own, for the status: how many switches
 * choose among ports, and why others cannot; and for a path: by which ports a
 * switch may send packets on.
 */
#ifndef HEDDLE_SM_REPORT_ADAPTIVE_JSON_H
#define HEDDLE_SM_REPORT_ADAPTIVE_JSON_H

#include <jansson.h>

#include "sm/base/buf.h"
#include "sm/report/sm_status.h"
#include "sm/view/view.h"

/* The member "adaptive" of a status. A new object. */
json_t *adaptive_json(const struct view *v, const struct sm_status *s);

/* [{"guid", "name", "why"}]: nodes of v, and what is wrong with each. A new
 * array. */
json_t *adaptive_json_troubled(
	const struct view *v, const struct view_quarantine *all, size_t n);

/* Put what the switch of a step may do with packets to a port of switch `to`
 * into o: the other ports of its adaptive group, or why it cannot choose. */
void adaptive_json_put(json_t *o, const struct view *v,
	const struct route_step *step, sw_ix to);

/*
 * Put into o which packets on a path to port `to` may choose among ports, told
 * by SL or by LID, and in how many of its switches; nothing without
 * routing.adaptive.
 */
void adaptive_json_put_path(json_t *o, const struct view *v,
	const struct route_step *step, int n, port_ix to);

/* Lines of the status; of a step; of a path. */
void adaptive_json_show(const json_t *a, struct buf *out);
void adaptive_json_show_step(const json_t *step, struct buf *out);
void adaptive_json_show_path(const json_t *path, struct buf *out);

#endif
