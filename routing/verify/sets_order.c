#include "routing/verify/sets_order.h"

#include <stdlib.h>
#include <string.h>

#include "discovery/topo_match.h"
#include "routing/verify/dest_scan.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

struct prover {
	const struct sets_order_claim *is, *was; /* was: NULL: nothing to
						    compare with */
	const struct topo *t;
	const struct dest_lids *dest;
	struct topo_match before; /* in the topology of was */
	uint64_t *changed; /* [words] destinations with other LIDs than there */
	struct route_set *link, *up; /* [nsw] ports to live switches, and of
					those the ones that lead up */
	/* [nsw * words] of a switch, destinations: */
	uint64_t *look;	 /* to look at */
	uint64_t *near;	 /* these, and those of neighbours */
	uint64_t *rises; /* near: for which an option or an entry leads up */
	bool *is_looked; /* [nsw] some look */
	bool fails;
};

/* What one thread does. */
struct part {
	struct prover *v;
	sw_ix from, to; /* switches */
	struct dest_scan scan;
};

static uint64_t *
words_of(const struct prover *v, uint64_t *rows, sw_ix s)
{
	return rows + (size_t)s * v->dest->words;
}

static void
note_failure(struct prover *v)
{
	__atomic_store_n(&v->fails, true, __ATOMIC_RELAXED);
}

static const struct route_set_row *
row_of(const struct sets_order_claim *c, sw_ix s)
{
	return c->side->sets->row[s];
}

static bool
is_link(const struct topo *t, sw_ix s, const struct topo_adj *a)
{
	return topo_sw_live(t, s) && topo_sw_live(t, a->peer);
}

static bool
leads_up(const struct sets_order_claim *c, sw_ix s, sw_ix peer)
{
	return c->pos[peer] < c->pos[s];
}

/* Bits of a word that are destinations, but the switch itself. */
static uint64_t
others_in(const struct prover *v, sw_ix s, uint32_t w)
{
	uint64_t in = dest_lids_bits(v->dest, w);
	uint32_t own = v->dest->number[s];

	return own < v->dest->n && own / 64 == w
		       ? in & ~(UINT64_C(1) << own % 64)
		       : in;
}

/* ---- what there is to look at ---- */

/* Forget the claim before if it is of other destinations or blocks. */
static void
find_before(struct prover *v)
{
	if (v->was == NULL)
		return;
	topo_match_open(&v->before, v->t, v->was->topo);
	if (v->was->side->pool != v->is->side->pool ||
		!dest_lids_compare(v->dest, &v->was->side->sets->dest,
			&v->before, v->changed))
		v->was = NULL;
}

/* True if the links of s are the same, in the same directions. */
static bool
same_links(const struct prover *v, sw_ix s)
{
	const struct topo_switch *sw = &v->t->sw[s];
	const struct topo_adj *a = v->t->adj + sw->adj;
	const sw_ix *o = v->before.sw;

	if (!v->before.links[s])
		return false;
	for (uint32_t i = 0; i < sw->nadj; i++)
		if (leads_up(v->is, s, a[i].peer) !=
			leads_up(v->was, o[s], o[a[i].peer]))
			return false;
	return true;
}

static const struct route_set *
set_in(const struct route_set_row *row, uint32_t i)
{
	static const struct route_set none;

	return row != NULL ? &row->set[row->of[i]] : &none;
}

/* Destinations for which the options in two rows differ. */
static void
mark_options(const struct prover *v, const struct route_set_row *a,
	const struct route_set_row *b, uint64_t *look)
{
	enum { MANY = 64 };
	uint16_t n = a != NULL && b != NULL ? (a->n < b->n ? a->n : b->n) : 0;
	bool alike = n > 0 && memcmp(a->set, b->set, n * sizeof(*a->set)) == 0;

	for (uint32_t i = 0, end; a != b && i < v->dest->n; i = end) {
		end = i + MANY < v->dest->n ? i + MANY : v->dest->n;
		if (alike && memcmp(a->of + i, b->of + i,
				     (end - i) * sizeof(a->of[0])) == 0)
			continue;
		for (uint32_t d = i; d < end; d++)
			if (memcmp(set_in(a, d), set_in(b, d),
				    sizeof(struct route_set)) != 0)
				bitset_add(look, d);
	}
}

