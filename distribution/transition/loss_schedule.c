#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/loss_estimate_priv.h"
#include "sm/base/mem.h"

enum {
	SAMPLES = 4, /* moments of a stage */
};

/* The state that the schedule has reached, and the lists that it fills. */
struct when {
	const struct loss_estimate_job *job;
	const struct topo *t;
	const bool *downed;
	struct loss_estimate *out;
	struct loss_estimate_moments *m;
	uint32_t *count; /* [nnodes] SMPs to a node in this phase */
	size_t smps, most;
	size_t written;
	unsigned closed;
	unsigned down_from;
	port_ix back_to;
	bool drain; /* a drain precedes the next phase */
};

/* ---- phases ---- */

static void
phase_begin(struct when *w, enum loss_estimate_kind kind)
{
	struct loss_estimate *e = w->out;

	e->phase[e->nphases++] = (struct loss_estimate_phase){.kind = kind};
	memset(w->count, 0, w->t->nnodes * sizeof(*w->count));
	w->smps = w->most = 0;
}

static void
count_smps(struct when *w, node_ix node, uint32_t n)
{
	w->count[node] += n;
	w->smps += n;
	if (w->count[node] > w->most)
		w->most = w->count[node];
}

static size_t
count_rounds(size_t n, unsigned at_once)
{
	return at_once > 0 ? (n + at_once - 1) / at_once : n;
}

/* The time until the SMPs counted so far are answered; begin to count anew. */
static struct mono
answer_time(struct when *w)
{
	const struct loss_estimate_pace *p = &w->job->pace;
	size_t all = count_rounds(w->smps, p->window);
	size_t one = count_rounds(w->most, p->target);
	size_t n = all > one ? all : one;

	w->out->phase[w->out->nphases - 1].smps += w->smps;
	memset(w->count, 0, w->t->nnodes * sizeof(*w->count));
	w->smps = w->most = 0;
	return (struct mono){p->answer.ns * (int64_t)n};
}

/* The fabric stays as it is now for this time. */
static void
add_moment(struct when *w, struct mono time)
{
	struct loss_estimate_moments *m = w->m;
	size_t phase = w->out->nphases - 1;

	w->out->phase[phase].time = mono_add(w->out->phase[phase].time, time);
	m->m = mem_grow(m->m, m->n, &m->cap, sizeof(*m->m));
	m->m[m->n++] = (struct loss_estimate_moment){
		.phase = phase,
		.seconds = mono_seconds(time),
		.written = w->written,
		.closed = w->closed,
		.down_from = w->down_from,
		.back_to = w->back_to,
	};
}

/* Wait for packets in flight, if a drain is due. */
static void
add_drain(struct when *w)
{
	if (!w->drain)
		return;
	w->drain = false;
	w->out->phase[w->out->nphases - 1].drain = w->job->pace.drain;
	add_moment(w, w->job->pace.drain);
}

static struct mono
divide_time(struct mono t, size_t n)
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
	const struct transition_result *x = w->job->change;
	size_t first = w->written, n = end - first;
	unsigned samples = n < SAMPLES ? (unsigned)n : SAMPLES;
	struct mono time;

	for (size_t i = first; i < end; i++)
		count_smps(w, node_of(w, x->write[i].sw), 1);
	time = answer_time(w);
	for (unsigned k = 0; k < samples; k++) {
		w->written = first + (n * (2 * k + 1) + samples) /
					     (2 * (size_t)samples);
		add_moment(w, divide_time(time, samples));
	}
	w->written = end;
}

static void
schedule_quenches(struct when *w)
{
	if (w->job->change->nquenches == 0)
		return;
	phase_begin(w, LOSS_ESTIMATE_WALLS);
	write_until(w, w->job->change->nquenches);
	w->drain = true;
}

static bool
is_of_kind(const struct transition_dependency *u, unsigned which)
{
	bool passes = (u->layers & ~u->stays) != 0;

	return !u->by_port &&
	       (((which & LOSS_ESTIMATE_STAYING) != 0 && u->stays != 0) ||
		       ((which & LOSS_ESTIMATE_PASSING) != 0 && passes));
}

