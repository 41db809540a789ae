/*
 * Random transitions between random verified routings on random fabrics, in
 * random order, with lost answers and changes in the middle of changes: after
 * every step the dependency graph of all tables that packets may have met is
 * built by brute force and must have no cycle (hence no loop either). Between
 * transitions the subnet manager may have been restarted, unable to read what
 * all switches hold: those tables are in force all the same. So are those of
 * switches that do not answer, which are known, and where nothing can be
 * written or blocked.
 *
 * Tables may obey no order of switches, and multicast trees may be there: their
 * dependencies are part of the graph, of trees that stay beside every mixture,
 * and of new ones beside those that have stayed. With several layers packets
 * are judged by their layer, with a map of VLs also by the links that they came
 * over.
 */
#include <check.h>
#include <stdio.h>

#include "routing/updown/updown_state.h"
#include "tests/unit/distribution/transition/transition_unordered.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/suite.h"

enum { TREES = 4 };

/* What is played beside tables that obey an order. */
enum mode {
	ORDERED,
	RESTARTS,  /* of the subnet manager */
	SILENT,	   /* some switches do not answer, and keep their tables */
	UNORDERED, /* tables without an order, and multicast trees */
	LAYERED,   /* the same with several layers, which tables need */
	MAPPED,	   /* the same with a map of VLs, which they need too */
};

struct run {
	struct rng r;
	uint64_t seed;
	unsigned kind;
	struct fabric *f; /* nothing failed */
	struct lft_pool *pool;
	struct device_store *hw;
	struct topo *t;	     /* in force */
	struct routes *from; /* in force, too */
	struct world w;
	bool fresh; /* a switch has come back */
	enum mode mode;
	bool unsettled; /* the last transition was not carried out to its end */
	struct mcast_tree *tree[TREES];
	uint32_t bulk; /* as in transition_job */
	unsigned steps, blocked, staged, direct, stages, unread;
	unsigned layers;
	unsigned orderless, crossed; /* tables; of these, need their layers */
	unsigned classed;	     /* ... need the classes of their map */
	unsigned roomless;	     /* tables without room for trees */
	unsigned around; /* transitions that led packets around switches */
	unsigned asked, stayed; /* trees */
};

/* ---- trees ---- */

/* The dependencies of the trees that there are, into the world. */
static void
put_trees(struct run *run, struct world *w)
{
	memset(w->guest, 0, (size_t)w->nch * w->nch);
	for (unsigned i = 0; i < TREES; i++)
		if (run->tree[i] != NULL)
			world_add_tree(w, run->tree[i]);
}

/* Trees that may not stay are gone before anything is written. */
static void
judge_trees(struct run *run, const struct topo *t, struct transition_result *x)
{
	for (unsigned i = 0; i < TREES; i++) {
		struct transition_mcast *dep;
		bool stays;
		size_t n;

		if (run->tree[i] == NULL || !transition_mcast_must_ask(x))
			continue;
		dep = tree_dependencies(run->tree[i], t, &n);
		stays = transition_mcast_admit(x, dep, n);
		free(dep);
		run->asked++;
		run->stayed += stays;
		if (stays)
			continue;
		mcast_tree_free(run->tree[i]);
		run->tree[i] = NULL;
	}
}

/* New trees beside those that have stayed, which then go. */
static void
grow_trees(struct run *run, struct world *w, const struct routes *to)
{
	struct mcast_tree *new[TREES];

	for (unsigned i = 0; i < TREES; i++) {
		new[i] = world_tree(to, run->tree[i], &run->r);
		world_add_tree(w, new[i]);
	}
	ck_assert_msg(!world_cyclic(w, w->met), "new trees: kind %u seed %llu",
		run->kind, (unsigned long long)run->seed);
	for (unsigned i = 0; i < TREES; i++) {
		mcast_tree_free(run->tree[i]);
		run->tree[i] = new[i];
	}
	put_trees(run, w);
}

