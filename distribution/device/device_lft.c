/*
 * device_lft: forwarding tables in the device store. Packets in flight meet
 * what a block holds, what it may hold and what it held before, so that beside
 * its value each block has ghosts: other values, until they have drained.
 */
#include <assert.h>
#include <stdlib.h>

#include "distribution/device/device_priv.h"
#include "sm/base/mem.h"

lft_ref
device_block(const struct device_store *h, uint64_t guid, uint32_t b)
{
	uint32_t n;
	bool plain;
	const lft_ref *row = device_row(h, guid, &n, &plain);

	return b < n ? row[b] : DEVICE_UNKNOWN;
}

const lft_ref *
device_row(
	const struct device_store *h, uint64_t guid, uint32_t *n, bool *plain)
{
	const struct device_node *s = device_find_node(h, guid);
	const struct device_table *t = device_find_table(s, DEVICE_LFT, 0);

	*n = t == NULL ? 0 : t->n;
	*plain = s == NULL || s->nghosts == 0;
	return t == NULL ? NULL : t->block;
}

void
device_drop_ghosts(struct device_store *h, struct device_node *s)
{
	for (size_t i = 0; i < s->nghosts; i++)
		lft_drop(h->pool, s->ghost[i].ref);
	free(s->ghost);
	free(s->haunt);
	free(s->wild);
	s->ghost = NULL;
	s->haunt = NULL;
	s->wild = NULL;
	s->nhaunt = s->nwild = 0;
	s->nghosts = s->capghosts = 0;
}

static uint32_t
first_ghost(const struct device_node *s, uint32_t b)
{
	return b < s->nhaunt ? s->haunt[b] : 0;
}

static bool
is_wild(const struct device_node *s, uint32_t b)
{
	return b < s->nwild && s->wild[b];
}

/* Packets may meet r in block b; takes over a reference to r. */
static void
add_ghost(struct device_store *h, struct device_node *s, uint32_t b, lft_ref r)
{
	if (b >= s->nhaunt) {
		s->haunt = mem_resize(s->haunt, b + 1, sizeof(*s->haunt));
		while (s->nhaunt <= b)
			s->haunt[s->nhaunt++] = 0;
	}
	assert(s->haunt[b] <= s->nghosts);
	for (uint32_t i = s->haunt[b]; i != 0; i = s->ghost[i - 1].next)
		if (s->ghost[i - 1].ref == r) {
			lft_drop(h->pool, r);
			return;
		}
	s->ghost = mem_grow(
		s->ghost, s->nghosts, &s->capghosts, sizeof(*s->ghost));
	s->ghost[s->nghosts++] = (struct device_ghost){r, s->haunt[b]};
	s->haunt[b] = (uint32_t)s->nghosts;
}

void
device_set_block(struct device_store *h, uint64_t guid, uint32_t b, lft_ref r)
{
	const struct device_at at = device_at_lft(guid, b);
	lft_ref *p = device_block_slot(h, &at);
	struct device_node *s = device_find_node(h, guid);

	if (*p != DEVICE_UNKNOWN && *p != r)
		add_ghost(h, s, b, *p);
	else if (*p != DEVICE_UNKNOWN)
		lft_drop(h->pool, *p);
	*p = lft_share(h->pool, r);
	s->known = true;
}

void
device_unknown_block(struct device_store *h, uint64_t guid, uint32_t b)
{
	const struct device_at at = device_at_lft(guid, b);

	if (device_block(h, guid, b) == DEVICE_UNKNOWN)
		return;
	add_ghost(h, device_find_node(h, guid), b, device_block(h, guid, b));
	*device_block_slot(h, &at) = DEVICE_UNKNOWN;
}

void
device_sending(struct device_store *h, uint64_t guid, uint32_t b, lft_ref image)
{
	const struct device_at at = device_at_lft(guid, b);
	lft_ref is = *device_block_slot(h, &at);
	struct device_node *s = device_find_node(h, guid);

	if (is == DEVICE_UNKNOWN && first_ghost(s, b) == 0) {
		if (b >= s->nwild) {
			s->wild = mem_resize(s->wild, b + 1, sizeof(*s->wild));
			while (s->nwild <= b)
				s->wild[s->nwild++] = false;
		}
		s->wild[b] = true;
	}
	if (is != image)
		add_ghost(h, s, b, lft_share(h->pool, image));
}

void
device_set_never_used(struct device_store *h, uint64_t guid, uint32_t b)
{
	struct device_node *s = device_find_node(h, guid);

	if (s != NULL && is_wild(s, b))
		s->wild[b] = false;
}

size_t
device_values(const struct device_store *h, uint64_t guid, uint32_t b,
	lft_ref *out, size_t max)
{
	const struct device_node *s = device_find_node(h, guid);
	lft_ref is = device_block(h, guid, b);
	size_t n = 0;

	if (s == NULL || is_wild(s, b))
		return 0;
	if (is != DEVICE_UNKNOWN && n++ < max)
		out[0] = is;
	for (uint32_t i = first_ghost(s, b); i != 0; i = s->ghost[i - 1].next) {
		if (s->ghost[i - 1].ref == is)
			continue;
		if (n < max)
			out[n] = s->ghost[i - 1].ref;
		n++;
	}
	return n;
}

void
device_drain_switch(struct device_store *h, struct device_node *s)
{
	struct device_ghost *old = s->ghost;
	uint32_t *haunt = s->haunt;
	uint32_t n = s->nhaunt;

	if (haunt == NULL)
		return;
	s->ghost = NULL;
	s->haunt = NULL;
	s->nhaunt = 0;
	s->nghosts = s->capghosts = 0;
	for (uint32_t b = 0; b < s->nwild; b++)
		s->wild[b] &= device_block(h, s->guid, b) == DEVICE_UNKNOWN;
	for (uint32_t b = 0; b < n; b++) {
		const struct device_at at = device_at_lft(s->guid, b);

		for (uint32_t i = haunt[b]; i != 0; i = old[i - 1].next) {
			if (device_block(h, s->guid, b) == DEVICE_UNKNOWN ||
				device_may_return(h, &at,
					lft_bytes(h->pool, old[i - 1].ref)))
				add_ghost(h, s, b, old[i - 1].ref);
			else
				lft_drop(h->pool, old[i - 1].ref);
		}
	}
	free(old);
	free(haunt);
}
