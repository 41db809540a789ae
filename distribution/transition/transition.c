#include "distribution/transition/transition.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

enum {
	/* Channels on cycles above which trying entries one by one takes too
	 * long. */
	BULK_VERTICES = 4096,
	/* What prices differ by before they tell ways apart: how long a stage
	 * takes, and what its packets are worth, is an estimate. */
	CLEARLY = 2,
};

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

/*
 * One way to go: stages, and turns to close before the last of them if they are
 * not enough. Its price is what it loses, in pairs times drains: of the turns'
 * pairs what comes in the drain before the tables change, after which they go
 * elsewhere; and what does not arrive between stages, which last a drain each
 * and until the slowest switch has answered: a quarter more.
 */
struct option {
	uint8_t (*stage)[LFT_BLOCK]; /* as in safe_values; owned */
	unsigned n;
	bool enough;
	struct safe_set closed;
	uint64_t price;
};

static void
drop(struct option *o)
{
	free(o->stage);
	free(o->closed.turn);
	*o = (struct option){0};
}

/* Stages, found in one way; false: some turns have to be closed too. */
static bool
find(struct planner *p, enum safe_admission how, struct option *o)
{
	struct safe_values *v = &p->val;

	*o = (struct option){0};
	if (how == SAFE_BULK)
		o->enough =
			safe_bulk_find(v, p->comp, p->job->max_stages, &o->n);
	else
		o->enough = safe_stage_find(
			v, p->comp, how, p->job->max_stages, &o->n);
	o->stage = v->stage;
	v->stage = NULL;
	return o->enough;
}

/* What the turns are that the last stage needs closed, and the price. */
static void
price(struct planner *p, struct option *o, const uint64_t *fixed)
{
	struct safe_when rest = {SAFE_REST, o->n - 1},
			 then = {SAFE_AT, o->n - 1};
	struct safe_load load;
	uint64_t *left;

	p->val.stage = o->stage;
	o->price = safe_loss(&p->val, o->n);
	o->price += o->price / 4;
	if (!o->enough) {
		left = matrix(p, rest, rest);
		safe_load_new(&load, &p->val, then);
		safe_block_find(&p->val, &load, left, fixed, &o->closed);
		safe_load_free(&load);
		free(left);
	}
	p->val.stage = NULL;
	o->price += o->closed.pairs;
}

/* The same without stages: everything at once, and what is lost stays so for a
 * drain more. */
static void
price_at_once(struct planner *p, struct option *o, const struct safe_load *load,
	const uint64_t *fixed)
{
	*o = (struct option){.n = 1};
	safe_block_find(&p->val, load, p->mix, fixed, &o->closed);
	o->price = o->closed.pairs + safe_loss_now(&p->val);
}

/* Keep the better one in best; between equals the one that closes less. */
static void
keep(struct option *best, struct option *other)
{
	if (best->n == 0 || other->price < best->price ||
		(other->price == best->price &&
			other->closed.n < best->closed.n)) {
		drop(best);
		*best = *other;
		*other = (struct option){0};
	}
	drop(other);
}

static void
take_option(struct planner *p, struct option *o)
{
	struct safe_transition *t = p->t;

	p->val.stage = o->stage;
	t->nstages = o->n;
	take(t, &o->closed);
	if (o->closed.n > 0)
		t->way = SAFE_BLOCKED;
	else
		t->way = o->n > 1 ? SAFE_STAGED : SAFE_DIRECT;
	*o = (struct option){0};
}

/* Has every cable the direction that it had? */
static bool
order_kept(const struct planner *p)
{
	const struct safe_net *n = &p->net;
	const struct routes *from = p->job->from, *to = p->job->to;
	const sw_ix *old = p->val.old_sw;

	for (uint32_t r = 0; from != NULL && r + 1 < n->nrec; r++) {
		sw_ix a = n->owner[r], b = n->owner[n->peer[r]];

		if (b != n->nsw && old[a] != TOPO_NONE && old[b] != TOPO_NONE &&
			routes_above(from, old[a], old[b]) !=
				routes_above(to, a, b))
			return false;
	}
	return from != NULL;
}

