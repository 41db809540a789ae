/* Plans: tables as text, failures by name, impact and single points. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/text/fts.h"
#include "routing/tiers/tree.h"
#include "sm/base/mem.h"
#include "sm/view/cut_points.h"
#include "sm/what_if/failure.h"
#include "sm/what_if/forecast.h"
#include "sm/what_if/plan_json.h"
#include "sm/what_if/routes_diff.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

struct scene {
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
};

static struct routes *
compute_checked(
	struct topo *t, struct lft_pool *pool, const struct routes *prev)
{
	const struct route_job job = {
		.topo = t, .pool = pool, .prev = prev, .load_limit = 1250};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, NULL, 0, &story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	return r;
}

/* Two spines, four leaves, two hosts at each. */
static void
scene_new(struct scene *s)
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:4:2");

	s->t = frozen_topo(f, NULL);
	s->pool = lft_pool_new();
	s->r = compute_checked(s->t, s->pool, NULL);
}

static void
scene_free(struct scene *s)
{
	routes_unref(s->r);
	topo_unref(s->t);
	lft_pool_free(s->pool);
}
AUTO_VALUE(scene, struct scene, scene_free)

static struct topo *
topo_without(const struct scene *s, const char *what)
{
	struct failure f;
	struct reason why = {""};
	struct builder_components less;
	struct topo *bare, *t;
	AUTO(mem) uint16_t *lid = NULL;
	AUTO(mem) uint8_t *lmc = NULL;

	ck_assert_msg(failure_find(s->t, what, &f, &why) == 0, "%s", why.text);
	ck_assert_msg(
		failure_apply(s->t, &f, 1, &less, &why) == 0, "%s", why.text);
	bare = less.topo[0];
	lid = calloc(bare->nports, sizeof(*lid));
	lmc = calloc(bare->nports, sizeof(*lmc));
	for (port_ix p = 0; p < bare->nports; p++)
		lid[p] = bare->port[p].found_lid;
	t = topo_with_lids(bare, &(struct topo_lids){lid, lmc});
	builder_components_free(&less);
	return t;
}

/* A drained spine stays, and the leaves have no route over it. */
TEST(drained)
{
	AUTO(scene) struct scene s;
	struct failure f;
	struct reason why = {""};
	struct builder_components less;
	struct cut_points c;
	const struct topo *t;
	node_ix n;

	scene_new(&s);
	ck_assert_int_eq(failure_find(s.t, "spine1", &f, &why), 0);
	f.drained = true;
	ck_assert_int_eq(failure_apply(s.t, &f, 1, &less, &why), 0);
	ck_assert_uint_eq(less.n, 1);
	t = less.topo[0];
	ck_assert_uint_eq(t->nnodes, s.t->nnodes);
	n = topo_by_node_guid(t, s.t->node[f.node].guid);
	ck_assert_uint_eq(t->sw[t->node[n].sw].nadj, 1);
	/* as if it were gone: the link that it keeps is no single point */
	cut_points_find_in_use(t, &c);
	ck_assert_uint_eq(c.nlinks, 4);
	ck_assert_uint_eq(c.nsw, 1);
	ck_assert_str_eq(topo_desc(t, t->sw[c.sw[0]].node), "spine2");
	cut_points_free(&c);
	builder_components_free(&less);
}

/* Printed tables are read back: the same tables, the same owners. */
TEST(fts_round)
{
	AUTO(scene) struct scene s;
	AUTO(buf) struct buf out = {0};
	struct reason why = {""};
	struct verify_tables in;
	struct fts_misfit misfit;
	struct routes *r;
	struct fts *f;

	scene_new(&s);
	in = (struct verify_tables){
		s.t, s.pool, s.r->row, s.r->nblocks, NULL, NULL};
	fts_print(&in, &out);
	f = fts_parse(out.text, out.n, "x", &why);
	ck_assert_msg(f != NULL, "%s", why.text);
	ck_assert_uint_eq(f->ntables, 6);
	ck_assert_uint_eq(f->nowners, 14);
	r = fts_routes(f, s.t, s.pool, &misfit);
	ck_assert_uint_eq(misfit.missing + misfit.strange + misfit.moved, 0);
	for (sw_ix i = 0; i < s.t->nsw; i++)
		for (uint16_t lid = 0; lid <= s.t->max_lid; lid++)
			ck_assert_uint_eq(routes_port(r, i, lid),
				routes_port(s.r, i, lid));
	routes_unref(r);
	fts_free(f);
}

