/* Plans of changes that need stages, or dependencies that are blocked. */
#include "tests/unit/distribution/plan/plan_fixture.h"
#include "tests/unit/routing/layers_fixture.h"

/* A transition made by hand: one dependency of s0 blocked, two stages. */
static struct transition_result *
make_transition(struct rig *g, bool by_port)
{
	struct transition_result *x = calloc(1, sizeof(*x));

	x->method = TRANSITION_AUTO;
	x->kind = TRANSITION_BLOCKED;
	x->pool = g->pool;
	x->nstages = 2;
	x->nwrites = 2;
	x->write = calloc(2, sizeof(*x->write));
	for (uint16_t i = 0; i < 2; i++)
		x->write[i] = (struct lft_write){.sw = i,
			.image = lft_share(g->pool, routes_ref_of(g->r, i, 0)),
			.stage = i,
			.last = true};
	x->write[0].quench = g->quench;
	x->write[0].raised = g->raised;
	x->nquenches = g->quench;
	x->ndeps = 1;
	x->dep = calloc(1, sizeof(*x->dep));
	x->dep[0] = (struct transition_dependency){.in = 2,
		.out = by_port ? 0 : 1,
		.by_port = by_port,
		.layers = UINT16_MAX,
		.pairs = 3};
	return x;
}

static void
rig_plan_change(struct rig *g, struct transition_result *x)
{
	const struct plan_job job = {
		.routes = g->r, .change = x, .hw = g->hw, .params = &params};

	g->p = plan_make(&job);
}

static void
rig_plan_by_hand(struct rig *g, bool by_port)
{
	rig_plan_change(g, make_transition(g, by_port));
}

/* The phases: a stage that needs nothing blocked; block, drain, the last stage,
 * drain, unblock. */
TEST(a_blocked_transition)
{
	AUTO(rig) struct rig g;
	size_t block, lft, open;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	rig_plan_by_hand(&g, false);
	block = phase_of(&g, PLAN_BLOCK, false);
	lft = phase_of(&g, PLAN_LFT, false);
	open = phase_of(&g, PLAN_UNBLOCK, false);
	ck_assert_uint_eq(phase_of(&g, PLAN_LEARN, false) + 1, lft);
	ck_assert_uint_eq(lft + 1, block);
	ck_assert_uint_eq(block + 2, open);
	ck_assert(!g.p->phase[lft].drain && !g.p->phase[block].drain);
	ck_assert_int_eq(g.p->phase[block + 1].kind, PLAN_LFT);
	ck_assert(g.p->phase[block + 1].drain && g.p->phase[open].drain);
	ck_assert_uint_eq(g.p->phase[block + 1].stage, 1);
	ck_assert_uint_eq(
		g.p->step[g.p->phase[open].first].payload, PLAN_BEFORE);
	ck_assert_ptr_null(g.p->downed);
}

/* Blocks above a top that comes down are in force until then: nothing is
 * unblocked before. */
TEST(tops_come_down_before_unblocking)
{
	AUTO(rig) struct rig g;
	size_t lower;

	rig_draft(&g);
	rig_state(&g, 4);
	builder_set_lft(g.d, g.sw[0], 1024, 200);
	rig_routes(&g);
	rig_plan_by_hand(&g, false);
	lower = phase_of(&g, PLAN_LOWER, false);
	ck_assert_int_eq(g.p->phase[lower - 1].kind, PLAN_LFT);
	ck_assert_uint_eq(lower + 1, phase_of(&g, PLAN_UNBLOCK, false));
	ck_assert(g.p->phase[lower + 1].drain);
}

/* Of a dependency that is blocked in two layers, in one of them for good: that
 * one is blocked first, both before the last stage, and one opens. */
