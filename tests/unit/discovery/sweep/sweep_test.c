/* Full sweeps find each node and link once, whatever misbehaves. */
#include "tests/unit/discovery/sweep/sweep_fixture.h"
#include "tests/unit/suite.h"

LOOP_TEST(full, 0, 12)
{
	/* SMPs above floor_smps(): links of a switch to itself are read from
	 * both ends at once. -1: up to 3 % more. */
	static const int tight[] = {0, 0, 0, 0, -1, 0, 5, 0, 0, 0, -1, -1};
	AUTO(bench) struct bench b;
	AUTO(topo) struct topo *t = NULL;
	uint64_t asked;

	bench_start(&b, make_shape(_i));
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	expect_oddities(&b, NULL);
	asked = sim_stats(b.sim)->smps;
	ck_assert_uint_eq(asked, b.stats.smps);
	ck_assert_uint_eq(b.stats.new_nodes, b.f->nnodes);
	ck_assert_uint_eq(b.stats.new_links, b.f->ncables);
	ck_assert_uint_eq(b.stats.gone_nodes + b.stats.gone_links, 0);
	ck_assert_uint_ge(asked, floor_smps(b.f, b.sim));
	if (tight[_i] >= 0)
		ck_assert_uint_eq(
			asked, floor_smps(b.f, b.sim) + (unsigned)tight[_i]);
	else
		ck_assert_uint_le(asked * 100, floor_smps(b.f, b.sim) * 103);
}

LOOP_TEST(full_again, 0, 12)
{
	AUTO(bench) struct bench b;
	AUTO(topo) struct topo *t = NULL, *u = NULL;
	uint64_t before;

	bench_start(&b, make_shape(_i));
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	t = bench_freeze(&b);
	before = sim_stats(b.sim)->smps;
	sim_clear_stats(b.sim);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	u = bench_freeze(&b);
	expect_topo_is_fabric(&b, u);
	ck_assert_uint_eq(t->hash, u->hash);
	ck_assert_uint_eq(b.stats.new_nodes + b.stats.gone_nodes, 0);
	ck_assert_uint_eq(b.stats.new_links + b.stats.gone_links, 0);
	ck_assert_uint_eq(b.stats.changed_ports, 0);
	ck_assert_uint_le(sim_stats(b.sim)->smps, before + 8);
	expect_oddities(&b, NULL);
}

TEST(names_and_light)
{
	AUTO(bench) struct bench b;
	AUTO(topo) struct topo *t = NULL;

	bench_start(&b, make_shape(2));
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	bench_sweep(&b, SWEEP_NAMES, NULL, 0);
	ck_assert_uint_eq(b.stats.smps, 2 * b.f->nnodes); /* whose, too */
	t = bench_freeze(&b);
	for (node_ix i = 0; i < t->nnodes; i++)
		ck_assert_str_ne(topo_desc(t, i), "");
	bench_sweep(&b, SWEEP_NAMES, NULL, 0);
	ck_assert_uint_eq(b.stats.smps, 0);
	bench_sweep(&b, SWEEP_LIGHT, NULL, 0);
	ck_assert_uint_eq(b.stats.smps, b.f->nswitches + 1); /* own port */
	ck_assert_uint_eq(b.nsuspect, 0);
	sim_fault_link(b.sim, fabric_find(b.f, "h2"), 1, false);
	bench_sweep(&b, SWEEP_LIGHT, NULL, 0);
	ck_assert_uint_eq(b.nsuspect, 1);
	ck_assert_uint_eq(
		b.suspect[0], b.f->node[fabric_find(b.f, "leaf1")].guid);
}

/* The name that is known of a node, by its GUID. */
static const char *
name_of(const struct topo *t, const struct fabric *f, const char *node)
{
	node_ix n = topo_by_node_guid(t, f->node[fabric_find(f, node)].guid);

	ck_assert(n != TOPO_NONE);
	return topo_desc(t, n);
}

/*
 * Two uplinks change places before names are read, and that is not known yet:
 * hosts answer over the paths to others. No name is given to another node; when
 * the change is known each has its own.
 */
TEST(names_over_moved_links)
{
	AUTO(bench) struct bench b;
	struct topo *t;
	uint64_t guid[3];
	unsigned unknown = 0;

	bench_start(&b, two_tier_tree(1, 4, 1, 3));
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	fabric_swap(b.f, fabric_find(b.f, "spine1"), 2,
		fabric_find(b.f, "spine1"), 3);
	sim_fault_swap(b.sim, b.f, fabric_find(b.f, "spine1"), 2,
		fabric_find(b.f, "spine1"), 3);
	bench_sweep(&b, SWEEP_NAMES, NULL, 0);
	t = bench_freeze(&b);
	for (uint32_t n = 0; n < b.f->nnodes; n++) {
		const char *is = name_of(t, b.f, b.f->node[n].name);

		unknown += is[0] == '\0';
		if (is[0] != '\0')
			ck_assert_str_eq(is, b.f->node[n].name);
	}
	ck_assert_uint_eq(unknown, 2 * (1 + 3)); /* two leaves, their hosts */
	topo_unref(t);
	guid[0] = b.f->node[fabric_find(b.f, "spine1")].guid;
	guid[1] = b.f->node[fabric_find(b.f, "leaf2")].guid;
	guid[2] = b.f->node[fabric_find(b.f, "leaf3")].guid;
	bench_sweep(&b, SWEEP_PROBE, guid, 3);
	bench_sweep(&b, SWEEP_NAMES, NULL, 0);
	t = bench_freeze(&b);
	for (uint32_t n = 0; n < b.f->nnodes; n++)
		ck_assert_str_eq(
			name_of(t, b.f, b.f->node[n].name), b.f->node[n].name);
	topo_unref(t);
}

