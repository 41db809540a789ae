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

/* Where a LID goes. */
struct dest {
	uint32_t root; /* live switch, or g->n */
	uint8_t eject;
	bool owned, host;
};

/* Columns that are judged together. */
struct batch {
	const uint8_t *col; /* entries by live switch */
	uint32_t lo, hi;    /* the component */
	uint32_t root;	    /* that the entries end at, or g->n: none does */
	uint32_t nlid, nhost;
	struct dest d; /* of the first */
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
	int32_t *deep;	/* cables to the farthest host behind */
	uint32_t *queue;
	uint8_t *fate;
	/* the order of the last destination, to be tried for the next LID */
	uint32_t last; /* its switch, or TOPO_NONE */
	bool sorted;   /* order and far are made */
	uint32_t *order;
	uint32_t *far; /* cables to it, by switch */
};

static void
walk_new(struct walk *w, struct verify_graph *g, const struct verify_tables *in,
	struct verify_report *out)
{
	size_t n = g->n + 1U;

	*w = (struct walk){.g = g, .in = in, .out = out, .last = TOPO_NONE};
	/* an odd number of cache lines: columns must not share cache sets */
	w->stride = (n + 63) / 64 * 64 | 64;
	w->col = mem_alloc(LFT_BLOCK * w->stride);
	w->port = mem_zalloc(n, sizeof(*w->port));
	w->next = mem_zalloc(n, sizeof(*w->next));
	w->word = mem_zalloc(n, sizeof(*w->word));
	w->init = mem_zalloc(n, sizeof(*w->init));
	w->deep = mem_zalloc(n, sizeof(*w->deep));
	w->queue = mem_zalloc(n + 1, sizeof(*w->queue));
	w->fate = mem_zalloc(n, sizeof(*w->fate));
	w->order = mem_zalloc(n, sizeof(*w->order));
	w->far = mem_zalloc(n, sizeof(*w->far));
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
	free(w->deep);
	free(w->queue);
	free(w->fate);
	free(w->order);
	free(w->far);
}

/* Block b of every live switch, turned so that a LID's entries are together. */
static void
load_block(struct walk *w, uint32_t b)
{
	const struct verify_graph *g = w->g;
	const struct verify_tables *in = w->in;
	const lft_ref *ref = in->block + b;

	if (b >= in->nblocks) {
		memset(w->col, LFT_DROP, LFT_BLOCK * w->stride);
		return;
	}
	for (uint32_t s = 0; s < g->n; s++) {
		lft_ref r = ref[(size_t)g->sw[s] * in->nblocks];
		const uint8_t *line = lft_bytes(in->pool, r);
		uint8_t *to = w->col + s;

		if (s + 4 < g->n)
			__builtin_prefetch(lft_bytes(in->pool,
				ref[(size_t)g->sw[s + 4] * in->nblocks]));
		for (size_t l = 0; l < LFT_BLOCK; l++)
			to[l * w->stride] = line[l];
	}
}

static struct dest
dest_of(const struct walk *w, uint32_t lid)
{
	const struct topo *t = w->in->topo;
	struct dest d = {.root = w->g->n};
	port_ix p;
	sw_ix s;

	if (lid > t->max_lid || t->by_lid == NULL)
		return d;
	p = t->by_lid[lid];
	if (p == TOPO_NONE)
		return d;
	d.owned = true;
	s = verify_graph_home(t, p, &d.eject);
	if (s != TOPO_NONE && w->g->ix[s] != TOPO_NONE)
		d.root = w->g->ix[s];
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
	int32_t *deep = w->deep;
	uint32_t tail = 0;

	for (uint32_t s = b->lo; s < b->hi; s++) {
		deep[s] = w->g->hosts[s] > 0 ? 0 : INT32_MIN / 2;
		queue[tail] = s;
		tail += word[s] < ONE_IN;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t s = queue[head], p = next[s] >> 8;
		uint64_t sum = word[p] + word[s] - ONE_IN;
		int32_t d = deep[s] + 1;

		word[p] = sum;
		deep[p] = d > deep[p] ? d : deep[p];
		queue[tail] = p;
		tail += sum < ONE_IN;
	}
}

/*
 * Sort the switches by their distance in the column judged last, the farthest
 * first. The queue of its peeling holds every switch before its next one.
 */
