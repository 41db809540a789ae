#include <string.h>

#include "routing/graph/switch_rows.h"
#include "routing/updown/keep_priv.h"

/* For an extension switch: of what s reaches going down, only what may come to
 * it from above. */
static void
limit_to_extra(const struct updown *u, sw_ix s, uint64_t *row)
{
	for (uint32_t w = 0; sftree_is_extension(u, s) && w < u->graph.words;
		w++)
		row[w] &= u->sftree_extra[s][w];
}

static const uint64_t **
row_pointers(const struct updown *u)
{
	return arena_array(u->graph.a, u->graph.nsw, sizeof(uint64_t *));
}

/* The order to close over, with the classes in it. */
struct closing {
	const struct updown *u;
	const struct sw_order *line;
	const struct nbr_class *classes;
	struct switch_rows rows;
};

/*
 * Closures need no levels: in the sequence of the order, the rows of the
 * neighbours that s needs are final when s is due. like: rows of another order,
 * which are mostly the same, or NULL.
 */
static const uint64_t **
close_down(struct closing *c, const uint64_t *const *like)
{
	const struct updown *u = c->u;
	const uint64_t **dn = row_pointers(u);
	struct nbr_class_union sum =
		nbr_class_unions(&u->graph, c->classes, false);

	for (uint32_t i = u->graph.nsw; i-- > 0;) {
		sw_ix s = c->line->seq[i];

		memcpy(c->rows.own, nbr_class_union(&sum, s, dn),
			u->graph.words * sizeof(*c->rows.own));
		bitset_add(c->rows.own, s);
		if (c->line == &u->sw_order)
			limit_to_extra(u, s, c->rows.own);
		dn[s] = switch_rows_take(
			&c->rows, like != NULL ? &like[s] : NULL, like != NULL);
	}
	return dn;
}

/* Switches with the same neighbours above mostly reach the same: last[] is the
 * row of the last switch of each class. */
static const uint64_t **
close_up(struct closing *c, const uint64_t *const *dn)
{
	const struct updown *u = c->u;
	const uint64_t **all = row_pointers(u), **last = row_pointers(u);
	struct nbr_class_union sum =
		nbr_class_unions(&u->graph, c->classes, true);

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = c->line->seq[i], class = c->classes->up.first[s];
		const uint64_t *like[] = {dn[s], last[class]};
		uint64_t *own = c->rows.own;

		memcpy(own, dn[s], u->graph.words * sizeof(*own));
		bitset_or(own, nbr_class_union(&sum, s, all), u->graph.words);
		if (c->line == &u->sw_order && sftree_is_extension(u, s))
			for (uint32_t k = c->classes->mid[s];
				k < u->graph.first[s + 1]; k++)
				bitset_or(own, dn[c->classes->peer[k]],
					u->graph.words);
		all[s] = last[class] = switch_rows_take(&c->rows, like, 2);
	}
	return all;
}

static const uint64_t **
find_above(struct closing *c)
{
	const struct updown *u = c->u;
	const uint64_t **above = row_pointers(u);
	struct nbr_class_union sum =
		nbr_class_unions(&u->graph, c->classes, true);

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = c->line->seq[i];

		memcpy(c->rows.own, nbr_class_union(&sum, s, above),
			u->graph.words * sizeof(*c->rows.own));
		bitset_add(c->rows.own, s);
		above[s] = switch_rows_take(&c->rows, NULL, 0);
	}
	return above;
}

void
reach_find_tiers(struct updown *u)
{
	struct closing c;

	if (u->tier_above != NULL)
		return;
	u->tier_class = nbr_class_find(&u->graph, &u->tier);
	c = (struct closing){.u = u,
		.line = &u->tier,
		.classes = &u->tier_class,
		.rows = switch_rows_begin(u->graph.a, u->graph.words)};
	u->tier_set.dn = close_down(&c, NULL);
	u->tier_set.all = close_up(&c, u->tier_set.dn);
	u->tier_above = find_above(&c);
}

const uint64_t **
reach_add_level(const struct updown *u, struct reach_levels *l)
{
	if (l->n == l->room) {
		const uint64_t **old = l->row;

		l->room = l->room ? l->room * 2 : 8;
		l->row = arena_array(u->graph.a, (size_t)l->room * u->graph.nsw,
			sizeof(*l->row));
		if (l->n > 0)
			memcpy(l->row, old,
				(size_t)l->n * u->graph.nsw * sizeof(*l->row));
	}
	return l->row + (size_t)l->n++ * u->graph.nsw;
}

