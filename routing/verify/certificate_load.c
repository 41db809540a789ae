/*
 * certificate_load: loads and hops over proven tables, block by block.
 *
 * Packets to a LID at a switch wait in a cell. Those that the hosts of a switch
 * send are put into the cells of the next switches first; then the cells are
 * emptied in the order of the ranks of the links that they are emptied over. A
 * path climbs, so whatever arrives in a cell arrives before its turn, and only
 * cells that carry something are ever looked at.
 *
 * Switches with links to the same switches by the same ports, whose rows share
 * a span (the leaves of a pod, in the blocks of other pods), are one source
 * with the hosts of all.
 *
 * Hops follow when the cells are emptied: in the opposite order, each cell is
 * one link farther from the end than the next one.
 */
#include <stdlib.h>
#include <string.h>

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
	uint32_t unit;
};

/* Sources with one span of a row. */
struct unit {
	const struct lft_span *span;
	uint32_t sw; /* the first of them */
	uint32_t hosts;
	uint32_t lids[256]; /* of the span, by the port they leave by */
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
			x[n++] = (struct source){hash_peers(g, s), s, 0};
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

static const struct lft_span *
span_of(const struct loads *f, uint32_t s, uint32_t b)
{
	return f->c->in->row[f->g->sw[s]]->span[b / LFT_SPAN];
}

/* The units of the span of block b. */
static void
find_units(struct loads *f, uint32_t b)
{
	uint32_t first = 0;

	f->nunits = 0;
	for (uint32_t i = 0; i < f->nsources; i++) {
		struct source *x = &f->source[i];
		const struct lft_span *span = span_of(f, x->sw, b);
		struct unit *u;

		if (i == 0 || x->wiring != x[-1].wiring)
			first = f->nunits;
		x->unit = first;
		while (x->unit < f->nunits && f->unit[x->unit].span != span)
			x->unit++;
		u = &f->unit[x->unit];
		if (x->unit == f->nunits) {
			memset(u, 0, sizeof(*u));
			u->span = span;
			u->sw = x->sw;
			f->nunits++;
		}
		u->hosts += f->g->hosts[x->sw];
	}
}

/* The span is done: what the sources sent over their own links. */
static void
add_units(struct loads *f)
{
	const struct cdg *g = f->g;

	for (uint32_t i = 0; i < f->nsources; i++) {
		uint32_t s = f->source[i].sw;
		const struct unit *u = &f->unit[f->source[i].unit];

		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
			g->load[p] +=
				g->hosts[s] * u->lids[(p - g->off[s]) & 255];
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

static void
send_from_unit(struct loads *f, struct unit *u, uint32_t b)
{
	const struct cdg *g = f->g;
	const uint8_t *line =
		lft_bytes(f->c->in->pool, u->span->ref[b % LFT_SPAN]);

	for (uint64_t x = f->hosts; x != 0; x &= x - 1) {
		unsigned l = (unsigned)__builtin_ctzll(x);
		uint32_t port = port_towards(f, u->sw, line[l], l), to;

		if (port == UINT32_MAX)
			continue;
		u->lids[line[l]]++;
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
	const uint8_t *line = lft_bytes(
		f->c->in->pool, lft_row_ref(f->c->in->row[g->sw[s]], b));
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

/* How far each cell is from the end, from the last step back; then the hosts
 * by the links on their path. */
static void
add_hops(struct loads *f, uint32_t b)
{
	const struct cdg *g = f->g;

	for (size_t i = f->nsteps; i-- > 0;) {
		const struct step *x = &f->step[i];

		f->far[x->cell] =
			(uint16_t)(x->next == UINT32_MAX ? 1
							 : f->far[x->next] + 1);
	}
	for (uint32_t i = 0; i < f->nunits; i++) {
		const struct unit *u = &f->unit[i];
		const uint8_t *line =
			lft_bytes(f->c->in->pool, u->span->ref[b % LFT_SPAN]);

		for (uint64_t x = f->hosts; x != 0; x &= x - 1) {
			unsigned l = (unsigned)__builtin_ctzll(x);
			uint32_t port = port_towards(f, u->sw, line[l], l), to;

			if (port == UINT32_MAX)
				continue;
			to = g->peer[port] >> 8;
			g->hops[to == f->dest[l].root
					? 1
					: f->far[to * LFT_BLOCK + l] + 1U] +=
				u->hosts;
		}
	}
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
	f->nsteps = 0;
	for (uint32_t i = 0; i < f->nunits; i++)
		send_from_unit(f, &f->unit[i], b);
	for (size_t i = 0; i < f->nleaving; i++)
		if (f->waits[f->leaving[i].sw] != 0)
			send_on(f, &f->leaving[i], b);
	if (!f->g->light)
		add_hops(f, b);
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
	for (uint32_t b = f->from; b < f->to; b++) {
		if (b == f->from || b % LFT_SPAN == 0)
			find_units(f, b);
		add_block(f, b);
		if (b + 1 == f->to || (b + 1) % LFT_SPAN == 0)
			add_units(f);
	}
	free(f->source);
	free(f->unit);
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
