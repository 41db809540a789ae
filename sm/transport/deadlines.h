/*
 * deadlines: which of many ids (small numbers) is due next. A binary heap that
 * also keeps the place of every id, so that a deadline can be moved or cleared
 * in O(log n) of the open deadlines, here one per transaction of the window.
 * Equal instants come in the order in which they were set.
 */
#ifndef HEDDLE_SM_TRANSPORT_DEADLINES_H
#define HEDDLE_SM_TRANSPORT_DEADLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"

struct deadlines_item;

/* An empty one is {0}; deadlines_free frees what it owns. */
struct deadlines {
	struct deadlines_item *heap;
	size_t n, cap;
	uint32_t *place; /* of each id in heap, plus 1; 0: no deadline */
	size_t ids;	 /* length of place */
	uint64_t order;
};

void deadlines_free(struct deadlines *d);

/* Set or move the deadline of id. */
void deadlines_set(struct deadlines *d, uint32_t id, struct mono when);

/* Clear the deadline of id, if it has one. */
void deadlines_clear(struct deadlines *d, uint32_t id);

/* The earliest deadline, and in *id (NULL allowed) its id; MONO_NEVER: none. */
struct mono deadlines_first(const struct deadlines *d, uint32_t *id);

#endif