/* Of several LIDs of a port the first one tells the owner. */
TEST(fts_lmc)
{
	AUTO(scene) struct scene s;
	AUTO(buf) struct buf out = {0};
	struct verify_tables in;
	struct routes *r;
	AUTO(topo) struct topo *t = NULL;
	uint16_t *lid, next = 2;
	AUTO(mem) uint8_t *lmc = NULL, *row = NULL;

	scene_new(&s);
	lid = mem_zalloc(s.t->nports, sizeof(*lid));
	lmc = mem_zalloc(s.t->nports, sizeof(*lmc));
	for (port_ix p = 0; p < s.t->nports; p++) {
		if (s.t->port[p].lid == 0)
			continue;
		lid[p] = next;
		lmc[p] = 1;
		next = (uint16_t)(next + 2);
	}
	t = topo_with_lids(s.t, &(struct topo_lids){lid, lmc});
	r = routes_new(t, s.pool);
	row = mem_alloc((size_t)r->nblocks * LFT_BLOCK);
	memset(row, LFT_DROP, (size_t)r->nblocks * LFT_BLOCK);
	row[2] = row[3] = row[5] = 1; /* LID 4 is missing */
	routes_put_row(r, 0, row, NULL, TOPO_NONE);
	in = (struct verify_tables){t, s.pool, r->row, r->nblocks, NULL, NULL};
	fts_print(&in, &out);
	ck_assert_msg(strstr(out.text, "0x0002 001 : (Channel") != NULL &&
			      strstr(out.text, "0x0003 001 : (path #2 out of "
					       "2: portguid 0x") != NULL &&
			      strstr(out.text, "0x0005 001 : (Switch") != NULL,
		"%s", out.text);
	routes_unref(r);
	free(lid);
}

/* Tables of another fabric are recognised. */
TEST(fts_misfits)
{
	static const char text[] =
		"Unicast lids guid 0x5 (a):\n"
		"0x0001 001 : (Channel Adapter portguid 0x%llx: 'h')\n";
	struct fts_misfit misfit;
	struct reason why = {""};
	AUTO(buf) struct buf b = {0};
	AUTO(scene) struct scene s;
	struct fts *f;

	scene_new(&s);
	buf_printf(&b, text,
		(unsigned long long)s.t->port[topo_by_lid(s.t, 2, NULL)].guid);
	f = fts_parse(b.text, b.n, "x", &why);
	ck_assert_msg(f != NULL, "%s", why.text);
	routes_unref(fts_routes(f, s.t, s.pool, &misfit));
	ck_assert_uint_eq(misfit.missing, s.t->nsw);
	ck_assert_uint_eq(misfit.strange, 1);
	ck_assert_uint_eq(misfit.moved, 1);
	fts_free(f);
}

/* LIDs that the first switch does not reach are known from the others. */
TEST(fts_owners)
{
	static const char text[] =
		"Unicast lids guid 0x5 (a):\n"
		"0x0001 001 : (Channel Adapter portguid 0x11: 'h1')\n"
		"Unicast lids guid 0x6 (b):\n"
		"0x0001 002 : (Channel Adapter portguid 0x11: 'h1')\n"
		"0x0002 001 : (Channel Adapter portguid 0x12: 'h2')\n";
	struct reason why = {""};
	struct fts *f = fts_parse(text, sizeof(text) - 1, "x", &why);

	ck_assert_msg(f != NULL, "%s", why.text);
	ck_assert_uint_eq(f->nowners, 2);
	ck_assert_uint_eq(f->owner[1].port_guid, 0x12);
	ck_assert_uint_eq(f->owner[1].lid, 2);
	fts_free(f);
}

static const struct {
	const char *text, *says;
} bad_fts[] = {
	{"", "x: contains no table"},
	{"hello\n", "x:1:1: expected \"Unicast"},
	{"0x0001 001\n", "x:1:1: an entry before any switch"},
	{"Unicast lids [0x0-0x1]\n", "x:1:1: expected the switch's GUID"},
	{"Unicast lids guid 0x5 (a):\n0xffff 001\n", "x:2:3: expected a unic"},
	{"Unicast lids guid 0x5 (a):\n0x0001:1\n", "x:2:7: expected a blank"},
	{"Unicast lids guid 0x5 (a):\n0x0001 256\n", "x:2:8: expected a port"},
	{"Unicast lids guid 0x5 (a):\nUnicast lids guid 0x5 (a):\n",
		"x:2:22: this switch was listed before"},
};

