/*
 * QoS levels on the wire: what the daemon wrote makes hosts and switches share
 * a busy link as configured, and a level of high priority keeps its rate.
 */
#include <check.h>
#include <stdlib.h>

#include "sm/view/view_slvl.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { SENDERS = 3 };

struct scene {
	struct fabric *f;
	struct world *w;
	struct data *d;
	uint8_t sl[SENDERS]; /* of each level */
};

/* Two leaves below one spine: a single uplink from each. */
static struct scene
scene_new(const char *yaml)
{
	struct sim_options so = sim_defaults();
	struct data_options o = data_defaults();
	struct scene x = {.f = shape_of("two:1:2:%u", SENDERS)};
	const struct qos *q;

	so.vl_cap = 3;
	x.w = world_new(x.f, &so, yaml);
	world_start(x.w);
	ck_assert_msg(world_settle(x.w, mono_ms(60000)), "%s", x.w->last_why);
	q = sm_view(x.w->sm)->qos;
	for (unsigned i = 0; i < SENDERS; i++)
		x.sl[i] = i < q->want.levels.n ? q->want.levels.sl[i][0] : 0;
	x.d = data_new(x.w->sim, &o);
	return x;
}

static void
scene_free(struct scene *x)
{
	data_free(x->d);
	world_free(x->w);
	fabric_free(x->f);
}
AUTO_VALUE(scene, struct scene, scene_free)

static uint8_t
sl_by_sender(void *cookie, uint32_t src, uint32_t dst)
{
	const struct scene *x = cookie;

	(void)dst;
	return x->sl[src];
}

/* One sender: a level per receiver. */
static uint8_t
sl_by_receiver(void *cookie, uint32_t src, uint32_t dst)
{
	const struct scene *x = cookie;

	(void)src;
	return x->sl[dst - SENDERS];
}

/* The rate at each of the other leaf's hosts, as a part of a link's. */
static void
measure_rates(
	struct scene *x, const struct data_traffic *t, double got[SENDERS])
{
	struct data_end_report r;

	data_traffic_start(x->d, t);
	world_run(x->w, mono_us(100));
	data_report_mark(x->d);
	world_run(x->w, mono_us(500));
	for (unsigned i = 0; i < SENDERS; i++) {
		data_report_end(x->d, SENDERS + i, &r);
		got[i] = r.accepted;
	}
}

static struct data_traffic
cross_traffic(struct scene *x)
{
	static const uint32_t dst[2 * SENDERS] = {
		3, 4, 5, DATA_NONE, DATA_NONE, DATA_NONE};
	struct data_traffic t = data_traffic_defaults();

	t.pattern = DATA_PERMUTATION;
	t.dst = dst;
	t.sl = sl_by_sender;
	t.cookie = x;
	return t;
}

static void
expect_share(double is, double wanted, const char *what)
{
	ck_assert_msg(is > wanted - 0.025 && is < wanted + 0.025,
		"%s: %.3f of the link, should be %.3f", what, is, wanted);
}

TEST(weights)
{
	AUTO(scene)
	struct scene x =
		scene_new("qos: {levels: {default: {weight: 1},\n"
			  "  gold: {weight: 2}, iron: {weight: 5}}}\n");
	struct data_traffic t = cross_traffic(&x);
	double got[SENDERS];

	measure_rates(&x, &t, got);
	expect_share(got[0], 1.0 / 8, "weight 1");
	expect_share(got[1], 2.0 / 8, "weight 2");
	expect_share(got[2], 5.0 / 8, "weight 5");
}

/* A level with nothing to send leaves its share to the others. */
TEST(idle_levels)
{
	AUTO(scene)
	struct scene x =
		scene_new("qos: {levels: {default: {weight: 1},\n"
			  "  gold: {weight: 2}, iron: {weight: 5}}}\n");
	static const bool silent[2 * SENDERS] = {false, false, true};
	struct data_traffic t = cross_traffic(&x);
	double got[SENDERS];

	t.silent = silent;
	measure_rates(&x, &t, got);
	expect_share(got[0], 1.0 / 3, "weight 1");
	expect_share(got[1], 2.0 / 3, "weight 2");
}

/* A level of high priority gets the rate it needs, whatever the others send. */
LOOP_TEST(priority, 0, 2)
{
	static const struct {
		const char *yaml;
		double high;
	} row[] = {
		{"qos: {levels: {ctl: {priority: high}, bulk: {}},\n"
		 "  high_limit: {switches: 255}}\n",
			1.0},
		/* 8 KiB, four packets of 2 KiB, then one of the other level */
		{"qos: {levels: {ctl: {priority: high}, bulk: {}},\n"
		 "  high_limit: {switches: 2}}\n",
			0.8},
	};
	AUTO(scene) struct scene x = scene_new(row[_i].yaml);
	struct data_traffic t = cross_traffic(&x);
	double got[SENDERS];

	measure_rates(&x, &t, got);
	expect_share(got[1], row[_i].high, "high, saturated");
	expect_share(got[0], (1 - row[_i].high) / 2, "default");
	expect_share(got[2], (1 - row[_i].high) / 2, "bulk");
}

/* One host that sends all levels: its own tables share out its link. */
TEST(one_host)
{
	AUTO(scene)
	struct scene x = scene_new(
		"qos: {levels: {default: {weight: 1, weight_at: {hosts: 4}},\n"
		"  gold: {weight: 1, weight_at: {hosts: 3}},\n"
		"  iron: {weight: 1, weight_at: {hosts: 1}}}}\n");
	static const bool silent[2 * SENDERS] = {
		false, true, true, true, true, true};
	static const uint32_t to[SENDERS] = {3, 4, 5};
	struct data_traffic t = data_traffic_defaults();
	double got[SENDERS];

	t.pattern = DATA_HOTSPOT;
	t.hot = 1;
	t.target = to;
	t.ntargets = SENDERS;
	t.silent = silent;
	t.sl = sl_by_receiver;
	t.cookie = &x;
	t.load = 6;
	t.ahead = 8;
	t.refuse = true;
	measure_rates(&x, &t, got);
	expect_share(got[0], 4.0 / 8, "weight 4");
	expect_share(got[1], 3.0 / 8, "weight 3");
	expect_share(got[2], 1.0 / 8, "weight 1");
}
