/*
 * A restart over an unchanged fabric decides what the previous run did: after
 * any changes of any fabric, the tables read back and the state file give the
 * same tables, switch order, planes and layers again.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "routing/driver/registry.h"
#include "routing/updown/updown_state.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/routing/engines/ftree/layers_asked.h"
#include "tests/unit/state_fixture.h"
#include "tests/unit/suite.h"
#include "tests/unit/tables_hash.h"

/* ---- sequences of changes ---- */

struct day {
	uint64_t seed;
	struct rng rng;
	struct fabric *f;
	bool *gone_cable, *gone_node; /* what has failed */
	struct lft_pool *pool;
	struct engine_options options;
	struct topo *t;
	struct routes *r;
	uint64_t now;
};

static unsigned
draw_below(struct day *d, unsigned n)
{
	return rng_below(&d->rng, n);
}

static struct fabric *
pick_fabric(struct day *d)
{
	unsigned hosts = 1 + draw_below(d, 3), n = 4 + draw_below(d, 14);
	unsigned dim[3] = {2 + draw_below(d, 3), 2 + draw_below(d, 3), 2};
	struct gen_fattree2 two = {1 + draw_below(d, 4), 2 + draw_below(d, 5),
		1 + draw_below(d, 2), hosts, 2};
	struct gen_planes planes = {2, 3 + draw_below(d, 4), 2, hosts, 1};
	unsigned down[3] = {1 + draw_below(d, 3), 2 + draw_below(d, 3),
		1 + draw_below(d, 3)};
	unsigned up[3] = {1, 1 + draw_below(d, 3), 1 + draw_below(d, 3)};

	switch (draw_below(d, 9)) {
	case 0:
		return gen_tree_two(&two, NULL);
	case 1:
		return shape_of("three:4");
	case 2:
		return gen_tree_pgft(down[2] > 1 ? 3 : 2, down, up, NULL, NULL);
	case 3:
		return gen_paper_planes(&planes);
	case 4:
		return gen_hyperx(dim, 2, hosts, NULL);
	case 5:
		dim[0] += draw_below(d, 6);
		return gen_grid(dim, 1, true, hosts, NULL);
	case 6:
		return gen_grid(dim, 1 + draw_below(d, 3),
			draw_below(d, 2) == 0, hosts, NULL);
	default:
		n += n & 1;
		return gen_random(n, 2 + draw_below(d, 2), hosts,
			rng_next(&d->rng), NULL);
	}
}

static struct routes *
compute_for_day(const struct day *d, struct route_job *job, struct topo *t)
{
	static const char *const engines[] = {"ftree", "updn"};
	struct route_account story;
	struct reason why = {""};
	struct routes *r;

	job->topo = t;
	job->pool = d->pool;
	job->options = &d->options;
	job->now = d->now;
	job->load_limit = 1250;
	job->threads = 1;
	r = compute_routes(job, engines, 2, &story, &why);
	ck_assert_msg(r != NULL, "seed %llu: %s", (unsigned long long)d->seed,
		why.text);
	return r;
}

static void
begin_day(struct day *d, uint64_t seed)
{
	const struct frozen_lids lids = {0};
	struct route_job job = {0};

	*d = (struct day){.seed = seed, .rng = {seed}, .now = 1};
	d->f = pick_fabric(d);
	ck_assert_ptr_nonnull(d->f);
	d->gone_cable = mem_zalloc(d->f->ncables, sizeof(*d->gone_cable));
	d->gone_node = mem_zalloc(d->f->nnodes, sizeof(*d->gone_node));
	d->pool = lft_pool_new();
	d->options =
		with_layers(draw_below(d, 3) > 0 ? 1 : 1 + draw_below(d, 8));
	d->options.reading = 1;
	d->t = frozen_topo(d->f, &lids);
	d->r = compute_for_day(d, &job, d->t);
}

static void
end_day(struct day *d)
{
	routes_unref(d->r);
	topo_unref(d->t);
	lft_pool_free(d->pool);
	free(d->gone_cable);
	free(d->gone_node);
	fabric_free(d->f);
}

