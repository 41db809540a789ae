/* Names of members: what a node calls itself changes nothing by itself. */
#include <string.h>

#include "sm/base/log.h"
#include "sm/view/event_log.h"
#include "tests/unit/sm/policy/partition_fixture.h"

#define BLUE "partitions: {blue: {pkey: 0x5, members: {\"h[23]*\": full}}}\n"
#define IN "7fff 8005" /* the keys of a member */
#define OUT "7fff"

static void
run_for(struct fixture *x, int ms)
{
	world_run(x->w, mono_ms(ms));
	ck_assert(world_settle(x->w, mono_ms(60000)));
}

static void
rename_host(struct fixture *x, const char *host, const char *name)
{
	sim_fault_rename(x->w->sim, node_of(x, host), name);
	run_for(x, 5000);
}

static const char *
alarm_text(const struct fixture *x)
{
	static struct sm_status s;

	sm_status(x->w->sm, &s);
	return s.alarm;
}

static void
accept_names(struct fixture *x)
{
	sm_names_accept(x->w->sm, sim_now(x->w->sim), "test");
	run_for(x, 1000);
}

static uint64_t
count_told(const struct fixture *x)
{
	return event_log_count(sm_events(x->w->sm), EVENT_NAME_WAITS);
}

static struct fixture
start_fixture(const char *yaml)
{
	struct sim_options o = sim_defaults();
	struct fixture x = fixture_new(yaml, &o);

	run_for(&x, 5000);
	return x;
}

static void
end_fixture(struct fixture *x)
{
	world_free(x->w);
	fabric_free(x->f);
}

TEST(a_host_that_calls_itself_a_member)
{
	struct fixture x = start_fixture(BLUE);

	ck_assert_str_eq(host_table(&x, "h2"), IN);
	ck_assert_str_eq(host_table(&x, "h5"), OUT);
	ck_assert_str_eq(alarm_text(&x), "");
	sim_clear_stats(x.w->sim);
	rename_host(&x, "h5", "h2-evil");
	ck_assert_uint_eq(count_written(&x), 0);
	ck_assert_str_eq(host_table(&x, "h5"), OUT);
	ck_assert_ptr_nonnull(strstr(
		alarm_text(&x), "1 name to be accepted, first \"h2-evil\""));
	ck_assert_ptr_nonnull(
		strstr(alarm_text(&x), "as \"h[23]*\": heddlectl partitions"));
	ck_assert_uint_eq(count_told(&x), 1);
	run_for(&x, 200000); /* told once */
	ck_assert_uint_eq(count_told(&x), 1);
	accept_names(&x);
	ck_assert_str_eq(host_table(&x, "h5"), IN);
	ck_assert_str_eq(alarm_text(&x), "");
	end_fixture(&x);
}

TEST(a_member_that_calls_itself_otherwise)
{
	struct fixture x = start_fixture(BLUE);

	sim_clear_stats(x.w->sim);
	rename_host(&x, "h2", "x2");
	ck_assert_uint_eq(count_written(&x), 0);
	ck_assert_str_eq(host_table(&x, "h2"), IN);
	ck_assert_ptr_nonnull(strstr(alarm_text(&x), "first \"x2\""));
	rename_host(&x, "h2", "h2"); /* nothing waits any more */
	ck_assert_str_eq(alarm_text(&x), "");
	rename_host(&x, "h2", "x2");
	accept_names(&x);
	ck_assert_str_eq(host_table(&x, "h2"), OUT);
	end_fixture(&x);
}

/* What was accepted holds over a restart: it accepts nothing. */
TEST(a_restart)
{
	struct fixture x = start_fixture(BLUE);

	rename_host(&x, "h5", "h25");
	rename_host(&x, "h3", "x3");
	world_kill(x.w);
	world_start(x.w);
	run_for(&x, 5000);
	ck_assert_str_eq(host_table(&x, "h5"), OUT);
	ck_assert_str_eq(host_table(&x, "h3"), IN);
	ck_assert_ptr_nonnull(strstr(alarm_text(&x), "2 names to be accepted"));
	end_fixture(&x);
}

/* A reload resolves the names that it adds, and no other. */
TEST(a_reload)
{
	struct fixture x = start_fixture(BLUE);

	rename_host(&x, "h5", "h25");
	reload_config(&x, "partitions: {blue: {pkey: 0x5, members: "
			  "{\"h[23]*\": full, h4: full}}}\n");
	ck_assert_str_eq(host_table(&x, "h4"), IN);
	ck_assert_str_eq(host_table(&x, "h5"), OUT);
	reload_config(&x, "fabric: {names: trusted}\n" BLUE);
	ck_assert_str_eq(host_table(&x, "h5"), IN);
	ck_assert_str_eq(host_table(&x, "h4"), OUT);
	rename_host(&x, "h5", "h5");
	ck_assert_str_eq(host_table(&x, "h5"), OUT);
	ck_assert_str_eq(alarm_text(&x), "");
	end_fixture(&x);
}

/* A host that comes later waits, one that comes back does not. */
TEST(hosts_that_come)
{
	struct fixture x;
	struct sim_options o = sim_defaults();
	uint32_t h2, h3;

	x = fixture_new("fabric: {names: pinned}\n", &o);
	h2 = node_of(&x, "h2");
	h3 = node_of(&x, "h3");
	sim_fault_node(x.w->sim, h2, false);
	run_for(&x, 5000);
	reload_config(&x, BLUE);
	ck_assert_str_eq(host_table(&x, "h3"), IN);
	sim_fault_node(x.w->sim, h3, false);
	run_for(&x, 5000);
	sim_fault_node(x.w->sim, h2, true);
	sim_fault_node(x.w->sim, h3, true);
	run_for(&x, 10000);
	ck_assert_str_eq(host_table(&x, "h2"), OUT);
	ck_assert_str_eq(host_table(&x, "h3"), IN);
	ck_assert_ptr_nonnull(
		strstr(alarm_text(&x), "1 name to be accepted, first \"h2\""));
	accept_names(&x);
	ck_assert_str_eq(host_table(&x, "h2"), IN);
	end_fixture(&x);
}

/* A host that did not tell its name when names were resolved. */
TEST(a_name_that_is_read_late)
{
	struct sim_options o = sim_defaults();
	const struct sim_behaviour mute = {
		.mute = UINT64_C(1) << MAD_NODE_DESC};
	const struct sim_behaviour well = {0};
	struct fixture x = fixture_new("fabric: {names: pinned}\n", &o);
	uint32_t h2 = node_of(&x, "h2");

	sim_fault_behave(x.w->sim, h2, &mute);
	sim_fault_node(x.w->sim, h2, false);
	run_for(&x, 5000);
	sim_fault_node(x.w->sim, h2, true);
	run_for(&x, 5000);
	reload_config(&x, BLUE);
	ck_assert_str_eq(host_table(&x, "h3"), IN);
	sim_fault_behave(x.w->sim, h2, &well);
	sm_resweep(x.w->sm, sim_now(x.w->sim), "test");
	run_for(&x, 30000);
	ck_assert_str_eq(host_table(&x, "h2"), IN);
	ck_assert_str_eq(alarm_text(&x), "");
	end_fixture(&x);
}
