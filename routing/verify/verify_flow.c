#include "routing/verify/verify_flow.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { AHEAD = 8 }; /* switches ahead that blocks are prefetched for */

/* Words of a set of ports; 0: dependencies are not wanted. */
static unsigned
words_of(const struct cdg *g)
{
	return g->light ? 0 : 1U << g->shift;
}

/* The in-ports of each switch by their class. */
static void
sort_in_ports(struct verify_flow *f)
{
	const struct cdg *g = f->g;
	unsigned words = words_of(g);

	if (g->map == NULL)
		return;
	f->of_class = mem_zalloc(((size_t)g->n + 1) * g->map->in * words + 1,
		sizeof(*f->of_class));
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++) {
			unsigned in = p - g->off[s];
			size_t at = (size_t)s * g->map->in +
				    (g->port_class[p] & 15U);

			f->of_class[at * words + in / 64] |= (uint64_t)1
							     << (in & 63);
		}
}

void
verify_flow_new(struct verify_flow *f, struct cdg *g)
{
	size_t n = g->n + 1U, sets = (size_t)g->nplanes * words_of(g);

	*f = (struct verify_flow){
		.g = g, .root = TOPO_NONE, .layer_root = TOPO_NONE};
	/* the more planes and words a set has, the fewer LIDs at once */
	f->most = (unsigned)(sets == 0		? LFT_BLOCK
			     : sets < LFT_BLOCK ? LFT_BLOCK / sets
						: 1);
	f->line = mem_alloc(n * sizeof(*f->line));
	f->far = mem_zalloc(n, sizeof(*f->far));
	f->far[g->n] = UINT16_MAX - 1; /* no switch is one link farther */
	f->order = mem_alloc(n * sizeof(*f->order));
	f->feeder = mem_alloc(n * sizeof(*f->feeder));
	f->other = mem_alloc(n * sizeof(*f->other));
	f->hosts = mem_alloc(n * sizeof(*f->hosts));
	f->layer = mem_zalloc(n, sizeof(*f->layer));
	f->cell = mem_zalloc(n * f->most * (sets + 1), sizeof(*f->cell));
	f->dep = mem_zalloc(g->nports * sets + 1, sizeof(*f->dep));
	sort_in_ports(f);
}

/* Sets by out-port become rows by in-port. */
static void
transpose_sets(const struct verify_flow *f, uint32_t s, uint32_t out)
{
	const struct cdg *g = f->g;
	unsigned words = words_of(g), sets = g->nplanes * words;
	uint32_t off = g->off[s];
	const uint64_t *from = f->dep + (size_t)(off + out) * sets;

	for (unsigned i = 0; i < sets; i++) {
		uint64_t *dep = g->dep + i / words * g->plane;

		for (uint64_t x = from[i]; x != 0; x &= x - 1) {
			uint32_t in =
				i % words * 64 + (unsigned)__builtin_ctzll(x);
			size_t row = (size_t)(off + in) << g->shift;

			dep[row + (out >> 6)] |= (uint64_t)1 << (out & 63);
		}
	}
}

void
verify_flow_end(struct verify_flow *f)
{
	const struct cdg *g = f->g;
	bool one = g->nplanes * words_of(g) == 1;

	/* with few LIDs most ports have no dependencies */
	for (uint32_t s = 0; s < g->n && !g->light; s++)
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
			if (!one || f->dep[p] != 0)
				transpose_sets(f, s, p - g->off[s]);
	free(f->line);
	free(f->far);
	free(f->order);
	free(f->feeder);
	free(f->other);
	free(f->hosts);
	free(f->layer);
	free(f->cell);
	free(f->dep);
	free(f->of_class);
}

void
verify_flow_load(
	struct verify_flow *f, const struct verify_tables *in, uint32_t b)
{
	const struct cdg *g = f->g;
	struct lft_row *const *row = in->row;

	for (uint32_t s = 0; s < g->n; s++) {
		lft_ref r = LFT_EMPTY;

		if (b < in->nblocks) {
			if (s + 2 * AHEAD < g->n)
				__builtin_prefetch(lft_row_at(
					row[g->sw[s + 2 * AHEAD]], b));
			if (s + AHEAD < g->n)
				__builtin_prefetch(lft_bytes(in->pool,
					lft_row_ref(row[g->sw[s + AHEAD]], b)));
			r = lft_row_ref(row[g->sw[s]], b);
		}
		memcpy(f->line[s], lft_bytes(in->pool, r), LFT_BLOCK);
	}
}

