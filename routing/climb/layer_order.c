#include "routing/climb/layer_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { ROUNDS = 4, MISSES = 12 }; /* more of these are worth nothing */

/* ---- the order of switches ---- */

/* Distances from root, into dist (UINT32_MAX elsewhere); switches in the order
 * in which they are found, into seq. Returns how many. */
static uint32_t
find_distances(const struct swgraph *g, sw_ix root, uint32_t *dist, sw_ix *seq)
{
	uint32_t n = 0;

	memset(dist, 0xff, g->nsw * sizeof(*dist));
	dist[root] = 0;
	seq[n++] = root;
	for (uint32_t at = 0; at < n; at++)
		for (uint32_t i = g->first[seq[at]]; i < g->first[seq[at] + 1];
			i++) {
			sw_ix p = g->group[i].peer;

			if (dist[p] != UINT32_MAX || !g->live[p])
				continue;
			dist[p] = dist[seq[at]] + 1;
			seq[n++] = p;
		}
	return n;
}

/* Room for searches. */
struct search {
	uint32_t *dist;	   /* [nsw] from the present root */
	sw_ix *seq;	   /* [nsw] in the order in which they are found */
	uint32_t *nearest; /* [nsw] from the nearest root of orders so far */
};

/* A search begins at root: how far all switches are from the roots so far. */
static uint32_t
search_from(const struct swgraph *g, sw_ix root, const struct search *x)
{
	uint32_t n = find_distances(g, root, x->dist, x->seq);

	for (uint32_t i = 0; i < n; i++)
		if (x->dist[x->seq[i]] < x->nearest[x->seq[i]])
			x->nearest[x->seq[i]] = x->dist[x->seq[i]];
	return n;
}

/*
 * The switch of a component, which root is one of, that is nearest to the hosts
 * of all others; of equal ones the first.
 */
static sw_ix
find_center(const struct swgraph *g, sw_ix root, const struct search *x,
	sw_ix *member)
{
	uint32_t n = find_distances(g, root, x->dist, member);
	uint64_t least = UINT64_MAX;
	sw_ix best = root;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t sum = 0;

		(void)find_distances(g, member[i], x->dist, x->seq);
		for (uint32_t k = 0; k < n; k++)
			sum += (uint64_t)x->dist[x->seq[k]] *
			       (1U + g->weight[x->seq[k]]);
		if (sum < least || (sum == least && member[i] < best)) {
			least = sum;
			best = member[i];
		}
	}
	return best;
}

static void
order_switches(
	const struct swgraph *g, const struct search *x, struct layer_orders *o)
{
	sw_ix *member = mem_alloc((g->nsw + 1U) * sizeof(*member));

	memset(o->pos, 0xff, g->nsw * sizeof(*o->pos));
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t n;

		if (!g->live[s] || o->pos[s] != UINT32_MAX)
			continue;
		n = search_from(g, find_center(g, s, x, member), x);
		for (uint32_t i = 0; i < n; i++) {
			o->pos[x->seq[i]] = o->nseq;
			o->seq[o->nseq++] = x->seq[i];
		}
	}
	free(member);
}

/* Up/down by an order of switches: up links by their lower end, then down links
 * by theirs; links between the same two are one. */
static void
place_by_switches(
	const struct directions *d, const uint32_t *pos, double *place)
{
	for (uint32_t c = 0; c < d->n; c++) {
		double from = pos[d->from[c]];
		double to = pos[d->g->group[c].peer];
		double n = d->g->nsw;

		/* of links with the same lower end the upper one decides */
		place[c] = from > to ? -(1 + from + to / n) : 1 + to + from / n;
	}
}

/* ---- ranks from places ---- */

struct placed {
	double at; /* without its sign */
	uint32_t c;
};

static int
compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->c > y->c) - (x->c < y->c);
}

/* Opposite directions are ranked as one, by the distance from 0, so that they
 * stay opposite. */
void
layer_orders_by_places(const struct directions *d, double *place, int32_t *rank)
{
	struct placed *p = mem_alloc((d->n + 1U) * sizeof(*p));
	uint32_t n = 0;

	for (uint32_t c = 0; c < d->n; c++)
		if (c < d->back[c])
			p[n++] = (struct placed){fabs(place[c]), c};
	qsort(p, n, sizeof(*p), compare_placed);
	for (uint32_t i = 0; i < n; i++) {
		int32_t r = (int32_t)i + 1;

		rank[p[i].c] = place[p[i].c] < 0 ? -r : r;
		rank[d->back[p[i].c]] = -rank[p[i].c];
	}
	for (uint32_t c = 0; c < d->n; c++)
		place[c] = rank[c];
	free(p);
}

