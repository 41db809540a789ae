#include "sm/core/run_state.h"

#include "sm/core/sm_priv.h"

void
run_state_discard(struct sm *sm)
{
	struct run *r = &sm->run;

	push_free(r->push);
	plan_free(r->plan);
	layer_memory_unref(r->pairs);
	routes_unref(r->routes);
	topo_unref(r->topo);
	topo_unref(r->topo_written);
	pkeys_unref(r->pkeys);
	qos_unref(r->qos);
	r->push = NULL;
	r->plan = NULL;
	r->pairs = NULL;
	r->routes = NULL;
	r->topo = NULL;
	r->topo_written = NULL;
	r->pkeys = NULL;
	r->qos = NULL;
	if (sm->worker.work == NULL) /* else the pool is the worker's */
		lft_pool_trim(sm->pool);
}

void
run_state_begin(struct sm *sm, struct mono now, enum sweep_kind kind)
{
	run_state_discard(sm);
	view_change_free(&sm->run.change);
	map_free(&sm->run.probed);
	sm->run = (struct run){
		.kind = kind,
		.began = now,
		.sent_before = xact_stats(sm->x)->sent,
	};
}

void
run_state_free(struct sm *sm)
{
	struct run *r = &sm->run;

	sweep_free(r->sweep);
	lft_read_free(r->readback);
	pkey_read_free(r->pkey_read);
	device_read_free(r->row_read);
	foreign_adaptive_free(r->adaptive);
	adaptive_read_free(r->groups_read);
	run_state_discard(sm);
	view_change_free(&r->change); /* may hold blocks of the pool */
	map_free(&r->probed);
}
