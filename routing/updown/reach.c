#include <string.h>

#include "routing/updown/keep_priv.h"

static uint64_t *
row_of(uint64_t *sets, const struct updown *u, sw_ix s)
{
	return sets + (size_t)s * u->graph.words;
}

/* For an extension switch: of what s reaches going down, only what may come to
 * it from above. */
static void
limit_to_extra(const struct updown *u, sw_ix s, uint64_t *row)
{
	for (uint32_t w = 0; sftree_is_extension(u, s) && w < u->graph.words;
		w++)
		row[w] &= u->sftree_extra[s][w];
}

/* Closures need no levels: in the sequence of the order, the rows of the
 * neighbours that s needs are final when s is due. */
static uint64_t *
close_down(const struct updown *u, const struct sw_order *line,
	const struct nbr_class *classes)
{
	uint64_t *sets = arena_array(u->graph.a,
		(size_t)u->graph.nsw * u->graph.words, sizeof(*sets));
	const uint64_t **row = nbr_class_rows(&u->graph, sets);
	struct nbr_class_union sum =
		nbr_class_unions(&u->graph, classes, false);

	for (uint32_t i = u->graph.nsw; i-- > 0;) {
		sw_ix s = line->seq[i];
		uint64_t *dn = row_of(sets, u, s);

		memcpy(dn, nbr_class_union(&sum, s, row),
			u->graph.words * sizeof(*dn));
		bitset_add(dn, s);
		if (line == &u->sw_order)
			limit_to_extra(u, s, dn);
	}
	return sets;
}

static struct reach_sets
close_all(const struct updown *u, const struct sw_order *line,
	const struct nbr_class *classes)
{
	size_t n = (size_t)u->graph.nsw * u->graph.words;
	struct reach_sets r = {close_down(u, line, classes),
		arena_array(u->graph.a, n, sizeof(*r.all))};
	const uint64_t **row = nbr_class_rows(&u->graph, r.all);
	struct nbr_class_union sum = nbr_class_unions(&u->graph, classes, true);

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = line->seq[i];
		uint64_t *all = row_of(r.all, u, s);

		memcpy(all, row_of(r.dn, u, s), u->graph.words * sizeof(*all));
		bitset_or(all, nbr_class_union(&sum, s, row), u->graph.words);
		if (line != &u->sw_order || !sftree_is_extension(u, s))
			continue;
		for (uint32_t k = classes->mid[s]; k < u->graph.first[s + 1];
			k++)
			bitset_or(all, row_of(r.dn, u, classes->peer[k]),
				u->graph.words);
	}
	return r;
}

static const uint64_t **
find_above(const struct updown *u, const struct sw_order *line,
	const struct nbr_class *classes)
{
	uint64_t *rows = arena_array(u->graph.a,
		(size_t)u->graph.nsw * u->graph.words, sizeof(*rows));
	const uint64_t **above =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*above));
	struct nbr_class_union sum = nbr_class_unions(&u->graph, classes, true);

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = line->seq[i];
		uint64_t *row = row_of(rows, u, s);

		memcpy(row, nbr_class_union(&sum, s, above),
			u->graph.words * sizeof(*row));
		bitset_add(row, s);
		above[s] = row;
	}
	return above;
}

void
reach_find_tiers(struct updown *u)
{
	if (u->tier_above != NULL)
		return;
	u->tier_class = nbr_class_find(&u->graph, &u->tier);
	u->tier_set = close_all(u, &u->tier, &u->tier_class);
	u->tier_above = find_above(u, &u->tier, &u->tier_class);
}

static bool
rows_equal(const struct updown *u, const uint64_t *a, const uint64_t *b)
{
	return memcmp(a, b, u->graph.words * sizeof(*a)) == 0;
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

static void
first_level(const struct updown *u, const uint64_t **row)
{
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		uint64_t *own =
			arena_array(u->graph.a, u->graph.words, sizeof(*own));

		bitset_add(own, s);
		row[s] = own;
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
next_dn(const struct updown *u, const struct reach_sets *set,
	struct nbr_class_union *sum, const uint64_t *const *was,
	const uint64_t **is)
{
	bool grown = false;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		uint64_t *own;

		is[s] = was[s];
		if (rows_equal(u, was[s], set->dn + (size_t)s * u->graph.words))
			continue;
		own = arena_array(u->graph.a, u->graph.words, sizeof(*own));
		memcpy(own, was[s], u->graph.words * sizeof(*own));
		bitset_or(own, nbr_class_union(sum, s, was), u->graph.words);
		limit_to_extra(u, s, own);
		is[s] = own;
		grown = true;
	}
	sum->round++;
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
next_path(const struct updown *u, const struct reach_sets *set,
	const struct reachability *r, struct nbr_class_union *sum,
	const uint64_t **is)
{
	const uint64_t *const *was = is - u->graph.nsw;
	uint32_t k = r->path.n - 1 < r->dn.n ? r->path.n - 1 : r->dn.n - 1;
	const uint64_t **dn = r->dn.row + (size_t)k * u->graph.nsw;
	const uint64_t **dn_was = dn_before(u, r, r->path.n - 1);
	bool grown = false;

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		const uint64_t *const below_dn[2] = {
			set->dn + (size_t)s * u->graph.words, dn[s]};
		uint64_t *own;

		is[s] = was[s];
		if (rows_equal(
			    u, was[s], set->all + (size_t)s * u->graph.words))
			continue;
		own = arena_array(u->graph.a, u->graph.words, sizeof(*own));
		if (sftree_is_extension(u, s))
			make_extension_row(u, s, was, dn_was, below_dn, own);
		else
			add_up_paths(u, nbr_class_union(sum, s, was), was[s],
				below_dn, own);
		is[s] = own;
		grown = true;
	}
	sum->round++;
	return grown;
}

static void
find_order_sets(struct updown *u)
{
	u->order_class = nbr_class_find(&u->graph, &u->sw_order);
	u->order_set = close_all(u, &u->sw_order, &u->order_class);
}

static uint32_t
count_members(const struct updown *u, const uint64_t *row)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < u->graph.words; w++)
		n += bitset_count64(row[w]);
	return n;
}

