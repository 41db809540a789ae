/*
 * verify_walk: every LID from every switch, 64 LIDs at a time.
 *
 * That everything arrives is established for all LIDs of a switch together
 * (verify_flow). Where it does not, the LID is judged alone, switch by switch:
 * visiting each switch before the one it sends to, beginning with those that
 * no switch sends to, sums up the packets that pass; then it is counted which
 * arrive, which end somewhere else, and which run into a loop.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify/verify_flow.h"
#include "sm/base/mem.h"

/* A walk's sums in one word: hosts, switches, and feeders not yet visited. */
enum { SW_BIT = 20, IN_BIT = 40 };
#define SUM_MASK (((uint64_t)1 << IN_BIT) - 1)
#define ONE_SW ((uint64_t)1 << SW_BIT)
#define ONE_IN ((uint64_t)1 << IN_BIT)

enum fate { FATE_UNKNOWN, FATE_ON_PATH, FATE_REACHED, FATE_DEAD, FATE_LOOP };

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
	struct verify_report *out;
	struct verify_flow flow;
	uint32_t last; /* the root of flow's order, or TOPO_NONE */
	/* per live switch, and one more for "nowhere" */
	uint8_t *col;	/* entries */
	uint8_t *port;	/* the entry, 0 where it is no port */
	uint32_t *next; /* packed (switch, in-port) */
	uint64_t *word; /* sums */
	uint64_t *init; /* what they start from */
	uint32_t *queue;
	uint8_t *fate;
	uint32_t *far; /* links to the end */
};

static void
walk_new(struct walk *w, struct cdg *g, struct verify_report *out)
{
	size_t n = g->n + 1U;

	*w = (struct walk){.g = g, .out = out, .last = TOPO_NONE};
	verify_flow_new(&w->flow, g);
	w->col = mem_alloc(n);
	w->port = mem_zalloc(n, sizeof(*w->port));
	w->next = mem_zalloc(n, sizeof(*w->next));
	w->word = mem_zalloc(n, sizeof(*w->word));
	w->init = mem_zalloc(n, sizeof(*w->init));
	w->queue = mem_zalloc(n + 1, sizeof(*w->queue));
	w->fate = mem_zalloc(n, sizeof(*w->fate));
	w->far = mem_zalloc(n, sizeof(*w->far));
	for (uint32_t s = 0; s < g->n; s++)
		w->init[s] = g->hosts[s] | ONE_SW;
}

