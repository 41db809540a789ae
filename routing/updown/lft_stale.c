#include <stdlib.h>
#include <string.h>

#include "routing/updown/lft_stale.h"
#include "sm/base/mem.h"

/* A switch with other cables: about everybody else. */
static void
find_all(struct lft_stale *t, sw_ix s)
{
	const struct updown *u = t->p->u;
	uint64_t *set = t->which.set;

	memset(set, 0xff, u->graph.words * sizeof(*set));
	for (uint32_t x = u->graph.nsw; x < u->graph.words * 64; x++)
		set[x / 64] &= ~(UINT64_C(1) << (x % 64));
	set[s / 64] &= ~(UINT64_C(1) << (s % 64));
	t->which.n = 0;
	for (uint32_t w = 0; w < u->graph.words; w++)
		if (set[w] != 0)
			t->which.word[t->which.n++] = w;
}

static void
find_word(struct lft_stale *t, sw_ix s, uint32_t w)
{
	const struct routes_repair *p = t->p;
	const struct updown *u = p->u;
	uint64_t set = p->diff[s] != NULL ? p->diff[s][w] : 0;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (p->diff[u->graph.group[g].peer] != NULL)
			set |= p->diff[u->graph.group[g].peer][w];
	if (w == s / 64)
		set &= ~(UINT64_C(1) << (s % 64));
	t->which.set[w] = set;
	if (set != 0)
		t->which.word[t->which.n++] = w;
}

/* About whom may the candidates of s be others than they were? */
static void
find_which(struct lft_stale *t, sw_ix s)
{
	const struct routes_repair *p = t->p;

	if (p->seed[s]) {
		find_all(t, s);
		return;
	}
	t->which.n = 0;
	reach_update_is_wide(p, s, t->wide);
	for (uint32_t i = 0; i < p->nwide; i++)
		for (uint64_t b = t->wide[i]; b != 0; b &= b - 1)
			find_word(t, s, i * 64 + bitset_lowest64(b));
}

/* The entries of s for what hangs on x, against the ports that may be. */
static void
check_by(struct lft_stale *t, sw_ix s, sw_ix x, const uint8_t allowed[256])
{
	const struct dest_table *d = t->d;
	uint32_t block = UINT32_MAX;
	const uint8_t *b = NULL;

	for (uint32_t i = d->at[x]; i < d->end[x]; i++) {
		uint32_t n = d->lid[i] / LFT_BLOCK;

		if (n != block) {
			block = n;
			b = routes_block(t->p->prev, s, n);
		}
		if (allowed[b[d->lid[i] % LFT_BLOCK]])
			continue;
		t->bad = mem_grow(t->bad, t->nbad, &t->cap, sizeof(*t->bad));
		t->bad[t->nbad++] = (struct lft_stale_row){s, i, t->nmask};
	}
}

static const uint8_t *
allow(struct lft_stale *t, sw_ix s, sw_ix x)
{
	next_hop_allow(t->f, s, t->f->mask + (size_t)x * t->f->W);
	return t->f->allowed;
}

static void
note_mask(struct lft_stale *t, const uint64_t *mask)
{
	for (uint32_t w = 0; w < t->f->W; w++) {
		t->mask = mem_grow(
			t->mask, t->nmask, &t->mask_cap, sizeof(*t->mask));
		t->mask[t->nmask++] = mask[w];
	}
}

static void
check(struct lft_stale *t, sw_ix s, sw_ix x)
{
	const struct dest_table *d = t->d;
	size_t n = t->nbad;

	if (d->at[x] == d->end[x] || multi_tree_is_across(t->p->u, s, x))
		return;
	check_by(t, s, x, allow(t, s, x));
	if (t->nbad > n)
		note_mask(t, t->f->mask + (size_t)x * t->f->W);
}

/* What is in other planes: what leads there from s itself, or to the apex. */
static void
check_across(struct lft_stale *t, sw_ix s)
{
	const struct updown *u = t->p->u;
	uint8_t mark[256];

	for (uint32_t p = 0; u->graph.plane != NULL && p < u->nplanes; p++) {
		const uint8_t *allowed = mark;

		if (!multi_tree_is_across(u, s, u->crossing_leaf[p]))
			continue;
		if (!multi_tree_exits(u, s, p, mark))
			allowed = allow(
				t, s, u->crossing_leaf[u->graph.plane[s]]);
		for (sw_ix x = 0; x < u->graph.nsw; x++)
			if (u->graph.plane[x] == p &&
				multi_tree_is_across(u, s, x))
				check_by(t, s, x, allowed);
	}
}

bool
lft_stale_templates(const struct updown *u, sw_ix s, sw_ix x)
{
	const uint32_t *tier = u->tier.pos, *line = u->sw_order.pos;

	if (x == TOPO_NONE || !row_template_same(u, s, x))
		return false;
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if ((tier[peer] < tier[s]) != (tier[peer] < tier[x]) ||
			(line[peer] < line[s]) != (line[peer] < line[x]))
			return false;
	}
	return true;
}

/* Are the levels of s what those of its neighbours make them, as before? */
static bool
plain(const struct routes_repair *p, sw_ix s)
{
	return !p->seed[s] && p->diff[s] == NULL &&
	       !sftree_is_extended(p->u, s) && p->u->graph.plane == NULL;
}

/*
 * Has s the candidates that were worked out for the switch before? What is
 * asked about the two themselves is another matter.
 */
static bool
as_before(const struct lft_stale *t, sw_ix s)
{
	const struct routes_repair *p = t->p;
	const struct updown *u = p->u;

	if (!plain(p, s) || !lft_stale_templates(u, s, t->opened))
		return false;
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		const uint64_t *diff = p->diff[u->graph.group[g].peer];

		if (diff != NULL &&
			(bitset_has(diff, s) || bitset_has(diff, t->opened)))
			return false;
	}
	return true;
}

/* The candidates of s about whom they may be others than they were. */
static void
open_row(struct lft_stale *t, sw_ix s)
{
	if (as_before(t, s))
		return;
	find_which(t, s);
	row_fill_open(t->f, s, &t->which);
	t->opened = plain(t->p, s) ? s : TOPO_NONE;
}

void
lft_stale_row(struct lft_stale *t, sw_ix s)
{
	const struct routes_repair *p = t->p;
	const struct updown *u = p->u;
	bool apex = p->seed[s];

	open_row(t, s);
	for (uint32_t k = 0; k < t->which.n; k++) {
		uint32_t w = t->which.word[k];
		uint64_t b = t->which.set[w];

		for (; b != 0; b &= b - 1)
			check(t, s, w * 64 + bitset_lowest64(b));
		apex |= u->graph.plane != NULL &&
			u->crossing_leaf[u->graph.plane[s]] / 64 == w &&
			bitset_has(t->which.set,
				u->crossing_leaf[u->graph.plane[s]]);
	}
	if (apex)
		check_across(t, s);
}

void
lft_stale_begin(struct lft_stale *t, const struct routes_repair *p,
	const struct dest_table *d, struct row_job *f)
{
	uint32_t words = p->u->graph.words;

	*t = (struct lft_stale){.p = p, .d = d, .f = f, .opened = TOPO_NONE};
	t->which.set = arena_array(f->a, words, sizeof(*t->which.set));
	t->which.word = arena_array(f->a, words, sizeof(*t->which.word));
	t->wide = arena_array(f->a, p->nwide, sizeof(*t->wide));
}

void
lft_stale_end(struct lft_stale *t)
{
	free(t->bad);
	free(t->mask);
}
