#include "tests/sim/chaos/trial.h"

#include <stdio.h>
#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/base/rng.h"

const char *const trial_method[TRIAL_METHODS] = {
	"static", "break-ports", "break-dependencies", "dynamic", "auto"};

/* ---- fabrics ---- */

enum { LINK_RATE = 250000000 }; /* bytes a second of 1x SDR */

void
trial_slow(struct fabric *f)
{
	for (uint32_t c = 0; c < f->ncables; c++)
		f->cable[c].rate = (struct fabric_rate){1, 1, 0, false};
}

static void
connect_nodes(struct fabric *f, uint32_t a, uint32_t b)
{
	struct reason why;

	(void)fabric_connect(
		f, a, fabric_free_port(f, a), b, fabric_free_port(f, b), &why);
}

/* A random tree, then half as many links more; at most 3 of 4 ports in use. */
struct fabric *
trial_irregular(unsigned n, uint64_t seed)
{
	struct rng rng = {seed};
	struct fabric *f = fabric_new();
	uint32_t first = fabric_add(f, FABRIC_SWITCH, 4, "s0");
	unsigned extra = n / 2, tries = 100 * n;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t s = fabric_addf(f, FABRIC_SWITCH, 4, "s%u", i), peer;

		do
			peer = first + rng_below(&rng, i);
		while (fabric_degree(f, peer) >= 3);
		connect_nodes(f, peer, s);
	}
	while (extra > 0 && tries-- > 0) {
		uint32_t a = first + rng_below(&rng, n);
		uint32_t b = first + rng_below(&rng, n);

		if (a == b || fabric_degree(f, a) >= 3 ||
			fabric_degree(f, b) >= 3)
			continue;
		connect_nodes(f, a, b);
		extra--;
	}
	for (uint32_t i = 0; i < n; i++)
		connect_nodes(
			f, first + i, fabric_addf(f, FABRIC_CA, 1, "h%u", i));
	trial_slow(f);
	return f;
}

bool
trial_removable(const struct fabric *f, uint32_t s)
{
	uint32_t sm, peer;
	unsigned port;

	sm = fabric_first_host(f);
	if (f->node[s].type != FABRIC_SWITCH ||
		!fabric_peer(f, sm, 1, &peer, &port) || peer == s)
		return false;
	return fabric_connected(f, FABRIC_NONE, s);
}

/* ---- observing the change ---- */

static enum sim_verdict
see_write(void *cookie, struct sim_msg *m)
{
	struct trial *r = cookie;
	struct trial_writes *w = &r->writes;
	struct data_report rep;

	const unsigned attr = (unsigned)m->m.mad[16] << 8 | m->m.mad[17];

	/* Sets of tables and ports; SwitchInfo is set by discovery too */
	if (!w->on || m->where != SIM_AT_SMA || m->m.mad[3] != 0x02 ||
		(attr != MAD_LFT && attr != MAD_SL2VL && attr != MAD_PORT_INFO))
		return SIM_PASS;
	if (!w->any) {
		data_report_get(r->d, &rep);
		w->lost_before = rep.dropped;
		w->first = m->now;
		w->any = true;
	}
	w->sets++;
	w->last = m->now;
	if (w->bin != NULL) {
		int64_t b = mono_sub(m->now, w->origin).ns / w->width.ns;

		if (b >= 0 && b < w->bins)
			w->bin[b]++;
	}
	return SIM_PASS;
}

static enum transition_kind
way_of(const struct view_change *c)
{
	enum transition_kind way = TRANSITION_NOTHING;

	while (way < TRANSITION_BLOCKED && c->kind != transition_kind_name(way))
		way++;
	return way;
}

