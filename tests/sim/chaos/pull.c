#include "tests/sim/chaos/pull.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/report/drains_json.h"
#include "sm/report/json_util.h"
#include "tests/sim/data/data_report.h"

const char *const pull_step_name[PULL_STEPS] = {
	"drain", "pull", "back", "undrain", "rebalance"};

enum {
	LOOKS_WAITING_US = 20, /* between looks whether a write has begun, */
	LOOKS_WRITING_US = 1,  /* and whether the last one is over */
	LIMIT_MS = 120000,     /* virtual, of a step */
	AFTER_US = 200,	       /* of high load after a pull */
};

/* ---- traffic ---- */

/* Whether this end port is one of the hosts of a switch. */
static bool
is_end_of(const struct pull *p, uint32_t end, uint32_t sw)
{
	uint32_t peer;
	unsigned port;

	return fabric_peer(p->w->fabric, data_end_node(p->d, end),
		       data_end_port(p->d, end), &peer, &port) &&
	       peer == sw;
}

/* All hosts send to all, except the hosts of switch `without`. */
static void
set_ends(struct pull *p, uint32_t without)
{
	p->traffic.ntargets = 0;
	for (uint32_t e = 0; e < data_ends(p->d); e++) {
		p->silent[e] = is_end_of(p, e, without);
		if (!p->silent[e])
			p->target[p->traffic.ntargets++] = e;
	}
}

static void
set_load(struct pull *p, double load)
{
	p->traffic.load = load;
	data_traffic_start(p->d, &p->traffic);
}

/* ---- a step ---- */

/* What is measured of a step, from its begin or the last change of load. */
struct meter {
	struct pull *p;
	struct pull_cost *cost;
	enum pull_step step;
	uint64_t injected, dropped;
};

static void
meter_read(struct meter *m)
{
	struct data_report r;
	uint64_t lost;

	data_report_get(m->p->d, &r);
	lost = r.dropped - m->dropped;
	m->cost->sent[m->step] += r.injected - m->injected;
	m->cost->lost[m->step] += lost;
	m->cost->lost_full[m->step] += (double)lost / m->p->traffic.load;
	m->injected = r.injected;
	m->dropped = r.dropped;
}

static struct meter
meter_of(struct pull *p, struct pull_cost *cost)
{
	struct data_report r;

	data_report_get(p->d, &r);
	return (struct meter){.p = p,
		.cost = cost,
		.injected = r.injected,
		.dropped = r.dropped};
}

static void
meter_begin(struct meter *m, enum pull_step step)
{
	meter_read(m);
	m->step = step;
}

static void
meter_load(struct meter *m, double load)
{
	meter_read(m);
	set_load(m->p, load);
}

/* ---- when a step is over ---- */

static bool
is_pending(const struct pull *p, const struct drain *d, bool *clear)
{
	const struct drains_facts f = {.drains = sm_drains(p->w->sm),
		.view = sm_view(p->w->sm),
		.tree = run_mcast_trees(p->w->sm),
		.now = sim_now(p->w->sim)};
	json_t *o;
	bool pending;

	if (f.view->generation < d->generation)
		return true;
	o = drains_json_one(&f, d);
	pending = strcmp(json_util_text(o, "state"), "pending") == 0;
	*clear = strcmp(json_util_text(o, "state"), "clear") == 0;
	json_decref(o);
	return pending;
}

/*
 * Whether what was asked for is in force: of `guid` a drain (its state in
 * *clear), or without one the view of that generation.
 */
static bool
is_over(const struct pull *p, const struct pull_target *at, uint32_t generation,
	bool *clear)
{
	const struct drain *d = drains_find(sm_drains(p->w->sm),
		p->w->fabric->node[at->node].guid, at->port);

	if (d != NULL)
		return !is_pending(p, d, clear);
	return sm_view(p->w->sm)->generation >= generation;
}

/* Until is_over: low load, and high load from the first block on. */
static int
wait_over(struct meter *m, const struct pull_target *at, uint32_t generation,
	struct reason *why)
{
	struct pull *p = m->p;
	struct mono end = mono_add(sim_now(p->w->sim), mono_ms(LIMIT_MS));
	uint64_t sets = sim_stats(p->w->sim)->lft_sets;
	bool writing = false;