LOOP_TEST(lossy, 0, 18)
{
	struct sim_options o = sim_defaults();
	AUTO(bench) struct bench b;
	AUTO(topo) struct topo *t = NULL;

	o.seed = (uint64_t)_i + 1;
	o.faults.loss = 50000; /* 5 % in each direction */
	o.faults.dup = 10000;
	o.faults.delay = 10000;
	o.faults.delay_max = mono_ms(80);
	bench_on(&b, make_shape(2 + _i % 9), &o);
	bench_set_retries(&b, 9);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
}

/* A switch that hangs: quarantined, everything else is there. */
TEST(hung_switch)
{
	struct sim_behaviour hung = {.hung = true};
	struct sim_behaviour well = {0};
	AUTO(bench) struct bench b;
	uint32_t spine, leaf;
	struct topo *t;
	node_ix ix;

	bench_start(&b, two_tier_tree(4, 6, 1, 3));
	spine = fabric_find(b.f, "spine2");
	leaf = fabric_find(b.f, "leaf3");
	ck_assert_uint_ne(spine, FABRIC_NONE);
	ck_assert_uint_ne(leaf, FABRIC_NONE);
	/* never seen: not in the topology, but reported */
	sim_fault_behave(b.sim, spine, &hung);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	expect_oddities(&b, "no answer");
	t = bench_freeze(&b);
	ck_assert_uint_eq(t->nnodes, b.f->nnodes - 1);
	topo_unref(t);
	/* seen, then hung: kept, quarantined, with the hosts behind a leaf */
	sim_fault_behave(b.sim, spine, &well);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	expect_oddities(&b, NULL);
	sim_fault_behave(b.sim, spine, &hung);
	sim_fault_behave(b.sim, leaf, &hung);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	expect_oddities(&b, "quarantined");
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	ix = topo_by_node_guid(t, b.f->node[spine].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_QUARANTINED, 0);
	ix = topo_by_node_guid(t, b.f->node[leaf].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_QUARANTINED, 0);
	ck_assert_str_ne(
		builder_quarantine_why(b.d, b.f->node[spine].guid), "");
	topo_unref(t);
	/* light: both are asked, the one that answers is a suspect */
	sim_fault_behave(b.sim, leaf, &well);
	bench_sweep(&b, SWEEP_LIGHT, NULL, 0);
	ck_assert_uint_eq(b.nsuspect, 1);
	ck_assert_uint_eq(b.suspect[0], b.f->node[leaf].guid);
	bench_sweep(&b, SWEEP_PROBE, b.suspect, 1);
	ck_assert_str_eq(builder_quarantine_why(b.d, b.f->node[leaf].guid), "");
	sim_fault_behave(b.sim, spine, &well);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	ck_assert_str_eq(
		builder_quarantine_why(b.d, b.f->node[spine].guid), "");
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	topo_unref(t);
}

/* A line of switches that is longer than a directed route. */
TEST(out_of_reach)
{
	struct fabric *f = fabric_new();
	uint32_t last = fabric_add(f, FABRIC_CA, 1, "n0");
	AUTO(bench) struct bench b;
	AUTO(topo) struct topo *t = NULL;

	for (unsigned i = 0; i <= TOPO_MAX_HOPS; i++) {
		uint32_t next = fabric_add(f, FABRIC_SWITCH, 2, "sw");

		(void)fabric_connect(f, last, i == 0 ? 1 : 2, next, 1, NULL);
		last = next;
	}
	bench_start(&b, f);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	expect_oddities(&b, "a directed route has at most 63 hops");
	t = bench_freeze(&b);
	ck_assert_uint_eq(t->nsw, TOPO_MAX_HOPS);
}

/* The manager's own switch hangs: all others are behind it and stay, with all
 * their links. */
TEST(hung_way)
{
	struct sim_behaviour hung = {.hung = true};
	AUTO(bench) struct bench b;
	AUTO(topo) struct topo *t = NULL;

	bench_start(&b, two_tier_tree(4, 6, 1, 3));
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	sim_fault_behave(b.sim, fabric_find(b.f, "leaf1"), &hung);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	expect_oddities(&b, "quarantined");
	ck_assert_uint_eq(b.stats.gone_links, 0);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
}

