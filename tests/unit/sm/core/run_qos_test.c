/*
 * QoS levels through the whole daemon: the switches hold what is configured,
 * nothing is sent without need, old and new levels are in use together without
 * a cycle, a shortage is reported.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "routing/driver/registry.h"
#include "sm/base/rng.h"
#include "sm/view/view_slvl.h"
#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/topo/shape.h"
#include "tests/unit/refusal.h"
#include "tests/unit/suite.h"

enum { SEED = 5, ROUNDS = 12 };

static const char three[] = "qos:\n"
			    "  levels:\n"
			    "    gold: {weight: 8, sl: 3}\n"
			    "    ctl: {priority: high, weight_at: {hosts: 2}}\n"
			    "  rules:\n"
			    "    iser: {level: gold, services: [iser]}\n"
			    "    ctl: {level: ctl, classes: [7]}\n";

static struct fabric *
two_tier_tree(void)
{
	return shape_of("two:2:4:3");
}

static struct world *
start_settled(
	const struct fabric *f, const struct sim_options *o, const char *yaml)
{
	struct sim_options usual = sim_defaults();
	struct world *w = world_new(f, o != NULL ? o : &usual, yaml);

	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
	return w;
}

static void
configure_settled(struct world *w, const char *yaml)
{
	struct diag_list d;
	struct config *c =
		config_parse("t", yaml, strlen(yaml), registry_modules(), &d);

	ck_assert_msg(c != NULL, "%s", d.n > 0 ? d.item[0].message : "?");
	diag_free(&d);
	world_take_config(w, c);
	config_unref(c);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
}

/* For a check of the order when every SL of the view may be in use. */
static uint16_t
all_sls(void *cookie, uint16_t from, uint16_t to)
{
	const struct qos *q = cookie;
	uint16_t sls = 0;

	(void)from;
	(void)to;
	for (unsigned i = 0; i < q->want.levels.n; i++)
		for (unsigned k = 0; k < q->want.levels.layers; k++)
			sls |= (uint16_t)(1U << q->want.levels.sl[i][k]);
	return sls;
}

static void
expect_order(struct world *w, const char *when)
{
	const struct referee_sls sls = {sm_view(w->sm)->qos, all_sls};
	struct referee_report r;
	struct reason why;

	ck_assert_msg(referee_with_sls(w->sim, fabric_first_host(w->fabric),
			      REFEREE_ALL, &sls, &r, &why) == 0,
		"%s: %s", when, why.text);
}

/* The devices hold what the view says of every port pair and port. */
static void
expect_devices_as_viewed(struct world *w)
{
	const struct view *v = sm_view(w->sm);
	const struct topo *t = v->topo;
	unsigned rows = 0, tables = 0;
	uint8_t row[8], table[64], is[MAD_DATA];

	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_node *n = &t->node[t->port[p].node];
		bool sw = n->type == TOPO_SWITCH;
		uint32_t at =
			fabric_find(w->fabric, topo_desc(t, t->port[p].node));

		for (unsigned in = 0; in <= (sw ? n->nports : 0U); in++) {
			if (in == t->port[p].num ||
				(in > 0 && t->port[n->first_port + in].peer ==
						   TOPO_NONE) ||
				!view_slvl_sl2vl(v, t->port[p].node, in,
					t->port[p].num, row))
				continue;
			for (unsigned sl = 0; sl < 16; sl++)
				ck_assert_uint_eq(sim_vl(w->sim, at, in,
							  t->port[p].num, sl),
					row[sl / 2] >> (sl % 2 ? 0 : 4) & 15);
			rows++;
		}
		for (unsigned part = 1; part <= 4; part++) {
			if (!view_slvl_vlarb(v, p, part, table))
				continue;
			ck_assert_uint_eq(
				sim_read(w->sim, at, t->port[p].num, MAD_VLARB,
					part << 16 | t->port[p].num, is),
				0);
			ck_assert_mem_eq(table, is, 16);
			tables++;
		}
	}
	ck_assert_uint_gt(rows, 0);
	ck_assert_uint_gt(tables, 0);
	ck_assert_uint_eq(v->qos->missing, 0);
}

