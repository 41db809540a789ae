/*
 * What partitions cost on the wire, and what remains of them: over restarts,
 * after they were taken out of the configuration, after another SM.
 */
#include "routing/driver/registry.h"
#include "tests/sim/referee/tenants.h"
#include "tests/topo/shape.h"
#include "tests/unit/sm/policy/partition_fixture.h"
#include "tests/unit/suite.h"

enum { BLOCKS = 2 };

/* P_Key SMPs since the statistics were cleared. */
static uint64_t
count_pkey_smps(const struct fixture *x, unsigned method)
{
	return sim_stats(x->w->sim)->by[sim_attr_row(MAD_PKEY_TABLE)][method];
}

/* Allows for reads of the tables that were written, which check that they are
 * stored. */
static void
expect_keys(const struct fixture *x, uint64_t gets, uint64_t sets)
{
	ck_assert_uint_ge(count_pkey_smps(x, MAD_GET), gets);
	ck_assert_uint_le(count_pkey_smps(x, MAD_GET), gets + sets * BLOCKS);
	ck_assert_uint_eq(count_pkey_smps(x, MAD_SET), sets);
	sim_clear_stats(x->w->sim);
}

static struct sim_options
two_blocks(void)
{
	struct sim_options o = sim_defaults();

	o.pkeys = BLOCKS * BLOCK;
	return o;
}

/* Restarts with another configuration. */
static void
restart_with(struct fixture *x, const char *yaml)
{
	struct diag_list d;

	world_kill(x->w);
	config_unref(x->w->config);
	x->w->config =
		config_parse("t", yaml, strlen(yaml), registry_modules(), &d);
	ck_assert(x->w->config != NULL);
	diag_free(&d);
	sim_clear_stats(x->w->sim);
	world_start(x->w);
	ck_assert(world_settle(x->w, mono_ms(30000)));
}

static void
set_link(struct fixture *x, const char *host, bool up)
{
	sim_fault_link(x->w->sim, node_of(x, host), 1, up);
	ck_assert(world_settle(x->w, mono_ms(30000)));
}

TEST(nothing_for_nothing)
{
	const struct sim_options o = two_blocks();
	AUTO(fixture) struct fixture x = fixture_new("", &o);

	expect_keys(&x, 0, 0);
	set_link(&x, "h3", false);
	set_link(&x, "h3", true);
	sim_fault_reboot(x.w->sim, node_of(&x, "h4"));
	ck_assert(world_settle(x.w, mono_ms(30000)));
	expect_keys(&x, 0, 0);
	restart_with(&x, "");
	expect_keys(&x, 0, 0);
	/* without a saved state tables are read once */
	world_kill(x.w);
	world_forget(x.w);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(30000)));
	expect_keys(&x, BLOCKS * (HOSTS + LEAVES), 0);
	restart_with(&x, "");
	expect_keys(&x, 0, 0);
}

/* A dead fabric is not asked: one Set for each table. */
TEST(one_set_each)
{
	const struct sim_options o = two_blocks();
	AUTO(fixture)
	struct fixture x =
		fixture_new("sweep: {interval: 0}\n" TWO_TENANTS, &o);

	/* the SM's port is a full member of the default partition only */
	expect_keys(&x, 0, HOSTS - 1 + LEAVES + HOSTS);
	/* a host that rebooted gets its keys without a Get */
	sim_fault_reboot(x.w->sim, node_of(&x, "h2"));
	ck_assert(world_settle(x.w, mono_ms(30000)));
	ck_assert_str_eq(host_table(&x, "h2"), "7fff 8005");
	expect_keys(&x, 0, 1);
}

TEST(taken_out)
{
	const struct sim_options o = two_blocks();
	AUTO(fixture) struct fixture x = fixture_new(TWO_TENANTS, &o);

	/* h3 is away while the partitions are removed */
	set_link(&x, "h3", false);
	restart_with(&x, "");
	ck_assert_str_eq(host_table(&x, "h2"), "ffff");
	ck_assert_str_eq(host_table(&x, "h6"), "ffff");
	ck_assert(!is_guarded(&x, "h2"));
	ck_assert_str_eq(host_table(&x, "h3"), "7fff 8005");
	/* and its old keys are found two restarts later */
	restart_with(&x, "");
	expect_keys(&x, 0, 0);
	set_link(&x, "h3", true);
	ck_assert_str_eq(host_table(&x, "h3"), "ffff");
	expect_keys(&x, BLOCKS, 1);
}

