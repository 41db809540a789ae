/*
 * A change of tables, by every method, disturbed at every moment: the daemon
 * killed and started again, or replaced by a standby elsewhere without its
 * state, a switch rebooted, a second link pulled, answers lost. At no moment
 * may tables have a loop or a cycle of channels, and in the end everything is
 * in order and no dependency is left blocked.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"
#include "tests/unit/tally.h"

enum { DISCARD = 15 };

static const char *const methods[] = {
	"auto", "static", "break-ports", "break-dependencies"};

enum trouble { NOTHING, KILL, TAKEOVER, REBOOT, SECOND, LOSS, TROUBLES };

struct scene {
	struct fabric *f;
	struct world *w;
	struct watch *watch;
	uint32_t a, b; /* switches: one end of the link, one to reboot */
	unsigned port;
	char what[96];
};

/* A configuration with QoS levels and partitions, or without. */
static void
print_settings(const char *method, bool levels, char *out, size_t n)
{
	(void)snprintf(out, n,
		"distribution:\n  method: %s\n  drain: 5ms\n"
		"smp:\n  timeout: 20ms\n"
		"standby: {poll_interval: 100ms}\n%s",
		method,
		levels ? "partitions: {blue: {pkey: 0x5, members: "
			 "{\"h*\": full}}}\n"
			 "qos: {levels: {default: {weight: 3}, fast: {weight: "
			 "8, "
			 "sl: 3}}}\n"
		       : "");
}

static void
scene_open_as(struct scene *s, const char *yaml, uint64_t seed)
{
	struct sim_options o = sim_defaults();

	*s = (struct scene){.f = gen_random(10, 3, 2, seed, NULL)};
	ck_assert_ptr_nonnull(s->f);
	o.service = mono_us(50);
	o.seed = seed;
	s->w = world_new(s->f, &o, yaml);
	s->w->route_delay = mono_us(200);
	s->watch = watch_new(s->w->sim);
	world_start(s->w);
	ck_assert(world_settle(s->w, mono_ms(60000)));
}

static void
scene_open(struct scene *s, const char *method, uint64_t seed)
{
	char yaml[512];

	print_settings(method, false, yaml, sizeof(yaml));
	scene_open_as(s, yaml, seed);
}

static void
scene_close(struct scene *s)
{
	watch_free(s->watch);
	world_free(s->w);
	fabric_free(s->f);
}
AUTO_VALUE(scene, struct scene, scene_close)

/* The n-th link between two switches. */
static void
find_cable(const struct scene *s, unsigned n, uint32_t *node, unsigned *port)
{
	uint32_t peer;
	unsigned q;

	for (*node = 0; *node < s->f->nnodes; (*node)++) {
		if (s->f->node[*node].type != FABRIC_SWITCH)
			continue;
		for (*port = 1; *port <= s->f->node[*node].nports; (*port)++)
			if (fabric_peer(s->f, *node, *port, &peer, &q) &&
				s->f->node[peer].type == FABRIC_SWITCH &&
				n-- == 0)
				return;
	}
	ck_abort_msg("no such cable");
}

/*
 * The master is killed; a standby on another host, without its state, notices.
 */
static void
take_over(struct scene *s)
{
	uint32_t was = s->w->host;
	struct mad_sm_info master = {
		.guid = fabric_port(s->f, was, 1)->guid, .state = 3};
	struct sm_status st = {0};

	world_kill(s->w);
	sim_fault_other_sm(s->w->sim, was, 1, &master);
	world_elsewhere(s->w, fabric_find(s->f, "h9"));
	world_start(s->w);
	for (unsigned i = 0; i < 1000 && st.phase != SM_STANDBY; i++) {
		world_run(s->w, mono_ms(1));
		sm_status(s->w->sm, &st);
	}
	ck_assert_int_eq(st.phase, SM_STANDBY);
	master.state = 0;
	sim_fault_other_sm(s->w->sim, was, 1, &master);
}