static uint64_t
count_sets(const struct world *w, uint16_t attr)
{
	return sim_stats(w->sim)->by[attr][MAD_SET & 7];
}

static uint64_t
count_gets(const struct world *w, uint16_t attr)
{
	return sim_stats(w->sim)->by[attr][MAD_GET & 7];
}

TEST(nothing_without_levels)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(world) struct world *w = start_settled(f, NULL, "");
	uint8_t row[8], table[64];

	ck_assert_uint_eq(
		count_sets(w, MAD_SL2VL) + count_gets(w, MAD_SL2VL), 0);
	ck_assert_uint_eq(
		count_sets(w, MAD_VLARB) + count_gets(w, MAD_VLARB), 0);
	ck_assert(!view_slvl_sl2vl(sm_view(w->sm), 0, 0, 1, row));
	ck_assert(!view_slvl_vlarb(sm_view(w->sm), 1, 1, table));
	ck_assert(!view_slvl_levels(sm_view(w->sm)));
}

static unsigned
weight_of(const uint8_t *table, unsigned vl)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 32; i++)
		sum += table[2 * i] == vl ? table[2 * i + 1] : 0;
	return sum;
}

TEST(tables_as_configured)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(world) struct world *w = start_settled(f, NULL, three);
	uint32_t leaf = fabric_find(f, "leaf1"), h = fabric_find(f, "h1");
	uint8_t is[MAD_DATA];

	expect_order(w, "bring-up");
	expect_devices_as_viewed(w);
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 0), 0);
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 3), 1); /* gold */
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 1), 2); /* ctl */
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 9), 0); /* no level's */
	ck_assert_uint_eq(sim_vl(w->sim, h, 0, 1, 3), 1);
	ck_assert_uint_eq(
		sim_read(w->sim, leaf, 0, MAD_VLARB, 1 << 16 | 4, is), 0);
	ck_assert_uint_eq(weight_of(is, 1), 8 * weight_of(is, 0));
	ck_assert_uint_eq(weight_of(is, 2), 0);
	for (unsigned vl = 3; vl < 8; vl++) /* operational, without a level */
		ck_assert_uint_eq(weight_of(is, vl), 1);
	ck_assert_uint_eq(
		sim_read(w->sim, leaf, 0, MAD_VLARB, 3 << 16 | 4, is), 0);
	ck_assert_uint_eq(is[0], 2);
	ck_assert_uint_gt(is[1], 0);
	ck_assert_uint_eq(sim_port_info(w->sim, leaf, 4)->vl_high_limit, 16);
	ck_assert_uint_eq(sim_port_info(w->sim, h, 1)->vl_high_limit, 16);
}

/* Switches that take many rows in one Set get one each, without a reading. */
LOOP_TEST(restart_writes_nothing, 0, 2)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = NULL;

	o.opt_sl2vl = _i != 0;
	w = start_settled(f, &o, three);
	/* no row is read before it is written; written rows are read back in
	 * part */
	ck_assert_uint_le(count_gets(w, MAD_SL2VL), count_sets(w, MAD_SL2VL));
	ck_assert_uint_eq(count_gets(w, MAD_VLARB), 0);
	world_kill(w);
	sim_clear_stats(w->sim);
	world_start(w);
	ck_assert(world_settle(w, mono_ms(120000)));
	ck_assert_uint_eq(count_sets(w, MAD_SL2VL), _i != 0 ? f->nswitches : 0);
	ck_assert_uint_eq(count_sets(w, MAD_VLARB), 0);
	ck_assert_uint_gt(count_gets(w, MAD_SL2VL), 0);
	expect_devices_as_viewed(w);
	/* and a change of one level's weight changes weights only */
	sim_clear_stats(w->sim);
	configure_settled(w, "qos: {levels: {gold: {weight: 9, sl: 3}, ctl: "
			     "{priority: high, weight_at: {hosts: 2}}}}\n");
	ck_assert_uint_eq(
		count_sets(w, MAD_SL2VL) + count_gets(w, MAD_SL2VL), 0);
	ck_assert_uint_gt(count_sets(w, MAD_VLARB), 0);
	ck_assert_uint_eq(count_sets(w, MAD_LFT), 0);
	expect_devices_as_viewed(w);
}

