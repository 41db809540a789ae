#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "routing/verify/dep_cycle.h"
#include "sm/base/mem.h"

enum {
	SHOWN = 8,
	FEW_BENDS = 16, /* one vertex in this many */
};

/* Tarjan's search of nodes, by their names, without recursion. */
struct search {
	const struct chan_graph *n;
	const uint64_t *dep;
	uint32_t *comp;
	uint32_t *index, *low; /* index 0: not seen */
	uint16_t *at;	       /* as dep_graph_after counts */
	uint32_t *path, npath, *stack, nstack;
	uint32_t seen, ncomp, cyclic;
};

static void
enter_node(struct search *s, uint32_t v)
{
	s->index[v] = s->low[v] = ++s->seen;
	s->path[s->npath++] = v;
	s->stack[s->nstack++] = v;
}

/* v is done: the root of a component takes it off the stack. */
static void
leave_node(struct search *s, uint32_t v)
{
	uint32_t first = s->nstack, w;
	bool loop = false;

	s->npath--;
	if (s->npath > 0) {
		uint32_t up = s->path[s->npath - 1];

		if (s->low[v] < s->low[up])
			s->low[up] = s->low[v];
	}
	if (s->low[v] != s->index[v])
		return;
	do
		w = s->stack[--first];
	while (w != v);
	if (s->nstack - first == 1) {
		unsigned at = 0;

		while ((w = dep_graph_after(&s->n->frame, s->dep, v, &at)) !=
			TOPO_NONE)
			loop |= w == v;
	} else {
		loop = true;
	}
	s->ncomp += loop;
	for (uint32_t i = first; i < s->nstack; i++) {
		s->comp[s->stack[i]] = loop ? s->ncomp : 0;
		s->low[s->stack[i]] = UINT32_MAX; /* not on the stack */
		s->cyclic += loop;
	}
	s->nstack = first;
}

static void
search_step(struct search *s)
{
	uint32_t v = s->path[s->npath - 1], w;
	unsigned at = s->at[v];

	w = dep_graph_after(&s->n->frame, s->dep, v, &at);
	if (w == TOPO_NONE) {
		leave_node(s, v);
		return;
	}
	s->at[v] = (uint16_t)at;
	if (s->index[w] == 0)
		enter_node(s, w);
	else if (s->low[w] != UINT32_MAX && s->index[w] < s->low[v])
		s->low[v] = s->index[w];
}

/* All vertices of a node are in its component. */
static void
spread_components(const struct chan_graph *n, uint32_t *comp)
{
	for (uint32_t v = 0; v < n->nv; v++)
		comp[v] = comp[dep_graph_node(&n->frame, v)];
}

/* Components among some nodes, or among all. */
static uint32_t
find_components(const struct chan_graph *n, const uint64_t *dep,
	const bool *among, uint32_t *comp)
{
	struct search s = {.n = n, .dep = dep, .comp = comp};

	memset(comp, 0, n->nv * sizeof(*comp));
	s.index = mem_zalloc(n->nv, sizeof(*s.index));
	s.low = mem_alloc(n->nv * sizeof(*s.low));
	s.at = mem_zalloc(n->nv, sizeof(*s.at));
	s.path = mem_alloc(n->nv * sizeof(*s.path));
	s.stack = mem_alloc(n->nv * sizeof(*s.stack));
	for (uint32_t v = 0; among != NULL && v < n->nv; v++)
		if (!among[v])
			s.index[v] = s.low[v] = UINT32_MAX; /* done */
	for (uint32_t v = 0; v < n->nv; v++) {
		if (s.index[v] != 0 || dep_graph_node(&n->frame, v) != v)
			continue;
		enter_node(&s, v);
		while (s.npath > 0)
			search_step(&s);
	}
	spread_components(n, comp);
	free(s.index);
	free(s.low);
	free(s.at);
	free(s.path);
	free(s.stack);
	return s.cyclic;
}

uint32_t
cdg_cycle_find(const struct chan_graph *n, const uint64_t *dep, uint32_t *comp)
{
	return find_components(n, dep, NULL, comp);
}

/*
 * Dependencies that break an order of the switches, down and up again
 * (valleys), and what can be on a cycle with them. Along all other dependencies
 * the key of a vertex grows; it is that of its channel, so a node has one.
 */