/* One of n comes back: the first failed one from a random index on. */
static void
bring_back(struct day *d, bool *gone, uint32_t n)
{
	uint32_t first = draw_below(d, n);

	for (uint32_t i = 0; i < n; i++)
		if (gone[(first + i) % n]) {
			gone[(first + i) % n] = false;
			return;
		}
}

/* A random change, but none of the first host, where the manager is, and its
 * switch. */
static void
apply_random_event(struct day *d)
{
	uint32_t cable = draw_below(d, d->f->ncables),
		 node = draw_below(d, d->f->nnodes);
	uint32_t self = fabric_first_host(d->f), its = FABRIC_NONE;
	const struct fabric_cable *c = &d->f->cable[cable];
	unsigned port;

	(void)fabric_peer(d->f, self, 1, &its, &port);

	switch (draw_below(d, 8)) {
	case 0:
	case 1:
	case 2:
		d->gone_cable[cable] = c->node[0] != self && c->node[1] != self;
		break;
	case 3:
	case 4:
		bring_back(d, d->gone_cable, d->f->ncables);
		break;
	case 5:
		d->gone_node[node] = node != self && node != its;
		break;
	default:
		bring_back(d, d->gone_node, d->f->nnodes);
		break;
	}
}

/* The fabric without what has failed; everything is back if it would be
 * disconnected. */
static struct fabric *
remaining_fabric(struct day *d)
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
change_fabric(struct day *d)
{
	struct route_job job = {.prev = d->r};
	struct routes *r;
	struct fabric *f;
	struct topo *t;

	apply_random_event(d);
	while (draw_below(d, 5) == 0)
		apply_random_event(d);
	f = remaining_fabric(d);
	t = frozen_again(f, d->t, 0);
	fabric_free(f);
	d->now++;
	r = compute_for_day(d, &job, t);
	routes_unref(d->r);
	topo_unref(d->t);
	d->r = r;
	d->t = t;
}

/* The previous routes as they are after a restart, made like those of
 * run_push.c. */
static struct routes *
make_readback_routes(
	const struct day *d, const struct route_rank *rank, size_t n)
{
	struct routes *r = routes_new(d->t, d->pool);
	struct reason why = {""};
	struct buf text = {0};

	r->engine = "found";
	r->order = d->r->order;
	r->fresh_load = d->r->fresh_load;
	routes_restore(r, rank, n);
	registry_print_state(d->r, &text);
	ck_assert_msg(
		registry_parse_state(r, d->r->engine, text.text, &why) == 0,
		"%s", why.text);
	buf_free(&text);
	for (sw_ix s = 0; s < d->t->nsw; s++)
		routes_put_same(r, s, d->r, s);
	return r;
}

static bool
arrays_equal(const void *a, const void *b, size_t n)
{
	return (a == NULL) == (b == NULL) &&
	       (a == NULL || memcmp(a, b, n) == 0);
}

/* The name of the first difference, or NULL. */
static const char *
find_difference(const struct routes *a, const struct routes *b)
{
	uint32_t n = a->topo->nsw;

	if (strcmp(a->engine, b->engine) != 0)
		return "engine";
	if (a->order != b->order || !arrays_equal(a->rank, b->rank, n * 4))
		return "order";
	if (updown_state_sftree_root(a) != updown_state_sftree_root(b) ||
		!arrays_equal(a->sw_order, b->sw_order, n * 4))
		return "line";
	if (!arrays_equal(a->part, b->part, n))
		return "planes";
	if (a->layers.n != b->layers.n ||
		!arrays_equal(updown_state_of(a)->leaf_number,
			updown_state_of(b)->leaf_number, n * 2))
		return "lanes";
	if (!arrays_equal(a->reading->of, b->reading->of, n) ||
		a->reading->class.when != b->reading->class.when)
		return "reading";
	if (a->fresh_load != b->fresh_load)
		return "load";
	return tables_hash(a) != tables_hash(b) ? "tables" : NULL;
}

