#include "distribution/turns.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

struct row {
	uint8_t vl[TURNS_ROW];
	bool known;
};

struct turns_switch {
	struct map cell; /* in << 8 | out -> row */
	struct row *row;
	size_t n, cap;
	struct row all; /* what cells are that were not told apart */
	bool refused;
};

struct turns {
	struct map by_guid;
	struct turns_switch *sw;
	size_t n, cap;
	struct turns_hold *hold;
	size_t nholds, capholds;
};

struct turns *
turns_new(void)
{
	return mem_zalloc(1, sizeof(struct turns));
}

void
turns_free(struct turns *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->n; i++) {
		map_free(&t->sw[i].cell);
		free(t->sw[i].row);
	}
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

bool
turns_row(const struct turns *t, uint64_t guid, unsigned in, unsigned out,
	uint8_t row[TURNS_ROW])
{
	const struct turns_switch *s = find(t, guid);
	const struct row *r;
	uint32_t i;

	if (s == NULL)
		return false;
	r = map_get(&s->cell, cell_key(in, out), &i) ? &s->row[i] : &s->all;
	if (r->known)
		memcpy(row, r->vl, TURNS_ROW);
	return r->known;
}

static struct row *
cell(struct turns_switch *s, unsigned in, unsigned out)
{
	uint32_t i;

	if (map_get(&s->cell, cell_key(in, out), &i))
		return &s->row[i];
	s->row = mem_grow(s->row, s->n, &s->cap, sizeof(*s->row));
	map_put(&s->cell, cell_key(in, out), (uint32_t)s->n);
	return &s->row[s->n++];
}

void
turns_set_row(struct turns *t, uint64_t guid, unsigned in, unsigned out,
	const uint8_t row[TURNS_ROW])
{
	struct row *r = cell(find_or_add(t, guid), in, out);

	memcpy(r->vl, row, TURNS_ROW);
	r->known = true;
}

void
turns_set_all(struct turns *t, uint64_t guid, const uint8_t row[TURNS_ROW])
{
	struct turns_switch *s;

	turns_forget(t, guid);
	s = find_or_add(t, guid);
	memcpy(s->all.vl, row, TURNS_ROW);
	s->all.known = true;
}

void
turns_unknown(struct turns *t, uint64_t guid, unsigned in, unsigned out)
{
	cell(find_or_add(t, guid), in, out)->known = false;
}

void
turns_forget(struct turns *t, uint64_t guid)
{
	struct turns_switch *s = find(t, guid);

	if (s == NULL)
		return;
	map_free(&s->cell);
	s->n = 0;
	s->all.known = false;
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
turns_close(uint8_t row[TURNS_ROW], uint16_t lanes)
{
	unsigned sl;

	for (sl = 0; sl < 16; sl++) {
		unsigned shift = sl % 2 ? 0 : 4;

		if (lanes >> (row[sl / 2] >> shift & 15) & 1)
			row[sl / 2] |= (uint8_t)(15U << shift);
	}
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