struct broken {
	const struct chan_graph *n;
	const uint64_t *dep;
	uint32_t *line; /* [nsw] places in the order */
	uint64_t *up;	/* [nsw + 1 << shift] out-ports that lead up */
	struct bend {
		uint32_t v;
		unsigned out;
	} * bend;
	size_t nbends, cap;
	uint32_t least; /* lowest key that valleys lead to */
	uint32_t *queue;
};

static bool
arrives_from_above(const struct broken *b, uint32_t v)
{
	const struct chan_graph *n = b->n;
	unsigned in = v - n->base[v];

	return (b->up[((size_t)n->owner[v] << n->shift) + n->word[in]] &
		       n->bit[in]) != 0;
}

static uint32_t
order_key(const struct broken *b, uint32_t v)
{
	uint32_t nsw = b->n->nsw, at = b->line[b->n->owner[v]];

	return arrives_from_above(b, v) ? nsw + at : nsw - 1 - at;
}

static void
find_up(struct broken *b)
{
	const struct chan_graph *n = b->n;

	for (uint32_t r = 0; r < n->off[n->nsw]; r++) {
		sw_ix s = n->owner[r], peer = n->owner[n->peer[r]];
		unsigned p = r - n->base[r];

		if (peer != n->nsw && b->line[peer] < b->line[s])
			b->up[((size_t)s << n->shift) + n->word[p]] |=
				n->bit[p];
	}
}

static void
find_valleys(struct broken *b)
{
	const struct chan_graph *n = b->n;
	size_t words = (size_t)1 << n->shift;

	b->least = UINT32_MAX;
	for (uint32_t v = 0; v < n->nv; v++) {
		const uint64_t *up = b->up + ((size_t)n->owner[v] << n->shift);
		const uint64_t *row = b->dep + ((size_t)v << n->shift);

		if (n->owner[v] == n->nsw || !arrives_from_above(b, v))
			continue;
		for (unsigned w = 0; w < words; w++)
			for (uint64_t x = row[w] & up[w]; x != 0; x &= x - 1) {
				unsigned out =
					w * 64 + (unsigned)__builtin_ctzll(x);
				uint32_t k = order_key(
					b, dep_graph_head(&n->frame, v, out));

				b->bend = mem_grow(b->bend, b->nbends, &b->cap,
					sizeof(*b->bend));
				b->bend[b->nbends++] = (struct bend){v, out};
				b->least = k < b->least ? k : b->least;
			}
	}
}

/* Find the nodes that lead to a valley and can come after one. */
static void
find_before(struct broken *b, bool *before)
{
	const struct chan_graph *n = b->n;
	uint32_t head = 0, tail = 0;

	for (size_t i = 0; i < b->nbends; i++) {
		uint32_t v = dep_graph_node(&n->frame, b->bend[i].v);

		if (!before[v])
			b->queue[tail++] = v;
		before[v] = true;
	}
	while (head < tail) {
		uint32_t x = b->queue[head++], v;
		unsigned at = 0;

		while ((v = dep_graph_before(&n->frame, b->dep, x, &at)) !=
			TOPO_NONE) {
			if (before[v] || order_key(b, v) < b->least)
				continue;
			before[v] = true;
			b->queue[tail++] = v;
		}
	}
}

/* Of that, find what a valley leads to. */
static void
find_behind(struct broken *b, const bool *before, bool *behind)
{
	const struct chan_graph *n = b->n;
	uint32_t head = 0, tail = 0;

	for (size_t i = 0; i < b->nbends; i++) {
		uint32_t v = dep_graph_node(
			&n->frame, dep_graph_head(&n->frame, b->bend[i].v,
					   b->bend[i].out));

		if (behind[v] || !before[v])
			continue;
		behind[v] = true;
		b->queue[tail++] = v;
	}
	while (head < tail) {
		uint32_t v = b->queue[head++], w;
		unsigned at = 0;

		while ((w = dep_graph_after(&n->frame, b->dep, v, &at)) !=
			TOPO_NONE) {
			if (behind[w] || !before[w])
				continue;
			behind[w] = true;
			b->queue[tail++] = w;
		}
	}
}

