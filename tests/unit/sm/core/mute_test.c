/*
 * All links beyond the manager's own switch fail in the middle of a run, when
 * nothing can report it: no device answers any more. The run does not wait for
 * each of them in turn; the fabric that is left is discovered and put in order.
 */
#include <check.h>

#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"

enum { IN_ORDER_MS = 8000 };

static const struct moment {
	enum sm_phase phase;
	int ms;	    /* after it was entered */
	bool again; /* a restart without state: the switches have tables */
} moments[] = {
	{SM_PUSH, 0, false},
	{SM_PUSH, 2, false},
	{SM_READBACK, 0, true},
};

static void
run_until_moment(struct world *w, const struct moment *m)
{
	struct sm_status st;

	if (m->again) {
		core_expect_order(w, "bring-up");
		world_kill(w);
		world_forget(w);
		world_start(w);
	}
	do {
		world_run(w, mono_us(20));
		sm_status(w->sm, &st);
	} while (st.phase != m->phase);
	world_run(w, mono_ms(m->ms));
}

static void
set_links_up(struct world *w, bool up)
{
	const struct fabric *f = w->fabric;
	uint32_t leaf = fabric_find(f, "leaf1"), peer;
	unsigned far;

	for (unsigned p = 1; p <= f->node[leaf].nports; p++)
		if (fabric_peer(f, leaf, p, &peer, &far) &&
			f->node[peer].type == FABRIC_SWITCH)
			sim_fault_link(w->sim, leaf, p, up);
}

LOOP_TEST(everything_beyond_our_switch, 0, LEN(moments))
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;
	struct sm_status st;

	o.service = mono_us(200);
	w = world_new(f, &o, "smp: {window_max: 16}\n");
	world_start(w);
	run_until_moment(w, &moments[_i]);
	set_links_up(w, false);
	world_run(w, mono_ms(IN_ORDER_MS));
	sm_status(w->sm, &st);
	ck_assert_int_eq(st.phase, SM_IDLE);
	ck_assert_uint_eq(sm_view(w->sm)->topo->nsw, 1);
	core_expect_order(w, "what is left");
	/* the rest comes back as new */
	set_links_up(w, true);
	core_expect_order(w, "all is back");
}
