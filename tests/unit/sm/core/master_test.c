/*
 * Two subnet managers on one simulated fabric: which of them is master, by
 * priority, by hand-over and when one dies, stops or lies; and what that costs.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

enum { SMI_STANDBY = 2, SMI_MASTER = 3, HANDOVER = 1, ACKNOWLEDGE = 2 };

#define SECRET "sm_key: 0x5ec2e7"

/* Two daemons: a on the first host, b on h9; a third host, h20, sends what a
 * test wants. */
struct pair {
	struct fabric *f;
	struct world *a, *b;
	struct sim_endpoint *third;
	unsigned answers;
	struct smp last;
};

static void
take_answer(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct pair *p = cookie;
	struct smp s;

	(void)now;
	if (smp_decode(m->mad, m->len, &s, NULL) != 0 ||
		s.method != MAD_GET_RESP)
		return;
	p->last = s;
	p->answers++;
}

/* With fabric options of each; nothing runs yet. */
static struct pair
pair_new(const char *a, const char *b)
{
	struct sim_options o = sim_defaults();
	struct pair p = {.f = core_tree()};
	char yaml[256];

	(void)snprintf(yaml, sizeof(yaml), "fabric: {%s}\n", a);
	p.a = world_new(p.f, &o, yaml);
	(void)snprintf(yaml, sizeof(yaml), "fabric: {%s}\n", b);
	p.b = world_beside(p.a, fabric_find(p.f, "h9"), yaml);
	return p;
}

static void
pair_end(struct pair *p)
{
	world_free(p->a);
	fabric_free(p->f);
}
AUTO_VALUE(pair, struct pair, pair_end)

static enum sm_role
role_of(const struct world *w)
{
	struct sm_status s = {.role = SM_DISCOVERING};

	if (w->sm != NULL)
		sm_status(w->sm, &s);
	return s.role;
}

static const char *
alarm_of(const struct world *w)
{
	static struct sm_status s;

	sm_status(w->sm, &s);
	return s.alarm;
}

static double
now_of(const struct pair *p)
{
	return mono_seconds(sim_now(p->a->sim));
}

/* Until w is master and the fabric in order: seconds. */
static double
until_master(struct pair *p, struct world *w, double limit)
{
	double began = now_of(p);
	unsigned commits = w->commits;

	while (role_of(w) != SM_MASTER || w->commits == commits) {
		world_run(p->a, mono_ms(10));
		ck_assert_msg(now_of(p) - began < limit,
			"not master after %g s: role %d, alarm \"%s\"", limit,
			role_of(w), alarm_of(w));
	}
	return now_of(p) - began;
}

/* Run both, a as master, b as a standby that both know. */
static void
pair_start(struct pair *p)
{
	world_start(p->a);
	(void)until_master(p, p->a, 30);
	world_start(p->b);
	world_run(p->a, mono_ms(5000));
}

static void
expect_roles(struct pair *p, enum sm_role a, enum sm_role b)
{
	ck_assert_msg(role_of(p->a) == a && role_of(p->b) == b,
		"roles %d and %d, not %d and %d", role_of(p->a), role_of(p->b),
		a, b);
}

static uint16_t
lid_of(const struct pair *p, const struct world *w)
{
	return sim_port_info(p->a->sim, w->host, 1)->lid;
}

/* The third host sends an SMInfo to w, by LID, and gets an answer. */
static struct mad_sm_info
third_says(struct pair *p, const struct world *w, uint8_t method,
	uint32_t order, const struct mad_sm_info *says)
{
	struct transport_msg m = {.addr.lid = lid_of(p, w), .len = MAD_SIZE};
	struct smp s = {.mgmt_class = MAD_SUBN_LID,
		.method = method,
		.attr = MAD_SM_INFO,
		.mod = order,
		.tid = p->answers + 1};
	struct mad_sm_info got;
	unsigned before = p->answers;

	if (p->third == NULL)
		p->third = sim_attach(
			p->a->sim, fabric_find(p->f, "h20"), 1, take_answer, p);
	mad_sm_info_encode(says, s.data);
	smp_encode(&s, m.mad);
	sim_send(p->third, &m);
	world_run(p->a, mono_ms(50));
	ck_assert_uint_eq(p->answers, before + 1);
	mad_sm_info_decode(p->last.data, &got);
	return got;
}

