/*
 * verify_incremental: a judgement from the previous one.
 *
 * The tables before were proven, and so are these, by ranks of links: so what
 * is new is proven by a look at what differs, without following any packet. Let
 * a cell be a switch and a LID for which it has another entry, or one that
 * leads over a changed link; where the destination of a LID changed, every
 * switch has one.
 *
 *   - A cell leads to a live switch, or ejects what is the switch's own.
 *   - New dependencies are those that what a cell sends makes at the next
 *     switch, and those that what its neighbours send makes at the cell. A
 *     neighbour without a cell sent the same before, so its channel had a
 *     dependency on the old entry: only such channels are looked at.
 *   - Where all dependencies, the old ones included, climb the ranks given now,
 *     there is no cycle: then everything arrives.
 *
 * The switches whose paths to a LID are others are those with cells, what sends
 * to them, and so on: by the dependencies on the old entries, 64 LIDs at a
 * time. Their host pairs leave the old paths and join the new ones.
 *
 * With several layers the dependencies of a path depend on where it begins, and
 * they are counted (dep_count.h): the old paths are taken out, the new ones put
 * in. Then nothing stays that is not made any more.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/core/routes.h"
#include "routing/verify/block_mask.h"
#include "routing/verify/cdg.h"
#include "routing/verify/certificate.h"
#include "routing/verify/dep_count.h"
#include "sm/base/mem.h"

enum {
	WEIGHED_MAX = 16,  /* switches that got or lost hosts */
	MOVED_PART = 16,   /* one pair in this many may change its layer */
	PATHS_PART = 4,	   /* blocks for each path that may change */
	PATHS_MIN = 16384, /* ... and in any fabric */
	BATCH = 256,	   /* packets sent together */
	STEPS_MAX = 64,	   /* then dependencies not made any more are dropped */
};

/* A switch with other blocks in a span: a bit each. */
struct other_row {
	uint32_t sw;
	uint64_t blocks;
};

/* LIDs of a block, by switch. */
struct lid_sets {
	uint64_t *of; /* [n] */
	uint32_t *sw; /* [n] the switches that have some */
	uint32_t n;
};

/* LIDs of a block whose paths from a switch are others; those that send to it
 * are to be found. */
struct found {
	uint32_t sw;
	uint64_t lids;
};

/* Packets on their way from a switch to a LID. */
struct packet {
	const uint8_t *entry; /* for the LID, where it is */
	uint32_t at;	      /* packed (switch, in-port) */
	uint32_t from, lid, hosts;
	uint32_t pairs; /* that it counts for, modulo 2^32 */
	uint8_t before; /* class of the link before the last one */
};

/* The tables before, or now. */
struct side {
	const struct cdg *g;
	const struct verify_tables *in;
	const struct verify_dest *dest; /* [nblocks * LFT_BLOCK] */
	uint32_t nblocks;
	uint64_t hosts;	 /* LIDs of the block that are hosts' */
	uint64_t strays; /* LIDs of the block that no switch has */
	struct packet packet[BATCH];
	uint32_t n;
};

