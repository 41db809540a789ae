/*
 * Irregular trees: configured wrongly or cabled wrongly, through the daemon and
 * through a plan. Both route all of it, every pair reaches, and both report
 * what is wrong, by name and port.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/text/topo_text.h"
#include "routing/driver/registry.h"
#include "routing/tiers/tree.h"
#include "sm/what_if/failure.h"
#include "sm/what_if/plan_json.h"
#include "sm/what_if/plan_page.h"
#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/tiers/tree_fixture.h"
#include "tests/unit/suite.h"

/* Two tops, three leaves. */
static struct fabric *
plain_tree(void)
{
	return shape_of("two:2:3:2");
}

/* The same, and one switch is cabled to itself. */
static struct fabric *
with_own_cable(void)
{
	return gen_edit_self_loops(plain_tree(), 1, NULL);
}

/* Hosts are cabled to each other, and to no switch. */
static struct fabric *
one_cable(void)
{
	return gen_pair();
}

static const struct {
	const char *what;
	struct fabric *(*make)(void);
	const char *yaml;
	enum irregularity odd;
	unsigned n; /* expected number of these; 0: nothing irregular */
	const char *says;
} bad[] = {
	{"a role for a GUID that is not here", plain_tree,
		"routing: {roles: {leaf: [0x1234, \"leaf?\"]}}\n",
		TREE_ROLE_UNKNOWN, 1,
		"0x0000000000001234: has a configured role, but no switch has "
		"this GUID"},
	{"a role for a name that is not here", plain_tree,
		"routing: {roles: {root: [\"core*\"]}}\n", TREE_ROLE_UNKNOWN, 1,
		"\"core*\": has a configured role, but no switch has this "
		"name"},
	{"patterns that disagree", plain_tree,
		"routing: {roles: {leaf: [\"leaf?\"], root: [\"lea?1\"]}}\n",
		TREE_ROLE_AMBIGUOUS, 1,
		"leaf1: the pattern \"lea?1\" gives it another role than a "
		"pattern of the same length"},
	{"a port in a group that is not here", plain_tree,
		"routing: {multi_port: {groups: {0x1234: 3}}}\n",
		TREE_MULTI_PORT_UNKNOWN, 1,
		"0x0000000000001234: configured to be in group 3, but no "
		"host port has this GUID"},
	{"a passive port that is not here", plain_tree,
		"routing: {multi_port: {passive: [0x1234]}}\n",
		TREE_MULTI_PORT_UNKNOWN, 1,
		"configured to be passive, but no host port has this GUID"},
	{"a group of one", plain_tree,
		"routing: {multi_port: {groups: {0x1234: 3, "
		"0x0002c90300000201: "
		"3}}}\n",
		TREE_MULTI_PORT_ALONE, 1,
		"(h1): configured to be in group 3, but no other port of "
		"its node or group is here"},
	{"roles upside down", plain_tree,
		"routing: {roles: {leaf: [\"spine?\"], root: [\"leaf?\"]}}\n",
		TREE_ROOT_HOSTS, 3, "top switch with 2 hosts"},
	{"a leaf among the tops", plain_tree,
		"routing: {roles: {leaf: [spine1]}}\n", TREE_NO_TREE, 1,
		"do not form a tree with the configured roles"},
	{"leaves linked", leaves_linked, "", TREE_LEAVES_LINKED, 2,
		"two leaf switches linked"},
	{"hosts on the tops", root_hosts, "", TREE_ROOT_HOSTS, 2,
		"top switch with 2 hosts"},
	{"a cable to itself", with_own_cable, "", TREE_SELF_LINK, 1,
		": a link from a switch to itself"},
	{"one switch", single_switch, "", TREE_ODDITIES, 0, NULL},
	{"no switch", one_cable, "", TREE_ODDITIES, 0, NULL},
};

enum { NBAD = sizeof(bad) / sizeof(bad[0]) };

