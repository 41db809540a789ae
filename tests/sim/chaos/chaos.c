#include "tests/sim/chaos/chaos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/slvl.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/policy/qos.h"
#include "tests/sim/chaos/chaos_int.h"
#include "tests/sim/chaos/pair_sls.h"
#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/sim/referee/watch.h"
#include "tests/sim/replay/memory_record.h"

enum {
	PERIOD = 60, /* of a bad contact, in ms */
	LOOKS = 100, /* for a moment with nothing in flight, and */
	LOOK = 370   /* us between them, not in step with anything */
};

struct chaos {
	struct chaos_script script;
	struct world *w;
	struct watch *watch;
	struct chaos_group group;
	struct map lids;  /* port GUID -> the first LID saved for it */
	unsigned variant; /* of the partitions, in force */
	bool lanes;	  /* VLs are judged separately */
	bool *hung;	  /* by node */
	struct memory_record record;
	struct reason share; /* too much of a tier was drained for health */
	struct chaos_report *r;
};

/* ---- playing the script ---- */

/* Note the first LID that was saved for each port: it must stay. */
static void
remember_lids(struct chaos *c)
{
	const struct state_file *s = &c->w->saved;

	for (size_t i = 0; i < s->nlid; i++) {
		if (!map_get(&c->lids, s->lid[i].guid, NULL))
			map_put(&c->lids, s->lid[i].guid, s->lid[i].lid);
	}
}

static void
kill_daemon(struct chaos *c)
{
	if (c->w->sm == NULL)
		return;
	remember_lids(c);
	world_kill(c->w);
}

/* Set VLCap of a link that is not up yet: some between switches are narrow. */
static void
lay_cable(struct chaos *c, uint32_t node, unsigned port)
{
	struct mad_port_info pi = *sim_port_info(c->w->sim, node, port);
	const struct fabric *f = c->script.f;
	uint32_t peer;
	unsigned far;

	if (c->script.narrow == 0 || pi.state != PORT_DOWN ||
		f->node[node].type != FABRIC_SWITCH ||
		!fabric_peer(f, node, port, &peer, &far) ||
		f->node[peer].type != FABRIC_SWITCH)
		return;
	pi.vl_cap = rng_below(&c->script.cables, 4) == 0 ? c->script.narrow
							 : c->script.sim.vl_cap;
	sim_hand_port(c->w->sim, node, port, &pi);
}

/* Load settings and a variant of the partitions, for this and later starts. */
static void
load_variant(struct chaos *c, unsigned variant)
{
	struct buf yaml = {0};

	c->variant = variant;
	buf_printf(&yaml, "%s", c->script.yaml);
	tenants_yaml(c->script.tenants, variant, &yaml);
	world_reload(c->w, yaml.text);
	buf_free(&yaml);
}

static void
reset_tenants(struct chaos *c, uint32_t node)
{
	if (c->script.tenants != NULL)
		tenants_reset(c->script.tenants, node);
}

static void
count_strike(struct chaos *c, const struct chaos_step *e)
{
	struct sm_status s;

	if (c->w->sm == NULL || e->kind == CHAOS_JOIN || e->kind == CHAOS_LEAVE)
		return;
	sm_status(c->w->sm, &s);
	c->r->struck[s.phase]++;
}

