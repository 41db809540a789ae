#include "sm/transport/deadlines.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct deadlines_item {
	struct mono when;
	uint64_t order;
	uint32_t id;
};

void
deadlines_free(struct deadlines *d)
{
	free(d->heap);
	free(d->place);
	*d = (struct deadlines){0};
}

static bool
is_due_before(const struct deadlines_item *a, const struct deadlines_item *b)
{
	if (a->when.ns != b->when.ns)
		return a->when.ns < b->when.ns;
	return a->order < b->order;
}

static void
put_item(struct deadlines *d, size_t i, struct deadlines_item item)
{
	d->heap[i] = item;
	d->place[item.id] = (uint32_t)i + 1;
}

/* Put item at or above the hole at i. */
static void
sift_up(struct deadlines *d, size_t i, struct deadlines_item item)
{
	while (i > 0 && is_due_before(&item, &d->heap[(i - 1) / 2])) {
		put_item(d, i, d->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put_item(d, i, item);
}

/* Put item at or below the hole at i. */
static void
sift_down(struct deadlines *d, size_t i, struct deadlines_item item)
{
	for (;;) {
		size_t c = 2 * i + 1;

		if (c + 1 < d->n && is_due_before(&d->heap[c + 1], &d->heap[c]))
			c++;
		if (c >= d->n || !is_due_before(&d->heap[c], &item))
			break;
		put_item(d, i, d->heap[c]);
		i = c;
	}
	put_item(d, i, item);
}

static void
make_room(struct deadlines *d, uint32_t id)
{
	size_t ids = d->ids ? d->ids : 64;

	d->heap = mem_grow(d->heap, d->n, &d->cap, sizeof(*d->heap));
	while (ids <= id)
		ids *= 2;
	if (ids == d->ids)
		return;
	d->place = mem_resize(d->place, ids, sizeof(*d->place));
	memset(d->place + d->ids, 0, (ids - d->ids) * sizeof(*d->place));
	d->ids = ids;
}

void
deadlines_set(struct deadlines *d, uint32_t id, struct mono when)
{
	deadlines_clear(d, id);
	make_room(d, id);
	d->n++;
	sift_up(d, d->n - 1, (struct deadlines_item){when, d->order++, id});
}

void
deadlines_clear(struct deadlines *d, uint32_t id)
{
	struct deadlines_item last;
	size_t i;

	if (id >= d->ids || d->place[id] == 0)
		return;
	i = d->place[id] - 1;
	d->place[id] = 0;
	last = d->heap[--d->n];
	if (i == d->n)
		return;
	if (i > 0 && is_due_before(&last, &d->heap[(i - 1) / 2]))
		sift_up(d, i, last);
	else
		sift_down(d, i, last);
}

struct mono
deadlines_first(const struct deadlines *d, uint32_t *id)
{
	if (d->n == 0)
		return MONO_NEVER;
	if (id != NULL)
		*id = d->heap[0].id;
	return d->heap[0].when;
}
