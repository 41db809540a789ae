/*
 * The data plane: times computed by hand, consistent counters under any faults,
 * drops with their causes, arbitration, the same run from the same seed.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/rng.h"
#include "tests/sim/data/field.h"
#include "tests/sim/model/smp_bench.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* Nodes of bench_line. */
enum { SW0 = 0, H1 = 1, SW1 = 2, H2 = 3 };

TEST(a_cable_by_hand)
{
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct fabric *f = gen_pair();
	AUTO(field) struct field x;

	field_slow(f);
	x = field_new(f, &o);
	ck_assert_uint_eq(data_ends(x.d), 2);
	data_traffic_one(x.d, 0, 1, 0, 0, 2048);
	field_run(&x, 2073);
	ck_assert_uint_eq(x.r.delivered, 0);
	field_run(&x, 1);
	ck_assert_uint_eq(x.r.delivered, 1);
	ck_assert_int_eq(x.r.whole.min, 2048000 + 25000);
	ck_assert_int_eq(x.r.whole.max, 2073000);
	ck_assert_int_eq(x.r.network.p50, 2073000);
	/* both directions full: the n-th packet arrives after n * 2048 + 25;
	 * ten of them, to the nanosecond, and one more a nanosecond later */
	data_traffic_start(x.d, &t);
	field_run(&x, 20480 + 25);
	ck_assert_uint_eq(x.r.delivered, 1 + 2 * 9);
	field_run(&x, 1);
	ck_assert_uint_eq(x.r.delivered, 1 + 2 * 10);
}

TEST(switches_by_hand)
{
	/* h1 - sw0 - sw1 - h2: rates of the three links, time of one packet of
	 * 2048 bytes; 3 links of 25 ns, 2 switches of 100 ns, and the slowest
	 * serialisation (no link can be ahead of its tail) */
	static const struct {
		struct fabric_rate r[3];
		int64_t ps;
	} c[] = {
		{{{2, 1, 0, false}, {2, 1, 0, false}, {2, 1, 0, false}},
			2048000 + 275000},
		{{{2, 4, 4, false}, {2, 4, 4, false}, {2, 4, 4, false}},
			81920 + 275000},
		/* slow first: the tail comes later than the routing */
		{{{2, 1, 0, false}, {2, 4, 4, false}, {2, 4, 4, false}},
			2048000 + 75000},
		{{{2, 4, 4, false}, {2, 4, 4, false}, {2, 1, 0, false}},
			2048000 + 275000},
		{{{2, 4, 4, false}, {2, 1, 0, false}, {2, 4, 4, false}},
			2048000 + 175000},
		/* 4x QDR, FDR10, NDR: 4, 5 and 50 bytes a nanosecond */
		{{{2, 4, 0, false}, {2, 4, 0, false}, {2, 4, 0, false}},
			512000 + 275000},
		{{{2, 4, 0, true}, {2, 4, 0, true}, {2, 4, 0, true}},
			409600 + 275000},
		{{{2, 4, 8, false}, {2, 4, 8, false}, {2, 4, 8, false}},
			40960 + 275000},
	};
	struct data_options o = data_defaults();

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct fabric *f = smp_bench_line();
		uint32_t h1 = fabric_find(f, "h1"), h2 = fabric_find(f, "h2");
		AUTO(field) struct field x;

		f->cable[fabric_port(f, h1, 1)->cable].rate = c[i].r[0];
		f->cable[fabric_port(f, fabric_find(f, "sw0"), 2)->cable].rate =
			c[i].r[1];
		f->cable[fabric_port(f, h2, 1)->cable].rate = c[i].r[2];
		x = field_new(f, &o);
		field_route_shortest(&x, 0);
		data_traffic_one(x.d, data_end_at(x.d, h1, 1),
			data_end_at(x.d, h2, 1), 0, 0, 2048);
		field_run(&x, 10000);
		ck_assert_uint_eq(x.r.delivered, 1);
		ck_assert_msg(x.r.whole.min == c[i].ps, "case %zu: %lld ps", i,
			(long long)x.r.whole.min);
		ck_assert_uint_eq(x.r.hops, 2);
	}
}

