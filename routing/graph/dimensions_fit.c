#include "routing/graph/dimensions_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/layer_links.h"

enum {
	NO_CELL = UINT32_MAX,
	CELLS_MAX = 1 << 20,
	TRIES = 64,   /* growths from seeds */
	DEGREE = 256, /* neighbours of a switch, fewer */
	TEXT = 160,
	GUESSED_MAX = 3, /* dimensions that are guessed at most */
	GUESSES = 16,
	LOST_LINKS = 5,	   /* one link in five may be missing */
	LOST_SWITCHES = 8, /* and one switch in eight */
};

const struct schema_option dimension_option = {
	.key = "dimensions",
	.type = SCHEMA_SHAPES,
	.offset = offsetof(struct dimension_options, dimensions),
	.choices = dimension_shapes,
	.min = 2,
	.max = DIMENSION_SIZE_MAX,
	.def = "[]",
	.reload = SCHEMA_REROUTE,
	.opensm = "torus_config",
	.help = "The rings, lines and full meshes of switches whose product "
		"the fabric is, as in [ring 8, ring 8, line 4] or [full 12, "
		"full 8], in any order; a ring of 4 is two lines of 2. Empty: "
		"they are read from the links. Given, they are checked against "
		"the links, and found where so many links are missing that "
		"they cannot be read.",
};

/* ---- dimensions as they are read ---- */

struct dimensions_given
dimensions_take(const struct dimension_options *o, const char *section)
{
	struct dimensions_given x = {.section = section};

	if (o == NULL)
		return x;
	x.n = (unsigned)o->dimensions.n;
	for (unsigned i = 0; i < x.n && i < DIMENSIONS_MAX; i++)
		x.dim[i] = (struct dimension){o->dimensions.entry[i].size,
			(enum dimension_shape)o->dimensions.entry[i].shape};
	return x;
}

/* Append what dimensions_read makes of one; false: there are too many. */
static bool
add_dimension(struct dimensions_given *x, struct dimension d)
{
	bool square = d.shape == DIMENSION_RING && d.size == 4;
	const struct dimension pair = {2, DIMENSION_LINE};

	if (d.size == 2)
		d.shape = DIMENSION_LINE;
	if (d.size == 3 && d.shape == DIMENSION_RING)
		d.shape = DIMENSION_FULL;
	if (x->n + (square ? 2 : 1) > DIMENSIONS_MAX)
		return false;
	x->dim[x->n++] = square ? pair : d;
	if (square)
		x->dim[x->n++] = pair;
	return true;
}

/* The given dimensions as dimensions_read has them; false: too many. */
static bool
read_given(const struct dimensions_given *given, struct dimensions_given *out)
{
	*out = (struct dimensions_given){given->section, 0, {{0}}};
	for (unsigned i = 0; i < given->n && i < DIMENSIONS_MAX; i++)
		if (!add_dimension(out, given->dim[i]))
			return false;
	return given->n <= DIMENSIONS_MAX;
}

/*
 * Give each of the dimensions a given one of its own, of the same size and
 * shape; or, if wished, the shape of a ring to a line: it has lost all its
 * links between two coordinates. False: they are others.
 */
static bool
match_dimensions(struct dimension *dim, unsigned n,
	const struct dimensions_given *given, bool open_rings)
{
	bool taken[DIMENSIONS_MAX] = {false}, done[DIMENSIONS_MAX] = {false};
	unsigned left = n;

	for (unsigned open = 0; open <= (open_rings ? 1U : 0U); open++)
		for (unsigned i = 0; i < given->n; i++)
			for (unsigned k = 0; k < n && !taken[i]; k++) {
				const struct dimension *want = &given->dim[i];
				bool alike =
					dim[k].shape == want->shape ||
					(open == 1 &&
						dim[k].shape ==
							DIMENSION_LINE &&
						want->shape == DIMENSION_RING);

				if (done[k] || dim[k].size != want->size ||
					!alike)
					continue;
				dim[k].shape = want->shape;
				taken[i] = done[k] = true;
				left--;
			}
	return left == 0 && n == given->n;
}

