#include "distribution/device/vlarb_cache.h"

#include <stdlib.h>
#include <string.h>

#include "discovery/port_key.h"
#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum { PORTS = 256, NONE = 0 };

struct image {
	uint8_t bytes[VLARB_PART];
	uint32_t next; /* next with the same hash: index + 1 */
};

struct held {
	uint32_t part[VLARB_PARTS]; /* image + 1; NONE: not known */
	bool refused;
};

struct vlarb_cache {
	struct map by_port, by_hash;
	struct held *held;
	size_t n, cap;
	struct image *image;
	size_t nimages, capimages;
};

struct vlarb_cache *
vlarb_cache_new(void)
{
	return mem_zalloc(1, sizeof(struct vlarb_cache));
}

void
vlarb_cache_free(struct vlarb_cache *v)
{
	if (v == NULL)
		return;
	map_free(&v->by_port);
	map_free(&v->by_hash);
	free(v->held);
	free(v->image);
	free(v);
}

static struct held *
find_port(const struct vlarb_cache *v, uint64_t guid, unsigned port)
{
	uint32_t i;

	return map_get(&v->by_port, port_key(guid, port), &i) ? &v->held[i]
							      : NULL;
}

static struct held *
find_or_add_port(struct vlarb_cache *v, uint64_t guid, unsigned port)
{
	struct held *h = find_port(v, guid, port);

	if (h != NULL)
		return h;
	v->held = mem_grow(v->held, v->n, &v->cap, sizeof(*v->held));
	h = &v->held[v->n];
	*h = (struct held){0};
	map_put(&v->by_port, port_key(guid, port), (uint32_t)v->n++);
	return h;
}

/* Number + 1 of the image with these bytes. */
static uint32_t
intern_image(struct vlarb_cache *v, const uint8_t *bytes)
{
	uint64_t h = fnv_more(FNV_START, bytes, VLARB_PART);
	uint32_t first = 0, at;

	(void)map_get(&v->by_hash, h, &first);
	for (at = first; at != 0; at = v->image[at - 1].next)
		if (memcmp(v->image[at - 1].bytes, bytes, VLARB_PART) == 0)
			return at;
	v->image = mem_grow(
		v->image, v->nimages, &v->capimages, sizeof(*v->image));
	memcpy(v->image[v->nimages].bytes, bytes, VLARB_PART);
	v->image[v->nimages++].next = first;
	map_put(&v->by_hash, h, (uint32_t)v->nimages);
	return (uint32_t)v->nimages;
}

bool
vlarb_cache_part(const struct vlarb_cache *v, uint64_t guid, unsigned port,
	unsigned part, uint8_t out[VLARB_PART])
{
	const struct held *h = find_port(v, guid, port);

	if (h == NULL || part < 1 || part > VLARB_PARTS ||
		h->part[part - 1] == NONE)
		return false;
	memcpy(out, v->image[h->part[part - 1] - 1].bytes, VLARB_PART);
	return true;
}

void
vlarb_cache_set_part(struct vlarb_cache *v, uint64_t guid, unsigned port,
	unsigned part, const uint8_t in[VLARB_PART])
{
	if (part >= 1 && part <= VLARB_PARTS)
		find_or_add_port(v, guid, port)->part[part - 1] =
			intern_image(v, in);
}

void
vlarb_cache_unknown(
	struct vlarb_cache *v, uint64_t guid, unsigned port, unsigned part)
{
	struct held *h = find_port(v, guid, port);

	if (h != NULL && part >= 1 && part <= VLARB_PARTS)
		h->part[part - 1] = NONE;
}

void
vlarb_cache_forget_port(struct vlarb_cache *v, uint64_t guid, unsigned port)
{
	struct held *h = find_port(v, guid, port);

	if (h != NULL)
		memset(h->part, 0, sizeof(h->part));
}

void
vlarb_cache_forget(struct vlarb_cache *v, uint64_t guid)
{
	for (unsigned port = 0; port < PORTS; port++)
		vlarb_cache_forget_port(v, guid, port);
}

void
vlarb_cache_forget_all(struct vlarb_cache *v)
{
	for (size_t i = 0; i < v->n; i++)
		memset(v->held[i].part, 0, sizeof(v->held[i].part));
}

void
vlarb_cache_refuse(struct vlarb_cache *v, uint64_t guid, unsigned port)
{
	find_or_add_port(v, guid, port)->refused = true;
}

bool
vlarb_cache_refused(const struct vlarb_cache *v, uint64_t guid, unsigned port)
{
	const struct held *h = find_port(v, guid, port);

	return h != NULL && h->refused;
}
