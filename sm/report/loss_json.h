/*
 * loss_json: the packets that hosts are expected to lose by a change of tables
 * (distribution/transition/loss_estimate.h), as JSON and as text, for explain
 * and plan.
 */
#ifndef HEDDLE_SM_REPORT_LOSS_JSON_H
#define HEDDLE_SM_REPORT_LOSS_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "sm/base/buf.h"

struct loss_estimate;

/*
 * Losses by cause and by phase, in packets, if each host sends `rate` of them
 * per second, evenly to all others.
 */
json_t *loss_json(const struct loss_estimate *e, double rate);

/* Packets that are lost because of blocked dependencies and ports alone. */
uint64_t loss_by_blocking(const struct loss_estimate *e, double rate);

/* A number of packets in at most eight characters: "1234", "3.94e+09". */
void loss_count_text(double n, char out[16]);

/* Append loss_json's object in lines of 80 columns; nothing if no loss is
 * expected. */
void loss_show(const json_t *o, struct buf *out);

#endif
