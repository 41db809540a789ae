/*
 * A second life over an unchanged fabric decides what the first one did: after
 * any change of any fabric, what is in the switches and in the state file gives
 * the same tables, order, planes and lanes again.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/route.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/unit/life.h"
#include "tests/unit/remembered.h"
#include "tests/unit/suite.h"
#include "tests/unit/tables_hash.h"

/* ---- days of changes ---- */

struct day {
	uint64_t seed;
	struct rng rng;
	struct fabric *f;
	bool *gone_cable, *gone_node; /* of it */
	struct lft_pool *pool;
	struct engine_options options;
	struct topo *t;
	struct routes *r;
	uint64_t now;
};

static unsigned
below(struct day *d, unsigned n)
{
	return rng_below(&d->rng, n);
}

static struct fabric *
pick(struct day *d)
{
	unsigned hosts = 1 + below(d, 3), n = 4 + below(d, 14);
	unsigned dim[3] = {2 + below(d, 3), 2 + below(d, 3), 2};
	struct gen_fattree2 two = {
		1 + below(d, 4), 2 + below(d, 5), 1 + below(d, 2), hosts, 2};
	struct gen_planes planes = {2, 3 + below(d, 4), 2, hosts, 1};
	unsigned down[3] = {1 + below(d, 3), 2 + below(d, 3), 1 + below(d, 3)};
	unsigned up[3] = {1, 1 + below(d, 3), 1 + below(d, 3)};

	switch (below(d, 9)) {
	case 0:
		return gen_tree_two(&two, NULL);
	case 1:
		return gen_tree_three(4, NULL);
	case 2:
		return gen_tree_pgft(down[2] > 1 ? 3 : 2, down, up, NULL, NULL);
	case 3:
		return gen_paper_planes(&planes);
	case 4:
		return gen_hyperx(dim, 2, hosts, NULL);
	case 5:
		dim[0] += below(d, 6);
		return gen_grid(dim, 1, true, hosts, NULL);
	case 6:
		return gen_grid(
			dim, 1 + below(d, 3), below(d, 2) == 0, hosts, NULL);
	default:
		n += n & 1;
		return gen_random(
			n, 2 + below(d, 2), hosts, rng_next(&d->rng), NULL);
	}
}

static struct routes *
compute(const struct day *d, struct route_job *job, struct topo *t)
{
	static const char *const engines[] = {"ftree", "updn"};
	struct route_story story;
	struct reason why = {""};
	struct routes *r;

	job->topo = t;
	job->pool = d->pool;
	job->options = &d->options;
	job->now = d->now;
	job->load_limit = 1250;
	job->threads = 1;
	r = route_compute(job, engines, 2, &story, &why);
	ck_assert_msg(r != NULL, "seed %llu: %s", (unsigned long long)d->seed,
		why.text);
	return r;
}

static void
begin(struct day *d, uint64_t seed)
{
	const struct frozen_lids lids = {0};
	struct route_job job = {0};

	*d = (struct day){.seed = seed, .rng = {seed}, .now = 1};
	d->f = pick(d);
	ck_assert_ptr_nonnull(d->f);
	d->gone_cable = mem_zalloc(d->f->ncables, sizeof(*d->gone_cable));
	d->gone_node = mem_zalloc(d->f->nnodes, sizeof(*d->gone_node));
	d->pool = lft_pool_new();
	d->options = (struct engine_options){
		.lanes = (uint8_t)(below(d, 3) > 0 ? 1 : 1 + below(d, 8)),
		.reading = 1};
	d->t = frozen_topo(d->f, &lids);
	d->r = compute(d, &job, d->t);
}

static void
end(struct day *d)
{
	routes_unref(d->r);
	topo_unref(d->t);
	lft_pool_free(d->pool);
	free(d->gone_cable);
	free(d->gone_node);
	fabric_free(d->f);
}

/* One of n comes back, the first behind a random one that is gone. */
static void
bring_back(struct day *d, bool *gone, uint32_t n)
{
	uint32_t first = below(d, n);

	for (uint32_t i = 0; i < n; i++)
		if (gone[(first + i) % n]) {
			gone[(first + i) % n] = false;
			return;
		}
}

static void
happen(struct day *d)
{
	uint32_t cable = below(d, d->f->ncables), node = below(d, d->f->nnodes);

	switch (below(d, 8)) {
	case 0:
	case 1:
	case 2:
		d->gone_cable[cable] = true;
		break;
	case 3:
	case 4:
		bring_back(d, d->gone_cable, d->f->ncables);
		break;
	case 5:
		d->gone_node[node] = node != fabric_first_host(d->f);
		break;
	default:
		bring_back(d, d->gone_node, d->f->nnodes);
		break;
	}
}

