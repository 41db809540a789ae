/*
 * verify_walk: every LID from every switch.
 *
 * For one LID the tables are a function switch -> switch. Following it back
 * from the destination, by lists of the switches that send to each, visits
 * every switch after the one it sends to. When all switches of the component
 * have been visited, everything arrives and nothing loops. Passed on in that
 * order reversed, the farthest first, packets need a step for each switch, not
 * one for each link of each path: what passes a link are the hosts behind it,
 * and what is made there are the dependencies of all of them. LIDs that a
 * switch leaves by ports at the same distances as the LID before, as those of
 * its hosts nearly always are, are walked in the same order.
 *
 * Dependencies are noted in the planes in which packets of some pair go on, or,
 * where the graph counts (dep_count.h), by the layers of all pairs.
 *
 * A LID with a fault is judged alone: visiting each switch before the one it
 * sends to, beginning with those that no switch sends to, sums up the packets
 * that pass; then it is counted which arrive, which end somewhere else, and
 * which run into a loop.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify/block_mask.h"
#include "routing/verify/cdg.h"
#include "routing/verify/dep_count.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	BLOCKS_MIN = 8, /* a thread's worth of work */
	AHEAD = 12,	/* switches ahead that counters are fetched for */
};

/* A walk's sums in one word: hosts, switches, and feeders not yet visited. */
enum { SW_BIT = 20, IN_BIT = 40 };
#define ONE_SW ((uint64_t)1 << SW_BIT)
#define ONE_IN ((uint64_t)1 << IN_BIT)

enum fate { FATE_UNKNOWN, FATE_ON_PATH, FATE_REACHED, FATE_DEAD, FATE_LOOP };

/* What layers need of the link that leaves by a port record. */
struct hop {
	uint32_t first; /* where dependencies are counted: of what arrives */
	uint8_t place;	/* see dep_count_of */
	uint8_t shift;	/* planes of what arrives there begin at this bit */
};

/* One LID in one component. */
struct one {
	uint32_t lo, hi; /* the component */
	uint32_t root;	 /* switch that the entries end at; g->n: none */
	struct verify_dest d;
	uint32_t l; /* its number in the block */
	uint16_t lid;
	bool stray; /* not a destination here: no pair is expected */
};

struct walk {
	struct cdg *g;
	const struct verify_tables *in;
	const struct verify_dest *dest;
	const struct hop *hop; /* [nports] */
	uint32_t from, to;     /* blocks */
	struct verify_report out;
	unsigned ins; /* in-classes */
	/* of a block */
	const uint8_t **line; /* [n] entries of a switch */
	uint64_t sent;	      /* LIDs that some switch does not drop */
	/* of a root */
	uint32_t root, lo, hi; /* its component */
	uint16_t *own; /* [n * stride] 1 in the layer from a switch to it */
	uint64_t *own_plane; /* [n] the same as a bit */
	uint32_t *order;     /* [hi - lo] the farthest first, the root last */
	uint16_t *far;	     /* [n + 1] links to the root */
	uint64_t *hosts_at;  /* [n + 1] hosts by their distance */
	bool ordered;	     /* order is of this root */
	/* of a LID */
	uint32_t *exit;	 /* [n] port record by which a switch sends it */
	uint16_t *pairs; /* [n * stride] switches whose packets are at a switch,
			    by layer */
	uint64_t *plane; /* [n] in which they go on, a bit each */
	uint32_t *hosts; /* [n] hosts whose packets are there */
	uint32_t *feeder, *other; /* [n + 1] to find an order: the first switch
				     that sends to one, the next such */
	/* of a LID with faults; per switch, and one more for "nowhere" */
	uint8_t *col;	/* entries */
	uint8_t *port;	/* the entry, 0 where it is no port */
	uint32_t *next; /* packed (switch, in-port) */
	uint64_t *word; /* sums */
	uint32_t *queue;
	uint8_t *fate;
};