static void
find_ports(struct prover *v, sw_ix s)
{
	const struct topo *t = v->t;

	for (uint32_t i = t->sw[s].adj; i < t->sw[s].adj + t->sw[s].nadj; i++)
		if (is_link(t, s, &t->adj[i])) {
			route_set_add(&v->link[s], t->adj[i].out);
			if (leads_up(v->is, s, t->adj[i].peer))
				route_set_add(&v->up[s], t->adj[i].out);
		}
}

static void
find_looks(struct prover *v, sw_ix s)
{
	const struct verify_sets_side *is = v->is->side, *was;
	uint64_t *look = words_of(v, v->look, s);
	uint64_t any = 0;

	if (v->was != NULL && same_links(v, s)) {
		sw_ix o = v->before.sw[s];

		was = v->was->side;
		mark_options(v, row_of(v->is, s), row_of(v->was, o), look);
		dest_scan_differ(v->dest, is->row[s], is->nblocks, was->row[o],
			was->nblocks, look);
		bitset_or(look, v->changed, v->dest->words);
	} else
		memset(look, 0xff, v->dest->words * sizeof(*look));
	for (uint32_t w = 0; w < v->dest->words; w++)
		any |= look[w] &= others_in(v, s, w);
	v->is_looked[s] = any != 0;
}

/* Destinations to look at are near for the switch and its neighbours. */
static void
find_near(struct prover *v, sw_ix s)
{
	const struct topo *t = v->t;
	const uint64_t *look = words_of(v, v->look, s);
	uint64_t *near = words_of(v, v->near, s);

	bitset_or(near, look, v->dest->words);
	for (uint32_t i = t->sw[s].adj; i < t->sw[s].adj + t->sw[s].nadj; i++) {
		near = words_of(v, v->near, t->adj[i].peer);
		bitset_or(near, look, v->dest->words);
	}
}

/* ---- the rule ---- */

/* Part 1, of switch s with its first record. */
static bool
has_up_again(const struct prover *v, const struct verify_dependencies *d,
	sw_ix s, uint32_t rec)
{
	const struct topo *t = v->t;
	const struct topo_switch *sw = &t->sw[s];
	uint64_t again = 0;

	for (unsigned l = 0; l < d->layers; l++)
		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			size_t at = (size_t)l * d->nrec + rec + t->adj[i].out;

			if (!route_set_has(&v->up[s], t->adj[i].out))
				continue;
			for (unsigned w = 0; w < 1U << d->shift; w++)
				again |= d->row[(at << d->shift) + w] &
					 v->up[s].port[w];
		}
	return again != 0;
}

static bool
tables_climb(const struct prover *v, const struct verify_dependencies *d)
{
	const struct topo *t = v->t;
	uint32_t rec = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		if (has_up_again(v, d, s, rec))
			return false;
		rec += t->node[t->sw[s].node].nports + 1U;
	}
	return true;
}

/* True if a set of s names no other ports than these. */
static bool
is_within(const struct route_set *set, const struct route_set *ports)
{
	uint64_t other = 0;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		other |= set->port[w] & ~ports->port[w];
	return other == 0;
}

static bool
have_common(const struct route_set *a, const struct route_set *b)
{
	uint64_t both = 0;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		both |= a->port[w] & b->port[w];
	return both != 0;
}

