/*
 * verify_walk: every LID from every switch, 64 LIDs at a time.
 *
 * For one LID the tables are a function switch -> switch. Peeling it from its
 * leaves (switches that nobody sends to) visits every switch before the one it
 * sends to, without recursion and without a branch: sums of what comes through
 * flow down to the destination. When the destination has then seen every
 * switch of its component, everything reaches it and nothing loops, which is
 * all there is to say about a good table. Only else is each switch looked at.
 *
 * Neighbouring LIDs of one switch often have equal columns (except that
 * switch's own entry): they are judged once and counted several times. Others
 * differ, but leave every switch as far from the destination as the one before
 * did: then the order in which that one was visited will do, and no peeling is
 * needed. That it will do is checked entry by entry.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify_graph.h"
#include "sm/base/mem.h"

/* A walk's sums in one word: hosts, switches, and who is still to come. */
enum { SW_BIT = 20, IN_BIT = 40 };
#define SUM_MASK (((uint64_t)1 << IN_BIT) - 1)
#define ONE_SW ((uint64_t)1 << SW_BIT)
#define ONE_IN ((uint64_t)1 << IN_BIT)

enum fate { FATE_UNKNOWN, FATE_ON_PATH, FATE_REACHED, FATE_DEAD, FATE_LOOP };

/* Columns that are judged together. */
struct batch {
	const uint8_t *col; /* entries by live switch */
	uint32_t lo, hi;    /* the component */
	uint32_t root;	    /* that the entries end at, or g->n: none does */
	uint32_t nlid, nhost;
	struct verify_dest d; /* of the first */
	uint16_t lid;
	bool stray; /* not a destination here: no pair is expected */
};

struct walk {
	struct verify_graph *g;
	const struct verify_tables *in;
	struct verify_report *out;
	size_t stride; /* between columns */
	uint8_t *col;  /* [64 * stride] */
	/* per live switch, and one more for "nowhere" */
	uint8_t *port;	/* the entry, 0 where it is no port */
	uint32_t *next; /* packed (switch, in-port) */
	uint64_t *word; /* sums */
	uint64_t *init; /* what they start from */
	uint32_t *queue;
	uint8_t *fate;
	uint32_t *far;		 /* cables to the destination */
	const uint32_t *visited; /* all switches, each before its next one */
	uint8_t *lane;		 /* bits of the lanes from a switch, or NULL */
	uint8_t *mask;		 /* of what comes through it */
	uint32_t lane_root;	 /* that lane is about */
	/* the order of the last destination, to be tried for the next LID */
	uint32_t last; /* its switch, or TOPO_NONE */
	bool sorted;   /* order is made */
	uint32_t *order;
	uint32_t *at_far; /* [n + 1] hosts so far from it */
	uint32_t most_far;
};

static void
walk_new(struct walk *w, struct verify_graph *g, const struct verify_tables *in,
	struct verify_report *out)
{
	size_t n = g->n + 1U;

	*w = (struct walk){.g = g,
		.in = in,
		.out = out,
		.last = TOPO_NONE,
		.lane_root = TOPO_NONE};
	/* an odd number of cache lines: columns must not share cache sets */
	w->stride = (n + 63) / 64 * 64 | 64;
	w->col = mem_alloc(LFT_BLOCK * w->stride);
	w->port = mem_zalloc(n, sizeof(*w->port));
	w->next = mem_zalloc(n, sizeof(*w->next));
	w->word = mem_zalloc(n, sizeof(*w->word));
	w->init = mem_zalloc(n, sizeof(*w->init));
	w->queue = mem_zalloc(n + 1, sizeof(*w->queue));
	w->fate = mem_zalloc(n, sizeof(*w->fate));
	w->order = mem_zalloc(n, sizeof(*w->order));
	w->far = mem_zalloc(n, sizeof(*w->far));
	w->far[g->n] = TOPO_NONE - 1; /* one more is nobody's distance */
	w->at_far = mem_zalloc(n, sizeof(*w->at_far));
	if (g->nlanes > 1) {
		w->lane = mem_zalloc(n, sizeof(*w->lane));
		w->mask = mem_zalloc(n, sizeof(*w->mask));
	}
	for (uint32_t s = 0; s < g->n; s++)
		w->init[s] = g->hosts[s] | ONE_SW;
}

