/*
 * output: what heddlectl prints on standard output: pages for people, broken at
 * the width of their terminal, and JSON for programs. What came from the wire
 * or from users brings no control characters to a terminal.
 */
#ifndef HEDDLE_SM_OUTPUT_H
#define HEDDLE_SM_OUTPUT_H

#include <jansson.h>

#include "sm/base/buf.h"

/* Print a page for a person. */
void output_page(const struct buf *page);

/* Print text as it is, but for control characters. */
void output_clean(const char *s);

/* Print a value as a line of JSON. */
void output_json(const json_t *value);

/* What heddlectl ends with after an exit code: an answer that cannot be written
 * to standard output is a failure. */
int output_flush(int code);

#endif