/* What is left; everything is back where that falls apart. */
static struct fabric *
left(struct day *d)
{
	struct fabric_edit edit = {.drop_cable = d->gone_cable,
		.drop_node = d->gone_node,
		.drop_orphans = true};
	struct fabric *f = fabric_rebuild(d->f, &edit);

	if (f->nswitches > 0 && f->nhosts > 0 &&
		fabric_connected(f, FABRIC_NONE, FABRIC_NONE))
		return f;
	fabric_free(f);
	memset(d->gone_cable, 0, d->f->ncables);
	memset(d->gone_node, 0, d->f->nnodes);
	return fabric_rebuild(d->f, &edit);
}

static void
change(struct day *d)
{
	struct route_job job = {.prev = d->r};
	struct routes *r;
	struct fabric *f;
	struct topo *t;

	happen(d);
	while (below(d, 5) == 0)
		happen(d);
	f = left(d);
	t = frozen_again(f, d->t, 0);
	fabric_free(f);
	d->now++;
	r = compute(d, &job, t);
	routes_unref(d->r);
	topo_unref(d->t);
	d->r = r;
	d->t = t;
}

/* The routes that a second life begins with, as sm_found.c makes them. */
static struct routes *
found(const struct day *d)
{
	struct routes *r = routes_new(d->t, d->pool);

	r->engine = "found";
	r->order = d->r->order;
	r->turn_leaf = d->r->turn_leaf;
	r->fresh_load = d->r->fresh_load;
	r->stands = true;
	for (sw_ix s = 0; s < d->t->nsw; s++) {
		struct route_rank is = routes_note(d->r, s);

		routes_recall(r, s, &is);
	}
	routes_put_all(r, d->r);
	return r;
}

static bool
equal(const void *a, const void *b, size_t n)
{
	return (a == NULL) == (b == NULL) &&
	       (a == NULL || memcmp(a, b, n) == 0);
}

/* What is not as it was, or NULL. */
static const char *
differs(const struct routes *a, const struct routes *b)
{
	uint32_t n = a->topo->nsw;

	if (strcmp(a->engine, b->engine) != 0)
		return "engine";
	if (a->order != b->order || !equal(a->rank, b->rank, n * 4))
		return "order";
	if (a->turn_leaf != b->turn_leaf || !equal(a->line, b->line, n * 4))
		return "line";
	if (!equal(a->plane, b->plane, n))
		return "planes";
	if (a->lanes.n != b->lanes.n ||
		!equal(a->lanes.cls, b->lanes.cls, n * 2))
		return "lanes";
	if (!equal(a->read, b->read, n) || a->reading.when != b->reading.when)
		return "reading";
	if (a->fresh_load != b->fresh_load)
		return "load";
	return tables_hash(a) != tables_hash(b) ? "tables" : NULL;
}

static void
live_again(const struct day *d, unsigned changes)
{
	struct routes *prev = found(d), *r;
	struct route_job job = {.prev = prev};
	struct route_rank *rank = remembered_ranks(d->r, &job);
	const char *what;

	r = compute(d, &job, d->t);
	what = differs(d->r, r);
	ck_assert_msg(what == NULL, "seed %llu, after %u changes: another %s",
		(unsigned long long)d->seed, changes, what);
	free(rank);
	routes_unref(r);
	routes_unref(prev);
}

static void
whole_day(uint64_t seed)
{
	struct day d;
	unsigned n;

	begin(&d, seed);
	n = 4 + below(&d, 16);
	for (unsigned i = 0; i <= n; i++) {
		if (i > 0)
			change(&d);
		live_again(&d, i);
	}
	end(&d);
}

enum { DAYS = 50 };

START_TEST(days)
{
	for (uint64_t seed = 0; seed < DAYS; seed++)
		whole_day((uint64_t)_i * DAYS + seed);
}
END_TEST

int
main(int argc, char **argv)
{
	Suite *s = suite_create("again");
	TCase *tc = tcase_create("again");

	if (argc > 2) {
		uint64_t a = strtoull(argv[1], 0, 0),
			 n = strtoull(argv[2], 0, 0);
		for (uint64_t i = a; i < a + n; i++)
			whole_day(i);
		return 0;
	}
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, days, 0, 8);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
