#include <stdlib.h>
#include <string.h>

#include "routing/updown/down_path_priv.h"
#include "routing/updown/keep_priv.h"
#include "routing/updown/lft_stale.h"
#include "routing/updown/row_priv.h"
#include "routing/updown/updown_state.h"
#include "sm/base/thread.h"

enum {
	UNROUTED = 2,	 /* LIDs that are not routed */
	ROWS_MIN = 1024, /* a thread's worth of work */
	MANY = 8,	 /* stale entries of a row */
};

/* What one thread examines and changes: the switches from .. to. */
struct part {
	const struct keeping *m;
	struct row_job f;
	struct lft_stale seek;
	sw_ix from, to;
	struct row_mask lead_for; /* groups that f.lead is for, and */
	uint32_t *led, stamp;	  /* path switches with this stamp, */
	sw_ix led_of;  /* ... as seen from this switch, and from similar ones */
	sw_ix counted; /* count holds its entries, by kind of LID and port */
	uint32_t count[UNROUTED + 1][256];
	bool meant;	/* f.meant counts the kept entries that carry load */
	bool *used;	/* by LID: the entry of this row does, once that is so;
			   where there are no hosts */
	bool *staged;	/* blocks of f.row, and */
	uint32_t *list; /* a list of them */
	uint32_t nlist;
	sw_ix last; /* the row changed before */
	struct row_writer writer;
};

struct keeping {
	struct keep_job p;
	const struct reach_block *block;
	bool any_new;	/* switches */
	bool *affected; /* [nsw] switches to examine */
	uint8_t *kind;	/* of each LID: as in d->other, or UNROUTED */
	uint32_t nblocks;
	struct part *part;
	unsigned nparts;
};

/* ---- what differs in more than links ---- */

/* True if LID i is at the switch where it was. */
static bool
lid_stayed(const struct keep_job *p, uint32_t i)
{
	const struct topo *was = p->prev->topo;
	port_ix port = topo_by_lid(was, p->d->lid[i], NULL);

	return port != TOPO_NONE &&
	       topo_switch_of(was, port) == p->was[p->d->dest[i]] &&
	       p->was[p->d->dest[i]] != TOPO_NONE;
}

static void
find_moved(struct keep_job *p)
{
	const struct updown *u = p->u;
	const struct dest_table *d = p->d;
	uint32_t lids = p->prev->nblocks * LFT_BLOCK;
	bool *owned =
		arena_array(u->graph.a, (size_t)UINT16_MAX + 1, sizeof(*owned));

	p->moved = arena_array(u->graph.a, d->n, sizeof(*p->moved));
	p->moved_at =
		arena_array(u->graph.a, u->graph.words, sizeof(*p->moved_at));
	p->moved_wide =
		arena_array(u->graph.a, p->nwide, sizeof(*p->moved_wide));
	p->gone = arena_array(u->graph.a, lids, sizeof(*p->gone));
	for (uint32_t i = 0; i < d->n; i++) {
		owned[d->lid[i]] = true;
		p->moved[i] = !lid_stayed(p, i);
		if (!p->moved[i])
			continue;
		bitset_add(p->moved_at, d->dest[i]);
		bitset_add(p->moved_wide, d->dest[i] / 64);
	}
	for (uint32_t lid = 0; lid < lids; lid++)
		if (!owned[lid])
			p->gone[p->ngone++] = (uint16_t)lid;
}

/* The previous numbers of switches. One that was in quarantine is new: all its
 * entries were empty. */
static void
find_prev_switches(struct keeping *m)
{
	struct keep_job *p = &m->p;
	const struct updown *u = p->u;
	const struct topo *was = p->prev->topo;

	p->was = arena_array(u->graph.a, u->graph.nsw, sizeof(*p->was));
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		p->was[s] = u->graph.topo_diff != NULL
				    ? s
				    : topo_switch_in(was, u->graph.t, s);
		if (p->was[s] != TOPO_NONE && !topo_sw_live(was, p->was[s]))
			p->was[s] = TOPO_NONE;
		m->any_new |= u->graph.live[s] && p->was[s] == TOPO_NONE;
	}
}

