/*
 * Delivery to multicast groups, judged by the tables that simulated switches
 * hold: every receiver gets what any member sends exactly once, and no other
 * host gets it; at every moment of a change no host gets anything twice.
 */
#include "routing/driver/registry.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/push/mft_fixture.h"
#include "tests/unit/suite.h"

TEST(hosts_come_leave_and_return)
{
	AUTO(play) struct play *p = play_new(shape_of("three:10"), 1);
	uint32_t sw = 0;
	uint64_t first;

	for (uint32_t n = 0; n < p->x.f->nnodes; n++)
		sw += p->x.f->node[n].type == FABRIC_SWITCH;
	for (uint32_t i = 0; i < p->nhosts; i++)
		for (unsigned g = 0; g < GROUPS; g++)
			if (g == 0 || (i + g) % 3 == 0)
				send_membership(p, g, i, MAD_SET, 1);
	settle_membership(p);
	judge_delivery(p);
	first = p->writes;
	/* joins are gathered: not one write per join, hardly one per switch and
	 * cycle */
	ck_assert_uint_le(first, 6U * sw);
	/* a join that is in place writes nothing */
	send_membership(p, 0, 3, MAD_SET, 1);
	settle_membership(p);
	ck_assert_uint_eq(p->writes, first);
	for (uint32_t i = 2; i < p->nhosts; i += 2)
		for (unsigned g = 0; g < GROUPS; g++)
			if (p->state[g][i] != 0 && i + 1 < p->nhosts)
				send_membership(p, g, i, MAD_SA_DELETE, 1);
	settle_membership(p);
	judge_delivery(p);
	for (uint32_t i = 0; i < p->nhosts; i += 2)
		send_membership(p, 0, i, MAD_SET, i % 4 == 0 ? 1 : 4);
	settle_membership(p);
	judge_delivery(p);
}

/* One join is one cell where the switch has others, and it is written in
 * time. */
TEST(a_join_is_answered_when_it_is_written)
{
	AUTO(play) struct play *p = play_new(shape_of("two:4:8:6:3:2"), 1);

	for (uint32_t i = 0; i + 1 < p->nhosts; i++)
		send_membership(p, 0, i, MAD_SET, 1);
	settle_membership(p);
	p->writes = 0;
	send_membership(p, 0, p->nhosts - 1, MAD_SET, 1);
	while (p->speaker->answers == 0)
		world_run(p->x.w, mono_us(10));
	judge_delivery(p); /* at the moment of the answer */
	ck_assert_uint_le(p->writes, 1);
}

/* A torus or a tree. */
static struct fabric *
torus_or_tree(uint64_t seed)
{
	return seed % 2 == 0 ? shape_of("torus:3x3x3")
			     : shape_of("two:6:8:6:2:3");
}

/* A restarted manager knows groups and members, and writes nothing. */
LOOP_TEST(a_restart_takes_nothing_away, 0, 4)
{
	uint64_t seed = (uint64_t)_i + 1;
	AUTO(play) struct play *p = play_new(torus_or_tree(seed), seed);
	struct sm_status before, after;
	uint32_t gone = 5;

	for (unsigned k = 0; k < 200; k++) {
		uint32_t i = (uint32_t)rng_below(&p->rng, p->nhosts);
		unsigned g = (unsigned)rng_below(&p->rng, GROUPS);

		send_membership(
			p, g, i, MAD_SET, rng_below(&p->rng, 4) == 0 ? 4 : 1);
		if (k % 20 == 0)
			settle_membership(p);
	}
	for (unsigned k = 0; k < 60; k++) {
		uint32_t i = 1 + (uint32_t)rng_below(&p->rng, p->nhosts - 1);
		unsigned g = (unsigned)rng_below(&p->rng, GROUPS);

		if (p->state[g][i] != 0)
			send_membership(p, g, i, MAD_SA_DELETE, p->state[g][i]);
	}
	settle_membership(p);
	world_run(p->x.w, mono_ms(2000)); /* until it is saved */
	sm_status(p->x.w->sm, &before);
	p->writes = 0;
	world_kill(p->x.w);
	judge_delivery(p);
	world_start(p->x.w);
	ck_assert(world_settle(p->x.w, mono_ms(60000)));
	ck_assert_uint_eq(p->writes, 0);
	judge_delivery(p);
	sm_status(p->x.w->sm, &after);
	ck_assert_uint_eq(after.sa.groups, before.sa.groups);
	ck_assert_uint_eq(after.sa.members, before.sa.members);
	/* one member left while the manager was down, and another joins */
	world_kill(p->x.w);
	sim_fault_node(p->x.w->sim, p->host[gone], false);
	world_start(p->x.w);
	ck_assert(world_settle(p->x.w, mono_ms(60000)));
	world_run(p->x.w, mono_ms(500));
	for (unsigned g = 0; g < GROUPS; g++)
		p->state[g][gone] = 0;
	judge_delivery(p);
	send_membership(p, 1, 7, MAD_SET, 1);
	settle_membership(p);
	judge_delivery(p);
}

