#include "distribution/device/sl2vl_cache.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

/*
 * The rows to one out-port: most are the same. A bit for each in-port that has
 * this one; other known rows have a cell.
 */
struct column {
	uint8_t vl[SL2VL_ROW];
	uint64_t in[4];
};

struct row {
	uint8_t vl[SL2VL_ROW];
};

struct sl2vl_switch {
	struct column *column; /* [ncolumns] by out-port */
	unsigned ncolumns;
	struct map cell; /* in << 8 | out -> row */
	struct row *row;
	size_t n, cap;
	bool refused, span_refused, laid;
};

struct sl2vl_cache {
	struct map by_guid;
	struct sl2vl_switch *sw;
	size_t n, cap;
	struct sl2vl_block *hold;
	size_t nholds, capholds;
	bool moved;
};

struct sl2vl_cache *
sl2vl_new(void)
{
	return mem_zalloc(1, sizeof(struct sl2vl_cache));
}

static void
drop_rows(struct sl2vl_switch *s)
{
	map_free(&s->cell);
	free(s->row);
	free(s->column);
	s->row = NULL;
	s->column = NULL;
	s->ncolumns = 0;
	s->n = s->cap = 0;
}

void
sl2vl_free(struct sl2vl_cache *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->n; i++)
		drop_rows(&t->sw[i]);
	free(t->sw);
	free(t->hold);
	map_free(&t->by_guid);
	free(t);
}

static struct sl2vl_switch *
find_switch(const struct sl2vl_cache *t, uint64_t guid)
{
	uint32_t i;

	return map_get(&t->by_guid, guid, &i) ? &t->sw[i] : NULL;
}

static struct sl2vl_switch *
find_or_add_switch(struct sl2vl_cache *t, uint64_t guid)
{
	struct sl2vl_switch *s = find_switch(t, guid);

	if (s != NULL)
		return s;
	t->sw = mem_grow(t->sw, t->n, &t->cap, sizeof(*t->sw));
	s = &t->sw[t->n];
	*s = (struct sl2vl_switch){0};
	map_put(&t->by_guid, guid, (uint32_t)t->n++);
	return s;
}

static uint64_t
cell_key(unsigned in, unsigned out)
{
	return (uint64_t)in << 8 | out;
}

static bool
column_has_in_port(const struct column *c, unsigned in)
{
	return (c->in[in / 64] >> in % 64 & 1) != 0;
}

static void
column_mark_in_port(struct column *c, unsigned in, bool on)
{
	uint64_t bit = UINT64_C(1) << in % 64;

	c->in[in / 64] = on ? c->in[in / 64] | bit : c->in[in / 64] & ~bit;
}

static bool
column_is_empty(const struct column *c)
{
	return (c->in[0] | c->in[1] | c->in[2] | c->in[3]) == 0;
}

bool
sl2vl_get_row(const struct sl2vl_cache *t, uint64_t guid, unsigned in,
	unsigned out, uint8_t row[SL2VL_ROW])
{
	const struct sl2vl_switch *s = find_switch(t, guid);
	uint32_t i;

	if (s == NULL || out >= s->ncolumns)
		return false;
	if (column_has_in_port(&s->column[out], in)) {
		memcpy(row, s->column[out].vl, SL2VL_ROW);
		return true;
	}
	if (!map_get(&s->cell, cell_key(in, out), &i))
		return false;
	memcpy(row, s->row[i].vl, SL2VL_ROW);
	return true;
}

static struct column *
column_of(struct sl2vl_switch *s, unsigned out)
{
	unsigned n = s->ncolumns;

	if (out >= n) {
		s->ncolumns = out + 1;
		s->column =
			mem_resize(s->column, s->ncolumns, sizeof(*s->column));
		memset(&s->column[n], 0,
			(s->ncolumns - n) * sizeof(*s->column));
	}
	return &s->column[out];
}

/* The column's row is unused: the row that is given here replaces it. */
static void
column_set_row(
	struct sl2vl_switch *s, unsigned out, const uint8_t row[SL2VL_ROW])
{
	struct column *c = column_of(s, out);
	uint32_t i;

	memcpy(c->vl, row, SL2VL_ROW);
	for (unsigned in = 0; in < 256 && s->cell.n > 0; in++) {
		if (!map_get(&s->cell, cell_key(in, out), &i) ||
			memcmp(s->row[i].vl, row, SL2VL_ROW) != 0)
			continue;
		(void)map_del(&s->cell, cell_key(in, out));
		column_mark_in_port(c, in, true);
	}
	if (s->cell.n == 0)
		s->n = 0; /* the rows of cells are reused */
}

void
sl2vl_set_row(struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out,
	const uint8_t row[SL2VL_ROW])
{
	struct sl2vl_switch *s = find_or_add_switch(t, guid);
	struct column *c = column_of(s, out);

	column_mark_in_port(c, in, false);
	(void)map_del(&s->cell, cell_key(in, out));
	if (column_is_empty(c))
		column_set_row(s, out, row);
	if (memcmp(c->vl, row, SL2VL_ROW) == 0) {
		column_mark_in_port(c, in, true);
		return;
	}
	s->row = mem_grow(s->row, s->n, &s->cap, sizeof(*s->row));
	memcpy(s->row[s->n].vl, row, SL2VL_ROW);
	map_put(&s->cell, cell_key(in, out), (uint32_t)s->n++);
}