/* True if trees, their leaves or crossing leaves are not those of prev. */
static bool
has_other_trees(const struct keep_job *p)
{
	const struct updown *u = p->u;
	const struct updown_state *prev = updown_state_of(p->prev);
	const uint8_t *was = prev != NULL ? prev->tree : NULL;
	uint8_t *is;
	bool other = false;

	if (u->graph.plane == NULL || was == NULL)
		return u->graph.plane != was;
	is = multi_tree_copy_marks(u);
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		other |= p->was[s] == TOPO_NONE || was[p->was[s]] != is[s];
	free(is);
	return other;
}

/* ---- which entries are stale ---- */

/* Mark the switches that may have other candidates than before, or LIDs. */
static void
find_affected(struct keeping *m)
{
	const struct keep_job *p = &m->p;
	const struct updown *u = p->u;

	m->affected =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*m->affected));
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		m->affected[s] |=
			p->seed[s] || p->moved != NULL || p->other_trees;
		if (p->diff[s] == NULL)
			continue;
		m->affected[s] = true;
		for (uint32_t g = u->graph.first[s]; g < u->graph.first[s + 1];
			g++)
			m->affected[u->graph.group[g].peer] = true;
	}
}

static void
find_kinds(struct keeping *m)
{
	const struct dest_table *d = m->p.d;
	uint32_t blocks = m->p.prev->nblocks;
	size_t n;

	blocks = blocks > m->nblocks ? blocks : m->nblocks;
	n = (size_t)blocks * LFT_BLOCK;
	m->kind = arena_alloc(m->p.u->graph.a, n);
	memset(m->kind, UNROUTED, n);
	for (uint32_t i = 0; i < d->n; i++)
		m->kind[d->lid[i]] = d->other[i];
}

static bool
is_kept(const struct keeping *m, sw_ix s)
{
	return m->p.u->graph.live[s] && m->p.was[s] != TOPO_NONE;
}

/* Find the stale entries. */
static void
find_stale(void *arg)
{
	struct part *t = arg;

	for (sw_ix s = t->from; s < t->to; s++)
		if (t->m->affected[s] && is_kept(t->m, s))
			lft_stale_find(&t->seek, s);
}

/* ---- the down paths of their LIDs ---- */

/* True if there is more than one link to choose from. */
static bool
has_choice(const struct part *t, const struct lft_stale_entry *e)
{
	const struct updown *u = t->m->p.u;
	const struct swgraph *g = &u->graph;
	const uint64_t *mask = t->seek.mask + e->mask;
	sw_ix dest = t->m->p.d->dest[e->i];
	uint32_t words = row_mask_words(g->first[e->sw + 1] - g->first[e->sw]);
	uint32_t links = 0;

	if (dest == e->sw || multi_tree_is_across(u, e->sw, dest))
		return false;
	for (uint32_t w = 0; w < words; w++)
		for (uint64_t b = mask[w]; b != 0; b &= b - 1)
			links += g->group[g->first[e->sw] + w * 64 +
					  bitset_lowest64(b)]
					 .n;
	return links > 1;
}

static void
find_paths(struct keeping *m, const sw_ix *seq)
{
	const struct updown *u = m->p.u;
	struct down_path_search w = {.u = u, .r = m->p.reach, .d = m->p.d};
	bool *want = arena_array(u->graph.a, m->p.d->n, sizeof(*want));
	bool any = false;

	for (unsigned k = 0; k < m->nparts; k++) {
		const struct part *t = &m->part[k];

		for (size_t i = 0; i < t->seek.nentries; i++) {
			const struct lft_stale_entry *e = &t->seek.entry[i];

			if (want[e->i] || !has_choice(t, e))
				continue;
			want[e->i] = any = true;
		}
	}
	if (!any)
		return;
	down_path_begin(&w);
	down_path_some_from_lft(&w, seq, want);
}

/* The down paths of LID i: a single one, or its shares. */
static const struct down_path *
lid_paths(const struct dest_table *d, uint32_t i, uint32_t *n)
{
	*n = d->share_of[i] != 0 ? UPDN_SHARES : 1;
	return d->share_of[i] != 0
		       ? d->share + (size_t)(d->share_of[i] - 1) * UPDN_SHARES
		       : &d->path[i];
}

