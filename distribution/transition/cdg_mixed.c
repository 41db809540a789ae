/*
 * cdg_mixed: dependency matrices, 64 LIDs at a time.
 *
 * For each switch u and each of the 64 LIDs of a block, the port by which u
 * sends it gives a channel; the row of that channel gets the bits of the ports
 * by which the switch behind it may send the LID on. With u in the outer loop
 * all that is touched (the blocks and rows of its neighbours) stays in the
 * nearest cache. With one layer every switch is a source of its own, so that it
 * need not be known which packets reach it. With more it has to be: packets
 * begin in the layers of their source and spread along the entries, in the same
 * layer and, with a map of VLs, in the class of each link that they arrive by.
 *
 * After some blocks there is little left to find: a switch is skipped when the
 * rows of its links already hold all ports that its neighbours use.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

struct mix {
	const struct lft_values *v;
	const struct chan_graph *n;
	uint64_t *dep;
	struct transition_lines edge, reach;
	uint64_t *mask; /* [nsw + 1][64] planes with packets, or NULL */
	bool narrow;	/* rows of one word, and no port 63 */
	uint64_t *out; /* [nsw + 1 << shift] channels that the block leads to */
};

/*
 * Add the entries of u by image `up`. Rows of one word also take a bit for
 * values that are no port: 255 looks like port 63, which these switches do not
 * have.
 */
static void
add_narrow_line(struct mix *m, sw_ix u, const uint8_t *up)
{
	const struct transition_to *to = m->n->to + (size_t)u * 256;
	const struct transition_pair *of = m->edge.of;
	uint64_t *dep = m->dep;

	for (unsigned l = 0; m->edge.plain && l < LFT_BLOCK; l++) {
		struct transition_to t = to[up[l]];

		dep[t.rec] |= UINT64_C(1) << (of[t.s].a[l] & 63);
	}
	for (unsigned l = 0; !m->edge.plain && l < LFT_BLOCK; l++) {
		struct transition_to t = to[up[l]];
		struct transition_pair p = of[t.s];

		dep[t.rec] |= UINT64_C(1) << (p.a[l] & 63) |
			      UINT64_C(1) << (p.b[l] & 63);
	}
}

static void
add_wide_line(struct mix *m, sw_ix u, const uint8_t *up)
{
	const struct chan_graph *n = m->n;
	const struct transition_to *to = n->to + (size_t)u * 256;
	const struct transition_pair *of = m->edge.of;
	uint64_t *dep = m->dep;
	unsigned shift = n->shift;

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		struct transition_to t = to[up[l]];
		uint8_t x = of[t.s].a[l], y = of[t.s].b[l];
		uint64_t *row = dep + ((size_t)t.rec << shift);

		row[n->word[x]] |= n->bit[x];
		row[n->word[y]] |= n->bit[y];
	}
}

/* The same for every plane with packets at u. */
static void
add_layered_line(struct mix *m, sw_ix u, const uint8_t *up)
{
	const struct chan_graph *n = m->n;
	const struct transition_to *to = n->to + (size_t)u * 256;
	const uint64_t *mask = m->mask + (size_t)u * LFT_BLOCK;

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		uint32_t c = to[up[l]].rec;
		struct transition_pair p = m->edge.of[to[up[l]].s];
		uint8_t x = p.a[l], y = p.b[l];

		for (uint64_t planes = mask[l]; planes != 0;
			planes &= planes - 1) {
			uint32_t v =
				c + (uint32_t)__builtin_ctzll(planes) * n->nrec;
			uint64_t *row = m->dep + ((size_t)v << n->shift);

			row[n->word[x]] |= n->bit[x];
			row[n->word[y]] |= n->bit[y];
		}
	}
}

/*
 * Add the dependencies of switch u's image `up` into a further image of switch
 * s.
 */
static void
add_extra_pair(struct mix *m, sw_ix u, const uint8_t *up,
	const struct transition_extra *x)
{
	const struct chan_graph *n = m->n;
	const struct transition_to *to = n->to + (size_t)u * 256;

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		uint32_t c = to[up[l]].rec;
		uint8_t out = x->line[l];
		uint64_t planes =
			m->mask ? m->mask[(size_t)u * LFT_BLOCK + l] : 1;

		if (n->owner[c] != x->s)
			continue;
		for (; planes != 0; planes &= planes - 1) {
			uint32_t v =
				c + (uint32_t)__builtin_ctzll(planes) * n->nrec;

			m->dep[((size_t)v << n->shift) + n->word[out]] |=
				n->bit[out];
		}
	}
}