struct change {
	struct side was, is;
	struct cdg *g; /* is.g */
	const struct verify_state *from;
	struct verify_dest *dest; /* [nlid] */
	uint32_t nlid;
	struct verify_report *out;
	bool *other;	     /* [nports] the link changed, went or came */
	bool *recabled;	     /* [n] the switch has such a port */
	uint64_t *whole;     /* [nlid / 64] LIDs with another destination */
	uint32_t *relayered; /* [n + 1] by destination, the first in source; or
				NULL: no pair has another layer */
	uint32_t *source;    /* switches that have another layer to it */
	uint32_t *weighed;   /* [nweighed] switches with other hosts */
	uint32_t nweighed;
	uint64_t paths; /* that may still change */
	bool failed;	/* left to verify_keep */
	/* of one span */
	struct other_row *row; /* [n] */
	uint32_t nrows;
	uint64_t differ; /* blocks that some switch has others of */
	/* of one block */
	uint32_t b;
	struct lid_sets cells, moved;
	struct found *found;
	size_t nfound, room;
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
ref_of(const struct side *x, uint32_t s, uint32_t b)
{
	return b < x->in->nblocks ? lft_row_ref(x->in->row[x->g->sw[s]], b)
				  : LFT_EMPTY;
}

/* The entries of switch s for a block. */
static const uint8_t *
line_of(const struct side *x, uint32_t s, uint32_t b)
{
	return lft_bytes(x->in->pool, ref_of(x, s, b));
}

/* The blocks of span k in which the rows of switch s differ; with a changed
 * link all count. */
static uint64_t
compare_spans(const struct change *c, uint32_t s, uint32_t k)
{
	const struct lft_row *x = c->was.in->row[c->was.g->sw[s]];
	const struct lft_row *y = c->is.in->row[c->is.g->sw[s]];
	uint32_t first = k * LFT_SPAN, n = y->n;
	bool alike = x->n == n;
	uint64_t differ = 0;

	if (c->recabled[s])
		return UINT64_MAX;
	if (x == y || (alike && (first >= n || x->span[k] == y->span[k])))
		return 0;
	n = alike ? n - first : LFT_SPAN;
	for (uint32_t i = 0; i < n && i < LFT_SPAN; i++)
		differ |=
			(uint64_t)(alike ? x->span[k]->ref[i] !=
						   y->span[k]->ref[i]
					 : ref_of(&c->was, s, first + i) !=
						   ref_of(&c->is, s, first + i))
			<< i;
	return differ;
}

/* The switches that have other blocks in span k. */
static void
find_rows(struct change *c, uint32_t k)
{
	c->nrows = 0;
	c->differ = 0;
	for (uint32_t s = 0; s < c->g->n; s++) {
		uint64_t differ = compare_spans(c, s, k);

		c->differ |= differ;
		if (differ != 0)
			c->row[c->nrows++] = (struct other_row){s, differ};
	}
}

/* Begin with the old findings; find links that changed, and drop the
 * dependencies through them. */
static void
find_changed_links(struct change *c)
{
	struct cdg *g = c->g;

	if (g->count == NULL)
		memcpy(g->dep, c->was.g->dep, g->plane * sizeof(*g->dep));
	memcpy(g->load, c->was.g->load, g->nports * sizeof(*g->load));
	memcpy(g->hops, c->was.g->hops, (g->n + 1U) * sizeof(*g->hops));
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++) {
			c->other[p] = g->peer[p] != c->was.g->peer[p];
			c->recabled[s] |= c->other[p];
		}
	for (uint32_t s = 0; g->count == NULL && s < g->n; s++) {
		uint32_t width = g->off[s + 1] - g->off[s];

		for (uint32_t i = 0; c->recabled[s] && i < width * width; i++) {
			uint32_t in = g->off[s] + i / width, out = i % width;
			size_t at = ((size_t)in << g->shift) + (out >> 6);

			if (c->other[in] || c->other[g->off[s] + out])
				g->dep[at] &= ~((uint64_t)1 << (out & 63));
		}
	}
}

static bool
same_dest(const struct verify_dest *a, const struct verify_dest *b)
{
	return a->root == b->root && a->eject == b->eject &&
	       a->owned == b->owned && a->host == b->host;
}

/* The destinations of all LIDs, and which of them are others. */
static void
find_dests(struct change *c)
{
	const struct verify_dest nowhere = {.root = c->was.g->n};
	const struct verify_state *from = c->from;

	for (uint32_t lid = 0; lid < c->nlid; lid++) {
		c->dest[lid] = verify_walk_dest(c->g, lid);
		if (!same_dest(lid < from->nlid ? &from->dest[lid] : &nowhere,
			    &c->dest[lid]))
			c->whole[lid / LFT_BLOCK] |= (uint64_t)1
						     << lid % LFT_BLOCK;
	}
}