/* ---- what the kept entries put on each port ---- */

/* Add the entries of block b of s to count, or subtract them. */
static void
count_block(struct part *t, sw_ix s, uint32_t b, bool in)
{
	const uint8_t *entry = keep_prev_block(&t->m->p, s, b);
	const uint8_t *kind = t->m->kind + (size_t)b * LFT_BLOCK;

	for (unsigned i = 0; i < LFT_BLOCK; i++)
		t->count[kind[i]][entry[i]] += in ? 1U : -1U;
}

/* Rows of similar switches share most of their blocks: only blocks in which s
 * differs from the switch counted last are subtracted and added. */
static void
count_row(struct part *t, sw_ix s)
{
	const struct keep_job *p = &t->m->p;
	const struct routes *prev = p->prev;
	sw_ix last = t->counted;

	for (uint32_t b = 0; b < prev->nblocks; b++) {
		if (last != TOPO_NONE &&
			routes_ref_of(prev, p->was[last], b) ==
				routes_ref_of(prev, p->was[s], b))
			continue;
		if (last != TOPO_NONE)
			count_block(t, last, b, false);
		count_block(t, s, b, true);
	}
	t->counted = s;
}

/* Which entries of s, where no hosts are, carry load: those that a neighbour
 * sent to s by. */
static void
find_used(struct part *t, sw_ix s)
{
	const struct keep_job *p = &t->m->p;
	const struct routes *prev = p->prev;
	const struct topo_switch *sw = &prev->topo->sw[p->was[s]];
	const struct topo_adj *last = NULL;

	memset(t->used, 0, t->f.bytes);
	for (uint32_t i = 0; i < sw->nadj; i++) {
		const struct topo_adj *a = &prev->topo->adj[sw->adj + i];

		for (uint32_t b = 0; b < prev->nblocks && b < t->m->nblocks;
			b++) {
			lft_ref ref = routes_ref_of(prev, a->peer, b);
			const uint8_t *entry = lft_bytes(prev->pool, ref);
			bool *used = t->used + (size_t)b * LFT_BLOCK;

			if (last != NULL && last->peer_port == a->peer_port &&
				routes_ref_of(prev, last->peer, b) == ref)
				continue;
			for (unsigned k = 0; k < LFT_BLOCK; k++)
				used[k] |= entry[k] == a->peer_port;
		}
		last = a;
	}
}

/* True if the previous entry of s for a LID carries load. Where hosts are, each
 * does. */
static bool
is_used(const struct part *t, sw_ix s, uint16_t lid)
{
	const struct keep_job *p = &t->m->p;
	const struct topo *was = p->prev->topo;
	const struct topo_switch *sw = &was->sw[p->was[s]];

	if (p->u->graph.weight[s] > 0)
		return true;
	if (t->meant)
		return t->used[lid];
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (lid / LFT_BLOCK < p->prev->nblocks &&
			routes_port(p->prev, was->adj[i].peer, lid) ==
				was->adj[i].peer_port)
			return true;
	return false;
}

/* Count what the kept entries put on the ports of s: sum. */
static void
count_kept(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct keep_job *p = &t->m->p;
	const struct dest_table *d = p->d;
	struct row_job *f = &t->f;

	count_row(t, bad->sw);
	memcpy(f->sum, t->count, sizeof(f->sum));
	for (size_t k = 0; k < n; k++)
		f->sum[d->other[bad[k].i]]
		      [keep_prev_port(p, bad->sw, d->lid[bad[k].i])]--;
}

/* Count those of them that carry load: meant. Where hosts are, all do; nothing
 * has been added to sum yet then. */
static void
count_meant(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct keep_job *p = &t->m->p;
	const struct dest_table *d = p->d;
	struct row_job *f = &t->f;
	sw_ix s = bad->sw;

	if (p->u->graph.weight[s] > 0) {
		memcpy(f->meant, f->sum, sizeof(f->meant));
		return;
	}
	find_used(t, s);
	memset(f->meant, 0, sizeof(f->meant));
	for (uint32_t i = 0; i < d->n; i++)
		if (t->used[d->lid[i]])
			f->meant[d->other[i]]
				[keep_prev_port(p, s, d->lid[i])]++;
	for (size_t k = 0; k < n; k++)
		if (t->used[d->lid[bad[k].i]])
			f->meant[d->other[bad[k].i]]
				[keep_prev_port(p, s, d->lid[bad[k].i])]--;
}