void
layer_orders_by_switches(
	const struct directions *d, const uint32_t *pos, int32_t *rank)
{
	double *place = mem_zalloc(d->n + 1U, sizeof(*place));

	place_by_switches(d, pos, place);
	layer_orders_by_places(d, place, rank);
	free(place);
}

/* ---- layers that are learned ---- */

struct learn {
	const struct directions *d;
	uint32_t *next; /* [nsw * nsw] by destination: group towards it */
	sw_ix *seq;	/* [nsw * nsw] by destination: nearest first */
	uint32_t *nseq; /* [nsw] */
	bool *has;	/* [nsw * nsw] a layer before has this path */
	uint8_t *miss;	/* [nsw] dependencies that do not climb */
	double worth[MISSES + 1]; /* of a path with so many */
	double *behind; /* [nsw] weight of the paths through a switch */
	double *weight; /* [dependencies] of both directions */
};

/* Shortest paths to t, over the links that the fewest use so far. */
static void
grow_shortest(struct learn *x, sw_ix t, uint32_t *dist, uint64_t *load)
{
	const struct swgraph *g = x->d->g;
	uint32_t *next = x->next + (size_t)t * g->nsw;
	sw_ix *seq = x->seq + (size_t)t * g->nsw;
	uint32_t n = find_distances(g, t, dist, seq);
	uint64_t *many = mem_zalloc(g->nsw, sizeof(*many));

	x->nseq[t] = n;
	memset(next, 0xff, g->nsw * sizeof(*next));
	for (uint32_t k = 1; k < n; k++) {
		sw_ix u = seq[k];

		for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++)
			if (dist[g->group[i].peer] + 1 == dist[u] &&
				(next[u] == CLIMB_NO_GROUP ||
					load[i] < load[next[u]]))
				next[u] = i;
	}
	for (uint32_t k = n; k-- > 1;) {
		many[seq[k]] += 1U + g->weight[seq[k]];
		load[next[seq[k]]] += many[seq[k]] * (1U + g->weight[t]);
		many[g->group[next[seq[k]]].peer] += many[seq[k]];
	}
	free(many);
}

/* Shortest paths, to switch `first` before all others. */
static void
learn_begin(struct learn *x, const struct directions *d, sw_ix first)
{
	const struct swgraph *g = d->g;
	size_t pairs = (size_t)g->nsw * g->nsw;
	uint32_t *dist = mem_alloc((g->nsw + 1U) * sizeof(*dist));
	uint64_t *load = mem_zalloc(d->n + 1U, sizeof(*load));

	*x = (struct learn){.d = d,
		.next = mem_alloc((pairs + 1) * sizeof(*x->next)),
		.seq = mem_alloc((pairs + 1) * sizeof(*x->seq)),
		.nseq = mem_zalloc(g->nsw + 1U, sizeof(*x->nseq)),
		.has = mem_zalloc(pairs + 1, sizeof(*x->has)),
		.miss = mem_zalloc(g->nsw + 1U, sizeof(*x->miss)),
		.behind = mem_zalloc(g->nsw + 1U, sizeof(*x->behind)),
		.weight = mem_zalloc(d->dep[d->n] + 1U, sizeof(*x->weight))};
	x->worth[0] = 1;
	for (unsigned i = 1; i < MISSES; i++)
		x->worth[i] = x->worth[i - 1] / 3;
	for (uint32_t i = 0; i < g->nsw; i++) {
		sw_ix t = (sw_ix)((first + i) % g->nsw);

		if (g->live[t])
			grow_shortest(x, t, dist, load);
	}
	free(dist);
	free(load);
}

static void
learn_end(struct learn *x)
{
	free(x->next);
	free(x->seq);
	free(x->nseq);
	free(x->has);
	free(x->miss);
	free(x->behind);
	free(x->weight);
}

/* Turns of the paths to t that do not climb; how many paths climb that no layer
 * before has. */