/* Find the switches with other hosts. */
static void
find_weighed(struct change *c)
{
	const struct cdg *g0 = c->was.g, *g = c->g;

	for (uint32_t s = 0; s < g->n && !c->failed; s++) {
		if (g->hosts[s] == g0->hosts[s])
			continue;
		c->failed = c->nweighed == WEIGHED_MAX;
		if (!c->failed)
			c->weighed[c->nweighed++] = s;
	}
}

/* Find the switches with other layers, by destination; how many. */
static uint64_t
list_relayered(struct change *c, bool same_sw)
{
	const struct cdg *g0 = c->was.g, *g = c->g;
	size_t n = 0, room = 0;

	c->relayered = mem_alloc((g->n + 1U) * sizeof(*c->relayered));
	for (uint32_t d = 0; d < g->n; d++) {
		c->relayered[d] = (uint32_t)n;
		if (same_sw &&
			layer_row_same(g0->layer_row[d], g->layer_row[d]))
			continue;
		for (uint32_t s = 0; s < g->n; s++) {
			if (cdg_layer(g0, s, d) == cdg_layer(g, s, d))
				continue;
			c->source = mem_grow(
				c->source, n, &room, sizeof(*c->source));
			c->source[n++] = s;
		}
	}
	c->relayered[g->n] = (uint32_t)n;
	return n;
}

/* Find the pairs with other layers, and check that both directions of a pair
 * have the same. */
static void
find_relayered(struct change *c)
{
	const struct cdg *g0 = c->was.g, *g = c->g;
	uint64_t moved = 0;
	bool same_sw = memcmp(g0->sw, g->sw, g->n * sizeof(*g->sw)) == 0;

	verify_compare_directions(
		g, c->is.in->layers, same_sw ? &c->from->layers : NULL, c->out);
	c->failed |= c->out->asymmetric > 0;
	if (g->nlayers > 1)
		moved = list_relayered(c, same_sw);
	if (moved == 0) {
		free(c->relayered);
		c->relayered = NULL;
	}
	c->failed |= moved > (uint64_t)g->n * g->n / MOVED_PART;
}

/* ---- the cells of one block ---- */

static struct lid_sets
new_sets(size_t n)
{
	return (struct lid_sets){.of = mem_zalloc(n, sizeof(uint64_t)),
		.sw = mem_alloc(n * sizeof(uint32_t))};
}

static void
free_sets(struct lid_sets *x)
{
	free(x->of);
	free(x->sw);
}

/* Add LIDs to those of switch s; the ones that are new there. */
static uint64_t
add_lids(struct lid_sets *x, uint32_t s, uint64_t lids)
{
	uint64_t fresh = lids & ~x->of[s];

	if (fresh != 0 && x->of[s] == 0)
		x->sw[x->n++] = s;
	x->of[s] |= fresh;
	return fresh;
}

static void
clear_sets(struct lid_sets *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		x->of[x->sw[i]] = 0;
	x->n = 0;
}

/* The LIDs of a block that are hosts'; stray: those that no switch has. */
static uint64_t
pick_lids(const struct side *x, uint32_t b, bool stray)
{
	const struct verify_dest *d = x->dest + (size_t)b * LFT_BLOCK;
	uint64_t lids = 0;

	for (unsigned l = 0; l < LFT_BLOCK && b < x->nblocks; l++)
		lids |= (uint64_t)((d[l].root == x->g->n) == stray &&
				   (stray || d[l].host))
			<< l;
	return lids;
}

/* The LIDs of the block for which switch s has another entry, or one that leads
 * to a changed link. */
static uint64_t
compare_lines(const struct change *c, uint32_t s)
{
	const uint8_t *x = line_of(&c->was, s, c->b);
	const uint8_t *y = line_of(&c->is, s, c->b);
	uint64_t lids = x == y ? 0 : ~block_mask_alike(x, y);

	for (uint32_t q = 0; c->recabled[s] && q <= c->g->top[s]; q++)
		if (c->other[c->g->off[s] + q])
			lids |= block_mask_equal(y, (uint8_t)q);
	return lids;
}

