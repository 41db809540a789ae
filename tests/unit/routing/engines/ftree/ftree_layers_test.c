/*
 * Layers of leaf pairs: how many there are, which links limit them, and how the
 * limit is reported, with the ports that cause it.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "routing/core/engine.h"
#include "routing/core/layer_links.h"
#include "routing/core/slvl.h"
#include "routing/driver/compute.h"
#include "routing/engines/ftree/ftree.h"
#include "routing/verify/verify.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/routing/engines/ftree/layers_asked.h"
#include "tests/unit/routing/layers_fixture.h"
#include "tests/unit/suite.h"

enum { CAP_SL_MAPPING = 0x40, DOWN = 1, SEEDS = 24, STEPS = 6 };

struct bed {
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
	char text[256];	  /* why there are fewer layers than configured */
	char shared[256]; /* where layers share VLs */
};

/* A tree with 8 VLs on every link. */
static struct topo *
two_tier_topo(const struct gen_fattree2 *p)
{
	struct frozen_lids lids = {0};
	struct reason why = {""};
	struct fabric *f = gen_tree_two(p, &why);
	struct topo *t = frozen_topo(f, &lids);

	fabric_free(f);
	for (port_ix i = 0; i < t->nports; i++) {
		t->port[i].vl_cap = 4;
		t->port[i].state = DOWN;
		t->port[i].capmask |= CAP_SL_MAPPING;
	}
	return t;
}

static struct bed
begin_bed(void)
{
	struct gen_fattree2 p = {2, 4, 1, 2, 2};

	return (struct bed){.t = two_tier_topo(&p), .pool = lft_pool_new()};
}

/* Verified routes by ftree; the bed's routes are the previous ones. */
static void
route_ftree(struct bed *b, const struct engine_options *o, unsigned lanes)
{
	static const char *const engines[] = {"ftree"};
	struct route_job job = {.topo = b->t,
		.pool = b->pool,
		.prev = b->r,
		.options = o,
		.threads = 1,
		.load_limit = 1250};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engines, 1, &story, &why);

	ck_assert_msg(r != NULL && strcmp(r->engine, "ftree") == 0,
		"refused: %s %s", why.text, story.tried);
	routes_unref(b->r);
	b->r = r;
	ck_assert_uint_eq(r->layers.n, lanes);
	ck_assert(r->layers.plain);
	ftree_layers_short(r, o, b->text, sizeof(b->text));
	ck_assert_int_eq(
		ftree_layers_shared(r, o, b->shared, sizeof(b->shared)) == 0,
		b->shared[0] == '\0');
}

static void
end_bed(struct bed *b)
{
	routes_unref(b->r);
	lft_pool_free(b->pool);
	topo_unref(b->t);
}
AUTO_VALUE(bed, struct bed, end_bed)

static void
expect_text(const char *text, const char *want)
{
	ck_assert_msg(strstr(text, want) != NULL, "\"%s\" is not in \"%s\"",
		want, text);
}

static void
expect_no_text(const char *text)
{
	ck_assert_str_eq(text, "");
}

/* Out-port i of switch s to another switch. */
static port_ix
switch_out_port(const struct topo *t, sw_ix s, unsigned i)
{
	return topo_port_of(t, t->sw[s].node, t->adj[t->sw[s].adj + i].out);
}

TEST(all_layers)
{
	struct engine_options o = with_layers(8);
	AUTO(bed) struct bed b = begin_bed();

	/* the link of a host limits nothing */
	b.t->port[b.t->sm_port].vl_cap = 1;
	route_ftree(&b, &o, 8);
	expect_no_text(b.text);
	expect_no_text(b.shared);
}

