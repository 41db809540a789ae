/*
 * Adaptive switches in the data plane: packets go where ARInfo, groups and
 * ARLFT of the simulated switch send them, and in a switch of kind escapes as
 * its rows of the forwarding table say. What deadlocks in the literature
 * deadlocks here.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sm/mad/mad.h"
#include "tests/bench/adaptive_options.h"
#include "tests/bench/escape_net.h"
#include "tests/bench/kinds_net.h"
#include "tests/sim/data/field.h"
#include "tests/sim/model/sim_int.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* ---- a switch that commits ---- */

enum {
	SPINES = 4,
	HOSTS = 4,
	UP = HOSTS + 1, /* the first port of a leaf to a spine */
	GROUP = 3,
};

/* Two leaves below four spines; leaf 0 routes adaptively, to hosts of leaf 1.
 */
struct tree {
	struct field x;
	uint32_t leaf, other, host[HOSTS], far[HOSTS];
	uint32_t from[HOSTS], to[HOSTS]; /* ends */
	struct sim_ar *ar;
};

static uint64_t
up_ports(unsigned first, unsigned n)
{
	return ((1ULL << n) - 1) << (UP + first);
}

static struct tree
tree_new(const struct data_options *o)
{
	const struct mad_ar_group all = {{{up_ports(0, SPINES)}}};
	const struct mad_ar_entry up = {MAD_AR_FREE, 0, UP, GROUP};
	struct tree t = {
		.x = field_new(shape_of("two:%u:2:%u", SPINES, HOSTS), o)};

	field_route_shortest(&t.x, 0);
	t.leaf = fabric_find(t.x.f, "leaf1");
	t.other = fabric_find(t.x.f, "leaf2");
	ck_assert(t.leaf != FABRIC_NONE && t.other != FABRIC_NONE);
	for (unsigned i = 0; i < HOSTS; i++) {
		unsigned there;

		ck_assert(
			fabric_peer(t.x.f, t.leaf, i + 1, &t.host[i], &there));
		ck_assert(
			fabric_peer(t.x.f, t.other, i + 1, &t.far[i], &there));
		t.from[i] = data_end_at(t.x.d, t.host[i], 1);
		t.to[i] = data_end_at(t.x.d, t.far[i], 1);
		sim_set_lft(t.x.s, t.leaf, field_lid(t.far[i]), UP);
	}
	sim_hand_adaptive(t.x.s, t.leaf, MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
	t.ar = t.x.s->node[t.leaf].sw->ar;
	t.ar->info.sub_groups_active = 2;
	sim_hand_ar_group(t.x.s, t.leaf, GROUP, &all);
	for (unsigned i = 0; i < HOSTS; i++)
		sim_hand_ar_entry(t.x.s, t.leaf, field_lid(t.far[i]), &up);
	return t;
}

static void
tree_state(struct tree *t, enum mad_ar_state state)
{
	for (unsigned i = 0; i < HOSTS; i++)
		t->ar->entry[field_lid(t->far[i])].state = (uint8_t)state;
}

/* Bytes that left by an up port, as the credits of the port tell: blocks in the
 * spine's buffer. */
static unsigned
ports_used(const struct tree *t)
{
	unsigned used = 0;

	for (unsigned p = 0; p < SPINES; p++)
		used |= (unsigned)(data_credits(t->x.d, t->leaf, UP + p, 0) <
				   16384 / 64)
			<< p;
	return used;
}

/* The up ports that n packets of one flow take, sent one after the other. */
static unsigned
ports_of_flow(struct tree *t, unsigned n, uint8_t sl, int64_t gap)
{
	unsigned used = 0;

	for (unsigned i = 0; i < n; i++) {
		data_traffic_one(t->x.d, t->from[0], t->to[0], 0, sl, 2048);
		field_run(&t->x, 240); /* on the link to a spine */
		ck_assert_uint_ne(ports_used(t), 0);
		used |= ports_used(t);
		field_run(&t->x, gap);
		ck_assert_uint_eq(ports_used(t), 0);
	}
	return used;
}

enum { ALL = (1 << SPINES) - 1, SOON = 2000 };

TEST(a_free_lid_takes_any_port_of_its_group)
{
	struct data_options o = data_defaults();
	struct tree t = tree_new(&o);

	ck_assert_uint_eq(ports_of_flow(&t, 60, 0, SOON), ALL);
	t.ar->group[GROUP].port[0][0] = up_ports(1, 2);
	ck_assert_uint_eq(ports_of_flow(&t, 30, 0, SOON), 6);
	/* Static: its default port, in place of the LFT's */
	tree_state(&t, MAD_AR_STATIC);
	t.ar->entry[field_lid(t.far[0])].port = UP + 3;
	ck_assert_uint_eq(ports_of_flow(&t, 10, 0, SOON), 8);
	tree_state(&t, MAD_AR_FREE);
	/* switched off: the LFT */
	t.ar->info.enabled = false;
	ck_assert_uint_eq(ports_of_flow(&t, 10, 0, SOON), 1);
	t.ar->info.enabled = true;
	/* SLs that the mask leaves out */
	t.ar->info.by_sl_enabled = true;
	t.ar->info.sl_mask = 2;
	ck_assert_uint_eq(ports_of_flow(&t, 10, 0, SOON), 8);
	field_free(&t.x);
}

TEST(unusable_ports_are_passed_over)
{
	struct data_options o = data_defaults();
	struct tree t = tree_new(&o);

	sim_fault_link(t.x.s, t.leaf, UP, false);
	sim_fault_link(t.x.s, t.leaf, UP + 2, false);
	ck_assert_uint_eq(ports_of_flow(&t, 30, 0, SOON), 10);
	/* the in-port in the group */
	t.ar->group[GROUP].port[0][0] = 1 << 1 | 1 << (UP + 1);
	ck_assert_uint_eq(ports_of_flow(&t, 30, 0, SOON), 2);
	/* an empty group: the default port */
	t.ar->group[GROUP].port[0][0] = 0;
	t.ar->entry[field_lid(t.far[0])].port = UP + 3;
	ck_assert_uint_eq(ports_of_flow(&t, 10, 0, SOON), 8);
	/* fast recovery: a Static LID leaves its dead port */
	t.ar->group[GROUP].port[0][0] = up_ports(0, SPINES);
	tree_state(&t, MAD_AR_STATIC);
	t.ar->entry[field_lid(t.far[0])].port = UP + 2;
	data_traffic_one(t.x.d, t.from[0], t.to[0], 0, 0, 2048);
	field_run(&t.x, SOON);
	ck_assert_uint_eq(t.x.r.drop[DATA_DROP_DEAD], 1);
	t.ar->info.fr_enabled = true;
	ck_assert_uint_eq(ports_of_flow(&t, 30, 0, SOON), 10);
	ck_assert_uint_eq(t.x.r.dropped, 1);
	field_free(&t.x);
}

TEST(a_bounded_flow_keeps_its_port)
{
	struct data_options o = data_defaults();
	struct tree t = tree_new(&o);
	unsigned used;

	tree_state(&t, MAD_AR_BOUNDED);
	used = ports_of_flow(&t, 40, 0, SOON);
	ck_assert_msg(!(used & (used - 1)), "ports %x", used);
	/* later than the 30 us of the device */
	ck_assert_uint_eq(ports_of_flow(&t, 40, 0, 40000), ALL);
	t.ar->info.ageing_us = 100;
	used = ports_of_flow(&t, 40, 0, 40000);
	ck_assert_msg(!(used & (used - 1)), "ports %x", used);
	/* unless it is lost */
	sim_fault_link(
		t.x.s, t.leaf, UP + (unsigned)__builtin_ctz(used), false);
	ck_assert_uint_eq(ports_of_flow(&t, 40, 0, SOON) & used, 0);
	ck_assert_uint_eq(t.x.r.dropped, 0);
	field_free(&t.x);
}

TEST(secondary_ports_are_for_congestion)
{
	struct data_options o = data_defaults();
	struct data_traffic all = data_traffic_defaults();
	uint32_t dst[4 * HOSTS];
	struct tree t = tree_new(&o);
	double got[3];

	t.ar->group[GROUP].port[0][0] = up_ports(0, 1);
	t.ar->group[GROUP].port[1][0] = up_ports(0, SPINES);
	ck_assert_uint_eq(ports_of_flow(&t, 30, 0, SOON), 1);
	for (uint32_t i = 0; i < data_ends(t.x.d); i++)
		dst[i] = DATA_NONE;
	for (unsigned i = 0; i < HOSTS; i++)
		dst[t.from[i]] = t.to[i];
	all.pattern = DATA_PERMUTATION;
	all.dst = dst;
	/* four flows: by one link, by secondary ones too, sub-groups off */
	for (unsigned i = 0; i < 3; i++) {
		t.ar->info.enabled = i > 0;
		t.ar->info.sub_groups_active = i == 1 ? 2 : 1;
		data_traffic_start(t.x.d, &all);
		field_run(&t.x, 20000);
		data_report_mark(t.x.d);
		field_run(&t.x, 50000);
		got[i] = t.x.r.accepted * 2; /* half of the hosts send */
	}
	ck_assert_msg(got[0] < 0.26 && got[1] > 0.95 && got[2] < 0.26,
		"%.3f %.3f %.3f", got[0], got[1], got[2]);
	field_free(&t.x);
}

TEST(order_is_counted)
{
	struct data_options o = data_defaults();
	struct data_traffic all = data_traffic_defaults();
	struct data_flow_report flow;
	struct buf text = {0};
	struct tree t;

	o.order = true;
	t = tree_new(&o);
	data_traffic_start(t.x.d, &all);
	field_run(&t.x, 100000);
	ck_assert_uint_gt(t.x.r.reordered, 0);
	ck_assert_uint_gt(t.x.r.flows, t.x.r.reordered_flows);
	ck_assert_uint_eq(t.x.r.reordered_fixed, 0);
	data_report_flow(
		t.x.d, t.from[0], t.to[0], field_lid(t.far[0]), 0, &flow);
	ck_assert(flow.chose && flow.sent >= flow.arrived && flow.arrived > 0);
	data_report_flow(
		t.x.d, t.to[0], t.from[0], field_lid(t.host[0]), 0, &flow);
	ck_assert(!flow.chose && flow.reordered == 0 && flow.arrived > 0);
	data_report_print(t.x.d, &text);
	ck_assert_msg(strstr(text.text, "out of order: "), "%s", text.text);
	buf_free(&text);
	field_free(&t.x);
}

/* ---- switches of kind escapes ---- */

static struct escape_net *
random_net(
	unsigned switches, uint64_t seed, const struct escape_net_options *more)
{
	struct fabric *f = gen_random(switches, 4, 4, seed, NULL);
	struct escape_net_options o = *more;

	o.seed = seed;
	escape_net_slow(f);
	return escape_net_new(f, &o);
}

static struct escape_net_load
small_packets(double load, double adaptive)
{
	struct escape_net_load l = {.t = data_traffic_defaults(),
		.adaptive = adaptive,
		.warm = mono_us(30),
		.span = mono_us(100)};

	l.t.packet = 32;
	l.t.load = load;
	return l;
}

TEST(eight_switches_gain_what_the_paper_says)
{
	/* 1.50 on average there, 1.30 to 1.69 */
	const struct escape_net_options two = {.entries = 2};
	struct data_options o = escape_net_switch();
	double sum = 0;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct escape_net *n = random_net(8, seed, &two);
		struct escape_net_load ordered = small_packets(0, 0);
		struct escape_net_load adaptive = small_packets(0, 1);

		sum += escape_net_throughput(n, &o, &adaptive, mono_us(5)) /
		       escape_net_throughput(n, &o, &ordered, mono_us(5));
		escape_net_free(n);
	}
	ck_assert_msg(sum / 3 > 1.3 && sum / 3 < 1.69, "x%.2f", sum / 3);
}

