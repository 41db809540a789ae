/*
 * Roles in a tree, from the configuration and from switches that report theirs,
 * through the whole daemon: which switches are asked, what is believed, what
 * the routing is given.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "routing/tiers/tree.h"
#include "sm/mad/mad_role.h"
#include "sm/policy/roles.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

#define ASKING "discovery: {role_attribute: [0x2c9:0xd2f0]}\n"

enum mischief { NONE, SIGNATURE, VERSION, SILENCE };

/* Messages about roles, counted and tampered with. */
struct ears {
	unsigned asked;
	enum mischief mischief;
	uint32_t victim;
};

static enum sim_verdict
tamper_with_roles(void *cookie, struct sim_msg *m)
{
	struct ears *e = cookie;
	struct smp s;

	if (smp_decode(m->m.mad, m->m.len, &s, NULL) != 0 || s.attr != MAD_ROLE)
		return SIM_PASS;
	if (m->where == SIM_AT_SMA)
		e->asked++;
	if (e->mischief == NONE || m->where != SIM_AT_ENDPOINT ||
		m->from != e->victim)
		return SIM_PASS;
	if (e->mischief == SIGNATURE)
		m->m.mad[64] ^= 0x20;
	if (e->mischief == VERSION)
		m->m.mad[64 + 4] = 0;
	return e->mischief == SILENCE ? SIM_DROP : SIM_PASS;
}

/* Four spines and eight leaves; some of them support the attribute. */
static struct fabric *
role_reporting_tree(void)
{
	struct fabric *f = core_tree();

	for (uint32_t i = 0; i < f->nnodes; i++) {
		struct fabric_node *n = &f->node[i];

		if (strcmp(n->name, "leaf1") != 0 &&
			strcmp(n->name, "leaf2") != 0 &&
			strncmp(n->name, "spine", 5) != 0)
			continue;
		n->attrs.has_role = true;
		n->attrs.role =
			n->name[0] == 's' ? MAD_ROLE_ROOT : MAD_ROLE_LEAF;
	}
	return f;
}

static struct world *
start_world(const struct fabric *f, const char *yaml, struct ears *e)
{
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, yaml);

	sim_set_hook(w->sim, tamper_with_roles, e);
	world_start(w);
	return w;
}

static void
settle_world(struct world *w)
{
	core_expect_order(w, "roles");
	ck_assert_uint_eq(w->runs_failed, 0);
}

/* The number of switches that got their tier from this origin. */
static unsigned
count_placed(const struct world *w, enum tree_origin o)
{
	const struct view *v = sm_view(w->sm);
	unsigned n = 0;

	ck_assert_ptr_nonnull(tree_kept(v->routes));
	for (sw_ix s = 0; s < v->topo->nsw; s++)
		n += tree_kept(v->routes)->origin[s] == o;
	return n;
}

static const struct topo_node *
node_called(const struct world *w, const char *name)
{
	const struct topo *t = sm_view(w->sm)->topo;
	uint32_t n = fabric_find(w->fabric, name);

	return &t->node[topo_by_node_guid(t, w->fabric->node[n].guid)];
}

TEST(no_switch_is_asked)
{
	AUTO(fabric) struct fabric *f = role_reporting_tree();
	struct ears e = {0};
	AUTO(world) struct world *w = start_world(f, "", &e);

	settle_world(w);
	ck_assert_uint_eq(e.asked, 0);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 0);
	ck_assert_uint_eq(tree_kept(sm_view(w->sm)->routes)->ntiers, 2);
}

TEST(roles_are_reported)
{
	AUTO(fabric) struct fabric *f = role_reporting_tree();
	struct ears e = {0};
	AUTO(world) struct world *w = start_world(f, ASKING, &e);

	settle_world(w);
	ck_assert_uint_eq(e.asked, 12);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 6);
	ck_assert_uint_eq(count_placed(w, TREE_HOSTS), 6);
	ck_assert_uint_eq(node_called(w, "leaf1")->role, MAD_ROLE_LEAF);
	/* a switch without the attribute is not asked again, and a probe asks
	 * none */
	e.asked = 0;
	sim_fault_link(w->sim, fabric_find(f, "leaf3"), 1, false);
	settle_world(w);
	ck_assert_uint_eq(e.asked, 0);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	settle_world(w);
	ck_assert_uint_eq(e.asked, 6);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 6);
}

LOOP_TEST(not_believed, 0, 2)
{
	AUTO(fabric) struct fabric *f = role_reporting_tree();
	struct ears e = {.mischief = _i == 0 ? SIGNATURE : VERSION,
		.victim = fabric_find(f, "leaf2")};
	AUTO(world) struct world *w = start_world(f, ASKING, &e);

	settle_world(w);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 5);
	ck_assert(node_called(w, "leaf2")->flags & TN_BAD_ROLE);
	ck_assert(!(node_called(w, "leaf1")->flags & TN_BAD_ROLE));
	/* the switch recovers */
	e.mischief = NONE;
	sm_resweep(w->sm, sim_now(w->sim), "test");
	settle_world(w);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 6);
	ck_assert(!(node_called(w, "leaf2")->flags & TN_BAD_ROLE));
}

