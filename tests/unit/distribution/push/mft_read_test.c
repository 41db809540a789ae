/*
 * What the writer of multicast forwarding tables takes as known, and what it
 * reads: after a restart it writes nothing that is in place; what a late copy,
 * a reboot or a false acknowledgement has changed is found and repaired.
 */
#include "tests/topo/shape.h"
#include "tests/unit/distribution/push/mft_fixture.h"
#include "tests/unit/suite.h"

static struct writer *
new_writer(uint64_t seed)
{
	struct writer *w = writer_new(shape_of("two:4:8:6:3:2"), seed);

	draw_order(w);
	draw_trees(w);
	write_all(w);
	judge_delivery(w->p);
	return w;
}

/* Replaces the writer by a new one that wants the same trees. */
static void
restart_writer(struct writer *w)
{
	make_writer(w);
	for (unsigned g = 0; g < GROUPS; g++)
		mft_want(w->mft, g, w->tree[g]);
}

TEST(what_is_there_is_not_written)
{
	AUTO(writer) struct writer *w = new_writer(1);
	const struct mft_counts *c;
	uint64_t once;

	restart_writer(w);
	c = mft_counts(w->mft);
	write_all(w);
	ck_assert_uint_gt(c->reads, 0);
	ck_assert_uint_eq(c->sets, 0);
	judge_delivery(w->p);
	/* what is known is not asked for again */
	once = c->reads;
	draw_trees(w);
	write_all(w);
	ck_assert_uint_eq(c->reads, once);
	ck_assert_uint_gt(c->sets, 0);
	judge_delivery(w->p);
}

/* Trees of a previous run are found in the tables and kept. */
LOOP_TEST(trees_are_found, 0, 4)
{
	AUTO(writer) struct writer *w = new_writer((uint64_t)_i + 1);
	struct mcast *maker =
		mcast_new(w->t, &(struct route_mcast){.pos = w->pos});

	for (unsigned g = 0; g < GROUPS; g++) {
		struct mcast_member m[HOSTS + 1];
		struct found f = {w, g};
		struct mcast_tree *prev = mcast_found(maker, found_row, &f);
		struct mcast_tree *again;
		size_t n = members_of(w, g, m);

		/* a tree made from nothing with this seed would differ */
		again = mcast_tree(maker, m, n, prev, 977);
		ck_assert_uint_eq(again->n, w->tree[g]->n);
		ck_assert_mem_eq(again->branch, w->tree[g]->branch,
			again->n * sizeof(*again->branch));
		mcast_tree_free(again);
		mcast_tree_free(prev);
	}
	mcast_free(maker);
}

/* Sets these bytes in a table without the writer's knowledge. */
static void
overwrite_mft(struct writer *w, sw_ix s, unsigned pos, uint8_t byte)
{
	uint64_t guid = w->t->node[w->t->sw[s].node].guid;
	struct smp_set set = {.attr = MAD_MFT, .mod = pos << 28};

	memset(set.data, byte, sizeof(set.data));
	set_behind(w, guid, &set);
}

/* The first switch of the first group's tree: its table is not empty. */
static sw_ix
first_tree_switch(const struct writer *w)
{
	return w->tree[0]->branch[0].sw;
}

TEST(late_copies_are_found)
{
	AUTO(writer) struct writer *w = new_writer(3);
	const struct mft_counts *c = mft_counts(w->mft);
	struct sim_faults bad = {.loss = 300000};

	/* some Sets are repeated */
	sim_fault_chances(w->p->x.w->sim, &bad);
	draw_trees(w);
	write_all(w);
	sim_fault_chances(w->p->x.w->sim, &(struct sim_faults){0});
	write_all(w);
	judge_delivery(w->p);
	ck_assert(mft_next(w->mft).ns != MONO_NEVER.ns);
	/* and late copies arrive when all is well */
	for (sw_ix s = 0; s < w->t->nsw; s++)
		overwrite_mft(w, s, 0, 0);
	pass_time(w, mono_ms(2000));
	ck_assert_uint_gt(c->drifted, 0);
	ck_assert(mft_next(w->mft).ns == MONO_NEVER.ns);
}