/*
 * Count before the first choice in a row; what carries load, which takes all
 * entries of all neighbours, only before the first choice that looks at it
 * (meant), or where many entries are stale.
 */
static void
count_once(
	struct part *t, const struct lft_stale_entry *bad, size_t n, bool meant)
{
	if (!t->f.counted)
		count_kept(t, bad, n);
	t->f.counted = true;
	if (t->meant || (!meant && n < MANY))
		return;
	count_meant(t, bad, n);
	memcpy(t->f.passing, t->f.meant, sizeof(t->f.passing));
	t->meant = true;
}

/* ---- new entries ---- */

static void
set_entry(struct part *t, sw_ix s, uint16_t lid, uint8_t port)
{
	uint32_t b = lid / LFT_BLOCK;

	if (!t->staged[b]) {
		memcpy(t->f.row + (size_t)b * LFT_BLOCK,
			keep_prev_block(&t->m->p, s, b), LFT_BLOCK);
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
	const struct down_path *c = lid_paths(t->m->p.d, i, &n);

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
					  : keep_prev_port(&t->m->p, s, lid);
}

/* The port of s that leads to switch x itself. */
static uint8_t
port_to_switch(const struct part *t, sw_ix s, sw_ix x)
{
	const struct dest_table *d = t->m->p.d;

	for (uint32_t i = d->at[x]; i < d->end[x]; i++)
		if (d->out[i] == 0)
			return current_entry(t, s, d->lid[i]);
	return LFT_DROP;
}

/* Entries for other trees, when those for the own tree are valid. */
static void
change_other_trees(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct dest_table *d = t->m->p.d;
	const struct updown *u = t->m->p.u;
	struct row_job *f = &t->f;
	uint8_t mark[256];

	for (size_t k = 0; k < n; k++) {
		sw_ix s = bad[k].sw, x = d->dest[bad[k].i];
		uint32_t i = bad[k].i, *sum = f->sum[d->other[i]];
		uint8_t port = LFT_DROP;

		if (!multi_tree_is_across(u, s, x))
			continue;
		if (!multi_tree_mark_exits(u, s, u->graph.plane[x], mark)) {
			port = port_to_switch(
				t, s, u->crossing_leaf[u->graph.plane[s]]);
		} else {
			count_once(t, bad, n, false);
			for (unsigned p = 1; p < LFT_DROP; p++)
				if (mark[p] && (port == LFT_DROP ||
						       sum[p] < sum[port]))
					port = (uint8_t)p;
			sum[port]++;
		}
		set_entry(t, s, d->lid[i], port);
	}
}

/* Make ready for the entries of s. */
static void
begin_row(struct part *t, sw_ix s)
{
	const struct updown *u = t->m->p.u;

	t->f.W = row_mask_words(u->graph.first[s + 1] - u->graph.first[s]);
	while (t->nlist > 0)
		t->staged[t->list[--t->nlist]] = false;
	t->f.counted = t->meant = false;
	if (lft_stale_is_alike(u, s, t->led_of))
		return;
	t->led_of = s;
	t->lead_for = (struct row_mask){{0}};
	t->stamp++;
}

/* Replace the n stale entries of one switch. */
static void
change_entries(struct part *t, const struct lft_stale_entry *bad, size_t n)
{
	const struct updown *u = t->m->p.u;
	const struct dest_table *d = t->m->p.d;
	struct row_job *f = &t->f;
	uint8_t port;

	for (size_t k = 0; k < n; k++) {
		sw_ix s = bad[k].sw;
		uint32_t i = bad[k].i;
		const uint64_t *mask = t->seek.mask + bad[k].mask;

		if (d->dest[i] == s) {
			set_entry(t, s, d->lid[i], d->out[i]);
			continue;
		}
		if (multi_tree_is_across(u, s, d->dest[i]))
			continue;
		find_lead(t, s, i, mask);
		if (!next_hop_only_choice(f, s, i, mask, &port)) {
			bool used = is_used(t, s, d->lid[i]);

			count_once(t, bad, n,
				next_hop_is_meant(f, s, i, mask, used));
			port = next_hop_choose(f, s, i, mask, used);
		}
		set_entry(t, s, d->lid[i], port);
	}
	change_other_trees(t, bad, n);
}

/* The row of s, of which n entries are stale; the changed blocks go to the
 * writer. */
static void
change_row(struct part *t, sw_ix s, const struct lft_stale_entry *bad, size_t n)
{
	const struct keep_job *p = &t->m->p;
	const struct row_writer_row as = {
		.sw = s, .like = TOPO_NONE, .beside = t->last};

	begin_row(t, s);
	change_entries(t, bad, n);
	for (uint32_t k = 0; k < p->ngone; k++)
		if (keep_prev_port(p, s, p->gone[k]) != LFT_DROP &&
			p->gone[k] < t->f.bytes)
			set_entry(t, s, p->gone[k], LFT_DROP);
	if (t->nlist == 0)
		return;
	row_writer_add(&t->writer, &as, t->f.row, t->list, t->nlist);
	t->last = s;
}

/* How many blocks the gone LIDs are in, at most. */
static uint32_t
gone_blocks(const struct keep_job *p)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < p->ngone; k++)
		n += k == 0 ||
		     p->gone[k] / LFT_BLOCK != p->gone[k - 1] / LFT_BLOCK;
	return n;
}

