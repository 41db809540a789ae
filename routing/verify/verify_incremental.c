/*
 * verify_incremental: a judgement from the previous one.
 *
 * Before, the entries of all switches for one LID were a tree to its
 * destination. Let C be the switches with a changed entry, and remove their
 * edges from the tree: the subtree behind each switch c of C is the same in the
 * old and the new tables, and all its packets go where c sends them. So the
 * host pairs behind c leave the old path of c and join its new path; the new
 * paths of C show whether all arrive; and the new dependencies are those on
 * these paths and those into the switches of C. Where the subtree is large, or
 * the destination itself changed, the old column, all entries for the LID, is
 * subtracted as a whole and the new one judged as verify_walk does.
 *
 * A pair of switches that gets another layer makes the dependencies of its path
 * in that one; where layers of a destination change, both directions of the
 * pairs are compared.
 *
 * The order of channels (verify_cycle_order_channels) shows that there is no
 * cycle, of all layers as one where tables are plain, else in each layer. A new
 * dependency that leads to a higher channel closes no cycle; for one that does
 * not, the channels behind it are raised.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/core/routes.h"
#include "routing/verify/cdg.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	BEHIND_MAX = 96,  /* switches behind a changed entry */
	CUT_MAX = 24,	  /* switches in C, for one LID */
	WHOLE_PART = 4,	  /* one block in this many may have whole LIDs */
	WEIGHED_MAX = 16, /* switches that got or lost hosts */
	MOVED_PART = 16,  /* one pair in this many may change its layer */
	STEPS_MAX = 64,	  /* then dependencies not made any more are dropped */
};

/* By LID of one block, the switches that have another entry for it. */
struct columns {
	uint32_t sw[LFT_BLOCK][CUT_MAX];
	uint32_t n[LFT_BLOCK]; /* CUT_MAX + 1: too many */
};

/* The subtree behind switch c of C. */
struct behind {
	uint32_t c;
	uint32_t n;		    /* switches, c the first */
	uint32_t sw[BEHIND_MAX];    /* each after what it sends to */
	uint32_t depth[BEHIND_MAX]; /* links to c */
	uint32_t to[BEHIND_MAX];    /* index in sw of the switch it sends to */
	uint8_t in[BEHIND_MAX];	    /* in-port there */
	uint16_t mask[BEHIND_MAX];  /* layers of the packets that pass it */
};

struct change {
	const struct cdg *g0;
	const struct verify_tables *in0, *in;
	struct cdg *g;
	const struct verify_dest *dest0; /* [nlid0] */
	struct verify_dest *dest;	 /* [nlid] */
	uint32_t nlid0, nlid;
	struct verify_report *out;
	unsigned threads;
	bool *other;	 /* [nports] the link changed, went or came */
	bool *recabled;	 /* [n] the switch has such a port */
	uint16_t *row;	 /* switches with another row, by block of LIDs, */
	uint32_t *first; /* [nlid / 64 + 1] where each block's begin */
	uint64_t *whole; /* [nlid / 64] LIDs judged as a whole */
	uint32_t wholes; /* blocks with such LIDs */
	uint32_t *cut;	 /* [n] the LID for which it is in C */
	uint16_t *layer; /* [n] layers to layer_root */
	uint32_t layer_root;
	struct behind *behind; /* [CUT_MAX] */
	uint64_t moved;	       /* pairs of switches with another layer */
	bool *relayered;       /* [n] destinations with other layers, or NULL */
	bool failed;	       /* left to verify_keep */
};

/* ---- whether it can be done at all ---- */

/* True if every switch has the same number of ports as before. */
static bool
same_ports(const struct cdg *g0, const struct cdg *g)
{
	return g0->nports == g->nports && g0->shift == g->shift &&
	       memcmp(g0->off, g->off, (g->n + 1U) * sizeof(*g->off)) == 0;
}

/* ---- what differs ---- */

