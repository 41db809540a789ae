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
state_blocked_read(struct state_file_reader *r, char *s)
{
	struct state_file_blocked rec = {0};
	uint64_t in, out;
	const char *row;
	size_t i;
	char text[24];

	if (state_file_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_file_number(state_file_word(&s), 10, 254, &in) ||
		!state_file_number(state_file_word(&s), 10, 254, &out))
		return state_file_complain(
			r, r->line, "port", "not a number from 0 to 254");
	row = state_file_word(&s);
	(void)snprintf(text, sizeof(text), "0x%s", row != NULL ? row : "");
	if (row == NULL || strlen(row) != 16 ||
		!state_file_number(text, 16, UINT64_MAX, &rec.row))
		return state_file_complain(r, r->line, "row",
			"not 16 hexadecimal digits, one for each SL");
	if (!state_file_number(state_file_word(&s), 10, UINT64_MAX, &rec.pairs))
		return state_file_complain(r, r->line, "pairs", "not a number");
	if (s != NULL && !state_file_number(s, 10, UINT32_MAX, &rec.age))
		return state_file_complain(
			r, r->line, "age", "not a 32-bit number");
	rec.in = (uint8_t)in;
	rec.out = (uint8_t)out;
	for (i = 0; i < r->nblock; i++)
		if (r->block[i].guid == rec.guid && r->block[i].in == rec.in &&
			r->block[i].out == rec.out)
			return state_file_complain(
				r, r->line, "block", "given twice");
	r->block =
		mem_grow(r->block, r->nblock, &r->block_cap, sizeof(*r->block));
	r->block[r->nblock++] = rec;
	return 0;
}

int
state_blocked_saved(struct state_file_reader *r, char *s)
{
	struct state_file_stamp *at = &r->s->saved;

	if (at->when != 0)
		return state_file_complain(r, r->line, "saved", "given twice");
	if (!state_file_number(
		    state_file_word(&s), 10, UINT32_MAX, &at->when) ||
		at->when == 0)
		return state_file_complain(
			r, r->line, "saved", "not seconds since 1970");
	if (s != NULL &&
		(!state_file_number(
			 state_file_word(&s), 16, UINT64_MAX, &at->boot) ||
			!state_file_number(s, 10, UINT32_MAX, &at->up)))
		return state_file_complain(r, r->line, "boot",
			"not 0x and hexadecimal digits, and seconds");
	return 0;
}

void
state_blocked_print(const struct state_file *s, struct buf *out)
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
state_blocked_keep(struct state_file_reader *r)
{
	struct state_file_blocked *b =
		arena_array(r->s->arena, r->nblock, sizeof(*b));

	for (size_t i = 0; i < r->nblock; i++)
		b[i] = r->block[i];
	r->s->block = b;
	r->s->nblock = r->nblock;
}