TEST(one_layer_stays_blocked)
{
	struct transition_result *x;
	uint16_t stays, both;
	struct slvl levels;
	AUTO(rig) struct rig g;
	size_t block;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	g.r->layers.n = 2;
	slvl_allocate(&(struct slvl_want){0}, 2, false, &levels);
	stays = slvl_sls(&levels, 1);
	both = slvl_sls(&levels, 3);
	ck_assert_uint_ne(stays, both);
	x = make_transition(&g, false);
	x->dep[0].layers = 3;
	x->dep[0].stays = 1;
	x->nstays = 1;
	rig_plan_change(&g, x);
	block = phase_of(&g, PLAN_BLOCK, false);
	ck_assert_uint_eq(g.p->step[g.p->phase[block].first].payload, stays);
	ck_assert_int_eq(g.p->phase[block + 1].kind, PLAN_LFT);
	ck_assert_int_eq(g.p->phase[block + 2].kind, PLAN_BLOCK);
	ck_assert_uint_eq(g.p->step[g.p->phase[block + 2].first].payload, both);
	ck_assert_uint_eq(count_steps(&g, PLAN_UNBLOCK), 1);
	plan_free(g.p);
	g.p = NULL;
	/* blocked in one layer, and there for good: once */
	x = make_transition(&g, false);
	x->dep[0].layers = x->dep[0].stays = 1;
	x->nstays = 1;
	rig_plan_change(&g, x);
	ck_assert_uint_eq(count_steps(&g, PLAN_BLOCK), 1);
}

/* The step of a phase of this kind that sets the row (in, out) of a switch, or
 * NULL. */
static const struct plan_step *
row_step(const struct rig *g, enum plan_kind k, uint64_t guid, unsigned in,
	unsigned out)
{
	for (size_t i = 0; i < g->p->nsteps; i++) {
		const struct plan_step *s = &g->p->step[i];
		const struct topo_port *p = &g->t->port[s->port];

		if (s->kind == k && s->attr == DEVICE_SL2VL && s->block == in &&
			p->num == out && g->t->node[p->node].guid == guid)
			return s;
	}
	return NULL;
}

static bool
sets_row(const struct rig *g, enum plan_kind k, uint64_t guid, unsigned in,
	unsigned out)
{
	return row_step(g, k, guid, in, out) != NULL;
}

/* Every port has four VLs, and maps SLs to them. */
static void
rig_layers(struct rig *g)
{
	rig_draft(g);
	rig_state(g, 4);
	rig_routes(g);
	g->r->layers.n = 2;
	for (port_ix p = 0; p < g->t->nports; p++) {
		g->t->port[p].vl_cap = g->t->port[p].op_vls = 3;
		g->t->port[p].capmask |= MAD_CAP_SL_MAPPING;
	}
}

/*
 * A row with SLs that stay blocked is left as it is while they shall be; it is
 * unblocked after the tables otherwise, and what replaces it is blocked before.
 */
TEST(settled_blocks)
{
	const struct blocked_row settled = {.guid = 0x100,
		.in = 2,
		.out = 1,
		.before = {1},
		.stays = 1,
		.settled = true};
	struct transition_result *x;
	uint8_t row[SL2VL_ROW];
	struct slvl levels;
	AUTO(rig) struct rig g;
	size_t open;

	rig_layers(&g);
	slvl_allocate(&(struct slvl_want){0}, 2, false, &levels);
	ck_assert_uint_eq(slvl_sls(&levels, 1) & 1, 1);
	blocked_rows_add(device_blocked(g.hw), &settled);
	blocked_rows_settle(
		device_blocked(g.hw), 0x100, 2, 1, slvl_sls(&levels, 1));
	slvl_row(&levels, (struct slvl_hop){4, .end = true},
		row); /* port 1 leads to a host */
	sl2vl_row_block(row, slvl_sls(&levels, 1));
	device_put(g.hw, device_at_row(0x100, 2, 1), row);
	x = make_transition(&g, false);
	x->dep[0].layers = x->dep[0].stays = 1;
	x->nstays = 1;
	rig_plan_change(&g, x);
	ck_assert_uint_eq(count_steps(&g, PLAN_BLOCK), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_UNBLOCK), 0);
	ck_assert(!sets_row(&g, PLAN_SLVL, 0x100, 2, 1));
	plan_free(g.p);
	/* another layer, too: the first is not unblocked for it */
	x = make_transition(&g, false);
	x->dep[0].layers = x->dep[0].stays = 2;
	x->nstays = 1;
	rig_plan_change(&g, x);
	ck_assert_uint_eq(count_steps(&g, PLAN_BLOCK), 1);
	ck_assert_uint_eq(
		g.p->step[g.p->phase[phase_of(&g, PLAN_BLOCK, false)].first]
			.payload,
		slvl_sls(&levels, 3));
	open = phase_of(&g, PLAN_UNBLOCK, false);
	ck_assert_uint_eq(
		g.p->step[g.p->phase[open].first].stays, slvl_sls(&levels, 2));
	plan_free(g.p);
	/* no more connections */
	x = make_transition(&g, false);
	x->ndeps = 0;
	x->kind = TRANSITION_STAGED;
	rig_plan_change(&g, x);
	ck_assert(!sets_row(&g, PLAN_SLVL, 0x100, 2, 1));
	open = phase_of(&g, PLAN_UNBLOCK, false);
	ck_assert_uint_gt(open, phase_of(&g, PLAN_LFT, false));
	ck_assert_uint_eq(g.p->step[g.p->phase[open].first].stays, 0);
}