static void
sort_last(struct walk *w, uint32_t lo, uint32_t hi)
{
	uint32_t n = hi - lo, *far = w->far, *start;

	start = mem_zalloc(n + 1U, sizeof(*start));
	far[w->g->n] = TOPO_NONE - 1; /* one more is nobody's distance */
	for (uint32_t i = n; i-- > 0;) {
		uint32_t s = w->queue[i];

		far[s] = s == w->last ? 0 : far[w->next[s] >> 8] + 1;
		start[n - 1 - far[s]]++;
	}
	for (uint32_t d = 0, at = 0; d < n; d++) {
		uint32_t count = start[d];

		start[d] = at;
		at += count;
	}
	for (uint32_t s = lo; s < hi; s++)
		w->order[start[n - 1 - far[s]]++] = s;
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

/* Everything arrived. */
static void
all_well(struct walk *w, const struct batch *b)
{
	uint64_t arrived = w->word[b->root] & (ONE_SW - 1);

	note_turns(w, b);
	if (b->nhost == 0)
		return;
	note_loads(w, b);
	w->g->host_pairs += (arrived - 1) * b->nhost;
	if (w->deep[b->root] > (int32_t)w->out->hops_max)
		w->out->hops_max = (unsigned)w->deep[b->root];
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
	if (b->root != w->g->n)
		fate[b->root] = FATE_REACHED;
	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint32_t v = s, n = 0;
		uint8_t end;

		while (fate[v] == FATE_UNKNOWN) {
			fate[v] = FATE_ON_PATH;
			path[n++] = v;
			v = w->next[v] >> 8;
		}
		end = fate[v];
		if (end == FATE_ON_PATH)
			end = is_uturn(w, v) ? FATE_DEAD : FATE_LOOP;
		while (n > 0)
			fate[path[--n]] = end;
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

	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint32_t p = w->next[s] >> 8, in = w->next[s] & 255;
		uint32_t c = g->off[s] + w->port[s];
		size_t row = (size_t)(g->off[p] + in) << g->shift;

		/* hardware discards what would leave as it came */
		if (w->port[p] != in)
			g->turn[row + (w->port[p] >> 6)] |=
				(uint64_t)1 << (w->port[p] & 63);
		if (w->fate[s] == FATE_REACHED) {
			g->load[c] += b->nhost *
				      (uint32_t)(w->word[s] & (ONE_SW - 1));
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
		w->last = again ? TOPO_NONE : b->root;
		all_well(w, b);
		return;
	}
	find_fates(w, b);
	count_fates(w, b);
	if (b->root == w->g->n || b->nhost == 0)
		return;
	w->g->host_pairs += ((w->word[b->root] & (ONE_SW - 1)) - 1) * b->nhost;
	if (w->deep[b->root] > (int32_t)w->out->hops_max)
		w->out->hops_max = (unsigned)w->deep[b->root];
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
judge_strays(
	struct walk *w, const struct dest *d, const uint8_t *col, uint16_t lid)
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
judge_from(struct walk *w, const struct dest *dest, uint32_t l, uint32_t lid)
{
	const struct verify_graph *g = w->g;
	const struct dest *d = &dest[l];
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

static void
judge_block(struct walk *w, uint32_t first)
{
	const struct verify_graph *g = w->g;
	struct dest dest[LFT_BLOCK];

	for (uint32_t l = 0; l < LFT_BLOCK; l++) {
		struct dest *d = &dest[l];
		uint32_t in = 0;

		*d = dest_of(w, first + l);
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

void
verify_walk_all(struct verify_graph *g, const struct verify_tables *in,
	struct verify_report *out)
{
	uint32_t nblocks = in->topo->max_lid / LFT_BLOCK + 1U;
	struct walk w;

	if (nblocks < in->nblocks)
		nblocks = in->nblocks;
	if (nblocks > (TOPO_LID_MAX + 1U) / LFT_BLOCK)
		nblocks = (TOPO_LID_MAX + 1U) / LFT_BLOCK;
	walk_new(&w, g, in, out);
	for (uint32_t b = 0; b < nblocks; b++) {
		load_block(&w, b);
		judge_block(&w, b * LFT_BLOCK);
	}
	walk_end(&w);
}
