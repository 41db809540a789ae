/*
 * The core beside another manager that the simulator plays: it stands by and
 * writes nothing, takes over when that one is silent or hands over, and answers
 * its questions.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

/* Every Set that the simulator counts, and the time of the last one. */
static void
expect_no_set(const struct world *w, const char *when)
{
	const struct sim_stats *c = sim_stats(w->sim);

	ck_assert_msg(
		c->lft_sets + c->mft_sets + c->port_sets + c->switch_sets ==
				0 &&
			c->last_set.ns == 0,
		"%s: %llu Sets of SwitchInfo", when,
		(unsigned long long)c->switch_sets);
}

static unsigned
count_change_bits(const struct world *w)
{
	unsigned bits = 0;

	for (uint32_t i = 0; i < sim_nodes(w->sim); i++)
		if (w->fabric->node[i].type == FABRIC_SWITCH)
			bits += sim_switch_info(w->sim, i)->state_change;
	return bits;
}

/* PortStateChange belongs to the master: its light sweeps look for it. Here the
 * bits are set since power on. */
TEST(a_standby_writes_nothing)
{
	struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, "standby:\n  poll_interval: 1s\n");
	struct mad_sm_info other = {.act_count = 1, .priority = 0, .state = 3};
	uint32_t host = fabric_find(f, "h20"), leaf = fabric_find(f, "leaf1");
	struct sm_status s;

	sim_fault_other_sm(w->sim, host, 1, &other);
	ck_assert_uint_eq(count_change_bits(w), 12);
	world_start(w);
	for (int i = 0; i < 10; i++) {
		world_run(w, mono_ms(1000));
		other.act_count++;
		sim_fault_other_sm(w->sim, host, 1, &other);
		sim_fault_link(w->sim, leaf, 5, i % 2 != 0);
	}
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	expect_no_set(w, "as a standby");
	ck_assert_uint_eq(count_change_bits(w), 12);
	sim_fault_node(w->sim, host, false);
	world_run(w, mono_ms(20000));
	core_expect_order(w, "master after all");
	ck_assert_uint_eq(count_change_bits(w), 0);
	core_end(w, f);
}

/*
 * A link fails between the sweep before the election and the first bit that is
 * cleared; its traps go to no master. In a fabric that a previous run has
 * brought up, nothing has to be written there, which would show it.
 */
TEST(a_change_before_the_election_is_not_lost)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;
	struct mad_sm_info silent = {.state = 2};
	struct sim_behaviour mute = {.mute = 1ULL << MAD_SM_INFO};
	struct sm_status s;
	uint32_t leaf = fabric_find(f, "leaf8");
	uint32_t spine = fabric_find(f, "spine4");
	uint32_t other = fabric_find(f, "spine3");
	uint32_t near = fabric_find(f, "leaf7");
	unsigned p = core_port_between(f, leaf, spine);

	o.trap_tries = 1;
	w = world_new(f, &o, "sweep:\n  interval: 0s\n");
	world_start(w);
	core_expect_order(w, "bring-up");
	world_kill(w);
	/* the bits of leaf8 and spine4 are set before they are read */
	for (int i = 0; i < 2; i++) {
		sim_fault_link(
			w->sim, leaf, core_port_between(f, leaf, other), i);
		sim_fault_link(
			w->sim, spine, core_port_between(f, spine, near), i);
	}
	world_run(w, mono_ms(1000));
	/* the election waits for this one, long enough to lose the traps */
	sim_fault_other_sm(w->sim, fabric_find(f, "h20"), 1, &silent);
	sim_fault_behave(w->sim, fabric_find(f, "h20"), &mute);
	world_start(w);
	do {
		world_run(w, mono_us(10));
		sm_status(w->sm, &s);
	} while (s.phase != SM_ELECT);
	sim_fault_link(w->sim, leaf, p, false);
	world_run(w, mono_ms(60000));
	core_expect_order(w, "a link failed during the election");
	ck_assert_uint_eq(count_change_bits(w), 0);
}

TEST(another_master_keeps_us_out)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	AUTO(world)
	struct world *w = world_new(f, &o,
		"fabric:\n  priority: 15\nstandby:\n  poll_interval: 1s\n");
	struct mad_sm_info other = {.act_count = 1, .priority = 0, .state = 3};
	uint32_t host = fabric_find(f, "h20");
	struct sm_status s;
	int i;

	sim_fault_other_sm(w->sim, host, 1, &other);
	world_start(w);
	for (i = 0; i < 10; i++) {
		world_run(w, mono_ms(1000));
		other.act_count++;
		sim_fault_other_sm(w->sim, host, 1, &other);
	}
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	ck_assert_uint_eq(s.master.guid, fabric_port(f, host, 1)->guid);
	ck_assert_uint_eq(s.nothers, 1);
	ck_assert_uint_eq(s.other[0].guid, fabric_port(f, host, 1)->guid);
	ck_assert(s.other[0].answers);
	ck_assert_uint_eq(s.other[0].state, 3);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, 0);
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, 0);
	ck_assert_uint_eq(w->stood_by, 1);
	ck_assert_ptr_nonnull(strstr(core_event(w, EVENT_STANDBY),
		"sm: another subnet manager is master: guid=0x"));
	ck_assert_uint_eq(w->runs_failed, 0);
	ck_assert_uint_eq(s.nothers, 1);
	/* it dies: its activity count does not change, then it is gone */
	sim_fault_node(w->sim, host, false);
	world_run(w, mono_ms(20000));
	core_expect_order(w, "the other master died");
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_MASTER);
}

