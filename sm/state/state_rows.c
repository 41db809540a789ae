/*
 * The rows of a kind of record while a file is read.
 */
#include <string.h>

#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

void
state_rows_add(struct state_file_reader *r, const void *row)
{
	struct state_rows *all = &r->rows[r->now];
	size_t size = all->codec->row;

	all->row = mem_grow(all->row, all->n, &all->cap, size);
	memcpy(all->row + all->n++ * size, row, size);
}

void *
state_rows_of(
	struct state_file_reader *r, const struct state_codec *c, size_t *n)
{
	size_t i = r->now;

	if (c != NULL)
		for (i = 0; i < STATE_RECORDS && r->rows[i].codec != c; i++)
			;
	*n = i < STATE_RECORDS ? r->rows[i].n : 0;
	return *n > 0 ? r->rows[i].row : NULL;
}