static void
cause_trouble(struct scene *s, enum trouble t)
{
	struct sim_faults loss = {.loss = 100000};
	uint32_t node;
	unsigned port;

	switch (t) {
	case KILL:
		world_kill(s->w);
		world_run(s->w, mono_ms(3));
		world_start(s->w);
		break;
	case TAKEOVER:
		take_over(s);
		break;
	case REBOOT:
		find_cable(s, 11, &node, &port);
		sim_fault_reboot(s->w->sim, node);
		break;
	case SECOND:
		find_cable(s, 17, &node, &port);
		sim_fault_link(s->w->sim, node, port, false);
		break;
	case LOSS:
		sim_fault_chances(s->w->sim, &loss);
		break;
	case NOTHING:
	case TROUBLES:
		break;
	}
}

/* Fails if a row of SL2VL is closed anywhere. */
static void
expect_nothing_blocked(const struct scene *s)
{
	struct sm_status st;

	sm_status(s->w->sm, &st);
	ck_assert_msg(st.held == 0, "%s: %zu turns held", s->what, st.held);
	for (uint32_t n = 0; n < s->f->nnodes; n++) {
		unsigned nports = s->f->node[n].nports;

		if (s->f->node[n].type != FABRIC_SWITCH)
			continue;
		for (unsigned in = 1; in <= nports; in++)
			for (unsigned out = 1; out <= nports; out++)
				ck_assert_msg(sim_vl(s->w->sim, n, in, out,
						      0) != DISCARD,
					"%s: \"%s\" blocks %u to %u", s->what,
					sim_name(s->w->sim, n), in, out);
	}
}

static void
judge_result(struct scene *s)
{
	const struct watch_report *r = watch_report(s->watch);
	struct sim_faults none = {0};
	struct referee_report rep;
	struct reason why = {0};
	int rc;

	sim_fault_chances(s->w->sim, &none);
	ck_assert_msg(
		world_settle(s->w, mono_ms(120000)), "%s: no rest", s->what);
	world_run(s->w, mono_ms(15000));
	rc = referee_fabric(s->w->sim, fabric_first_host(s->f),
		REFEREE_ALL & ~(unsigned)REFEREE_LOAD, &rep, &why);
	ck_assert_msg(rc == 0, "%s: %s", s->what, why.text);
	ck_assert_msg(r->loops == 0, "%s: %s", s->what, r->loop.text);
	ck_assert_msg(r->cycles == 0, "%s: %s", s->what, r->cycle.text);
	expect_nothing_blocked(s);
}

/* ---- every phase is struck ---- */

/* The change before the trouble. */
enum change { PULL, PLUG, LEVELS, NO_LEVELS, CHANGES };

static const char *const trouble_of[TROUBLES] = {
	"nothing", "kill", "takeover", "reboot", "second change", "loss"};

/* The phases in which trouble struck, over all processes of this test. */
enum { WORDS = 40, PLACES = 4 };

static struct tally {
	char word[WORDS][64];
	struct place {
		unsigned method;
		enum change change;
	} place[WORDS][PLACES]; /* changes that have this phase */
	unsigned nplaces[WORDS];
	unsigned times[WORDS][TROUBLES];
	uint64_t judged, followed;
} * tally;

static const char *
phase_now(const struct scene *s, char text[64])
{
	struct sm_status st;

	sm_status(s->w->sm, &st);
	(void)snprintf(text, 64, "%s%s%s", sm_phase_name(st.phase),
		*st.writing != '\0' ? " " : "", st.writing);
	return text;
}

static void
count_strike(const char *phase, enum trouble t, unsigned method, enum change c)
{
	unsigned i = 0;

	while (tally->word[i][0] != '\0' &&
		strcmp(tally->word[i], phase) != 0 && i < WORDS - 1)
		i++;
	if (tally->word[i][0] == '\0')
		(void)snprintf(
			tally->word[i], sizeof(tally->word[i]), "%s", phase);
	tally->times[i][t]++;
	if (tally->nplaces[i] < PLACES)
		tally->place[i][tally->nplaces[i]++] =
			(struct place){method, c};
}

