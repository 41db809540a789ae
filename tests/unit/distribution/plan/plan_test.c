/* Plans: values that are in place are not sent, nor any that must never be
 * echoed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "distribution/plan/plan.h"
#include "sm/mad/mad.h"
#include "tests/unit/routing/layers_fixture.h"
#include "tests/unit/suite.h"

/* Two switches, a link between them, a host on each; the manager runs on the
 * first host. */
struct rig {
	struct builder *d;
	builder_id sw[2], ca[2];
	struct topo *t;
	struct lft_pool *pool;
	struct device_store *hw;
	struct routes *r;
	struct plan *p;
	bool quench; /* make_transition(): the first write is a quench (255) */
	bool raised; /* and lies above LinearFDBTop of its switch */
};

static const struct plan_params params = {
	.subnet_prefix = 0xfe80000000000000U,
	.subnet_timeout = 18,
	.hoq_life = 18,
	.leaf_hoq_life = 16,
	.vl_stall = 7,
	.max_vls_code = 5,
};

static void
rig_draft(struct rig *g)
{
	unsigned i;

	memset(g, 0, sizeof(*g));
	g->d = builder_new();
	for (i = 0; i < 2; i++) {
		g->sw[i] = builder_add_node(
			g->d, TOPO_SWITCH, 0x100 + i, 4, i ? "s1" : "s0");
		g->ca[i] = builder_add_node(
			g->d, TOPO_CA, 0x200 + 16 * i, 1, i ? "h1" : "h0");
		builder_add_link(g->d, g->sw[i], 1, g->ca[i], 1);
	}
	builder_add_link(g->d, g->sw[0], 2, g->sw[1], 2);
	builder_set_self(g->d, g->ca[0], 1);
}

static void
rig_state(struct rig *g, uint8_t state)
{
	unsigned i;

	for (i = 0; i < 2; i++) {
		builder_set_port_state(g->d, g->sw[i], 1, state);
		builder_set_port_state(g->d, g->sw[i], 2, state);
		builder_set_port_state(g->d, g->ca[i], 1, state);
	}
}

static void
rig_routes(struct rig *g)
{
	struct topo *raw = builder_freeze(g->d, 1, NULL);
	uint16_t *lid = calloc(raw->nports, sizeof(*lid));
	uint8_t *lmc = calloc(raw->nports, 1);
	uint8_t row[LFT_BLOCK];
	uint16_t next = 1;
	port_ix p;
	sw_ix s;

	for (p = 0; p < raw->nports; p++)
		if (topo_has_lid(raw, p))
			lid[p] = next++;
	g->t = topo_with_lids(raw, &(struct topo_lids){lid, lmc});
	free(lid);
	free(lmc);
	topo_unref(raw);
	g->pool = lft_pool_new();
	g->hw = device_new(g->pool);
	g->r = routes_new(g->t, g->pool);
	for (s = 0; s < g->t->nsw; s++) {
		memset(row, LFT_DROP, sizeof(row));
		row[1] = 1;
		row[2] = (uint8_t)(2 + s);
		routes_put_row(g->r, s, row, NULL, TOPO_NONE);
	}
}

static void
rig_plan_with(struct rig *g, const struct plan_block *block, size_t n)
{
	const struct transition_job safe = {
		.to = g->r, .hw = g->hw, .max_stages = 8};
	const struct plan_job job = {.routes = g->r,
		.change = transition_find(&safe),
		.hw = g->hw,
		.params = &params,
		.block = block,
		.nblocks = n};

	plan_free(g->p);
	g->p = plan_make(&job);
}

static void
rig_plan(struct rig *g)
{
	rig_plan_with(g, NULL, 0);
}

static void
rig_free(struct rig *g)
{
	plan_free(g->p);
	routes_unref(g->r);
	device_free(g->hw);
	lft_pool_free(g->pool);
	topo_unref(g->t);
	builder_free(g->d);
}