static void
find_cells(struct change *c)
{
	uint64_t whole = c->whole[c->b];

	for (uint32_t i = 0; i < c->nrows; i++) {
		uint32_t s = c->row[i].sw;

		if (c->row[i].blocks >> c->b % LFT_SPAN & 1)
			(void)add_lids(&c->cells, s, compare_lines(c, s));
	}
	for (uint32_t s = 0; whole != 0 && s < c->g->n; s++)
		(void)add_lids(&c->cells, s, whole);
}

/* The port by which an entry of switch s leads to a live switch; TOPO_NONE. */
static uint32_t
live_port(const struct cdg *g, uint32_t s, uint8_t entry)
{
	uint32_t p = g->off[s] + entry;

	return entry > g->top[s] || g->peer[p] >> 8 == g->n ? TOPO_NONE : p;
}

/* The cells of switch s lead to live switches, or eject what is its own. */
static bool
check_cells(const struct change *c, uint32_t s)
{
	const uint8_t *line = line_of(&c->is, s, c->b);
	uint64_t lids = c->cells.of[s] & ~c->is.strays;

	for (; lids != 0; lids &= lids - 1) {
		unsigned l = (unsigned)__builtin_ctzll(lids);
		const struct verify_dest *d = &c->is.dest[c->b * LFT_BLOCK + l];

		if (d->root == s ? line[l] != d->eject
				 : live_port(c->g, s, line[l]) == TOPO_NONE)
			return false;
	}
	return true;
}

/* True if some of the LIDs led to a live switch, of which they are not. */
static bool
sends_any(const struct side *x, uint32_t s, uint32_t b, uint64_t lids)
{
	const uint8_t *line = line_of(x, s, b);

	for (; lids != 0; lids &= lids - 1)
		if (live_port(x->g, s, line[__builtin_ctzll(lids)]) !=
			TOPO_NONE)
			return true;
	return false;
}

/* True if switch s sends LIDs that no switch has elsewhere than before: their
 * dependencies are not those of pairs. */
static bool
moves_strays(const struct change *c, uint32_t s)
{
	uint64_t lids = c->cells.of[s];

	return sends_any(&c->was, s, c->b, lids & c->was.strays) ||
	       sends_any(&c->is, s, c->b, lids & c->is.strays);
}

/* ---- their dependencies ---- */

/* Note that packets that arrive at switch s by port `in` leave by `out`. */
static void
note_dependency(const struct change *c, uint32_t s, uint8_t in, uint8_t out)
{
	const struct cdg *g = c->g;

	g->dep[((size_t)(g->off[s] + in) << g->shift) + (out >> 6)] |=
		(uint64_t)1 << (out & 63);
}

/* LIDs arrive at a port of a switch: so they leave the switch by others. */
static void
note_onward(struct change *c, uint32_t to, uint64_t lids)
{
	uint32_t s = to >> 8;
	uint8_t in = to & 255;
	const uint8_t *line = line_of(&c->is, s, c->b);

	for (; lids != 0; lids &= lids - 1) {
		unsigned l = (unsigned)__builtin_ctzll(lids);

		if (line[l] > c->g->top[s])
			continue;
		if (line[l] != in)
			note_dependency(c, s, in, line[l]);
		else if (!(c->is.strays >> l & 1))
			c->failed = true; /* hardware discards it */
	}
}

/* The dependencies behind the cells of switch s. */
static void
note_cells(struct change *c, uint32_t s)
{
	const uint8_t *line = line_of(&c->is, s, c->b);
	uint64_t rest = c->cells.of[s];

	while (rest != 0) {
		uint8_t q = line[__builtin_ctzll(rest)];
		uint64_t lids = rest & block_mask_equal(line, q);
		uint32_t p = live_port(c->g, s, q);

		rest &= ~lids;
		if (p != TOPO_NONE)
			note_onward(c, c->g->peer[p], lids);
	}
}

/* Whether packets may have come to switch s by port `in` and left it by the
 * port `was` before; of what led to no switch nothing is known. */
