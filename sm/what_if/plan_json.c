#include "sm/what_if/plan_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/report/hop_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/redundancy_json.h"
#include "sm/report/routes_json.h"
#include "sm/report/tree_json.h"

enum { WORST = 10, LISTED = 50, SLVL_MAX = 64 };

json_t *
plan_json_lids(const struct topo *t, const struct lid_table *l)
{

	return json_util_object(M("highest", t->max_lid),
		M("assigned", l->assigned), M("moved", l->moved),
		M("conflicts", l->conflicts),
		M("conflict", names_text(l->conflict)));
}

/* ---- loads ---- */

/* Links from one rank to another, in that direction. */
struct level {
	uint32_t from, to;
	uint64_t links, idle, sum, max, min;
};

struct levels {
	struct level item[SLVL_MAX];
	size_t n;
};

static void
add_load(struct levels *l, uint32_t from, uint32_t to, uint64_t load)
{
	struct level *e;
	size_t i = 0;

	while (i < l->n && (l->item[i].from != from || l->item[i].to != to))
		i++;
	if (i == SLVL_MAX)
		return; /* no tree: loads by rank mean nothing */
	e = &l->item[i];
	if (i == l->n) {
		*e = (struct level){.from = from, .to = to, .min = load};
		l->n++;
	}
	e->links++;
	e->idle += load == 0;
	e->sum += load;
	e->max = load > e->max ? load : e->max;
	e->min = load < e->min ? load : e->min;
}

struct worst {
	sw_ix sw;
	const struct topo_adj *a;
	uint64_t pairs, load;
};

/* Keep the WORST highest loads, the first of equal ones in front. */
static void
add_worst(struct worst *w, size_t *n, const struct worst *x)
{
	size_t i = *n;

	if (x->load == 0 || (i == WORST && x->load <= w[WORST - 1].load))
		return;
	if (i < WORST)
		++*n;
	else
		i--;
	for (; i > 0 && w[i - 1].load < x->load; i--)
		w[i] = w[i - 1];
	w[i] = *x;
}

static json_t *
worst_json(const struct topo *t, const struct worst *w, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		hop_json_switch(o, t, w[i].sw);
		json_util_put(o, M("port", w[i].a->out),
			M("peer", names_node_desc(t, t->sw[w[i].a->peer].node)),
			M("peer_port", w[i].a->peer_port),
			M("pairs", w[i].pairs), M("load", w[i].load));
		json_util_add(list, o);
	}
	return list;
}

static json_t *
levels_json(const struct levels *l)
{
	json_t *list = json_array();

	for (size_t i = 0; l->n < SLVL_MAX && i < l->n; i++) {
		const struct level *e = &l->item[i];
		json_t *o = json_object();

		json_util_put(o, M("from", e->from), M("to", e->to),
			M("links", e->links), M("idle", e->idle),
			M("max", e->max), M("min", e->min),
			M("mean", (double)e->sum / (double)e->links));
		json_util_add(list, o);
	}
	return list;
}

static json_t *
load_json(const struct forecast *f)
{
	const struct routes *r = f->routes;
	const struct topo *t = f->topo;
	struct levels *levels = mem_zalloc(1, sizeof(*levels));
	struct worst w[WORST];
	size_t n = 0;
	json_t *o = json_object();

	for (sw_ix s = 0; s < t->nsw; s++) {
		if (!topo_sw_live(t, s))
			continue;
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			struct worst x = {s, &t->adj[t->sw[s].adj + i], 0, 0};

			if (!topo_sw_live(t, x.a->peer))
				continue;
			x.pairs = verify_state_pairs(r->verified, s, x.a->out);
			x.load = verify_state_load(r->verified, s, x.a->out);
			if (r->order != ROUTE_NO_ORDER &&
				r->rank[s] != ROUTE_NO_RANK &&
				r->rank[x.a->peer] != ROUTE_NO_RANK)
				add_load(levels, r->rank[s], r->rank[x.a->peer],
					x.load);
			add_worst(w, &n, &x);
		}
	}
	json_util_put(o, M("max", f->report.load_max),
		M("mean", f->report.load_mean),
		M("saturation",
			bandwidth_saturation(&f->report, t, f->ebb.hosts)),
		M("levels", levels_json(levels)),
		M("worst", worst_json(t, w, n)));
	free(levels);
	return o;
}

/* ---- the rest ---- */

static json_t *
verdict_json(const struct verify_report *q)
{

	return json_util_object(M("ok", q->ok), M("pairs", q->pairs),
		M("unreachable", q->unreachable), M("cut_off", q->cut_off),
		M("loops", q->loops), M("cyclic_channels", q->cyclic_channels),
		M("layers", q->layers), M("vls", q->vls),
		M("first_fault", names_text(q->first)),
		M("cycle", names_text(q->cycle)));
}

