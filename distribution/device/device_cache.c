/*
 * device_cache: the cache of blocks in the device store, what devices refuse,
 * and which blocks are in doubt.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_priv.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"

struct device_node *
device_find_node(const struct device_store *h, uint64_t guid)
{
	uint32_t i;

	return map_get(&h->by_guid, guid, &i) ? &h->node[i] : NULL;
}

struct device_node *
device_find_or_add_node(struct device_store *h, uint64_t guid)
{
	struct device_node *s = device_find_node(h, guid);

	if (s != NULL)
		return s;
	h->node = mem_grow(h->node, h->n, &h->cap, sizeof(*h->node));
	s = &h->node[h->n];
	*s = (struct device_node){.guid = guid};
	map_put(&h->by_guid, guid, (uint32_t)h->n++);
	return s;
}

struct device_table *
device_find_table(
	const struct device_node *s, enum device_attr attr, unsigned port)
{
	return s == NULL || port >= s->of[attr].n ? NULL
						  : &s->of[attr].port[port];
}

static struct device_table *
find_table(const struct device_store *h, const struct device_at *at)
{
	return device_find_table(
		device_find_node(h, at->guid), at->attr, at->port);
}

static struct device_table *
find_or_add_table(struct device_store *h, const struct device_at *at)
{
	struct device_ports *p =
		&device_find_or_add_node(h, at->guid)->of[at->attr];
	unsigned n = p->n;

	if (at->port >= n) {
		p->n = at->port + 1U;
		p->port = mem_resize(p->port, p->n, sizeof(*p->port));
		memset(&p->port[n], 0, (p->n - n) * sizeof(*p->port));
	}
	return &p->port[at->port];
}

lft_ref *
device_block_slot(struct device_store *h, const struct device_at *at)
{
	struct device_table *t = find_or_add_table(h, at);

	if (at->block >= t->n) {
		t->block =
			mem_resize(t->block, at->block + 1, sizeof(*t->block));
		while (t->n <= at->block)
			t->block[t->n++] = DEVICE_UNKNOWN;
	}
	return &t->block[at->block];
}

static struct lft_pool *
pool_of(const struct device_store *h, enum device_attr attr)
{
	return attr == DEVICE_LFT ? h->pool : h->values;
}

const uint8_t *
device_bytes(const struct device_store *h, struct device_at at)
{
	const struct device_table *t = find_table(h, &at);

	return t == NULL || at.block >= t->n ||
			       t->block[at.block] == DEVICE_UNKNOWN
		       ? NULL
		       : lft_bytes(pool_of(h, at.attr), t->block[at.block]);
}

const lft_ref *
device_blocks(const struct device_store *h, struct device_at at, uint32_t *n)
{
	const struct device_table *t = find_table(h, &at);

	*n = t == NULL ? 0 : t->n;
	return t == NULL ? NULL : t->block;
}

const uint8_t *
device_value(const struct device_store *h, enum device_attr attr, lft_ref value)
{
	return lft_bytes(pool_of(h, attr), value);
}

lft_ref
device_share_value(struct device_store *h, enum device_attr attr,
	const uint8_t bytes[LFT_BLOCK])
{
	struct lft_pool *p = pool_of(h, attr);
	lft_ref *at = &h->recent[attr == DEVICE_LFT]
				[fnv_more(FNV_START, bytes, LFT_BLOCK) %
					DEVICE_RECENT];

	if (memcmp(lft_bytes(p, *at), bytes, LFT_BLOCK) != 0) {
		lft_drop(p, *at);
		*at = lft_add(p, bytes);
	}
	return lft_share(p, *at);
}

void
device_put_value(
	struct device_store *h, struct device_at at, const uint8_t *bytes)
{
	const struct device_attribute *a = &device_attribute[at.attr];
	uint8_t value[LFT_BLOCK] = {0};
	lft_ref *p;

	if (at.block >= a->blocks)
		return;
	memcpy(value, bytes, a->bytes);
	p = device_block_slot(h, &at);
	if (*p != DEVICE_UNKNOWN)
		lft_drop(h->values, *p);
	*p = device_share_value(h, at.attr, value);
	h->stamp[at.attr]++;
}

void
device_expect(struct device_store *h, struct device_at at)
{
	(void)device_block_slot(h, &at);
}

void
device_lose_value(struct device_store *h, struct device_at at)
{
	struct device_table *t = find_table(h, &at);

	if (t == NULL || at.block >= t->n ||
		t->block[at.block] == DEVICE_UNKNOWN)
		return;
	lft_drop(h->values, t->block[at.block]);
	t->block[at.block] = DEVICE_UNKNOWN;
	h->stamp[at.attr]++;
}

bool
device_holds_rows(const struct device_store *h, uint64_t guid, unsigned out,
	const uint64_t in[4], const uint8_t row[SL2VL_ROW])
{
	const uint8_t *is, *same = NULL;

	for (unsigned i = 0; i < 256; i++) {
		if ((in[i / 64] >> i % 64 & 1) == 0)
			continue;
		is = device_bytes(h, device_at_row(guid, i, out));
		if (is == NULL ||
			(is != same && memcmp(is, row, SL2VL_ROW) != 0))
			return false;
		same = is;
	}
	return true;
}

uint64_t
device_stamp(const struct device_store *h, enum device_attr attr)
{
	return h->stamp[attr];
}

void
device_mark(struct device_store *h, struct device_at at, enum device_mark m)
{
	find_or_add_table(h, &at)->marks |= m;
}

void
device_unmark(struct device_store *h, struct device_at at, enum device_mark m)
{
	struct device_table *t = find_table(h, &at);

	if (t != NULL)
		t->marks &= ~(unsigned)m;
}

bool
device_marked(
	const struct device_store *h, struct device_at at, enum device_mark m)
{
	const struct device_table *t = find_table(h, &at);

	return t != NULL && (t->marks & m) != 0;
}

void
device_drop_table(
	struct device_store *h, enum device_attr attr, struct device_table *t)
{
	for (uint32_t b = 0; b < t->n; b++)
		if (t->block[b] != DEVICE_UNKNOWN)
			lft_drop(pool_of(h, attr), t->block[b]);
	h->stamp[attr] += t->n > 0;
	free(t->block);
	t->block = NULL;
	t->n = 0;
}

/* ---- doubts ---- */

