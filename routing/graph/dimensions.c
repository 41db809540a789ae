#include "routing/graph/dimensions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CLASSES_MAX = 2048, /* more: the links have no directions in common */
	SELDOM = 4, /* one dimension: one meeting in this many spans a square */
	NO_CLASS = UINT32_MAX,
	SQUARE = 2, /* common neighbours of the corners of a square */
	ODD = 20,   /* one link in so many may be of no dimension */
};

struct reading {
	const struct swgraph *g;
	struct dimensions *out;
	uint32_t ngroups;
	uint32_t *edge;	 /* [ngroups] number of the link, same both ways */
	uint32_t *class; /* [ngroups] union-find by edge, then classes */
	sw_ix *near;	 /* [nsw] common neighbours: the first found */
	uint32_t *count; /* [nsw] ... and how many, 0 between searches */
	uint32_t nclasses;
	uint32_t *size; /* [nclasses] links */
};

const char *const dimension_shapes[] = {[DIMENSION_LINE] = "line",
	[DIMENSION_RING] = "ring",
	[DIMENSION_FULL] = "full",
	NULL};

/* ---- links ---- */

static uint32_t
root_of(struct reading *r, uint32_t e)
{
	while (r->class[e] != e)
		e = r->class[e] = r->class[r->class[e]];
	return e;
}

/* The links from a to b and from c to d run in one direction. */
static void
join_links(struct reading *r, sw_ix a, sw_ix b, sw_ix c, sw_ix d)
{
	uint32_t x = root_of(r, r->edge[swgraph_group(r->g, a, b)]);
	uint32_t y = root_of(r, r->edge[swgraph_group(r->g, c, d)]);

	if (x < y)
		r->class[y] = x;
	else
		r->class[x] = y;
}

/* A link has the number of its group at the switch of lower number. */
static void
number_links(struct reading *r)
{
	const struct swgraph *g = r->g;

	r->ngroups = g->first[g->nsw];
	r->edge = arena_array(g->a, r->ngroups, sizeof(*r->edge));
	r->class = arena_array(g->a, r->ngroups, sizeof(*r->class));
	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			r->class[i] = i;
			r->edge[i] =
				g->group[i].peer > s
					? i
					: swgraph_group(g, g->group[i].peer, s);
		}
}

/* ---- triangles and squares ---- */

/* The second common neighbour of a and c, whose first one is b. */
static sw_ix
other_neighbour(const struct swgraph *g, sw_ix a, sw_ix c, sw_ix b)
{
	for (uint32_t i = g->first[a]; i < g->first[a + 1]; i++) {
		sw_ix d = g->group[i].peer;

		if (d != b && swgraph_group(g, c, d) != UINT32_MAX)
			return d;
	}
	return TOPO_NONE;
}

/* Join the links of the square a b c d, if it has no diagonal. */
static void
join_square(struct reading *r, sw_ix a, sw_ix c)
{
	const struct swgraph *g = r->g;
	sw_ix b = r->near[c], d = other_neighbour(g, a, c, b);

	if (d == TOPO_NONE || swgraph_group(g, b, d) != UINT32_MAX)
		return;
	join_links(r, a, b, d, c);
	join_links(r, a, d, b, c);
}

/* All that lies two links from a: triangles and squares with a in a corner. */
static void
join_around(struct reading *r, sw_ix a)
{
	const struct swgraph *g = r->g;

	for (uint32_t i = g->first[a]; i < g->first[a + 1]; i++) {
		sw_ix b = g->group[i].peer;

		for (uint32_t k = g->first[b]; k < g->first[b + 1]; k++) {
			sw_ix c = g->group[k].peer;

			if (c == a)
				continue;
			if (r->count[c]++ == 0)
				r->near[c] = b;
			if (swgraph_group(g, a, c) != UINT32_MAX)
				join_links(r, a, b, b, c);
		}
	}
	for (uint32_t i = g->first[a]; i < g->first[a + 1]; i++) {
		sw_ix b = g->group[i].peer;

		for (uint32_t k = g->first[b]; k < g->first[b + 1]; k++) {
			sw_ix c = g->group[k].peer;

			if (r->count[c] == SQUARE && c > a &&
				swgraph_group(g, a, c) == UINT32_MAX)
				join_square(r, a, c);
			r->count[c] = 0;
		}
	}
}

/* The size of class that a quarter of the links are in smaller ones than;
 * size[] by class, both directions. */
