/*
 * certificate_dependencies: the dependencies that proven tables make.
 *
 * A packet that arrives at a switch by one port leaves by another when some LID
 * has both as its entries. Every switch is a source, so that this is all of it.
 * For each in-port there is the set of out-ports that were not found yet and
 * may still be: those whose links climb. A switch and a block are looked at
 * only where the ports of the block meet such a set, which is empty soon, since
 * in most tables what may be made is made.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/verify/block_mask.h"
#include "routing/verify/certificate.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	CHUNK = 16,	 /* blocks: a cache line of references, shared blocks
			    are remembered */
	WORDS = 4,	 /* of a set of ports, at most */
	MEMO = 1 << 14,	 /* blocks remembered, by reference and width */
	BLOCKS_MIN = 16, /* a thread's worth of work */
};

/* The ports that a block names, at switches with this many; a port beyond them
 * counts as 0. */
struct named {
	lft_ref ref;
	uint32_t top; /* one more; 0: nothing here */
	uint64_t port[WORDS];
};

struct search {
	const struct certificate *c;
	struct cdg *g;
	uint32_t from, to; /* blocks */
	unsigned words;
	uint64_t *want;	    /* [plane] by in-port: out-ports not found */
	uint64_t *open;	    /* [n * words] by switch: in any of its in-ports' */
	struct named *memo; /* [MEMO] */
};

static lft_ref
ref_of(const struct search *f, uint32_t s, uint32_t b)
{
	return lft_row_ref(f->c->in->row[f->g->sw[s]], b);
}

/* The sets at first: all ports but the in-port and those that do not climb. */
static void
want_all(struct search *f, uint32_t s)
{
	const struct cdg *g = f->g;
	uint64_t may[CERTIFICATE_SETS + 1][WORDS] = {{0}};
	const uint8_t *code = f->c->code[f->c->port_class[s]];
	uint32_t off = g->off[s], n = g->off[s + 1] - off;

	for (uint32_t out = 0; out < n; out++)
		for (unsigned k = 0; k <= f->c->sets; k++)
			if (k == 0 || !(code[out] >> (k - 1) & 1))
				may[k][out / 64] |= (uint64_t)1 << out % 64;
	for (uint32_t in = 0; in < n; in++) {
		uint64_t *want = f->want + ((size_t)(off + in) << g->shift);
		uint32_t e = g->peer[off + in];

		if (e >> 8 == g->n)
			continue;
		memcpy(want, may[f->c->behind[g->off[e >> 8] + (e & 255)]],
			f->words * sizeof(*want));
		want[in / 64] &= ~((uint64_t)1 << in % 64);
	}
}

static void
find_open(struct search *f, uint32_t s)
{
	const struct cdg *g = f->g;
	uint64_t *open = f->open + (size_t)s * f->words;

	memset(open, 0, f->words * sizeof(*open));
	for (uint32_t in = g->off[s]; in < g->off[s + 1]; in++)
		for (unsigned w = 0; w < f->words; w++)
			open[w] |= f->want[((size_t)in << g->shift) + w];
}

/* The ports that block `ref` names at switch s. */
static const uint64_t *
ports_named(struct search *f, uint32_t s, lft_ref ref)
{
	uint32_t top = f->g->top[s];
	struct named *x = &f->memo[(ref * 31 + top) % MEMO];
	const uint8_t *line;

	if (x->ref == ref && x->top == top + 1)
		return x->port;
	x->ref = ref;
	x->top = top + 1;
	memset(x->port, 0, sizeof(x->port));
	line = lft_bytes(f->c->in->pool, ref);
	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		uint8_t q = line[l] <= top ? line[l] : 0;

		x->port[q / 64] |= (uint64_t)1 << q % 64;
	}
	return x->port;
}

static bool
sets_meet(const uint64_t *a, const uint64_t *b, unsigned words)
{
	uint64_t any = 0;

	for (unsigned w = 0; w < words; w++)
		any |= a[w] & b[w];
	return any != 0;
}