/* A number for the block: node, attribute, port and block of it. */
static uint64_t
doubt_key(const struct device_store *h, const struct device_at *at)
{
	uint64_t node = (uint64_t)(device_find_node(h, at->guid) - h->node);

	return ((node << 4 | at->attr) << 8 | at->port) << 16 | at->block;
}

static struct device_doubt *
find_doubt(const struct device_store *h, const struct device_at *at)
{
	uint32_t i;

	return device_find_node(h, at->guid) != NULL &&
			       map_get(&h->doubted, doubt_key(h, at), &i)
		       ? &h->doubt[i]
		       : NULL;
}

static struct device_doubt *
add_doubt(struct device_store *h, const struct device_at *at)
{
	(void)device_find_or_add_node(h, at->guid);
	h->doubt = mem_grow(
		h->doubt, h->ndoubts, &h->capdoubts, sizeof(*h->doubt));
	map_put(&h->doubted, doubt_key(h, at), (uint32_t)h->ndoubts);
	h->doubt[h->ndoubts] = (struct device_doubt){.at = *at};
	return &h->doubt[h->ndoubts++];
}

bool
device_may_return(const struct device_store *h, const struct device_at *at,
	const uint8_t value[LFT_BLOCK])
{
	const struct device_doubt *d = find_doubt(h, at);

	return d != NULL &&
	       (d->any || memcmp(d->copy, value, sizeof(d->copy)) == 0);
}

bool
device_is_threatened(const struct device_store *h, const struct device_doubt *d)
{
	const uint8_t *is = device_bytes(h, d->at);

	return is != NULL &&
	       (d->any || memcmp(d->copy, is, sizeof(d->copy)) != 0);
}

void
device_doubt(struct device_store *h, struct device_at at, const uint8_t *copy,
	struct mono until)
{
	struct device_doubt *d = find_doubt(h, &at);
	uint8_t value[LFT_BLOCK] = {0};
	bool fresh = d == NULL;

	if (copy != NULL)
		memcpy(value, copy, device_attribute[at.attr].bytes);
	if (fresh)
		d = add_doubt(h, &at);
	d->any |= copy == NULL ||
		  (!fresh && memcmp(d->copy, value, sizeof(value)) != 0);
	memcpy(d->copy, value, sizeof(value));
	d->until = until;
}

const struct device_doubt *
device_doubts(const struct device_store *h, size_t *n)
{
	*n = h->ndoubts;
	return h->doubt;
}

static void
drop_doubt(struct device_store *h, size_t i)
{
	(void)map_del(&h->doubted, doubt_key(h, &h->doubt[i].at));
	h->doubt[i] = h->doubt[--h->ndoubts];
	if (i < h->ndoubts)
		map_put(&h->doubted, doubt_key(h, &h->doubt[i].at),
			(uint32_t)i);
}

void
device_settle(struct device_store *h, struct device_at at)
{
	const struct device_doubt *d = find_doubt(h, &at);

	if (d != NULL)
		drop_doubt(h, (size_t)(d - h->doubt));
}

void
device_believe(struct device_store *h, struct mono t)
{
	for (size_t i = h->ndoubts; i-- > 0;)
		if (device_attribute[h->doubt[i].at.attr].doubts !=
				DEVICE_OWNER_ENDS &&
			!mono_before(t, h->doubt[i].until))
			drop_doubt(h, i);
}
