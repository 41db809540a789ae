/*
 * The processors of most or all spines hang: they answer nothing and pass no
 * directed routes on, while data still crosses them. A run asks each of them
 * once, with all retries, all of them at the same time, and what only they lead
 * to not at all; the next light sweeps cost one try each. What cannot be asked
 * is named, and comes back as soon as a spine answers.
 */
#include <check.h>
#include <string.h>

#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"

enum { SPINES = 18, LEAVES = 36, HOSTS = 18, LIGHT_MS = 10000 };

static const struct moment {
	const char *what;
	enum sm_phase phase; /* the spines hang when it is entered */
	bool settled;	     /* after a bring-up; in PUSH: during it */
	bool again;	     /* restarted without state: switches have tables */
	unsigned hung;
	int limit_ms; /* for every time between two idle ones */
} moments[] = {
	{"at rest, all", SM_IDLE, true, false, SPINES, 7000},
	{"at rest, but one", SM_IDLE, true, false, SPINES - 1, 7000},
	{"in the first push, all", SM_PUSH, false, false, SPINES, 11000},
	{"in the first push, but one", SM_PUSH, false, false, SPINES - 1,
		11500},
	{"while tables are read, all", SM_READBACK, true, true, SPINES, 9000},
	{"while tables are read, but one", SM_READBACK, true, true, SPINES - 1,
		9000},
	{"before the start, all", SM_DISCOVER, false, false, SPINES, 10000},
	{"before the start, but one", SM_DISCOVER, false, false, SPINES - 1,
		10000},
};

static void
set_hung(struct world *w, unsigned n, bool hung)
{
	const struct sim_behaviour b = {.hung = hung};

	for (uint32_t i = 0; i < w->fabric->nnodes && n > 0; i++)
		if (strncmp(w->fabric->node[i].name, "spine", 5) == 0) {
			sim_fault_behave(w->sim, i, &b);
			n--;
		}
}

static void
run_until_moment(struct world *w, const struct moment *m)
{
	struct sm_status st;

	world_start(w);
	if (m->settled)
		core_expect_order(w, "bring-up");
	if (m->again) {
		world_kill(w);
		world_forget(w);
		world_start(w);
	}
	for (;;) {
		sm_status(w->sm, &st);
		if (st.phase == m->phase || m->phase == SM_DISCOVER)
			break;
		world_run(w, mono_us(20));
	}
}

/* The longest time between two moments at rest, while this time passes. */
static struct mono
longest_run(struct world *w, struct mono duration)
{
	struct mono end = mono_add(sim_now(w->sim), duration);
	struct mono rest = sim_now(w->sim), most = {0};
	struct sm_status st;

	while (mono_before(sim_now(w->sim), end)) {
		struct mono took;

		world_run(w, mono_ms(10));
		took = mono_sub(sim_now(w->sim), rest);
		if (mono_before(most, took))
			most = took;
		sm_status(w->sm, &st);
		if (st.phase == SM_IDLE)
			rest = sim_now(w->sim);
	}
	return most;
}

/* Whether the view names this switch as one in quarantine. */
static bool
names_node(const struct view *v, uint64_t guid, const char *why)
{
	for (size_t i = 0; i < v->nquarantine; i++)
		if (v->quarantine[i].guid == guid &&
			strstr(v->quarantine[i].why, why) != NULL)
			return true;
	return false;
}

/* Of a fabric that was known before, all is kept, and named where it cannot be
 * asked; of one that was not, what can be reached is in order. */
static void
expect_named(struct world *w, const struct moment *m)
{
	const struct view *v = sm_view(w->sm);
	const struct fabric *f = w->fabric;
	bool all = m->hung == SPINES;

	if (m->phase == SM_DISCOVER) {
		ck_assert_uint_eq(v->topo->nsw, all ? 1 : LEAVES + 1);
		return;
	}
	ck_assert_uint_eq(v->topo->nsw, LEAVES + SPINES);
	ck_assert_uint_eq(v->nquarantine, all ? SPINES + LEAVES - 1 : m->hung);
	ck_assert(names_node(
		v, f->node[fabric_find(f, "spine1")].guid, "answer"));
	ck_assert_int_eq(
		all, names_node(v, f->node[fabric_find(f, "leaf36")].guid,
			     "behind switches that do not answer"));
}

LOOP_TEST(most_spines_hang, 0, LEN(moments))
{
	const struct moment *m = &moments[_i];
	AUTO(fabric)
	struct fabric *f =
		shape_of("two:%u:%u:%u:%u", HOSTS, LEAVES, SPINES, HOSTS);
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = world_new(f, &o, "");
	struct mono most;
	uint64_t sent;

	run_until_moment(w, m);
	set_hung(w, m->hung, true);
	most = longest_run(w, mono_ms(4 * LIGHT_MS));
	ck_assert_msg(!mono_before(mono_ms(m->limit_ms), most),
		"%s: a run took %.1f s", m->what, mono_seconds(most));
	core_expect_order(w, m->what);
	expect_named(w, m);
	/* from now on: a try each in a light sweep */
	sent = sm_xact_stats(w->sm)->timeouts;
	most = longest_run(w, mono_ms(2 * LIGHT_MS));
	ck_assert_int_le(most.ns, mono_ms(7000).ns);
	ck_assert_uint_le(
		sm_xact_stats(w->sm)->timeouts - sent, 3 * SPINES * LEAVES);
	set_hung(w, SPINES, false);
	world_run(w, mono_ms(2 * LIGHT_MS));
	core_expect_order(w, "they answer again");
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	ck_assert_uint_eq(sm_view(w->sm)->topo->nsw, LEAVES + SPINES);
}