/*
 * The cheapest of all ways, which all have a price; but nothing is closed where
 * there are stages that do and do not lose clearly more, or the order of
 * switches is kept, and never more than the paper would.
 */
static void
choose(struct planner *p, struct option *some, size_t n)
{
	static const struct safe_when is = {SAFE_NEW, 0};
	static const struct safe_when held = {SAFE_HELD, 0};
	struct option open = {0}, best = {0}, at_once;
	struct safe_set paper = {0};
	uint64_t *fixed = matrix(p, is, is);
	struct safe_load load;

	/* no two loads at once: they are the largest things here */
	safe_load_new(&load, &p->val, held);
	safe_method_dependencies(&p->val, &load, &paper);
	free(paper.turn);
	price_at_once(p, &at_once, &load, fixed);
	safe_load_free(&load);
	for (size_t i = 0; i < n; i++) {
		price(p, &some[i], fixed);
		if (some[i].closed.n == 0)
			keep(&open, &some[i]);
		else if (some[i].closed.pairs <= paper.pairs)
			keep(&best, &some[i]);
		drop(&some[i]);
	}
	keep(&best, &at_once);
	if (open.n > 0 &&
		(order_kept(p) || open.price / CLEARLY <= best.price)) {
		drop(&best);
		best = open;
		open = (struct option){0};
	}
	drop(&open);
	take_option(p, &best);
	if (p->t->way == SAFE_BLOCKED)
		p->t->paper_pairs = paper.pairs;
	free(fixed);
}

/*
 * Stages between which no packet turns back lose nothing. Where they are not
 * enough, the cheapest of what there is.
 */
static void
plan_auto(struct planner *p)
{
	struct option some[SAFE_ADMISSIONS] = {{0}};
	uint32_t limit = p->job->bulk != 0 ? p->job->bulk : BULK_VERTICES;
	bool many = p->t->cyclic > limit;
	bool bulk = many && p->net.lanes == 1;
	int how = bulk ? SAFE_BULK : many ? SAFE_GREEDY : SAFE_SMOOTH;
	int end = bulk ? SAFE_ADMISSIONS : SAFE_BULK;
	size_t n = 0;

	p->t->way = SAFE_DIRECT;
	if (p->t->cyclic == 0)
		return;
	for (; p->job->max_stages > 1 && how < end; how++) {
		if (find(p, (enum safe_admission)how, &some[n]) &&
			(how <= SAFE_SMOOTH_LEGAL || how == SAFE_BULK)) {
			take_option(p, &some[n]);
			while (n-- > 0)
				drop(&some[n]);
			return;
		}
		if (some[n].n == 0)
			drop(&some[n]);
		else
			n++;
	}
	choose(p, some, n);
}

/* What the administrator chose instead. */
static void
plan_method(struct planner *p)
{
	static const struct safe_when held = {SAFE_HELD, 0};
	struct safe_set set = {0};
	struct safe_load load;

	safe_load_new(&load, &p->val, held);
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

/* Turns of trees are beside the mixture, or have to go. */
static void
receive_guests(struct planner *p)
{
	const struct safe_job *job = p->job;

	if (!job->guests || !safe_guest_harmed(&p->net, job, p->mix))
		return;
	safe_guest_open(p->t, &p->val,
		p->t->way == SAFE_DIRECT && p->t->cyclic == 0 ? p->mix : NULL);
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
	t->cyclic = safe_cycle_seek(&p->val, p->mix, p->comp);
	if (t->cyclic > 0)
		safe_cycle_tell(
			&p->val, p->mix, p->comp, t->cause, sizeof(t->cause));
	if (p->job->method == SAFE_AUTO)
		plan_auto(p);
	else
		plan_method(p);
	receive_guests(p);
	free(p->mix);
	free(p->comp);
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
	safe_net_new(
		&p.net, job->to->topo, hw_turns(job->hw), safe_lane_count(job));
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
	for (size_t i = 0; i < t->nwrites; i++) {
		lft_drop(t->pool, t->write[i].image);
		lft_drop(t->pool, t->write[i].was);
	}
	safe_guest_close(t->guests);
	free(t->write);
	free(t->turn);
	free(t);
}
