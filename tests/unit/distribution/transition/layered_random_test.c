/*
 * Layers on random fabrics, from the engine to the last write. A fabric is
 * routed through the driver, ten of its links fail one after the other, the
 * engine keeps what it can or, now and then, begins afresh or with other
 * options, and each change is planned and carried out.
 *
 *   tables   arrive, have no cycle and layers alike both ways, before the
 *            verifier and before a judge that shares nothing with it; no link
 *            has fewer VLs than layers take
 *   writes   at every moment, in any order, no packet goes round and no
 *            channels wait for each other in a cycle, with packets of all SLs
 *            that were ever given out, and of multicast trees
 *            (mixture_model.h)
 *
 * LAYERED_FABRICS: an eighth of the fabrics of each kind; 1,000 in make soak.
 */
#include <check.h>
#include <stdio.h>

#include "distribution/plan/plan.h"
#include "routing/core/layer_links.h"
#include "routing/driver/compute.h"
#include "routing/engines/nue/nue.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/transition/mixture_model.h"
#include "tests/unit/distribution/transition/transition_unordered.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"
#include "tests/unit/tally.h"

enum {
	PARTS = 8,	    /* of the fabrics of a kind, each a process */
	FABRICS = FEWER(5), /* in a part */
	LOSSES = 10,	    /* links that fail */
	TREES = 3,
	CAN_MAP = 0x40, /* CapabilityMask.IsSLMappingSupported */
};

/* A kind of fabric, and the engine that is for it. */
struct kind {
	const char *engine;
	struct fabric *(*make)(struct rng *r);
	unsigned least_vls; /* code as in PortInfo: fewer are too few */
	unsigned damaged;   /* links out from the start, at most */
};

/* What was seen of a kind. */
struct totals {
	unsigned fabrics, tables;
	unsigned others;     /* tables of other engines */
	unsigned several;    /* tables with several layers */
	unsigned changes[4]; /* by enum transition_kind */
	unsigned stale;	     /* changes that block old SLs for good */
	unsigned down[2]; /* changes that take all ports down: entries are kept,
			     or wanted afresh */
	unsigned samples, asked, stayed;
};

static struct totals *totals; /* [kinds] */

struct run {
	const struct kind *kind;
	uint64_t seed;
	struct rng r;
	unsigned layers; /* asked of nue */
	struct fabric *f;
	bool *drop; /* [f->ncables] */
	struct lft_pool *pool;
	struct device_store *hw;
	struct sl_history *history;
	struct topo *first, *t;
	struct routes *is; /* in force */
	struct mixture m;
	struct mcast_tree *tree[TREES];
	unsigned step;
	bool afresh; /* entries, or with other options */
};

#define holds(x, what)                                                         \
	ck_assert_msg(what, "%s: %s seed %llu loss %u", #what,                 \
		(x)->kind->engine, (unsigned long long)(x)->seed, (x)->step)

/* ---- fabrics ---- */

/* Any connected graph, with parallel links, and up to two hosts a switch. */
static struct fabric *
make_graph(struct rng *r)
{
	enum { MOST = 40, DEGREE = 24 };
	unsigned n = 2 + rng_below(r, MOST - 1), degree[MOST] = {0}, links = 0;
	unsigned more = rng_below(r, 3 * n), hosts[MOST];
	unsigned end[MOST * 4][2];
	struct fabric *f = fabric_new();

	for (unsigned i = 1; i < n + more; i++) {
		unsigned a = i < n ? i : rng_below(r, n);
		unsigned b = rng_below(r, i < n ? i : n);

		if (a == b || degree[a] >= DEGREE || degree[b] >= DEGREE)
			continue;
		degree[a]++;
		degree[b]++;
		end[links][0] = a;
		end[links++][1] = b;
	}
	for (unsigned i = 0; i < n; i++) {
		hosts[i] = i == 0 ? 1 : rng_below(r, 3);
		(void)fabric_addf(
			f, FABRIC_SWITCH, degree[i] + hosts[i], "sw%u", i);
	}
	for (unsigned i = 0; i < links; i++)
		(void)fabric_connect(f, end[i][0],
			fabric_free_port(f, end[i][0]), end[i][1],
			fabric_free_port(f, end[i][1]), NULL);
	for (unsigned i = 0, h = 1; i < n; i++)
		for (unsigned k = 0; k < hosts[i]; k++)
			(void)fabric_connect(f, i, fabric_free_port(f, i),
				fabric_addf(f, FABRIC_CA, 1, "h%u", h++), 1,
				NULL);
	return f;
}

