/*
 * Adaptive routing of our own: judged by what simulated switches hold, which is
 * compared with the sets of the routes; at every write by what packets could
 * meet; and by the SMPs that a change costs.
 */
#include <check.h>
#include <string.h>

#include "sm/base/log.h"
#include "sm/mad/mad_ar.h"
#include "tests/sim/referee/watch.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

enum { GROUPS = 64, SUB_GROUPS = 2 };

static const char on[] = "routing: {adaptive: {enabled: true}}\n";

/* The tree, whose switches have adaptive routing. */
static struct fabric *
adaptive_tree(void)
{
	struct fabric *f = core_tree();

	for (uint32_t i = 0; i < f->nnodes; i++) {
		if (f->node[i].type != FABRIC_SWITCH)
			continue;
		f->node[i].attrs.ar = true;
		f->node[i].attrs.groups = GROUPS;
		f->node[i].attrs.sub_groups = SUB_GROUPS;
	}
	return f;
}

/* ---- what switches hold ---- */

static uint32_t
node_of_switch(const struct world *w, const struct topo *t, sw_ix s)
{
	for (uint32_t i = 0; i < w->fabric->nnodes; i++)
		if (w->fabric->node[i].guid == t->node[t->sw[s].node].guid)
			return i;
	return FABRIC_NONE;
}

/* The group that a LID with these options and this default should have. */
static struct mad_ar_group
expected_group(const struct route_set *set, unsigned port, bool default_first)
{
	struct mad_ar_group g = {{{0}}};

	memcpy(g.port[default_first], set->port, sizeof(set->port));
	g.port[1][port / 64] &= ~(UINT64_C(1) << port % 64);
	g.port[0][port / 64] |= UINT64_C(1) << port % 64;
	return g;
}

/* Entries with a choice of one switch, all as the routes want them. */
static unsigned
count_choices(const struct world *w, sw_ix s, const char *when)
{
	const struct routes *r = sm_view(w->sm)->routes;
	const struct topo *t = r->topo;
	uint32_t node = node_of_switch(w, t, s);
	unsigned n = 0;

	for (uint16_t l = 1; l <= t->max_lid; l++) {
		port_ix p = t->by_lid[l];
		sw_ix d = p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p);
		const struct route_set *set =
			d == TOPO_NONE ||
					t->node[t->port[p].node].type ==
						TOPO_SWITCH ||
					p == t->sm_port
				? NULL
				: route_sets_get(r->sets, s, d);
		struct mad_ar_entry e;
		struct mad_ar_group g, want;
		bool has = sim_ar_ports(w->sim, node, l, &e, &g);

		ck_assert_msg(has == (set != NULL), "%s: %s LID %u: %d", when,
			topo_desc(t, t->sw[s].node), l, has);
		if (!has)
			continue;
		want = expected_group(
			set, routes_port(r, s, l), r->sets->default_first);
		ck_assert_msg(memcmp(&g, &want, sizeof(g)) == 0 &&
				      e.port == routes_port(r, s, l),
			"%s: %s LID %u has another group", when,
			topo_desc(t, t->sw[s].node), l);
		n++;
	}
	return n;
}

static unsigned
count_all_choices(const struct world *w, const char *when)
{
	const struct topo *t = sm_view(w->sm)->topo;
	unsigned n = 0;

	ck_assert_ptr_nonnull(sm_view(w->sm)->routes->sets);
	for (sw_ix s = 0; s < t->nsw; s++)
		n += count_choices(w, s, when);
	return n;
}

static unsigned
count_on(const struct world *w)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w->fabric->nnodes; i++)
		n += sim_adaptive_on(w->sim, i) != 0;
	return n;
}

/* Settled, in order, and nothing left. */
static void
expect_in_step(struct world *w, const char *when)
{
	struct sm_status s;

	core_expect_order(w, when);
	sm_status(w->sm, &s);
	ck_assert_msg(s.alarm[0] == '\0', "%s: alarm: %s", when, s.alarm);
	ck_assert_msg(!s.adaptive_use.left, "%s: something is left", when);
	ck_assert_uint_gt(count_all_choices(w, when), 0);
}

START_TEST(bring_up)
{
	struct fabric *f = adaptive_tree();
	struct world *w = core_start(f, on);
	struct sm_status s;

	expect_in_step(w, "bring-up");
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.adaptive_use.on, count_on(w));
	ck_assert_uint_eq(s.adaptive_use.fixed, 0);
	/* eight leaves; tops have one port to each leaf */
	ck_assert_uint_eq(count_on(w), 8);
	core_end(w, f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("adaptive_use");
	TCase *t = tcase_create("core");

	log_set_level(LOG_LEVEL_ERROR);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, bring_up);
	suite_add_tcase(s, t);
	return suite_run(s);
}
