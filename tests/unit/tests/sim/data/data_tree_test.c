/*
 * Fat trees with tables by the SM core carry the load that the literature
 * gives.
 */
#include "tests/sim/data/field.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"
#include <check.h>

/* 162 hosts, 18 leaves, 9 spines: half of the tree that the papers use. */
static struct fabric *
paper_tree(void)
{
	return shape_of("two:9:18:9");
}

struct trial {
	enum data_pattern pattern;
	uint32_t shift;
	double load, low, high;
	bool fifo;
};

TEST(trees_carry_what_is_published)
{
	static const struct trial c[] = {
		{DATA_SHIFT, 1, 0, 0.995, 1.005, false},
		{DATA_SHIFT, 9, 0, 0.995, 1.005, false},
		{DATA_SHIFT, 80, 0, 0.995, 1.005, false},
		{DATA_SHIFT, 9, 0, 0.995, 1.005, true},
		{DATA_RING, 0, 0, 0.99, 1.005, false},
		{DATA_UNIFORM, 0, 0, 0.88, 0.97, false},
		/* plain FIFOs: head-of-line blocking */
		{DATA_UNIFORM, 0, 0, 0.50, 0.65, true},
		{DATA_UNIFORM, 0, 0.5, 0.48, 0.52, false},
		{DATA_UNIFORM, 0, 0.8, 0.77, 0.83, false},
	};
	AUTO(fabric) struct fabric *f = paper_tree();
	AUTO(world) struct world *w = field_bring_up(f, "");

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct data_options o =
			c[i].fifo ? data_fifo() : data_defaults();
		struct data_traffic t = data_traffic_defaults();
		struct data_report r;
		struct reason why;
		AUTO(data) struct data *d = data_new(w->sim, &o);

		t.pattern = c[i].pattern;
		t.shift = c[i].shift;
		t.load = c[i].load;
		data_traffic_start(d, &t);
		world_run(w, mono_us(20));
		data_report_mark(d);
		world_run(w, mono_us(40));
		data_report_get(d, &r);
		ck_assert_msg(r.accepted > c[i].low && r.accepted < c[i].high,
			"case %zu: %.4f", i, r.accepted);
		ck_assert_uint_eq(r.dropped, 0);
		ck_assert(!r.deadlock);
		ck_assert_msg(data_check(d, &why) == 0, "%s", why.text);
	}
}

static uint8_t
hot_sl(void *cookie, uint32_t src, uint32_t dst)
{
	(void)src;
	return dst == *(const uint32_t *)cookie ? 1 : 0;
}

/* The mean rate of the ends other than the hot one, which gets 20 % of the
 * packets. */
static double
victim_rate(struct world *w, unsigned vls)
{
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	AUTO(data) struct data *d = data_new(w->sim, &o);
	uint32_t hot = 40;
	double sum = 0;

	t.pattern = DATA_HOTSPOT;
	t.hot = 0.2;
	t.target = &hot;
	t.ntargets = 1;
	t.load = 0.5;
	t.ahead = 4;
	t.refuse = true;
	t.cookie = &hot;
	t.sl = vls > 1 ? hot_sl : NULL;
	data_traffic_start(d, &t);
	world_run(w, mono_us(60));
	data_report_mark(d);
	world_run(w, mono_us(60));
	for (uint32_t i = 0; i < data_ends(d); i++) {
		struct data_end_report e;

		data_report_end(d, i, &e);
		if (i == hot)
			ck_assert(e.accepted > 0.95);
		else
			sum += e.accepted;
	}
	sum /= data_ends(d) - 1;
	return sum;
}

TEST(a_hot_spot_saturates_the_tree)
{
	static const uint8_t straight[8] = {
		0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67};
	AUTO(fabric) struct fabric *f = shape_of("two:4:16:4");
	AUTO(world) struct world *w = field_bring_up(f, "");
	double one, more;

	field_ports(w->sim, f, 5, 4, 20);
	for (uint32_t n = 0; n < f->nnodes; n++) {
		for (unsigned i = 0;
			f->node[n].type == FABRIC_SWITCH && i < 256; i++) {
			unsigned in = i / 16, out = i % 16;

			if (in <= f->node[n].nports && out <= f->node[n].nports)
				sim_hand_sl2vl(w->sim, n, in, out, straight);
		}
		if (f->node[n].type == FABRIC_CA)
			sim_hand_sl2vl(w->sim, n, 0, 1, straight);
	}
	one = victim_rate(w, 1);
	more = victim_rate(w, 2);
	/* uniform traffic at this load would give 0.4; the hot spot takes that
	 * down to its own rate, unless it has a VL of its own */
	ck_assert_msg(one < 0.2 && more > 2 * one, "1 VL %.4f, 2 VLs %.4f", one,
		more);
}

