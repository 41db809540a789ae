/* The counts of a fabric, and the line that is made of them. */
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

TEST(a_line)
{
	static const struct {
		unsigned
			n[5]; /* switches, hosts, routers, aggregation, links */
		const char *from, *line;
	} cases[] = {
		{{2, 5, 0, 0, 6}, "h1",
			"fabric      2 switches, 5 hosts, 6 links, seen from "
			"h1\n"},
		{{1, 1, 1, 1, 1}, "",
			"fabric      1 switch, 1 host, 1 router, 1 aggregation "
			"node, 1 link\n"},
		{{0, 2, 0, 0, 1}, "h2",
			"fabric      0 switches, 2 hosts, 1 link, seen from "
			"h2\n"
			"            no switches: nothing to route\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const unsigned *n = cases[i].n;
		json_t *o = json_pack("{s:i, s:i, s:i, s:i, s:i, s:s}",
			"switches", (int)n[0], "hosts", (int)n[1], "routers",
			(int)n[2], "aggregation", (int)n[3], "links", (int)n[4],
			"seen_from", cases[i].from);
		AUTO(buf) struct buf b = {0};

		fabric_counts_line(o, &b);
		ck_assert_str_eq(b.text, cases[i].line);
		json_decref(o);
	}
}

TEST(a_fabric)
{
	AUTO(fabric) struct fabric *f = shape_of("torus:4:2");
	AUTO(topo) struct topo *t = frozen_topo(f, &(struct frozen_lids){0});
	struct fabric_counts c = fabric_counts_of(t);
	AUTO(json) json_t *o = fabric_counts_json(t);

	ck_assert_uint_eq(c.switches, 4);
	ck_assert_uint_eq(c.hosts, 8);
	ck_assert_uint_eq(c.routers + c.aggregation, 0);
	ck_assert_uint_eq(c.links, 4 + 8);
	ck_assert_uint_eq(c.owners, 4 + 8);
	ck_assert_uint_eq(c.lids, 4 + 8);
	ck_assert_int_eq(json_util_num(o, "links"), 4 + 8);
	ck_assert_str_ne(json_util_text(o, "seen_from"), "");
}