static bool
may_have_followed(const struct change *c, uint32_t s, uint32_t in, uint8_t was)
{
	const struct cdg *g = c->was.g;
	uint32_t off = g->off[s], out = live_port(g, s, was), layers = 0, dep;

	if (out == TOPO_NONE)
		return true;
	if (g->count == NULL)
		return g->dep[((size_t)(off + in) << g->shift) + was / 64] >>
			       was % 64 &
		       1;
	if (!cdg_has_link(g, off + in))
		return false;
	dep = dep_count_of(g->count, off + in, out);
	for (unsigned l = 0; l < g->nlayers; l++)
		layers |= g->count->pairs[dep * g->count->stride + l];
	return layers != 0;
}

/* The path from switch s to these LIDs is another. */
static void
add_moved(struct change *c, uint32_t s, uint64_t lids)
{
	lids = add_lids(&c->moved, s, lids);
	if (lids == 0)
		return;
	c->found = mem_grow(c->found, c->nfound, &c->room, sizeof(*c->found));
	c->found[c->nfound++] = (struct found){s, lids};
}

/*
 * LIDs that left switch s by the port `was` leave it by `is`: note this of
 * those that neighbours without cells send there, whose paths are others, too.
 */
static void
find_feeders(
	struct change *c, uint32_t s, uint8_t was, uint8_t is, uint64_t lids)
{
	const struct cdg *g = c->g;
	uint32_t off = g->off[s], n = g->off[s + 1] - off;

	for (uint32_t in = 0; in < n; in++) {
		uint32_t e = g->peer[off + in];
		uint64_t from;

		/* what went back by `in` was discarded */
		if (in == is || e >> 8 == g->n ||
			(in != was && !may_have_followed(c, s, in, was)))
			continue;
		from = lids & ~c->moved.of[e >> 8];
		if (from == 0)
			continue;
		from &= block_mask_equal(
			line_of(&c->is, e >> 8, c->b), (uint8_t)e);
		if (g->count == NULL && from != 0 && is <= g->top[s])
			note_dependency(c, s, (uint8_t)in, is);
		add_moved(c, e >> 8, from);
	}
}

/* Find the switches whose paths to some LIDs pass a cell, and the dependencies
 * there. */
static void
find_moved(struct change *c)
{
	c->nfound = 0;
	for (uint32_t i = 0; i < c->cells.n; i++)
		add_moved(c, c->cells.sw[i], c->cells.of[c->cells.sw[i]]);
	for (size_t i = 0; i < c->nfound; i++) {
		struct found x = c->found[i];
		const uint8_t *was = line_of(&c->was, x.sw, c->b);
		const uint8_t *is = line_of(&c->is, x.sw, c->b);

		while (x.lids != 0) {
			unsigned l = (unsigned)__builtin_ctzll(x.lids);
			uint64_t some = x.lids & block_mask_equal(was, was[l]) &
					block_mask_equal(is, is[l]);

			x.lids &= ~some;
			find_feeders(c, x.sw, was[l], is[l], some);
		}
	}
}

/* Add the switches whose packets to some LIDs have another layer. */
static void
find_relayered_pairs(struct change *c)
{
	for (unsigned l = 0; c->relayered != NULL && l < LFT_BLOCK; l++) {
		uint32_t root;

		if ((c->is.strays >> l & 1) != 0)
			continue;
		root = c->is.dest[c->b * LFT_BLOCK + l].root;
		for (uint32_t i = c->relayered[root];
			i < c->relayered[root + 1]; i++)
			(void)add_lids(
				&c->moved, c->source[i], (uint64_t)1 << l);
	}
}

/* ---- paths ---- */

/* A packet is at a switch; its entry there is fetched ahead. */
static void
put_packet(struct side *x, struct packet k)
{
	k.entry = line_of(x, k.at >> 8, k.lid / LFT_BLOCK) + k.lid % LFT_BLOCK;
	__builtin_prefetch(k.entry);
	x->packet[x->n++] = k;
}

/* Count a dependency of a packet, or take it out again: of a graph with the
 * same port records, by the links of the new one. False: there is no such
 * layer. */
