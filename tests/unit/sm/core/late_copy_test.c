/*
 * Copies of Sets of tables that arrive late, after newer ones were
 * acknowledged: a link comes up and goes down again, and each first Set of the
 * first change is held up for nearly as long as a copy may be, that of a row of
 * SL2VL until the second change writes a table beside dependencies that it has
 * blocked. At no moment may tables have a loop or a cycle of channels, nor a
 * packet to a group come to a switch twice. Settings of switches and ports that
 * a copy brings back are found when no further copy can arrive.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/mad.h"
#include "tests/sim/chaos/chaos_int.h"
#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

#define GUARDED                                                                \
	"distribution: {drain: 5ms}\nsmp: {timeout: 20ms}\n"                   \
	"partitions: {blue: {pkey: 0x5, members: {\"h*\": full}}}\n"

enum { TIMEOUT_MS = 20, BLOCK = 64, DISCARD = 15, ROW = 8 };

struct held_up {
	struct scene *s;
	uint32_t node;
	struct smp smp;
	bool arrived;
};

struct scene {
	struct fabric *f;
	struct world *w;
	struct watch *watch;
	struct chaos_group group;
	uint32_t node; /* an end of the link */
	unsigned port;
	uint16_t attr;	  /* whose first Sets are held up */
	bool open_pass;	  /* but for rows that discard nothing */
	struct mono late; /* how late first copies arrive; 0: not */
	bool blocked;	  /* after that: a row was set to discard */
	struct held_up *copy[1000];
	unsigned ncopies, arrived;
};

static void
arrive_late(void *cookie, struct sim *sim)
{
	struct held_up *h = cookie;

	if (h->arrived)
		return;
	h->arrived = true;
	h->s->arrived++;
	sim_hand_set(sim, h->node, &h->smp);
}

static bool
row_discards(const uint8_t row[ROW])
{
	for (unsigned i = 0; i < ROW; i++)
		if ((row[i] & DISCARD) == DISCARD || row[i] >> 4 == DISCARD)
			return true;
	return false;
}

/* The second change: rows that are held up arrive when they do most harm. */
static void
watch_second(struct scene *s, const struct smp *smp)
{
	if (smp->attr == MAD_SL2VL)
		s->blocked |= row_discards(smp->data);
	if (smp->attr != MAD_LFT || !s->blocked)
		return;
	for (unsigned i = 0; i < s->ncopies; i++)
		if (s->copy[i]->smp.attr == MAD_SL2VL)
			arrive_late(s->copy[i], s->w->sim);
}

static enum sim_verdict
hold_up(void *cookie, struct sim_msg *m)
{
	struct scene *s = cookie;
	struct smp smp;

	if (m->where != SIM_AT_SMA ||
		smp_decode(m->m.mad, m->m.len, &smp, NULL) != 0 ||
		smp.method != MAD_SET)
		return SIM_PASS;
	if (s->late.ns == 0)
		watch_second(s, &smp);
	if (s->late.ns == 0 || smp.attr != s->attr ||
		(s->open_pass && !row_discards(smp.data)))
		return SIM_PASS;
	for (unsigned i = 0; i < s->ncopies; i++)
		if (s->copy[i]->node == m->node &&
			s->copy[i]->smp.mod == smp.mod &&
			memcmp(s->copy[i]->smp.data, smp.data, BLOCK) == 0)
			return SIM_PASS;
	ck_assert_uint_lt(s->ncopies, LEN(s->copy));
	s->copy[s->ncopies] = mem_zalloc(1, sizeof(*s->copy[0]));
	*s->copy[s->ncopies] =
		(struct held_up){.s = s, .node = m->node, .smp = smp};
	sim_at(s->w->sim, mono_add(m->now, s->late), arrive_late,
		s->copy[s->ncopies++]);
	return SIM_DROP;
}

/* The n-th host, by its place in the fabric. */
static uint32_t
nth_host(const struct fabric *f, unsigned nth)
{
	uint32_t n = 0;

	while (f->node[n].type == FABRIC_SWITCH || nth-- > 0)
		n++;
	return n;
}

