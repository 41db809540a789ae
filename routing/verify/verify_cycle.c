/*
 * verify_cycle: whether the graph of dependencies has a cycle, and a short one.
 *
 * Channels without predecessors are removed until none is left (Kahn). What
 * remains is on a cycle or behind one; removing channels without successors
 * then leaves what is on a cycle or between two. From there every path forward
 * closes a cycle, and a breadth-first search from its channels finds a short
 * one to show.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify/cdg.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"

enum { STARTS = 64, SHOWN = 6 };

struct cycle {
	const struct cdg *g;
	const uint64_t *dep; /* the layer's dependencies */
	uint32_t *owner;     /* [nports] the switch of a port record */
	uint32_t *degree;
	uint32_t *queue;
	uint32_t *from; /* breadth-first search tree; TOPO_NONE: not seen */
	bool *left;	/* not removed yet */
};

/* The channels that follow c: iterate with at = 0. TOPO_NONE at the end. */
static uint32_t
next_successor(const struct cycle *cy, uint32_t c, unsigned *at)
{
	const struct cdg *g = cy->g;
	const uint64_t *row = cy->dep + ((size_t)c << g->shift);
	uint32_t s = cy->owner[c];

	while (*at < (64U << g->shift)) {
		uint64_t rest = row[*at >> 6] >> (*at & 63);
		uint32_t e;

		if (rest == 0) {
			*at = (*at | 63) + 1;
			continue;
		}
		*at += (unsigned)__builtin_ctzll(rest);
		e = g->peer[g->off[s] + (*at)++];
		if (e >> 8 != g->n)
			return g->off[e >> 8] + (e & 255);
	}
	return TOPO_NONE;
}

/*
 * The channels that precede c, in-ports of the switch before it: iterated like
 * next_successor.
 */
static uint32_t
next_predecessor(const struct cycle *cy, uint32_t c, unsigned *at)
{
	const struct cdg *g = cy->g;
	uint32_t e = g->peer[c], u = e >> 8, out = e & 255;

	if (u == g->n)
		return TOPO_NONE;
	for (; *at < g->off[u + 1] - g->off[u]; (*at)++) {
		size_t row = (size_t)(g->off[u] + *at) << g->shift;

		if (cy->dep[row + (out >> 6)] >> (out & 63) & 1)
			return g->off[u] + (*at)++;
	}
	return TOPO_NONE;
}

typedef uint32_t neighbour(const struct cycle *, uint32_t, unsigned *);

/*
 * Remove, again and again, channels that are `after` no other one. With
 * next_successor these are channels without predecessors, with next_predecessor
 * channels without successors. Returns how many stay. chan_order: zeroes, or
 * NULL; each channel's number becomes higher than those before it.
 */
static uint32_t
trim_channels(struct cycle *cy, neighbour *after, uint32_t *chan_order)
{
	uint32_t n = cy->g->nports, head = 0, tail = 0, d;
	unsigned at;

	memset(cy->degree, 0, n * sizeof(*cy->degree));
	for (uint32_t c = 0; c < n; c++) {
		at = 0;
		while (cy->left[c] && (d = after(cy, c, &at)) != TOPO_NONE)
			cy->degree[d]++;
	}
	for (uint32_t c = 0; c < n; c++)
		if (cy->left[c] && cy->degree[c] == 0)
			cy->queue[tail++] = c;
	for (; head < tail; head++) {
		cy->left[cy->queue[head]] = false;
		at = 0;
		while ((d = after(cy, cy->queue[head], &at)) != TOPO_NONE) {
			if (chan_order != NULL &&
				chan_order[d] <= chan_order[cy->queue[head]])
				chan_order[d] = chan_order[cy->queue[head]] + 1;
			if (cy->left[d] && --cy->degree[d] == 0)
				cy->queue[tail++] = d;
		}
	}
	for (uint32_t c = d = 0; c < n; c++)
		d += cy->left[c];
	return d;
}