/* For each switch the list of its feeders, the switches that send to it. */
static void
find_feeders(struct verify_flow *f, uint32_t l)
{
	const struct cdg *g = f->g;
	const uint32_t *off = g->off, *peer = g->peer;
	const uint8_t *top = g->top, (*line)[LFT_BLOCK] = f->line;
	uint32_t *feeder = f->feeder, *other = f->other;

	memset(feeder + f->lo, 0xff, (f->hi - f->lo) * sizeof(*feeder));
	for (uint32_t s = f->lo; s < f->hi; s++) {
		uint8_t out = line[s][l] <= top[s] ? line[s][l] : 0;
		uint32_t to = peer[off[s] + out] >> 8;

		other[s] = feeder[to];
		feeder[to] = s;
	}
}

bool
verify_flow_order(struct verify_flow *f, uint32_t l)
{
	const struct cdg *g = f->g;
	uint32_t n = f->hi - f->lo, at = n, *order = f->order;

	find_feeders(f, l);
	memset(f->hosts, 0, n * sizeof(*f->hosts));
	f->far[f->root] = 0;
	f->hosts[0] = g->hosts[f->root];
	order[--at] = f->root;
	f->farthest = 0;
	for (uint32_t i = n; i > at; i--) {
		uint32_t p = order[i - 1], d = f->far[p] + 1U;

		for (uint32_t s = f->feeder[p]; s != TOPO_NONE;
			s = f->other[s]) {
			f->far[s] = (uint16_t)d;
			f->hosts[d] += g->hosts[s];
			f->farthest = d;
			order[--at] = s;
		}
	}
	return at == 0;
}

/* One step of sets of in-ports through a switch, for one LID. */
struct hop {
	uint64_t *from; /* of the cell: cleared */
	uint64_t *dep;	/* of the out-port */
	uint64_t *to;	/* of the next cell ... */
	uint32_t at;	/* ... where this port is added */
	unsigned own;	/* layers of the switch's own packets */
};

/*
 * The in-ports by which packets for one LID arrive at a switch become
 * dependencies of their out-port, layer by layer; where there are any, the far
 * end of that port is an in-port of the next switch.
 */
static inline __attribute__((always_inline)) void
carry_sets(const struct hop *h, const unsigned words, const unsigned layers)
{
	for (unsigned q = 0; q < layers; q++) {
		uint64_t any = layers == 1 || (h->own >> q & 1);

		for (unsigned k = q * words; k < (q + 1) * words; k++) {
			uint64_t x = h->from[k];

			if ((x & ~h->dep[k]) != 0)
				h->dep[k] |= x;
			any |= x;
			h->from[k] = 0;
		}
		if (any != 0)
			h->to[q * words + (words > 1 ? h->at >> 6 : 0)] |=
				(uint64_t)1 << (h->at & 63);
	}
}

/*
 * The same with a map of VLs. What arrives in plane (class, layer) becomes
 * dependencies of that plane, and goes on in the planes of its layer and of the
 * classes of the in-ports.
 */
static void
carry_planes(const struct verify_flow *f, const struct hop *h, uint32_t s,
	unsigned words)
{
	const struct cdg *g = f->g;
	unsigned layers = g->nlayers, ins = g->map->in;

	for (unsigned l = 0; l < layers; l++) {
		uint64_t from[VERIFY_PORT_WORDS] = {0};

		for (unsigned k = 0; k < ins; k++)
			for (unsigned i = 0; i < words; i++) {
				size_t at = (k * layers + l) * words + i;

				from[i] |= h->from[at];
				h->dep[at] |= h->from[at];
				h->from[at] = 0;
			}
		for (unsigned k = 0; k < ins && h->to != NULL; k++) {
			const uint64_t *of =
				f->of_class + ((size_t)s * ins + k) * words;
			uint64_t any = k == 0 ? h->own >> l & 1 : 0;

			for (unsigned i = 0; i < words; i++)
				any |= from[i] & of[i];
			if (any != 0)
				h->to[(k * layers + l) * words +
					(h->at >> 6)] |= (uint64_t)1
							 << (h->at & 63);
		}
	}
}

/* The ports of a line of entries, 0 for an entry that is no port. */
static inline void
ports_of(const uint8_t *line, uint8_t top, uint8_t *out)
{
	for (unsigned i = 0; i < LFT_BLOCK; i++)
		out[i] = line[i] <= top ? line[i] : 0;
}

/*
 * All LIDs of l at switch s, which is not the root. first: no switch sends to
 * it; only for one layer.
 */