/* ---- layers ---- */

/* Links have 8 VLs, enough for the groups of any map. */
static void
give_vls(struct topo *t)
{
	for (port_ix p = 0; p < t->nports; p++)
		t->port[p].vl_cap = t->port[p].op_vls = 4;
}

/* Layers for new tables; what they need of them is not known yet. */
static void
put_layers(struct run *run, struct routes *r, const struct routes *prev)
{
	world_layers(r, prev, (uint8_t)run->layers, &run->r);
	r->layers.plain = run->layers == 1; /* no layer shares VLs */
	if (run->mode == MAPPED)
		r->layers.map = world_map(r->topo, run->layers, run->seed);
}

static void
begin_run(struct run *run, unsigned kind, uint64_t seed, enum mode mode)
{
	const struct frozen_lids many = {.lmc = mode == RESTARTS ? 2 : 0};

	*run = (struct run){
		.r = {seed}, .seed = seed, .kind = kind, .mode = mode};
	run->f = world_fabric(kind, &run->r);
	run->t = frozen_topo(run->f, &many);
	world_capable(run->t, true);
	give_vls(run->t);
	run->pool = lft_pool_new();
	run->hw = device_new(run->pool);
	run->layers = mode >= LAYERED ? 2 + (unsigned)seed % 3 : 1;
	run->from = world_routes(
		run->t, run->pool, NULL, rng_below(&run->r, run->t->nsw));
	put_layers(run, run->from, NULL);
	world_new(&run->w, run->t, run->t->max_lid + 1U);
	run->w.from = run->w.to = run->from;
	run->w.layers = run->layers;
	run->w.map = run->from->layers.map;
	world_install(&run->w, run->hw, run->from);
	if (mode >= UNORDERED)
		grow_trees(run, &run->w, run->from);
}

static void
end_run(struct run *run)
{
	for (unsigned i = 0; i < TREES; i++)
		mcast_tree_free(run->tree[i]);
	world_free(&run->w);
	routes_unref(run->from);
	device_free(run->hw);
	ck_assert_uint_eq(run->pool->live, 0);
	lft_pool_free(run->pool);
	topo_unref(run->t);
	fabric_free(run->f);
}

static bool
is_silent(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_QUARANTINED) != 0;
}

/* Some switches that were there before do not answer; one or none most often.
 */
static void
silence_switches(struct run *run, struct topo *t)
{
	while (run->mode == SILENT && rng_below(&run->r, 3) > 0) {
		struct topo_node *n =
			&t->node[t->sw[rng_below(&run->r, t->nsw)].node];

		if ((n->flags & TN_FRESH) == 0)
			n->flags |= TN_QUARANTINED;
	}
}

/* The fabric with something else broken; switches that come back have no
 * tables. */
static struct topo *
change_fabric(struct run *run)
{
	AUTO(fabric) struct fabric *g = world_damage(run->f, &run->r);
	struct topo *t = frozen_again(g, run->t, 0);

	world_capable(t, run->mode != SILENT || run->seed / 1000 % 2 == 0);
	give_vls(t);
	run->fresh = false;
	for (sw_ix s = 0; s < t->nsw; s++) {
		struct topo_node *n = &t->node[t->sw[s].node];

		if (topo_by_node_guid(run->t, n->guid) == TOPO_NONE) {
			device_forget_node(run->hw, n->guid);
			n->flags |= TN_FRESH;
			run->fresh = true;
		}
	}
	silence_switches(run, t);
	return t;
}

