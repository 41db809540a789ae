#include <stdlib.h>
#include <string.h>

#include "routing/updown/down_path_priv.h"
#include "routing/updown/lft_stale.h"
#include "routing/updown/repair_priv.h"
#include "routing/updown/row_priv.h"
#include "sm/base/thread.h"

enum {
	UNROUTED = 2,	 /* LIDs that are not routed */
	TOO_MANY = 4,	 /* at most one LID in this many is split */
	ROWS_MIN = 1024, /* a thread's worth of work */
};

/* What one thread examines and repairs: the switches from .. to. */
struct part {
	const struct entry_repair *m;
	struct row_job f;
	struct lft_stale seek;
	sw_ix from, to;
	struct row_mask lead_for; /* groups that f.lead is for, and */
	uint32_t *led, stamp;	  /* path switches with this stamp, */
	sw_ix led_of;  /* ... as seen from this switch, and from similar ones */
	sw_ix counted; /* count holds its entries, by kind of LID and port */
	uint32_t count[UNROUTED + 1][256];
	bool *staged;	/* blocks of f.row, and */
	uint32_t *list; /* a list of them */
	uint32_t nlist;
	struct row_writer writer;
};

struct entry_repair {
	struct repair_job *p;
	struct dest_table *d;
	struct down_path_search w;
	const struct reach_block *block;
	bool *affected; /* [nsw] switches to examine */
	uint8_t *kind;	/* of each LID: as in d->other, or UNROUTED */
	struct part *part;
	unsigned nparts;
};

/* Mark the switches that may have other candidates than before. */
static void
find_affected(struct entry_repair *m)
{
	const struct updown *u = m->p->u;

	m->affected =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*m->affected));
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		m->affected[s] |= m->p->seed[s];
		if (m->p->diff[s] == NULL)
			continue;
		m->affected[s] = true;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			m->affected[u->graph.group[g].peer] = true;
	}
}

static void
find_kinds(struct entry_repair *m, uint32_t nblocks)
{
	size_t n = (size_t)nblocks * LFT_BLOCK;

	m->kind = arena_alloc(m->p->u->graph.a, n);
	memset(m->kind, UNROUTED, n);
	for (uint32_t i = 0; i < m->d->n; i++)
		m->kind[m->d->lid[i]] = m->d->other[i];
}

/* Find the stale entries. */
static void
find_stale(void *arg)
{
	struct part *t = arg;

	for (sw_ix s = t->from; s < t->to; s++)
		if (t->m->affected[s] && t->m->p->u->graph.live[s])
			lft_stale_find(&t->seek, s);
}

/* How many switches of a down path, from below, are still valid; and its
 * groups. */
static uint32_t
valid_length(const struct entry_repair *m, const struct down_path *c,
	uint32_t *group)
{
	const struct updown *u = m->p->u;

	for (uint32_t k = 1; k < c->len; k++) {
		group[k - 1] = down_path_find_group(u, c->sw[k - 1], c->sw[k]);
		if (group[k - 1] == UINT32_MAX ||
			!down_path_is_exactly(&m->w, c->sw[k], c->sw[0], k))
			return k;
	}
	return c->len;
}

static bool
is_valid(const struct entry_repair *m, const struct down_path *c,
	uint32_t *group)
{
	return valid_length(m, c, group) == c->len;
}

/* The down paths of LID i: a single one, or its shares. */
static struct down_path *
lid_paths(const struct dest_table *d, uint32_t i, uint32_t *n)
{
	*n = d->share_of[i] != 0 ? UPDN_SHARES : 1;
	return d->share_of[i] != 0
		       ? d->share + (size_t)(d->share_of[i] - 1) * UPDN_SHARES
		       : &d->path[i];
}

/* Count the load of the down paths to x that are still valid. */
static void
count_paths(struct entry_repair *m, sw_ix x)
{
	for (uint32_t i = m->d->at[x]; i < m->d->end[x]; i++) {
		uint32_t group[UPDN_PATH_MAX], n;
		const struct down_path *c = lid_paths(m->d, i, &n);

		for (uint32_t k = 0; k < n; k++)
			if (is_valid(m, &c[k], group))
				down_path_count(&m->w,
					&m->w.load[m->d->other[i]], &c[k],
					group, UPDN_SHARES / n);
	}
}

/* Switches that share a switch above with x: paths to them and to x compete for
 * its links. */