static void
play_step(struct chaos *c, const struct chaos_step *e)
{
	struct sim *s = c->w->sim;
	struct sim_behaviour how = {
		.hung = e->kind == CHAOS_HANG, .service = mono_us(e->value)};
	struct sim_faults faults = c->script.sim.faults;

	switch (e->kind) {
	case CHAOS_LINK_DOWN:
	case CHAOS_LINK_UP:
		if (e->kind == CHAOS_LINK_UP)
			lay_cable(c, e->node, e->port);
		sim_fault_link(s, e->node, e->port, e->kind == CHAOS_LINK_UP);
		break;
	case CHAOS_REBOOT:
		reset_tenants(c, e->node);
		sim_fault_reboot(s, e->node);
		break;
	case CHAOS_NODE_OUT:
	case CHAOS_NODE_IN:
		reset_tenants(c, e->node);
		sim_fault_node(s, e->node, e->kind == CHAOS_NODE_IN);
		break;
	case CHAOS_HANG:
	case CHAOS_SLOW:
	case CHAOS_WAKE:
		sim_fault_behave(s, e->node, &how);
		c->hung[e->node] = how.hung;
		if (how.hung)
			watch_excuse(c->watch, e->node, true);
		break;
	case CHAOS_LOSS:
		faults.loss = e->value;
		sim_fault_chances(s, &faults);
		break;
	case CHAOS_NO_LOSS:
		sim_fault_chances(s, &faults);
		break;
	case CHAOS_FLAP:
		sim_fault_flap(s, e->node, e->port, mono_ms(PERIOD), e->value);
		break;
	case CHAOS_RENAME:
		sim_fault_rename(s, e->node, "another name");
		break;
	case CHAOS_RESWEEP:
		if (c->w->sm != NULL)
			sm_resweep(c->w->sm, sim_now(s), "chaos");
		break;
	case CHAOS_KILL:
		kill_daemon(c);
		break;
	case CHAOS_START:
		if (c->w->sm == NULL)
			world_start(c->w);
		break;
	case CHAOS_RELOAD:
		load_variant(c, e->value);
		break;
	case CHAOS_TAMPER:
		tenants_spoil(c->script.tenants, e->node, e->port,
			(uint16_t)e->value);
		break;
	case CHAOS_JOIN:
	case CHAOS_LEAVE:
		chaos_group_say(&c->group, e);
		break;
	case CHAOS_DRAIN:
	case CHAOS_UNDRAIN:
		chaos_drain_say(c->w->sm, c->script.f, e, sim_now(s));
		break;
	case CHAOS_ERRORS:
		chaos_health_err(s, e);
		break;
	case CHAOS_KINDS:
		break;
	}
}

static void
run_until(struct chaos *c, struct mono t)
{
	struct mono now = sim_now(c->w->sim);

	if (mono_before(now, t))
		world_run(c->w, mono_sub(t, now));
}

/* End all faults: no loss, all nodes answer, the daemon runs. */
static void
end_faults(struct chaos *c)
{
	const struct sim_faults none = {0};
	const struct sim_behaviour well = {0};

	sim_fault_chances(c->w->sim, &none);
	for (uint32_t n = 0; n < sim_nodes(c->w->sim); n++) {
		sim_fault_behave(c->w->sim, n, &well);
		c->hung[n] = false;
	}
	if (c->w->sm == NULL)
		world_start(c->w);
}

/* ---- judging ---- */

/* Whether this port's link came up again in the course of the day. */
static bool
has_come_back(const struct chaos *c, uint32_t node, unsigned port)
{
	for (size_t i = 0; i < c->script.nsteps; i++) {
		const struct chaos_step *e = &c->script.step[i];

		if ((e->kind == CHAOS_LINK_UP || e->kind == CHAOS_FLAP) &&
			e->node == node && e->port == port)
			return true;
	}
	return false;
}

/* True if a link that was reset between two Sets, or while a copy of one was
 * late, is up with fewer VLs than both of its ends can have. */
static bool
has_slow_link(const struct chaos *c)
{
	const struct fabric *f = c->script.f;

	for (size_t i = 0; i < f->ncables; i++) {
		const struct fabric_cable *w = &f->cable[i];
		const struct mad_port_info *a =
			sim_port_info(c->w->sim, w->node[0], w->port[0]);
		const struct mad_port_info *b =
			sim_port_info(c->w->sim, w->node[1], w->port[1]);

		if (a->state == PORT_ACTIVE && a->op_vls < a->vl_cap &&
			a->op_vls < b->vl_cap &&
			(c->script.sim.faults.delay > 0 ||
				has_come_back(c, w->node[0], w->port[0]) ||
				has_come_back(c, w->node[1], w->port[1])))
			return true;
	}
	return false;
}

