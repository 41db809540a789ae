/*
 * What the up/down engines keep with their routes: printed and parsed it is
 * the same, and what no engine wrote is refused.
 */
#include <check.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "routing/updown/updown_state.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engines/ftree/layers_asked.h"
#include "tests/unit/suite.h"

/* A fabric and its routes. */
struct rig {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
};

static void
rig_open(struct rig *g, struct fabric *f, const struct engine_options *options)
{
	struct reason why = {""};
	AUTO(arena) struct arena *a = arena_new();
	struct route_job job;

	*g = (struct rig){.f = f, .pool = lft_pool_new()};
	g->t = frozen_topo(g->f, NULL);
	job = (struct route_job){
		.topo = g->t, .pool = g->pool, .options = options};
	ck_assert_int_eq(engine_ftree.route(&job, false, 0, a, &g->r, &why), 0);
}

/* A tree of three tops. */
static struct fabric *
make_tree(void)
{
	struct fabric *f = shape_of("two:3:6:2:1");

	return f;
}

static void
rig_close(struct rig *g)
{
	routes_unref(g->r);
	topo_unref(g->t);
	lft_pool_free(g->pool);
	fabric_free(g->f);
}
AUTO_VALUE(rig, struct rig, rig_close)

TEST(printed_and_parsed)
{
	const struct engine_options o = with_layers(4);
	AUTO(rig) struct rig g;
	AUTO(buf) struct buf text = {0}, again = {0};
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, make_tree(), &o);
	ck_assert_uint_ne(updown_state_sftree_root(g.r), TOPO_NONE);
	registry_remember_state(g.r,
		"nue layers 1 1\n"
		"ftree turn 0x1\n"
		"ftreeish turn 0x2\n",
		&text);
	ck_assert_int_eq(strncmp(text.text,
				 "nue layers 1 1\n"
				 "ftreeish turn 0x2\n"
				 "ftree turn 0x",
				 46),
		0);
	r = routes_new(g.t, g.pool);
	ck_assert_int_eq(registry_parse_state(r, "ftree", text.text, &why), 0);
	ck_assert_uint_eq(
		updown_state_sftree_root(r), updown_state_sftree_root(g.r));
	ck_assert_mem_eq(updown_state_of(r)->leaf_number,
		updown_state_of(g.r)->leaf_number, g.t->nsw * 2);
	ck_assert(!updown_state_of(r)->extra_known);
	r->engine = "ftree";
	registry_remember_state(r, text.text, &again);
	ck_assert_str_eq(again.text, text.text);
}

/* Two trees that links between leaves join: parts of the order, too. */
TEST(several_trees)
{
	AUTO(rig) struct rig g;
	AUTO(buf) struct buf text = {0}, again = {0};
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, shape_of("planes:2:4:2:2:1"), NULL);
	ck_assert_ptr_nonnull(g.r->part);
	registry_print_state(g.r, &text);
	r = routes_new(g.t, g.pool);
	ck_assert_int_eq(registry_parse_state(r, "ftree", text.text, &why), 0);
	ck_assert_mem_eq(
		updown_state_of(r)->tree, updown_state_of(g.r)->tree, g.t->nsw);
	ck_assert_mem_eq(r->part, g.r->part, g.t->nsw);
	r->engine = "ftree";
	registry_print_state(r, &again);
	ck_assert_str_eq(again.text, text.text);
	ck_assert_ptr_nonnull(strstr(text.text, " 1 leaf\n"));
}

/* Routes without a state leave the lines that are known; lines of an engine
 * that does not exist are not looked at. */
TEST(of_others)
{
	AUTO(rig) struct rig g;
	AUTO(buf) struct buf text = {0};
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, make_tree(), NULL);
	r = routes_new(g.t, g.pool);
	r->engine = "ftree";
	registry_remember_state(r, "ftree turn 0x1\n", &text);
	ck_assert_str_eq(text.text, "ftree turn 0x1\n");
	ck_assert_int_eq(registry_parse_state(r, "gone", "gone x\n", NULL), 0);
	ck_assert_int_eq(registry_parse_state(r, NULL, "gone x\n", NULL), 0);
	ck_assert_ptr_null(updown_state_of(r));
	ck_assert_int_eq(registry_parse_state(r, "updn", NULL, NULL), 0);
	ck_assert_uint_eq(updown_state_sftree_root(r), TOPO_NONE);
}

static const char *const bad[] = {"ftree turn", "ftree turn ",
	"ftree turn 0x1 1", "ftree turn leaf1", "ftree layers 4",
	"ftree number 0x1", "ftree number 0x1 65535", "ftree number 0x1 -1",
	"ftree number 0x1 1 1", "ftree plane 0x1", "ftree plane 0x1 8",
	"ftree plane 0x1 1 root", "ftree plane 0x1 1 leaf apex"};

LOOP_TEST(refused, 0, LEN(bad))
{
	AUTO(rig) struct rig g;
	AUTO(buf) struct buf text = {0};
	struct reason why = {""};
	AUTO(routes) struct routes *r = NULL;

	rig_open(&g, make_tree(), NULL);
	buf_printf(&text, "ftree turn 0x1\nupdn x\n%s\ndor x\n", bad[_i]);
	r = routes_new(g.t, g.pool);
	ck_assert_int_eq(registry_parse_state(r, "ftree", text.text, &why), -1);
	ck_assert_str_eq(why.text, bad[_i]);
	ck_assert_ptr_null(updown_state_of(r));
}
