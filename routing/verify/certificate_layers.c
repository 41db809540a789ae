#include "routing/verify/certificate_layers.h"

#include <stdlib.h>
#include <string.h>

#include "routing/core/link_ranks.h"
#include "routing/verify/block_mask.h"
#include "routing/verify/dep_count.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	BLOCKS_MIN = 8, /* a thread's worth of work */
	AHEAD = 12,	/* switches ahead that counters are fetched for */
};

/* What is needed of the link that leaves by a port record. */
struct hop {
	uint32_t to;	/* switch, or g->n */
	uint32_t first; /* dependency of what arrives there; see dep_count_of */
	uint8_t place;
	uint8_t shift; /* planes of what arrives there begin at this bit */
};

struct walk {
	struct cdg *g;
	const struct verify_tables *in;
	const struct verify_dest *dest;
	uint32_t from, to;     /* blocks */
	bool fails;	       /* nothing is proven */
	const struct hop *hop; /* [nports] */
	unsigned ins;	       /* in-classes */
	/* of a block */
	const uint8_t **line; /* [n] entries of a switch */
	/* of a root */
	uint32_t root, lo, hi; /* its component */
	uint16_t *own; /* [n * stride] 1 in the layer from a switch to it */
	uint64_t *own_plane; /* [n] the same as a bit */
	uint32_t *order;     /* [hi - lo] the farthest first, the root last */
	uint16_t *far;	     /* [n + 1] links to the root */
	uint64_t *hosts_at;  /* [n + 1] hosts by their distance */
	bool ordered;	     /* order is of this root */
	/* of a LID */
	uint32_t *out;	 /* [n] port record by which a switch sends it */
	uint16_t *pairs; /* [n * stride] switches whose packets are at a switch,
			    by layer */
	uint64_t *plane; /* [n] in which they go on, a bit each */
	uint32_t *hosts; /* [n] hosts whose packets are there */
	uint32_t *feeder, *other; /* [n + 1] to find an order: the first switch
				     that sends to one, the next such */
};

bool
certificate_layers_ranked(const struct verify_tables *in)
{
	const struct route_layers *l = in->layers;

	return in->ranks != NULL && l != NULL && l->n > 1 &&
	       l->n <= ROUTE_LAYERS &&
	       l->n * vl_map_ins(l->map) <= VL_MAP_PLANES &&
	       in->ranks->groups > 1 &&
	       in->ranks->groups == route_layers_groups(l) &&
	       in->ranks->nadj == in->topo->nadj;
}

static struct hop *
find_hops(const struct cdg *g)
{
	struct hop *hop = mem_zalloc(g->nports, sizeof(*hop));

	for (uint32_t p = 0; p < g->nports; p++) {
		uint32_t at;

		hop[p].to = g->n;
		if (!cdg_has_link(g, p))
			continue;
		at = cdg_far_end(g, p);
		hop[p] = (struct hop){g->peer[p] >> 8, g->count->first[at],
			g->count->place[p],
			g->map == NULL ? 0
				       : (uint8_t)((g->port_class[at] & 15U) *
						   g->nlayers)};
	}
	return hop;
}

static void
walk_new(struct walk *w)
{
	const struct cdg *g = w->g;
	size_t n = g->n + 1U, stride = g->count->stride;

	w->ins = vl_map_ins(g->map);
	w->root = g->n;
	w->line = mem_zalloc(n, sizeof(*w->line));
	w->own = mem_zalloc(n * stride, sizeof(*w->own));
	w->own_plane = mem_zalloc(n, sizeof(*w->own_plane));
	w->order = mem_zalloc(n, sizeof(*w->order));
	w->far = mem_zalloc(n, sizeof(*w->far));
	w->far[g->n] = UINT16_MAX - 1; /* no switch is one link farther */
	w->hosts_at = mem_zalloc(n, sizeof(*w->hosts_at));
	w->out = mem_zalloc(n, sizeof(*w->out));
	w->pairs = mem_zalloc(n * stride, sizeof(*w->pairs));
	w->plane = mem_zalloc(n, sizeof(*w->plane));
	w->hosts = mem_zalloc(n, sizeof(*w->hosts));
	w->feeder = mem_zalloc(n, sizeof(*w->feeder));
	w->other = mem_zalloc(n, sizeof(*w->other));
}

