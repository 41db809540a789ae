/*
 * Lanes of leaf pairs: how many there are, what cables have a say in and what
 * not, and in what words that is told, the ports to blame by name.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "routing/core/engine.h"
#include "routing/core/slvl.h"
#include "routing/driver/compute.h"
#include "routing/engines/ftree/ftree.h"
#include "routing/verify/verify.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/hand_topo.h"
#include "tests/unit/suite.h"

enum { CAP_SL_MAPPING = 0x40, DOWN = 1, SEEDS = 24, STEPS = 6 };

struct bed {
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
	char text[256];	  /* why they are fewer than asked for */
	char shared[256]; /* where they share VLs */
};

/* A tree with 8 VLs on every cable. */
static struct topo *
tree(const struct gen_fattree2 *p)
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
begin(void)
{
	struct gen_fattree2 p = {2, 4, 1, 2, 2};

	return (struct bed){.t = tree(&p), .pool = lft_pool_new()};
}

/* Routes by ftree, judged; those that there were are the previous ones. */
static void
route(struct bed *b, const struct engine_options *o, unsigned lanes)
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
	ck_assert_uint_eq(r->lanes.spread, lanes);
	ck_assert_uint_eq(r->lanes.n, lanes);
	ck_assert(r->lanes.plain);
	ftree_layers_short(r, o, b->text, sizeof(b->text));
	ck_assert_int_eq(
		ftree_layers_shared(r, o, b->shared, sizeof(b->shared)) == 0,
		b->shared[0] == '\0');
}

static void
end(struct bed *b)
{
	routes_unref(b->r);
	lft_pool_free(b->pool);
	topo_unref(b->t);
}

static void
expect(const char *text, const char *want)
{
	ck_assert_msg(strstr(text, want) != NULL, "\"%s\" is not in \"%s\"",
		want, text);
}

static void
nothing(const char *text)
{
	ck_assert_str_eq(text, "");
}

/* Out-port i of switch s to another switch. */
static port_ix
cable(const struct topo *t, sw_ix s, unsigned i)
{
	return topo_port_of(t, t->sw[s].node, t->adj[t->sw[s].adj + i].out);
}

START_TEST(all)
{
	struct engine_options o = {.lanes = 8};
	struct bed b = begin();

	/* a host's cable is nobody's concern */
	b.t->port[b.t->sm_port].vl_cap = 1;
	route(&b, &o, 8);
	nothing(b.text);
	nothing(b.shared);
	end(&b);
}
END_TEST

/* One narrow cable: nobody loses a lane, and it is named. */
START_TEST(one_cable)
{
	struct engine_options o = {.lanes = 8};
	struct bed b = begin();
	port_ix p = cable(b.t, b.t->nsw - 1, 1), first = b.t->port[p].peer;
	char want[64];

	b.t->port[p].vl_cap = 2;
	route(&b, &o, 8);
	(void)snprintf(want, sizeof(want), "first port %u of 0x%016llx %s",
		b.t->port[first].num,
		(unsigned long long)b.t->node[b.t->port[first].node].guid,
		topo_desc(b.t, b.t->port[first].node));
	nothing(b.text);
	expect(b.shared, "8 layers share VLs at 2 of 16 ports between "
			 "switches: 2 have 2 VLs, ");
	expect(b.shared, want);
	end(&b);
}
END_TEST

/* A switch of a single VL maps nothing, and needs not. */
START_TEST(old_switch)
{
	struct engine_options o = {.lanes = 4};
	struct bed b = begin();
	const struct topo_node *n = &b.t->node[b.t->sw[0].node];

	for (unsigned i = 0; i <= n->nports; i++) {
		b.t->port[n->first_port + i].vl_cap = 1;
		b.t->port[n->first_port + i].capmask = 0;
	}
	route(&b, &o, 4);
	nothing(b.text);
	expect(b.shared, "have 1 VL, first port");
	end(&b);
}
END_TEST

