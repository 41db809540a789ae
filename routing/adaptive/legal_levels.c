#include "routing/adaptive/legal_levels.h"

#include <string.h>

#include "sm/base/bitset.h"

struct finder {
	struct legal_levels *x;
	struct arena *a;
	uint64_t *seen; /* [nsw * words] reached so far */
	uint64_t *more; /* [nsw * words] what neighbours pass on, else 0 */
	bool *fresh;	/* [nsw] reaches something new on the last level */
	bool *next;	/* ... on the one being found */
};

static uint64_t *
new_rows(const struct finder *f)
{
	return arena_array(
		f->a, (size_t)f->x->t->nsw * f->x->words, sizeof(uint64_t));
}

static void
find_links(struct legal_levels *x, const uint32_t *pos)
{
	const struct topo *t = x->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[i];

			if (!topo_sw_live(t, s) || !topo_sw_live(t, a->peer))
				continue;
			x->link[i] =
				pos[a->peer] < pos[s] ? LEGAL_UP : LEGAL_DOWN;
			if (x->link[i] == LEGAL_UP)
				route_set_add(&x->up[s], a->out);
		}
}

/* What s reaches anew is one link farther from its neighbours over links of
 * this kind. */
static void
pass_on(struct finder *f, sw_ix s, enum legal_link kind, const uint64_t *was)
{
	const struct legal_levels *x = f->x;
	const struct topo_switch *sw = &x->t->sw[s];

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (x->link[i] == kind)
			bitset_or(
				f->more + (size_t)x->t->adj[i].peer * x->words,
				was + (size_t)s * x->words, x->words);
}

/* Level k of switch s: what is passed on to it and was not seen before, beside
 * what it is above. */
static bool
take_level(struct finder *f, sw_ix s, unsigned k)
{
	size_t at = (size_t)s * f->x->words;
	uint64_t *is = f->x->reach[k] + at, *seen = f->seen + at,
		 *more = f->more + at, any = 0;

	for (uint32_t w = 0; w < f->x->words; w++) {
		is[w] |= more[w] & ~seen[w];
		seen[w] |= is[w];
		any |= is[w];
		more[w] = 0;
	}
	return any != 0;
}

/* Level k from the one before, over links of this kind. False: nothing new. */
static bool
add_level(struct finder *f, unsigned k, enum legal_link kind)
{
	const struct legal_levels *x = f->x;
	bool any = false, *swap = f->fresh;

	for (sw_ix s = 0; s < x->t->nsw; s++)
		if (f->fresh[s])
			pass_on(f, s, kind, x->reach[k - 1]);
	for (sw_ix s = 0; s < x->t->nsw; s++) {
		f->next[s] = take_level(f, s, k);
		any |= f->next[s];
	}
	f->fresh = f->next;
	f->next = swap;
	return any;
}

/* Down, from each destination to what is above it. False: too deep. */
static bool
find_down(struct finder *f, const struct dest_lids *d)
{
	struct legal_levels *x = f->x;
	bool more = true;

	x->reach[0] = new_rows(f);
	x->above = f->seen = new_rows(f);
	for (uint32_t i = 0; i < d->n; i++) {
		bitset_add(x->reach[0] + (size_t)d->sw[i] * x->words, i);
		bitset_add(x->above + (size_t)d->sw[i] * x->words, i);
		f->fresh[d->sw[i]] = true;
	}
	for (x->n = 1; more && x->n < LEGAL_LEVELS; x->n++) {
		x->reach[x->n] = new_rows(f);
		more = add_level(f, x->n, LEGAL_UP);
	}
	return !more;
}

/* Up first: to what is below a switch that reaches something. */
static bool
find_up(struct finder *f, const struct dest_lids *d)
{
	struct legal_levels *x = f->x;
	unsigned ndown = x->n;
	bool more = true;

	f->seen = new_rows(f);
	memcpy(f->seen, x->above,
		(size_t)x->t->nsw * x->words * sizeof(*f->seen));
	for (uint32_t i = 0; i < d->n; i++)
		f->fresh[d->sw[i]] = true;
	for (unsigned k = 1; (more || k < ndown) && k < LEGAL_LEVELS; k++) {
		if (k == x->n)
			x->reach[x->n++] = new_rows(f);
		more = add_level(f, k, LEGAL_DOWN);
	}
	return !more;
}

bool
legal_levels_find(struct legal_levels *x, const struct topo *t,
	const struct dest_lids *d, const uint32_t *pos, struct arena *a)
{
	struct finder f = {.x = x, .a = a};

	*x = (struct legal_levels){.t = t, .words = d->words};
	x->link = arena_array(a, t->nadj + 1U, sizeof(*x->link));
	x->up = arena_array(a, t->nsw, sizeof(*x->up));
	f.fresh = arena_array(a, t->nsw, sizeof(*f.fresh));
	f.next = arena_array(a, t->nsw, sizeof(*f.next));
	f.more = new_rows(&f);
	find_links(x, pos);
	return find_down(&f, d) && find_up(&f, d);
}