/* Rows go to VL 15, or back: half of the time they are in place. */
static void
schedule_rows(struct when *w, enum loss_estimate_kind kind, unsigned which)
{
	const struct transition_result *x = w->job->change;
	struct mono half;
	size_t n = 0;

	for (size_t i = 0; i < x->ndeps; i++)
		n += is_of_kind(&x->dep[i], which);
	if (n == 0)
		return;
	phase_begin(w, kind);
	add_drain(w);
	for (size_t i = 0; i < x->ndeps; i++)
		if (is_of_kind(&x->dep[i], which))
			count_smps(w, node_of(w, x->dep[i].sw), 1);
	half = divide_time(answer_time(w), 2);
	add_moment(w, half);
	if (kind == LOSS_ESTIMATE_CLOSE)
		w->closed |= which;
	else
		w->closed &= ~which;
	add_moment(w, half);
	w->drain = kind == LOSS_ESTIMATE_CLOSE;
}

/* Count SMPs to the near ends at this distance, or to both ends. */
static void
count_link_smps(struct when *w, uint16_t hops, bool both)
{
	const struct topo *t = w->t;

	for (port_ix p = 0; p < t->nports; p++) {
		node_ix n = t->port[p].node;

		/* a link in Init has only to stay there */
		if (!w->downed[p] || !topo_is_near_end(t, p) ||
			t->node[n].hops != hops ||
			(t->port[p].state <= PORT_INIT &&
				t->port[t->port[p].peer].state <= PORT_INIT))
			continue;
		count_smps(w, n, 1);
		if (both)
			count_smps(w, t->port[t->port[p].peer].node, 1);
	}
}

/*
 * The time to clear PortStateChange of the switches and to check their ports.
 */
static struct mono
check_time(struct when *w)
{
	const struct topo *t = w->t;
	struct mono time;

	for (sw_ix s = 0; s < t->nsw; s++)
		count_smps(w, node_of(w, s), 1);
	time = answer_time(w);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned p = 0; p <= t->node[node_of(w, s)].nports; p++)
			if (p == 0 || t->port[topo_port_of(t, node_of(w, s), p)]
						      .peer != TOPO_NONE)
				count_smps(w, node_of(w, s), 1);
	return mono_add(time, answer_time(w));
}

static unsigned
farthest_hops(const struct topo *t)
{
	unsigned far = 0;

	for (node_ix n = 0; n < t->nnodes; n++)
		if (t->node[n].hops > far && t->node[n].hops <= TOPO_MAX_HOPS)
			far = t->node[n].hops;
	return far;
}

/* The farthest first; then all are waited for, the nearest first. */
static void
schedule_fall(struct when *w)
{
	unsigned far = farthest_hops(w->t);
	struct mono half;

	if (w->downed == NULL)
		return;
	phase_begin(w, LOSS_ESTIMATE_FALL);
	add_drain(w);
	for (unsigned hops = far + 1; hops-- > 0;) {
		count_link_smps(w, (uint16_t)hops, false);
		if (w->smps == 0)
			continue;
		half = divide_time(answer_time(w), 2);
		add_moment(w, half);
		w->down_from = hops;
		add_moment(w, half);
	}
	for (unsigned hops = 0; hops <= far; hops++) {
		count_link_smps(w, (uint16_t)hops, true);
		add_moment(w, answer_time(w));
	}
	add_moment(w, check_time(w));
	w->drain = w->job->change->method != TRANSITION_STATIC;
}

/*
 * Whether a port comes back that was taken down (taken), or is in Init and
 * comes up for the first time.
 */
static bool
link_rises(const struct when *w, port_ix p, bool taken)
{
	const struct topo *t = w->t;
	port_ix peer = t->port[p].peer;
	bool downed = w->downed != NULL && w->downed[p];

	if (peer == TOPO_NONE || downed != taken)
		return false;
	return taken || (t->port[p].state == PORT_INIT &&
				t->port[peer].state >= PORT_INIT);
}

/* Count an SMP to each of these ports, in the order of their numbers. */
static void
count_end_smps(struct when *w, bool taken)
{
	for (port_ix p = 0; p < w->t->nports; p++)
		if (link_rises(w, p, taken))
			count_smps(w, w->t->port[p].node, 1);
}