static bool
count_dependency(const struct change *c, const struct side *x,
	const struct packet *k, uint8_t out)
{
	const struct cdg *g = c->g;
	uint32_t off = g->off[k->at >> 8], in = off + (k->at & 255), dep;
	unsigned layer = cdg_layer(x->g, k->from, x->dest[k->lid].root);

	if (layer >= g->nlayers)
		return false;
	if (!cdg_has_link(g, in) || !cdg_has_link(g, off + out))
		return true;
	dep = dep_count_of(g->count, in, off + out);
	g->count->pairs[(size_t)dep * g->count->stride + layer] += k->pairs;
	if (g->map != NULL && x == &c->is)
		g->count->planes[dep] |= UINT64_C(1)
					 << (k->before * g->nlayers + layer);
	return true;
}

/* The class of the link by which a packet came to its switch; of its first one,
 * that of a host's. */
static uint8_t
class_of(const struct cdg *g, uint32_t at, uint32_t links)
{
	return g->map == NULL || links == 0
		       ? 0
		       : g->port_class[g->off[at >> 8] + (at & 255)] & 15U;
}

/* One link farther for each packet of the batch; what arrives is dropped from
 * it. False: some cannot go on. */
static bool
pass_links(struct change *c, struct side *x, uint32_t links)
{
	const struct cdg *g = x->g;
	uint32_t n = x->n;

	x->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct packet k = x->packet[i];
		uint32_t s = k.at >> 8, p, root = x->dest[k.lid].root;
		uint8_t out = *k.entry;

		p = s == root ? g->off[s] + out : live_port(g, s, out);
		if (p == TOPO_NONE || (links > 0 && out == (k.at & 255)))
			return false;
		if (g->count != NULL && links > 0 && s != root &&
			!count_dependency(c, x, &k, out))
			return false;
		if (s == root) {
			c->g->hops[links] +=
				(uint64_t)(int64_t)(int32_t)k.hosts;
			continue;
		}
		c->g->load[p] += k.hosts;
		k.before = class_of(g, k.at, links);
		k.at = g->peer[p];
		put_packet(x, k);
	}
	return true;
}

/* Send all packets of the batch on their way: together, since the entries of
 * each are spread over the memory. */
static void
send_batch(struct change *c, struct side *x)
{
	for (uint32_t links = 0; x->n > 0 && !c->failed; links++)
		c->failed = links > c->g->n || !pass_links(c, x, links);
	x->n = 0;
}

/*
 * Packets of `hosts` hosts and of `pairs` switches (modulo 2^32) at switch s to
 * LIDs of the block: they load the links of their paths.
 */
static void
send_packets(struct change *c, struct side *x, uint32_t s, uint64_t lids,
	uint32_t hosts, uint32_t pairs)
{
	for (; lids != 0; lids &= lids - 1) {
		unsigned l = (unsigned)__builtin_ctzll(lids);

		put_packet(x, (struct packet){.at = cdg_pack(s, 0),
				      .from = s,
				      .lid = c->b * LFT_BLOCK + l,
				      .hosts = x->hosts >> l & 1 ? hosts : 0,
				      .pairs = pairs});
		if (x->n == BATCH)
			send_batch(c, x);
	}
}

/* The paths of switch s that are others: its packets leave the old ones and
 * join the new ones. */
static void
move_paths(struct change *c, uint32_t s, uint64_t lids)
{
	uint32_t had = c->was.g->hosts[s], has = c->g->hosts[s];

	if (c->g->count != NULL)
		send_packets(c, &c->was, s, lids & ~c->was.strays, 0U - had,
			UINT32_MAX);
	else if (had > 0)
		send_packets(c, &c->was, s, lids & c->was.hosts, 0U - had, 0);
	if (c->g->count != NULL)
		send_packets(c, &c->is, s, lids & ~c->is.strays, has, 1);
	else if (has > 0)
		send_packets(c, &c->is, s, lids & c->is.hosts, has, 0);
}

/* Charge for what is to be looked at; a judgement in full costs less than very
 * many changes. */