/* One narrow link: no layer is lost, and the link is named. */
TEST(one_cable)
{
	struct engine_options o = with_layers(8);
	AUTO(bed) struct bed b = begin_bed();
	port_ix p = switch_out_port(b.t, b.t->nsw - 1, 1),
		first = b.t->port[p].peer;
	char want[64];

	b.t->port[p].vl_cap = 2;
	route_ftree(&b, &o, 8);
	(void)snprintf(want, sizeof(want), "first port %u of 0x%016llx %s",
		b.t->port[first].num,
		(unsigned long long)b.t->node[b.t->port[first].node].guid,
		topo_desc(b.t, b.t->port[first].node));
	expect_no_text(b.text);
	expect_text(b.shared,
		"8 layers share VLs at 2 of 16 ports between switches: "
		"2 have 2 VLs, ");
	expect_text(b.shared, want);
}

/* A switch with a single VL maps nothing, and need not. */
TEST(old_switch)
{
	struct engine_options o = with_layers(4);
	AUTO(bed) struct bed b = begin_bed();
	const struct topo_node *n = &b.t->node[b.t->sw[0].node];

	for (unsigned i = 0; i <= n->nports; i++) {
		b.t->port[n->first_port + i].vl_cap = 1;
		b.t->port[n->first_port + i].capmask = 0;
	}
	route_ftree(&b, &o, 4);
	expect_no_text(b.text);
	expect_text(b.shared, "have 1 VL, first port");
}

TEST(no_map)
{
	struct engine_options o = with_layers(4);
	AUTO(bed) struct bed b = begin_bed();
	node_ix n = b.t->sw[0].node;

	b.t->port[b.t->node[n].first_port].capmask &= ~(uint32_t)CAP_SL_MAPPING;
	route_ftree(&b, &o, 1);
	expect_text(b.text, "1 of the 4 layers");
	expect_text(
		b.text, "between switches cannot map SLs to VLs, first port");
	expect_text(b.text, topo_desc(b.t, n));
	expect_no_text(b.shared);
}

static void
set_vls(struct topo *t, port_ix p, uint8_t code)
{
	t->port[p].vl_cap = t->port[t->port[p].peer].vl_cap = code;
}

/* As many layers as the widest link has VLs. */
TEST(widest)
{
	struct engine_options o = with_layers(4);
	AUTO(bed) struct bed b = begin_bed();
	port_ix p = switch_out_port(b.t, 0, 0);

	for (port_ix i = 0; i < b.t->nports; i++)
		b.t->port[i].vl_cap = 1;
	route_ftree(&b, &o, 1);
	expect_text(b.text, "no port between switches has more than 1 VL");
	set_vls(b.t, p, 2);
	route_ftree(&b, &o, 2);
	expect_text(b.text, "no port between switches has more than 2 VLs");
	expect_text(b.shared, "2 layers share VLs at 14 of 16 ports");
	set_vls(b.t, p, 4);
	route_ftree(&b, &o, 4);
	expect_no_text(b.text);
	expect_text(b.shared, "at 14 of 16 ports");
}

TEST(max_vls)
{
	struct engine_options o = with_layers(4);
	AUTO(bed) struct bed b = begin_bed();

	o.max_vls = 2;
	route_ftree(&b, &o, 2);
	expect_text(b.text, "2 of the 4 layers");
	expect_text(b.text, "no link may have more than 2 VLs");
	expect_no_text(b.shared);
}

TEST(with_levels)
{
	struct engine_options o = with_layers(4), many = with_layers(8);
	struct bed b = begin_bed();

	o.levels = many.levels = 3;
	b.t->port[switch_out_port(b.t, 0, 0)].vl_cap = 3;
	route_ftree(&b, &o, 2);
	expect_text(b.text, "2 of the 4 layers");
	expect_text(b.text, "has more than 8 VLs, which 3 QoS levels share");
	expect_text(b.shared, "2 layers share VLs at 2 of 16 ports");
	expect_text(b.shared, "have 4 VLs");
	expect_text(b.shared, ", which 3 QoS levels share");
	end_bed(&b);
	/* links have enough VLs, SLs are few */
	b = begin_bed();
	for (port_ix i = 0; i < b.t->nports; i++)
		b.t->port[i].vl_cap = 5;
	route_ftree(&b, &many, 5);
	expect_text(b.text, "5 of the 8 layers");
	expect_text(b.text, "there are 16 SLs, which 3 QoS levels share");
	expect_no_text(b.shared);
	end_bed(&b);
}

