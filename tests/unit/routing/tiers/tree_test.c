/*
 * The tree reader on fabrics made by hand: the name of each switch says what it
 * must be, the table says what must be listed. Then trees that lost links, real
 * captures, ranks in force, roles, and the same fabric under other indices.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/tiers/tree.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"
#include "tests/unit/routing/tiers/tree_fixture.h"
#include "tests/unit/suite.h"

/* ---- reading them ---- */

static struct tree *
read_tree(struct topo *t, struct arena *a)
{
	struct route_job job = {.topo = t};

	return tree_read(&job, a);
}

/* Names that begin with t and a digit say the tier. */
static void
expect_names(const struct topo *t, const struct tree *r, const char *what)
{
	for (sw_ix s = 0; s < t->nsw; s++) {
		const char *name = topo_desc(t, t->sw[s].node);

		if (name[0] != 't' || name[1] < '0' || name[1] > '9')
			continue;
		ck_assert_msg(r->tier[s] == (uint32_t)(name[1] - '0'),
			"%s: '%s' is in tier %u", what, name, r->tier[s]);
		ck_assert_msg(r->leaf[s] == (r->tier[s] + 1 == r->ntiers),
			"%s: '%s': leaf?", what, name);
	}
}

static const struct made {
	const char *name;
	struct fabric *(*make)(void);
	uint32_t ntiers;
	bool regular;
	uint32_t count[TREE_ODDITIES];
} made[] = {
	{"intact", intact_pods, 3, true, {0}},
	{"flipping switch", leaf_without_nodes, 3, true,
		{[TREE_BARE_LEAF] = 1}},
	{"bare pods", bare_pod, 3, true, {[TREE_BARE_LEAF] = 9}},
	{"one leaf populated", one_populated, 3, true, {[TREE_BARE_LEAF] = 11}},
	{"lonely leaf", lonely_leaf, 3, false,
		{[TREE_BARE_LEAF] = 1, [TREE_UNEQUAL] = 2}},
	{"Paper IV", paper_four, 3, false, {[TREE_LEAVES_LINKED] = 324}},
	{"hosts on roots", root_hosts, 3, true, {[TREE_ROOT_HOSTS] = 2}},
	{"hosts on middles", middle_hosts, 3, true, {[TREE_SPINE_HOSTS] = 4}},
	{"hosts on all spines", spine_hosts, 2, true, {[TREE_ROOT_HOSTS] = 4}},
	{"two leaves", two_leaves, 2, true, {0}},
	{"two leaves linked", leaves_linked, 2, false,
		{[TREE_LEAVES_LINKED] = 2}},
	{"racks", rack_trees, 3, false, {0}},
	{"a rack under a leaf", some_racks, 2, false,
		{[TREE_LEAVES_LINKED] = 2, [TREE_NO_UPLINK] = 1}},
	{"unlike trees", unlike_trees, 3, false, {0}},
	{"twin trees", twin_trees, 2, false, {[TREE_LEAVES_LINKED] = 6}},
	{"no uplink", no_uplink, 3, false, {[TREE_NO_UPLINK] = 1}},
	{"no downlink", no_downlink, 3, false,
		{[TREE_NO_DOWNLINK] = 1, [TREE_UNEQUAL] = 3}},
	{"dead leaves", dead_leaves, 3, false, {[TREE_NO_DOWNLINK] = 2}},
	{"dead root", dead_root, 3, false, {[TREE_UNEQUAL] = 4}},
	{"cables that skip", leaf_at_roots, 3, false,
		{[TREE_SKIP_LINK] = 4, [TREE_UNEQUAL] = 1}},
	{"cables inside tiers", level_links, 3, false, {[TREE_LEVEL_LINK] = 2}},
	{"aggregation nodes", with_aggregation, 3, true, {0}},
	{"lopsided", lopsided_pods, 3, false, {0}},
	{"one switch", single_switch, 1, true, {0}},
	{"no switch", host_pair, 0, true, {0}},
	{"ring", ring_of_seven, 4, false, {[TREE_NO_TREE] = 1}},
	{"torus", torus_4_4_4, 7, false, {[TREE_NO_TREE] = 1}},
	{"mesh", all_to_all, 2, false, {[TREE_NO_TREE] = 1}},
	{"dragonfly", small_dragonfly, 4, false, {[TREE_NO_TREE] = 1}},
	{"four tiers", four_tiers, 4, true, {0}},
	{"two tiers, 17:1", two_tiers, 2, true, {0}},
};