/*
 * An alarm at rest is a failure, but for two that are true for good: what is
 * drained is needed, which chaos_drain_judge judges; and a Set armed one end of
 * a link that had been reset since its VLs were set, and OperationalVLs of a
 * port that is Armed are not changed without taking its link down.
 */
static bool
is_true_alarm(const struct chaos *c, const struct sm_status *s)
{
	if (s->drained[0] != '\0' && strcmp(s->alarm, s->drained) == 0)
		return true;
	return s->shortage[0] != '\0' && strcmp(s->alarm, s->shortage) == 0 &&
	       has_slow_link(c);
}

static int
judge_rest(const struct chaos *c, struct reason *why)
{
	const struct view *v = sm_view(c->w->sm);
	struct sm_status s;

	sm_status(c->w->sm, &s);
	if (s.phase != SM_IDLE || s.role != SM_MASTER || s.dirty)
		return reason_set(why, "not at rest: %s, %s%s",
			sm_role_name(s.role), sm_phase_name(s.phase),
			s.dirty ? ", dirty" : "");
	if (sm_xact_stats(c->w->sm)->inflight != 0)
		return reason_set(why, "idle with %u transactions open",
			sm_xact_stats(c->w->sm)->inflight);
	if (v == NULL)
		return reason_set(why, "no view was ever committed");
	if (v->nquarantine > 0)
		return reason_set(why, "%zu nodes still in quarantine: %s",
			v->nquarantine, v->quarantine[0].why);
	if (s.alarm[0] != '\0' && !is_true_alarm(c, &s))
		return reason_set(why, "alarm: %s", s.alarm);
	return 0;
}

/* Map GUIDs to nodes of the simulation. */
static void
index_nodes(const struct fabric *f, struct map *out)
{
	for (uint32_t n = 0; n < f->nnodes; n++)
		map_put(out, f->node[n].guid, n);
}

static int
judge_belief(const struct chaos *c, struct reason *why)
{
	const struct routes *r = sm_view(c->w->sm)->routes;
	const struct topo *t = r->topo;
	struct map nodes = {0};
	int rc = 0;

	index_nodes(c->script.f, &nodes);
	for (sw_ix s = 0; s < t->nsw && rc == 0; s++) {
		uint32_t n = 0;

		if (!map_get(&nodes, t->node[t->sw[s].node].guid, &n))
			continue;
		for (unsigned lid = 1; lid <= r->top; lid++) {
			uint8_t is = sim_lft(c->w->sim, n, (uint16_t)lid);

			if (is == routes_port(r, s, (uint16_t)lid))
				continue;
			rc = reason_set(why,
				"\"%s\" sends LID %u to port %u, the view "
				"believes %u",
				sim_name(c->w->sim, n), lid, is,
				routes_port(r, s, (uint16_t)lid));
			break;
		}
	}
	map_free(&nodes);
	return rc;
}

static int
judge_lids(struct chaos *c, struct reason *why)
{
	const struct fabric *f = c->script.f;

	remember_lids(c);
	for (uint32_t n = 0; n < f->nnodes; n++) {
		for (unsigned p = 0; p <= f->node[n].nports; p++) {
			uint64_t guid = fabric_port(f, n, p)->guid;
			uint32_t was, is = sim_port_info(c->w->sim, n, p)->lid;

			/* a node that is absent keeps its LID */
			if (guid == 0 || !sim_present(c->w->sim, n) ||
				!map_get(&c->lids, guid, &was) || is == 0 ||
				is == was)
				continue;
			return reason_set(why,
				"port %u of \"%s\" had LID %u and has %u", p,
				f->node[n].name, was, is);
		}
	}
	return 0;
}