TEST(many_rows_at_once)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	struct sim_options o = sim_defaults();
	struct world *w;
	uint64_t single;

	o.opt_sl2vl = false;
	w = start_settled(f, &o, three);
	single = count_sets(w, MAD_SL2VL);
	world_free(w);
	o.opt_sl2vl = true;
	w = start_settled(f, &o, three);
	expect_devices_as_viewed(w);
	expect_order(w, "bring-up");
	/* one Set for all port pairs; base port 0 needs its own */
	ck_assert_uint_lt(count_sets(w, MAD_SL2VL), single);
	ck_assert_uint_eq(
		count_sets(w, MAD_SL2VL), 12 + 4 * (1 + 5) + 2 * (1 + 4));
	sim_clear_stats(w->sim);
	configure_settled(w, "qos: {levels: {a: {}}}\n");
	expect_devices_as_viewed(w);
	ck_assert_uint_eq(
		count_sets(w, MAD_SL2VL), 12 + 4 * (1 + 5) + 2 * (1 + 4));
	world_free(w);
}

LOOP_TEST(refusals, 0, 3)
{
	static const struct {
		uint16_t attr;
		bool many;
		unsigned missing, times; /* times: limit of Sets */
	} row[] = {{MAD_SL2VL, true, 0, 1}, {MAD_VLARB, false, 5, 10},
		{MAD_SL2VL, false, 5, 64}};
	AUTO(fabric) struct fabric *f = two_tier_tree();
	struct sim_options o = sim_defaults();
	struct refusal x = {
		NULL, fabric_find(f, "leaf2"), row[_i].attr, row[_i].many, 0};
	AUTO(world) struct world *w = NULL;
	unsigned times;

	o.opt_sl2vl = row[_i].many;
	x.w = w = world_new(f, &o, three);
	sim_set_hook(w->sim, refuse_set, &x);
	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
	ck_assert_uint_ge(x.times, 1);
	ck_assert_uint_le(x.times, row[_i].times);
	ck_assert_uint_eq(sm_view(w->sm)->qos->missing, row[_i].missing);
	times = x.times;
	sm_resweep(w->sm, sim_now(w->sim), "test");
	ck_assert(world_settle(w, mono_ms(120000)));
	ck_assert_uint_eq(x.times, times); /* asked once */
}

TEST(levels_come_and_go)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(world) struct world *w = start_settled(f, NULL, "");
	uint32_t leaf = fabric_find(f, "leaf1");

	configure_settled(w, three);
	expect_devices_as_viewed(w);
	expect_order(w, "levels came");
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 3), 1);
	configure_settled(
		w, "qos: {levels: {gold: {sl: 4}}, unknown_sl: drop}\n");
	expect_devices_as_viewed(w);
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 3), 15);
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 4), 1);
	configure_settled(w, "{}\n");
	for (unsigned sl = 0; sl < 16; sl++)
		ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, sl), 0);
	ck_assert(!view_slvl_levels(sm_view(w->sm)));
	sim_clear_stats(w->sim);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	ck_assert(world_settle(w, mono_ms(120000)));
	ck_assert_uint_eq(
		count_sets(w, MAD_SL2VL) + count_sets(w, MAD_VLARB), 0);
}

static struct view_slvl_grant
slvl_grant(const struct world *w, struct qos_ask ask)
{
	return view_slvl_grant(sm_view(w->sm), &ask, 0);
}

