#include <stdlib.h>
#include <string.h>

#include "routing/improve/disjoint_priv.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"

/*
 * The paths to most nodes' ports never meet, and that is found out for many
 * nodes at once. For a block of LIDs every switch has a word: the LIDs for
 * which packets come to it. Where two leaves have the two ports of several
 * nodes, the LIDs of these nodes are in the same sequence on both, and one
 * comparison of two words of each switch, one of them rotated, decides for all
 * these nodes.
 */

/* The LIDs of the first two ports of a node. */
struct pair {
	uint16_t lid[2];
};

struct leaf {
	uint64_t hash; /* of its links */
	sw_ix sw;
	bool as_before; /* the same links as the leaf before it */
};

struct meet {
	const struct disjoint *e;
	struct leaf *leaf; /* [e->ports.nleaves], equal ones together */
	uint64_t *want;	   /* [nblocks] LIDs to follow, and */
	uint32_t *asks;	   /* how many pairs have a LID there */
	uint64_t **word;   /* [nblocks] words by switch, or NULL */
	uint64_t **idle;   /* [nidle] words of blocks no longer needed */
	uint32_t nidle;
	uint16_t *behind; /* [nports] the switch behind a link + 1, or 0 */
	/* of the block at hand, by switch */
	uint64_t *sent;
	sw_ix *queue; /* [nsw], a ring, each switch at most once */
	bool *queued;
	uint32_t head, nqueue;
};

static uint32_t
block_of(const struct pair *p, unsigned k)
{
	return p->lid[k] / LFT_BLOCK;
}

/* How far the second LID's bit is rotated to get to that of the first. */
static unsigned
rotation_of(const struct pair *p)
{
	return (unsigned)(p->lid[0] - p->lid[1]) % LFT_BLOCK;
}

static int
by_blocks(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;

	for (unsigned k = 0; k < 2; k++)
		if (block_of(a, k) != block_of(b, k))
			return block_of(a, k) < block_of(b, k) ? -1 : 1;
	if (rotation_of(a) != rotation_of(b))
		return rotation_of(a) < rotation_of(b) ? -1 : 1;
	return a->lid[0] < b->lid[0] ? -1 : a->lid[0] > b->lid[0];
}

/* ---- leaves ---- */