TEST(a_dropped_packet_holds_its_place)
{
	/* routed and dropped at 125 ns, but its tail comes until 2073 */
	struct data_options o = data_defaults();
	struct fabric *f = smp_bench_line();
	AUTO(field) struct field x;

	field_slow(f);
	x = field_new(f, &o);
	data_traffic_one(x.d, 0, 1, 0, 0, 2048);
	field_run(&x, 2098);
	ck_assert_uint_eq(x.r.dropped, 1);
	ck_assert_uint_eq(data_credits(x.d, H1, 1, 0), (16384 - 2048) / 64);
	field_run(&x, 1);
	ck_assert_uint_eq(data_credits(x.d, H1, 1, 0), 16384 / 64);
}

TEST(credits_limit_the_rate)
{
	/*
	 * Room for one packet only: h1 sends at 0, the head is at the switch
	 * at 25, leaves at 125, the tail at 125 + 2048, and the credit is back
	 * 25 later: one packet in 2198 ns instead of 2048.
	 */
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct fabric *f = smp_bench_line();
	uint32_t dst[2] = {1, DATA_NONE};
	AUTO(field) struct field x;

	field_slow(f);
	o.buffer = 2048;
	x = field_new(f, &o);
	field_route_shortest(&x, 0);
	t.pattern = DATA_PERMUTATION;
	t.dst = dst;
	data_traffic_start(x.d, &t);
	field_run(&x, 2198 * 100);
	ck_assert_uint_eq(x.r.injected, 100);
	field_run(&x, 1);
	ck_assert_uint_eq(x.r.injected, 101);
}

static uint8_t
random_sl(void *cookie, uint32_t src, uint32_t dst)
{
	(void)cookie;
	return (uint8_t)((src * 7 + dst * 3) & 3);
}

/* A random fault: a link or a switch fails for a while, or a switch reboots. */
static void
break_something(struct field *x, struct rng *r)
{
	uint32_t n = rng_below(r, x->f->nnodes);
	unsigned p = 1 + rng_below(r, x->f->node[n].nports);
	uint32_t what = rng_below(r, 5);

	if (what == 0 && x->f->node[n].type == FABRIC_SWITCH)
		sim_fault_reboot(x->s, n);
	else if (what == 1)
		sim_fault_node(x->s, n, false);
	else if (what <= 3)
		sim_fault_link(x->s, n, p, false);
	field_run(x, 1 + rng_below(r, 3000));
	sim_fault_node(x->s, n, true);
	sim_fault_link(x->s, n, p, true);
}

/* Configures the fabric as an SM would after such a fault. */
static void
restore_fabric(struct field *x)
{
	sim_activate_all(x->s);
	field_ports(x->s, x->f, 5, 4, 20);
	for (uint32_t n = 0; n < x->f->nnodes; n++)
		sim_set_lid(x->s, n,
			x->f->node[n].type == FABRIC_SWITCH ? 0 : 1,
			field_lid(n));
	field_route_tree(x);
}

