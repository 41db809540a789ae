#include "distribution/safe.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/safe_priv.h"
#include "sm/base/mem.h"

struct planner {
	const struct safe_job *job;
	struct safe_transition *t;
	struct safe_net net;
	struct safe_values val;
	uint64_t *mix;	      /* the mixture */
	uint32_t *comp;	      /* its components */
	struct safe_set stay; /* closed from now on */
};

const char *
safe_method_name(enum safe_method m)
{
	static const char *const name[] = {"auto", "static", "break-ports",
		"break-dependencies", "dynamic"};

	return (size_t)m < sizeof(name) / sizeof(*name) ? name[m] : "?";
}

const char *
safe_way_name(enum safe_way w)
{
	static const char *const name[] = {
		"nothing", "direct", "staged", "blocked"};

	return (size_t)w < sizeof(name) / sizeof(*name) ? name[w] : "?";
}

static uint64_t *
matrix(const struct planner *p, struct safe_when edges, struct safe_when reach)
{
	uint64_t *turn = mem_alloc(safe_words(&p->net) * sizeof(*turn));

	safe_mix_build(&p->val, edges, reach, turn);
	return turn;
}

static void
take(struct safe_transition *t, const struct safe_set *set)
{
	t->turn = set->turn;
	t->nturns = set->n;
	t->cut_pairs = set->pairs;
}

/* Everything at once with turns blocked. */
static void
unstage(struct planner *p)
{
	free(p->val.stage);
	p->val.stage = NULL;
	p->t->nstages = 1;
}

/*
 * Block: either for the whole mixture, then one stage will do; or, after the
 * stages that need no block, for what is left of it. The cheaper one.
 */
static void
block(struct planner *p, unsigned nstages)
{
	static const struct safe_when is = {SAFE_NEW, 0};
	struct safe_when rest = {SAFE_REST, nstages - 1};
	struct safe_set whole, part = {0}, paper = {0};
	uint64_t *fixed = matrix(p, is, is), *left;
	struct safe_load load;

	safe_load_new(&load, &p->val);
	safe_method_dependencies(&p->val, &load, &paper);
	p->t->paper_pairs = paper.pairs;
	safe_block_find(&p->val, &load, p->mix, fixed, &whole);
	if (nstages > 1) {
		left = matrix(p, rest, rest);
		safe_block_find(&p->val, &load, left, fixed, &part);
		free(left);
	}
	if (nstages > 1 &&
		(part.pairs < whole.pairs ||
			(part.pairs == whole.pairs && part.n < whole.n))) {
		take(p->t, &part);
		p->t->nstages = nstages;
		free(whole.turn);
	} else {
		take(p->t, &whole);
		unstage(p);
		free(part.turn);
	}
	p->t->way = SAFE_BLOCKED;
	free(paper.turn);
	free(fixed);
	safe_load_free(&load);
}

/* Whatever fits first, which needs the fewest stages; else by the order. */
static bool
find_stages(struct planner *p, unsigned *nstages)
{
	struct safe_values *v = &p->val;
	uint8_t(*first)[LFT_BLOCK];
	unsigned max = p->job->max_stages, n;

	if (safe_stage_find(v, p->comp, false, max, nstages))
		return true;
	first = v->stage;
	v->stage = NULL;
	if (safe_stage_find(v, p->comp, true, max, &n)) {
		free(first);
		*nstages = n;
		return true;
	}
	free(v->stage);
	v->stage = first;
	return false;
}

static void
plan_auto(struct planner *p)
{
	struct safe_transition *t = p->t;
	unsigned nstages = 1;
	bool staged = false;

	t->way = SAFE_DIRECT;
	if (t->cyclic == 0)
		return;
	if (p->job->max_stages > 1)
		staged = find_stages(p, &nstages);
	if (staged) {
		t->way = nstages > 1 ? SAFE_STAGED : SAFE_DIRECT;
		t->nstages = nstages;
	} else {
		block(p, nstages);
	}
}

