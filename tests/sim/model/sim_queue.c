#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/model/sim_int.h"

enum { OVERTAKE = 16 };

static bool
is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->seq < b->seq;
}

void
sim_queue_event(
	struct sim *s, struct mono t, int kind, uint32_t ix, uint32_t arg)
{
	struct sim_event e = {
		.ns = t.ns, .seq = s->seq++, .ix = ix, .arg = arg};
	size_t i = s->nheap;

	e.kind = kind == EV_ARRIVE    ? EV_ARRIVE
		 : kind == EV_DELIVER ? EV_DELIVER
		 : kind == EV_TRAP    ? EV_TRAP
		 : kind == EV_FLAP    ? EV_FLAP
				      : EV_CALL;
	if (e.ns < s->now.ns)
		e.ns = s->now.ns;
	s->heap = mem_grow(s->heap, i, &s->heap_cap, sizeof(*s->heap));
	s->nheap++;
	while (i > 0 && is_before(&e, &s->heap[(i - 1) / 2])) {
		s->heap[i] = s->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->heap[i] = e;
}

bool
sim_queue_pop(struct sim *s, struct sim_event *e)
{
	struct sim_event last;
	size_t i = 0;

	if (s->nheap == 0)
		return false;
	*e = s->heap[0];
	last = s->heap[--s->nheap];
	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= s->nheap)
			break;
		if (c + 1 < s->nheap && is_before(&s->heap[c + 1], &s->heap[c]))
			c++;
		if (!is_before(&s->heap[c], &last))
			break;
		s->heap[i] = s->heap[c];
		i = c;
	}
	s->heap[i] = last;
	return true;
}

struct sim_flight *
sim_queue_flight(struct sim *s, uint32_t *ix)
{
	if (s->free_flight != FABRIC_NONE) {
		*ix = s->free_flight;
		s->free_flight = s->flight[*ix].next_free;
		return &s->flight[*ix];
	}
	s->flight = mem_grow(
		s->flight, s->nflight, &s->flight_cap, sizeof(*s->flight));
	*ix = (uint32_t)s->nflight++;
	return &s->flight[*ix];
}

void
sim_queue_release(struct sim *s, uint32_t ix)
{
	s->flight[ix].next_free = s->free_flight;
	s->free_flight = ix;
}

/* Draw an event with the sum of two chances in millionths. */
static bool
is_drawn(struct sim *s, uint32_t a, uint32_t b)
{
	uint32_t chance = a + b;

	return chance && rng_below(&s->rng, 1000000) < chance;
}

static void
damage_msg(struct sim *s, struct transport_msg *m, const struct sim_faults *a,
	const struct sim_faults *b)
{
	if (is_drawn(s, a->corrupt, b->corrupt)) {
		unsigned n = 1 + rng_below(&s->rng, 4);

		while (n--)
			m->mad[rng_below(&s->rng, MAD_SIZE)] ^=
				(uint8_t)(1 + rng_below(&s->rng, 255));
	}
	if (is_drawn(s, a->truncate, b->truncate))
		m->len = rng_below(&s->rng, MAD_SIZE);
}

/* A delay in which some other messages are sent and answered. */
static int64_t
hold_back(struct sim *s)
{
	int64_t most = OVERTAKE * (s->o.hop.ns + s->o.service.ns) + 1;

	return 1 + (int64_t)(rng_next(&s->rng) % (uint64_t)most);
}

/*
 * When a message arrives that would do so at t, without faults. A second copy
 * arrives right behind the first: links of IBA repeat nothing, and keep the
 * order of packets on a VL, so that only the sender of a message can have it
 * arrive once more later.
 */
static struct mono
draw_arrival(struct sim *s, struct mono t, const struct sim_faults *a,
	const struct sim_faults *b)
{
	struct mono most =
		a->delay_max.ns > b->delay_max.ns ? a->delay_max : b->delay_max;

	if (is_drawn(s, a->delay, b->delay) && most.ns > 0)
		t.ns += (int64_t)(rng_next(&s->rng) % (uint64_t)most.ns);
	if (is_drawn(s, a->reorder, b->reorder))
		t.ns += hold_back(s);
	return t;
}

void
sim_queue_send(struct sim *s, const struct sim_msg *msg, int origin, int kind,
	struct mono delay)
{
	const struct sim_faults *a = &s->o.faults;
	uint32_t who = kind == EV_ARRIVE ? msg->node : msg->from;
	const struct sim_faults *b = &s->node[who].how.faults;
	struct mono t = mono_add(s->now, delay);
	unsigned copies = 1;

	if (is_drawn(s, a->loss, b->loss)) {
		s->stats.lost_fault++;
		sim_perf_count(sim_int_port(s, msg->node, msg->port),
			MAD_PERF_RCV_ERRORS);
		return;
	}
	copies += is_drawn(s, a->dup, b->dup);
	for (unsigned i = 0; i < copies; i++) {
		uint32_t ix;
		struct sim_flight *f = sim_queue_flight(s, &ix);

		f->msg = *msg;
		f->origin = (int8_t)origin;
		sim_queue_hold(&f->msg.m);
		damage_msg(s, &f->msg.m, a, b);
		if (f->msg.m.len > MAD_SIZE && f->msg.m.body != NULL)
			memcpy(f->msg.m.body, f->msg.m.mad, MAD_SIZE);
		if (i == 0)
			t = draw_arrival(s, t, a, b);
		sim_queue_event(s, t, kind, ix, 0);
	}
}

void
sim_queue_hold(struct transport_msg *m)
{
	m->body = m->len > MAD_SIZE ? mem_dup(m->body, m->len) : NULL;
}

void
sim_queue_free(struct sim *s)
{
	for (size_t i = 0; i < s->nheap; i++) {
		const struct sim_event *e = &s->heap[i];

		if (e->kind == EV_ARRIVE || e->kind == EV_DELIVER)
			free(s->flight[e->ix].msg.m.body);
	}
	free(s->heap);
	free(s->flight);
	free(s->call);
	free(s->flap);
}