static void
start_change(struct scene *s, unsigned method, enum change c)
{
	char yaml[512];
	uint32_t node;
	unsigned port;

	find_cable(s, 5, &node, &port);
	if (c == PULL || c == PLUG) {
		sim_fault_link(s->w->sim, node, port, c == PLUG);
		return;
	}
	print_settings(methods[method], c == LEVELS, yaml, sizeof(yaml));
	world_reload(s->w, yaml);
}

/* The state in which a change starts. */
static void
prepare_change(struct scene *s, unsigned method, enum change c)
{
	if (c != PLUG && c != NO_LEVELS)
		return;
	start_change(s, method, c == PLUG ? PULL : LEVELS);
	ck_assert(world_settle(s->w, mono_ms(60000)));
}

/* Runs until it is in a new phase, the nth one. */
static bool
reach_phase(struct scene *s, unsigned nth, char phase[64])
{
	char seen[WORDS][64], now[64];
	unsigned n = 0, i;

	for (unsigned step = 0; step < 6000; step++) {
		world_run(s->w, mono_us(50));
		(void)phase_now(s, now);
		for (i = 0; i < n && strcmp(seen[i], now) != 0; i++)
			;
		if (i < n || strcmp(now, "idle") == 0)
			continue;
		if (n == nth) {
			(void)snprintf(phase, 64, "%s", now);
			return true;
		}
		(void)snprintf(seen[n++], 64, "%s", now);
	}
	return false;
}

/* Runs until it is in this phase. */
static bool
reach_named(struct scene *s, const char *phase)
{
	char now[64];

	for (unsigned step = 0; step < 6000; step++) {
		world_run(s->w, mono_us(50));
		if (strcmp(phase_now(s, now), phase) == 0)
			return true;
	}
	return false;
}

/* Begins a change in a fabric of this seed. */
static void
begin_strike(struct scene *s, unsigned method, enum change c, uint64_t seed)
{
	scene_open(s, methods[method], seed);
	prepare_change(s, method, c);
	start_change(s, method, c);
}

/* If the phase was reached, causes the trouble and checks that all is well
 * afterwards. */
static void
finish_strike(struct scene *s, bool hit, unsigned method, enum change c,
	enum trouble t, const char *phase)
{
	const struct watch_report *r;

	if (hit) {
		(void)snprintf(s->what, sizeof(s->what),
			"%s, change %d, %s in %s", methods[method], (int)c,
			trouble_of[t], phase);
		count_strike(phase, t, method, c);
		cause_trouble(s, t);
		judge_result(s);
	}
	r = watch_report(s->watch);
	tally->judged += r->changes;
	tally->followed += r->checks;
	scene_close(s);
}

/* One run, struck in the nth phase; false: the change has fewer phases. */
static bool
strike_phase(unsigned method, enum change c, enum trouble t, unsigned nth)
{
	struct scene s;
	char phase[64];
	bool hit;

	begin_strike(&s, method, c, 3 + nth % 3);
	hit = reach_phase(&s, nth, phase);
	finish_strike(&s, hit, method, c, t, phase);
	return hit;
}

/* Of so many phases one is struck; each of them, by one method or another. */
enum { EACH = 8 / FEWER(8) };

LOOP_TEST(
	every_method_in_every_phase, 0, LEN(methods) * CHANGES * (TROUBLES - 1))
{
	unsigned method = (unsigned)_i / (TROUBLES - 1) / CHANGES;
	enum change c = (enum change)((unsigned)_i / (TROUBLES - 1) % CHANGES);
	enum trouble t = (enum trouble)(1 + (unsigned)_i % (TROUBLES - 1));
	unsigned n = (unsigned)_i % EACH;

	while (strike_phase(method, c, t, n))
		n += EACH;
	ck_assert_uint_gt(n, 3);
}

