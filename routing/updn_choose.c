#include "routing/updn_row.h"

/* Of the groups in m meant for LID i: those that follow its chain. */
static bool
follow_chain(
	const struct updn_row *f, uint32_t i, const uint64_t *m, uint64_t *out)
{
	const sw_ix *chain = f->d->chain + (size_t)i * UPDN_CHAIN;

	for (uint32_t k = 1; k < f->d->len[i]; k++) {
		const uint64_t *lead = f->lead + (size_t)chain[k] * f->W;
		uint64_t any = 0;

		for (uint32_t w = 0; w < f->W; w++)
			any |= out[w] = m[w] & lead[w];
		if (any != 0)
			return true;
	}
	return false;
}

static bool
in_chain(const struct updn_row *f, uint32_t i, sw_ix s)
{
	const sw_ix *chain = f->d->chain + (size_t)i * UPDN_CHAIN;

	for (uint32_t k = 1; k < f->d->len[i]; k++)
		if (chain[k] == s)
			return true;
	return false;
}

/* The least loaded port of the groups in m. */
static uint8_t
least(const struct updn_row *f, sw_ix s, const uint64_t *m, const uint32_t *a,
	const uint32_t *b)
{
	uint32_t load = UINT32_MAX;
	uint8_t best = LFT_DROP;

	for (uint32_t w = 0; w < f->W; w++)
		for (uint64_t x = m[w]; x != 0; x &= x - 1) {
			uint32_t i = w * 64 + updn_low(x);
			uint32_t n = f->u->group[f->u->first[s] + i].n;

			for (uint32_t q = 0; q < n; q++) {
				uint8_t p = updn_row_port(f, s, i, q);

				if (a[p] + b[p] >= load)
					continue;
				load = a[p] + b[p];
				best = p;
			}
		}
	return best;
}

/*
 * LIDs whose chain passes here or can be joined from here are counted apart
 * from the rest: they are the ones that carry load while nothing is broken.
 */
uint8_t
updn_choose(struct updn_row *f, sw_ix s, uint32_t i, const uint64_t *m)
{
	static const uint32_t none[UPDN_MAX_GROUPS] = {0};
	uint32_t *meant = f->meant[f->d->other[i]];
	uint32_t *other = f->other[f->d->other[i]];
	uint64_t sub[UPDN_MASK_WORDS];
	bool chained = follow_chain(f, i, m, sub);
	uint8_t p;

	if (chained || in_chain(f, i, s)) {
		p = least(f, s, chained ? sub : m, meant, none);
		meant[p]++;
	} else {
		p = least(f, s, m, meant, other);
		other[p]++;
	}
	return p;
}