/* What makes levels: the sets that they end with, and room for rows. */
struct leveling {
	const struct updown *u;
	const struct reach_sets *set;
	struct nbr_class_union up, down;
	struct switch_rows rows;
	const uint64_t **last; /* [nsw] of a class above: the last row made */
};

static void
first_level(struct leveling *l, const uint64_t **row)
{
	const struct updown *u = l->u;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		memset(l->rows.own, 0, u->graph.words * sizeof(*l->rows.own));
		bitset_add(l->rows.own, s);
		row[s] = switch_rows_take(&l->rows, &l->set->dn[s], 1);
	}
}

/* own = what neighbours above reach (x) and s cannot reach going down, what was
 * reached before, and what is reached going down. */
static void
add_up_paths(const struct updown *u, const uint64_t *x, const uint64_t *was,
	const uint64_t *const below_dn[2], uint64_t *own)
{
	const uint64_t *below = below_dn[0], *dn = below_dn[1];

	for (uint32_t w = 0; w < u->graph.words; w++)
		own[w] = (x[w] & ~below[w]) | was[w] | dn[w];
}

/*
 * The row of an extension switch s in a level of legal paths, from the rows was
 * of the level before. dn_was: what is reached going down within the steps of
 * was; below_dn: what s reaches going down, in all and within the steps of the
 * new level.
 */
static void
make_extension_row(const struct updown *u, sw_ix s, const uint64_t *const *was,
	const uint64_t *const *dn_was, const uint64_t *const below_dn[2],
	uint64_t *own)
{
	memset(own, 0, u->graph.words * sizeof(*own));
	for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1]; g++) {
		sw_ix peer = u->graph.group[g].peer;

		if (u->sw_order.pos[peer] < u->sw_order.pos[s])
			bitset_or(own, was[peer], u->graph.words);
		else
			bitset_or(own, dn_was[peer], u->graph.words);
	}
	add_up_paths(u, own, was[s], below_dn, own);
}

/* Going down within k steps: what the neighbours below reach within k - 1. */
static bool
next_dn(struct leveling *l, const uint64_t *const *was, const uint64_t **is)
{
	const struct updown *u = l->u;
	bool grown = false;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		uint64_t *own = l->rows.own;

		is[s] = was[s];
		if (is[s] == l->set->dn[s])
			continue;
		memcpy(own, was[s], u->graph.words * sizeof(*own));
		bitset_or(
			own, nbr_class_union(&l->down, s, was), u->graph.words);
		limit_to_extra(u, s, own);
		is[s] = switch_rows_take(&l->rows, &l->set->dn[s], 1);
		grown = true;
	}
	l->down.round++;
	return grown;
}

/* Rows: what is reached going down in fewer than k steps. */
static const uint64_t **
dn_before(const struct updown *u, const struct reachability *r, uint32_t k)
{
	uint32_t was = k <= r->dn.n ? k - 1 : r->dn.n - 1;

	return r->dn.row + (size_t)was * u->graph.nsw;
}

/* Legal paths within k steps: going down, and up for what cannot be reached
 * going down. */
static bool
next_path(struct leveling *l, const struct reachability *r, const uint64_t **is)
{
	const struct updown *u = l->u;
	const uint64_t *const *was = is - u->graph.nsw;
	uint32_t k = r->path.n - 1 < r->dn.n ? r->path.n - 1 : r->dn.n - 1;
	const uint64_t **dn = r->dn.row + (size_t)k * u->graph.nsw;
	const uint64_t **dn_was = dn_before(u, r, r->path.n - 1);
	bool grown = false;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		const uint64_t *const below_dn[2] = {l->set->dn[s], dn[s]};
		const uint64_t **last = &l->last[u->order_class.up.first[s]];
		const uint64_t *like[] = {l->set->all[s], dn[s], *last};

		is[s] = was[s];
		if (is[s] == l->set->all[s])
			continue;
		if (sftree_is_extension(u, s))
			make_extension_row(
				u, s, was, dn_was, below_dn, l->rows.own);
		else
			add_up_paths(u, nbr_class_union(&l->up, s, was), was[s],
				below_dn, l->rows.own);
		is[s] = *last = switch_rows_take(&l->rows, like, 3);
		grown = true;
	}
	l->up.round++;
	return grown;
}

