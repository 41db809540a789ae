/*
 * expected: what a change of tables is expected to cost the hosts
 * (distribution/transition/loss_estimate.h), as JSON and in words, for explain
 * and plan alike.
 */
#ifndef HEDDLE_SM_REPORT_LOSS_JSON_H
#define HEDDLE_SM_REPORT_LOSS_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "sm/base/buf.h"

struct loss_estimate;

/*
 * By cause, and phase by phase; in packets, if each host sends `rate` of them a
 * second, evenly to all others.
 */
json_t *loss_json(const struct loss_estimate *e, double rate);

/* Packets that closed turns and ports discard, by themselves. */
uint64_t loss_by_blocking(const struct loss_estimate *e, double rate);

/* A number of packets in at most eight characters: "1234", "3.94e+09". */
void loss_count_text(double n, char out[16]);

/* The same in lines of 80 columns; nothing where nothing is expected. */
void loss_show(const json_t *o, struct buf *out);

#endif