/* A missing answer delays nothing and says nothing. */
TEST(silent)
{
	AUTO(fabric) struct fabric *f = role_reporting_tree();
	struct ears e = {
		.mischief = SILENCE, .victim = fabric_find(f, "leaf2")};
	AUTO(world) struct world *w = start_world(f, ASKING, &e);

	settle_world(w);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 5);
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
	e.mischief = NONE;
	sm_resweep(w->sm, sim_now(w->sim), "test");
	settle_world(w);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 6);
	/* and once the role is reported, silence changes nothing */
	e.mischief = SILENCE;
	sm_resweep(w->sm, sim_now(w->sim), "test");
	settle_world(w);
	ck_assert_uint_eq(count_placed(w, TREE_TOLD), 6);
}

/* Names are read before the first tables are made. */
TEST(by_name)
{
	AUTO(fabric) struct fabric *f = role_reporting_tree();
	struct ears e = {0};
	AUTO(world)
	struct world *w = start_world(f,
		"routing: {roles: {leaf: [\"leaf?\"], root: [spine1, "
		"\"spine[234]\", 0x99], spine: [leaf4]}}\n" ASKING,
		&e);
	const struct tree *t;

	settle_world(w);
	ck_assert_uint_eq(w->commits, 2); /* the second: names of hosts */
	t = tree_kept(sm_view(w->sm)->routes);
	ck_assert_uint_eq(count_placed(w, TREE_CONFIGURED), 12);
	ck_assert_uint_eq(t->count[TREE_ROLE_UNKNOWN], 1);
	ck_assert_uint_eq(t->count[TREE_ROLE_CONFLICT], 0);
}

/* Names are waited for where the configuration has one, in an option of an
 * engine too. */
LOOP_TEST(names_wanted, 0, 4)
{
	static const struct {
		const char *set;
		bool by_name;
	} t[] = {
		{"routing.roles.leaf=[0x1]", false},
		{"routing.roles.leaf=[0x1, leaf2]", true},
		{"routing.dragonfly.groups=[0x1]", false},
		{"routing.dragonfly.groups=[0x1, g2]", true},
	};
	AUTO(config) struct config *base = config_default(registry_modules());
	struct reason why = {""};
	AUTO(config) struct config *c = config_with(base, &t[_i].set, 1, &why);

	ck_assert_msg(c != NULL, "%s", why.text);
	ck_assert_int_eq(roles_by_name(c), t[_i].by_name);
}

/* One switch, two roles: reported, and the first of them is used. */
TEST(contradicted)
{
	AUTO(fabric) struct fabric *f = role_reporting_tree();
	struct ears e = {0};
	AUTO(world)
	struct world *w = start_world(f,
		"routing: {roles: {leaf: [\"leaf?\"], "
		"root: [\"lea?1\"]}}\n",
		&e);
	const struct tree *t;
	char text[200];

	settle_world(w);
	t = tree_kept(sm_view(w->sm)->routes);
	ck_assert_uint_eq(t->count[TREE_ROLE_AMBIGUOUS], 1);
	for (size_t i = 0; i < t->nodd; i++) {
		if (t->odd[i].what != TREE_ROLE_AMBIGUOUS)
			continue;
		irregularity_text(
			sm_view(w->sm)->topo, &t->odd[i], text, sizeof(text));
		ck_assert_str_eq(text,
			"leaf1: the pattern \"lea?1\" gives it another "
			"role than a pattern of the same length");
	}
}

/* A reload asks for roles, and drops the roles of the old configuration. */
TEST(reloaded)
{
	static const char *const yaml[] = {
		ASKING "routing: {roles: {spine: [leaf1]}}\n", ""};
	AUTO(fabric) struct fabric *f = role_reporting_tree();
	struct ears e = {0};
	AUTO(world) struct world *w = start_world(f, "", &e);

	settle_world(w);
	for (int i = 0; i < 2; i++) {
		struct diag_list bad = {0};
		struct config *c = config_parse("r.yaml", yaml[i],
			strlen(yaml[i]), registry_modules(), &bad);

		ck_assert_ptr_nonnull(c);
		world_take_config(w, c);
		config_unref(c);
		diag_free(&bad);
		settle_world(w);
		ck_assert_uint_eq(count_placed(w, TREE_TOLD), i == 0 ? 5 : 0);
		ck_assert_uint_eq(
			count_placed(w, TREE_CONFIGURED), i == 0 ? 1 : 0);
		ck_assert_uint_eq(tree_kept(sm_view(w->sm)->routes)
					  ->count[TREE_ROLE_CONFLICT],
			i == 0 ? 1 : 0);
		ck_assert_uint_eq(e.asked, 12);
	}
}