START_TEST(no_map)
{
	struct engine_options o = {.lanes = 4};
	struct bed b = begin();
	node_ix n = b.t->sw[0].node;

	b.t->port[b.t->node[n].first_port].capmask &= ~(uint32_t)CAP_SL_MAPPING;
	route(&b, &o, 1);
	expect(b.text, "1 of the 4 layers");
	expect(b.text, "between switches cannot map SLs to VLs, first port");
	expect(b.text, topo_desc(b.t, n));
	nothing(b.shared);
	end(&b);
}
END_TEST

static void
set_vls(struct topo *t, port_ix p, uint8_t code)
{
	t->port[p].vl_cap = t->port[t->port[p].peer].vl_cap = code;
}

/* As many as the widest cable has VLs. */
START_TEST(widest)
{
	struct engine_options o = {.lanes = 4};
	struct bed b = begin();
	port_ix p = cable(b.t, 0, 0);

	for (port_ix i = 0; i < b.t->nports; i++)
		b.t->port[i].vl_cap = 1;
	route(&b, &o, 1);
	expect(b.text, "no port between switches has more than 1 VL");
	set_vls(b.t, p, 2);
	route(&b, &o, 2);
	expect(b.text, "no port between switches has more than 2 VLs");
	expect(b.shared, "2 layers share VLs at 14 of 16 ports");
	set_vls(b.t, p, 4);
	route(&b, &o, 4);
	nothing(b.text);
	expect(b.shared, "at 14 of 16 ports");
	end(&b);
}
END_TEST

START_TEST(max_vls)
{
	struct engine_options o = {.lanes = 4, .max_vls = 2};
	struct bed b = begin();

	route(&b, &o, 2);
	expect(b.text, "2 of the 4 layers");
	expect(b.text, "no link may have more than 2 VLs");
	nothing(b.shared);
	end(&b);
}
END_TEST

START_TEST(with_levels)
{
	struct engine_options o = {.lanes = 4, .levels = 3};
	struct engine_options many = {.lanes = 8, .levels = 3};
	struct bed b = begin();

	b.t->port[cable(b.t, 0, 0)].vl_cap = 3;
	route(&b, &o, 2);
	expect(b.text, "2 of the 4 layers");
	expect(b.text, "has more than 8 VLs, which 3 QoS levels share");
	expect(b.shared, "2 layers share VLs at 2 of 16 ports");
	expect(b.shared, "have 4 VLs");
	expect(b.shared, ", which 3 QoS levels share");
	end(&b);
	/* cables have enough, SLs are few */
	b = begin();
	for (port_ix i = 0; i < b.t->nports; i++)
		b.t->port[i].vl_cap = 5;
	route(&b, &many, 5);
	expect(b.text, "5 of the 8 layers");
	expect(b.text, "there are 16 SLs, which 3 QoS levels share");
	nothing(b.shared);
	end(&b);
}
END_TEST

/* ---- cables that change ---- */

static void
row_of(const struct topo *t, const struct routes *r, port_ix p,
	uint8_t row[SLVL_ROW])
{
	static const struct slvl_want none = {0};
	struct slvl l;

	slvl_allocate(&none, r->lanes.n, r->lanes.plain, &l);
	slvl_row(&l, slvl_link(t, p, 0), slvl_end(t, p), row);
}

/* Every entry and every pair's lane of both are the same. */
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
			ck_assert_msg(routes_layer(&a->lanes, s, d) ==
					      routes_layer(&b->lanes, s, d),
				"seed %d: a pair's lane", seed);
	}
}

/* Rows are others into this cable alone, and fold as they should there. */
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
	for (unsigned sl = 0; sl < is->r->lanes.n; sl++)
		ck_assert_uint_eq(y[sl / 2] >> (sl % 2 ? 0 : 4) & 15, sl % vls);
}

static bool
widest_is(const struct topo *t, unsigned lanes)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned i = 0; i < t->sw[s].nadj; i++)
			if (slvl_link(t, cable(t, s, i), 0) >= lanes)
				return true;
	return false;
}

/*
 * A cable between switches gets other VLs: the rows of its two ends follow, and
 * nothing else does, whether routes are computed anew or from those in force.
 */