bool
dimensions_are_given(
	const struct dimensions *d, const struct dimensions_given *given)
{
	struct dimension dim[DIMENSIONS_MAX];
	struct dimensions_given want;

	memcpy(dim, d->dim, d->n * sizeof(*dim));
	return given->n == 0 ||
	       (read_given(given, &want) &&
		       match_dimensions(dim, d->n, &want, false));
}

/* ---- cells ---- */

struct fit {
	const struct swgraph *g;
	const struct dimensions_given *want;
	struct dimensions *out;
	uint32_t extent[DIMENSIONS_MAX]; /* a line may begin anywhere, so it
					    has room for two */
	uint32_t cells;
	sw_ix *in;	  /* [cells] the switch there, or TOPO_NONE */
	uint32_t *cell;	  /* [nsw] or NO_CELL */
	uint32_t *votes;  /* [cells] 0 between searches */
	uint32_t *around; /* [sum of extents] cells next to one */
	uint32_t *voted;  /* [DEGREE * sum of extents] */
	bool guessed;	  /* a growth ends with the first misplaced link */
	bool misplaced;
	unsigned tries;
	uint32_t least; /* links to no neighbour, of the best growth */
	port_ix stray;	/* the first of them */
};

static bool
make_cells(struct fit *x)
{
	struct arena *a = x->g->a;
	uint64_t cells = 1;
	uint32_t sum = 0;

	for (unsigned i = 0; i < x->want->n; i++) {
		const struct dimension *d = &x->want->dim[i];
		bool open = d->shape == DIMENSION_LINE && d->size > 2;

		x->extent[i] = d->size * (open ? 2 : 1);
		sum += x->extent[i];
		cells *= x->extent[i];
		if (cells > CELLS_MAX)
			return false;
	}
	x->cells = (uint32_t)cells;
	x->in = arena_array(a, x->cells, sizeof(*x->in));
	x->votes = arena_array(a, x->cells, sizeof(*x->votes));
	x->cell = arena_array(a, x->g->nsw + 1U, sizeof(*x->cell));
	x->around = arena_array(a, sum + 1, sizeof(*x->around));
	x->voted =
		arena_array(a, (size_t)DEGREE * (sum + 1), sizeof(*x->voted));
	return true;
}

/* The cells next to one, in x->around; returns how many. */
static uint32_t
list_around(const struct fit *x, uint32_t cell)
{
	uint32_t stride = 1, n = 0;

	for (unsigned i = 0; i < x->want->n; i++) {
		enum dimension_shape shape = x->want->dim[i].shape;
		uint32_t size = x->extent[i], at = cell / stride % size;
		uint32_t base = cell - at * stride;

		for (uint32_t b = 0; b < size; b++) {
			uint32_t gap = b > at ? b - at : at - b;
			bool next =
				gap == 1 ||
				(gap == size - 1 && shape == DIMENSION_RING) ||
				(gap > 0 && shape == DIMENSION_FULL);

			if (next)
				x->around[n++] = base + b * stride;
		}
		stride *= size;
	}
	return n;
}

static void
put_switch(struct fit *x, sw_ix s, uint32_t cell)
{
	x->cell[s] = cell;
	x->in[cell] = s;
}

/* ---- growth ---- */

/* The free cell that most neighbours of s are next to, or NO_CELL; how many
 * these are, 0 if there are two such cells. */
