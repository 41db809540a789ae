/*
 * The time to plan a safe transition, and what it needs: one failed link and a
 * full change on trees; then, over random irregular fabrics, how often stages
 * suffice, how often dependencies are blocked, and what the paper would block;
 * and what several failures at once need if the switch order is kept.
 *
 * usage: safe [FIXTURES [EVENTS]]
 */
#include <stdio.h>

#include "routing/updown/updown_state.h"
#include "routing/verify/verify.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/ibnet.h"
#include "tests/unit/distribution/transition/transition_world.h"

static void
plan_transition(const char *what, const struct transition_job *job)
{
	double best = 0;

	for (unsigned i = 0; i < 5; i++) {
		double at = clock_cpu_ms();
		struct transition_result *x = transition_find(job);

		at = clock_cpu_ms() - at;
		if (i == 0)
			(void)printf("  %-12s %s: %llu entries, %llu blocks, "
				     "%llu edges, %u cyclic, %u stages, %zu "
				     "turns",
				what, transition_kind_name(x->kind),
				(unsigned long long)x->entries,
				(unsigned long long)x->blocks,
				(unsigned long long)x->mixed_edges, x->cyclic,
				x->nstages, x->ndeps);
		best = i == 0 || at < best ? at : best;
		transition_free(x);
	}
	(void)printf(", %.1f ms\n", best);
}

/* Routes in which every entry up has the next link up instead. */
static struct routes *
rotate_uplinks(const struct routes *r)
{
	const struct topo *t = r->topo;
	struct routes *x = routes_new(r->topo, r->pool);
	uint8_t *row = mem_alloc((size_t)r->nblocks * LFT_BLOCK);

	x->order = r->order;
	memcpy(x->rank, r->rank, t->nsw * sizeof(*x->rank));
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint8_t up[256] = {0}, first = 0, last = 0;

		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[i];

			if (!routes_above(r, a->peer, s) ||
				r->rank[a->peer] == r->rank[s])
				continue;
			up[last] = a->out;
			first = first == 0 ? a->out : first;
			last = a->out;
		}
		up[last] = first;
		for (uint32_t l = 0; l < r->nblocks * LFT_BLOCK; l++) {
			uint8_t p = routes_port(r, s, (uint16_t)l);
			bool host = l <= t->max_lid &&
				    t->by_lid[l] != TOPO_NONE &&
				    t->port[t->by_lid[l]].num != 0;

			row[l] = host && p != LFT_DROP && up[p] ? up[p] : p;
		}
		routes_put_row(x, s, row, NULL, TOPO_NONE);
	}
	free(row);
	return x;
}

static bool
is_verified(const struct routes *r)
{
	struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct verify_report report;

	return verify_tables(&in, &report, NULL) == 0;
}

/* f is freed. */
static void
bench_tree(const char *name, struct fabric *f)
{
	struct lft_pool *pool = lft_pool_new();
	struct topo *t = frozen_topo(f, NULL), *t1;
	struct routes *r = world_routes(t, pool, NULL, TOPO_NONE), *r1;
	struct device_store *hw = device_new(pool);
	struct reason why = {""};
	struct transition_job job = {.from = r,
		.hw = hw,
		.max_stages = 8,
		.method = TRANSITION_AUTO};

	(void)printf("%s: %u switches, LIDs to %u\n", name, t->nsw, t->max_lid);
	world_known(hw, r);
	f = gen_edit_fail_links(f, 1, 1, true, &why);
	t1 = frozen_again(f, t, 0);
	r1 = world_routes(t1, pool, r, TOPO_NONE);
	job.to = r1;
	plan_transition("one link", &job);
	routes_unref(r1);
	r1 = rotate_uplinks(r);
	job.to = r1;
	if (is_verified(r1))
		plan_transition("full change", &job);
	routes_unref(r1);
	r1 = world_routes(t, pool, NULL, t->nsw - 1);
	job.to = r1;
	plan_transition("one root", &job);
	routes_unref(r1);
	routes_unref(r);
	device_free(hw);
	lft_pool_free(pool);
	topo_unref(t);
	topo_unref(t1);
	fabric_free(f);
}

static void
all_trees(const char *fixtures)
{
	static const struct gen_fattree2 ft648 = {18, 36, 1, 18, 18};
	struct reason why = {""};
	char path[512];
	struct fabric *f;

	bench_tree("648", gen_tree_two(&ft648, &why));
	bench_tree("3456", gen_tree_three(24, &why));
	(void)snprintf(path, sizeof(path), "%s/%s.ibnet", fixtures,
		"ufm-sdk-selene-compute");
	f = ibnet_load(path, NULL, &why);
	if (f != NULL)
		bench_tree("Selene", f);
	else
		(void)printf("Selene: skipped: %s\n", why.text);
	bench_tree("11664", gen_tree_three(36, &why));
}

enum event { KEEP_ORDER, SWITCH_GONE, ROOT_LOST, ROOT_MOVED, EVENTS };

struct tally {
	unsigned n, way[4], stages, turns, cyclic;
	uint64_t cut, paper, pairs, reversed, cables;
	double route_ms, plan_ms;
};