static size_t
count_steps(const struct rig *g, enum plan_kind k)
{
	size_t n = 0;

	for (size_t i = 0; i < g->p->nphases; i++)
		if (g->p->phase[i].kind == k)
			n += g->p->phase[i].end - g->p->phase[i].first;
	return n;
}

TEST(fresh_fabric)
{
	struct rig g;
	size_t i;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PARAMS), 2); /* port 0 twice */
	ck_assert_uint_eq(count_steps(&g, PLAN_TOP), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_LFT), 2);
	ck_assert_uint_eq(count_steps(&g, PLAN_RAISE), 2);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 6);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 6);
	ck_assert_uint_eq(count_steps(&g, PLAN_ACTIVATE), 6);
	ck_assert_uint_eq(count_steps(&g, PLAN_LOWER), 0);
	for (i = 0; i < g.p->nsteps; i++) {
		const struct plan_step *s = &g.p->step[i];
		const struct topo_port *port = &g.t->port[s->port];
		struct mad_port_info pi;

		if (s->attr != DEVICE_PORT_INFO)
			continue;
		ck_assert_int_eq(mad_port_info_decode(
					 g.p->payload[s->payload], &pi, NULL),
			0);
		ck_assert_uint_eq(pi.phys_state, 0); /* never echoed */
		ck_assert_uint_eq(pi.down_default, 2);
		ck_assert_uint_eq(pi.width_enabled, 0);
		ck_assert_uint_eq(pi.speed_enabled, 0);
		ck_assert(!pi.client_rereg);
		ck_assert_uint_eq(pi.state, s->kind == PLAN_ARM	       ? 3
					    : s->kind == PLAN_ACTIVATE ? 4
								       : 0);
		if (topo_has_lid(g.t, s->port)) {
			ck_assert_uint_eq(pi.lid, port->lid);
			ck_assert_uint_eq(
				pi.sm_lid, g.t->port[g.t->sm_port].lid);
		} else {
			ck_assert_uint_eq(pi.lid, 0);
			ck_assert_uint_eq(pi.sm_lid, 0);
		}
	}
	rig_free(&g);
}

TEST(what_is_in_place_is_not_sent)
{
	struct rig g;
	sw_ix s;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	for (s = 0; s < g.t->nsw; s++)
		device_set_block(g.hw, g.t->node[g.t->sw[s].node].guid, 0,
			routes_ref_of(g.r, s, 0));
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_LFT), 0);
	ck_assert_uint_eq(g.p->change->kept, 2);
	/* one answer lost: that block alone goes out again */
	device_unknown_block(g.hw, 0x101, 0);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_LFT), 1);
	rig_free(&g);
}

TEST(top_first_where_blocks_above_are_refused)
{
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	device_mark(g.hw, device_at_switch(0x101, DEVICE_LFT), DEVICE_REFUSES);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_TOP), 1);
	ck_assert_uint_eq(count_steps(&g, PLAN_RAISE), 1);
	rig_free(&g);
}

/* LifeTimeValue is set with LinearFDBTop, or alone where that stays. */
TEST(lifetimes_of_switches)
{
	struct plan_params wanted = params;
	struct plan_job job = {.params = &wanted};
	struct mad_switch_info si;
	struct rig g;
	size_t i, sets = 0;

	rig_draft(&g);
	rig_state(&g, 4);
	builder_set_lft(g.d, g.sw[1], 1024, 4); /* the top that it shall have */
	rig_routes(&g);
	wanted.packet_life = 18;
	job.routes = g.r;
	job.hw = g.hw;
	job.change = transition_find(&(struct transition_job){
		.to = g.r, .hw = g.hw, .max_stages = 8});
	g.p = plan_make(&job);
	for (i = 0; i < g.p->nsteps; i++) {
		if (g.p->step[i].attr != DEVICE_SWITCH_INFO)
			continue;
		sets++;
		(void)mad_switch_info_decode(
			g.p->payload[g.p->step[i].payload], &si, NULL);
		ck_assert_uint_eq(si.life, 18);
		ck_assert_uint_eq(si.lft_top, g.r->top);
		ck_assert_int_eq(g.p->step[i].kind,
			g.t->node[g.t->port[g.p->step[i].port].node].guid ==
					0x101
				? PLAN_PARAMS
				: PLAN_RAISE);
	}
	ck_assert_uint_eq(sets, 2);
	device_set_keeps_life(g.hw, 0x101, 18);
	job.change = transition_find(&(struct transition_job){
		.to = g.r, .hw = g.hw, .max_stages = 8});
	plan_free(g.p);
	g.p = plan_make(&job);
	for (i = 0; i < g.p->nsteps; i++)
		ck_assert(g.p->step[i].attr != DEVICE_SWITCH_INFO ||
			  g.p->step[i].kind != PLAN_PARAMS);
	rig_free(&g);
}

