#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/safe_priv.h"
#include "sm/base/mem.h"

enum { STARTS = 64, SHOWN = 8 };

/* Tarjan's search without recursion. */
struct search {
	const struct safe_net *n;
	const uint64_t *turn;
	uint32_t *comp;
	uint32_t *index, *low; /* index 0: not seen */
	uint8_t *at;	       /* next out-port to try; 255: done */
	uint32_t *path, npath, *stack, nstack;
	uint32_t seen, ncomp, cyclic;
};

static void
enter(struct search *s, uint32_t v)
{
	s->index[v] = s->low[v] = ++s->seen;
	s->path[s->npath++] = v;
	s->stack[s->nstack++] = v;
}

/* v is done: the root of a component takes it off the stack. */
static void
leave(struct search *s, uint32_t v)
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

		for (; safe_next(s->n, s->turn, v, &at); at++)
			loop |= safe_head(s->n, v, at) == v;
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
step(struct search *s)
{
	uint32_t v = s->path[s->npath - 1], w;
	unsigned at = s->at[v];

	if (at == LFT_DROP || !safe_next(s->n, s->turn, v, &at)) {
		leave(s, v);
		return;
	}
	s->at[v] = (uint8_t)(at + 1);
	w = safe_head(s->n, v, at);
	if (s->index[w] == 0)
		enter(s, w);
	else if (s->low[w] != UINT32_MAX && s->index[w] < s->low[v])
		s->low[v] = s->index[w];
}

uint32_t
safe_cycle_find(const struct safe_net *n, const uint64_t *turn, uint32_t *comp)
{
	struct search s = {.n = n, .turn = turn, .comp = comp};

	memset(comp, 0, n->nv * sizeof(*comp));
	s.index = mem_zalloc(n->nv, sizeof(*s.index));
	s.low = mem_alloc(n->nv * sizeof(*s.low));
	s.at = mem_zalloc(n->nv, 1);
	s.path = mem_alloc(n->nv * sizeof(*s.path));
	s.stack = mem_alloc(n->nv * sizeof(*s.stack));
	for (uint32_t v = 0; v < n->nv; v++) {
		if (s.index[v] != 0)
			continue;
		enter(&s, v);
		while (s.npath > 0)
			step(&s);
	}
	free(s.index);
	free(s.low);
	free(s.at);
	free(s.path);
	free(s.stack);
	return s.cyclic;
}

/* Shortest way from start back to itself, at most `limit` long. */
struct round {
	const struct safe_net *n;
	const uint64_t *turn;
	const uint32_t *comp;
	uint32_t *from, *queue; /* from: predecessor + 1 */
};

static uint32_t
round_trip(struct round *r, uint32_t start, uint32_t limit, uint32_t *path)
{
	uint32_t head = 0, tail = 0, k = 0, v = start;

	memset(r->from, 0, r->n->nv * sizeof(*r->from));
	r->queue[tail++] = start;
	while (head < tail && r->from[start] == 0) {
		uint32_t c = r->queue[head++];
		unsigned at = 0;

		for (; safe_next(r->n, r->turn, c, &at); at++) {
			uint32_t w = safe_head(r->n, c, at);

			if (r->comp[w] != r->comp[start] || r->from[w] != 0)
				continue;
			r->from[w] = c + 1;
			r->queue[tail++] = w;
		}
	}
	if (r->from[start] == 0)
		return 0;
	do {
		v = r->from[v] - 1;
		k++;
	} while (v != start && k < limit);
	if (v != start)
		return 0;
	for (uint32_t i = k; i-- > 0;)
		path[i] = v = r->from[v] - 1;
	return k;
}

uint32_t
safe_cycle_short(const struct safe_net *n, const uint64_t *turn,
	const uint32_t *comp, uint32_t *path)
{
	struct round r = {.n = n, .turn = turn, .comp = comp};
	uint32_t best = 0, tries = 0;

	r.from = mem_alloc(n->nv * sizeof(*r.from));
	r.queue = mem_alloc((n->nv + 1U) * sizeof(*r.queue));
	for (uint32_t v = 0; v < n->nv && tries < STARTS; v++) {
		uint32_t k;

		if (comp[v] == 0)
			continue;
		tries++;
		k = round_trip(&r, v, best != 0 ? best - 1 : UINT32_MAX, path);
		best = k != 0 ? k : best;
	}
	free(r.from);
	free(r.queue);
	return best;
}

/* A LID by which some packet makes the turn from v out of port out, or 0. */
static uint32_t
witness(const struct safe_values *v, uint32_t vertex, unsigned out)
{
	static const struct safe_when all = {SAFE_ALL, 0};
	const struct safe_net *n = v->net;
	uint32_t lids = v->nblocks * LFT_BLOCK;
	uint32_t before = n->peer[vertex];
	uint8_t mask = (uint8_t)(1U << vertex / n->nrec), *lanes = NULL;
	uint8_t x[SAFE_VALUES], y[SAFE_VALUES];
	uint32_t lid = 1;

	if (n->lanes > 1)
		lanes = mem_alloc(n->nsw);
	for (; lid < lids; lid++) {
		sw_ix s = n->owner[vertex], u = n->owner[before];
		unsigned nx = safe_value_entry(v, u, lid, all, x);
		unsigned ny = safe_value_entry(v, s, lid, all, y);

		if (memchr(x, (int)(before - n->base[before]), nx) == NULL ||
			memchr(y, (int)out, ny) == NULL)
			continue;
		if (lanes == NULL)
			break;
		safe_mix_reach(v, lid, all, lanes);
		if (lanes[u] & mask)
			break;
	}
	free(lanes);
	return lid < lids ? lid : 0;
}

void
safe_cycle_tell(const struct safe_values *v, const uint64_t *turn,
	const uint32_t *comp, char *text, size_t size)
{
	const struct safe_net *n = v->net;
	uint32_t *path = mem_alloc(n->nv * sizeof(*path));
	uint32_t k = safe_cycle_short(n, turn, comp, path);
	struct buf b = {0};

	buf_printf(&b, "cycle of %u cables%s: ", k,
		k > 0 && n->lanes > 1 ? " on one lane" : "");
	for (uint32_t i = 0; i < k && i < SHOWN; i++) {
		uint32_t next = n->peer[path[(i + 1) % k]];
		unsigned out = next - n->base[next];
		uint32_t lid = witness(v, path[i], out);

		safe_net_name(n, n->owner[path[i]], &b);
		buf_printf(&b, " port %u", out);
		if (lid != 0)
			buf_printf(&b, " (LID %u)", lid);
		buf_printf(&b, " -> ");
	}
	if (k > SHOWN)
		buf_printf(&b, "... %u more -> ", k - SHOWN);
	if (k > 0)
		safe_net_name(n, n->owner[path[0]], &b);
	(void)snprintf(text, size, "%s", b.text);
	buf_free(&b);
	free(path);
}