/* A copy of f without a switch or a cable, by the kind of event; or NULL. */
static struct fabric *
break_fabric(const struct fabric *f, enum event e, const struct routes *r,
	struct rng *g)
{
	struct reason why = {""};
	struct fabric_edit edit = {.drop_orphans = true};
	const struct topo *t = r->topo;
	sw_ix top = 0;
	struct fabric *x;

	if (e == KEEP_ORDER || e == ROOT_MOVED)
		return gen_edit_fail_links(
			world_copy(f), 1, rng_next(g), true, &why);
	if (e == SWITCH_GONE)
		return gen_edit_fail_switches(
			world_copy(f), 1, rng_next(g), true, &why);
	for (sw_ix s = 1; s < t->nsw; s++)
		if (routes_above(r, s, top))
			top = s;
	x = world_copy(f);
	for (uint32_t n = 0; n < x->nnodes; n++) {
		bool *drop = mem_zalloc(x->nnodes, sizeof(*drop));
		struct fabric *y;

		drop[n] = x->node[n].guid == t->node[t->sw[top].node].guid;
		edit.drop_node = drop;
		y = drop[n] && fabric_connected(x, FABRIC_NONE, n)
			    ? fabric_rebuild(x, &edit)
			    : NULL;
		free(drop);
		if (y != NULL) {
			fabric_free(x);
			return y;
		}
	}
	fabric_free(x);
	return NULL;
}

/* A fabric and its routes in force. */
struct scene {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct device_store *hw;
	struct routes *r;
};

static void
scene_new(struct scene *c, struct fabric *f)
{
	c->f = f;
	c->t = frozen_topo(f, NULL);
	c->pool = lft_pool_new();
	c->hw = device_new(c->pool);
	c->r = world_routes(c->t, c->pool, NULL, TOPO_NONE);
	world_known(c->hw, c->r);
}

static void
scene_free(struct scene *c)
{
	routes_unref(c->r);
	device_free(c->hw);
	lft_pool_free(c->pool);
	topo_unref(c->t);
	fabric_free(c->f);
}

/*
 * Plan the transition to b, the rest of the fabric, and add it to y. b is
 * freed. over: NULL; or only changes without new ranks count, in y those that
 * keep the order, in over those in which links change direction.
 */
static void
add_transition(const struct scene *c, struct fabric *b, sw_ix root,
	struct tally *y, struct tally *over)
{
	struct topo *t1 = frozen_again(b, c->t, 0);
	struct transition_job job = {
		.from = c->r, .hw = c->hw, .max_stages = over != NULL ? 32 : 8};
	struct transition_result *x;
	struct routes *to;
	double at = clock_cpu_ms(), then;
	uint64_t reversed;

	world_capable(t1, true);
	to = world_routes(t1, c->pool, root == TOPO_NONE ? c->r : NULL, root);
	job.to = to;
	then = clock_cpu_ms();
	x = transition_find(&job);
	reversed = world_reversed(c->r, to);
	if (over != NULL && reversed > 0)
		y = over;
	if (over == NULL || updown_state_of(to) == NULL ||
		updown_state_of(to)->reranked == 0) {
		y->route_ms += then - at;
		y->plan_ms += clock_cpu_ms() - then;
		y->cables += t1->nadj / 2;
		y->reversed += reversed;
		y->n++;
		y->way[x->kind]++;
		y->stages += x->nstages;
		y->cyclic += x->cyclic > 0;
		y->turns += (unsigned)x->ndeps;
		y->cut += x->cut_pairs;
		y->paper += x->paper_pairs;
		if (x->kind == TRANSITION_BLOCKED)
			y->pairs += (uint64_t)t1->nsw * t1->max_lid;
	}
	transition_free(x);
	routes_unref(to);
	topo_unref(t1);
	fabric_free(b);
}

/* f is freed. */
static void
one_event(struct fabric *f, uint64_t seed, enum event e, struct tally *y)
{
	struct rng g = {seed};
	struct scene c;
	struct fabric *b;

	scene_new(&c, f);
	b = break_fabric(c.f, e, c.r, &g);
	if (b != NULL)
		add_transition(&c, b,
			e == ROOT_MOVED ? rng_below(&g, c.t->nsw) : TOPO_NONE,
			y, NULL);
	scene_free(&c);
}

static void
print_tally(const char *name, uint32_t size, const struct tally *y)
{
	double n = y->n > 0 ? y->n : 1;
	double pairs = y->pairs > 0 ? (double)y->pairs : 1;
	double cables = y->cables > 0 ? (double)y->cables : 1;

	(void)printf("%-24s %4u %6u %6.1f%% %6.1f%% %6.1f%% %6.1f%% %6.2f "
		     "%7.1f%% %9.0f %9.0f %5.1f %7.1f %7.1f\n",
		name, size, y->n, 100 * y->cyclic / n,
		100 * y->way[TRANSITION_DIRECT] / n,
		100 * y->way[TRANSITION_STAGED] / n,
		100 * y->way[TRANSITION_BLOCKED] / n, y->stages / n,
		100 * (double)y->reversed / cables,
		1e6 * (double)y->cut / pairs, 1e6 * (double)y->paper / pairs,
		y->way[TRANSITION_BLOCKED]
			? (double)y->turns / y->way[TRANSITION_BLOCKED]
			: 0,
		y->route_ms / n, y->plan_ms / n);
}