static struct fabric *
make_torus(struct rng *r)
{
	const unsigned flat[2] = {5 + rng_below(r, 2), 5 + rng_below(r, 2)};

	return rng_below(r, 3) == 0 ? shape_of("torus:3x3x4")
				    : shape_of("torus:%ux%u", flat[0], flat[1]);
}

static struct fabric *
make_dragonfly(struct rng *r)
{
	return rng_below(r, 2) == 0 ? shape_of("dragonfly:4:1:2")
				    : shape_of("dragonfly:3:1:2");
}

/* A mesh, a hypercube, or a HyperX. */
static struct fabric *
make_straight(struct rng *r)
{
	const unsigned dim[2] = {3 + rng_below(r, 3), 4 + rng_below(r, 2)};

	switch (rng_below(r, 3)) {
	case 0:
		return shape_of("mesh:%ux%u", dim[0], dim[1]);
	case 1:
		return rng_below(r, 2) == 0 ? shape_of("mesh:2x2x2x2")
					    : shape_of("mesh:2x2x2x2x2");
	default:
		return shape_of("hyperx:%ux%u", dim[0], dim[1]);
	}
}

static const struct kind kinds[] = {
	{"nue", make_graph, 1, 0},
	{"torus", make_torus, 3, 3},
	{"dragonfly", make_dragonfly, 3, 3},
	{"dor", make_straight, 1, 2},
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static struct totals *
sum_of(const struct run *x)
{
	return &totals[x->kind - kinds];
}

/* Links have VLs by the seed and the cable: some have fewer than most. Ports
 * are up, and switches map SLs to VLs. */
static void
set_ports(const struct run *x, struct topo *t, uint8_t state)
{
	struct rng all = {x->seed};
	unsigned least = x->kind->least_vls;
	unsigned most = least + rng_below(&all, 5 - least);
	bool some = rng_below(&all, 3) == 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		t->sw[s].lft_top = t->max_lid;
	for (port_ix p = 0; p < t->nports; p++) {
		struct topo_port *port = &t->port[p];
		uint64_t a, b;
		struct rng own;

		port->capmask |= CAN_MAP;
		port->state = port->peer == TOPO_NONE && port->num > 0
				      ? PORT_DOWN
				      : state;
		port->vl_cap = port->op_vls = 4;
		if (port->peer == TOPO_NONE || slvl_end(t, p))
			continue;
		a = t->node[port->node].guid << 8 | port->num;
		b = t->node[t->port[port->peer].node].guid << 8 |
		    t->port[port->peer].num;
		own = (struct rng){x->seed ^ (a < b ? a : b)};
		port->vl_cap = port->op_vls =
			(uint8_t)(some && rng_below(&own, 10) == 0
					  ? least + rng_below(&own,
							    most - least + 1)
					  : most);
	}
}

/* ---- tables ---- */

static struct routes *
route_fabric(const struct run *x, struct topo *t, bool rebalance)
{
	const struct nue_options own = {x->layers};
	const struct schema_values values = {engine_nue.module.options, &own};
	const struct engine_options options = {
		.own = &values, .nown = 1, .levels = 1};
	const struct route_job job = {.topo = t,
		.pool = x->pool,
		.prev = x->is,
		.options = &options,
		.rebalance = rebalance,
		.load_limit = 1250,
		.seed = x->seed};
	struct route_account story;
	struct reason why = {""};
	struct routes *r =
		compute_routes(&job, &x->kind->engine, 1, &story, &why);

	ck_assert_msg(r != NULL, "%s seed %llu: %s", x->kind->engine,
		(unsigned long long)x->seed, why.text);
	return r;
}

static void
check_tables(const struct run *x, const struct routes *r)
{
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	struct layer_links links =
		layer_links_survey(r->topo, NULL, r->layers.n);
	struct verify_report report;
	struct channel_verdict v = channel_judge(r);
	struct reason why = {""};

	ck_assert_msg(verify_tables(&in, &report, &why) == 0,
		"%s seed %llu: %s", x->kind->engine,
		(unsigned long long)x->seed, why.text);
	holds(x, r->report.ok && report.cut_off == 0);
	holds(x, v.lost == 0);
	holds(x, v.cyclic == 0);
	holds(x, v.asymmetric == 0);
	holds(x, r->topo->nsw < 2 || v.groups <= links.least);
	sum_of(x)->tables++;
	sum_of(x)->others += strcmp(r->engine, x->kind->engine) != 0;
	sum_of(x)->several += r->layers.n > 1;
}

/* ---- what packets bear ---- */

static bool
is_leaf(const struct topo *t, sw_ix s)
{
	return t->sw[s].nend > 1;
}

/* SLs of packets by these routes may be under way, too. A connection keeps its
 * SL; switches without hosts have none, and use what is in force. */
static void
give_sls(struct run *x, const struct routes *r)
{
	const struct slvl_want alike = {0};
	const struct topo *t = r->topo;
	struct slvl l;

	slvl_of_layers(&alike, &r->layers, &l);
	for (sw_ix a = 0; a < t->nsw; a++)
		for (sw_ix b = 0; b < t->nsw; b++)
			*mixture_sls(&x->m, a, b) |=
				(uint16_t)(1U << l.sl[0][routes_layer(
						   &r->layers, a, b)]);
}

/* Only the SLs of connections are left, and those in force. */
static void
settle_sls(struct run *x, const struct routes *r)
{
	const struct topo *t = r->topo;

	for (sw_ix a = 0; a < t->nsw; a++)
		for (sw_ix b = 0; b < t->nsw; b++)
			if (!is_leaf(t, a) || !is_leaf(t, b))
				*mixture_sls(&x->m, a, b) = 0;
	give_sls(x, r);
}

/* ---- judgements ---- */

/* With all values that were met, or by those in force. */
static bool
is_cyclic(struct run *x, bool now, struct mcast_tree *const *more)
{
	struct mixture_graph g;
	bool cyclic;

	mixture_graph_open(&g, &x->m, now);
	for (uint32_t lid = 1; lid < x->m.nlids; lid++)
		mixture_add_lid(&g, lid);
	for (unsigned i = 0; i < TREES; i++) {
		if (x->tree[i] != NULL)
			mixture_add_tree(&g, x->tree[i], 0);
		if (more != NULL)
			mixture_add_tree(&g, more[i], 0);
	}
	cyclic = mixture_cyclic(&g) > 0;
	mixture_graph_close(&g);
	return cyclic;
}

/* The first fault of packets between any ports, with any of these SLs. */
static enum mixture_end
walk_all(const struct run *x, bool loops_alone)
{
	const struct topo *t = x->m.t;
	enum mixture_end worst = MIXTURE_ARRIVED;
	struct mixture_graph g;

	mixture_graph_open(&g, &x->m, true);
	for (uint32_t lid = 1; lid < x->m.nlids; lid++) {
		port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);

		for (sw_ix s = 0; p != TOPO_NONE && s < t->nsw; s++) {
			uint16_t sls =
				*mixture_sls(&x->m, s, topo_switch_of(t, p));

			for (unsigned sl = 0; sl < MIXTURE_SLS; sl++) {
				enum mixture_end end =
					(sls >> sl & 1) == 0
						? MIXTURE_ARRIVED
						: mixture_walk(
							  &g, s, 0, lid, sl);

				if (end == MIXTURE_LOST && loops_alone)
					continue;
				worst = end > worst ? end : worst;
			}
		}
	}
	mixture_graph_close(&g);
	return worst;
}

