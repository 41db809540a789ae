#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/updown/row_priv.h"
#include "routing/updown/updown_state.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	ROWS_MIN = 64, /* a thread's worth of work */
	UNITS = 16,    /* units at least, if all switches are of one class */
	BATCHES = 8,   /* per thread: small tables are not held twice */
	BATCH_LEAST = 1 << 12, /* blocks */
	BATCH_BLOCKS =
		1 << 15, /* 2 MiB: stays in the CPU's cache until it is put */
};

/*
 * What the threads share: rows to make, unit by unit. A thread that has time
 * takes the next unit. The first thread puts what it makes into the tables as
 * it goes, the others fill batches, which it puts while none of them runs: the
 * pool of blocks belongs to one thread.
 */
struct rows {
	const struct updown *u;
	struct routes *out;
	sw_ix *seq;	/* by neighbour class: likely templates of each other */
	uint32_t *unit; /* [nunits + 1] where each begins in seq */
	uint32_t nunits;
	sw_ix *former;	       /* [nsw] number in the previous routes */
	_Atomic uint32_t next; /* the first unit not taken */
	atomic_bool full;      /* a thread waits for its batch to be put */
};

/* A thread, and what is left of its unit: seq[at] .. seq[end). */
struct part {
	struct row_job f;
	struct rows *rows;
	bool puts; /* this is the first thread */
	uint32_t at, end;
	sw_ix last; /* the row before in this unit: similar, perhaps */
	struct row_writer writer;
};

static bool
is_cancelled(const struct updown *u)
{
	return u->graph.job->cancel != NULL && *u->graph.job->cancel;
}

/* What switches with similar rows have in common: the neighbours above; tops:
 * the neighbours below. */
static sw_ix
key_of(const struct updown *u, sw_ix s)
{
	const struct nbr_class *classes = &u->tier_class;

	return classes->mid[s] > u->graph.first[s] ? classes->up.first[s]
						   : classes->down.first[s];
}

/* Switches by key, then by number; units of one key, not too large. */
static void
order_rows(const struct updown *u, struct rows *r)
{
	uint32_t *at = arena_array(u->graph.a, u->graph.nsw + 1, sizeof(*at));
	uint32_t most = u->graph.nsw / UNITS + 1;

	r->seq = arena_array(u->graph.a, u->graph.nsw, sizeof(*r->seq));
	r->unit = arena_array(u->graph.a, u->graph.nsw + 1, sizeof(*r->unit));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		at[key_of(u, s) + 1]++;
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		at[s + 1] += at[s];
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		r->seq[at[key_of(u, s)]++] = s;
	for (uint32_t i = 0; i < u->graph.nsw; i++)
		if (i == 0 || i - r->unit[r->nunits - 1] == most ||
			key_of(u, r->seq[i]) != key_of(u, r->seq[i - 1]))
			r->unit[r->nunits++] = i;
	r->unit[r->nunits] = u->graph.nsw;
}

/* The numbers of the switches in the previous routes, TOPO_NONE: new. */
static sw_ix *
find_prev_switches(const struct updown *u)
{
	sw_ix *former = arena_array(u->graph.a, u->graph.nsw, sizeof(*former));
	const struct routes *prev = u->graph.job->prev;

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		former[s] = prev != NULL
				    ? topo_switch_in(prev->topo, u->graph.t, s)
				    : TOPO_NONE;
	return former;
}

/* Whole rows are compared with the previous routes, so fetch the rest of the
 * template. */
static void
copy_template_blocks(
	struct row_job *f, const struct row_template *t, uint32_t nblocks)
{
	for (uint32_t b = 0; b < nblocks; b++)
		if (!f->touched[b])
			memcpy(f->row + (size_t)b * LFT_BLOCK,
				t->row + (size_t)b * LFT_BLOCK, LFT_BLOCK);
}

/* True if there is a row to make, in the unit at hand or in another one. */
static bool
has_row_to_make(struct part *p)
{
	struct rows *r = p->rows;
	uint32_t i;

	if (p->at < p->end)
		return true;
	if (atomic_load(&r->next) >= r->nunits)
		return false;
	i = atomic_fetch_add(&r->next, 1);
	if (i >= r->nunits)
		return false;
	p->at = r->unit[i];
	p->end = r->unit[i + 1];
	p->last = TOPO_NONE;
	row_template_forget(&p->f);
	return true;
}

static void
make_row(struct part *p, sw_ix s)
{
	uint32_t nblocks = p->rows->out->nblocks;
	const struct row_template *t = row_fill_row(&p->f, s);
	struct row_writer_row as = {
		s, t != NULL ? t->sw : p->last, .beside = p->last};

	if (t != NULL && p->rows->u->graph.job->prev != NULL)
		copy_template_blocks(&p->f, t, nblocks);
	as.whole = t == NULL || p->rows->u->graph.job->prev != NULL;
	row_writer_add(&p->writer, &as, p->f.row, as.whole ? NULL : p->f.list,
		as.whole ? nblocks : p->f.nlist);
	p->last = s;
}

/* The row of as->like except for n blocks, into the tables. */
static void
put_patched(struct routes *out, const struct row_writer_row *as,
	const uint32_t *block, const uint8_t *bytes)
{
	routes_put_same(out, as->sw, out, as->like);
	for (uint32_t i = 0; i < as->n; i++)
		routes_put_block(out, as->sw, block[i],
			bytes + (size_t)i * LFT_BLOCK, as->beside);
}