/* Table 2 of the paper. */
TEST(tables_have_as_many_options_as_the_paper_says)
{
	struct adaptive_options_row r[ADAPTIVE_OPTIONS_ROWS];

	adaptive_options(10, r);
	for (unsigned i = 0; i < ADAPTIVE_OPTIONS_ROWS; i++)
		for (unsigned k = 0; k < ADAPTIVE_OPTIONS; k++)
			ck_assert_msg(adaptive_options_agree(&r[i], k),
				"%u switches of %u links, %u ports: %.2f",
				r[i].switches, r[i].links, k + 1, r[i].mean[k]);
}

TEST(ordered_packets_stay_in_order)
{
	const struct escape_net_options two = {.entries = 2};
	struct data_options o = escape_net_switch();
	struct data_report r;

	o.order = true;
	for (unsigned model = 0; model < 3; model++) {
		struct escape_net *n = random_net(8, 1 + model, &two);
		struct escape_net_load l = small_packets(0.6, 0.5);
		struct reason why;
		struct data *d;

		o.lookahead = model == 1 ? UINT32_MAX : 1;
		o.reads = model == 2 ? 0 : 1;
		d = escape_net_run(n, &o, &l, &r);
		ck_assert_msg(data_check(d, &why) == 0, "%s", why.text);
		ck_assert_uint_gt(r.reordered, 20);
		ck_assert_uint_eq(r.reordered_fixed, 0);
		ck_assert_uint_eq(r.dropped, 0);
		data_free(d);
		escape_net_free(n);
	}
}