static uint32_t
find_quartile(const struct reading *r, const uint32_t *size)
{
	uint32_t *many = arena_array(r->g->a, r->ngroups + 1U, sizeof(*many));
	uint32_t passed = 0, n = 0;

	for (uint32_t i = 0; i < r->ngroups; i++)
		many[size[r->edge[i]]]++;
	while (n < r->ngroups && (passed + many[n]) * 4 <= r->ngroups)
		passed += many[n++];
	return n;
}

/*
 * Number the classes densely, without those that are less than half as large as
 * a class is: links that others were lost around. False: there are too many.
 */
static bool
number_classes(struct reading *r)
{
	uint32_t *number = arena_array(r->g->a, r->ngroups, sizeof(*number));
	uint32_t *size = arena_array(r->g->a, r->ngroups, sizeof(*size));
	uint32_t quartile;

	for (uint32_t i = 0; i < r->ngroups; i++)
		r->edge[i] = root_of(r, r->edge[i]);
	for (uint32_t i = 0; i < r->ngroups; i++)
		size[r->edge[i]]++;
	quartile = find_quartile(r, size);
	for (uint32_t i = 0; i < r->ngroups; i++)
		number[i] = size[i] > 0 && size[i] * 2 >= quartile
				    ? r->nclasses++
				    : NO_CLASS;
	for (uint32_t i = 0; i < r->ngroups; i++)
		r->class[i] = number[r->edge[i]];
	r->size = arena_array(r->g->a, r->nclasses + 1U, sizeof(*r->size));
	for (uint32_t i = 0; i < r->ngroups; i++)
		if (number[i] != NO_CLASS)
			r->size[number[i]] = size[i] / 2;
	return r->nclasses <= CLASSES_MAX;
}

/* ---- classes that are one dimension ---- */

/* Whether links a-b and a-d span a square without diagonals. */
static bool
spans_square(const struct swgraph *g, sw_ix a, sw_ix b, sw_ix d)
{
	if (swgraph_group(g, b, d) != UINT32_MAX)
		return false;
	for (uint32_t i = g->first[b]; i < g->first[b + 1]; i++) {
		sw_ix c = g->group[i].peer;

		if (c != a && swgraph_group(g, d, c) != UINT32_MAX &&
			swgraph_group(g, a, c) == UINT32_MAX)
			return true;
	}
	return false;
}

/* How often links of two classes meet at a switch, and span a square there. */
struct meeting {
	uint32_t met, spanned;
};

static bool
has_class(const struct reading *r, sw_ix s, uint32_t class)
{
	const struct swgraph *g = r->g;
	uint32_t i = g->first[s];

	while (i < g->first[s + 1] && r->class[i] != class)
		i++;
	return i < g->first[s + 1];
}

/*
 * Links i and k of one switch, of two classes, meet there. Where they span no
 * square, but one of them leads to a link of the other's class, there was a
 * square, which has lost a link: that says nothing.
 */
static void
count_meeting(const struct reading *r, uint32_t i, uint32_t k, sw_ix s,
	struct meeting *m)
{
	sw_ix a = r->g->group[i].peer, b = r->g->group[k].peer;
	uint32_t x = r->class[i], y = r->class[k];
	struct meeting *at =
		&m[x < y ? x * r->nclasses + y : y * r->nclasses + x];
	bool spans = spans_square(r->g, s, a, b);

	if (!spans && (has_class(r, a, y) || has_class(r, b, x)))
		return;
	at->met++;
	at->spanned += spans;
}

static void
count_meetings(const struct reading *r, struct meeting *m)
{
	const struct swgraph *g = r->g;

	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			for (uint32_t k = g->first[s]; k < i; k++)
				if (r->class[i] != r->class[k] &&
					r->class[i] != NO_CLASS &&
					r->class[k] != NO_CLASS)
					count_meeting(r, i, k, s, m);
}

/* Whether two classes are one dimension: they meet at more than half of the
 * links of one, not just at one square that has lost a link. */
static bool
follow_each_other(const struct reading *r, uint32_t x, uint32_t y,
	const struct meeting *at)
{
	uint32_t least = r->size[x] < r->size[y] ? r->size[x] : r->size[y];

	return at->met * 2 > least && at->spanned * SELDOM < at->met;
}

static uint32_t
root_in(uint32_t *of, uint32_t x)
{
	while (of[x] != x)
		x = of[x] = of[of[x]];
	return x;
}