static void
add_family(const struct entry_repair *m, sw_ix x, uint64_t *family)
{
	const struct updown *u = m->p->u;
	const struct reach_levels *dn = &m->p->reach.dn;

	bitset_add(family, x);
	for (uint32_t g = u->graph.first[x]; g < u->graph.first[x + 1]; g++) {
		sw_ix up = u->graph.group[g].peer;

		if (u->tier.pos[up] > u->tier.pos[x] || u->rank[up] == 0)
			continue;
		for (uint32_t w = 0; w < u->graph.words; w++)
			family[w] |=
				dn->row[(size_t)(dn->n - 1) * u->graph.nsw + up]
				       [w];
	}
}

/* The valid part of the broken paths of LID i is counted until new paths are
 * found, so that no other LID takes its place. */
static void
reserve_valid_part(struct entry_repair *m, uint32_t i, bool on)
{
	struct down_path_load *b = &m->w.load[m->d->other[i]];
	uint32_t group[UPDN_PATH_MAX], n;
	const struct down_path *c = lid_paths(m->d, i, &n);

	for (uint32_t k = 0; k < n; k++) {
		uint32_t shares = UPDN_SHARES / n;
		struct down_path left = c[k];

		left.len = (uint16_t)valid_length(m, &c[k], group);
		if (left.len < c[k].len)
			down_path_count(&m->w, b, &left, group,
				on ? shares : 0U - shares);
	}
}

/* New paths for LID i where the old ones are not valid. */
static void
replace_invalid_paths(struct entry_repair *m, uint32_t i)
{
	uint32_t group[UPDN_PATH_MAX], n;
	struct down_path *c = lid_paths(m->d, i, &n);
	struct down_path_load *b = &m->w.load[m->d->other[i]];

	for (uint32_t k = 0; k < n; k++) {
		if (is_valid(m, &c[k], group))
			continue;
		if (n == 1 && !m->d->other[i]) {
			down_path_place(&m->w, i);
			return;
		}
		multi_port_avoid(&m->w, i);
		down_path_start(&c[k], m->d->dest[i]);
		down_path_extend(&m->w, b, &c[k], group);
		down_path_count(&m->w, b, &c[k], group, UPDN_SHARES / n);
	}
	m->d->path[i] = c[0];
}

static bool
has_invalid_path(const struct entry_repair *m, uint32_t i)
{
	uint32_t group[UPDN_PATH_MAX], n;
	const struct down_path *c = lid_paths(m->d, i, &n);

	for (uint32_t k = 0; k < n; k++)
		if (!is_valid(m, &c[k], group))
			return true;
	return false;
}

/* Mark the LIDs of stale entries that need new paths, and the switches to which
 * paths compete with these. True if there are any. */
static bool
find_due(const struct entry_repair *m, bool *due, uint64_t *family)
{
	bool any = false;

	for (unsigned t = 0; t < m->nparts; t++)
		for (size_t k = 0; k < m->part[t].seek.nentries; k++) {
			uint32_t i = m->part[t].seek.entry[k].i;

			if (due[i] || !has_invalid_path(m, i))
				continue;
			due[i] = any = true;
			if (!bitset_has(family, m->d->dest[i]))
				add_family(m, m->d->dest[i], family);
		}
	return any;
}

/* The fair load of all switches that paths to x may pass. */
static void
find_fair(struct entry_repair *m, sw_ix x)
{
	const struct updown *u = m->p->u;

	for (uint32_t w = 0; w < u->graph.words; w++)
		for (uint64_t b = u->tier_above[x][w]; b != 0; b &= b - 1) {
			sw_ix s = w * 64 + bitset_lowest64(b);

			if (m->w.fair[s] == 0)
				(void)down_path_set_fair_load(&m->w, s);
		}
}

/* New down paths for the LIDs of stale entries. */
static void
find_paths(struct entry_repair *m)
{
	const struct updown *u = m->p->u;
	bool *due = arena_array(u->graph.a, m->d->n, sizeof(*due));
	uint64_t *family =
		arena_array(u->graph.a, u->graph.words, sizeof(*family));

	if (!find_due(m, due, family))
		return;
	down_path_begin(&m->w);
	for (uint32_t w = 0; w < u->graph.words; w++)
		for (uint64_t b = family[w]; b != 0; b &= b - 1)
			count_paths(m, w * 64 + bitset_lowest64(b));
	for (uint32_t i = 0; i < m->d->n; i++)
		if (due[i])
			find_fair(m, m->d->dest[i]);
	for (uint32_t i = 0; i < m->d->n; i++)
		if (due[i])
			reserve_valid_part(m, i, true);
	for (uint32_t i = 0; i < m->d->n; i++)
		if (due[i]) {
			reserve_valid_part(m, i, false);
			replace_invalid_paths(m, i);
		}
}