static void
walk_end(struct walk *w)
{
	free(w->line);
	free(w->own);
	free(w->own_plane);
	free(w->order);
	free(w->far);
	free(w->hosts_at);
	free(w->out);
	free(w->pairs);
	free(w->plane);
	free(w->hosts);
	free(w->feeder);
	free(w->other);
}

/* ---- the tree of a LID ---- */

/* The layers from all switches to the root. False: one that there is not. */
static bool
find_layers(struct walk *w, uint32_t root)
{
	const struct cdg *g = w->g;
	unsigned stride = g->count->stride;
	uint32_t c = g->comp[root];

	w->root = root;
	w->lo = g->comp_lo[c];
	w->hi = g->comp_lo[c + 1];
	w->ordered = false;
	memset(w->own + (size_t)w->lo * stride, 0,
		(size_t)(w->hi - w->lo) * stride * sizeof(*w->own));
	for (uint32_t s = w->lo; s < w->hi; s++) {
		unsigned layer = cdg_layer(g, s, root);

		if (layer >= g->nlayers)
			return false;
		w->own[(size_t)s * stride + layer] = 1;
		w->own_plane[s] = UINT64_C(1) << layer;
	}
	return true;
}

/* How switches from ... to - 1 send LID number l of the block. True if each
 * sends it to a switch that is nearer by a link. */
static bool
find_outs(struct walk *w, uint32_t from, uint32_t to, unsigned l)
{
	const struct cdg *g = w->g;
	bool nearer = true;

	for (uint32_t s = from; s < to; s++) {
		uint8_t out = w->line[s][l];

		w->out[s] = out <= g->top[s] ? g->off[s] + out : g->off[g->n];
		nearer &= w->far[w->hop[w->out[s]].to] + 1 == w->far[s];
	}
	return nearer;
}

/* The order of the switches by the tree of out[]; false: it has not all. */
static bool
find_order(struct walk *w)
{
	const struct cdg *g = w->g;
	uint32_t n = w->hi - w->lo, at = n;

	memset(w->feeder + w->lo, 0xff, n * sizeof(*w->feeder));
	for (uint32_t s = w->lo; s < w->hi; s++) {
		uint32_t to = w->hop[w->out[s]].to;

		if (s == w->root)
			continue;
		w->other[s] = w->feeder[to];
		w->feeder[to] = s;
	}
	memset(w->hosts_at, 0, (n + 1) * sizeof(*w->hosts_at));
	w->far[w->root] = 0;
	w->order[--at] = w->root;
	for (uint32_t i = n; i > at; i--) {
		uint32_t p = w->order[i - 1];

		w->hosts_at[w->far[p]] += g->hosts[p];
		for (uint32_t s = w->feeder[p]; s != UINT32_MAX;
			s = w->other[s]) {
			w->far[s] = (uint16_t)(w->far[p] + 1);
			w->order[--at] = s;
		}
	}
	w->ordered = at == 0;
	return w->ordered;
}

/* The planes in which the packets of some go on after a link. */
static inline uint64_t
next_planes(const struct walk *w, const struct hop *h, uint64_t planes)
{
	unsigned layers = w->g->nlayers;
	uint64_t any = 0;

	for (unsigned k = 0; k < w->ins; k++)
		any |= planes >> k * layers;
	return (any & ((UINT64_C(1) << layers) - 1)) << h->shift;
}