/* Give every group its dimension; false: there are too many. */
static bool
join_classes(struct reading *r)
{
	uint32_t n = r->nclasses, *of = arena_array(r->g->a, n, sizeof(*of));
	uint32_t *number = arena_array(r->g->a, n, sizeof(*number));
	struct meeting *m = arena_array(r->g->a, (size_t)n * n, sizeof(*m));
	uint32_t dims = 0;

	count_meetings(r, m);
	for (uint32_t i = 0; i < n; i++)
		of[i] = i;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++) {
			if (follow_each_other(r, i, k, &m[i * n + k]))
				of[root_in(of, k)] = root_in(of, i);
		}
	for (uint32_t i = 0; i < n; i++)
		if (root_in(of, i) == i)
			number[i] = dims++;
	if (dims > DIMENSIONS_MAX)
		return false;
	r->out->n = dims;
	for (uint32_t i = 0; i < r->ngroups; i++)
		r->out->of[i] =
			r->class[i] == NO_CLASS
				? DIMENSIONS_NONE
				: (uint8_t)number[root_in(of, r->class[i])];
	return true;
}

/* ---- coordinates ---- */

/* What hangs together without dimension d has one coordinate in it; returns how
 * many there are. */
static uint32_t
find_coordinates(struct reading *r, unsigned d)
{
	const struct swgraph *g = r->g;
	struct dimensions *out = r->out;
	sw_ix *queue = r->near;
	uint32_t n = 0;

	for (sw_ix s = 0; s < g->nsw; s++)
		out->at[s * out->n + d] = UINT32_MAX;
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t head = 0, tail = 0;

		if (!g->live[s] || out->at[s * out->n + d] != UINT32_MAX)
			continue;
		out->at[s * out->n + d] = n;
		for (queue[tail++] = s; head < tail; head++) {
			sw_ix u = queue[head];

			for (uint32_t i = g->first[u]; i < g->first[u + 1];
				i++) {
				uint32_t *at =
					&out->at[g->group[i].peer * out->n + d];

				if (out->of[i] == d ||
					out->of[i] == DIMENSIONS_NONE ||
					*at != UINT32_MAX)
					continue;
				*at = n;
				queue[tail++] = g->group[i].peer;
			}
		}
		n++;
	}
	return n;
}

/* For sorting switches by coordinates. */
struct coordinates {
	const uint32_t *at;
	unsigned n;
};

static int
by_coordinates(const void *a, const void *b)
{
	const struct coordinates *x = a, *y = b;

	for (unsigned i = 0; i < x->n; i++)
		if (x->at[i] != y->at[i])
			return x->at[i] < y->at[i] ? -1 : 1;
	return 0;
}

/* Whether no two live switches have all coordinates alike. */
static bool
are_unique(const struct reading *r)
{
	const struct swgraph *g = r->g;
	const struct dimensions *d = r->out;
	struct coordinates *all = arena_array(g->a, g->nsw, sizeof(*all));
	uint32_t n = 0;

	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			all[n++] = (struct coordinates){
				d->at + (size_t)s * d->n, d->n};
	qsort(all, n, sizeof(*all), by_coordinates);
	for (uint32_t i = 1; i < n; i++)
		if (by_coordinates(&all[i - 1], &all[i]) == 0)
			return false;
	return true;
}

/* ---- the shape of a dimension ---- */

/* The coordinates of one dimension as a graph. */
struct shape {
	uint32_t n;
	uint32_t *links;  /* [n * n] links between two coordinates */
	uint32_t *degree; /* [n] coordinates that it is linked to */
	uint64_t *guid;	  /* [n] the lowest of its switches */
	uint32_t *place;  /* [n] its number from now on */
};

static void
survey_shape(const struct reading *r, unsigned d, struct shape *x)
{
	const struct swgraph *g = r->g;
	const struct dimensions *out = r->out;

	x->links = arena_array(g->a, (size_t)x->n * x->n, sizeof(*x->links));
	x->degree = arena_array(g->a, x->n, sizeof(*x->degree));
	x->guid = arena_array(g->a, x->n, sizeof(*x->guid));
	x->place = arena_array(g->a, x->n, sizeof(*x->place));
	memset(x->guid, 0xff, x->n * sizeof(*x->guid));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint64_t guid = g->t->node[g->t->sw[s].node].guid;
		uint32_t a = out->at[s * out->n + d];

		if (!g->live[s])
			continue;
		if (guid < x->guid[a])
			x->guid[a] = guid;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			if (out->of[i] == d)
				x->links[a * x->n +
					 out->at[g->group[i].peer * out->n +
						 d]]++;
	}
	for (uint32_t a = 0; a < x->n; a++)
		for (uint32_t b = 0; b < x->n; b++)
			x->degree[a] += x->links[a * x->n + b] > 0;
}