/* Add what enters a switch that has a further value, from its neighbours. */
static void
add_extra_in(struct mix *m, const struct transition_extra *x)
{
	const struct chan_graph *n = m->n;
	const struct transition_lines *e = &m->edge;
	sw_ix before = TOPO_NONE;

	for (uint32_t c = n->off[x->s]; c < n->off[x->s + 1]; c++) {
		sw_ix u = n->owner[n->peer[c]];

		if (u == n->nsw || u == before)
			continue;
		before = u;
		add_extra_pair(m, u, e->of[u].a, x);
		if (e->of[u].b != e->of[u].a)
			add_extra_pair(m, u, e->of[u].b, x);
		for (size_t i = 0; i < e->nextra; i++)
			if (e->extra[i].s == u)
				add_extra_pair(m, u, e->extra[i].line, x);
	}
}

static void
add_line(struct mix *m, sw_ix u, const uint8_t *up)
{
	if (m->mask != NULL)
		add_layered_line(m, u, up);
	else if (m->narrow)
		add_narrow_line(m, u, up);
	else
		add_wide_line(m, u, up);
}

static void
add_outs(const struct chan_graph *n, const uint8_t *line, uint64_t *out)
{
	if (n->shift == 0) {
		uint64_t x = 0, y = 0;

		for (unsigned l = 0; l < LFT_BLOCK; l += 2) {
			x |= n->bit[line[l]];
			y |= n->bit[line[l + 1]];
		}
		*out |= x | y;
		return;
	}
	for (unsigned l = 0; l < LFT_BLOCK; l++)
		out[n->word[line[l]]] |= n->bit[line[l]];
}

/* Find the links that each switch sends something of the block to. */
static void
find_outs(struct mix *m)
{
	const struct chan_graph *n = m->n;
	const struct transition_lines *e = &m->edge;
	size_t words = (size_t)1 << n->shift;

	memset(m->out, 0, ((size_t)n->nsw << n->shift) * sizeof(*m->out));
	for (sw_ix s = 0; s < n->nsw; s++) {
		uint64_t *out = m->out + ((size_t)s << n->shift);

		add_outs(n, e->of[s].a, out);
		if (e->of[s].b != e->of[s].a)
			add_outs(n, e->of[s].b, out);
		for (size_t w = 0; w < words; w++)
			out[w] &= n->alive[((size_t)s << n->shift) + w];
	}
}

/* Whether the block could add a dependency behind u that is not there yet. */
static bool
has_new_dependency(const struct mix *m, sw_ix u)
{
	const struct chan_graph *n = m->n;
	size_t words = (size_t)1 << n->shift;

	for (size_t w = 0; w < words; w++) {
		uint64_t left = m->out[((size_t)u << n->shift) + w];

		for (; left != 0; left &= left - 1) {
			unsigned p = (unsigned)__builtin_ctzll(left);
			struct transition_to t =
				n->to[(size_t)u * 256 + w * 64 + p];
			const uint64_t *row =
				m->dep + ((size_t)t.rec << n->shift);
			const uint64_t *on = m->out + ((size_t)t.s << n->shift);
			unsigned back = t.rec - n->base[t.rec];

			for (size_t i = 0; i < words; i++) {
				uint64_t rest = on[i] & ~row[i];

				if (i == n->word[back])
					rest &= ~n->bit[back];
				if (rest != 0)
					return true;
			}
		}
	}
	return false;
}

static void
add_block(struct mix *m)
{
	const struct transition_lines *e = &m->edge;

	if (m->out != NULL)
		find_outs(m);
	for (sw_ix u = 0; u < m->n->nsw; u++) {
		if (m->out != NULL && !has_new_dependency(m, u))
			continue;
		add_line(m, u, e->of[u].a);
		if (e->of[u].b != e->of[u].a)
			add_line(m, u, e->of[u].b);
	}
	for (size_t i = 0; i < e->nextra; i++) {
		add_line(m, e->extra[i].s, e->extra[i].line);
		add_extra_in(m, &e->extra[i]);
	}
}

/* Spread packets one step along an image of u; true when something is new. */
static bool
spread_along_line(
	const struct chan_graph *n, uint64_t *mask, sw_ix u, const uint8_t *up)
{
	const struct transition_to *to = n->to + (size_t)u * 256;
	uint64_t *from = mask + (size_t)u * LFT_BLOCK;
	uint64_t more = 0;

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		struct transition_to t = to[up[l]];
		uint64_t *at = mask + (size_t)t.s * LFT_BLOCK + l;
		uint64_t planes = chan_graph_arrive(n, from[l], t.rec);

		more |= t.s != n->nsw ? planes & ~*at : 0;
		*at |= planes;
	}
	return more != 0;
}