	while (!is_over(p, at, generation, &m->cost->clear)) {
		world_run(p->w,
			mono_us(writing ? LOOKS_WRITING_US : LOOKS_WAITING_US));
		if (!writing && sim_stats(p->w->sim)->lft_sets != sets) {
			writing = true;
			meter_load(m, p->load.high);
		}
		if (mono_before(end, sim_now(p->w->sim)))
			return reason_set(why, "%s: never in force: %s",
				pull_step_name[m->step], p->w->last_why);
	}
	return 0;
}

static int
settle_step(struct meter *m, struct reason *why)
{
	meter_load(m, m->p->load.low);
	if (!world_settle(m->p->w, mono_ms(LIMIT_MS)))
		return reason_set(why, "%s: never settled: %s",
			pull_step_name[m->step], m->p->w->last_why);
	meter_read(m);
	return 0;
}

/* ---- the steps ---- */

static int
do_drain(struct meter *m, const struct pull_target *at, struct reason *why)
{
	struct world *w = m->p->w;
	const struct sm_drain ask = {.guid = w->fabric->node[at->node].guid,
		.port = at->port,
		.duration = MONO_NEVER,
		.force = true,
		.by = "pull",
		.reason = ""};
	const struct sim_stats was = *sim_stats(w->sim), *is;
	struct mono from = sim_now(w->sim), cpu = w->cpu;
	uint32_t generation;

	meter_begin(m, PULL_DRAIN);
	if (sm_drain(w->sm, &ask, from, &generation, why) != 0 ||
		wait_over(m, at, generation, why) != 0)
		return -1;
	is = sim_stats(w->sim);
	m->cost->wait = mono_sub(sim_now(w->sim), from);
	m->cost->cpu = mono_sub(w->cpu, cpu);
	m->cost->entries = is->lft_entries - was.lft_entries;
	m->cost->blocks = is->lft_sets - was.lft_sets;
	return 0;
}

static void
set_present(struct pull *p, const struct pull_target *at, bool present)
{
	if (at->port == 0)
		sim_fault_node(p->w->sim, at->node, present);
	else
		sim_fault_link(p->w->sim, at->node, at->port, present);
}

/* Pull it. After a drain, which is over in this microsecond, load is high;
 * hosts that lose the fabric fall silent before, and their packets arrive. */
static int
do_pull(struct meter *m, const struct pull_target *at, bool drained,
	struct reason *why)
{
	struct pull *p = m->p;
	uint32_t ends = p->traffic.ntargets;

	if (at->port == 0)
		set_ends(p, at->node);
	if (p->traffic.ntargets != ends) {
		meter_load(m, p->load.low);
		world_run(p->w, mono_ms(1));
	}
	meter_begin(m, PULL_OUT);
	set_present(p, at, false);
	if (drained) {
		meter_load(m, p->load.high);
		world_run(p->w, mono_us(AFTER_US));
	}
	return settle_step(m, why);
}

static int
do_back(struct meter *m, const struct pull_target *at, struct reason *why)
{
	meter_begin(m, PULL_BACK);
	set_present(m->p, at, true);
	if (settle_step(m, why) != 0)
		return -1;
	set_ends(m->p, FABRIC_NONE);
	return 0;
}

static int
do_undrain(struct meter *m, const struct pull_target *at, struct reason *why)
{
	struct world *w = m->p->w;
	const struct sm_undrain ask = {
		w->fabric->node[at->node].guid, at->port, "pull"};
	uint32_t generation;

	meter_begin(m, PULL_UNDRAIN);
	if (sm_undrain(w->sm, &ask, sim_now(w->sim), &generation, why) != 0 ||
		wait_over(m, at, generation, why) != 0)
		return -1;
	return settle_step(m, why);
}

static int
do_rebalance(struct meter *m, const struct pull_target *at, struct reason *why)
{
	struct world *w = m->p->w;

	meter_begin(m, PULL_REBALANCE);
	sm_rebalance(w->sm, sim_now(w->sim), "pull");
	if (wait_over(m, at, sm_view(w->sm)->generation + 1, why) != 0)
		return -1;
	return settle_step(m, why);
}

/* The entries that lead over it now. */
static uint64_t
entries_over(const struct pull *p, const struct pull_target *at)
{
	const struct drain d = {.guid = p->w->fabric->node[at->node].guid,
		.port = (uint8_t)at->port};
	struct drain_use use;

	drains_use(&d, sm_view(p->w->sm)->routes, NULL, 0, &use);
	return use.entries;
}

int
pull_run(struct pull *p, const struct pull_target *at, bool drain,
	struct pull_cost *cost, struct reason *why)
{
	struct meter m = meter_of(p, cost);

