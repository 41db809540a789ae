/* Pictures of the fabric: nothing overlaps, and what is drawn is what is
 * there. */
#include <string.h>

#include "sm/report/fabric_svg.h"
#include "sm/report/json_util.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/graph_fixture.h"
#include "tests/unit/suite.h"

static bool
do_overlap(const struct fabric_map_rect *a, const struct fabric_map_rect *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h &&
	       b->y < a->y + a->h;
}

static bool
is_inside(const struct fabric_map_rect *a, const struct fabric_map_rect *b)
{
	return a->x >= b->x && a->y >= b->y && a->x + a->w <= b->x + b->w &&
	       a->y + a->h <= b->y + b->h;
}

static void
expect_boxes_apart(const struct fabric_map *m)
{
	const struct fabric_map_rect all = {0, 0, m->width, m->height};

	for (uint32_t s = 0; s < m->graph->nsw; s++) {
		const struct fabric_map_rect *at = &m->box[s].at;

		ck_assert(at->w > 0 && at->h > 0);
		ck_assert(is_inside(at, &m->area[m->areas->of[s]]));
		for (uint32_t i = 0; i < s; i++)
			ck_assert(!do_overlap(at, &m->box[i].at));
	}
	for (uint32_t x = 0; x < m->areas->n; x++) {
		ck_assert(is_inside(&m->area[x], &all));
		for (uint32_t i = 0; i < x; i++)
			ck_assert(!do_overlap(&m->area[x], &m->area[i]));
	}
}

/* All links are in the map once, and lines end at what they are about. */
static void
expect_all_links(const struct fabric_map *m)
{
	uint64_t n = 0, all = 0;

	for (uint32_t i = 0; i < m->graph->nlinks; i++)
		all += m->graph->link[i].n;
	for (uint32_t i = 0; i < m->nlinks; i++) {
		const struct fabric_map_link *l = &m->link[i];

		n += l->n;
		ck_assert(l->points == 0 || l->points >= 2);
		ck_assert(l->points > 0 || (l->areas && l->a == l->b));
		for (unsigned k = 0; k < l->points; k++)
			ck_assert(l->x[k] >= 0 && l->x[k] <= m->width &&
				  l->y[k] >= 0 && l->y[k] <= m->height);
	}
	ck_assert_uint_eq(n, all);
}

static void
expect_map(struct fabric *f, enum fabric_layout layout, bool named)
{
	AUTO(graph_fixture) struct graph_fixture x;
	const struct fabric_map *m;

	graph_fixture_open(&x, f);
	m = fabric_map_make(x.graph, x.arena);
	ck_assert_str_eq(fabric_layout_name(m->areas->layout),
		fabric_layout_name(layout));
	ck_assert_int_eq(m->areas->named, named);
	expect_boxes_apart(m);
	expect_all_links(m);
}

static struct fabric *
two_tiers(unsigned spines, unsigned leaves, unsigned hosts)
{
	struct fabric *f = shape_of("two:%u:%u:%u", spines, leaves, hosts);

	return f;
}

TEST(trees_have_bands)
{
	expect_map(two_tiers(4, 8, 4), FABRIC_LAYOUT_TIERS, true);
	expect_map(two_tiers(12, 28, 12), FABRIC_LAYOUT_TIERS, true);
	expect_map(two_tiers(36, 64, 2), FABRIC_LAYOUT_TIERS, false);
	expect_map(shape_of("three:8"), FABRIC_LAYOUT_TIERS, true);
	expect_map(shape_of("three:24"), FABRIC_LAYOUT_TIERS, false);
	expect_map(gen_pair(), FABRIC_LAYOUT_TIERS, true);
}

TEST(others_have_groups_grids_and_circles)
{
	const unsigned plane[] = {5, 5}, space[] = {8, 8, 11};
	struct reason why;

	expect_map(shape_of("dragonfly:4:2:2"), FABRIC_LAYOUT_GROUPS, true);
	expect_map(shape_of("dragonfly:8:1:4"), FABRIC_LAYOUT_GROUPS, false);
	expect_map(gen_grid(plane, 2, true, 1, &why), FABRIC_LAYOUT_GRID, true);
	expect_map(
		gen_grid(space, 3, true, 1, &why), FABRIC_LAYOUT_GRID, false);
	expect_map(shape_of("random:20:4:1:3"), FABRIC_LAYOUT_CIRCLE, true);
	expect_map(shape_of("random:200:5:1:3"), FABRIC_LAYOUT_TIERS, false);
}

TEST(json_has_all_of_it)
{
	AUTO(graph_fixture) struct graph_fixture x;
	json_t *o, *first;

	graph_fixture_open(&x, two_tiers(4, 8, 4));
	o = fabric_map_json(fabric_map_make(x.graph, x.arena));
	ck_assert_ptr_nonnull(o);
	ck_assert_str_eq(json_util_text(o, "layout"), "tiers");
	ck_assert_uint_eq(json_array_size(json_object_get(o, "switches")), 12);
	ck_assert_uint_eq(json_array_size(json_object_get(o, "areas")), 2);
	ck_assert_uint_eq(json_array_size(json_object_get(o, "links")), 32);
	first = json_array_get(json_object_get(o, "links"), 0);
	ck_assert_str_eq(json_util_text(first, "between"), "switches");
	ck_assert_uint_eq(json_array_size(json_object_get(first, "points")), 2);
	json_decref(o);
}

TEST(names_are_escaped)
{
	struct fabric *f = fabric_new();
	uint32_t a =
		fabric_add(f, FABRIC_SWITCH, 4, "a<b>&\"c\"\x01\xff\u00e9");
	uint32_t h = fabric_add(f, FABRIC_CA, 1, "h");
	AUTO(graph_fixture) struct graph_fixture x;
	AUTO(buf) struct buf out = {0};

	(void)fabric_connect(f, h, 1, a, 1, &(struct reason){""});
	graph_fixture_open(&x, f);
	fabric_svg_print(fabric_map_make(x.graph, x.arena), &out);
	ck_assert_ptr_nonnull(
		strstr(out.text, "a&lt;b&gt;&amp;&quot;c&quot;??\u00e9"));
}

TEST(short_names)
{
	static const struct {
		const char *name, *is;
	} row[] = {
		{"MF0;leaf1:MQM8700/U1", "leaf1"},
		{"MF0;core:CS7520/L2/U1", "core/L2/U1"},
		{"spine 1", "spine 1"},
		{"a;b", "a;b"},
		{"", "0x0000000000000012"},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct fabric_graph_switch s = {
			.guid = 0x12, .name = row[i].name};

		ck_assert_str_eq(fabric_short_name(&s).s, row[i].is);
	}
}