static void
walk_new(struct walk *w)
{
	const struct cdg *g = w->g;
	size_t n = g->n + 1U, stride = g->count != NULL ? g->count->stride : 0;

	w->ins = vl_map_ins(g->map);
	w->root = g->n;
	w->line = mem_zalloc(n, sizeof(*w->line));
	w->own = mem_zalloc(n * stride + 1, sizeof(*w->own));
	w->own_plane = mem_zalloc(n, sizeof(*w->own_plane));
	w->order = mem_zalloc(n, sizeof(*w->order));
	w->far = mem_zalloc(n, sizeof(*w->far));
	w->far[g->n] = UINT16_MAX - 1; /* no switch is one link farther */
	w->hosts_at = mem_zalloc(n, sizeof(*w->hosts_at));
	w->exit = mem_zalloc(n, sizeof(*w->exit));
	w->pairs = mem_zalloc(n * stride + 1, sizeof(*w->pairs));
	w->plane = mem_zalloc(n, sizeof(*w->plane));
	w->hosts = mem_zalloc(n, sizeof(*w->hosts));
	w->feeder = mem_zalloc(n, sizeof(*w->feeder));
	w->other = mem_zalloc(n, sizeof(*w->other));
	w->col = mem_zalloc(n, sizeof(*w->col));
	w->port = mem_zalloc(n, sizeof(*w->port));
	w->next = mem_zalloc(n, sizeof(*w->next));
	w->word = mem_zalloc(n, sizeof(*w->word));
	w->queue = mem_zalloc(n + 1, sizeof(*w->queue));
	w->fate = mem_zalloc(n, sizeof(*w->fate));
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
	free(w->exit);
	free(w->pairs);
	free(w->plane);
	free(w->hosts);
	free(w->feeder);
	free(w->other);
	free(w->col);
	free(w->port);
	free(w->next);
	free(w->word);
	free(w->queue);
	free(w->fate);
}

struct verify_dest
verify_walk_dest(const struct cdg *g, uint32_t lid)
{
	const struct topo *t = g->t;
	struct verify_dest d = {.root = g->n};
	port_ix p;
	sw_ix s;

	if (lid > t->max_lid || t->by_lid == NULL)
		return d;
	p = t->by_lid[lid];
	if (p == TOPO_NONE)
		return d;
	d.owned = true;
	s = cdg_dest_switch(t, p, &d.eject);
	if (s != TOPO_NONE && g->ix[s] != TOPO_NONE)
		d.root = g->ix[s];
	d.host = topo_is_host(t, p) && t->port[p].lid == lid;
	return d;
}

/* ---- a LID with faults ---- */

/* Resolve a LID's entries and count the feeders of each switch. */
static void
resolve_entries(struct walk *w, const struct one *b)
{
	const struct cdg *g = w->g;

	for (uint32_t s = b->lo; s < b->hi; s++)
		w->word[s] = g->hosts[s] | ONE_SW;
	w->word[g->n] = ONE_IN; /* so that "nowhere" is never visited */
	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint8_t entry = w->line[s][b->l];
		uint8_t out = entry <= g->top[s] ? entry : 0;

		w->col[s] = entry;
		w->port[s] = out;
		w->next[s] = g->peer[g->off[s] + out];
		w->word[w->next[s] >> 8] += ONE_IN;
	}
}

/* Visit every switch before the one it sends to; loops stay unvisited. */
static void
peel_switches(struct walk *w, const struct one *b)
{
	uint64_t *word = w->word;
	const uint32_t *next = w->next;
	uint32_t *queue = w->queue;
	uint32_t tail = 0;

	for (uint32_t s = b->lo; s < b->hi; s++) {
		queue[tail] = s;
		tail += word[s] < ONE_IN;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t s = queue[head], p = next[s] >> 8;
		uint64_t sum = word[p] + word[s] - ONE_IN;

		word[p] = sum;
		queue[tail] = p;
		tail += sum < ONE_IN;
	}
}

/* Note a dependency on all layers. */
static void
note_on_all_layers(const struct cdg *g, uint32_t entry, unsigned out)
{
	uint32_t in = g->off[entry >> 8] + (entry & 255);
	size_t row = (size_t)in << g->shift;

	if (g->count != NULL) {
		if (cdg_has_link(g, g->off[entry >> 8] + out))
			dep_count_add_all(g->count, g,
				dep_count_of(g->count, in,
					g->off[entry >> 8] + out));
		return;
	}
	for (unsigned q = 0; q < g->nplanes; q++)
		g->dep[q * g->plane + row + (out >> 6)] |= (uint64_t)1
							   << (out & 63);
}