static json_t *
hops_json(const struct forecast *f)
{
	const uint64_t *pairs;
	size_t n = verify_state_hops(f->routes->verified, &pairs);
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_util_add(list, json_util_u64(pairs[i]));
	json_util_put(o, M("max", f->report.hops_max),
		M("mean", f->report.hops_mean), M("pairs", list));
	return o;
}

static json_t *
shift_json(const struct bandwidth_shift *s)
{
	json_t *first =
		s->first_exact ? json_util_u64(s->first_worst) : json_null();

	return json_util_object(M("shifts", s->shifts),
		M("all", json_boolean(
				 s->hosts > 0 && s->shifts + 1 >= s->hosts)),
		M("worst", s->worst), M("worst_by", s->worst_by),
		M("mean", s->mean), M("lost", s->lost),
		M("first_worst", first));
}

json_t *
plan_json_single_points(const struct forecast *f, size_t most)
{
	json_t *list = json_array();
	char text[400];

	for (size_t i = 0; i < f->redundancy.n && json_array_size(list) < most;
		i++) {
		if (f->redundancy.node[i].cut == 0)
			continue;
		redundancy_text(
			f->topo, &f->redundancy.node[i], text, sizeof(text));
		json_util_add(list, names_text(text));
	}
	return list;
}

/* Multi-port nodes, and those that a single failure cuts off nevertheless. */
static json_t *
multi_port_json(const struct forecast *f)
{
	size_t n;
	struct redundancy_point *p = redundancy_points(&f->redundancy, &n);
	json_t *o = json_util_object(M("nodes", f->redundancy.n),
		M("single_points", f->redundancy.single), M("points_all", n),
		M("points", redundancy_json_list(f->topo, p, n)),
		M("list", plan_json_single_points(f, LISTED)));

	free(p);
	return o;
}

static json_t *
story_json(const struct forecast *f)
{

	return json_util_object(
		M("engine",
			names_text(f->story.engine[0] != '\0' ? f->story.engine
				   : f->routes != NULL ? f->routes->engine
						       : "")),
		M("fallback", f->story.fallback),
		M("attempts", f->story.attempts),
		M("tried", names_text(f->story.tried)),
		M("rebalanced", f->story.rebalanced));
}

/* The kind of switch order; null where no switch's place in it is known, as of
 * tables that a standby has read. */
static json_t *
order_json(const struct routes *r, const json_t *ranks)
{
	if (r->order != ROUTE_NO_ORDER && json_array_size(ranks) == 0)
		return json_null();
	return json_string(names_order(r->order));
}

json_t *
plan_json_forecast(const struct forecast *f)
{
	const struct routes *r = f->routes;
	const struct view v = {.topo = f->topo, .routes = f->routes};
	json_t *o = json_object(), *ranks;

	json_util_put(o, M("ok", json_boolean(r != NULL && f->report.ok)),
		M("why", names_text(f->why)), M("routing", story_json(f)));
	if (r == NULL)
		return o;
	ranks = routes_json_ranks(r);
	json_util_put(o, M("order", order_json(r, ranks)),
		M("note", names_text(r->note)));
	routes_json_facts(o, r);
	json_util_put(o, M("ranks", ranks),
		M("verified", verdict_json(&f->report)),
		M("tree", tree_json(&v, LISTED)),
		M("multi_port", multi_port_json(f)));
	if (r->verified != NULL) {
		json_util_put(
			o, M("hops", hops_json(f)), M("load", load_json(f)));
	}
	if (f->adaptive.enabled)
		json_util_put(
			o, M("adaptive", forecast_adaptive_json(&f->adaptive,
						 f->topo, f->ebb.hosts)));
	if (f->measured) {
		json_util_put(o,
			M("ebb", json_util_object(M("hosts", f->ebb.hosts),
					 M("trials", f->ebb.trials),
					 M("mean", f->ebb.mean),
					 M("spread", f->ebb.spread),
					 M("lowest", f->ebb.lowest),
					 M("lost", f->ebb.lost))),
			M("shift", shift_json(&f->shift)));
	}
	return o;
}

/* ---- impact of a change ---- */

static void
append_link(json_t *list, const struct topo *t, port_ix p)
{
	const struct topo_port *a = &t->port[p], *b = &t->port[a->peer];

	json_util_append(list, M("name", names_node_desc(t, a->node)),
		M("port", a->num), M("peer", names_node_desc(t, b->node)),
		M("peer_port", b->num));
}

