#include <string.h>

#include "routing/updown/row_priv.h"

void
row_writer_begin(
	struct row_writer *b, struct arena *a, uint32_t rows, uint32_t blocks)
{
	*b = (struct row_writer){.max_rows = rows, .max = blocks};
	b->row = arena_array(a, rows, sizeof(*b->row));
	b->bytes = arena_array(a, blocks, LFT_BLOCK);
	b->block = arena_array(a, blocks, sizeof(*b->block));
}

void
row_writer_add(struct row_writer *b, const struct row_writer_row *as,
	const uint8_t *row, const uint32_t *which, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t block = which != NULL ? which[i] : i;

		memcpy(b->bytes + (size_t)b->n * LFT_BLOCK,
			row + (size_t)block * LFT_BLOCK, LFT_BLOCK);
		b->block[b->n++] = block;
	}
	b->row[b->nrows] = *as;
	b->row[b->nrows++].n = n;
}
