/*
 * metrics: a status in the Prometheus text exposition format, for
 * node_exporter's textfile collector or any other scraper.
 *
 * The daemon keeps no metrics of its own: every value is a member of the status
 * (sm/report/status_json.h), and one table says which member becomes which
 * metric. A row's path leads from the status to the value, segment by segment:
 *
 *	a.b		member b of member a
 *	a.b|c		members b and c of a; a label holds which
 *	a.*		each member of a; a label holds which
 *	a.[x,y]		each element of the array a (or the object a itself);
 *			labels hold its members x and y
 *	(empty)		the status as a whole
 *
 * The value is the number found there, 0 or 1 (false, true; a text that is
 * empty or not), the length of an array, or 1 (an object that has a label to
 * show). A metric without a member in the status is left out.
 */
#ifndef HEDDLE_SM_CTL_METRICS_H
#define HEDDLE_SM_CTL_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "sm/base/buf.h"

struct metrics_row {
	const char *name;
	bool counter; /* else a gauge */
	const char *help;
	const char *path;
	const char *labels; /* names separated by blanks, in the order of the
			       path */
};

/* The table. Names are an interface: rows are only ever added. */
const struct metrics_row *metrics_all(size_t *n);

/* Append status, the result of the command "status", as metrics. NULL: there
 * was no answer, which is a metric, too. */
void metrics_text(const json_t *status, struct buf *out);

/* Append the value of a label: what would end it is escaped, and what cannot be
 * printed is a '?'. */
void metrics_escape(const char *value, struct buf *out);

#endif