enum { MADE = sizeof(made) / sizeof(made[0]) };

LOOP_TEST(constructed, 0, MADE)
{
	const struct made *m = &made[_i];
	AUTO(fabric) struct fabric *f = m->make();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(arena) struct arena *a = arena_new();
	struct tree *r = read_tree(t, a);
	char text[400];

	expect_names(t, r, m->name);
	ck_assert_msg(
		r->ntiers == m->ntiers, "%s: %u tiers", m->name, r->ntiers);
	for (unsigned i = 0; i < TREE_ODDITIES; i++)
		ck_assert_msg(r->count[i] == m->count[i], "%s: %u times %s",
			m->name, r->count[i],
			irregularity_name((enum irregularity)i));
	ck_assert_msg(r->regular == m->regular, "%s: regular?", m->name);
	for (size_t i = 0; i < r->nodd; i++) {
		irregularity_text(t, &r->odd[i], text, sizeof(text));
		ck_assert_msg(strchr(text, ':') != NULL, "%s", text);
	}
}

/* ---- the same under other indices ---- */

static struct fabric *
shuffle_fabric(const struct fabric *f, struct rng *g)
{
	AUTO(mem) uint32_t *to = mem_zalloc(f->nnodes, sizeof(*to));
	AUTO(mem) uint32_t *seq = mem_zalloc(f->nnodes, sizeof(*seq));
	struct fabric *r = fabric_new();

	for (uint32_t i = 0; i < f->nnodes; i++) {
		uint32_t k = rng_below(g, i + 1);

		seq[i] = seq[k];
		seq[k] = i;
	}
	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct fabric_node *n = &f->node[seq[i]];
		uint32_t x = fabric_add(
			r, (enum fabric_type)n->type, n->nports, n->name);

		to[seq[i]] = x;
		r->node[x].guid = n->guid;
		r->node[x].sysimg = n->sysimg;
		r->node[x].vendor = n->vendor;
		r->node[x].device = n->device;
		for (unsigned p = 0; p <= n->nports; p++)
			fabric_port(r, x, p)->guid =
				fabric_port(f, seq[i], p)->guid;
	}
	for (uint32_t i = f->ncables; i-- > 0;) {
		const struct fabric_cable *c = &f->cable[i];

		(void)fabric_connect(r, to[c->node[0]], c->port[0],
			to[c->node[1]], c->port[1], NULL);
	}
	return r;
}

static void
expect_same(const struct topo *t, const struct tree *a, const struct topo *u,
	const struct tree *b, const char *what)
{
	ck_assert_msg(a->ntiers == b->ntiers, "%s: tiers", what);
	ck_assert_msg(a->regular == b->regular, "%s: regular", what);
	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix n = topo_by_node_guid(u, t->node[t->sw[s].node].guid);
		sw_ix x = u->node[n].sw;

		ck_assert_msg(a->tier[s] == b->tier[x] &&
				      a->leaf[s] == b->leaf[x] &&
				      a->top[s] == b->top[x] &&
				      a->origin[s] == b->origin[x],
			"%s: '%s' differs", what, topo_desc(t, t->sw[s].node));
	}
	for (unsigned i = 0; i < TREE_ODDITIES; i++)
		ck_assert_msg(a->count[i] == b->count[i], "%s: %s", what,
			irregularity_name((enum irregularity)i));
}

LOOP_TEST(any_numbers, 0, MADE)
{
	for (uint64_t seed = 1; seed <= FEWER(6); seed++) {
		struct rng g = {seed * 977 + (uint64_t)_i};
		AUTO(fabric) struct fabric *f = made[_i].make(), *h = NULL;
		AUTO(topo) struct topo *t = NULL, *u = NULL;
		AUTO(arena) struct arena *a = arena_new();

		if (seed % 2 == 0 && f->nswitches > 4) {
			h = gen_edit_fail_links(f, 3, seed, false, NULL);
			f = h != NULL ? h : made[_i].make();
		}
		h = shuffle_fabric(f, &g);
		t = frozen_topo(f, NULL);
		u = frozen_topo(h, NULL);
		if (t->nsw == u->nsw) /* other components differ */
			expect_same(t, read_tree(t, a), u, read_tree(u, a),
				made[_i].name);
	}
}

