#include "distribution/transition/transition.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/device/adaptive_can.h"
#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

enum {
	/*
	 * Channels on cycles above which trying entries one by one takes too
	 * long.
	 */
	BULK_VERTICES = 4096,
	/*
	 * By how much prices must differ to decide: how long a stage takes, and
	 * what its packets are worth, is an estimate.
	 */
	CLEARLY = 2,
};

struct planner {
	const struct transition_job *job;
	struct transition_result *t;
	struct chan_graph net;
	struct lft_values val;
	uint64_t *mix;		    /* the mixture */
	uint32_t *comp;		    /* its components */
	struct transition_set stay; /* blocked from now on */
	bool around; /* no packet goes to switches that cannot be written */
};

const char *
transition_method_name(enum transition_method_kind m)
{
	static const char *const name[] = {"auto", "static", "break-ports",
		"break-dependencies", "dynamic"};

	return (size_t)m < sizeof(name) / sizeof(*name) ? name[m] : "?";
}

const char *
transition_kind_name(enum transition_kind w)
{
	static const char *const name[] = {
		"nothing", "direct", "staged", "blocked"};

	return (size_t)w < sizeof(name) / sizeof(*name) ? name[w] : "?";
}

static uint64_t *
new_matrix(const struct planner *p, struct transition_when edges,
	struct transition_when reach)
{
	uint64_t *dep =
		mem_alloc(dep_graph_words(&p->net.frame) * sizeof(*dep));

	cdg_mixed_build(&p->val, edges, reach, dep);
	return dep;
}

static void
take_blocked(struct transition_result *t, const struct transition_set *set)
{
	t->dep = set->dep;
	t->ndeps = set->n;
	t->cut_pairs = set->pairs;
}

/*
 * One option: stages, and dependencies to block before the last of them if they
 * are not enough. Its price is what it loses, in pairs times drains. The pairs
 * of blocked dependencies lose packets during the drain before the tables
 * change, after which their packets go elsewhere. Pairs that do not arrive
 * between stages lose packets for a drain each and until the slowest switch has
 * answered: a quarter more.
 */
struct option {
	uint8_t (*stage)[LFT_BLOCK]; /* as in lft_values; owned */
	unsigned n;
	bool enough;
	struct transition_set closed;
	uint64_t price;
};

static void
drop_option(struct option *o)
{
	free(o->stage);
	free(o->closed.dep);
	*o = (struct option){0};
}

/* Find stages in one way; false: some dependencies have to be blocked too. */
static bool
find_stages(struct planner *p, enum transition_admission how, struct option *o)
{
	struct lft_values *v = &p->val;

	*o = (struct option){0};
	if (how == TRANSITION_BULK)
		o->enough =
			stage_bulk_find(v, p->comp, p->job->max_stages, &o->n);
	else
		o->enough =
			stage_find(v, p->comp, how, p->job->max_stages, &o->n);
	o->stage = v->stage;
	v->stage = NULL;
	return o->enough;
}

/* Find the dependencies that the last stage needs blocked, and the price. */
static void
price_option(struct planner *p, struct option *o, const uint64_t *fixed)
{
	struct transition_when rest = {TRANSITION_REST, o->n - 1},
			       then = {TRANSITION_AT, o->n - 1};
	struct dependency_load load;
	uint64_t *left;

	p->val.stage = o->stage;
	o->price = stage_loss_estimate(&p->val, o->n);
	o->price += o->price / 4;
	if (!o->enough) {
		left = new_matrix(p, rest, rest);
		dependency_load_new(&load, &p->val, then);
		block_select_find(&p->val, &load, left, fixed, &o->closed);
		dependency_load_free(&load);
		free(left);
	}
	p->val.stage = NULL;
	o->price += o->closed.pairs;
}

/*
 * The same without stages: everything at once, and packets that are lost now
 * stay lost for a drain more.
 */