	*cost = (struct pull_cost){.least = entries_over(p, at)};
	if (drain && do_drain(&m, at, why) != 0)
		return -1;
	if (do_pull(&m, at, drain, why) != 0 || do_back(&m, at, why) != 0)
		return -1;
	if (drain && do_undrain(&m, at, why) != 0)
		return -1;
	return do_rebalance(&m, at, why);
}

void
pull_open(struct pull *p, const struct fabric *f, const char *yaml,
	const struct pull_load *load)
{
	struct sim_options so = sim_defaults();
	struct data_options o = data_defaults();

	*p = (struct pull){.load = *load, .w = world_new(f, &so, yaml)};
	world_start(p->w);
	(void)world_settle(p->w, mono_ms(LIMIT_MS));
	p->d = data_new(p->w->sim, &o);
	p->target = mem_zalloc(data_ends(p->d), sizeof(*p->target));
	p->silent = mem_zalloc(data_ends(p->d), sizeof(*p->silent));
	p->traffic = data_traffic_defaults();
	p->traffic.pattern = DATA_HOTSPOT;
	p->traffic.hot = 1;
	p->traffic.target = p->target;
	p->traffic.silent = p->silent;
	set_ends(p, FABRIC_NONE);
	set_load(p, load->low);
}

void
pull_close(struct pull *p)
{
	data_free(p->d);
	world_free(p->w);
	free(p->target);
	free(p->silent);
}

/* ---- what is pulled ---- */

enum { NO_TIER = UINT32_MAX };

/* Switches with hosts get 0, the others NO_TIER. One alone beside switches that
 * have more is no host: each Quantum has an aggregation node. */
static void
find_leaves(const struct fabric *f, uint32_t *tier)
{
	uint32_t *hosts = mem_zalloc(f->nnodes, sizeof(*hosts)), most = 0;

	for (uint32_t c = 0; c < 2 * f->ncables; c++) {
		uint32_t a = f->cable[c / 2].node[c % 2];

		if (f->node[a].type == FABRIC_CA)
			hosts[f->cable[c / 2].node[1 - c % 2]]++;
	}
	for (uint32_t n = 0; n < f->nnodes; n++)
		most = hosts[n] > most ? hosts[n] : most;
	for (uint32_t n = 0; n < f->nnodes; n++)
		tier[n] = hosts[n] > 1 || (most == 1 && hosts[n] == 1)
				  ? 0
				  : NO_TIER;
	free(hosts);
}

/* Hops to the nearest switch with hosts, of each switch. */
static uint32_t *
tiers_of(const struct fabric *f)
{
	uint32_t *tier = mem_alloc(f->nnodes * sizeof(*tier));
	bool more = true;

	find_leaves(f, tier);
	for (uint32_t k = 0; more; k++) {
		more = false;
		for (uint32_t c = 0; c < 2 * f->ncables; c++) {
			uint32_t a = f->cable[c / 2].node[c % 2];
			uint32_t b = f->cable[c / 2].node[1 - c % 2];

			if (tier[a] != k || tier[b] != NO_TIER ||
				f->node[b].type != FABRIC_SWITCH)
				continue;
			tier[b] = k + 1;
			more = true;
		}
	}
	return tier;
}

/* The first port of a switch with a link to a switch that is farther from
 * hosts, or 0. */
static unsigned
port_up(const struct fabric *f, const uint32_t *tier, uint32_t sw)
{
	uint32_t peer;
	unsigned port;

	for (unsigned p = 1; p <= f->node[sw].nports; p++)
		if (fabric_peer(f, sw, p, &peer, &port) &&
			f->node[peer].type == FABRIC_SWITCH &&
			tier[peer] > tier[sw])
			return p;
	return 0;
}

unsigned
pull_targets(const struct fabric *f, struct pull_target *out, unsigned max)
{
	uint32_t *tier = tiers_of(f), own = FABRIC_NONE;
	unsigned n = 0, port;

	(void)fabric_peer(f, fabric_first_host(f), 1, &own, &port);
	for (uint32_t k = 0; n + 1 < max; k++) {
		uint32_t last = FABRIC_NONE;

		for (uint32_t s = 0; s < f->nnodes; s++)
			if (f->node[s].type == FABRIC_SWITCH && tier[s] == k &&
				s != own)
				last = s;
		if (last == FABRIC_NONE)
			break;
		out[n++] = (struct pull_target){.node = last};
	}
	if (n > 0 && n < max && (port = port_up(f, tier, out[0].node)) != 0)
		out[n++] = (struct pull_target){out[0].node, port};
	free(tier);
	return n;
}