static void
find_order_sets(struct updown *u)
{
	struct closing c;

	u->order_class = nbr_class_find(&u->graph, &u->sw_order);
	c = (struct closing){.u = u,
		.line = &u->sw_order,
		.classes = &u->order_class,
		.rows = switch_rows_begin(u->graph.a, u->graph.words)};
	u->order_set.dn = close_down(&c, u->tier_set.dn);
	u->order_set.all = close_up(&c, u->order_set.dn);
}

void
reach_mark_gaps(const struct updown *u, const struct reach_sets *set, bool *gap)
{
	size_t bytes = u->graph.words * sizeof(uint64_t);
	uint64_t *all = arena_array(
		u->graph.a, (size_t)u->graph.ncomp * u->graph.words, 8);

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			bitset_add(
				all + (size_t)u->graph.comp[s] * u->graph.words,
				s);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s] &&
			memcmp(set->all[s],
				all + (size_t)u->graph.comp[s] * u->graph.words,
				bytes) != 0)
			gap[u->graph.comp[s]] = true;
}

bool
reach_is_complete(struct updown *u)
{
	bool *gap = arena_array(u->graph.a, u->graph.ncomp, sizeof(*gap));
	bool any = false;

	find_order_sets(u);
	reach_mark_gaps(u, &u->order_set, gap);
	for (uint32_t c = 0; c < u->graph.ncomp; c++)
		any |= gap[c];
	return !any;
}

/* Levels over u->sw_order, by its classes and the closures in set. */
static struct reachability
make_levels(const struct updown *u, const struct reach_sets *set)
{
	struct reachability r = {0};
	struct leveling l = {.u = u,
		.set = set,
		.up = nbr_class_unions(&u->graph, &u->order_class, true),
		.down = nbr_class_unions(&u->graph, &u->order_class, false),
		.rows = switch_rows_begin(u->graph.a, u->graph.words),
		.last = row_pointers(u)};
	bool more = u->graph.nsw > 0;

	first_level(&l, reach_add_level(u, &r.dn));
	while (more) {
		const uint64_t **is = reach_add_level(u, &r.dn);

		more = next_dn(&l, is - u->graph.nsw, is);
	}
	memcpy(reach_add_level(u, &r.path), r.dn.row,
		u->graph.nsw * sizeof(*r.path.row));
	more = u->graph.nsw > 0;
	while (more) {
		const uint64_t **is = reach_add_level(u, &r.path);

		more = next_path(&l, &r, is);
	}
	return r;
}

static struct reachability
make_order_levels(struct updown *u)
{
	if (u->order_set.dn == NULL)
		find_order_sets(u);
	return make_levels(u, &u->order_set);
}

struct reachability
reach_make_levels(struct updown *u)
{
	reach_find_tiers(u);
	if (u->sftree_root != TOPO_NONE)
		return make_order_levels(u);
	u->order_class = u->tier_class;
	return make_levels(u, &u->tier_set);
}

/* cand |= fresh & there: first reached in this step, through this neighbour. */
static void
add_reached(const uint64_t *fresh, const uint64_t *there,
	uint64_t *restrict cand, uint32_t words)
{
	for (uint32_t w = 0; w < words; w += 4) {
		cand[w] |= fresh[w] & there[w];
		cand[w + 1] |= fresh[w + 1] & there[w + 1];
		cand[w + 2] |= fresh[w + 2] & there[w + 2];
		cand[w + 3] |= fresh[w + 3] & there[w + 3];
	}
}

static void
add_reached_in(const uint64_t *fresh, const uint64_t *there,
	uint64_t *restrict cand, const struct sw_subset *some)
{
	for (uint32_t i = 0; i < some->n; i++) {
		uint32_t w = some->word[i];

		cand[w] |= fresh[w] & there[w];
	}
}

/* The neighbours of a switch on one side, and the numbers of their groups. */
struct side {
	uint32_t n;
	uint16_t peer[UPDN_MAX_GROUPS];
	uint8_t group[UPDN_MAX_GROUPS];
};

static void
split_groups(
	const struct updown *u, sw_ix s, struct side *up, struct side *down)
{
	uint32_t first = u->graph.first[s], place = u->sw_order.pos[s];

	up->n = down->n = 0;
	for (uint32_t i = first; i < u->graph.first[s + 1]; i++) {
		uint16_t peer = u->graph.group[i].peer;
		struct side *to = u->sw_order.pos[peer] < place ? up : down;

		to->peer[to->n] = peer;
		to->group[to->n++] = (uint8_t)(i - first);
	}
}