static void
expect_same_from_readback(const struct day *d, unsigned changes)
{
	struct route_job job = {0};
	AUTO(mem) struct route_rank *rank = remembered_ranks(d->r, &job);
	struct routes *prev = make_readback_routes(d, rank, job.nranks), *r;
	const char *what;

	job.prev = prev;
	job.restored = true;
	r = compute_for_day(d, &job, d->t);
	what = find_difference(d->r, r);
	ck_assert_msg(what == NULL, "seed %llu, after %u changes: another %s",
		(unsigned long long)d->seed, changes, what);
	routes_unref(r);
	routes_unref(prev);
}

static void
whole_day(uint64_t seed)
{
	struct day d;
	unsigned n;

	begin_day(&d, seed);
	n = 4 + draw_below(&d, 16);
	for (unsigned i = 0; i <= n; i++) {
		if (i > 0)
			change_fabric(&d);
		expect_same_from_readback(&d, i);
	}
	end_day(&d);
}

enum { DAYS = FEWER(50) };

LOOP_TEST(days, 0, 8)
{
	for (uint64_t seed = 0; seed < DAYS; seed++)
		whole_day((uint64_t)_i * DAYS + seed);
}

/* Seeds where a fresh reading of the same fabric gave other tiers, or another
 * sFtree root. */
static const uint64_t looked_afresh[] = {1088, 1476, 2255, 2388, 3418};

LOOP_TEST(what_came_about_by_changes, 0, LEN(looked_afresh))
{
	whole_day(looked_afresh[_i]);
}

/* ---- kept entries ---- */

/* Three switches in a line, and the link that makes a ring of them. */
static void
begin_line(struct day *d)
{
	const struct frozen_lids lids = {0};
	const unsigned three = 3;
	struct route_job job = {0};
	struct fabric *f;

	*d = (struct day){.f = gen_grid(&three, 1, true, 2, NULL)};
	d->gone_cable = mem_zalloc(d->f->ncables, sizeof(*d->gone_cable));
	d->gone_node = mem_zalloc(d->f->nnodes, sizeof(*d->gone_node));
	d->pool = lft_pool_new();
	for (uint32_t c = 0; c < d->f->ncables && !d->gone_cable[0]; c++) {
		const struct fabric_cable *x = &d->f->cable[c];

		if (d->f->node[x->node[0]].type != FABRIC_SWITCH ||
			d->f->node[x->node[1]].type != FABRIC_SWITCH)
			continue;
		d->gone_cable[c] = true;
		break;
	}
	f = remaining_fabric(d);
	d->t = frozen_topo(f, &lids);
	fabric_free(f);
	d->r = compute_for_day(d, &job, d->t);
}

/* Entries are kept by an engine only if it would accept the fabric. */
TEST(keeping_asks_the_engine)
{
	struct day d;
	AUTO(fabric) struct fabric *f = NULL;
	AUTO(topo) struct topo *t = NULL;
	struct routes *r;
	struct route_job job;

	begin_line(&d);
	ck_assert_str_eq(d.r->engine, "ftree");
	memset(d.gone_cable, 0, d.f->ncables);
	f = remaining_fabric(&d);
	t = frozen_again(f, d.t, 0);
	job = (struct route_job){.prev = d.r};
	r = compute_for_day(&d, &job, t);
	ck_assert_str_eq(r->engine, "updn");
	routes_unref(r);
	end_day(&d);
}

/* ---- through the daemon ---- */

static uint64_t
count_sets(const struct world *w, uint16_t attr)
{
	return sim_stats(w->sim)->by[sim_attr_row(attr)][MAD_SET];
}

static void *
copy_array(const void *p, size_t n)
{
	return p != NULL ? mem_dup(p, n) : NULL;
}