/* Any port, and it is kept. */
static void
commit_all(void *cookie, const struct data_choice *c, struct sim_hops *h)
{
	(void)cookie;
	(void)c;
	if (h->kind == SIM_ESCAPES)
		h->kind = SIM_COMMITS;
}

/* Networks of 16 that deadlock under full load, of 5; and nothing is left where
 * none is found. */
static unsigned
count_deadlocks(
	const struct data_options *o, const struct escape_net_options *e)
{
	unsigned dead = 0;

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct escape_net *n = random_net(16, seed, e);
		struct escape_net_load l = small_packets(0, 1);
		struct data_report r;
		struct data *d = escape_net_run(n, o, &l, &r);

		data_traffic_stop(d);
		data_run_until(d, mono_add(sim_now(n->s), mono_us(500)));
		data_report_get(d, &r);
		ck_assert_msg(r.deadlock_now == (r.in_flight > 0),
			"seed %u: deadlock %d, %u left", (unsigned)seed,
			r.deadlock_now, (unsigned)r.in_flight);
		ck_assert_uint_eq(r.dropped, 0);
		dead += r.deadlock_now;
		data_free(d);
		escape_net_free(n);
	}
	return dead;
}

TEST(only_escapes_prevent_deadlocks)
{
	const struct escape_net_options four = {.entries = 4};
	const struct escape_net_options mixed = {.entries = 4, .fixed = 0.5};
	const struct escape_net_options legal = {.entries = 4, .legal = true};
	const struct escape_net_options strict = {.entries = 4, .strict = true};
	struct data_options o = escape_net_switch();

	ck_assert_uint_eq(count_deadlocks(&o, &four), 0);
	/* the paper mixes them freely (4.2) */
	ck_assert_uint_eq(count_deadlocks(&o, &mixed), 5);
	o.no_half = true;
	ck_assert_uint_eq(count_deadlocks(&o, &four), 5);
	o.no_half = false;
	o.hops = commit_all;
	ck_assert_uint_eq(count_deadlocks(&o, &four), 5);
	o.turn_back = false;
	ck_assert_uint_eq(count_deadlocks(&o, &legal), 0);
	o.hops = NULL;
	ck_assert_uint_eq(count_deadlocks(&o, &strict), 0);
	o.escape_wait = (struct mono){500};
	ck_assert_uint_eq(count_deadlocks(&o, &strict), 0);
}