/* What the administrator chose instead. */
static void
plan_method(struct planner *p)
{
	struct safe_set set = {0};
	struct safe_load load;

	safe_load_new(&load, &p->val);
	if (p->job->method == SAFE_STATIC)
		safe_method_static(&p->val, &load, &set);
	else if (p->job->method == SAFE_BREAK_PORTS)
		safe_method_ports(&p->val, &load, &set);
	else if (p->job->method == SAFE_BREAK_DEPENDENCIES)
		safe_method_dependencies(&p->val, &load, &set);
	take(p->t, &set);
	p->t->way = set.n > 0 ? SAFE_BLOCKED : SAFE_DIRECT;
	safe_load_free(&load);
}

static bool
anything(const struct safe_values *v)
{
	for (size_t i = 0; i < v->ncells; i++)
		if (v->c[i].write || v->c[i].wall)
			return true;
	return false;
}

static void
plan_writes(struct planner *p)
{
	static const struct safe_when all = {SAFE_ALL, 0};
	struct safe_transition *t = p->t;

	t->nstages = 1;
	p->mix = matrix(p, all, all);
	p->comp = mem_alloc(p->net.nv * sizeof(*p->comp));
	t->mixed_edges = safe_mix_count(&p->net, p->mix);
	t->cyclic = safe_cycle_find(&p->net, p->mix, p->comp);
	if (t->cyclic > 0)
		safe_cycle_tell(
			&p->val, p->mix, p->comp, t->cause, sizeof(t->cause));
	if (p->job->method == SAFE_AUTO)
		plan_auto(p);
	else
		plan_method(p);
	free(p->mix);
	free(p->comp);
}

/* Is there anything at all that carries data? */
static bool
carries(const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		if (!(t->node[t->sw[s].node].flags & TN_FRESH))
			return true;
	return false;
}

/*
 * Lanes to look at. Where their number changes SLs change lanes on the way, in
 * one switch before another: then all are taken for one.
 */
static unsigned
lanes_of(const struct safe_job *job)
{
	unsigned was = past_lanes(hw_past(job->hw)), is = job->to->lanes.n;

	if (was == 0 && job->from != NULL)
		was = job->from->lanes.n;
	return was == is || !carries(job->to->topo) ? is : 1;
}

/* The turns that stay closed are closed before anything else is. */
static void
add_stays(struct planner *p)
{
	struct safe_transition *t = p->t;
	struct safe_set all = {.turn = t->turn, .n = t->nturns};

	if (p->stay.n == 0)
		return;
	all.cap = all.n;
	for (size_t i = 0; i < p->stay.n; i++) {
		all.turn =
			mem_grow(all.turn, all.n, &all.cap, sizeof(*all.turn));
		all.turn[all.n++] = p->stay.turn[i];
	}
	safe_block_finish(&all);
	take(t, &all);
	for (size_t i = 0; i < t->nturns; i++)
		t->nstays += t->turn[i].stays;
	t->way = SAFE_BLOCKED;
}

struct safe_transition *
safe_plan(const struct safe_job *job)
{
	struct safe_transition *t = mem_zalloc(1, sizeof(*t));
	struct planner p = {.job = job, .t = t};
	t->method = job->method;
	t->pool = job->to->pool;
	safe_stale_find(job, t, &p.stay);
	safe_net_new(&p.net, job->to->topo, lanes_of(job));
	if (p.stay.n > 0 && p.net.lanes == job->to->lanes.n)
		safe_net_close(&p.net, &p.stay);
	safe_value_new(&p.val, &p.net, job);
	if (job->method != SAFE_STATIC && job->method != SAFE_DYNAMIC)
		safe_blind_wall(&p.val);
	if (anything(&p.val))
		plan_writes(&p);
	add_stays(&p);
	safe_write_all(&p.val, t);
	safe_value_free(&p.val);
	safe_net_free(&p.net);
	free(p.stay.turn);
	return t;
}

void
safe_free(struct safe_transition *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->nwrites; i++)
		lft_drop(t->pool, t->write[i].image);
	free(t->write);
	free(t->turn);
	free(t);
}
