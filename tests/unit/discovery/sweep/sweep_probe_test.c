/* Probes, and sweeps under random faults. */
#include "tests/unit/discovery/sweep/sweep_fixture.h"
#include "tests/unit/suite.h"

static uint64_t
guid_of(const struct bench *b, const char *name)
{
	uint32_t n = fabric_find(b->f, name);

	ck_assert_uint_ne(n, FABRIC_NONE);
	return b->f->node[n].guid;
}

static const struct topo_port *
port_at(const struct topo *t, uint64_t guid, unsigned port)
{
	node_ix ix = topo_by_node_guid(t, guid);

	ck_assert_uint_ne(ix, TOPO_NONE);
	return &t->port[topo_port_of(t, ix, port)];
}

/* A fabric that is up, as the distribution leaves it. */
static void
settle_fabric(struct bench *b)
{
	sim_activate_all(b->sim);
	bench_sweep(b, SWEEP_FULL, NULL, 0);
	sim_clear_stats(b->sim);
}

TEST(probe_link)
{
	AUTO(bench) struct bench b;
	struct topo *t;
	uint64_t leaf, spine;
	uint32_t node;
	unsigned up;

	bench_start(&b, two_tier_tree(4, 8, 2, 6));
	settle_fabric(&b);
	leaf = guid_of(&b, "leaf4");
	node = fabric_find(b.f, "leaf4");
	for (up = 1;; up++) {
		uint32_t far;
		unsigned far_port;

		ck_assert(fabric_peer(b.f, node, up, &far, &far_port));
		if (b.f->node[far].type == FABRIC_SWITCH) {
			spine = b.f->node[far].guid;
			break;
		}
	}
	sim_fault_link(b.sim, node, up, false);
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert_uint_eq(b.stats.gone_links, 1);
	ck_assert_uint_eq(b.stats.new_links, 0);
	ck_assert_uint_eq(b.stats.gone_nodes, 0);
	ck_assert_uint_eq(b.stats.rounds, 1);
	/* SwitchInfo twice, cleared once, all ports, the other end's port */
	ck_assert_uint_eq(b.stats.smps, 3 + 1 + b.f->node[node].nports + 1);
	t = bench_freeze(&b);
	ck_assert_uint_eq(t->nadj, 2 * (4 * 8 * 2 - 1));
	ck_assert_uint_eq(port_at(t, leaf, up)->state, 1);
	topo_unref(t);
	/* and up again, reported by the spine */
	sim_fault_link(b.sim, node, up, true);
	bench_sweep(&b, SWEEP_PROBE, &spine, 1);
	ck_assert_uint_eq(b.stats.new_links, 1);
	ck_assert_uint_eq(b.stats.gone_links, 0);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	ck_assert_uint_eq(port_at(t, leaf, up)->state, 2);
	topo_unref(t);
	expect_oddities(&b, NULL);
}

/* Both ends of a link send traps about its change. PortStateChange that the
 * first probe clears is no news for the next. */
TEST(probe_after_traps)
{
	AUTO(bench) struct bench b;
	uint64_t leaf, both[2];
	uint32_t node, spine;
	unsigned port;

	bench_start(&b, two_tier_tree(4, 8, 1, 6));
	settle_fabric(&b);
	b.told = true;
	leaf = guid_of(&b, "leaf4");
	node = fabric_find(b.f, "leaf4");
	for (port = 1; fabric_peer(b.f, node, port, &spine, &(unsigned){0}) &&
		       b.f->node[spine].type != FABRIC_SWITCH;)
		port++;
	both[0] = leaf;
	both[1] = b.f->node[spine].guid;
	bench_sweep(&b, SWEEP_PROBE, both, 2);
	ck_assert(b.no_news);
	ck_assert_uint_le(b.stats.smps, 3); /* two state bits, a path */
	sim_fault_link(b.sim, node, port, false);
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert(!b.no_news);
	ck_assert_uint_eq(b.stats.gone_links, 1);
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert(b.no_news);
	/* of the other end only one port was read: now all are */
	bench_sweep(&b, SWEEP_PROBE, both, 2);
	ck_assert(!b.no_news);
	ck_assert_uint_ge(b.stats.smps, b.f->node[spine].nports);
	bench_sweep(&b, SWEEP_PROBE, both, 2);
	ck_assert(b.no_news);
	/* a probe for any other reason reads the ports, whatever the bit */
	b.told = false;
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert(!b.no_news);
	ck_assert_uint_ge(b.stats.smps, b.f->node[node].nports);
}