/* Whether the view has exactly the switches, end ports and links in scope. */
static int
judge_census(const struct chaos *c, const struct referee_report *r,
	struct reason *why)
{
	const struct topo *t = sm_view(c->w->sm)->topo;
	const struct view_counts *n = &sm_view(c->w->sm)->counts;
	unsigned ends = 0;

	for (port_ix p = 0; p < t->nports; p++)
		ends += topo_has_lid(t, p) &&
			(t->port[p].num == 0 || t->port[p].peer != TOPO_NONE);
	if (t->nsw != r->switches || ends != r->end_ports)
		return reason_set(why,
			"the view has %u switches and %u end ports, there are "
			"%u and %u",
			t->nsw, ends, r->switches, r->end_ports);
	if (n->ports_linked != r->linked || n->ports_active != r->linked)
		return reason_set(why,
			"the view has %u ports with a link, %u of them Active, "
			"there are %u",
			n->ports_linked, n->ports_active, r->linked);
	return 0;
}

/* ---- SLs that hosts are given ---- */

static uint16_t
sls_of_guids(void *cookie, uint64_t from, uint64_t to)
{
	const struct view *const *v = cookie;

	return pair_sls_guids(*v, from, to);
}

static uint16_t
sls_of_lids(void *cookie, uint16_t from, uint16_t to)
{
	const struct view *const *v = cookie;

	return pair_sls_lids(*v, from, to);
}

static int
judge_order(struct chaos *c, struct reason *why)
{
	const struct view *v = sm_view(c->w->sm);
	const struct referee_sls sls = {&v, sls_of_lids};
	struct referee_report r;

	if (referee_with_sls(c->w->sim, fabric_first_host(c->script.f),
		    REFEREE_ALL & ~(unsigned)REFEREE_LOAD,
		    c->lanes && v->qos != NULL ? &sls : NULL, &r, why) != 0)
		return -1;
	return judge_census(c, &r, why);
}

static int
judge_keys(const struct chaos *c, struct reason *why)
{
	if (c->script.tenants == NULL)
		return 0;
	return tenants_judge(c->script.tenants, c->variant, c->w->sim,
		sm_view(c->w->sm)->topo, why);
}

/*
 * Wait for a moment with nothing in flight. Requests that renew the leases of
 * M_Keys (sm/core/m_keys.h) are never over for long, and where they are in step
 * with the judges some are open whenever these look. What stays open is judged.
 */
static void
wait_for_answers(struct chaos *c)
{
	for (unsigned i = 0;
		i < LOOKS && sm_xact_stats(c->w->sm)->inflight != 0; i++)
		world_run(c->w, mono_us(LOOK));
}

/* Wait until all judges find nothing, at most 900 s. */
static int
come_to_rest(struct chaos *c, struct reason *why)
{
	struct mono end = mono_add(sim_now(c->w->sim), mono_ms(900000));

	do {
		(void)world_settle(c->w, mono_ms(30000));
		wait_for_answers(c);
		if (!judge_rest(c, why) && !judge_order(c, why) &&
			!judge_belief(c, why) && !judge_lids(c, why) &&
			!judge_keys(c, why) &&
			!chaos_drain_judge(c->w->sm, why) &&
			!chaos_health_judge(c->w->sm, why) &&
			!chaos_group_judge(&c->group, c->w->sm, why))
			return 0;
	} while (mono_before(sim_now(c->w->sim), end));
	reason_add(
		why, " (after 900 s of quiet; last run: %s)", c->w->last_why);
	return -1;
}

/* Switches that cannot choose among ports, as far as the daemon knows. */
static uint32_t
count_fixed(const struct chaos *c)
{
	struct sm_status s;

	sm_status(c->w->sm, &s);
	return s.adaptive_use.fixed;
}