/* Another SM was master, with keys of its own. */
TEST(keys_of_another_manager)
{
	static const uint16_t foreign[BLOCK] = {0x7fff, 0x8042},
			      far[BLOCK] = {0x8043};
	const struct sim_options o = two_blocks();
	AUTO(fixture) struct fixture x = fixture_new("", &o);
	uint32_t h2 = node_of(&x, "h2"), h3 = node_of(&x, "h3");
	struct mad_port_info i = *sim_port_info(x.w->sim, h2, 1);

	sim_hand_pkeys(x.w->sim, h2, 1, 0, foreign);
	sim_hand_pkeys(x.w->sim, h3, 1, 1, far);
	i.sm_lid++;
	sim_hand_port(x.w->sim, h2, 1, &i);
	restart_with(&x, "");
	ck_assert_str_eq(host_table(&x, "h2"), "ffff");
	/* a table of this manager is assumed to be as it was left */
	ck_assert_str_eq(pkey_table_text(&x, h3, 1, 1), "8043");
	/* not where it matters: with partitions all tables are read */
	restart_with(&x, "fabric: {accept_loss: 100}\n" TWO_TENANTS);
	ck_assert_str_eq(host_table(&x, "h2"), "7fff 8005");
	ck_assert_str_eq(pkey_table_text(&x, h3, 1, 1), "");
}

/*
 * A run ended between writing a host's keys and its LID, then the configuration
 * changes: the table is not taken for that of a port that just came up.
 */
TEST(restart_half_way)
{
	static const uint16_t old[BLOCK] = {0x7fff, 0x8005};
	const struct sim_options o = two_blocks();
	AUTO(fixture) struct fixture x = fixture_new(TWO_TENANTS, &o);
	uint32_t h2 = node_of(&x, "h2");

	world_kill(x.w);
	sim_fault_reboot(x.w->sim, h2);
	world_run(x.w, mono_ms(2000));
	sim_hand_pkeys(x.w->sim, h2, 1, 0, old);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(30000)));
	world_kill(x.w);
	sim_fault_reboot(x.w->sim, h2);
	world_run(x.w, mono_ms(2000));
	sim_hand_pkeys(x.w->sim, h2, 1, 0, old);
	world_start(x.w);
	restart_with(&x, "");
	ck_assert_str_eq(host_table(&x, "h2"), "ffff");
}

/* Members move between partitions, and no pair is cut off during the change. */
LOOP_TEST(no_pair_is_cut_off, 1, 31)
{
	struct sim_options o = two_blocks();
	struct rng rng = {(uint64_t)_i};
	struct fixture x = {.f = shape_of("mesh:%u:%u", LEAVES, PER_LEAF)};
	struct tenants *t = tenants_new(&rng, x.f);
	struct reason why;

	o.enf_cap = _i % 4 == 0 ? 0 : TENANTS_KEYS;
	x.w = world_new(x.f, &o, NULL);
	tenants_watch(t, x.w->sim);
	world_start(x.w);
	for (unsigned i = 0; i < 12; i++) {
		unsigned v = rng_below(&rng, TENANTS_VARIANTS);
		struct buf yaml = {0};

		buf_printf(&yaml, " ");
		tenants_yaml(t, v, &yaml);
		world_reload(x.w, yaml.text);
		buf_free(&yaml);
		ck_assert(world_settle(x.w, mono_ms(30000)));
		tenants_watch_pairs(t);
		ck_assert_msg(tenants_judge(t, v, x.w->sim,
				      sm_view(x.w->sm)->topo, &why) == 0,
			"variant %u: %s", v, why.text);
		ck_assert_msg(!tenants_moment(t, &why), "variant %u: %s", v,
			why.text);
	}
	fixture_free(&x);
	tenants_free(t);
}