uint32_t
cdg_cycle_search(
	const struct lft_values *v, const uint64_t *dep, uint32_t *comp)
{
	const struct chan_graph *n = v->net;
	struct broken b = {.n = n, .dep = dep};
	uint32_t cyclic = 0;

	if (v->to->order == ROUTE_NO_ORDER)
		return cdg_cycle_find(n, dep, comp);
	b.line = mem_alloc((n->nsw + 1U) * sizeof(*b.line));
	b.up = mem_zalloc(((size_t)n->nsw + 1) << n->shift, sizeof(*b.up));
	routes_order(v->to, b.line);
	find_up(&b);
	find_valleys(&b);
	if (b.nbends > n->nv / FEW_BENDS) {
		cyclic = cdg_cycle_find(n, dep, comp);
	} else if (b.nbends > 0) {
		bool *before = mem_zalloc(n->nv, sizeof(*before));
		bool *behind = mem_zalloc(n->nv, sizeof(*behind));

		b.queue = mem_alloc(n->nv * sizeof(*b.queue));
		find_before(&b, before);
		find_behind(&b, before, behind);
		cyclic = find_components(n, dep, behind, comp);
		free(before);
		free(behind);
		free(b.queue);
	} else {
		memset(comp, 0, n->nv * sizeof(*comp));
	}
	free(b.line);
	free(b.up);
	free(b.bend);
	return cyclic;
}

/*
 * A LID with a packet that makes the dependency from v out of port out, or 0.
 */
static uint32_t
find_witness_lid(const struct lft_values *v, uint32_t vertex, unsigned out)
{
	static const struct transition_when all = {TRANSITION_ALL, 0};
	const struct chan_graph *n = v->net;
	uint32_t lids = v->nblocks * LFT_BLOCK;
	uint32_t before = n->peer[vertex];
	uint64_t mask = UINT64_C(1) << vertex / n->nrec, *planes = NULL;
	uint8_t x[TRANSITION_VALUES], y[TRANSITION_VALUES];
	uint32_t lid = 1;

	if (n->layers > 1)
		planes = mem_alloc(n->nsw * sizeof(*planes));
	for (; lid < lids; lid++) {
		sw_ix s = n->owner[vertex], u = n->owner[before];
		unsigned nx = lft_values_entry(v, u, lid, all, x);
		unsigned ny = lft_values_entry(v, s, lid, all, y);

		if (memchr(x, (int)(before - n->base[before]), nx) == NULL ||
			memchr(y, (int)out, ny) == NULL)
			continue;
		if (planes == NULL)
			break;
		cdg_mixed_reach(v, lid, all, planes);
		if (planes[u] & mask)
			break;
	}
	free(planes);
	return lid < lids ? lid : 0;
}

/* The same for any vertex of the node v. */
static uint32_t
find_witness_of(const struct lft_values *v, const uint64_t *dep, uint32_t node,
	unsigned out)
{
	const struct dep_graph *n = &v->net->frame;
	uint32_t lid = 0, x = node;

	do {
		if (dep_graph_has(n, dep, x, out))
			lid = find_witness_lid(v, x, out);
		x = dep_graph_mate(n, x);
	} while (lid == 0 && x != node);
	return lid;
}

static struct topo_name
switch_name(const struct chan_graph *n, sw_ix s)
{
	return topo_name(n->t, n->t->sw[s].node);
}

void
cdg_cycle_describe(const struct lft_values *v, const uint64_t *dep,
	const uint32_t *comp, char *text, size_t size)
{
	const struct chan_graph *n = v->net;
	const struct dep_matrix m = {&n->frame, dep};
	const struct dep_channels channels = dep_cycle_matrix(&m);
	uint32_t *path = mem_alloc(n->nv * sizeof(*path)), k;
	bool *left = mem_alloc(n->nv * sizeof(*left));
	struct buf b = {0};

	for (uint32_t x = 0; x < n->nv; x++)
		left[x] = comp[x] != 0 && dep_graph_node(&n->frame, x) == x;
	k = dep_cycle_shortest(&channels, left, path);
	buf_printf(&b, "cycle of %u links%s: ", k,
		n->layers > 1 ? " on one VL" : "");
	for (uint32_t i = 0; i < k && i < SHOWN; i++) {
		uint32_t next = n->peer[path[(i + 1) % k]];
		unsigned out = next - n->base[next];
		uint32_t lid = find_witness_of(v, dep, path[i], out);

		buf_printf(&b, "%s port %u",
			switch_name(n, n->owner[path[i]]).s, out);
		if (lid != 0)
			buf_printf(&b, " (LID %u)", lid);
		buf_printf(&b, " -> ");
	}
	if (k > SHOWN)
		buf_printf(&b, "... %u more -> ", k - SHOWN);
	buf_printf(&b, "%s", switch_name(n, n->owner[path[0]]).s);
	(void)snprintf(text, size, "%s", b.text);
	buf_free(&b);
	free(path);
	free(left);
}