/* Mixtures of kinds that the judge of sets lets pass: no packets are stuck,
 * whatever the buffers. */
TEST(proven_mixtures_do_not_deadlock)
{
	uint64_t options = 0;

	for (uint64_t seed = 1; seed <= FEWER(24); seed++) {
		const struct kinds_net_options o = {.switches = 12,
			.fixed = (double)(seed % 4) / 6,
			.commits = (double)(seed % 3) / 4,
			.proven = true,
			.seed = seed};
		struct kinds_net *n = kinds_net_new(&o);

		ck_assert_msg(n->stands, "%s", n->why.text);
		ck_assert(!kinds_net_is_stuck(n, 64, 256));
		ck_assert(!kinds_net_is_stuck(n, 32, 1024));
		options += n->options;
		kinds_net_free(n);
	}
	ck_assert_uint_gt(options, FEWER(24) * 50);
}

/* What deadlocks, the judge refuses: all shortest paths where switches commit,
 * and a quarter of FIFOs among switches that escape, which the paper allows. */
TEST(what_deadlocks_is_refused)
{
	static const double part[][2] = {{0, 1}, {0.25, 0}};
	unsigned refused = 0, dead = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		const struct kinds_net_options o = {.switches = 16,
			.fixed = part[seed % 2][0],
			.commits = part[seed % 2][1],
			.seed = seed};
		struct kinds_net *n = kinds_net_new(&o);
		bool stuck = kinds_net_is_stuck(n, 256, 1024);

		ck_assert(!stuck || (!n->stands && n->cyclic > 0));
		refused += !n->stands;
		dead += stuck;
		kinds_net_free(n);
	}
	ck_assert_msg(refused >= 8 && dead >= 6, "%u refused, %u deadlocked",
		refused, dead);
}