TEST(grants)
{
	static const char yaml[] =
		"partitions:\n"
		"  disks: {pkey: 0x10, members: {all: full}}\n"
		"qos:\n"
		"  levels:\n"
		"    gold: {sl: 3, mtu_limit: 1024, rate_limit: 10,\n"
		"      packet_lifetime: 9}\n"
		"    slow: {sl: 2}\n"
		"    ctl: {sl: 1}\n"
		"  rules:\n"
		"    one: {level: ctl, with: [h1], services: ['tcp:5-7']}\n"
		"    disks: {level: gold, partitions: [disks]}\n"
		"    some: {level: slow, among: ['h[23]']}\n";
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(world) struct world *w = start_settled(f, NULL, yaml);
	const struct topo *t = sm_view(w->sm)->topo;
	port_ix h[4];
	struct view_slvl_grant g;

	for (unsigned i = 1; i < 4; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "h%u", i);
		h[i] = topo_by_port_guid(
			t, fabric_port(f, fabric_find(f, name), 1)->guid);
	}
	g = slvl_grant(w, (struct qos_ask){h[1], h[2], 0x8010,
				  .by_service = true, .service = 0x01060006});
	ck_assert_uint_eq(g.sl, 1);
	g = slvl_grant(w, (struct qos_ask){h[2], h[1], 0x8010,
				  .by_service = true, .service = 0x01060007});
	ck_assert_uint_eq(g.sl, 1);
	g = slvl_grant(w, (struct qos_ask){h[2], h[1], 0x10, .by_service = true,
				  .service = 0x01060008});
	ck_assert_uint_eq(g.sl, 3);
	ck_assert_uint_eq(g.mtu, 3);
	ck_assert_uint_eq(g.rate, 3);
	ck_assert_uint_eq(g.life, 9);
	g = slvl_grant(
		w, (struct qos_ask){.from = h[2], .to = h[3], .pkey = 0xffff});
	ck_assert_uint_eq(g.sl, 2);
	g = slvl_grant(
		w, (struct qos_ask){.from = h[1], .to = h[3], .pkey = 0xffff});
	ck_assert_uint_eq(g.sl, 0);
	ck_assert_uint_eq(g.mtu, 0);
}

/* One host with a single VL: levels share a VL on its link only. */
TEST(shortage)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	struct sim_options o = sim_defaults();
	AUTO(world) struct world *w = world_new(f, &o, three);
	uint32_t leaf = fabric_find(f, "leaf1"), h = fabric_find(f, "h2");
	struct mad_port_info pi = *sim_port_info(w->sim, h, 1);
	struct sm_status st;
	unsigned port;
	uint32_t peer;

	pi.vl_cap = 1;
	sim_hand_port(w->sim, h, 1, &pi);
	ck_assert(fabric_peer(f, h, 1, &peer, &port) && peer == leaf);
	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
	expect_order(w, "a poor host");
	for (unsigned sl = 0; sl < 16; sl++)
		ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, port, sl), 0);
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 3), 1);
	sm_status(w->sm, &st);
	ck_assert_ptr_nonnull(strstr(st.shortage, "2 of"));
	ck_assert_ptr_nonnull(strstr(st.alarm, "fewer VLs"));
	/* with shortage: refuse, levels are everywhere or nowhere */
	configure_settled(
		w, "qos: {levels: {gold: {sl: 3}}, shortage: refuse}\n");
	ck_assert_uint_eq(sim_vl(w->sim, leaf, 1, 4, 3), 0);
	sm_status(w->sm, &st);
	ck_assert_ptr_nonnull(strstr(st.alarm, "everywhere"));
	configure_settled(w, "{}\n");
	sm_status(w->sm, &st);
	ck_assert_str_eq(st.alarm, "");
}

/* A link between switches, as the simulator has it. */
struct cable {
	uint32_t node[2];
	unsigned port[2];
};

/* The n-th uplink of a leaf. */
static struct cable
uplink_of(const struct fabric *f, const char *leaf, unsigned n)
{
	struct cable c = {.node = {fabric_find(f, leaf)}};

	for (;;) {
		c.port[0]++;
		if (fabric_peer(
			    f, c.node[0], c.port[0], &c.node[1], &c.port[1]) &&
			f->node[c.node[1]].type == FABRIC_SWITCH && n-- == 0)
			return c;
	}
}