/* Links fail, switches reboot: trees move, and at no moment a host gets two
 * copies. */
LOOP_TEST(changes_have_no_bad_moment, 0, 6)
{
	uint64_t seed = (uint64_t)_i + 1;
	struct fabric *f = torus_or_tree(seed);
	AUTO(play) struct play *p = play_new(f, seed);

	for (unsigned round = 0; round < 5; round++) {
		uint32_t n, peer;
		unsigned port, peer_port;

		for (unsigned k = 0; k < 30; k++) {
			uint32_t i = (uint32_t)rng_below(&p->rng, p->nhosts);
			unsigned g = (unsigned)rng_below(&p->rng, GROUPS);
			uint8_t state = rng_below(&p->rng, 4) == 0 ? 8 : 1;

			if ((p->state[g][i] & state) == 0)
				send_membership(p, g, i, MAD_SET, state);
		}
		p->watching = true;
		settle_membership(p);
		p->watching = false;
		judge_delivery(p);
		do {
			n = (uint32_t)rng_below(&p->rng, f->nnodes);
			port = 1 +
			       (unsigned)rng_below(&p->rng, f->node[n].nports);
		} while (f->node[n].type != FABRIC_SWITCH ||
			 !fabric_peer(f, n, port, &peer, &peer_port) ||
			 f->node[peer].type != FABRIC_SWITCH);
		p->watching = true;
		if (round % 2 == 0)
			sim_fault_link(p->x.w->sim, n, port, false);
		else if (round == 1)
			sim_fault_reboot(p->x.w->sim, n);
		ck_assert(world_settle(p->x.w, mono_ms(60000)));
		p->watching = false;
		judge_delivery(p);
		if (round % 2 == 0)
			sim_fault_link(p->x.w->sim, n, port, true);
		ck_assert(world_settle(p->x.w, mono_ms(60000)));
		judge_delivery(p);
	}
}

/* Records the order of writes while the switch order is reversed: trees against
 * the new order are gone before its first unicast table is written, and back
 * afterwards. */
static enum sim_verdict
record_mft_and_lft(void *cookie, struct sim_msg *m)
{
	struct play *p = cookie;
	struct reason why;
	struct smp s;

	if (m->where != SIM_AT_SMA ||
		smp_decode(m->m.mad, m->m.len, &s, &why) != 0 ||
		s.method != MAD_SET)
		return SIM_PASS;
	if (s.attr == MAD_MFT)
		judge_moment(p);
	if (s.attr == MAD_MFT || s.attr == MAD_LFT)
		p->order[p->norder < 4096 ? p->norder++ : 0] = s.attr;
	return SIM_PASS;
}

static struct config *
config_with_root(uint64_t guid)
{
	AUTO(diag_list) struct diag_list bad = {0};
	char yaml[256];
	struct config *c;

	(void)snprintf(yaml, sizeof(yaml),
		"{sa: {trust_key: 0x5ec2e7}, routing: {engines: [updn], "
		"updn: {roots: [0x%016llx]}}}",
		(unsigned long long)guid);
	c = config_parse(
		"test.yaml", yaml, strlen(yaml), registry_modules(), &bad);
	ck_assert_ptr_nonnull(c);
	return c;
}

