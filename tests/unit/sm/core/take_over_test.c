/*
 * A manager that takes a fabric over changes no table, wherever it is: with a
 * hand-over, or after the other manager has died; without knowledge of it, or
 * with that of an earlier reign.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

/* i / 10 is the size, i % 10 the kind. */
enum { FABRICS = FEWER(60), MOST_PLACES = 4, TORUS = 4 };

static struct fabric *
make_fabric(int i)
{
	unsigned k = (unsigned)i / 10;
	unsigned down[] = {2 + k % 3, 2 + k / 2, 2 + k % 2},
		 up[] = {1, 1 + k % 3, 2};
	unsigned dim[] = {3 + k, 4, 2 + k / 3};
	struct gen_fattree2 flat = {1 + k, 4 + k, 1 + k % 3, 2 + k, 1 + k};
	struct fabric *f;

	switch (i % 10) {
	case 0:
		return shape_of("two:%u:%u:%u:%u:%u", 1 + k, 4 + k, 2 + k,
			1 + k, 1 + k % 3);
	case 1:
		return gen_tree_three(4 + 2 * (k / 3), NULL);
	case 2:
		return gen_tree_pgft(3, down, up, NULL, NULL);
	case 3:
		return shape_of(
			"planes:2:%u:%u:2:%u", 3 + k, 2 + k / 2, 1 + k % 2);
	case TORUS:
		return gen_grid(dim, 2 + k % 2, true, 2, NULL);
	case 5:
		return gen_random(12 + k, 3 + k % 2, 2, 7 + k, NULL);
	case 6:
		f = shape_of("two:%u:%u:%u:%u:%u", 1 + k, 4 + k, 2 + k, 1 + k,
			1 + k % 3);
		return flat.spines > 1
			       ? gen_edit_fail_links(f, k + 1, k, true, NULL)
			       : f;
	case 7:
		return gen_edit_fail_links(
			shape_of("three:4"), k + 1, k, true, NULL);
	case 8:
		return gen_edit_rails(shape_of("three:4"), 2, k % 2, NULL);
	default:
		return shape_of("hyperx:%ux4:%u", 3 + k, 1 + k);
	}
}

/* The hosts in turn, the last one first: other leaves than the first host's. */
static uint32_t
pick_host(const struct fabric *f, unsigned nth, unsigned of)
{
	uint32_t hosts = 0, skip;

	for (uint32_t n = 0; n < f->nnodes; n++)
		hosts += f->node[n].type != FABRIC_SWITCH;
	skip = hosts - 1 - nth * (hosts - 1) / of;
	for (uint32_t n = 0; n < f->nnodes; n++)
		if (f->node[n].type != FABRIC_SWITCH && skip-- == 0)
			return n;
	return 0;
}

static void
expect_untouched(struct world *w, uint32_t host, const char *how)
{
	char when[128];

	(void)snprintf(when, sizeof(when), "%s to \"%s\"", how,
		w->fabric->node[host].name);
	core_expect_order(w, when);
	ck_assert_msg(sim_stats(w->sim)->lft_sets == 0,
		"%s: %llu LFT blocks written", when,
		(unsigned long long)sim_stats(w->sim)->lft_sets);
}

/* Each manager dies, and another one elsewhere knows nothing of it. */
LOOP_TEST(from_host_to_host, 0, FABRICS)
{
	AUTO(fabric) struct fabric *f = make_fabric(_i);
	AUTO(world) struct world *w = core_start(f, "");

	core_expect_order(w, "bring-up");
	for (unsigned k = 0; k < MOST_PLACES; k++) {
		uint32_t host = pick_host(f, k, MOST_PLACES);

		world_kill(w);
		world_elsewhere(w, host);
		sim_clear_stats(w->sim);
		world_start(w);
		expect_untouched(w, host, "dead, and on");
	}
}

static bool
is_master(const struct world *w)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	return s.role == SM_MASTER;
}