TEST(live_ports_get_no_change_sets)
{
	struct rig g;
	size_t i;

	rig_draft(&g);
	rig_state(&g, 4);
	builder_set_lft(g.d, g.sw[0], 1024, 200);
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_ACTIVATE), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_LOWER), 1);
	ck_assert_uint_eq(count_steps(&g, PLAN_RAISE), 1);
	for (i = 0; i < count_steps(&g, PLAN_PARAMS); i++) {
		struct mad_port_info pi;

		ck_assert_int_eq(
			mad_port_info_decode(
				g.p->payload[g.p->step[i].payload], &pi, NULL),
			0);
		ck_assert_uint_eq(pi.state, 0);
	}
	rig_free(&g);
}

TEST(quarantined_switches_are_left_alone)
{
	struct rig g;
	size_t i;

	rig_draft(&g);
	rig_state(&g, 2);
	builder_quarantine(g.d, 0x101, "test");
	rig_routes(&g);
	rig_plan(&g);
	for (i = 0; i < g.p->nsteps; i++) {
		node_ix n = g.t->port[g.p->step[i].port].node;

		ck_assert_uint_ne(g.t->node[n].guid, 0x101);
	}
	/* at the other end, too, the link stays in Init */
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 2);
	rig_free(&g);
}

TEST(half_raised_links_are_finished)
{
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 4);
	builder_set_port_state(g.d, g.sw[0], 2, 2); /* Init */
	builder_set_port_state(g.d, g.sw[1], 2, 3); /* Armed */
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 1);
	ck_assert_uint_eq(count_steps(&g, PLAN_ACTIVATE), 2);
	rig_free(&g);
}

/* The index of the first phase of a kind, or nphases. */
static size_t
phase_of(const struct rig *g, enum plan_kind k, bool fresh)
{
	size_t i;

	for (i = 0; i < g->p->nphases; i++)
		if (g->p->phase[i].kind == k && g->p->phase[i].fresh == fresh)
			break;
	return i;
}

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
	struct rig g;
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
	rig_free(&g);
}

/* Blocks above a top that comes down are in force until then: nothing is
 * unblocked before. */
TEST(tops_come_down_before_unblocking)
{
	struct rig g;
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
	rig_free(&g);
}

/* Of a dependency that is blocked in two layers, in one of them for good: that
 * one is blocked first, both before the last stage, and one opens. */
TEST(one_layer_stays_blocked)
{
	struct transition_result *x;
	uint16_t stays, both;
	struct slvl levels;
	struct rig g;
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
	rig_free(&g);
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
	struct rig g;
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
	rig_free(&g);
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
	struct rig g;

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
	rig_free(&g);
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
	struct rig g;

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
	rig_free(&g);
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
	struct rig g;

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
	rig_free(&g);
}

/* Rows of SL2VL are written beside the old tables where these allow it, and
 * drain; else while all ports are down. */
TEST(rows_for_other_layers)
{
	struct transition_result *x;
	struct rig g;
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
	rig_free(&g);
}

/* Walls, entries set to 255 towards unknown tables, come before all LFT writes;
 * the phase after them drains. */