TEST(an_order_that_turns_over)
{
	struct fabric *f = shape_of("mesh:4x4");
	AUTO(play) struct play *p = play_new(f, 1);
	uint32_t ends[2] = {UINT32_MAX, 0}, i;

	for (i = 0; i < f->nnodes; i++)
		if (f->node[i].type == FABRIC_SWITCH) {
			ends[0] = ends[0] == UINT32_MAX ? i : ends[0];
			ends[1] = i;
		}
	for (i = 0; i < p->nhosts; i++)
		send_membership(p, 0, i, MAD_SET, 1);
	settle_membership(p);
	sim_set_hook(p->x.w->sim, record_mft_and_lft, p);
	for (unsigned k = 0; k < 4; k++) {
		struct config *c = config_with_root(f->node[ends[k % 2]].guid);
		unsigned lft;

		p->norder = 0;
		world_take_config(p->x.w, c);
		config_unref(c);
		ck_assert(world_settle(p->x.w, mono_ms(60000)));
		judge_delivery(p);
		for (lft = 0; lft < p->norder && p->order[lft] == MAD_MFT;)
			lft++;
		if (k == 0)
			continue; /* it may have been that order before */
		ck_assert_uint_gt(lft, 0);
		ck_assert_uint_lt(lft, p->norder);
		ck_assert_uint_eq(p->order[p->norder - 1], MAD_MFT);
	}
}

/* ---- the writer alone: trees that move over links that carry data ---- */

LOOP_TEST(trees_that_move_are_broken_first, 0, 6)
{
	uint64_t seed = (uint64_t)_i + 1;
	struct sim_faults bad = {
		.delay = 300000, .loss = 20000, .delay_max = {1000000}};
	struct writer *w = writer_new(shape_of("torus:3x3x2"), seed);
	const struct mft_counts *c = mft_counts(w->mft);
	uint64_t before;

	for (unsigned round = 0; round < 6; round++) {
		draw_order(w);
		draw_trees(w);
		/* switches get their Sets at different times, some of them
		 * twice */
		sim_fault_chances(w->p->x.w->sim, &bad);
		w->p->watching = round > 0;
		write_all(w);
		w->p->watching = false;
		sim_fault_chances(w->p->x.w->sim, &(struct sim_faults){0});
		write_all(w);
		judge_delivery(w->p);
	}
	ck_assert_uint_gt(c->broken, 3);
	before = c->sets;
	draw_trees(w); /* other trees, then the same again */
	write_all(w);
	ck_assert_uint_gt(c->sets, before);
	before = c->sets;
	for (unsigned g = 0; g < GROUPS; g++)
		mft_want(w->mft, g, w->tree[g]);
	write_all(w);
	ck_assert_uint_eq(c->sets, before);
	writer_free(w);
}

/*
 * Trees move, and a switch does not answer: what it holds of the old trees is
 * joined with nothing of the new ones. A packet would meet a switch twice.
 */
LOOP_TEST(trees_that_were_not_broken_are_not_made, 0, 6)
{
	static const struct sim_behaviour mute = {
		.mute = UINT64_C(1) << MAD_MFT};
	AUTO(writer)
	struct writer *w =
		writer_new(shape_of("torus:3x3x2"), 40 + (uint64_t)_i);
	struct sim *sim = w->p->x.w->sim;
	uint32_t silent;
	size_t n;

	draw_order(w);
	draw_trees(w);
	write_all(w);
	silent = node_of(w, (sw_ix)rng_below(&w->p->rng, w->t->nsw));
	sim_fault_behave(sim, silent, &mute);
	draw_order(w);
	draw_trees(w);
	w->p->watching = true;
	ck_assert(mft_begin(w->mft, stray));
	feed_writer(w);
	judge_moment(w->p);
	ck_assert(!mft_complete(w->mft));
	ck_assert_uint_eq(
		mft_failures(w->mft, &n)[0].guid, w->p->x.f->node[silent].guid);
	ck_assert_uint_eq(n, 1);
	w->p->watching = false;
	sim_fault_behave(sim, silent, &(struct sim_behaviour){0});
	write_all(w);
	judge_delivery(w->p);
}

/*
 * A tree counts from the cycle on that writes it, not from the answers on: what
 * is planned meanwhile has to make room for it.
 */
TEST(trees_under_way_count)
{
	struct writer *w = writer_new(shape_of("torus:3x3"), 1);

	for (unsigned g = 0; g < GROUPS; g++)
		mft_want(w->mft, g, NULL);
	write_all(w);
	ck_assert(!mft_any(w->mft));
	draw_order(w);
	draw_trees(w);
	ck_assert(!mft_any(w->mft));
	ck_assert(mft_begin(w->mft, stray));
	mft_feed(w->mft, sim_now(w->p->x.w->sim));
	ck_assert(!mft_is_idle(w->mft));
	ck_assert(mft_any(w->mft));
	feed_writer(w);
	ck_assert(mft_any(w->mft));
	for (unsigned g = 0; g < GROUPS; g++)
		mft_want(w->mft, g, NULL);
	write_all(w);
	ck_assert(!mft_any(w->mft));
	writer_free(w);
}
