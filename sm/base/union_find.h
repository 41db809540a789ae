/*
 * union_find: numbers joined into sets (union-find, paths halved on the way
 * up). in[i] is the parent of number i; the root of a set names it, and is its
 * own parent. To join two sets the caller sets in[] of one root to the other
 * root; it also merges what it stores per set.
 */
#ifndef HEDDLE_SM_BASE_UNION_FIND_H
#define HEDDLE_SM_BASE_UNION_FIND_H

#include <stdint.h>

/* The number that names the set of i. */
static inline uint32_t
union_find_of(uint32_t *in, uint32_t i)
{
	while (in[i] != i) {
		in[i] = in[in[i]];
		i = in[i];
	}
	return i;
}

#endif
