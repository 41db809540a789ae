/*
 * Fabrics for the tree reader, made by hand. The name of each switch says what
 * it must be: "t2 leaf3" is in tier 2.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_TIERS_TREE_FIXTURE_H
#define HEDDLE_TESTS_UNIT_ROUTING_TIERS_TREE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static inline uint32_t
add_switch(struct fabric *f, unsigned tier, const char *name, unsigned i)
{
	return fabric_addf(f, FABRIC_SWITCH, 60, "t%u %s%u", tier, name, i);
}

static inline void
join_switches(struct fabric *f, uint32_t a, uint32_t b, unsigned cables)
{
	struct reason why;

	for (unsigned i = 0; i < cables; i++)
		ck_assert_uint_ne(fabric_connect(f, a, fabric_free_port(f, a),
					  b, fabric_free_port(f, b), &why),
			FABRIC_NONE);
}

static inline void
add_hosts(struct fabric *f, uint32_t sw, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		join_switches(f, fabric_addf(f, FABRIC_CA, 1, "h%u.%u", sw, i),
			sw, 1);
}

/* Three tiers: the number of pods, of middles and leaves per pod, and of hosts
 * per leaf. */
struct three {
	unsigned pods, middles, leaves, hosts;
	uint32_t root[8], middle[8][4], leaf[8][4];
};

static inline struct fabric *
three_tiers(struct three *t, unsigned roots)
{
	struct fabric *f = fabric_new();

	for (unsigned p = 0; p < t->pods; p++)
		for (unsigned i = 0; i < t->leaves; i++) {
			t->leaf[p][i] = add_switch(f, 2, "leaf", p * 10 + i);
			add_hosts(f, t->leaf[p][i], t->hosts);
		}
	for (unsigned i = 0; i < roots; i++)
		t->root[i] = add_switch(f, 0, "root", i);
	for (unsigned p = 0; p < t->pods; p++)
		for (unsigned i = 0; i < t->middles; i++) {
			t->middle[p][i] =
				add_switch(f, 1, "middle", p * 10 + i);
			for (unsigned k = 0; k < t->leaves; k++)
				join_switches(
					f, t->middle[p][i], t->leaf[p][k], 1);
			for (unsigned k = i; k < roots; k += t->middles)
				join_switches(
					f, t->middle[p][i], t->root[k], 1);
		}
	return f;
}

static inline struct fabric *
standard_pods(struct three *t)
{
	*t = (struct three){.pods = 4, .middles = 2, .leaves = 3, .hosts = 3};
	return three_tiers(t, 4);
}

/* Drops these nodes and links; f is freed. */
static inline struct fabric *
fabric_without(struct fabric *f,
	bool (*drop_node)(const struct fabric *, uint32_t),
	bool (*drop_cable)(const struct fabric *, uint32_t))
{
	AUTO(mem) bool *node = mem_zalloc(f->nnodes, sizeof(*node));
	AUTO(mem) bool *cable = mem_zalloc(f->ncables + 1U, sizeof(*cable));
	struct fabric_edit e = {
		.drop_node = node, .drop_cable = cable, .drop_orphans = true};
	struct fabric *r;

	for (uint32_t i = 0; drop_node != NULL && i < f->nnodes; i++)
		node[i] = drop_node(f, i);
	for (uint32_t i = 0; drop_cable != NULL && i < f->ncables; i++)
		cable[i] = drop_cable(f, i);
	r = fabric_rebuild(f, &e);
	fabric_free(f);
	return r;
}

/* True if the node is a host of this switch. */
static inline bool
hangs_on(const struct fabric *f, uint32_t node, const char *name)
{
	uint32_t peer;
	unsigned port;

	return f->node[node].type == FABRIC_CA &&
	       fabric_peer(f, node, 1, &peer, &port) &&
	       strncmp(f->node[peer].name, name, strlen(name)) == 0;
}