/* The number is right, and one of the texts is the expected one. */
static void
check_tree(const struct topo *t, const struct tree *tree, int i)
{
	char text[256] = "";
	bool found = bad[i].n == 0;

	if (bad[i].n > 0)
		ck_assert_msg(tree->count[bad[i].odd] == bad[i].n,
			"%s: %u of %s", bad[i].what, tree->count[bad[i].odd],
			irregularity_name(bad[i].odd));
	for (size_t k = 0; !found && k < tree->nodd; k++) {
		if (tree->odd[k].what != bad[i].odd)
			continue;
		irregularity_text(t, &tree->odd[k], text, sizeof(text));
		found = strstr(text, bad[i].says) != NULL;
	}
	ck_assert_msg(found, "%s: it says \"%s\"", bad[i].what, text);
}

LOOP_TEST(daemon_routes_it, 0, NBAD)
{
	struct sim_options o = sim_defaults();
	AUTO(fabric) struct fabric *f = bad[_i].make();
	AUTO(world) struct world *w = world_new(f, &o, bad[_i].yaml);
	struct referee_report r;
	struct reason why;
	const struct view *v;

	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s: %s", bad[_i].what,
		w->last_why);
	ck_assert_msg(referee_fabric(w->sim, fabric_first_host(f), REFEREE_ALL,
			      &r, &why) == 0,
		"%s: %s", bad[_i].what, why.text);
	v = sm_view(w->sm);
	ck_assert(v->routes->report.ok);
	check_tree(v->topo, tree_kept(v->routes), _i);
}

/* ---- plans ---- */

/* Fabrics as read from one topology file, component by component. */
static struct builder_components
from_file(struct fabric *const *f, size_t n)
{
	struct builder_components p;
	struct reason why = {""};
	AUTO(buf) struct buf text = {0};

	for (size_t i = 0; i < n; i++) {
		AUTO(topo) struct topo *t = frozen_topo(f[i], NULL);
		AUTO(buf) struct buf part = {0};
		const char *from;

		topo_text_print_ibnetdiscover(t, &part);
		from = i == 0 ? part.text : strstr(part.text, "vendid");
		buf_put(&text, from, strlen(from));
	}
	ck_assert_msg(topo_text_parse_pieces(
			      text.text, text.n, "file", 3, &p, &why) == 0,
		"%s", why.text);
	return p;
}

struct planned {
	struct config *cfg;
	struct forecast_job job;
	struct forecast now;
};

static struct planned
plan_topo(struct topo *bare, const char *yaml)
{
	struct diag_list d = {0};
	struct reason why = {""};
	struct planned p = {.cfg = config_parse("yaml", yaml, strlen(yaml),
				    registry_modules(), &d)};
	AUTO(topo) struct topo *t = NULL;

	ck_assert_ptr_nonnull(p.cfg);
	diag_free(&d);
	p.job = (struct forecast_job){.cfg = p.cfg, .pool = lft_pool_new()};
	t = forecast_lids(&p.job, bare, NULL, 0, NULL, &why);
	ck_assert_msg(t != NULL, "%s", why.text);
	forecast_route(&p.job, t, NULL, &p.now);
	return p;
}

static void
free_planned(struct planned *p)
{
	forecast_free(&p->now);
	lft_pool_free(p->job.pool);
	config_unref(p->cfg);
}

LOOP_TEST(plan_routes_it, 0, NBAD)
{
	AUTO(fabric) struct fabric *f = bad[_i].make();
	struct builder_components pieces = from_file(&f, 1);
	struct planned p;
	AUTO(buf) struct buf page = {0};
	AUTO(json) json_t *o = NULL;

	ck_assert_uint_eq(pieces.n, 1);
	p = plan_topo(pieces.topo[0], bad[_i].yaml);
	ck_assert_msg(p.now.routes != NULL && p.now.report.ok, "%s: %s",
		bad[_i].what, p.now.why);
	check_tree(p.now.topo, tree_kept(p.now.routes), _i);
	o = plan_json_forecast(&p.now);
	plan_page_forecast(o, &page);
	if (bad[_i].n > 0)
		ck_assert_msg(strstr(page.text, bad[_i].says) != NULL,
			"%s: the page says\n%s", bad[_i].what, page.text);
	free_planned(&p);
	builder_components_free(&pieces);
}

