#include <stdlib.h>
#include <string.h>

#include "routing/updn_repair.h"
#include "routing/updn_row.h"
#include "routing/updn_walk.h"
#include "sm/base/mem.h"

enum { TOO_MANY = 4 }; /* no more than one LID in so many is split */

struct bad {
	sw_ix sw;
	uint32_t i; /* LID */
};

struct mend {
	struct updn_repair *p;
	struct updn_dests *d;
	struct updn_row f;
	struct updn_walk w;
	struct updn_among which; /* destinations to look at */
	struct bad *bad;	 /* by switch */
	size_t nbad, cap;
	bool *staged; /* blocks of f.row */
};

/* About whom may the candidates of s be others than they were? */
static bool
find_which(struct mend *m, sw_ix s)
{
	const struct updn *u = m->p->u;
	uint64_t **diff = m->p->diff;
	bool any = m->p->seed[s] || diff[s] != NULL;
	uint64_t *set = m->which.set;

	if (!u->live[s])
		return false;
	for (uint32_t g = u->first[s]; !any && g < u->first[s + 1]; g++)
		any = diff[u->group[g].peer] != NULL;
	if (!any)
		return false;
	memset(set, m->p->seed[s] ? 0xff : 0, u->words * sizeof(*set));
	if (diff[s] != NULL)
		updn_or(set, diff[s], u->words);
	for (uint32_t g = u->first[s]; g < u->first[s + 1]; g++)
		if (diff[u->group[g].peer] != NULL)
			updn_or(set, diff[u->group[g].peer], u->words);
	for (uint32_t x = u->nsw; x < u->words * 64; x++)
		set[x / 64] &= ~(UINT64_C(1) << (x % 64));
	set[s / 64] &= ~(UINT64_C(1) << (s % 64));
	m->which.n = 0;
	for (uint32_t w = 0; w < u->words; w++)
		if (set[w] != 0)
			m->which.word[m->which.n++] = w;
	return true;
}

static void
check(struct mend *m, sw_ix s, sw_ix x)
{
	const struct updn_dests *d = m->d;

	if (d->at[x] == d->end[x])
		return;
	updn_choose_allow(&m->f, s, m->f.mask + (size_t)x * m->f.W);
	for (uint32_t i = d->at[x]; i < d->end[x]; i++) {
		const uint8_t *b =
			routes_block(m->p->prev, s, d->lid[i] / LFT_BLOCK);

		if (m->f.allowed[b[d->lid[i] % LFT_BLOCK]])
			continue;
		m->bad = mem_grow(m->bad, m->nbad, &m->cap, sizeof(*m->bad));
		m->bad[m->nbad++] = (struct bad){s, i};
	}
}

/* Entries that do not lead through a candidate any more. */
static void
find_bad(struct mend *m)
{
	const struct updn *u = m->p->u;

	for (sw_ix s = 0; s < u->nsw; s++) {
		if (!find_which(m, s))
			continue;
		updn_fill_open(&m->f, s, &m->which);
		for (uint32_t k = 0; k < m->which.n; k++) {
			uint32_t w = m->which.word[k];
			uint64_t b = m->which.set[w];

			for (; b != 0; b &= b - 1)
				check(m, s, w * 64 + updn_low(b));
		}
	}
}

/* Can a chain be used as it is? Then its groups are found. */
static bool
stands(const struct mend *m, const struct updn_chain *c, uint32_t *group)
{
	const struct updn *u = m->p->u;

	for (uint32_t k = 1; k < c->len; k++) {
		group[k - 1] = updn_chain_group(u, c->sw[k - 1], c->sw[k]);
		if (group[k - 1] == UINT32_MAX ||
			!updn_chain_exactly(&m->w, c->sw[k], c->sw[0], k))
			return false;
	}
	return true;
}

/* Ways of LID i: its own one, or its shares. */
static struct updn_chain *
ways(const struct updn_dests *d, uint32_t i, uint32_t *n)
{
	*n = d->share_of[i] != 0 ? UPDN_SHARES : 1;
	return d->share_of[i] != 0
		       ? d->share + (size_t)(d->share_of[i] - 1) * UPDN_SHARES
		       : &d->chain[i];
}