/*
 * Phases that few changes have are struck in more fabrics, so that each trouble
 * strikes them as often as the others.
 */
enum { EVEN = FEWER(8), TRIES = 16 };

LOOP_TEST(rare_phases_too, 0, TROUBLES - 1)
{
	enum trouble t = (enum trouble)(1 + _i);

	for (unsigned i = 0; i < WORDS && tally->nplaces[i] > 0; i++) {
		for (unsigned k = 0; k < TRIES && tally->times[i][t] < EVEN;
			k++) {
			struct place p = tally->place[i][k % tally->nplaces[i]];
			struct scene s;

			begin_strike(&s, p.method, p.change, 6 + k);
			finish_strike(&s, reach_named(&s, tally->word[i]),
				p.method, p.change, t, tally->word[i]);
		}
		ck_assert_msg(tally->times[i][t] >= EVEN,
			"%s was struck by %s %u times", tally->word[i],
			trouble_of[t], tally->times[i][t]);
	}
}

/* Prints the phases and how often each trouble struck them. */
static void
print_tally(void)
{
	for (unsigned i = 0; i < WORDS && tally->word[i][0] != '\0'; i++) {
		(void)printf("struck in %-20s", tally->word[i]);
		for (unsigned t = KILL; t < TROUBLES; t++)
			(void)printf(
				" %s %u", trouble_of[t], tally->times[i][t]);
		(void)printf("\n");
	}
	(void)printf("steps judged: %llu entries changed, %llu dependencies "
		     "and ways followed, no cycle, no loop\n",
		(unsigned long long)tally->judged,
		(unsigned long long)tally->followed);
}

/* A port that the manager's own plan took down is no reason for a sweep. */
TEST(own_traps_are_excused)
{
	AUTO(scene) struct scene s;
	struct sm_status before, after;
	uint32_t node;
	unsigned port;

	scene_open(&s, "static", 3);
	sm_status(s.w->sm, &before);
	find_cable(&s, 3, &node, &port);
	sim_fault_link(s.w->sim, node, port, false);
	ck_assert(world_settle(s.w, mono_ms(60000)));
	sm_status(s.w->sm, &after);
	ck_assert_uint_gt(after.traps_ours, 0);
	ck_assert_uint_eq(after.pushes_stopped, before.pushes_stopped);
	/* the trap's own probe, and that of its neighbour */
	ck_assert_uint_le(after.probes - before.probes, 2);
	world_run(s.w, mono_ms(30000)); /* light sweeps find nothing */
	sm_status(s.w->sm, &before);
	ck_assert_uint_eq(before.probes, after.probes);
}

/* Links that are not as they are to be: an end that is not Active, or that
 * kept the MTU with which it came up. */
static unsigned
count_unfit(const struct scene *s)
{
	struct sim *sim = s->w->sim;
	unsigned n = 0;

	for (uint32_t node = 0; node < s->f->nnodes; node++)
		for (unsigned p = 1; p <= s->f->node[node].nports; p++) {
			struct mad_port_info pi;
			uint8_t data[MAD_DATA];
			uint32_t peer;
			unsigned q;

			if (!fabric_peer(s->f, node, p, &peer, &q))
				continue;
			ck_assert_int_eq(
				sim_read(sim, node, p, MAD_PORT_INFO, p, data),
				0);
			ck_assert_int_eq(
				mad_port_info_decode(data, &pi, NULL), 0);
			n += pi.phys_state == PORT_PHYS_LINK_UP &&
			     (pi.state != PORT_ACTIVE || pi.mtu == 1);
		}
	return n;
}

/* Drain a link between switches, or take that back. */
static void
change_drain(struct scene *s, bool on)
{
	struct mono now = sim_now(s->w->sim);
	struct sm_drain ask = {
		.duration = MONO_NEVER, .force = true, .by = "the test"};
	struct reason why = {""};
	uint32_t node, generation;
	int rc;

	find_cable(s, 3, &node, &ask.port);
	ask.guid = s->f->node[node].guid;
	rc = on ? sm_drain(s->w->sm, &ask, now, &generation, &why)
		: sm_undrain(s->w->sm,
			  &(struct sm_undrain){ask.guid, ask.port, ask.by}, now,
			  &generation, &why);
	ck_assert_msg(rc == 0, "%s", why.text);
}