static void
charge_sets(struct change *c, const struct lid_sets *x)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < x->n; i++)
		n += (unsigned)__builtin_popcountll(x->of[x->sw[i]]);
	c->failed |= n > c->paths;
	c->paths -= n < c->paths ? n : c->paths;
}

static void
change_paths(struct change *c)
{
	uint64_t whole = c->whole[c->b];

	find_moved(c);
	find_relayered_pairs(c);
	charge_sets(c, &c->moved);
	for (uint32_t i = 0; i < c->moved.n && !c->failed; i++)
		move_paths(c, c->moved.sw[i], c->moved.of[c->moved.sw[i]]);
	for (uint32_t i = 0; i < c->nweighed; i++) {
		uint32_t s = c->weighed[i];

		send_packets(c, &c->is, s, c->is.hosts & ~c->moved.of[s],
			c->g->hosts[s] - c->was.g->hosts[s], 0);
	}
	/* no host sends to itself */
	c->g->hops[0] += (unsigned)__builtin_popcountll(c->was.hosts & whole);
	c->g->hops[0] -= (unsigned)__builtin_popcountll(c->is.hosts & whole);
}

/* ---- all blocks ---- */

static void
change_block(struct change *c, uint32_t b)
{
	c->b = b;
	c->was.hosts = pick_lids(&c->was, b, false);
	c->is.hosts = pick_lids(&c->is, b, false);
	c->was.strays =
		b < c->was.nblocks ? pick_lids(&c->was, b, true) : UINT64_MAX;
	c->is.strays = pick_lids(&c->is, b, true);
	find_cells(c);
	charge_sets(c, &c->cells);
	for (uint32_t i = 0; i < c->cells.n && !c->failed; i++) {
		uint32_t s = c->cells.sw[i];

		c->failed = !check_cells(c, s) ||
			    (c->g->count != NULL && moves_strays(c, s));
		if (c->g->count == NULL)
			note_cells(c, s);
	}
	if (!c->failed)
		change_paths(c);
	clear_sets(&c->cells);
	clear_sets(&c->moved);
}

