/* Transitions where some tables are unknown, or cannot be written. */
#include <check.h>

#include "distribution/device/adaptive_seen.h"
#include "distribution/plan/adaptive_mixture.h"
#include "sm/mad/mad_ar.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/transition/transition_bed.h"
#include "tests/unit/suite.h"

TEST(unread_fresh_quarantined)
{
	struct rng r = {7};
	struct transition_result *x;
	struct topo_node *n;
	AUTO(bed) struct bed b;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	n = &b.t1->node[b.t1->sw[1].node];
	device_forget_node(b.hw, n->guid);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->unread, 1);
	transition_free(x);
	n->flags |= TN_FRESH;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->unread, 0);
	transition_free(x);
	n->flags = TN_QUARANTINED;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->unread, 0);
	for (size_t i = 0; i < x->nwrites; i++)
		ck_assert_uint_ne(x->write[i].sw, 1);
	transition_free(x);
}

/* No packet meets a switch of which no port is up yet. It loses entries that
 * are not wanted all the same, even where nothing else is wanted in a block. */
TEST(fresh_is_emptied)
{
	AUTO(bed) struct bed b;
	struct rng r = {7};
	AUTO(transition) struct transition_result *x = NULL;
	size_t n = 0;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	b.t1->node[b.t1->sw[1].node].flags |= TN_FRESH;
	routes_put_block(b.to, 1, 0, lft_bytes(b.pool, LFT_EMPTY), TOPO_NONE);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	for (size_t i = 0; i < x->nwrites; i++) {
		if (x->write[i].sw != 1)
			continue;
		n++;
		ck_assert_uint_eq(x->write[i].block, 0);
		ck_assert_uint_eq(x->write[i].image, LFT_EMPTY);
		ck_assert(x->write[i].last);
	}
	ck_assert_uint_eq(n, 1);
}

/*
 * Walls are written first. Each is the block that the switch held, with 255 for
 * the entries that lead to unknown tables: out of the ports in blind.
 */
static void
check_walls(const struct bed *b, const struct transition_result *x,
	const bool *blind)
{
	ck_assert_uint_gt(x->nquenches, 0);
	for (size_t i = 0; i < x->nwrites; i++) {
		const struct lft_write *w = &x->write[i];
		const struct topo_node *n = &b->t1->node[b->t1->sw[w->sw].node];
		const uint8_t *is = lft_bytes(b->pool, w->image), *was;

		ck_assert_int_eq(w->quench, i < x->nquenches);
		if (!w->quench)
			continue;
		was = lft_bytes(
			b->pool, device_block(b->hw, n->guid, w->block));
		for (unsigned l = 0; l < LFT_BLOCK; l++) {
			bool cut = was[l] != LFT_DROP &&
				   blind[n->first_port + was[l]];

			ck_assert_uint_eq(is[l], cut ? LFT_DROP : was[l]);
		}
	}
}

/* Mark the ports whose links end at this switch. */
static void
mark_ports_to(const struct bed *b, sw_ix s, bool *blind)
{
	const struct topo_port *port = b->t1->port;

	for (port_ix p = 0; p < b->t1->nports; p++)
		blind[p] = port[p].peer != TOPO_NONE &&
			   port[port[p].peer].node == b->t1->sw[s].node;
}

/* Plan with guests, which may break the new order of switches or not. */
static struct transition_result *
plan_guests(const struct bed *b, bool broken)
{
	const struct transition_job job = {.to = b->to,
		.from = b->from,
		.hw = b->hw,
		.max_stages = 8,
		.guests = true,
		.unsettled = broken};

	return transition_find(&job);
}

/* A switch that can be neither read nor written. */
TEST(walls_around_a_switch)
{
	struct rng r = {7};
	struct transition_result *x;
	struct topo_node *n;
	AUTO(bed) struct bed b;
	AUTO(mem) bool *blind = NULL;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	n = &b.t1->node[b.t1->sw[1].node];
	n->flags = TN_QUARANTINED;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->nquenches, 0); /* its tables are known */
	transition_free(x);
	device_forget_node(b.hw, n->guid);
	blind = mem_zalloc(b.t1->nports, sizeof(*blind));
	mark_ports_to(&b, 1, blind);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	check_walls(&b, x, blind);
	transition_free(x);
	x = bed_plan(&b, TRANSITION_DYNAMIC, 8);
	ck_assert_uint_eq(x->nquenches, 0);
	transition_free(x);
	n->flags = TN_FRESH;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->nquenches, 0);
	transition_free(x);
}

/* From now on the device store has it that the switch chooses among ports. */
static void
let_choose(const struct bed *b, sw_ix s)
{
	const struct mad_ar_info on = {.enabled = true, .group_cap = 8};
	uint8_t info[MAD_DATA];

	mad_ar_info_encode(&on, info);
	device_put(b->hw,
		device_at_switch(
			b->t1->node[b->t1->sw[s].node].guid, DEVICE_AR_INFO),
		info);
}