/* Gives one end this VL capability (a code), as a new link may have it. */
static void
set_vl_cap(struct world *w, const struct cable *c, uint8_t vls)
{
	struct mad_port_info pi =
		*sim_port_info(w->sim, c->node[0], c->port[0]);

	pi.vl_cap = vls;
	sim_hand_port(w->sim, c->node[0], c->port[0], &pi);
}

/* Removes the link and plugs another one in its place. */
static void
replace_link(struct world *w, const struct cable *c, uint8_t vls)
{
	sim_fault_link(w->sim, c->node[0], c->port[0], false);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
	expect_order(w, "a cable is out");
	set_vl_cap(w, c, vls);
	sim_fault_link(w->sim, c->node[0], c->port[0], true);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
	expect_order(w, "another one is in");
}

/* Fails unless switches send SL i into that link on VL i mod vls, and on VL i
 * elsewhere. */
static void
expect_fold(const struct world *w, const struct cable *c, unsigned vls)
{
	const struct fabric *f = w->fabric;
	unsigned lanes = sm_view(w->sm)->routes->layers.n, folded = 0;

	for (uint32_t n = 0; n < f->nnodes; n++)
		for (unsigned out = 1; out <= f->node[n].nports; out++) {
			uint32_t peer;
			unsigned in;
			bool here = (n == c->node[0] && out == c->port[0]) ||
				    (n == c->node[1] && out == c->port[1]);

			if (f->node[n].type != FABRIC_SWITCH ||
				!fabric_peer(f, n, out, &peer, &in) ||
				f->node[peer].type != FABRIC_SWITCH)
				continue;
			in = out == 1 ? 2 : 1;
			folded += here;
			for (unsigned sl = 0; sl < lanes; sl++)
				ck_assert_uint_eq(
					sim_vl(w->sim, n, in, out, sl),
					here ? sl % vls : sl);
		}
	ck_assert_uint_eq(folded, 2);
}

/* A hash of all pairs' layers by switch index; the indices do not change. */
static uint64_t
hash_pair_layers(const struct world *w)
{
	const struct routes *r = sm_view(w->sm)->routes;
	uint64_t h = r->layers.n;

	for (sw_ix a = 0; a < r->topo->nsw; a++)
		for (sw_ix b = 0; b < r->topo->nsw; b++)
			h = h * 31 + routes_layer(&r->layers, a, b);
	return h;
}

static void
get_reasons(const struct world *w, char few[VIEW_SLVL_SHORT],
	char shared[VIEW_SLVL_SHORT])
{
	const struct view *v = sm_view(w->sm);

	view_slvl_why_few(v->qos->cfg, v->routes, few, VIEW_SLVL_SHORT);
	(void)view_slvl_why_shared(
		v->qos->cfg, v->routes, shared, VIEW_SLVL_SHORT);
}

/*
 * A link has fewer VLs than there are layers: they share VLs there, the link is
 * named, and no pair changes its SL, nor when links are replaced.
 */
TEST(narrow)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, "routing: {ftree: {layers: 4}}\n");
	struct cable c = uplink_of(f, "leaf2", 0), d = uplink_of(f, "leaf3", 1);
	char want[64], few[VIEW_SLVL_SHORT], shared[VIEW_SLVL_SHORT];
	uint64_t lanes;

	set_vl_cap(w, &c, 2);
	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", w->last_why);
	expect_order(w, "a narrow cable");
	ck_assert_uint_eq(sm_view(w->sm)->routes->layers.n, 4);
	lanes = hash_pair_layers(w);
	expect_fold(w, &c, 2);
	get_reasons(w, few, shared);
	ck_assert_str_eq(few, "");
	ck_assert_ptr_nonnull(
		strstr(shared, "4 layers share VLs at 2 of 16 ports between "
			       "switches: 2 have 2 VLs"));
	(void)snprintf(want, sizeof(want), "first port %u of", c.port[1]);
	ck_assert_msg(strstr(shared, want) != NULL, "%s", shared);
	ck_assert_ptr_nonnull(strstr(shared, "spine1"));
	/* a wide link instead, then one with a single VL elsewhere */
	replace_link(w, &c, 4);
	expect_fold(w, &c, 4);
	get_reasons(w, few, shared);
	ck_assert_str_eq(shared, "");
	replace_link(w, &d, 1);
	expect_fold(w, &d, 1);
	ck_assert_uint_eq(hash_pair_layers(w), lanes);
	get_reasons(w, few, shared);
	ck_assert_str_eq(few, "");
	ck_assert_ptr_nonnull(strstr(shared, "have 1 VL,"));
	configure_settled(w, "routing: {ftree: {layers: 1}}\n");
	get_reasons(w, few, shared);
	ck_assert_str_eq(shared, "");
	world_free(w);
}

