/*
 * fields: attributes as tables. Each row pairs a field of libibmad with a
 * member of a host-order struct, and one table serves both directions, so that
 * decode and encode cannot disagree. The positions are those of libibmad:
 * smpquery reads the same bytes.
 */
#ifndef HEDDLE_SM_MAD_FIELDS_H
#define HEDDLE_SM_MAD_FIELDS_H

#include <infiniband/mad.h>
#include <stddef.h>
#include <stdint.h>

struct fields_row {
	enum MAD_FIELDS id;
	uint16_t offset; /* of the member in its struct */
	uint16_t size;	 /* of the member: 1, 2, 4 or 8 */
};

/* A row for member m of struct type t. */
#define FIELDS_ROW(t, m, field)                                                \
	{                                                                      \
		field, offsetof(t, m), sizeof(((t *)0)->m)                     \
	}

/* Read n rows from the 64 bytes at d into the struct at out. */
void fields_decode(
	const struct fields_row *row, size_t n, const uint8_t *d, void *out);

/* Zero the 64 bytes at d and write n rows from the struct at in. */
void fields_encode(
	const struct fields_row *row, size_t n, const void *in, uint8_t *d);

#endif
