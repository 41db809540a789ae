/* The routes value, and the driver that makes verified ones. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/improve/load_bound.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static struct fabric *
two_tier_tree(void)
{
	return shape_of("two:4:6:4");
}

static struct fabric *
without_link(const struct fabric *f, const char *a, const char *b)
{
	AUTO(mem) bool *drop = mem_zalloc(f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	uint32_t na = fabric_find(f, a), nb = fabric_find(f, b);
	struct fabric *r;

	for (uint32_t c = 0; c < f->ncables; c++) {
		const uint32_t *end = f->cable[c].node;

		drop[c] = (end[0] == na && end[1] == nb) ||
			  (end[0] == nb && end[1] == na);
	}
	r = fabric_rebuild(f, &edit);
	return r;
}

static port_ix
host_port(const struct topo *t, const char *name)
{
	for (node_ix n = 0; n < t->nnodes; n++)
		if (strcmp(topo_desc(t, n), name) == 0)
			return t->node[n].first_port + 1;
	return TOPO_NONE;
}

TEST(rows)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct routes *a = routes_new(t, pool), *b = routes_new(t, pool);
	uint8_t row[LFT_BLOCK];

	ck_assert_uint_eq(a->nblocks, 1);
	ck_assert_uint_eq(routes_port(a, 0, 1), LFT_DROP);
	memset(row, LFT_DROP, sizeof(row));
	row[1] = 3;
	row[2] = 4;
	routes_put_row(a, 0, row, NULL, TOPO_NONE);
	ck_assert_uint_eq(routes_port(a, 0, 1), 3);
	ck_assert_uint_eq(routes_port(a, 0, 3), LFT_DROP);
	ck_assert_uint_eq(routes_port(a, 0, 4000), LFT_DROP);
	ck_assert_uint_eq(routes_port(a, 99, 1), LFT_DROP);
	ck_assert_uint_eq(a->entries_kept + a->entries_changed, 0);
	routes_put_row(b, 1, row, a, 0); /* the same switch, renumbered */
	ck_assert_uint_eq(routes_ref_of(b, 1, 0), routes_ref_of(a, 0, 0));
	ck_assert_uint_eq(b->entries_kept, 2);
	row[2] = 5;
	routes_put_row(b, 1, row, a, 0);
	ck_assert_uint_ne(routes_ref_of(b, 1, 0), routes_ref_of(a, 0, 0));
	ck_assert_uint_eq(b->entries_changed, 1);
	routes_put_row(b, 1, row, a, TOPO_NONE);
	ck_assert_uint_eq(pool->live, 2);
	ck_assert_ptr_eq(routes_ref(b), b);
	routes_unref(b);
	routes_unref(b);
	routes_unref(a);
	routes_unref(NULL);
	ck_assert_uint_eq(pool->live, 0);
}

/* A row takes blocks of the same switch before, else of a switch like it. */
TEST(blocks_are_shared)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct routes *a = routes_new(t, pool), *b = routes_new(t, pool);
	uint8_t row[LFT_BLOCK];

	memset(row, 3, sizeof(row));
	routes_put_row(a, 0, row, NULL, TOPO_NONE);
	routes_put_row(b, 1, row, NULL, TOPO_NONE);
	routes_put_like(b, 0, row, a, 0, 1);
	ck_assert_uint_eq(routes_ref_of(b, 0, 0), routes_ref_of(a, 0, 0));
	routes_put_like(b, 0, row, NULL, TOPO_NONE, 1);
	ck_assert_uint_eq(routes_ref_of(b, 0, 0), routes_ref_of(b, 1, 0));
	ck_assert_uint_eq(pool->live, 2);
	row[9] = 4;
	routes_put_like(b, 0, row, a, 0, 1);
	ck_assert_uint_eq(pool->live, 3);
	ck_assert_uint_eq(routes_port(b, 0, 9), 4);
	ck_assert_uint_eq(routes_port(b, 1, 9), 3);
	ck_assert_uint_eq(b->entries_changed, 1);
	routes_unref(a);
	routes_unref(b);
	ck_assert_uint_eq(pool->live, 0);
}

