/*
 * LID routed SMPs of a push, from power on of a fabric, on the virtual clock.
 * All of them have to arrive; in a fabric that takes none, directed route SMPs
 * do.
 */
#include <string.h>

#include "sm/mad/mad.h"
#include "sm/transport/xact.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

/* Sets that reached an SMA, by class; LID routed ones may be dropped. */
struct eye {
	unsigned by_lid, directed;
	bool drop;
};

static enum sim_verdict
count_sets(void *cookie, struct sim_msg *m)
{
	struct eye *e = cookie;
	bool lid = m->m.mad[1] == MAD_SUBN_LID;

	if (m->where != SIM_AT_SMA || m->m.mad[3] != MAD_SET)
		return SIM_PASS;
	e->by_lid += lid;
	e->directed += !lid;
	return lid && e->drop ? SIM_DROP : SIM_PASS;
}

static struct world *
start_world(struct fabric **f, struct eye *e, const char *yaml)
{
	struct world *w;

	*f = core_tree();
	w = core_start(*f, yaml);
	sim_set_hook(w->sim, count_sets, e);
	core_expect_order(w, "power on");
	return w;
}

static void
set_link(struct world *w, unsigned port, bool up)
{
	sim_fault_link(w->sim, fabric_find(w->fabric, "leaf3"), port, up);
	core_expect_order(w, up ? "cable back" : "cable lost");
}

/* No SMP is LID routed when tables are empty; later ones are, and none is
 * lost. */
TEST(arrives)
{
	struct eye e = {0};
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = start_world(&f, &e, "");

	ck_assert_uint_eq(e.by_lid, 0);
	for (unsigned port = 5; port < 9; port++) {
		e.by_lid = e.directed = 0;
		set_link(w, port, false);
		ck_assert_uint_gt(e.by_lid, 0);
		set_link(w, port, true);
	}
	ck_assert_uint_eq(sm_xact_stats(w->sm)->strayed, 0);
	ck_assert_uint_eq(sm_xact_stats(w->sm)->retried, 0);
}

/* A link that was down for a moment changes no table, but carries nothing until
 * it is Active again. */
TEST(bounced)
{
	struct eye e = {0};
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = start_world(&f, &e, "");

	for (uint32_t s = 0; s < f->nnodes; s++)
		for (unsigned port = 1;
			f->node[s].type == FABRIC_SWITCH && port < 9; port++) {
			sim_fault_link(w->sim, s, port, false);
			sim_fault_link(w->sim, s, port, true);
			core_expect_order(w, f->node[s].name);
		}
	ck_assert_uint_gt(e.by_lid, 0);
	ck_assert_uint_eq(sm_xact_stats(w->sm)->strayed, 0);
}

/* A switch that reboots has no tables that could forward an SMP. */
TEST(reboot)
{
	struct eye e = {0};
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = start_world(&f, &e, "");

	for (unsigned i = 1; i < 5; i++) {
		char name[16] = "spine0";

		name[5] = (char)('0' + i);
		sim_fault_reboot(w->sim, fabric_find(f, name));
		core_expect_order(w, name);
	}
	ck_assert_uint_eq(sm_xact_stats(w->sm)->strayed, 0);
}

/* Without LID routed SMPs the push loses one timeout, reports it, and does not
 * try again. */
TEST(fabric_takes_none)
{
	struct eye e = {.drop = true};
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(world) struct world *w = start_world(&f, &e, "");
	struct sm_status st;

	sm_status(w->sm, &st);
	ck_assert(!st.directed_only);
	set_link(w, 5, false);
	sm_status(w->sm, &st);
	ck_assert(st.directed_only);
	ck_assert_uint_gt(e.by_lid, 0);
	e.by_lid = 0;
	set_link(w, 5, true);
	ck_assert_uint_eq(e.by_lid, 0);
}

TEST(switched_off)
{
	struct eye e = {0};
	struct fabric *f;
	struct world *w = start_world(&f, &e, "smp: {lid_routed: false}");

	set_link(w, 5, false);
	ck_assert_uint_gt(e.directed, 0);
	ck_assert_uint_eq(e.by_lid, 0);
	core_end(w, f);
}
