#include "routing/verify/certificate.h"

#include <stdlib.h>
#include <string.h>

#include "routing/core/link_ranks.h"
#include "routing/verify/block_mask.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	CHUNK = 16,	/* blocks worked together: a cache line of references */
	MEMO = 1 << 12, /* blocks remembered, by reference and port class */
	PARTS = 4,	/* out-ports remembered of a block */
	CHUNKS_MIN = 4, /* a thread's worth of work */
};

/* ---- sets of forbidden ports ---- */

/* The ranks of the links that leave a switch: each once, the lowest first. */
struct ranks {
	uint32_t n;
	uint32_t v[256];
};

static void
add_rank(struct ranks *r, uint32_t rank)
{
	uint32_t i = r->n;

	for (uint32_t k = 0; k < r->n; k++)
		if (r->v[k] == rank)
			return;
	for (; i > 0 && r->v[i - 1] > rank; i--)
		r->v[i] = r->v[i - 1];
	r->v[i] = rank;
	r->n++;
}

/* How many of the ranks a link of this rank must not be followed by. */
static uint32_t
count_forbidden(const struct ranks *r, uint32_t rank)
{
	uint32_t n = 0;

	while (n < r->n && r->v[n] <= rank)
		n++;
	return n;
}

static bool
leads_on(const struct cdg *g, uint32_t port)
{
	return g->peer[port] >> 8 != g->n;
}

/* The port record at the other end of a link. */
static uint32_t
far_end(const struct cdg *g, uint32_t port)
{
	return g->off[g->peer[port] >> 8] + (g->peer[port] & 255);
}

/*
 * The sets of switch s: numbered, noted for the links that arrive, and in the
 * codes of the ports in them. False: there are too many.
 */
static bool
find_sets(struct certificate *c, uint32_t s, uint8_t code[256])
{
	const struct cdg *g = c->g;
	uint32_t off = g->off[s], end = g->off[s + 1];
	struct ranks out = {0};
	uint8_t set[257] = {0}; /* by number of ranks forbidden */
	unsigned n = 0;

	for (uint32_t p = off; p < end; p++)
		if (leads_on(g, p))
			add_rank(&out, c->rank[p]);
	for (uint32_t p = off; p < end; p++)
		if (leads_on(g, p))
			set[count_forbidden(&out, c->rank[far_end(g, p)])] = 1;
	set[0] = 0;
	for (uint32_t k = 1; k <= out.n; k++)
		n += set[k];
	if (n > CERTIFICATE_SETS)
		return false;
	c->sets = n > c->sets ? n : c->sets;
	n = 0;
	for (uint32_t k = 1; k <= out.n; k++)
		if (set[k] != 0)
			set[k] = (uint8_t)++n;
	for (uint32_t p = off; p < end; p++) {
		uint32_t at;

		if (!leads_on(g, p))
			continue;
		at = far_end(g, p);
		c->behind[at] = set[count_forbidden(&out, c->rank[at])];
		for (uint32_t k = out.n; k > 0; k--)
			if (set[k] != 0 && c->rank[p] <= out.v[k - 1])
				code[p - off] |= (uint8_t)(1U << (set[k] - 1));
	}
	return true;
}

/* ---- port classes ---- */

static uint32_t
hash_code(const uint8_t code[256])
{
	uint64_t h = 0, x;

	for (unsigned i = 0; i < 256; i += sizeof(x)) {
		memcpy(&x, code + i, sizeof(x));
		h = hash_mix(h, x);
	}
	return (uint32_t)h;
}

