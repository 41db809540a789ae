#include "distribution/push/push.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "distribution/push/push_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum { SETTLE_MS = 10000 };

struct push *
push_new(const struct push_job *job)
{
	struct push *p = mem_zalloc(1, sizeof(*p));

	p->job = *job;
	p->plan = job->plan;
	p->wake = MONO_NEVER;
	p->ended = MONO_NEVER;
	p->node_failed = mem_zalloc(push_topo(p)->nnodes, sizeof(bool));
	p->port_failed = mem_zalloc(push_topo(p)->nports, sizeof(bool));
	p->port_keeps = mem_zalloc(push_topo(p)->nports, sizeof(bool));
	for (size_t i = 0; i < job->plan->nkept; i++)
		p->port_keeps[job->plan->kept[i].port] |=
			job->plan->kept[i].what == PLAN_KEEPS_SETTINGS;
	p->sample = mem_zalloc(push_topo(p)->nsw, sizeof(*p->sample));
	if (job->by_lid)
		p->by_lid = push_lid_routed_new(job->plan, job->hw);
	return p;
}

void
push_free(struct push *p)
{
	if (p == NULL)
		return;
	assert(p->inflight == 0);
	push_lid_routed_free(p->by_lid);
	map_free(&p->rewrites);
	free(p->again);
	free(p->sample);
	free(p->node_failed);
	free(p->port_failed);
	free(p->failure);
	free(p->kept);
	free(p->port_keeps);
	free(p);
}

bool
push_done(const struct push *p)
{
	return p->inflight == 0 && p->phase == p->plan->nphases &&
	       !p->drain_last;
}

bool
push_is_idle(const struct push *p)
{
	return p->inflight == 0;
}

bool
push_stopped(const struct push *p)
{
	return p->stopped || p->broken;
}

bool
push_overwritten(const struct push *p)
{
	return p->overwritten;
}

bool
push_complete(const struct push *p)
{
	return push_done(p) && !p->broken && !p->stopped;
}

void
push_drain_first(struct push *p)
{
	p->drain_first = true;
}

void
push_settle_first(struct push *p)
{
	p->settle_first = true;
}

void
push_drain_last(struct push *p)
{
	p->drain_last = true;
}

size_t
push_phase(const struct push *p)
{
	return p->phase;
}

struct mono
push_next(const struct push *p)
{
	return p->wake;
}

void
push_stop(struct push *p)
{
	p->stopped = true;
}

const struct push_counts *
push_counts(const struct push *p)
{
	return &p->counts;
}

bool
push_useless_lids(const struct push *p)
{
	return push_lid_routed_useless(p->by_lid);
}

uint32_t
push_sample(const struct push *p, sw_ix s)
{
	return p->sample[s] - 1;
}

const struct push_failure *
push_failures(const struct push *p, size_t *n)
{
	*n = p->nfailures;
	return p->failure;
}

const struct plan_kept *
push_kept(const struct push *p, size_t *n)
{
	*n = p->nkept;
	return p->kept;
}

/* ---- sending ---- */

/*
 * Whether the step is for SL2VL or arbitration of a host: void if that does not
 * come up.
 */
static bool
is_for_host(const struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);

	return (s->kind == PLAN_ARBS || s->kind == PLAN_SLVL) &&
	       t->node[t->port[s->port].node].type != TOPO_SWITCH;
}

static bool
is_void_step(const struct push *p, const struct plan_step *s)
{
	const struct topo_port *port = &push_topo(p)->port[s->port];

	if (p->node_failed[port->node] || push_slvl_in_place(p, s) ||
		push_tables_in_place(p, s) || push_tables_are_void(p, s) ||
		(is_for_host(p, s) && p->port_failed[s->port]))
		return true;
	if (s->kind == PLAN_ARM)
		return p->port_failed[s->port];
	if (s->kind != PLAN_ACTIVATE)
		return false;
	return p->port_failed[s->port] || p->port_failed[port->peer] ||
	       p->node_failed[push_topo(p)->port[port->peer].node];
}

static int
make_request(const struct push *p, const struct plan_step *s, uint8_t method,
	struct xact_request *r)
{
	const struct topo *t = push_topo(p);
	sw_ix sw = push_switch(p, s);

	if (device_request_block(t, s->port, s->attr, s->block, r) != 0)
		return -1;
	r->method = method;
	if (sw != TOPO_NONE)
		r->lid = push_lid_routed_of(p->by_lid, sw);
	return 0;
}

int
push_ask(struct push *p, size_t ix, struct mono now, xact_done *done)
{
	struct xact_request r;

	if (make_request(p, &p->plan->step[ix], MAD_GET, &r) != 0)
		return -1;
	p->inflight++;
	xact_submit(p->job.x, &r, now, done, p, ix);
	return 0;
}

/* The data of a Set; from now on the old and the new value are possible. */
static void
load_set_data(struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA])
{
	switch (s->attr) {
	case DEVICE_LFT:
		push_tables_lose_choice(p, s);
		device_sending(
			p->job.hw, push_guid(p, s), s->block, s->payload);
		memcpy(data, lft_bytes(p->plan->routes->pool, s->payload),
			MAD_DATA);
		break;
	case DEVICE_SL2VL:
		push_slvl_load(p, s, data);
		break;
	case DEVICE_PORT_INFO:
		push_settings_load(p, s, data);
		break;
	case DEVICE_SWITCH_INFO:
		memcpy(data, p->plan->payload[s->payload], MAD_DATA);
		break;
	default:
		push_tables_load(p, s, data);
		break;
	}
}