/* ---- links that change ---- */

static void
row_of(const struct topo *t, const struct routes *r, port_ix p,
	uint8_t row[SLVL_ROW])
{
	static const struct slvl_want none = {0};
	struct slvl l;

	slvl_allocate(&none, r->layers.n, r->layers.plain, &l);
	slvl_row(&l,
		(struct slvl_hop){slvl_link(t, p, 0), .end = slvl_end(t, p)},
		row);
}

/* Fails unless all entries and the layers of all pairs are equal. */
static void
same_routes(const struct routes *a, const struct routes *b, int seed)
{
	ck_assert_uint_eq(a->nblocks, b->nblocks);
	for (sw_ix s = 0; s < a->topo->nsw; s++) {
		for (uint32_t k = 0; k < a->nblocks; k++)
			ck_assert_msg(
				memcmp(routes_block(a, s, k),
					routes_block(b, s, k), LFT_BLOCK) == 0,
				"seed %d: entries", seed);
		for (sw_ix d = 0; d < a->topo->nsw; d++)
			ck_assert_msg(routes_layer(&a->layers, s, d) ==
					      routes_layer(&b->layers, s, d),
				"seed %d: a pair's lane", seed);
	}
}

/* Fails unless only the rows into this link differ, and fold the layers as they
 * should there. */
static void
other_rows(const struct bed *was, const struct bed *is, port_ix p, int seed)
{
	uint8_t x[SLVL_ROW], y[SLVL_ROW];
	unsigned vls = slvl_link(is->t, p, 0);

	for (port_ix i = 0; i < is->t->nports; i++) {
		row_of(was->t, was->r, i, x);
		row_of(is->t, is->r, i, y);
		ck_assert_msg(i == p || i == is->t->port[p].peer ||
				      memcmp(x, y, sizeof(x)) == 0,
			"seed %d: rows to port %u", seed, i);
	}
	row_of(is->t, is->r, p, y);
	for (unsigned sl = 0; sl < is->r->layers.n; sl++)
		ck_assert_uint_eq(y[sl / 2] >> (sl % 2 ? 0 : 4) & 15, sl % vls);
}

static bool
widest_is(const struct topo *t, unsigned lanes)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned i = 0; i < t->sw[s].nadj; i++)
			if (slvl_link(t, switch_out_port(t, s, i), 0) >= lanes)
				return true;
	return false;
}

/*
 * A link between switches gets another number of VLs: the rows of its two ends
 * follow, and nothing else does, whether routes are computed afresh or from
 * those in force.
 */
LOOP_TEST(rows_alone, 0, SEEDS)
{
	struct rng r = {(uint64_t)_i};
	struct gen_fattree2 p = {2 + rng_below(&r, 3), 2 + rng_below(&r, 5),
		1 + rng_below(&r, 2), 1 + rng_below(&r, 3),
		1 + rng_below(&r, 3)};
	unsigned n = 2 + rng_below(&r, 7);
	struct engine_options o = with_layers(n);
	struct bed was = {.t = two_tier_topo(&p), .pool = lft_pool_new()};

	route_ftree(&was, &o, n);
	for (unsigned i = 0; i < STEPS; i++) {
		struct bed is = {.t = two_tier_topo(&p), .pool = was.pool};
		sw_ix s = rng_below(&r, is.t->nsw);
		port_ix at = switch_out_port(
			is.t, s, rng_below(&r, is.t->sw[s].nadj));

		for (port_ix k = 0; k < is.t->nports; k++)
			is.t->port[k].vl_cap = was.t->port[k].vl_cap;
		is.t->port[at].vl_cap = (uint8_t)(1 + rng_below(&r, 4));
		if (!widest_is(is.t, n))
			is.t->port[at].vl_cap = 4;
		if (rng_below(&r, 2) > 0)
			is.r = routes_ref(was.r);
		route_ftree(&is, &o, n);
		expect_no_text(is.text);
		same_routes(was.r, is.r, _i);
		other_rows(&was, &is, at, _i);
		routes_unref(was.r);
		topo_unref(was.t);
		was = is;
	}
	end_bed(&was);
}