static void
price_at_once(struct planner *p, struct option *o,
	const struct dependency_load *load, const uint64_t *fixed)
{
	*o = (struct option){.n = 1};
	block_select_find(&p->val, load, p->mix, fixed, &o->closed);
	o->price = o->closed.pairs + stage_loss_current(&p->val);
}

/* Keep the better option in best; of equals the one that blocks less. */
static void
keep_better(struct option *best, struct option *other)
{
	if (best->n == 0 || other->price < best->price ||
		(other->price == best->price &&
			other->closed.n < best->closed.n)) {
		drop_option(best);
		*best = *other;
		*other = (struct option){0};
	}
	drop_option(other);
}

static void
take_option(struct planner *p, struct option *o)
{
	struct transition_result *t = p->t;

	p->val.stage = o->stage;
	t->nstages = o->n;
	take_blocked(t, &o->closed);
	if (o->closed.n > 0)
		t->kind = TRANSITION_BLOCKED;
	else
		t->kind = o->n > 1 ? TRANSITION_STAGED : TRANSITION_DIRECT;
	*o = (struct option){0};
}

/* Whether every link has the same up direction in the old and the new order. */
static bool
is_order_kept(const struct planner *p)
{
	const struct chan_graph *n = &p->net;
	const struct routes *from = p->job->from, *to = p->job->to;
	const sw_ix *old = p->val.old_sw;

	if (from == NULL || from->order == ROUTE_NO_ORDER ||
		to->order == ROUTE_NO_ORDER)
		return false;
	for (uint32_t r = 0; r + 1 < n->nrec; r++) {
		sw_ix a = n->owner[r], b = n->owner[n->peer[r]];

		if (b != n->nsw && old[a] != TOPO_NONE && old[b] != TOPO_NONE &&
			routes_above(from, old[a], old[b]) !=
				routes_above(to, a, b))
			return false;
	}
	return true;
}

/*
 * Take the cheapest option. But nothing is blocked where stages are enough and
 * do not lose clearly more, or where the order of switches is kept, and never
 * more pairs than the paper's method would block.
 */
static void
choose_option(struct planner *p, struct option *some, size_t n)
{
	static const struct transition_when is = {TRANSITION_NEW, 0};
	static const struct transition_when held = {TRANSITION_HELD, 0};
	struct option open = {0}, best = {0}, at_once;
	struct transition_set paper = {0};
	uint64_t *fixed = new_matrix(p, is, is);
	struct dependency_load load;

	/* no two loads at once: they are the largest things here */
	dependency_load_new(&load, &p->val, held);
	method_dependencies(&p->val, &load, &paper);
	free(paper.dep);
	if (p->job->to->order == ROUTE_NO_ORDER)
		paper.pairs = UINT64_MAX; /* that method has nothing to say */
	price_at_once(p, &at_once, &load, fixed);
	dependency_load_free(&load);
	for (size_t i = 0; i < n; i++) {
		price_option(p, &some[i], fixed);
		if (some[i].closed.n == 0)
			keep_better(&open, &some[i]);
		else if (some[i].closed.pairs <= paper.pairs)
			keep_better(&best, &some[i]);
		drop_option(&some[i]);
	}
	keep_better(&best, &at_once);
	if (open.n > 0 &&
		(is_order_kept(p) || open.price / CLEARLY <= best.price)) {
		drop_option(&best);
		best = open;
		open = (struct option){0};
	}
	drop_option(&open);
	take_option(p, &best);
	if (p->t->kind == TRANSITION_BLOCKED && paper.pairs < UINT64_MAX)
		p->t->paper_pairs = paper.pairs;
	free(fixed);
}

static bool
has_idle_link(const struct topo *t)
{
	for (port_ix p = 0; p < t->nports; p++)
		if ((t->port[p].flags & TP_IDLE) != 0)
			return true;
	return false;
}

/*
 * The mixture has no cycle, so that any order of writes will do. But what is
 * drained, or comes back, is in order, and is to lose nothing: a switch whose
 * only route is over one link sends packets straight back that come by it until
 * their senders are written.
 */