/* Pass the packets of the switch on. */
static inline __attribute__((always_inline)) void
pass_switch(struct walk *w, uint32_t s, const unsigned stride,
	const bool mapped, const bool weighed)
{
	const struct hop *h = &w->hop[w->out[s]];
	const uint16_t *from = w->pairs + (size_t)s * stride;
	uint16_t *to = w->pairs + (size_t)h->to * stride;

	if (h->to != w->root) {
		struct dep_count *count = w->g->count;
		size_t dep = h->first + w->hop[w->out[h->to]].place;
		uint32_t *pairs = count->pairs + dep * stride;

		for (unsigned i = 0; i < stride; i++)
			pairs[i] += from[i];
		for (unsigned i = 0; i < stride; i++)
			to[i] = (uint16_t)(to[i] + from[i]);
		if (mapped) {
			count->planes[dep] |= w->plane[s];
			w->plane[h->to] |= next_planes(w, h, w->plane[s]);
		}
	}
	if (weighed) {
		w->g->load[w->out[s]] += w->hosts[s];
		w->hosts[h->to] += w->hosts[s];
	}
}

/* What pass_switch adds to is spread over the memory. */
static inline void
fetch_counters(const struct walk *w, uint32_t s, const unsigned stride,
	const bool mapped)
{
	const struct hop *h = &w->hop[w->out[s]];
	const struct dep_count *count = w->g->count;
	size_t dep;

	if (h->to == w->root)
		return;
	dep = h->first + w->hop[w->out[h->to]].place;
	__builtin_prefetch(count->pairs + dep * stride, 1);
	if (mapped)
		__builtin_prefetch(count->planes + dep, 1);
}

static inline __attribute__((always_inline)) void
pass_some(struct walk *w, const unsigned stride, const bool mapped,
	const bool weighed)
{
	uint32_t n = w->hi - w->lo - 1;

	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			fetch_counters(w, w->order[i + AHEAD], stride, mapped);
		pass_switch(w, w->order[i], stride, mapped, weighed);
	}
}

static inline __attribute__((always_inline)) void
pass_all(struct walk *w, const unsigned stride, const bool mapped, bool host)
{
	if (host)
		pass_some(w, stride, mapped, true);
	else
		pass_some(w, stride, mapped, false);
}

/* Count what passes the links of the tree, whose order is known. */
static void
count_tree(struct walk *w, bool host)
{
	const struct cdg *g = w->g;
	size_t n = w->hi - w->lo, stride = g->count->stride;
	bool mapped = g->map != NULL;

	memcpy(w->pairs + w->lo * stride, w->own + w->lo * stride,
		n * stride * sizeof(*w->pairs));
	if (mapped)
		memcpy(w->plane + w->lo, w->own_plane + w->lo,
			n * sizeof(*w->plane));
	if (host)
		memcpy(w->hosts + w->lo, g->hosts + w->lo,
			n * sizeof(*w->hosts));
	switch (stride) {
	case 2:
		mapped ? pass_all(w, 2, true, host)
		       : pass_all(w, 2, false, host);
		break;
	case 4:
		mapped ? pass_all(w, 4, true, host)
		       : pass_all(w, 4, false, host);
		break;
	case 8:
		mapped ? pass_all(w, 8, true, host)
		       : pass_all(w, 8, false, host);
		break;
	default:
		mapped ? pass_all(w, 16, true, host)
		       : pass_all(w, 16, false, host);
	}
	for (uint32_t d = 0; host && d <= w->far[w->order[0]]; d++)
		g->hops[d] += w->hosts_at[d];
	g->hops[0] -= host; /* no host sends to itself */
}

/* A LID that switch `root` ejects. */
static bool
prove_lid(struct walk *w, unsigned l, const struct verify_dest *d)
{
	uint32_t root = d->root;
	bool nearer;

	if (w->line[root][l] != d->eject ||
		(w->root != root && !find_layers(w, root)))
		return false;
	nearer = find_outs(w, w->lo, root, l);
	nearer &= find_outs(w, root + 1, w->hi, l);
	if (!(w->ordered && nearer) && !find_order(w))
		return false;
	count_tree(w, d->host);
	return true;
}