static inline bool
of_leaf0(const struct fabric *f, uint32_t n)
{
	return hangs_on(f, n, "t2 leaf0");
}

/* Paper IV, figure 1: a leaf without its nodes. */
static inline struct fabric *
leaf_without_nodes(void)
{
	struct three t;

	return fabric_without(standard_pods(&t), of_leaf0, NULL);
}

static inline bool
of_pod0(const struct fabric *f, uint32_t n)
{
	return of_leaf0(f, n) || hangs_on(f, n, "t2 leaf1") ||
	       hangs_on(f, n, "t2 leaf2");
}

static inline bool
not_of_leaf30(const struct fabric *f, uint32_t n)
{
	return f->node[n].type == FABRIC_CA && !hangs_on(f, n, "t2 leaf30");
}

/* A pod that is being built: its hosts are off. The name "leaf1" matches all
 * leaves of a pod. */
static inline struct fabric *
bare_pod(void)
{
	struct three t;

	return fabric_without(standard_pods(&t), of_pod0, NULL);
}

/* Hosts on only one switch of twelve: the tiers of the others are unchanged. */
static inline struct fabric *
one_populated(void)
{
	struct three t;

	return fabric_without(standard_pods(&t), not_of_leaf30, NULL);
}

/* A leaf that is the only link of its middle switch to the tree. */
static inline struct fabric *
lonely_leaf(void)
{
	struct three t;
	struct fabric *f = standard_pods(&t);
	uint32_t m = add_switch(f, 1, "mspine", 0);

	join_switches(f, m, add_switch(f, 2, "mleaf", 0), 7);
	join_switches(f, m, t.root[0], 2);
	join_switches(f, m, t.root[2], 2);
	return f;
}

/* Paper IV: 18 roots, 36 middles, 54 leaves in pairs with 12 links. */
static inline struct fabric *
paper_four(void)
{
	struct fabric *f = fabric_new();
	uint32_t root[18], leaf[54], m;

	for (unsigned i = 0; i < 54; i++) {
		leaf[i] = add_switch(f, 2, "leaf", i);
		add_hosts(f, leaf[i], 12);
		if (i % 2 == 1)
			join_switches(f, leaf[i], leaf[i - 1], 12);
	}
	for (unsigned i = 0; i < 18; i++)
		root[i] = add_switch(f, 0, "root", i);
	for (unsigned i = 0; i < 36; i++) {
		m = add_switch(f, 1, "middle", i);
		for (unsigned k = 0; k < 6; k++)
			join_switches(f, m, leaf[i / 4 * 6 + k], 3);
		for (unsigned k = 0; k < 18; k++)
			join_switches(f, m, root[k], 1);
	}
	return f;
}

static inline struct fabric *
root_hosts(void)
{
	struct three t;
	struct fabric *f = standard_pods(&t);

	add_hosts(f, t.root[0], 2);
	add_hosts(f, t.root[1], 1);
	return f;
}

static inline struct fabric *
middle_hosts(void)
{
	struct three t;
	struct fabric *f = standard_pods(&t);

	for (unsigned i = 0; i < 4; i++)
		add_hosts(f, t.middle[i][0], 1);
	return f;
}

/* Management hosts on each of the spines of a small tree. */
static inline struct fabric *
spine_hosts(void)
{
	struct fabric *f = fabric_new();
	uint32_t leaf[4], s;

	for (unsigned i = 0; i < 4; i++)
		add_hosts(f, leaf[i] = add_switch(f, 1, "leaf", i), 8);
	for (unsigned i = 0; i < 4; i++) {
		s = add_switch(f, 0, "spine", i);
		add_hosts(f, s, 2);
		for (unsigned k = 0; k < 4; k++)
			join_switches(f, s, leaf[k], 2);
	}
	return f;
}