static uint32_t
find_cell(struct fit *x, sw_ix s, uint32_t *many)
{
	const struct swgraph *g = x->g;
	uint32_t n = 0, best = NO_CELL, most = 0, placed = 0;

	*many = 0;
	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint32_t at = x->cell[g->group[i].peer];
		uint32_t cells = at == NO_CELL ? 0 : list_around(x, at);

		placed += at != NO_CELL;
		for (uint32_t k = 0; k < cells; k++)
			if (x->in[x->around[k]] == TOPO_NONE &&
				x->votes[x->around[k]]++ == 0)
				x->voted[n++] = x->around[k];
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t votes = x->votes[x->voted[k]];

		if (votes > most)
			best = x->voted[k];
		*many = votes > most ? votes : votes == most ? 0 : *many;
		most = votes > most ? votes : most;
		x->votes[x->voted[k]] = 0;
	}
	x->misplaced |= x->guessed && most < placed;
	return best;
}

/* Place switches that at least this many neighbours agree on; of any number, if
 * it is 0, one. Returns how many. */
static uint32_t
place_agreed(struct fit *x, uint32_t least)
{
	uint32_t placed = 0;

	for (sw_ix s = 0; s < x->g->nsw && !x->misplaced; s++) {
		uint32_t many, cell;

		if (!x->g->live[s] || x->cell[s] != NO_CELL)
			continue;
		cell = find_cell(x, s, &many);
		if (cell == NO_CELL || many < least)
			continue;
		put_switch(x, s, cell);
		placed++;
		if (least < 2)
			break;
	}
	return placed;
}

/* Coordinates from cells: a line begins at its first switch. False: a switch
 * has no cell, or a line is too long. */
static bool
take_coordinates(struct fit *x)
{
	struct dimensions *out = x->out;
	uint32_t stride = 1;

	for (unsigned i = 0; i < out->n; i++) {
		uint32_t lowest = UINT32_MAX, size = x->extent[i];

		for (sw_ix s = 0; s < x->g->nsw; s++) {
			uint32_t *at = &out->at[(size_t)s * out->n + i];

			if (!x->g->live[s])
				continue;
			if (x->cell[s] == NO_CELL)
				return false;
			*at = x->cell[s] / stride % size;
			lowest = *at < lowest ? *at : lowest;
		}
		for (sw_ix s = 0; size > out->dim[i].size && s < x->g->nsw;
			s++) {
			uint32_t *at = &out->at[(size_t)s * out->n + i];

			if (x->g->live[s] &&
				(*at -= lowest) >= out->dim[i].size)
				return false;
		}
		stride *= size;
	}
	return true;
}

/* Whether all links lead to a neighbour; else what is remembered for a
 * reason. */
static bool
check_links(struct fit *x)
{
	const struct swgraph *g = x->g;

	dimensions_of_links(g, x->out);
	if (x->out->odd == 0)
		return true;
	if (x->out->odd >= x->least)
		return false;
	x->least = x->out->odd;
	for (sw_ix s = g->nsw; s-- > 0;)
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			if (x->out->of[i] == DIMENSIONS_NONE)
				x->stray = topo_port_of(g->t, g->t->sw[s].node,
					g->t->adj[g->group[i].adj].out);
	return false;
}

/* What a seed's neighbours are: classes of one dimension each. */
struct seed {
	sw_ix s;
	unsigned n;	    /* classes */
	uint8_t of[DEGREE]; /* class of a neighbour, by its link group */
	uint8_t size[DIMENSIONS_MAX];
	bool linked[DIMENSIONS_MAX]; /* the neighbours of a class, with each
					other */
	uint8_t dim[DIMENSIONS_MAX]; /* that a class is */
};

static void
place_seed(struct fit *x, const struct seed *seed)
{
	const struct swgraph *g = x->g;
	uint32_t stride[DIMENSIONS_MAX], next = 1, origin = 0;
	uint32_t many[DIMENSIONS_MAX] = {0};

	for (unsigned i = 0; i < x->want->n; i++) {
		stride[i] = next;
		next *= x->extent[i];
		if (x->extent[i] > x->want->dim[i].size)
			origin += x->want->dim[i].size * stride[i];
	}
	put_switch(x, seed->s, origin);
	for (uint32_t i = g->first[seed->s]; i < g->first[seed->s + 1]; i++) {
		unsigned class = seed->of[i - g->first[seed->s]];
		unsigned dim = seed->dim[class];
		uint32_t k = many[class]++, to = origin + (k + 1) * stride[dim];

		if (k == 1 && x->want->dim[dim].shape == DIMENSION_RING)
			to = origin + (x->extent[dim] - 1) * stride[dim];
		if (k == 1 && x->want->dim[dim].shape == DIMENSION_LINE)
			to = origin - stride[dim];
		put_switch(x, g->group[i].peer, to);
	}
}