TEST(probe_host)
{
	AUTO(bench) struct bench b;
	struct topo *t;
	uint64_t leaf, host;
	uint32_t node;

	bench_start(&b, two_tier_tree(4, 8, 1, 6));
	settle_fabric(&b);
	node = fabric_find(b.f, "h20");
	host = b.f->node[node].guid;
	leaf = guid_of(&b, "leaf4");
	sim_set_lid(b.sim, node, 1, 77);
	bench_sweep(&b, SWEEP_PROBE, &host, 1);
	ck_assert_uint_eq(b.stats.smps, 1);
	ck_assert_uint_eq(b.stats.changed_ports, 1);
	sim_fault_node(b.sim, node, false);
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert_uint_eq(b.stats.gone_nodes, 1);
	t = bench_freeze(&b);
	ck_assert_uint_eq(topo_by_node_guid(t, host), TOPO_NONE);
	topo_unref(t);
	sim_fault_node(b.sim, node, true);
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert_uint_eq(b.stats.new_nodes, 1);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	ck_assert_uint_eq(port_at(t, host, 1)->found_lid, 0);
	topo_unref(t);
	/* a bounce that no sweep saw: the host's state is read again */
	settle_fabric(&b);
	sim_fault_link(b.sim, node, 1, false);
	sim_fault_link(b.sim, node, 1, true);
	sim_clear_stats(b.sim);
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	/* another link may be there: the NodeInfo of its end is read, once */
	ck_assert_uint_eq(sim_stats(b.sim)->by[MAD_NODE_INFO][MAD_GET], 1);
	ck_assert_uint_eq(b.stats.new_nodes + b.stats.gone_nodes, 0);
	t = bench_freeze(&b);
	ck_assert_uint_eq(port_at(t, host, 1)->state, 2);
	topo_unref(t);
}

TEST(probe_reboot)
{
	AUTO(bench) struct bench b;
	struct topo *t;
	uint64_t spine;
	node_ix ix;

	bench_start(&b, two_tier_tree(4, 8, 1, 6));
	settle_fabric(&b);
	spine = guid_of(&b, "spine3");
	sim_set_lid(b.sim, fabric_find(b.f, "spine3"), 0, 99);
	bench_sweep(&b, SWEEP_PROBE, &spine, 1);
	t = bench_freeze(&b);
	ix = topo_by_node_guid(t, spine);
	ck_assert_uint_eq(t->node[ix].flags & TN_FRESH, 0);
	ck_assert_uint_eq(port_at(t, spine, 0)->found_lid, 99);
	topo_unref(t);
	sim_fault_reboot(b.sim, fabric_find(b.f, "spine3"));
	bench_sweep(&b, SWEEP_PROBE, &spine, 1);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	ix = topo_by_node_guid(t, spine);
	ck_assert_uint_ne(t->node[ix].flags & TN_FRESH, 0);
	ck_assert_uint_eq(port_at(t, spine, 0)->found_lid, 0);
	ck_assert_uint_eq(port_at(t, spine, 1)->state, 2);
	topo_unref(t);
}

/* A leaf with its hosts goes and comes back, reported by one spine. */
TEST(probe_leaf)
{
	AUTO(bench) struct bench b;
	struct topo *t;
	uint64_t spine[4];
	uint32_t leaf;

	bench_start(&b, two_tier_tree(4, 8, 1, 6));
	settle_fabric(&b);
	leaf = fabric_find(b.f, "leaf6");
	for (unsigned i = 0; i < 4; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "spine%u", i + 1);
		spine[i] = guid_of(&b, name);
	}
	sim_fault_node(b.sim, leaf, false);
	bench_sweep(&b, SWEEP_PROBE, spine, 4);
	ck_assert_uint_eq(b.stats.gone_nodes, 7);
	ck_assert_uint_eq(b.stats.timeouts, 0);
	t = bench_freeze(&b);
	ck_assert_uint_eq(t->nnodes, b.f->nnodes - 7);
	topo_unref(t);
	sim_fault_node(b.sim, leaf, true);
	bench_sweep(&b, SWEEP_PROBE, spine, 1);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	topo_unref(t);
	expect_oddities(&b, NULL);
}

