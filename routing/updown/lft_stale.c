#include <stdlib.h>
#include <string.h>

#include "routing/updown/lft_stale.h"
#include "sm/base/mem.h"

/* A switch with changed links: all destinations but the switch itself. */
static void
select_all(struct lft_stale *t, sw_ix s)
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
select_in_word(struct lft_stale *t, sw_ix s, uint32_t w)
{
	const struct keep_job *p = t->p;
	const struct updown *u = p->u;
	uint64_t set = p->diff[s] != NULL ? p->diff[s][w] : 0;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++)
		if (p->diff[u->graph.group[g].peer] != NULL)
			set |= p->diff[u->graph.group[g].peer][w];
	if (p->moved_at != NULL)
		set |= p->moved_at[w];
	if (w == s / 64)
		set &= ~(UINT64_C(1) << (s % 64));
	t->which.set[w] = set;
	if (set != 0)
		t->which.word[t->which.n++] = w;
}

/* True if all switches have to look at entries for other trees. */
static bool
all_look_across(const struct keep_job *p)
{
	return p->u->graph.plane != NULL &&
	       (p->moved != NULL || p->other_trees);
}

/* Select the destinations for which the candidates of s may have changed. Some
 * entries for other trees are those for the crossing leaf. */
static void
select_dests(struct lft_stale *t, sw_ix s)
{
	const struct keep_job *p = t->p;

	if (p->seed[s] || all_look_across(p)) {
		select_all(t, s);
		return;
	}
	t->which.n = 0;
	reach_diff_words(p, s, t->wide);
	for (uint32_t i = 0; i < p->nwide; i++)
		for (uint64_t b = t->wide[i]; b != 0; b &= b - 1)
			select_in_word(t, s, i * 64 + bitset_lowest64(b));
}

static void
note_entry(struct lft_stale *t, sw_ix s, uint32_t i)
{
	t->entry = mem_grow(t->entry, t->nentries, &t->cap, sizeof(*t->entry));
	t->entry[t->nentries++] = (struct lft_stale_entry){s, i, t->nmask};
}

/* Check the entries of s for the LIDs at x against the allowed ports. */
static void
check_entries(struct lft_stale *t, sw_ix s, sw_ix x, const uint8_t allowed[256])
{
	const struct dest_table *d = t->p->d;
	uint32_t block = UINT32_MAX;
	const uint8_t *b = NULL;

	for (uint32_t i = d->at[x]; i < d->end[x]; i++) {
		uint32_t n = d->lid[i] / LFT_BLOCK;

		if (n != block) {
			block = n;
			b = keep_prev_block(t->p, s, n);
		}
		if (!allowed[b[d->lid[i] % LFT_BLOCK]] ||
			(t->p->moved != NULL && t->p->moved[i]))
			note_entry(t, s, i);
	}
}

/* The LIDs at s itself: their ports may have changed. */
static void
check_own(struct lft_stale *t, sw_ix s)
{
	const struct dest_table *d = t->p->d;

	for (uint32_t i = d->at[s]; i < d->end[s]; i++)
		if (keep_prev_port(t->p, s, d->lid[i]) != d->out[i])
			note_entry(t, s, i);
}

