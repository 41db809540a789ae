#include "routing/mcast/mcast_order.h"

#include <stdlib.h>
#include <string.h>

#include "routing/verify/dynamic_order.h"
#include "sm/base/mem.h"

enum { ATTEMPTS = 16 }; /* roots that are tried */

/* A dependency that was added. */
struct added {
	uint32_t v;
	unsigned out;
};

struct finder {
	const struct topo *t;
	const struct verify_dependencies *deps; /* of the unicast tables */
	unsigned layers;
	struct dep_graph frame;
	uint64_t *dep; /* deps, over the frame; NULL: neither is made yet */
	struct dynamic_order order;
	struct route_mcast out;
	bool *placed;	 /* [nsw] */
	sw_ix *by_place; /* [nplaced] switches by place */
	uint32_t nplaced;
	sw_ix *seq; /* the live switches, in the order they are tried */
	uint32_t nseq;
	uint32_t *piece; /* [nsw] component */
	bool *rooted;	 /* [nsw] by component */
	sw_ix *queue;	 /* [nsw] */
	uint32_t *dist;	 /* [nsw] */
	struct added *added;
	size_t nadded, cap;
};

/* ---- the frame ---- */

static void
need_frame(struct finder *f)
{
	const struct topo *t = f->t;
	const struct verify_dependencies *deps = f->deps;
	size_t row = (size_t)1 << deps->shift;

	if (f->dep != NULL)
		return;
	dep_graph_by_topo(&f->frame, t, f->layers);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			dep_graph_link(&f->frame, f->frame.off[s] + a->out,
				f->frame.off[a->peer] + a->peer_port);
		}
	f->dep = mem_zalloc(dep_graph_words(&f->frame), sizeof(*f->dep));
	for (unsigned l = 0; l < f->layers; l++)
		if ((f->out.layers >> l & 1) != 0)
			memcpy(f->dep + l * f->frame.nrec * row,
				deps->row + l * deps->nrec * row,
				deps->nrec * row * sizeof(*f->dep));
}

/* ---- an order that is given ---- */

static unsigned
layer_of_vertex(const struct dep_graph *n, uint32_t v)
{
	return n->in != NULL ? v / n->nrec % n->layers : v / n->nrec;
}

/* Add all dependencies that trees may make at switch s. */
static void
add_all_at(const struct topo *t, const struct route_mcast *m,
	const struct dep_graph *n, uint64_t *dep, sw_ix s)
{
	const struct topo_adj *adj = t->adj + t->sw[s].adj;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++)
		for (uint32_t k = 0; k < t->sw[s].nadj; k++) {
			const struct topo_adj *a = &adj[i], *b = &adj[k];
			uint32_t v = n->off[s] + a->out;

			if (a->peer == b->peer ||
				!routes_mcast_link(m, s, a->out) ||
				!routes_mcast_link(m, s, b->out) ||
				(m->pos[a->peer] < m->pos[s] &&
					m->pos[b->peer] < m->pos[s]))
				continue;
			for (; v < n->nv; v += n->nrec)
				if ((m->layers >> layer_of_vertex(n, v) & 1) !=
					0)
					dep_graph_put(n, dep, v, b->out);
		}
}

void
mcast_order_add(const struct topo *t, const struct route_mcast *m,
	const struct dep_graph *n, uint64_t *dep)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_sw_live(t, s))
			add_all_at(t, m, n, dep, s);
}

bool
mcast_order_fits(const struct topo *t, const struct route_mcast *m,
	const struct dep_graph *n, const uint64_t *dep)
{
	uint64_t *all = mem_dup(dep, dep_graph_words(n) * sizeof(*all));
	struct dynamic_order o;
	bool fits;

	mcast_order_add(t, m, n, all);
	fits = dynamic_order_new(&o, n, NULL, all);
	dynamic_order_free(&o);
	free(all);
	return fits;
}

/* ---- links ---- */

static bool
is_live_link(const struct topo *t, sw_ix s, const struct topo_adj *a)
{
	return a->peer != s && topo_sw_live(t, s) && topo_sw_live(t, a->peer);
}

/* Add a dependency in the layers of trees; false: it closes a cycle. */
static bool
add_dependency(struct finder *f, sw_ix s, unsigned in, unsigned out)
{
	for (unsigned l = 0; l < f->layers; l++) {
		uint32_t v = l * f->frame.nrec + f->frame.off[s] + in;

		if ((f->out.layers >> l & 1) == 0)
			continue;
		if (dep_graph_has(&f->frame, f->order.dep, v, out))
			continue;
		if (!dynamic_order_add(&f->order, v, out))
			return false;
		f->added = mem_grow(
			f->added, f->nadded, &f->cap, sizeof(*f->added));
		f->added[f->nadded++] = (struct added){v, out};
	}
	return true;
}