static void
pull_again(void *cookie, struct sim *s)
{
	struct bench *b = cookie;

	sim_fault_link(s, fabric_find(b->f, "h20"), 1, false);
}

/* A change during the probe, after its port was read: another round. */
LOOP_TEST(probe_rounds, 0, 12)
{
	AUTO(bench) struct bench b;
	struct topo *t;
	uint64_t leaf;

	bench_start(&b, two_tier_tree(4, 8, 1, 6));
	settle_fabric(&b);
	leaf = guid_of(&b, "leaf4");
	sim_fault_link(b.sim, fabric_find(b.f, "h21"), 1, false);
	sim_at(b.sim, mono_add(sim_now(b.sim), mono_us(10 * _i)), pull_again,
		&b);
	bench_sweep(&b, SWEEP_PROBE, &leaf, 1);
	sim_run_until(b.sim, mono_add(sim_now(b.sim), mono_ms(1)));
	ck_assert_uint_le(b.stats.rounds, 2);
	t = bench_freeze(&b);
	if (b.stats.rounds == 2)
		ck_assert_uint_eq(t->nnodes, b.f->nnodes - 2);
	topo_unref(t);
	/* whatever the round missed is still flagged */
	bench_sweep(&b, SWEEP_LIGHT, NULL, 0);
	if (b.nsuspect > 0)
		bench_sweep(&b, SWEEP_PROBE, b.suspect, b.nsuspect);
	t = bench_freeze(&b);
	ck_assert_uint_eq(t->nnodes, b.f->nnodes - 2);
	topo_unref(t);
}

/* Injects one random fault into the fabric, or repairs one. */
static void
inject_random_fault(struct bench *b, struct rng *rng)
{
	static const struct sim_behaviour mood[] = {
		{0},
		{.hung = true},
		{.mute = 1U << MAD_SWITCH_INFO},
		{.mute = 1U << MAD_PORT_INFO},
		{.refuse = 1U << MAD_PORT_INFO},
		{.wrong = 1U << MAD_NODE_INFO},
		{.zero_ports = true},
	};
	const struct fabric *f = b->f;
	uint32_t us = fabric_first_host(f);
	uint32_t n = rng_below(rng, f->nnodes);
	const struct fabric_cable *c = &f->cable[rng_below(rng, f->ncables)];

	if (n == us || c->node[0] == us || c->node[1] == us)
		return;
	switch (rng_below(rng, 8)) {
	case 0:
	case 1:
		sim_fault_link(
			b->sim, c->node[0], c->port[0], rng_below(rng, 2) != 0);
		break;
	case 2:
		sim_fault_node(b->sim, n, rng_below(rng, 2) != 0);
		break;
	case 3:
		sim_fault_reboot(b->sim, n);
		break;
	case 4:
		sim_fault_guid(
			b->sim, n, f->node[rng_below(rng, f->nnodes)].guid);
		break;
	case 5:
		sim_fault_cross(b->sim, c->node[0], c->port[0], n,
			1 + rng_below(rng, f->node[n].nports));
		break;
	default:
		sim_fault_behave(b->sim, n, &mood[rng_below(rng, 7)]);
		break;
	}
}

static void
mend_fabric(struct bench *b)
{
	static const struct sim_behaviour well;
	static const struct sim_faults none;
	const struct fabric *f = b->f;

	sim_fault_chances(b->sim, &none);
	for (uint32_t n = 0; n < f->nnodes; n++) {
		sim_fault_behave(b->sim, n, &well);
		sim_fault_guid(b->sim, n, f->node[n].guid);
		sim_fault_node(b->sim, n, true);
	}
	for (uint32_t i = 0; i < f->ncables; i++) {
		const struct fabric_cable *c = &f->cable[i];

		for (int e = 0; e < 2; e++)
			sim_fault_cross(b->sim, c->node[e], c->port[e],
				c->node[!e], c->port[!e]);
		sim_fault_link(b->sim, c->node[0], c->port[0], true);
	}
}