/* A mixture as it is at this moment. */
static void
judge_sample(struct run *x)
{
	holds(x, walk_all(x, true) != MIXTURE_LOOP);
	holds(x, !is_cyclic(x, true, NULL));
	sum_of(x)->samples++;
}

/* ---- trees ---- */

static struct mcast_tree *
grow_tree(struct run *x, struct mcast *m, const struct mcast_tree *prev)
{
	struct mcast_member member[8];
	struct mcast_tree *tree;
	size_t n = 0;

	while (n < sizeof(member) / sizeof(*member)) {
		port_ix p = (port_ix)rng_below(&x->r, x->t->nports);

		if (topo_has_lid(x->t, p))
			member[n++] = (struct mcast_member){
				p, rng_below(&x->r, 4) > 0};
	}
	tree = mcast_tree(m, member, n, prev, rng_below(&x->r, 8));
	holds(x, tree->left_out == 0);
	return tree;
}

/* New trees take the place of those that are there, side by side with them. */
static void
grow_trees(struct run *x)
{
	struct mcast_tree *new[TREES];
	struct route_mcast order;
	struct mcast *m;

	routes_mcast(x->is, &order);
	holds(x, (order.layers & 1) != 0);
	m = mcast_new(x->t, &order);
	for (unsigned i = 0; i < TREES; i++)
		new[i] = grow_tree(x, m, x->tree[i]);
	holds(x, !is_cyclic(x, false, new));
	for (unsigned i = 0; i < TREES; i++) {
		mcast_tree_free(x->tree[i]);
		x->tree[i] = new[i];
	}
	mcast_free(m);
	routes_mcast_free(&order);
}

