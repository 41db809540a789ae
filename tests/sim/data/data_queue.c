/*
 * A timing wheel with a sorted array for the current slot. Slots are so narrow
 * that a few events lie in each; a slot is sorted when its time has come, by
 * time and (stable) by the order of insertion. Events beyond the wheel wait in
 * a heap and move into the wheel before later ones can be inserted beside them.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

enum { SLOTS = 1 << 14, NO_NODE = 0xffffffff >> 1, FEW = 24 };

void
data_queue_init(struct data_queue *q, unsigned shift)
{
	*q = (struct data_queue){.shift = shift, .base = -1};
	q->slot = mem_alloc(SLOTS * sizeof(*q->slot));
	q->filled = mem_zalloc(SLOTS / 64, sizeof(*q->filled));
	for (unsigned i = 0; i < SLOTS; i++)
		q->slot[i] = NO_NODE;
	q->free_node = NO_NODE;
}

void
data_queue_free(struct data_queue *q)
{
	free(q->slot);
	free(q->filled);
	free(q->node);
	free(q->cur);
	free(q->tmp);
	free(q->far);
}

static bool
is_before(const struct data_far *a, const struct data_far *b)
{
	return a->e.t != b->e.t ? a->e.t < b->e.t : a->seq < b->seq;
}

static void
push_far(struct data_queue *q, struct data_event e)
{
	struct data_far x = {e, q->seq++};
	size_t i = q->nfar;

	q->far = mem_grow(q->far, i, &q->far_cap, sizeof(*q->far));
	q->nfar++;
	while (i > 0 && is_before(&x, &q->far[(i - 1) / 2])) {
		q->far[i] = q->far[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	q->far[i] = x;
}

static struct data_event
pop_far(struct data_queue *q)
{
	struct data_event top = q->far[0].e;
	struct data_far last = q->far[--q->nfar];
	size_t i = 0;

	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= q->nfar)
			break;
		if (c + 1 < q->nfar && is_before(&q->far[c + 1], &q->far[c]))
			c++;
		if (!is_before(&q->far[c], &last))
			break;
		q->far[i] = q->far[c];
		i = c;
	}
	q->far[i] = last;
	return top;
}

/* Into the current slot, behind events of the same time. */
static void
insert_current(struct data_queue *q, struct data_event e)
{
	size_t i;

	q->cur = mem_grow(q->cur, q->cur_n, &q->cur_cap, sizeof(*q->cur));
	i = q->cur_n++;
	while (i > q->cur_i && q->cur[i - 1].t > e.t) {
		q->cur[i] = q->cur[i - 1];
		i--;
	}
	q->cur[i] = e;
}

static void
push_slot(struct data_queue *q, int64_t at, struct data_event e)
{
	unsigned s = (unsigned)at & (SLOTS - 1);
	uint32_t n = q->free_node;

	if (n != NO_NODE) {
		q->free_node = q->node[n].next;
	} else {
		q->node = mem_grow(
			q->node, q->nnode, &q->node_cap, sizeof(*q->node));
		n = (uint32_t)q->nnode++;
	}
	q->node[n].e = e;
	q->node[n].next = q->slot[s];
	q->slot[s] = n;
	q->filled[s / 64] |= 1ULL << (s % 64);
	q->waiting++;
}

void
data_queue_push(struct data_queue *q, struct data_event e)
{
	int64_t at = e.t >> q->shift;

	if (at <= q->base)
		insert_current(q, e);
	else if (at - q->base < SLOTS)
		push_slot(q, at, e);
	else
		push_far(q, e);
}

static void
merge_events(struct data_event *to, const struct data_event *a, size_t na,
	const struct data_event *b, size_t nb)
{
	while (na && nb) {
		if (b->t < a->t) {
			*to++ = *b++;
			nb--;
		} else {
			*to++ = *a++;
			na--;
		}
	}
	memcpy(to, na ? a : b, (na + nb) * sizeof(*to));
}