/* The ports by which switch s sends on LIDs of a block. */
static void
ports_of(const struct search *f, uint32_t s, const uint8_t *line, uint64_t lids,
	uint64_t out[WORDS])
{
	memset(out, 0, WORDS * sizeof(*out));
	for (; lids != 0; lids &= lids - 1) {
		uint8_t q = line[__builtin_ctzll(lids)];

		q = q <= f->g->top[s] ? q : 0;
		out[q / 64] |= (uint64_t)1 << q % 64;
	}
}

/* Block b at switch s, all in-ports. Neighbours that have the same block and
 * send by the same port are looked at once. */
static void
search_switch(struct search *f, uint32_t s, uint32_t b, const uint64_t *named)
{
	struct cdg *g = f->g;
	const uint8_t *line = lft_bytes(f->c->in->pool, ref_of(f, s, b));
	uint64_t out[WORDS] = {0};
	lft_ref last = LFT_EMPTY;
	unsigned by = 256;

	for (uint32_t in = g->off[s]; in < g->off[s + 1]; in++) {
		size_t at = (size_t)in << g->shift;
		uint32_t e = g->peer[in];
		lft_ref ref;

		if (!sets_meet(named, f->want + at, f->words))
			continue;
		ref = ref_of(f, e >> 8, b);
		if (ref != last || (e & 255) != by) {
			last = ref;
			by = e & 255;
			ports_of(f, s, line,
				block_mask_equal(lft_bytes(f->c->in->pool, ref),
					(uint8_t)by),
				out);
		}
		for (unsigned w = 0; w < f->words; w++) {
			g->dep[at + w] |= out[w] & f->want[at + w];
			f->want[at + w] &= ~out[w];
		}
	}
	find_open(f, s);
}

/* The first n of the blocks that are worked together, at one switch. */
static void
search_chunk(struct search *f, uint32_t s, uint32_t from, uint32_t n)
{
	const uint64_t *open = f->open + (size_t)s * f->words;

	for (uint32_t b = from; b < from + n && b < from + CHUNK; b++) {
		const uint64_t *named = ports_named(f, s, ref_of(f, s, b));

		if (sets_meet(named, open, f->words))
			search_switch(f, s, b, named);
	}
}

static void
search_part(void *arg)
{
	struct search *f = arg;
	const struct cdg *g = f->g;

	f->words = 1U << g->shift;
	f->want = mem_zalloc(g->plane, sizeof(*f->want));
	f->open = mem_zalloc((size_t)g->n * f->words + 1, sizeof(*f->open));
	f->memo = mem_zalloc(MEMO, sizeof(*f->memo));
	for (uint32_t s = 0; s < g->n; s++) {
		want_all(f, s);
		find_open(f, s);
	}
	for (uint32_t b = f->from; b < f->to; b += CHUNK)
		for (uint32_t s = 0; s < g->n; s++)
			search_chunk(f, s, b, f->to - b);
	free(f->want);
	free(f->open);
	free(f->memo);
}

void
certificate_add_dependencies(
	const struct certificate *c, struct cdg *g, unsigned threads)
{
	struct search part[THREAD_SHARES] = {{0}};
	uint32_t n = c->in->nblocks < c->nblocks ? c->in->nblocks : c->nblocks;

	if (threads > THREAD_SHARES)
		threads = THREAD_SHARES;
	if (threads > n / BLOCKS_MIN)
		threads = n / BLOCKS_MIN;
	threads += threads == 0;
	for (unsigned i = 0; i < threads; i++)
		part[i] = (struct search){.c = c,
			.g = i > 0 ? cdg_copy(g) : g,
			.from = n * i / threads,
			.to = n * (i + 1) / threads};
	thread_share(threads, search_part, part, sizeof(*part));
	for (unsigned i = 1; i < threads; i++)
		cdg_join(g, part[i].g);
}