/* ---- hand-over ---- */

static const char *const keys[] = {"", ", " SECRET};

static void
pair_with_key(struct pair *p, int a, int b, const char *key)
{
	char x[64], y[64];

	(void)snprintf(x, sizeof(x), "priority: %d%s", a, key);
	(void)snprintf(y, sizeof(y), "priority: %d%s", b, key);
	*p = pair_new(x, y);
}

/* The highest becomes master, also when it starts last; with a secret key, too.
 */
LOOP_TEST(a_higher_standby_gets_the_fabric, 0, 2)
{
	AUTO(pair) struct pair p;
	uint64_t sets;

	pair_with_key(&p, 3, 10, keys[_i]);
	world_start(p.a);
	core_expect_order(p.a, "bring-up");
	sim_clear_stats(p.a->sim);
	world_start(p.b);
	ck_assert_double_lt(until_master(&p, p.b, 10), 3);
	expect_roles(&p, SM_STANDING_BY, SM_MASTER);
	core_expect_order(p.b, "handed over");
	ck_assert_uint_eq(sm_view(p.b->sm)->counts.lids_moved, 0);
	ck_assert_uint_eq(sim_stats(p.a->sim)->lft_sets, 0);
	ck_assert_str_eq(alarm_of(p.a), "");
	ck_assert_str_eq(alarm_of(p.b), "");
	sets = sim_stats(p.a->sim)->port_sets;
	world_run(p.a, mono_ms(90000)); /* and stays there */
	expect_roles(&p, SM_STANDING_BY, SM_MASTER);
	ck_assert_uint_eq(sim_stats(p.a->sim)->port_sets, sets);
	ck_assert_uint_eq(p.a->runs_failed + p.b->runs_failed, 0);
}

/* At its end a manager hands over, whatever the priority of the standby. */
LOOP_TEST(a_manager_that_ends_hands_over, 0, 2)
{
	AUTO(pair) struct pair p;
	double began;

	pair_with_key(&p, 10, 3, keys[_i]);
	pair_start(&p);
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	began = now_of(&p);
	ck_assert(sm_resign(p.a->sm, sim_now(p.a->sim)));
	while (hand_over_is_pending(p.a->sm))
		world_run(p.a, mono_ms(10));
	ck_assert_double_lt(now_of(&p) - began, 0.2);
	world_kill(p.a);
	world_run(p.a, mono_ms(200));
	ck_assert_int_eq(role_of(p.b), SM_MASTER);
	ck_assert_double_lt(now_of(&p) - began, 0.5);
	core_expect_order(p.b, "handed over");
}

/* Also right after the other one, a standby now, has handed over to it. */
LOOP_TEST(a_giver_can_be_given_back, 0, 4)
{
	AUTO(pair) struct pair p = pair_new("priority: 3", "priority: 10");

	world_start(p.a);
	core_expect_order(p.a, "bring-up");
	world_start(p.b);
	(void)until_master(&p, p.b, 10);
	world_run(p.a, mono_ms(20 * _i));
	ck_assert(sm_resign(p.b->sm, sim_now(p.a->sim)));
	while (hand_over_is_pending(p.b->sm))
		world_run(p.a, mono_ms(1));
	world_kill(p.b);
	world_run(p.a, mono_ms(500));
	ck_assert_int_eq(role_of(p.a), SM_MASTER);
	core_expect_order(p.a, "handed back");
}

/* Told to, a manager hands over whatever the priority of the standby, goes on
 * as a standby, and can be given the fabric back in the same way. */