/* Shifts all GUIDs, for another fabric in the same file. */
static struct fabric *
shift_guids(struct fabric *f)
{
	for (uint32_t i = 0; i < f->nnodes; i++) {
		f->node[i].guid += 0x100000000;
		f->node[i].sysimg += 0x100000000;
		for (unsigned p = 0; p <= f->node[i].nports; p++)
			if (fabric_port(f, i, p)->guid != 0)
				fabric_port(f, i, p)->guid += 0x100000000;
	}
	return f;
}

/* Three fabrics in a file: each is routed; the one with the manager is
 * first. */
TEST(plan_in_pieces)
{
	struct fabric *f[3] = {plain_tree(), shift_guids(one_cable()),
		shift_guids(single_switch())};
	struct builder_components p;

	f[1]->node[0].guid += 0x1000;
	f[1]->node[1].guid += 0x1000;
	fabric_port(f[1], 0, 1)->guid += 0x1000;
	fabric_port(f[1], 1, 1)->guid += 0x1000;
	p = from_file(f, 3);
	ck_assert_uint_eq(p.n, 3);
	ck_assert_uint_eq(p.loose, 0);
	ck_assert_uint_eq(p.topo[0]->nsw, 5);
	ck_assert_uint_eq(p.topo[1]->nsw, 1); /* the larger one */
	ck_assert_uint_eq(p.topo[2]->nsw, 0);
	for (size_t i = 0; i < 3; i++) {
		struct planned x = plan_topo(p.topo[i], "");

		ck_assert(x.now.routes != NULL && x.now.report.ok);
		free_planned(&x);
	}
	builder_components_free(&p);
	for (size_t i = 0; i < 3; i++)
		fabric_free(f[i]);
}

/*
 * With several LIDs a port, the first ones, which get most traffic, are spread
 * as if there were no others, and the LIDs of a port have different paths.
 */
LOOP_TEST(several_lids, 0, 2)
{
	static const char *const yaml[] = {"", "fabric: {lmc: {hosts: 1}}\n",
		"fabric: {lmc: {hosts: 2}}\n"};
	AUTO(fabric)
	struct fabric *f =
		_i == 0 ? shape_of("two:4:6:4") : shape_of("three:8");
	uint64_t load = 0;

	for (unsigned lmc = 0; lmc < 3; lmc++) {
		struct builder_components pieces = from_file(&f, 1);
		struct planned p = plan_topo(pieces.topo[0], yaml[lmc]);
		const struct topo *t = p.now.topo;
		uint16_t lid = t->port[t->sm_port].lid;
		unsigned alike = 0;

		ck_assert(p.now.routes != NULL && p.now.report.ok);
		if (lmc == 0)
			load = p.now.report.load_max;
		ck_assert_uint_eq(p.now.report.load_max, load);
		for (sw_ix s = 0; s < t->nsw && lmc > 0; s++)
			if (s != topo_switch_of(t, t->sm_port) &&
				tree_kept(p.now.routes)->leaf[s])
				alike += routes_port(p.now.routes, s, lid) ==
					 routes_port(p.now.routes, s,
						 (uint16_t)(lid + 1));
		ck_assert_uint_eq(alike, 0);
		free_planned(&p);
		builder_components_free(&pieces);
	}
}

/*
 * Nodes in two racks, one of which has a single uplink: where the path in that
 * rack has no alternative, the other rack's path avoids it, and the report
 * names the missing links as the only reason.
 */