/* Number the different codes of the n switches; keeps the first of each. */
static void
number_classes(struct certificate *c)
{
	uint32_t size = 2, n = 0, *slot;

	while (size < 2 * c->g->n)
		size *= 2;
	slot = mem_alloc(size * sizeof(*slot));
	memset(slot, 0xff, size * sizeof(*slot));
	for (uint32_t s = 0; s < c->g->n; s++) {
		uint32_t at = hash_code(c->code[s]) & (size - 1);

		while (slot[at] != UINT32_MAX &&
			memcmp(c->code[slot[at]], c->code[s], 256) != 0)
			at = (at + 1) & (size - 1);
		if (slot[at] == UINT32_MAX) {
			slot[at] = n;
			if (n != s)
				memcpy(c->code[n], c->code[s], 256);
			n++;
		}
		c->port_class[s] = slot[at];
	}
	free(slot);
}

static void
find_runs(const uint8_t code[256], struct certificate_runs *to)
{
	for (unsigned lo = 0, hi; lo < 256; lo = hi + 1) {
		for (hi = lo; hi < 255 && code[hi + 1] == code[lo]; hi++)
			;
		if (code[lo] == 0)
			continue;
		if (to->n++ == CERTIFICATE_RUNS)
			return;
		to->run[to->n - 1].lo = (uint8_t)lo;
		to->run[to->n - 1].hi = (uint8_t)hi;
		to->run[to->n - 1].code = code[lo];
	}
}

static bool
find_codes(struct certificate *c)
{
	const struct cdg *g = c->g;

	c->code = mem_zalloc(g->n + 1U, sizeof(*c->code));
	for (uint32_t s = 0; s < g->n; s++)
		if (!find_sets(c, s, c->code[s]))
			return false;
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++) {
			uint8_t *code = &c->code[s][p - g->off[s]];

			if (!leads_on(g, p))
				continue;
			*code |= 1U << CERTIFICATE_LIVE;
			*code |= (uint8_t)((c->behind[p] > 0)
					   << CERTIFICATE_BEHIND);
		}
	number_classes(c);
	c->runs = mem_zalloc(g->n + 1U, sizeof(*c->runs));
	for (uint32_t s = 0; s < g->n; s++)
		if (c->runs[c->port_class[s]].n == 0)
			find_runs(c->code[c->port_class[s]],
				&c->runs[c->port_class[s]]);
	return true;
}

/* ---- set-up ---- */

static void
take_ranks(struct certificate *c)
{
	const struct cdg *g = c->g;
	const struct topo *t = c->in->topo;

	c->rank = mem_zalloc(g->nports, sizeof(*c->rank));
	for (uint32_t s = 0; s < g->n; s++) {
		const struct topo_switch *sw = &t->sw[g->sw[s]];

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
			if (t->adj[i].out <= g->top[s])
				c->rank[g->off[s] + t->adj[i].out] =
					c->in->ranks->of[i];
	}
}

struct place {
	uint32_t rank, sw;
};