LOOP_TEST(told_to_hand_over, 0, 2)
{
	struct sm_other to;
	struct reason why;
	AUTO(pair) struct pair p;

	pair_with_key(&p, 10, 3, keys[_i]);
	pair_start(&p);
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	ck_assert_int_eq(
		sm_hand_over(p.b->sm, "as told", sim_now(p.a->sim), &to, &why),
		-1);
	ck_assert_str_eq(why.text, "not the master of this fabric");
	for (int turn = 0; turn < 2; turn++) {
		struct world *from = turn == 0 ? p.a : p.b;
		struct world *other = turn == 0 ? p.b : p.a;

		ck_assert_int_eq(sm_hand_over(from->sm, "as told",
					 sim_now(p.a->sim), &to, &why),
			0);
		world_run(p.a, mono_ms(1000));
		ck_assert_int_eq(role_of(from), SM_STANDING_BY);
		ck_assert_int_eq(role_of(other), SM_MASTER);
		ck_assert(!hand_over_is_pending(from->sm));
		/* it stays there for a while, whoever outranks it */
		world_run(p.a, mono_ms(20000));
		ck_assert_int_eq(role_of(other), SM_MASTER);
		core_expect_order(p.a, "handed over");
	}
}

/* Of the master that polls ask, the status of a standby tells what they told,
 * in its place and among the others, with the name that was read last. */
TEST(the_master_in_the_status)
{
	AUTO(pair) struct pair p = pair_new("priority: 10", "priority: 3");
	struct sm_other to;
	struct reason why;
	struct sm_status s;

	pair_start(&p);
	ck_assert_int_eq(
		sm_hand_over(p.a->sm, "as told", sim_now(p.a->sim), &to, &why),
		0);
	world_run(p.a, mono_ms(3000));
	expect_roles(&p, SM_STANDING_BY, SM_MASTER);
	sm_status(p.a->sm, &s);
	ck_assert_uint_eq(s.master.state, SMI_MASTER);
	ck_assert_uint_eq(s.nothers, 1);
	ck_assert_uint_eq(s.other[0].guid, s.master.guid);
	ck_assert_uint_eq(s.other[0].state, SMI_MASTER);
}

/* A manager that gets the fabric before it has read any names. */
TEST(another_manager_is_named_as_soon_as_names_are_read)
{
	AUTO(pair) struct pair p = pair_new("priority: 3", "priority: 3");
	struct sm_status s;

	pair_start(&p);
	world_kill(p.a);
	(void)until_master(&p, p.b, 10);
	world_start(p.a);
	(void)until_master(&p, p.a, 10);
	world_run(p.a, mono_ms(1000));
	sm_status(p.a->sm, &s);
	ck_assert_uint_eq(s.nothers, 1);
	ck_assert_str_eq(s.other[0].name, "h9");
}

/* Also when it has only just got the fabric from that standby. */
TEST(and_back_again)
{
	AUTO(pair) struct pair p = pair_new("priority: 3", "priority: 10");

	world_start(p.a);
	(void)until_master(&p, p.a, 30);
	world_start(p.b);
	(void)until_master(&p, p.b, 10);
	world_run(p.a, mono_ms(3000));
	expect_roles(&p, SM_STANDING_BY, SM_MASTER);
	ck_assert(sm_resign(p.b->sm, sim_now(p.a->sim)));
	while (hand_over_is_pending(p.b->sm))
		world_run(p.a, mono_ms(10));
	world_kill(p.b);
	world_run(p.a, mono_ms(200));
	ck_assert_int_eq(role_of(p.a), SM_MASTER);
	core_expect_order(p.a, "handed back");
}

/* Without a standby, and on a standby, nothing is waited for. */
TEST(nobody_to_hand_over_to)
{
	struct pair p = pair_new("priority: 10", "priority: 3");
	struct sm_other to;
	struct reason why;

	world_start(p.a);
	(void)until_master(&p, p.a, 30);
	ck_assert(!sm_resign(p.a->sm, sim_now(p.a->sim)));
	ck_assert(!hand_over_is_pending(p.a->sm));
	ck_assert_int_eq(
		sm_hand_over(p.a->sm, "as told", sim_now(p.a->sim), &to, &why),
		-1);
	ck_assert_str_eq(why.text, "no standby was found in this fabric");
	pair_end(&p);
	p = pair_new("priority: 10", "priority: 3");
	pair_start(&p);
	ck_assert(!sm_resign(p.b->sm, sim_now(p.a->sim)));
	pair_end(&p);
}

