/* Files of Slurm: every host is once, and what fails for a while changes no
 * byte. A slurmctld reads them in tests/e2e/slurm.sh. */
#include <stdio.h>
#include <string.h>

#include "sm/report/fabric_dot.h"
#include "sm/report/fabric_slurm.h"
#include "sm/view/topo_events.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/graph_fixture.h"
#include "tests/unit/suite.h"

static struct reason why;

static struct fabric *
small_tree(void)
{
	return shape_of("two:2:3:2:2:2");
}

static void
expect_text(struct fabric *f, bool yaml, const char *hosts, const char *is)
{
	AUTO(graph_fixture) struct graph_fixture x;
	AUTO(buf) struct buf out = {0};

	graph_fixture_open(&x, f);
	fabric_slurm_print(x.graph, yaml, hosts, &out);
	ck_assert_str_eq(out.text, is);
}

TEST(a_tree)
{
	expect_text(small_tree(), false, NULL,
		"# topology.conf of Slurm, by heddlectl topology --format "
		"slurm\n"
		"# The fabric is a tree of 2 tiers.\n"
		"SwitchName=leaf1 Nodes=h[1-2]\n"
		"SwitchName=leaf2 Nodes=h[3-4]\n"
		"SwitchName=leaf3 Nodes=h[5-6]\n"
		"SwitchName=fabric Switches=leaf[1-3]\n");
	expect_text(small_tree(), true, "h[1-3]",
		"# topology.yaml of Slurm, by heddlectl topology --format "
		"slurm-yaml\n"
		"# The fabric is a tree of 2 tiers.\n"
		"# Only hosts that match \"h[1-3]\".\n"
		"---\n"
		"- topology: \"infiniband\"\n"
		"  cluster_default: true\n"
		"  tree:\n"
		"    switches:\n"
		"      - switch: \"leaf1\"\n"
		"        nodes: \"h[1-2]\"\n"
		"      - switch: \"leaf2\"\n"
		"        nodes: \"h3\"\n"
		"      - switch: \"fabric\"\n"
		"        children: \"leaf[1-2]\"\n");
}

/* Lines of a text that begin so. */
static unsigned
count_lines(const char *text, const char *begin)
{
	unsigned n = 0;

	for (const char *at = text; at != NULL;
		at = strchr(at, '\n') != NULL ? strchr(at, '\n') + 1 : NULL)
		n += strncmp(at, begin, strlen(begin)) == 0;
	return n;
}

static void
expect_lines(
	struct fabric *f, unsigned leaves, unsigned groups, const char *has)
{
	AUTO(graph_fixture) struct graph_fixture x;
	AUTO(buf) struct buf out = {0};

	graph_fixture_open(&x, f);
	fabric_slurm_print(x.graph, false, NULL, &out);
	ck_assert_uint_eq(
		count_lines(out.text, "SwitchName="), leaves + groups + 1);
	ck_assert_uint_eq(count_lines(out.text, "SwitchName=group"), groups);
	ck_assert_uint_eq(count_lines(out.text, "SwitchName=fabric "), 1);
	ck_assert_msg(strstr(out.text, has) != NULL, "%s", out.text);
}

TEST(other_fabrics)
{
	expect_lines(shape_of("three:4"), 8, 4,
		"SwitchName=group-pod1.leaf1 Switches=pod1.leaf[1-2]\n");
	expect_lines(shape_of("dragonfly:4:2:2"), 36, 9, "9 groups");
	expect_lines(shape_of("torus:5x7"), 35, 7, "2 dimensions");
	expect_lines(shape_of("random:20:4:2:3"), 20, 0, "no tree");
}