TEST(quenches_first)
{
	struct rig g;
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
	rig_free(&g);
}

/* A top is raised when all walls below it are written; the walls above it
 * follow. */
LOOP_TEST(quenches_and_tops, 0, 2)
{
	struct rig g;
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
	rig_free(&g);
}

/* The same with a port instead: taken down, settled, cleared, verified; raised
 * at the end. */
TEST(a_port_instead_of_a_dependency)
{
	static const enum plan_kind order[] = {PLAN_DOWN, PLAN_SETTLE,
		PLAN_CLEAR, PLAN_VERIFY, PLAN_LFT, PLAN_LFT, PLAN_RAISE,
		PLAN_PREPARE, PLAN_ARM, PLAN_ACTIVATE};
	struct rig g;
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
	rig_free(&g);
}

/* A switch that refused SL2VL rows has its port taken down instead. */
TEST(refused_rows)
{
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	device_mark(
		g.hw, device_at_switch(0x100, DEVICE_SL2VL), DEVICE_REFUSES);
	rig_plan_by_hand(&g, false);
	ck_assert_uint_eq(count_steps(&g, PLAN_BLOCK), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_UNBLOCK), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_DOWN), 1);
	rig_free(&g);
}

/* What a previous run left blocked is unblocked when the tables are written. */
TEST(blocks_of_a_previous_run_are_opened)
{
	const struct blocked_row left = {.guid = 0x101, .in = 2, .out = 1};
	const struct blocked_row gone = {.guid = 0x999, .in = 2, .out = 1};
	struct rig g;
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
	rig_free(&g);
}

/* With two layers every pair of ports gets its SL2VL row, unless it is in
 * place. */
TEST(sl2vl_rows)
{
	uint8_t row[SL2VL_ROW];
	struct rig g;
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
	rig_free(&g);
}

/* A fresh switch is written and raised before its ports come up. */
TEST(fresh_switches_first)
{
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	rig_plan(&g);
	ck_assert_uint_lt(
		phase_of(&g, PLAN_LFT, true), phase_of(&g, PLAN_RAISE, true));
	ck_assert_uint_lt(
		phase_of(&g, PLAN_RAISE, true), phase_of(&g, PLAN_ARM, false));
	ck_assert_uint_eq(phase_of(&g, PLAN_LFT, false), g.p->nphases);
	rig_free(&g);
}

/* The step of this kind for a port, or NULL. */
static const struct plan_step *
step_of(const struct rig *g, enum plan_kind k, port_ix p)
{
	for (size_t i = 0; i < g->p->nsteps; i++)
		if (g->p->step[i].kind == k && g->p->step[i].port == p)
			return &g->p->step[i];
	return NULL;
}

static struct mad_port_info
sent_by(const struct rig *g, const struct plan_step *s)
{
	struct mad_port_info i;

	ck_assert_ptr_nonnull(s);
	ck_assert_int_eq(
		mad_port_info_decode(g->p->payload[s->payload], &i, NULL), 0);
	return i;
}

/* The fabric once more, with what the builder knows by now. */
static void
rig_reread(struct rig *g)
{
	plan_free(g->p);
	g->p = NULL;
	routes_unref(g->r);
	device_free(g->hw);
	lft_pool_free(g->pool);
	topo_unref(g->t);
	rig_routes(g);
}

/* What a port answers from now on. */
static void
rig_answers(struct rig *g, port_ix p, const struct mad_port_info *i)
{
	uint8_t d[MAD_DATA];

	mad_port_info_encode(i, d);
	builder_port_written(g->d, g->t->node[g->t->port[p].node].guid,
		g->t->port[p].num, d);
}

/* Port 2 of s0: of the link between the switches. */
static port_ix
link_port(const struct rig *g)
{
	return topo_port_of(g->t, topo_by_node_guid(g->t, 0x100), 2);
}

/* MTU, VLs and the rest go to ports in Init with NoChange, then the state with
 * the same; where everything is in place, the state alone. */