static void
walk_end(struct walk *w)
{
	verify_flow_end(&w->flow);
	free(w->far);
	free(w->col);
	free(w->port);
	free(w->next);
	free(w->word);
	free(w->init);
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

/* Resolve a LID's entries and count the feeders of each switch. */
static void
resolve_entries(struct walk *w, const struct one *b)
{
	const struct cdg *g = w->g;
	const uint32_t *off = g->off, *peer = g->peer;
	const uint8_t *top = g->top;
	uint8_t(*line)[LFT_BLOCK] = w->flow.line;
	uint8_t *port = w->port, *col = w->col;
	uint32_t *next = w->next, l = b->l;
	uint64_t *word = w->word;

	memcpy(word + b->lo, w->init + b->lo, (b->hi - b->lo) * sizeof(*word));
	word[g->n] = ONE_IN; /* so that "nowhere" is never visited */
	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint8_t out = line[s][l] <= top[s] ? line[s][l] : 0;
		uint32_t e = peer[off[s] + out];

		col[s] = line[s][l];
		port[s] = out;
		next[s] = e;
		word[e >> 8] += ONE_IN;
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
	size_t row = (size_t)(g->off[entry >> 8] + (entry & 255)) << g->shift;

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
	uint32_t *far = w->far;
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
			far[s_at] = far[w->next[s_at] >> 8] + 1;
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

	if (w->out->first[0] == '\0')
		verify_text_pair(w->g, w->col, &pair, w->out->first,
			sizeof(w->out->first));
}

/* Count the pairs that do not arrive; their dependencies are real, too. */
static void
count_fates(struct walk *w, const struct one *b)
{
	struct cdg *g = w->g;
	struct verify_report *out = w->out;
	unsigned host = b->d.host;

	for (uint32_t s = b->lo; s < b->hi; s++) {
		uint32_t p = w->next[s] >> 8;
		uint32_t c = g->off[s] + w->port[s];

		/* hardware discards what would leave by its in-port */
		if (w->port[p] != (w->next[s] & 255))
			note_on_all_layers(g, w->next[s], w->port[p]);
		if (w->fate[s] == FATE_REACHED) {
			g->load[c] +=
				host * (uint32_t)(w->word[s] & (ONE_SW - 1));
			g->hops[w->far[s]] += (uint64_t)g->hosts[s] * host;
			continue;
		}
		if (w->fate[s] == FATE_LOOP)
			out->loops++;
		else if (!b->stray)
			out->unreachable++;
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
}

/* Find an order from LID b; false: not all packets to it arrive. */
static bool
find_order(struct walk *w, const struct one *b)
{
	w->flow.root = b->root;
	w->flow.lo = b->lo;
	w->flow.hi = b->hi;
	w->last = TOPO_NONE;
	if (!verify_flow_order(&w->flow, b->l))
		return false;
	w->last = b->root;
	return true;
}

/*
 * Judge LIDs that their root ejects as it should, b being the first of them.
 * LIDs to which the distances differ from those of the first one are judged by
 * orders of their own.
 */
static void
judge_lids(struct walk *w, struct one *b, const struct verify_dest *dest,
	struct verify_lids l)
{
	uint32_t block = b->lid - b->l;
	uint64_t bad = UINT64_MAX >> (LFT_BLOCK - l.n);

	if (w->last == b->root || find_order(w, b))
		bad = verify_flow_sum(&w->flow, &l);
	for (l.n = 1; bad != 0; bad >>= 1, l.first++) {
		if (!(bad & 1))
			continue;
		b->l = l.first;
		b->lid = (uint16_t)(block + b->l);
		b->d = dest[b->l];
		if (!find_order(w, b))
			judge_one(w, b);
		else
			(void)verify_flow_sum(&w->flow, &l);
	}
}

static bool
all_drop(const struct walk *w, const struct one *b)
{
	uint8_t x = LFT_DROP;

	for (uint32_t s = b->lo; s < b->hi; s++)
		x &= w->flow.line[s][b->l];
	return x == LFT_DROP;
}

/*
 * Judge the entries for a LID in components where it is not: nothing arrives
 * there, and nothing should, but loops and dependencies count.
 */
static void
judge_strays(
	struct walk *w, const struct verify_dest *d, uint32_t block, uint32_t l)
{
	const struct cdg *g = w->g;
	struct one b = {.root = g->n,
		.d = {.root = g->n},
		.l = l,
		.lid = (uint16_t)(block + l),
		.stray = true};

	for (uint32_t c = 0; c < g->ncomp; c++) {
		if (d->root != g->n && g->comp[d->root] == c)
			continue;
		b.lo = g->comp_lo[c];
		b.hi = g->comp_lo[c + 1];
		if (all_drop(w, &b))
			continue;
		judge_one(w, &b);
	}
}

/* Judge LID number l of the block and its neighbours after it; returns how
 * many were judged. */
static uint32_t
judge_from(struct walk *w, const struct verify_dest *dest, uint32_t block,
	uint32_t l)
{
	const struct cdg *g = w->g;
	const struct verify_dest *d = &dest[l];
	const uint8_t *own = w->flow.line[d->root];
	uint32_t c = g->comp[d->root];
	struct one b = {.lo = g->comp_lo[c],
		.hi = g->comp_lo[c + 1],
		.root = d->root,
		.d = *d,
		.l = l,
		.lid = (uint16_t)(block + l)};
	struct verify_lids lids = {l, 1, d->host};

	if (own[l] != d->eject) {
		b.root = g->n; /* it ejects elsewhere: nothing arrives */
		judge_one(w, &b);
		return 1;
	}
	for (uint32_t k = l + 1; k < LFT_BLOCK && lids.n < w->flow.most; k++) {
		if (dest[k].root != b.root || own[k] != dest[k].eject ||
			dest[k].host != d->host)
			break;
		lids.n++;
	}
	judge_lids(w, &b, dest, lids);
	return lids.n;
}

/* Judge the LIDs of a block, of which these are the destinations. */
static void
judge_block(struct walk *w, uint32_t block, struct verify_dest dest[LFT_BLOCK])
{
	const struct cdg *g = w->g;

	for (uint32_t l = 0; l < LFT_BLOCK; l++) {
		struct verify_dest *d = &dest[l];
		uint32_t in = 0;

		if (g->light && !d->host) {
			/* packets to it add no load */
			*d = (struct verify_dest){.root = g->n};
			continue;
		}
		if (d->root != g->n) {
			uint32_t c = g->comp[d->root];

			in = g->comp_lo[c + 1] - g->comp_lo[c];
		}
		if (d->owned) {
			w->out->pairs += in;
			w->out->cut_off += g->n - in;
		}
		if (in < g->n)
			judge_strays(w, d, block, l);
	}
	for (uint32_t l = 0; l < LFT_BLOCK;)
		l += dest[l].root == g->n ? 1 : judge_from(w, dest, block, l);
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

void
verify_walk(struct cdg *g, const struct verify_tables *in, uint32_t from,
	uint32_t to, struct verify_report *out)
{
	struct verify_dest dest[LFT_BLOCK];
	struct walk w;

	walk_new(&w, g, out);
	for (uint32_t b = from; b < to; b++) {
		for (uint32_t l = 0; l < LFT_BLOCK; l++)
			dest[l] = verify_walk_dest(g, b * LFT_BLOCK + l);
		verify_flow_load(&w.flow, in, b);
		judge_block(&w, b * LFT_BLOCK, dest);
	}
	walk_end(&w);
}