/* Names that cannot be, or that two have, and hosts with several adapters. */
TEST(names)
{
	struct fabric *f = fabric_new();
	uint32_t a = fabric_add(f, FABRIC_SWITCH, 9, "MF0;x:MQM8700/U1");
	uint32_t b = fabric_add(f, FABRIC_SWITCH, 9, "x");
	uint32_t c = fabric_add(f, FABRIC_SWITCH, 9, "fabric");
	const struct {
		const char *name;
		uint32_t sw;
	} host[] = {
		{"n1 HCA-2", a},
		{"n1 HCA-1", b},
		{"n[2] HCA-1", a},
		{"MT4123 ConnectX6 Mellanox Technologies", a},
		{"", b},
		{"m1 HCA-1", c},
		{"two mlx5_0", a},
		{"two mlx5_0", b},
	};

	for (unsigned i = 0; i < sizeof(host) / sizeof(host[0]); i++)
		(void)fabric_connect(f,
			fabric_add(f, FABRIC_CA, 1, host[i].name), 1,
			host[i].sw, i + 1, &why);
	(void)fabric_connect(f, a, 9, b, 9, &why);
	(void)fabric_connect(f, c, 9, a, 8, &why);
	expect_text(f, false, NULL,
		"# topology.conf of Slurm, by heddlectl topology --format "
		"slurm\n"
		"# The fabric is a tree of 2 tiers.\n"
		"# 2 hosts have adapters at several switches: listed at that "
		"of the first by name.\n"
		"# Taken for one host: 0x0002c90300000a00 and "
		"0x0002c90300000b00, both called \"two mlx5_0\".\n"
		"# Left out: 3 ports without a name of a host that Slurm can "
		"have:\n"
		"#   0x0002c90300000600 port 1 \"n[2] HCA-1\" at "
		"x-0002c90200000100\n"
		"#   0x0002c90300000700 port 1 \"MT4123 ConnectX6 Mellanox "
		"Technologies\" at x-0002c90200000100\n"
		"#   0x0002c90300000800 port 1 \"\" at x-0002c90200000200\n"
		"SwitchName=x-0002c90200000100 Nodes=two\n"
		"SwitchName=fabric-0002c90200000300 Nodes=m1\n"
		"SwitchName=x-0002c90200000200 Nodes=n1\n"
		"SwitchName=fabric Switches=fabric-0002c90200000300,"
		"x-0002c90[200000100,200000200]\n");
}

/* ---- what fails ---- */

struct cut {
	struct fabric *f;
	struct topo *was;
	struct event_log *log;
	bool *drop;
	uint32_t *tier; /* of switches, by the topology was */
};

static void
note_event(void *cookie, const struct topo_event *e)
{
	const struct cut *c = cookie;

	event_log_note(c->log, e, (struct mono){0});
}

/* Whether a switch of a tree is there or not, it is in its tier. */
static void
expect_tiers(const struct cut *c, const struct fabric_graph *g)
{
	for (uint32_t s = 0; s < g->nsw && g->shape == FABRIC_GRAPH_TREE; s++) {
		node_ix n = topo_by_node_guid(c->was, g->sw[s].guid);
		uint32_t *tier = &c->tier[c->was->node[n].sw];

		if (*tier == 0)
			*tier = g->sw[s].tier + 1;
		ck_assert_uint_eq(g->sw[s].tier + 1, *tier);
	}
	ck_assert_uint_eq(g->nsw, c->was->nsw);
}

/* Both files as they are after the cables in c->drop are out. */
static void
print_cut(struct cut *c, struct buf *out)
{
	const struct fabric_graph *g;
	AUTO(graph_fixture) struct graph_fixture x;

	graph_fixture_take(&x, frozen_less(c->f, c->drop, c->was));
	c->log = event_log_new();
	topo_events(c->was, x.view.topo, note_event, c);
	g = graph_fixture_with(&x, c->log);
	expect_tiers(c, g);
	fabric_slurm_print(g, false, NULL, out);
	fabric_slurm_print(g, true, NULL, out);
	event_log_free(c->log);
}