/* New links: all get their parameters, then go to Armed, then to Active. */
static void
schedule_new_links(struct when *w)
{
	count_end_smps(w, false);
	if (w->smps == 0)
		return;
	phase_begin(w, LOSS_ESTIMATE_LIVEN);
	add_drain(w);
	for (unsigned i = 0; i < 3; i++) {
		count_end_smps(w, false);
		add_moment(w, answer_time(w));
	}
}

static void
schedule_rise(struct when *w)
{
	struct mono time;

	if (w->downed == NULL)
		return;
	phase_begin(w, LOSS_ESTIMATE_RISE);
	add_drain(w);
	for (unsigned i = 0; i < 2; i++) { /* parameters, Armed */
		count_end_smps(w, true);
		add_moment(w, answer_time(w));
	}
	count_end_smps(w, true);
	time = divide_time(answer_time(w), SAMPLES);
	for (unsigned k = 0; k < SAMPLES; k++) {
		w->back_to =
			(port_ix)((uint64_t)w->t->nports *
				  (2 * (uint64_t)k + 1) / (2ULL * SAMPLES));
		add_moment(w, time);
	}
}

static void
schedule_stages(struct when *w, bool late)
{
	const struct transition_result *x = w->job->change;

	for (unsigned k = 0; k < x->nstages; k++) {
		size_t end = w->written;

		if (late && k + 1 == x->nstages)
			schedule_rows(
				w, LOSS_ESTIMATE_CLOSE, LOSS_ESTIMATE_PASSING);
		while (end < x->nwrites && x->write[end].stage == k)
			end++;
		if (end == w->written)
			continue;
		phase_begin(w, LOSS_ESTIMATE_TABLES);
		w->out->phase[w->out->nphases - 1].stage = k + 1;
		w->drain |= k > 0;
		add_drain(w);
		write_until(w, end);
	}
}

/* ---- the whole, as plan.c has it ---- */

void
loss_schedule(const struct loss_estimate_job *job, const bool *downed,
	struct loss_estimate *out, struct loss_estimate_moments *m)
{
	const struct transition_result *x = job->change;
	struct when w = {.job = job,
		.t = job->to->topo,
		.downed = downed,
		.out = out,
		.m = m,
		.down_from = UINT_MAX};
	bool late = x->method == TRANSITION_AUTO && x->nstages > 1;

	w.count = mem_alloc(w.t->nnodes * sizeof(*w.count));
	/* before, quenches, two of rows, fall, new links, stages, open, rise */
	out->phase = mem_zalloc(8U + x->nstages, sizeof(*out->phase));
	phase_begin(&w, LOSS_ESTIMATE_BEFORE);
	add_moment(&w, job->waited);
	schedule_quenches(&w);
	schedule_rows(&w, LOSS_ESTIMATE_CLOSE,
		late ? LOSS_ESTIMATE_STAYING
		     : LOSS_ESTIMATE_STAYING | LOSS_ESTIMATE_PASSING);
	schedule_fall(&w);
	if (x->method != TRANSITION_STATIC)
		schedule_new_links(&w);
	schedule_stages(&w, late);
	w.drain = true;
	schedule_rows(&w, LOSS_ESTIMATE_OPEN, LOSS_ESTIMATE_PASSING);
	if (x->method == TRANSITION_STATIC) {
		w.drain = false; /* there are no packets */
		schedule_new_links(&w);
	}
	schedule_rise(&w);
	free(w.count);
}

bool *
loss_schedule_down(const struct loss_estimate_job *job)
{
	const struct transition_result *x = job->change;
	const struct topo *t = job->to->topo;
	bool *down = mem_zalloc(t->nports, sizeof(*down)), any = false;

	for (size_t i = 0; i < x->ndeps; i++) {
		port_ix p =
			topo_port_of(t, t->sw[x->dep[i].sw].node, x->dep[i].in);

		if (!x->dep[i].by_port || t->port[p].peer == TOPO_NONE ||
			t->port[p].state < PORT_INIT)
			continue;
		any = down[p] = down[t->port[p].peer] = true;
	}
	if (any)
		return down;
	free(down);
	return NULL;
}