/* True if the other topology's list has the same link. */
static bool
had_link(const struct topo *t, port_ix p, const struct topo *o,
	const struct cut_points *c)
{
	const struct topo_port *a = &t->port[p], *b = &t->port[a->peer];
	uint64_t ga = t->node[a->node].guid, gb = t->node[b->node].guid;

	for (size_t i = 0; i < c->nlinks; i++) {
		const struct topo_port *x = &o->port[c->link[i]];
		const struct topo_port *y = &o->port[x->peer];
		uint64_t gx = o->node[x->node].guid, gy = o->node[y->node].guid;

		if ((ga == gx && gb == gy && a->num == x->num) ||
			(ga == gy && gb == gx && a->num == y->num))
			return true;
	}
	return false;
}

static bool
had_switch(const struct topo *t, sw_ix s, const struct topo *o,
	const struct cut_points *c)
{
	for (size_t i = 0; i < c->nsw; i++)
		if (o->node[o->sw[c->sw[i]].node].guid ==
			t->node[t->sw[s].node].guid)
			return true;
	return false;
}

/* Single points of failure that were none before. */
static json_t *
redundancy_json(const struct topo *was, const struct topo *is)
{
	json_t *o = json_object(), *links = json_array();
	json_t *switches = json_array();
	struct cut_points a, b;
	uint64_t nlinks = 0, nsw = 0;

	cut_points_find_in_use(was, &a);
	cut_points_find_in_use(is, &b);
	for (size_t i = 0; i < b.nlinks; i++)
		if (!had_link(is, b.link[i], was, &a) && nlinks++ < LISTED)
			append_link(links, is, b.link[i]);
	for (size_t i = 0; i < b.nsw; i++)
		if (!had_switch(is, b.sw[i], was, &a) && nsw++ < LISTED)
			json_util_add(switches,
				names_node_desc(is, is->sw[b.sw[i]].node));
	json_util_put(o, M("links_alone", b.nlinks), M("switches_alone", b.nsw),
		M("new_links", nlinks), M("new_switches", nsw),
		M("links", links), M("switches", switches));
	cut_points_free(&a);
	cut_points_free(&b);
	return o;
}

/* Multi-port nodes that lose redundancy; both reports are sorted by key. */
static json_t *
multi_port_lost_json(const struct forecast *was, const struct forecast *is)
{
	const struct redundancy_report *a = &was->redundancy,
				       *b = &is->redundancy;
	json_t *list = json_array(), *o;
	uint64_t lost = 0, won = 0;
	char text[400];

	for (size_t i = 0, k = 0; i < a->n; i++) {
		const struct redundancy_node *x = &a->node[i], *y = NULL;

		while (k < b->n && b->node[k].key < x->key)
			k++;
		if (k < b->n && b->node[k].key == x->key)
			y = &b->node[k];
		won += y != NULL && y->cut < x->cut;
		if (y != NULL ? y->cut <= x->cut
			      : !redundancy_is_single_port(b, x->key))
			continue;
		if (lost++ >= LISTED)
			continue;
		if (y != NULL)
			redundancy_text(is->topo, y, text, sizeof(text));
		else
			(void)snprintf(text, sizeof(text),
				"\"%s\": one port of %u is left",
				topo_desc(was->topo,
					was->topo->port[x->port].node),
				x->nports);
		o = names_node(y != NULL ? is->topo : was->topo,
			y != NULL ? is->topo->port[y->port].node
				  : was->topo->port[x->port].node);
		json_util_put(o, M("text", names_text(text)));
		json_util_add(list, o);
	}
	o = json_object();
	json_util_put(o, M("nodes", a->n), M("lost", lost), M("regained", won),
		M("list", list));
	return o;
}

json_t *
plan_json_impact(const struct forecast *before, const struct forecast *after)
{
	const struct routes *was = before->routes, *is = after->routes;
	json_t *o = json_object(), *lost = json_array();
	const struct topo *t = was->topo;
	struct routes_diff x;

	routes_diff_of(was, is, &x);
	json_util_put(o, M("entries", x.entries), M("blocks", x.blocks),
		M("switches", x.switches), M("pairs", x.pairs),
		M("pairs_moved", x.moved), M("pairs_cut", x.cut),
		M("nodes_lost", x.nlost));
	for (size_t i = 0; i < x.nlost && i < LISTED; i++) {
		json_t *n = names_node(t, x.lost[i]);

		json_util_put(n, M("type", names_type(&t->node[x.lost[i]])));
		json_util_add(lost, n);
	}
	json_util_put(o, M("lost", lost),
		M("redundancy", redundancy_json(t, is->topo)),
		M("multi_port", multi_port_lost_json(before, after)));
	routes_diff_free(&x);
	return o;
}