/* Restarts the manager after a drain: it reads most blocks. */
static void
restart_manager(struct run *run)
{
	const struct topo *t = run->t;
	uint32_t nlids = run->w.nlids;
	uint8_t line[LFT_BLOCK];

	world_drain(&run->w);
	device_free(run->hw);
	run->hw = device_new(run->pool);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t l = 0; l < nlids; l++) {
			uint64_t is = run->w.is[(size_t)s * nlids + l];
			lft_ref r;

			if (l % LFT_BLOCK == 0)
				memset(line, LFT_DROP, sizeof(line));
			if (is != world_bit(LFT_DROP))
				line[l % LFT_BLOCK] =
					(uint8_t)__builtin_ctzll(is);
			if ((l + 1) % LFT_BLOCK != 0 && l + 1 < nlids)
				continue;
			if (rng_below(&run->r, 4) == 0)
				continue; /* no answer to the read */
			r = lft_add(run->pool, line);
			device_set_block(run->hw, t->node[t->sw[s].node].guid,
				l / LFT_BLOCK, r);
			lft_drop(run->pool, r);
		}
}

/* All ports that packets may meet, and all that the new routing wants. */
static uint64_t *
mixed_ports(const struct world *w, const uint64_t *set, const struct routes *to)
{
	size_t n = (size_t)w->t->nsw * w->nlids;
	uint64_t *all = mem_alloc(n * sizeof(*all));

	for (sw_ix s = 0; s < w->t->nsw; s++)
		for (uint32_t l = 0; l < w->nlids; l++) {
			size_t i = (size_t)s * w->nlids + l;

			all[i] = world_bit(routes_port(to, s, (uint16_t)l));
			if (set != NULL)
				all[i] |= set[i];
		}
	return all;
}

#define holds(run, what)                                                       \
	ck_assert_msg(what, "%s: kind %u seed %llu", #what, (run)->kind,       \
		(unsigned long long)(run)->seed)

/* Whether new packets use what is blocked; the graph is that of new tables. */
static bool
is_used(const struct world *w, const struct transition_dependency *b)
{
	uint32_t c = w->off[b->sw] + b->in;
	sw_ix peer = 0;

	if (w->layers < 2)
		return w->dep[(size_t)c * w->nch +
			      world_behind(w, b->sw, b->out, &peer)];
	for (unsigned k = 0; k < WORLD_PLANES; k++)
		if ((b->layers >> k / WORLD_CLASSES & 1) != 0 &&
			(w->turn[(size_t)c * WORLD_PLANES + k] >> b->out & 1) !=
				0)
			return true;
	return false;
}

/*
 * Blocked dependencies: none in vain, none that the new routing makes; but with
 * a map they are blocked in all classes together, where one alone would be.
 */
static void
check_blocks(struct run *run, struct world *w,
	const struct transition_result *x, const uint64_t *all,
	const struct routes *to)
{
	AUTO(mem) uint64_t *is = mixed_ports(w, NULL, to);

	w->blocked = x->dep;
	w->ndeps = x->ndeps;
	holds(run, !world_cyclic(w, all));
	for (w->skip = 0; w->skip < w->ndeps; w->skip++)
		holds(run, world_cyclic(w, all) || run->mode == MAPPED ||
				   x->dep[w->skip].by_port);
	w->skip = SIZE_MAX;
	w->ndeps = 0;
	w->from = to; /* old connections apart */
	(void)world_graph(w, is);
	w->from = run->from;
	for (size_t i = 0; i < x->ndeps; i++)
		holds(run, !is_used(w, &x->dep[i]) || run->mode == MAPPED);
	w->ndeps = x->ndeps;
}

/* Whether switches that answer can block it, and open it again. */
static bool
can_be_blocked(const struct world *w, const struct transition_dependency *b)
{
	sw_ix peer = b->sw;

	if (b->by_port)
		(void)world_behind(w, b->sw, b->in, &peer);
	return !is_silent(w->t, b->sw) && !is_silent(w->t, peer);
}

