/*
 * switch_rows: rows of bits, one for each switch: a set of switches. Rows that
 * are equal are one row, as far as is easily seen: switches of one neighbour
 * class mostly reach the same.
 */
#ifndef HEDDLE_ROUTING_GRAPH_SWITCH_ROWS_H
#define HEDDLE_ROUTING_GRAPH_SWITCH_ROWS_H

#include <stdint.h>

#include "sm/base/arena.h"

struct switch_rows {
	struct arena *a;
	uint32_t words; /* of a row */
	uint64_t *own;	/* scratch: the row in the making */
	uint64_t *room; /* for `left` rows */
	uint32_t left;
};

/* No rows yet, in a. */
struct switch_rows switch_rows_begin(struct arena *a, uint32_t words);

/* The row that is in x->own: the first of `like` that is equal, where some may
 * be NULL, else a new row. */
const uint64_t *switch_rows_take(
	struct switch_rows *x, const uint64_t *const *like, unsigned nlike);

#endif