/* ---- lost links do not change the rest ---- */

/* Paper IV: these numbers of failed links (0 to 20 %), 16 seeds each. */
LOOP_TEST(degraded, 0, 6)
{
	static const unsigned lost[] = {1, 34, 85, 130, 194, 259};

	for (uint64_t seed = 1; seed <= FEWER(16); seed++) {
		struct reason why;
		AUTO(fabric)
		struct fabric *f = gen_edit_fail_links(
			paper_four(), lost[_i], seed, true, &why);
		AUTO(topo) struct topo *t = frozen_topo(f, NULL);
		AUTO(arena) struct arena *a = arena_new();
		char what[40];

		(void)snprintf(what, sizeof(what), "%u lost, seed %u", lost[_i],
			(unsigned)seed);
		expect_names(t, read_tree(t, a), what);
	}
}

TEST(degraded_pods)
{
	for (uint64_t seed = 1; seed <= FEWER(16); seed++) {
		struct three p = {
			.pods = 8, .middles = 4, .leaves = 4, .hosts = 4};
		struct reason why;
		AUTO(fabric) struct fabric *f = three_tiers(&p, 8);
		AUTO(topo) struct topo *t = NULL;
		AUTO(arena) struct arena *a = arena_new();
		char what[40];

		f = gen_edit_fail_links(
			f, (unsigned)(seed * 2), seed, true, &why);
		if (seed % 4 == 0)
			f = gen_edit_populate(f, 4, 0);
		t = frozen_topo(f, NULL);
		(void)snprintf(
			what, sizeof(what), "pods, seed %u", (unsigned)seed);
		expect_names(t, read_tree(t, a), what);
	}
}

/* ---- ranks in force ---- */

/* Ranks by name, in the order of GUIDs; away: NULL or a name left out. */
static struct route_rank *
ranks_of(const struct topo *t, const char *away, size_t *n)
{
	struct route_rank *r = mem_zalloc(t->nsw, sizeof(*r));

	*n = 0;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topo_node *x = &t->node[t->by_node[i]];
		const char *name = topo_desc(t, t->by_node[i]);

		if (x->sw == TOPO_NONE ||
			(away != NULL &&
				strncmp(name, away, strlen(away)) == 0))
			continue;
		r[(*n)++] = (struct route_rank){
			.guid = x->guid, .rank = (uint32_t)(name[1] - '0')};
	}
	return r;
}

/* The tiers in force are kept; where a fresh reading gives the same, so is the
 * reason. */
LOOP_TEST(remembered, 0, 4)
{
	static const char *const away[] = {NULL, "t0", "t1", "t2 leaf3"};
	struct three p;
	AUTO(fabric) struct fabric *f = standard_pods(&p);
	AUTO(topo) struct topo *t = NULL;
	AUTO(arena) struct arena *a = arena_new();
	struct route_job job = {.ranks_order = ROUTE_TIERS};
	AUTO(mem) struct route_rank *ranks = NULL;
	struct tree *r;

	t = frozen_topo(f, NULL);
	ranks = ranks_of(t, away[_i], &job.nranks);
	job.topo = t;
	job.ranks = ranks;
	r = tree_read(&job, a);
	expect_names(t, r, "remembered");
	for (sw_ix s = 0; s < t->nsw; s++)
		ck_assert_int_eq(
			r->origin[s], r->leaf[s] ? TREE_HOSTS : TREE_LINKS);
}

/* What a fresh reading would infer does not count against the order in
 * force. */