static void
one_run(uint64_t seed)
{
	static const struct {
		uint32_t lookahead, reads, buffer;
	} model[] = {{1, 1, 2048}, {UINT32_MAX, 0, 4096}, {3, 1, 8192},
		{3, 2, 2560}, {1, 0, 16384}, {UINT32_MAX, 1, 6144}};
	struct rng r = {seed};
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	unsigned m = rng_below(&r, 6);
	uint32_t target[] = {0, 3};
	AUTO(field) struct field x;

	o.seed = seed;
	o.lookahead = model[m].lookahead;
	o.reads = model[m].reads;
	o.buffer = model[m].buffer;
	o.lifetimes = rng_below(&r, 2);
	o.bin = mono_us(1);
	x = field_new(gen_random(6 + rng_below(&r, 8), 3 + rng_below(&r, 2) * 1,
			      2, seed, NULL)
			      ?: shape_of("torus:6"),
		&o);
	field_route_tree(&x);
	t.pattern = (enum data_pattern)rng_below(&r, 6);
	t.shift = 1 + rng_below(&r, 5);
	t.hot = 0.3;
	t.target = target;
	t.ntargets = 2;
	t.load = rng_below(&r, 3) * 0.4;
	t.packet = 64 + rng_below(&r, 1985);
	t.message = rng_below(&r, 2) * 5000;
	t.ahead = 1 + rng_below(&r, 4);
	t.refuse = rng_below(&r, 2);
	t.sl = random_sl;
	t.lose = t.load > 0 && seed % 2;
	data_traffic_start(x.d, &t);
	for (unsigned i = 0; i < 12; i++) {
		field_run(&x, 1 + rng_below(&r, 2000));
		if (i % 3 == 2) {
			break_something(&x, &r);
			restore_fabric(&x);
		}
	}
	ck_assert_msg(x.r.delivered > 0, "seed %llu: nothing delivered",
		(unsigned long long)seed);
	/* and when no traffic is left, no packet is left and all credits are
	 * back */
	data_traffic_stop(x.d);
	field_run(&x, 10000000);
	ck_assert_msg(x.r.in_flight == 0 && !x.r.deadlock,
		"seed %llu: %llu in flight\n%s", (unsigned long long)seed,
		(unsigned long long)x.r.in_flight, x.r.cycle);
	for (uint32_t n = 0; n < x.f->nnodes; n++) {
		for (unsigned p = 1; p <= x.f->node[n].nports; p++) {
			for (unsigned v = 0; v < 8; v++)
				ck_assert_uint_eq(data_credits(x.d, n, p, v),
					o.buffer / 64);
		}
	}
}

TEST(the_books_are_in_order)
{
	for (uint64_t seed = 1; seed <= 60; seed++)
		one_run(seed);
}

/* Every drop with its cause: the line, one packet from h1 to h2. */
struct accident {
	const char *name;
	enum data_drop why;
	void (*before)(struct field *x); /* the packet is sent */
	void (*after)(struct field *x);	 /* 10 ns later */
	uint8_t sl;
};

static void
no_entry(struct field *x)
{
	sim_set_lft(x->s, SW0, field_lid(H2), 255);
}

static void
low_top(struct field *x)
{
	/* SW0 knows LIDs up to that of SW1 */
	sim_fault_reboot(x->s, SW0);
	restore_fabric(x);
	sim_fault_reboot(x->s, SW0);
	sim_activate_all(x->s);
	field_ports(x->s, x->f, 5, 4, 20);
	for (uint16_t lid = 1; lid < field_lid(H2); lid++)
		sim_set_lft(x->s, SW0, lid, 2);
}

static void
no_port(struct field *x)
{
	sim_set_lft(x->s, SW0, field_lid(H2), 200);
}

static void
route_back(struct field *x)
{
	sim_set_lft(x->s, SW0, field_lid(H2), 1);
}

static void
fail_next_link(struct field *x)
{
	sim_fault_link(x->s, SW0, 2, false);
}

static void
fail_first_link(struct field *x)
{
	sim_fault_link(x->s, SW0, 1, false);
}

static void
flap_first_link(struct field *x)
{
	fail_first_link(x);
	sim_fault_link(x->s, SW0, 1, true);
	restore_fabric(x);
}

static void
not_armed(struct field *x)
{
	struct mad_port_info pi = *sim_port_info(x->s, SW1, 2);

	pi.state = PORT_INIT;
	sim_hand_port(x->s, SW1, 2, &pi);
}

static void
to_vl15(struct field *x)
{
	static const uint8_t all[8] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	sim_hand_sl2vl(x->s, SW0, 1, 2, all);
}

static void
one_vl(struct field *x)
{
	field_ports(x->s, x->f, 5, 1, 20);
}

static void
small_mtu(struct field *x)
{
	struct mad_port_info pi = *sim_port_info(x->s, SW0, 2);

	pi.mtu = 3; /* 1024 */
	sim_hand_port(x->s, SW0, 2, &pi);
}

static void
change_lid(struct field *x)
{
	sim_set_lid(x->s, H2, 1, 77);
}

static void
to_port0(struct field *x)
{
	sim_set_lft(x->s, SW1, field_lid(H2), 0);
}

