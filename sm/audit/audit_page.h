/*
 * audit_page: the report of an audit (audit_json.h) as a page for people: the
 * verdict, what was read, findings by severity, what Heddle's routes would
 * improve, then figures. Lines have at most AUDIT_PAGE_WIDTH columns, except
 * for longer names without blanks.
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_PAGE_H
#define HEDDLE_SM_AUDIT_AUDIT_PAGE_H

#include <jansson.h>

#include "sm/base/buf.h"

enum { AUDIT_PAGE_WIDTH = 88 };

/* Append the page. */
void audit_page(const json_t *audit, struct buf *out);

#endif