/* A channel that follows c and is left. */
static uint32_t
next_channel(const struct cycle *cy, uint32_t c)
{
	unsigned at = 0;
	uint32_t d;

	do
		d = next_successor(cy, c, &at);
	while (d != TOPO_NONE && !cy->left[d]);
	return d;
}

/* The shortest path from `start` back to itself, first channel first; returns
 * its length, 0 where there is none shorter than limit. */
static uint32_t
round_trip(struct cycle *cy, uint32_t start, uint32_t *path, uint32_t limit)
{
	uint32_t head = 0, tail = 0, d, n = 0;
	unsigned at;

	memset(cy->from, 0xff, cy->g->nports * sizeof(*cy->from));
	cy->queue[tail++] = start;
	while (head < tail && cy->from[start] == TOPO_NONE) {
		uint32_t c = cy->queue[head++];

		at = 0;
		while ((d = next_successor(cy, c, &at)) != TOPO_NONE) {
			if (!cy->left[d] || cy->from[d] != TOPO_NONE)
				continue;
			cy->from[d] = c;
			cy->queue[tail++] = d;
		}
	}
	if (cy->from[start] == TOPO_NONE)
		return 0;
	d = start;
	do {
		d = cy->from[d];
		n++;
	} while (d != start && n < limit);
	if (n >= limit)
		return 0;
	for (uint32_t i = n; i-- > 0;) {
		d = cy->from[d];
		path[i] = d;
	}
	return n;
}

/* A short cycle; path has room for nports channels. Returns its length. */
static uint32_t
find_short_cycle(struct cycle *cy, uint32_t *path)
{
	uint32_t c = 0, best, n, tries;
	uint32_t *start = mem_alloc(STARTS * sizeof(*start));

	while (!cy->left[c])
		c++;
	/* walk on until a channel comes again: that one is on a cycle */
	memset(cy->from, 0xff, cy->g->nports * sizeof(*cy->from));
	while (cy->from[c] == TOPO_NONE) {
		cy->from[c] = 0;
		c = next_channel(cy, c);
	}
	for (tries = 0; tries < STARTS; tries++) {
		start[tries] = c;
		c = next_channel(cy, c);
		if (c == start[0]) {
			tries++;
			break;
		}
	}
	best = round_trip(cy, start[0], path, UINT32_MAX);
	for (uint32_t i = 1; i < tries; i++) {
		n = round_trip(cy, start[i], path, best);
		if (n > 0)
			best = n;
	}
	free(start);
	return best;
}

/* A LID that makes the dependency of port `out` on channel c; 0: none. */
static uint32_t
find_witness_lid(const struct cycle *cy, const struct verify_tables *in,
	uint32_t c, uint32_t out)
{
	const struct cdg *g = cy->g;
	uint32_t s = cy->owner[c], e = g->peer[c];

	for (uint32_t lid = 1; lid < in->nblocks * LFT_BLOCK; lid++)
		if (cdg_entry(g, in, s, lid) == out &&
			cdg_entry(g, in, e >> 8, lid) == (e & 255))
			return lid;
	return 0;
}

static void
describe_cycle(const struct cycle *cy, const struct verify_tables *in,
	const uint32_t *path, uint32_t n, struct buf *b)
{
	const struct cdg *g = cy->g;
	const struct topo *t = g->t;

	buf_printf(b, "credit loop of %u links", n);
	if (g->nlayers > 1)
		buf_printf(b, " in layer %u",
			(unsigned)((size_t)(cy->dep - g->dep) / g->plane));
	buf_printf(b, ": ");
	for (uint32_t i = 0; i < n && i < SHOWN; i++) {
		uint32_t s = cy->owner[path[i]];
		/* the port by which the cycle leaves s */
		uint32_t out = g->peer[path[(i + 1) % n]] & 255;
		/* with layers a LID alone makes no dependency: the source
		 * matters, too */
		uint32_t lid = g->nlayers > 1
				       ? 0
				       : find_witness_lid(cy, in, path[i], out);
		struct verify_name name = cdg_name(t, t->sw[g->sw[s]].node);

		buf_printf(b, "%s port %u", name.s, out);
		if (lid > 0)
			buf_printf(b, " (LID %u)", lid);
		buf_printf(b, " -> ");
	}
	if (n > SHOWN)
		buf_printf(b, "... %u more -> ", n - SHOWN);
	buf_printf(
		b, "%s", cdg_name(t, t->sw[g->sw[cy->owner[path[0]]]].node).s);
}

