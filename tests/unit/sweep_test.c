/* Sweeps against the simulated fabric, on its clock. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/draft_priv.h"
#include "discovery/sweep.h"
#include "sm/base/rng.h"
#include "tests/sim/sim.h"
#include "tests/topo/fabric.h"
#include "tests/topo/gen.h"

/* A fabric, a subnet manager's ears, and what it knows. */
struct bench {
	struct fabric *f;
	struct sim *sim;
	struct sim_endpoint *end;
	struct xact *x;
	struct draft *d;
	struct rng rng;
	bool may_fail;
	uint32_t traps;
	struct sweep_stats stats; /* of the last sweep */
	uint64_t suspect[64];
	size_t nsuspect;
};

static void
receive(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct bench *b = cookie;
	struct smp smp;

	if (smp_decode(m->mad, m->len, &smp, NULL) != 0)
		return;
	if (!xact_input(b->x, m, &smp, now))
		b->traps++;
}

static void
bench_on(struct bench *b, struct fabric *f, const struct sim_options *o)
{
	struct xact_options xo = {.timeout = mono_ms(50),
		.retries = 3,
		.window_start = 16,
		.window_max = 64,
		.target_max = 4};

	ck_assert_ptr_nonnull(f);
	*b = (struct bench){.f = f};
	b->sim = sim_new(f, o);
	b->end = sim_attach(b->sim, fabric_first_host(f), 1, receive, b);
	b->x = xact_new(&xo, sim_transport(b->end));
	b->d = draft_new();
}

static void
bench_start(struct bench *b, struct fabric *f)
{
	struct sim_options o = sim_defaults();

	bench_on(b, f, &o);
}

static void
patience(struct bench *b, unsigned retries)
{
	struct xact_options xo = {.timeout = mono_ms(50),
		.retries = retries,
		.window_start = 16,
		.window_max = 64,
		.target_max = 4};

	xact_configure(b->x, &xo);
}

static void
bench_end(struct bench *b)
{
	xact_free(b->x);
	sim_free(b->sim);
	fabric_free(b->f);
	draft_free(b->d);
}

/* Run a sweep to its end on the virtual clock. */
static void
run(struct bench *b, enum sweep_kind kind, const uint64_t *guid, size_t n)
{
	struct sweep *s = sweep_new(kind, b->d, b->x, 0, guid, n);
	const uint64_t *suspect;
	unsigned steps = 0;

	sweep_feed(s, sim_now(b->sim));
	while (!sweep_done(s)) {
		struct mono t = mono_min(sim_next(b->sim), xact_next(b->x));

		ck_assert_int_lt(t.ns, MONO_NEVER.ns);
		ck_assert_uint_lt(++steps, 400000);
		sim_run_until(b->sim, t);
		xact_tick(b->x, t);
		sweep_feed(s, t);
	}
	if (!b->may_fail)
		ck_assert_ptr_null(sweep_failed(s));
	b->stats = *sweep_stats(s);
	suspect = sweep_suspects(s, &b->nsuspect);
	ck_assert_uint_le(b->nsuspect, 64);
	if (b->nsuspect > 0)
		memcpy(b->suspect, suspect, b->nsuspect * sizeof(*suspect));
	sweep_free(s);
}

static struct topo *
freeze(struct bench *b)
{
	struct reason why;
	struct topo *t = draft_freeze(b->d, 1, &why);

	ck_assert_msg(t != NULL, "%s", why.text);
	return t;
}

static size_t
oddities(struct bench *b, const char *expect)
{
	struct buf text = {0};
	size_t n = draft_oddities(b->d, &text);

	if (expect == NULL)
		ck_assert_msg(n == 0, "%s", text.text);
	else
		ck_assert_msg(n > 0 && strstr(text.text, expect) != NULL,
			"'%s' not in: %s", expect, n ? text.text : "");
	buf_free(&text);
	return n;
}