/* Number along a line, from the end with the lower GUID; false: it is none. */
static bool
place_line(struct shape *x)
{
	uint32_t end = UINT32_MAX, was = UINT32_MAX, at, n = 0;

	for (uint32_t a = 0; a < x->n; a++) {
		if (x->degree[a] > 2)
			return false;
		if (x->degree[a] == 1 &&
			(end == UINT32_MAX || x->guid[a] < x->guid[end]))
			end = a;
	}
	for (at = end; at != UINT32_MAX; n++) {
		uint32_t next = UINT32_MAX;

		for (uint32_t b = 0; b < x->n; b++)
			if (b != was && x->links[at * x->n + b] > 0)
				next = b;
		x->place[at] = n;
		was = at;
		at = next;
	}
	return n == x->n;
}

/* A coordinate of a full mesh, and the links that it has. */
struct ranked {
	uint32_t links, a;
	uint64_t guid;
};

static int
most_links_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->links != y->links)
		return x->links > y->links ? -1 : 1;
	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* Number those first that have the most links; false: some are not linked. */
static bool
place_full_mesh(const struct swgraph *g, struct shape *x)
{
	struct ranked *all = arena_array(g->a, x->n, sizeof(*all));

	for (uint32_t a = 0; a < x->n; a++) {
		if (x->degree[a] != x->n - 1)
			return false;
		all[a] = (struct ranked){0, a, x->guid[a]};
		for (uint32_t b = 0; b < x->n; b++)
			all[a].links += x->links[a * x->n + b];
	}
	qsort(all, x->n, sizeof(*all), most_links_first);
	for (uint32_t i = 0; i < x->n; i++)
		x->place[all[i].a] = i;
	return true;
}

/* Number around a ring, from the lowest GUID towards the lower one of its
 * neighbours; false: it is none. */
static bool
place_ring(struct shape *x)
{
	uint32_t first = 0, was = UINT32_MAX, at, n = 0;

	for (uint32_t a = 0; a < x->n; a++) {
		if (x->degree[a] != 2)
			return false;
		if (x->guid[a] < x->guid[first])
			first = a;
	}
	at = first;
	do {
		uint32_t next = UINT32_MAX;

		for (uint32_t b = 0; b < x->n; b++)
			if (b != was && x->links[at * x->n + b] > 0 &&
				(next == UINT32_MAX ||
					x->guid[b] < x->guid[next]))
				next = b;
		x->place[at] = n++;
		was = at;
		at = next;
	} while (at != first);
	return n == x->n;
}

/* The shape of a dimension, with its coordinates numbered; false: neither. */
static bool
place_shape(
	const struct swgraph *g, struct shape *x, enum dimension_shape *shape)
{
	*shape = DIMENSION_LINE;
	if (place_line(x))
		return true;
	*shape = DIMENSION_RING;
	if (x->n > 3 && place_ring(x))
		return true;
	*shape = DIMENSION_FULL;
	return place_full_mesh(g, x);
}

/* Number the coordinates of dimension d by its shape. */
static int
place_coordinates(struct reading *r, unsigned d, struct reason *why)
{
	const struct swgraph *g = r->g;
	struct dimensions *out = r->out;
	struct shape x = {.n = out->dim[d].size};

	survey_shape(r, d, &x);
	if (!place_shape(g, &x, &out->dim[d].shape))
		return reason_set(why,
			"no torus, mesh, hypercube or HyperX: the %" PRIu32
			" switches of dimension %u of %u are no line, no ring "
			"and not all linked to each other; links or switches "
			"may be missing",
			x.n, d + 1, out->n);
	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			out->at[s * out->n + d] =
				x.place[out->at[s * out->n + d]];
	return 0;
}

/* ---- the order of dimensions ---- */

/* The mean port number of a dimension, times its links. */
struct cabling {
	uint64_t ports, links;
	uint8_t dim;
};

static int
lower_ports_first(const void *a, const void *b)
{
	const struct cabling *x = a, *y = b;
	uint64_t p = x->ports * y->links, q = y->ports * x->links;

	if (p != q)
		return p < q ? -1 : 1;
	return x->dim < y->dim ? -1 : x->dim > y->dim;
}