/* Two leaves, nearly all hosts on one of them. */
static inline struct fabric *
two_leaves(void)
{
	struct fabric *f = fabric_new();
	uint32_t a = add_switch(f, 1, "leaf", 0);
	uint32_t b = add_switch(f, 1, "leaf", 1);

	add_hosts(f, a, 30);
	add_hosts(f, b, 1);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t s = add_switch(f, 0, "spine", i);

		join_switches(f, s, a, 1);
		join_switches(f, s, b, 1);
	}
	return f;
}

/* ... and linked to each other. */
static inline struct fabric *
leaves_linked(void)
{
	struct fabric *f = two_leaves();

	join_switches(
		f, fabric_find(f, "t1 leaf0"), fabric_find(f, "t1 leaf1"), 2);
	return f;
}

/* Like JuRoPA: trees with leaves that lead to racks; the hosts are in the
 * racks. */
static inline struct fabric *
rack_trees(void)
{
	struct fabric *f = fabric_new();
	uint32_t leaf[2][6], rack, s;

	for (unsigned i = 0; i < 12; i++)
		leaf[i / 6][i % 6] = add_switch(f, 1, "leaf", i);
	for (unsigned i = 0; i < 12; i++) {
		rack = add_switch(f, 2, "rack", i);
		add_hosts(f, rack, 6);
		for (unsigned t = 0; t < 2; t++)
			for (unsigned k = 0; k < 2; k++)
				join_switches(f, rack, leaf[t][(i + k) % 6], 1);
	}
	for (unsigned t = 0; t < 2; t++)
		for (unsigned i = 0; i < 3; i++) {
			s = add_switch(f, 0, "spine", t * 3 + i);
			for (unsigned k = 0; k < 6; k++)
				join_switches(f, s, leaf[t][k], 2);
		}
	return f;
}

/* Racks under a few leaves of one tree, hosts on all of these leaves. */
static inline struct fabric *
some_racks(void)
{
	struct fabric *f = fabric_new();
	uint32_t leaf[8], s;

	for (unsigned i = 0; i < 8; i++) {
		leaf[i] = add_switch(f, 1, "leaf", i);
		add_hosts(f, leaf[i], 6);
	}
	s = add_switch(f, 1, "rack", 0);
	add_hosts(f, s, 10);
	join_switches(f, s, leaf[0], 2);
	for (unsigned i = 0; i < 6; i++) {
		s = add_switch(f, 0, "spine", i);
		for (unsigned k = 0; k < 8; k++)
			join_switches(f, s, leaf[k], 1);
	}
	return f;
}

/* A tree of two tiers and one of three, joined where the racks are. */
static inline struct fabric *
unlike_trees(void)
{
	struct three t;
	struct fabric *f = standard_pods(&t);

	for (unsigned i = 0; i < 3; i++) {
		uint32_t s = add_switch(f, 1, "lower", i);

		for (unsigned p = 0; p < 4; p++)
			for (unsigned k = 0; k < 3; k++)
				join_switches(f, s, t.leaf[p][k], 1);
	}
	return f;
}

/* Two trees, each leaf linked to one of the other tree. */
static inline struct fabric *
twin_trees(void)
{
	struct fabric *f = fabric_new();
	uint32_t leaf[12], s;

	for (unsigned i = 0; i < 12; i++) {
		add_hosts(f, leaf[i] = add_switch(f, 1, "leaf", i), 6);
		if (i >= 6)
			join_switches(f, leaf[i], leaf[i - 6], 1);
	}
	for (unsigned i = 0; i < 8; i++) {
		s = add_switch(f, 0, "spine", i);
		for (unsigned k = 0; k < 6; k++)
			join_switches(f, s, leaf[i / 4 * 6 + k], 1);
	}
	return f;
}

static inline bool
above_middle0(const struct fabric *f, uint32_t c)
{
	const char *a = f->node[f->cable[c].node[0]].name;
	const char *b = f->node[f->cable[c].node[1]].name;

	return strcmp(a, "t1 middle0") == 0 && strncmp(b, "t0", 2) == 0;
}