static bool
grow_from(struct fit *x, const struct seed *seed)
{
	for (uint32_t i = 0; i < x->cells; i++)
		x->in[i] = TOPO_NONE;
	memset(x->cell, 0xff, x->g->nsw * sizeof(*x->cell));
	x->misplaced = false;
	place_seed(x, seed);
	while (place_agreed(x, 2) > 0 || place_agreed(x, 1) > 0 ||
		place_agreed(x, 0) > 0)
		;
	return !x->misplaced && take_coordinates(x) && check_links(x);
}

/* ---- seeds ---- */

static bool
has_common(const struct swgraph *g, sw_ix a, sw_ix b, sw_ix other_than)
{
	for (uint32_t i = g->first[a]; i < g->first[a + 1]; i++)
		if (g->group[i].peer != other_than &&
			swgraph_group(g, b, g->group[i].peer) != UINT32_MAX)
			return true;
	return false;
}

/* The class of neighbour i of a seed: that of the first which is in one
 * dimension with it. */
static unsigned
class_of(const struct swgraph *g, const struct seed *seed, uint32_t i,
	bool *linked)
{
	sw_ix p = g->group[g->first[seed->s] + i].peer;

	for (uint32_t k = 0; k < i; k++) {
		sw_ix q = g->group[g->first[seed->s] + k].peer;

		*linked = swgraph_group(g, p, q) != UINT32_MAX;
		if (*linked || !has_common(g, p, q, seed->s))
			return seed->of[k];
	}
	return seed->n;
}

/* Read the neighbours of s; false: they are no seed for n dimensions. */
static bool
read_seed(const struct swgraph *g, sw_ix s, unsigned n, struct seed *seed)
{
	uint32_t degree = g->first[s + 1] - g->first[s];

	*seed = (struct seed){.s = s};
	if (!g->live[s] || degree < n || degree >= DEGREE)
		return false;
	for (uint32_t i = 0; i < degree; i++) {
		bool linked = false;
		unsigned class = class_of(g, seed, i, &linked);

		if (class >= n)
			return false;
		seed->of[i] = (uint8_t) class;
		seed->size[class]++;
		seed->linked[class] |= linked;
		seed->n += class == seed->n;
	}
	return seed->n == n;
}

/* Whether a class of a seed's neighbours can be those in a dimension. */
static bool
fits_dimension(const struct seed *seed, unsigned class, struct dimension d)
{
	unsigned size = seed->size[class];

	if (d.shape == DIMENSION_FULL)
		return size == d.size - 1 && seed->linked[class];
	if (seed->linked[class])
		return false;
	if (d.shape == DIMENSION_RING)
		return size == 2;
	return size == 1 || (size == 2 && d.size > 2);
}

/* Give the classes from `class` on the dimensions that are left, in all ways,
 * and grow from each. */
static bool
try_classes(struct fit *x, struct seed *seed, unsigned class, uint32_t taken)
{
	const struct dimension *dim = x->want->dim;

	if (class == seed->n)
		return x->tries > 0 && x->tries-- > 0 && grow_from(x, seed);
	for (unsigned i = 0; i < x->want->n; i++) {
		bool again = false; /* an equal one has been tried */

		for (unsigned k = 0; k < i; k++)
			again |= (taken >> k & 1) == 0 &&
				 dim[k].size == dim[i].size &&
				 dim[k].shape == dim[i].shape;
		if ((taken >> i & 1) != 0 || again ||
			!fits_dimension(seed, class, dim[i]))
			continue;
		seed->dim[class] = (uint8_t)i;
		if (try_classes(x, seed, class + 1, taken | 1U << i))
			return true;
	}
	return false;
}