TEST(remembered_first)
{
	struct three p;
	AUTO(fabric) struct fabric *f = standard_pods(&p);
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(arena) struct arena *a = arena_new();
	struct route_job job = {.topo = t, .ranks_order = ROUTE_TIERS};
	AUTO(mem) struct route_rank *ranks = ranks_of(t, NULL, &job.nranks);
	uint64_t root = f->node[p.root[0]].guid;
	sw_ix s = t->node[topo_by_node_guid(t, root)].sw;
	struct route_role_of role = {.guid = root, .role = ROUTE_ROLE_ROOT};
	struct engine_options o = {.role = &role, .nroles = 1};
	struct tree *r;

	job.ranks = ranks;
	for (size_t i = 0; i < job.nranks; i++)
		if (ranks[i].guid == root)
			ranks[i].rank = 2;
	r = tree_read(&job, a);
	ck_assert_uint_eq(r->tier[s], 2);
	for (sw_ix x = 0; x < t->nsw; x++)
		ck_assert_int_eq(r->origin[x] == TREE_REMEMBERED, x == s);
	/* unless a role contradicts the order */
	job.options = &o;
	expect_names(t, tree_read(&job, a), "a role against the order");
	/* distances of a fabric that was no tree are no tiers */
	job.options = NULL;
	job.ranks_order = ROUTE_SINGLE;
	expect_names(t, tree_read(&job, a), "single");
}

/* ---- roles ---- */

TEST(roles)
{
	struct three p;
	AUTO(fabric) struct fabric *f = standard_pods(&p);
	AUTO(topo) struct topo *t = NULL;
	AUTO(arena) struct arena *a = arena_new();
	struct route_role_of role[6];
	struct engine_options o = {.role = role, .nroles = 6};
	struct route_job job = {.options = &o};
	uint32_t odd = add_switch(f, 0, "new", 0);
	struct tree *r;
	sw_ix s;
	char text[200];

	/* it links two middles of one pod: a leaf, by all that can be seen */
	join_switches(f, odd, p.middle[0][0], 1);
	join_switches(f, odd, p.middle[0][1], 1);
	t = frozen_topo(f, NULL);
	job.topo = t;
	o.nroles = 0;
	r = tree_read(&job, a);
	s = t->node[topo_by_node_guid(t, f->node[odd].guid)].sw;
	ck_assert_uint_eq(r->tier[s], 2);
	ck_assert_uint_eq(r->origin[s], TREE_LINKS);
	/* it reports that it is a root */
	role[0] = (struct route_role_of){.guid = f->node[odd].guid,
		.role = ROUTE_ROLE_ROOT,
		.told = true};
	o.nroles = 1;
	r = tree_read(&job, a);
	expect_names(t, r, "told");
	ck_assert_uint_eq(r->origin[s], TREE_TOLD);
	ck_assert_uint_eq(r->count[TREE_ROLE_CONFLICT], 0);
	/* the configuration overrides; and it names a switch that does not
	 * exist */
	role[1] = role[0];
	role[0].told = false;
	role[0].role = ROUTE_ROLE_LEAF;
	role[2] = (struct route_role_of){
		.guid = UINT64_MAX, .role = ROUTE_ROLE_SPINE};
	o.nroles = 3;
	r = tree_read(&job, a);
	ck_assert_uint_eq(r->tier[s], 2);
	ck_assert_uint_eq(r->origin[s], TREE_CONFIGURED);
	ck_assert_uint_eq(r->count[TREE_ROLE_CONFLICT], 1);
	ck_assert_uint_eq(r->count[TREE_ROLE_UNKNOWN], 1);
	irregularity_text(t, &r->odd[0], text, sizeof(text));
	ck_assert_str_eq(text, "t0 new0: configured as leaf, but the switch "
			       "reports that it is root");
}

/* Leaves and roots are named: the tree is found wherever the hosts are. */
TEST(roles_without_hosts)
{
	struct three p = {.pods = 4, .middles = 2, .leaves = 3, .hosts = 0};
	AUTO(fabric) struct fabric *f = three_tiers(&p, 4);
	struct route_role_of role[16];
	struct engine_options o = {.role = role};
	struct route_job job = {.options = &o};
	AUTO(arena) struct arena *a = arena_new();
	AUTO(topo) struct topo *t = NULL;

	add_hosts(f, p.root[0], 5);
	t = frozen_topo(f, NULL);
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const char *name = topo_desc(t, t->by_node[i]);

		if (strncmp(name, "t2", 2) == 0 || strncmp(name, "t0", 2) == 0)
			role[o.nroles++] = (struct route_role_of){
				.guid = t->node[t->by_node[i]].guid,
				.role = name[1] == '2' ? ROUTE_ROLE_LEAF
						       : ROUTE_ROLE_ROOT};
	}
	ck_assert_uint_eq(o.nroles, 16);
	job.topo = t;
	expect_names(t, tree_read(&job, a), "roles");
}