LOOP_TEST(fts_bad, 0, 8)
{
	const char *text = bad_fts[_i].text;
	struct reason why = {""};

	ck_assert_ptr_null(fts_parse(text, strlen(text), "x", &why));
	ck_assert_msg(
		strstr(why.text, bad_fts[_i].says) == why.text, "%s", why.text);
}

/* One spine less: its entries move to the other one. */
TEST(spine_lost)
{
	AUTO(scene) struct scene s;
	struct routes_diff x;
	struct cut_points c;
	AUTO(routes) struct routes *r = NULL;
	AUTO(topo) struct topo *t = NULL;

	scene_new(&s);
	cut_points_find(s.t, NULL, &c);
	ck_assert_uint_eq(c.nlinks + c.nsw, 0);
	cut_points_free(&c);
	t = topo_without(&s, "spine1");
	ck_assert_uint_eq(t->nsw, 5);
	cut_points_find(t, NULL, &c);
	ck_assert_uint_eq(c.nlinks, 4);
	ck_assert_uint_eq(c.nsw, 1);
	ck_assert_str_eq(topo_desc(t, t->sw[c.sw[0]].node), "spine2");
	cut_points_free(&c);
	r = compute_checked(t, s.pool, s.r);
	routes_diff_of(s.r, r, &x);
	ck_assert_uint_eq(x.nlost, 1);
	ck_assert_uint_eq(x.pairs, 8 * 7);
	ck_assert_uint_eq(x.cut, 0);
	/* of 8 hosts one in two was reached over spine1, from 6 others */
	ck_assert_uint_eq(x.moved, 4 * 6);
	ck_assert_uint_gt(x.entries, 0);
	routes_diff_free(&x);
}

/* A leaf's link to a host fails: the host is lost, no other entry changes. */
TEST(host_lost)
{
	AUTO(scene) struct scene s;
	struct routes_diff x;
	AUTO(routes) struct routes *r = NULL;
	AUTO(topo) struct topo *t = NULL;

	scene_new(&s);
	t = topo_without(&s, "leaf2/1");
	r = compute_checked(t, s.pool, s.r);
	routes_diff_of(s.r, r, &x);
	ck_assert_uint_eq(x.nlost, 1);
	ck_assert_uint_eq(x.pairs, 7 * 6);
	ck_assert_uint_eq(x.moved + x.cut, 0);
	routes_diff_free(&x);
	routes_diff_of(s.r, s.r, &x);
	ck_assert_uint_eq(x.entries + x.blocks + x.moved + x.cut + x.nlost, 0);
	routes_diff_free(&x);
}

/* Tables that lead nowhere cut off the pairs that had a path. */
TEST(pairs_cut)
{
	AUTO(scene) struct scene s;
	AUTO(routes) struct routes *r = NULL;
	struct routes_diff x;
	uint8_t row[LFT_BLOCK];
	uint16_t lid;

	scene_new(&s);
	r = routes_for(s.r, s.t);
	lid = s.t->port[s.t->end[s.t->sw[0].end + 1].port].lid;
	memcpy(row, routes_block(r, 0, 0), LFT_BLOCK);
	row[lid] = LFT_DROP;
	routes_put_row(r, 0, row, NULL, TOPO_NONE);
	routes_diff_of(s.r, r, &x);
	ck_assert_uint_eq(x.entries, 1);
	ck_assert_uint_eq(x.cut, 7);
	ck_assert_uint_eq(x.moved, 0);
	routes_diff_free(&x);
}

static const struct {
	const char *what, *says;
} bad_failure[] = {
	{"nix", "no node is called 'nix'"},
	{"leaf", "'leaf' is in the name of "},
	{"leaf1/9", "'leaf1' has no port 9"},
	{"leaf1/0", "'leaf1' has no port 0"},
	{"0x77", "no port and no node has GUID"},
	{"", "the name is empty"},
};

LOOP_TEST(failure_bad, 0, 6)
{
	struct reason why = {""};
	struct failure f;
	AUTO(scene) struct scene s;

	scene_new(&s);
	ck_assert_int_eq(failure_find(s.t, bad_failure[_i].what, &f, &why), -1);
	ck_assert_msg(
		strstr(why.text, bad_failure[_i].says) != NULL, "%s", why.text);
}