/* The order comes from a third host, in the name of the master; the key: none,
 * a wrong one, and the right one. */
LOOP_TEST(a_forged_hand_over, 0, 3)
{
	static const uint64_t shown[] = {1, 0x666, 0x5ec2e7, 0x5ec2e7};
	AUTO(pair) struct pair p;
	struct mad_sm_info i = {.state = SMI_MASTER, .key = shown[_i]};

	pair_with_key(&p, 10, 3, keys[_i > 0]);
	pair_start(&p);
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	i.guid = fabric_port(p.f, p.a->host, 1)->guid;
	for (int n = 0; n < 3; n++) {
		(void)third_says(&p, p.b, MAD_SET, HANDOVER, &i);
		world_run(p.a, mono_ms(5000));
		expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	}
	/* nor does a master take an acknowledgement that it did not ask for */
	i.guid = fabric_port(p.f, p.b->host, 1)->guid;
	i.state = SMI_STANDBY;
	(void)third_says(&p, p.a, MAD_SET, ACKNOWLEDGE, &i);
	ck_assert_uint_ne(p.last.status, 0);
	world_run(p.a, mono_ms(5000));
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	ck_assert_str_eq(alarm_of(p.a), "");
}

/* The manager that handed over dies before it takes the acknowledgement: it is
 * polled like any other. */
TEST(a_manager_that_hands_over_and_dies)
{
	struct sim_options o = sim_defaults();
	struct fabric *f = core_tree();
	struct world *w = world_new(f, &o, "fabric: {priority: 3}\n");
	struct mad_sm_info other = {.priority = 15, .state = SMI_MASTER};
	const struct sim_behaviour mute = {.mute = 1ULL << MAD_SM_INFO};
	uint32_t host = fabric_find(f, "h20");
	struct sm_status s;

	world_start(w);
	core_expect_order(w, "bring-up");
	sim_fault_other_sm(w->sim, host, 1, &other);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	world_run(w, mono_ms(2000));
	ck_assert_int_eq(role_of(w), SM_STANDING_BY);
	ck_assert(sim_fault_other_sm_tells(w->sim, host,
		sim_port_info(w->sim, w->host, 1)->lid, HANDOVER));
	sim_fault_behave(w->sim, host, &mute);
	world_run(w, mono_ms(1000));
	ck_assert_int_eq(role_of(w), SM_STANDING_BY);
	world_run(w, mono_ms(7000));
	core_expect_order(w, "taken over by polls");
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_MASTER);
	core_end(w, f);
}

/* The giver dies at every moment of its farewell: the other one has the fabric
 * by the hand-over, or by its polls, and all of it in order. */
LOOP_TEST(a_giver_that_dies_at_once, 0, 12)
{
	AUTO(pair) struct pair p;

	pair_with_key(&p, 10, 3, keys[0]);
	pair_start(&p);
	ck_assert(sm_resign(p.a->sm, sim_now(p.a->sim)));
	world_run(p.a, mono_us(4 * _i));
	world_kill(p.a);
	ck_assert_double_lt(until_master(&p, p.b, 10), 5);
	core_expect_order(p.b, "the giver is dead");
	ck_assert_uint_eq(sm_view(p.b->sm)->counts.lids_moved, 0);
	ck_assert_str_eq(alarm_of(p.b), "");
}