/*
 * A push that was stopped has blocked a layer, and this one blocks another:
 * both are blocked until the tables are written, for what the first one wrote
 * relies on it. A row that was not acknowledged may block anything.
 */
TEST(blocks_of_a_stopped_push)
{
	const struct blocked_row left = {.guid = 0x100, .in = 2, .out = 1};
	struct transition_result *x;
	uint8_t row[SL2VL_ROW];
	struct slvl levels;
	AUTO(rig) struct rig g;

	rig_layers(&g);
	slvl_allocate(&(struct slvl_want){0}, 2, false, &levels);
	slvl_row(&levels, (struct slvl_hop){4, .end = true}, row);
	sl2vl_row_block(row, slvl_sls(&levels, 2));
	for (unsigned known = 0; known < 2; known++) {
		if (known)
			device_put(g.hw, device_at_row(0x100, 2, 1), row);
		blocked_rows_add(device_blocked(g.hw), &left);
		x = make_transition(&g, false);
		x->dep[0].layers = 1;
		rig_plan_change(&g, x);
		ck_assert_uint_eq(
			row_step(&g, PLAN_BLOCK, 0x100, 2, 1)->payload,
			known ? slvl_sls(&levels, 3) : UINT16_MAX);
		ck_assert_uint_eq(
			row_step(&g, PLAN_UNBLOCK, 0x100, 2, 1)->stays, 0);
		plan_free(g.p);
		g.p = NULL;
	}
}

/*
 * A row with SLs that stay blocked, of a time without a link at one of its
 * ports, is right before that comes up, but for these SLs.
 */
TEST(blocked_rows_of_links_that_come_up)
{
	const struct blocked_row settled = {.guid = 0x100, .in = 2, .out = 1};
	uint8_t row[SL2VL_ROW], other[SL2VL_ROW];
	struct slvl levels;
	AUTO(rig) struct rig g;

	rig_layers(&g);
	slvl_allocate(&(struct slvl_want){0}, 2, false, &levels);
	blocked_rows_add(device_blocked(g.hw), &settled);
	blocked_rows_settle(
		device_blocked(g.hw), 0x100, 2, 1, slvl_sls(&levels, 1));
	slvl_row(&levels, (struct slvl_hop){4, .end = true}, row);
	sl2vl_row_block(row, slvl_sls(&levels, 1));
	memset(other, 0x33, sizeof(other));
	sl2vl_row_block(other, slvl_sls(&levels, 1));
	device_put(g.hw, device_at_row(0x100, 2, 1), other);
	rig_plan_change(&g, make_transition(&g, false));
	ck_assert(!sets_row(&g, PLAN_SLVL, 0x100, 2, 1));
	for (unsigned num = 1; num <= 2; num++) {
		struct topo_port *p = &g.t->port[topo_port_of(
			g.t, topo_by_node_guid(g.t, 0x100), num)];
		const struct plan_step *s;

		plan_free(g.p);
		p->state = PORT_INIT;
		rig_plan_change(&g, make_transition(&g, false));
		p->state = PORT_ACTIVE;
		s = row_step(&g, PLAN_SLVL, 0x100, 2, 1);
		ck_assert_ptr_nonnull(s);
		ck_assert_mem_eq(g.p->payload[s->payload], row, sizeof(row));
	}
}