static int
highest_first(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

/*
 * Switches by the highest rank that arrives, the highest first: in an order of
 * switches, from the bottom, where what leads down is what has a `behind`.
 */
static void
sort_switches(struct certificate *c)
{
	const struct cdg *g = c->g;
	struct place *at = mem_zalloc(g->n + 1U, sizeof(*at));

	for (uint32_t s = 0; s < g->n; s++) {
		at[s].sw = s;
		for (uint32_t p = g->off[s]; p < g->off[s + 1]; p++)
			if (leads_on(g, p) &&
				c->rank[far_end(g, p)] > at[s].rank)
				at[s].rank = c->rank[far_end(g, p)];
	}
	qsort(at, g->n, sizeof(*at), highest_first);
	c->seq = mem_alloc((g->n + 1U) * sizeof(*c->seq));
	for (uint32_t i = 0; i < g->n; i++)
		c->seq[i] = at[i].sw;
	free(at);
}

bool
certificate_is_ranked(const struct verify_tables *in)
{
	return in->ranks != NULL && in->ranks->groups == 1 &&
	       in->ranks->nadj == in->topo->nadj;
}

struct certificate *
certificate_new(const struct cdg *g, const struct verify_tables *in)
{
	struct certificate *c;

	if (!certificate_is_ranked(in))
		return NULL;
	c = mem_zalloc(1, sizeof(*c));
	c->g = g;
	c->in = in;
	c->nblocks = verify_walk_blocks(in);
	c->behind = mem_zalloc(g->nports, sizeof(*c->behind));
	c->port_class = mem_zalloc(g->n + 1U, sizeof(*c->port_class));
	take_ranks(c);
	if (!find_codes(c)) {
		certificate_free(c);
		return NULL;
	}
	sort_switches(c);
	c->dest = mem_alloc((size_t)c->nblocks * LFT_BLOCK * sizeof(*c->dest));
	for (uint32_t lid = 0; lid < c->nblocks * LFT_BLOCK; lid++)
		c->dest[lid] = verify_walk_dest(g, lid);
	return c;
}

void
certificate_free(struct certificate *c)
{
	if (c == NULL)
		return;
	free(c->dest);
	free(c->rank);
	free(c->behind);
	free(c->port_class);
	free(c->code);
	free(c->runs);
	free(c->seq);
	free(c);
}

/* ---- blocks as words ---- */

/* A block at switches of one port class. */
struct block {
	lft_ref ref;
	uint32_t port_class; /* one more; 0: nothing here */
	/* the LIDs that are sent by a port with each bit of its code */
	uint64_t word[CERTIFICATE_BITS];
	/* the first of the ports behind which some set is forbidden, and the
	 * LIDs sent there */
	uint8_t n;
	uint8_t port[PARTS];
	uint64_t part[PARTS];
};

static void
split_behind(struct block *b, const uint8_t *line)
{
	uint64_t rest = b->word[CERTIFICATE_BEHIND];

	for (b->n = 0; rest != 0 && b->n < PARTS; b->n++) {
		uint8_t q = line[__builtin_ctzll(rest)];

		b->port[b->n] = q;
		b->part[b->n] = block_mask_equal(line, q);
		rest &= ~b->part[b->n];
	}
}

static void
read_runs(struct block *b, const uint8_t *line,
	const struct certificate_runs *runs)
{
	memset(b->word, 0, sizeof(b->word));
	for (unsigned i = 0; i < runs->n; i++) {
		uint64_t lids = block_mask_range(
			line, runs->run[i].lo, runs->run[i].hi);

		for (unsigned k = 0; k < CERTIFICATE_BITS; k++)
			b->word[k] |= runs->run[i].code >> k & 1 ? lids : 0;
	}
}

static void
read_codes(struct block *b, const uint8_t *line, const uint8_t code[256])
{
	uint8_t is[LFT_BLOCK];

	for (unsigned i = 0; i < LFT_BLOCK; i++)
		is[i] = code[line[i]];
	for (unsigned k = 0; k < CERTIFICATE_BITS; k++)
		b->word[k] = block_mask_bit(is, k);
}

static void
read_block(const struct certificate *c, struct block *b, lft_ref ref,
	uint32_t port_class)
{
	const uint8_t *line = lft_bytes(c->in->pool, ref);

	b->ref = ref;
	b->port_class = port_class + 1;
	if (c->runs[port_class].n <= CERTIFICATE_RUNS)
		read_runs(b, line, &c->runs[port_class]);
	else
		read_codes(b, line, c->code[port_class]);
	split_behind(b, line);
}

/* ---- the proof of some chunks ---- */

/* LIDs that arrive at a switch whose words are not known yet. */
struct late {
	uint32_t sw;
	uint32_t at; /* block of the chunk */
	uint64_t lids;
	uint8_t set, in;
};

struct proof {
	const struct certificate *c;
	uint32_t from, to; /* blocks */
	uint64_t ejected;  /* LIDs that their switch ejects */
	bool fails;
	/* of one chunk */
	uint32_t first;
	uint64_t *owned; /* [ncomp * CHUNK] LIDs with a switch there */
	uint64_t *set;	 /* [sets * n * CHUNK] */
	bool *known;	 /* [n] words of the switch */
	struct late *late;
	size_t nlate, room;
	struct block *memo; /* [MEMO] */
};

static void
find_owned(struct proof *p, uint32_t n)
{
	const struct cdg *g = p->c->g;
	const struct verify_dest *d = p->c->dest + (size_t)p->first * LFT_BLOCK;

	memset(p->owned, 0, (size_t)g->ncomp * CHUNK * sizeof(*p->owned));
	for (uint32_t i = 0; i < n * LFT_BLOCK; i++)
		if (d[i].root != g->n)
			p->owned[g->comp[d[i].root] * CHUNK + i / LFT_BLOCK] |=
				(uint64_t)1 << i % LFT_BLOCK;
}

/* The entry of switch s for LID l of block b of the chunk. */
static uint8_t
entry_of(const struct proof *p, uint32_t s, uint32_t b, unsigned l)
{
	return cdg_entry(p->c->g, p->c->in, s, (p->first + b) * LFT_BLOCK + l);
}

/*
 * LIDs with a switch in the component that s sends to no live switch: they are
 * its own, and ejected as they should.
 */
static bool
ejects_all(struct proof *p, uint32_t s, uint32_t b, uint64_t lids)
{
	const struct verify_dest *d =
		p->c->dest + (size_t)(p->first + b) * LFT_BLOCK;

	for (; lids != 0; lids &= lids - 1) {
		unsigned l = (unsigned)__builtin_ctzll(lids);

		if (d[l].root != s || entry_of(p, s, b, l) != d[l].eject)
			return false;
		p->ejected++;
	}
	return true;
}

/*
 * LIDs that arrive at a switch by port `in` and would leave by a forbidden one:
 * they are no destinations in this component, and would leave by `in`.
 */
static bool
are_discarded(const struct proof *p, const struct late *x, uint64_t lids)
{
	const struct cdg *g = p->c->g;

	if (lids & p->owned[g->comp[x->sw] * CHUNK + x->at])
		return false;
	for (; lids != 0; lids &= lids - 1)
		if (entry_of(p, x->sw, x->at,
			    (unsigned)__builtin_ctzll(lids)) != x->in)
			return false;
	return true;
}

static bool
path_climbs(const struct proof *p, const struct late *x)
{
	uint64_t lids =
		x->lids &
		p->set[((size_t)(x->set - 1) * p->c->g->n + x->sw) * CHUNK +
			x->at];

	return lids == 0 || are_discarded(p, x, lids);
}

/* True when what s sends over links with a `behind` climbs at the next switch,
 * or will be looked at later. */
static bool
check_behind(struct proof *p, uint32_t s, uint32_t b, const struct block *is)
{
	const struct cdg *g = p->c->g;
	const uint8_t *line = lft_bytes(p->c->in->pool, is->ref);
	uint64_t rest = is->word[CERTIFICATE_BEHIND];

	for (unsigned i = 0; rest != 0; i++) {
		bool split = i < is->n;
		uint8_t q = split ? is->port[i] : line[__builtin_ctzll(rest)];
		uint32_t port = g->off[s] + q;
		struct late x = {.sw = g->peer[port] >> 8,
			.at = b,
			.lids = split ? is->part[i] : block_mask_equal(line, q),
			.set = p->c->behind[port],
			.in = g->peer[port] & 255};

		rest &= ~x.lids;
		if (!p->known[x.sw]) {
			p->late = mem_grow(
				p->late, p->nlate, &p->room, sizeof(x));
			p->late[p->nlate++] = x;
		} else if (!path_climbs(p, &x)) {
			return false;
		}
	}
	return true;
}

/* One switch, n blocks of the chunk. */
static bool
prove_switch(struct proof *p, uint32_t s, uint32_t n)
{
	const struct certificate *c = p->c;
	const struct cdg *g = c->g;
	const struct lft_row *row = c->in->row[g->sw[s]];
	const uint64_t *owned = p->owned + (size_t)g->comp[s] * CHUNK;
	uint64_t *set = p->set + (size_t)s * CHUNK;
	uint32_t port_class = c->port_class[s];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = p->first + i;
		lft_ref ref =
			b < c->in->nblocks ? lft_row_ref(row, b) : LFT_EMPTY;
		struct block *is =
			&p->memo[(ref * 31 + port_class * 2049) % MEMO];
		uint64_t here;

		if (is->ref != ref || is->port_class != port_class + 1)
			read_block(c, is, ref, port_class);
		for (unsigned k = 0; k < c->sets; k++)
			set[(size_t)k * g->n * CHUNK + i] = is->word[k];
		here = owned[i] & ~is->word[CERTIFICATE_LIVE];
		if ((here != 0 && !ejects_all(p, s, i, here)) ||
			(is->word[CERTIFICATE_BEHIND] != 0 &&
				!check_behind(p, s, i, is)))
			return false;
	}
	p->known[s] = true;
	return true;
}