/* Count what the ways to x load, as far as they stand. */
static void
count_ways(struct mend *m, sw_ix x)
{
	for (uint32_t i = m->d->at[x]; i < m->d->end[x]; i++) {
		uint32_t group[UPDN_CHAIN], n;
		const struct updn_chain *c = ways(m->d, i, &n);

		for (uint32_t k = 0; k < n; k++)
			if (stands(m, &c[k], group))
				updn_chain_count(&m->w,
					&m->w.load[m->d->other[i]], &c[k],
					group, UPDN_SHARES / n);
	}
}

/* Who shares a switch above with x: their ways compete for its cables. */
static void
add_family(const struct mend *m, sw_ix x, uint64_t *family)
{
	const struct updn *u = m->p->u;
	const struct updn_levels *dn = &m->p->reach.dn;

	updn_set(family, x);
	for (uint32_t g = u->first[x]; g < u->first[x + 1]; g++) {
		sw_ix up = u->group[g].peer;

		if (u->tier.pos[up] > u->tier.pos[x] || u->rank[up] == 0)
			continue;
		for (uint32_t w = 0; w < u->words; w++)
			family[w] |=
				dn->row[(size_t)(dn->n - 1) * u->nsw + up][w];
	}
}

/* A new way for LID i where the old one does not stand. */
static void
new_ways(struct mend *m, uint32_t i)
{
	uint32_t group[UPDN_CHAIN], n;
	struct updn_chain *c = ways(m->d, i, &n);
	struct updn_burden *b = &m->w.load[m->d->other[i]];

	for (uint32_t k = 0; k < n; k++) {
		if (stands(m, &c[k], group))
			continue;
		if (n == 1 && !m->d->other[i]) {
			updn_chain_place(&m->w, i);
			return;
		}
		updn_homes_avoid(&m->w, i);
		c[k].len = 1;
		updn_chain_extend(&m->w, b, &c[k], group);
		updn_chain_count(&m->w, b, &c[k], group, UPDN_SHARES / n);
	}
	m->d->chain[i] = c[0];
}

static bool
broken(const struct mend *m, uint32_t i)
{
	uint32_t group[UPDN_CHAIN], n;
	const struct updn_chain *c = ways(m->d, i, &n);

	for (uint32_t k = 0; k < n; k++)
		if (!stands(m, &c[k], group))
			return true;
	return false;
}

/* Ways for the LIDs of bad entries. */
static void
find_ways(struct mend *m)
{
	const struct updn *u = m->p->u;
	bool *due = arena_array(u->a, m->d->n, sizeof(*due));
	uint64_t *family = arena_array(u->a, u->words, sizeof(*family));
	bool any = false;

	for (size_t k = 0; k < m->nbad; k++) {
		uint32_t i = m->bad[k].i;

		if (due[i] || !broken(m, i))
			continue;
		due[i] = any = true;
		if (!updn_bit(family, m->d->dest[i]))
			add_family(m, m->d->dest[i], family);
	}
	if (!any)
		return;
	for (uint32_t w = 0; w < u->words; w++)
		for (uint64_t b = family[w]; b != 0; b &= b - 1)
			count_ways(m, w * 64 + updn_low(b));
	(void)updn_chain_fair(&m->w);
	for (uint32_t i = 0; i < m->d->n; i++)
		if (due[i])
			new_ways(m, i);
}

/* What the entries that stay put on the ports of s. */
static void
count_kept(struct mend *m, const struct bad *bad, size_t n, sw_ix s)
{
	const struct updn_dests *d = m->d;
	struct updn_row *f = &m->f;

	for (uint32_t i = 0; i < d->n; i++) {
		const uint8_t *b =
			routes_block(m->p->prev, s, d->lid[i] / LFT_BLOCK);
		uint8_t p = b[d->lid[i] % LFT_BLOCK];

		f->meant[d->other[i]][p]++;
		f->sum[d->other[i]][p]++;
	}
	for (size_t k = 0; k < n; k++) {
		uint32_t i = bad[k].i;
		const uint8_t *b =
			routes_block(m->p->prev, s, d->lid[i] / LFT_BLOCK);
		uint8_t p = b[d->lid[i] % LFT_BLOCK];

		f->meant[d->other[i]][p]--;
		f->sum[d->other[i]][p]--;
	}
}