static lft_ref
ref_of(const struct cdg *g, const struct verify_tables *in, uint32_t s,
	uint32_t b)
{
	return b < in->nblocks ? lft_row_ref(in->row[g->sw[s]], b) : LFT_EMPTY;
}

/* From block b on, the next block in which the rows of switch s differ, or n;
 * with a changed link every block counts. */
static uint32_t
next_other(const struct change *c, uint32_t s, uint32_t b, uint32_t n)
{
	const struct lft_row *x = c->in0->row[c->g0->sw[s]];
	const struct lft_row *y = c->in->row[c->g->sw[s]];
	uint32_t both = x->n < y->n ? x->n : y->n;

	if (c->recabled[s])
		return b;
	if (x == y)
		return n;
	while (b < both) {
		if (x->span[b / LFT_SPAN] == y->span[b / LFT_SPAN])
			b |= LFT_SPAN - 1; /* to its end */
		else if (lft_row_ref(x, b) != lft_row_ref(y, b))
			return b;
		b++;
	}
	while (b >= both && b < n &&
		ref_of(c->g0, c->in0, s, b) == ref_of(c->g, c->in, s, b))
		b++;
	return b;
}

/* A switch with another row in a block. */
struct other_row {
	uint32_t b;
	uint16_t s;
};

/* The switches with another row, found switch by switch, sorted by block. */
static void
find_rows(struct change *c)
{
	uint32_t n = c->nlid / LFT_BLOCK, *at, b;
	struct other_row *all = NULL;
	size_t many = 0, cap = 0;

	at = mem_zalloc(n + 1U, sizeof(*at));
	for (uint32_t s = 0; s < c->g->n; s++)
		for (b = 0; (b = next_other(c, s, b, n)) < n; b++) {
			all = mem_grow(all, many, &cap, sizeof(*all));
			all[many++] = (struct other_row){b, (uint16_t)s};
			at[b + 1]++;
		}
	for (b = 0; b < n; b++)
		at[b + 1] += at[b];
	c->first = mem_dup(at, (n + 1U) * sizeof(*at));
	c->row = mem_alloc(many * sizeof(*c->row));
	for (size_t i = 0; i < many; i++)
		c->row[at[all[i].b]++] = all[i].s;
	free(all);
	free(at);
}

/* Find the entries of a block that differ, or lead to a changed link. */
static void
compare_block(
	const struct change *c, uint32_t s, uint32_t b, struct columns *to)
{
	const uint8_t *x = lft_bytes(c->in0->pool, ref_of(c->g0, c->in0, s, b));
	const uint8_t *y = lft_bytes(c->in->pool, ref_of(c->g, c->in, s, b));
	const bool *other = c->other + c->g->off[s];
	uint8_t top = c->g->top[s];

	for (uint32_t l = 0; l < LFT_BLOCK; l++) {
		if (x[l] == y[l] && (y[l] > top || !other[y[l]]))
			continue;
		if (to->n[l] < CUT_MAX)
			to->sw[l][to->n[l]] = s;
		to->n[l] += to->n[l] <= CUT_MAX;
	}
}

/* Begin with the old findings; find links that changed, and drop the
 * dependencies through them. */
static void
find_changed_links(struct change *c)
{
	struct cdg *g = c->g;
	size_t words = g->nlayers * g->plane;

	memcpy(g->dep, c->g0->dep, words * sizeof(*g->dep));
	memcpy(g->load, c->g0->load, g->nports * sizeof(*g->load));
	memcpy(g->hops, c->g0->hops, (g->n + 1U) * sizeof(*g->hops));
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++) {
			c->other[p] = g->peer[p] != c->g0->peer[p];
			c->recabled[s] |= c->other[p];
		}
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t width = g->off[s + 1] - g->off[s];

		for (uint32_t i = 0; c->recabled[s] && i < width * width; i++) {
			uint32_t in = g->off[s] + i / width, out = i % width;
			size_t at = ((size_t)in << g->shift) + (out >> 6);

			if (!c->other[in] && !c->other[g->off[s] + out])
				continue;
			for (unsigned l = 0; l < g->nlayers; l++)
				g->dep[l * g->plane + at] &=
					~((uint64_t)1 << (out & 63));
		}
	}
}

