#include "sm/core/work.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/device/adaptive_can.h"
#include "distribution/device/adaptive_found.h"
#include "distribution/plan/tables_found.h"
#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/policy/jobs.h"

/* What the worker plans from; freed with the worker's job. */
struct plan_inputs {
	struct config *cfg;	    /* a reference */
	struct routes *from;	    /* a reference: in force; or NULL */
	struct routes *orderless;   /* a reference: the same tables, which are
				       newer than the order of from; or NULL */
	struct pkeys *keys;	    /* a reference */
	struct name_pins *pins;	    /* a reference, or NULL */
	struct transition_job safe; /* complete but for the routes to come */
	struct plan_params params;
	struct plan_block *block; /* [nblocks] */
	size_t nblocks;
	struct plan_adaptive adaptive;
	bool may_choose; /* switches, or they do now: else nothing is planned
			    of it */
	struct qos *qos; /* made with the plan */
};

/* Routes, where there are none yet, and the plan that leads to them: what the
 * worker is given, and what it adds. */
struct sm_work {
	struct route_job job;
	struct jobs_options options;
	struct route_rank *ranks;
	char *remembered;	    /* as in kept, for the job */
	struct layer_memory *pairs; /* the same */
	struct route_adaptive adaptive;
	struct layer_memory *learned; /* with result; NULL: nothing is new */
	struct routes *result;
	struct route_account story;
	struct plan_inputs in; /* keeps what the options point to alive */
	struct plan *plan;
	struct reason why;
	struct routes *found; /* of a standby: only to be judged */
};

/* ---- in the worker ---- */

/*
 * The order on record is older than the tables and would change them: of what
 * it gives, and what an order gives that fits the tables, the routes are taken
 * that keep more of them.
 */
static void
compute_without_order(struct sm_work *w)
{
	const struct schema_names *engines = &w->in.cfg->routing.engines;
	struct routes *was = w->in.from, *other;
	struct route_job job = w->job;
	struct route_account story;
	struct reason why;

	job.prev = w->in.orderless;
	job.restored = false;
	job.nranks = 0;
	job.reading = (struct topo_class){0};
	other = compute_routes(&job, engines->name, engines->n, &story, &why);
	if (other == NULL ||
		(w->result != NULL &&
			w->result->entries_changed <= other->entries_changed)) {
		routes_unref(other);
		return;
	}
	routes_unref(w->result);
	w->result = other;
	w->story = story;
	w->in.from = w->in.orderless;
	w->in.safe.from = w->in.from;
	w->in.orderless = was;
}

static void
compute_job_routes(struct sm_work *w)
{
	const struct schema_names *engines = &w->in.cfg->routing.engines;

	if (w->job.adaptive != NULL)
		w->adaptive.found = adaptive_found_sets(
			w->in.safe.hw, w->job.topo, w->adaptive.can);
	mem_trim(); /* routing and the planner each want room of their own */
	w->result = compute_routes(
		&w->job, engines->name, engines->n, &w->story, &w->why);
	if (w->in.orderless != NULL &&
		(w->result == NULL || w->result->entries_changed > 0))
		compute_without_order(w);
	/* blocks that were only compared, before the planner wants room */
	lft_pool_trim(w->job.pool);
	mem_trim();
}

static struct plan *
make_plan(struct plan_inputs *job, struct routes *to)
{
	const struct pkey_table_want keys = pkeys_wanted(job->keys);
	struct plan_job plan = {
		.routes = to,
		.hw = job->safe.hw,
		.params = &job->params,
		.keys = &keys,
		.block = job->block,
		.nblocks = job->nblocks,
		.adaptive = job->may_choose ? &job->adaptive : NULL,
	};

	job->qos = qos_make(job->cfg, to->topo, &to->layers, job->pins);
	plan.vlarb = &job->qos->want;
	job->adaptive.settings.sls = qos_adaptive_sls(job->cfg, &to->layers);
	job->safe.to = to;
	plan.change = transition_find(&job->safe);
	return plan_make(&plan);
}

void
work_run(struct sm_work *w)
{
	if (w->found != NULL) {
		compute_found(&w->job, w->found);
		return;
	}
	if (w->result == NULL)
		compute_job_routes(w);
	if (w->result == NULL)
		return;
	if (w->result->layers.n > 1) /* else a reference, and not here */
		w->learned = layer_memory_learn(w->pairs, w->result);
	w->plan = make_plan(&w->in, w->result);
}

/* ---- what the plan is made from ---- */

_Static_assert((int)CONFIG_METHOD_DYNAMIC == (int)TRANSITION_DYNAMIC,
	"the configuration's words are those of enum transition_method_kind");

