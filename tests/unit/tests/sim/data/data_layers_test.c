/*
 * Layers carry traffic: every host sends to every other as fast as its link
 * takes it, through buffers with room for two packets, and nothing deadlocks.
 * What a host answers bears the SL that it was asked on: of two hosts one asks,
 * with the SL that the view in force gives for its path, and the other answers.
 * The packets get their VLs by the rows in the simulated switches.
 *
 * Where all SLs share a VL the same tables do deadlock, and so do shortest
 * paths on a torus without layers, as OpenSM's minhop makes them.
 *
 * LAYERS_MS: milliseconds of traffic, a second in make soak.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/chaos/pair_sls.h"
#include "tests/sim/data/field.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum {
	MILLISECONDS = FEWER(20),
	PACKET = 2048,
	ROOM = 2 /* packets in a buffer */
};

struct scene {
	const char *engine;
	const char *fabric;
	unsigned layers; /* at least, so that something is tested */
	bool sole;	 /* with all SLs on one VL it deadlocks */
};

static const struct scene scenes[] = {
	{"torus", "torus:4x4x5", 2, true},
	{"torus", "torus:6x5:2,fail=1,seed=3", 2, true},
	{"dor", "torus:4x4x4", 1, false},
	{"dragonfly", "dragonfly:4:2:2", 2, true},
	{"dragonfly", "dragonfly:4:2:2,fail=2,seed=7", 2, true},
	{"nue", "random:32:4:3:5", 2, true},
	{"nue", "random:40:6:2:11", 2, false},
};

enum { SCENES = sizeof(scenes) / sizeof(*scenes) };

struct bed {
	struct fabric *f;
	struct world *w;
	struct data *d;
};

/* The LID of an end port. */
static uint16_t
end_lid(const struct bed *b, uint32_t end)
{
	return sim_port_info(
		b->w->sim, data_end_node(b->d, end), data_end_port(b->d, end))
		->lid;
}

/* Of two ends the first one asks. */
static uint8_t
sl_of_asker(void *cookie, uint32_t src, uint32_t dst)
{
	const struct bed *b = cookie;
	uint32_t asks = src < dst ? src : dst, answers = src < dst ? dst : src;
	uint16_t sls = pair_sls_lids(
		sm_view(b->w->sm), end_lid(b, asks), end_lid(b, answers));

	ck_assert_uint_ne(sls, 0);
	return (uint8_t)__builtin_ctz(sls);
}

static struct data_options
small_buffers(void)
{
	struct data_options o = data_fifo();

	o.buffer = ROOM * PACKET;
	o.check = mono_us(2);
	return o;
}

static void
bed_open(struct bed *b, const struct scene *s)
{
	struct data_options o = small_buffers();
	struct reason why = {""};
	const struct view *v;
	char yaml[128];

	(void)snprintf(
		yaml, sizeof(yaml), "routing: {engines: [%s]}\n", s->engine);
	b->f = shape_of("%s", s->fabric);
	ck_assert_msg(b->f != NULL, "%s", why.text);
	field_slow(b->f);
	b->w = field_bring_up(b->f, yaml);
	v = sm_view(b->w->sm);
	ck_assert_str_eq(v->routes->engine, s->engine);
	ck_assert_uint_ge(v->routes->layers.n, s->layers);
	b->d = data_new(b->w->sim, &o);
}

static void
bed_close(struct bed *b)
{
	data_free(b->d);
	world_free(b->w);
	fabric_free(b->f);
}

static void
send_to_all(struct bed *b)
{
	struct data_traffic t = data_traffic_defaults();

	t.packet = PACKET;
	t.ahead = 4;
	t.sl = sl_of_asker;
	t.cookie = b;
	data_traffic_start(b->d, &t);
}

static int
count_milliseconds(void)
{
	const char *n = getenv("LAYERS_MS");

	return n != NULL ? atoi(n) : MILLISECONDS;
}

LOOP_TEST(layers_do_not_deadlock, 0, SCENES)
{
	const struct scene *s = &scenes[_i];
	struct reason why = {""};
	struct data_report r;
	struct bed b;

	bed_open(&b, s);
	send_to_all(&b);
	world_run(b.w, mono_ms(count_milliseconds()));
	data_report_get(b.d, &r);
	(void)printf("%s %d: %llu packets, %.3f of the links' rate\n",
		s->engine, _i, (unsigned long long)r.delivered, r.accepted);
	ck_assert_msg(!r.deadlock, "%s", r.cycle);
	ck_assert_uint_eq(r.dropped, 0);
	ck_assert_uint_gt(r.delivered, 10000);
	ck_assert_msg(data_check(b.d, &why) == 0, "%s", why.text);
	/* nothing is left behind */
	data_traffic_stop(b.d);
	world_run(b.w, mono_ms(1));
	data_report_get(b.d, &r);
	ck_assert_uint_eq(r.in_flight, 0);
	bed_close(&b);
}

/* Every row of switches sends every SL to VL 0. */
static void
share_one_vl(struct bed *b)
{
	static const uint8_t zero[8];

	for (uint32_t n = 0; n < b->f->nnodes; n++) {
		const struct fabric_node *node = &b->f->node[n];

		if (node->type != FABRIC_SWITCH)
			continue;
		for (unsigned in = 0; in <= node->nports; in++)
			for (unsigned out = 1; out <= node->nports; out++)
				sim_hand_sl2vl(b->w->sim, n, in, out, zero);
	}
}

/* The same tables and traffic. */
LOOP_TEST(one_vl_deadlocks, 0, SCENES)
{
	const struct scene *s = &scenes[_i];
	struct data_report r;
	struct bed b;

	if (!s->sole)
		return;
	bed_open(&b, s);
	share_one_vl(&b);
	send_to_all(&b);
	world_run(b.w, mono_ms(MILLISECONDS));
	data_report_get(b.d, &r);
	ck_assert_msg(r.deadlock && r.deadlock_now, "%s %d: %llu packets",
		s->engine, _i, (unsigned long long)r.delivered);
	bed_close(&b);
}

TEST(shortest_paths_deadlock)
{
	struct data_options o = small_buffers();
	struct reason why = {""};
	struct fabric *f = shape_of("torus:6x5:2");
	AUTO(field) struct field x;

	ck_assert_msg(f != NULL, "%s", why.text);
	field_slow(f);
	x = field_new(f, &o);
	field_route_shortest(&x, 0);
	field_saturate(&x);
	field_run(&x, 4000000);
	ck_assert(x.r.deadlock && x.r.deadlock_now);
}

const struct suite_around suite_around = {.seconds = 3600};
