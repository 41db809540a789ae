/*
 * Load bounds by cuts, against values counted by hand and against the slow
 * algorithm: no tables of any engine have a lower load.
 */
#include <check.h>

#include "routing/improve/load_bound.h"
#include "tests/bench/treecut.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static struct topo *
topo_of(const char *name)
{
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = shape_make(name, &why);
	struct topo *t;

	ck_assert_msg(f != NULL, "%s", why.text);
	t = frozen_topo(f, NULL);
	return t;
}

static const struct {
	const char *name;
	uint64_t least;
} known[] = {
	{"648:18:18", 630},		   /* a leaf: 18 x 630 by 18 links */
	{"two:9:36:18", 1260},		   /* ... by 9 */
	{"racks:24:24", 624},		   /* a rack: 24 x 624 by 24 links */
	{"648:18:18,fail=34,seed=1", 756}, /* a leaf with 15 links */
	/* trees below racks that a cut of leaves alone does not see */
	{"thirds:2:24,fail=40,seed=1", 490},
	{"two:2:2:3,seed=1", 5},
};

LOOP_TEST(by_hand, 0, LEN(known))
{
	AUTO(topo) struct topo *t = topo_of(known[_i].name);

	ck_assert_uint_eq(load_bound_cut(t), known[_i].least);
}

/* One switch with hosts: there is no cut, and the bound is 0. */
TEST(alone)
{
	struct reason why = {""};
	AUTO(fabric) struct fabric *f = fabric_new();
	AUTO(topo) struct topo *t = NULL;
	uint32_t sw = fabric_addf(f, FABRIC_SWITCH, 4, "s%u", 0U);

	for (unsigned i = 0; i < 3; i++)
		(void)fabric_connect(f, sw, i + 1,
			fabric_addf(f, FABRIC_CA, 1, "h%u", i), 1, &why);
	t = frozen_topo(f, NULL);
	ck_assert_uint_eq(load_bound_cut(t), 0);
}

static const char *const names[] = {"648:18:18", "648:5:1", "racks:24:24",
	"racks:22:1", "racks:24:24,fail=130,seed=7",
	"racks:24:24,fail=259,seed=12", "thirds:1:24,fail=20",
	"two:9:31:18,fail=10", "3456:12:12,fail=69", "juropa:12:12",
	"random:64:6:4", "dragonfly:8:4:4"};

/* The bound that one switch alone gives. */
static uint64_t
least_of(const struct topo *t, sw_ix s, uint64_t all)
{
	const struct topo_switch *sw = &t->sw[s];
	uint64_t hosts = 0;

	for (uint32_t i = 0; i < sw->nend; i++)
		hosts += t->end[sw->end + i].host;
	return (hosts * (all - hosts) + sw->nadj - 1) / sw->nadj;
}

/* The slow algorithm, component by component, and switches alone. */
LOOP_TEST(slowly, 0, LEN(names))
{
	AUTO(topo) struct topo *t = topo_of(names[_i]);
	double cut = treecut_find(t).load;
	uint64_t least = (uint64_t)cut, all = 0;

	least += (double)least < cut;
	for (uint32_t i = 0; i < t->nend; i++)
		all += t->end[i].host;
	for (sw_ix s = 0; s < t->nsw; s++)
		if (least_of(t, s, all) > least)
			least = least_of(t, s, all);
	ck_assert_uint_eq(load_bound_cut(t), least);
}

/* A quarantined switch sends nothing, and no path leads through it. */
TEST(quarantine)
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:4:3");
	struct frozen_lids lids = {.quarantine = 0};
	struct topo *t = frozen_topo(f, NULL);

	ck_assert_uint_eq(load_bound_cut(t), 3 * 9 / 2 + 1);
	for (sw_ix s = 0; s < t->nsw; s++)
		if (t->sw[s].nend == 1)
			lids.quarantine = t->node[t->sw[s].node].guid;
	topo_unref(t);
	t = frozen_topo(f, &lids);
	ck_assert_uint_eq(load_bound_cut(t), 3 * 9);
	topo_unref(t);
}

/* A leaf with 27 pairs and two uplinks, one of half the rate: 1.5 links. */
TEST(half_rate)
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:4:3");
	AUTO(topo) struct topo *t = NULL;

	for (uint32_t c = 0; c < f->ncables; c++)
		if (f->cable[c].node[0] == fabric_find(f, "leaf1") &&
			f->cable[c].node[1] == fabric_find(f, "spine1"))
			f->cable[c].rate.speed_ext = 2;
	t = frozen_topo(f, NULL);
	ck_assert_uint_eq(t->rate_min, 1000);
	ck_assert_uint_eq(t->rate_max, 2000);
	ck_assert_uint_eq(load_bound_cut(t), 27 * 2 / 3);
}