/* Kills and starts the daemon: all is as before, and no table is written. */
static void
expect_same_after_restart(struct world *w, const char *when)
{
	const struct routes *r = sm_view(w->sm)->routes;
	uint32_t n = r->topo->nsw,
		 *line = copy_array(r->sw_order, n * sizeof(*line));
	AUTO(mem)
	uint16_t *cls =
		copy_array(updown_state_of(r)->leaf_number, n * sizeof(*cls));
	AUTO(mem) uint8_t *plane = copy_array(r->part, n);

	world_run(w, mono_ms(3000));
	world_kill(w);
	sim_clear_stats(w->sim);
	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", when);
	r = sm_view(w->sm)->routes;
	ck_assert_msg(
		arrays_equal(r->sw_order, line, n * sizeof(*line)), "%s", when);
	ck_assert_msg(arrays_equal(updown_state_of(r)->leaf_number, cls,
			      n * sizeof(*cls)),
		"%s", when);
	ck_assert_msg(arrays_equal(r->part, plane, n), "%s", when);
	ck_assert_msg(count_sets(w, MAD_LFT) == 0, "%s", when);
	ck_assert_msg(count_sets(w, MAD_MFT) == 0, "%s", when);
	ck_assert_msg(count_sets(w, MAD_VLARB) == 0, "%s", when);
	ck_assert_msg(
		count_sets(w, MAD_SL2VL) == sim_stats(w->sim)->sl2vl_blind,
		"%s", when);
	free(line);
}

/* A leaf that was away gets another class; otherwise it would have its old one
 * by chance. */
TEST(numbers_of_leaves)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "routing: {ftree: {layers: 4}}\n");
	uint32_t a = fabric_find(f, "leaf3"), b = fabric_find(f, "leaf5");

	core_expect_order(w, "bring-up");
	expect_same_after_restart(w, "bring-up");
	sim_fault_node(w->sim, a, false);
	core_expect_order(w, "one leaf out");
	sim_fault_node(w->sim, b, false);
	core_expect_order(w, "two leaves out");
	sim_fault_node(w->sim, b, true);
	core_expect_order(w, "the second is back");
	sim_fault_node(w->sim, a, true);
	core_expect_order(w, "both are back");
	expect_same_after_restart(w, "two leaves have changed numbers");
	core_end(w, f);
}

/* Fails and restores in the simulation what `cable` and `node` lack. */
static void
carry_out(const struct day *d, struct world *w, bool *cable, bool *node)
{
	for (uint32_t c = 0; c < d->f->ncables; c++)
		if (cable[c] != d->gone_cable[c])
			sim_fault_link(w->sim, d->f->cable[c].node[0],
				d->f->cable[c].port[0], !d->gone_cable[c]);
	for (uint32_t n = 0; n < d->f->nnodes; n++)
		if (node[n] != d->gone_node[n])
			sim_fault_node(w->sim, n, !d->gone_node[n]);
	memcpy(cable, d->gone_cable, d->f->ncables);
	memcpy(node, d->gone_node, d->f->nnodes);
}

static void
daemon_day(uint64_t seed)
{
	struct day d;
	struct world *w;
	bool *cable, *node;
	char when[64];
	unsigned n;

	begin_day(&d, seed);
	cable = mem_zalloc(d.f->ncables, sizeof(*cable));
	node = mem_zalloc(d.f->nnodes, sizeof(*node));
	w = core_start(d.f, "");
	n = 4 + draw_below(&d, 16);
	for (unsigned i = 0; i <= n; i++) {
		(void)snprintf(when, sizeof(when), "seed %llu, %u changes",
			(unsigned long long)seed, i);
		if (i > 0)
			apply_random_event(&d);
		carry_out(&d, w, cable, node);
		ck_assert_msg(world_settle(w, mono_ms(120000)), "%s", when);
		expect_same_after_restart(w, when);
	}
	free(cable);
	free(node);
	core_end(w, d.f);
	d.f = NULL;
	end_day(&d);
}

LOOP_TEST(days_of_a_daemon, 0, 6)
{
	daemon_day(_i == 0 ? 359 : (uint64_t)_i);
}

TEST(planes)
{
	AUTO(fabric) struct fabric *f = shape_of("planes:2:4:2:2:1");
	AUTO(world) struct world *w = core_start(f, "");

	core_expect(w, REFEREE_ALL & ~(unsigned)REFEREE_LOAD, "bring-up");
	ck_assert_ptr_nonnull(sm_view(w->sm)->routes->part);
	expect_same_after_restart(w, "planes");
}
