#include "routing/climb/torus_orders.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum {
	WHOLE = UINT32_MAX,
	ABSENT = 2, /* places for each switch there is, at most */
};

struct torus {
	const struct directions *d;
	const struct dimensions *m;
	unsigned rings;		       /* dimensions that are rings */
	unsigned ring[DIMENSIONS_MAX]; /* which one a dimension is, or
					  UINT32_MAX */
	unsigned dim;		       /* at work */
	uint32_t *broken; /* by row of this dimension: the coordinate behind
			     the link that its ring has lost, or WHOLE */
};

static uint32_t
coordinate_of(const struct torus *x, sw_ix s, unsigned dim)
{
	return x->m->at[(size_t)s * x->m->n + dim];
}

/* ---- rows: switches that differ in the dimension at work alone ---- */

static uint32_t
row_of(const struct torus *x, sw_ix s)
{
	uint32_t row = 0;

	for (unsigned i = 0; i < x->m->n; i++)
		if (i != x->dim)
			row = row * x->m->dim[i].size + coordinate_of(x, s, i);
	return row;
}

static uint32_t
count_rows(const struct torus *x)
{
	uint32_t rows = 1;

	for (unsigned i = 0; i < x->m->n; i++)
		rows *= i != x->dim ? x->m->dim[i].size : 1;
	return rows;
}

/* Whether a link leads to the coordinate that follows. */
static bool
leads_up(const struct torus *x, uint32_t c)
{
	uint32_t a = coordinate_of(x, x->d->from[c], x->dim);
	uint32_t b = coordinate_of(x, x->d->g->group[c].peer, x->dim);

	if (x->m->dim[x->dim].shape == DIMENSION_RING)
		return b == (a + 1) % x->m->dim[x->dim].size;
	return b > a;
}

/* Where the rings of the dimension have lost links. */
static void
find_breaks(struct torus *x)
{
	uint32_t rows = count_rows(x), n = x->m->dim[x->dim].size;
	bool *has = mem_zalloc((size_t)rows * n, sizeof(*has));

	x->broken = mem_alloc(rows * sizeof(*x->broken));
	for (uint32_t c = 0; c < x->d->n; c++)
		if (x->m->of[c] == x->dim && leads_up(x, c))
			has[(size_t)row_of(x, x->d->from[c]) * n +
				coordinate_of(x, x->d->from[c], x->dim)] = true;
	for (uint32_t r = 0; r < rows; r++) {
		x->broken[r] = WHOLE;
		for (uint32_t a = n; a-- > 0;)
			if (!has[(size_t)r * n + a])
				x->broken[r] = (a + 1) % n;
	}
	free(has);
}

/* Switches of rows that are in parts because links are lost. */
static void
find_split(const struct torus *x, bool *split)
{
	const struct swgraph *g = x->d->g;
	uint32_t rows = count_rows(x);
	uint32_t *links = mem_zalloc(rows + 1U, sizeof(*links));
	uint32_t *switches = mem_zalloc(rows + 1U, sizeof(*switches));

	for (uint32_t c = 0; c < x->d->n; c++)
		if (x->m->of[c] == x->dim && leads_up(x, c))
			links[row_of(x, x->d->from[c])]++;
	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			switches[row_of(x, s)]++;
	for (sw_ix s = 0; s < g->nsw; s++)
		split[s] = g->live[s] &&
			   links[row_of(x, s)] + 1 < switches[row_of(x, s)];
	free(switches);
	free(links);
}

/* ---- ranks ---- */

/* The place of a link among those of its row that lead the same way; a ring
 * begins at a break. */
static uint32_t
place_in_ring(const struct torus *x, uint32_t c, uint32_t begin)
{
	uint32_t n = x->m->dim[x->dim].size;
	uint32_t a = coordinate_of(x, x->d->from[c], x->dim);
	uint32_t broken = x->broken[row_of(x, x->d->from[c])];

	if (broken != WHOLE)
		begin = broken;
	return leads_up(x, c) ? (a + n - begin) % n : (begin + n - a) % n;
}