static void
check_plan(struct run *run, struct world *w, const struct transition_result *x,
	const struct routes *to)
{
	AUTO(mem) uint64_t *all = mixed_ports(w, w->met, to);
	bool cyclic = world_cyclic(w, all);

	if (x->nquenches > 0) {
		holds(run, run->mode == SILENT);
		run->around++;
	} else if (x->kind != TRANSITION_NOTHING) {
		/* a silent switch may hold either of two values */
		holds(run,
			x->mixed_edges == world_graph(w, all) ||
				(run->mode == SILENT &&
					x->mixed_edges > world_graph(w, all)));
		holds(run, (x->cyclic > 0) == (x->cause[0] != '\0'));
		holds(run, x->cyclic > 0 || x->kind == TRANSITION_DIRECT);
		holds(run, x->cyclic == 0 || cyclic || run->mode == SILENT);
		holds(run, !cyclic || x->kind != TRANSITION_DIRECT);
		holds(run, (x->kind == TRANSITION_STAGED) == (x->nstages > 1) ||
				   x->kind == TRANSITION_BLOCKED);
	} else {
		holds(run, x->nwrites == 0);
	}
	holds(run, (x->kind == TRANSITION_BLOCKED) == (x->ndeps > 0));
	for (size_t i = 0; i < x->ndeps; i++)
		holds(run, can_be_blocked(w, &x->dep[i]));
	if (x->kind == TRANSITION_BLOCKED) {
		/* but for dependencies that the new routing itself makes */
		holds(run, run->mode == SILENT ||
				   x->cut_pairs <= x->paper_pairs ||
				   to->order == ROUTE_NO_ORDER ||
				   updown_state_sftree_root(to) != TOPO_NONE);
		if (x->nstages == 1 && x->nquenches == 0)
			check_blocks(run, w, x, all, to);
	}
}

/* One stage under way. */
struct flight {
	const struct lft_write *write;
	size_t n, acked;
	uint8_t *state; /* 0 to be sent, 1 sent, 2 acknowledged */
};

static void
one_step(struct run *run, struct world *w, struct flight *fl)
{
	size_t i = rng_below(&run->r, (uint32_t)fl->n);
	const struct lft_write *x = &fl->write[i];
	uint64_t guid = w->t->node[w->t->sw[x->sw].node].guid;
	const uint8_t *line = lft_bytes(run->pool, x->image);

	if (fl->state[i] == 2)
		return;
	run->steps++;
	if (fl->state[i] == 0) {
		device_sending(run->hw, guid, x->block, x->image);
		world_may(w, x->sw, x->block, line, rng_below(&run->r, 4) > 0);
		fl->state[i] = 1;
	} else if (rng_below(&run->r, 5) == 0) {
		device_unknown_block(run->hw, guid, x->block);
		fl->state[i] = 0; /* sent again */
	} else {
		device_set_block(run->hw, guid, x->block, x->image);
		if ((w->t->node[w->t->sw[x->sw].node].flags & TN_FRESH) != 0)
			device_set_never_used(run->hw, guid, x->block);
		world_may(w, x->sw, x->block, line, true);
		fl->state[i] = 2;
		fl->acked++;
	}
	holds(run, !world_cyclic(w, w->met));
}

/* True if the stage was carried out to its end. */
static bool
carry_out(struct run *run, struct world *w, const struct lft_write *write,
	size_t n, bool interrupt)
{
	struct flight fl = {write, n, 0, mem_zalloc(n, 1)};

	while (fl.acked < n) {
		if (interrupt && rng_below(&run->r, 1 + 2 * (uint32_t)n) == 0)
			break;
		one_step(run, w, &fl);
	}
	for (size_t i = 0; i < n; i++)
		if (fl.state[i] == 1)
			device_unknown_block(run->hw,
				w->t->node[w->t->sw[write[i].sw].node].guid,
				write[i].block);
	free(fl.state);
	return fl.acked == n;
}

static void
drain_world(struct run *run, struct world *w)
{
	device_drained(run->hw);
	world_drain(w);
}

static void
check_tables(struct run *run, const struct world *w, const struct routes *to)
{
	for (sw_ix s = 0; s < w->t->nsw; s++)
		for (uint32_t l = 0; l <= to->top && !is_silent(w->t, s); l++)
			holds(run, w->is[(size_t)s * w->nlids + l] ==
					   world_bit(routes_port(
						   to, s, (uint16_t)l)));
}