/* n blocks from p->first on, at all switches. */
static bool
prove_chunk(struct proof *p, uint32_t n)
{
	const struct certificate *c = p->c;

	find_owned(p, n);
	memset(p->known, 0, c->g->n * sizeof(*p->known));
	p->nlate = 0;
	for (uint32_t i = 0; i < c->g->n; i++)
		if (!prove_switch(p, c->seq[i], n))
			return false;
	for (size_t i = 0; i < p->nlate; i++)
		if (!path_climbs(p, &p->late[i]))
			return false;
	return true;
}

static void
prove_part(void *arg)
{
	struct proof *p = arg;
	const struct cdg *g = p->c->g;
	size_t cells = (size_t)g->n * CHUNK;

	p->owned = mem_zalloc((size_t)g->ncomp * CHUNK + 1, sizeof(*p->owned));
	p->set = mem_zalloc(cells * p->c->sets + 1, sizeof(*p->set));
	p->known = mem_zalloc(g->n + 1U, sizeof(*p->known));
	p->memo = mem_zalloc(MEMO, sizeof(*p->memo));
	for (uint32_t b = p->from; b < p->to && !p->fails; b += CHUNK) {
		p->first = b;
		p->fails =
			!prove_chunk(p, p->to - b < CHUNK ? p->to - b : CHUNK);
	}
	free(p->owned);
	free(p->set);
	free(p->known);
	free(p->late);
	free(p->memo);
}