static int
by_hash(const void *pa, const void *pb)
{
	const struct leaf *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

/* True if the same ports lead to the same switches. Ports to hosts do not
 * matter: nothing is sent on from there. */
static bool
has_same_links(const struct topo *t, sw_ix a, sw_ix b)
{
	const struct topo_adj *x = t->adj + t->sw[a].adj;
	const struct topo_adj *y = t->adj + t->sw[b].adj;
	uint32_t n = t->sw[a].nadj;

	if (t->sw[b].nadj != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (x[i].peer != y[i].peer || x[i].out != y[i].out)
			return false;
	return true;
}

static void
find_leaves(struct meet *m)
{
	const struct multi_port_node_ports *p = &m->e->ports;
	const struct topo *t = m->e->t;

	m->leaf = arena_array(m->e->a, p->nleaves, sizeof(*m->leaf));
	for (uint32_t i = 0; i < p->nleaves; i++) {
		const struct topo_switch *sw = &t->sw[p->leaf[i]];
		uint64_t h = FNV_START;

		for (uint32_t k = 0; k < sw->nadj; k++) {
			const struct topo_adj *c = &t->adj[sw->adj + k];

			h = (h ^ c->peer) * FNV_PRIME;
			h = (h ^ c->out) * FNV_PRIME;
		}
		m->leaf[i] = (struct leaf){.hash = h, .sw = p->leaf[i]};
	}
	qsort(m->leaf, p->nleaves, sizeof(*m->leaf), by_hash);
	for (uint32_t i = 1; i < p->nleaves; i++)
		m->leaf[i].as_before =
			m->leaf[i].hash == m->leaf[i - 1].hash &&
			has_same_links(t, m->leaf[i].sw, m->leaf[i - 1].sw);
}

/* ---- blocks ---- */

/* Put s at the end of the queue of switches that are to send on. */
static void
enqueue_switch(struct meet *m, sw_ix s)
{
	uint32_t nsw = m->e->t->nsw, at = m->head + m->nqueue++;

	m->queue[at < nsw ? at : at - nsw] = s;
	m->queued[s] = true;
}

/* Send the LIDs in bits from s on to the next switches. */
static void
forward_bits(struct meet *m, sw_ix s, uint32_t b, uint64_t bits, uint64_t *word)
{
	const struct disjoint *e = m->e;
	const struct link_map_switch *sw = &e->net.sw[s];
	const uint8_t *line = routes_block(e->from, s, b);
	const uint16_t *next = m->behind + sw->first_port;

	m->sent[s] |= bits;
	for (; bits != 0; bits &= bits - 1) {
		uint8_t out = line[__builtin_ctzll(bits)];
		uint32_t to = out <= sw->nports ? next[out] : 0;

		if (to-- == 0)
			continue;
		word[to] |= bits & -bits;
		if ((word[to] & ~m->sent[to]) != 0 && !m->queued[to])
			enqueue_switch(m, to);
	}
}

/* Find the switches that the wanted LIDs of block b come to, from all leaves.
 */
static void
follow_lids(struct meet *m, uint32_t b, uint64_t *word)
{
	const struct disjoint *e = m->e;
	uint32_t nsw = e->t->nsw, nleaves = e->ports.nleaves;

	memset(word, 0, nsw * sizeof(*word));
	memset(m->sent, 0, nsw * sizeof(*m->sent));
	for (uint32_t i = 0; i < nleaves; i++)
		m->sent[m->leaf[i].sw] = m->want[b];
	for (uint32_t i = 0; i < nleaves; i++)
		if (!m->leaf[i].as_before ||
			routes_block(e->from, m->leaf[i].sw, b) !=
				routes_block(e->from, m->leaf[i - 1].sw, b))
			forward_bits(m, m->leaf[i].sw, b, m->want[b], word);
	while (m->nqueue > 0) {
		sw_ix s = m->queue[m->head];

		m->head = m->head + 1 < nsw ? m->head + 1 : 0;
		m->nqueue--;
		m->queued[s] = false;
		forward_bits(m, s, b, word[s] & ~m->sent[s], word);
	}
}

static const uint64_t *
words_for_block(struct meet *m, uint32_t b)
{
	if (m->word[b] == NULL) {
		m->word[b] = m->nidle > 0 ? m->idle[--m->nidle]
					  : arena_array(m->e->a, m->e->t->nsw,
						    sizeof(**m->word));
		follow_lids(m, b, m->word[b]);
	}
	return m->word[b];
}

/* n pairs of block b are done; with the last one its words are free again. */
static void
done_with(struct meet *m, uint32_t b, uint32_t n)
{
	m->asks[b] -= n;
	if (m->asks[b] > 0)
		return;
	m->idle[m->nidle++] = m->word[b];
	m->word[b] = NULL;
}

/* ---- pairs ---- */

/* Check n pairs in the same two blocks with the same rotation. */
static void
check_pairs(struct meet *m, const struct pair *p, uint32_t n, bool *out)
{
	const uint64_t *x = words_for_block(m, block_of(p, 0));
	const uint64_t *y = words_for_block(m, block_of(p, 1));
	unsigned shift = rotation_of(p);
	uint64_t both = 0;

	for (sw_ix s = 0; s < m->e->t->nsw; s++)
		both |= x[s] & (y[s] << shift | y[s] >> (-shift % LFT_BLOCK));
	for (uint32_t i = 0; i < n; i++)
		out[p[i].lid[0]] = both >> p[i].lid[0] % LFT_BLOCK & 1;
	done_with(m, block_of(p, 0), n);
	done_with(m, block_of(p, 1), n);
}

static void
prepare_blocks(struct meet *m, const struct pair *pair, size_t n)
{
	const struct disjoint *e = m->e;
	const struct topo *t = e->t;
	uint32_t nblocks = e->from->nblocks;

	find_leaves(m);
	m->behind = arena_array(e->a, t->nports, sizeof(*m->behind));
	for (port_ix p = 0; p < t->nports; p++)
		if (e->net.by_port[p] != LINK_MAP_NONE)
			m->behind[p] =
				(uint16_t)(e->net.head[e->net.by_port[p]] + 1);
	m->want = arena_array(e->a, nblocks, sizeof(*m->want));
	m->asks = arena_array(e->a, nblocks, sizeof(*m->asks));
	m->word = arena_array(e->a, nblocks, sizeof(*m->word));
	m->idle = arena_array(e->a, nblocks, sizeof(*m->idle));
	m->sent = arena_array(e->a, t->nsw, sizeof(*m->sent));
	m->queue = arena_array(e->a, t->nsw, sizeof(*m->queue));
	m->queued = arena_array(e->a, t->nsw, sizeof(*m->queued));
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 2; k++) {
			uint32_t b = block_of(&pair[i], k);

			m->want[b] |= UINT64_C(1) << pair[i].lid[k] % LFT_BLOCK;
			m->asks[b]++;
		}
}

/* Append the pairs of a node to the n pairs; i: number of its first port. */
static size_t
add_pairs(struct disjoint *e, size_t i, struct pair *pair, size_t n)
{
	size_t ports = multi_port_node_size(&e->ports, i);

	for (unsigned path = 0; path < DISJOINT_PATHS; path++) {
		if (!disjoint_take_paths(e, &e->ports.member[i], ports, path))
			break;
		pair[n++] = (struct pair){{e->path[0].lid, e->path[1].lid}};
	}
	return n;
}

void
disjoint_find_shared(struct disjoint *e)
{
	uint32_t nlid = e->t->max_lid + 1U;
	struct pair *pair = mem_alloc(nlid * sizeof(*pair));
	struct meet m = {.e = e};
	size_t n = 0, k;

	e->meets = arena_array(e->a, nlid, sizeof(*e->meets));
	for (size_t i = 0; i < e->ports.n;
		i += multi_port_node_size(&e->ports, i))
		if (disjoint_is_due(e, i))
			n = add_pairs(e, i, pair, n);
	qsort(pair, n, sizeof(*pair), by_blocks);
	if (n > 0)
		prepare_blocks(&m, pair, n);
	for (size_t i = 0; i < n; i += k) {
		k = 1;
		while (i + k < n &&
			block_of(&pair[i], 0) == block_of(&pair[i + k], 0) &&
			block_of(&pair[i], 1) == block_of(&pair[i + k], 1) &&
			rotation_of(&pair[i]) == rotation_of(&pair[i + k]))
			k++;
		check_pairs(&m, pair + i, (uint32_t)k, e->meets);
	}
	free(pair);
}