/* ---- any levels, layers and links ---- */

static void
random_yaml(struct rng *r, unsigned lanes, char *out, size_t size)
{
	unsigned n = 1 + rng_below(r, 16 / lanes - 1), i;
	size_t at = (size_t)snprintf(out, size,
		"routing: {ftree: {layers: %u}}\nqos:\n  levels:\n", lanes);

	for (i = 0; i < n; i++)
		at += (size_t)snprintf(out + at, size - at,
			"    l%u: {weight: %u, priority: %s, shares_with: "
			"%s}\n",
			i, 1 + rng_below(r, 255),
			rng_below(r, 3) == 0 ? "high" : "low",
			i > 1 && rng_below(r, 2) != 0 ? "l0" : "default");
}

/*
 * At every moment of a change, with any SLs, there is no cycle. Some rows are
 * old, others new.
 */
struct moments {
	struct world *w;
	const char *when;
	unsigned seen;
};

static void
check_moment(void *cookie, const struct sim_change *c)
{
	struct moments *m = cookie;
	struct referee_report r;
	struct reason why = {""};

	if (c->what != SIM_SL2VL || m->seen++ % 7 != 0)
		return;
	(void)referee_fabric(m->w->sim, fabric_first_host(m->w->fabric),
		REFEREE_WAYS | REFEREE_CYCLES, &r, &why);
	ck_assert_msg(r.cyclic == 0 && r.holes == 0 && r.loops == 0, "%s: %s",
		m->when, why.text);
}

LOOP_TEST(random_changes, 0, ROUNDS)
{
	struct rng r = {SEED + (uint64_t)_i};
	AUTO(fabric) struct fabric *f = two_tier_tree();
	struct sim_options o = sim_defaults();
	struct moments m;
	AUTO(world) struct world *w = NULL;
	char yaml[2000], when[64];

	o.vl_cap = (uint8_t)(1 + rng_below(&r, 5));
	o.opt_sl2vl = rng_below(&r, 2) != 0;
	(void)snprintf(
		when, sizeof(when), "seed %d, vl_cap %u", SEED + _i, o.vl_cap);
	random_yaml(&r, 1U << rng_below(&r, 3), yaml, sizeof(yaml));
	w = world_new(f, &o, yaml);
	for (uint32_t i = 0; i < f->nnodes; i++)
		for (unsigned p = 1; p <= f->node[i].nports; p++) {
			struct mad_port_info pi = *sim_port_info(w->sim, i, p);

			if (rng_below(&r, 6) != 0)
				continue;
			pi.vl_cap = (uint8_t)(1 + rng_below(&r, o.vl_cap));
			sim_hand_port(w->sim, i, p, &pi);
		}
	world_start(w);
	ck_assert_msg(
		world_settle(w, mono_ms(120000)), "%s: %s", when, w->last_why);
	expect_order(w, when);
	m = (struct moments){w, when, 0};
	sim_watch(w->sim, check_moment, &m);
	for (unsigned i = 0; i < 2; i++) {
		random_yaml(&r, 1U << rng_below(&r, 3), yaml, sizeof(yaml));
		configure_settled(w, yaml);
		expect_order(w, when);
	}
	ck_assert_uint_eq(w->runs_failed, 0);
}