/* A dozen random faults while the fabric is being read. */
static void
inject_many_faults(void *cookie, struct sim *sim)
{
	struct bench *b = cookie;

	for (unsigned i = 0; i < 2; i++)
		inject_random_fault(b, &b->rng);
	if (rng_below(&b->rng, 4) != 0)
		sim_at(sim,
			mono_add(
				sim_now(sim), mono_us(rng_below(&b->rng, 400))),
			inject_many_faults, b);
}

/* Under any faults no sweep crashes and none is endless; once the fabric is
 * repaired, two sweeps find it as it is. */
LOOP_TEST(chaos, 0, 60)
{
	struct sim_options o = sim_defaults();
	AUTO(bench) struct bench b;
	struct buf text = {0};
	AUTO(topo) struct topo *t = NULL;

	o.seed = (uint64_t)_i;
	o.faults.corrupt = 2000;
	o.faults.truncate = 2000;
	o.faults.loss = 2000;
	o.trap_tries = 1;
	bench_on(&b, make_shape(_i % 2 ? 5 : 10), &o);
	b.rng.state = (uint64_t)_i;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t guid[5];

		for (unsigned k = 0; k < 5; k++)
			guid[k] =
				b.f->node[rng_below(&b.rng, b.f->nnodes)].guid;
		sim_at(b.sim, sim_now(b.sim), inject_many_faults, &b);
		b.may_fail = true;
		if (i == 0 || rng_below(&b.rng, 3) == 0)
			bench_sweep(&b, SWEEP_FULL, NULL, 0);
		else
			bench_sweep(&b, SWEEP_PROBE, guid, 5);
		if (b.d->self != BUILDER_NONE)
			topo_unref(bench_freeze(&b));
	}
	sim_run_until(b.sim, mono_add(sim_now(b.sim), mono_ms(200)));
	mend_fabric(&b);
	(void)builder_oddities(b.d, &text);
	buf_free(&text);
	sim_run_until(b.sim, mono_add(sim_now(b.sim), mono_ms(10)));
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	(void)builder_oddities(b.d, &text);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	for (node_ix i = 0; i < t->nnodes; i++)
		ck_assert_uint_eq(
			t->node[i].flags &
				(TN_QUARANTINED | TN_DUPLICATE | TN_PARTIAL),
			0);
	buf_free(&text);
}

/* The manager's own port does not answer. */
TEST(deaf)
{
	struct sim_behaviour hung = {.hung = true};
	AUTO(bench) struct bench b;
	struct sweep *s;

	bench_start(&b, two_tier_tree(2, 2, 1, 2));
	sim_fault_behave(b.sim, fabric_first_host(b.f), &hung);
	s = sweep_new(SWEEP_FULL, b.d, b.x, NULL, 0);
	sweep_feed(s, sim_now(b.sim));
	while (!sweep_done(s)) {
		struct mono t = mono_min(sim_next(b.sim), xact_next(b.x));

		sim_run_until(b.sim, t);
		xact_tick(b.x, t);
		sweep_feed(s, t);
	}
	ck_assert_ptr_nonnull(sweep_failed(s));
	sweep_free(s);
}

/* The uplinks of two leaves change places, and all four switches have sent
 * traps: none is taken for a second switch of its GUID. */
TEST(swapped_uplinks)
{
	static const char *const name[] = {
		"leaf2", "spine1", "leaf3", "spine2"};
	uint64_t guid[4];
	struct bench b;
	struct topo *t;
	uint32_t leaf2, leaf3;

	bench_start(&b, two_tier_tree(4, 8, 1, 4));
	leaf2 = fabric_find(b.f, "leaf2");
	leaf3 = fabric_find(b.f, "leaf3");
	bench_sweep(&b, SWEEP_FULL, NULL, 0);
	for (unsigned i = 0; i < 4; i++)
		guid[i] = b.f->node[fabric_find(b.f, name[i])].guid;
	fabric_swap(b.f, leaf2, 5, leaf3, 6);
	sim_fault_swap(b.sim, b.f, leaf2, 5, leaf3, 6);
	bench_sweep(&b, SWEEP_PROBE, guid, 4);
	expect_oddities(&b, NULL);
	ck_assert_uint_eq(b.stats.duplicates, 0);
	ck_assert_uint_eq(b.stats.new_nodes, 0);
	t = bench_freeze(&b);
	expect_topo_is_fabric(&b, t);
	topo_unref(t);
	bench_end(&b);
}
