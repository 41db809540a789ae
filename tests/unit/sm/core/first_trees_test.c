/*
 * The first multicast trees of a fabric: hosts join a group while forwarding
 * tables change, and a further change stops that halfway. At no moment may
 * tables and trees together have a loop or a cycle of channels.
 */
#include <check.h>

#include "sm/mad/mad_sa.h"
#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { HOSTS = 16, KEY = 0x5ec2e7 };

struct scene {
	struct fabric *f;
	struct world *w;
	struct watch *watch;
	struct sim_endpoint *ep; /* speaks for all hosts */
	uint32_t speaker;
};

static void
take_answer(void *cookie, const struct transport_msg *m, struct mono now)
{
	(void)cookie;
	(void)m;
	(void)now;
}

static void
open_scene(struct scene *s, uint64_t seed)
{
	struct sim_options o = sim_defaults();

	*s = (struct scene){.f = gen_random(HOSTS, 3, 1, seed, NULL)};
	o.service = mono_us(50);
	o.seed = seed;
	s->w = world_new(s->f, &o,
		"distribution: {drain: 5ms}\nsa: {trust_key: 0x5ec2e7}\n");
	s->watch = watch_new(s->w->sim);
	world_start(s->w);
	ck_assert(world_settle(s->w, mono_ms(60000)));
	s->speaker = fabric_find(s->f, "h9");
	s->ep = sim_attach(s->w->sim, s->speaker, 1, take_answer, NULL);
}

static void
close_scene(struct scene *s)
{
	watch_free(s->watch);
	world_free(s->w);
	fabric_free(s->f);
}

static void
join_group(struct scene *s, uint32_t host)
{
	struct transport_msg m = {.addr.qpn = 1, .len = MAD_SIZE};
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SET,
		.tid = 1,
		.attr = MAD_SA_MEMBER,
		.sm_key = KEY,
		.mask = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID |
			MAD_SA_MEMBER_STATE | MAD_SA_MEMBER_QKEY |
			MAD_SA_MEMBER_TCLASS | MAD_SA_MEMBER_PKEY |
			MAD_SA_MEMBER_FLOW | MAD_SA_MEMBER_SL};
	const struct mad_sa_member rec = {
		.mgid = {UINT64_C(0xff12401bffff0000), 0xffffffff},
		.gid = {UINT64_C(0xfe80000000000000),
			fabric_port(s->f, host, 1)->guid},
		.qkey = 0xb1b,
		.pkey = 0xffff,
		.state = MAD_SA_JOIN_FULL,
	};

	m.addr.lid = sim_port_info(s->w->sim, s->speaker, 1)->sm_lid;
	mad_sa_encode(&h, m.mad);
	mad_sa_member_encode(&rec, m.mad + MAD_SA_HEADER);
	ck_assert_int_eq(
		sim_transport(s->ep)->send(sim_transport(s->ep), &m), 0);
}

/* The forwarding tables are about to be written. */
static void
reach_push(struct scene *s)
{
	struct sm_status st = {0};

	for (unsigned i = 0; st.phase != SM_PUSH; i++) {
		ck_assert_uint_lt(i, 10000);
		world_run(s->w, mono_us(20));
		sm_status(s->w->sm, &st);
	}
}

/* A link goes down, all hosts join while tables are written, and another link
 * goes down; false: there are fewer links. */
static bool
strike_link(uint64_t seed, unsigned nth)
{
	const struct watch_report *r;
	struct scene s;
	uint32_t node, other;
	unsigned port, its;

	open_scene(&s, seed);
	if (!fabric_switch_link(s.f, nth, &node, &port)) {
		close_scene(&s);
		return false;
	}
	ck_assert(fabric_switch_link(s.f, (nth + 5) % 8, &other, &its));
	sim_fault_link(s.w->sim, node, port, false);
	reach_push(&s);
	for (uint32_t n = 0; n < s.f->nnodes; n++)
		if (s.f->node[n].type != FABRIC_SWITCH)
			join_group(&s, n);
	world_run(s.w, mono_us(200));
	sim_fault_link(s.w->sim, other, its, false);
	world_run(s.w, mono_ms(5000));
	r = watch_report(s.watch);
	ck_assert_msg(r->loops == 0, "link %u: %s", nth, r->loop.text);
	ck_assert_msg(r->cycles == 0, "link %u: %s", nth, r->cycle.text);
	close_scene(&s);
	return true;
}

static const uint64_t fabrics[] = {1, 10, 20, 27, 34};

LOOP_TEST(the_first_trees_wait, 0, LEN(fabrics))
{
	unsigned n = 0;

	while (strike_link(fabrics[_i], n))
		n++;
	ck_assert_uint_gt(n, 0);
}
