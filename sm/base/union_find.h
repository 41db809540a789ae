/*
 * piece: numbers joined into pieces (union-find, paths halved on the way up).
 * in[i] is what number i is a part of, in the end the number that names its
 * piece: its own of one that is alone. To join two pieces, in[] of one's name
 * becomes the other's; who joins knows what else the pieces have in common.
 */
#ifndef HEDDLE_SM_BASE_UNION_FIND_H
#define HEDDLE_SM_BASE_UNION_FIND_H

#include <stdint.h>

/* The number that names the piece of i. */
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