/* Trees that may not stay are gone before anything is written. */
static void
judge_trees(struct run *x, struct transition_result *change)
{
	for (unsigned i = 0; transition_mcast_must_ask(change) && i < TREES;
		i++) {
		struct transition_mcast *dep;
		bool stays;
		size_t n;

		dep = tree_dependencies(x->tree[i], x->t, &n);
		stays = transition_mcast_admit(change, dep, n);
		free(dep);
		sum_of(x)->asked++;
		sum_of(x)->stayed += stays;
		if (stays)
			continue;
		mcast_tree_free(x->tree[i]);
		x->tree[i] = NULL;
	}
}

/* ---- carrying out ---- */

/* The switch took this row. */
static void
put_row(struct run *x, sw_ix s, unsigned in, unsigned out, const uint8_t *row)
{
	device_put(x->hw,
		device_at_row(x->t->node[x->t->sw[s].node].guid, in, out), row);
	mixture_put_row(&x->m, s, in, out, row);
}

/* The row that a step writes, as distribution/push makes it. */
static void
step_row(const struct run *x, const struct plan *p, const struct plan_step *s,
	uint64_t guid, uint8_t row[SLVL_ROW])
{
	unsigned in = s->block & 0xff, out = x->t->port[s->port].num;
	const struct blocked_row *b =
		blocked_rows_find(device_blocked(x->hw), guid, in, out);

	if (s->kind != PLAN_BLOCK && s->payload != PLAN_BEFORE) {
		memcpy(row, p->payload[s->payload], SLVL_ROW);
		return;
	}
	holds(x, b != NULL);
	memcpy(row, b->before, SLVL_ROW);
	if (s->kind == PLAN_BLOCK)
		sl2vl_row_block(row, (uint16_t)s->payload);
}

static void
write_row(struct run *x, const struct plan *p, const struct plan_step *s)
{
	const struct topo_node *n = &x->t->node[x->t->port[s->port].node];
	unsigned in = s->block & 0xff, out = x->t->port[s->port].num;
	uint8_t row[SLVL_ROW];

	if (n->sw == TOPO_NONE)
		return;
	holds(x, (s->block & (PLAN_ALL_IN | PLAN_ALL_OUT)) == 0);
	step_row(x, p, s, n->guid, row);
	put_row(x, n->sw, in, out, row);
	if (s->kind == PLAN_UNBLOCK)
		blocked_rows_settle(
			device_blocked(x->hw), n->guid, in, out, s->stays);
}