/* True if it was carried out to its end. */
static bool
carry_out_all(struct run *run, struct world *w, struct transition_result *x,
	const struct routes *to)
{
	bool interrupt = x->kind != TRANSITION_BLOCKED && !run->fresh &&
			 rng_below(&run->r, 3) == 0;
	size_t i = x->nquenches, n;

	if (x->nquenches > 0) {
		/* switches that have come back are not yet up */
		world_rise(w, &run->w, false);
		if (!carry_out(run, w, x->write, i, interrupt))
			return false;
		world_rise(w, &run->w, true);
		drain_world(run, w);
	}
	for (unsigned k = 0; k < x->nstages; k++, i += n) {
		for (n = 0; i + n < x->nwrites && x->write[i + n].stage == k;)
			n++;
		if (k + 1 == x->nstages && x->kind == TRANSITION_BLOCKED) {
			w->blocked = x->dep;
			w->ndeps = x->ndeps;
			holds(run, !world_cyclic(w, w->met));
			drain_world(run, w);
		}
		if (k > 0)
			drain_world(run, w);
		if (!carry_out(run, w, x->write + i, n, interrupt))
			return false;
	}
	ck_assert_uint_eq(i, x->nwrites);
	check_tables(run, w, to);
	if (x->kind == TRANSITION_BLOCKED || rng_below(&run->r, 2) == 0) {
		drain_world(run, w);
		w->from = to; /* connections on other layers: sl_history_test */
	}
	w->ndeps = 0;
	holds(run, !world_cyclic(w, w->met));
	return true;
}

/* Whether tables have a cycle where the map gives each layer one group. */
static bool
needs_classes(const struct routes *r)
{
	struct world w;
	AUTO(mem) uint64_t *all = NULL;
	bool cyclic;

	world_new(&w, r->topo, r->topo->max_lid + 1U);
	w.from = w.to = r;
	w.layers = r->layers.n;
	all = mixed_ports(&w, NULL, r);
	cyclic = world_cyclic(&w, all);
	world_free(&w);
	return cyclic;
}

/* The next tables, which may obey no order. */
static struct routes *
next_routes(struct run *run, struct topo *t)
{
	unsigned how = rng_below(&run->r, 3);
	sw_ix root = how == 1 ? rng_below(&run->r, t->nsw) : TOPO_NONE;
	struct routes *to =
		world_routes(t, run->pool, how == 0 ? run->from : NULL, root);

	put_layers(run, to, run->from);
	if (run->mode < UNORDERED || rng_below(&run->r, 4) == 0)
		return to;
	if (world_unorder(to, run->from, rng_below(&run->r, 101), &run->r)) {
		run->orderless++;
		run->crossed += !to->layers.plain;
		run->classed += run->mode == MAPPED && needs_classes(to);
		to->layers.plain = run->layers == 1;
		return to;
	}
	run->roomless++;
	routes_unref(to);
	to = world_routes(t, run->pool, NULL, TOPO_NONE);
	put_layers(run, to, run->from);
	return to;
}

/* New routes on changed links: with the order kept, another root, or any
 * order. */
