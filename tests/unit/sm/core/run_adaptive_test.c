/*
 * Adaptive routing that another manager left on: judged by what the switches
 * forward by when the first table is written, and afterwards; by the Gets and
 * Sets that it costs; and by what is said about a switch that does not obey.
 */
#include <check.h>
#include <string.h>

#include "sm/mad/mad_ar.h"
#include "sm/mad/mad_vendor.h"
#include "tests/sim/referee/watch.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

enum { SWITCHES = 12, ALL_ON = 15 };

/* What is looked at whenever a forwarding table changes. */
struct order {
	struct world *w;
	uint32_t spared;       /* a switch that does not obey, or FABRIC_NONE */
	struct mono last_on;   /* some switch forwarded otherwise */
	struct mono first_set; /* the first block after that */
	bool too_early;
};

static unsigned
count_on(const struct world *w)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w->fabric->nnodes; i++)
		n += sim_adaptive_on(w->sim, i) != 0;
	return n;
}

static void
watch_tables(void *cookie, const struct sim_change *c)
{
	struct order *o = cookie;

	if (c->what != SIM_BLOCK)
		return;
	for (uint32_t i = 0; i < o->w->fabric->nnodes; i++)
		if (i != o->spared && sim_adaptive_on(o->w->sim, i) != 0)
			o->too_early = true;
	if (o->first_set.ns == 0)
		o->first_set = sim_now(o->w->sim);
}

static uint64_t
count_smps(const struct world *w, uint16_t attr, uint8_t method)
{
	return sim_stats(w->sim)->by[sim_attr_row(attr)][method & 7];
}

static uint64_t
count_vendor(const struct world *w)
{
	static const uint16_t attr[] = {
		MAD_VENDOR_GENERAL, MAD_AR_INFO, MAD_AR_PLFT_INFO};
	uint64_t n = 0;

	for (size_t i = 0; i < 3; i++)
		n += count_smps(w, attr[i], MAD_GET) +
		     count_smps(w, attr[i], MAD_SET);
	return n;
}

static uint64_t
count_sets(const struct world *w)
{
	return count_smps(w, MAD_AR_INFO, MAD_SET) +
	       count_smps(w, MAD_AR_PLFT_INFO, MAD_SET);
}

/*
 * A fabric whose tables are in force, as another manager's daemon left them:
 * this one starts without a state file, and finds an entry it has to change.
 */
static struct world *
start_foreign(const struct fabric *f, const char *yaml)
{
	struct world *w = core_start(f, yaml);
	uint32_t leaf = fabric_find(f, "leaf3");

	core_expect_order(w, "the manager before");
	world_kill(w);
	world_forget(w);
	sim_set_lft(w->sim, leaf, 1, 0xff);
	sim_clear_stats(w->sim);
	return w;
}

static void
expect_alarm(const struct world *w, const char *word, unsigned switches)
{
	const struct view *v = sm_view(w->sm);
	struct sm_status s;

	sm_status(w->sm, &s);
	ck_assert_uint_eq(v->nadaptive, switches);
	if (switches == 0) {
		ck_assert_str_eq(s.adaptive, "");
		return;
	}
	ck_assert_msg(strstr(s.alarm, word) != NULL &&
			      strstr(s.alarm, "leaf3") != NULL,
		"alarm: %s", s.alarm);
	ck_assert_msg(strstr(v->adaptive[0].why, word) != NULL, "why: %s",
		v->adaptive[0].why);
	ck_assert_str_eq(topo_desc(v->topo, v->adaptive[0].node), "leaf3");
}

/* All of it is off before the first table is written, and packets that groups
 * sent on have drained. */