TEST(a_reboot_is_found)
{
	AUTO(writer) struct writer *w = new_writer(4);
	sw_ix s = first_tree_switch(w);

	sim_fault_reboot(w->p->x.w->sim, node_of(w, s));
	pass_time(w, mono_ms(100));
	write_all(w); /* no trap reported the reboot */
	ck_assert_uint_eq(mft_counts(w->mft)->drifted, 0);
	mft_suspect(w->mft, w->t->node[w->t->sw[s].node].guid);
	write_all(w);
	ck_assert_uint_eq(mft_counts(w->mft)->drifted, 1);
	ck_assert(holds_wanted_mft(w, s));
}

/* Another manager writes, or a switch restarts, and nothing tells: it is found
 * when all cells have had their turn. */
static void
check_rotation(struct writer *w, sw_ix s, bool altered)
{
	uint64_t guid = w->t->node[w->t->sw[s].node].guid, found = 0;
	uint32_t round = 7;

	pass_time(w, mono_ms(100));
	write_all(w);
	ck_assert_uint_eq(mft_counts(w->mft)->drifted, 0);
	for (; round < 100 && mft_counts(w->mft)->drifted == 0; round++) {
		mft_sample(w->mft, guid, round, sim_now(w->p->x.w->sim));
		ck_assert(mft_next(w->mft).ns != MONO_NEVER.ns);
		pass_time(w, mono_ms(100));
		found = mft_drifted(w->mft);
		write_all(w);
	}
	ck_assert_uint_eq(mft_counts(w->mft)->drifted, 1);
	ck_assert_uint_eq(found, altered ? guid : 0);
	ck_assert(holds_wanted_mft(w, s));
}

TEST(another_writer_is_found)
{
	struct writer *w = new_writer(4);
	sw_ix s = first_tree_switch(w);

	write_all(w);
	pass_time(w, mono_ms(2000)); /* samples of what was written */
	overwrite_mft(w, s, 0, 0x11);
	check_rotation(w, s, true);
	writer_free(w);
	w = new_writer(4);
	write_all(w);
	pass_time(w, mono_ms(2000));
	sim_fault_reboot(w->p->x.w->sim, node_of(w, s));
	check_rotation(w, s, false);
	writer_free(w);
}

/* A fresh switch, beside others that carry packets. What it holds is known when
 * it was written; if no switch is known, none counts as unknown. */
TEST(a_returning_switch_is_unknown)
{
	AUTO(writer) struct writer *w = new_writer(4);
	sw_ix s = first_tree_switch(w);
	struct topo_node *n = &w->t->node[w->t->sw[s].node];

	ck_assert(!mft_has_unknown_switches(w->mft, w->t));
	n->flags |= TN_FRESH;
	ck_assert(!mft_has_unknown_switches(w->mft, w->t));
	mft_forget(w->mft, n->guid);
	ck_assert(mft_has_unknown_switches(w->mft, w->t));
	n->flags &= (uint8_t)~TN_FRESH;
	ck_assert(!mft_has_unknown_switches(w->mft, w->t)); /* it can be read */
	restart_writer(w);
	n->flags |= TN_FRESH;
	mft_adopt(w->mft, w->t);
	ck_assert(mft_has_unknown_switches(w->mft, w->t));
	for (unsigned g = 0; g < GROUPS; g++)
		mft_keep(w->mft, g);
	write_all(w);
	ck_assert(!mft_has_unknown_switches(w->mft, w->t));
	for (sw_ix i = 0; i < w->t->nsw; i++) {
		w->t->node[w->t->sw[i].node].flags |= TN_FRESH;
		mft_forget(w->mft, w->t->node[w->t->sw[i].node].guid);
	}
	ck_assert(!mft_has_unknown_switches(w->mft, w->t));
}

