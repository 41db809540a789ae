/*
 * Trees that were cabled wrongly in one to three places: a switch at no such
 * place is in the tier that it was made for, every pair that a path joins
 * reaches, without cycles, and the wrong cables are those that are listed.
 */
#include <check.h>
#include <stdio.h>

#include "routing/driver/compute.h"
#include "routing/tiers/tree.h"
#include "tests/unit/routing/tiers/miscabled_fixture.h"

enum { SEEDS = 16 };

/*
 * How many fabrics of a kind may be read otherwise. Tops that kept one cable,
 * switches in levels of which little is left, and trees so small that several
 * wrong cables are as many as the right ones, can as well be what they are read
 * as.
 */
static const unsigned ambiguous[PATCH_KINDS] = {
	[PATCH_LOST] = 1,
	[PATCH_JOIN_ACROSS] = 2,
	[PATCH_MIXED] = 1,
};

static const struct patch_switch *
meant_switch(const struct patched *p, const struct topo *t, sw_ix s)
{
	const char *name = strrchr(topo_desc(t, t->sw[s].node), 's');

	ck_assert_ptr_nonnull(name);
	return &p->sw[strtoul(name + 1, NULL, 10)];
}

static unsigned
highest_level(const struct patched *p, const struct topo *t)
{
	unsigned most = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		if (meant_switch(p, t, s)->high > most)
			most = meant_switch(p, t, s)->high;
	return most;
}

/* The number of switches in another tier than intended; ends: count the ends of
 * mistakes, too. */
static unsigned
count_misread(const struct patched *p, const struct topo *t,
	const struct tree *r, bool ends)
{
	unsigned most = highest_level(p, t), n = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct patch_switch *m = meant_switch(p, t, s);

		n += r->tier[s] != most - m->high && (ends || !m->end);
	}
	return n;
}

/* True if the wrong cable is listed, or if its ends are in adjacent levels. */
static bool
is_listed(const struct patched *p, const struct topo *t, const struct tree *r,
	const struct patch_cable *c)
{
	const struct patch_switch *a = &p->sw[c->a], *b = &p->sw[c->b];

	if (a->lost || b->lost || a->high + 1 == b->high ||
		b->high + 1 == a->high)
		return true;
	for (size_t i = 0; i < r->nodd; i++) {
		const struct irregularity_kind *o = &r->odd[i];
		const struct patch_switch *x, *y;

		if (o->what != TREE_LEVEL_LINK && o->what != TREE_SKIP_LINK &&
			o->what != TREE_LEAVES_LINKED)
			continue;
		x = meant_switch(p, t, o->sw);
		y = meant_switch(p, t, o->other);
		if ((x == a && y == b) || (x == b && y == a))
			return true;
	}
	return false;
}

/* True if each tree by itself is read as it was made. */
static bool
is_clean(enum patch_kind kind, uint64_t seed, uint32_t ntrees)
{
	static struct patched p;
	unsigned n = 0;

	for (uint32_t i = 0; i < ntrees; i++) {
		AUTO(arena) struct arena *a = arena_new();
		struct route_job job = {.topo = NULL};

		(void)patch_make(&p, kind, seed, i);
		job.topo = frozen_topo(p.f, NULL);
		n += count_misread(&p, job.topo, tree_read(&job, a), true);
		topo_unref(job.topo);
		fabric_free(p.f);
	}
	return n == 0;
}

static void
routes_all(struct topo *t, const char *what)
{
	static const char *const engine[] = {"ftree"};
	struct route_job job = {.topo = t,
		.pool = lft_pool_new(),
		.threads = 1,
		.load_limit = 1250};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engine, 1, &story, &why);

	ck_assert_msg(r != NULL, "%s: %s", what, why.text);
	routes_unref(r);
	lft_pool_free(job.pool);
}

/* Reads one fabric; false: not as intended. */
static bool
reads_as_meant(const struct patched *p, bool route)
{
	AUTO(topo) struct topo *t = frozen_topo(p->f, NULL);
	AUTO(arena) struct arena *a = arena_new();
	struct route_job job = {.topo = t};
	const struct tree *r = tree_read(&job, a);
	bool good = count_misread(p, t, r, false) == 0;

	if (good && count_misread(p, t, r, true) == 0)
		for (uint32_t i = 0; i < p->ncables && t->nsw == p->nsw; i++)
			ck_assert_msg(is_listed(p, t, r, &p->cable[i]),
				"%s: cable %u is not listed", p->what, i);
	if (route)
		routes_all(t, p->what);
	return good;
}

LOOP_TEST(patched_trees, 0, PATCH_KINDS)
{
	const enum patch_kind kind = (enum patch_kind)_i;
	static struct patched p;
	unsigned wrong = 0, runs = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		bool made = patch_make(&p, kind, seed, UINT32_MAX);

		if (made && is_clean(kind, seed, p.ntrees)) {
			bool good = reads_as_meant(&p, seed % 4 == 0);

			runs++;
			wrong += !good;
			if (!good)
				printf("%s, seed %u: %s\n", patch_name[kind],
					(unsigned)seed, p.what);
		}
		fabric_free(p.f);
	}
	ck_assert_uint_ge(runs, SEEDS / 2);
	ck_assert_msg(wrong <= ambiguous[kind], "%s: %u of %u",
		patch_name[kind], wrong, runs);
}