/* Rows are shared until one of them is written. */
TEST(shared_rows)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct routes *a = routes_new(t, pool), *b = routes_new(t, pool), *c;
	uint8_t row[LFT_BLOCK];

	memset(row, 7, sizeof(row));
	routes_put_row(a, 0, row, NULL, TOPO_NONE);
	ck_assert_uint_eq(routes_port(a, 1, 1), LFT_DROP);
	for (sw_ix s = 0; s < t->nsw; s++)
		routes_put_same(b, s, a, s);
	c = routes_for(a, t);
	ck_assert_ptr_eq(b->row[0], a->row[0]);
	ck_assert_ptr_eq(c->row[0], a->row[0]);
	ck_assert_uint_eq(pool->live, 1);
	row[5] = 8;
	routes_put_block(b, 0, 0, row, TOPO_NONE);
	ck_assert_uint_eq(routes_port(b, 0, 5), 8);
	ck_assert_uint_eq(routes_port(a, 0, 5), 7);
	ck_assert_uint_eq(routes_port(c, 0, 5), 7);
	routes_put_same(b, 1, b, 0);
	*routes_slot(b, 1, 0) = LFT_EMPTY; /* reference dropped below */
	ck_assert_uint_eq(routes_port(b, 0, 5), 8);
	ck_assert_uint_eq(routes_port(b, 1, 5), LFT_DROP);
	lft_drop(pool, routes_ref_of(b, 0, 0));
	routes_unref(a);
	ck_assert_uint_eq(routes_port(c, 0, 5), 7);
	routes_unref(b);
	routes_unref(c);
	ck_assert_uint_eq(pool->live, 0);
}

TEST(order)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	AUTO(routes) struct routes *r = routes_new(t, pool);

	r->rank[2] = 5;
	for (sw_ix a = 0; a < t->nsw; a++)
		for (sw_ix b = 0; b < t->nsw; b++) {
			bool above = routes_above(r, a, b);

			ck_assert(a == b ? !above
					 : above != routes_above(r, b, a));
			if (a != 2 && a != b)
				ck_assert(above ==
					  (b == 2 ||
						  t->node[t->sw[a].node].guid <
							  t->node[t->sw[b].node]
								  .guid));
		}
}

static struct routes *
compute_checked(struct topo *t, struct lft_pool *pool,
	const struct routes *prev, struct route_account *story)
{
	static const char *const engines[] = {"updn"};
	struct route_job job = {
		.topo = t, .pool = pool, .prev = prev, .load_limit = 1250};
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engines, 1, story, &why);

	ck_assert_msg(r != NULL, "%s", why.text);
	ck_assert(r->report.ok);
	return r;
}

TEST(trace)
{
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	struct route_account story;
	AUTO(routes) struct routes *r = compute_checked(t, pool, NULL, &story);
	port_ix a = host_port(t, "h1"), b = host_port(t, "h24"),
		n = host_port(t, "h2");
	struct route_step step[4];
	struct reason why = {""};
	uint8_t row[LFT_BLOCK];
	sw_ix leaf;

	ck_assert_int_eq(routes_trace(r, a, t->port[b].lid, step, 4, &why), 3);
	ck_assert_uint_eq(step[0].sw, topo_switch_of(t, a));
	ck_assert_uint_eq(step[0].in, t->port[t->port[a].peer].num);
	ck_assert_uint_eq(step[2].sw, topo_switch_of(t, b));
	ck_assert_uint_eq(step[2].out, t->port[t->port[b].peer].num);
	/* No room: steps are counted all the same. */
	ck_assert_int_eq(routes_trace(r, a, t->port[b].lid, step, 1, &why), 3);
	ck_assert_int_eq(routes_trace(r, a, t->port[n].lid, step, 4, &why), 1);
	ck_assert_int_eq(routes_trace(r, a, t->port[a].lid, step, 4, &why), 0);
	ck_assert_int_eq(routes_trace(r, a, 4000, step, 4, &why), -1);
	leaf = topo_switch_of(t, b);
	ck_assert_int_eq(routes_trace(r, t->node[t->sw[leaf].node].first_port,
				 t->port[a].lid, step, 4, &why),
		3);
	ck_assert_uint_eq(step[0].in, 0);
	/* A dead end, a port that does not exist, a loop. */
	memset(row, LFT_DROP, sizeof(row));
	routes_put_row(r, leaf, row, NULL, TOPO_NONE);
	ck_assert_int_eq(routes_trace(r, a, t->port[b].lid, step, 4, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "leaf"));
	memset(row, 200, sizeof(row));
	routes_put_row(r, leaf, row, NULL, TOPO_NONE);
	ck_assert_int_eq(routes_trace(r, a, t->port[b].lid, step, 4, &why), -1);
	memset(row, t->adj[t->sw[leaf].adj].out, sizeof(row));
	routes_put_row(r, leaf, row, NULL, TOPO_NONE);
	ck_assert_int_eq(routes_trace(r, a, t->port[b].lid, step, 4, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "loops"));
}