TEST(a_take_over_switches_it_off)
{
	struct fabric *f = core_tree();
	struct world *w = start_foreign(f, "distribution: {drain: 70ms}\n");
	struct order o = {.w = w, .spared = FABRIC_NONE};
	struct sm_status s;
	unsigned on = 1;

	for (uint32_t i = 0; i < f->nnodes; i++)
		if (f->node[i].type == FABRIC_SWITCH)
			sim_hand_adaptive(
				w->sim, i, on++ % (ALL_ON + 1), SIM_AR_OBEYS);
	ck_assert_uint_eq(count_on(w), SWITCHES);
	sim_watch(w->sim, watch_tables, &o);
	world_start(w);
	for (int i = 0; i < 100000 && count_on(w) > 0; i++) {
		o.last_on = sim_now(w->sim);
		world_run(w, mono_us(10));
	}
	core_expect_order(w, "taken over");
	ck_assert(!o.too_early);
	ck_assert_int_gt(o.first_set.ns, 0);
	ck_assert_int_ge(o.first_set.ns, o.last_on.ns + mono_ms(70).ns);
	ck_assert_uint_eq(count_on(w), 0);
	expect_alarm(w, "", 0);
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.adaptive_off, SWITCHES);
	ck_assert_str_eq(s.alarm, "");
	core_end(w, f);
}

static const struct {
	enum sim_ar_temper temper;
	const char *word;
} tempers[] = {
	{SIM_AR_REFUSES, "refuses to switch off adaptive routing"},
	{SIM_AR_IGNORES, "does not answer the Set to switch off adaptive"},
	{SIM_AR_KEEPS, "keeps, adaptive routing, hash-based forwarding"},
	{SIM_AR_SECRET, "does not say whether it uses adaptive routing"},
};

/* One switch does not obey: it alone is named, the others are switched off, and
 * it is asked again until it obeys. */
LOOP_TEST(a_switch_that_does_not_obey, 0, LEN(tempers))
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = start_foreign(f, "{}");
	uint32_t leaf = fabric_find(f, "leaf3");
	struct order o = {.w = w, .spared = leaf};

	sim_hand_adaptive(w->sim, fabric_find(f, "spine2"), MAD_AR_ON_GROUPS,
		SIM_AR_OBEYS);
	sim_hand_adaptive(w->sim, leaf, ALL_ON, tempers[_i].temper);
	sim_watch(w->sim, watch_tables, &o);
	world_start(w);
	core_expect_order(w, "taken over");
	ck_assert(!o.too_early);
	ck_assert_uint_eq(count_on(w), 1);
	expect_alarm(w, tempers[_i].word, 1);
	/* asked again, in vain */
	world_run(w, mono_ms(60000));
	expect_alarm(w, tempers[_i].word, 1);
	sim_hand_adaptive(w->sim, leaf, ALL_ON, SIM_AR_OBEYS);
	world_run(w, mono_ms(400000));
	ck_assert_uint_eq(count_on(w), 0);
	expect_alarm(w, "", 0);
}

TEST(it_is_left_alone_if_configured)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w =
		start_foreign(f, "routing: {foreign_adaptive: alarm}\n");
	uint32_t leaf = fabric_find(f, "leaf3");

	sim_hand_adaptive(w->sim, leaf, MAD_AR_ON_PLFT, SIM_AR_OBEYS);
	world_start(w);
	core_expect_order(w, "taken over");
	ck_assert_uint_eq(count_sets(w), 0);
	ck_assert_uint_eq(sim_adaptive_on(w->sim, leaf), MAD_AR_ON_PLFT);
	expect_alarm(w, "uses private LFTs", 1);
	world_run(w, mono_ms(100000));
	expect_alarm(w, "uses private LFTs", 1);
	world_reload(w, "routing: {foreign_adaptive: off}\n");
	core_expect_order(w, "switched off");
	ck_assert_uint_eq(count_on(w), 0);
	expect_alarm(w, "", 0);
}