/* Add the candidates of one level through these neighbours. */
static void
add_candidates(const struct updown *u, const uint64_t *const *before,
	const struct side *by, const struct sw_subset *some,
	const uint64_t *fresh, uint64_t *rows)
{
	for (uint32_t i = 0; i < by->n; i++) {
		const uint64_t *there = before[by->peer[i]];
		uint64_t *cand = rows + (size_t)by->group[i] * u->graph.words;

		if (some == NULL)
			add_reached(fresh, there, cand, u->graph.words);
		else
			add_reached_in(fresh, there, cand, some);
	}
}

/* Row k of s; from the level on at which it is complete, always the same. */
static const uint64_t *
row_at(const struct updown *u, const struct reach_levels *l, uint32_t k,
	sw_ix s)
{
	return l->row[(size_t)k * u->graph.nsw + s];
}

/* fresh = is & ~was & ~not, in the words that matter. False: nothing is. */
static bool
find_fresh(const struct updown *u, const struct sw_subset *some,
	const uint64_t *is, const uint64_t *const was_not[2], uint64_t *fresh)
{
	const uint64_t *was = was_not[0], *not = was_not[1];
	uint64_t any = 0;

	if (some == NULL) {
		for (uint32_t w = 0; w < u->graph.words; w++) {
			fresh[w] = is[w] & ~was[w] & ~not [w];
			any |= fresh[w];
		}
		return any != 0;
	}
	for (uint32_t i = 0; i < some->n; i++) {
		uint32_t w = some->word[i];

		fresh[w] = is[w] & ~was[w] & ~not [w];
		any |= fresh[w];
	}
	return any != 0;
}

static void
clear_rows(const struct updown *u, sw_ix s, const struct sw_subset *some,
	uint64_t *rows)
{
	uint32_t n = u->graph.first[s + 1] - u->graph.first[s];

	if (some == NULL)
		memset(rows, 0, (size_t)n * u->graph.words * sizeof(*rows));
	for (uint32_t i = 0; some != NULL && i < n; i++)
		for (uint32_t k = 0; k < some->n; k++)
			rows[(size_t)i * u->graph.words + some->word[k]] = 0;
}

void
reach_candidates(const struct updown *u, const struct reachability *r, sw_ix s,
	const struct sw_subset *among, uint64_t *rows)
{
	uint64_t *fresh =
		rows + (size_t)(u->graph.first[s + 1] - u->graph.first[s]) *
			       u->graph.words;
	const uint64_t *below = row_at(u, &r->dn, r->dn.n - 1, s);
	const uint64_t *all = row_at(u, &r->path, r->path.n - 1, s);
	struct side up, down;

	split_groups(u, s, &up, &down);
	clear_rows(u, s, among, rows);
	for (uint32_t k = 1; k < r->dn.n; k++) {
		const uint64_t *was = row_at(u, &r->dn, k - 1, s);
		const uint64_t *const was_not[2] = {was, was};

		if (was == below)
			break;
		if (find_fresh(
			    u, among, row_at(u, &r->dn, k, s), was_not, fresh))
			add_candidates(u,
				r->dn.row + (size_t)(k - 1) * u->graph.nsw,
				&down, among, fresh, rows);
	}
	for (uint32_t k = 1; k < r->path.n; k++) {
		const uint64_t *was = row_at(u, &r->path, k - 1, s);
		const uint64_t *const was_not[2] = {was, below};

		if (was == all)
			break;
		if (!find_fresh(u, among, row_at(u, &r->path, k, s), was_not,
			    fresh))
			continue;
		add_candidates(u, r->path.row + (size_t)(k - 1) * u->graph.nsw,
			&up, among, fresh, rows);
		if (sftree_is_extension(u, s))
			add_candidates(u, dn_before(u, r, k), &down, among,
				fresh, rows);
	}
}

/* ---- candidates for few words of many switches ---- */

enum {
	MOST = 16, /* words in a block */
	MANY = 32, /* switches that differ in a word, to have it in the block */
};

/*
 * Levels of all switches side by side, for some words of their rows: what
 * queries about few destinations and many switches read fits the CPU's cache.
 */
struct reach_block {
	const struct updown *u;
	uint32_t *slot; /* [words] its column + 1, or 0 */
	uint32_t ndn, npath;
	uint64_t *dn, *path; /* [(slot * levels + level) * nsw + switch] */
};

