#include "sm/base/map.h"

#include <stdlib.h>

#include "sm/base/hash.h"
#include "sm/base/mem.h"

enum { FREE = 0, LIVE = 1, DEAD = 2 };

struct map_slot {
	uint64_t key;
	uint32_t val;
	uint32_t state;
};

void
map_free(struct map *m)
{
	free(m->slot);
	*m = (struct map){0};
}

static struct map_slot *
find_slot(const struct map *m, uint64_t key)
{
	size_t i;

	if (m->cap == 0)
		return NULL;
	for (i = (size_t)hash_spread(key) & (m->cap - 1);
		m->slot[i].state != FREE; i = (i + 1) & (m->cap - 1))
		if (m->slot[i].state == LIVE && m->slot[i].key == key)
			return &m->slot[i];
	return NULL;
}

static void
insert_key(struct map *m, uint64_t key, uint32_t val)
{
	size_t i = (size_t)hash_spread(key) & (m->cap - 1);

	while (m->slot[i].state == LIVE)
		i = (i + 1) & (m->cap - 1);
	if (m->slot[i].state == FREE)
		m->used++;
	m->slot[i] = (struct map_slot){key, val, LIVE};
	m->n++;
}

static void
grow_table(struct map *m)
{
	struct map old = *m;
	size_t i;

	m->cap = old.n * 2 < 16 ? 16 : old.cap;
	while (m->cap < old.n * 2)
		m->cap *= 2;
	m->slot = mem_zalloc(m->cap, sizeof(*m->slot));
	m->used = m->n = 0;
	for (i = 0; i < old.cap; i++)
		if (old.slot[i].state == LIVE)
			insert_key(m, old.slot[i].key, old.slot[i].val);
	free(old.slot);
}

void
map_put(struct map *m, uint64_t key, uint32_t val)
{
	struct map_slot *s = find_slot(m, key);

	if (s != NULL) {
		s->val = val;
		return;
	}
	if (m->cap == 0 || (m->used + 1) * 4 > m->cap * 3)
		grow_table(m);
	insert_key(m, key, val);
}

bool
map_get(const struct map *m, uint64_t key, uint32_t *val)
{
	const struct map_slot *s = find_slot(m, key);

	if (s == NULL)
		return false;
	if (val != NULL)
		*val = s->val;
	return true;
}

bool
map_del(struct map *m, uint64_t key)
{
	struct map_slot *s = find_slot(m, key);

	if (s == NULL)
		return false;
	s->state = DEAD;
	m->n--;
	return true;
}