/*
 * A daemon that restarts in a fabric in order has nothing to write. It asks
 * every host to register anew, since what hosts registered before died with it;
 * a Set that asks for that changes nothing else: no plan makes it do so. And a
 * switch that takes all rows of SL2VL at once gets them without being read:
 * reading takes one Get per row.
 */
static int
second_life(struct chaos *c, unsigned judge, struct reason *why)
{
	const struct sim_stats *s = sim_stats(c->w->sim);
	uint64_t ports, keys, lanes, groups;
	uint32_t fixed = count_fixed(c);

	/* memberships are saved some time after they change */
	world_run(c->w, mono_ms(2000));
	kill_daemon(c);
	sim_clear_stats(c->w->sim);
	c->w->runs = 0;
	world_start(c->w);
	if (come_to_rest(c, why)) {
		reason_add(why, " (second life)");
		return -1;
	}
	ports = s->port_sets - s->client_rereg;
	keys = s->by[sim_attr_row(MAD_PKEY_TABLE)][MAD_SET];
	lanes = s->by[sim_attr_row(MAD_SL2VL)][MAD_SET] +
		s->by[sim_attr_row(MAD_VLARB)][MAD_SET] - s->sl2vl_blind;
	groups = s->by[sim_attr_row(MAD_AR_INFO)][MAD_SET] +
		 s->by[sim_attr_row(MAD_AR_GROUP)][MAD_SET] +
		 s->by[sim_attr_row(MAD_AR_LFT)][MAD_SET];
	/* a switch that once did not take its groups is tried again */
	if (fixed != count_fixed(c))
		groups = 0;
	c->r->rewritten =
		s->lft_sets + ports + s->mft_sets + keys + lanes + groups;
	/* a port that did not answer, because its SMA's queue is short, is
	 * taken for absent until it is asked again */
	if (c->r->rewritten > 0 && judge & CHAOS_MEMORY &&
		sm_xact_stats(c->w->sm)->timeouts == 0)
		return reason_set(why,
			"a second life wrote %llu LFT blocks (%llu of them "
			"unchanged), %llu MFT blocks, %llu ports, %llu P_Key "
			"blocks, %llu tables of lanes and %llu of adaptive "
			"routing",
			(unsigned long long)s->lft_sets,
			(unsigned long long)s->lft_same,
			(unsigned long long)s->mft_sets,
			(unsigned long long)ports, (unsigned long long)keys,
			(unsigned long long)lanes, (unsigned long long)groups);
	return 0;
}

static int
judge_watch(const struct chaos *c, unsigned judge, struct reason *why)
{
	const struct watch_report *r = watch_report(c->watch);

	if (c->script.tenants != NULL && tenants_moment(c->script.tenants, why))
		return -1;
	if (r->loops > 0 && judge & CHAOS_LOOPS)
		return reason_set(why, "%llu loops, the first at %.6f: %.300s",
			(unsigned long long)r->loops,
			mono_seconds(r->first_loop), r->loop.text);
	if (r->cycles > 0 && judge & CHAOS_CYCLES)
		return reason_set(why, "%llu cycles, the first at %.6f: %.300s",
			(unsigned long long)r->cycles,
			mono_seconds(r->first_cycle), r->cycle.text);
	if (r->copies > 0 && judge & CHAOS_COPIES)
		return reason_set(why, "%llu copies, the first at %.6f: %.300s",
			(unsigned long long)r->copies,
			mono_seconds(r->first_copy), r->copy.text);
	return 0;
}

/* ---- a run ---- */

/* The day is over: live it again. */
static int
replay_day(struct chaos *c, struct reason *why)
{
	struct replay_report report;
	int rc;

	world_record(c->w, NULL);
	record_tap_asked(c->record.tap);
	rc = memory_record_replay(&c->record, NULL, &report, why);
	c->r->replayed = report.sent;
	return rc;
}