static bool
same_dest(const struct verify_dest *a, const struct verify_dest *b)
{
	return a->root == b->root && a->eject == b->eject &&
	       a->owned == b->owned && a->host == b->host;
}

static struct verify_dest
previous_dest(const struct change *c, uint32_t lid)
{
	return lid < c->nlid0 ? c->dest0[lid]
			      : (struct verify_dest){.root = c->g0->n};
}

/* The destinations of all LIDs; LIDs with another one are judged as a whole. */
static void
find_dests(struct change *c)
{
	for (uint32_t lid = 0; lid < c->nlid; lid++) {
		struct verify_dest was = previous_dest(c, lid);

		c->dest[lid] = verify_walk_dest(c->g, lid);
		if (!same_dest(&was, &c->dest[lid]))
			c->whole[lid / LFT_BLOCK] |= (uint64_t)1
						     << lid % LFT_BLOCK;
	}
}

/* ---- one LID, a few switches ---- */

static void
note_dependency(const struct cdg *g, uint32_t s, unsigned in, unsigned out,
	unsigned mask)
{
	size_t row = (size_t)(g->off[s] + in) << g->shift;

	for (; mask != 0; mask &= mask - 1)
		g->dep[(unsigned)__builtin_ctz(mask) * g->plane + row +
			(out >> 6)] |= (uint64_t)1 << (out & 63);
}

/* The entries of a switch's neighbours are spread over the memory. */
static void
prefetch_entries(const struct change *c, uint32_t x, uint32_t b)
{
	const struct cdg *g = c->g;
	const struct verify_tables *in = c->in;
	const uint32_t *e = g->peer + g->off[x], *end = g->peer + g->off[x + 1];

	if (b >= in->nblocks)
		return;
	for (; e < end; e++)
		if (*e >> 8 != g->n)
			__builtin_prefetch(
				lft_row_at(in->row[g->sw[*e >> 8]], b));
	for (e = g->peer + g->off[x]; e < end; e++)
		if (*e >> 8 != g->n)
			__builtin_prefetch(
				lft_bytes(in->pool, ref_of(g, in, *e >> 8, b)));
}

/* Append the switches that send to sw[i] of b and are not in C. False: there
 * are too many. */
static bool
add_feeders(const struct change *c, struct behind *b, uint32_t i, uint32_t lid)
{
	const struct cdg *g = c->g;
	uint32_t x = b->sw[i];

	prefetch_entries(c, x, lid / LFT_BLOCK);
	for (uint32_t p = g->off[x]; p < g->off[x + 1]; p++) {
		uint32_t u = g->peer[p] >> 8;

		if (u == g->n || c->cut[u] == lid ||
			cdg_entry(g, c->in, u, lid) != (g->peer[p] & 255))
			continue;
		if (b->n == BEHIND_MAX)
			return false;
		b->sw[b->n] = u;
		b->depth[b->n] = b->depth[i] + 1;
		b->to[b->n] = i;
		b->in[b->n++] = (uint8_t)(p - g->off[x]);
	}
	return true;
}

/* The layers of the packets that pass each switch behind c. */
static void
gather_layers(const struct change *c, struct behind *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		b->mask[i] = c->g->nlayers == 1 ? 1 : c->layer[b->sw[i]];
	for (uint32_t i = b->n; i-- > 1;)
		b->mask[b->to[i]] |= b->mask[i];
}

static bool
find_subtree(const struct change *c, struct behind *b, uint32_t s, uint32_t lid)
{
	b->c = b->sw[0] = s;
	b->depth[0] = 0;
	b->n = 1;
	for (uint32_t i = 0; i < b->n; i++)
		if (!add_feeders(c, b, i, lid))
			return false;
	gather_layers(c, b);
	return true;
}