/* In a full mesh first to lower coordinates, then to higher ones. */
static uint32_t
place_in_line(const struct torus *x, uint32_t c)
{
	uint32_t n = x->m->dim[x->dim].size;
	uint32_t a = coordinate_of(x, x->d->from[c], x->dim);
	uint32_t b = coordinate_of(x, x->d->g->group[c].peer, x->dim);

	if (x->m->dim[x->dim].shape == DIMENSION_LINE)
		return b > a ? a : n - 1 - a;
	return b < a ? n - 1 - a : n + b;
}

/*
 * The coordinate that a link of a whole ring is not taken first to: the
 * opposite one, by one of the two ways. Between opposite coordinates of which
 * the lower one is even both directions take the links between them, else those
 * around.
 */
static uint32_t
find_avoided(const struct torus *x, uint32_t c)
{
	uint32_t n = x->m->dim[x->dim].size, half = n / 2;
	uint32_t a = coordinate_of(x, x->d->from[c], x->dim);
	bool inside = a % half % 2 == 0;

	if (n % 2 != 0 || x->broken[row_of(x, x->d->from[c])] != WHOLE)
		return UINT32_MAX;
	/* up from the lower one and down from the upper one is inside */
	return (leads_up(x, c) == (a < half)) == inside ? UINT32_MAX
							: (a + half) % n;
}

/* The links of a dimension, which come in its order from base on. */
static void
rank_dimension(struct torus *x, int32_t base, struct layer_orders *o)
{
	uint32_t n = x->d->n, size = x->m->dim[x->dim].size;
	bool ring = x->m->dim[x->dim].shape == DIMENSION_RING;

	if (ring)
		find_breaks(x);
	for (uint32_t c = 0; c < n; c++) {
		if (x->m->of[c] != x->dim)
			continue;
		for (unsigned k = 0; k < 2; k++)
			o->rank[(k + 1) * n + c] =
				base + (int32_t)(ring ? place_in_ring(x, c,
								k * (size / 2))
						      : place_in_line(x, c));
		o->ties.avoided[c] = ring ? find_avoided(x, c) : UINT32_MAX;
	}
	if (x->dim + 1 == x->m->n && o->last_steps != NULL)
		find_split(x, o->last_steps);
	free(x->broken);
	x->broken = NULL;
}

/* Links of no dimension, which may be the first of a path, or the last. */
static void
rank_odd_links(const struct directions *d, const struct dimensions *m,
	int32_t top, struct layer_orders *o)
{
	for (uint32_t c = 0; c < d->n; c++) {
		if (m->of[c] != DIMENSIONS_NONE)
			continue;
		for (unsigned k = 1; k < TORUS_LAST_STEP; k++)
			o->rank[(size_t)k * d->n + c] = top;
		o->ties.avoided[c] = UINT32_MAX;
	}
}

/* ---- layers ---- */

/* Which dimension is which ring: their numbers, UINT32_MAX for the others.
 * Returns how many are rings. */
