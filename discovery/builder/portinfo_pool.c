#include "discovery/builder/portinfo_pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/mem.h"

void
portinfo_pool_free(struct portinfo_pool *x)
{
	free(x->at);
	free(x->refs);
	map_free(&x->known);
	*x = (struct portinfo_pool){0};
}

static uint64_t
hash_portinfo(const uint8_t bytes[INFO_BYTES])
{
	return fnv_more(FNV_START, bytes, INFO_BYTES);
}

/* An entry that is not in use. */
static info_ref
take_free_slot(struct portinfo_pool *x)
{
	info_ref r = x->free;
	size_t cap = x->cap;

	if (r != INFO_NONE) {
		x->free = x->refs[r];
		return r;
	}
	x->at = mem_grow(x->at, x->n, &x->cap, sizeof(*x->at));
	if (x->cap != cap)
		x->refs = mem_resize(x->refs, x->cap, sizeof(*x->refs));
	return x->n++;
}

/* The value with these bytes, counted once more. */
static info_ref
intern_portinfo(struct portinfo_pool *x, const uint8_t bytes[INFO_BYTES])
{
	uint64_t key = hash_portinfo(bytes);
	uint32_t r;
	bool known = map_get(&x->known, key, &r);

	if (known && memcmp(x->at[r], bytes, INFO_BYTES) == 0) {
		x->refs[r]++;
		return r;
	}
	if (x->n == 0) {
		r = take_free_slot(x);
		memset(x->at[r], 0, INFO_BYTES);
	}
	r = take_free_slot(x);
	memcpy(x->at[r], bytes, INFO_BYTES);
	x->refs[r] = 1;
	if (!known)
		map_put(&x->known, key, r);
	return r;
}

void
portinfo_pool_drop(struct portinfo_pool *x, info_ref *r)
{
	uint64_t key;
	uint32_t first;

	if (*r != INFO_NONE && --x->refs[*r] == 0) {
		key = hash_portinfo(x->at[*r]);
		if (map_get(&x->known, key, &first) && first == *r)
			(void)map_del(&x->known, key);
		x->refs[*r] = x->free;
		x->free = *r;
	}
	*r = INFO_NONE;
}

void
portinfo_pool_set(
	struct portinfo_pool *x, info_ref *r, const uint8_t bytes[INFO_BYTES])
{
	info_ref was = *r;

	if (was != INFO_NONE && memcmp(x->at[was], bytes, INFO_BYTES) == 0)
		return;
	*r = intern_portinfo(x, bytes);
	portinfo_pool_drop(x, &was);
}