/* True if an entry of s for a LID of destination number i leads to a switch. */
static bool
has_entry(const struct prover *v, sw_ix s, uint32_t i)
{
	const struct verify_sets_side *side = v->is->side;

	for (uint32_t r = v->dest->first[i]; r < v->dest->first[i + 1]; r++)
		for (uint64_t m = v->dest->run[r].lids; m != 0; m &= m - 1)
			if (route_set_has(&v->link[s],
				    lft_row_entry(side->pool, side->row[s],
					    side->nblocks,
					    v->dest->run[r].block * LFT_BLOCK +
						    bitset_lowest64(m))))
				return true;
	return false;
}

/* Bits of destinations that are of interest, by what options of a switch do. */
struct options {
	uint64_t any, up, stray; /* some; one leads up; one to no switch */
};

/* Options of s for the destinations `among` in word w. */
static struct options
find_options(const struct prover *v, sw_ix s, uint32_t w, uint64_t among)
{
	const struct route_set_row *row = row_of(v->is, s);
	struct options x = {0, 0, 0};
	bool up = false, stray = false;
	uint16_t last = 0;

	for (; row != NULL && among != 0; among &= among - 1) {
		unsigned bit = bitset_lowest64(among);
		uint16_t k = row->of[w * 64 + bit];

		if (k == 0)
			continue;
		if (k != last) {
			up = have_common(&row->set[k], &v->up[s]);
			stray = !is_within(&row->set[k], &v->link[s]);
		}
		last = k;
		x.any |= UINT64_C(1) << bit;
		x.up |= (uint64_t)up << bit;
		x.stray |= (uint64_t)stray << bit;
	}
	return x;
}

/* What leads up near s in word w; and parts 2 and 3. */
static void
take_word(struct part *x, sw_ix s, uint32_t w)
{
	struct prover *v = x->v;
	uint64_t near = words_of(v, v->near, s)[w] & others_in(v, s, w),
		 look = words_of(v, v->look, s)[w];
	uint64_t some, all, lost;
	struct options o;

	if (near == 0)
		return;
	o = find_options(v, s, w, near);
	dest_scan_word(&x->scan, w, near, &some, &all);
	words_of(v, v->rises, s)[w] = o.up | some;
	if (((o.stray | (o.up & ~all)) & look) != 0)
		note_failure(v);
	for (lost = o.any & look & ~some; lost != 0; lost &= lost - 1)
		if (!has_entry(v, s, w * 64 + bitset_lowest64(lost)))
			note_failure(v);
}

/* True if s has options for hosts of its own. */
static bool
has_own_options(const struct prover *v, sw_ix s)
{
	const struct route_set_row *row = row_of(v->is, s);

	return row != NULL && v->dest->number[s] < v->dest->n &&
	       row->of[v->dest->number[s]] != 0;
}

static void
take_switches(void *arg)
{
	struct part *x = arg;
	struct prover *v = x->v;
	const struct verify_sets_side *side = v->is->side;

	dest_scan_open(&x->scan, v->dest);
	for (sw_ix s = x->from; s < x->to; s++) {
		if (!topo_sw_live(v->t, s))
			continue;
		if (has_own_options(v, s))
			note_failure(v);
		dest_scan_row(&x->scan, side->pool, side->row[s], side->nblocks,
			&v->up[s]);
		for (uint32_t w = 0; w < v->dest->words; w++)
			take_word(x, s, w);
	}
	dest_scan_close(&x->scan);
}

/* Part 4, of the options in a set of s that lead down, for destination i. */
static void
check_descent(
	struct prover *v, sw_ix s, const struct route_set *set, uint32_t i)
{
	for (unsigned p = 0;
		(p = route_set_next(set, p)) < ROUTE_SET_WORDS * 64; p++) {
		sw_ix next;

		if (route_set_has(&v->up[s], p) ||
			!route_set_has(&v->link[s], p))
			continue;
		next = topo_port_switch(v->t, topo_port_behind(v->t, s, p));
		if ((bitset_has(words_of(v, v->look, s), i) ||
			    bitset_has(words_of(v, v->look, next), i)) &&
			bitset_has(words_of(v, v->rises, next), i))
			note_failure(v);
	}
}