/* Find the planes with packets at each switch, for the 64 LIDs of a block. */
static void
spread_planes(const struct lft_values *v, const struct transition_lines *r,
	uint64_t *mask)
{
	const struct chan_graph *n = v->net;
	bool more = true;

	while (more) {
		more = false;
		for (sw_ix u = 0; u < n->nsw; u++) {
			more |= spread_along_line(n, mask, u, r->of[u].a);
			if (r->of[u].b != r->of[u].a)
				more |= spread_along_line(
					n, mask, u, r->of[u].b);
		}
		for (size_t i = 0; i < r->nextra; i++)
			more |= spread_along_line(
				n, mask, r->extra[i].s, r->extra[i].line);
	}
}

/* Packets that start at a switch are in its layers, in class 0. */
static void
load_source_layers(const struct lft_values *v, uint32_t b,
	enum transition_which which, uint64_t *mask)
{
	uint32_t nsw = v->net->nsw;
	uint16_t *one = mem_alloc(nsw * sizeof(*one));

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		lft_values_layers(v, b * LFT_BLOCK + l, which, one);
		for (sw_ix s = 0; s < nsw; s++)
			mask[(size_t)s * LFT_BLOCK + l] =
				lft_values_planes(v, s, one[s], which);
	}
	free(one);
}

/*
 * Leave only dependencies that can wait: to channels, and not back where the
 * packet came from.
 */
static void
strip_non_waiting(struct mix *m)
{
	const struct chan_graph *n = m->n;
	size_t words = (size_t)1 << n->shift;

	for (uint32_t v = 0; v < n->nv; v++) {
		uint32_t s = n->owner[v];
		unsigned in = v - n->base[v];
		uint64_t *row = m->dep + ((size_t)v << n->shift);

		for (size_t w = 0; w < words; w++)
			row[w] &= n->alive[((size_t)s << n->shift) + w];
		row[n->word[in]] &= ~n->bit[in];
		for (size_t w = 0; n->closed != NULL && w < words; w++)
			row[w] &= ~n->closed[((size_t)v << n->shift) + w];
		if (n->owner[n->peer[v]] == n->nsw)
			memset(row, 0, words * sizeof(*row));
	}
}

static bool
has_extra(const struct transition_lines *e, sw_ix u, unsigned l, unsigned port)
{
	for (size_t i = 0; i < e->nextra; i++)
		if (e->extra[i].s == u && e->extra[i].line[l] == port)
			return true;
	return false;
}

/*
 * Add the dependencies into and out of entry l of switch s where it is `port`.
 */
static void
add_entry(struct mix *m, sw_ix s, unsigned l, uint8_t port)
{
	const struct chan_graph *n = m->n;
	const struct transition_lines *e = &m->edge;
	struct transition_to t = n->to[(size_t)s * 256 + port];
	uint64_t *row = m->dep + ((size_t)t.rec << n->shift);
	struct transition_pair p = e->of[t.s];

	row[n->word[p.a[l]]] |= n->bit[p.a[l]];
	row[n->word[p.b[l]]] |= n->bit[p.b[l]];
	for (uint32_t c = n->off[s]; c < n->off[s + 1]; c++) {
		uint32_t from = n->peer[c];
		sw_ix u = n->owner[from];

		from -= n->base[from];
		if (u == n->nsw ||
			(e->of[u].a[l] != from && e->of[u].b[l] != from &&
				!has_extra(e, u, l, from)))
			continue;
		row = m->dep + ((size_t)c << n->shift);
		row[n->word[port]] |= n->bit[port];
	}
}

/* Add an image of a cell, where it differs from the new routing's. */
static void
add_cell_line(
	struct mix *m, const struct lft_value_cell *c, const uint8_t *line)
{
	const struct lft_pool *pool = m->v->to->pool;
	const uint8_t *is = lft_bytes(pool, c->new ? c->want : LFT_EMPTY);

	for (unsigned l = 0; l < LFT_BLOCK; l++)
		if (line[l] != is[l])
			add_entry(m, c->s, l, line[l]);
}

static void
some_new(struct transition_some *x, const struct chan_graph *n)
{
	*x = (struct transition_some){.sw = mem_alloc(n->nsw * sizeof(*x->sw)),
		.in = mem_zalloc(n->nsw + 1U, sizeof(*x->in))};
	x->in[n->nsw] = true; /* "nowhere" is never added */
}

static void
some_free(struct transition_some *x)
{
	free(x->sw);
	free(x->in);
}