/* A link fails and comes back: entries are kept, then balanced again. */
TEST(driver_keeps)
{
	struct fabric *f = two_tier_tree(),
		      *less = without_link(f, "leaf1", "spine1");
	struct topo *t = frozen_topo(f, NULL), *t2 = frozen_again(less, t, 0);
	struct lft_pool *pool = lft_pool_new();
	struct route_account story;
	struct routes *r = compute_checked(t, pool, NULL, &story), *r2, *r3;

	ck_assert_str_eq(story.engine, "updn");
	ck_assert(!story.fallback && !story.rebalanced);
	ck_assert_uint_eq(story.attempts, 1);
	/* a host's own link is the busiest one */
	ck_assert_uint_lt(r->report.load_max, r->fresh_load);
	ck_assert_uint_eq(r->fresh_load, load_bound_switches(r->topo));
	r2 = compute_checked(t2, pool, r, &story);
	ck_assert_uint_gt(r2->entries_kept, r2->entries_changed);
	ck_assert_uint_gt(r2->entries_changed, 0);
	ck_assert_uint_le(r2->report.load_max * 1000, r2->fresh_load * 1250);
	r3 = compute_checked(t, pool, r2, &story);
	ck_assert_uint_le(r3->fresh_load, r->fresh_load);
	ck_assert_uint_le(r3->report.load_max * 1000, r3->fresh_load * 1250);
	routes_unref(r);
	routes_unref(r2);
	routes_unref(r3);
	ck_assert_uint_eq(pool->live, 0);
	lft_pool_free(pool);
	topo_unref(t);
	topo_unref(t2);
	fabric_free(f);
	fabric_free(less);
}

TEST(driver_names)
{
	static const char *const unknown[] = {"shortest"};
	AUTO(fabric) struct fabric *f = two_tier_tree();
	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
	AUTO(lft_pool) struct lft_pool *pool = lft_pool_new();
	volatile bool cancel = false;
	struct route_job job = {.topo = t, .pool = pool, .cancel = &cancel};
	struct route_account story;
	struct reason why = {""};
	struct routes *r = compute_routes(&job, unknown, 1, &story, &why);

	ck_assert_ptr_nonnull(r);
	ck_assert(story.fallback);
	ck_assert_ptr_nonnull(strstr(story.tried, "shortest"));
	routes_unref(r);
	r = compute_routes(&job, NULL, 0, &story, &why);
	ck_assert_ptr_nonnull(r);
	ck_assert(!story.fallback);
	routes_unref(r);
	cancel = true;
	ck_assert_ptr_null(compute_routes(&job, NULL, 0, &story, &why));
	ck_assert_str_eq(why.text, "cancelled");
	ck_assert_str_eq(registry_modules()[0]->name, "ftree");
	ck_assert_str_eq(registry_modules()[1]->name, "updn");
	ck_assert_uint_eq(pool->live, 0);
}
