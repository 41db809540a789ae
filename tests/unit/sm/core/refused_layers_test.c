/*
 * A switch that refuses rows of SL2VL, although its capabilities promise them:
 * an engine whose layers need VLs of their own is not left in force. The next
 * one routes the fabric, as if the switch could not map SLs, and the packets of
 * every pair get a VL, without a cycle.
 */
#include <check.h>
#include <string.h>

#include "sm/view/view_slvl.h"
#include "tests/sim/chaos/pair_sls.h"
#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/topo/shape.h"
#include "tests/unit/refusal.h"
#include "tests/unit/suite.h"

static const char torus_first[] = "routing: {engines: [torus, nue]}\n";

static uint16_t
sls_of_pair(void *cookie, uint16_t from, uint16_t to)
{
	struct world *w = cookie;

	return pair_sls_lids(sm_view(w->sm), from, to);
}

/* The engine in force; the fabric is in order with the SLs of path records. */
static void
expect_engine(struct world *w, const char *engine)
{
	const struct referee_sls sls = {w, sls_of_pair};
	struct referee_report r;
	struct reason why = {""};

	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
	ck_assert_str_eq(sm_view(w->sm)->routes->engine, engine);
	ck_assert_msg(referee_with_sls(w->sim, fabric_first_host(w->fabric),
			      REFEREE_ALL, &sls, &r, &why) == 0,
		"%s", why.text);
}

static void
sweep_anew(struct world *w)
{
	sm_resweep(w->sm, sim_now(w->sim), "test");
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
}

/*
 * From the beginning, or since the switch was restarted with other firmware;
 * gone and back, it is known for it. A restarted daemon asks it again.
 */
LOOP_TEST(torus, 0, 2)
{
	AUTO(fabric) struct fabric *f = shape_of("torus:6x5");
	struct sim_options o = sim_defaults();
	struct refusal x = {.node = fabric_find(f, "sw1.1"), .attr = MAD_SL2VL};
	AUTO(world) struct world *w = NULL;
	unsigned times;

	x.w = w = world_new(f, &o, torus_first);
	if (_i == 0)
		sim_set_hook(w->sim, refuse_set, &x);
	world_start(w);
	if (_i == 1) {
		expect_engine(w, "torus");
		sim_set_hook(w->sim, refuse_set, &x);
		sim_fault_reboot(w->sim, x.node);
	}
	expect_engine(w, "nue");
	ck_assert_uint_eq(sm_view(w->sm)->routes->layers.n, 1);
	ck_assert_ptr_nonnull(
		strstr(sm_view(w->sm)->story.tried, "torus refused: port "));
	ck_assert_uint_gt(x.times, 0);
	times = x.times;
	sweep_anew(w);
	ck_assert_uint_eq(x.times, times); /* asked once */
	expect_engine(w, "nue");
	sim_fault_node(w->sim, x.node, false);
	expect_engine(w, "torus");
	sim_fault_node(w->sim, x.node, true);
	expect_engine(w, "nue");
	ck_assert_uint_eq(x.times, times);
	sim_set_hook(w->sim, NULL, NULL);
	world_kill(w);
	world_start(w);
	expect_engine(w, "torus");
}
