#include <stdlib.h>
#include <string.h>

#include "routing/updn_batch.h"
#include "routing/updn_row.h"
#include "sm/base/thread.h"

enum {
	ROWS_MIN = 64,	       /* a thread's worth of work */
	BATCHES = 8,	       /* in small fabrics: tables are not made twice */
	BATCH_LEAST = 1 << 12, /* blocks */
	BATCH_BLOCKS = 1 << 15, /* 2 MiB: stays in the cache until it is put */
};

struct turn {
	uint32_t hash;
	sw_ix sw;
};

/* The rows turn[at] .. turn[end), made by one thread a batch at a time. */
struct part {
	struct updn_row f;
	const struct turn *turn;
	const sw_ix *former; /* number in the previous routes */
	uint32_t at, end;
	uint32_t nblocks;
	struct updn_batch batch;
};

static bool
cancelled(const struct updn *u)
{
	return u->job->cancel != NULL && *u->job->cancel;
}

static int
by_hash(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

/* Likely twins follow each other, so that one thread has both. */
static struct turn *
order(const struct updn *u)
{
	struct turn *turn = arena_array(u->a, u->nsw, sizeof(*turn));

	for (sw_ix s = 0; s < u->nsw; s++)
		turn[s] = (struct turn){updn_twin_hash(u, s), s};
	qsort(turn, u->nsw, sizeof(*turn), by_hash);
	return turn;
}

/* The rows of the previous routes that belong to the same switches. */
static sw_ix *
formers(const struct updn *u)
{
	sw_ix *former = arena_array(u->a, u->nsw, sizeof(*former));
	const struct routes *prev = u->job->prev;

	for (sw_ix s = 0; s < u->nsw; s++)
		former[s] = prev != NULL ? topo_switch_in(prev->topo, u->t, s)
					 : TOPO_NONE;
	return former;
}

/* Against previous routes whole rows are compared, not their twins. */
static void
complete(struct updn_row *f, const struct updn_twin *t, uint32_t nblocks)
{
	for (uint32_t b = 0; b < nblocks; b++)
		if (!f->touched[b])
			memcpy(f->row + (size_t)b * LFT_BLOCK,
				t->row + (size_t)b * LFT_BLOCK, LFT_BLOCK);
}

/* As many rows as the batch has room for. */
static void
make(void *arg)
{
	struct part *p = arg;

	p->batch.n = p->batch.nrows = 0;
	while (p->at < p->end && updn_batch_room(&p->batch, p->nblocks) &&
		!cancelled(p->f.u)) {
		struct updn_batch_row as = {.sw = p->turn[p->at++].sw};
		const struct updn_twin *t =
			updn_fill_row(&p->f, as.sw, p->former[as.sw]);

		as.twin = t != NULL ? t->sw : TOPO_NONE;
		if (t != NULL && p->f.u->job->prev != NULL) {
			complete(&p->f, t, p->nblocks);
			t = NULL;
		}
		updn_batch_add(&p->batch, &as, p->f.row,
			t != NULL ? p->f.list : NULL,
			t != NULL ? p->f.nlist : p->nblocks);
	}
}

/* The whole row of the twin but for n blocks, into the tables. */
static void
put_twin(struct routes *out, const struct updn_batch_row *as,
	const uint32_t *block, const uint8_t *bytes)
{
	routes_put_same(out, as->sw, out, as->twin);
	for (uint32_t i = 0; i < as->n; i++)
		routes_put_block(
			out, as->sw, block[i], bytes + (size_t)i * LFT_BLOCK);
}

static void
put(const struct part *p, struct routes *out)
{
	const struct updn_batch *b = &p->batch;
	sw_ix last = TOPO_NONE; /* likely a twin where none was sought */
	uint32_t at = 0;

	for (uint32_t i = 0; i < b->nrows; i++) {
		const struct updn_batch_row *as = &b->row[i];
		const uint8_t *bytes = b->bytes + (size_t)at * LFT_BLOCK;

		if (as->twin != TOPO_NONE && p->f.u->job->prev == NULL)
			put_twin(out, as, b->block + at, bytes);
		else
			routes_put_like(out, as->sw, bytes, p->f.u->job->prev,
				p->former[as->sw],
				as->twin != TOPO_NONE ? as->twin : last);
		last = as->sw;
		at += as->n;
	}
}

static unsigned
threads_for(const struct updn *u)
{
	unsigned n = u->job->threads;

	if (n > THREAD_SHARES)
		n = THREAD_SHARES;
	if (n > u->nsw / ROWS_MIN)
		n = u->nsw / ROWS_MIN;
	return n > 1 ? n : 1;
}

/* Thread i of n; first: the part of the first one, which may be this one. */
static void
begin(struct part *p, const struct part *first, const struct updn *u,
	unsigned i, unsigned n)
{
	uint64_t most, batch;

	p->f.a = arena_new();
	p->f.u = u;
	updn_fill_whole(&p->f, p == first ? NULL : &first->f);
	p->at = (uint32_t)((uint64_t)u->nsw * i / n);
	p->end = (uint32_t)((uint64_t)u->nsw * (i + 1) / n);
	most = (uint64_t)(p->end - p->at) * p->nblocks;
	batch = most / BATCHES;
	batch = batch > BATCH_LEAST ? batch : BATCH_LEAST;
	batch = batch < BATCH_BLOCKS ? batch : BATCH_BLOCKS;
	updn_batch_begin(&p->batch, p->f.a, p->end - p->at,
		(uint32_t)(batch < most ? batch : most));
}

int
updn_rows(const struct updn *u, const struct updn_reach *r,
	const struct updn_dests *d, bool keep, struct routes *out)
{
	unsigned n = threads_for(u);
	struct part *part = arena_array(u->a, n, sizeof(*part));
	const struct turn *turn = order(u);
	const sw_ix *former = formers(u);
	bool more = true;

	for (unsigned i = 0; i < n; i++) {
		part[i] = (struct part){.turn = turn,
			.former = former,
			.nblocks = out->nblocks};
		part[i].f.r = r;
		part[i].f.d = d;
		part[i].f.bytes = (size_t)out->nblocks * LFT_BLOCK;
		part[i].f.prev = keep ? u->job->prev : NULL;
		begin(&part[i], &part[0], u, i, n);
	}
	while (more && !cancelled(u)) {
		more = false;
		thread_share(n, make, part, sizeof(*part));
		for (unsigned i = 0; i < n; i++) {
			put(&part[i], out);
			more |= part[i].at < part[i].end;
		}
	}
	for (unsigned i = 0; i < n; i++)
		arena_free(part[i].f.a);
	return more || cancelled(u) ? -1 : 0;
}