/* The other master does not die, it hands over; in the second case it would
 * outrank this manager as soon as it is a standby. */
LOOP_TEST(the_other_master_hands_over, 0, 2)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "fabric:\n  priority: 3\n");
	struct mad_sm_info other = {.state = 3}, sent;
	uint32_t host = fabric_find(f, "h20"), modifier;
	uint16_t ours;
	struct sm_status s;

	other.priority = _i == 0 ? 0 : 3;
	/* another run brought up the fabric */
	core_expect_order(w, "bring-up");
	ours = sim_port_info(w->sim, fabric_first_host(f), 1)->lid;
	world_kill(w);
	sim_fault_other_sm(w->sim, host, 1, &other);
	w->runs = 0;
	world_start(w);
	world_run(w, mono_ms(5000));
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	ck_assert_uint_eq(s.master.guid, fabric_port(f, host, 1)->guid);
	ck_assert(sim_fault_other_sm_tells(w->sim, host, ours, 1));
	other.state = 2;
	sim_fault_other_sm(w->sim, host, 1, &other);
	world_run(w, mono_ms(60000));
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_MASTER);
	ck_assert_uint_eq(w->stood_by, 1);
	ck_assert(sim_fault_other_sm_last(w->sim, host, &modifier, &sent));
	ck_assert_uint_eq(modifier, 2); /* acknowledged */
	ck_assert_int_eq(sent.state, 2);
	ck_assert_uint_eq(sent.key, 1);
	core_expect_order(w, "handed over");
}

/* The other manager is a standby, perhaps for this one: then there would be no
 * master. */
TEST(two_do_not_stand_by_for_each_other)
{
	struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, "fabric:\n  priority: 3\n");
	struct mad_sm_info other = {.priority = 4, .state = 2};
	uint32_t host = fabric_find(f, "h20");
	struct sm_status s;
	unsigned stood = 0;

	world_start(w);
	for (int i = 0; i < 60; i++) {
		other.act_count++;
		sim_fault_other_sm(w->sim, host, 1, &other);
		world_run(w, mono_ms(1000));
		if (w->stood_by == 2)
			other.state = 3; /* it noticed */
	}
	stood = w->stood_by;
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	ck_assert_uint_eq(s.master.state, 3);
	ck_assert_uint_eq(stood, 2); /* the state of the other was read again */
	core_end(w, f);
}

/* The last answer that came for another host, which asks as a manager does. */
struct asker {
	struct sim_endpoint *at;
	uint16_t ours; /* LID of the manager under test */
	unsigned n;
	struct mad_sm_info says;
};

static void
take_sm_info(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct asker *a = cookie;
	struct reason why;
	struct smp s;

	(void)now;
	ck_assert_int_eq(smp_decode(m->mad, m->len, &s, &why), 0);
	if (s.attr != MAD_SM_INFO || s.method != MAD_GET_RESP)
		return;
	a->n++;
	mad_sm_info_decode(s.data, &a->says);
}

/* Ask for SMInfo, showing a key. */
static void
ask_sm_info(struct world *w, struct asker *a, uint64_t key)
{
	struct mad_sm_info i = {.guid = 1, .key = key, .state = 3};
	struct transport_msg m = {.addr.lid = a->ours, .len = MAD_SIZE};
	struct smp s = {
		.mgmt_class = MAD_SUBN_LID,
		.method = MAD_GET,
		.attr = MAD_SM_INFO,
		.tid = a->n + 1,
	};
	unsigned before = a->n;

	mad_sm_info_encode(&i, s.data);
	smp_encode(&s, m.mad);
	sim_send(a->at, &m);
	world_run(w, mono_ms(100));
	ck_assert_uint_eq(a->n, before + 1);
}

static struct world *
start_with_asker(struct fabric *f, struct asker *a, const char *config)
{
	struct world *w = core_start(f, config);

	core_expect_order(w, "bring-up");
	a->at = sim_attach(w->sim, fabric_find(f, "h20"), 1, take_sm_info, a);
	a->ours = sim_port_info(w->sim, fabric_first_host(f), 1)->lid;
	return w;
}

/* A standby may ask every 100 ms, and takes a count that does not change for a
 * master that does nothing. */
TEST(the_activity_count_moves_between_polls)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct asker a = {0};
	AUTO(world) struct world *w = start_with_asker(f, &a, "{}");

	for (unsigned i = 0; i < 5; i++) {
		uint32_t before = a.says.act_count;

		ask_sm_info(w, &a, 0);
		ck_assert_uint_ne(a.says.act_count, before);
	}
}

TEST(a_weaker_standby_does_not)
{
	struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, "fabric:\n  priority: 3\n");
	const struct mad_sm_info other = {
		.act_count = 1, .priority = 2, .state = 2};
	struct sm_status s;

	sim_fault_other_sm(w->sim, fabric_find(f, "h20"), 1, &other);
	world_start(w);
	core_expect_order(w, "with a standby");
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.nothers, 1);
	ck_assert_uint_eq(s.other[0].priority, 2);
	sim_fault_node(w->sim, fabric_find(f, "h20"), false);
	core_expect_order(w, "the standby has gone");
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.nothers, 0);
	core_end(w, f);
}