static void
walk_end(struct walk *w)
{
	free(w->col);
	free(w->port);
	free(w->next);
	free(w->word);
	free(w->init);
	free(w->queue);
	free(w->fate);
	free(w->order);
	free(w->far);
	free(w->at_far);
	free(w->lane);
	free(w->mask);
}

/* Block b of every live switch, turned so that a LID's entries are together. */
static void
load_block(struct walk *w, uint32_t b)
{
	const struct verify_graph *g = w->g;
	const struct verify_tables *in = w->in;

	if (b >= in->nblocks) {
		memset(w->col, LFT_DROP, LFT_BLOCK * w->stride);
		return;
	}
	for (uint32_t s = 0; s < g->n; s++) {
		lft_ref r = in->row[g->sw[s]]->ref[b];
		const uint8_t *line = lft_bytes(in->pool, r);
		uint8_t *to = w->col + s;

		if (s + 4 < g->n)
			__builtin_prefetch(lft_bytes(
				in->pool, in->row[g->sw[s + 4]]->ref[b]));
		for (size_t l = 0; l < LFT_BLOCK; l++)
			to[l * w->stride] = line[l];
	}
}

struct verify_dest
verify_walk_dest(const struct verify_graph *g, uint32_t lid)
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
	s = verify_graph_home(t, p, &d.eject);
	if (s != TOPO_NONE && g->ix[s] != TOPO_NONE)
		d.root = g->ix[s];
	d.host = verify_graph_is_host(t, p) && t->port[p].lid == lid;
	return d;
}

/* Resolve the entries of a column and count who sends to whom. */
static void
resolve(struct walk *w, const struct batch *b)
{
	const struct verify_graph *g = w->g;
	const uint32_t *off = g->off, *peer = g->peer;
	const uint8_t *top = g->top, *col = b->col;
	uint8_t *port = w->port;
	uint32_t *next = w->next;
	uint64_t *word = w->word;

	memcpy(word + b->lo, w->init + b->lo, (b->hi - b->lo) * sizeof(*word));
	word[g->n] = ONE_IN; /* so that "nowhere" is never visited */
	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint8_t out = col[s] <= top[s] ? col[s] : 0;
		uint32_t e = peer[off[s] + out];

		port[s] = out;
		next[s] = e;
		word[e >> 8] += ONE_IN;
	}
}

/* Visit every switch before the one it sends to; circles stay unvisited. */
static void
peel(struct walk *w, const struct batch *b)
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

/* Distances to the root in the column just peeled, and hosts by distance. */
static void
find_distances(struct walk *w, const struct batch *b)
{
	const uint32_t *next = w->next, *hosts = w->g->hosts;
	uint32_t *far = w->far, *at = w->at_far, most = 0;

	memset(at, 0, (b->hi - b->lo) * sizeof(*at));
	for (uint32_t i = b->hi - b->lo; i-- > 0;) {
		uint32_t s = w->queue[i], d;

		d = s == b->root ? 0 : far[next[s] >> 8] + 1;
		far[s] = d;
		at[d] += hosts[s];
		most = d > most ? d : most;
	}
	w->most_far = most;
}

/* Sort the switches by that distance, the farthest first. */
static void
sort_last(struct walk *w, uint32_t lo, uint32_t hi)
{
	uint32_t n = hi - lo, *start = mem_zalloc(n + 1U, sizeof(*start));

	for (uint32_t s = lo; s < hi; s++)
		start[n - 1 - w->far[s]]++;
	for (uint32_t d = 0, at = 0; d < n; d++) {
		uint32_t count = start[d];

		start[d] = at;
		at += count;
	}
	for (uint32_t s = lo; s < hi; s++)
		w->order[start[n - 1 - w->far[s]]++] = s;
	free(start);
	w->sorted = true;
}