/* Nothing is asked, let alone written, while another manager is master. */
TEST(a_standby_does_not_touch_it)
{
	struct mad_sm_info other = {.act_count = 1, .priority = 15, .state = 3};
	struct fabric *f = core_tree();
	struct world *w = start_foreign(f, "standby:\n  poll_interval: 1s\n");
	uint32_t leaf = fabric_find(f, "leaf3"), host = fabric_find(f, "h20");

	sim_hand_adaptive(w->sim, leaf, MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
	other.guid = fabric_port(f, host, 1)->guid;
	sim_fault_other_sm(w->sim, host, 1, &other);
	world_start(w);
	for (int i = 0; i < 40; i++) {
		world_run(w, mono_ms(250));
		other.act_count++;
		sim_fault_other_sm(w->sim, host, 1, &other);
	}
	ck_assert_uint_eq(count_vendor(w), 0);
	ck_assert_uint_eq(count_on(w), 1);
	sim_fault_node(w->sim, host, false);
	world_run(w, mono_ms(20000));
	core_expect_order(w, "master after all");
	ck_assert_uint_eq(count_on(w), 0);
	expect_alarm(w, "", 0);
	core_end(w, f);
}

/* It was known to be off; then another manager was master. */
TEST(it_is_read_again_after_another_master)
{
	struct mad_sm_info other = {.act_count = 1, .priority = 15, .state = 3};
	struct fabric *f = core_tree();
	struct world *w = start_foreign(f, "standby:\n  poll_interval: 1s\n"
					   "sweep:\n  interval: 1s\n");
	uint32_t leaf = fabric_find(f, "leaf3"), host = fabric_find(f, "h20");
	struct sm_status s;

	world_start(w);
	core_expect_order(w, "master");
	other.guid = fabric_port(f, host, 1)->guid;
	sim_fault_other_sm(w->sim, host, 1, &other);
	for (int i = 0; i < 40; i++) {
		world_run(w, mono_ms(250));
		other.act_count++;
		sim_fault_other_sm(w->sim, host, 1, &other);
	}
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	sim_hand_adaptive(w->sim, leaf, MAD_AR_ON_HASH, SIM_AR_OBEYS);
	sim_fault_node(w->sim, host, false);
	world_run(w, mono_ms(20000));
	core_expect_order(w, "master again");
	ck_assert_uint_eq(count_on(w), 0);
	core_end(w, f);
}

/* Each switch is asked once, and again after a reboot; other devices never. */
TEST(what_it_costs)
{
	AUTO(fabric) struct fabric *f = core_tree();
	uint32_t leaf = fabric_find(f, "leaf3"), has = fabric_find(f, "leaf4");
	AUTO(world) struct world *w = NULL;

	f->node[fabric_find(f, "leaf1")].vendor = 0x1234;
	f->node[fabric_find(f, "leaf2")].device = 0xbd36;
	w = start_foreign(f, "{}");
	sim_hand_adaptive(w->sim, has, 0, SIM_AR_OBEYS);
	world_start(w);
	core_expect_order(w, "taken over");
	ck_assert_uint_eq(count_smps(w, MAD_VENDOR_GENERAL, MAD_GET), 10);
	ck_assert_uint_eq(count_smps(w, MAD_AR_INFO, MAD_GET), 1);
	ck_assert_uint_eq(count_smps(w, MAD_AR_PLFT_INFO, MAD_GET), 1);
	ck_assert_uint_eq(count_vendor(w), 12);
	sim_fault_link(w->sim, leaf, 5, false);
	core_expect_order(w, "a link went down");
	world_run(w, mono_ms(100000));
	ck_assert_uint_eq(count_vendor(w), 12);
	sim_fault_reboot(w->sim, leaf);
	core_expect_order(w, "a switch rebooted");
	ck_assert_uint_ge(count_vendor(w), 13);
	ck_assert_uint_le(count_vendor(w), 14);
}

/* The same attributes mean something else there. */
LOOP_TEST(other_vendors_are_not_asked, 0, 2)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = NULL;

	for (uint32_t i = 0; i < f->nnodes; i++)
		f->node[i].vendor = 0x1175;
	w = core_start(f, _i ? "routing: {adaptive: {enabled: true}}\n" : "{}");
	core_expect_order(w, "bring-up");
	ck_assert_uint_eq(count_vendor(w), 0);
	ck_assert_uint_eq(count_smps(w, MAD_AR_GROUP, MAD_SET), 0);
	ck_assert_uint_eq(count_smps(w, MAD_AR_LFT, MAD_SET), 0);
}

/* A switch that comes while this manager is master. */
TEST(a_switch_that_joins)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "{}");
	uint32_t spine = fabric_find(f, "spine2");

	core_expect_order(w, "bring-up");
	sim_fault_node(w->sim, spine, false);
	core_expect_order(w, "gone");
	sim_fault_node(w->sim, spine, true);
	sim_hand_adaptive(w->sim, spine, ALL_ON, SIM_AR_OBEYS);
	core_expect_order(w, "it is back");
	ck_assert_uint_eq(count_on(w), 0);
}
