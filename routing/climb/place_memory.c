#include "routing/climb/place_memory.h"

#include <inttypes.h>
#include <string.h>

#include "sm/base/map.h"

static const char *const shape_name[] = {[DIMENSION_LINE] = " line",
	[DIMENSION_RING] = " ring",
	[DIMENSION_FULL] = " full",
	[DIMENSION_GROUPS] = " groups"};

enum { SHAPES = sizeof(shape_name) / sizeof(*shape_name) };

static uint64_t
guid_of(const struct swgraph *g, sw_ix s)
{
	return g->t->node[g->t->sw[s].node].guid;
}

static struct place_memory *
memory_new(struct arena *a, unsigned n, const struct dimension *dim, size_t nsw)
{
	struct place_memory *m = arena_alloc(a, sizeof(*m));

	*m = (struct place_memory){.n = n,
		.guid = arena_array(a, nsw + 1, sizeof(*m->guid)),
		.at = arena_array(a, nsw * n + 1, sizeof(*m->at))};
	memcpy(m->dim, dim, n * sizeof(*dim));
	return m;
}

static void
put_place(struct place_memory *m, uint64_t guid, const uint32_t *at)
{
	memcpy(m->at + (size_t)m->nsw * m->n, at, m->n * sizeof(*at));
	m->guid[m->nsw++] = guid;
}

static bool
has_same_shape(const struct place_memory *m, const struct dimensions *d)
{
	if (m->n != d->n)
		return false;
	for (unsigned i = 0; i < m->n; i++)
		if (m->dim[i].size != d->dim[i].size ||
			m->dim[i].shape != d->dim[i].shape)
			return false;
	return true;
}

struct place_memory *
place_memory_note(const struct place_memory *was, const struct swgraph *g,
	const struct dimensions *places, struct arena *a)
{
	struct map by_guid = {0};
	struct place_memory *m;
	uint32_t live;

	if (was != NULL && !has_same_shape(was, places))
		was = NULL;
	m = memory_new(a, places->n, places->dim,
		(size_t)g->nsw + (was != NULL ? was->nsw : 0));
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (!g->live[s])
			continue;
		map_put(&by_guid, guid_of(g, s), s);
		put_place(m, guid_of(g, s), places->at + (size_t)s * m->n);
	}
	live = m->nsw;
	for (uint32_t i = 0; was != NULL && i < was->nsw; i++)
		if (!map_get(&by_guid, was->guid[i], &(uint32_t){0}))
			put_place(
				m, was->guid[i], was->at + (size_t)i * was->n);
	if (m->nsw - live > live)
		m->nsw = live;
	map_free(&by_guid);
	return m;
}

bool
place_memory_fit(const struct place_memory *m, const struct swgraph *g,
	struct dimensions *out)
{
	struct map by_guid = {0};
	bool all = true;

	if (m == NULL)
		return false;
	*out = (struct dimensions){.n = m->n,
		.at = arena_array(
			g->a, (size_t)g->nsw * m->n + 1, sizeof(*out->at)),
		.of = arena_array(
			g->a, g->first[g->nsw] + 1, sizeof(*out->of))};
	memcpy(out->dim, m->dim, m->n * sizeof(*m->dim));
	for (uint32_t i = 0; i < m->nsw; i++)
		map_put(&by_guid, m->guid[i], i);
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t i;

		if (!g->live[s])
			continue;
		if (map_get(&by_guid, guid_of(g, s), &i))
			memcpy(out->at + (size_t)s * m->n,
				m->at + (size_t)i * m->n,
				m->n * sizeof(*m->at));
		else
			all = false;
	}
	map_free(&by_guid);
	return all;
}

/* ---- text ---- */

void
place_memory_print(const struct place_memory *m, struct buf *out)
{
	buf_printf(out, "shape");
	for (unsigned i = 0; i < m->n; i++)
		buf_printf(out, "%s %" PRIu32, shape_name[m->dim[i].shape],
			m->dim[i].size);
	buf_printf(out, "\n");
	for (uint32_t s = 0; s < m->nsw; s++) {
		buf_printf(out, "place 0x%016" PRIx64, m->guid[s]);
		for (unsigned i = 0; i < m->n; i++)
			buf_printf(out, " %" PRIu32, m->at[s * m->n + i]);
		buf_printf(out, "\n");
	}
}

static bool
reads_dimension(struct memory_reader *r, struct dimension *d)
{
	long size;

	for (unsigned i = 0; i < SHAPES; i++)
		if (memory_reader_takes_word(r, shape_name[i])) {
			if (!memory_reader_takes_number(
				    r, 1, UINT16_MAX, &size))
				return false;
			*d = (struct dimension){
				(uint32_t)size, (enum dimension_shape)i};
			return true;
		}
	return false;
}

struct place_memory *
place_memory_read_shape(
	struct memory_reader *r, const char *text, struct arena *a)
{
	struct dimension dim[DIMENSIONS_MAX];
	unsigned n = 0;

	while (*r->at == ' ' && n < DIMENSIONS_MAX)
		if (!reads_dimension(r, &dim[n++]))
			return NULL;
	return n == 0 ? NULL
		      : memory_new(a, n, dim,
				memory_reader_count_lines(text, "place"));
}

bool
place_memory_reads_place(struct memory_reader *r, struct place_memory *m)
{
	uint32_t *at = m->at + (size_t)m->nsw * m->n;
	long number;

	if (!memory_reader_takes_guid(r, &m->guid[m->nsw]))
		return false;
	for (unsigned i = 0; i < m->n; i++) {
		if (!memory_reader_takes_number(
			    r, 0, (long)m->dim[i].size - 1, &number))
			return false;
		at[i] = (uint32_t)number;
	}
	m->nsw++;
	return true;
}