/* Resolve and sum in the last order; false when it is not one for these. */
static bool
sum_sorted(struct walk *w, const struct batch *b)
{
	const struct verify_graph *g = w->g;
	const uint32_t *off = g->off, *peer = g->peer, *far = w->far;
	const uint32_t *order = w->order;
	const uint8_t *top = g->top, *col = b->col;
	uint8_t *port = w->port;
	uint32_t *next = w->next, n = b->hi - b->lo, wrong = 0;
	uint64_t *word = w->word;

	memcpy(word + b->lo, w->init + b->lo, n * sizeof(*word));
	for (uint32_t k = 0; k + 1 < n; k++) {
		uint32_t s = order[k], e;
		uint8_t out = col[s] <= top[s] ? col[s] : 0;

		e = peer[off[s] + out];
		port[s] = out;
		next[s] = e;
		word[e >> 8] += word[s];
		wrong |= (far[e >> 8] + 1) ^ far[s];
	}
	port[b->root] = b->d.eject;
	next[b->root] = verify_graph_pack(g->n, 0);
	w->visited = order;
	return wrong == 0;
}

/* Note every turn that the column makes. */
static void
note_turns(struct walk *w, const struct batch *b)
{
	const struct verify_graph *g = w->g;
	const uint32_t *off = g->off, *next = w->next;
	const uint8_t *port = w->port;
	uint64_t *turn = g->turn;
	unsigned shift = g->shift;

	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint32_t p = next[s] >> 8, in = next[s] & 255;
		size_t row = (size_t)(off[p] + in) << shift;

		turn[row + (port[p] >> 6)] |= (uint64_t)1 << (port[p] & 63);
	}
}

/* A turn on the lanes of a mask. */
static void
note_lanes(const struct verify_graph *g, uint32_t entry, unsigned out,
	unsigned mask)
{
	size_t row = (size_t)(g->off[entry >> 8] + (entry & 255)) << g->shift;

	for (; mask != 0; mask &= mask - 1)
		g->turn[(unsigned)__builtin_ctz(mask) * g->plane + row +
			(out >> 6)] |= (uint64_t)1 << (out & 63);
}

/* The same by lane: what comes through a switch is all that is behind it. */
static void
note_lane_turns(struct walk *w, const struct batch *b)
{
	const struct verify_graph *g = w->g;

	if (w->lane_root != b->root) {
		verify_graph_lanes(g, b->root, w->lane);
		w->lane_root = b->root;
	}
	memcpy(w->mask + b->lo, w->lane + b->lo, b->hi - b->lo);
	for (uint32_t i = 0; i + 1 < b->hi - b->lo; i++) {
		uint32_t s = w->visited[i], p = w->next[s] >> 8;

		w->mask[p] |= w->mask[s];
		note_lanes(g, w->next[s], w->port[p], w->mask[s]);
	}
}

static void
note_loads(struct walk *w, const struct batch *b)
{
	struct verify_graph *g = w->g;
	const uint64_t *word = w->word;
	uint32_t n = b->nhost;

	for (uint32_t s = b->lo; s < b->hi; s++)
		g->load[g->off[s] + w->port[s]] +=
			n * (uint32_t)(word[s] & (ONE_SW - 1));
}

/* Everything arrived; distances are those of the root's last peeling. */
static void
all_well(struct walk *w, const struct batch *b)
{
	if (w->g->nlanes == 1)
		note_turns(w, b);
	else
		note_lane_turns(w, b);
	if (b->nhost == 0)
		return;
	note_loads(w, b);
	for (uint32_t d = 0; d <= w->most_far; d++)
		w->g->hops[d] += (uint64_t)w->at_far[d] * b->nhost;
	w->g->hops[0] -= b->nhost; /* nobody sends to himself */
}