static const struct {
	const char *set[2], *says;
} bad_set[] = {
	{{"routing.load_limit"}, "expected key=value"},
	{{"routing.load_limi=1"}, "did you mean 'routing.load_limit'"},
	{{"routing.load_limit=0.2"}, "out of range"},
	{{"fabric.lids.first=9", "fabric.lids.last=3"}, "is above"},
	{{"routing.engines=[warp]"}, "'warp'"},
	{{"fabric.m_key=secret"}, "fabric.m_key: "},
	{{"fabric.m_kei=secret"}, "did you mean 'fabric.m_key'"},
	{{"fabric.m_key=\"secret"}, "fabric.m_key: "},
	{{"routing.load_limit="}, "routing.load_limit: no value"},
	{{"routing.load_limit=2\nfabric: {}"}, "a value is one line"},
	{{"routing.roles.root=spine1"}, "routing.roles.root: "},
	{{"routing.multi_port.groups={0x1: 1, 0x1: 2}"},
		"routing.multi_port.groups"},
	{{"routing={engines: [ftree]}"}, "unknown key 'routing'"},
	{{"distribution.method=dynamic"}, "distribution.allow_unsafe"},
	{{"routing.roles.leaf=[a]", "routing.roles.root=[a]"},
		"another role already"},
	{{"partitions.blue.members={all: full}"}, "pkey"},
	{{"qos.levels={a: {wait: 2}}"}, "did you mean 'weight'"},
};

LOOP_TEST(settings, 0, 6)
{
	const char *const *set = bad_set[_i].set;
	const char *good[] = {"routing.load_limit=2", "fabric.lmc.hosts=1",
		"routing.roles.root=[\"top *\", 0x77]",
		"routing.multi_port.groups={0x1: 3, 0x2: 3}", "partitions={}",
		"partitions.blue={pkey: 0x9}", "partitions.blue.pkey=0x11",
		"distribution.method=dynamic",
		"distribution.allow_unsafe=true"};
	const size_t ngood = sizeof(good) / sizeof(good[0]);
	struct config *base = config_default(registry_modules()), *c;
	struct reason why = {""};
	AUTO(buf) struct buf text = {0};

	c = config_with(base, set, set[1] == NULL ? 1 : 2, &why);
	ck_assert_ptr_null(c);
	ck_assert_msg(
		strstr(why.text, bad_set[_i].says) != NULL, "%s", why.text);
	ck_assert_ptr_null(strstr(why.text, "secret"));
	c = config_with(base, good, ngood, &why);
	ck_assert_msg(c != NULL, "%s", why.text);
	ck_assert_uint_eq(c->routing.load_limit, 2000);
	ck_assert_uint_eq(c->fabric.lmc.hosts, 1);
	ck_assert_uint_eq(base->fabric.lmc.hosts, 0);
	ck_assert_str_eq(c->routing.roles.root.name[0], "top *");
	ck_assert_uint_eq(c->routing.multi_port.groups.n, 2);
	ck_assert_uint_eq(c->partitions.n, 1);
	config_print(c, &text);
	ck_assert_ptr_nonnull(strstr(text.text, "pkey: 0x0011"));
	config_unref(c);
	config_unref(base);
}

/*
 * Roles of a configuration count in a plan, and irregularities are reported: a
 * name and a GUID that no node has, two patterns of the same length.
 */
TEST(roles)
{
	const char *set[] = {"routing.engines=[ftree]",
		"routing.roles.leaf=[leaf*, nobody, no?x*]",
		"routing.roles.spine=[\"*eaf2\", 0x1234]"};
	struct frozen_lids lids = {0};
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_of("two:2:3:2");
	AUTO(topo) struct topo *t = frozen_topo(f, &lids);
	struct config *base = config_default(registry_modules());
	struct forecast_job job = {
		.cfg = config_with(base, set, 3, &why), .pool = lft_pool_new()};
	const struct tree *tree;
	struct forecast now;
	char *text;
	json_t *o;

	ck_assert_msg(job.cfg != NULL, "%s", why.text);
	forecast_route(&job, t, NULL, &now);
	ck_assert_ptr_nonnull(now.routes);
	tree = tree_kept(now.routes);
	ck_assert_uint_eq(tree->count[TREE_ROLE_UNKNOWN], 3);
	ck_assert_uint_eq(tree->count[TREE_ROLE_AMBIGUOUS], 1);
	o = plan_json_forecast(&now);
	ck_assert_int_eq(
		json_integer_value(json_object_get(
			json_array_get(
				json_object_get(
					json_object_get(o, "tree"), "tiers"),
				1),
			"configured")),
		3);
	text = json_dumps(o, 0);
	ck_assert_ptr_nonnull(strstr(text, "no?x*"));
	ck_assert_ptr_nonnull(strstr(text, "*eaf2"));
	free(text);
	json_decref(o);
	forecast_free(&now);
	config_unref((struct config *)(uintptr_t)job.cfg);
	config_unref(base);
	lft_pool_free(job.pool);
}