static void
set_entry(struct mend *m, sw_ix s, uint16_t lid, uint8_t port)
{
	uint32_t b = lid / LFT_BLOCK;

	if (!m->staged[b])
		memcpy(m->f.row + (size_t)b * LFT_BLOCK,
			routes_block(m->p->prev, s, b), LFT_BLOCK);
	m->staged[b] = true;
	m->f.row[lid] = port;
}

/* Where the ways of LID i can be joined from s. */
static void
find_lead(struct mend *m, sw_ix s, uint32_t i)
{
	uint32_t n;
	const struct updn_chain *c = ways(m->d, i, &n);

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t h = 1; h < c[k].len; h++)
			updn_fill_lead(&m->f, s, c[k].sw[h]);
}

/* The row of s with its n bad entries made good. */
static void
mend_row(struct mend *m, const struct bad *bad, size_t n, struct routes *r)
{
	const struct updn_dests *d = m->d;
	struct updn_row *f = &m->f;
	sw_ix s = bad->sw;
	uint8_t port;

	(void)find_which(m, s);
	updn_fill_open(f, s, &m->which);
	memset(m->staged, 0, r->nblocks * sizeof(*m->staged));
	f->counted = false;
	for (size_t k = 0; k < n; k++) {
		uint32_t i = bad[k].i;
		const uint64_t *mask = f->mask + (size_t)d->dest[i] * f->W;

		find_lead(m, s, i);
		if (!updn_choose_only(f, s, i, mask, &port)) {
			if (!f->counted)
				count_kept(m, bad, n, s);
			f->counted = true;
			port = updn_choose(f, s, i, mask);
		}
		set_entry(m, s, d->lid[i], port);
	}
	for (uint32_t b = 0; b < r->nblocks; b++)
		if (m->staged[b])
			routes_put_block(
				r, s, b, f->row + (size_t)b * LFT_BLOCK);
	r->entries_changed += n;
}

static void
mend_rows(struct mend *m, struct routes *r)
{
	const struct updn *u = m->p->u;
	uint32_t *lids = arena_array(u->a, u->ncomp, sizeof(*lids));

	for (uint32_t i = 0; i < m->d->n; i++)
		lids[u->comp[m->d->dest[i]]]++;
	for (sw_ix s = 0; s < u->nsw; s++) {
		routes_put_same(r, s, m->p->prev, s);
		if (u->live[s])
			r->entries_kept += lids[u->comp[s]];
	}
	for (size_t k = 0, n; k < m->nbad; k += n) {
		for (n = 1;
			k + n < m->nbad && m->bad[k + n].sw == m->bad[k].sw;)
			n++;
		mend_row(m, m->bad + k, n, r);
	}
	r->entries_kept -= r->entries_changed;
}

struct routes *
updn_mend(struct updn_repair *p, struct updn_dests *d)
{
	const struct updn *u = p->u;
	const struct route_job *job = u->job;
	struct mend m = {.p = p, .d = d};
	struct routes *r = routes_new(job->topo, job->pool);

	m.f = (struct updn_row){.u = u, .r = &p->reach, .d = d};
	m.f.bytes = (size_t)r->nblocks * LFT_BLOCK;
	m.w = (struct updn_walk){.u = u, .r = &p->reach, .d = d};
	m.which.set = arena_array(u->a, u->words, sizeof(*m.which.set));
	m.which.word = arena_array(u->a, u->words, sizeof(*m.which.word));
	m.staged = arena_array(u->a, r->nblocks, sizeof(*m.staged));
	updn_fill_begin(&m.f);
	updn_chain_begin(&m.w);
	find_bad(&m);
	find_ways(&m);
	if ((uint64_t)d->nsplit * TOO_MANY > u->nhosts ||
		(job->cancel != NULL && *job->cancel)) {
		free(m.bad);
		routes_unref(r);
		return NULL;
	}
	mend_rows(&m, r);
	free(m.bad);
	r->engine = p->prev->engine;
	r->order = u->order;
	r->turn_leaf = u->turn_leaf;
	memcpy(r->rank, u->rank, u->nsw * sizeof(*r->rank));
	return r;
}