static void
change_blocks(struct change *c)
{
	bool all = c->nweighed > 0 || c->relayered != NULL;

	for (uint32_t b = 0; b < c->is.nblocks && !c->failed; b++) {
		if (b % LFT_SPAN == 0)
			find_rows(c, b / LFT_SPAN);
		if (all || c->whole[b] != 0 || (c->differ >> b % LFT_SPAN & 1))
			change_block(c, b);
	}
	send_batch(c, &c->was);
	send_batch(c, &c->is);
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

/* True if all dependencies climb the ranks. */
static bool
all_climb(const struct change *c)
{
	uint32_t *rank = cdg_ranks(c->g, c->is.in);
	bool climb = c->g->count != NULL
			     ? dep_count_all_climb(c->g->count, c->g, rank)
			     : cdg_climbs(c->g, rank);

	free(rank);
	return climb;
}

/* Find what differs and what follows from it; false: left to verify_keep. */
static bool
apply_differences(struct change *c)
{
	size_t n = c->g->n + (size_t)1, ports = c->g->nports;

	c->other = mem_zalloc(ports, sizeof(*c->other));
	c->recabled = mem_zalloc(n, sizeof(*c->recabled));
	c->whole = mem_zalloc(c->is.nblocks, sizeof(*c->whole));
	c->weighed = mem_alloc(WEIGHED_MAX * sizeof(*c->weighed));
	c->row = mem_alloc(n * sizeof(*c->row));
	c->cells = new_sets(n);
	c->moved = new_sets(n);
	c->paths = PATHS_MIN + c->is.nblocks * n / PATHS_PART;
	find_changed_links(c);
	find_dests(c);
	find_weighed(c);
	find_relayered(c);
	change_blocks(c);
	free(c->other);
	free(c->recabled);
	free(c->whole);
	free(c->weighed);
	free(c->row);
	free_sets(&c->cells);
	free_sets(&c->moved);
	free(c->found);
	free(c->relayered);
	free(c->source);
	return !c->failed && all_climb(c);
}

/* Judge by the differences; NULL: that cannot be done, or there is a fault. */
static struct verify_state *
judge_differences(const struct verify_before *was,
	const struct verify_tables *in, struct cdg *g,
	struct verify_report *out)
{
	const struct verify_state *from = was->state;
	uint32_t nlid = verify_walk_blocks(in) * LFT_BLOCK;
	struct change c = {.was = {.g = from->g,
				   .in = &was->in,
				   .dest = from->dest,
				   .nblocks = from->nlid / LFT_BLOCK},
		.g = g,
		.from = from,
		.nlid = nlid > from->nlid ? nlid : from->nlid,
		.out = out};
	struct verify_state *v;

	c.dest = mem_alloc(c.nlid * sizeof(*c.dest));
	c.is = (struct side){.g = g,
		.in = in,
		.dest = c.dest,
		.nblocks = c.nlid / LFT_BLOCK};
	if (!apply_differences(&c)) {
		free(c.dest);
		return NULL;
	}
	count_pairs(&c);
	verify_sum(g, out);
	out->ok = out->by_change = out->by_rank = true;
	out->exact = g->count != NULL;
	out->plain =
		from->plain && (g->count == NULL || verify_cycle_is_plain(g));
	v = verify_state_new(g, in, out, c.dest);
	v->steps = out->exact ? 0 : from->steps + 1;
	return v;
}

/* True if links that are in both have the same classes, and classes the same
 * VLs. */
static bool
same_map(const struct cdg *g0, const struct cdg *g)
{
	if (g0->map == NULL || g->map == NULL)
		return g0->map == g->map;
	if (g0->map->groups != g->map->groups || g0->map->in != g->map->in ||
		memcmp(g0->map->group, g->map->group, sizeof(g->map->group)) !=
			0)
		return false;
	for (uint32_t p = 0; p < g->nports; p++)
		if (cdg_has_link(g0, p) && cdg_has_link(g, p) &&
			g0->port_class[p] != g->port_class[p])
			return false;
	return true;
}

/* True if tables with these layers can be judged from that state. */
static bool
same_kind(const struct verify_state *from, const struct verify_tables *in)
{
	unsigned layers =
		in->layers != NULL && in->layers->n > 1 ? in->layers->n : 1;

	if (layers != from->g->nlayers)
		return false;
	return from->g->count != NULL ? cdg_layers_ranked(in)
				      : certificate_is_ranked(in);
}

/* The graph to be filled, for the same ports as before; NULL: left to
 * verify_keep. */
static struct cdg *
begin_graph(const struct verify_before *was, const struct verify_tables *in)
{
	const struct verify_state *from = was != NULL ? was->state : NULL;
	struct verify_tables as = *in;
	struct cdg *g;

	if (from == NULL || !from->ok || from->steps >= STEPS_MAX ||
		was->in.pool != in->pool ||
		(in->layers != NULL && in->layers->n > ROUTE_LAYERS))
		return NULL;
	/* judged as one before: so are they now, however many there are */
	if (from->g->nlayers == 1)
		as.layers = NULL;
	g = same_kind(from, &as) ? cdg_new(&as, from, NULL) : NULL;
	if (g == NULL || !same_ports(from->g, g) || !same_map(from->g, g)) {
		cdg_free(g);
		return NULL;
	}
	if (from->g->count != NULL)
		cdg_count_as(g, from->g);
	return g;
}

int
verify_incremental(const struct verify_before *was,
	const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why)
{
	struct cdg *g = begin_graph(was, in);
	struct verify_state *v = NULL;

	if (g != NULL) {
		memset(out, 0, sizeof(*out));
		out->load_sw = TOPO_NONE;
		out->layers = out->vls = 1;
		if (in->layers != NULL && in->layers->n > 1) {
			out->layers = in->layers->n;
			out->vls = route_layers_groups(in->layers);
		}
		v = judge_differences(was, in, g, out);
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