static void
write_block(struct run *x, const struct plan_step *s)
{
	const struct topo_node *n = &x->t->node[x->t->port[s->port].node];

	device_sending(x->hw, n->guid, s->block, s->payload);
	device_set_block(x->hw, n->guid, s->block, s->payload);
	mixture_put_block(
		&x->m, n->sw, s->block, lft_bytes(x->pool, s->payload));
}

/* The rows that are to be blocked are recorded first. */
static void
note_blocked(struct run *x, const struct plan *p, const struct plan_phase *f)
{
	for (size_t i = f->first; i < f->end; i++) {
		const struct plan_step *s = &p->step[i];
		struct blocked_row b = {
			.guid = x->t->node[x->t->port[s->port].node].guid,
			.in = (uint8_t)s->block,
			.out = x->t->port[s->port].num};

		memcpy(b.before,
			device_bytes(x->hw, device_at_row(b.guid, b.in, b.out)),
			SLVL_ROW);
		blocked_rows_add(device_blocked(x->hw), &b);
	}
}

/* A port goes to Init, or on from there: so does the other end of its link. */
static void
write_port(struct run *x, const struct plan_step *s)
{
	const struct topo *t = x->t;
	port_ix end[2] = {s->port, t->port[s->port].peer};

	for (unsigned i = 0; i < 2 && end[i] != TOPO_NONE; i++) {
		sw_ix sw = t->node[t->port[end[i]].node].sw;

		if (sw != TOPO_NONE)
			mixture_set_link(&x->m, sw, t->port[end[i]].num,
				s->kind == PLAN_DOWN);
	}
}

static void
write_step(struct run *x, const struct plan *p, const struct plan_step *s)
{
	if (plan_reads(s))
		return;
	if (s->kind == PLAN_DOWN || s->kind == PLAN_ARM)
		write_port(x, s);
	if (s->attr == DEVICE_LFT)
		write_block(x, s);
	else if (s->attr == DEVICE_SL2VL)
		write_row(x, p, s);
}

static void
drain_fabric(struct run *x)
{
	device_drained(x->hw);
	mixture_drain(&x->m);
}

/* The steps of a phase in any order; judged once on the way, and at the end
 * with all that packets met. */
static void
carry_out_phase(struct run *x, const struct plan *p, const struct plan_phase *f)
{
	size_t n = f->end - f->first;
	size_t *order = mem_alloc((n + 1) * sizeof(*order));
	size_t pause = n > 1 ? 1 + rng_below(&x->r, (uint32_t)n - 1) : 0;
	bool writes = f->kind == PLAN_LFT || f->kind == PLAN_SLVL ||
		      f->kind == PLAN_BLOCK || f->kind == PLAN_UNBLOCK ||
		      f->kind == PLAN_ARM;

	if (f->drain)
		drain_fabric(x);
	if (f->kind == PLAN_BLOCK)
		note_blocked(x, p, f);
	for (size_t i = 0; i < n; i++) {
		size_t k = rng_below(&x->r, (uint32_t)i + 1);

		order[i] = order[k];
		order[k] = f->first + i;
	}
	for (size_t i = 0; i < n; i++) {
		if (writes && i == pause && i > 0)
			judge_sample(x);
		write_step(x, p, &p->step[order[i]]);
	}
	free(order);
	if (writes)
		holds(x, !is_cyclic(x, false, NULL));
}

static void
check_written(const struct run *x, const struct routes *to)
{
	for (sw_ix s = 0; s < x->t->nsw; s++)
		for (uint32_t lid = 1; lid <= to->top; lid++) {
			uint8_t out = routes_port(to, s, (uint16_t)lid);

			holds(x, *mixture_entry(&x->m, x->m.is, s, lid) ==
					 (out < MIXTURE_PORTS
							 ? UINT64_C(1) << out
							 : 0));
		}
}

