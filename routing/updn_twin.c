#include <string.h>

#include "routing/updn_row.h"

enum {
	TWINS = 256,
	WORTH = 4, /* a row that differs in 1 / WORTH is better made anew */
};

void
updn_twin_init(struct updn_row *f)
{
	f->twin = arena_array(f->a, TWINS, sizeof(*f->twin));
	f->diff = arena_array(f->a, f->u->words, sizeof(*f->diff));
	f->touched =
		arena_array(f->a, f->bytes / LFT_BLOCK, sizeof(*f->touched));
	f->list = arena_array(f->a, f->bytes / LFT_BLOCK, sizeof(*f->list));
}

static bool
is_up(const struct updn *u, sw_ix s, const struct updn_group *g)
{
	return u->tier.pos[g->peer] < u->tier.pos[s];
}

uint32_t
updn_twin_hash(const struct updn *u, sw_ix s)
{
	uint32_t up = 0, all = 0;

	for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++) {
		const struct updn_group *x = &u->group[g];

		all = (all ^ x->peer) * 0x9e3779b1U;
		if (is_up(u, s, x))
			up = (up ^ x->peer) * 0x9e3779b1U;
	}
	return up != 0 ? up : ~all;
}

/* The same neighbour by the same ports? */
static bool
same_group(const struct updn *u, const struct updn_group *a,
	const struct updn_group *b)
{
	const struct topo_adj *at = u->t->adj + a->adj,
			      *bt = u->t->adj + b->adj;

	if (a->peer != b->peer || a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (at[i].out != bt[i].out)
			return false;
	return true;
}

/*
 * Whoever is above both must be above both by the same group; then templates
 * are equal, too.
 */
static bool
related(const struct updn *u, sw_ix s, sw_ix t)
{
	uint32_t n = u->first[s + 1] - u->first[s];

	if (n != u->first[t + 1] - u->first[t])
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct updn_group *a = &u->group[u->first[s] + i];
		const struct updn_group *b = &u->group[u->first[t] + i];

		if ((is_up(u, s, a) || is_up(u, t, b)) && !same_group(u, a, b))
			return false;
	}
	return true;
}

/* About which destinations may s and the twin differ? */
static uint32_t
find_diff(struct updn_row *f, sw_ix s, const struct updn_twin *t)
{
	const struct updn *u = f->u;
	const uint64_t *near = f->near + (size_t)s * u->words;
	const uint64_t *near_t = f->near + (size_t)t->sw * u->words;
	uint32_t n = u->first[s + 1] - u->first[s], sum = 0;

	for (uint32_t w = 0; w < u->words; w++)
		f->diff[w] = near[w] ^ near_t[w];
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t *a = f->cand + (size_t)i * u->words;
		const uint64_t *b = t->cand + (size_t)i * u->words;

		if (same_group(u, &u->group[u->first[s] + i],
			    &u->group[u->first[t->sw] + i]))
			for (uint32_t w = 0; w < u->words; w++)
				f->diff[w] |= a[w] ^ b[w];
		else
			for (uint32_t w = 0; w < u->words; w++)
				f->diff[w] |= a[w] | b[w];
	}
	updn_set(f->diff, s);
	updn_set(f->diff, t->sw);
	for (uint32_t w = 0; w < u->words; w++)
		sum += updn_count(f->diff[w]);
	return sum;
}

const struct updn_twin *
updn_twin_find(struct updn_row *f, sw_ix s)
{
	uint32_t h = updn_twin_hash(f->u, s);

	for (uint32_t i = 0; i < f->ntwin; i++) {
		const struct updn_twin *t = &f->twin[i];

		if (t->hash == h && related(f->u, s, t->sw))
			return find_diff(f, s, t) * WORTH < f->u->nsw ? t
								      : NULL;
	}
	return NULL;
}

void
updn_twin_add(struct updn_row *f, sw_ix s)
{
	const struct updn *u = f->u;
	uint32_t h = updn_twin_hash(u, s);
	struct updn_twin *t = &f->twin[f->ntwin];
	size_t cand = (size_t)(u->first[s + 1] - u->first[s]) * u->words;
	size_t keys = (size_t)f->d->napex * f->d->spread;

	for (uint32_t i = 0; i < f->ntwin; i++)
		if (f->twin[i].hash == h && related(u, s, f->twin[i].sw))
			return;
	if (f->ntwin == TWINS)
		return;
	f->ntwin++;
	t->sw = s;
	t->hash = h;
	t->cand = arena_array(f->a, cand, sizeof(*t->cand));
	memcpy(t->cand, f->cand, cand * sizeof(*t->cand));
	t->templ = arena_alloc(f->a, keys);
	memcpy(t->templ, f->templ, keys);
	t->row = arena_alloc(f->a, f->bytes);
	memcpy(t->row, f->row, f->bytes);
}