START_TEST(rows_alone)
{
	struct rng r = {(uint64_t)_i};
	struct gen_fattree2 p = {2 + rng_below(&r, 3), 2 + rng_below(&r, 5),
		1 + rng_below(&r, 2), 1 + rng_below(&r, 3),
		1 + rng_below(&r, 3)};
	struct engine_options o = {.lanes = (uint8_t)(2 + rng_below(&r, 7))};
	struct bed was = {.t = tree(&p), .pool = lft_pool_new()};

	route(&was, &o, o.lanes);
	for (unsigned i = 0; i < STEPS; i++) {
		struct bed is = {.t = tree(&p), .pool = was.pool};
		sw_ix s = rng_below(&r, is.t->nsw);
		port_ix at = cable(is.t, s, rng_below(&r, is.t->sw[s].nadj));

		for (port_ix k = 0; k < is.t->nports; k++)
			is.t->port[k].vl_cap = was.t->port[k].vl_cap;
		is.t->port[at].vl_cap = (uint8_t)(1 + rng_below(&r, 4));
		if (!widest_is(is.t, o.lanes))
			is.t->port[at].vl_cap = 4;
		if (rng_below(&r, 2) > 0)
			is.r = routes_ref(was.r);
		route(&is, &o, o.lanes);
		nothing(is.text);
		same_routes(was.r, is.r, _i);
		other_rows(&was, &is, at, _i);
		routes_unref(was.r);
		topo_unref(was.t);
		was = is;
	}
	end(&was);
}
END_TEST

/* ---- lanes that are needed ---- */

/* A ring of four, clockwise but for the third: two lanes break the cycle. */
static struct topo *
ring(struct hand_tables *tables)
{
	struct hand h = {0};
	struct topo *t;

	for (unsigned i = 0; i < 4; i++)
		(void)hand_node(&h, TOPO_SWITCH, 3, "");
	for (unsigned i = 0; i < 4; i++) {
		hand_cable(&h, i, 1, hand_node(&h, TOPO_CA, 1, ""), 1);
		hand_cable(&h, i, 2, (i + 1) % 4, 3);
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
 * Lanes whose union has a cycle: each is fine on VLs of its own, on one VL they
 * deadlock. So the judge says that they are not plain, and a cable with fewer
 * VLs than there are lanes is one too many.
 */
START_TEST(needed)
{
	struct route_layer_pair wrap[] = {{2, 0, 1}, {3, 1, 1}};
	struct hand_tables h;
	struct topo *t = ring(&h);
	struct routes r = {.topo = t,
		.engine = "",
		.lanes = {.n = 2, .spread = 1, .pair = wrap, .npairs = 2}};
	struct verify_tables in = {.topo = t, .nblocks = h.nblocks};
	struct verify_report report;
	struct reason why = {""};

	hand_tables_pack(&h);
	in.pool = &h.pool;
	in.row = h.row;
	in.lanes = &r.lanes;
	ck_assert_msg(verify_tables(&in, &report, &why) == 0, "%s", why.text);
	ck_assert(!report.plain);
	ck_assert_int_eq(ftree_layers_fit(&r, NULL, &why), 0);
	t->port[cable(t, 2, 0)].vl_cap = 1;
	ck_assert_int_eq(ftree_layers_fit(&r, NULL, &why), -1);
	expect(why.text, "2 layers need a VL each to have no cycle: 2 ports "
			 "between switches have 1 VL, first port");
	r.lanes.plain = true;
	ck_assert_int_eq(ftree_layers_fit(&r, NULL, &why), 0);
	/* what folds there is a cycle */
	in.lanes = NULL;
	ck_assert_int_eq(verify_tables(&in, &report, &why), -1);
	expect(why.text, "credit loop of 4 links");
	hand_tables_unpack(&h);
	hand_tables_free(&h);
	hand_free(t);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ftree_lanes");
	TCase *t = tcase_create("ftree_lanes");

	tcase_add_test(t, all);
	tcase_add_test(t, one_cable);
	tcase_add_test(t, old_switch);
	tcase_add_test(t, no_map);
	tcase_add_test(t, widest);
	tcase_add_test(t, max_vls);
	tcase_add_test(t, with_levels);
	tcase_add_loop_test(t, rows_alone, 0, SEEDS);
	tcase_add_test(t, needed);
	suite_add_tcase(s, t);
	return suite_run(s);
}