static void
run_transition(struct run *run)
{
	struct topo *t = change_fabric(run);
	struct routes *to = next_routes(run, t);
	struct transition_job job = {.to = to,
		.from = run->from,
		.hw = run->hw,
		.bulk = run->bulk,
		.guests = run->mode >= UNORDERED,
		.unsettled = run->unsettled,
		.max_stages = 1 + rng_below(&run->r, 8)};
	uint32_t lids = t->max_lid + 1U;
	struct transition_result *x;
	struct world w;

	world_new(&w, t, lids > run->w.nlids ? lids : run->w.nlids);
	for (sw_ix s = 0; s < t->nsw; s++)
		t->sw[s].lft_top = (uint16_t)(w.nlids - 1);
	world_move(&w, &run->w);
	w.from = run->from;
	w.to = to;
	w.layers = run->layers;
	w.map = to->layers.map;
	if (run->layers > 1)
		world_rows(run->hw, to);
	x = transition_find(&job);
	holds(run, x->unread == 0 || run->mode == RESTARTS);
	holds(run, x->ports_down == NULL);
	if (x->unread == 0)
		check_plan(run, &w, x, to);
	run->unread += x->unread > 0;
	run->direct += x->kind == TRANSITION_DIRECT;
	run->staged += x->kind == TRANSITION_STAGED;
	run->blocked += x->kind == TRANSITION_BLOCKED;
	run->stages += x->nstages;
	judge_trees(run, t, x);
	put_trees(run, &w);
	run->unsettled = !carry_out_all(run, &w, x, to);
	if (!run->unsettled && run->mode >= UNORDERED) {
		if (transition_mcast_must_ask(x)) {
			drain_world(run, &w); /* as sm/core/run_mcast does */
			w.from = to;
		}
		grow_trees(run, &w, to);
	}
	transition_free(x);
	world_free(&run->w);
	run->w = w;
	routes_unref(run->from);
	run->from = to;
	run->w.from = to;
	topo_unref(run->t);
	run->t = t;
}

static void
many_transitions(unsigned kind, unsigned seeds, enum mode mode)
{
	unsigned steps = 0, direct = 0, staged = 0, blocked = 0, unread = 0;
	unsigned orderless = 0, asked = 0, stayed = 0, crossed = 0;
	unsigned roomless = 0, classed = 0, around = 0;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct run run;

		begin_run(&run, kind, seed * 1000 + kind, mode);
		run.bulk = mode != SILENT && seed > FEWER(20);
		for (unsigned i = 0; i < 5; i++) {
			if (mode == RESTARTS && rng_below(&run.r, 2) == 0)
				restart_manager(&run);
			run_transition(&run);
		}
		steps += run.steps;
		direct += run.direct;
		staged += run.staged;
		blocked += run.blocked;
		unread += run.unread;
		orderless += run.orderless;
		asked += run.asked;
		stayed += run.stayed;
		crossed += run.crossed;
		roomless += run.roomless;
		around += run.around;
		classed += run.classed;
		end_run(&run);
	}
	ck_assert_int_eq(unread > 0, mode == RESTARTS);
	ck_assert_int_eq(orderless > 0, mode >= UNORDERED);
	ck_assert(mode != SILENT || kind == 4 || around > 0);
	ck_assert_int_eq(classed > 0, mode == MAPPED);
	ck_assert(mode < UNORDERED || stayed < asked);
	(void)printf(
		"kind %u: %u steps, %u direct, %u staged, %u blocked, "
		"%u with tables that nobody knew, %u without an order, %u of "
		"them need layers, %u classes, %u had no room for trees, "
		"%u of %u trees stayed, %u led packets around switches\n",
		kind, steps, direct, staged, blocked, unread, orderless,
		crossed, classed, roomless, stayed, asked, around);
}

LOOP_TEST(random_transitions, 0, 6)
{
	many_transitions((unsigned)_i, FEWER(30), ORDERED);
}

LOOP_TEST(restarts, 0, 6)
{
	many_transitions((unsigned)_i, FEWER(10), RESTARTS);
}

LOOP_TEST(silent_switches, 0, 6)
{
	many_transitions((unsigned)_i, 20, SILENT);
}

LOOP_TEST(layers_without_an_order, 0, 6)
{
	many_transitions((unsigned)_i, FEWER(12), LAYERED);
}

LOOP_TEST(maps_without_an_order, 0, 6)
{
	many_transitions((unsigned)_i, FEWER(20), MAPPED);
}

LOOP_TEST(without_an_order, 0, 6)
{
	many_transitions((unsigned)_i, FEWER(30), UNORDERED);
}