/* A switch whose tables are known, that chooses among ports and cannot be
 * written, while the order of switches changes. */
TEST(walls_around_a_switch_that_chooses)
{
	const struct adaptive_seen off = {ADAPTIVE_OFF, 0, ADAPTIVE_NONE};
	struct transition_result *x;
	struct rng r = {7};
	struct topo_node *n;
	AUTO(mem) bool *blind = NULL;
	AUTO(bed) struct bed b;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	n = &b.t1->node[b.t1->sw[1].node];
	blind = mem_zalloc(b.t1->nports, sizeof(*blind));
	mark_ports_to(&b, 1, blind);
	n->flags = TN_QUARANTINED;
	adaptive_seen_put(b.hw, n->guid, off);
	x = plan_guests(&b, true);
	ck_assert_uint_eq(x->nquenches, 0); /* it has its table alone */
	transition_free(x);
	let_choose(&b, 1);
	x = plan_guests(&b, true);
	check_walls(&b, x, blind);
	ck_assert(transition_mcast_must_ask(x));
	transition_free(x);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(
		x->nquenches, 0); /* the order is that of its groups */
	transition_free(x);
	n->flags = 0;
	x = plan_guests(&b, true);
	ck_assert_uint_eq(x->nquenches, 0); /* it can be switched off */
	transition_free(x);
}

/* The same of a switch that was never asked whether it chooses, or was not
 * asked again since a Set of its table. */
TEST(walls_around_a_switch_that_may_choose)
{
	struct adaptive_seen seen = {ADAPTIVE_OFF, 0, ADAPTIVE_NONE};
	struct transition_result *x;
	struct rng r = {7};
	struct topo_node *n;
	bool *blind;
	struct bed b;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	n = &b.t1->node[b.t1->sw[1].node];
	blind = mem_zalloc(b.t1->nports, sizeof(*blind));
	mark_ports_to(&b, 1, blind);
	n->flags = TN_QUARANTINED;
	x = plan_guests(&b, true);
	check_walls(&b, x, blind); /* not asked yet */
	transition_free(x);
	adaptive_seen_put(b.hw, n->guid, seen);
	x = plan_guests(&b, true);
	ck_assert_uint_eq(x->nquenches, 0); /* it has its table alone */
	transition_free(x);
	seen.kind = ADAPTIVE_REV1;
	adaptive_seen_put(b.hw, n->guid, seen);
	x = plan_guests(&b, true);
	check_walls(&b, x, blind); /* it did, and its table was written */
	transition_free(x);
	free(blind);
	bed_free(&b);
}

/* Groups of other switches hold beside no mixture then: they may lead to it. */
TEST(no_groups_beside_a_switch_that_chooses)
{
	struct adaptive_mixture *none;
	struct transition_result *x;
	struct rng r = {7};
	struct topo_node *n;
	struct bed b;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	n = &b.t1->node[b.t1->sw[1].node];
	x = plan_guests(&b, true);
	ck_assert_ptr_nonnull(x->mixture);
	none = adaptive_mixture_new(b.t1);
	ck_assert_int_eq(
		adaptive_mixture_judge(none, b.t1, b.hw, x), ADAPTIVE_HOLDS);
	let_choose(&b, 1);
	ck_assert_int_eq(
		adaptive_mixture_judge(none, b.t1, b.hw, x), ADAPTIVE_HOLDS);
	n->flags = TN_QUARANTINED;
	ck_assert_int_eq(
		adaptive_mixture_judge(none, b.t1, b.hw, x), ADAPTIVE_FAILS);
	adaptive_mixture_free(none);
	transition_free(x);
	bed_free(&b);
}

/* Fails unless only this block is written first, and becomes empty. */
static void
check_empty(const struct bed *b, sw_ix s, uint32_t block)
{
	struct transition_result *x = bed_plan(b, TRANSITION_AUTO, 8);

	ck_assert_uint_eq(x->unread, 1);
	ck_assert_uint_eq(x->nquenches, 1);
	ck_assert(x->write[0].quench);
	ck_assert_uint_eq(x->write[0].sw, s);
	ck_assert_uint_eq(x->write[0].block, block);
	ck_assert_uint_eq(x->write[0].image, LFT_EMPTY);
	transition_free(x);
}

/*
 * A switch answers, but its tables are unknown: they are emptied before
 * anything else is written, and packets that they forward have left. An
 * unacknowledged write tells nothing about them.
 */