/* ---- reasons ---- */

static void
print_dimensions(const struct dimension *dim, unsigned n, char out[TEXT])
{
	size_t at = 0;

	for (unsigned i = 0; i < n && at < TEXT; i++)
		at += (size_t)snprintf(out + at, TEXT - at, "%s%s %" PRIu32,
			i > 0 ? ", " : "", dimension_shapes[dim[i].shape],
			dim[i].size);
}

/* Refuse, with what is given; what is guessed without a reason. */
static int
refuse_given(const struct dimensions_given *given, const char *what,
	struct reason *why)
{
	char text[TEXT];

	if (given->section == NULL)
		return -1;

	print_dimensions(given->dim,
		given->n < DIMENSIONS_MAX ? given->n : DIMENSIONS_MAX, text);
	return reason_set(
		why, "%s.dimensions gives %s: %s", given->section, text, what);
}

/* Refuse what no growth has had a place for. */
static int
refuse_growths(const struct fit *x, const struct dimensions_given *given,
	struct reason *why)
{
	struct reason what;

	if (x->tries == TRIES)
		(void)reason_set(
			&what, "no switch has the neighbours that these take");
	else if (x->least != UINT32_MAX)
		(void)reason_set(&what,
			"%s leads to no neighbour, one of %" PRIu32
			" such links",
			layer_links_name(x->g->t, x->stray).s, x->least / 2);
	else
		(void)reason_set(
			&what, "there is no place in these for some switches");
	return refuse_given(given, what.text, why);
}

/* ---- the whole ---- */

/* section NULL: they are guessed. */
static int
fit_dimensions(const struct swgraph *g, const struct dimensions_given *given,
	const struct dimensions_given *want, struct dimensions *out,
	struct reason *why)
{
	struct fit x = {.g = g,
		.want = want,
		.out = out,
		.guessed = given->section == NULL,
		.tries = TRIES,
		.least = UINT32_MAX};
	const uint32_t *place = swgraph_by_guid(g);
	sw_ix *by = arena_array(g->a, g->nsw + 1U, sizeof(*by));
	uint32_t live = 0;

	*out = (struct dimensions){.n = want->n};
	memcpy(out->dim, want->dim, want->n * sizeof(*want->dim));
	out->of = arena_array(g->a, g->first[g->nsw] + 1U, sizeof(*out->of));
	out->at = arena_array(
		g->a, (size_t)g->nsw * (out->n + 1), sizeof(*out->at));
	if (!make_cells(&x))
		return refuse_given(given, "more places than are read", why);
	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s]) {
			by[place[s]] = s;
			live++;
		}
	for (uint32_t i = 0; i < live; i++) {
		struct seed seed;

		if (!read_seed(g, by[i], want->n, &seed) ||
			!try_classes(&x, &seed, 0, 0))
			continue;
		dimensions_sort(g, out);
		return 0;
	}
	return refuse_growths(&x, given, why);
}

/* ---- what is not given ---- */

struct guess {
	const struct swgraph *g;
	struct dimensions *out;
	uint32_t links; /* between live switches */
	unsigned left;	/* guesses */
	struct dimensions_given x;
};

/* The links that a product has. */
static uint64_t
count_product_links(const struct dimensions_given *x)
{
	uint64_t switches = 1, links = 0;

	for (unsigned i = 0; i < x->n; i++)
		switches *= x->dim[i].size;
	for (unsigned i = 0; i < x->n; i++) {
		uint64_t size = x->dim[i].size;
		uint64_t row = x->dim[i].shape == DIMENSION_RING ? size
			       : x->dim[i].shape == DIMENSION_LINE
				       ? size - 1
				       : size * (size - 1) / 2;

		links += switches / size * row;
	}
	return links;
}