TEST(parameters_before_the_state)
{
	struct mad_port_info i, armed;
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	ck_assert_int_eq(
		mad_port_info_decode(topo_info(g.t, link_port(&g)), &i, NULL),
		0);
	i.mtu = i.op_vls = 1;
	rig_answers(&g, link_port(&g), &i);
	rig_reread(&g);
	rig_plan(&g);
	ck_assert_uint_lt(phase_of(&g, PLAN_PREPARE, false),
		phase_of(&g, PLAN_ARM, false));
	i = sent_by(&g, step_of(&g, PLAN_PREPARE, link_port(&g)));
	ck_assert_uint_eq(i.state, 0);
	ck_assert_uint_eq(i.mtu, 5);
	ck_assert_uint_eq(i.op_vls, 3);
	ck_assert_uint_eq(i.hoq_life, 18);
	armed = sent_by(&g, step_of(&g, PLAN_ARM, link_port(&g)));
	ck_assert_uint_eq(armed.state, 3);
	armed.state = 0;
	ck_assert_int_eq(memcmp(&armed, &i, sizeof(i)), 0);
	for (size_t k = 0; k < g.p->nsteps; k++)
		if (g.p->step[k].kind == PLAN_PREPARE) {
			i = sent_by(&g, &g.p->step[k]);
			i.state = 2;
			rig_answers(&g, g.p->step[k].port, &i);
		}
	rig_reread(&g);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 0);
	ck_assert_uint_eq(count_steps(&g, PLAN_ARM), 6);
	rig_free(&g);
}

/* The end of a link that came up first keeps its MTU, and the other follows. */
TEST(an_end_that_is_armed_keeps_its_mtu)
{
	struct mad_port_info i;
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	ck_assert_int_eq(
		mad_port_info_decode(topo_info(g.t, link_port(&g)), &i, NULL),
		0);
	i.mtu = 3;
	i.state = 3;
	rig_answers(&g, link_port(&g), &i);
	rig_reread(&g);
	rig_plan(&g);
	ck_assert_ptr_null(step_of(&g, PLAN_PREPARE, link_port(&g)));
	ck_assert_ptr_null(step_of(&g, PLAN_ARM, link_port(&g)));
	i = sent_by(&g, step_of(&g, PLAN_ACTIVATE, link_port(&g)));
	ck_assert_uint_eq(i.mtu, 3);
	i = sent_by(
		&g, step_of(&g, PLAN_PREPARE, g.t->port[link_port(&g)].peer));
	ck_assert_uint_eq(i.mtu, 3);
	ck_assert_uint_eq(g.p->mismatched_ports, 1);
	rig_free(&g);
}

/* A port is not sent again what it did not take, unless it holds something else
 * by now. */
TEST(settings_that_a_port_keeps)
{
	struct device_kept k = {.guid = 0x100, .port = 2};
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	rig_plan(&g);
	k.want = sent_by(&g, step_of(&g, PLAN_PREPARE, link_port(&g)));
	ck_assert_int_eq(mad_port_info_decode(
				 topo_info(g.t, link_port(&g)), &k.held, NULL),
		0);
	device_set_kept(g.hw, &k);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 5);
	ck_assert_uint_eq(g.p->nkept, 1);
	ck_assert_uint_eq(g.p->kept[0].port, link_port(&g));
	k.held.hoq_life = 3; /* it has another one now: it has restarted */
	device_set_kept(g.hw, &k);
	rig_plan(&g);
	ck_assert_uint_eq(count_steps(&g, PLAN_PREPARE), 6);
	ck_assert_uint_eq(g.p->nkept, 0);
	rig_free(&g);
}

/* Further blocks of ports: those that are not in place, unless the port refuses
 * them or its node is in quarantine. */