TEST(the_books_are_in_order_under_faults)
{
	for (uint64_t seed = 1; seed <= FEWER(12); seed++) {
		const struct escape_net_options e = {
			.entries = 2 + (unsigned)seed % 3, .strict = seed & 1};
		struct escape_net *n = random_net(8, seed, &e);
		struct data_options o = escape_net_switch();
		struct escape_net_load l = small_packets(0, 0.7);
		struct rng r = {seed};
		struct reason why;
		struct data_report rep;
		struct data *d;

		o.turn_back = !(seed & 1);
		o.lifetimes = seed % 3 == 0;
		o.reads = (uint32_t)seed % 2;
		o.lookahead =
			seed % 4 == 1 ? UINT32_MAX : 1 + (uint32_t)seed % 4;
		o.escape_wait = (struct mono){(int64_t)(seed % 3) * 200};
		o.second_wait = (struct mono){(int64_t)(seed % 2) * 50};
		l.warm = l.span = mono_us(3);
		d = escape_net_run(n, &o, &l, &rep);
		for (unsigned i = 0; i < 10; i++) {
			uint32_t sw = n->sw[rng_below(&r, n->nsw)];
			unsigned p = 1 + rng_below(&r, 8);

			sim_fault_link(n->s, sw, p, false);
			data_run_until(d, mono_add(sim_now(n->s), mono_us(1)));
			ck_assert_msg(data_check(d, &why) == 0, "seed %u: %s",
				(unsigned)seed, why.text);
			sim_fault_link(n->s, sw, p, true);
			sim_activate_all(n->s);
			data_run_until(d, mono_add(sim_now(n->s), mono_us(1)));
			ck_assert_msg(data_check(d, &why) == 0, "seed %u: %s",
				(unsigned)seed, why.text);
		}
		data_traffic_stop(d);
		data_run_until(d, mono_add(sim_now(n->s), mono_us(2000)));
		data_report_get(d, &rep);
		ck_assert_msg(rep.in_flight == 0, "seed %u: %u left",
			(unsigned)seed, (unsigned)rep.in_flight);
		data_free(d);
		escape_net_free(n);
	}
}