static void
change_rows(void *arg)
{
	struct part *t = arg;
	const struct lft_stale_entry *bad = t->seek.entry;
	uint32_t gone = gone_blocks(&t->m->p), rows = t->to - t->from;
	size_t at = 0, blocks = t->seek.nentries + (size_t)gone * rows;

	if ((size_t)rows * t->m->nblocks < blocks)
		blocks = (size_t)rows * t->m->nblocks;
	row_writer_begin(&t->writer, t->f.a, rows, (uint32_t)blocks);
	for (sw_ix s = t->from; s < t->to; s++) {
		size_t n = 0;

		while (at + n < t->seek.nentries && bad[at + n].sw == s)
			n++;
		if (n > 0 || (gone > 0 && is_kept(t->m, s)))
			change_row(t, s, bad + at, n);
		at += n;
	}
}

/* ---- the tables ---- */

/* Count what block b of s, as it is now, changes. */
static void
count_changes(const struct keeping *m, struct routes *r, sw_ix s, uint32_t b,
	const uint8_t *is)
{
	const uint8_t *was = keep_prev_block(&m->p, s, b);

	for (unsigned i = 0; i < LFT_BLOCK; i++) {
		r->entries_changed += was[i] != is[i];
		r->entries_kept -= was[i] != is[i] && is[i] != LFT_DROP;
	}
}

static void
put_part(const struct part *t, struct routes *r)
{
	const struct row_writer *w = &t->writer;
	uint32_t at = 0;

	for (uint32_t i = 0; i < w->nrows; i++)
		for (uint32_t n = w->row[i].n; n > 0; n--, at++) {
			const uint8_t *is = w->bytes + (size_t)at * LFT_BLOCK;

			count_changes(t->m, r, w->row[i].sw, w->block[at], is);
			routes_put_block(r, w->row[i].sw, w->block[at], is,
				w->row[i].beside);
		}
}

/* Rows of new switches. */
static void
put_new_rows(const struct keeping *m, struct routes *r)
{
	const struct updown *u = m->p.u;
	struct row_job f = {.a = arena_new(),
		.u = u,
		.r = m->p.reach,
		.d = m->p.d,
		.bytes = (size_t)m->nblocks * LFT_BLOCK};
	sw_ix last = TOPO_NONE;

	row_fill_begin_rows(&f, NULL);
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (!u->graph.live[s] || m->p.was[s] != TOPO_NONE)
			continue;
		row_template_forget(&f);
		(void)row_fill_row(&f, s);
		routes_put_like(r, s, f.row, m->p.prev, TOPO_NONE, last);
		last = s;
	}
	arena_free(f.a);
}