/* All ports go down for the change: nothing is in flight, nothing is kept. */
static void
change_with_ports_down(struct run *x, const struct plan *p)
{
	for (size_t i = 0; i < p->nsteps; i++) {
		if (p->step[i].kind == PLAN_BLOCK)
			continue;
		write_step(x, p, &p->step[i]);
	}
	drain_fabric(x);
	sl_history_end(x->history);
	memset(x->m.sls, 0, (size_t)x->m.nsw * x->m.nsw * sizeof(*x->m.sls));
	for (unsigned i = 0; i < TREES; i++) {
		mcast_tree_free(x->tree[i]);
		x->tree[i] = NULL;
	}
	sum_of(x)->down[x->afresh]++;
}

/* New paths are given out: packets by them arrive. */
static void
settle_routes(struct run *x, struct routes *to)
{
	uint16_t *all = x->m.sls;
	size_t n = (size_t)x->m.nsw * x->m.nsw;

	x->m.sls = mem_zalloc(n, sizeof(*all));
	give_sls(x, to);
	holds(x, walk_all(x, false) == MIXTURE_ARRIVED);
	free(x->m.sls);
	x->m.sls = all;
	give_sls(x, to);
	holds(x, !is_cyclic(x, false, NULL));
	settle_sls(x, to);
	sl_history_add_routes(x->history, to, NULL);
	routes_unref(x->is);
	x->is = to;
}

/* Plan the change to these routes of x->t, and carry it out. */
static void
change_routes(struct run *x, struct routes *to)
{
	static const struct plan_params params = {.max_vls_code = 5};
	const struct transition_job job = {.to = to,
		.from = x->is,
		.hw = x->hw,
		.history = x->history,
		.max_stages = 1 + rng_below(&x->r, 8),
		.guests = true};
	struct transition_result *change = transition_find(&job);
	const struct plan_job what = {
		.routes = to, .change = change, .hw = x->hw, .params = &params};
	struct plan *p = plan_make(&what);
	bool ask = transition_mcast_must_ask(change);

	holds(x, change->unread == 0 && change->nquenches == 0);
	sum_of(x)->changes[change->kind]++;
	sum_of(x)->stale += change->nstays > 0;
	if (change->ports_down != NULL) {
		change_with_ports_down(x, p);
	} else {
		judge_trees(x, change);
		for (size_t i = 0; i < p->nphases; i++)
			carry_out_phase(x, p, &p->phase[i]);
	}
	check_written(x, to);
	if (ask)
		drain_fabric(x);
	settle_routes(x, to);
	grow_trees(x);
	plan_free(p);
}

/* ---- a run ---- */

/* The switches hold what the first routes want. */
static void
install_first(struct run *x)
{
	world_rows(x->hw, x->is);
	world_known(x->hw, x->is);
	for (sw_ix s = 0; s < x->t->nsw; s++) {
		const struct topo_node *n = &x->t->node[x->t->sw[s].node];

		for (unsigned out = 1; out <= n->nports; out++)
			for (unsigned in = 0; in <= n->nports; in++)
				mixture_put_row(&x->m, s, in, out,
					device_bytes(
						x->hw, device_at_row(n->guid,
							       in, out)));
		for (uint32_t b = 0; b < x->is->nblocks; b++)
			mixture_put_block(
				&x->m, s, b, routes_block(x->is, s, b));
	}
}

static void
begin_run(struct run *x, const struct kind *kind, uint64_t seed)
{
	struct reason why = {""};

	*x = (struct run){.kind = kind, .seed = seed, .r = {seed}};
	x->layers = 1 + rng_below(&x->r, 8);
	x->f = kind->make(&x->r);
	x->f = rig_fail_links(x->f, rng_below(&x->r, kind->damaged + 1),
		rng_next(&x->r), &why);
	ck_assert_msg(x->f != NULL, "%s", why.text);
	x->drop = mem_zalloc(x->f->ncables, sizeof(*x->drop));
	x->first = x->t =
		frozen_topo(x->f, &(struct frozen_lids){.shuffle = seed | 1});
	set_ports(x, x->t, PORT_INIT);
	x->pool = lft_pool_new();
	x->hw = device_new(x->pool);
	x->history = sl_history_new();
	x->is = route_fabric(x, x->t, false);
	check_tables(x, x->is);
	mixture_open(&x->m, x->t);
	install_first(x);
	drain_fabric(x);
	sl_history_add_topology(x->history, x->t, NULL);
	settle_routes(x, routes_ref(x->is));
	set_ports(x, x->t, PORT_ACTIVE);
	sl_history_add_topology(x->history, x->t, x->is);
	grow_trees(x);
}