/* A packet waits in SW0 because h2's own packets fill the path. */
static void
fill_path(struct field *x)
{
	/* a slow end: SW1 to h2 at 1x SDR, one packet in the buffer of SW1 */
	for (unsigned i = 0; i < 12; i++)
		data_traffic_one(x->d, 0, 1, field_lid(H2), 0, 2048);
}

static void
reboot_later(struct field *x)
{
	field_run(x, 20000);
	sim_fault_reboot(x->s, SW0);
}

static void
fail_next_link_later(struct field *x)
{
	field_run(x, 20000);
	sim_fault_link(x->s, SW0, 2, false);
}

static void
short_hoq(struct field *x)
{
	field_ports(x->s, x->f, 5, 4, 0); /* 4.096 us */
	fill_path(x);
}

static void
short_life(struct field *x)
{
	sim_hand_life(x->s, SW0, 0);
	fill_path(x);
}

static void
wait_long(struct field *x)
{
	field_run(x, 100000);
}

TEST(drops_have_causes)
{
	static const struct accident a[] = {
		{"no entry", DATA_DROP_255, no_entry, NULL, 0},
		{"beyond the top", DATA_DROP_TOP, low_top, NULL, 0},
		{"no such port", DATA_DROP_NO_PORT, no_port, NULL, 0},
		{"same port", DATA_DROP_SAME, route_back, NULL, 0},
		{"dead port", DATA_DROP_DEAD, fail_next_link, NULL, 0},
		{"cable pulled", DATA_DROP_LINK, NULL, fail_first_link, 0},
		{"cable flapped", DATA_DROP_LINK, NULL, flap_first_link, 0},
		{"far end in Init", DATA_DROP_LINK, not_armed, NULL, 0},
		{"VL15", DATA_DROP_VL15, to_vl15, NULL, 0},
		{"one VL", DATA_DROP_VL, one_vl, NULL, 1},
		{"MTU", DATA_DROP_MTU, small_mtu, NULL, 0},
		{"another LID", DATA_DROP_STRANGER, change_lid, NULL, 0},
		{"port 0", DATA_DROP_STRANGER, to_port0, NULL, 0},
		{"reboot", DATA_DROP_NODE, fill_path, reboot_later, 0},
		{"dead later", DATA_DROP_DEAD, fill_path, fail_next_link_later,
			0},
		{"head of queue", DATA_DROP_HOQ, short_hoq, wait_long, 0},
		{"lifetime", DATA_DROP_LIFE, short_life, wait_long, 0},
	};
	struct data_options o = data_fifo();

	o.buffer = 4096;
	o.lifetimes = true;
	for (size_t i = 0; i < sizeof(a) / sizeof(a[0]); i++) {
		struct fabric *f = smp_bench_line();
		AUTO(field) struct field x;

		ck_assert_str_eq(f->node[H2].name, "h2");
		field_slow(f);
		f->cable[fabric_port(f, H2, 1)->cable].rate.width = 1;
		x = field_new(f, &o);
		field_route_shortest(&x, 0);
		if (a[i].before)
			a[i].before(&x);
		data_traffic_one(x.d, 0, 1, field_lid(H2), a[i].sl, 2048);
		field_run(&x, 10);
		if (a[i].after)
			a[i].after(&x);
		field_run(&x, 1000000);
		ck_assert_msg(x.r.drop[a[i].why] > 0, "%s: %s not counted",
			a[i].name, data_drop_name(a[i].why));
		ck_assert_msg(
			x.r.in_flight == 0, "%s: left in flight", a[i].name);
		if (a[i].before != fill_path && a[i].after != wait_long)
			ck_assert_msg(x.r.dropped == 1 && x.r.delivered == 0,
				"%s: %llu dropped", a[i].name,
				(unsigned long long)x.r.dropped);
		ck_assert_str_ne(data_drop_name(a[i].why), "");
	}
}