/* Does s's packet come back through the very cable it left by? */
static bool
is_uturn(const struct walk *w, uint32_t s)
{
	uint32_t p = w->next[s] >> 8;

	return p != w->g->n && w->next[p] >> 8 == s &&
	       w->port[p] == (w->next[s] & 255);
}

/* The fate of every switch's packet. Uses queue as a stack. */
static void
find_fates(struct walk *w, const struct batch *b)
{
	uint32_t *path = w->queue;
	uint8_t *fate = w->fate;

	memset(fate + b->lo, FATE_UNKNOWN, b->hi - b->lo);
	fate[w->g->n] = FATE_DEAD;
	if (b->root != w->g->n) {
		fate[b->root] = FATE_REACHED;
		w->far[b->root] = 0;
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
			w->far[s_at] = w->far[w->next[s_at] >> 8] + 1;
		}
	}
}

static void
first_fault(struct walk *w, const struct batch *b, uint32_t s)
{
	struct verify_pair pair = {.from = s,
		.root = b->d.root,
		.eject = b->d.eject,
		.lid = b->lid,
		.loop = w->fate[s] == FATE_LOOP};

	if (w->out->first[0] == '\0')
		verify_words_pair(w->g, b->col, &pair, w->out->first,
			sizeof(w->out->first));
}

/* What does not arrive is counted; the turns are real all the same. */
static void
count_fates(struct walk *w, const struct batch *b)
{
	struct verify_graph *g = w->g;
	struct verify_report *out = w->out;
	unsigned all = (1U << g->nlanes) - 1;

	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint32_t p = w->next[s] >> 8;
		uint32_t c = g->off[s] + w->port[s];

		/* hardware discards what would leave as it came */
		if (w->port[p] != (w->next[s] & 255))
			note_lanes(g, w->next[s], w->port[p], all);
		if (w->fate[s] == FATE_REACHED) {
			g->load[c] += b->nhost *
				      (uint32_t)(w->word[s] & (ONE_SW - 1));
			g->hops[w->far[s]] += (uint64_t)g->hosts[s] * b->nhost;
			continue;
		}
		if (w->fate[s] == FATE_LOOP)
			out->loops += b->nlid;
		else if (!b->stray)
			out->unreachable += b->nlid;
		else
			continue;
		first_fault(w, b, s);
	}
	if (b->root != g->n)
		g->hops[0] -= b->nhost;
}

static void
judge(struct walk *w, const struct batch *b)
{
	uint32_t n = b->hi - b->lo;
	bool again = b->root == w->last;

	if (again && !w->sorted)
		sort_last(w, b->lo, b->hi);
	if (again && sum_sorted(w, b)) {
		all_well(w, b);
		return;
	}
	resolve(w, b);
	peel(w, b);
	w->last = TOPO_NONE;
	w->sorted = false;
	if (b->root != w->g->n &&
		(w->word[b->root] & SUM_MASK) >> SW_BIT == n) {
		w->last = b->root;
		w->visited = w->queue;
		find_distances(w, b);
		all_well(w, b);
		return;
	}
	find_fates(w, b);
	count_fates(w, b);
}

/* Are two columns equal over the component, the root's own entry apart? */
static bool
same_column(const struct walk *w, const struct batch *b, const uint8_t *other)
{
	uint32_t after = b->root + 1;

	(void)w;
	return memcmp(b->col + b->lo, other + b->lo, b->root - b->lo) == 0 &&
	       memcmp(b->col + after, other + after, b->hi - after) == 0;
}

static bool
all_drop(const uint8_t *col, uint32_t lo, uint32_t hi)
{
	uint8_t x = LFT_DROP;

	for (uint32_t s = lo; s < hi; s++)
		x &= col[s];
	return x == LFT_DROP;
}

/*
 * Entries for a LID in components where it is not: nothing arrives there, and
 * nothing should, but what circles there is a loop, and its turns count.
 */