TEST(unread_is_emptied)
{
	AUTO(bed) struct bed b;
	struct rng r = {7};
	AUTO(transition) struct transition_result *x = NULL;
	uint64_t guid;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	guid = b.t1->node[b.t1->sw[1].node].guid;
	device_forget_node(b.hw, guid);
	check_empty(&b, 1, 0);
	device_sending(b.hw, guid, 0, routes_ref_of(b.to, 1, 0));
	device_unknown_block(b.hw, guid, 0);
	device_drained(b.hw);
	check_empty(&b, 1, 0);
	device_sending(b.hw, guid, 0, LFT_EMPTY);
	device_set_block(b.hw, guid, 0, LFT_EMPTY);
	check_empty(&b, 1, 0);
	device_drained(b.hw);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->unread + x->nquenches, 0);
}

/* Above LinearFDBTop a switch drops, unless the top is raised first. */
TEST(unread_above_the_top)
{
	struct transition_result *x;
	AUTO(bed) struct bed b;
	uint64_t guid;

	bed_new(&b, shape_of("random:34:3:1:7"), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	ck_assert_uint_gt(b.to->nblocks, 1);
	for (sw_ix s = 0; s < b.t1->nsw; s++) {
		guid = b.t1->node[b.t1->sw[s].node].guid;
		b.t1->sw[s].lft_top = LFT_BLOCK - 1;
		device_forget_node(b.hw, guid);
		device_set_block(b.hw, guid, 0, routes_ref_of(b.to, s, 0));
	}
	device_drained(b.hw);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->unread + x->nquenches, 0);
	transition_free(x);
	guid = b.t1->node[b.t1->sw[1].node].guid;
	device_mark(b.hw, device_at_switch(guid, DEVICE_LFT), DEVICE_REFUSES);
	check_empty(&b, 1, 1);
}

/* A switch that starts to forward LIDs above its old top may hold anything
 * there: its neighbours hold 255 for those LIDs before the top is raised. */
TEST(a_top_that_is_raised_is_shielded)
{
	AUTO(bed) struct bed b;
	AUTO(transition) struct transition_result *x = NULL;
	const struct topo_switch *sw;
	uint64_t guid;

	bed_new(&b, shape_of("random:34:3:1:7"), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	for (sw_ix s = 0; s < b.t1->nsw; s++) {
		guid = b.t1->node[b.t1->sw[s].node].guid;
		b.t1->sw[s].lft_top = (uint16_t)b.t1->max_lid;
		for (uint32_t k = 0; k < b.to->nblocks; k++)
			device_set_block(
				b.hw, guid, k, routes_ref_of(b.to, s, k));
	}
	sw = &b.t1->sw[1];
	guid = b.t1->node[sw->node].guid;
	b.t1->sw[1].lft_top = LFT_BLOCK - 1;
	device_forget_node(b.hw, guid);
	device_set_block(b.hw, guid, 0, routes_ref_of(b.to, 1, 0));
	device_mark(b.hw, device_at_switch(guid, DEVICE_LFT), DEVICE_REFUSES);
	device_drained(b.hw);
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->nquenches, 1U + sw->nadj);
	for (size_t i = 0; i < x->nquenches; i++) {
		bool near = false;

		for (uint32_t k = sw->adj; k < sw->adj + sw->nadj; k++)
			near |= b.t1->adj[k].peer == x->write[i].sw;
		ck_assert(x->write[i].sw == 1 || near);
		ck_assert_int_eq(x->write[i].raised, x->write[i].sw == 1);
		ck_assert_uint_eq(x->write[i].block, 1);
		ck_assert_uint_eq(x->write[i].image, LFT_EMPTY);
	}
}

/* Active ports without a known neighbour: one is a dead end, two may be a
 * path. */
TEST(walls_before_the_unknown)
{
	struct rng r = {7};
	struct transition_result *x;
	const struct topo_adj *a;
	AUTO(bed) struct bed b;
	AUTO(mem) bool *blind = NULL;
	port_ix p, q;

	bed_new(&b, world_fabric(0, &r), 0, 7);
	bed_fail(&b, false, b.t->nsw - 1);
	a = &b.t1->adj[b.t1->sw[0].adj];
	p = topo_port_of(b.t1, b.t1->sw[0].node, a->out);
	q = b.t1->port[p].peer;
	b.t1->port[p].peer = b.t1->port[q].peer = TOPO_NONE;
	blind = mem_zalloc(b.t1->nports, sizeof(*blind));
	blind[p] = blind[q] = true;
	b.t1->port[p].state = 4;
	b.t1->port[q].state = 1;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	ck_assert_uint_eq(x->nquenches, 0);
	transition_free(x);
	b.t1->port[q].state = 3;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	check_walls(&b, x, blind);
	transition_free(x);
	b.t1->port[q].state = 1;
	b.t1->port[q].flags |= TP_UNREAD;
	x = bed_plan(&b, TRANSITION_AUTO, 8);
	check_walls(&b, x, blind);
	transition_free(x);
}