static void
cycle_new(struct cycle *cy, const struct cdg *g, const uint64_t *dep)
{
	*cy = (struct cycle){.g = g, .dep = dep};
	cy->owner = mem_alloc(g->nports * sizeof(*cy->owner));
	cy->degree = mem_alloc(g->nports * sizeof(*cy->degree));
	cy->queue = mem_alloc((g->nports + 1U) * sizeof(*cy->queue));
	cy->from = mem_alloc(g->nports * sizeof(*cy->from));
	cy->left = mem_zalloc(g->nports, sizeof(*cy->left));
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t c = g->off[s]; c < g->off[s + 1]; c++)
			cy->owner[c] = s;
	cy->owner[g->off[g->n]] = g->n;
	for (uint32_t c = 0; c < g->nports; c++)
		cy->left[c] = g->peer[c] >> 8 != g->n;
}

static void
cycle_end(struct cycle *cy)
{
	free(cy->owner);
	free(cy->degree);
	free(cy->queue);
	free(cy->from);
	free(cy->left);
}

/* A short cycle of what trim_channels has left, in words. */
static void
report_cycle(struct cycle *cy, const struct verify_tables *in,
	struct verify_report *out)
{
	uint32_t *path = mem_alloc(cy->g->nports * sizeof(*path)), n;
	struct buf b = {0};

	(void)trim_channels(cy, next_predecessor, NULL);
	n = find_short_cycle(cy, path);
	describe_cycle(cy, in, path, n, &b);
	strncpy(out->cycle, b.text, sizeof(out->cycle) - 1);
	if (out->first[0] == '\0')
		memcpy(out->first, out->cycle, sizeof(out->first));
	buf_free(&b);
	free(path);
}

/* True if several layers have no cycle as one: then none of them has. */
static bool
is_acyclic_as_one(const struct cdg *g)
{
	uint64_t *all = cdg_one_layer(g);
	struct cycle cy;
	bool none;

	if (all == NULL)
		return false;
	cycle_new(&cy, g, all);
	none = trim_channels(&cy, next_successor, NULL) == 0;
	cycle_end(&cy);
	free(all);
	return none;
}

void
verify_cycle_find(const struct cdg *g, const struct verify_tables *in,
	struct verify_report *out)
{
	struct cycle cy;

	out->plain = is_acyclic_as_one(g);
	for (unsigned layer = 0; layer < g->nlayers && !out->plain; layer++) {
		uint32_t stay;

		cycle_new(&cy, g, g->dep + layer * g->plane);
		stay = trim_channels(&cy, next_successor, NULL);
		out->cyclic_channels += stay;
		if (stay > 0 && out->cycle[0] == '\0')
			report_cycle(&cy, in, out);
		cycle_end(&cy);
	}
	out->plain |= g->nlayers == 1 && out->cyclic_channels == 0;
}

bool
verify_cycle_order_channels(
	const struct cdg *g, const uint64_t *dep, uint32_t *chan_order)
{
	struct cycle cy;
	bool ok;

	memset(chan_order, 0, g->nports * sizeof(*chan_order));
	cycle_new(&cy, g, dep);
	ok = trim_channels(&cy, next_successor, chan_order) == 0;
	cycle_end(&cy);
	return ok;
}