struct chooser {
	const struct fabric *f;
	unsigned asked;
};

/* Adaptive leaves: to the spine of the LFT, or any other. */
static void
any_spine(void *cookie, const struct data_choice *c, struct sim_hops *h)
{
	struct chooser *it = cookie;

	if (it->f->node[c->node].name[0] != 'l' || h->port <= 4)
		return;
	it->asked++;
	h->kind = SIM_COMMITS;
	h->tier[0][0] = 0xf << 5;
}

TEST(switches_may_choose)
{
	AUTO(fabric) struct fabric *f = shape_of("two:4:8:4");
	AUTO(world) struct world *w = field_bring_up(f, "");
	struct chooser leaves = {f, 0};
	double got[2];

	/* a permutation that collides under any fixed table */
	for (unsigned i = 0; i < 2; i++) {
		struct data_options o = data_defaults();
		struct data_traffic t = data_traffic_defaults();
		struct data_report r;
		AUTO(data) struct data *d = NULL;

		o.hops = i ? any_spine : NULL;
		o.cookie = &leaves;
		d = data_new(w->sim, &o);
		t.pattern = DATA_PERMUTATION;
		data_traffic_start(d, &t);
		world_run(w, mono_us(20));
		data_report_mark(d);
		world_run(w, mono_us(50));
		data_report_get(d, &r);
		ck_assert_uint_eq(r.dropped, 0);
		got[i] = r.accepted;
	}
	ck_assert_uint_gt(leaves.asked, 1000);
	ck_assert_msg(got[1] > got[0] + 0.05, "fixed %.3f, adaptive %.3f",
		got[0], got[1]);
}

TEST(load_is_as_asked)
{
	static const double load[] = {0.05, 0.3, 0.6};
	AUTO(fabric) struct fabric *f = paper_tree();
	AUTO(world) struct world *w = field_bring_up(f, "");

	for (size_t i = 0; i < 3; i++) {
		struct data_options o = data_defaults();
		struct data_traffic t = data_traffic_defaults();
		struct data_report r;
		AUTO(data) struct data *d = data_new(w->sim, &o);

		t.load = load[i];
		t.message = 1000;
		data_traffic_start(d, &t);
		world_run(w, mono_us(5));
		data_report_mark(d);
		world_run(w, mono_us(60));
		data_report_get(d, &r);
		ck_assert_msg(r.offered > load[i] * 0.97 &&
				      r.offered < load[i] * 1.03,
			"%.4f offered", r.offered);
		ck_assert_msg(r.accepted > load[i] * 0.97 &&
				      r.accepted < load[i] * 1.03,
			"%.4f accepted", r.accepted);
		ck_assert_int_le(r.network.min, r.network.p50);
		ck_assert_int_le(r.network.p50, r.network.p99);
		ck_assert_int_le(r.network.p99, r.network.max);
		/* two links, a switch, 40 ns of 1000 bytes */
		ck_assert_int_eq(r.network.min, 190000);
	}
}

TEST(traffic_meets_the_manager)
{
	AUTO(fabric) struct fabric *f = shape_of("two:4:8:4");
	struct sim_options so = sim_defaults();
	AUTO(world) struct world *w = world_new(f, &so, "");
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	AUTO(data) struct data *d = data_new(w->sim, &o);
	struct data_report r, s;
	struct reason why;

	/* the data plane is there before anything is configured */
	world_start(w);
	ck_assert(world_settle(w, mono_ms(60000)));
	t.load = 0.02;
	t.packet = 4096;
	data_traffic_start(d, &t);
	world_run(w, mono_ms(1));
	data_report_get(d, &r);
	ck_assert_uint_gt(r.delivered, 1000);
	ck_assert_uint_eq(r.dropped, 0);
	/* a spine fails: packets are lost until the tables are repaired */
	sim_fault_node(w->sim, fabric_find(f, "spine1"), false);
	world_run(w, mono_ms(1));
	data_report_get(d, &s);
	ck_assert_uint_gt(s.dropped, 0);
	ck_assert_uint_eq(s.drop[DATA_DROP_VL15] + s.drop[DATA_DROP_STRANGER] +
				  s.drop[DATA_DROP_MTU],
		0);
	data_traffic_stop(d);
	ck_assert(world_settle(w, mono_ms(60000)));
	data_report_get(d, &s);
	ck_assert_uint_eq(s.in_flight, 0);
	data_traffic_start(d, &t);
	data_report_mark(d);
	world_run(w, mono_ms(2));
	data_report_get(d, &r);
	ck_assert_uint_eq(r.lost, 0);
	ck_assert(r.accepted > 0.0185 && r.accepted < 0.0215);
	ck_assert_msg(data_check(d, &why) == 0, "%s", why.text);
}