/* Counters forget errors after an hour; then the quiet time begins. */
static int
wait_for_links(struct chaos *c, struct reason *why)
{
	chaos_health_clear(c->w->sim, &c->script);
	for (unsigned i = 0; i < 16 && chaos_health_count(c->w->sm) > 0; i++)
		world_run(c->w, mono_ms(300000));
	if (chaos_health_count(c->w->sm) > 0)
		return reason_set(why, "%u links are still drained for health",
			chaos_health_count(c->w->sm));
	return come_to_rest(c, why);
}

static bool
was_killed(const struct chaos_script *s)
{
	for (size_t i = 0; i < s->nsteps; i++)
		if (s->step[i].kind == CHAOS_KILL)
			return true;
	return false;
}

/* What is on is told once a second, but not in the midst of a run. */
static int
judge_events(struct chaos *c, struct reason *why)
{
	bool killed = was_killed(&c->script);
	int rc = chaos_events_judge(c->w, killed, why);

	for (unsigned i = 0; i < 3 && rc != 0; i++) {
		world_run(c->w, mono_ms(500));
		rc = chaos_events_judge(c->w, killed, why);
	}
	return rc;
}

static void
on_event(void *cookie, const struct world_event *e)
{
	struct chaos *c = cookie;

	if (e->kind == EVENT_DRAINED && strstr(e->text, " by health") != NULL &&
		c->share.text[0] == '\0')
		(void)chaos_health_judge_share(c->w->sm, &c->share);
}

static int
live_day(struct chaos *c, const struct chaos_limits *l)
{
	struct reason *why = &c->r->why;
	const struct chaos_script *s = &c->script;
	const struct mad_sm_info lesser = {.state = 2};

	if (s->other_sm != FABRIC_NONE)
		sim_fault_other_sm(c->w->sim, s->other_sm, 1, &lesser);
	world_start(c->w);
	for (size_t i = 0; i < s->nsteps; i++) {
		run_until(c, s->step[i].at);
		count_strike(c, &s->step[i]);
		play_step(c, &s->step[i]);
	}
	run_until(c, s->end);
	end_faults(c);
	if (come_to_rest(c, why) || (s->back && wait_for_links(c, why)))
		return -1;
	if (judge_events(c, why) != 0)
		return -1;
	if (c->share.text[0] != '\0')
		return reason_set(why, "%s", c->share.text);
	c->r->smps = sim_stats(c->w->sim)->smps;
	c->r->blocks = sim_stats(c->w->sim)->lft_sets;
	c->r->mft_blocks = sim_stats(c->w->sim)->mft_sets;
	c->r->runs = c->w->runs;
	return second_life(c, l->judge, why) || judge_watch(c, l->judge, why)
		       ? -1
		       : 0;
}

static void
print_script(const struct chaos_script *s, uint64_t seed, struct buf *out)
{
	buf_printf(out, "seed %llu: %s (%u switches, %u hosts)\n",
		(unsigned long long)seed, s->what, s->f->nswitches,
		s->f->nhosts);
	buf_printf(out,
		"hop %lld ns, service %lld ns, SMA queue %u, loss %u, dup %u, "
		"busy %u, delay %u, reorder %u; routing takes %lld ns%s\n%s",
		(long long)s->sim.hop.ns, (long long)s->sim.service.ns,
		s->sim.sma_queue, s->sim.faults.loss, s->sim.faults.dup,
		s->sim.faults.busy, s->sim.faults.delay, s->sim.faults.reorder,
		(long long)s->route_delay.ns,
		s->other_sm != FABRIC_NONE ? "; another SM" : "", s->yaml);
	for (size_t i = 0; i < s->nsteps; i++)
		chaos_script_print(s, &s->step[i], out);
}