/*
 * A row of which some SLs will stay blocked is right for all others before
 * tables that need their layers follow; what it blocks by now stays blocked.
 */
TEST(partly_blocked_rows_before_tables_with_layers)
{
	const struct blocked_row left = {.guid = 0x100, .in = 2, .out = 1};
	struct transition_result *x;
	uint8_t row[SL2VL_ROW], is[SL2VL_ROW];
	struct slvl levels;
	AUTO(rig) struct rig g;

	rig_layers(&g);
	slvl_allocate(&(struct slvl_want){0}, 2, false, &levels);
	slvl_row(&levels, (struct slvl_hop){4, .end = true}, row);
	memset(is, 0x33, sizeof(is));
	for (unsigned blocked = 0; blocked < 2; blocked++) {
		const struct plan_step *s;

		if (blocked) {
			blocked_rows_add(device_blocked(g.hw), &left);
			sl2vl_row_block(is, slvl_sls(&levels, 2));
			sl2vl_row_block(row, slvl_sls(&levels, 2));
		}
		device_put(g.hw, device_at_row(0x100, 2, 1), is);
		for (unsigned first = 0; first < 2; first++) {
			x = make_transition(&g, false);
			x->dep[0].layers = x->dep[0].stays = 1;
			x->nstays = 1;
			x->rows_first = first;
			rig_plan_change(&g, x);
			s = row_step(&g, PLAN_SLVL, 0x100, 2, 1);
			ck_assert_int_eq(s != NULL, first);
			if (s != NULL)
				ck_assert_mem_eq(g.p->payload[s->payload], row,
					sizeof(row));
			ck_assert_ptr_nonnull(
				row_step(&g, PLAN_BLOCK, 0x100, 2, 1));
			plan_free(g.p);
			g.p = NULL;
		}
	}
}

/* Rows of SL2VL are written beside the old tables where these allow it, and
 * drain; else while all ports are down. */
TEST(rows_for_other_layers)
{
	struct transition_result *x;
	AUTO(rig) struct rig g;
	size_t rows;

	rig_layers(&g);
	x = make_transition(&g, false);
	x->ndeps = 0;
	x->kind = TRANSITION_DIRECT;
	x->nstages = 1;
	x->write[1].stage = 0;
	rig_plan_change(&g, x);
	ck_assert_uint_gt(count_steps(&g, PLAN_SLVL), 0);
	rows = phase_of(&g, PLAN_LFT, false);
	ck_assert(!g.p->phase[rows].drain);
	g.p->change->rows_first = true;
	x = g.p->change;
	g.p->change = NULL;
	plan_free(g.p);
	rig_plan_change(&g, x);
	rows = phase_of(&g, PLAN_SLVL, false);
	ck_assert_int_eq(g.p->phase[rows + 1].kind, PLAN_LFT);
	ck_assert(g.p->phase[rows + 1].drain);
	plan_free(g.p);
	x = make_transition(&g, true);
	x->method = TRANSITION_STATIC;
	rig_plan_change(&g, x);
	rows = phase_of(&g, PLAN_SLVL, false);
	ck_assert_uint_gt(rows, phase_of(&g, PLAN_SETTLE, false));
	ck_assert_uint_lt(rows, phase_of(&g, PLAN_LFT, false));
	ck_assert_uint_lt(rows, phase_of(&g, PLAN_ARM, false));
}

/* Walls, entries set to 255 towards unknown tables, come before all LFT writes;
 * the phase after them drains. */
TEST(quenches_first)
{
	AUTO(rig) struct rig g;
	size_t i, quench;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	g.quench = true;
	rig_plan_by_hand(&g, false);
	quench = phase_of(&g, PLAN_QUENCH, false);
	ck_assert_uint_eq(count_steps(&g, PLAN_QUENCH), 1);
	ck_assert(!g.p->phase[quench].drain);
	ck_assert(g.p->phase[quench + 1].drain);
	for (i = 0; i < quench; i++)
		ck_assert_int_eq(g.p->phase[i].kind, PLAN_PARAMS);
	ck_assert_uint_eq(g.p->phase[phase_of(&g, PLAN_LFT, false)].stage, 1);
}