static void
avoid_bounces(struct planner *p)
{
	const struct transition_job *job = p->job;
	struct option o;

	if (job->max_stages < 2 ||
		(!has_idle_link(job->to->topo) &&
			(job->from == NULL || !has_idle_link(job->from->topo))))
		return;
	if (find_stages(p, TRANSITION_SMOOTH, &o))
		take_option(p, &o);
	else
		drop_option(&o);
}

/*
 * The method "auto". Stages between which no packet is sent straight back lose
 * nothing: where such stages are found, take them. Else find stages by each of
 * the other rules of admission, and take the option that loses the fewest
 * packets.
 */
static void
plan_auto(struct planner *p)
{
	struct option some[TRANSITION_ADMISSIONS] = {{0}};
	uint32_t limit = p->job->bulk != 0 ? p->job->bulk : BULK_VERTICES;
	bool many = p->t->cyclic > limit;
	bool bulk = many && p->net.layers == 1;
	int how = bulk	 ? TRANSITION_BULK
		  : many ? TRANSITION_GREEDY
			 : TRANSITION_SMOOTH;
	int end = bulk ? TRANSITION_ADMISSIONS : TRANSITION_BULK;
	size_t n = 0;

	p->t->kind = TRANSITION_DIRECT;
	if (p->t->cyclic == 0) {
		avoid_bounces(p);
		return;
	}
	for (; p->job->max_stages > 1 && how < end; how++) {
		if (find_stages(p, (enum transition_admission)how, &some[n]) &&
			(how <= TRANSITION_SMOOTH_LEGAL ||
				how == TRANSITION_BULK)) {
			take_option(p, &some[n]);
			while (n-- > 0)
				drop_option(&some[n]);
			return;
		}
		if (some[n].n == 0)
			drop_option(&some[n]);
		else
			n++;
	}
	choose_option(p, some, n);
}

/*
 * The method to use. Those that block what the new order of switches forbids
 * mean nothing where there is none: then the mixture decides.
 */
static enum transition_method_kind
usable_method(const struct transition_job *job)
{
	bool needs_order = job->method == TRANSITION_BREAK_PORTS ||
			   job->method == TRANSITION_BREAK_DEPENDENCIES;

	return needs_order && job->to->order == ROUTE_NO_ORDER ? TRANSITION_AUTO
							       : job->method;
}

/* Plan the method that the administrator chose instead. */
static void
plan_method(struct planner *p)
{
	static const struct transition_when held = {TRANSITION_HELD, 0};
	struct transition_set set = {0};
	struct dependency_load load;

	dependency_load_new(&load, &p->val, held);
	if (p->t->method == TRANSITION_STATIC)
		method_static(&p->val, &load, &set);
	else if (p->t->method == TRANSITION_BREAK_PORTS)
		method_ports(&p->val, &load, &set);
	else if (p->t->method == TRANSITION_BREAK_DEPENDENCIES)
		method_dependencies(&p->val, &load, &set);
	take_blocked(p->t, &set);
	p->t->kind = set.n > 0 ? TRANSITION_BLOCKED : TRANSITION_DIRECT;
	dependency_load_free(&load);
}

static bool
has_writes(const struct lft_values *v)
{
	for (size_t i = 0; i < v->ncells; i++)
		if (v->c[i].write || v->c[i].quench)
			return true;
	return false;
}

/* A mixture as the verifier notes dependencies: without the record of links
 * that lead nowhere. */
static struct verify_dependencies *
copy_mixture(const struct planner *p, const uint64_t *mix)
{
	size_t row = sizeof(*mix) << p->net.shift;
	uint32_t nrec = p->net.nrec - 1;
	struct verify_dependencies *d = mem_zalloc(1, sizeof(*d) + nrec * row);

	d->nrec = nrec;
	d->layers = 1;
	d->shift = p->net.shift;
	memcpy(d->row, mix, nrec * row);
	return d;
}

