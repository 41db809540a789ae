#include "routing/core/route_sets.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

/* As many as dest_lids has, or more. */
static size_t
narrow_words(const struct route_set_row *row)
{
	return (row->ndest / 256 + 1U) * 4;
}

struct route_set_row *
route_set_row_new(uint32_t ndest)
{
	struct route_set_row *row =
		mem_zalloc(1, sizeof(*row) + ndest * sizeof(row->of[0]));

	row->refs = 1;
	row->n = 1;
	row->ndest = ndest;
	row->set = mem_zalloc(1, sizeof(*row->set));
	row->narrow = mem_zalloc(narrow_words(row), sizeof(*row->narrow));
	return row;
}

uint16_t
route_set_row_number(struct route_set_row *row, const struct route_set *set)
{
	for (uint16_t k = 0; k < row->n; k++)
		if (memcmp(&row->set[k], set, sizeof(*set)) == 0)
			return k;
	row->set = mem_resize(row->set, row->n + 1U, sizeof(*row->set));
	row->set[row->n] = *set;
	return row->n++;
}

struct route_set_row *
route_set_row_copy(const struct route_set_row *row)
{
	struct route_set_row *copy =
		mem_dup(row, sizeof(*row) + row->ndest * sizeof(row->of[0]));

	copy->refs = 1;
	copy->set = mem_dup(row->set, row->n * sizeof(*row->set));
	copy->narrow =
		mem_dup(row->narrow, narrow_words(row) * sizeof(*row->narrow));
	return copy;
}

struct route_set_row *
route_set_row_share(struct route_set_row *row)
{
	if (row != NULL)
		row->refs++;
	return row;
}

void
route_set_row_drop(struct route_set_row *row)
{
	if (row == NULL || --row->refs > 0)
		return;
	free(row->set);
	free(row->narrow);
	free(row);
}

static uint32_t
groups_of(const struct route_set *set, bool by_default)
{
	return by_default ? route_set_count(set) : 1;
}

uint32_t
route_set_row_groups(const struct route_set_row *row, bool by_default)
{
	uint32_t n = 0;

	for (uint16_t k = 1; k < row->n; k++)
		n += groups_of(&row->set[k], by_default);
	return n;
}

void
route_set_row_fit(struct route_set_row *row, uint32_t room, bool by_default)
{
	uint32_t *uses, need = route_set_row_groups(row, by_default);

	if (need <= room)
		return;
	uses = mem_zalloc(row->n, sizeof(*uses));
	for (uint32_t i = 0; i < row->ndest; i++)
		uses[row->of[i]]++;
	while (need > room) {
		uint16_t rare = 0;

		for (uint16_t k = 1; k < row->n; k++)
			if (uses[k] > 0 && (rare == 0 || uses[k] < uses[rare]))
				rare = k;
		need -= groups_of(&row->set[rare], by_default);
		row->dropped += uses[rare];
		uses[rare] = 0;
	}
	for (uint32_t i = 0; i < row->ndest; i++)
		if (uses[row->of[i]] == 0)
			row->of[i] = 0;
	free(uses);
}

uint32_t
route_set_row_narrow(const struct route_set_row *row)
{
	uint32_t n = 0;

	for (size_t w = 0; w < narrow_words(row); w++)
		n += bitset_count64(row->narrow[w]);
	return n;
}

bool
route_set_row_equal(
	const struct route_set_row *a, const struct route_set_row *b)
{
	if (a == b)
		return true;
	return a != NULL && b != NULL && a->n == b->n && a->ndest == b->ndest &&
	       a->dropped == b->dropped &&
	       memcmp(a->set, b->set, a->n * sizeof(*a->set)) == 0 &&
	       memcmp(a->narrow, b->narrow,
		       narrow_words(a) * sizeof(*a->narrow)) == 0 &&
	       memcmp(a->of, b->of, a->ndest * sizeof(a->of[0])) == 0;
}

struct route_sets *
route_sets_new(const struct topo *t, const struct route_choice *can,
	bool default_first)
{
	struct route_sets *s = mem_zalloc(1, sizeof(*s));
	uint32_t nsw = t->nsw;

	s->refs = 1;
	s->nsw = nsw;
	dest_lids_open(&s->dest, t);
	s->default_first = default_first;
	s->can = mem_zalloc(nsw, sizeof(*s->can));
	memcpy(s->can, can, nsw * sizeof(*s->can));
	s->row = mem_zalloc(nsw, sizeof(struct route_set_row *));
	return s;
}

struct route_sets *
route_sets_ref(struct route_sets *s)
{
	if (s != NULL)
		s->refs++;
	return s;
}

void
route_sets_unref(struct route_sets *s)
{
	if (s == NULL || --s->refs > 0)
		return;
	for (uint32_t i = 0; i < s->nsw; i++)
		route_set_row_drop(s->row[i]);
	free(s->row);
	free(s->can);
	dest_lids_close(&s->dest);
	free(s);
}

unsigned
route_set_count(const struct route_set *s)
{
	unsigned n = 0;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		n += bitset_count64(s->port[w]);
	return n;
}