static void
open_scene(struct scene *s, uint16_t attr, uint64_t seed)
{
	static const char *const yaml[] = {
		"distribution: {drain: 5ms}\nsmp: {timeout: 20ms}\n",
		"distribution: {drain: 5ms, max_stages: 1}\n"
		"smp: {timeout: 20ms}\nrouting: {engines: [updn]}\n",
		"distribution: {drain: 5ms}\nsmp: {timeout: 20ms}\n"
		"sa: {trust_key: 0x5ec2e7}\n",
		GUARDED};
	struct sim_options o = sim_defaults();

	*s = (struct scene){
		.f = gen_random(16, 3, 1, seed, NULL), .attr = attr};
	o.service = mono_us(50);
	o.seed = seed;
	s->w = world_new(s->f, &o,
		yaml[attr == MAD_SL2VL		? 1
			: attr == MAD_LFT	? 0
			: attr == MAD_PORT_INFO ? 3
						: 2]);
	s->watch = watch_new(s->w->sim);
	for (unsigned h = 14; attr == MAD_SWITCH_INFO && h < 16; h++)
		sim_fault_node(s->w->sim, nth_host(s->f, h), false);
	world_start(s->w);
	ck_assert(world_settle(s->w, mono_ms(60000)));
	sim_set_hook(s->w->sim, hold_up, s);
}

/* Every host but each n-th joins a group, or leaves it. */
static void
move_members(struct scene *s, enum chaos_kind kind, unsigned nth)
{
	for (uint32_t n = 0; n < s->f->nnodes; n++)
		if (s->f->node[n].type != FABRIC_SWITCH && n % nth != 0)
			chaos_group_say(&s->group,
				&(struct chaos_step){
					.kind = kind, .node = n, .value = 1});
}

static void
open_groups(struct scene *s, uint64_t seed)
{
	open_scene(s, MAD_MFT, seed);
	s->group = (struct chaos_group){.s = s->w->sim, .f = s->f};
	chaos_group_begin(&s->group, fabric_find(s->f, "h9"));
	move_members(s, CHAOS_JOIN, 1000);
	ck_assert(world_settle(s->w, mono_ms(60000)));
}

static void
scene_close(struct scene *s)
{
	watch_free(s->watch);
	world_free(s->w);
	fabric_free(s->f);
	for (unsigned i = 0; i < s->ncopies; i++)
		free(s->copy[i]);
}
AUTO_VALUE(scene, struct scene, scene_close)

/* The n-th link comes up, and first Sets arrive so many time-outs late; false:
 * there are fewer links. */
static bool
raise_link(struct scene *s, unsigned nth, unsigned late)
{
	if (!fabric_switch_link(s->f, nth, &s->node, &s->port))
		return false;
	sim_fault_link(s->w->sim, s->node, s->port, false);
	world_run(s->w, mono_ms(5000));
	s->late = mono_ms(late * TIMEOUT_MS);
	sim_fault_link(s->w->sim, s->node, s->port, true);
	for (unsigned runs = s->w->commits; runs == s->w->commits;)
		world_run(s->w, mono_ms(1));
	s->late = mono_ms(0);
	return true;
}

/* All copies have arrived, and all is in order. */
static void
judge_scene(struct scene *s, unsigned nth, unsigned late)
{
	const struct watch_report *r = watch_report(s->watch);
	struct referee_report rep;
	struct reason why = {0};

	ck_assert_uint_eq(s->arrived, s->ncopies);
	ck_assert_msg(r->loops == 0, "link %u, %u time-outs: %s", nth, late,
		r->loop.text);
	ck_assert_msg(r->cycles == 0, "link %u, %u time-outs: %s", nth, late,
		r->cycle.text);
	ck_assert_msg(
		referee_fabric(s->w->sim, fabric_first_host(s->f),
			REFEREE_ALL & ~(unsigned)REFEREE_LOAD, &rep, &why) == 0,
		"link %u, %u time-outs: %s", nth, late, why.text);
}

/* A link comes up, and goes down again when that change was acknowledged;
 * false: there are fewer links. */