static const uint8_t *
allowed_ports(struct lft_stale *t, sw_ix s, sw_ix x)
{
	next_hop_allow_ports(t->f, s, t->f->mask + (size_t)x * t->f->W);
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
check_dest(struct lft_stale *t, sw_ix s, sw_ix x)
{
	static const uint8_t dropped[256] = {[LFT_DROP] = 1};
	const struct dest_table *d = t->p->d;
	const uint64_t *mask = t->f->mask + (size_t)x * t->f->W;
	size_t n = t->nentries;

	if (d->at[x] == d->end[x] || multi_tree_is_across(t->p->u, s, x))
		return;
	check_entries(t, s, x,
		row_mask_is_empty(mask, t->f->W) ? dropped
						 : allowed_ports(t, s, x));
	if (t->nentries > n)
		note_mask(t, mask);
}

/* Check entries for other trees: they leave by an exit of s itself, or as for
 * the crossing leaf of its own tree. */
static void
check_other_trees(struct lft_stale *t, sw_ix s)
{
	const struct updown *u = t->p->u;
	uint8_t mark[256];

	for (uint32_t p = 0; u->graph.plane != NULL && p < u->nplanes; p++) {
		const uint8_t *allowed = mark;

		if (!multi_tree_is_across(u, s, u->crossing_leaf[p]))
			continue;
		if (!multi_tree_mark_exits(u, s, p, mark))
			allowed = allowed_ports(
				t, s, u->crossing_leaf[u->graph.plane[s]]);
		for (sw_ix x = 0; x < u->graph.nsw; x++)
			if (u->graph.plane[x] == p &&
				multi_tree_is_across(u, s, x))
				check_entries(t, s, x, allowed);
	}
}

bool
lft_stale_is_alike(const struct updown *u, sw_ix s, sw_ix x)
{
	const uint32_t *tier = u->tier.pos, *line = u->sw_order.pos;

	if (x == TOPO_NONE || !row_template_same_links(u, s, x))
		return false;
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if ((tier[peer] < tier[s]) != (tier[peer] < tier[x]) ||
			(line[peer] < line[s]) != (line[peer] < line[x]))
			return false;
	}
	return true;
}

/* True if the levels of s are what those of its neighbours make them, as
 * before. */
static bool
has_plain_levels(const struct keep_job *p, sw_ix s)
{
	return !p->seed[s] && p->diff[s] == NULL &&
	       !sftree_is_extension(p->u, s) && p->u->graph.plane == NULL;
}

/* True if s has the candidates found for switch t->opened. False where a
 * neighbour's rows differ about one of these two switches. */
static bool
has_same_candidates(const struct lft_stale *t, sw_ix s)
{
	const struct keep_job *p = t->p;
	const struct updown *u = p->u;

	if (!has_plain_levels(p, s) || !lft_stale_is_alike(u, s, t->opened))
		return false;
	if (p->moved_at != NULL && (bitset_has(p->moved_at, s) ||
					   bitset_has(p->moved_at, t->opened)))
		return false;
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		const uint64_t *diff = p->diff[u->graph.group[g].peer];

		if (diff != NULL &&
			(bitset_has(diff, s) || bitset_has(diff, t->opened)))
			return false;
	}
	return true;
}

/* Find the candidates of s for the selected destinations. */
static void
open_row(struct lft_stale *t, sw_ix s)
{
	if (has_same_candidates(t, s))
		return;
	select_dests(t, s);
	row_fill_find_masks(t->f, s, &t->which);
	t->opened = has_plain_levels(t->p, s) ? s : TOPO_NONE;
}

void
lft_stale_find(struct lft_stale *t, sw_ix s)
{
	const struct keep_job *p = t->p;
	const struct updown *u = p->u;
	bool crossing = p->seed[s] || all_look_across(p);

	open_row(t, s);
	for (uint32_t k = 0; k < t->which.n; k++) {
		uint32_t w = t->which.word[k];
		uint64_t b = t->which.set[w];

		for (; b != 0; b &= b - 1)
			check_dest(t, s, w * 64 + bitset_lowest64(b));
		crossing |= u->graph.plane != NULL &&
			    u->crossing_leaf[u->graph.plane[s]] / 64 == w &&
			    bitset_has(t->which.set,
				    u->crossing_leaf[u->graph.plane[s]]);
	}
	if (crossing)
		check_other_trees(t, s);
	if (p->moved != NULL)
		check_own(t, s);
}

void
lft_stale_begin(
	struct lft_stale *t, const struct keep_job *p, struct row_job *f)
{
	uint32_t words = p->u->graph.words;

	*t = (struct lft_stale){.p = p, .f = f, .opened = TOPO_NONE};
	t->which.set = arena_array(f->a, words, sizeof(*t->which.set));
	t->which.word = arena_array(f->a, words, sizeof(*t->which.word));
	t->wide = arena_array(f->a, p->nwide, sizeof(*t->wide));
}

void
lft_stale_end(struct lft_stale *t)
{
	free(t->entry);
	free(t->mask);
}
