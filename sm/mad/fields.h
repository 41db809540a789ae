/*
 * fields: attributes as tables. Each row pairs some bits of an attribute with a
 * member of a host-order struct, and one table serves both directions, so that
 * decode and encode cannot disagree.
 *
 * Bits count from the first byte's highest, as in the tables of IBA chapter 14.
 * libibmad knows the same positions, and tests compare all of them; here they
 * are read by two shifts, since a manager decodes some 16 PortInfo for each
 * port that it brings up.
 */
#ifndef HEDDLE_SM_MAD_FIELDS_H
#define HEDDLE_SM_MAD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

struct fields_row {
	uint16_t at;	 /* the first bit */
	uint8_t bits;	 /* at most 57, or 64 from a whole byte on */
	uint8_t size;	 /* of the member: 1, 2, 4 or 8 */
	uint16_t offset; /* of the member in its struct */
};

/* A row for member m of struct type t. */
#define FIELDS_ROW(t, m, at, bits)                                             \
	{                                                                      \
		at, bits, sizeof(((t *)0)->m), offsetof(t, m)                  \
	}

/* The bits from `at` on, as of a row, at d: eight bytes from the first one of
 * them on are read. */
uint64_t fields_get(const uint8_t *d, unsigned at, unsigned bits);

/* Write the lowest `bits` bits of v there, where they are zero. */
void fields_put(uint8_t *d, unsigned at, unsigned bits, uint64_t v);

/* Read n rows from the 64 bytes at d into the struct at out. */
void fields_decode(
	const struct fields_row *row, size_t n, const uint8_t *d, void *out);

/* Zero the 64 bytes at d and write n rows from the struct at in; of a member
 * the lowest bits. */
void fields_encode(
	const struct fields_row *row, size_t n, const void *in, uint8_t *d);

#endif
