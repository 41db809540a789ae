/*
 * Copies of Sets of forwarding tables that arrive late, after newer ones were
 * acknowledged: a link comes up and goes down again, and each first Set of the
 * first change is held up for nearly as long as a copy may be. At no moment may
 * tables have a loop or a cycle of channels.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/mad.h"
#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { TIMEOUT_MS = 20, BLOCK = 64 };

struct held_up {
	struct scene *s;
	uint32_t node;
	struct smp smp;
};

struct scene {
	struct fabric *f;
	struct world *w;
	struct watch *watch;
	struct mono late; /* how late first copies arrive; 0: not */
	struct held_up *copy[1000];
	unsigned ncopies, arrived;
};

static void
arrive_late(void *cookie, struct sim *sim)
{
	const struct held_up *h = cookie;

	for (unsigned i = 0; i < BLOCK; i++)
		sim_set_lft(sim, h->node, (uint16_t)(h->smp.mod * BLOCK + i),
			h->smp.data[i]);
	h->s->arrived++;
}

static enum sim_verdict
hold_up(void *cookie, struct sim_msg *m)
{
	struct scene *s = cookie;
	struct smp smp;

	if (s->late.ns == 0 || m->where != SIM_AT_SMA ||
		smp_decode(m->m.mad, m->m.len, &smp, NULL) != 0 ||
		smp.method != MAD_SET || smp.attr != MAD_LFT)
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

static void
open_scene(struct scene *s, uint64_t seed)
{
	struct sim_options o = sim_defaults();

	*s = (struct scene){.f = gen_random(16, 3, 1, seed, NULL)};
	o.service = mono_us(50);
	o.seed = seed;
	s->w = world_new(
		s->f, &o, "distribution: {drain: 5ms}\nsmp: {timeout: 20ms}\n");
	s->watch = watch_new(s->w->sim);
	world_start(s->w);
	ck_assert(world_settle(s->w, mono_ms(60000)));
	sim_set_hook(s->w->sim, hold_up, s);
}

static void
close_scene(struct scene *s)
{
	watch_free(s->watch);
	world_free(s->w);
	fabric_free(s->f);
	for (unsigned i = 0; i < s->ncopies; i++)
		free(s->copy[i]);
}

/* A link comes up, and goes down again when that change was acknowledged;
 * false: there are fewer links. */
static bool
strike_link(uint64_t seed, unsigned nth, unsigned late)
{
	struct referee_report rep;
	struct reason why = {0};
	const struct watch_report *r;
	struct scene s;
	uint32_t node;
	unsigned port;

	open_scene(&s, seed);
	if (!fabric_switch_link(s.f, nth, &node, &port)) {
		close_scene(&s);
		return false;
	}
	sim_fault_link(s.w->sim, node, port, false);
	world_run(s.w, mono_ms(5000));
	s.late = mono_ms(late * TIMEOUT_MS);
	sim_fault_link(s.w->sim, node, port, true);
	for (unsigned runs = s.w->commits; runs == s.w->commits;)
		world_run(s.w, mono_ms(1));
	s.late = mono_ms(0);
	sim_fault_link(s.w->sim, node, port, false);
	world_run(s.w, mono_ms(5000));
	r = watch_report(s.watch);
	ck_assert_uint_eq(s.arrived, s.ncopies);
	ck_assert_msg(r->loops == 0, "link %u, %u time-outs: %s", nth, late,
		r->loop.text);
	ck_assert_msg(r->cycles == 0, "link %u, %u time-outs: %s", nth, late,
		r->cycle.text);
	ck_assert_msg(
		referee_fabric(s.w->sim, fabric_first_host(s.f),
			REFEREE_ALL & ~(unsigned)REFEREE_LOAD, &rep, &why) == 0,
		"link %u, %u time-outs: %s", nth, late, why.text);
	close_scene(&s);
	return true;
}

LOOP_TEST(no_cycle_by_a_late_copy, 3, 11)
{
	for (unsigned n = 0; strike_link((uint64_t)_i, n, 4); n++)
		(void)strike_link((uint64_t)_i, n, 7);
}
