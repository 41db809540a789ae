#include <stdlib.h>
#include <string.h>

#include "distribution/expect_priv.h"
#include "sm/base/mem.h"

enum {
	SAMPLES = 4, /* moments of a stage */
	INIT = 2,
};

/* What has happened so far, and what is being written down. */
struct when {
	const struct expect_job *job;
	const struct topo *t;
	const bool *downed;
	struct expect *out;
	struct expect_moments *m;
	uint32_t *count; /* [nnodes] SMPs to a node in this phase */
	size_t smps, most;
	size_t written;
	unsigned closed;
	bool down;
	bool drain; /* before the next phase */
};

/* ---- phases ---- */

static void
phase_begin(struct when *w, enum expect_kind kind)
{
	struct expect *e = w->out;

	e->phase[e->nphases++] = (struct expect_phase){.kind = kind};
	memset(w->count, 0, w->t->nnodes * sizeof(*w->count));
	w->smps = w->most = 0;
}

static void
ask(struct when *w, node_ix node, uint32_t n)
{
	w->count[node] += n;
	w->smps += n;
	if (w->count[node] > w->most)
		w->most = w->count[node];
}

static size_t
rounds(size_t n, unsigned at_once)
{
	return at_once > 0 ? (n + at_once - 1) / at_once : n;
}

/* The SMPs asked for until now have been answered; begin to count anew. */
static struct mono
answered(struct when *w)
{
	const struct expect_pace *p = &w->job->pace;
	size_t all = rounds(w->smps, p->window);
	size_t one = rounds(w->most, p->target);
	size_t n = all > one ? all : one;

	w->out->phase[w->out->nphases - 1].smps += w->smps;
	memset(w->count, 0, w->t->nnodes * sizeof(*w->count));
	w->smps = w->most = 0;
	return (struct mono){p->answer.ns * (int64_t)n};
}

/* The fabric is as it is now for so long. */
static void
stay(struct when *w, struct mono time)
{
	struct expect_moments *m = w->m;
	size_t phase = w->out->nphases - 1;

	w->out->phase[phase].time = mono_add(w->out->phase[phase].time, time);
	m->m = mem_grow(m->m, m->n, &m->cap, sizeof(*m->m));
	m->m[m->n++] = (struct expect_moment){
		.phase = phase,
		.seconds = mono_seconds(time),
		.written = w->written,
		.closed = w->closed,
		.down = w->down,
	};
}

/* Wait for what is on its way, if that has to be. */
static void
drain(struct when *w)
{
	if (!w->drain)
		return;
	w->drain = false;
	w->out->phase[w->out->nphases - 1].drain = w->job->pace.drain;
	stay(w, w->job->pace.drain);
}

static struct mono
part(struct mono t, size_t n)
{
	return (struct mono){t.ns / (int64_t)n};
}

/* ---- what the phases do ---- */

static node_ix
node_of(const struct when *w, sw_ix s)
{
	return w->t->sw[s].node;
}

/* Writes up to `end`, each in its place in the time they take together. */
static void
write_until(struct when *w, size_t end)
{
	const struct safe_transition *x = w->job->change;
	size_t first = w->written, n = end - first;
	unsigned samples = n < SAMPLES ? (unsigned)n : SAMPLES;
	struct mono time;

	for (size_t i = first; i < end; i++)
		ask(w, node_of(w, x->write[i].sw), 1);
	time = answered(w);
	for (unsigned k = 0; k < samples; k++) {
		w->written = first + (n * (2 * k + 1) + samples) /
					     (2 * (size_t)samples);
		stay(w, part(time, samples));
	}
	w->written = end;
}

static void
walls(struct when *w)
{
	if (w->job->change->nwalls == 0)
		return;
	phase_begin(w, EXPECT_WALLS);
	write_until(w, w->job->change->nwalls);
	w->drain = true;
}

static bool
of_kind(const struct safe_turn *u, unsigned which)
{
	return !u->by_port &&
	       (which & (u->stays ? EXPECT_STAYING : EXPECT_PASSING)) != 0;
}

/* Rows go to lane 15, or back: half of the time they are there. */
static void
turn_rows(struct when *w, enum expect_kind kind, unsigned which)
{
	const struct safe_transition *x = w->job->change;
	struct mono half;
	size_t n = 0;

	for (size_t i = 0; i < x->nturns; i++)
		n += of_kind(&x->turn[i], which);
	if (n == 0)
		return;
	phase_begin(w, kind);
	drain(w);
	for (size_t i = 0; i < x->nturns; i++)
		if (of_kind(&x->turn[i], which))
			ask(w, node_of(w, x->turn[i].sw), 1);
	half = part(answered(w), 2);
	stay(w, half);
	if (kind == EXPECT_CLOSE)
		w->closed |= which;
	else
		w->closed &= ~which;
	stay(w, half);
	w->drain = kind == EXPECT_CLOSE;
}

static bool
near_end(const struct topo *t, port_ix p)
{
	port_ix peer = t->port[p].peer;
	uint16_t here = t->node[t->port[p].node].hops;
	uint16_t there = t->node[t->port[peer].node].hops;

	return here < there || (here == there && p < peer);
}