/* True if some option in the row of s leads down. */
static bool
has_descent(const struct prover *v, sw_ix s)
{
	const struct route_set_row *row = row_of(v->is, s);

	for (uint16_t k = 1; row != NULL && k < row->n; k++)
		if (!is_within(&row->set[k], &v->up[s]))
			return true;
	return false;
}

static void
follow_options(void *arg)
{
	const struct part *x = arg;
	struct prover *v = x->v;

	for (sw_ix s = x->from; s < x->to; s++) {
		const struct route_set_row *row = row_of(v->is, s);

		if (!topo_sw_live(v->t, s) || !has_descent(v, s))
			continue;
		for (uint32_t w = 0; w < v->dest->words; w++) {
			uint64_t near =
				words_of(v, v->near, s)[w] & others_in(v, s, w);

			for (; near != 0; near &= near - 1) {
				uint32_t i = w * 64 + bitset_lowest64(near);
				uint16_t k = row->of[i];

				if (k != 0)
					check_descent(v, s, &row->set[k], i);
			}
		}
	}
}

/* ---- all of it ---- */

static void
prover_open(struct prover *v, const struct sets_order_claim *is,
	const struct sets_order_claim *was)
{
	size_t words;

	*v = (struct prover){.is = is, .was = was, .t = is->topo};
	v->dest = &is->side->sets->dest;
	words = (size_t)v->t->nsw * v->dest->words;
	v->link = mem_zalloc(v->t->nsw, sizeof(*v->link));
	v->up = mem_zalloc(v->t->nsw, sizeof(*v->up));
	v->look = mem_zalloc(words, sizeof(*v->look));
	v->near = mem_zalloc(words, sizeof(*v->near));
	v->changed = mem_zalloc(v->dest->words + 1U, sizeof(*v->changed));
	v->rises = mem_zalloc(words, sizeof(*v->rises));
	v->is_looked = mem_zalloc(v->t->nsw, sizeof(*v->is_looked));
	for (sw_ix s = 0; s < v->t->nsw; s++)
		find_ports(v, s);
	find_before(v);
}

static void
prover_close(struct prover *v)
{
	topo_match_close(&v->before);
	free(v->link);
	free(v->up);
	free(v->look);
	free(v->near);
	free(v->changed);
	free(v->rises);
	free(v->is_looked);
}

static void
share_switches(struct prover *v, unsigned n, void (*fn)(void *))
{
	struct part part[THREAD_SHARES];

	for (unsigned i = 0; i < n; i++)
		part[i] = (struct part){.v = v,
			.from = (sw_ix)((uint64_t)v->t->nsw * i / n),
			.to = (sw_ix)((uint64_t)v->t->nsw * (i + 1) / n)};
	thread_share(n, fn, part, sizeof(part[0]));
}

/* Parts 2 to 4; a change is too little to share among threads. */
static void
take_all(struct prover *v, unsigned threads)
{
	unsigned n = v->was != NULL || threads < 1 ? 1
		     : threads > THREAD_SHARES	   ? THREAD_SHARES
						   : threads;

	for (sw_ix s = 0; s < v->t->nsw; s++)
		if (topo_sw_live(v->t, s))
			find_looks(v, s);
	for (sw_ix s = 0; s < v->t->nsw; s++)
		if (v->is_looked[s])
			find_near(v, s);
	share_switches(v, n, take_switches);
	if (!v->fails)
		share_switches(v, n, follow_options);
}

bool
sets_order_proves(const struct sets_order_claim *is,
	const struct verify_dependencies *deps,
	const struct sets_order_claim *was, unsigned threads)
{
	struct prover v;
	bool proven;

	prover_open(&v, is, was);
	v.fails = !tables_climb(&v, deps);
	if (!v.fails)
		take_all(&v, threads);
	proven = !v.fails;
	prover_close(&v);
	return proven;
}