/* ---- components ---- */

TEST(pieces)
{
	AUTO(fabric) struct fabric *f = fabric_new();
	struct frozen_lids l = {0};
	AUTO(topo) struct topo *t = NULL;
	AUTO(arena) struct arena *a = arena_new();
	struct tree *r;
	uint32_t s = add_switch(f, 9, "spine", 0);

	for (unsigned i = 0; i < 3; i++) {
		uint32_t leaf = add_switch(f, 0, "leaf", i);

		add_hosts(f, leaf, 2);
		join_switches(f, leaf, s, 1);
	}
	l.quarantine = f->node[s].guid;
	t = frozen_topo(f, &l);
	r = read_tree(t, a);
	ck_assert_uint_eq(r->ntiers, 1);
	ck_assert_uint_eq(r->count[TREE_PIECES], 2);
	ck_assert(!r->regular);
	s = t->node[topo_by_node_guid(t, l.quarantine)].sw;
	ck_assert_uint_eq(r->tier[s], UINT32_MAX);
	ck_assert_uint_eq(r->origin[s], TREE_UNPLACED);
}

/* ---- real ones ---- */

static const struct {
	const char *file;
	uint32_t tier[4]; /* switches per tier */
	uint32_t bare, treeless;
} captures[] = {
	{"ufm-sdk-selene-compute.ibnet", {140, 322, 204}, 1, 0},
	{"topograph-ndr-gb200.ibnet", {9, 31}, 0, 0},
	{"ufm-sdk-small.ibnet", {1, 1}, 0, 1},
	{"ibtopotool-3-mixed-selfloop.ibnet", {1, 1}, 0, 1},
	{"ibtopotool-4-sun-dcs36.ibnet", {1}, 0, 0},
};

/* The tier that the names of that fabric tell. */
static uint32_t
by_name(const char *name)
{
	static const struct {
		const char *part;
		uint32_t tier;
	} parts[] = {{"CCORE", 0}, {"CSPINE", 1}, {"MSPINE", 1}, {";LG", 2},
		{"MLG", 2}, {"IBSPINE", 0}, {"IBLEAF", 1}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i].part) != NULL)
			return parts[i].tier;
	return UINT32_MAX;
}

LOOP_TEST(real, 0, LEN(captures))
{
	const char *dir = getenv("HEDDLE_FIXTURES");
	uint32_t n[4] = {0};
	struct reason why;
	struct fabric *f;
	struct topo *t;
	struct arena *a;
	struct tree *r;
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s",
		dir != NULL ? dir : "../shared/fixtures", captures[_i].file);
	f = ibnet_load(path, NULL, &why);
	if (f == NULL) {
		printf("SKIPPED: no %s (set HEDDLE_FIXTURES)\n", path);
		return;
	}
	a = arena_new();
	t = frozen_topo(f, NULL);
	r = read_tree(t, a);
	for (sw_ix s = 0; s < t->nsw; s++) {
		const char *name = topo_desc(t, t->sw[s].node);
		uint32_t tier = by_name(name);

		ck_assert_uint_lt(r->tier[s], 4);
		n[r->tier[s]]++;
		ck_assert_msg(tier == UINT32_MAX || tier == r->tier[s],
			"%s is in tier %u", name, r->tier[s]);
	}
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(n[i], captures[_i].tier[i]);
	ck_assert_uint_eq(r->count[TREE_BARE_LEAF], captures[_i].bare);
	ck_assert_uint_eq(r->count[TREE_NO_TREE], captures[_i].treeless);
	topo_unref(t);
	arena_free(a);
	fabric_free(f);
}
