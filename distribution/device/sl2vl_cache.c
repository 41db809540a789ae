#include "distribution/device/sl2vl_cache.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

/*
 * The turns to one out-port: most have the same row. A bit for each in-port
 * that has it; others that are known have a cell.
 */
struct column {
	uint8_t vl[TURNS_ROW];
	uint64_t in[4];
};

struct row {
	uint8_t vl[TURNS_ROW];
};

struct turns_switch {
	struct column *column; /* [ncolumns] by out-port */
	unsigned ncolumns;
	struct map cell; /* in << 8 | out -> row */
	struct row *row;
	size_t n, cap;
	bool refused, span_refused, laid;
};

struct turns {
	struct map by_guid;
	struct turns_switch *sw;
	size_t n, cap;
	struct turns_hold *hold;
	size_t nholds, capholds;
	bool moved;
};

struct turns *
turns_new(void)
{
	return mem_zalloc(1, sizeof(struct turns));
}

static void
drop_rows(struct turns_switch *s)
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
turns_free(struct turns *t)
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

static struct turns_switch *
find(const struct turns *t, uint64_t guid)
{
	uint32_t i;

	return map_get(&t->by_guid, guid, &i) ? &t->sw[i] : NULL;
}

static struct turns_switch *
find_or_add(struct turns *t, uint64_t guid)
{
	struct turns_switch *s = find(t, guid);

	if (s != NULL)
		return s;
	t->sw = mem_grow(t->sw, t->n, &t->cap, sizeof(*t->sw));
	s = &t->sw[t->n];
	*s = (struct turns_switch){0};
	map_put(&t->by_guid, guid, (uint32_t)t->n++);
	return s;
}

static uint64_t
cell_key(unsigned in, unsigned out)
{
	return (uint64_t)in << 8 | out;
}

static bool
has(const struct column *c, unsigned in)
{
	return (c->in[in / 64] >> in % 64 & 1) != 0;
}

static void
mark(struct column *c, unsigned in, bool on)
{
	uint64_t bit = UINT64_C(1) << in % 64;

	c->in[in / 64] = on ? c->in[in / 64] | bit : c->in[in / 64] & ~bit;
}

static bool
empty(const struct column *c)
{
	return (c->in[0] | c->in[1] | c->in[2] | c->in[3]) == 0;
}

bool
turns_row(const struct turns *t, uint64_t guid, unsigned in, unsigned out,
	uint8_t row[TURNS_ROW])
{
	const struct turns_switch *s = find(t, guid);
	uint32_t i;

	if (s == NULL || out >= s->ncolumns)
		return false;
	if (has(&s->column[out], in)) {
		memcpy(row, s->column[out].vl, TURNS_ROW);
		return true;
	}
	if (!map_get(&s->cell, cell_key(in, out), &i))
		return false;
	memcpy(row, s->row[i].vl, TURNS_ROW);
	return true;
}

static struct column *
column(struct turns_switch *s, unsigned out)
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

/* Nobody has the column's row any more: another one takes its place. */
static void
adopt(struct turns_switch *s, unsigned out, const uint8_t row[TURNS_ROW])
{
	struct column *c = column(s, out);
	uint32_t i;

	memcpy(c->vl, row, TURNS_ROW);
	for (unsigned in = 0; in < 256 && s->cell.n > 0; in++) {
		if (!map_get(&s->cell, cell_key(in, out), &i) ||
			memcmp(s->row[i].vl, row, TURNS_ROW) != 0)
			continue;
		(void)map_del(&s->cell, cell_key(in, out));
		mark(c, in, true);
	}
	if (s->cell.n == 0)
		s->n = 0; /* their rows are used again */
}

void
turns_set_row(struct turns *t, uint64_t guid, unsigned in, unsigned out,
	const uint8_t row[TURNS_ROW])
{
	struct turns_switch *s = find_or_add(t, guid);
	struct column *c = column(s, out);

	mark(c, in, false);
	(void)map_del(&s->cell, cell_key(in, out));
	if (empty(c))
		adopt(s, out, row);
	if (memcmp(c->vl, row, TURNS_ROW) == 0) {
		mark(c, in, true);
		return;
	}
	s->row = mem_grow(s->row, s->n, &s->cap, sizeof(*s->row));
	memcpy(s->row[s->n].vl, row, TURNS_ROW);
	map_put(&s->cell, cell_key(in, out), (uint32_t)s->n++);
}

void
turns_unknown_span(
	struct turns *t, uint64_t guid, const struct turns_span *span)
{
	for (unsigned out = span->out; out <= span->last_out; out++)
		for (unsigned in = span->in; in <= span->last_in; in++)
			turns_unknown(t, guid, in, out);
}

