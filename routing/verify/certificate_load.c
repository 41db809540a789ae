/*
 * certificate_load: loads and hops over proven tables, block by block.
 *
 * Packets to a LID at a switch wait in a cell. Those that the hosts of a switch
 * send are put into the cells of the next switches first; then the cells are
 * emptied in the order of the ranks of the links that they are emptied over. A
 * path climbs, so whatever arrives in a cell arrives before its turn, and only
 * cells that carry something are ever looked at.
 *
 * Switches with links to the same switches by the same ports (the leaves of a
 * pod) are one unit: the first one sends with the hosts of all. What another
 * sends by other ports is taken from there.
 *
 * Hops follow when the cells are emptied: in the opposite order, each cell is
 * one link farther from the end than the next one.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify/block_mask.h"
#include "routing/verify/certificate.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum { BLOCKS_MIN = 16 }; /* a thread's worth of work */

/* What leaves a switch over links of one rank. */
struct leaving {
	uint32_t rank, sw;
};

/* A switch with hosts; those with one `wiring` have the same peers. */
struct source {
	uint32_t wiring, sw;
};

/* Sources with the same peers. */
struct unit {
	uint32_t from, to; /* sources */
	uint32_t hosts;
	uint32_t lids[256]; /* by the port by which the first one sends them */
};

/* What hosts (modulo 2^32) at a switch send to LIDs of a block. */
struct sent {
	uint32_t sw;
	const uint8_t *line;
	uint64_t lids;
	uint32_t hosts;
	uint32_t *own; /* to count the switch's own links in, by port ... */
	uint32_t one;  /* ... each LID counting this much */
};

/* A cell that was emptied, and the one that followed. */
struct step {
	uint32_t cell, next; /* UINT32_MAX: the end */
};

struct loads {
	const struct certificate *c;
	struct cdg *g;
	uint32_t from, to; /* blocks */
	const struct leaving *leaving;
	size_t nleaving;
	struct source *source;
	uint32_t nsources;
	struct unit *unit;
	uint32_t nunits;
	/* of one block */
	struct sent *sent; /* [2 * nsources] */
	uint32_t nsent;
	const struct verify_dest *dest;
	uint64_t hosts;	   /* LIDs of hosts */
	uint32_t *cell;	   /* [n * LFT_BLOCK] host pairs */
	uint64_t *waits;   /* [n] the LIDs of its cells that have some */
	struct step *step; /* [n * LFT_BLOCK] */
	size_t nsteps;
	uint16_t *far; /* [n * LFT_BLOCK] links to the end */
};

/* ---- sources ---- */