TEST(a_table_change_meets_packets)
{
	/* head of the first packet: at sw0 at 25 ns, routed at 125 ns */
	static const struct {
		int64_t at;
		unsigned lost;
	} c[] = {{124, 1}, {125, 1}, {126, 0}};
	struct data_options o = data_defaults();

	for (size_t i = 0; i < 3; i++) {
		AUTO(field) struct field x = field_new(smp_bench_line(), &o);

		field_route_shortest(&x, 0);
		data_traffic_one(x.d, 0, 1, 0, 0, 2048);
		field_run(&x, c[i].at);
		no_entry(&x);
		field_run(&x, 10000);
		ck_assert_uint_eq(x.r.drop[DATA_DROP_255], c[i].lost);
		ck_assert_uint_eq(x.r.delivered, 1 - c[i].lost);
	}
}

TEST(a_packet_makes_armed_active)
{
	struct data_options o = data_defaults();
	AUTO(field) struct field x = field_new(smp_bench_line(), &o);
	struct mad_port_info pi = *sim_port_info(x.s, SW1, 2);

	field_route_shortest(&x, 0);
	pi.state = PORT_ARMED;
	sim_hand_port(x.s, SW1, 2, &pi);
	data_traffic_one(x.d, 0, 1, 0, 0, 256);
	field_run(&x, 10000);
	ck_assert_uint_eq(x.r.delivered, 1);
	ck_assert_uint_eq(sim_port_info(x.s, SW1, 2)->state, PORT_ACTIVE);
}

TEST(switches_take_what_is_theirs)
{
	struct data_options o = data_defaults();
	AUTO(field) struct field x = field_new(smp_bench_line(), &o);

	field_route_shortest(&x, 0);
	data_traffic_one(x.d, 0, 1, field_lid(SW1), 0, 256);
	field_run(&x, 10000);
	ck_assert_uint_eq(x.r.delivered, 1);
	ck_assert_uint_eq(x.r.hops, 2);
}

/* A star: hosts 1.. on one switch (node 0); hosts 0 and 1 send only to host 2,
 * on SL 0 and SL 1. */
static uint8_t
sl_is_source(void *cookie, uint32_t src, uint32_t dst)
{
	(void)cookie;
	(void)dst;
	return (uint8_t)(src & 1);
}

/* low and high: (vl, weight) pairs, 0-terminated by weight. */
static double
share_of_vl0(const uint8_t *low, const uint8_t *high, uint8_t limit)
{
	static const uint8_t straight[8] = {
		0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67};
	const uint32_t dst[] = {2, 2, DATA_NONE};
	unsigned one = 1;
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct data_end_report a, b;
	uint8_t table[256] = {0};
	struct mad_port_info pi;
	struct field x = field_new(gen_grid(&one, 1, false, 3, NULL), &o);

	field_route_shortest(&x, 0);
	for (unsigned i = 0; low[i + 1]; i += 2)
		memcpy(table + i, low + i, 2);
	for (unsigned i = 0; high[i + 1]; i += 2)
		memcpy(table + 128 + i, high + i, 2);
	for (uint32_t n = 1; n < 4; n++)
		sim_hand_sl2vl(x.s, n, 0, 1, straight);
	sim_hand_vlarb(x.s, 0, 3, table);
	pi = *sim_port_info(x.s, 0, 3);
	pi.vl_high_limit = limit;
	sim_hand_port(x.s, 0, 3, &pi);
	t.pattern = DATA_PERMUTATION;
	t.dst = dst;
	t.sl = sl_is_source;
	data_traffic_start(x.d, &t);
	field_run(&x, 100000);
	data_report_mark(x.d);
	field_run(&x, 500000);
	data_report_end(x.d, 0, &a);
	data_report_end(x.d, 1, &b);
	ck_assert(a.sent + b.sent > 0);
	field_free(&x);
	return (double)a.sent / (double)(a.sent + b.sent);
}