static inline __attribute__((always_inline)) uint64_t
pass_switch(const struct verify_flow *f, const struct verify_lids *l,
	uint32_t s, const unsigned words, const unsigned layers,
	const bool first, const bool mapped)
{
	const struct cdg *g = f->g;
	const size_t sets = (size_t)words * layers, size = sets + 1, n = l->n;
	const uint32_t *peer = g->peer + g->off[s];
	const uint16_t *far = f->far;
	uint64_t *dep = f->dep + g->off[s] * sets, *to = f->cell, *next;
	uint64_t *cell = to + s * n * size, bad = 0;
	uint32_t *load = g->load + g->off[s];
	uint32_t near = far[s] - 1U, own = g->hosts[s], weight = l->weight;
	uint8_t port[LFT_BLOCK];
	struct hop h = {.own = f->layer[s]};

	ports_of(f->line[s], g->top[s], port);
	for (size_t i = 0; i < n; i++, cell += size, to += size) {
		uint32_t out = port[l->first + i];
		uint32_t e = peer[out], hosts = own;

		if (!first) {
			hosts += (uint32_t)cell[0];
			cell[0] = 0;
		}
		if (far[e >> 8] != near) {
			memset(cell, 0, size * sizeof(*cell));
			bad |= (uint64_t)1 << i;
			continue;
		}
		next = to + (e >> 8) * n * size;
		load[out] += hosts * weight;
		next[0] += hosts;
		if (words == 0)
			continue;
		if (first) {
			next[1 + (words > 1 ? (e & 255) >> 6 : 0)] |=
				(uint64_t)1 << (e & 63);
			continue;
		}
		h.from = cell + 1;
		h.dep = dep + out * sets;
		h.to = next + 1;
		h.at = e & 255;
		if (mapped)
			carry_planes(f, &h, s, words);
		else
			carry_sets(&h, words, layers);
	}
	return bad;
}

/* All LIDs of l at the root, where packets leave the fabric. */
static void
eject_at_root(const struct verify_flow *f, const struct verify_lids *l)
{
	const struct cdg *g = f->g;
	unsigned words = words_of(g);
	size_t sets = (size_t)words * g->nplanes, n = l->n;
	uint64_t nowhere[LFT_BLOCK] = {0};
	uint64_t *dep = f->dep + g->off[f->root] * sets;
	uint64_t *cell = f->cell + f->root * n * (sets + 1);
	struct hop h = {.to = g->map == NULL ? nowhere : NULL};

	for (size_t i = 0; i < n; i++, cell += sets + 1) {
		cell[0] = 0;
		h.from = cell + 1;
		h.dep = dep + f->line[f->root][l->first + i] * sets;
		if (g->map != NULL)
			carry_planes(f, &h, f->root, words);
		else
			carry_sets(&h, words, g->nlayers);
	}
}

static inline __attribute__((always_inline)) uint64_t
pass_all(const struct verify_flow *f, const struct verify_lids *l,
	const unsigned words, const unsigned layers, const bool mapped)
{
	uint32_t n = f->hi - f->lo, k = 0;
	uint64_t bad = 0;

	/* no switch sends to the farthest ones */
	for (; layers == 1 && k + 1 < n; k++) {
		if (f->far[f->order[k]] != f->farthest)
			break;
		bad |= pass_switch(f, l, f->order[k], words, 1, true, false);
	}
	for (; k + 1 < n; k++)
		bad |= pass_switch(
			f, l, f->order[k], words, layers, false, mapped);
	eject_at_root(f, l);
	return bad;
}

static uint64_t
pass_lids(struct verify_flow *f, const struct verify_lids *l)
{
	const struct cdg *g = f->g;

	if (g->nlayers > 1) {
		if (f->layer_root != f->root)
			cdg_layers(g, f->root, f->layer);
		f->layer_root = f->root;
		return g->map != NULL
			       ? pass_all(f, l, words_of(g), g->nplanes, true)
			       : pass_all(f, l, words_of(g), g->nlayers, false);
	}
	if (g->light)
		return pass_all(f, l, 0, 1, false);
	if (g->shift == 0)
		return pass_all(f, l, 1, 1, false);
	if (g->shift == 1)
		return pass_all(f, l, 2, 1, false);
	return pass_all(f, l, 4, 1, false);
}

uint64_t
verify_flow_sum(struct verify_flow *f, const struct verify_lids *l)
{
	uint64_t bad = pass_lids(f, l), *hops = f->g->hops, hosts = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct verify_lids undo = {
			l->first + i, 1, 0U - l->weight};

		if (bad >> i & 1)
			(void)pass_lids(f, &undo);
		else
			hosts += l->weight;
	}
	for (uint32_t d = 0; d <= f->farthest && hosts > 0; d++)
		hops[d] += f->hosts[d] * hosts;
	hops[0] -= hosts; /* no host sends to itself */
	return bad;
}