/* Does the topology say exactly what the fabric is? */
static void
compare(const struct bench *b, const struct topo *t)
{
	const struct fabric *f = b->f;

	ck_assert_uint_eq(t->nnodes, f->nnodes);
	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct fabric_node *n = &f->node[i];
		node_ix ix = topo_by_node_guid(t, n->guid);

		ck_assert_uint_ne(ix, TOPO_NONE);
		ck_assert_uint_eq(t->node[ix].type, n->type);
		ck_assert_uint_eq(t->node[ix].nports, n->nports);
		for (unsigned p = 1; p <= n->nports; p++) {
			port_ix port = topo_port_of(t, ix, p);
			port_ix peer = t->port[port].peer;
			uint32_t far;
			unsigned far_port;

			if (!fabric_peer(f, i, p, &far, &far_port)) {
				ck_assert_uint_eq(peer, TOPO_NONE);
				continue;
			}
			ck_assert_uint_ne(peer, TOPO_NONE);
			ck_assert_uint_eq(t->port[peer].num, far_port);
			ck_assert_uint_eq(t->node[t->port[peer].node].guid,
				f->node[far].guid);
			ck_assert_uint_eq(t->port[peer].peer, port);
			ck_assert_uint_eq(t->port[port].phys, 5);
			ck_assert_uint_eq(t->port[port].flags & TP_UNREAD, 0);
		}
	}
}

/* What a full sweep must at least ask, and what it sent. */
static uint64_t
floor_smps(const struct fabric *f, const struct sim *s)
{
	uint64_t n = 1; /* our own NodeInfo */

	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct fabric_node *node = &f->node[i];

		if (node->type == FABRIC_SWITCH)
			/* SwitchInfo, port 0 and all ports */
			n += 2 + node->nports;
		else
			n += fabric_degree(f, i);
	}
	return n + f->ncables + sim_stats(s)->switch_sets;
}

static struct fabric *
tree(unsigned spines, unsigned leaves, unsigned parallel, unsigned hosts)
{
	struct gen_fattree2 p = {spines, leaves, parallel, hosts, hosts};
	struct reason why;

	return gen_tree_two(&p, &why);
}

static struct fabric *
shape(int i)
{
	static const unsigned torus[] = {4, 4, 4};
	static const unsigned odd[] = {5, 3};
	struct reason why;

	switch (i) {
	case 0:
		return gen_pair();
	case 1:
		return tree(1, 1, 1, 2);
	case 2:
		return tree(4, 8, 2, 6);
	case 3:
		return gen_grid(torus, 3, true, 2, &why);
	case 4:
		return gen_grid(odd, 2, true, 1, &why);
	case 5:
		return gen_edit_rails(tree(4, 8, 1, 6), 2, false, &why);
	case 6:
		return gen_edit_self_loops(tree(3, 6, 1, 3), 5, &why);
	case 7:
		return gen_edit_aggregation(tree(3, 6, 1, 3), &why);
	case 8:
		return gen_edit_ports(tree(2, 3, 1, 2), 254, true, &why);
	case 9:
		return gen_tree_three(8, &why);
	case 10:
		return gen_random(40, 5, 2, 11, &why);
	default:
		return gen_dragonfly(4, 2, 2, &why);
	}
}

START_TEST(full)
{
	/* SMPs above the floor: the speed of a cable without a switch; cables
	 * of a switch to itself are asked from both ends at once; -1: some. */
	static const int tight[] = {1, 0, 0, 0, -1, 0, 5, 0, 0, 0, -1, -1};
	struct bench b;
	struct topo *t;
	uint64_t asked;

	bench_start(&b, shape(_i));
	run(&b, SWEEP_FULL, NULL, 0);
	t = freeze(&b);
	compare(&b, t);
	oddities(&b, NULL);
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
	topo_unref(t);
	bench_end(&b);
}
END_TEST