/* The fabric is offered to a manager that still reads it: it takes it. */
TEST(an_offer_while_discovering)
{
	struct sim_options o = sim_defaults();
	AUTO(fabric) struct fabric *f = core_tree();
	struct mad_sm_info other = {.priority = 2, .state = SMI_MASTER}, sent;
	uint32_t host = fabric_find(f, "h20"), modifier = 0;
	AUTO(world) struct world *w = NULL;
	struct sm_status s;

	o.service = mono_us(200);
	w = world_new(f, &o, "fabric: {priority: 3}\n");
	world_start(w);
	core_expect_order(w, "bring-up");
	world_kill(w);
	sim_fault_other_sm(w->sim, host, 1, &other);
	w->runs = w->stood_by = 0;
	world_start(w);
	world_run(w, mono_ms(1));
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.phase, SM_DISCOVER);
	ck_assert_int_eq(s.role, SM_DISCOVERING);
	ck_assert(sim_fault_other_sm_tells(w->sim, host,
		sim_port_info(w->sim, w->host, 1)->lid, HANDOVER));
	other.state = SMI_STANDBY;
	sim_fault_other_sm(w->sim, host, 1, &other);
	world_run(w, mono_ms(3000));
	ck_assert_int_eq(role_of(w), SM_MASTER);
	ck_assert_uint_eq(w->stood_by, 0);
	ck_assert(sim_fault_other_sm_last(w->sim, host, &modifier, &sent));
	ck_assert_uint_eq(modifier, ACKNOWLEDGE);
	core_expect_order(w, "handed over");
}

/* It is given the fabric, answers, and dies: the giver has it again. */
TEST(a_standby_that_takes_and_dies)
{
	AUTO(pair) struct pair p = pair_new("priority: 3", "priority: 10");
	double began;

	world_start(p.a);
	(void)until_master(&p, p.a, 30);
	world_start(p.b);
	while (role_of(p.a) == SM_MASTER)
		world_run(p.a, mono_us(10));
	world_kill(p.b);
	began = now_of(&p);
	(void)until_master(&p, p.a, 10);
	ck_assert_double_lt(now_of(&p) - began, 4);
	core_expect_order(p.a, "it has it again");
}

/* It answers the hand-over, as OpenSM does without acknowledging it, and
 * becomes master (0); or it does not (1): then it is not given way to again. */
LOOP_TEST(a_standby_that_does_not_acknowledge, 0, 2)
{
	struct sim_options o = sim_defaults();
	struct fabric *f = core_tree();
	struct world *w = world_new(f, &o, "fabric: {priority: 3}\n");
	const struct mad_sm_info other = {.priority = 15, .state = SMI_STANDBY};
	uint32_t host = fabric_find(f, "h20");

	world_start(w);
	core_expect_order(w, "bring-up");
	sim_fault_other_sm(w->sim, host, 1, &other);
	while (role_of(w) == SM_MASTER)
		world_run(w, mono_us(10));
	if (_i == 1)
		sim_fault_other_sm(w->sim, host, 1, &other);
	world_run(w, mono_ms(3000));
	ck_assert_int_eq(role_of(w), _i == 0 ? SM_STANDING_BY : SM_MASTER);
	ck_assert_str_eq(alarm_of(w), "");
	world_run(w, mono_ms(30000));
	ck_assert_int_eq(role_of(w), _i == 0 ? SM_STANDING_BY : SM_MASTER);
	core_end(w, f);
}

/* A standby that is known as one refuses, or does not answer: nothing is lost,
 * and it is not offered the fabric at once again. */
TEST(a_hand_over_that_is_not_taken)
{
	struct sim_options o = sim_defaults();
	struct fabric *f = core_tree();
	struct world *w = world_new(f, &o, "fabric: {priority: 3}\n");
	const struct mad_sm_info other = {.priority = 15, .state = SMI_STANDBY};
	const struct sim_behaviour mute = {.mute = 1ULL << MAD_SM_INFO};
	uint32_t host = fabric_find(f, "h20");

	world_start(w);
	core_expect_order(w, "bring-up");
	sim_fault_other_sm(w->sim, host, 1, &other);
	/* it answers once, as a standby, and then no more */
	for (int i = 0; i < 20000; i++) {
		struct sm_status s;

		world_run(w, mono_us(10));
		sm_status(w->sm, &s);
		if (s.nothers > 0 && s.other[0].answers)
			sim_fault_behave(w->sim, host, &mute);
	}
	world_run(w, mono_ms(1000));
	ck_assert_int_eq(role_of(w), SM_MASTER);
	ck_assert_uint_eq(w->stood_by, 0);
	core_expect_order(w, "still master");
	core_end(w, f);
}

/* ---- a master that dies or stops ---- */