static bool
is_tree_link(const struct finder *f, sw_ix s, unsigned port)
{
	return routes_mcast_link(&f->out, s, port);
}

static void
mark_tree_link(struct finder *f, sw_ix s, unsigned port)
{
	f->out.link[s][port / 64] |= UINT64_C(1) << port % 64;
}

/*
 * At switch s, join a port to those of all links of trees, but for links to
 * switch `not`, both ways; below: only to links that lead down from s.
 */
static bool
join_port(struct finder *f, sw_ix s, unsigned port, sw_ix not, bool below)
{
	const struct topo *t = f->t;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

		if (a->peer == not || !is_tree_link(f, s, a->out) ||
			(below && f->out.pos[a->peer] < f->out.pos[s]))
			continue;
		if (!add_dependency(f, s, port, a->out) ||
			!add_dependency(f, s, a->out, port))
			return false;
	}
	return true;
}

/* Take the link from s up to a switch that has a place; false: there is no room
 * for it, nothing has changed. */
static bool
take_link(struct finder *f, sw_ix s, const struct topo_adj *a)
{
	size_t before = f->nadded;

	if (join_port(f, a->peer, a->peer_port, s, false) &&
		join_port(f, s, a->out, a->peer, true)) {
		mark_tree_link(f, s, a->out);
		mark_tree_link(f, a->peer, a->peer_port);
		return true;
	}
	while (f->nadded > before) {
		f->nadded--;
		dynamic_order_remove(&f->order, f->added[f->nadded].v,
			f->added[f->nadded].out);
	}
	return false;
}

/* ---- an attempt ---- */

static void
place_switch(struct finder *f, sw_ix s)
{
	f->by_place[f->nplaced] = s;
	f->out.pos[s] = f->nplaced++;
	f->placed[s] = true;
	f->rooted[f->piece[s]] = true;
}

/* The link of s that comes after `last` (NULL: the first) among those to
 * switches with a place, highest switches first; NULL: there is none. */
static const struct topo_adj *
next_parent(const struct finder *f, sw_ix s, const struct topo_adj *last)
{
	const struct topo *t = f->t;
	const struct topo_adj *best = NULL;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj + i];
		uint32_t at = f->out.pos[a->peer];

		if (!is_live_link(t, s, a) || !f->placed[a->peer])
			continue;
		if (last != NULL &&
			(at < f->out.pos[last->peer] ||
				(at == f->out.pos[last->peer] && a <= last)))
			continue;
		if (best == NULL || at < f->out.pos[best->peer])
			best = a;
	}
	return best;
}

/* Give s a place below the highest neighbour that there is room to hang it on;
 * false: there is none yet. */
static bool
hang_switch(struct finder *f, sw_ix s)
{
	const struct topo_adj *a = NULL;

	if (!f->rooted[f->piece[s]]) {
		place_switch(f, s);
		return true;
	}
	f->out.pos[s] = UINT32_MAX;
	while ((a = next_parent(f, s, a)) != NULL)
		if (take_link(f, s, a)) {
			place_switch(f, s);
			return true;
		}
	return false;
}

/*
 * Add all links that there is still room for, by the places of the switches:
 * they alone are remembered when the next order is sought.
 */
static void
add_more_links(struct finder *f)
{
	const struct topo *t = f->t;

	for (uint32_t k = 0; k < f->nplaced; k++) {
		sw_ix s = f->by_place[k];

		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (is_live_link(t, s, a) &&
				f->out.pos[a->peer] < f->out.pos[s] &&
				!is_tree_link(f, s, a->out))
				(void)take_link(f, s, a);
		}
	}
}

static void
begin_attempt(struct finder *f)
{
	const struct topo *t = f->t;

	f->nplaced = 0;
	f->nadded = 0;
	memset(f->placed, 0, t->nsw * sizeof(*f->placed));
	memset(f->rooted, 0, t->nsw * sizeof(*f->rooted));
	memset(f->out.link, 0, t->nsw * sizeof(*f->out.link));
}

/* Mark all links of s for trees; false: none leads to a switch with a place,
 * and it is not the first of its component. */
static bool
mark_all_links(struct finder *f, sw_ix s)
{
	const struct topo *t = f->t;
	bool hangs = !f->rooted[f->piece[s]];

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

		if (!is_live_link(t, s, a))
			continue;
		mark_tree_link(f, s, a->out);
		hangs |= f->placed[a->peer];
	}
	return hangs;
}