static void
end_run(struct run *x)
{
	for (unsigned i = 0; i < TREES; i++)
		mcast_tree_free(x->tree[i]);
	mixture_close(&x->m);
	routes_unref(x->is);
	sl_history_free(x->history);
	device_free(x->hw);
	ck_assert_uint_eq(x->pool->live, 0);
	lft_pool_free(x->pool);
	if (x->t != x->first)
		topo_unref(x->t);
	topo_unref(x->first);
	free(x->drop);
	fabric_free(x->f);
}

/* One more link between switches goes, of those without which the fabric stays
 * whole. False: there is none. */
static bool
drop_link(struct run *x)
{
	uint32_t n = x->f->ncables, from = rng_below(&x->r, n);

	for (uint32_t k = 0; k < n; k++) {
		uint32_t c = (from + k) % n;
		const struct fabric_edit edit = {.drop_cable = x->drop};
		struct fabric *less;
		bool whole;

		if (x->drop[c] || !rig_is_trunk(x->f, c))
			continue;
		x->drop[c] = true;
		less = fabric_rebuild(x->f, &edit);
		whole = fabric_connected(less, FABRIC_NONE, FABRIC_NONE);
		fabric_free(less);
		if (whole)
			return true;
		x->drop[c] = false;
	}
	return false;
}

/* A link fails; now and then entries are wanted afresh, or other layers. */
static void
lose_link(struct run *x)
{
	bool rebalance = rng_below(&x->r, 4) == 0;
	struct topo *t = frozen_less(x->f, x->drop, x->t);
	struct routes *to;

	set_ports(x, t, PORT_ACTIVE);
	x->afresh = rebalance;
	if (rng_below(&x->r, 8) == 0) {
		x->layers = 1 + rng_below(&x->r, 8);
		x->afresh = true;
	}
	to = route_fabric(x, t, rebalance);
	check_tables(x, to);
	mixture_adopt(&x->m, t, x->first);
	if (x->t != x->first)
		topo_unref(x->t);
	x->t = t;
	sl_history_add_topology(x->history, t, x->is);
	change_routes(x, to);
}

static unsigned
count_fabrics(void)
{
	const char *n = getenv("LAYERED_FABRICS");

	return n != NULL ? (unsigned)strtoul(n, NULL, 10) : FABRICS;
}

LOOP_TEST(ten_links_fail, 0, PARTS *KINDS)
{
	unsigned n = count_fabrics();
	uint64_t part = (unsigned)_i % PARTS;

	for (unsigned i = 0; i < n; i++) {
		struct run x;

		begin_run(&x, &kinds[(unsigned)_i / PARTS],
			1 + part * 100000 + i);
		for (x.step = 1; x.step <= LOSSES && drop_link(&x); x.step++)
			lose_link(&x);
		end_run(&x);
		sum_of(&x)->fabrics++;
	}
}

static void
print_totals(void)
{
	for (unsigned k = 0; k < KINDS; k++) {
		const struct totals *s = &totals[k];

		(void)printf("%s: %u fabrics, %u tables, %u of other engines, "
			     "%u with several layers; %u changes in any order, "
			     "%u staged, %u blocked, %u with old SLs blocked, "
			     "%u and afresh %u with ports down; %u mixtures "
			     "beside all in one, %u of %u trees stayed\n",
			kinds[k].engine, s->fabrics, s->tables, s->others,
			s->several, s->changes[TRANSITION_DIRECT],
			s->changes[TRANSITION_STAGED],
			s->changes[TRANSITION_BLOCKED], s->stale, s->down[0],
			s->down[1], s->samples, s->stayed, s->asked);
	}
}

static void
begin_tests(void)
{
	totals = tally_new(KINDS * sizeof(*totals));
}

const struct suite_around suite_around = {
	.begin = begin_tests, .end = print_totals, .seconds = 3600};