/* Take the subtree's host pairs off the old path of b->c; its length. */
static uint32_t
leave_old_path(
	struct change *c, const struct behind *b, uint32_t lid, uint32_t hosts)
{
	const struct cdg *g0 = c->g0;
	uint32_t root = c->dest[lid].root, s = b->c, n = 0;

	for (; s != root && n <= g0->n; n++) {
		uint32_t p = g0->off[s] + cdg_entry(g0, c->in0, s, lid);

		c->g->load[p] -= hosts;
		s = g0->peer[p] >> 8;
	}
	return n;
}

/* Put them on the new path, and note its dependencies; false when it does not
 * arrive. */
static bool
join_new_path(struct change *c, const struct behind *b, uint32_t lid,
	uint32_t hosts, uint32_t *length)
{
	const struct cdg *g = c->g;
	uint32_t root = c->dest[lid].root, s = b->c, n = 0;

	while (s != root) {
		uint8_t out = cdg_entry(g, c->in, s, lid), then;
		uint32_t e;

		if (out == 0 || out > g->top[s] || n++ > g->n)
			return false;
		e = g->peer[g->off[s] + out];
		if (e >> 8 == g->n)
			return false;
		g->load[g->off[s] + out] += hosts;
		s = e >> 8;
		then = cdg_entry(g, c->in, s, lid);
		if (then > g->top[s] || then == (e & 255))
			return false;
		note_dependency(g, s, e & 255, then, b->mask[0]);
	}
	*length = n;
	return true;
}

/* Note the dependencies at b->c from its feeders, which did not change. */
static void
note_feeders(const struct change *c, const struct behind *b, uint32_t lid)
{
	uint8_t out = cdg_entry(c->g, c->in, b->c, lid);

	for (uint32_t i = 1; i < b->n && out <= c->g->top[b->c]; i++)
		if (b->to[i] == 0)
			note_dependency(c->g, b->c, b->in[i], out, b->mask[i]);
}

static void
move_subtree(struct change *c, const struct behind *b, uint32_t lid)
{
	struct cdg *g = c->g;
	uint32_t hosts = 0, was, is = 0;
	bool host = c->dest[lid].host;

	for (uint32_t i = 0; i < b->n; i++)
		hosts += host ? c->g0->hosts[b->sw[i]] : 0;
	was = leave_old_path(c, b, lid, hosts);
	note_feeders(c, b, lid);
	if (!join_new_path(c, b, lid, hosts, &is)) {
		c->failed = true;
		return;
	}
	for (uint32_t i = 0; host && i < b->n; i++) {
		uint32_t h = c->g0->hosts[b->sw[i]];

		g->hops[was + b->depth[i]] -= h;
		if (is + b->depth[i] <= g->n)
			g->hops[is + b->depth[i]] += h;
		else
			c->failed = true;
	}
}