static unsigned
number_rings(const struct dimensions *m, unsigned ring[DIMENSIONS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		ring[i] = m->dim[i].shape == DIMENSION_RING ? n++ : UINT32_MAX;
	return n;
}

int
torus_orders_check(
	const struct swgraph *g, const struct dimensions *m, struct reason *why)
{
	unsigned ring[DIMENSIONS_MAX], n = number_rings(m, ring);
	uint64_t places = 1;

	if (m->n == 0)
		return reason_set(why, "no torus: there is one switch");
	if (n > TORUS_RINGS)
		return reason_set(why,
			"a torus of %u rings: more than %d take more SLs than "
			"there are",
			n, TORUS_RINGS);
	if (m->n > TORUS_DIMENSIONS)
		return reason_set(why, "%u dimensions are too many", m->n);
	for (unsigned i = 0; i < m->n && places <= g->nsw * ABSENT; i++)
		places *= m->dim[i].size;
	if (places > g->nsw * ABSENT)
		return reason_set(why,
			"no torus: more than half of its switches are missing");
	return 0;
}

struct layer_map_size
torus_orders_size(const struct dimensions *m, enum torus_layers which)
{
	unsigned ring[DIMENSIONS_MAX], rings = number_rings(m, ring);
	unsigned breaks = 1U << rings;
	struct layer_map_size size = {
		1 + breaks, TORUS_LAST_STEP, 2 /* starts here, or not */};

	/* half of the pairs of a single ring need either layer */
	if (which == TORUS_WITHOUT_ONE && rings > 1)
		size.layers--;
	if (which != TORUS_LAST_STEPS || m->n < 2 || m->n >= VL_MAP_IN)
		return size;
	size = (struct layer_map_size){
		1 + 2 * breaks, TORUS_LAST_STEP + 1, 1 + m->n};
	if (size.layers > ROUTE_LAYERS)
		size.layers = ROUTE_LAYERS;
	return size;
}

/* The VL group of dimension i in a layer, for packets that come over a link of
 * dimension `from`. */
static unsigned
group_of(const struct torus *x, unsigned layer, unsigned from, unsigned i)
{
	unsigned breaks = layer - 1;

	if (breaks >> x->rings != 0) {
		if (from == x->m->n - 1 && i < from)
			return TORUS_LAST_STEP;
		breaks -= 1U << x->rings;
	}
	return x->ring[i] < TORUS_RINGS ? 1 + (breaks >> x->ring[i] & 1) : 1;
}

/* Classes of links by dimension: out-class i is dimension i, in-class 1 + i too
 * where there are last steps. */
static void
classify_links(const struct torus *x, struct layer_orders *o)
{
	unsigned ins = vl_map_ins(o->map);

	for (unsigned l = 1; l < o->n; l++)
		for (unsigned in = 1; in < ins; in++)
			for (unsigned i = 0; i < x->m->n; i++)
				o->map->group[l][in][i] =
					(uint8_t)group_of(x, l, in - 1, i);
	for (uint32_t c = 0; c < x->d->n; c++) {
		unsigned dim = x->m->of[c] != DIMENSIONS_NONE ? x->m->of[c] : 0;

		o->in[c] = (uint8_t)(dim + 1 < ins ? dim + 1 : 1);
		o->out[c] = (uint8_t)dim;
	}
}

/* Links of last steps, which end a path, share the highest rank. */
static void
rank_last_steps(const struct torus *x, int32_t top, struct layer_orders *o)
{
	for (uint32_t c = 0; c < x->d->n && o->map->groups > TORUS_LAST_STEP;
		c++)
		o->rank[(size_t)TORUS_LAST_STEP * x->d->n + c] = top;
}

void
torus_orders_make(const struct directions *d, const struct dimensions *m,
	const struct layer_orders *first, const struct layer_map_size *size,
	struct layer_orders *out)
{
	struct torus x = {.d = d, .m = m};
	int32_t base = (int32_t)d->n;

	x.rings = number_rings(m, x.ring);
	layer_orders_map_room(d, first, size, out);
	out->structure = (uint16_t)((1U << out->n) - 2);
	out->first = out->structure & (uint16_t)((2U << (1U << x.rings)) - 2);
	out->ties = (struct layer_ties){m->at, m->of, m->n,
		arena_array(d->g->a, d->n + 1U, sizeof(uint32_t))};
	if (size->groups > TORUS_LAST_STEP)
		out->last_steps = arena_array(
			d->g->a, d->g->nsw + 1U, sizeof(*out->last_steps));
	for (x.dim = 0; x.dim < m->n; x.dim++) {
		rank_dimension(&x, base, out);
		base += 2 * (int32_t)m->dim[x.dim].size;
	}
	rank_odd_links(d, m, base, out);
	rank_last_steps(&x, base, out);
	classify_links(&x, out);
	layer_orders_put_classes(d, out);
}
