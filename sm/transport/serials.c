#include "sm/transport/serials.h"

#include <stdlib.h>

#include "sm/base/mem.h"

struct serials_place {
	uint32_t serial, id; /* id 0: the place is free */
};

enum { FIRST_PLACES = 64 };

void
serials_init(struct serials *s, uint32_t first, unsigned bits)
{
	*s = (struct serials){
		.cap = FIRST_PLACES, .mask = (UINT32_C(1) << bits) - 1};
	s->first = first & s->mask;
	s->place = mem_zalloc(s->cap, sizeof(*s->place));
}

void
serials_free(struct serials *s)
{
	free(s->place);
	*s = (struct serials){0};
}

static struct serials_place *
place_of(const struct serials *s, uint32_t serial)
{
	return &s->place[serial & (s->cap - 1)];
}

static void
double_table(struct serials *s)
{
	struct serials was = *s;

	s->cap *= 2;
	s->place = mem_zalloc(s->cap, sizeof(*s->place));
	/* serials that differ in the low bits differ in one bit more, too */
	for (size_t i = 0; i < was.cap; i++)
		if (was.place[i].id != 0)
			*place_of(s, was.place[i].serial) = was.place[i];
	free(was.place);
}

uint32_t
serials_give(struct serials *s, uint32_t id)
{
	uint32_t serial;

	if (s->n * 2 >= s->cap)
		double_table(s);
	do
		serial = (uint32_t)(s->first + ++s->issued) & s->mask;
	while (serial == 0 || place_of(s, serial)->id != 0);
	*place_of(s, serial) = (struct serials_place){serial, id};
	s->n++;
	return serial;
}

uint32_t
serials_find(const struct serials *s, uint32_t serial)
{
	const struct serials_place *p = place_of(s, serial);

	return p->serial == serial ? p->id : 0;
}

void
serials_drop(struct serials *s, uint32_t serial)
{
	*place_of(s, serial) = (struct serials_place){0, 0};
	s->n--;
}

bool
serials_was_given(const struct serials *s, uint32_t serial)
{
	uint64_t back = (s->first + s->issued - serial) & s->mask;

	return back < s->issued && back < s->mask / 2;
}
