#include "distribution/device/blocked_rows.h"

#include "sm/base/mem.h"

struct blocked_row *
blocked_rows_find(
	const struct blocked_rows *b, uint64_t guid, unsigned in, unsigned out)
{
	for (size_t i = 0; i < b->n; i++) {
		struct blocked_row *r = &b->row[i];

		if (r->guid == guid && r->in == in && r->out == out)
			return r;
	}
	return NULL;
}

void
blocked_rows_add(struct blocked_rows *b, const struct blocked_row *r)
{
	struct blocked_row *is = blocked_rows_find(b, r->guid, r->in, r->out);

	if (is != NULL) {
		is->settled = r->settled;
		return;
	}
	b->row = mem_grow(b->row, b->n, &b->cap, sizeof(*b->row));
	b->row[b->n++] = *r;
}

void
blocked_rows_renew(struct blocked_rows *b, uint64_t guid, unsigned in,
	unsigned out, const uint8_t row[SL2VL_ROW])
{
	struct blocked_row *r = blocked_rows_find(b, guid, in, out);

	if (r != NULL)
		sl2vl_row_take_open(r->before, row);
}

void
blocked_rows_found(struct blocked_rows *b, uint64_t guid, unsigned in,
	unsigned out, const uint8_t row[SL2VL_ROW], struct mono now)
{
	struct blocked_row r = {.guid = guid,
		.in = (uint8_t)in,
		.out = (uint8_t)out,
		.since = now};

	sl2vl_row_default(16, r.before);
	if (sl2vl_row_is_closed(row))
		blocked_rows_add(b, &r);
}

void
blocked_rows_remove(
	struct blocked_rows *b, uint64_t guid, unsigned in, unsigned out)
{
	struct blocked_row *r = blocked_rows_find(b, guid, in, out);

	if (r != NULL)
		*r = b->row[--b->n];
}

void
blocked_rows_settle(struct blocked_rows *b, uint64_t guid, unsigned in,
	unsigned out, uint16_t stays)
{
	struct blocked_row *r = blocked_rows_find(b, guid, in, out);

	if (stays == 0) {
		blocked_rows_remove(b, guid, in, out);
	} else if (r != NULL) {
		r->stays = stays;
		r->settled = true;
		r->pairs = 0;
	}
}

uint16_t
blocked_row_sls(const struct blocked_row *r, const uint8_t *is)
{
	if (r == NULL)
		return 0;
	return is != NULL ? sl2vl_row_blocked(is) | r->stays : UINT16_MAX;
}
