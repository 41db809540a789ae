#include "distribution/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/plan/plan_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

static const struct topo_node *
node_of(const struct topo *t, sw_ix s)
{
	return &t->node[t->sw[s].node];
}

/* ---- forwarding tables ---- */

static bool
is_fresh(const struct topo *t, sw_ix s)
{
	return (node_of(t, s)->flags & TN_FRESH) != 0;
}

/*
 * Nothing else is written while packets may be on unknown paths. Quenches that
 * need a raised top come after all the others (raised).
 */
static void
add_quenches(struct plan_maker *m, bool raised)
{
	const struct transition_result *x = m->p->change;
	size_t i;

	plan_begin(m, PLAN_QUENCH);
	for (i = 0; i < x->nquenches; i++)
		if (x->write[i].raised == raised)
			plan_add_step(m,
				node_of(m->t, x->write[i].sw)->first_port,
				DEVICE_LFT, x->write[i].block,
				x->write[i].image);
	m->drain |= plan_end(m);
}

/* A fresh switch needs no stages: its last images, and nothing else. */
static void
add_fresh_tables(struct plan_maker *m)
{
	const struct transition_result *x = m->p->change;
	size_t i;

	plan_begin(m, PLAN_LFT);
	m->now->fresh = true;
	for (i = 0; i < x->nwrites; i++) {
		const struct lft_write *w = &x->write[i];

		if (w->last && is_fresh(m->t, w->sw))
			plan_add_step(m, node_of(m->t, w->sw)->first_port,
				DEVICE_LFT, w->block, w->image);
	}
	(void)plan_end(m);
}

/* ---- blocked dependencies ---- */

/*
 * Whether it is blocked by its row of SL2VL, and not by taking its port down.
 */
static bool
is_blocked_by_row(
	const struct plan_maker *m, const struct transition_dependency *u)
{
	return !u->by_port &&
	       !device_marked(m->hw,
		       device_at_switch(
			       node_of(m->t, u->sw)->guid, DEVICE_SL2VL),
		       DEVICE_REFUSES);
}

/* Which dependencies: all, the ones that stay blocked, or the others. */
enum which { ALL, STAYING, PASSING };

/* Layers of a dependency that are blocked: those that stay so first, then, if
 * there are others, all. */
static uint16_t
layers_of(const struct transition_dependency *u, enum which which)
{
	if (which == STAYING)
		return u->stays;
	return which == PASSING && (u->layers & ~u->stays) == 0 ? 0 : u->layers;
}

static void
add_sl2vl_rows(struct plan_maker *m, enum plan_kind kind, enum which which)
{
	const struct transition_result *x = m->p->change;
	size_t i;

	plan_begin(m, kind);
	for (i = 0; i < x->ndeps; i++) {
		const struct transition_dependency *u = &x->dep[i];
		const struct topo_node *n = node_of(m->t, u->sw);
		const uint8_t *is = device_bytes(
			m->hw, device_at_row(n->guid, u->in, u->out));
		uint16_t sls = slvl_sls(&m->vlarb.levels, layers_of(u, which));
		const struct blocked_row *r = blocked_rows_find(
			device_blocked(m->hw), n->guid, u->in, u->out);

		if (sls == 0 || !is_blocked_by_row(m, u) ||
			(r != NULL && r->settled && is != NULL &&
				(sls & ~(r->stays & sl2vl_row_blocked(is))) ==
					0))
			continue;
		if (kind == PLAN_BLOCK || is == NULL)
			plan_add_step(m, n->first_port + u->out, DEVICE_SL2VL,
				u->in, sls | blocked_row_sls(r, is));
	}
	(void)plan_end(m);
}

/*
 * Tables of live switches, stage by stage; dependencies are blocked before the
 * last one, which is what needs it.
 */
static void
add_stages(struct plan_maker *m, bool drain, bool late)
{
	const struct transition_result *x = m->p->change;
	size_t i = x->nquenches;
	unsigned stage;

	for (stage = 0; stage < x->nstages; stage++) {
		if (late && stage + 1 == x->nstages)
			add_sl2vl_rows(m, PLAN_BLOCK, PASSING);
		plan_begin(m, PLAN_LFT);
		m->now->stage = (uint16_t)stage;
		m->now->drain = drain || stage > 0;
		for (; i < x->nwrites && x->write[i].stage == stage; i++) {
			const struct lft_write *w = &x->write[i];

			if (!is_fresh(m->t, w->sw))
				plan_add_step(m,
					node_of(m->t, w->sw)->first_port,
					DEVICE_LFT, w->block, w->image);
		}
		if (m->adaptive != NULL)
			plan_adaptive_put(m, PLAN_LFT, stage);
		if (plan_end(m))
			drain = false;
	}
}

/* Unblock everything that this plan, a broken one or a previous run blocked,
 * after a drain. False: there is nothing. */
static bool
add_unblocks(struct plan_maker *m)
{
	const struct transition_result *x = m->p->change;
	const struct blocked_rows *blocked = device_blocked(m->hw);
	size_t i;

	plan_begin(m, PLAN_UNBLOCK);
	m->now->drain = true;
	for (i = 0; i < x->ndeps; i++) {
		const struct transition_dependency *u = &x->dep[i];
		const struct topo_node *node = node_of(m->t, u->sw);

		if (is_blocked_by_row(m, u) &&
			blocked_rows_find(blocked, node->guid, u->in, u->out) ==
				NULL)
			plan_slvl_unblock(
				m, m->t->sw[u->sw].node, u->in, u->out);
	}
	for (i = 0; i < blocked->n; i++) {
		const struct blocked_row *r = &blocked->row[i];
		node_ix node = topo_by_node_guid(m->t, r->guid);

		if (node != TOPO_NONE &&
			(m->t->node[node].flags & TN_QUARANTINED) == 0)
			plan_slvl_unblock(m, node, r->in, r->out);
	}
	return plan_end(m);
}