TEST(one_cable_up)
{
	AUTO(fabric)
	struct fabric *f = gen_edit_rails(shape_of("two:4:6:4"), 2, true, NULL);
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	struct failure gone[3];
	struct builder_components p;
	struct reason why = {""};
	struct planned x;
	size_t single = 0;

	ck_assert_int_eq(failure_find(t, "leaf1/5", &gone[0], &why), 0);
	ck_assert_int_eq(failure_find(t, "leaf1/6", &gone[1], &why), 0);
	ck_assert_int_eq(failure_find(t, "leaf1/7", &gone[2], &why), 0);
	ck_assert_int_eq(failure_apply(t, gone, 3, &p, &why), 0);
	x = plan_topo(p.topo[0], "");
	ck_assert(x.now.routes != NULL && x.now.report.ok);
	ck_assert_uint_eq(x.now.redundancy.n, 24);
	for (size_t i = 0; i < x.now.redundancy.n; i++) {
		const struct redundancy_node *n = &x.now.redundancy.node[i];

		single += n->cut > 0;
		ck_assert_msg(n->cut == 0 || n->only_path, "%s",
			topo_desc(x.now.topo, x.now.topo->port[n->port].node));
	}
	ck_assert_uint_eq(single, x.now.redundancy.single);
	free_planned(&x);
	builder_components_free(&p);
}

static const struct {
	const char *gone[2];
	int lost;
	const char *first;
} losing[] = {
	{{"leaf1", NULL}, 6, "\"h1\": one port of 2 is left"},
	{{"leaf1/4", "leaf2/5"}, 0, NULL},
	{{"spine1", "spine3"}, 12,
		"\"h1\": \"spine2\" cuts off both ports from 2 of 4 leaves; "
		"there is no other path"},
};

/* Nodes that lose redundancy by a failure are named, and no others. */
LOOP_TEST(homes_lost, 0, 3)
{
	AUTO(fabric)
	struct fabric *f =
		gen_edit_rails(shape_of("two:3:4:3"), 2, false, NULL);
	struct topo *t = frozen_topo(f, NULL);
	struct failure gone[2];
	struct reason why = {""};
	struct builder_components p;
	struct forecast then;
	struct planned x = plan_topo(t, "");
	json_t *o, *homes, *list;
	size_t n = 0;

	while (n < 2 && losing[_i].gone[n] != NULL) {
		ck_assert_int_eq(failure_find(x.now.topo, losing[_i].gone[n],
					 &gone[n], &why),
			0);
		n++;
	}
	ck_assert_int_eq(failure_apply(x.now.topo, gone, n, &p, &why), 0);
	topo_unref(t);
	t = forecast_lids(&x.job, p.topo[0], NULL, 0, NULL, &why);
	forecast_route(&x.job, t, x.now.routes, &then);
	o = plan_json_impact(&x.now, &then);
	homes = json_object_get(o, "multi_port");
	list = json_object_get(homes, "list");
	ck_assert_int_eq(
		json_integer_value(json_object_get(homes, "nodes")), 12);
	ck_assert_int_eq(json_integer_value(json_object_get(homes, "lost")),
		losing[_i].lost);
	ck_assert_uint_eq(json_array_size(list), (size_t)losing[_i].lost);
	if (losing[_i].lost > 0)
		ck_assert_str_eq(json_string_value(json_object_get(
					 json_array_get(list, 0), "text")),
			losing[_i].first);
	json_decref(o);
	forecast_free(&then);
	free_planned(&x);
	builder_components_free(&p);
	topo_unref(t);
}

/* Both tops fail: three racks by themselves, the manager's first. */
TEST(failures_part_it)
{
	AUTO(fabric) struct fabric *f = plain_tree();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	struct failure gone[2];
	struct builder_components p;
	struct reason why = {""};

	ck_assert_int_eq(failure_find(t, "spine1", &gone[0], &why), 0);
	ck_assert_int_eq(failure_find(t, "spine2", &gone[1], &why), 0);
	ck_assert_int_eq(failure_apply(t, gone, 2, &p, &why), 0);
	ck_assert_uint_eq(p.n, 3);
	for (size_t i = 0; i < 3; i++) {
		struct planned x = plan_topo(p.topo[i], "");

		ck_assert_uint_eq(p.topo[i]->nsw, 1);
		ck_assert(x.now.routes != NULL && x.now.report.ok);
		free_planned(&x);
	}
	ck_assert_str_eq(topo_desc(p.topo[0], 0), "h1");
	builder_components_free(&p);
}