TEST(vls_are_weighted)
{
	static const uint8_t none[2] = {0, 0};
	static const uint8_t even[] = {0, 64, 1, 64, 0, 0};
	static const uint8_t three[] = {0, 192, 1, 64, 0, 0};
	static const uint8_t zero[] = {0, 64, 0, 0}, one[] = {1, 64, 0, 0};
	static const struct {
		const uint8_t *low, *high;
		uint8_t limit;
		double share;
	} c[] = {
		{even, none, 0, 0.5},
		{three, none, 0, 0.75},
		{none, three, 255, 0.75},
		/* VL 1 high without limit: VL 0 gets nothing */
		{zero, one, 255, 0.0},
		/* one packet of VL 1, then one of VL 0 */
		{zero, one, 0, 0.5},
		/* 12 KiB, which are six packets, then one */
		{zero, one, 3, 1.0 / 7},
		/* in no table: only when the other VL has nothing to send */
		{zero, none, 0, 1.0},
		{none, none, 0, 0.5},
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		double is = share_of_vl0(c[i].low, c[i].high, c[i].limit);

		ck_assert_msg(is > c[i].share - 0.02 && is < c[i].share + 0.02,
			"case %zu: VL 0 has %.3f, should have %.3f", i, is,
			c[i].share);
	}
}

TEST(inputs_take_turns)
{
	/* four hosts, three of them send to the last: a third each */
	const uint32_t dst[] = {3, 3, 3, DATA_NONE};
	unsigned one = 1;
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct field x = field_new(gen_grid(&one, 1, false, 4, NULL), &o);

	field_route_shortest(&x, 0);
	t.pattern = DATA_PERMUTATION;
	t.dst = dst;
	data_traffic_start(x.d, &t);
	field_run(&x, 50000);
	data_report_mark(x.d);
	field_run(&x, 200000);
	for (uint32_t i = 0; i < 3; i++) {
		struct data_end_report e;

		data_report_end(x.d, i, &e);
		ck_assert_msg((double)e.sent > 0.33 * 200000 * 25 &&
				      (double)e.sent < 0.337 * 200000 * 25,
			"%llu", (unsigned long long)e.sent);
	}
	ck_assert(x.r.accepted > 0.2499 && x.r.accepted < 0.2501);
	field_free(&x);
}

/* Runs in pieces of this length, and prints the report. */
static void
report_of(uint64_t seed, int64_t piece, struct buf *out)
{
	struct data_options o = data_fifo();
	struct data_traffic t = data_traffic_defaults();
	AUTO(field) struct field x;

	o.seed = seed;
	x = field_new(shape_of("torus:5"), &o);
	field_route_shortest(&x, 8);
	t.load = 0.3;
	t.message = 6000;
	data_traffic_start(x.d, &t);
	while (sim_now(x.s).ns < 200000)
		field_run(&x, sim_now(x.s).ns + piece > 200000
				      ? 200000 - sim_now(x.s).ns
				      : piece);
	data_report_print(x.d, out);
}

TEST(the_same_seed_gives_the_same_run)
{
	AUTO(buf) struct buf a = {0}, b = {0}, c = {0}, e = {0};

	report_of(7, 200000, &a);
	report_of(7, 200000, &b);
	report_of(7, 37, &c);
	report_of(8, 200000, &e);
	ck_assert_str_eq(a.text, b.text);
	ck_assert_str_eq(a.text, c.text);
	ck_assert_str_ne(a.text, e.text);
}

TEST(time_is_kept_in_bins)
{
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	const struct data_bin *b;
	uint64_t sum = 0;
	AUTO(field) struct field x;
	uint32_t n;

	o.bin = mono_us(2);
	x = field_new(smp_bench_line(), &o);
	field_route_shortest(&x, 0);
	data_traffic_start(x.d, &t);
	field_run(&x, 20000);
	fail_next_link(&x); /* nothing arrives any more */
	field_run(&x, 20000);
	b = data_report_series(x.d, &n);
	ck_assert_uint_ge(n, 10);
	for (uint32_t i = 0; i < n; i++)
		sum += b[i].packets;
	ck_assert_uint_eq(sum, x.r.delivered);
	ck_assert_uint_eq(b[5].bytes, b[5].packets * 2048);
	/* 25 bytes a nanosecond, two directions */
	ck_assert_uint_ge(b[5].bytes, 2 * 2000 * 25 - 2 * 2048);
	ck_assert_uint_eq(b[n - 1].packets, 0);
	ck_assert_uint_gt(b[15].drops, 0);
}