/* SMPs to the near ends at this distance, or to both ends. */
static void
ask_cables(struct when *w, uint16_t hops, bool both)
{
	const struct topo *t = w->t;

	for (port_ix p = 0; p < t->nports; p++) {
		node_ix n = t->port[p].node;

		if (!w->downed[p] || !near_end(t, p) || t->node[n].hops != hops)
			continue;
		ask(w, n, 1);
		if (both)
			ask(w, t->port[t->port[p].peer].node, 1);
	}
}

static struct mono
ask_ends(struct when *w)
{
	for (port_ix p = 0; p < w->t->nports; p++)
		if (w->downed[p])
			ask(w, w->t->port[p].node, 1);
	return answered(w);
}

/* PortStateChange of the switches is cleared, their ports are looked at. */
static struct mono
look_after(struct when *w)
{
	const struct topo *t = w->t;
	struct mono time;

	for (sw_ix s = 0; s < t->nsw; s++)
		ask(w, node_of(w, s), 1);
	time = answered(w);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned p = 0; p <= t->node[node_of(w, s)].nports; p++)
			if (p == 0 || t->port[topo_port_of(t, node_of(w, s), p)]
						      .peer != TOPO_NONE)
				ask(w, node_of(w, s), 1);
	return mono_add(time, answered(w));
}

static void
fall(struct when *w)
{
	struct mono down = {0}, up = {0};
	uint16_t far = 0;

	if (w->downed == NULL)
		return;
	phase_begin(w, EXPECT_FALL);
	drain(w);
	for (node_ix n = 0; n < w->t->nnodes; n++)
		if (w->t->node[n].hops > far &&
			w->t->node[n].hops <= TOPO_MAX_HOPS)
			far = w->t->node[n].hops;
	for (unsigned hops = 0; hops <= far; hops++) {
		ask_cables(w, (uint16_t)hops, false);
		down = mono_add(down, answered(w));
		ask_cables(w, (uint16_t)hops, true);
		up = mono_add(up, answered(w));
	}
	stay(w, part(down, 2));
	w->down = true;
	stay(w, part(down, 2));
	stay(w, mono_add(up, look_after(w)));
	w->drain = w->job->change->method != SAFE_STATIC;
}

/* Armed one and all, then Active one by one. */
static void
rise(struct when *w)
{
	struct mono half;

	if (w->downed == NULL)
		return;
	phase_begin(w, EXPECT_RISE);
	stay(w, ask_ends(w));
	half = part(ask_ends(w), 2);
	stay(w, half);
	w->down = false;
	stay(w, half);
}

static void
stages(struct when *w, bool late)
{
	const struct safe_transition *x = w->job->change;

	for (unsigned k = 0; k < x->nstages; k++) {
		size_t end = w->written;

		if (late && k + 1 == x->nstages)
			turn_rows(w, EXPECT_CLOSE, EXPECT_PASSING);
		while (end < x->nwrites && x->write[end].stage == k)
			end++;
		if (end == w->written)
			continue;
		phase_begin(w, EXPECT_TABLES);
		w->out->phase[w->out->nphases - 1].stage = k + 1;
		w->drain |= k > 0;
		drain(w);
		write_until(w, end);
	}
}

/* ---- the whole, as plan.c has it ---- */

void
expect_when(const struct expect_job *job, const bool *downed,
	struct expect *out, struct expect_moments *m)
{
	const struct safe_transition *x = job->change;
	struct when w = {.job = job,
		.t = job->to->topo,
		.downed = downed,
		.out = out,
		.m = m};
	bool late = x->method == SAFE_AUTO && x->nstages > 1;

	w.count = mem_alloc(w.t->nnodes * sizeof(*w.count));
	/* before, walls, two of turns, fall, stages, open, rise */
	out->phase = mem_zalloc(7U + x->nstages, sizeof(*out->phase));
	phase_begin(&w, EXPECT_BEFORE);
	stay(&w, job->waited);
	walls(&w);
	turn_rows(&w, EXPECT_CLOSE,
		late ? EXPECT_STAYING : EXPECT_STAYING | EXPECT_PASSING);
	fall(&w);
	stages(&w, late);
	w.drain = true;
	turn_rows(&w, EXPECT_OPEN, EXPECT_PASSING);
	w.drain = false;
	rise(&w);
	free(w.count);
}

bool *
expect_when_downed(const struct expect_job *job)
{
	const struct safe_transition *x = job->change;
	const struct topo *t = job->to->topo;
	bool *down = mem_zalloc(t->nports, sizeof(*down)), any = false;

	for (size_t i = 0; i < x->nturns; i++) {
		port_ix p = topo_port_of(
			t, t->sw[x->turn[i].sw].node, x->turn[i].in);

		if (!x->turn[i].by_port || t->port[p].peer == TOPO_NONE ||
			t->port[p].state < INIT)
			continue;
		any = down[p] = down[t->port[p].peer] = true;
	}
	if (any)
		return down;
	free(down);
	return NULL;
}