/* True if the order on record is that of the last routes of this fabric. */
static bool
is_order_of_fabric(const struct sm *sm)
{
	return sm->kept.rank_known && sm->run.topo->hash == sm->kept.routed;
}

static void
restore_order(const struct sm *sm, struct routes *r)
{
	const struct topo *t = sm->run.topo;
	struct reason why = {""};

	r->order = sm->kept.rank_order;
	r->fresh_load = is_order_of_fabric(sm) ? sm->kept.load : 0;
	routes_restore(r, sm->kept.rank, sm->kept.nrank);
	if (registry_parse_state(
		    r, sm->kept.reading.engine, sm->kept.remembered, &why) < 0)
		log_warn("routing: not understood in the state file: \"%s\"",
			why.text);
	pair_layers_restore(sm->kept.pairs, t, &r->layers);
}

/*
 * After a restart the routes in force are read back from the switches, in the
 * order and with the layers that were saved: a restart changes nothing that
 * need not change. The
 * load of fresh tables is saved too, for the fabric that was routed last. After
 * a take-over no order is known, or an older one: a fresh one is chosen that
 * fits the tables, and entries that are legal in it stay. NULL where no table
 * is known.
 */
static struct routes *
routes_from_lft(const struct sm *sm, bool ordered)
{
	struct routes *r;

	if (sm->run.counts.lft_reads == 0)
		return NULL;
	r = tables_found(sm->hw, sm->run.topo, sm->pool);
	if (ordered)
		restore_order(sm, r);
	else
		routes_restore(r, NULL, 0);
	return r;
}

/* True if the tables of the last view are still in its switches, as far as they
 * are known. */
static bool
is_view_in_switches(const struct sm *sm)
{
	const struct routes *r = sm->view->routes;
	const struct topo *t = r->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		for (uint32_t b = 0; b < r->nblocks; b++) {
			lft_ref ref = device_block(sm->hw, guid, b);

			if (ref != DEVICE_UNKNOWN &&
				memcmp(lft_bytes(sm->pool, ref),
					routes_block(r, s, b), LFT_BLOCK) != 0)
				return false;
		}
	}
	return true;
}

/*
 * The routes in force: those of the last view, unless another manager has
 * written others since. *orderless: NULL, or the same without the order on
 * record, if that is older than the tables.
 */
static struct routes *
routes_now(const struct sm *sm, struct routes **orderless)
{
	struct routes *r;

	*orderless = NULL;
	if (sm->view != NULL &&
		(!sm->kept.order_outdated || is_view_in_switches(sm)))
		return routes_ref(sm->view->routes);
	r = routes_from_lft(sm, true);
	if (sm->kept.order_outdated && sm->kept.rank_known)
		*orderless = routes_from_lft(sm, false);
	return r;
}

static void
gather_inputs(const struct sm *sm, struct plan_inputs *job)
{
	const struct config_distribution *d = &sm->cfg->distribution;
	const struct config_link *l = &sm->cfg->link;
	bool is_on;

	*job = (struct plan_inputs){
		.cfg = config_ref(sm->cfg),
		.keys = pkeys_ref(sm->run.pkeys),
		.pins = name_pins_ref(sm->names.pins),
		.safe = {.hw = sm->hw,
			.history = sm->sl_history,
			.method = (enum transition_method_kind)d->method,
			.max_stages = d->max_stages,
			.levels = qos_levels_want(sm->cfg),
			.max_vls = qos_vls_code(sm->cfg),
			.lists = qos_lists(sm->cfg)},
		.params = {.subnet_prefix = sm->cfg->fabric.subnet_prefix,
			.mkey = sm->cfg->fabric.m_key,
			.mkey_protection =
				(uint8_t)sm->cfg->fabric.m_key_protection,
			.mkey_lease =
				(uint16_t)(sm->cfg->fabric.m_key_lease.ns /
					   1000000000),
			.subnet_timeout = (uint8_t)l->subnet_timeout,
			.hoq_life = (uint8_t)l->hoq_lifetime,
			.leaf_hoq_life = (uint8_t)l->leaf_hoq_lifetime,
			.vl_stall = (uint8_t)l->vl_stall_count,
			.phy_errors = (uint8_t)l->phy_errors_threshold,
			.overrun_errors = (uint8_t)l->overrun_errors_threshold,
			.packet_life = (uint8_t)l->packet_lifetime,
			.max_vls_code = qos_vls_code(sm->cfg)},
	};
	job->block = run_sa_blocks(sm, sm->run.topo, &job->nblocks);
	job->adaptive = adaptive_use_plan(sm);
	job->from = routes_now(sm, &job->orderless);
	job->safe.from = job->from;
	job->safe.guests = run_mcast_dependencies(sm, &job->safe.unsettled);
	/* groups obey the order of switches like multicast trees */
	is_on = adaptive_use_is_on(sm, sm->run.topo);
	job->safe.guests |=
		is_on || adaptive_can_unwritten(sm->hw, sm->run.topo);
	job->may_choose = is_on || job->adaptive.enabled;
}

