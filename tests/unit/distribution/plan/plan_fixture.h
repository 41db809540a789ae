/*
 * plan_fixture: a small fabric, its routes, and the plan that writes them.
 */
#ifndef HEDDLE_TESTS_UNIT_DISTRIBUTION_PLAN_FIXTURE_H
#define HEDDLE_TESTS_UNIT_DISTRIBUTION_PLAN_FIXTURE_H

#include <string.h>

#include "discovery/builder/builder.h"
#include "distribution/plan/plan.h"
#include "sm/mad/mad.h"
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

static inline void
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

static inline void
rig_state(struct rig *g, uint8_t state)
{
	unsigned i;

	for (i = 0; i < 2; i++) {
		builder_set_port_state(g->d, g->sw[i], 1, state);
		builder_set_port_state(g->d, g->sw[i], 2, state);
		builder_set_port_state(g->d, g->ca[i], 1, state);
	}
}

static inline void
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

static inline void
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

static inline void
rig_plan(struct rig *g)
{
	rig_plan_with(g, NULL, 0);
}

static inline void
rig_free(struct rig *g)
{
	plan_free(g->p);
	routes_unref(g->r);
	device_free(g->hw);
	lft_pool_free(g->pool);
	topo_unref(g->t);
	builder_free(g->d);
}
AUTO_VALUE(rig, struct rig, rig_free)

static inline size_t
count_steps(const struct rig *g, enum plan_kind k)
{
	size_t n = 0;

	for (size_t i = 0; i < g->p->nphases; i++)
		if (g->p->phase[i].kind == k)
			n += g->p->phase[i].end - g->p->phase[i].first;
	return n;
}

/* The index of the first phase of a kind, or nphases. */
static inline size_t
phase_of(const struct rig *g, enum plan_kind k, bool fresh)
{
	size_t i;

	for (i = 0; i < g->p->nphases; i++)
		if (g->p->phase[i].kind == k && g->p->phase[i].fresh == fresh)
			break;
	return i;
}

#endif
