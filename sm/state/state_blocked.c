/*
 * Turns that are closed, in the state file, and when it was written: a turn
 * that has been closed for too long is told of although the daemon that closed
 * it is gone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

int
store_block_read(struct store_reader *r, char *s)
{
	struct store_block rec = {0};
	uint64_t in, out;
	const char *row;
	size_t i;
	char text[24];

	if (store_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!store_number(store_word(&s), 10, 254, &in) ||
		!store_number(store_word(&s), 10, 254, &out))
		return store_complain(
			r, r->line, "port", "not a number from 0 to 254");
	row = store_word(&s);
	(void)snprintf(text, sizeof(text), "0x%s", row != NULL ? row : "");
	if (row == NULL || strlen(row) != 16 ||
		!store_number(text, 16, UINT64_MAX, &rec.row))
		return store_complain(r, r->line, "row",
			"not 16 hexadecimal digits, one for each SL");
	if (!store_number(store_word(&s), 10, UINT64_MAX, &rec.pairs))
		return store_complain(r, r->line, "pairs", "not a number");
	if (s != NULL && !store_number(s, 10, UINT32_MAX, &rec.age))
		return store_complain(r, r->line, "age", "not a 32-bit number");
	rec.in = (uint8_t)in;
	rec.out = (uint8_t)out;
	for (i = 0; i < r->nblock; i++)
		if (r->block[i].guid == rec.guid && r->block[i].in == rec.in &&
			r->block[i].out == rec.out)
			return store_complain(
				r, r->line, "block", "given twice");
	r->block =
		mem_grow(r->block, r->nblock, &r->block_cap, sizeof(*r->block));
	r->block[r->nblock++] = rec;
	return 0;
}

int
store_block_saved(struct store_reader *r, char *s)
{
	struct store_stamp *at = &r->s->saved;

	if (at->when != 0)
		return store_complain(r, r->line, "saved", "given twice");
	if (!store_number(store_word(&s), 10, UINT32_MAX, &at->when) ||
		at->when == 0)
		return store_complain(
			r, r->line, "saved", "not seconds since 1970");
	if (s != NULL &&
		(!store_number(store_word(&s), 16, UINT64_MAX, &at->boot) ||
			!store_number(s, 10, UINT32_MAX, &at->up)))
		return store_complain(r, r->line, "boot",
			"not 0x and hexadecimal digits, and seconds");
	return 0;
}

void
store_block_print(const struct store_state *s, struct buf *out)
{
	for (size_t i = 0; i < s->nblock; i++)
		buf_printf(out,
			"block 0x%016" PRIx64 " %u %u %016" PRIx64 " %" PRIu64
			" %" PRIu64 "\n",
			s->block[i].guid, s->block[i].in, s->block[i].out,
			s->block[i].row, s->block[i].pairs, s->block[i].age);
	if (s->saved.when == 0)
		return;
	buf_printf(out, "saved %" PRIu64, s->saved.when);
	if (s->saved.boot != 0)
		buf_printf(out, " 0x%016" PRIx64 " %" PRIu64, s->saved.boot,
			s->saved.up);
	buf_printf(out, "\n");
}

void
store_block_keep(struct store_reader *r)
{
	struct store_block *b = arena_array(r->s->arena, r->nblock, sizeof(*b));

	for (size_t i = 0; i < r->nblock; i++)
		b[i] = r->block[i];
	r->s->block = b;
	r->s->nblock = r->nblock;
}