static uint32_t
count_misses(struct learn *x, sw_ix t, const int32_t *rank)
{
	const struct swgraph *g = x->d->g;
	const uint32_t *next = x->next + (size_t)t * g->nsw;
	const sw_ix *seq = x->seq + (size_t)t * g->nsw;
	const bool *has = x->has + (size_t)t * g->nsw;
	uint32_t climbing = 0;

	x->miss[t] = 0;
	for (uint32_t k = 1; k < x->nseq[t]; k++) {
		sw_ix u = seq[k], v = g->group[next[u]].peer;
		bool miss = v != t && rank[next[u]] >= rank[next[v]];

		x->miss[u] =
			(uint8_t)(x->miss[v] + (miss && x->miss[v] < MISSES));
		climbing += x->miss[u] == 0 && !has[u];
	}
	return climbing;
}

/* What the dependencies of the paths to t are worth, after count_misses. */
static void
weigh_deps(struct learn *x, sw_ix t)
{
	const struct directions *d = x->d;
	const struct swgraph *g = d->g;
	const uint32_t *next = x->next + (size_t)t * g->nsw;
	const sw_ix *seq = x->seq + (size_t)t * g->nsw;
	const bool *has = x->has + (size_t)t * g->nsw;

	for (uint32_t k = 1; k < x->nseq[t]; k++)
		x->behind[seq[k]] = has[seq[k]] ? 0 : x->worth[x->miss[seq[k]]];
	for (uint32_t k = x->nseq[t]; k-- > 1;) {
		uint32_t c = next[seq[k]];
		sw_ix v = g->group[c].peer;

		if (v == t)
			continue;
		x->weight[directions_dep(d, c, next[v])] += x->behind[seq[k]];
		x->weight[directions_dep(d, d->back[next[v]], d->back[c])] +=
			x->behind[seq[k]];
		x->behind[v] += x->behind[seq[k]];
	}
}

/* All paths by this order; weights anew. Returns how many climb as above. */
static uint32_t
judge_order(struct learn *x, const int32_t *rank)
{
	uint32_t climbing = 0;

	memset(x->weight, 0, x->d->dep[x->d->n] * sizeof(*x->weight));
	for (sw_ix t = 0; t < x->d->g->nsw; t++) {
		if (!x->d->g->live[t])
			continue;
		climbing += count_misses(x, t, rank);
		weigh_deps(x, t);
	}
	return climbing;
}

/* The layer is made: paths that climb in it count for no other one. */
static void
note_climbing(struct learn *x, const int32_t *rank)
{
	const struct swgraph *g = x->d->g;

	for (sw_ix t = 0; t < g->nsw; t++) {
		if (!g->live[t])
			continue;
		(void)count_misses(x, t, rank);
		for (uint32_t k = 1; k < x->nseq[t]; k++) {
			sw_ix u = x->seq[(size_t)t * g->nsw + k];

			x->has[(size_t)t * g->nsw + u] |= x->miss[u] == 0;
		}
	}
}

/* A neighbour in the order: what is won by a place beyond it. */
struct bound {
	double at, gain;
};