static void
see_commit(void *cookie, const struct view *v)
{
	struct trial *r = cookie;
	const struct view_change *c = &v->change;
	const struct loss_estimate *e = view_expected(v);
	enum transition_kind way;

	if (r->o == NULL || c->method == NULL)
		return;
	r->o->engine = v->routes->engine;
	way = way_of(c);
	r->o->way[way]++;
	for (size_t i = 1; i < e->nphases; i++)
		r->o->planned += (double)e->phase[i].time.ns / 1e3;
	for (unsigned k = 0; k < LOSS_ESTIMATE_CAUSES; k++)
		r->o->expected[k] +=
			loss_estimate_packets(e, e->lost[k], r->rate);
	if (way != TRANSITION_BLOCKED)
		return;
	r->o->pairs += (double)c->pairs;
	r->o->paper += (double)c->paper_pairs;
}

static enum loss_estimate_cause
cause_of(enum data_drop why)
{
	switch (why) {
	case DATA_DROP_SAME:
		return LOSS_ESTIMATE_LOOPED;
	case DATA_DROP_VL15:
		return LOSS_ESTIMATE_CLOSED;
	case DATA_DROP_LINK:
	case DATA_DROP_NODE:
		return LOSS_ESTIMATE_FLIGHT;
	case DATA_DROP_255:
	case DATA_DROP_TOP:
	case DATA_DROP_NO_PORT:
	case DATA_DROP_DEAD:
	case DATA_DROP_VL:
	case DATA_DROP_MTU:
	case DATA_DROP_STRANGER:
	case DATA_DROP_HOQ:
	case DATA_DROP_LIFE:
	case DATA_DROPS:
		break;
	}
	return LOSS_ESTIMATE_BROKEN;
}

/* ---- a run ---- */

/* All hosts send to all, except the hosts of switch `without`. */
static void
set_targets(struct trial *r, uint32_t without)
{
	r->traffic.ntargets = 0;
	for (uint32_t e = 0; e < data_ends(r->d); e++) {
		uint32_t peer;
		unsigned port;

		r->silent[e] =
			!fabric_peer(r->w->fabric, data_end_node(r->d, e), 1,
				&peer, &port) ||
			peer == without;
		if (!r->silent[e])
			r->target[r->traffic.ntargets++] = e;
	}
	data_traffic_start(r->d, &r->traffic);
}

void
trial_open(struct trial *r, const struct fabric *f, const char *method,
	double load, struct mono bin)
{
	struct sim_options so = sim_defaults();
	struct data_options o = data_defaults();
	char yaml[256];
	size_t ends;

	(void)snprintf(yaml, sizeof(yaml),
		"sweep: {hold_down: 1ms, interval: 0}\n"
		"smp: {timeout: 2ms, retries: 2}\n"
		"link: {max_vls: 1}\n"
		"distribution: {method: %s, allow_unsafe: true}\n",
		method);
	so.seed = 1;
	so.service = mono_us(20); /* a usual time of switches' SMAs */
	o.bin = bin;
	o.seed = 1;
	*r = (struct trial){.bin = bin};
	r->rate = load * LINK_RATE / TRIAL_PACKET;
	r->w = world_new(f, &so, yaml);
	r->w->config->distribution.drain = mono_us(200);
	r->w->told = see_commit;
	r->w->told_cookie = r;
	r->d = data_new(r->w->sim, &o);
	ends = data_ends(r->d);
	r->target = mem_zalloc(ends, sizeof(*r->target));
	r->silent = mem_zalloc(ends, sizeof(*r->silent));
	world_start(r->w);
	(void)world_settle(r->w, mono_ms(60000));
	r->traffic = data_traffic_defaults();
	r->traffic.packet = TRIAL_PACKET;
	r->traffic.load = load;
	r->traffic.lose = load > 0;
	r->traffic.silent = r->silent;
	r->traffic.pattern = DATA_HOTSPOT;
	r->traffic.hot = 1;
	r->traffic.target = r->target;
	set_targets(r, FABRIC_NONE);
	sim_set_hook(r->w->sim, see_write, r);
	world_run(r->w, mono_ms(2));
}

void
trial_close(struct trial *r)
{
	data_free(r->d);
	world_free(r->w);
	free(r->target);
	free(r->silent);
}