/* Column `slot` of levels: word w of every row. */
static void
copy_column(const struct updown *u, const struct reach_levels *l, uint32_t w,
	uint64_t *to)
{
	for (uint32_t k = 0; k < l->n; k++) {
		const uint64_t *const *is = l->row + (size_t)k * u->graph.nsw;
		uint64_t *out = to + (size_t)k * u->graph.nsw;

		for (sw_ix s = 0; s < u->graph.nsw; s++)
			out[s] = k > 0 && is[s] == (is - u->graph.nsw)[s]
					 ? (out - u->graph.nsw)[s]
					 : is[s][w];
	}
}

/* Number the words of the block from 1; other words get 0. Returns how many. */
static uint32_t
number_words(const struct keep_job *p, uint32_t *slot)
{
	const struct updown *u = p->u;
	uint32_t n = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		for (uint32_t i = 0; p->diff[s] != NULL && i < p->nwide; i++) {
			uint64_t b = p->wide[(size_t)s * p->nwide + i];

			for (; b != 0; b &= b - 1)
				slot[i * 64 + bitset_lowest64(b)]++;
		}
	for (uint32_t w = 0; w < u->graph.words; w++)
		slot[w] = slot[w] >= MANY && n < MOST ? ++n : 0;
	return n;
}

const struct reach_block *
reach_block_new(const struct keep_job *p)
{
	const struct updown *u = p->u;
	const struct reachability *r = p->reach;
	struct reach_block *c = arena_alloc(u->graph.a, sizeof(*c));
	size_t dn = (size_t)r->dn.n * u->graph.nsw,
	       path = (size_t)r->path.n * u->graph.nsw;
	uint32_t n;

	c->u = u;
	c->ndn = r->dn.n;
	c->npath = r->path.n;
	c->slot = arena_array(u->graph.a, u->graph.words, sizeof(*c->slot));
	n = number_words(p, c->slot);
	c->dn = arena_array(u->graph.a, n * dn, sizeof(*c->dn));
	c->path = arena_array(u->graph.a, n * path, sizeof(*c->path));
	for (uint32_t w = 0; w < u->graph.words; w++) {
		uint32_t i = c->slot[w] - 1;

		if (c->slot[w] == 0)
			continue;
		copy_column(u, &r->dn, w, c->dn + i * dn);
		copy_column(u, &r->path, w, c->path + i * path);
	}
	return c;
}

/* Candidates of s for the destinations in `of`, which is a set in word w:
 * through the neighbours below, or above. */
static void
add_block_candidates(const struct reach_block *c, sw_ix s, uint32_t w, bool up,
	uint64_t of, uint64_t *rows)
{
	const struct updown *u = c->u;
	const uint32_t *pos = u->sw_order.pos;
	uint32_t levels = up ? c->npath : c->ndn;
	const uint64_t *col = (up ? c->path : c->dn) +
			      (size_t)(c->slot[w] - 1) * levels * u->graph.nsw;

	for (uint32_t k = 1; k < levels; k++, col += u->graph.nsw) {
		uint64_t fresh = (col + u->graph.nsw)[s] & ~col[s] & of;

		for (uint32_t g = u->graph.first[s];
			fresh != 0 && g < u->graph.first[s + 1]; g++) {
			sw_ix peer = u->graph.group[g].peer;
			size_t row = (size_t)(g - u->graph.first[s]) *
				     u->graph.words;

			if ((pos[peer] < pos[s]) == up)
				rows[row + w] |= fresh & col[peer];
		}
	}
}

void
reach_block_candidates(const struct reach_block *c, sw_ix s,
	const struct sw_subset *among, struct sw_subset *rest, uint64_t *rows)
{
	const struct updown *u = c->u;
	uint32_t n = u->graph.first[s + 1] - u->graph.first[s];

	rest->set = among->set;
	rest->n = 0;
	for (uint32_t i = 0; i < among->n; i++) {
		uint32_t w = among->word[i];
		const uint64_t *last;

		if (c->slot[w] == 0 || sftree_is_extension(u, s)) {
			rest->word[rest->n++] = w;
			continue;
		}
		last = c->dn + ((size_t)c->slot[w] * c->ndn - 1) * u->graph.nsw;
		for (uint32_t g = 0; g < n; g++)
			rows[(size_t)g * u->graph.words + w] = 0;
		add_block_candidates(c, s, w, false, among->set[w], rows);
		add_block_candidates(
			c, s, w, true, among->set[w] & ~last[s], rows);
	}
}
