/*
 * audit_page: an audit as a page for people, from its JSON (report.h):
 * the verdict, what was looked at, findings by gravity, what Heddle would do
 * better, then the figures. No line is longer than AUDIT_PAGE_WIDTH, names
 * without blanks apart.
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_PAGE_H
#define HEDDLE_SM_AUDIT_AUDIT_PAGE_H

#include <jansson.h>

#include "sm/base/buf.h"

enum { AUDIT_PAGE_WIDTH = 88 };

/* Append the page. */
void audit_page(const json_t *audit, struct buf *out);

#endif