static void
some_add(struct transition_some *x, sw_ix s)
{
	if (x->in[s])
		return;
	x->in[s] = true;
	x->sw[x->n++] = s;
}

static void
some_clear(struct transition_some *x)
{
	while (x->n > 0)
		x->in[x->sw[--x->n]] = false;
}

/* Numbers of cells, sorted by block. */
static uint32_t *
cells_by_block(const struct lft_values *v)
{
	uint32_t *cell = mem_alloc(v->ncells * sizeof(*cell));
	uint32_t *end = mem_zalloc(v->nblocks, sizeof(*end));

	for (size_t i = 0; i < v->ncells; i++)
		end[v->c[i].b]++;
	for (uint32_t b = 1; b < v->nblocks; b++)
		end[b] += end[b - 1];
	for (size_t i = v->ncells; i-- > 0;)
		cell[--end[v->c[i].b]] = (uint32_t)i;
	free(end);
	return cell;
}

/* Add the dependencies of n cells of one block. */
static void
add_cells_of(struct mix *m, const uint32_t *cell, uint32_t n)
{
	const struct lft_values *v = m->v;

	for (uint32_t i = 0; i < n; i++) {
		const struct lft_value_cell *c = &v->c[cell[i]];

		add_cell_line(m, c, m->edge.of[c->s].a);
		for (size_t k = 0; k < m->edge.nextra; k++)
			if (m->edge.extra[k].s == c->s)
				add_cell_line(m, c, m->edge.extra[k].line);
	}
}

/*
 * The whole mixture from the dependencies of the new routing, which the
 * verifier noted, and what the cells add: only their switches and neighbours
 * are looked at.
 */
static void
add_cells(struct mix *m, const struct verify_dependencies *deps)
{
	static const struct transition_when all = {TRANSITION_ALL, 0};
	const struct lft_values *v = m->v;
	const struct chan_graph *n = m->n;
	uint32_t *cell = cells_by_block(v), at = 0;
	struct transition_some some;

	memcpy(m->dep, deps->row,
		dep_graph_words(&n->frame) * sizeof(*m->dep) -
			(sizeof(*m->dep) << n->shift));
	some_new(&some, n);
	while (at < v->ncells) {
		uint32_t b = v->c[cell[at]].b, from = at;

		for (; at < v->ncells && v->c[cell[at]].b == b; at++) {
			sw_ix s = v->c[cell[at]].s;

			some_add(&some, s);
			for (uint32_t r = n->off[s]; r < n->off[s + 1]; r++)
				some_add(&some, n->owner[n->peer[r]]);
		}
		lft_values_load_some(v, b, all, &some, &m->edge);
		add_cells_of(m, cell + from, at - from);
		some_clear(&some);
	}
	some_free(&some);
	free(cell);
}

/*
 * Whether the mixture can be made from the new routing's dependencies, and is
 * worth it: each entry that differs is looked at once for every port of its
 * switch.
 */
static bool
is_near_new(const struct lft_values *v, struct transition_when edges)
{
	const struct chan_graph *n = v->net;
	const struct verify_dependencies *x = v->to->deps;

	return x != NULL && n->layers == 1 && v->to->layers.n == 1 &&
	       edges.which == TRANSITION_ALL && x->nrec + 1 == n->nrec &&
	       x->shift == n->shift &&
	       v->differ * n->nrec <
		       (uint64_t)n->nsw * n->nsw * v->nblocks * LFT_BLOCK;
}

static void
add_blocks(struct mix *m, struct transition_when edges,
	struct transition_when reach)
{
	const struct lft_values *v = m->v;

	lft_values_lines_new(&m->reach, m->n);
	if (m->n->layers > 1)
		m->mask = mem_zalloc(
			(m->n->nsw + (size_t)1) * LFT_BLOCK, sizeof(*m->mask));
	else
		m->out = mem_zalloc(((size_t)m->n->nsw + 1) << m->n->shift,
			sizeof(*m->out));
	for (uint32_t b = 0; b < v->nblocks; b++) {
		lft_values_load(v, b, edges, &m->edge);
		if (m->mask != NULL) {
			load_source_layers(v, b, reach.which, m->mask);
			lft_values_load(v, b, reach, &m->reach);
			spread_planes(v, &m->reach, m->mask);
		}
		add_block(m);
	}
	lft_values_lines_free(&m->reach);
	free(m->mask);
	free(m->out);
}

void
cdg_mixed_build(const struct lft_values *v, struct transition_when edges,
	struct transition_when reach, uint64_t *dep)
{
	const struct chan_graph *n = v->net;
	struct mix m = {.v = v, .n = n, .dep = dep};