/* LIDs that some live switch must eject. */
static uint64_t
count_owned(const struct certificate *c)
{
	uint64_t n = 0;

	for (uint32_t lid = 0; lid < c->nblocks * LFT_BLOCK; lid++)
		n += c->dest[lid].root != c->g->n;
	return n;
}

bool
certificate_proves(const struct certificate *c, unsigned threads)
{
	uint32_t n = (c->nblocks + CHUNK - 1) / CHUNK;
	struct proof part[THREAD_SHARES] = {{0}};
	uint64_t ejected = 0;
	bool fails = false;

	if (threads > THREAD_SHARES)
		threads = THREAD_SHARES;
	if (threads > n / CHUNKS_MIN)
		threads = n / CHUNKS_MIN;
	threads += threads == 0;
	for (unsigned i = 0; i < threads; i++) {
		uint32_t to = n * (i + 1) / threads * CHUNK;

		part[i] = (struct proof){.c = c,
			.from = n * i / threads * CHUNK,
			.to = to < c->nblocks ? to : c->nblocks};
	}
	thread_share(threads, prove_part, part, sizeof(*part));
	for (unsigned i = 0; i < threads; i++) {
		ejected += part[i].ejected;
		fails |= part[i].fails;
	}
	return !fails && ejected == count_owned(c);
}
