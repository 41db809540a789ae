/*
 * Unions of neighbour sets, made once per neighbour class, against those made
 * one by one: in trees, where most switches share a class, and in random
 * graphs.
 */
#include <check.h>
#include <string.h>

#include "routing/updown/updown.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* Some set for each switch. */
static const uint64_t **
some_sets(const struct updown *u, struct rng *rng)
{
	const uint64_t **set =
		arena_array(u->graph.a, u->graph.nsw, sizeof(*set));

	for (sw_ix s = 0; s < u->graph.nsw; s++) {
		uint64_t *row =
			arena_array(u->graph.a, u->graph.words, sizeof(*row));

		for (uint32_t w = 0; w < u->graph.words; w++)
			row[w] = rng_next(rng) & rng_next(rng) & rng_next(rng);
		set[s] = row;
	}
	return set;
}

static void
check_sums(const struct updown *u, const struct nbr_class *kin, bool up,
	struct rng *rng)
{
	struct nbr_class_union sum = nbr_class_unions(&u->graph, kin, up);
	uint64_t *own = arena_array(u->graph.a, u->graph.words, sizeof(*own));

	for (unsigned round = 0; round < 3; round++) {
		const uint64_t **set = some_sets(u, rng);

		for (sw_ix s = 0; s < u->graph.nsw; s++) {
			memset(own, 0, u->graph.words * sizeof(*own));
			for (uint32_t g = u->graph.first[s];
				g < u->graph.first[s + 1]; g++) {
				sw_ix x = u->graph.group[g].peer;

				if ((u->tier.pos[x] < u->tier.pos[s]) == up)
					bitset_or(own, set[x], u->graph.words);
			}
			ck_assert_mem_eq(nbr_class_union(&sum, s, set), own,
				u->graph.words * sizeof(*own));
		}
		sum.round++;
	}
}

/* The classes of the switches below s are listed once each, and the same for
 * every query. */
static void
check_families(const struct updown *u, const struct nbr_class *kin)
{
	struct nbr_class_groups f = nbr_class_below(&u->graph, kin);

	for (uint32_t k = 0; k < 2 * u->graph.nsw; k++) {
		sw_ix s = k % u->graph.nsw;
		bool *listed =
			arena_array(u->graph.a, u->graph.nsw, sizeof(*listed));
		uint32_t n, below = 0;
		const uint16_t *list = nbr_class_groups(&f, s, &n);

		for (uint32_t i = 0; i < n; i++) {
			ck_assert(!listed[list[i]]);
			listed[list[i]] = true;
		}
		for (uint32_t i = kin->mid[s]; i < u->graph.first[s + 1]; i++) {
			ck_assert(listed[kin->up.first[kin->peer[i]]]);
			below++;
		}
		ck_assert_uint_le(n, below);
	}
}

/* Returns the number of classes by the neighbours above. */
static uint32_t
check_fabric(struct fabric *fabric, uint64_t seed)
{
	struct topo *t = frozen_topo(fabric, &(struct frozen_lids){0});
	struct route_job job = {.topo = t};
	struct arena *a = arena_new();
	struct updown u = {.graph = {.job = &job, .t = t, .a = a}};
	struct rng rng = {seed};
	struct nbr_class kin;
	uint32_t n = 0;

	order_begin(&u);
	order_make_fresh(&u, false);
	kin = nbr_class_find(&u.graph, &u.tier);
	check_sums(&u, &kin, true, &rng);
	check_sums(&u, &kin, false, &rng);
	check_families(&u, &kin);
	for (sw_ix s = 0; s < u.graph.nsw; s++)
		n += kin.up.first[s] == s;
	arena_free(a);
	topo_unref(t);
	fabric_free(fabric);
	return n;
}

TEST(in_trees)
{
	/* a pod's leaves, the same position of all pods, and tops */
	ck_assert_uint_eq(check_fabric(shape_of("three:8"), 1), 8 + 4 + 1);
}

TEST(in_random_graphs)
{
	struct reason why;

	for (uint64_t seed = 1; seed < 20; seed++)
		(void)check_fabric(gen_random(48, 5, 2, seed, &why), seed);
}