static void
sort_few(struct data_event *e, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct data_event x = e[i];
		size_t j = i;

		while (j > 0 && e[j - 1].t > x.t) {
			e[j] = e[j - 1];
			j--;
		}
		e[j] = x;
	}
}

/* A stable sort: runs of FEW by insertion, then merged between two arrays. */
static void
sort_current(struct data_queue *q)
{
	size_t n = q->cur_n;

	for (size_t i = 0; i < n; i += FEW)
		sort_few(q->cur + i, n - i < FEW ? n - i : FEW);
	if (n <= FEW)
		return;
	if (q->tmp_cap < q->cur_cap) {
		q->tmp = mem_resize(q->tmp, q->cur_cap, sizeof(*q->tmp));
		q->tmp_cap = q->cur_cap;
	}
	for (size_t run = FEW; run < n; run *= 2) {
		struct data_event *old = q->cur;
		size_t cap = q->cur_cap;

		for (size_t i = 0; i < n; i += 2 * run) {
			size_t na = n - i < run ? n - i : run;
			size_t nb = n - i - na < run ? n - i - na : run;

			merge_events(q->tmp + i, old + i, na, old + i + na, nb);
		}
		q->cur = q->tmp;
		q->cur_cap = q->tmp_cap;
		q->tmp = old;
		q->tmp_cap = cap;
	}
}

/* Number of the first slot after base with events; one exists. */
static int64_t
next_filled(const struct data_queue *q)
{
	int64_t at = q->base + 1;
	unsigned s = (unsigned)at & (SLOTS - 1);
	uint64_t w = q->filled[s / 64] >> (s % 64);

	if (w)
		return at + __builtin_ctzll(w);
	at += 64 - s % 64;
	for (;;) {
		s = (unsigned)at & (SLOTS - 1);
		if (q->filled[s / 64])
			return at + __builtin_ctzll(q->filled[s / 64]);
		at += 64;
	}
}

/* Take the slot's list, which is in reverse order, and sort it. */
static void
take_slot(struct data_queue *q)
{
	unsigned s = (unsigned)q->base & (SLOTS - 1);
	size_t n = 0;

	for (uint32_t i = q->slot[s]; i != NO_NODE;) {
		uint32_t next = q->node[i].next;

		q->cur = mem_grow(q->cur, n, &q->cur_cap, sizeof(*q->cur));
		q->cur[n++] = q->node[i].e;
		q->node[i].next = q->free_node;
		q->free_node = i;
		i = next;
	}
	q->slot[s] = NO_NODE;
	q->filled[s / 64] &= ~(1ULL << (s % 64));
	q->waiting -= (uint32_t)n;
	for (size_t i = 0; i < n / 2; i++) {
		struct data_event x = q->cur[i];

		q->cur[i] = q->cur[n - 1 - i];
		q->cur[n - 1 - i] = x;
	}
	q->cur_i = 0;
	q->cur_n = n;
	sort_current(q);
}

/* Go to the next slot with events; false: there are no events. */
static bool
next_slot(struct data_queue *q)
{
	if (q->waiting)
		q->base = next_filled(q);
	else if (q->nfar)
		q->base = q->far[0].e.t >> q->shift;
	else
		return false;
	while (q->nfar && (q->far[0].e.t >> q->shift) - q->base < SLOTS) {
		struct data_event e = pop_far(q);

		push_slot(q, e.t >> q->shift, e);
	}
	take_slot(q);
	return true;
}

bool
data_queue_pop(struct data_queue *q, int64_t t, struct data_event *e)
{
	if (q->cur_i == q->cur_n) {
		q->cur_i = q->cur_n = 0;
		if (!next_slot(q))
			return false;
	}
	if (q->cur[q->cur_i].t >= t)
		return false;
	*e = q->cur[q->cur_i++];
	q->done++;
	return true;
}