/* Out-ports of switch s over which packets go up, or stay, a bit each. */
static void
find_ports_up(const struct finder *f, sw_ix s, uint64_t up[ROUTE_PORT_WORDS])
{
	const struct topo *t = f->t;

	memset(up, 0, ROUTE_PORT_WORDS * sizeof(*up));
	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

		if (topo_sw_live(t, a->peer) &&
			f->out.pos[a->peer] <= f->out.pos[s])
			up[a->out / 64] |= UINT64_C(1) << a->out % 64;
	}
}

/* Whether nothing that comes to a switch from above leaves it upwards, in the
 * rows of its in-ports in one layer. */
static bool
goes_down_from_above(const struct finder *f, const uint64_t *rows,
	const uint64_t up[ROUTE_PORT_WORDS])
{
	unsigned words = 1U << f->deps->shift;
	uint64_t found = 0;

	for (unsigned w = 0; w < words && w < ROUTE_PORT_WORDS; w++)
		for (uint64_t left = up[w]; left != 0; left &= left - 1) {
			size_t in = w * 64U + (unsigned)__builtin_ctzll(left);

			for (unsigned k = 0; k < words; k++)
				found |= rows[(in << f->deps->shift) + k] &
					 up[k];
		}
	return found == 0;
}

/*
 * Whether the unicast tables of the layers of trees are up/down by the places
 * of the switches, as trees are: then there is no cycle.
 */
static bool
are_up_down(const struct finder *f)
{
	const struct topo *t = f->t;
	uint64_t up[ROUTE_PORT_WORDS];
	uint32_t at = 0;
	bool all = true;

	for (sw_ix s = 0; s < t->nsw && all; s++) {
		if (topo_sw_live(t, s))
			find_ports_up(f, s, up);
		for (unsigned l = 0; topo_sw_live(t, s) && l < f->layers && all;
			l++)
			all = (f->out.layers >> l & 1) == 0 ||
			      goes_down_from_above(f,
				      f->deps->row +
					      (((size_t)l * f->deps->nrec + at)
						      << f->deps->shift),
				      up);
		at += t->node[t->sw[s].node].nports + 1U;
	}
	return all;
}

/*
 * Place the switches in the order of f->seq, with all links; false: not each of
 * them finds its place at once, or there is no room for all links together.
 */
static bool
try_all_links(struct finder *f)
{
	begin_attempt(f);
	for (uint32_t k = 0; k < f->nseq; k++) {
		if (!mark_all_links(f, f->seq[k]))
			return false;
		place_switch(f, f->seq[k]);
	}
	if (are_up_down(f))
		return true;
	need_frame(f);
	return mcast_order_fits(f->t, &f->out, &f->frame, f->dep);
}

/* Place the switches in the order of f->seq; false: some find no room. */
static bool
try_sequence(struct finder *f)
{
	bool more = true, all;

	need_frame(f);
	begin_attempt(f);
	all = dynamic_order_new(&f->order, &f->frame, NULL, f->dep);
	while (all && more && f->nplaced < f->nseq) {
		more = false;
		for (uint32_t k = 0; k < f->nseq; k++)
			if (!f->placed[f->seq[k]])
				more |= hang_switch(f, f->seq[k]);
	}
	all = all && f->nplaced == f->nseq;
	if (all)
		add_more_links(f);
	dynamic_order_free(&f->order);
	return all;
}

/* ---- sequences ---- */

/*
 * Breadth first from s: its component into f->queue, nearest first, and the
 * distances. Returns how many switches it has.
 */
static uint32_t
search_from(struct finder *f, sw_ix s)
{
	const struct topo *t = f->t;
	uint32_t head = 0, tail = 0;

	for (sw_ix i = 0; i < t->nsw; i++)
		f->dist[i] = UINT32_MAX;
	f->dist[s] = 0;
	f->queue[tail++] = s;
	for (; head < tail; head++) {
		sw_ix at = f->queue[head];

		for (uint32_t i = 0; i < t->sw[at].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[at].adj + i];

			if (!is_live_link(t, at, a) ||
				f->dist[a->peer] != UINT32_MAX)
				continue;
			f->dist[a->peer] = f->dist[at] + 1;
			f->queue[tail++] = a->peer;
		}
	}
	return tail;
}

/* Halfway between two switches that are as far apart as any found. */
static sw_ix
find_center(struct finder *f, sw_ix s)
{
	uint32_t *near = mem_alloc(f->t->nsw * sizeof(*near)), n, most;
	sw_ix best, far = f->queue[search_from(f, s) - 1];

	n = search_from(f, far);
	most = f->dist[f->queue[n - 1]];
	memcpy(near, f->dist, f->t->nsw * sizeof(*near));
	(void)search_from(f, f->queue[n - 1]);
	best = far;
	for (sw_ix i = 0; i < f->t->nsw; i++)
		if (f->piece[i] == f->piece[s] && near[i] == most / 2 &&
			f->dist[i] + near[i] == most) {
			best = i;
			break;
		}
	free(near);
	return best;
}