static bool
strike_link(uint16_t attr, uint64_t seed, unsigned nth, unsigned late)
{
	AUTO(scene) struct scene s;

	open_scene(&s, attr, seed);
	if (!raise_link(&s, nth, late))
		return false;
	sim_fault_link(s.w->sim, s.node, s.port, false);
	world_run(s.w, mono_ms(5000));
	judge_scene(&s, nth, late);
	return true;
}

LOOP_TEST(no_cycle_by_a_late_copy, 3, 3 + FEWER(8))
{
	for (unsigned n = 0; strike_link(MAD_LFT, (uint64_t)_i, n, 4); n++)
		(void)strike_link(MAD_LFT, (uint64_t)_i, n, 7);
}

LOOP_TEST(no_cycle_by_a_late_row, 3, 3 + FEWER(8))
{
	for (unsigned n = 0; strike_link(MAD_SL2VL, (uint64_t)_i, n, 7); n++)
		;
}

static unsigned
count_closed(const struct scene *s)
{
	unsigned closed = 0;

	for (uint32_t n = 0; n < s->f->nnodes; n++)
		for (unsigned in = 1; in <= s->f->node[n].nports; in++)
			for (unsigned out = 1; out <= s->f->node[n].nports;
				out++)
				closed += s->f->node[n].type == FABRIC_SWITCH &&
					  sim_vl(s->w->sim, n, in, out, 0) ==
						  DISCARD;
	return closed;
}

/* A dependency is blocked once more, after the change that blocked it: the row
 * is read, and opened. */
LOOP_TEST(no_row_is_left_closed, 3, 5)
{
	unsigned closed = 0;

	for (unsigned n = 0;; n++) {
		AUTO(scene) struct scene s;

		open_scene(&s, MAD_SL2VL, (uint64_t)_i);
		s.open_pass = true;
		if (!raise_link(&s, n, 7))
			break;
		for (unsigned i = 0; i < 150; i++) {
			closed += count_closed(&s);
			world_run(s.w, mono_ms(1));
		}
		world_run(s.w, mono_ms(3000));
		ck_assert_msg(count_closed(&s) == 0, "link %u", n);
		judge_scene(&s, n, 7);
	}
	ck_assert_uint_gt(closed, 0);
}

/* ---- multicast ---- */

/* Runs until no first Set was held up for longer than a time-out. */
static void
run_first_change(struct scene *s, unsigned late)
{
	unsigned runs = s->w->commits, n;

	s->late = mono_ms(late * TIMEOUT_MS);
	sim_fault_link(s->w->sim, s->node, s->port, false);
	while (runs == s->w->commits)
		world_run(s->w, mono_ms(1));
	do {
		n = s->ncopies;
		world_run(s->w, mono_ms(TIMEOUT_MS + 5));
	} while (n != s->ncopies);
	s->late = mono_ms(0);
}

/*
 * Trees move because a link goes down, and once more because it comes back
 * (every third time), another goes down, or members leave and return; false:
 * there are fewer links.
 */
static bool
strike_tree(uint64_t seed, unsigned nth, unsigned late)
{
	AUTO(scene) struct scene s;
	const struct watch_report *r;
	struct reason why = {0};
	uint32_t other;
	unsigned port;

	open_groups(&s, seed);
	if (!fabric_switch_link(s.f, nth, &s.node, &s.port))
		return false;
	run_first_change(&s, late);
	if (nth % 3 == 0) {
		sim_fault_link(s.w->sim, s.node, s.port, true);
	} else if (nth % 3 == 1) {
		ck_assert(
			fabric_switch_link(s.f, (nth + 5) % 20, &other, &port));
		sim_fault_link(s.w->sim, other, port, false);
	} else {
		move_members(&s, CHAOS_LEAVE, 2);
		world_run(s.w, mono_ms(TIMEOUT_MS));
		move_members(&s, CHAOS_JOIN, 2);
	}
	world_run(s.w, mono_ms(5000));
	judge_scene(&s, nth, late);
	r = watch_report(s.watch);
	ck_assert_msg(r->copies == 0, "link %u, %u time-outs: %s", nth, late,
		r->copy.text);
	ck_assert_msg(chaos_group_judge(&s.group, s.w->sm, &why) == 0,
		"link %u, %u time-outs: %s", nth, late, why.text);
	return true;
}

