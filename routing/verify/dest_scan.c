#include "routing/verify/dest_scan.h"

#include <stdlib.h>
#include <string.h>

#include "routing/verify/block_mask.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"

/* ---- blocks that differ ---- */

static lft_ref
ref_of(const struct lft_row *row, uint32_t n, uint32_t b)
{
	return row != NULL && b < n && b < row->n ? lft_row_ref(row, b)
						  : LFT_EMPTY;
}

/* True if the rows have span k in common. */
static bool
share_span(const struct lft_row *a, uint32_t n, const struct lft_row *b,
	uint32_t m, uint32_t k)
{
	return a != NULL && b != NULL && n == m && a->n == b->n &&
	       k * LFT_SPAN < a->n && a->span[k] == b->span[k];
}

void
dest_scan_differ(const struct dest_lids *d, const struct lft_row *a, uint32_t n,
	const struct lft_row *b, uint32_t m, uint64_t *out)
{
	if (a == b && n == m)
		return;
	for (uint32_t i = 0; i < d->nblocks; i++) {
		if (i % LFT_SPAN == 0 && share_span(a, n, b, m, i / LFT_SPAN)) {
			i += LFT_SPAN - 1;
			continue;
		}
		if (ref_of(a, n, i) == ref_of(b, m, i))
			continue;
		for (uint32_t k = d->at[i]; k < d->at[i + 1]; k++)
			bitset_add(out, d->in_block[k]);
	}
}

/* ---- entries that name some ports ---- */

static void
find_ranges(struct dest_ports *out, const struct route_set *ports)
{
	unsigned p = 0;

	out->n = 0;
	while ((p = route_set_next(ports, p)) < ROUTE_SET_WORDS * 64) {
		unsigned lo = p;

		while (p < ROUTE_SET_WORDS * 64 && route_set_has(ports, p))
			p++;
		out->range[out->n].lo = (uint8_t)lo;
		out->range[out->n++].hi = (uint8_t)(p - 1);
	}
}

void
dest_scan_open(struct dest_scan *x, const struct dest_lids *d)
{
	*x = (struct dest_scan){.d = d};
	x->mask = mem_alloc((d->nblocks + 1U) * sizeof(*x->mask));
	x->known = mem_alloc((d->nblocks / 64 + 1U) * sizeof(*x->known));
}

void
dest_scan_close(struct dest_scan *x)
{
	free(x->mask);
	free(x->known);
}

void
dest_scan_row(struct dest_scan *x, const struct lft_pool *pool,
	const struct lft_row *row, uint32_t nblocks,
	const struct route_set *ports)
{
	x->pool = pool;
	x->row = row;
	x->nblocks = nblocks;
	find_ranges(&x->ports, ports);
	memset(x->known, 0, (x->d->nblocks / 64 + 1U) * sizeof(*x->known));
}

/* The LIDs of block b that leave by the ports. */
static uint64_t
scan_block(struct dest_scan *x, uint32_t b)
{
	uint64_t mask = 0;
	lft_ref ref;

	if (bitset_has(x->known, b))
		return x->mask[b];
	ref = ref_of(x->row, x->nblocks, b);
	for (unsigned k = 0; ref != LFT_EMPTY && k < x->ports.n; k++)
		mask |= block_mask_range(lft_bytes(x->pool, ref),
			x->ports.range[k].lo, x->ports.range[k].hi);
	bitset_add(x->known, b);
	x->mask[b] = mask;
	return mask;
}

void
dest_scan_word(struct dest_scan *x, uint32_t w, uint64_t want, uint64_t *some,
	uint64_t *all)
{
	const struct dest_lids *d = x->d;

	*some = *all = 0;
	for (; want != 0 && x->ports.n > 0; want &= want - 1) {
		unsigned bit = bitset_lowest64(want);
		uint32_t i = w * 64 + bit;
		uint64_t any = 0, other = 0;

		for (uint32_t r = d->first[i]; r < d->first[i + 1]; r++) {
			uint64_t mask = scan_block(x, d->run[r].block);

			any |= mask & d->run[r].lids;
			other |= ~mask & d->run[r].lids;
		}
		*some |= (uint64_t)(any != 0) << bit;
		*all |= (uint64_t)(other == 0) << bit;
	}
}