/* One LID's changed switches; false: judge the LID as a whole. */
static bool
change_column(struct change *c, const uint32_t *sw, uint32_t n, uint32_t lid)
{
	const struct verify_dest *d = &c->dest[lid];

	if (n > CUT_MAX || d->root == c->g->n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		c->cut[sw[i]] = lid;
	if (c->cut[d->root] == lid)
		return false;
	if (c->g->nlayers > 1 && c->layer_root != d->root) {
		cdg_layers(c->g, d->root, c->layer);
		c->layer_root = d->root;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!find_subtree(c, &c->behind[i], sw[i], lid))
			return false;
	for (uint32_t i = 0; i < n && !c->failed; i++)
		move_subtree(c, &c->behind[i], lid);
	return true;
}

/* Compare block b of all switches whose rows differ, and follow each LID that
 * has another entry somewhere. */
static void
change_block(struct change *c, uint32_t b)
{
	struct columns to;

	memset(to.n, 0, sizeof(to.n));
	for (uint32_t i = c->first[b]; i < c->first[b + 1]; i++)
		compare_block(c, c->row[i], b, &to);
	for (uint32_t l = 0; l < LFT_BLOCK && !c->failed; l++) {
		uint64_t bit = (uint64_t)1 << l;

		if (to.n[l] > 0 && !(c->whole[b] & bit) &&
			!change_column(c, to.sw[l], to.n[l], b * LFT_BLOCK + l))
			c->whole[b] |= bit;
	}
}

/* LIDs one by one, until too many have to be judged as a whole. */
static void
change_blocks(struct change *c)
{
	uint32_t n = c->nlid / LFT_BLOCK;

	for (uint32_t b = 0; b < n && !c->failed; b++) {
		if (c->first[b] < c->first[b + 1])
			change_block(c, b);
		c->wholes += c->whole[b] != 0;
		c->failed |= c->wholes > n / WHOLE_PART + 1;
	}
}

/* ---- whole LIDs ---- */

/* The old tables or the new ones; each may have a thread. */
struct side {
	struct cdg *g;
	const struct verify_tables *in;
	struct verify_some some;
	struct verify_report out;
};

static void
judge_side(void *arg)
{
	struct side *x = arg;

	verify_walk_some(x->g, x->in, &x->some, &x->out);
}

/* The previous destinations of all LIDs; to be freed. */
static struct verify_dest *
all_previous_dests(const struct change *c)
{
	struct verify_dest *d = mem_alloc(c->nlid * sizeof(*d));

	for (uint32_t lid = 0; lid < c->nlid; lid++)
		d[lid] = previous_dest(c, lid);
	return d;
}

static void
change_wholes(struct change *c)
{
	uint32_t n = c->nlid / LFT_BLOCK;
	struct verify_dest *was;
	struct side side[2] = {{c->g, c->in, {c->whole, c->dest, n}, {0}},
		{NULL, c->in0, {c->whole, NULL, n}, {.first = "-"}}};

	if (c->failed || c->wholes == 0)
		return;
	side[1].g = cdg_copy(c->g0);
	side[1].some.dest = was = all_previous_dests(c);
	if (c->threads > 1) {
		thread_share(2, judge_side, side, sizeof(*side));
	} else {
		judge_side(&side[0]);
		judge_side(&side[1]);
	}
	for (uint32_t p = 0; p < c->g->nports; p++)
		c->g->load[p] -= side[1].g->load[p];
	for (uint32_t h = 0; h <= c->g->n; h++)
		c->g->hops[h] -= side[1].g->hops[h];
	c->failed |= side[0].out.unreachable > 0 || side[0].out.loops > 0;
	cdg_free_fork(side[1].g);
	free(was);
}

/* ---- hosts that came or went ---- */

/* Add (or, modulo 2^32, subtract) hosts of switch s that send to a LID; its
 * destination did not change. */
static void
change_hosts(struct change *c, uint32_t s, uint32_t lid, uint32_t more)
{
	struct cdg *g = c->g;
	uint32_t n = 0;

	for (; s != c->dest[lid].root; n++) {
		uint32_t p = g->off[s] + cdg_entry(g, c->in, s, lid);

		g->load[p] += more;
		s = g->peer[p] >> 8;
	}
	g->hops[n] += (uint64_t)(int64_t)(int32_t)more;
}

static void
change_weights(struct change *c)
{
	uint32_t weighed = 0;

	for (uint32_t s = 0; s < c->g->n && !c->failed; s++) {
		uint32_t more = c->g->hosts[s] - c->g0->hosts[s];

		if (more == 0)
			continue;
		c->failed = ++weighed > WEIGHED_MAX;
		for (uint32_t lid = 0; lid < c->nlid && !c->failed; lid++)
			if (c->dest[lid].host && c->dest[lid].root != c->g->n &&
				!(c->whole[lid / LFT_BLOCK] >> lid % LFT_BLOCK &
					1))
				change_hosts(c, s, lid, more);
	}
}

/* ---- layers ---- */

/* True if the packets to live switch d have the layers that they had. */
static bool
same_layers(const struct cdg *g0, const struct cdg *g, uint32_t d, bool same_sw)
{
	if (same_sw && layer_row_same(g0->layer_row[d], g->layer_row[d]))
		return true;
	for (uint32_t s = 0; s < g->n; s++)
		if (cdg_layer(g0, s, d) != cdg_layer(g, s, d))
			return false;
	return true;
}

/* Find the destinations with other layers, and check both directions of their
 * pairs. */
static void
find_relayered(struct change *c, const struct route_layers *was)
{
	const struct cdg *g0 = c->g0, *g = c->g;
	bool same_sw = memcmp(g0->sw, g->sw, g->n * sizeof(*g->sw)) == 0;

	verify_compare_directions(
		g, c->in->layers, same_sw ? was : NULL, c->out);
	c->failed |= c->out->asymmetric > 0;
	for (uint32_t d = 0; g->nlayers > 1 && d < g->n; d++) {
		if (same_layers(g0, g, d, same_sw))
			continue;
		if (c->relayered == NULL)
			c->relayered = mem_zalloc(g->n, sizeof(*c->relayered));
		c->relayered[d] = true;
		for (uint32_t s = 0; s < g->n; s++)
			c->moved += cdg_layer(g0, s, d) != cdg_layer(g, s, d);
	}
	c->failed |= c->moved > (uint64_t)g->n * g->n / MOVED_PART;
}

/* Note the dependencies of the path from s to a LID in its new layer. */
static void
note_path(struct change *c, uint32_t s, uint32_t lid)
{
	const struct cdg *g = c->g;
	uint32_t root = c->dest[lid].root, n = 0;
	unsigned mask = 1U << cdg_layer(g, s, root);

	while (s != root && n++ <= g->n) {
		uint32_t e = g->peer[g->off[s] + cdg_entry(g, c->in, s, lid)];

		s = e >> 8;
		note_dependency(
			g, s, e & 255, cdg_entry(g, c->in, s, lid), mask);
	}
}

/* Note the dependencies of all pairs with another layer. Every LID arrives. */
static void
change_layers(struct change *c)
{
	const struct cdg *g = c->g;

	for (uint32_t lid = 0; c->relayered != NULL && lid < c->nlid; lid++) {
		uint32_t d = c->dest[lid].root;

		if (d == g->n || !c->relayered[d] || c->failed)
			continue;
		for (uint32_t s = 0; s < g->n; s++)
			if (cdg_layer(c->g0, s, d) != cdg_layer(g, s, d))
				note_path(c, s, lid);
	}
}

/* ---- the order of channels ---- */

struct raise {
	const struct change *c;
	const uint64_t *dep,
		*was; /* of a layer or all as one, now and before */
	uint32_t *chan_order;
	uint32_t *owner; /* [nports] the switch of a port */
	uint32_t *stack;
	uint32_t depth, steps;
};

/* Channel b comes after channel a. False when that takes too long. */
static bool
add_channel_order(struct raise *r, uint32_t a, uint32_t b)
{
	const struct cdg *g = r->c->g;

	if (r->chan_order[a] < r->chan_order[b])
		return true;
	r->chan_order[b] = r->chan_order[a] + 1;
	if (++r->steps >= g->nports)
		return false;
	r->stack[r->depth++] = b;
	return true;
}

/* Put the channels that these bits of row `in` make depend on channel `in`
 * behind it. False when that takes too long. */
static bool
order_row(struct raise *r, uint32_t in, uint64_t bits, unsigned first)
{
	const struct cdg *g = r->c->g;
	uint32_t s = r->owner[in];

	for (; bits != 0; bits &= bits - 1) {
		uint32_t out = first + (unsigned)__builtin_ctzll(bits);
		uint32_t e = g->peer[g->off[s] + out];

		if (e >> 8 != g->n &&
			!add_channel_order(r, in, g->off[e >> 8] + (e & 255)))
			return false;
	}
	return true;
}

/* Channels that follow those on the stack get higher numbers than these, and so
 * on behind them; false: it takes too long, or they are a cycle. */
static bool
raise_successors(struct raise *r)
{
	const struct cdg *g = r->c->g;

	while (r->depth > 0) {
		uint32_t in = r->stack[--r->depth];
		size_t row = (size_t)in << g->shift;

		for (unsigned k = 0; k < 1U << g->shift; k++)
			if (!order_row(r, in, r->dep[row + k], k * 64))
				return false;
	}
	return true;
}

/* Raise channels for all new dependencies; false: it takes too long. */
static bool
raise_all(struct raise *r)
{
	const struct cdg *g = r->c->g;

	r->depth = r->steps = 0;
	for (uint32_t in = 0; in < g->nports; in++) {
		uint32_t s = r->owner[in];
		bool all;

		if (s == g->n)
			continue;
		/* a changed link makes old dependencies new */
		all = r->c->recabled[s];
		for (unsigned k = 0; k < 1U << g->shift; k++) {
			size_t at = ((size_t)in << g->shift) + k;
			uint64_t bits =
				r->dep[at] & (all ? UINT64_MAX : ~r->was[at]);

			if (bits != 0 && (!order_row(r, in, bits, k * 64) ||
						 !raise_successors(r)))
				return false;
		}
	}
	return true;
}

/* Order the channels by r->dep; false: it may have a cycle. */
static bool
order_graph(struct raise *r)
{
	const struct cdg *g = r->c->g;
	bool ok;

	r->owner = mem_alloc(g->nports * sizeof(*r->owner));
	r->stack = mem_alloc((g->nports + 1U) * sizeof(*r->stack));
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
			r->owner[p] = s;
	r->owner[g->off[g->n]] = g->n;
	ok = raise_all(r) ||
	     verify_cycle_order_channels(g, r->dep, r->chan_order);
	free(r->owner);
	free(r->stack);
	return ok;
}

/* The same for the new graph, of all layers as one or of each. */
static bool
find_channel_order(
	const struct change *c, unsigned orders, uint32_t *chan_order)
{
	const struct cdg *g = c->g;
	uint64_t *is = orders == 1 ? cdg_one_layer(g) : NULL;
	uint64_t *was = orders == 1 ? cdg_one_layer(c->g0) : NULL;
	bool ok = true;

	for (unsigned l = 0; l < orders && ok; l++) {
		struct raise r = {.c = c,
			.dep = is != NULL ? is : g->dep + l * g->plane,
			.was = was != NULL ? was : c->g0->dep + l * g->plane,
			.chan_order = chan_order + (size_t)l * g->nports};

		ok = order_graph(&r);
	}
	free(is);
	free(was);
	return ok;
}

/* ---- all of it ---- */

/* Pairs of a switch and a LID that must reach, and those that no path joins. */
static void
count_pairs(struct change *c)
{
	struct verify_report *out = c->out;

	out->pairs = out->cut_off = 0;
	for (uint32_t lid = 0; lid < c->nlid; lid++) {
		if (!c->dest[lid].owned)
			continue;
		if (c->dest[lid].root == c->g->n)
			out->cut_off += c->g->n;
		else
			out->pairs += c->g->n;
	}
}

static void
apply_differences(struct change *c, const struct route_layers *was)
{
	struct cdg *g = c->g;

	c->other = mem_zalloc(g->nports, sizeof(*c->other));
	c->recabled = mem_zalloc(g->n + 1U, sizeof(*c->recabled));
	c->whole = mem_zalloc(c->nlid / LFT_BLOCK, sizeof(*c->whole));
	c->dest = mem_alloc(c->nlid * sizeof(*c->dest));
	c->cut = mem_zalloc(g->n + 1U, sizeof(*c->cut));
	c->layer = mem_zalloc(g->n + 1U, sizeof(*c->layer));
	c->behind = mem_alloc(CUT_MAX * sizeof(*c->behind));
	c->layer_root = TOPO_NONE;
	find_changed_links(c);
	find_dests(c);
	find_rows(c);
	find_relayered(c, was);
	change_blocks(c);
	change_wholes(c);
	change_weights(c);
	if (!c->failed)
		change_layers(c);
	free(c->relayered);
	free(c->row);
	free(c->first);
	free(c->whole);
	free(c->cut);
	free(c->layer);
	free(c->behind);
}

/* Judge by the differences; NULL: that cannot be done, or there is a fault. */
static struct verify_state *
judge_differences(const struct verify_before *was,
	const struct verify_tables *in, struct cdg *g, unsigned threads,
	struct verify_report *out)
{
	struct change c = {.g0 = was->state->g,
		.in0 = &was->in,
		.in = in,
		.g = g,
		.dest0 = was->state->dest,
		.nlid0 = was->state->nlid,
		.nlid = verify_walk_blocks(in) * LFT_BLOCK,
		.out = out,
		.threads = threads};
	unsigned orders = verify_state_orders(was->state);
	struct verify_state *v = NULL;
	uint32_t *chan_order;

	if (c.nlid < c.nlid0)
		c.nlid = c.nlid0;
	apply_differences(&c, &was->state->layers);
	chan_order = mem_dup(was->state->chan_order,
		(size_t)orders * g->nports * sizeof(*chan_order));
	if (!c.failed && find_channel_order(&c, orders, chan_order)) {
		count_pairs(&c);
		verify_sum(g, out);
		out->ok = out->by_change = true;
		out->plain = was->state->plain;
		v = mem_zalloc(1, sizeof(*v));
		*v = (struct verify_state){.refs = 1,
			.steps = was->state->steps + 1,
			.g = g,
			.ok = true,
			.plain = was->state->plain,
			.layers = in->layers != NULL
					  ? route_layers_copy(in->layers)
					  : (struct route_layers){.n = 1},
			.guid = mem_dup(was->state->guid,
				(g->n + 1U) * sizeof(*v->guid)),
			.chan_order = chan_order,
			.dest = c.dest,
			.nlid = c.nlid};
	} else {
		free(chan_order);
		free(c.dest);
	}
	if (v != NULL)
		g->t = NULL; /* may be freed before v is */
	free(c.other);
	free(c.recabled);
	return v;
}

int
verify_incremental(const struct verify_before *was,
	const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why)
{
	unsigned layers =
		in->layers != NULL && in->layers->n > 1 ? in->layers->n : 1;
	struct verify_tables as = *in;
	struct verify_state *v = NULL;
	struct cdg *g = NULL;

	/* judged as one before: so are they now, however many there are */
	if (was != NULL && was->state != NULL && was->state->g->nlayers == 1)
		as.layers = NULL;
	if (was != NULL && was->state != NULL && was->state->ok &&
		was->state->steps < STEPS_MAX && was->in.pool == in->pool &&
		layers <= ROUTE_LAYERS &&
		(as.layers == NULL ||
			(as.layers->map == NULL &&
				was->state->g->nlayers == layers)))
		g = cdg_new(&as, was->state, NULL);
	if (g != NULL && same_ports(was->state->g, g)) {
		memset(out, 0, sizeof(*out));
		out->load_sw = TOPO_NONE;
		out->vls = layers;
		v = judge_differences(was, in, g, threads, out);
	}
	if (v == NULL) {
		cdg_free(g);
		return verify_keep(in, threads, out, keep, why);
	}
	if (keep != NULL)
		*keep = v;
	else
		verify_state_unref(v);
	return 0;
}