static int
compare_bounds(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Links before and behind c, with what their dependencies are worth. */
static uint32_t
list_bounds(const struct learn *x, uint32_t c, const double *place,
	struct bound *out)
{
	const struct directions *d = x->d;
	const struct swgraph *g = d->g;
	sw_ix from = d->from[c], to = g->group[c].peer;
	uint32_t n = 0;

	for (uint32_t i = g->first[to]; i < g->first[to + 1]; i++)
		if (i != d->back[c] && x->weight[directions_dep(d, c, i)] > 0)
			out[n++] = (struct bound){
				place[i], -x->weight[directions_dep(d, c, i)]};
	for (uint32_t i = g->first[from]; i < g->first[from + 1]; i++)
		if (i != c && x->weight[directions_dep(d, d->back[i], c)] > 0)
			out[n++] = (struct bound){-place[i],
				x->weight[directions_dep(d, d->back[i], c)]};
	qsort(out, n, sizeof(*out), compare_bounds);
	return n;
}

/* The best place among bounds, in the middle of a gap; `was` if none is
 * better. */
static double
best_place(const struct bound *b, uint32_t n, double was)
{
	double sum = 0, best = 0, now = 0, at = was;
	bool found = false;

	for (uint32_t i = 0; i < n; i++)
		now += was > b[i].at ? b[i].gain : 0;
	best = now;
	for (uint32_t i = 0; i <= n; i++) {
		bool ends = i == n || i == 0 || b[i].at > b[i - 1].at;

		if (ends && sum > best * (best > 0 ? 1.000001 : .999999)) {
			best = sum;
			found = true;
			at = i == 0   ? b[0].at - 1
			     : i == n ? b[n - 1].at + 1
				      : (b[i - 1].at + b[i].at) / 2;
		}
		sum += i < n ? b[i].gain : 0;
	}
	return found ? at : was;
}

/* Move each link to its best place, one after the other. */
static void
sift_links(struct learn *x, double *place)
{
	const struct directions *d = x->d;
	struct bound *b = mem_alloc(((size_t)d->n + 1) * 2 * sizeof(*b));

	for (uint32_t c = 0; c < d->n; c++) {
		uint32_t n = c < d->back[c] ? list_bounds(x, c, place, b) : 0;

		if (n == 0)
			continue;
		place[c] = best_place(b, n, place[c]);
		place[d->back[c]] = -place[c];
	}
	free(b);
}

/* The best order of some rounds, from a first one in place. */
static void
learn_order(struct learn *x, double *place, int32_t *rank)
{
	const struct directions *d = x->d;
	int32_t *try = mem_alloc((d->n + 1U) * sizeof(*try));
	uint32_t best = 0;

	for (unsigned round = 0; round <= ROUNDS; round++) {
		uint32_t climbing;

		layer_orders_by_places(d, place, try);
		climbing = judge_order(x, try);
		if (round == 0 || climbing > best) {
			best = climbing;
			memcpy(rank, try, d->n * sizeof(*rank));
		}
		sift_links(x, place);
	}
	free(try);
	note_climbing(x, rank);
}

/* Orders of the switches of each component by the distance from the one that is
 * farthest from all roots so far. */
static void
order_from_afar(const struct swgraph *g, const struct search *x, uint32_t *pos)
{
	uint32_t placed = 0;
	sw_ix root;

	memset(pos, 0xff, g->nsw * sizeof(*pos));
	do {
		uint32_t n;

		root = TOPO_NONE;
		for (sw_ix s = 0; s < g->nsw; s++)
			if (g->live[s] && pos[s] == UINT32_MAX &&
				(root == TOPO_NONE ||
					x->nearest[s] > x->nearest[root]))
				root = s;
		n = root == TOPO_NONE ? 0 : search_from(g, root, x);
		for (uint32_t i = 0; i < n; i++)
			pos[x->seq[i]] = placed++;
	} while (root != TOPO_NONE);
}

void
layer_orders_room(
	const struct directions *d, unsigned n, struct layer_orders *out)
{
	const struct swgraph *g = d->g;

	*out = (struct layer_orders){.n = n,
		.in = arena_array(g->a, d->n + 1U, sizeof(*out->in)),
		.out = arena_array(g->a, d->n + 1U, sizeof(*out->out)),
		.rank = arena_array(
			g->a, (size_t)n * d->n + 1, sizeof(*out->rank)),
		.pos = arena_array(g->a, g->nsw + 1U, sizeof(*out->pos)),
		.seq = arena_array(g->a, g->nsw + 1U, sizeof(*out->seq))};
}

void
layer_orders_make(const struct directions *d, unsigned n, sw_ix first,
	struct layer_orders *out)
{
	const struct swgraph *g = d->g;
	struct search s = {.dist = mem_alloc((g->nsw + 1U) * sizeof(*s.dist)),
		.nearest = mem_alloc((g->nsw + 1U) * sizeof(*s.nearest)),
		.seq = mem_alloc((g->nsw + 1U) * sizeof(*s.seq))};
	double *place = mem_zalloc(d->n + 1U, sizeof(*place));
	uint32_t *pos = mem_alloc((g->nsw + 1U) * sizeof(*pos));
	struct learn x;

	layer_orders_room(d, n, out);
	memset(s.nearest, 0xff, g->nsw * sizeof(*s.nearest));
	order_switches(g, &s, out);
	layer_orders_by_switches(d, out->pos, out->rank);
	if (n > 1) {
		learn_begin(&x, d, first);
		note_climbing(&x, out->rank);
		for (unsigned l = 1; l < n; l++) {
			order_from_afar(g, &s, pos);
			place_by_switches(d, pos, place);
			learn_order(&x, place, out->rank + (size_t)l * d->n);
		}
		learn_end(&x);
	}
	free(pos);
	free(place);
	free(s.dist);
	free(s.nearest);
	free(s.seq);
}

void
layer_orders_map_room(const struct directions *d,
	const struct layer_orders *first, const struct layer_map_size *size,
	struct layer_orders *out)
{
	const struct swgraph *g = d->g;

	layer_orders_room(d, size->groups, out);
	out->n = size->layers;
	out->nseq = first->nseq;
	memcpy(out->pos, first->pos, g->nsw * sizeof(*out->pos));
	memcpy(out->seq, first->seq, first->nseq * sizeof(*out->seq));
	memcpy(out->rank, first->rank, d->n * sizeof(*out->rank));
	out->map = vl_map_new(g->t);
	out->map->groups = (uint8_t)size->groups;
	out->map->in = (uint8_t)size->ins;
}

void
layer_orders_put_classes(
	const struct directions *d, const struct layer_orders *o)
{
	const struct swgraph *g = d->g;
	const struct topo *t = g->t;

	for (uint32_t c = 0; c < d->n; c++)
		for (unsigned k = 0; k < g->group[c].n; k++) {
			unsigned out = t->adj[g->group[c].adj + k].out;

			vl_map_put(o->map,
				topo_port_of(t, t->sw[d->from[c]].node, out),
				o->in[d->back[c]], o->out[c]);
			if (o->out[c] >= o->map->out)
				o->map->out = (uint8_t)(o->out[c] + 1);
		}
}

void
layer_orders_free(struct layer_orders *o)
{
	vl_map_drop(o->map);
	o->map = NULL;
}

/* The rank of a link in a layer, for packets that came over a link of a
 * class. */
static int32_t
rank_after(const struct directions *d, const struct layer_orders *o, unsigned l,
	unsigned in, uint32_t c)
{
	return o->rank[(size_t)vl_map_group(o->map, l, in, o->out[c]) * d->n +
		       c];
}

enum { BATCH = 8 }; /* links that are compared together */

/* The ranks of the links of a switch for what arrives by a link of a class, in
 * batches: by batch, then by layer. */
struct onward_ranks {
	uint32_t n; /* links */
	int32_t (*of)[ROUTE_LAYERS][BATCH];
};

static void
rank_onward(const struct directions *d, const struct layer_orders *o, sw_ix s,
	unsigned in, struct onward_ranks *x)
{
	uint32_t first = d->g->first[s];

	x->n = d->g->first[s + 1] - first;
	for (uint32_t i = 0; i < x->n; i++)
		for (unsigned l = 0; l < o->n; l++)
			x->of[i / BATCH][l][i % BATCH] =
				rank_after(d, o, l, in, first + i);
}

/* Layers in which each link comes after one of these ranks [o->n]: dep [x->n].
 */
static void
find_climbing(const struct layer_orders *o, const int32_t *rank,
	const struct onward_ranks *x, uint16_t *dep)
{
	for (uint32_t i = 0; i < x->n; i += BATCH) {
		int32_t(*of)[BATCH] = x->of[i / BATCH];
		int32_t climbs[BATCH] = {0};

		for (unsigned l = 0; l < o->n; l++)
			for (unsigned k = 0; k < BATCH; k++)
				climbs[k] |= (rank[l] < of[l][k]) << l;
		for (unsigned k = 0; k < BATCH && i + k < x->n; k++)
			dep[i + k] = (uint16_t)climbs[k];
	}
}

uint16_t *
layer_orders_climbing(const struct directions *d, const struct layer_orders *o,
	struct arena *a)
{
	const struct swgraph *g = d->g;
	uint32_t n = d->dep[d->n];
	unsigned ins = vl_map_ins(o->map);
	uint16_t *dep = arena_array(a, (size_t)ins * n + 1, sizeof(*dep));
	int32_t rank[ROUTE_LAYERS];
	struct onward_ranks x = {
		.of = mem_zalloc(UINT8_MAX / BATCH + 1U, sizeof(*x.of))};

	for (sw_ix s = 0; s < g->nsw; s++) {
		unsigned had = VL_MAP_IN;

		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			uint32_t c = d->back[i];

			if (o->in[c] != had)
				rank_onward(d, o, s, o->in[c], &x);
			had = o->in[c];
			for (unsigned in = 0; in < ins; in++) {
				uint16_t *to = dep + (size_t)in * n + d->dep[c];

				for (unsigned l = 0; l < o->n; l++)
					rank[l] = rank_after(d, o, l, in, c);
				find_climbing(o, rank, &x, to);
				to[i - g->first[s]] = 0;
			}
		}
	}
	free(x.of);
	return dep;
}