/* Each component, nearest to its root first: attempt 0 begins in the middle,
 * the others elsewhere. */
static void
sequence_by_distance(struct finder *f, unsigned attempt)
{
	f->nseq = 0;
	for (sw_ix s = 0; s < f->t->nsw; s++) {
		sw_ix root;
		uint32_t n;

		if (f->piece[s] != s)
			continue;
		root = find_center(f, s);
		n = search_from(f, root);
		if (attempt > 0)
			n = search_from(
				f, f->queue[(uint64_t)attempt * n / ATTEMPTS]);
		memcpy(f->seq + f->nseq, f->queue, n * sizeof(*f->seq));
		f->nseq += n;
	}
}

struct place {
	uint32_t pos;
	sw_ix sw;
};

static int
by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

/* As in the previous order, switches that are new to it last. */
static void
sequence_as_before(struct finder *f, const struct topo *was,
	const struct route_mcast *prev)
{
	const struct topo *t = f->t;
	struct place *p = mem_alloc((t->nsw + 1U) * sizeof(*p));

	f->nseq = 0;
	for (sw_ix s = 0; s < t->nsw; s++) {
		sw_ix old = topo_switch_in(was, t, s);

		if (topo_sw_live(t, s))
			p[f->nseq++] = (struct place){
				old == TOPO_NONE ? UINT32_MAX : prev->pos[old],
				s};
	}
	qsort(p, f->nseq, sizeof(*p), by_place);
	for (uint32_t i = 0; i < f->nseq; i++)
		f->seq[i] = p[i].sw;
	free(p);
}

static void
finder_new(struct finder *f, struct topo *t,
	const struct verify_dependencies *deps, uint16_t layers)
{
	*f = (struct finder){.t = t,
		.deps = deps,
		.layers = deps->layers,
		.out = {mem_alloc((t->nsw + 1U) * sizeof(uint32_t)),
			mem_zalloc(t->nsw, sizeof(*f->out.link)), layers},
		.placed = mem_zalloc(t->nsw, sizeof(bool)),
		.by_place = mem_alloc((t->nsw + 1U) * sizeof(sw_ix)),
		.rooted = mem_zalloc(t->nsw, sizeof(bool)),
		.seq = mem_alloc((t->nsw + 1U) * sizeof(sw_ix)),
		.queue = mem_alloc((t->nsw + 1U) * sizeof(sw_ix)),
		.piece = mem_alloc((t->nsw + 1U) * sizeof(uint32_t)),
		.dist = mem_alloc((t->nsw + 1U) * sizeof(uint32_t))};
	(void)topo_pieces(t, f->piece);
}

static void
finder_free(struct finder *f)
{
	dep_graph_free(&f->frame);
	free(f->dep);
	free(f->placed);
	free(f->by_place);
	free(f->rooted);
	free(f->seq);
	free(f->queue);
	free(f->piece);
	free(f->dist);
	free(f->added);
}

/* Switches that take no part have the last places. */
static void
place_the_rest(struct finder *f)
{
	for (sw_ix s = 0; s < f->t->nsw; s++)
		if (!f->placed[s])
			f->out.pos[s] = f->nplaced++;
}

/* The orders that are given, in one way of placing switches. */
static bool
try_given(struct finder *f, const struct mcast_order_try first[2],
	bool (*place_all)(struct finder *f))
{
	for (unsigned i = 0; i < 2; i++) {
		if (first[i].order == NULL || first[i].order->pos == NULL)
			continue;
		sequence_as_before(f, first[i].topo, first[i].order);
		if (place_all(f))
			return true;
	}
	return false;
}

bool
mcast_order_find(struct topo *t, const struct verify_dependencies *deps,
	uint16_t layers, const struct mcast_order_try first[2],
	struct route_mcast *out)
{
	struct finder f;
	bool found = false;

	finder_new(&f, t, deps, layers);
	found = try_given(&f, first, try_all_links) ||
		try_given(&f, first, try_sequence);
	for (unsigned i = 0; i < ATTEMPTS && !found; i++) {
		sequence_by_distance(&f, i);
		found = try_sequence(&f);
	}
	if (found)
		place_the_rest(&f);
	else
		routes_mcast_free(&f.out);
	*out = f.out;
	finder_free(&f);
	return found;
}
