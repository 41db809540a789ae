#include <string.h>

#include "routing/updown/row_priv.h"

enum {
	TEMPLATES = 8,
	WORTH = 4, /* a row that differs in 1 / WORTH is better made anew */
};

void
row_template_init(struct row_job *f)
{
	f->template = arena_array(f->a, TEMPLATES, sizeof(*f->template));
	f->diff.set = arena_array(f->a, f->u->graph.words, sizeof(uint64_t));
	f->diff.word = arena_array(f->a, f->u->graph.words, sizeof(uint32_t));
	f->none = arena_array(f->a, f->u->graph.words, sizeof(*f->none));
	f->split_at = arena_array(f->a, f->u->graph.words, sizeof(uint64_t));
	for (uint32_t k = 0; k < f->d->nsplit; k++)
		bitset_add(f->split_at, f->d->dest[f->d->split[k]]);
	f->touched =
		arena_array(f->a, f->bytes / LFT_BLOCK, sizeof(*f->touched));
	f->list = arena_array(f->a, f->bytes / LFT_BLOCK, sizeof(*f->list));
}

static bool
is_up(const struct updown *u, sw_ix s, const struct link_group *g)
{
	return u->tier.pos[g->peer] < u->tier.pos[s];
}

/* True if both are links to the same neighbour by the same ports. */
static bool
same_group(const struct updown *u, const struct link_group *a,
	const struct link_group *b)
{
	const struct topo_adj *at = u->graph.t->adj + a->adj,
			      *bt = u->graph.t->adj + b->adj;

	if (a->peer != b->peer || a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (at[i].out != bt[i].out)
			return false;
	return true;
}

/* A switch above both must be above both by the same group; then the patterns
 * are equal, too. */
bool
row_template_same_uplinks(const struct updown *u, sw_ix s, sw_ix t)
{
	uint32_t n = u->graph.first[s + 1] - u->graph.first[s];

	if (n != u->graph.first[t + 1] - u->graph.first[t])
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct link_group *a =
			&u->graph.group[u->graph.first[s] + i];
		const struct link_group *b =
			&u->graph.group[u->graph.first[t] + i];

		if ((is_up(u, s, a) || is_up(u, t, b)) && !same_group(u, a, b))
			return false;
	}
	return true;
}

bool
row_template_same_links(const struct updown *u, sw_ix s, sw_ix t)
{
	uint32_t n = u->graph.first[s + 1] - u->graph.first[s];

	if (n != u->graph.first[t + 1] - u->graph.first[t])
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!same_group(u, &u->graph.group[u->graph.first[s] + i],
			    &u->graph.group[u->graph.first[t] + i]))
			return false;
	return true;
}

/* True if each neighbour above both in tiers is on the same side of both in the
 * switch order. */
static bool
same_sides(const struct updown *u, sw_ix s, sw_ix t)
{
	const uint32_t *pos = u->sw_order.pos;

	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if (is_up(u, s, &u->graph.group[g]) &&
			(pos[peer] < pos[s]) != (pos[peer] < pos[t]))
			return false;
	}
	return true;
}

/*
 * Destinations that s and t reach in different numbers of steps: for all others
 * each common neighbour is a candidate of both, or of neither. This is not
 * needed where both have the same neighbours on that side of the order: then
 * only destinations below just one of them can differ, and the two themselves.
 */
static void
find_steps(const struct updown *u, const struct reach_levels *l,
	const sw_ix both[2], const uint64_t *const below[2], uint64_t *diff)
{
	for (uint32_t k = 1; k < l->n; k++) {
		const uint64_t **is = l->row + (size_t)k * u->graph.nsw;
		const uint64_t **was = is - u->graph.nsw;
		const uint64_t *x = is[both[0]], *y = is[both[1]];
		const uint64_t *x0 = was[both[0]], *y0 = was[both[1]];

		if (x == x0 && y == y0)
			continue;
		for (uint32_t w = 0; w < u->graph.words; w++)
			diff[w] |= (x[w] & ~x0[w] & ~below[0][w]) ^
				   (y[w] & ~y0[w] & ~below[1][w]);
	}
}

/* The destinations for which s and the template may differ, in f->diff. Returns
 * how many. */
static uint32_t
find_diff(struct row_job *f, sw_ix s, const struct row_template *t)
{
	const struct updown *u = f->u;
	const struct reach_levels *dn = &f->r->dn, *path = &f->r->path;
	const uint64_t *near = f->near[s];
	const uint64_t *near_t = f->near[t->sw];
	const uint64_t **last = dn->row + (size_t)(dn->n - 1) * u->graph.nsw;
	const sw_ix both[2] = {s, t->sw};
	const uint64_t *const below[2] = {last[s], last[t->sw]};
	const uint64_t *const none[2] = {f->none, f->none};
	uint64_t *diff = f->diff.set;
	uint32_t sum = 0;

	for (uint32_t w = 0; w < u->graph.words; w++)
		diff[w] = near[w] ^ near_t[w];
	if (!row_template_same_links(u, s, t->sw))
		for (uint32_t w = 0; w < u->graph.words; w++)
			diff[w] |= below[0][w] | below[1][w];
	else if (!nbr_class_is_same(&u->order_class.down, s, t->sw))
		find_steps(u, dn, both, none, diff);
	if (!nbr_class_is_same(&u->order_class.up, s, t->sw))
		find_steps(u, path, both, below, diff);
	else
		for (uint32_t w = 0; w < u->graph.words; w++)
			diff[w] |= below[0][w] ^ below[1][w];
	bitset_or(diff, f->split_at, u->graph.words);
	bitset_add(diff, s);
	bitset_add(diff, t->sw);
	f->diff.n = 0;
	for (uint32_t w = 0; w < u->graph.words; w++) {
		sum += bitset_count64(diff[w]);
		if (diff[w] != 0)
			f->diff.word[f->diff.n++] = w;
	}
	return sum;
}

const struct row_template *
row_template_find(struct row_job *f, sw_ix s)
{
	for (uint32_t i = 0; i < f->ntemplates && !sftree_is_extension(f->u, s);
		i++) {
		const struct row_template *t = &f->template[i];

		if (row_template_same_uplinks(f->u, s, t->sw))
			return same_sides(f->u, s, t->sw) &&
					       find_diff(f, s, t) * WORTH <
						       f->u->graph.nsw
				       ? t
				       : NULL;
	}
	return NULL;
}

void
row_template_forget(struct row_job *f)
{
	f->ntemplates = 0;
}

void
row_template_add(struct row_job *f, sw_ix s)
{
	const struct updown *u = f->u;
	struct row_template *t = &f->template[f->ntemplates];
	size_t keys = (size_t)f->d->npath_tops * f->d->spread;

	for (uint32_t i = 0; i < f->ntemplates; i++)
		if (row_template_same_uplinks(u, s, f->template[i].sw))
			return;
	if (f->ntemplates == TEMPLATES || sftree_is_extension(u, s))
		return;
	f->ntemplates++;
	t->sw = s;
	if (t->row == NULL) {
		t->far = arena_array(f->a, u->graph.words, sizeof(*t->far));
		t->pattern = arena_alloc(f->a, keys);
		t->row = arena_alloc(f->a, f->bytes);
	}
	memcpy(t->far, f->far, u->graph.words * sizeof(*t->far));
	memcpy(t->pattern, f->pattern, keys);
	memcpy(t->row, f->row, f->bytes);
	memcpy(t->meant, f->meant, sizeof(t->meant));
	memcpy(t->sum, f->sum, sizeof(t->sum));
}