static void
expect_same(struct cut *c, const struct buf *whole)
{
	AUTO(buf) struct buf out = {0};

	print_cut(c, &out);
	ck_assert_str_eq(out.text, whole->text);
}

/* Each cable between switches, each switch and each host is cut off, but the
 * host that the fabric is seen from, and its switch. */
static void
expect_stable(struct fabric *f)
{
	const struct frozen_lids lids = {0};
	struct cut c = {.f = f, .was = frozen_topo(f, &lids)};
	uint32_t own = fabric_first_host(f), leaf = 0;
	struct buf whole = {0};
	unsigned port;

	ck_assert(fabric_peer(f, own, 1, &leaf, &port));
	c.drop = calloc(f->ncables, sizeof(*c.drop));
	c.tier = calloc(c.was->nsw, sizeof(*c.tier));
	print_cut(&c, &whole);
	for (uint32_t i = 0; i < f->ncables; i++) {
		c.drop[i] = f->cable[i].node[0] != own &&
			    f->cable[i].node[1] != own;
		expect_same(&c, &whole);
		c.drop[i] = false;
	}
	for (uint32_t n = 0; n < f->nnodes; n++) {
		for (uint32_t i = 0; i < f->ncables && n != own && n != leaf;
			i++)
			c.drop[i] = f->cable[i].node[0] == n ||
				    f->cable[i].node[1] == n;
		expect_same(&c, &whole);
		memset(c.drop, 0, f->ncables * sizeof(*c.drop));
	}
	buf_free(&whole);
	free(c.drop);
	free(c.tier);
	topo_unref(c.was);
	fabric_free(f);
}

TEST(failures_change_nothing)
{
	expect_stable(shape_of("two:4:4:3"));
	expect_stable(shape_of("three:4"));
	expect_stable(gen_edit_rails(small_tree(), 2, false, &why));
	expect_stable(shape_of("dragonfly:4:1:2"));
	expect_stable(shape_of("torus:5x6"));
	expect_stable(shape_of("hyperx:5x6"));
}

/* The tree is read without the links of a drained switch, which then looks like
 * a leaf. */
TEST(drains_change_nothing)
{
	AUTO(graph_fixture) struct graph_fixture x;
	AUTO(buf) struct buf before = {0}, after = {0};
	const struct fabric_graph *g;
	struct topo *t;

	graph_fixture_open(&x, shape_of("three:4"));
	t = x.view.topo;
	fabric_slurm_print(x.graph, false, NULL, &before);
	for (sw_ix s = 0; s < t->nsw; s++)
		if (strcmp(topo_desc(t, t->sw[s].node), "pod1.mid1") == 0 ||
			strcmp(topo_desc(t, t->sw[s].node), "top1") == 0) {
			t->port[t->node[t->sw[s].node].first_port].flags |=
				TP_DRAINED;
			tree_kept(x.view.routes)->tier[s] = 2;
		}
	g = graph_fixture_with(&x, NULL);
	for (uint32_t s = 0; s < g->nsw; s++)
		ck_assert_uint_eq(g->sw[s].tier, x.graph->sw[s].tier);
	fabric_slurm_print(g, false, NULL, &after);
	ck_assert_str_eq(after.text, before.text);
}

TEST(dot_is_quoted)
{
	struct fabric *f = fabric_new();
	uint32_t a = fabric_add(f, FABRIC_SWITCH, 4, "a\"b\\");
	uint32_t h = fabric_add(f, FABRIC_CA, 1, "h 1");
	AUTO(graph_fixture) struct graph_fixture x;
	AUTO(buf) struct buf out = {0};

	(void)fabric_connect(f, h, 1, a, 1, &why);
	graph_fixture_open(&x, f);
	fabric_dot_print(x.graph, "h", &out);
	ck_assert_ptr_nonnull(
		strstr(out.text, "[label=\"a\\\"b\\\\\\n1 host port\"]"));
	ck_assert_ptr_nonnull(strstr(out.text, "label=\"h 1\"]"));
}