static void
print_statistics(unsigned events)
{
	static const char *const name[] = {"link lost, order sticky",
		"switch removed", "root lost", "link lost, root moved"};
	static const unsigned sizes[] = {8, 16, 24, 32, 64};
	struct reason why = {""};

	(void)printf("%-24s %4s %6s %7s %7s %7s %7s %6s %8s %9s %9s %5s %7s "
		     "%7s\n",
		"event", "n", "events", "cyclic", "direct", "staged", "blocked",
		"stages", "reversed", "ours/1e6", "paper/1e6", "turns",
		"ms new", "ms plan");
	for (int e = 0; e < EVENTS; e++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct tally y = {0};

			for (uint64_t s = 1; s <= events; s++)
				one_event(gen_random(sizes[i], 3, 1, s, &why),
					s, (enum event)e, &y);
			print_tally(name[e], sizes[i], &y);
		}
}

/*
 * Loss of the root of regular fabrics that are no trees, with two links less.
 */
static void
roots_lost(unsigned events)
{
	static const char *const name[] = {"root lost, torus",
		"root lost, 3D torus", "root lost, dragonfly"};
	unsigned flat[2] = {8, 8}, cube[3] = {5, 5, 5};
	struct reason why = {""};

	for (unsigned kind = 0; kind < 3; kind++) {
		struct tally y = {0};
		uint32_t size = 0;

		for (uint64_t s = 1; s <= events; s++) {
			struct fabric *f =
				kind == 2 ? gen_dragonfly(4, 2, 2, &why)
					  : gen_grid(kind ? cube : flat,
						    kind + 2, true, 1, &why);

			f = gen_edit_fail_links(f, 2, s, true, &why);
			size = 0;
			for (uint32_t n = 0; n < f->nnodes; n++)
				size += f->node[n].type == TOPO_SWITCH;
			one_event(f, s, ROOT_LOST, &y);
		}
		print_tally(name[kind], size, &y);
	}
}

/* Let links fail first, and put the routes for that into force. */
static void
scene_wear(struct scene *c, unsigned links, struct rng *g)
{
	struct reason why = {""};
	struct fabric *f = gen_edit_fail_links(
		world_copy(c->f), links, rng_next(g), true, &why);
	struct topo *t = c->t;
	struct routes *r = c->r;

	if (f == NULL)
		return;
	fabric_free(c->f);
	c->f = f;
	c->t = frozen_again(f, t, 0);
	c->r = world_routes(c->t, c->pool, r, TOPO_NONE);
	topo_unref(t);
	routes_unref(r);
	world_known(c->hw, c->r);
}

/* Up to four links fail at once, perhaps after earlier failures. */
static void
kept_event(unsigned kind, uint64_t seed, struct tally *y, struct tally *over)
{
	struct rng g = {seed};
	struct reason why = {""};
	struct scene c;
	struct fabric *b;

	scene_new(&c, world_tiers(kind, &g));
	for (uint64_t i = 0; i < seed % 3; i++)
		scene_wear(&c, 1 + rng_below(&g, 2), &g);
	b = gen_edit_fail_links(world_copy(c.f), 1 + rng_below(&g, 4),
		rng_next(&g), true, &why);
	if (b != NULL)
		add_transition(&c, b, TOPO_NONE, y, over);
	scene_free(&c);
}

static void
print_kept(const char *what, const char *where, unsigned events,
	const struct tally *y)
{
	(void)printf("%s, 1-4 links, %-12s %4u of %u: %u direct, %u staged, "
		     "%.2f stages, %u blocked\n",
		what, where, y->n, events, y->way[TRANSITION_DIRECT],
		y->way[TRANSITION_STAGED],
		y->n > 0 ? 1.0 * y->stages / y->n : 0,
		y->way[TRANSITION_BLOCKED]);
}

/*
 * If the switch order is kept, nothing is ever blocked. If it is not, though no
 * rank differs, another sFtree subtree is chosen.
 */
static void
order_kept(unsigned events)
{
	static const char *const name[] = {"4-port tree", "6-port tree",
		"k-ary 3-tree", "planes", "torus", "3D torus"};

	for (unsigned kind = 0; kind < sizeof(name) / sizeof(*name); kind++) {
		struct tally y = {0}, over = {0};

		for (uint64_t s = 1; s <= events; s++)
			kept_event(kind, s, &y, &over);
		print_kept("order kept", name[kind], events, &y);
		if (over.n > 0)
			print_kept("cables turned over", name[kind], events,
				&over);
	}
}

int
main(int argc, char **argv)
{
	unsigned events = args_number(argc, argv, 2, 100);

	all_trees(argc > 1 ? argv[1] : "../shared/fixtures");
	print_statistics(events);
	roots_lost(events);
	order_kept(events);
	return 0;
}