/* ---- layers that are needed ---- */

/* A ring of four, clockwise but for the third: two layers break the cycle. */
static struct topo *
ring_of_four(struct hand_tables *tables)
{
	struct hand h = {0};
	struct topo *t;

	for (unsigned i = 0; i < 4; i++)
		(void)hand_node(&h, TOPO_SWITCH, 3, "");
	for (unsigned i = 0; i < 4; i++) {
		hand_link(&h, i, 1, hand_node(&h, TOPO_CA, 1, ""), 1);
		hand_link(&h, i, 2, (i + 1) % 4, 3);
	}
	t = hand_topo(&h);
	hand_lids(t);
	for (port_ix i = 0; i < t->nports; i++) {
		t->port[i].vl_cap = 3;
		t->port[i].capmask |= CAP_SL_MAPPING;
	}
	hand_tables_new(tables, t);
	for (sw_ix s = 0; s < 4; s++)
		for (uint32_t lid = 1; lid <= 8; lid++) {
			unsigned far = (lid - 1 + 4 - s) % 4;

			*hand_entry(tables, s, lid) = (uint8_t)(far == 3   ? 3
								: far > 0  ? 2
								: lid <= 4 ? 1
									   : 0);
		}
	return t;
}

/*
 * Layers with a cyclic union: each is free of deadlock on a VL of its own, but
 * not on a shared one. So the verifier reports that they are not plain, and a
 * link with fewer VLs than layers is refused.
 */
TEST(needed)
{
	AUTO(hand_tables) struct hand_tables h;
	AUTO(hand) struct topo *t = ring_of_four(&h);
	struct routes r = {
		.topo = t, .engine = "", .layers = {.n = 2, .nsw = t->nsw}};
	struct verify_tables in = {.topo = t, .nblocks = h.nblocks};
	struct verify_report report;
	struct reason why = {""};

	hand_tables_pack(&h);
	layers_put(&r.layers, 2, 0, 1);
	in.pool = &h.pool;
	in.row = h.row;
	in.layers = &r.layers;
	ck_assert_msg(verify_tables(&in, &report, &why) == 0, "%s", why.text);
	ck_assert(!report.plain);
	ck_assert_int_eq(layer_links_fit(&r, NULL, &why), 0);
	t->port[switch_out_port(t, 2, 0)].vl_cap = 1;
	ck_assert_int_eq(layer_links_fit(&r, NULL, &why), -1);
	expect_text(why.text,
		"2 layers need a VL each to have no cycle: 2 ports "
		"between switches have 1 VL, first port");
	r.layers.plain = true;
	ck_assert_int_eq(layer_links_fit(&r, NULL, &why), 0);
	/* layers that fold to one VL there are a cycle */
	in.layers = NULL;
	ck_assert_int_eq(verify_tables(&in, &report, &why), -1);
	expect_text(why.text, "credit loop of 4 links");
	/* layers that are not alike both ways */
	in.layers = &r.layers;
	layers_put_one_way(&r.layers, 2, 0, 0);
	ck_assert_int_eq(verify_tables(&in, &report, &why), -1);
	ck_assert_uint_eq(report.asymmetric, 1);
	ck_assert_ptr_nonnull(strstr(why.text, "travel in layer"));
	r.layers.n = 17;
	ck_assert_int_eq(verify_tables(&in, &report, &why), -1);
	ck_assert_str_eq(why.text, "17 layers are more than there are SLs");
	route_layers_free(&r.layers);
	hand_tables_unpack(&h);
}
