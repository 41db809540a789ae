/*
 * serials: which id (a small number, not 0) has which serial. Serials are given
 * one after another, from a start that only the owner knows: an answer is
 * recognized by its serial, and a sender that did not see the request cannot
 * guess it. The table has a power of two of places, indexed by the low bits of
 * the serial, without chains: a serial whose place is taken is skipped.
 */
#ifndef HEDDLE_SM_TRANSPORT_SERIALS_H
#define HEDDLE_SM_TRANSPORT_SERIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serials_place;

struct serials {
	struct serials_place *place; /* [cap] by the low bits of a serial */
	size_t cap, n;
	uint32_t mask;	 /* of the bits of a serial */
	uint32_t first;	 /* serials count up from here */
	uint64_t issued; /* serials counted so far, those skipped too */
};

/* Serials of so many bits, which count up from first. */
void serials_init(struct serials *s, uint32_t first, unsigned bits);
void serials_free(struct serials *s);

/* The next serial, not 0, for this id. */
uint32_t serials_give(struct serials *s, uint32_t id);

/* The id that has this serial; 0: none has it. */
uint32_t serials_find(const struct serials *s, uint32_t serial);

/* The id that has this serial needs it no longer. */
void serials_drop(struct serials *s, uint32_t serial);

/* True if this serial, which no id has, was given before. Once the count has
 * wrapped around, the last half of all serials counts as given. */
bool serials_was_given(const struct serials *s, uint32_t serial);

#endif