/* True if a packet of s would come back by the link it left by. */
static bool
is_uturn(const struct walk *w, uint32_t s)
{
	uint32_t p = w->next[s] >> 8;

	return p != w->g->n && w->next[p] >> 8 == s &&
	       w->port[p] == (w->next[s] & 255);
}

/* The fate of every switch's packet. Uses queue as a stack. */
static void
find_fates(struct walk *w, const struct one *b)
{
	uint32_t *path = w->queue;
	uint16_t *far = w->far;
	uint8_t *fate = w->fate;

	memset(fate + b->lo, FATE_UNKNOWN, b->hi - b->lo);
	fate[w->g->n] = FATE_DEAD;
	if (b->root != w->g->n) {
		fate[b->root] = FATE_REACHED;
		far[b->root] = 0;
	}
	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint32_t v = s, n = 0, s_at;
		uint8_t end;

		while (fate[v] == FATE_UNKNOWN) {
			fate[v] = FATE_ON_PATH;
			path[n++] = v;
			v = w->next[v] >> 8;
		}
		end = fate[v];
		if (end == FATE_ON_PATH)
			end = is_uturn(w, v) ? FATE_DEAD : FATE_LOOP;
		while (n > 0) {
			s_at = path[--n];
			fate[s_at] = end;
			far[s_at] = (uint16_t)(far[w->next[s_at] >> 8] + 1);
		}
	}
}

static void
first_fault(struct walk *w, const struct one *b, uint32_t s)
{
	struct verify_pair pair = {.from = s,
		.root = b->d.root,
		.eject = b->d.eject,
		.lid = b->lid,
		.loop = w->fate[s] == FATE_LOOP};

	if (w->out.first[0] == '\0')
		verify_text_pair(w->g, w->col, &pair, w->out.first,
			sizeof(w->out.first));
}

/* Count the pairs that do not arrive; their dependencies are real, too. */
static void
count_fates(struct walk *w, const struct one *b)
{
	struct cdg *g = w->g;
	unsigned host = b->d.host;

	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint32_t p = w->next[s] >> 8;
		uint32_t c = g->off[s] + w->port[s];

		/* hardware discards what would leave by its in-port */
		if (p != g->n && w->port[p] != (w->next[s] & 255))
			note_on_all_layers(g, w->next[s], w->port[p]);
		if (w->fate[s] == FATE_REACHED) {
			g->load[c] +=
				host * (uint32_t)(w->word[s] & (ONE_SW - 1));
			g->hops[w->far[s]] += (uint64_t)g->hosts[s] * host;
			continue;
		}
		if (w->fate[s] == FATE_LOOP)
			w->out.loops++;
		else if (!b->stray)
			w->out.unreachable++;
		else
			continue;
		first_fault(w, b, s);
	}
	if (b->root != g->n)
		g->hops[0] -= host; /* no host sends to itself */
}

/* Judge one LID; its entries may have any fault. */
static void
judge_one(struct walk *w, const struct one *b)
{
	resolve_entries(w, b);
	peel_switches(w, b);
	find_fates(w, b);
	count_fates(w, b);
	w->ordered &= b->lo != w->lo; /* far is another */
}

/* ---- the tree of a LID ---- */

/* The component of the root, and the layers from all its switches to it. */
static void
set_root(struct walk *w, uint32_t root)
{
	const struct cdg *g = w->g;
	unsigned stride = g->count != NULL ? g->count->stride : 0;
	uint32_t c = g->comp[root];

	w->root = root;
	w->lo = g->comp_lo[c];
	w->hi = g->comp_lo[c + 1];
	w->ordered = false;
	if (g->nlayers == 1)
		return;
	for (uint32_t s = w->lo; s < w->hi; s++) {
		unsigned layer = cdg_layer(g, s, root);

		/* what has a layer that there is not may be in any */
		w->own_plane[s] = layer < g->nlayers
					  ? UINT64_C(1) << layer
					  : (UINT64_C(1) << g->nlayers) - 1;
		for (unsigned i = 0; i < stride; i++)
			w->own[(size_t)s * stride + i] =
				w->own_plane[s] >> i & 1;
	}
}