LOOP_TEST(no_copy_by_a_late_branch, 3, 3 + FEWER(8))
{
	for (unsigned n = 0; strike_tree((uint64_t)_i, n, 4); n++)
		(void)strike_tree((uint64_t)_i, n, 7);
}

/* ---- SwitchInfo ---- */

static void
add_host(struct scene *s, unsigned nth)
{
	unsigned runs = s->w->commits;

	sim_fault_node(s->w->sim, nth_host(s->f, nth), true);
	while (runs == s->w->commits)
		world_run(s->w, mono_ms(1));
}

/*
 * Two hosts come one after the other, with the highest LIDs: copies of the Sets
 * for the first bring the LinearFDBTop back that cuts the second off. That is
 * found when no copy can arrive any more, not by the next sweep.
 */
TEST(no_host_is_lost_by_a_late_top)
{
	AUTO(scene) struct scene s;

	open_scene(&s, MAD_SWITCH_INFO, 3);
	s.late = mono_ms(7L * TIMEOUT_MS);
	add_host(&s, 14);
	s.late = mono_ms(0);
	ck_assert_uint_gt(s.ncopies, 0);
	add_host(&s, 15);
	ck_assert_uint_eq(s.arrived, 0);
	world_run(s.w, mono_ms(400));
	judge_scene(&s, 0, 7);
}

/* ---- PortInfo ---- */

/* Ports of switches to hosts that enforce partitions. */
static unsigned
count_guards(const struct scene *s)
{
	unsigned guards = 0, peer_port;
	uint32_t peer;

	for (uint32_t n = 0; n < s->f->nnodes; n++)
		for (unsigned p = 1; p <= s->f->node[n].nports; p++)
			guards += s->f->node[n].type == FABRIC_SWITCH &&
				  fabric_peer(s->f, n, p, &peer, &peer_port) &&
				  s->f->node[peer].type != FABRIC_SWITCH &&
				  sim_port_info(s->w->sim, n, p)->enf_in;
	return guards;
}

/* Ports that have an LMC. */
static unsigned
count_lmcs(const struct scene *s)
{
	unsigned lmcs = 0;

	for (uint32_t n = 0; n < s->f->nnodes; n++)
		for (unsigned p = 0; p <= s->f->node[n].nports; p++)
			lmcs += sim_port_info(s->w->sim, n, p)->lmc != 0;
	return lmcs;
}

static void
reload_and_commit(struct scene *s, const char *yaml)
{
	unsigned runs = s->w->commits;

	world_reload(s->w, yaml);
	while (runs == s->w->commits)
		world_run(s->w, mono_ms(1));
}

/*
 * Settings of ports are changed, and changed back: copies of the first Sets
 * change them once more. That is found when no copy can arrive any more, not by
 * the next sweep, and no port is said to have lost what it acknowledged.
 */
static void
strike_settings(struct scene *s, const char *yaml)
{
	open_scene(s, MAD_PORT_INFO, 3);
	s->late = mono_ms(7L * TIMEOUT_MS);
	ck_assert_uint_eq(count_guards(s), 16);
	ck_assert_uint_eq(count_lmcs(s), 0);
	reload_and_commit(s, yaml);
	s->late = mono_ms(0);
	ck_assert_uint_gt(s->ncopies, 0);
	reload_and_commit(s, GUARDED);
	ck_assert_uint_eq(s->arrived, 0);
	world_run(s->w, mono_ms(400));
	judge_scene(s, 0, 7);
}

TEST(partitions_are_enforced_in_spite_of_a_late_copy)
{
	AUTO(scene) struct scene s;

	strike_settings(&s, GUARDED "fabric: {partition_enforcement: false}\n");
	ck_assert_uint_eq(count_guards(&s), 16);
}

TEST(addresses_stay_in_spite_of_a_late_copy)
{
	AUTO(scene) struct scene s;

	strike_settings(&s, GUARDED "fabric: {lmc: {hosts: 1}}\n");
	ck_assert_uint_eq(count_lmcs(&s), 0);
}