/* Killed, or stopped: a poll is one packet, and the election does not wait for
 * the silent one. */
LOOP_TEST(a_dead_master_costs_its_polls, 0, 6)
{
	AUTO(pair) struct pair p = pair_new("priority: 5", "priority: 3");
	double took;

	pair_start(&p);
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	world_run(p.a, mono_ms(7 * _i));
	if (_i % 2 == 0)
		world_kill(p.a);
	else
		p.a->stopped = true;
	took = until_master(&p, p.b, 30);
	ck_assert_msg(took > 2 && took < 3.6, "%g s", took);
	core_expect_order(p.b, "taken over");
}

/* The stopped master goes on: it was master, and still outranks the other. */
LOOP_TEST(a_master_that_was_stopped, 0, 2)
{
	AUTO(pair) struct pair p;
	uint32_t leaf;
	double began;

	pair_with_key(&p, 5, 3, keys[_i]);
	leaf = fabric_find(p.f, "leaf3");
	pair_start(&p);
	p.a->stopped = true;
	(void)until_master(&p, p.b, 30);
	for (unsigned port = 5; port <= 8; port++) { /* other tables remain */
		sim_fault_link(p.a->sim, leaf, port, false);
		world_run(p.a, mono_ms(2000));
		sim_fault_link(p.a->sim, leaf, port, true);
		world_run(p.a, mono_ms(2000));
	}
	p.a->stopped = false;
	began = now_of(&p);
	while (role_of(p.b) != SM_STANDING_BY) {
		world_run(p.a, mono_ms(10));
		ck_assert_msg(now_of(&p) - began < 1, "two masters");
	}
	core_expect_order(p.a, "goes on");
	world_run(p.a, mono_ms(400000)); /* all switches are sampled */
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	ck_assert_str_eq(alarm_of(p.a), "");
	ck_assert_str_eq(alarm_of(p.b), "");
}

/* ---- SM_Keys ---- */

/* Two managers that do not share a key: the second never becomes master of the
 * first one's fabric, whatever its priority, and says why. */
TEST(managers_with_different_keys)
{
	AUTO(pair)
	struct pair p =
		pair_new("priority: 3, sm_key: 0xabc", "priority: 10, " SECRET);

	pair_start(&p);
	world_run(p.a, mono_ms(70000));
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	ck_assert_msg(strstr(alarm_of(p.b), "SM_Key") != NULL, "alarm \"%s\"",
		alarm_of(p.b));
	ck_assert_uint_eq(p.b->commits, 0);
	ck_assert(!sm_resign(p.a->sm, sim_now(p.a->sim)));
}

/* A host that calls itself master and does not know the key is not obeyed. */
LOOP_TEST(a_rogue_master, 0, 2)
{
	struct sim_options o = sim_defaults();
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w =
		world_new(f, &o, "fabric: {priority: 3, " SECRET "}\n");
	const struct mad_sm_info rogue = {
		.priority = 15, .state = SMI_MASTER, .key = _i == 0 ? 0 : 7};

	world_start(w);
	core_expect_order(w, "bring-up");
	sim_fault_other_sm(w->sim, fabric_find(f, "h20"), 1, &rogue);
	world_run(w, mono_ms(40000));
	ck_assert_int_eq(role_of(w), SM_MASTER);
	ck_assert_msg(strstr(alarm_of(w), "two masters") != NULL &&
			      strstr(alarm_of(w), "h20") != NULL &&
			      strstr(alarm_of(w), "SM_Key") != NULL,
		"alarm \"%s\"", alarm_of(w));
}