/* The first hands over to one of higher priority on the last host. */
LOOP_TEST(from_hand_to_hand, 0, FABRICS)
{
	struct fabric *f = make_fabric(_i);
	struct world *a = core_start(f, "fabric: {priority: 3}\n"), *b;
	uint32_t host = pick_host(f, 0, 1);

	core_expect_order(a, "bring-up");
	b = world_beside(a, host, "fabric: {priority: 9}\n");
	sim_clear_stats(a->sim);
	world_start(b);
	for (unsigned k = 0; k < 1000 && !is_master(b); k++)
		world_run(a, mono_ms(10));
	ck_assert(is_master(b));
	expect_untouched(b, host, "handed over");
	core_end(a, f);
}

/* Every switch as after power-on. */
static void
reboot_all(struct world *w)
{
	for (uint32_t n = 0; n < w->fabric->nnodes; n++)
		if (w->fabric->node[n].type == FABRIC_SWITCH)
			sim_fault_reboot(w->sim, n);
}

/* The first one knows its own reign on the last host; then another one made the
 * tables that are there now. */
LOOP_TEST(with_a_stale_order, 0, FABRICS)
{
	struct fabric *f = make_fabric(_i);
	struct world *a = core_start(f, ""), *b;
	uint32_t host = pick_host(f, 0, 1);

	b = world_beside(a, host, "");
	world_kill(a);
	world_start(b);
	core_expect_order(b, "the reign on the last host");
	world_kill(b);
	reboot_all(a);
	world_forget(a);
	world_start(a);
	core_expect_order(a, "the reign on the first host");
	world_kill(a);
	sim_clear_stats(a->sim);
	world_start(b);
	expect_untouched(b, host, "stale, on");
	core_end(a, f);
}

/* Pull a link between switches that no switch needs, if there is one. */
static void
pull_spare_link(struct world *w)
{
	const struct fabric *f = w->fabric;

	for (uint32_t i = 0; i < f->ncables; i++) {
		const struct fabric_cable *c = &f->cable[i];

		if (f->node[c->node[0]].type != FABRIC_SWITCH ||
			f->node[c->node[1]].type != FABRIC_SWITCH)
			continue;
		sim_fault_link(w->sim, c->node[0], c->port[0], false);
		core_expect_order(w, "a link failed");
		if (sm_view(w->sm)->topo->nnodes == f->nnodes)
			return;
		sim_fault_link(w->sim, c->node[0], c->port[0], true);
		core_expect_order(w, "it is back");
	}
}

static uint32_t
count_switches(const struct fabric *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->nnodes; i++)
		n += f->node[i].type == FABRIC_SWITCH;
	return n;
}

/*
 * Back to the first one, which knows what it wrote, but not that a link failed
 * meanwhile and that the other one changed tables. In a fabric that is no tree
 * the order of the other one is guessed from its tables: a few entries may not
 * fit the guess.
 */
LOOP_TEST(there_and_back, 0, FABRICS)
{
	struct fabric *f = make_fabric(_i);
	struct world *a = core_start(f, "fabric: {priority: 3}\n"), *b;
	uint32_t host = pick_host(f, 0, 1);

	core_expect_order(a, "bring-up");
	b = world_beside(a, host, "fabric: {priority: 9}\n");
	world_start(b);
	for (unsigned k = 0; k < 1000 && !is_master(b); k++)
		world_run(a, mono_ms(10));
	core_expect_order(b, "handed over");
	pull_spare_link(b);
	world_kill(b);
	sim_clear_stats(a->sim);
	for (unsigned k = 0; k < 10000 && !is_master(a); k++)
		world_run(a, mono_ms(10));
	if (_i % 10 != TORUS) {
		expect_untouched(a, fabric_first_host(f), "back");
	} else {
		core_expect_order(a, "back on a torus");
		ck_assert_uint_le(
			sim_stats(a->sim)->lft_entries, count_switches(f));
	}
	core_end(a, f);
}