/* The previous entry of s for LID i. */
static uint8_t
old_port(const struct part *t, sw_ix s, uint32_t i)
{
	uint16_t lid = t->m->d->lid[i];

	return routes_block(t->m->p->prev, s, lid / LFT_BLOCK)[lid % LFT_BLOCK];
}

/* Add the entries of block b of s to count, or subtract them. */
static void
count_block(struct part *t, sw_ix s, uint32_t b, bool in)
{
	const uint8_t *entry = routes_block(t->m->p->prev, s, b);
	const uint8_t *kind = t->m->kind + (size_t)b * LFT_BLOCK;

	for (unsigned i = 0; i < LFT_BLOCK; i++)
		t->count[kind[i]][entry[i]] += in ? 1U : -1U;
}

/* Rows of similar switches share most of their blocks: only blocks in which s
 * differs from the switch counted last are subtracted and added. */
static void
count_row(struct part *t, sw_ix s)
{
	const struct routes *prev = t->m->p->prev;
	sw_ix was = t->counted;

	for (uint32_t b = 0; b < prev->nblocks; b++) {
		if (was != TOPO_NONE && routes_ref_of(prev, was, b) ==
						routes_ref_of(prev, s, b))
			continue;
		if (was != TOPO_NONE)
			count_block(t, was, b, false);
		count_block(t, s, b, true);
	}
	t->counted = s;
}

/* Count what the kept entries put on the ports of s. */
static void
count_kept(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct dest_table *d = t->m->d;
	struct row_job *f = &t->f;
	sw_ix s = bad->sw;

	count_row(t, s);
	memcpy(f->sum, t->count, sizeof(f->sum));
	for (size_t k = 0; k < n; k++)
		f->sum[d->other[bad[k].i]][old_port(t, s, bad[k].i)]--;
	memcpy(f->meant, f->sum, sizeof(f->meant));
}

/* Count before the first choice in a row. */
static void
count_once(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	if (!t->f.counted)
		count_kept(t, bad, n);
	t->f.counted = true;
}

/* The switch that was behind a port of s. Switch numbers are unchanged. */
static sw_ix
old_next_switch(const struct part *t, sw_ix s, uint8_t port)
{
	return next_hop_switch(t->m->p->prev->topo, s, port);
}

/* True if the previous entry of s for LID i carries load. */
static bool
carried_load(const struct part *t, sw_ix s, uint32_t i)
{
	return next_hop_carries_load(
		&t->f, s, i, old_next_switch(t, s, old_port(t, s, i)));
}

/* Count in meant the kept entries that carry load. */
static void
weigh_kept(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct dest_table *d = t->m->d;
	struct row_job *f = &t->f;
	sw_ix s = bad->sw, behind[256];
	uint32_t block = UINT32_MAX;
	const uint8_t *b = NULL;

	memset(f->meant, 0, sizeof(f->meant));
	for (unsigned p = 0; p < 256; p++)
		behind[p] = old_next_switch(t, s, (uint8_t)p);
	for (uint32_t i = 0; i < d->n; i++) {
		uint16_t lid = d->lid[i];

		if (lid / LFT_BLOCK != block) {
			block = lid / LFT_BLOCK;
			b = routes_block(t->m->p->prev, s, block);
		}
		if (next_hop_carries_load(f, s, i, behind[b[lid % LFT_BLOCK]]))
			f->meant[d->other[i]][b[lid % LFT_BLOCK]]++;
	}
	for (size_t k = 0; k < n; k++)
		if (carried_load(t, s, bad[k].i))
			f->meant[d->other[bad[k].i]]
				[old_port(t, s, bad[k].i)]--;
	f->weighed = true;
}

/* The port for LID i where there is a choice. */
static uint8_t
choose_port(struct part *t, const struct lft_stale_entry *bad, size_t n,
	size_t k, const uint64_t *mask)
{
	struct row_job *f = &t->f;
	bool carries = carried_load(t, bad->sw, bad[k].i);

	count_once(t, bad, n);
	if (carries && !f->weighed)
		weigh_kept(t, bad, n);
	return next_hop_choose(f, bad->sw, bad[k].i, mask, carries);
}