/* A key that is no secret is shown to all; another one to those who show it. */
TEST(a_key_is_shown_to_those_who_know_it)
{
	const struct mad_sm_info none = {0}, knows = {.key = 0x5ec2e7},
				 wrong = {.key = 0x666};
	struct mad_sm_info i;
	struct pair p = pair_new("priority: 3", "priority: 2");

	pair_start(&p);
	i = third_says(&p, p.a, MAD_GET, 0, &none);
	ck_assert_uint_eq(i.key, 1);
	ck_assert_uint_eq(i.state, SMI_MASTER);
	pair_end(&p);
	p = pair_new("priority: 3, " SECRET, "priority: 2, " SECRET);
	pair_start(&p);
	i = third_says(&p, p.a, MAD_GET, 0, &none);
	ck_assert_uint_eq(i.key, 0);
	i = third_says(&p, p.a, MAD_GET, 0, &wrong);
	ck_assert_uint_eq(i.key, 0);
	i = third_says(&p, p.a, MAD_SET, 5, &none);
	ck_assert_uint_eq(i.key, 0);
	i = third_says(&p, p.a, MAD_GET, 0, &knows);
	ck_assert_uint_eq(i.key, 0x5ec2e7);
	i = third_says(&p, p.b, MAD_GET, 0, &none);
	ck_assert_uint_eq(i.key, 0);
	expect_roles(&p, SM_MASTER, SM_STANDING_BY);
	pair_end(&p);
}

/* ---- another manager ---- */

/* It outranks us and takes the fabric: an alarm until this one has it back. */
LOOP_TEST(the_fabric_is_taken, 0, 2)
{
	struct sim_options o = sim_defaults();
	struct fabric *f = core_tree();
	struct world *w = world_new(f, &o, "fabric: {priority: 3}\n");
	const struct mad_sm_info other = {.priority = 15, .state = SMI_MASTER};
	uint32_t host = fabric_find(f, "h20");

	world_start(w);
	core_expect_order(w, "bring-up");
	sim_fault_other_sm(w->sim, host, 1, &other); /* with trap 144 */
	world_run(w, mono_ms(300));
	ck_assert_int_eq(role_of(w), SM_STANDING_BY);
	ck_assert_msg(strstr(alarm_of(w), "took the fabric") != NULL &&
			      strstr(alarm_of(w), "h20") != NULL,
		"alarm \"%s\"", alarm_of(w));
	if (_i == 0) {
		world_reload(w, "fabric: {priority: 3}\n");
		ck_assert_str_eq(alarm_of(w), "");
	}
	sim_fault_node(w->sim, host, false);
	core_expect_order(w, "it is gone");
	world_run(w, mono_ms(20000));
	ck_assert_int_eq(role_of(w), SM_MASTER);
	ck_assert_str_eq(alarm_of(w), "");
	core_end(w, f);
}

/* ---- records of another reign ---- */

/* Every LID one higher, as another master might have given them. */
static void
give_other_lids(struct sim *s, const struct fabric *f)
{
	for (uint32_t n = 0; n < sim_nodes(s); n++) {
		unsigned port = f->node[n].type == FABRIC_SWITCH ? 0 : 1;
		struct mad_port_info i = *sim_port_info(s, n, port);

		i.lid = (uint16_t)(i.lid % 44 + 1);
		sim_hand_port(s, n, port, &i);
	}
}

/*
 * b was master once, then another manager gave other LIDs: b takes over with
 * its old state file, from a that dies (0), or when a is gone long since (1).
 * In the third case nothing but its own restart lies between.
 */
LOOP_TEST(a_stale_state_moves_no_lid, 0, 3)
{
	AUTO(pair) struct pair p = pair_new("priority: 5", "priority: 3");
	bool own = _i == 2;

	world_start(p.b);
	core_expect_order(p.b, "b alone");
	world_kill(p.b);
	if (!own) {
		give_other_lids(p.a->sim, p.f);
		p.a->runs = 0;
		world_start(p.a);
		core_expect_order(p.a, "the reign of a");
		ck_assert_uint_eq(sm_view(p.a->sm)->counts.lids_moved, 0);
	}
	if (_i == 1)
		world_kill(p.a);
	world_start(p.b);
	if (_i == 0) {
		world_run(p.a, mono_ms(5000));
		expect_roles(&p, SM_MASTER, SM_STANDING_BY);
		world_kill(p.a);
	}
	(void)until_master(&p, p.b, 30);
	ck_assert_uint_eq(sm_view(p.b->sm)->counts.lids_moved, 0);
	core_expect_order(p.b, "b again");
}