/* Whether the switches fit the dimensions guessed. */
static bool
try_guess(struct guess *y)
{
	struct dimensions_given want;
	struct reason why;
	uint64_t links;

	if (y->left == 0 || !read_given(&y->x, &want))
		return false;
	links = count_product_links(&want);
	if (links < y->links || (links - y->links) * LOST_LINKS > links)
		return false;
	y->left--;
	return fit_dimensions(y->g, &y->x, &want, y->out, &why) == 0;
}

/* The greatest number whose n-th power is at most x. */
static uint32_t
find_root(uint32_t x, unsigned n)
{
	uint32_t root = 1;

	for (;;) {
		uint64_t power = 1;

		for (unsigned k = 0; k < n; k++)
			power *= root + 1;
		if (power > x)
			return root;
		root++;
	}
}

/* Sizes of dimensions from i on, of which `places` is the product, those first
 * that are nearest to each other; lines, then rings. */
static bool
try_sizes(struct guess *y, unsigned i, uint32_t places)
{
	bool last = i + 1 == y->x.n;
	uint32_t size = last ? places : find_root(places, y->x.n - i);

	for (; size >= 2; size = last ? 0 : size - 1)
		for (unsigned ring = 0; ring < 2 && places % size == 0;
			ring++) {
			y->x.dim[i] = (struct dimension){size,
				ring == 1 ? DIMENSION_RING : DIMENSION_LINE};
			if (last ? try_guess(y)
				 : try_sizes(y, i + 1, places / size))
				return true;
		}
	return false;
}

/*
 * Lines and rings are tried that have about as many switches and links; of two
 * dimensions a few lost links are enough that they cannot be read. False: none
 * fit.
 */
static bool
guess_dimensions(const struct swgraph *g, struct dimensions *out)
{
	struct guess y = {.g = g, .out = out, .left = GUESSES};
	uint32_t live = 0, degree = 0;

	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t n = g->live[s] ? g->first[s + 1] - g->first[s] : 0;

		live += g->live[s];
		y.links += n;
		degree = n > degree ? n : degree;
	}
	y.links /= 2;
	y.x.n = (degree + 1) / 2;
	if (y.x.n == 0 || y.x.n > GUESSED_MAX)
		return false;
	for (uint32_t n = live; n <= live + live / LOST_SWITCHES; n++)
		if (try_sizes(&y, 0, n))
			return true;
	return false;
}

/* Whether there are places enough; else how many there are. */
static bool
has_places(const struct swgraph *g, const struct dimensions_given *given,
	uint64_t *places, uint32_t *live)
{
	*places = 1;
	*live = 0;
	for (unsigned i = 0; i < given->n && *places < g->nsw; i++)
		*places *= given->dim[i].size;
	for (sw_ix s = 0; s < g->nsw; s++)
		*live += g->live[s];
	return *places >= *live;
}

int
dimensions_find(const struct swgraph *g, const struct dimensions_given *given,
	struct dimensions *out, struct reason *why)
{
	struct dimensions_given want;
	struct reason what;
	char text[TEXT] = "";
	uint64_t places;
	uint32_t live;

	if (given->n == 0)
		return dimensions_read(g, out, why) == 0 ||
				       guess_dimensions(g, out)
			       ? 0
			       : -1;
	if (!read_given(given, &want))
		return refuse_given(given, "too many dimensions", why);
	if (!has_places(g, given, &places, &live)) {
		(void)reason_set(&what,
			"%" PRIu64 " places for %" PRIu32 " switches", places,
			live);
		return refuse_given(given, what.text, why);
	}
	if (dimensions_read(g, out, why) != 0)
		return fit_dimensions(g, given, &want, out, why);
	if (match_dimensions(out->dim, out->n, &want, true))
		return 0;
	print_dimensions(out->dim, out->n, text);
	(void)reason_set(&what, "its links make %s", text);
	return refuse_given(given, what.text, why);
}