static void
set_entry(struct part *t, sw_ix s, uint16_t lid, uint8_t port)
{
	uint32_t b = lid / LFT_BLOCK;

	if (!t->staged[b]) {
		memcpy(t->f.row + (size_t)b * LFT_BLOCK,
			routes_block(t->m->p->prev, s, b), LFT_BLOCK);
		t->list[t->nlist++] = b;
		t->staged[b] = true;
	}
	t->f.row[lid] = port;
}

/* Which groups lead from s to the down paths of LID i: mostly the LIDs before
 * had the same mask and the same path switches. */
static void
find_lead(struct part *t, sw_ix s, uint32_t i, const uint64_t *m)
{
	uint32_t n;
	const struct down_path *c = lid_paths(t->m->d, i, &n);

	if (memcmp(m, t->lead_for.w, t->f.W * sizeof(*m)) != 0) {
		memcpy(t->lead_for.w, m, t->f.W * sizeof(*m));
		t->stamp++;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t h = 1; h < c[k].len; h++) {
			if (t->led[c[k].sw[h]] == t->stamp)
				continue;
			t->led[c[k].sw[h]] = t->stamp;
			row_fill_find_lead(&t->f, s, c[k].sw[h], m);
		}
}

/* The present entry of s for LID lid, changed or not. */
static uint8_t
current_entry(const struct part *t, sw_ix s, uint16_t lid)
{
	return t->staged[lid / LFT_BLOCK] ? t->f.row[lid]
					  : routes_port(t->m->p->prev, s, lid);
}

/* The port of s that leads to switch x itself. */
static uint8_t
port_to_switch(const struct part *t, sw_ix s, sw_ix x)
{
	const struct dest_table *d = t->m->d;

	for (uint32_t i = d->at[x]; i < d->end[x]; i++)
		if (d->out[i] == 0)
			return current_entry(t, s, d->lid[i]);
	return LFT_DROP;
}

/* Entries for other trees, when those for the own tree are valid. */
static void
repair_other_trees(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct dest_table *d = t->m->d;
	const struct updown *u = t->m->p->u;
	struct row_job *f = &t->f;
	sw_ix s = bad->sw;
	uint8_t mark[256];

	for (size_t k = 0; k < n; k++) {
		uint32_t i = bad[k].i, *sum = f->sum[d->other[i]];
		sw_ix x = d->dest[i];
		uint8_t port = LFT_DROP;

		if (!multi_tree_is_across(u, s, x))
			continue;
		if (!multi_tree_mark_exits(u, s, u->graph.plane[x], mark)) {
			port = port_to_switch(
				t, s, u->crossing_leaf[u->graph.plane[s]]);
		} else {
			count_once(t, bad, n);
			for (unsigned p = 1; p < LFT_DROP; p++)
				if (mark[p] && (port == LFT_DROP ||
						       sum[p] < sum[port]))
					port = (uint8_t)p;
			sum[port]++;
		}
		set_entry(t, s, d->lid[i], port);
	}
}

/* Replace the n stale entries of one switch; the changed blocks go to the
 * writer. */
static void
repair_row(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct updown *u = t->m->p->u;
	const struct dest_table *d = t->m->d;
	struct row_job *f = &t->f;
	sw_ix s = bad->sw;
	const struct row_writer_row as = {.sw = s, .like = TOPO_NONE};
	uint8_t port;

	f->W = row_mask_words(u->graph.first[s + 1] - u->graph.first[s]);
	while (t->nlist > 0)
		t->staged[t->list[--t->nlist]] = false;
	f->counted = f->weighed = false;
	if (!lft_stale_is_alike(u, s, t->led_of)) {
		t->led_of = s;
		t->lead_for = (struct row_mask){{0}};
		t->stamp++;
	}
	for (size_t k = 0; k < n; k++) {
		uint32_t i = bad[k].i;
		const uint64_t *mask = t->seek.mask + bad[k].mask;

		if (multi_tree_is_across(u, s, d->dest[i]))
			continue;
		find_lead(t, s, i, mask);
		if (!next_hop_only_choice(f, s, i, mask, &port))
			port = choose_port(t, bad, n, k, mask);
		set_entry(t, s, d->lid[i], port);
	}
	repair_other_trees(t, bad, n);
	row_writer_add(&t->writer, &as, f->row, t->list, t->nlist);
}

static void
repair_rows(void *arg)
{
	struct part *t = arg;
	const struct lft_stale_entry *bad = t->seek.entry;

	/* at most as many blocks and rows as entries */
	row_writer_begin(&t->writer, t->f.a, (uint32_t)t->seek.nentries,
		(uint32_t)t->seek.nentries);
	for (size_t k = 0, n; k < t->seek.nentries; k += n) {
		for (n = 1;
			k + n < t->seek.nentries && bad[k + n].sw == bad[k].sw;)
			n++;
		repair_row(t, bad + k, n);
	}
}

