/*
 * row_writer: rows that a thread has made, until they are put into the tables:
 * the pool of blocks belongs to one thread. Private to rows.c and
 * lft_repair.c.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_ROW_WRITER_H
#define HEDDLE_ROUTING_UPDOWN_ROW_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/updown/updown.h"

struct row_writer_row {
	sw_ix sw;
	sw_ix twin; /* has the blocks that are not here, and maybe some that
		       are; TOPO_NONE: the switch itself */
	bool whole; /* all blocks are here, in their order */
	uint32_t n; /* blocks */
};

struct row_writer {
	struct row_writer_row *row;
	uint32_t nrows, max_rows;
	uint8_t *bytes;	 /* of blocks, one after the other */
	uint32_t *block; /* which one of its row each is */
	uint32_t n, max;
};

/* Room for so many rows and blocks in all, in a. */
void row_writer_begin(
	struct row_writer *b, struct arena *a, uint32_t rows, uint32_t blocks);

/* Is there room for one more row with so many blocks? */
bool row_writer_room(const struct row_writer *b, uint32_t blocks);

/*
 * A row: its n blocks that which lists, or its first n where that is NULL; the
 * rest is as in the row of twin.
 */
void row_writer_add(struct row_writer *b, const struct row_writer_row *as,
	const uint8_t *row, const uint32_t *which, uint32_t n);

#endif
