#include "sm/what_if/what_if.h"

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/what_if/routes_remap.h"

/* A component that the daemon does not reach keeps its tables; without a daemon
 * it is routed on its own. */
static int
judge_piece(const struct inputs *in, const struct forecast_job *job,
	const struct topo *bare, struct forecast *out, struct reason *why)
{
	const struct snapshot *g = &in->given;
	struct topo *t =
		forecast_lids(job, bare, g->lid, g->state.nlid, NULL, why);
	struct routes *held;

	if (t == NULL)
		return -1;
	if (in->live) {
		held = routes_remap(g->routes, t, NULL);
		forecast_judge(job, held, out);
		routes_unref(held);
	} else {
		forecast_route(job, t, NULL, out);
	}
	topo_unref(t);
	return 0;
}

/* Judge all components but the first. */
static int
judge_others(const struct inputs *in, const struct forecast_job *job,
	const struct builder_components *bare, struct what_if_others *out,
	struct reason *why)
{
	out->loose = bare->loose;
	if (bare->n < 2)
		return 0;
	forecast_tell(job, "judging the other pieces");
	out->piece = mem_zalloc(bare->n - 1, sizeof(*out->piece));
	for (size_t i = 1; i < bare->n; i++)
		if (judge_piece(in, job, bare->topo[i], &out->piece[out->n++],
			    why) != 0)
			return -1;
	return 0;
}

/* What routes keep is of the sets in force, too. */
static void
take_sets(struct routes *prev, const struct routes *found)
{
	const struct topo *a = prev->topo, *b = found->topo;

	if (prev == found)
		return;
	route_sets_unref(prev->sets);
	prev->sets = a->hash == b->hash && a->max_lid == b->max_lid
			     ? route_sets_ref(found->sets)
			     : NULL;
}

int
what_if_now(const struct inputs *in, const struct forecast_job *job,
	struct what_if *out, struct reason *why)
{
	if (in->found != NULL) {
		forecast_judge(job, in->found, &out->now);
		take_sets(in->prev, in->found);
	} else
		forecast_route(job, in->topo, NULL, &out->now);
	return judge_others(in, job, &in->bare, &out->beside, why);
}

/* True if what is left is seen from the daemon's own port and has a switch. */
static bool
reaches_switch(const struct topo *t, const struct topo *left)
{
	return left->nsw > 0 &&
	       t->port[t->sm_port].guid == left->port[left->sm_port].guid &&
	       t->port[t->sm_port].num == left->port[left->sm_port].num;
}

/* Route the component of the manager, with these routes in force. */
static int
route_piece(const struct inputs *in, const struct forecast_job *job,
	const struct topo *bare, struct what_if *out, struct reason *why)
{
	struct topo *t = forecast_lids(
		job, bare, in->lids.record, in->lids.nrecord, NULL, why);

	if (t == NULL)
		return -1;
	forecast_route(job, t, in->prev != NULL ? in->prev : out->now.routes,
		&out->then);
	topo_unref(t);
	return 0;
}

static int
route_less(const struct inputs *in, const struct forecast_job *job,
	const struct builder_components *less, struct what_if *out,
	struct reason *why)
{
	int rc;

	out->cut_off = in->live && !reaches_switch(in->topo, less->topo[0]);
	if (out->cut_off)
		rc = judge_piece(in, job, less->topo[0], &out->then, why);
	else
		rc = route_piece(in, job, less->topo[0], out, why);
	return rc != 0 ? rc : judge_others(in, job, less, &out->after, why);
}

int
what_if_after(const struct inputs *in, const struct forecast_job *job,
	const struct failure *fail, size_t n, struct what_if *out,
	struct reason *why)
{
	struct builder_components less;
	int rc;

	if (n > 0) {
		forecast_tell(job, "failing");
		if (failure_apply(in->topo, fail, n, &less, why) != 0)
			return -1;
		rc = route_less(in, job, &less, out, why);
		builder_components_free(&less);
		return rc;
	}
	/* nothing is replaced: the daemon would keep its routes */
	if (in->same && !job->rebalance)
		forecast_judge(job, in->found, &out->then);
	else
		forecast_route(job, in->topo,
			in->prev != NULL ? in->prev : out->now.routes,
			&out->then);
	return 0;
}

static void
others_free(struct what_if_others *o)
{
	for (size_t i = 0; i < o->n; i++)
		forecast_free(&o->piece[i]);
	free(o->piece);
}

void
what_if_free(struct what_if *o)
{
	forecast_free(&o->now);
	forecast_free(&o->then);
	others_free(&o->beside);
	others_free(&o->after);
}