TEST(blocks_that_no_path_depends_on)
{
	static const uint8_t held[64] = {0};
	struct plan_block b[4];
	struct rig g;

	rig_draft(&g);
	rig_state(&g, 4);
	rig_routes(&g);
	for (unsigned i = 0; i < 4; i++)
		b[i] = (struct plan_block){
			topo_port_of(g.t,
				topo_by_node_guid(g.t, 0x200 + i % 2 * 16), 1),
			DEVICE_GUIDS, i / 2, {7}};
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 4);
	ck_assert_uint_eq(phase_of(&g, PLAN_TABLES, false), g.p->nphases - 1);
	/* ports without entries lack none once that is known */
	device_put(g.hw, device_at_guids(0x200, 1, 0), held);
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 3);
	device_mark(g.hw, device_at_guids(0x210, 1, 0), DEVICE_REFUSES);
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 1);
	g.t->node[topo_by_node_guid(g.t, 0x200)].flags |= TN_QUARANTINED;
	rig_plan_with(&g, b, 4);
	ck_assert_uint_eq(count_steps(&g, PLAN_TABLES), 0);
	rig_free(&g);
}

/* An enhanced port 0 gets the MTU that it can do; a base one has none. */
TEST(the_mtu_of_port_0)
{
	struct mad_switch_info si = {.lft_cap = 1024, .enhanced_p0 = true};
	struct mad_port_info i;
	uint8_t d[MAD_DATA];
	struct rig g;
	node_ix n;

	rig_draft(&g);
	rig_state(&g, 2);
	rig_routes(&g);
	for (unsigned k = 0; k < 2; k++) {
		n = topo_by_node_guid(g.t, 0x100 + k);
		ck_assert_int_eq(
			mad_port_info_decode(
				topo_info(g.t, g.t->node[n].first_port), &i,
				NULL),
			0);
		i.mtu = 1;
		i.mtu_cap = 4;
		rig_answers(&g, g.t->node[n].first_port, &i);
	}
	mad_switch_info_encode(&si, d);
	builder_switch_written(g.d, 0x101, d);
	rig_reread(&g);
	rig_plan(&g);
	for (unsigned k = 0; k < 2; k++) {
		n = topo_by_node_guid(g.t, 0x100 + k);
		i = sent_by(
			&g, step_of(&g, PLAN_PARAMS, g.t->node[n].first_port));
		ck_assert_uint_eq(i.mtu, k == 0 ? 1 : 4);
	}
	rig_free(&g);
}

/* With two layers a node reaches the manager on the SL of the layer of their
 * switches; live ports get it when the tables are written. */
LOOP_TEST(the_sl_to_the_manager, 0, 2)
{
	const bool live = _i == 1;
	struct mad_port_info i;
	struct rig g;
	port_ix far;

	rig_draft(&g);
	rig_state(&g, live ? 4 : 2);
	rig_routes(&g);
	g.r->layers.n = 2;
	g.r->layers.plain = true;
	layers_put(&g.r->layers, 0, 1, 1);
	rig_plan(&g);
	far = topo_port_of(g.t, topo_by_node_guid(g.t, 0x210), 1);
	ck_assert_uint_eq(routes_layer(&g.r->layers, 1, 0), 1);
	if (live) {
		size_t last = g.p->nphases - 1;

		i = sent_by(&g, step_of(&g, PLAN_PARAMS, far));
		ck_assert_uint_eq(i.sm_sl, 0);
		while (g.p->phase[last].kind != PLAN_PARAMS)
			last--;
		ck_assert_uint_gt(last, phase_of(&g, PLAN_LFT, false));
		for (size_t k = g.p->phase[last].first;
			k < g.p->phase[last].end; k++)
			ck_assert_uint_eq(sent_by(&g, &g.p->step[k]).sm_sl, 1);
		ck_assert_uint_eq(
			g.p->phase[last].end - g.p->phase[last].first, 2);
	} else {
		i = sent_by(&g, step_of(&g, PLAN_PREPARE, far));
		ck_assert_uint_eq(i.sm_sl, 1);
		i = sent_by(&g, step_of(&g, PLAN_ARM, far));
		ck_assert_uint_eq(i.sm_sl, 1);
	}
	rig_free(&g);
}