/* The mixture of each stage, for guests that choose among ports. */
static void
note_mixtures(struct planner *p)
{
	struct transition_result *t = p->t;

	if (p->net.layers > 1 || t->kind == TRANSITION_BLOCKED ||
		(t->kind == TRANSITION_DIRECT && t->cyclic > 0))
		return;
	t->mixture = mem_zalloc(t->nstages, sizeof(t->mixture[0]));
	for (unsigned k = 0; k < t->nstages; k++) {
		struct transition_when at = {TRANSITION_AT, k};
		uint64_t *mix = t->nstages > 1 ? new_matrix(p, at, at) : NULL;

		t->mixture[k] = copy_mixture(p, mix != NULL ? mix : p->mix);
		free(mix);
	}
}

/*
 * Multicast trees keep their dependencies beside the mixture, or have to go;
 * adaptive routing does, or is switched off. False: that cannot be done at a
 * switch that cannot be written.
 */
static bool
admit_guests(struct planner *p)
{
	const struct transition_job *job = p->job;

	p->t->trees_wait = transition_mcast_is_broken(&p->net, job, p->mix);
	if (!job->guests || !p->t->trees_wait)
		return true;
	if (p->t->method == TRANSITION_AUTO && !p->around &&
		adaptive_can_unwritten(job->hw, job->to->topo))
		return false;
	note_mixtures(p);
	transition_mcast_open(p->t, &p->val,
		p->t->kind == TRANSITION_DIRECT && p->t->cyclic == 0 ? p->mix
								     : NULL);
	return true;
}

/*
 * Whether what a transition wants to block can be blocked: a switch in
 * quarantine takes neither rows of SL2VL nor a port to Init, and a link to it
 * that is taken down does not come up again.
 */
static bool
can_block(const struct chan_graph *n, const struct transition_result *t)
{
	for (size_t i = 0; i < t->ndeps; i++) {
		const struct transition_dependency *x = &t->dep[i];
		sw_ix near = n->owner[n->peer[n->off[x->sw] + x->in]];

		if (chan_graph_quarantined(n, x->sw) ||
			(x->by_port && near != n->nsw &&
				chan_graph_quarantined(n, near)))
			return false;
	}
	return true;
}

/* False: it needs dependencies blocked, or adaptive routing switched off, where
 * that cannot be done. */
static bool
plan_writes(struct planner *p)
{
	static const struct transition_when all = {TRANSITION_ALL, 0};
	struct transition_result *t = p->t;
	bool possible;

	t->nstages = 1;
	p->mix = new_matrix(p, all, all);
	p->comp = mem_alloc(p->net.nv * sizeof(*p->comp));
	t->mixed_edges = cdg_mixed_count(&p->net, p->mix);
	t->cyclic = cdg_cycle_search(&p->val, p->mix, p->comp);
	if (t->cyclic > 0)
		cdg_cycle_describe(
			&p->val, p->mix, p->comp, t->cause, sizeof(t->cause));
	if (t->method == TRANSITION_AUTO)
		plan_auto(p);
	else
		plan_method(p);
	possible = t->method == TRANSITION_STATIC || can_block(&p->net, t);
	possible = possible && admit_guests(p);
	free(p->mix);
	free(p->comp);
	return possible;
}

/*
 * Plan the writes anew, with packets kept from switches that cannot be written:
 * these only send then, and no cycle goes through them.
 */
static void
plan_around(struct planner *p)
{
	struct transition_result *t = p->t;

	free(t->dep);
	take_blocked(t, &(struct transition_set){0});
	t->paper_pairs = 0;
	t->cause[0] = '\0';
	lft_values_free(&p->val);
	lft_values_new(&p->val, &p->net, p->job);
	p->around = true;
	unknown_lft_quench(&p->val, true);
	(void)plan_writes(p);
}