static void
judge_strays(struct walk *w, const struct verify_dest *d, const uint8_t *col,
	uint16_t lid)
{
	const struct verify_graph *g = w->g;
	struct batch b = {.col = col,
		.root = g->n,
		.nlid = 1,
		.d = {.root = g->n},
		.lid = lid,
		.stray = true};

	for (uint32_t c = 0; c < g->ncomp; c++) {
		if (d->root != g->n && g->comp[d->root] == c)
			continue;
		b.lo = g->comp_lo[c];
		b.hi = g->comp_lo[c + 1];
		if (!all_drop(col, b.lo, b.hi))
			judge(w, &b);
	}
}

/* Judge LID number l of the block and its equals after it; how many. */
static uint32_t
judge_from(struct walk *w, const struct verify_dest *dest, uint32_t l,
	uint32_t lid)
{
	const struct verify_graph *g = w->g;
	const struct verify_dest *d = &dest[l];
	struct batch b = {.col = w->col + l * w->stride,
		.root = d->root,
		.nlid = 1,
		.nhost = d->host,
		.d = *d,
		.lid = (uint16_t)lid};
	uint32_t c = g->comp[d->root];

	b.lo = g->comp_lo[c];
	b.hi = g->comp_lo[c + 1];
	if (b.col[b.root] != d->eject) {
		b.root = g->n; /* it ejects elsewhere: nothing arrives */
		judge(w, &b);
		return 1;
	}
	for (uint32_t k = l + 1; k < LFT_BLOCK; k++, b.nlid++) {
		const uint8_t *col = w->col + k * w->stride;

		if (dest[k].root != b.root || col[b.root] != dest[k].eject ||
			!same_column(w, &b, col))
			break;
		b.nhost += dest[k].host;
	}
	judge(w, &b);
	return b.nlid;
}

/*
 * The LIDs of a block whose bit is set; no others may be counted along. of:
 * where all 64 go.
 */
static void
judge_block(struct walk *w, uint32_t first, uint64_t lids,
	const struct verify_dest *of)
{
	const struct verify_graph *g = w->g;
	struct verify_dest dest[LFT_BLOCK];

	for (uint32_t l = 0; l < LFT_BLOCK; l++) {
		struct verify_dest *d = &dest[l];
		uint32_t in = 0;

		*d = (struct verify_dest){.root = g->n};
		if (!(lids >> l & 1))
			continue;
		*d = of[l];
		if (d->root != g->n) {
			uint32_t c = g->comp[d->root];

			in = g->comp_lo[c + 1] - g->comp_lo[c];
		}
		if (d->owned) {
			w->out->pairs += in;
			w->out->cut_off += g->n - in;
		}
		if (in < g->n)
			judge_strays(w, d, w->col + l * w->stride,
				(uint16_t)(first + l));
	}
	for (uint32_t l = 0; l < LFT_BLOCK;)
		l += dest[l].root == g->n ? 1
					  : judge_from(w, dest, l, first + l);
}

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

void
verify_walk(struct verify_graph *g, const struct verify_tables *in,
	uint32_t from, uint32_t to, struct verify_report *out)
{
	struct verify_dest dest[LFT_BLOCK];
	struct walk w;

	walk_new(&w, g, in, out);
	for (uint32_t b = from; b < to; b++) {
		for (uint32_t l = 0; l < LFT_BLOCK; l++)
			dest[l] = verify_walk_dest(g, b * LFT_BLOCK + l);
		load_block(&w, b);
		judge_block(&w, b * LFT_BLOCK, UINT64_MAX, dest);
	}
	walk_end(&w);
}

void
verify_walk_some(struct verify_graph *g, const struct verify_tables *in,
	uint32_t block, uint64_t lids, const struct verify_dest *dest,
	struct verify_report *out)
{
	struct walk w;

	walk_new(&w, g, in, out);
	load_block(&w, block);
	judge_block(&w, block * LFT_BLOCK, lids, dest);
	walk_end(&w);
}