void
push_send(struct push *p, size_t ix, struct mono now)
{
	const struct plan_step *s = &p->plan->step[ix];
	struct xact_request r;

	if (make_request(p, s, plan_reads(s) ? MAD_GET : MAD_SET, &r) != 0) {
		push_ack_fail(p, s, PUSH_SILENT, "no path to it");
		return;
	}
	if (!plan_reads(s))
		load_set_data(p, s, r.data);
	p->inflight++;
	xact_submit(p->job.x, &r, now, push_ack_done, p, ix);
}

/* ---- phases ---- */

/*
 * Record a dependency that is about to be blocked, with its row as it is now.
 */
static void
note_blocked(struct push *p, const struct plan_step *s, struct mono now)
{
	const struct transition_result *x = p->plan->change;
	struct blocked_row h = {.guid = push_guid(p, s),
		.in = (uint8_t)s->block,
		.out = push_topo(p)->port[s->port].num,
		.since = now};
	const uint8_t *is =
		device_bytes(p->job.hw, device_at_row(h.guid, h.in, h.out));
	size_t i;

	if (is == NULL || sl2vl_row_is_closed(is))
		sl2vl_row_default(16, h.before);
	else
		memcpy(h.before, is, SL2VL_ROW);
	for (i = 0; i < x->ndeps; i++)
		if (x->dep[i].in == h.in && x->dep[i].out == h.out &&
			push_topo(p)->sw[x->dep[i].sw].node ==
				push_topo(p)->port[s->port].node)
			h.pairs = x->dep[i].pairs;
	blocked_rows_add(device_blocked(p->job.hw), &h);
	if (is != NULL)
		blocked_rows_renew(
			device_blocked(p->job.hw), h.guid, h.in, h.out, is);
}

/*
 * Whether what was sent before has left the fabric, as far as the phase needs
 * that: packets, and before a phase that relies on what is in place copies of
 * SMPs that would bring an older image of a block back, or did. The first phase
 * of a plan for routes counts with what these may bring.
 */
static bool
is_drained(struct push *p, const struct plan_phase *f, struct mono now)
{
	bool drains = f->drain || p->drain_first;
	bool settles = f->drain || f->settle || p->settle_first;
	struct mono over = drains ? mono_add(p->ended, p->job.drain) : now, end;

	if (settles) {
		end = push_doubts_end(p);
		over = mono_before(over, end) ? end : over;
	}
	if (mono_before(now, over)) {
		p->wake = over;
		return false;
	}
	if (settles && !push_doubts_settled(p, now))
		return false;
	if (drains)
		device_drained(p->job.hw);
	return true;
}

/* Begin the phase; false: it cannot begin yet. */
static bool
open_phase(struct push *p, const struct plan_phase *f, struct mono now)
{
	size_t i;

	p->wake = MONO_NEVER;
	if (!is_drained(p, f, now))
		return false;
	p->drain_first = p->settle_first = false;
	if (f->kind == PLAN_BLOCK) {
		for (i = f->first; i < f->end; i++)
			note_blocked(p, &p->plan->step[i], now);
		p->job.journal(p->job.cookie);
	}
	p->settle_by = mono_add(now, mono_ms(SETTLE_MS));
	p->next = f->first;
	p->open = true;
	return true;
}

/* Send the Gets again for ports that were not up yet, a moment later. */
static void
send_again(struct push *p, struct mono now)
{
	size_t n = p->nagain, i;

	if (n == 0 || mono_before(now, p->wake))
		return;
	p->nagain = 0;
	p->wake = MONO_NEVER;
	for (i = 0; i < n; i++)
		push_send(p, p->again[i], now);
}

static void
send_phase(struct push *p, const struct plan_phase *f, struct mono now)
{
	while (p->next < f->end && xact_room(p->job.x)) {
		const struct plan_step *s = &p->plan->step[p->next];

		if (is_void_step(p, s)) {
			p->counts.skipped++;
			/* later phases rely on what a failed switch lacks */
			p->broken |=
				p->node_failed
					[push_topo(p)->port[s->port].node] &&
				push_ack_is_needed(p, s);
		} else {
			push_send(p, p->next, now);
		}
		p->next++;
	}
	send_again(p, now);
}

/* Skip all steps that are left. */
static void
skip_rest(struct push *p)
{
	const struct plan *plan = p->plan;

	if (p->phase < plan->nphases)
		p->counts.skipped +=
			plan->nsteps -
			(p->open ? p->next : plan->phase[p->phase].first);
	p->phase = plan->nphases;
	p->drain_last = false;
	p->nagain = 0;
	p->wake = MONO_NEVER;
}

static void
drain_last(struct push *p, struct mono now)
{
	struct mono over = mono_add(p->ended, p->job.drain);

	p->drain_last = !p->stopped && mono_before(now, over);
	p->wake = p->drain_last ? over : MONO_NEVER;
}

void
push_feed(struct push *p, struct mono now)
{
	const struct plan *plan = p->plan;

	if (p->ended.ns == MONO_NEVER.ns)
		p->ended = now;
	while (p->phase < plan->nphases) {
		const struct plan_phase *f = &plan->phase[p->phase];

		if (p->broken || p->stopped) {
			if (p->inflight == 0)
				skip_rest(p);
			return;
		}
		if (!p->open && !open_phase(p, f, now)) {
			if (p->broken)
				continue;
			return;
		}
		send_phase(p, f, now);
		if (p->inflight > 0 || p->next < f->end || p->nagain > 0)
			return;
		if (f->kind == PLAN_UNBLOCK)
			p->job.journal(p->job.cookie);
		p->phase++;
		p->open = false;
		p->ended = now;
	}
	if (p->drain_last)
		drain_last(p, now);
}