/*
 * A push that takes all ports down for a drain is stopped at any moment, since
 * the drain is taken back and there is nothing to write any more: the next run
 * brings both ends of each link up, hosts included.
 */
LOOP_TEST(ports_come_back_after_a_stop, 0, 15)
{
	static const char at_once[] =
		"distribution: {method: static, drain: 5ms}\n"
		"sweep: {hold_down: 0ms}\n";
	struct sm_status st = {.phase = SM_DISCOVER};
	struct scene s;

	scene_open_as(&s, at_once, 3);
	ck_assert_uint_eq(count_unfit(&s), 0);
	change_drain(&s, true);
	while (st.phase != SM_PUSH) {
		world_run(s.w, mono_us(20));
		sm_status(s.w->sm, &st);
	}
	world_run(s.w, mono_us(200 * _i));
	change_drain(&s, false);
	ck_assert(world_settle(s.w, mono_ms(60000)));
	sm_status(s.w->sm, &st);
	ck_assert_uint_gt(st.pushes_stopped, 0);
	ck_assert_uint_eq(count_unfit(&s), 0);
	scene_close(&s);
}

/* While all ports are down, whoever chose that, no host is given a path of the
 * view in force; it is as soon as the new one is. */
LOOP_TEST(no_paths_while_all_ports_are_down, 0, LEN(methods))
{
	bool is_static = strcmp(methods[_i], "static") == 0;
	unsigned given = 0, written = 0;
	struct sm_status st = {.phase = SM_DISCOVER};
	AUTO(scene) struct scene s;
	uint32_t node;
	unsigned port;

	scene_open(&s, methods[_i], 3);
	find_cable(&s, 3, &node, &port);
	sim_fault_link(s.w->sim, node, port, false);
	while (written == 0 || st.phase == SM_PUSH) {
		world_run(s.w, mono_us(20));
		sm_status(s.w->sm, &st);
		written += st.phase == SM_PUSH;
		given += st.phase == SM_PUSH && sm_gives_paths(s.w->sm);
	}
	ck_assert_uint_gt(written, 0);
	ck_assert_uint_eq(given, is_static ? 0 : written);
	ck_assert(world_settle(s.w, mono_ms(60000)));
	ck_assert(sm_gives_paths(s.w->sm));
}

/* ---- devices that misbehave ---- */

struct villain {
	struct scene *s;
	uint32_t node; /* FABRIC_NONE: every switch */
	bool lies;     /* acknowledges tables and does not store them */
	bool refuses;  /* rows of SL2VL */
	bool clings;   /* drops rows that unblock a dependency */
	unsigned closed, unjournaled;
};

/* Answers in the node's name. */
static void
forge_answer(const struct villain *v, const struct sim_msg *m, uint16_t status)
{
	struct transport_msg answer = m->m;
	struct smp smp;

	ck_assert_int_eq(smp_decode(m->m.mad, m->m.len, &smp, NULL), 0);
	smp.method = MAD_GET_RESP;
	smp.response = true;
	smp.status = status;
	smp_encode(&smp, answer.mad);
	sim_inject(v->s->w->ep, &answer, mono_us(10));
}

static bool
is_journaled(const struct villain *v, const struct sim_msg *m, uint32_t mod)
{
	const struct state_file *saved = &v->s->w->saved;
	size_t i;

	for (i = 0; i < saved->nblock; i++)
		if (saved->block[i].guid == v->s->f->node[m->node].guid &&
			saved->block[i].in == mod >> 8 &&
			saved->block[i].out == (mod & 0xff))
			return true;
	return false;
}