START_TEST(full_again)
{
	struct bench b;
	struct topo *t, *u;
	uint64_t before;

	bench_start(&b, shape(_i));
	run(&b, SWEEP_FULL, NULL, 0);
	t = freeze(&b);
	before = sim_stats(b.sim)->smps;
	sim_clear_stats(b.sim);
	run(&b, SWEEP_FULL, NULL, 0);
	u = freeze(&b);
	compare(&b, u);
	ck_assert_uint_eq(t->hash, u->hash);
	ck_assert_uint_eq(b.stats.new_nodes + b.stats.gone_nodes, 0);
	ck_assert_uint_eq(b.stats.new_links + b.stats.gone_links, 0);
	ck_assert_uint_eq(b.stats.changed_ports, 0);
	ck_assert_uint_le(sim_stats(b.sim)->smps, before + 8);
	oddities(&b, NULL);
	topo_unref(t);
	topo_unref(u);
	bench_end(&b);
}
END_TEST

START_TEST(names_and_light)
{
	struct bench b;
	struct topo *t;

	bench_start(&b, shape(2));
	run(&b, SWEEP_FULL, NULL, 0);
	run(&b, SWEEP_NAMES, NULL, 0);
	ck_assert_uint_eq(b.stats.smps, b.f->nnodes);
	t = freeze(&b);
	for (node_ix i = 0; i < t->nnodes; i++)
		ck_assert_str_ne(topo_desc(t, i), "");
	run(&b, SWEEP_NAMES, NULL, 0);
	ck_assert_uint_eq(b.stats.smps, 0);
	run(&b, SWEEP_LIGHT, NULL, 0);
	ck_assert_uint_eq(b.stats.smps, b.f->nswitches + 1); /* own port */
	ck_assert_uint_eq(b.nsuspect, 0);
	sim_fault_link(b.sim, fabric_find(b.f, "h2"), 1, false);
	run(&b, SWEEP_LIGHT, NULL, 0);
	ck_assert_uint_eq(b.nsuspect, 1);
	ck_assert_uint_eq(
		b.suspect[0], b.f->node[fabric_find(b.f, "leaf1")].guid);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

START_TEST(lossy)
{
	struct sim_options o = sim_defaults();
	struct bench b;
	struct topo *t;

	o.seed = (uint64_t)_i + 1;
	o.faults.loss = 50000; /* 5 % each way */
	o.faults.dup = 10000;
	o.faults.delay = 10000;
	o.faults.delay_max = mono_ms(80);
	bench_on(&b, shape(2 + _i % 9), &o);
	patience(&b, 9);
	run(&b, SWEEP_FULL, NULL, 0);
	t = freeze(&b);
	compare(&b, t);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

/* A switch that hangs: quarantined, everything else is there. */
START_TEST(hung_switch)
{
	struct sim_behaviour hung = {.hung = true};
	struct sim_behaviour well = {0};
	struct bench b;
	uint32_t spine, leaf;
	struct topo *t;
	node_ix ix;

	bench_start(&b, tree(4, 6, 1, 3));
	spine = fabric_find(b.f, "spine2");
	leaf = fabric_find(b.f, "leaf3");
	ck_assert_uint_ne(spine, FABRIC_NONE);
	ck_assert_uint_ne(leaf, FABRIC_NONE);
	/* never seen: not there, but told */
	sim_fault_behave(b.sim, spine, &hung);
	run(&b, SWEEP_FULL, NULL, 0);
	oddities(&b, "nobody answers");
	t = freeze(&b);
	ck_assert_uint_eq(t->nnodes, b.f->nnodes - 1);
	topo_unref(t);
	/* seen, then hung: kept, quarantined, with the hosts behind a leaf */
	sim_fault_behave(b.sim, spine, &well);
	run(&b, SWEEP_FULL, NULL, 0);
	oddities(&b, NULL);
	sim_fault_behave(b.sim, spine, &hung);
	sim_fault_behave(b.sim, leaf, &hung);
	run(&b, SWEEP_FULL, NULL, 0);
	oddities(&b, "quarantined");
	t = freeze(&b);
	compare(&b, t);
	ix = topo_by_node_guid(t, b.f->node[spine].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_QUARANTINED, 0);
	ix = topo_by_node_guid(t, b.f->node[leaf].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_QUARANTINED, 0);
	ck_assert_str_ne(draft_quarantine_why(b.d, b.f->node[spine].guid), "");
	topo_unref(t);
	/* light: both are asked, the one that answers is a suspect */
	sim_fault_behave(b.sim, leaf, &well);
	run(&b, SWEEP_LIGHT, NULL, 0);
	ck_assert_uint_eq(b.nsuspect, 1);
	ck_assert_uint_eq(b.suspect[0], b.f->node[leaf].guid);
	run(&b, SWEEP_PROBE, b.suspect, 1);
	ck_assert_str_eq(draft_quarantine_why(b.d, b.f->node[leaf].guid), "");
	sim_fault_behave(b.sim, spine, &well);
	run(&b, SWEEP_FULL, NULL, 0);
	ck_assert_str_eq(draft_quarantine_why(b.d, b.f->node[spine].guid), "");
	t = freeze(&b);
	compare(&b, t);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

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

/* Something goes at any moment of a sweep; the next sweep says how it is. */
START_TEST(vanishing)
{
	struct bench b;
	struct topo *t;
	struct mono when = mono_us(20 * (_i / 2));

	bench_start(&b, tree(4, 6, 1, 3));
	sim_at(b.sim, when, _i % 2 ? hang_leaf : remove_leaf, &b);
	run(&b, SWEEP_FULL, NULL, 0);
	t = freeze(&b);
	ck_assert_uint_ge(t->nnodes, b.f->nnodes - 4);
	topo_unref(t);
	if (_i % 2 == 0) {
		sim_run_until(b.sim, mono_ms(5000));
		run(&b, SWEEP_FULL, NULL, 0);
		t = freeze(&b);
		ck_assert_uint_eq(t->nnodes, b.f->nnodes - 4);
		topo_unref(t);
	}
	bench_end(&b);
}
END_TEST

START_TEST(partial)
{
	struct sim_behaviour refuses = {.refuse = 1U << MAD_PORT_INFO};
	struct sim_behaviour mute = {.mute = 1U << MAD_SWITCH_INFO};
	struct sim_behaviour zero = {.zero_ports = true};
	struct bench b;
	struct topo *t;
	uint32_t host, leaf, spine;
	node_ix ix;

	bench_start(&b, tree(3, 4, 1, 3));
	host = fabric_find(b.f, "h5");
	leaf = fabric_find(b.f, "leaf3");
	spine = fabric_find(b.f, "spine1");
	sim_fault_behave(b.sim, host, &refuses);
	sim_fault_behave(b.sim, leaf, &mute);
	sim_fault_behave(b.sim, spine, &zero);
	run(&b, SWEEP_FULL, NULL, 0);
	oddities(&b, "0 ports");
	t = freeze(&b);
	ck_assert_uint_eq(
		topo_by_node_guid(t, b.f->node[spine].guid), TOPO_NONE);
	ix = topo_by_node_guid(t, b.f->node[host].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_PARTIAL, 0);
	ck_assert_uint_ne(t->port[topo_port_of(t, ix, 1)].flags & TP_UNREAD, 0);
	ix = topo_by_node_guid(t, b.f->node[leaf].guid);
	ck_assert_uint_ne(t->node[ix].flags & TN_QUARANTINED, 0);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

/* Two leaves, two hosts, two spines with one GUID each. */
START_TEST(duplicates)
{
	static const char *const twin[][2] = {
		{"h2", "h9"}, {"leaf2", "leaf4"}, {"spine1", "spine2"}};
	struct bench b;
	struct topo *t;
	uint64_t guid;
	node_ix ix;
	unsigned n = 0;

	bench_start(&b, tree(3, 6, 1, 3));
	guid = b.f->node[fabric_find(b.f, twin[_i][0])].guid;
	sim_fault_guid(b.sim, fabric_find(b.f, twin[_i][1]), guid);
	for (int round = 0; round < 3; round++) {
		run(&b, SWEEP_FULL, NULL, 0);
		if (round == 0)
			oddities(&b, "duplicate GUID");
		else
			oddities(&b, NULL);
		t = freeze(&b);
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
	bench_end(&b);
}
END_TEST

/* A neighbour that does not point back: no crash, no endless loop. */
START_TEST(crossed)
{
	struct bench b;
	struct topo *t;

	bench_start(&b, tree(3, 6, 1, 3));
	sim_fault_cross(b.sim, fabric_find(b.f, "spine2"), 1 + (unsigned)_i % 6,
		fabric_find(b.f, "leaf5"), 1 + (unsigned)_i / 6);
	for (int round = 0; round < 2; round++) {
		run(&b, SWEEP_FULL, NULL, 0);
		t = freeze(&b);
		/* a host may pass for two, a switch must not */
		ck_assert_uint_eq(t->nsw, b.f->nswitches);
		ck_assert_uint_ge(t->nnodes, b.f->nnodes);
		ck_assert_uint_le(t->nnodes, b.f->nnodes + 1);
		topo_unref(t);
	}
	bench_end(&b);
}
END_TEST

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
settle(struct bench *b)
{
	sim_activate_all(b->sim);
	run(b, SWEEP_FULL, NULL, 0);
	sim_clear_stats(b->sim);
}

START_TEST(probe_link)
{
	struct bench b;
	struct topo *t;
	uint64_t leaf, spine;
	uint32_t node;
	unsigned up;

	bench_start(&b, tree(4, 8, 2, 6));
	settle(&b);
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
	run(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert_uint_eq(b.stats.gone_links, 1);
	ck_assert_uint_eq(b.stats.new_links, 0);
	ck_assert_uint_eq(b.stats.gone_nodes, 0);
	ck_assert_uint_eq(b.stats.rounds, 1);
	/* SwitchInfo twice, cleared once, all ports, the other end's port */
	ck_assert_uint_eq(b.stats.smps, 3 + 1 + b.f->node[node].nports + 1);
	t = freeze(&b);
	ck_assert_uint_eq(t->nadj, 2 * (4 * 8 * 2 - 1));
	ck_assert_uint_eq(port_at(t, leaf, up)->state, 1);
	topo_unref(t);
	/* and up again, told by the spine */
	sim_fault_link(b.sim, node, up, true);
	run(&b, SWEEP_PROBE, &spine, 1);
	ck_assert_uint_eq(b.stats.new_links, 1);
	ck_assert_uint_eq(b.stats.gone_links, 0);
	t = freeze(&b);
	compare(&b, t);
	ck_assert_uint_eq(port_at(t, leaf, up)->state, 2);
	topo_unref(t);
	oddities(&b, NULL);
	bench_end(&b);
}
END_TEST

START_TEST(probe_host)
{
	struct bench b;
	struct topo *t;
	uint64_t leaf, host;
	uint32_t node;

	bench_start(&b, tree(4, 8, 1, 6));
	settle(&b);
	node = fabric_find(b.f, "h20");
	host = b.f->node[node].guid;
	leaf = guid_of(&b, "leaf4");
	sim_set_lid(b.sim, node, 1, 77);
	run(&b, SWEEP_PROBE, &host, 1);
	ck_assert_uint_eq(b.stats.smps, 1);
	ck_assert_uint_eq(b.stats.changed_ports, 1);
	sim_fault_node(b.sim, node, false);
	run(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert_uint_eq(b.stats.gone_nodes, 1);
	t = freeze(&b);
	ck_assert_uint_eq(topo_by_node_guid(t, host), TOPO_NONE);
	topo_unref(t);
	sim_fault_node(b.sim, node, true);
	run(&b, SWEEP_PROBE, &leaf, 1);
	ck_assert_uint_eq(b.stats.new_nodes, 1);
	t = freeze(&b);
	compare(&b, t);
	ck_assert_uint_eq(port_at(t, host, 1)->found_lid, 0);
	topo_unref(t);
	/* a bounce that nobody saw: the host's state is read again */
	settle(&b);
	sim_fault_link(b.sim, node, 1, false);
	sim_fault_link(b.sim, node, 1, true);
	sim_clear_stats(b.sim);
	run(&b, SWEEP_PROBE, &leaf, 1);
	/* it may have been another cable: who is there is asked, once */
	ck_assert_uint_eq(sim_stats(b.sim)->by[MAD_NODE_INFO][MAD_GET], 1);
	ck_assert_uint_eq(b.stats.new_nodes + b.stats.gone_nodes, 0);
	t = freeze(&b);
	ck_assert_uint_eq(port_at(t, host, 1)->state, 2);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

START_TEST(probe_reboot)
{
	struct bench b;
	struct topo *t;
	uint64_t spine;
	node_ix ix;

	bench_start(&b, tree(4, 8, 1, 6));
	settle(&b);
	spine = guid_of(&b, "spine3");
	sim_set_lid(b.sim, fabric_find(b.f, "spine3"), 0, 99);
	run(&b, SWEEP_PROBE, &spine, 1);
	t = freeze(&b);
	ix = topo_by_node_guid(t, spine);
	ck_assert_uint_eq(t->node[ix].flags & TN_FRESH, 0);
	ck_assert_uint_eq(port_at(t, spine, 0)->found_lid, 99);
	topo_unref(t);
	sim_fault_reboot(b.sim, fabric_find(b.f, "spine3"));
	run(&b, SWEEP_PROBE, &spine, 1);
	t = freeze(&b);
	compare(&b, t);
	ix = topo_by_node_guid(t, spine);
	ck_assert_uint_ne(t->node[ix].flags & TN_FRESH, 0);
	ck_assert_uint_eq(port_at(t, spine, 0)->found_lid, 0);
	ck_assert_uint_eq(port_at(t, spine, 1)->state, 2);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

/* A leaf with its hosts goes and comes back, told by one spine. */
START_TEST(probe_leaf)
{
	struct bench b;
	struct topo *t;
	uint64_t spine[4];
	uint32_t leaf;

	bench_start(&b, tree(4, 8, 1, 6));
	settle(&b);
	leaf = fabric_find(b.f, "leaf6");
	for (unsigned i = 0; i < 4; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "spine%u", i + 1);
		spine[i] = guid_of(&b, name);
	}
	sim_fault_node(b.sim, leaf, false);
	run(&b, SWEEP_PROBE, spine, 4);
	ck_assert_uint_eq(b.stats.gone_nodes, 7);
	ck_assert_uint_eq(b.stats.timeouts, 0);
	t = freeze(&b);
	ck_assert_uint_eq(t->nnodes, b.f->nnodes - 7);
	topo_unref(t);
	sim_fault_node(b.sim, leaf, true);
	run(&b, SWEEP_PROBE, spine, 1);
	t = freeze(&b);
	compare(&b, t);
	topo_unref(t);
	oddities(&b, NULL);
	bench_end(&b);
}
END_TEST

static void
pull_again(void *cookie, struct sim *s)
{
	struct bench *b = cookie;

	sim_fault_link(s, fabric_find(b->f, "h20"), 1, false);
}

/* A change during the probe, after its port was read: another round. */
START_TEST(probe_rounds)
{
	struct bench b;
	struct topo *t;
	uint64_t leaf;

	bench_start(&b, tree(4, 8, 1, 6));
	settle(&b);
	leaf = guid_of(&b, "leaf4");
	sim_fault_link(b.sim, fabric_find(b.f, "h21"), 1, false);
	sim_at(b.sim, mono_add(sim_now(b.sim), mono_us(10 * _i)), pull_again,
		&b);
	run(&b, SWEEP_PROBE, &leaf, 1);
	sim_run_until(b.sim, mono_add(sim_now(b.sim), mono_ms(1)));
	ck_assert_uint_le(b.stats.rounds, 2);
	t = freeze(&b);
	if (b.stats.rounds == 2)
		ck_assert_uint_eq(t->nnodes, b.f->nnodes - 2);
	topo_unref(t);
	/* whatever the round missed is still flagged */
	run(&b, SWEEP_LIGHT, NULL, 0);
	if (b.nsuspect > 0)
		run(&b, SWEEP_PROBE, b.suspect, b.nsuspect);
	t = freeze(&b);
	ck_assert_uint_eq(t->nnodes, b.f->nnodes - 2);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

/* One random misfortune of a fabric, or its mending. */
static void
misfortune(struct bench *b, struct rng *rng)
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
mend(struct bench *b)
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

/* A dozen misfortunes while the fabric is being read. */
static void
bad_day(void *cookie, struct sim *sim)
{
	struct bench *b = cookie;

	for (unsigned i = 0; i < 2; i++)
		misfortune(b, &b->rng);
	if (rng_below(&b->rng, 4) != 0)
		sim_at(sim,
			mono_add(
				sim_now(sim), mono_us(rng_below(&b->rng, 400))),
			bad_day, b);
}

/* Anything may happen: no crash, no endless sweep; and once the fabric is
 * well, two sweeps find it as it is. */
START_TEST(chaos)
{
	struct sim_options o = sim_defaults();
	struct bench b;
	struct buf text = {0};
	struct topo *t;

	o.seed = (uint64_t)_i;
	o.faults.corrupt = 2000;
	o.faults.truncate = 2000;
	o.faults.loss = 2000;
	o.trap_tries = 1;
	bench_on(&b, shape(_i % 2 ? 5 : 10), &o);
	b.rng.state = (uint64_t)_i;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t guid[5];

		for (unsigned k = 0; k < 5; k++)
			guid[k] =
				b.f->node[rng_below(&b.rng, b.f->nnodes)].guid;
		sim_at(b.sim, sim_now(b.sim), bad_day, &b);
		b.may_fail = true;
		if (i == 0 || rng_below(&b.rng, 3) == 0)
			run(&b, SWEEP_FULL, NULL, 0);
		else
			run(&b, SWEEP_PROBE, guid, 5);
		if (b.d->self != DRAFT_NONE)
			topo_unref(freeze(&b));
	}
	sim_run_until(b.sim, mono_add(sim_now(b.sim), mono_ms(200)));
	mend(&b);
	(void)draft_oddities(b.d, &text);
	buf_free(&text);
	sim_run_until(b.sim, mono_add(sim_now(b.sim), mono_ms(10)));
	run(&b, SWEEP_FULL, NULL, 0);
	run(&b, SWEEP_FULL, NULL, 0);
	(void)draft_oddities(b.d, &text);
	t = freeze(&b);
	compare(&b, t);
	for (node_ix i = 0; i < t->nnodes; i++)
		ck_assert_uint_eq(
			t->node[i].flags &
				(TN_QUARANTINED | TN_DUPLICATE | TN_PARTIAL),
			0);
	buf_free(&text);
	topo_unref(t);
	bench_end(&b);
}
END_TEST

/* Our own port answers nothing. */
START_TEST(deaf)
{
	struct sim_behaviour hung = {.hung = true};
	struct bench b;
	struct sweep *s;

	bench_start(&b, tree(2, 2, 1, 2));
	sim_fault_behave(b.sim, fabric_first_host(b.f), &hung);
	s = sweep_new(SWEEP_FULL, b.d, b.x, 0, NULL, 0);
	sweep_feed(s, sim_now(b.sim));
	while (!sweep_done(s)) {
		struct mono t = mono_min(sim_next(b.sim), xact_next(b.x));

		sim_run_until(b.sim, t);
		xact_tick(b.x, t);
		sweep_feed(s, t);
	}
	ck_assert_ptr_nonnull(sweep_failed(s));
	sweep_free(s);
	bench_end(&b);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sweep");
	TCase *tc = tcase_create("sweep");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 20);
	tcase_add_loop_test(tc, full, 0, 12);
	tcase_add_loop_test(tc, full_again, 0, 12);
	tcase_add_test(tc, names_and_light);
	tcase_add_loop_test(tc, lossy, 0, 18);
	tcase_add_test(tc, hung_switch);
	tcase_add_loop_test(tc, vanishing, 0, 40);
	tcase_add_test(tc, partial);
	tcase_add_loop_test(tc, duplicates, 0, 3);
	tcase_add_loop_test(tc, crossed, 0, 36);
	tcase_add_test(tc, probe_link);
	tcase_add_test(tc, probe_host);
	tcase_add_test(tc, probe_reboot);
	tcase_add_test(tc, probe_leaf);
	tcase_add_loop_test(tc, probe_rounds, 0, 12);
	tcase_add_loop_test(tc, chaos, 0, 60);
	tcase_add_test(tc, deaf);
	suite_add_tcase(s, tc);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