static bool
same_peers(const struct cdg *g, uint32_t a, uint32_t b)
{
	uint32_t n = g->off[a + 1] - g->off[a];

	if (g->off[b + 1] - g->off[b] != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (g->peer[g->off[a] + i] >> 8 != g->peer[g->off[b] + i] >> 8)
			return false;
	return true;
}

static uint32_t
hash_peers(const struct cdg *g, uint32_t s)
{
	uint64_t h = g->off[s + 1] - g->off[s];

	for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
		h = hash_mix(h, g->peer[p] >> 8);
	return (uint32_t)h;
}

static int
by_wiring(const void *pa, const void *pb)
{
	const struct source *a = pa, *b = pb;

	if (a->wiring != b->wiring)
		return a->wiring < b->wiring ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

/* The switches with hosts, those with the same peers together. */
static struct source *
find_sources(const struct cdg *g, uint32_t *many)
{
	struct source *x = mem_zalloc(g->n + 1U, sizeof(*x));
	uint32_t n = 0, wiring = 0, hash = 0;

	for (uint32_t s = 0; s < g->n; s++)
		if (g->hosts[s] > 0)
			x[n++] = (struct source){hash_peers(g, s), s};
	qsort(x, n, sizeof(*x), by_wiring);
	for (uint32_t i = 0; i < n; i++) {
		bool same = i > 0 && x[i].wiring == hash &&
			    same_peers(g, x[i].sw, x[i - 1].sw);

		hash = x[i].wiring;
		wiring += !same;
		x[i].wiring = wiring;
	}
	*many = n;
	return x;
}

static void
find_units(struct loads *f)
{
	for (uint32_t i = 0; i < f->nsources; i++) {
		const struct source *x = &f->source[i];
		struct unit *u = &f->unit[f->nunits];

		if (i > 0 && x->wiring == x[-1].wiring)
			u--;
		else
			f->unit[f->nunits++] = (struct unit){.from = i};
		u->to = i + 1;
		u->hosts += f->g->hosts[x->sw];
	}
}

/* What the units sent over their own links. */
static void
add_units(struct loads *f)
{
	const struct cdg *g = f->g;

	for (uint32_t k = 0; k < f->nunits; k++) {
		const struct unit *u = &f->unit[k];

		for (uint32_t i = u->from; i < u->to; i++) {
			uint32_t s = f->source[i].sw, off = g->off[s];

			for (uint32_t p = off; p < g->off[s + 1]; p++)
				g->load[p] +=
					g->hosts[s] * u->lids[(p - off) & 255];
		}
	}
}

/* ---- one block ---- */

/* Where LID l of the block goes from switch s by port q, if to a live switch
 * on the way to the LID's own: the port, else UINT32_MAX. */
static uint32_t
port_towards(const struct loads *f, uint32_t s, uint8_t q, unsigned l)
{
	const struct cdg *g = f->g;
	uint32_t port = g->off[s] + q;

	if (q > g->top[s] || g->peer[port] >> 8 == g->n ||
		g->comp[f->dest[l].root] != g->comp[s])
		return UINT32_MAX;
	return port;
}

static const uint8_t *
line_of(const struct loads *f, uint32_t s, uint32_t b)
{
	return lft_bytes(
		f->c->in->pool, lft_row_ref(f->c->in->row[f->g->sw[s]], b));
}

/* What the hosts of a unit send to the LIDs of a block. */
static void
find_sent(struct loads *f, struct unit *u, uint32_t b)
{
	const struct cdg *g = f->g;
	uint32_t first = f->source[u->from].sw;
	const uint8_t *line = line_of(f, first, b);

	f->sent[f->nsent++] =
		(struct sent){first, line, f->hosts, u->hosts, u->lids, 1};
	for (uint32_t i = u->from + 1; i < u->to; i++) {
		uint32_t s = f->source[i].sw, n = g->hosts[s];
		const uint8_t *is = line_of(f, s, b);
		uint32_t *own = g->load + g->off[s];
		uint64_t lids;

		if (is == line)
			continue;
		lids = f->hosts & ~block_mask_alike(is, line);
		if (lids == 0)
			continue;
		f->sent[f->nsent++] =
			(struct sent){s, line, lids, 0U - n, own, 0U - n};
		f->sent[f->nsent++] = (struct sent){s, is, lids, n, own, n};
	}
}

static void
send_from_unit(struct loads *f, const struct sent *u)
{
	const struct cdg *g = f->g;

	for (uint64_t x = u->lids; x != 0; x &= x - 1) {
		unsigned l = (unsigned)__builtin_ctzll(x);
		uint32_t port = port_towards(f, u->sw, u->line[l], l), to;

		if (port == UINT32_MAX)
			continue;
		u->own[u->line[l]] += u->one;
		to = g->peer[port] >> 8;
		if (to == f->dest[l].root)
			continue;
		f->cell[to * LFT_BLOCK + l] += u->hosts;
		f->waits[to] |= (uint64_t)1 << l;
	}
}

/* Empty the cells of a switch over links of one rank. */
static void
send_on(struct loads *f, const struct leaving *from, uint32_t b)
{
	struct cdg *g = f->g;
	uint32_t s = from->sw, off = g->off[s];
	const uint8_t *line = line_of(f, s, b);
	const uint32_t *rank = f->c->rank + off, *peer = g->peer + off;
	uint64_t stay = 0;

	for (uint64_t x = f->waits[s]; x != 0; x &= x - 1) {
		unsigned l = (unsigned)__builtin_ctzll(x);
		uint32_t at = s * LFT_BLOCK + l, next = UINT32_MAX, to;

		if (rank[line[l]] != from->rank) {
			stay |= (uint64_t)1 << l;
			continue;
		}
		g->load[off + line[l]] += f->cell[at];
		to = peer[line[l]] >> 8;
		if (to != f->dest[l].root) {
			next = to * LFT_BLOCK + l;
			f->cell[next] += f->cell[at];
			f->waits[to] |= (uint64_t)1 << l;
		}
		f->cell[at] = 0;
		f->step[f->nsteps++] = (struct step){at, next};
	}
	f->waits[s] = stay;
}

/* How far each cell is from the end, from the last step back. */
static void
find_far(struct loads *f)
{
	for (size_t i = f->nsteps; i-- > 0;) {
		const struct step *x = &f->step[i];

		f->far[x->cell] =
			(uint16_t)(x->next == UINT32_MAX ? 1
							 : f->far[x->next] + 1);
	}
}

/* Hosts by the links on their path. */
static void
add_hops(struct loads *f, const struct sent *u)
{
	const struct cdg *g = f->g;

	for (uint64_t x = u->lids; x != 0; x &= x - 1) {
		unsigned l = (unsigned)__builtin_ctzll(x), links = 1;
		uint32_t port = port_towards(f, u->sw, u->line[l], l), to;

		if (port == UINT32_MAX)
			continue;
		to = g->peer[port] >> 8;
		if (to != f->dest[l].root)
			links += f->far[to * LFT_BLOCK + l];
		g->hops[links] += (uint64_t)(int64_t)(int32_t)u->hosts;
	}
}

static void
add_all_hops(struct loads *f)
{
	const struct cdg *g = f->g;

	find_far(f);
	for (uint32_t i = 0; i < f->nsent; i++)
		add_hops(f, &f->sent[i]);
	for (uint64_t x = f->hosts; x != 0; x &= x - 1) {
		unsigned l = (unsigned)__builtin_ctzll(x);

		/* no host sends to itself */
		g->hops[0] += g->hosts[f->dest[l].root] - (uint64_t)1;
	}
}

static void
add_block(struct loads *f, uint32_t b)
{
	f->dest = f->c->dest + (size_t)b * LFT_BLOCK;
	f->hosts = 0;
	for (unsigned l = 0; l < LFT_BLOCK; l++)
		if (f->dest[l].host && f->dest[l].root != f->g->n)
			f->hosts |= (uint64_t)1 << l;
	if (f->hosts == 0)
		return;
	f->nsteps = f->nsent = 0;
	for (uint32_t i = 0; i < f->nunits; i++)
		find_sent(f, &f->unit[i], b);
	for (uint32_t i = 0; i < f->nsent; i++)
		send_from_unit(f, &f->sent[i]);
	for (size_t i = 0; i < f->nleaving; i++)
		if (f->waits[f->leaving[i].sw] != 0)
			send_on(f, &f->leaving[i], b);
	if (!f->g->light)
		add_all_hops(f);
}

static void
add_part(void *arg)
{
	struct loads *f = arg;
	const struct cdg *g = f->g;
	size_t cells = (size_t)g->n * LFT_BLOCK + 1;

	f->source = find_sources(g, &f->nsources);
	f->unit = mem_alloc((f->nsources + 1U) * sizeof(*f->unit));
	f->cell = mem_zalloc(cells, sizeof(*f->cell));
	f->waits = mem_zalloc(g->n + 1U, sizeof(*f->waits));
	f->step = mem_alloc(cells * sizeof(*f->step));
	f->far = mem_alloc(cells * sizeof(*f->far));
	f->sent = mem_alloc((2 * f->nsources + 1U) * sizeof(*f->sent));
	find_units(f);
	for (uint32_t b = f->from; b < f->to; b++)
		add_block(f, b);
	add_units(f);
	free(f->source);
	free(f->unit);
	free(f->sent);
	free(f->cell);
	free(f->waits);
	free(f->step);
	free(f->far);
}

/* ---- all blocks ---- */

static int
lowest_first(const void *pa, const void *pb)
{
	const struct leaving *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

/* The ranks of the links that leave each switch, the lowest first; to be
 * freed. */
static struct leaving *
find_leaving(const struct certificate *c, size_t *many)
{
	const struct cdg *g = c->g;
	struct leaving *x = mem_alloc(g->nports * sizeof(*x));
	size_t n = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		size_t first = n, i;

		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++) {
			if (g->peer[p] >> 8 == g->n)
				continue;
			for (i = first; i < n && x[i].rank != c->rank[p]; i++)
				;
			if (i == n)
				x[n++] = (struct leaving){c->rank[p], s};
		}
	}
	qsort(x, n, sizeof(*x), lowest_first);
	*many = n;
	return x;
}

void
certificate_add_loads(
	const struct certificate *c, struct cdg *g, unsigned threads)
{
	struct loads part[THREAD_SHARES] = {{0}};
	uint32_t n = c->in->nblocks < c->nblocks ? c->in->nblocks : c->nblocks;
	struct leaving *leaving;
	size_t nleaving;

	if (threads > THREAD_SHARES)
		threads = THREAD_SHARES;
	if (threads > n / BLOCKS_MIN)
		threads = n / BLOCKS_MIN;
	threads += threads == 0;
	leaving = find_leaving(c, &nleaving);
	for (unsigned i = 0; i < threads; i++)
		part[i] = (struct loads){.c = c,
			.g = i > 0 ? cdg_copy(g) : g,
			.from = n * i / threads,
			.to = n * (i + 1) / threads,
			.leaving = leaving,
			.nleaving = nleaving};
	thread_share(threads, add_part, part, sizeof(*part));
	for (unsigned i = 1; i < threads; i++)
		cdg_join(g, part[i].g);
	free(leaving);
}