	m.narrow = n->shift == 0 && n->bit[63] == 0;
	memset(dep, 0, dep_graph_words(&n->frame) * sizeof(*dep));
	lft_values_lines_new(&m.edge, n);
	if (is_near_new(v, edges))
		add_cells(&m, v->to->deps);
	else
		add_blocks(&m, edges, reach);
	strip_non_waiting(&m);
	lft_values_lines_free(&m.edge);
}

/* Where image `up` of u has port p, the row gets the image of s. */
static void
match_line(struct mix *m, uint64_t *row, const uint8_t *up, unsigned p,
	const uint8_t *line)
{
	const struct chan_graph *n = m->n;

	if (memchr(up, (int)p, LFT_BLOCK) == NULL)
		return;
	for (unsigned l = 0; l < LFT_BLOCK; l++)
		if (up[l] == p)
			row[n->word[line[l]]] |= n->bit[line[l]];
}

/* Add the row of channel c from one image of the switch before it. */
static void
match_all_lines(struct mix *m, uint32_t c, const uint8_t *up)
{
	const struct transition_lines *e = &m->edge;
	uint64_t *row = m->dep + ((size_t)c << m->n->shift);
	uint32_t from = m->n->peer[c];
	sw_ix s = m->n->owner[c];

	from -= m->n->base[from];
	match_line(m, row, up, from, e->of[s].a);
	if (e->of[s].b != e->of[s].a)
		match_line(m, row, up, from, e->of[s].b);
	for (size_t i = 0; i < e->nextra; i++)
		if (e->extra[i].s == s)
			match_line(m, row, up, from, e->extra[i].line);
}

static void
add_row(struct mix *m, uint32_t c)
{
	const struct transition_lines *e = &m->edge;
	sw_ix u = m->n->owner[m->n->peer[c]];

	match_all_lines(m, c, e->of[u].a);
	if (e->of[u].b != e->of[u].a)
		match_all_lines(m, c, e->of[u].b);
	for (size_t i = 0; i < e->nextra; i++)
		if (e->extra[i].s == u)
			match_all_lines(m, c, e->extra[i].line);
}

void
cdg_mixed_rows(const struct lft_values *v, struct transition_when edges,
	const uint32_t *comp, uint64_t *dep)
{
	const struct chan_graph *n = v->net;
	struct mix m = {.v = v, .n = n, .dep = dep};
	uint32_t *row = mem_alloc(n->nrec * sizeof(*row)), nrows = 0;
	struct transition_some some;

	memset(dep, 0, dep_graph_words(&n->frame) * sizeof(*dep));
	lft_values_lines_new(&m.edge, n);
	some_new(&some, n);
	for (uint32_t c = 0; c < n->nrec; c++) {
		if (comp[c] == 0)
			continue;
		row[nrows++] = c;
		some_add(&some, n->owner[c]);
		some_add(&some, n->owner[n->peer[c]]);
	}
	for (uint32_t b = 0; b < v->nblocks; b++) {
		lft_values_load_some(v, b, edges, &some, &m.edge);
		for (uint32_t i = 0; i < nrows; i++)
			add_row(&m, row[i]);
	}
	strip_non_waiting(&m);
	lft_values_lines_free(&m.edge);
	free(row);
	some_free(&some);
}

void
cdg_mixed_reach(const struct lft_values *v, uint32_t lid,
	struct transition_when reach, uint64_t *mask)
{
	const struct chan_graph *n = v->net;
	uint16_t *layers = mem_alloc(n->nsw * sizeof(*layers));
	uint8_t port[TRANSITION_VALUES];
	bool more = true;

	lft_values_layers(v, lid, reach.which, layers);
	for (sw_ix s = 0; s < n->nsw; s++)
		mask[s] = lft_values_planes(v, s, layers[s], reach.which);
	free(layers);
	while (more) {
		more = false;
		for (sw_ix u = 0; u < n->nsw; u++) {
			unsigned k = lft_values_entry(v, u, lid, reach, port);

			while (k-- > 0) {
				struct transition_to t =
					n->to[(size_t)u * 256 + port[k]];
				uint64_t planes =
					chan_graph_arrive(n, mask[u], t.rec);

				if (t.s == n->nsw || !(planes & ~mask[t.s]))
					continue;
				mask[t.s] |= planes;
				more = true;
			}
		}
	}
}

uint64_t
cdg_mixed_count(const struct chan_graph *n, const uint64_t *dep)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < dep_graph_words(&n->frame); i++)
		sum += (uint64_t)__builtin_popcountll(dep[i]);
	return sum;
}