/* The previous tables with the changed blocks, and the rows of new switches. */
static void
put_tables(struct keeping *m, struct routes *r)
{
	const struct updown *u = m->p.u;
	const struct dest_table *d = m->p.d;
	uint32_t *lids = arena_array(u->graph.a, u->graph.ncomp, sizeof(*lids));

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (d->at[s] < d->end[s])
			lids[u->graph.comp[s]] += d->end[s] - d->at[s];
	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		if (!is_kept(m, s))
			continue;
		routes_put_same(r, s, m->p.prev, m->p.was[s]);
		r->entries_kept +=
			u->graph.plane != NULL ? d->n : lids[u->graph.comp[s]];
	}
	for (unsigned i = 0; i < m->nparts; i++)
		put_part(&m->part[i], r);
	if (m->any_new)
		put_new_rows(m, r);
}

/* ---- all of it ---- */

static void
begin_part(struct part *t, const struct keeping *m)
{
	const struct updown *u = m->p.u;
	struct arena *a = arena_new();

	t->m = m;
	t->counted = t->led_of = t->last = TOPO_NONE;
	t->f = (struct row_job){.a = a,
		.u = u,
		.r = m->p.reach,
		.d = m->p.d,
		.block = m->block};
	t->f.bytes = (size_t)m->nblocks * LFT_BLOCK;
	t->f.rest.word =
		arena_array(a, u->graph.words, sizeof(*t->f.rest.word));
	t->used = arena_array(a, t->f.bytes, sizeof(*t->used));
	t->staged = arena_array(a, m->nblocks, sizeof(*t->staged));
	t->list = arena_array(a, m->nblocks, sizeof(*t->list));
	t->led = arena_array(a, u->graph.nsw, sizeof(*t->led));
	row_fill_begin_entries(&t->f);
	lft_stale_begin(&t->seek, &m->p, &t->f);
}

static void
begin_parts(struct keeping *m)
{
	const struct updown *u = m->p.u;
	unsigned n = u->graph.job->threads;

	if (n > THREAD_SHARES)
		n = THREAD_SHARES;
	if (n > u->graph.nsw / ROWS_MIN)
		n = u->graph.nsw / ROWS_MIN;
	n += n == 0;
	m->block = reach_block_new(&m->p);
	find_affected(m);
	find_kinds(m);
	m->part = arena_array(u->graph.a, n, sizeof(*m->part));
	m->nparts = n;
	for (unsigned i = 0; i < n; i++) {
		begin_part(&m->part[i], m);
		m->part[i].from = (sw_ix)((uint64_t)u->graph.nsw * i / n);
		m->part[i].to = (sw_ix)((uint64_t)u->graph.nsw * (i + 1) / n);
	}
}

static void
end_parts(struct keeping *m)
{
	for (unsigned i = 0; i < m->nparts; i++) {
		lft_stale_end(&m->part[i].seek);
		arena_free(m->part[i].f.a);
	}
}

static bool
is_cancelled(const struct updown *u)
{
	return u->graph.job->cancel != NULL && *u->graph.job->cancel;
}

int
lft_keep_rows(struct updown *u, const struct reachability *reach,
	const char *engine, struct routes *r)
{
	struct dest_table d;
	struct keeping m = {.p = {.u = u,
				    .prev = u->graph.job->prev,
				    .reach = reach,
				    .d = &d,
				    .nwide = (u->graph.words + 63) / 64},
		.nblocks = r->nblocks};
	sw_ix *seq = NULL;

	find_prev_switches(&m);
	d = m.any_new ? down_path_choose_all(u, reach, true)
		      : down_path_list_lids(u, &seq);
	if (u->graph.topo_diff == NULL || strcmp(m.p.prev->engine, engine) != 0)
		find_moved(&m.p);
	m.p.other_trees = has_other_trees(&m.p);
	reach_diff_find(&m.p, engine);
	begin_parts(&m);
	thread_share(m.nparts, find_stale, m.part, sizeof(*m.part));
	if (!m.any_new && !is_cancelled(u))
		find_paths(&m, seq);
	if (!is_cancelled(u)) {
		thread_share(m.nparts, change_rows, m.part, sizeof(*m.part));
		put_tables(&m, r);
	}
	end_parts(&m);
	return is_cancelled(u) ? -1 : 0;
}
