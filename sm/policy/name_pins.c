#include "sm/policy/name_pins.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/arena.h"
#include "sm/base/mem.h"

/* Pins while they are made: texts are borrowed. */
struct collected {
	struct name_pin *pin;
	size_t n, cap;
};

static void
add_pin(struct collected *d, const char *name, uint64_t guid)
{
	d->pin = mem_grow(d->pin, d->n, &d->cap, sizeof(*d->pin));
	d->pin[d->n++] = (struct name_pin){name, guid};
}

int
name_pins_compare(const void *pa, const void *pb)
{
	const struct name_pin *a = pa, *b = pb;
	int c = strcmp(a->name, b->name);

	return c != 0 ? c : (a->guid > b->guid) - (a->guid < b->guid);
}

static void
sort_pins(struct collected *d)
{
	size_t n = 0;

	if (d->n > 0)
		qsort(d->pin, d->n, sizeof(*d->pin), name_pins_compare);
	for (size_t i = 0; i < d->n; i++)
		if (n == 0 ||
			name_pins_compare(&d->pin[n - 1], &d->pin[i]) != 0)
			d->pin[n++] = d->pin[i];
	d->n = n;
}

struct name_pins *
name_pins_new(const struct name_pin *pin, size_t n, const uint64_t *unnamed,
	size_t nunnamed)
{
	struct name_pins *p = mem_zalloc(1, sizeof(*p));
	struct collected d = {0};

	for (size_t i = 0; i < n; i++) {
		add_pin(&d, pin[i].name, pin[i].guid);
		add_pin(&d, pin[i].name, 0);
	}
	sort_pins(&d);
	p->refs = 1;
	p->arena = arena_new();
	p->pin = arena_array(p->arena, d.n, sizeof(*p->pin));
	p->n = d.n;
	for (size_t i = 0; i < d.n; i++) {
		bool same =
			i > 0 && strcmp(d.pin[i - 1].name, d.pin[i].name) == 0;

		p->pin[i].guid = d.pin[i].guid;
		p->pin[i].name = same ? p->pin[i - 1].name
				      : arena_strdup(p->arena, d.pin[i].name);
	}
	p->unnamed = arena_array(p->arena, nunnamed, sizeof(*p->unnamed));
	for (size_t i = 0; i < nunnamed; i++)
		p->unnamed[i] = unnamed[i];
	p->nunnamed = nunnamed;
	free(d.pin);
	return p;
}

struct name_pins *
name_pins_ref(struct name_pins *p)
{
	if (p != NULL)
		p->refs++;
	return p;
}

void
name_pins_unref(struct name_pins *p)
{
	if (p == NULL || --p->refs > 0)
		return;
	arena_free(p->arena);
	free(p);
}

size_t
name_pins_find(const struct name_pins *p, const char *name)
{
	size_t low = 0, high = p != NULL ? p->n : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(p->pin[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
name_pins_has(const struct name_pins *p, size_t i, const char *name)
{
	return p != NULL && i < p->n && strcmp(p->pin[i].name, name) == 0;
}

void
name_pins_nodes(const struct name_pins *p, const struct topo *t,
	const char *name, void (*fn)(void *cookie, node_ix n), void *cookie)
{
	for (size_t i = name_pins_find(p, name); name_pins_has(p, i, name);
		i++) {
		node_ix n = p->pin[i].guid != 0
				    ? topo_by_node_guid(t, p->pin[i].guid)
				    : TOPO_NONE;

		if (n != TOPO_NONE)
			fn(cookie, n);
	}
}
