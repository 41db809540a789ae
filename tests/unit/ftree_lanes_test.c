/*
 * What leaf pairs are not spread over all the lanes for: the ports to blame
 * are named, in words that are true.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "routing/engine.h"
#include "routing/ftree.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum { CAP_SL_MAPPING = 0x40, DOWN = 1 };

struct bed {
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
	char text[256];
};

/* A tree with 8 VLs on every cable. */
static struct bed
begin(void)
{
	struct gen_fattree2 p = {2, 4, 1, 2, 2};
	struct frozen_lids lids = {0};
	struct reason why = {""};
	struct fabric *f = gen_tree_two(&p, &why);
	struct bed b = {.t = frozen_topo(f, &lids), .pool = lft_pool_new()};

	fabric_free(f);
	for (port_ix i = 0; i < b.t->nports; i++) {
		b.t->port[i].vl_cap = 4;
		b.t->port[i].state = DOWN;
		b.t->port[i].capmask |= CAP_SL_MAPPING;
	}
	return b;
}

static void
route(struct bed *b, const struct engine_options *o, unsigned lanes)
{
	struct route_job job = {
		.topo = b->t, .pool = b->pool, .options = o, .threads = 1};
	struct arena *a = arena_new();
	struct reason why = {""};

	ck_assert_msg(
		engine_ftree.route(&job, false, 0, a, &b->r, &why) == ENGINE_OK,
		"refused: %s", why.text);
	arena_free(a);
	ck_assert_uint_eq(b->r->lanes.spread, lanes);
	ftree_lanes_short(b->r, o, b->text, sizeof(b->text));
}

static void
end(struct bed *b)
{
	routes_unref(b->r);
	lft_pool_free(b->pool);
	topo_unref(b->t);
}

static void
expect(const struct bed *b, const char *want)
{
	ck_assert_msg(strstr(b->text, want) != NULL, "\"%s\" is not in \"%s\"",
		want, b->text);
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
	ck_assert_str_eq(b.text, "");
	end(&b);
}
END_TEST

START_TEST(one_cable)
{
	struct engine_options o = {.lanes = 8};
	struct bed b = begin();
	port_ix p = cable(b.t, b.t->nsw - 1, 1), first = b.t->port[p].peer;
	char want[64];

	b.t->port[p].vl_cap = 2;
	route(&b, &o, 2);
	(void)snprintf(want, sizeof(want), "first port %u of 0x%016llx %s",
		b.t->port[first].num,
		(unsigned long long)b.t->node[b.t->port[first].node].guid,
		topo_desc(b.t, b.t->port[first].node));
	expect(&b, "2 of the 8 lanes asked for: 2 ports between switches have "
		   "2 VLs");
	expect(&b, want);
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
	expect(&b, "1 of the 4 lanes");
	expect(&b, "between switches cannot map SLs to VLs, first port");
	expect(&b, topo_desc(b.t, n));
	end(&b);
}
END_TEST

START_TEST(max_vls)
{
	struct engine_options o = {.lanes = 4, .max_vls = 2};
	struct bed b = begin();

	route(&b, &o, 2);
	expect(&b, "2 of the 4 lanes");
	expect(&b, "have 2 VLs");
	end(&b);
}
END_TEST

START_TEST(with_levels)
{
	struct engine_options o = {.lanes = 4, .levels = 3};
	struct engine_options many = {.lanes = 8, .levels = 3};
	struct bed b = begin();

	route(&b, &o, 2);
	expect(&b, "have 8 VLs");
	expect(&b, ", and 3 levels of service share them");
	end(&b);
	/* cables have enough, SLs are few */
	b = begin();
	for (port_ix i = 0; i < b.t->nports; i++)
		b.t->port[i].vl_cap = 5;
	route(&b, &many, 5);
	expect(&b, "5 of the 8 lanes");
	expect(&b, "there are 16 SLs, and 3 levels of service share them");
	end(&b);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ftree_lanes");
	TCase *t = tcase_create("ftree_lanes");

	tcase_add_test(t, all);
	tcase_add_test(t, one_cable);
	tcase_add_test(t, no_map);
	tcase_add_test(t, max_vls);
	tcase_add_test(t, with_levels);
	suite_add_tcase(s, t);
	return suite_run(s);
}