/* Put the rows of the batch into the tables, and empty it. */
static void
put_batch(struct part *p)
{
	const struct rows *r = p->rows;
	struct row_writer *b = &p->writer;
	uint32_t at = 0;

	for (uint32_t i = 0; i < b->nrows; i++) {
		const struct row_writer_row *as = &b->row[i];
		const uint8_t *bytes = b->bytes + (size_t)at * LFT_BLOCK;

		if (as->whole)
			routes_put_like(r->out, as->sw, bytes,
				r->u->graph.job->prev, r->former[as->sw],
				as->like);
		else
			put_patched(r->out, as, b->block + at, bytes);
		at += as->n;
	}
	b->n = b->nrows = 0;
}

/* True if there is room for one more row with this many blocks. */
static bool
has_room(const struct row_writer *b, uint32_t blocks)
{
	return b->nrows < b->max_rows && b->max - b->n >= blocks;
}

/* Make rows until there are no more, or until a full batch has to be put. */
static void
make_batch(void *arg)
{
	struct part *p = arg;
	struct rows *r = p->rows;

	while (!atomic_load(&r->full) && has_row_to_make(p) &&
		!is_cancelled(r->u)) {
		make_row(p, r->seq[p->at++]);
		if (has_room(&p->writer, r->out->nblocks))
			continue;
		if (p->puts)
			put_batch(p);
		else
			atomic_store(&r->full, true);
	}
}

static unsigned
threads_for(const struct updown *u)
{
	unsigned n = u->graph.job->threads;

	if (n > THREAD_SHARES)
		n = THREAD_SHARES;
	if (n > u->graph.nsw / ROWS_MIN)
		n = u->graph.nsw / ROWS_MIN;
	return n > 1 ? n : 1;
}

/* Prepare thread p of n; first: the first one, which may be p. */
static void
begin_part(struct part *p, const struct part *first, unsigned n)
{
	const struct updown *u = p->rows->u;
	uint32_t nblocks = p->rows->out->nblocks;
	uint64_t most = (uint64_t)u->graph.nsw * nblocks, batch = BATCH_LEAST;

	p->f.a = arena_new();
	p->f.u = u;
	row_fill_begin_rows(&p->f, p == first ? NULL : &first->f);
	p->puts = p == first;
	if (!p->puts) {
		batch = most / n / BATCHES;
		batch = batch > BATCH_LEAST ? batch : BATCH_LEAST;
		batch = batch < BATCH_BLOCKS ? batch : BATCH_BLOCKS;
	}
	row_writer_begin(&p->writer, p->f.a, u->graph.nsw,
		(uint32_t)(batch < most ? batch : most));
}

/* All rows into out, by job->threads threads. -1 when cancelled. */
static int
make_rows(const struct updown *u, const struct reachability *r,
	const struct dest_table *d, struct routes *out)
{
	unsigned n = threads_for(u);
	struct part *part = arena_array(u->graph.a, n, sizeof(*part));
	struct rows rows = {
		.u = u, .out = out, .former = find_prev_switches(u)};
	bool more = true;

	order_rows(u, &rows);
	for (unsigned i = 0; i < n; i++) {
		part[i] = (struct part){.rows = &rows};
		part[i].f.r = r;
		part[i].f.d = d;
		part[i].f.bytes = (size_t)out->nblocks * LFT_BLOCK;
		begin_part(&part[i], &part[0], n);
	}
	while (more && !is_cancelled(u)) {
		atomic_store(&rows.full, false);
		thread_share(n, make_batch, part, sizeof(*part));
		more = atomic_load(&rows.next) < rows.nunits;
		for (unsigned i = 0; i < n; i++) {
			put_batch(&part[i]);
			more |= part[i].at < part[i].end;
		}
	}
	for (unsigned i = 0; i < n; i++)
		arena_free(part[i].f.a);
	return more || is_cancelled(u) ? -1 : 0;
}

/* ---- from an order to routes ---- */

static int
make_fresh_rows(
	struct updown *u, const struct reachability *reach, struct routes *r)
{
	struct dest_table d = down_path_choose_all(u, reach, false);

	return make_rows(u, reach, &d, r);
}

struct routes *
rows_make_routes(struct updown *u, bool keep, const char *engine)
{
	const struct route_job *job = u->graph.job;
	struct routes *r = routes_new(job->topo, job->pool);
	struct reachability reach = reach_make_levels(u);
	uint8_t *tree;
	int rc = keep && job->prev != NULL ? lft_keep_rows(u, &reach, engine, r)
					   : make_fresh_rows(u, &reach, r);

	if (rc < 0) {
		routes_unref(r);
		return NULL;
	}
	r->engine = engine;
	r->order = u->order;
	memcpy(r->rank, u->rank, u->graph.nsw * sizeof(*r->rank));
	free(r->sw_order);
	r->sw_order =
		mem_dup(u->sw_order.pos, u->graph.nsw * sizeof(*r->sw_order));
	tree = u->graph.plane != NULL ? multi_tree_copy_marks(u) : NULL;
	updown_state_keep(u, tree, r);
	free(tree);
	(void)snprintf(r->note, sizeof(r->note), "%s", u->note);
	return r;
}