/* A switch that acknowledges and does nothing is left alone in the end. */
TEST(a_false_acknowledgement_is_found)
{
	AUTO(writer) struct writer *w = new_writer(5);
	sw_ix s = first_tree_switch(w);
	uint64_t guid = w->t->node[w->t->sw[s].node].guid;
	const struct mft_failure *f;
	uint64_t before;
	size_t n = 0;

	for (unsigned round = 0; round < 200 && n == 0; round++) {
		draw_trees(w);
		write_all(w);
		overwrite_mft(w, s, 0, 0x55);
		pass_time(w, mono_ms(1000));
		f = mft_failures(w->mft, &n);
		ck_assert(n == 0 || (f[0].guid == guid && f[0].disobedient));
		write_all(w);
	}
	ck_assert_uint_eq(n, 1);
	/* nothing is sent to it any more */
	before = mft_counts(w->mft)->drifted;
	overwrite_mft(w, s, 0, 0x55);
	draw_trees(w);
	write_all(w);
	pass_time(w, mono_ms(1000));
	ck_assert_uint_eq(mft_counts(w->mft)->drifted, before);
	ck_assert(!holds_wanted_mft(w, s));
}

/* The top ends with the blocks in use; the default ports for MLIDs in no table
 * are cleared. */
TEST(tops_and_default_ports)
{
	AUTO(writer) struct writer *w = new_writer(6);
	struct world *x = w->p->x.w;
	sw_ix s = first_tree_switch(w);
	uint64_t guid = w->t->node[w->t->sw[s].node].guid;
	struct smp_set set = {.attr = MAD_SWITCH_INFO};
	struct mad_switch_info i;

	ck_assert_int_eq(mad_switch_info_decode(w->t->sinfo[s], &i, NULL), 0);
	i.mft_top = 0xc03f;
	i.def_mcast_pri = 3;
	i.def_mcast_not = 255;
	mad_switch_info_encode(&i, set.data);
	set_behind(w, guid, &set);
	memcpy(w->t->sinfo[s], set.data, MAD_DATA);
	restart_writer(w);
	write_all(w);
	/* two blocks are below the top, and both are known now */
	ck_assert_uint_eq(mft_blocks(w->mft), 2);
	sim_read(x->sim, node_of(w, s), 0, MAD_SWITCH_INFO, 0, set.data);
	ck_assert_int_eq(mad_switch_info_decode(set.data, &i, NULL), 0);
	ck_assert_uint_eq(i.mft_top, 0xc03f);
	ck_assert_uint_eq(i.def_mcast_pri, 255);
	ck_assert_uint_eq(i.def_mcast_not, 255);
	ck_assert_uint_eq(w->switches, w->t->nsw); /* all were cleared */
	/* with more blocks the top is raised first */
	mft_want(w->mft, 64, w->tree[0]);
	write_all(w);
	sim_read(x->sim, node_of(w, s), 0, MAD_SWITCH_INFO, 0, set.data);
	ck_assert_int_eq(mad_switch_info_decode(set.data, &i, NULL), 0);
	ck_assert_uint_eq(i.mft_top, 0xc05f);
	judge_delivery(w->p);
}

/* Default ports that another manager left are cleared at a take-over, where
 * there is no group at all, too. */
TEST(default_ports_without_a_group)
{
	struct fixture x = fixture_with(shape_of("two:4:8:4"),
		"partitions: {Default: {pkey: 0x7fff, "
		"ipoib: {enabled: false}}}\n");
	struct world *w = x.w;
	uint8_t data[MAD_DATA];
	struct mad_switch_info i;
	uint32_t leaf = 0;

	while (x.f->node[leaf].type != FABRIC_SWITCH)
		leaf++;
	world_kill(w);
	sim_hand_default_mcast(w->sim, leaf, 3, 2);
	world_start(w);
	ck_assert(world_settle(w, mono_ms(120000)));
	world_run(w, mono_ms(1000));
	sim_read(w->sim, leaf, 0, MAD_SWITCH_INFO, 0, data);
	ck_assert_int_eq(mad_switch_info_decode(data, &i, NULL), 0);
	ck_assert_uint_eq(i.def_mcast_pri, 255);
	ck_assert_uint_eq(i.def_mcast_not, 255);
	fixture_free(&x);
}