bool
reach_is_complete(struct updown *u)
{
	uint32_t *size = arena_array(u->graph.a, u->graph.ncomp, sizeof(*size));

	find_order_sets(u);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			size[u->graph.comp[s]]++;
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s] &&
			count_members(u, row_of(u->order_set.all, u, s)) !=
				size[u->graph.comp[s]])
			return false;
	return true;
}

/* Levels over u->sw_order, by its classes and the closures in set. */
static struct reachability
make_levels(const struct updown *u, const struct reach_sets *set)
{
	struct reachability r = {0};
	struct nbr_class_union up =
		nbr_class_unions(&u->graph, &u->order_class, true);
	struct nbr_class_union down =
		nbr_class_unions(&u->graph, &u->order_class, false);
	bool more = u->graph.nsw > 0;

	first_level(u, reach_add_level(u, &r.dn));
	while (more) {
		const uint64_t **is = reach_add_level(u, &r.dn);

		more = next_dn(u, set, &down, is - u->graph.nsw, is);
	}
	memcpy(reach_add_level(u, &r.path), r.dn.row,
		u->graph.nsw * sizeof(*r.path.row));
	more = u->graph.nsw > 0;
	while (more) {
		const uint64_t **is = reach_add_level(u, &r.path);

		more = next_path(u, set, &r, &up, is);
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

/* Add the candidates of one level: through the neighbours below, or above. */
static void
add_candidates(const struct updown *u, const uint64_t *const *before, sw_ix s,
	const struct sw_subset *some, bool up, uint64_t *rows)
{
	uint32_t n = u->graph.first[s + 1] - u->graph.first[s];
	const uint64_t *fresh = rows + (size_t)n * u->graph.words;

	for (uint32_t i = 0; i < n; i++) {
		sw_ix peer = u->graph.group[u->graph.first[s] + i].peer;
		uint64_t *cand = rows + (size_t)i * u->graph.words;

		if ((u->sw_order.pos[peer] < u->sw_order.pos[s]) != up)
			continue;
		if (some == NULL)
			add_reached(fresh, before[peer], cand, u->graph.words);
		else
			add_reached_in(fresh, before[peer], cand, some);
	}
}

/* Row k of s; from the level on at which it is complete, always the same. */
static const uint64_t *
row_at(const struct updown *u, const struct reach_levels *l, uint32_t k,
	sw_ix s)
{
	return l->row[(size_t)k * u->graph.nsw + s];
}

/* fresh = is & ~was & ~not, in the words that matter. */
static void
find_fresh(const struct updown *u, const struct sw_subset *some,
	const uint64_t *is, const uint64_t *const was_not[2], uint64_t *fresh)
{
	const uint64_t *was = was_not[0], *not = was_not[1];

	if (some == NULL) {
		for (uint32_t w = 0; w < u->graph.words; w++)
			fresh[w] = is[w] & ~was[w] & ~not [w];
		return;
	}
	for (uint32_t i = 0; i < some->n; i++) {
		uint32_t w = some->word[i];

		fresh[w] = is[w] & ~was[w] & ~not [w];
	}
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

	clear_rows(u, s, among, rows);
	for (uint32_t k = 1; k < r->dn.n; k++) {
		const uint64_t *was = row_at(u, &r->dn, k - 1, s);
		const uint64_t *const was_not[2] = {was, was};

		if (was == below)
			break;
		find_fresh(u, among, row_at(u, &r->dn, k, s), was_not, fresh);
		add_candidates(u, r->dn.row + (size_t)(k - 1) * u->graph.nsw, s,
			among, false, rows);
	}
	for (uint32_t k = 1; k < r->path.n; k++) {
		const uint64_t *was = row_at(u, &r->path, k - 1, s);
		const uint64_t *const was_not[2] = {was, below};

		if (was == all)
			break;
		find_fresh(u, among, row_at(u, &r->path, k, s), was_not, fresh);
		add_candidates(u, r->path.row + (size_t)(k - 1) * u->graph.nsw,
			s, among, true, rows);
		if (sftree_is_extension(u, s))
			add_candidates(
				u, dn_before(u, r, k), s, among, false, rows);
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