/* True if a view was committed, and nothing is written or due any more. */
static bool
is_still(const struct trial *r, unsigned commits)
{
	struct sm_status s;

	sm_status(r->w->sm, &s);
	return r->w->commits != commits && s.phase == SM_IDLE && !s.dirty &&
	       mono_sub(sim_now(r->w->sim), r->writes.last).ns >= mono_ms(4).ns;
}

/*
 * Stop traffic until the daemon's limits on traps of switches have recovered,
 * then run a while with traffic.
 */
static void
rest_between(struct trial *r, uint32_t without)
{
	data_traffic_stop(r->d);
	world_run(r->w, mono_ms(5000));
	set_targets(r, without);
	world_run(r->w, mono_ms(1));
}

/* Bytes of the worst of n bins, and of all of them. */
static uint64_t
worst_of(const struct data_bin *b, uint32_t n, uint64_t *all)
{
	uint64_t least = UINT64_MAX;

	*all = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (b[i].bytes < least)
			least = b[i].bytes;
		*all += b[i].bytes;
	}
	return least;
}

enum { STEADY = 3 }; /* bins at the end, after the change */

/* The worst bin since `from`, as a part of the last ones. */
static void
measure_flow(const struct trial *r, struct mono from, struct trial_outcome *o)
{
	const struct data_bin *series;
	uint32_t n = 0, first, last;
	uint64_t least, usual, all;
	double part;

	if (r->bin.ns == 0)
		return;
	series = data_report_series(r->d, &n);
	first = (uint32_t)(from.ns / r->bin.ns);
	last = (uint32_t)(sim_now(r->w->sim).ns / r->bin.ns);
	if (last > n || first + STEADY >= last)
		return;
	least = worst_of(series + first, last - first, &all);
	(void)worst_of(series + last - STEADY, STEADY, &usual);
	part = usual > 0 ? (double)least * STEADY / (double)usual : 0;
	o->least += part;
	if (part < o->worst || o->n == 1)
		o->worst = part;
}

void
trial_change(
	struct trial *r, uint32_t sw, bool present, struct trial_outcome *o)
{
	struct data_report before, after;
	uint64_t smps = sim_stats(r->w->sim)->smps;
	unsigned commits = r->w->commits, waits = 0;
	struct mono from = sim_now(r->w->sim);

	set_targets(r, sw);
	data_report_get(r->d, &before);
	r->writes.any = false;
	r->writes.sets = 0;
	r->writes.on = true;
	r->o = o;
	sim_fault_node(r->w->sim, sw, present);
	do
		world_run(r->w, mono_ms(2));
	while (!is_still(r, commits) && ++waits < 400);
	r->writes.on = false;
	r->o = NULL;
	data_report_get(r->d, &after);
	o->n++;
	measure_flow(r, from, o);
	rest_between(r, present ? FABRIC_NONE : sw);
	o->unsettled += waits == 400;
	o->deadlocks += after.deadlock && !before.deadlock;
	o->sets += (double)r->writes.sets;
	o->smps += (double)(sim_stats(r->w->sim)->smps - smps);
	o->lost += (double)(after.dropped - before.dropped);
	for (unsigned k = 0; k < DATA_DROPS; k++)
		o->dropped[cause_of((enum data_drop)k)] +=
			(double)(after.drop[k] - before.drop[k]);
	if (!r->writes.any)
		return;
	o->micros += (double)mono_sub(r->writes.last, r->writes.first).ns / 1e3;
	o->written += (double)(after.dropped - r->writes.lost_before);
}

double
trial_saturation(const struct fabric *f)
{
	struct trial r;
	struct data_report rep;

	trial_open(&r, f, "auto", 0, (struct mono){0});
	data_report_mark(r.d);
	world_run(r.w, mono_ms(1));
	data_report_get(r.d, &rep);
	trial_close(&r);
	return rep.accepted;
}