/* ---- LIDs that are no destinations ---- */

/* One entry of a LID, at a switch of a component where the LID is not: what is
 * sent there goes on in all layers. */
static void
count_stray(struct walk *w, uint32_t s, unsigned l)
{
	const struct cdg *g = w->g;
	struct dep_count *count = g->count;
	uint32_t port = g->off[s] + w->line[s][l], to, out;
	size_t dep;

	if (w->line[s][l] > g->top[s] || !cdg_has_link(g, port))
		return;
	to = g->peer[port] >> 8;
	out = g->off[to] + w->line[to][l];
	/* hardware discards what would leave by its in-port */
	if (w->line[to][l] > g->top[to] || !cdg_has_link(g, out) ||
		out == cdg_far_end(g, port))
		return;
	dep = dep_count_of(count, cdg_far_end(g, port), out);
	for (unsigned i = 0; i < g->nlayers; i++)
		count->pairs[dep * count->stride + i]++;
	if (count->planes != NULL)
		count->planes[dep] |=
			UINT64_MAX >> (VL_MAP_PLANES - g->nplanes);
}

/* LIDs of the block that are not in component c. */
static void
count_strays(struct walk *w, uint32_t block, uint32_t c)
{
	const struct cdg *g = w->g;
	uint64_t lids = 0;

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		uint32_t root = w->dest[block * LFT_BLOCK + l].root;

		if (root == g->n || g->comp[root] != c)
			lids |= UINT64_C(1) << l;
	}
	for (uint32_t s = g->comp_lo[c]; lids != 0 && s < g->comp_lo[c + 1];
		s++) {
		uint64_t sent = lids & ~block_mask_equal(w->line[s], LFT_DROP);

		for (; sent != 0; sent &= sent - 1)
			count_stray(w, s, (unsigned)__builtin_ctzll(sent));
	}
}

/* ---- all of them ---- */

static void
prove_block(struct walk *w, uint32_t b)
{
	const struct cdg *g = w->g;

	for (uint32_t s = 0; s < g->n; s++)
		w->line[s] = lft_bytes(w->in->pool,
			b < w->in->nblocks
				? lft_row_ref(w->in->row[g->sw[s]], b)
				: LFT_EMPTY);
	for (unsigned l = 0; l < LFT_BLOCK && !w->fails; l++) {
		const struct verify_dest *d = &w->dest[b * LFT_BLOCK + l];

		w->fails = d->root != g->n && !prove_lid(w, l, d);
	}
	for (uint32_t c = 0; c < g->ncomp && !w->fails; c++)
		count_strays(w, b, c);
}

static void
prove_part(void *arg)
{
	struct walk *w = arg;

	walk_new(w);
	for (uint32_t b = w->from; b < w->to && !w->fails; b++)
		prove_block(w, b);
	walk_end(w);
}

bool
certificate_layers_prove(struct cdg *g, const struct verify_tables *in,
	const struct verify_dest *dest, const uint32_t *rank, unsigned threads)
{
	uint32_t n = verify_walk_blocks(in);
	struct walk part[THREAD_SHARES] = {{0}};
	struct hop *hop = find_hops(g);
	bool fails = false;

	if (threads > THREAD_SHARES)
		threads = THREAD_SHARES;
	if (threads > n / BLOCKS_MIN)
		threads = n / BLOCKS_MIN;
	threads += threads == 0;
	for (unsigned i = 0; i < threads; i++)
		part[i] = (struct walk){.g = i > 0 ? cdg_copy(g) : g,
			.in = in,
			.dest = dest,
			.hop = hop,
			.from = n * i / threads,
			.to = n * (i + 1) / threads};
	thread_share(threads, prove_part, part, sizeof(*part));
	for (unsigned i = 0; i < threads; i++) {
		fails |= part[i].fails;
		if (i > 0)
			cdg_join(g, part[i].g);
	}
	free(hop);
	return !fails && dep_count_all_climb(g->count, g, rank);
}