/* ---- the job ---- */

static void
describe_routing(struct sm *sm, struct sm_work *w)
{
	jobs_route(w->in.cfg, topo_ref(sm->run.topo), sm->pool, &w->options,
		&w->job);
	if (sm->kept.rank_known) {
		w->ranks = mem_dup(
			sm->kept.rank, sm->kept.nrank * sizeof(*sm->kept.rank));
		w->job.ranks = w->ranks;
		w->job.nranks = sm->kept.nrank;
		w->job.ranks_order = sm->kept.rank_order;
		w->job.reading = sm->kept.reading;
	}
	if (sm->kept.remembered != NULL)
		w->remembered = mem_strdup(sm->kept.remembered);
	w->job.remembered = w->remembered;
	w->job.adaptive = adaptive_use_job(sm, sm->run.topo, &w->adaptive);
	w->job.pairs = w->pairs;
	w->job.now = sm->ops->seconds != NULL
			     ? sm->ops->seconds(sm->ops->cookie)
			     : 0;
	w->job.prev = w->in.from;
	w->job.restored = w->in.from != NULL && is_order_of_fabric(sm) &&
			  (sm->view == NULL || w->in.from != sm->view->routes);
	w->job.rebalance = (sm->dirty.unfinished & 1U << DIRTY_REBALANCE) != 0;
}

/* True if nothing that routing depends on has changed: the routes in force
 * stay. */
bool
work_is_same_fabric(const struct sm *sm)
{
	const uint32_t anew = 1U << DIRTY_CONFIG | 1U << DIRTY_REBALANCE;

	return sm->view != NULL && !sm->kept.order_outdated &&
	       (sm->dirty.unfinished & anew) == 0 &&
	       sm->view->topo->hash == sm->run.topo->hash &&
	       sm->view->topo->max_lid == sm->run.topo->max_lid &&
	       adaptive_use_is_same(sm, sm->run.topo);
}

/* Hand the job to the worker; on the same fabric it only plans, with the routes
 * in force. */
void
work_start(struct sm *sm, struct mono now)
{
	struct sm_work *w = mem_zalloc(1, sizeof(*w));

	gather_inputs(sm, &w->in);
	w->pairs = layer_memory_ref(sm->kept.pairs);
	if (work_is_same_fabric(sm)) {
		w->result = routes_for(sm->view->routes, sm->run.topo);
		w->story = sm->view->story;
	} else {
		describe_routing(sm, w);
	}
	sm->worker.work = w;
	phase_enter(sm, SM_ROUTE, now);
	sm->ops->route(sm->ops->cookie, w);
}

void
work_judge(struct sm *sm, struct routes *r)
{
	struct sm_work *w = mem_zalloc(1, sizeof(*w));

	w->found = r;
	w->in.cfg = config_ref(sm->cfg);
	jobs_route(
		w->in.cfg, topo_ref(r->topo), sm->pool, &w->options, &w->job);
	sm->worker.work = w;
	sm->ops->route(sm->ops->cookie, w);
}

/* ---- the result ---- */

struct routes *
work_judged(const struct sm_work *w)
{
	return w->found;
}

bool
work_take(struct sm *sm, struct sm_work *w, struct reason *why)
{
	sm->run.routes = w->result;
	sm->run.story = w->story;
	w->result = NULL;
	*why = w->why;
	if (sm->run.routes == NULL)
		return false;
	layer_memory_unref(sm->run.pairs);
	sm->run.pairs = w->learned;
	w->learned = NULL;
	qos_unref(sm->run.qos);
	sm->run.qos = w->in.qos;
	sm->run.plan = w->plan;
	w->in.qos = NULL;
	w->plan = NULL;
	return true;
}

static void
inputs_free(struct plan_inputs *job)
{
	routes_unref(job->from);
	routes_unref(job->orderless);
	pkeys_unref(job->keys);
	name_pins_unref(job->pins);
	qos_unref(job->qos);
	config_unref(job->cfg);
	free(job->block);
}

void
work_free(struct sm_work *w)
{
	if (w == NULL)
		return;
	plan_free(w->plan);
	routes_unref(w->result);
	routes_unref(w->found);
	topo_unref(w->job.topo);
	free(w->ranks);
	free((void *)(uintptr_t)w->adaptive.can);
	route_sets_unref(w->adaptive.found);
	free(w->remembered);
	layer_memory_unref(w->pairs);
	layer_memory_unref(w->learned);
	jobs_options_free(&w->options);
	inputs_free(&w->in);
	free(w);
}
