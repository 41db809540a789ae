/*
 * expected: what a change of tables is expected to cost the hosts
 * (distribution/expect.h), as JSON and in words, for explain and plan alike.
 */
#ifndef HEDDLE_CTL_EXPECTED_H
#define HEDDLE_CTL_EXPECTED_H

#include <jansson.h>

#include "sm/base/buf.h"

struct expect;

/*
 * By cause, and phase by phase; in packets, if each host sends `rate` of them a
 * second, evenly to all others.
 */
json_t *expected_json(const struct expect *e, double rate);

/* The same in lines of 80 columns; nothing where nothing is expected. */
void expected_show(const json_t *o, struct buf *out);

#endif