static enum sim_verdict
misbehave_on_set(void *cookie, struct sim_msg *m)
{
	static const uint8_t shut[8] = {255, 255, 255, 255, 255, 255, 255, 255};
	struct villain *v = cookie;
	struct smp smp;
	bool closes;

	if (m->where != SIM_AT_SMA ||
		(v->node != FABRIC_NONE && v->node != m->node) ||
		smp_decode(m->m.mad, m->m.len, &smp, NULL) != 0 ||
		smp.method != MAD_SET)
		return SIM_PASS;
	if (smp.attr == MAD_LFT && v->lies) {
		forge_answer(v, m, 0);
		return SIM_DROP;
	}
	if (smp.attr != MAD_SL2VL)
		return SIM_PASS;
	closes = memcmp(smp.data, shut, sizeof(shut)) == 0;
	v->closed += closes;
	v->unjournaled += closes && !is_journaled(v, m, smp.mod);
	if (v->refuses) {
		forge_answer(v, m, MAD_STATUS_FIELD);
		return SIM_DROP;
	}
	return v->clings && !closes ? SIM_DROP : SIM_PASS;
}

static void
fail_link(struct scene *s, unsigned n)
{
	uint32_t node;
	unsigned port;

	find_cable(s, n, &node, &port);
	sim_fault_link(s->w->sim, node, port, false);
}

static enum sim_verdict
drop_traps(void *cookie, struct sim_msg *m)
{
	enum { METHOD = 3 };

	(void)cookie;
	return m->where == SIM_AT_ENDPOINT && m->m.mad[METHOD] == MAD_TRAP
		       ? SIM_DROP
		       : SIM_PASS;
}

/* A host restarts, which nobody reports, before a plan takes its port down: it
 * gets its tables again. */
TEST(restart_before_ports_fall)
{
	AUTO(scene) struct scene s;
	char yaml[512];
	uint32_t host;
	uint8_t was[MAD_DATA], reset[MAD_DATA], is[MAD_DATA];

	print_settings("static", true, yaml, sizeof(yaml));
	scene_open_as(&s, yaml, 3);
	host = fabric_find(s.f, "h7");
	ck_assert_uint_eq(sim_read(s.w->sim, host, 1, MAD_SL2VL, 0, was), 0);
	sim_set_hook(s.w->sim, drop_traps, NULL);
	sim_fault_reboot(s.w->sim, host);
	world_run(s.w, mono_ms(10));
	ck_assert_uint_eq(sim_read(s.w->sim, host, 1, MAD_SL2VL, 0, reset), 0);
	ck_assert_mem_ne(was, reset, MAD_DATA);
	sim_set_hook(s.w->sim, NULL, NULL);
	fail_link(&s, 3);
	world_run(s.w, mono_ms(3000));
	(void)snprintf(s.what, sizeof(s.what), "a host restarted");
	judge_result(&s);
	ck_assert_uint_eq(sim_read(s.w->sim, host, 1, MAD_SL2VL, 0, is), 0);
	ck_assert_mem_eq(was, is, MAD_DATA);
}

/* A switch that acknowledges and does not store is found and quarantined. */
TEST(false_acknowledgements_are_found)
{
	AUTO(scene) struct scene s;
	struct villain v = {.s = &s, .lies = true};
	struct sm_status st;
	unsigned port;

	scene_open(&s, "auto", 3);
	find_cable(&s, 11, &v.node, &port);
	sim_set_hook(s.w->sim, misbehave_on_set, &v);
	for (unsigned i = 0; i < 4; i++) {
		fail_link(&s, 3 + i);
		world_run(s.w, mono_ms(3000));
	}
	sm_status(s.w->sm, &st);
	ck_assert_uint_gt(st.not_held, 0);
	ck_assert_uint_eq(sm_view(s.w->sm)->nquarantine, 1);
	sim_set_hook(s.w->sim, NULL, NULL);
	world_run(s.w, mono_ms(120000)); /* tried again, with success */
	ck_assert_uint_eq(sm_view(s.w->sm)->nquarantine, 0);
	(void)snprintf(s.what, sizeof(s.what), "after a disobedient");
	judge_result(&s);
}

