#include "routing/adaptive/legal_levels.h"

#include "sm/base/bitset.h"

struct finder {
	struct legal_levels *x;
	struct arena *a;
	uint64_t *seen; /* [nsw * words] reached so far */
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
 * this kind, if they have not seen it. */
static void
pass_on(struct finder *f, sw_ix s, enum legal_link kind, const uint64_t *was,
	uint64_t *is)
{
	const struct legal_levels *x = f->x;
	const struct topo_switch *sw = &x->t->sw[s];
	const uint64_t *from = was + (size_t)s * x->words;

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		size_t at = (size_t)x->t->adj[i].peer * x->words;

		for (uint32_t w = 0; x->link[i] == kind && w < x->words; w++)
			is[at + w] |= from[w] & ~f->seen[at + w];
	}
}

/* Level k from the one before, over links of this kind. False: nothing new. */
static bool
add_level(struct finder *f, unsigned k, enum legal_link kind)
{
	const struct legal_levels *x = f->x;
	bool any = false, *swap = f->fresh;

	for (sw_ix s = 0; s < x->t->nsw; s++)
		if (f->fresh[s])
			pass_on(f, s, kind, x->reach[k - 1], x->reach[k]);
	for (sw_ix s = 0; s < x->t->nsw; s++) {
		size_t at = (size_t)s * x->words;
		uint64_t more = 0;

		for (uint32_t w = 0; w < x->words; w++) {
			more |= x->reach[k][at + w];
			f->seen[at + w] |= x->reach[k][at + w];
		}
		f->next[s] = more != 0;
		any |= more != 0;
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
find_up(struct finder *f)
{
	struct legal_levels *x = f->x;
	unsigned ndown = x->n;
	bool more = true;

	f->seen = new_rows(f);
	for (size_t w = 0; w < (size_t)x->t->nsw * x->words; w++)
		f->seen[w] = x->above[w];
	for (sw_ix s = 0; s < x->t->nsw; s++)
		f->fresh[s] = true;
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
	find_links(x, pos);
	return find_down(&f, d) && find_up(&f);
}