/* How switches from ... to - 1 send LID number l of the block. True if each
 * sends it to a switch that is nearer by a link. */
static bool
find_exits(struct walk *w, uint32_t from, uint32_t to, unsigned l)
{
	const struct cdg *g = w->g;
	bool nearer = true;

	for (uint32_t s = from; s < to; s++) {
		uint8_t out = w->line[s][l];

		w->exit[s] = out <= g->top[s] ? g->off[s] + out : g->off[g->n];
		nearer &= w->far[g->peer[w->exit[s]] >> 8] + 1 == w->far[s];
	}
	return nearer;
}

/* The order of the switches by the tree of exit[]; false: it has not all. */
static bool
find_order(struct walk *w)
{
	const struct cdg *g = w->g;
	uint32_t n = w->hi - w->lo, at = n;

	memset(w->feeder + w->lo, 0xff, n * sizeof(*w->feeder));
	for (uint32_t s = w->lo; s < w->hi; s++) {
		uint32_t to = g->peer[w->exit[s]] >> 8;

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

/* How packets are passed on: counted by layer, `stride` counters at once, or 0:
 * noted; in planes or in the one that there is; hosts are counted, or not. */
struct pass {
	unsigned stride;
	bool planes, weighed;
};

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

/* Note what the packets of switch s do behind the link to e. */
static inline __attribute__((always_inline)) void
note_step(struct walk *w, uint32_t s, uint32_t e, const bool planes)
{
	const struct cdg *g = w->g;
	uint32_t off = g->off[e >> 8], out = w->exit[e >> 8] - off;
	uint64_t *dep =
		g->dep + ((size_t)(off + (e & 255)) << g->shift) + (out >> 6);
	uint64_t bit = (uint64_t)1 << (out & 63);

	if (!planes) {
		if ((*dep & bit) == 0)
			*dep |= bit;
		return;
	}
	for (uint64_t x = w->plane[s]; x != 0; x &= x - 1)
		dep[(unsigned)__builtin_ctzll(x) * g->plane] |= bit;
}

static inline __attribute__((always_inline)) void
count_step(struct walk *w, uint32_t s, uint32_t next, const struct pass p)
{
	struct dep_count *count = w->g->count;
	size_t dep = w->hop[w->exit[s]].first + w->hop[w->exit[next]].place;
	uint32_t *pairs = count->pairs + dep * p.stride;
	const uint16_t *from = w->pairs + (size_t)s * p.stride;
	uint16_t *to = w->pairs + (size_t)next * p.stride;

	for (unsigned i = 0; i < p.stride; i++)
		pairs[i] += from[i];
	for (unsigned i = 0; i < p.stride; i++)
		to[i] = (uint16_t)(to[i] + from[i]);
	if (p.planes)
		count->planes[dep] |= w->plane[s];
}

/* Pass the packets of the switch on. */
static inline __attribute__((always_inline)) void
pass_switch(struct walk *w, uint32_t s, const struct pass p)
{
	uint32_t at = w->exit[s], e = w->g->peer[at], to = e >> 8;

	if (p.stride == 0 && !w->g->light)
		note_step(w, s, e, p.planes);
	if (to != w->root && p.stride > 0)
		count_step(w, s, to, p);
	if (to != w->root && p.planes)
		w->plane[to] |= next_planes(w, &w->hop[at], w->plane[s]);
	if (p.weighed) {
		w->g->load[at] += w->hosts[s];
		w->hosts[to] += w->hosts[s];
	}
}

/* What count_step adds to is spread over the memory. */
static inline void
fetch_counters(const struct walk *w, uint32_t s, const struct pass p)
{
	const struct dep_count *count = w->g->count;
	uint32_t to = w->g->peer[w->exit[s]] >> 8;
	size_t dep;

	if (to == w->root)
		return;
	dep = w->hop[w->exit[s]].first + w->hop[w->exit[to]].place;
	__builtin_prefetch(count->pairs + dep * p.stride, 1);
	if (p.planes)
		__builtin_prefetch(count->planes + dep, 1);
}

static inline __attribute__((always_inline)) void
pass_some(struct walk *w, const struct pass p)
{
	uint32_t n = w->hi - w->lo - 1;

	for (uint32_t i = 0; i < n; i++) {
		if (p.stride > 0 && i + AHEAD < n)
			fetch_counters(w, w->order[i + AHEAD], p);
		pass_switch(w, w->order[i], p);
	}
}

static inline __attribute__((always_inline)) void
pass_all(struct walk *w, const unsigned stride, bool planes, bool host)
{
	if (planes && host)
		pass_some(w, (struct pass){stride, true, true});
	else if (planes)
		pass_some(w, (struct pass){stride, true, false});
	else if (host)
		pass_some(w, (struct pass){stride, false, true});
	else
		pass_some(w, (struct pass){stride, false, false});
}

/* Pass on what the switches of the tree send, whose order is known. */
static void
pass_tree(struct walk *w, bool host)
{
	const struct cdg *g = w->g;
	size_t n = w->hi - w->lo;
	unsigned stride = g->count != NULL ? g->count->stride : 0;
	bool planes = stride > 0 ? g->map != NULL : g->nplanes > 1;

	memcpy(w->pairs + w->lo * stride, w->own + w->lo * stride,
		n * stride * sizeof(*w->pairs));
	if (planes)
		memcpy(w->plane + w->lo, w->own_plane + w->lo,
			n * sizeof(*w->plane));
	if (host)
		memcpy(w->hosts + w->lo, g->hosts + w->lo,
			n * sizeof(*w->hosts));
	switch (stride) {
	case 0:
		pass_all(w, 0, planes, host);
		break;
	case 2:
		pass_all(w, 2, planes, host);
		break;
	case 4:
		pass_all(w, 4, planes, host);
		break;
	case 8:
		pass_all(w, 8, planes, host);
		break;
	default:
		pass_all(w, 16, planes, host);
	}
	for (uint32_t d = 0; host && d <= w->far[w->order[0]]; d++)
		g->hops[d] += w->hosts_at[d];
	g->hops[0] -= host; /* no host sends to itself */
}

/* ---- the LIDs of a block ---- */

/* Judge a LID that is to arrive at switch d->root. */
static void
judge_lid(struct walk *w, uint32_t block, unsigned l)
{
	const struct cdg *g = w->g;
	const struct verify_dest *d = &w->dest[block + l];
	uint32_t root = d->root;
	bool ejects = w->line[root][l] == d->eject, nearer;

	if (w->root != root)
		set_root(w, root);
	w->exit[root] = g->off[root] + d->eject;
	nearer = find_exits(w, w->lo, root, l);
	nearer &= find_exits(w, root + 1, w->hi, l);
	if (ejects && ((w->ordered && nearer) || find_order(w))) {
		pass_tree(w, d->host);
		return;
	}
	/* where it ejects elsewhere, nothing arrives */
	judge_one(w, &(struct one){.lo = w->lo,
			     .hi = w->hi,
			     .root = ejects ? root : g->n,
			     .d = *d,
			     .l = l,
			     .lid = (uint16_t)(block + l)});
}

static bool
all_drop(const struct walk *w, const struct one *b)
{
	uint8_t x = LFT_DROP;

	for (uint32_t s = b->lo; s < b->hi; s++)
		x &= w->line[s][b->l];
	return x == LFT_DROP;
}

/*
 * Judge the entries for a LID in components where it is not: nothing arrives
 * there, and nothing should, but loops and dependencies count.
 */
static void
judge_strays(struct walk *w, uint32_t block, unsigned l)
{
	const struct cdg *g = w->g;
	uint32_t root = w->dest[block + l].root;
	struct one b = {.root = g->n,
		.d = {.root = g->n},
		.l = l,
		.lid = (uint16_t)(block + l),
		.stray = true};

	for (uint32_t c = 0; c < g->ncomp; c++) {
		b.lo = g->comp_lo[c];
		b.hi = g->comp_lo[c + 1];
		if ((root == g->n || g->comp[root] != c) && !all_drop(w, &b))
			judge_one(w, &b);
	}
}

static void
judge_block(struct walk *w, uint32_t b)
{
	const struct cdg *g = w->g;
	uint32_t block = b * LFT_BLOCK;

	w->sent = 0;
	for (uint32_t s = 0; s < g->n; s++) {
		w->line[s] = lft_bytes(w->in->pool,
			b < w->in->nblocks
				? lft_row_ref(w->in->row[g->sw[s]], b)
				: LFT_EMPTY);
		w->sent |= ~block_mask_equal(w->line[s], LFT_DROP);
	}
	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		const struct verify_dest *d = &w->dest[block + l];

		/* packets to what is no host add no load */
		if (g->light && !d->host)
			continue;
		if ((w->sent >> l & 1) != 0 &&
			(d->root == g->n || g->ncomp > 1))
			judge_strays(w, block, l);
		if (d->root != g->n)
			judge_lid(w, block, l);
	}
}

/* ---- all blocks ---- */

uint32_t
verify_walk_blocks(const struct verify_tables *in)
{
	uint32_t nblocks = in->topo->max_lid / LFT_BLOCK + 1U;

	if (nblocks < in->nblocks)
		nblocks = in->nblocks;
	if (nblocks > (TOPO_LID_MAX + 1U) / LFT_BLOCK)
		nblocks = (TOPO_LID_MAX + 1U) / LFT_BLOCK;
	return nblocks;
}

struct verify_dest *
verify_walk_dests(
	const struct cdg *g, const struct verify_tables *in, uint32_t *nlid)
{
	struct verify_dest *dest;

	*nlid = verify_walk_blocks(in) * LFT_BLOCK;
	dest = mem_alloc(*nlid * sizeof(*dest));
	for (uint32_t lid = 0; lid < *nlid; lid++)
		dest[lid] = verify_walk_dest(g, lid);
	return dest;
}

static struct hop *
find_hops(const struct cdg *g)
{
	struct hop *hop = mem_zalloc(g->nports, sizeof(*hop));

	for (uint32_t p = 0; p < g->nports; p++) {
		uint32_t at;

		if (!cdg_has_link(g, p))
			continue;
		at = cdg_far_end(g, p);
		if (g->count != NULL)
			hop[p].first = g->count->first[at];
		if (g->count != NULL)
			hop[p].place = g->count->place[p];
		if (g->map != NULL)
			hop[p].shift = (uint8_t)((g->port_class[at] & 15U) *
						 g->nlayers);
	}
	return hop;
}

static void
walk_part(void *arg)
{
	struct walk *w = arg;

	walk_new(w);
	for (uint32_t b = w->from; b < w->to; b++)
		judge_block(w, b);
	walk_end(w);
}

/* The parts' findings are sums; the first fault is the first part's. */
static void
join_part(struct cdg *g, const struct walk *w, struct verify_report *out)
{
	if (w->g != g)
		cdg_join(g, w->g);
	out->unreachable += w->out.unreachable;
	out->loops += w->out.loops;
	if (out->first[0] == '\0')
		memcpy(out->first, w->out.first, sizeof(out->first));
}

void
verify_walk(struct cdg *g, const struct verify_tables *in,
	const struct verify_dest *dest, unsigned threads,
	struct verify_report *out)
{
	uint32_t n = verify_walk_blocks(in);
	struct hop *hop = find_hops(g);
	struct walk *part;

	if (threads > THREAD_SHARES)
		threads = THREAD_SHARES;
	if (threads > n / BLOCKS_MIN)
		threads = n / BLOCKS_MIN;
	threads += threads == 0;
	part = mem_zalloc(threads, sizeof(*part));
	for (unsigned i = 0; i < threads; i++)
		part[i] = (struct walk){.g = i > 0 ? cdg_copy(g) : g,
			.in = in,
			.dest = dest,
			.hop = hop,
			.from = n * i / threads,
			.to = n * (i + 1) / threads};
	thread_share(threads, walk_part, part, sizeof(*part));
	for (unsigned i = 0; i < threads; i++)
		join_part(g, &part[i], out);
	free(part);
	free(hop);
}