static void
hang_leaf(void *cookie, struct sim *s)
{
	struct bench *b = cookie;
	struct sim_behaviour hung = {.hung = true};

	sim_fault_behave(s, fabric_find(b->f, "leaf3"), &hung);
}

static void
remove_leaf(void *cookie, struct sim *s)
{
	struct bench *b = cookie;

	sim_fault_node(s, fabric_find(b->f, "leaf3"), false);
}

/* A leaf hangs or vanishes at any moment of a sweep; the next sweep reports the
 * fabric as it is. */
LOOP_TEST(vanishing, 0, 40)
{
	AUTO(bench) struct bench b;
	struct topo *t;
	struct mono when = mono_us(20 * (_i / 2));

	bench_start(&b, two_tier_tree(4, 6, 1, 3));
	sim_at(b.sim, when, _i % 2 ? hang_leaf : remove_leaf, &b);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	t = bench_freeze(&b);
	ck_assert_uint_ge(t->nnodes, b.f->nnodes - 4);
	topo_unref(t);
	if (_i % 2 == 0) {
		sim_run_until(b.sim, mono_ms(5000));
		bench_sweep(&b, SWEEP_FULL, NULL, 0);
		t = bench_freeze(&b);
		ck_assert_uint_eq(t->nnodes, b.f->nnodes - 4);
		topo_unref(t);
	}
}

TEST(partial)
{
	struct sim_behaviour refuses = {.refuse = 1U << MAD_PORT_INFO};
	struct sim_behaviour mute = {.mute = 1U << MAD_SWITCH_INFO};
	struct sim_behaviour zero = {.zero_ports = true};
	AUTO(bench) struct bench b;
	AUTO(topo) struct topo *t = NULL;
	uint32_t host, leaf, spine;
	node_ix ix;

	bench_start(&b, two_tier_tree(3, 4, 1, 3));
	host = fabric_find(b.f, "h5");
	leaf = fabric_find(b.f, "leaf3");
	spine = fabric_find(b.f, "spine1");
	sim_fault_behave(b.sim, host, &refuses);
	sim_fault_behave(b.sim, leaf, &mute);
	sim_fault_behave(b.sim, spine, &zero);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	expect_oddities(&b, "0 ports");
	t = bench_freeze(&b);
	ck_assert_uint_eq(
		topo_by_node_guid(t, b.f->node[spine].guid), TOPO_NONE);
	ix = topo_by_node_guid(t, b.f->node[host].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_PARTIAL, 0);
	ck_assert_uint_ne(t->port[topo_port_of(t, ix, 1)].flags & TP_UNREAD, 0);
	ix = topo_by_node_guid(t, b.f->node[leaf].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_QUARANTINED, 0);
}

/* Two leaves, two hosts, two spines with one GUID each. */
LOOP_TEST(duplicates, 0, 3)
{
	static const char *const twin[][2] = {
		{"h2", "h9"}, {"leaf2", "leaf4"}, {"spine1", "spine2"}};
	AUTO(bench) struct bench b;
	struct topo *t;
	uint64_t guid;
	node_ix ix;
	unsigned n = 0;

	bench_start(&b, two_tier_tree(3, 6, 1, 3));
	guid = b.f->node[fabric_find(b.f, twin[_i][0])].guid;
	sim_fault_guid(b.sim, fabric_find(b.f, twin[_i][1]), guid);
	for (int round = 0; round < 3; round++) {
		bench_sweep(&b, SWEEP_FULL, NULL, 0);
		if (round == 0)
			expect_oddities(&b, "duplicate GUID");
		else
			expect_oddities(&b, NULL);
		t = bench_freeze(&b);
		n = 0;
		for (ix = 0; ix < t->nnodes; ix++) {
			if (t->node[ix].guid != guid)
				continue;
			n++;
			ck_assert_uint_ne(t->node[ix].flags & TN_DUPLICATE, 0);
		}
		ck_assert_uint_eq(n, 2);
		ck_assert_uint_eq(t->nnodes, b.f->nnodes);
		ck_assert_uint_eq(t->nadj, 2 * 3 * 6);
		ck_assert_uint_eq(t->nend, 9 + 18);
		topo_unref(t);
	}
}

/* A neighbour that does not point back: no crash, no endless loop. */
LOOP_TEST(crossed, 0, 36)
{
	AUTO(bench) struct bench b;
	struct topo *t;

	bench_start(&b, two_tier_tree(3, 6, 1, 3));
	sim_fault_cross(b.sim, fabric_find(b.f, "spine2"), 1 + (unsigned)_i % 6,
		fabric_find(b.f, "leaf5"), 1 + (unsigned)_i / 6);
	for (int round = 0; round < 2; round++) {
		bench_sweep(&b, SWEEP_FULL, NULL, 0);
		t = bench_freeze(&b);
		/* a host may be counted twice, a switch must not */
		ck_assert_uint_eq(t->nsw, b.f->nswitches);
		ck_assert_uint_ge(t->nnodes, b.f->nnodes);
		ck_assert_uint_le(t->nnodes, b.f->nnodes + 1);
		topo_unref(t);
	}
}