static inline bool
below_middle0(const struct fabric *f, uint32_t c)
{
	const char *a = f->node[f->cable[c].node[0]].name;
	const char *b = f->node[f->cable[c].node[1]].name;

	return strcmp(a, "t1 middle0") == 0 && strncmp(b, "t2", 2) == 0;
}

static inline struct fabric *
no_uplink(void)
{
	struct three t;

	return fabric_without(standard_pods(&t), NULL, above_middle0);
}

static inline struct fabric *
no_downlink(void)
{
	struct three t;

	return fabric_without(standard_pods(&t), NULL, below_middle0);
}

/* The leaves of a pod are quarantined: its middles keep their tier. */
static inline bool
is_leaf_of_pod3(const struct fabric *f, uint32_t n)
{
	return strncmp(f->node[n].name, "t2 leaf3", 8) == 0;
}

static inline struct fabric *
dead_leaves(void)
{
	struct three t;

	return fabric_without(standard_pods(&t), is_leaf_of_pod3, NULL);
}

static inline bool
is_root1(const struct fabric *f, uint32_t n)
{
	return strcmp(f->node[n].name, "t0 root1") == 0;
}

static inline struct fabric *
dead_root(void)
{
	struct three t;

	return fabric_without(standard_pods(&t), is_root1, NULL);
}

/* A leaf for management that is linked to all roots. */
static inline struct fabric *
leaf_at_roots(void)
{
	struct three t;
	struct fabric *f = standard_pods(&t);
	uint32_t leaf = add_switch(f, 2, "mleaf", 0);

	add_hosts(f, leaf, 4);
	for (unsigned i = 0; i < 4; i++)
		join_switches(f, leaf, t.root[i], 1);
	return f;
}

static inline struct fabric *
level_links(void)
{
	struct three t;
	struct fabric *f = standard_pods(&t);

	join_switches(f, t.root[0], t.root[1], 1);
	join_switches(f, t.middle[0][0], t.middle[1][0], 1);
	return f;
}

static inline struct fabric *
with_aggregation(void)
{
	struct three t;

	return gen_edit_aggregation(standard_pods(&t), NULL);
}

static inline bool
is_small(const struct fabric *f, uint32_t n)
{
	return strcmp(f->node[n].name, "t2 leaf11") == 0 ||
	       strcmp(f->node[n].name, "t2 leaf12") == 0 ||
	       strcmp(f->node[n].name, "t2 leaf13") == 0;
}

/* One pod has four leaves, the other has one. */
static inline struct fabric *
lopsided_pods(void)
{
	struct three t = {.pods = 2, .middles = 2, .leaves = 4, .hosts = 12};
	struct fabric *f = three_tiers(&t, 4);

	return fabric_without(f, is_small, NULL);
}

static inline struct fabric *
intact_pods(void)
{
	struct three t;

	return standard_pods(&t);
}

static inline struct fabric *
single_switch(void)
{
	struct fabric *f = fabric_new();

	add_hosts(f, add_switch(f, 0, "only", 0), 3);
	return f;
}

static inline struct fabric *
host_pair(void)
{
	return gen_pair();
}

static inline struct fabric *
ring_of_seven(void)
{
	const unsigned n = 7;

	return gen_grid(&n, 1, true, 2, NULL);
}

static inline struct fabric *
torus_4_4_4(void)
{
	return shape_of("torus:4x4x4");
}

static inline struct fabric *
all_to_all(void)
{
	return shape_of("hyperx:5:3");
}

static inline struct fabric *
small_dragonfly(void)
{
	return shape_of("dragonfly:4:2:2");
}

static inline struct fabric *
four_tiers(void)
{
	return shape_of("kary:3:4");
}

static inline struct fabric *
two_tiers(void)
{
	return shape_of("two:18:36:17:1");
}

#endif
