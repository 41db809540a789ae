/*
 * Trees through the whole daemon: the effect of damage is undone by a requested
 * rebalance; layers reach the switches and the hosts.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"
#include "tests/unit/tables_hash.h"

static uint64_t
hash_tables(const struct world *w)
{
	return tables_hash(sm_view(w->sm)->routes);
}

static void
set_links(struct world *w, const struct fabric *f, bool up)
{
	uint32_t leaf = fabric_find(f, "leaf3");

	for (unsigned p = 5; p <= 7; p++)
		sim_fault_link(w->sim, leaf, p, up);
}

TEST(rebalance)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "routing: {load_limit: 9}\n");
	uint64_t first, generation;

	core_expect_order(w, "bring-up");
	first = hash_tables(w);
	set_links(w, f, false);
	core_expect_order(w, "cables pulled");
	set_links(w, f, true);
	core_expect_order(w, "cables back");
	ck_assert_uint_ne(hash_tables(w), first);
	generation = sm_view(w->sm)->generation;
	sm_rebalance(w->sm, sim_now(w->sim), "test");
	core_expect_order(w, "rebalanced");
	ck_assert_uint_eq(hash_tables(w), first);
	ck_assert_uint_gt(sm_view(w->sm)->generation, generation);
	ck_assert(sm_view(w->sm)->story.rebalanced);
	/* once: the next computation keeps entries again */
	set_links(w, f, false);
	core_expect_order(w, "cables pulled again");
	ck_assert(!sm_view(w->sm)->story.rebalanced);
	ck_assert_uint_eq(w->runs_failed, 0);
	core_end(w, f);
}

/* A rebalance that is requested while tables are written follows the push. */
TEST(rebalance_in_between)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "routing: {load_limit: 9}\n");
	uint64_t first;

	core_expect_order(w, "bring-up");
	first = hash_tables(w);
	for (int us = 100; us < 60000; us = us * 3 / 2) {
		set_links(w, f, false);
		core_expect_order(w, "cables pulled");
		set_links(w, f, true);
		world_run(w, mono_us(us));
		sm_rebalance(w->sm, sim_now(w->sim), "test");
		core_expect_order(w, "rebalanced");
		world_run(w, mono_ms(30000));
		core_expect_order(w, "later");
		ck_assert_msg(
			hash_tables(w) == first, "asked for after %d us", us);
	}
	core_end(w, f);
}

struct sender {
	const struct world *w;
	const struct data *d;
	unsigned seen; /* bit l: a packet with SL l */
};

static uint8_t
sl_of(void *cookie, uint32_t src, uint32_t dst)
{
	struct sender *x = cookie;
	const struct routes *r = sm_view(x->w->sm)->routes;
	const struct fabric *f = x->w->fabric;
	sw_ix at[2];
	uint32_t end[2] = {src, dst};
	uint8_t sl;

	for (unsigned i = 0; i < 2; i++) {
		const struct fabric_port *p =
			fabric_port(f, data_end_node(x->d, end[i]),
				data_end_port(x->d, end[i]));

		at[i] = topo_switch_of(
			r->topo, topo_by_port_guid(r->topo, p->guid));
	}
	sl = routes_layer(&r->layers, at[0], at[1]);
	x->seen |= 1U << sl;
	return sl;
}

/* A packet keeps its layer from end to end: nothing is dropped, all are
 * used. */
TEST(layers)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "routing:\n  ftree:\n    layers: 4\n");
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct sender x = {.w = w};
	struct data_report r;
	struct reason why;
	struct data *d;
	unsigned vls = 0;

	core_expect_order(w, "bring-up");
	ck_assert_uint_eq(sm_view(w->sm)->routes->layers.n, 4);
	ck_assert_uint_eq(sm_view(w->sm)->routes->report.vls, 4);
	d = data_new(w->sim, &o);
	x.d = d;
	t.sl = sl_of;
	t.cookie = &x;
	t.load = 0.5;
	data_traffic_start(d, &t);
	world_run(w, mono_us(100));
	data_report_get(d, &r);
	ck_assert_uint_eq(x.seen, 0xf);
	ck_assert_uint_gt(r.delivered, 1000);
	ck_assert_uint_eq(r.dropped, 0);
	ck_assert_msg(data_check(d, &why) == 0, "%s", why.text);
	for (unsigned vl = 0; vl < 8; vl++)
		vls += data_credits(d, fabric_find(f, "leaf1"), 5, vl) > 0;
	ck_assert_uint_ge(vls, 4);
	data_free(d);
	core_end(w, f);
}