void
dimensions_sort(const struct swgraph *g, struct dimensions *x)
{
	uint32_t n = g->first[g->nsw], was[DIMENSIONS_MAX];
	struct cabling c[DIMENSIONS_MAX] = {{0, 0, 0}};
	struct dimension dim[DIMENSIONS_MAX];
	uint8_t number[DIMENSIONS_MAX];

	for (unsigned d = 0; d < x->n; d++)
		c[d].dim = (uint8_t)d;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < g->group[i].n; k++) {
			if (x->of[i] == DIMENSIONS_NONE)
				continue;
			c[x->of[i]].ports += g->t->adj[g->group[i].adj + k].out;
			c[x->of[i]].links++;
		}
	qsort(c, x->n, sizeof(*c), lower_ports_first);
	memcpy(dim, x->dim, sizeof(dim));
	for (unsigned d = 0; d < x->n; d++) {
		number[c[d].dim] = (uint8_t)d;
		x->dim[d] = dim[c[d].dim];
	}
	for (uint32_t i = 0; i < n; i++)
		if (x->of[i] != DIMENSIONS_NONE)
			x->of[i] = number[x->of[i]];
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t *at = x->at + (size_t)s * x->n;

		memcpy(was, at, x->n * sizeof(*at));
		for (unsigned d = 0; d < x->n; d++)
			at[d] = was[c[d].dim];
	}
}

/* Whether coordinates a and b are neighbours. */
static bool
are_linked(const struct dimension *d, uint32_t a, uint32_t b)
{
	uint32_t gap = a < b ? b - a : a - b;

	return d->shape == DIMENSION_FULL || gap == 1 ||
	       (d->shape == DIMENSION_RING && gap == d->size - 1);
}

/* The dimension in which the ends of a link group differ, if it is one alone
 * and they are neighbours in it. */
static uint8_t
dimension_between(const struct dimensions *x, sw_ix a, sw_ix b)
{
	uint8_t of = DIMENSIONS_NONE;

	for (unsigned d = 0; d < x->n; d++) {
		if (x->at[(size_t)a * x->n + d] == x->at[(size_t)b * x->n + d])
			continue;
		if (of != DIMENSIONS_NONE)
			return DIMENSIONS_NONE;
		of = (uint8_t)d;
	}
	if (of != DIMENSIONS_NONE &&
		!are_linked(&x->dim[of], x->at[(size_t)a * x->n + of],
			x->at[(size_t)b * x->n + of]))
		return DIMENSIONS_NONE;
	return of;
}

void
dimensions_of_links(const struct swgraph *g, struct dimensions *x)
{
	x->odd = 0;
	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			x->of[i] = dimension_between(x, s, g->group[i].peer);
			x->odd += x->of[i] == DIMENSIONS_NONE;
		}
}

int
dimensions_read(
	const struct swgraph *g, struct dimensions *out, struct reason *why)
{
	struct reading r = {.g = g, .out = out};

	*out = (struct dimensions){0};
	number_links(&r);
	r.near = arena_array(g->a, g->nsw, sizeof(*r.near));
	r.count = arena_array(g->a, g->nsw, sizeof(*r.count));
	out->of = arena_array(g->a, r.ngroups, sizeof(*out->of));
	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			join_around(&r, s);
	if (!number_classes(&r) || !join_classes(&r))
		return reason_set(why,
			"no torus, mesh, hypercube or HyperX: its "
			"links run in no common directions");
	out->at = arena_array(
		g->a, (size_t)g->nsw * (out->n + 1), sizeof(*out->at));
	for (unsigned d = 0; d < out->n; d++)
		out->dim[d] = (struct dimension){
			find_coordinates(&r, d), DIMENSION_FULL};
	if (!are_unique(&r))
		return reason_set(why,
			"no torus, mesh, hypercube or HyperX: switches "
			"have no coordinates of their own");
	dimensions_of_links(g, out);
	for (unsigned d = 0; d < out->n; d++)
		if (place_coordinates(&r, d, why) != 0)
			return -1;
	dimensions_sort(g, out);
	return 0;
}

bool
dimensions_has_few_odd(const struct dimensions *x, uint32_t n)
{
	return x->odd * ODD <= n;
}

void
dimensions_print(const struct dimensions *x, char *out, size_t size)
{
	static const char *const shape[] = {[DIMENSION_LINE] = "line",
		[DIMENSION_RING] = "ring",
		[DIMENSION_FULL] = "full mesh"};
	size_t n = strlen(out);

	for (unsigned i = 0; i < x->n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s %s of %" PRIu32,
			i > 0 ? "," : "", shape[x->dim[i].shape],
			x->dim[i].size);
}