/* A top is raised when all walls below it are written; the walls above it
 * follow. */
LOOP_TEST(quenches_and_tops, 0, 2)
{
	AUTO(rig) struct rig g;
	size_t quench, top;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	device_mark(g.hw, device_at_switch(0x101, DEVICE_LFT), DEVICE_REFUSES);
	g.quench = true;
	g.raised = _i == 1;
	rig_plan_by_hand(&g, false);
	quench = phase_of(&g, PLAN_QUENCH, false);
	top = phase_of(&g, PLAN_TOP, false);
	ck_assert_uint_eq(top, g.raised ? quench - 1 : quench + 1);
	ck_assert_int_eq(g.p->phase[top].drain, !g.raised);
}

/* The same with a port instead: taken down, settled, cleared, verified; raised
 * at the end. */
TEST(a_port_instead_of_a_dependency)
{
	static const enum plan_kind order[] = {PLAN_DOWN, PLAN_SETTLE,
		PLAN_CLEAR, PLAN_VERIFY, PLAN_LFT, PLAN_LFT, PLAN_RAISE,
		PLAN_PREPARE, PLAN_ARM, PLAN_ACTIVATE};
	AUTO(rig) struct rig g;
	size_t i, at;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	rig_plan_by_hand(&g, true);
	at = phase_of(&g, PLAN_DOWN, false);
	for (i = 0; i < sizeof(order) / sizeof(*order); i++)
		ck_assert_int_eq(g.p->phase[at + i].kind, order[i]);
	ck_assert_uint_eq(count_steps(&g, PLAN_DOWN), 1);   /* at one end */
	ck_assert_uint_eq(count_steps(&g, PLAN_SETTLE), 2); /* both ends fall */
	ck_assert_uint_eq(count_steps(&g, PLAN_CLEAR), 2);
	/* what they hold in Init was not read */
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 2);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 2);
	/* the end nearer to the manager */
	ck_assert_uint_eq(
		g.t->node[g.t->port[g.p->step[g.p->phase[at].first].port].node]
			.guid,
		0x100);
}

/* A switch that refused SL2VL rows has its port taken down instead. */
TEST(refused_rows)
{
	AUTO(rig) struct rig g;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	device_mark(
		g.hw, device_at_switch(0x100, DEVICE_SL2VL), DEVICE_REFUSES);
	rig_plan_by_hand(&g, false);
	ck_assert_uint_eq(count_steps(&g, PLAN_BLOCK), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_UNBLOCK), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_DOWN), 1);
}

/* What a previous run left blocked is unblocked when the tables are written. */
TEST(blocks_of_a_previous_run_are_opened)
{
	const struct blocked_row left = {.guid = 0x101, .in = 2, .out = 1};
	const struct blocked_row gone = {.guid = 0x999, .in = 2, .out = 1};
	AUTO(rig) struct rig g;
	size_t open;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	blocked_rows_add(device_blocked(g.hw), &left);
	blocked_rows_add(device_blocked(g.hw), &gone);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_BLOCK), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_UNBLOCK), 1);
	open = phase_of(&g, PLAN_UNBLOCK, false);
	ck_assert_uint_gt(open, phase_of(&g, PLAN_LFT, false));
	ck_assert(g.p->phase[open].drain);
}

/* With two layers every pair of ports gets its SL2VL row, unless it is in
 * place. */
TEST(sl2vl_rows)
{
	uint8_t row[SL2VL_ROW];
	AUTO(rig) struct rig g;
	size_t all;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	g.r->layers.n = 2;
	g.r->layers.plain = true;
	rig_plan(&g);
	all = count_steps(&g, PLAN_SLVL);
	/* two linked ports and port 0: 4 pairs a switch; 2 hosts */
	ck_assert_uint_eq(all, 2 * 4 + 2);
	ck_assert_uint_eq(count_steps(&g, PLAN_LEARN), all);
	sl2vl_row_default(2, row);
	device_put(g.hw, device_at_row(0x100, 1, 2), row);
	sl2vl_row_default(4, row);
	device_put(g.hw, device_at_row(0x100, 2, 1), row);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_SLVL), all - 1);
	ck_assert_uint_eq(count_steps(&g, PLAN_LEARN), all - 2);
}