/* The phases of these kinds; whether there is any. */
static bool
add_adaptive(struct plan_maker *m, enum plan_kind first, enum plan_kind last)
{
	bool any = false;

	for (enum plan_kind k = first; m->adaptive != NULL && k <= last; k++)
		any |= plan_adaptive_add(m, k);
	return any;
}

/* ---- the whole ---- */

static void
make_phases(struct plan_maker *m, const struct plan_job *job)
{
	const struct transition_result *x = m->p->change;
	bool late = x->method == TRANSITION_AUTO && x->nstages > 1;
	bool down = x->method == TRANSITION_STATIC;
	size_t blocks;
	bool fell, drained;

	m->sm_switch = topo_switch_of(m->t, m->t->sm_port);
	plan_pkeys_add(m);
	plan_portinfo_params(m);
	/* what groups sent on is in no forwarding table */
	m->drain |= add_adaptive(m, PLAN_ADAPTIVE_OFF, PLAN_ADAPTIVE_OFF);
	add_quenches(m, false);
	plan_switchinfo_tops(m, PLAN_TOP, false);
	add_quenches(m, true);
	add_fresh_tables(m);
	plan_switchinfo_tops(m, PLAN_RAISE, true);
	if (!down)
		plan_slvl_add(m);
	add_sl2vl_rows(m, PLAN_LEARN, ALL);
	blocks = m->p->nsteps;
	add_sl2vl_rows(m, PLAN_BLOCK, late ? STAYING : ALL);
	blocks = m->p->nsteps - blocks;
	fell = plan_portinfo_fall(m);
	if (fell) {
		plan_switchinfo_clears(m);
		plan_switchinfo_verifies(m);
	}
	if (down)
		plan_slvl_add(m); /* no packet is on a VL of the old rows */
	m->drain |= plan_slvl_in_doubt(m);
	/* no link comes up whose port groups still have, and shall not */
	(void)add_adaptive(m, PLAN_ADAPTIVE_FILL, PLAN_ADAPTIVE_TOP);
	(void)add_adaptive(m, PLAN_ADAPTIVE_SHRINK, PLAN_ADAPTIVE_SHRINK);
	m->drain |= m->adaptive != NULL && plan_adaptive_drains(m);
	if (!down)
		plan_portinfo_rise(m, false);
	add_stages(m, blocks > 0 || x->rows_first || (fell && !down), late);
	/* until it is lowered, what is above the top is as it was */
	plan_switchinfo_tops(m, PLAN_LOWER, false);
	drained = add_unblocks(m);
	plan_switchinfo_tops(m, PLAN_RAISE, false);
	(void)add_adaptive(m, PLAN_ADAPTIVE_MOVE, PLAN_ADAPTIVE_ON);
	if (down)
		plan_portinfo_rise(m, false);
	if (fell) {
		/* packets of old tables may wait for no port that comes up */
		m->drain |= !down && !drained;
		plan_portinfo_rise(m, true);
	}
	plan_portinfo_sm_sl(m);
	plan_tables_add(m, job->block, job->nblocks);
	plan_pkeys_drop(m);
}

/* What adaptive groups take beside a change of tables. */
static void
make_groups(struct plan_maker *m)
{
	const struct transition_result *x = m->p->change;

	(void)add_adaptive(m, PLAN_ADAPTIVE_OFF, PLAN_ADAPTIVE_SHRINK);
	for (unsigned stage = 0; stage < x->nstages; stage++) {
		plan_begin(m, PLAN_LFT);
		m->now->stage = (uint16_t)stage;
		plan_adaptive_put(m, PLAN_LFT, stage);
		(void)plan_end(m);
	}
	(void)add_adaptive(m, PLAN_ADAPTIVE_MOVE, PLAN_ADAPTIVE_ON);
}

/* A plan with all phases, or with those of adaptive groups alone. */
static struct plan *
make_plan(const struct plan_job *job, bool groups_alone)
{
	struct plan *p = mem_zalloc(1, sizeof(*p));
	struct plan_maker m = {.p = p,
		.t = job->routes->topo,
		.hw = job->hw,
		.params = job->params,
		.keys = job->keys};

	p->topo = topo_ref(job->routes->topo);
	p->routes = routes_ref(job->routes);
	p->change = job->change;
	if (job->vlarb != NULL)
		m.vlarb = *job->vlarb;
	else
		slvl_of_layers(&(struct slvl_want){0}, &p->routes->layers,
			&m.vlarb.levels);
	if (job->adaptive != NULL)
		plan_adaptive_begin(&m, job->adaptive);
	if (groups_alone)
		make_groups(&m);
	else
		make_phases(&m, job);
	if (job->adaptive != NULL)
		plan_adaptive_end(&m);
	free(m.rise);
	free(m.sl);
	return p;
}

struct plan *
plan_make(const struct plan_job *job)
{
	return make_plan(job, false);
}

struct plan *
plan_make_groups(const struct plan_job *job)
{
	return make_plan(job, true);
}

void
plan_carried_out(struct plan *p)
{
	transition_free(p->change);
	free(p->step);
	free(p->phase);
	free(p->payload);
	p->change = NULL;
	p->step = NULL;
	p->phase = NULL;
	p->payload = NULL;
	p->nsteps = p->nphases = 0;
}

void
plan_free(struct plan *p)
{
	if (p == NULL)
		return;
	plan_carried_out(p);
	routes_unref(p->routes);
	topo_unref(p->topo);
	free(p->downed);
	free(p->unfit);
	free(p->kept);
	free(p);
}