static void
put_part(const struct part *t, struct routes *r)
{
	const struct row_writer *b = &t->writer;
	uint32_t at = 0;

	for (uint32_t i = 0; i < b->nrows; i++)
		for (uint32_t n = b->row[i].n; n > 0; n--, at++)
			routes_put_block(r, b->row[i].sw, b->block[at],
				b->bytes + (size_t)at * LFT_BLOCK, TOPO_NONE);
	r->entries_changed += t->seek.nentries;
}

/* The previous tables with the repaired blocks. */
static void
put_tables(struct entry_repair *m, struct routes *r)
{
	const struct updown *u = m->p->u;
	uint32_t *lids = arena_array(u->graph.a, u->graph.ncomp, sizeof(*lids));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (m->d->at[s] < m->d->end[s])
			lids[u->graph.comp[s]] += m->d->end[s] - m->d->at[s];
	routes_put_all(r, m->p->prev);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (u->graph.live[s])
			r->entries_kept += u->graph.plane != NULL
						   ? m->d->n
						   : lids[u->graph.comp[s]];
	for (unsigned i = 0; i < m->nparts; i++)
		put_part(&m->part[i], r);
	r->entries_kept -= r->entries_changed;
}

static void
begin_parts(struct entry_repair *m, uint32_t nblocks)
{
	const struct updown *u = m->p->u;
	unsigned n = u->graph.job->threads;

	if (n > THREAD_SHARES)
		n = THREAD_SHARES;
	if (n > u->graph.nsw / ROWS_MIN)
		n = u->graph.nsw / ROWS_MIN;
	n += n == 0;
	m->w = (struct down_path_search){.u = u, .r = &m->p->reach, .d = m->d};
	m->block = reach_block_new(m->p);
	find_affected(m);
	find_kinds(m, nblocks);
	m->part = arena_array(u->graph.a, n, sizeof(*m->part));
	m->nparts = n;
	for (unsigned i = 0; i < n; i++) {
		struct part *t = &m->part[i];
		struct arena *a = arena_new();

		t->m = m;
		t->counted = t->led_of = TOPO_NONE;
		t->f = (struct row_job){.a = a,
			.u = u,
			.r = &m->p->reach,
			.d = m->d,
			.block = m->block};
		t->f.bytes = (size_t)nblocks * LFT_BLOCK;
		t->from = (sw_ix)((uint64_t)u->graph.nsw * i / n);
		t->to = (sw_ix)((uint64_t)u->graph.nsw * (i + 1) / n);
		t->f.rest.word =
			arena_array(a, u->graph.words, sizeof(*t->f.rest.word));
		t->staged = arena_array(a, nblocks, sizeof(*t->staged));
		t->list = arena_array(a, nblocks, sizeof(*t->list));
		t->led = arena_array(a, u->graph.nsw, sizeof(*t->led));
		row_fill_begin_entries(&t->f);
		lft_stale_begin(&t->seek, m->p, m->d, &t->f);
	}
}

static void
end_parts(struct entry_repair *m)
{
	for (unsigned i = 0; i < m->nparts; i++) {
		lft_stale_end(&m->part[i].seek);
		arena_free(m->part[i].f.a);
	}
}

struct routes *
lft_repair_entries(struct repair_job *p, struct dest_table *d)
{
	const struct updown *u = p->u;
	const struct route_job *job = u->graph.job;
	struct entry_repair m = {.p = p, .d = d};
	struct routes *r = routes_new(job->topo, job->pool);

	begin_parts(&m, r->nblocks);
	thread_share(m.nparts, find_stale, m.part, sizeof(*m.part));
	find_paths(&m);
	if ((uint64_t)d->nsplit * TOO_MANY > u->graph.nhosts ||
		(job->cancel != NULL && *job->cancel)) {
		end_parts(&m);
		routes_unref(r);
		return NULL;
	}
	thread_share(m.nparts, repair_rows, m.part, sizeof(*m.part));
	put_tables(&m, r);
	end_parts(&m);
	r->engine = p->prev->engine;
	r->multi_port = d->nmulti_port;
	r->order = u->order;
	r->sftree_root = u->sftree_root;
	if (u->graph.plane != NULL)
		r->plane = multi_tree_copy_marks(u);
	memcpy(r->rank, u->rank, u->graph.nsw * sizeof(*r->rank));
	return r;
}