void
sl2vl_unknown_span(
	struct sl2vl_cache *t, uint64_t guid, const struct sl2vl_span *span)
{
	for (unsigned out = span->out; out <= span->last_out; out++)
		for (unsigned in = span->in; in <= span->last_in; in++)
			sl2vl_unknown(t, guid, in, out);
}

void
sl2vl_set_span(struct sl2vl_cache *t, uint64_t guid,
	const struct sl2vl_span *span, const uint8_t row[SL2VL_ROW])
{
	sl2vl_unknown_span(t, guid, span);
	for (unsigned out = span->out; out <= span->last_out; out++)
		for (unsigned in = span->in; in <= span->last_in; in++)
			sl2vl_set_row(t, guid, in, out, row);
}

bool
sl2vl_all(const struct sl2vl_cache *t, uint64_t guid, unsigned out,
	const uint64_t in[4], const uint8_t row[SL2VL_ROW])
{
	const struct sl2vl_switch *s = find_switch(t, guid);
	const struct column *c;

	if (s == NULL || out >= s->ncolumns)
		return false;
	c = &s->column[out];
	for (unsigned i = 0; i < 4; i++)
		if ((in[i] & ~c->in[i]) != 0)
			return false;
	return memcmp(c->vl, row, SL2VL_ROW) == 0;
}

void
sl2vl_unknown(struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out)
{
	struct sl2vl_switch *s = find_switch(t, guid);

	if (s == NULL || out >= s->ncolumns)
		return;
	column_mark_in_port(&s->column[out], in, false);
	(void)map_del(&s->cell, cell_key(in, out));
}

void
sl2vl_mark_undrained(struct sl2vl_cache *t)
{
	t->moved = true;
}

void
sl2vl_drained(struct sl2vl_cache *t)
{
	t->moved = false;
}

bool
sl2vl_is_undrained(const struct sl2vl_cache *t)
{
	return t->moved;
}

void
sl2vl_forget(struct sl2vl_cache *t, uint64_t guid)
{
	struct sl2vl_switch *s = find_switch(t, guid);

	if (s == NULL)
		return;
	drop_rows(s);
	s->laid = false;
}

void
sl2vl_forget_all(struct sl2vl_cache *t)
{
	for (size_t i = 0; i < t->n; i++)
		drop_rows(&t->sw[i]);
}

void
sl2vl_mark_assigned(struct sl2vl_cache *t, uint64_t guid)
{
	find_or_add_switch(t, guid)->laid = true;
}

bool
sl2vl_is_assigned(const struct sl2vl_cache *t, uint64_t guid)
{
	const struct sl2vl_switch *s = find_switch(t, guid);

	return s != NULL && s->laid;
}

void
sl2vl_refuse(struct sl2vl_cache *t, uint64_t guid)
{
	find_or_add_switch(t, guid)->refused = true;
}

bool
sl2vl_refused(const struct sl2vl_cache *t, uint64_t guid)
{
	const struct sl2vl_switch *s = find_switch(t, guid);

	return s != NULL && s->refused;
}

void
sl2vl_refuse_span(struct sl2vl_cache *t, uint64_t guid)
{
	find_or_add_switch(t, guid)->span_refused = true;
}

bool
sl2vl_span_refused(const struct sl2vl_cache *t, uint64_t guid)
{
	const struct sl2vl_switch *s = find_switch(t, guid);

	return s != NULL && s->span_refused;
}

struct sl2vl_block *
sl2vl_is_blocked(
	const struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out)
{
	size_t i;

	for (i = 0; i < t->nholds; i++) {
		struct sl2vl_block *h = &t->hold[i];

		if (h->guid == guid && h->in == in && h->out == out)
			return h;
	}
	return NULL;
}

void
sl2vl_block(struct sl2vl_cache *t, const struct sl2vl_block *h)
{
	if (sl2vl_is_blocked(t, h->guid, h->in, h->out) != NULL)
		return;
	t->hold = mem_grow(t->hold, t->nholds, &t->capholds, sizeof(*t->hold));
	t->hold[t->nholds++] = *h;
}

void
sl2vl_unblock(struct sl2vl_cache *t, uint64_t guid, unsigned in, unsigned out)
{
	struct sl2vl_block *h = sl2vl_is_blocked(t, guid, in, out);

	if (h != NULL)
		*h = t->hold[--t->nholds];
}

void
sl2vl_unblock_all(struct sl2vl_cache *t)
{
	t->nholds = 0;
}

struct sl2vl_block *
sl2vl_blocked_list(const struct sl2vl_cache *t, size_t *n)
{
	*n = t->nholds;
	return t->hold;
}

void
sl2vl_make_default(unsigned n, uint8_t row[SL2VL_ROW])
{
	unsigned sl;

	memset(row, 0, SL2VL_ROW);
	for (sl = 0; sl < 16 && sl < n; sl++)
		row[sl / 2] |= (uint8_t)(sl << (sl % 2 ? 0 : 4));
}

void
sl2vl_block_sls(uint8_t row[SL2VL_ROW], uint16_t sls)
{
	for (unsigned sl = 0; sl < 16; sl++)
		if ((sls >> sl & 1) != 0)
			row[sl / 2] |= (uint8_t)(sl % 2 != 0 ? 0x0f : 0xf0);
}

bool
sl2vl_is_closed(const uint8_t row[SL2VL_ROW])
{
	unsigned i;

	for (i = 0; i < SL2VL_ROW; i++)
		if (row[i] != 0xff)
			return false;
	return true;
}