/* Dependencies that stay blocked are blocked before any other. */
static void
add_stays(struct planner *p)
{
	struct transition_result *t = p->t;
	struct transition_set all = {.dep = t->dep, .n = t->ndeps};

	if (p->stay.n == 0)
		return;
	all.cap = all.n;
	for (size_t i = 0; i < p->stay.n; i++) {
		all.dep = mem_grow(all.dep, all.n, &all.cap, sizeof(*all.dep));
		all.dep[all.n++] = p->stay.dep[i];
	}
	block_select_finish(&all);
	take_blocked(t, &all);
	for (size_t i = 0; i < t->ndeps; i++)
		t->nstays += t->dep[i].stays != 0;
	t->kind = TRANSITION_BLOCKED;
}

/*
 * Take what stays blocked out of the mixture, and what is blocked from before:
 * that is unblocked after the tables.
 */
static void
close_blocked(struct planner *p)
{
	struct transition_set is;

	if (p->net.layers != p->job->to->layers.n || p->net.layers < 2)
		return;
	stale_sl_blocked(p->job, &is);
	if (is.n > 0)
		chan_graph_close(&p->net, &is);
	if (p->stay.n > 0)
		chan_graph_close(&p->net, &p->stay);
	free(is.dep);
}

/* Plan into t; stay, which is taken over, is blocked from now on. */
static void
plan_by(const struct transition_job *job, const struct vl_graphs *g,
	struct transition_set *stay, struct transition_result *t)
{
	struct planner p = {.job = job, .t = t, .stay = *stay};

	t->method = usable_method(job);
	t->pool = job->to->pool;
	t->rows_first = g->rows_first;
	t->renumbers = g->renumbers;
	t->ports_down = g->ports_down;
	chan_graph_new(&p.net, job->to->topo, job->hw,
		g->n > 1 ? &job->to->layers : NULL);
	close_blocked(&p);
	lft_values_new(&p.val, &p.net, job);
	if (job->method != TRANSITION_STATIC &&
		job->method != TRANSITION_DYNAMIC)
		/* methods by an order block what that order forbids: it says
		 * nothing of switches that keep their tables */
		unknown_lft_quench(&p.val, t->method != TRANSITION_AUTO);
	if ((has_writes(&p.val) || g->ports_down != NULL) && !plan_writes(&p))
		plan_around(&p);
	add_stays(&p);
	lft_writes_all(&p.val, t);
	lft_values_free(&p.val);
	chan_graph_free(&p.net);
	free(p.stay.dep);
}

struct transition_result *
transition_find(const struct transition_job *job)
{
	struct transition_result *t = mem_zalloc(1, sizeof(*t));
	struct transition_job down = *job;
	struct transition_set stay = {0};
	struct vl_graphs g;

	vl_graphs_find(job, &g);
	/* ports that go down end old connections */
	if (g.ports_down == NULL && job->method != TRANSITION_STATIC &&
		!stale_sl_find(job, t, &stay)) {
		g.ports_down = "old connections would close a cycle by "
			       "dependencies that new ones need";
		g.rows_first = false;
		free(stay.dep);
		stay = (struct transition_set){0};
	}
	t->rows_unknown = g.rows_unknown && job->method != TRANSITION_STATIC;
	down.method = TRANSITION_STATIC;
	plan_by(g.ports_down != NULL ? &down : job, &g, &stay, t);
	return t;
}

bool
transition_ends_connections(const struct transition_result *t)
{
	return t->method == TRANSITION_STATIC && t->kind == TRANSITION_BLOCKED;
}

void
transition_free(struct transition_result *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->nwrites; i++) {
		lft_drop(t->pool, t->write[i].image);
		lft_drop(t->pool, t->write[i].was);
	}
	transition_mcast_close(t->guests);
	for (unsigned k = 0; t->mixture != NULL && k < t->nstages; k++)
		free(t->mixture[k]);
	free(t->mixture);
	free(t->write);
	free(t->dep);
	free(t);
}