void
turns_set_span(struct turns *t, uint64_t guid, const struct turns_span *span,
	const uint8_t row[TURNS_ROW])
{
	turns_unknown_span(t, guid, span);
	for (unsigned out = span->out; out <= span->last_out; out++)
		for (unsigned in = span->in; in <= span->last_in; in++)
			turns_set_row(t, guid, in, out, row);
}

bool
turns_all(const struct turns *t, uint64_t guid, unsigned out,
	const uint64_t in[4], const uint8_t row[TURNS_ROW])
{
	const struct turns_switch *s = find(t, guid);
	const struct column *c;

	if (s == NULL || out >= s->ncolumns)
		return false;
	c = &s->column[out];
	for (unsigned i = 0; i < 4; i++)
		if ((in[i] & ~c->in[i]) != 0)
			return false;
	return memcmp(c->vl, row, TURNS_ROW) == 0;
}

void
turns_unknown(struct turns *t, uint64_t guid, unsigned in, unsigned out)
{
	struct turns_switch *s = find(t, guid);

	if (s == NULL || out >= s->ncolumns)
		return;
	mark(&s->column[out], in, false);
	(void)map_del(&s->cell, cell_key(in, out));
}

void
turns_move(struct turns *t)
{
	t->moved = true;
}

void
turns_drained(struct turns *t)
{
	t->moved = false;
}

bool
turns_moved(const struct turns *t)
{
	return t->moved;
}

void
turns_forget(struct turns *t, uint64_t guid)
{
	struct turns_switch *s = find(t, guid);

	if (s == NULL)
		return;
	drop_rows(s);
	s->laid = false;
}

void
turns_forget_all(struct turns *t)
{
	for (size_t i = 0; i < t->n; i++)
		drop_rows(&t->sw[i]);
}

void
turns_lay(struct turns *t, uint64_t guid)
{
	find_or_add(t, guid)->laid = true;
}

bool
turns_laid(const struct turns *t, uint64_t guid)
{
	const struct turns_switch *s = find(t, guid);

	return s != NULL && s->laid;
}

void
turns_refuse(struct turns *t, uint64_t guid)
{
	find_or_add(t, guid)->refused = true;
}

bool
turns_refused(const struct turns *t, uint64_t guid)
{
	const struct turns_switch *s = find(t, guid);

	return s != NULL && s->refused;
}

void
turns_refuse_span(struct turns *t, uint64_t guid)
{
	find_or_add(t, guid)->span_refused = true;
}

bool
turns_span_refused(const struct turns *t, uint64_t guid)
{
	const struct turns_switch *s = find(t, guid);

	return s != NULL && s->span_refused;
}

struct turns_hold *
turns_held(const struct turns *t, uint64_t guid, unsigned in, unsigned out)
{
	size_t i;

	for (i = 0; i < t->nholds; i++) {
		struct turns_hold *h = &t->hold[i];

		if (h->guid == guid && h->in == in && h->out == out)
			return h;
	}
	return NULL;
}

void
turns_hold(struct turns *t, const struct turns_hold *h)
{
	if (turns_held(t, h->guid, h->in, h->out) != NULL)
		return;
	t->hold = mem_grow(t->hold, t->nholds, &t->capholds, sizeof(*t->hold));
	t->hold[t->nholds++] = *h;
}

void
turns_lift(struct turns *t, uint64_t guid, unsigned in, unsigned out)
{
	struct turns_hold *h = turns_held(t, guid, in, out);

	if (h != NULL)
		*h = t->hold[--t->nholds];
}

void
turns_lift_all(struct turns *t)
{
	t->nholds = 0;
}

struct turns_hold *
turns_holds(const struct turns *t, size_t *n)
{
	*n = t->nholds;
	return t->hold;
}

void
turns_straight(unsigned n, uint8_t row[TURNS_ROW])
{
	unsigned sl;

	memset(row, 0, TURNS_ROW);
	for (sl = 0; sl < 16 && sl < n; sl++)
		row[sl / 2] |= (uint8_t)(sl << (sl % 2 ? 0 : 4));
}

void
turns_close(uint8_t row[TURNS_ROW], uint16_t sls)
{
	for (unsigned sl = 0; sl < 16; sl++)
		if ((sls >> sl & 1) != 0)
			row[sl / 2] |= (uint8_t)(sl % 2 != 0 ? 0x0f : 0xf0);
}

bool
turns_is_closed(const uint8_t row[TURNS_ROW])
{
	unsigned i;

	for (i = 0; i < TURNS_ROW; i++)
		if (row[i] != 0xff)
			return false;
	return true;
}