/* A switch that refuses SL2VL rows has a port taken down for a moment
 * instead. */
TEST(refused_rows_become_ports)
{
	AUTO(scene) struct scene s;
	struct villain v = {.s = &s, .node = FABRIC_NONE, .refuses = true};

	scene_open(&s, "break-dependencies", 3);
	sim_set_hook(s.w->sim, misbehave_on_set, &v);
	fail_link(&s, 3);
	(void)snprintf(s.what, sizeof(s.what), "rows refused");
	judge_result(&s);
	ck_assert_uint_gt(v.closed, 0);
	ck_assert_uint_eq(sm_view(s.w->sm)->nquarantine, 0);
}

TEST(blocks_are_journaled_first)
{
	AUTO(scene) struct scene s;
	struct villain v = {.s = &s, .node = FABRIC_NONE};

	scene_open(&s, "break-dependencies", 3);
	sim_set_hook(s.w->sim, misbehave_on_set, &v);
	fail_link(&s, 3);
	(void)snprintf(s.what, sizeof(s.what), "journal");
	judge_result(&s);
	ck_assert_uint_gt(v.closed, 0);
	ck_assert_uint_eq(v.unjournaled, 0);
	ck_assert_uint_eq(s.w->saved.nblock, 0); /* removed on disk, too */
}

/* A dependency that cannot be unblocked is reported by name, until it is. */
TEST(a_block_that_stays_is_an_alarm)
{
	AUTO(scene) struct scene s;
	struct villain v = {.s = &s, .node = FABRIC_NONE, .clings = true};
	struct sm_status st;

	scene_open(&s, "break-dependencies", 3);
	sim_set_hook(s.w->sim, misbehave_on_set, &v);
	fail_link(&s, 3);
	world_run(s.w, mono_ms(100000));
	sm_status(s.w->sm, &st);
	ck_assert_uint_gt(st.held, 0);
	ck_assert_msg(strstr(st.alarm, "still blocks port") != NULL, "\"%s\"",
		st.alarm);
	sim_set_hook(s.w->sim, NULL, NULL);
	world_run(s.w, mono_ms(400000));
	(void)snprintf(s.what, sizeof(s.what), "a block that stayed");
	judge_result(&s);
	sm_status(s.w->sm, &st);
	ck_assert_str_eq(st.alarm, "");
}

static uint32_t
node_by_guid(const struct fabric *f, uint64_t guid)
{
	uint32_t n = 0;

	while (n < f->nnodes && f->node[n].guid != guid)
		n++;
	return n;
}

/* A switch that leaves the fabric with a block loses no packets of anybody. */
TEST(a_block_that_left_is_none)
{
	AUTO(scene) struct scene s;
	struct villain v = {.s = &s, .node = FABRIC_NONE, .clings = true};
	uint64_t left[64];
	size_t n;
	struct sm_status st;

	scene_open(&s, "break-dependencies", 3);
	sim_set_hook(s.w->sim, misbehave_on_set, &v);
	fail_link(&s, 3);
	world_run(s.w, mono_ms(100000));
	n = s.w->saved.nblock;
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_le(n, 64);
	for (size_t i = 0; i < n; i++)
		left[i] = s.w->saved.block[i].guid;
	for (size_t i = 0; i < n; i++)
		sim_fault_node(
			s.w->sim, node_by_guid(s.w->fabric, left[i]), false);
	world_run(s.w, mono_ms(100000));
	sm_status(s.w->sm, &st);
	ck_assert_uint_gt(st.held, 0); /* it may come back with it */
	ck_assert_msg(
		strstr(st.alarm, "still blocks") == NULL, "\"%s\"", st.alarm);
}

static void
begin_tests(void)
{
	tally = tally_new(sizeof(*tally));
}

const struct suite_around suite_around = {
	.begin = begin_tests, .end = print_tally};