static void
fill_report(struct chaos *c)
{
	const struct watch_report *w = watch_report(c->watch);
	struct chaos_report *r = c->r;

	r->switches = c->script.f->nswitches;
	r->hosts = c->script.f->nhosts;
	r->events = (unsigned)c->script.nsteps;
	r->seconds = mono_seconds(sim_now(c->w->sim));
	r->loops = w->loops;
	r->cycles = w->cycles;
	r->changes = w->changes;
	r->checks = w->checks;
	r->copies = w->copies;
	for (size_t i = 0; i < c->w->nevents; i++)
		r->isolated +=
			c->w->event[i].kind == EVENT_DRAINED &&
			strstr(c->w->event[i].text, " by health") != NULL;
	r->copy = w->copy;
	r->loop = w->loop;
	r->cycle = w->cycle;
}

/*
 * The manager cannot change what switches do with groups that did not answer:
 * those in quarantine. See watch_excuse.
 */
static void
excuse_quarantined(const struct chaos *c, const struct view *v)
{
	struct map nodes = {0};
	uint32_t n;

	index_nodes(c->script.f, &nodes);
	for (sw_ix s = 0; s < v->topo->nsw; s++)
		if (topo_sw_live(v->topo, s) &&
			map_get(&nodes, v->topo->node[v->topo->sw[s].node].guid,
				&n))
			watch_excuse(c->watch, n, c->hung[n]);
	for (size_t i = 0; i < v->nquarantine; i++)
		if (map_get(&nodes, v->quarantine[i].guid, &n))
			watch_excuse(c->watch, n, true);
	map_free(&nodes);
}

static void
on_view(void *cookie, const struct view *v)
{
	const struct chaos *c = cookie;
	struct watch_sls sls = {&v, sls_of_guids, 1};

	excuse_quarantined(c, v);
	if (!c->lanes || v->qos == NULL)
		return;
	sls.groups |= (uint16_t)(1U << v->qos->want.levels.sl[0][0]);
	watch_paths(c->watch, &sls);
}

static bool
gives_paths(void *cookie)
{
	const struct chaos *c = cookie;

	return c->w->sm != NULL && sm_gives_paths(c->w->sm);
}

int
chaos_run(uint64_t seed, const struct chaos_limits *l, struct chaos_report *r)
{
	struct chaos c = {.r = r};
	int rc;

	*r = (struct chaos_report){0};
	chaos_script_make(&c.script, seed, l);
	print_script(&c.script, seed, &r->script);
	c.w = world_new(c.script.f, &c.script.sim, c.script.yaml);
	c.w->route_delay = c.script.route_delay;
	c.watch = watch_new(c.w->sim);
	c.lanes = l->lanes || l->engine != NULL;
	if (c.lanes)
		watch_vls(c.watch, gives_paths, &c);
	c.w->told = on_view;
	c.w->told_cookie = &c;
	c.w->heard = on_event;
	c.w->heard_cookie = &c;
	if (c.script.tenants != NULL) {
		tenants_watch(c.script.tenants, c.w->sim);
		load_variant(&c, 0);
	}
	for (uint32_t n = 0; n < c.script.f->nnodes; n++)
		for (unsigned p = 1; p <= c.script.f->node[n].nports; p++)
			lay_cable(&c, n, p);
	c.hung = mem_zalloc(c.script.f->nnodes, sizeof(*c.hung));
	c.group.s = c.w->sim;
	c.group.f = c.script.f;
	chaos_group_begin(&c.group, c.script.speaker);
	if (l->replay) {
		memory_record_begin(&c.record, true);
		world_record(c.w, c.record.tap);
	}
	rc = live_day(&c, l);
	if (rc == 0 && l->replay)
		rc = replay_day(&c, &r->why);
	fill_report(&c);
	watch_free(c.watch);
	world_free(c.w);
	memory_record_free(&c.record);
	chaos_script_free(&c.script);
	map_free(&c.lids);
	free(c.hung);
	return rc;
}

void
chaos_report_free(struct chaos_report *r)
{
	buf_free(&r->script);
}
