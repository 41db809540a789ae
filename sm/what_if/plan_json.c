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
	json_t *o = json_object();

	json_util_put(o, "highest", json_util_u64(t->max_lid));
	json_util_put(o, "assigned", json_util_u64(l->assigned));
	json_util_put(o, "moved", json_util_u64(l->moved));
	json_util_put(o, "conflicts", json_util_u64(l->conflicts));
	json_util_put(o, "conflict", names_text(l->conflict));
	return o;
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
		json_util_put(o, "port", json_util_u64(w[i].a->out));
		json_util_put(o, "peer",
			names_node_desc(t, t->sw[w[i].a->peer].node));
		json_util_put(o, "peer_port", json_util_u64(w[i].a->peer_port));
		json_util_put(o, "pairs", json_util_u64(w[i].pairs));
		json_util_put(o, "load", json_util_u64(w[i].load));
		(void)json_array_append_new(list, o);
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

		json_util_put(o, "from", json_util_u64(e->from));
		json_util_put(o, "to", json_util_u64(e->to));
		json_util_put(o, "links", json_util_u64(e->links));
		json_util_put(o, "idle", json_util_u64(e->idle));
		json_util_put(o, "max", json_util_u64(e->max));
		json_util_put(o, "min", json_util_u64(e->min));
		json_util_put(o, "mean",
			json_real((double)e->sum / (double)e->links));
		(void)json_array_append_new(list, o);
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
			if (r->order != ROUTE_NO_ORDER)
				add_load(levels, r->rank[s], r->rank[x.a->peer],
					x.load);
			add_worst(w, &n, &x);
		}
	}
	json_util_put(o, "max", json_util_u64(f->report.load_max));
	json_util_put(o, "mean", json_real(f->report.load_mean));
	json_util_put(o, "saturation",
		json_real(bandwidth_saturation(&f->report, t, f->ebb.hosts)));
	json_util_put(o, "levels", levels_json(levels));
	json_util_put(o, "worst", worst_json(t, w, n));
	free(levels);
	return o;
}

/* ---- the rest ---- */

static json_t *
verdict_json(const struct verify_report *q)
{
	json_t *o = json_object();

	json_util_put(o, "ok", json_boolean(q->ok));
	json_util_put(o, "pairs", json_util_u64(q->pairs));
	json_util_put(o, "unreachable", json_util_u64(q->unreachable));
	json_util_put(o, "cut_off", json_util_u64(q->cut_off));
	json_util_put(o, "loops", json_util_u64(q->loops));
	json_util_put(o, "cyclic_channels", json_util_u64(q->cyclic_channels));
	json_util_put(o, "layers", json_util_u64(q->layers));
	json_util_put(o, "vls", json_util_u64(q->vls));
	json_util_put(o, "first_fault", names_text(q->first));
	json_util_put(o, "cycle", names_text(q->cycle));
	return o;
}

static json_t *
hops_json(const struct forecast *f)
{
	const uint64_t *pairs;
	size_t n = verify_state_hops(f->routes->verified, &pairs);
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list, json_util_u64(pairs[i]));
	json_util_put(o, "max", json_util_u64(f->report.hops_max));
	json_util_put(o, "mean", json_real(f->report.hops_mean));
	json_util_put(o, "pairs", list);
	return o;
}

static json_t *
ebb_json(const struct bandwidth_ebb *e)
{
	return json_pack("{s:o, s:o, s:f, s:f, s:f, s:o}", "hosts",
		json_util_u64(e->hosts), "trials", json_util_u64(e->trials),
		"mean", e->mean, "spread", e->spread, "lowest", e->lowest,
		"lost", json_util_u64(e->lost));
}

static json_t *
shift_json(const struct bandwidth_shift *s)
{
	json_t *first =
		s->first_exact ? json_util_u64(s->first_worst) : json_null();

	return json_pack("{s:o, s:b, s:o, s:o, s:f, s:o, s:o}", "shifts",
		json_util_u64(s->shifts), "all",
		s->hosts > 0 && s->shifts + 1 >= s->hosts, "worst",
		json_util_u64(s->worst), "worst_by", json_util_u64(s->worst_by),
		"mean", s->mean, "lost", json_util_u64(s->lost), "first_worst",
		first);
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
		(void)json_array_append_new(list, names_text(text));
	}
	return list;
}

/* Multi-port nodes, and those that a single failure cuts off nevertheless. */
static json_t *
multi_port_json(const struct forecast *f)
{
	size_t n;
	struct redundancy_point *p = redundancy_points(&f->redundancy, &n);
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o}", "nodes",
		json_util_u64(f->redundancy.n), "single_points",
		json_util_u64(f->redundancy.single), "points_all",
		json_util_u64(n), "points", redundancy_json_list(f->topo, p, n),
		"list", plan_json_single_points(f, LISTED));

	free(p);
	return o;
}

static json_t *
story_json(const struct forecast *f)
{
	json_t *o = json_object();

	json_util_put(o, "engine",
		names_text(f->story.engine[0] != '\0' ? f->story.engine
			   : f->routes != NULL	      ? f->routes->engine
						      : ""));
	json_util_put(o, "fallback", json_boolean(f->story.fallback));
	json_util_put(o, "attempts", json_util_u64(f->story.attempts));
	json_util_put(o, "tried", names_text(f->story.tried));
	json_util_put(o, "rebalanced", json_boolean(f->story.rebalanced));
	return o;
}

json_t *
plan_json_forecast(const struct forecast *f)
{
	const struct routes *r = f->routes;
	const struct view v = {.topo = f->topo, .routes = f->routes};
	json_t *o = json_object();

	json_util_put(o, "ok", json_boolean(r != NULL && f->report.ok));
	json_util_put(o, "why", names_text(f->why));
	json_util_put(o, "routing", story_json(f));
	if (r == NULL)
		return o;
	json_util_put(o, "order", json_string(names_order(r->order)));
	json_util_put(o, "note", names_text(r->note));
	routes_json_facts(o, r);
	json_util_put(o, "ranks", routes_json_ranks(r));
	json_util_put(o, "verified", verdict_json(&f->report));
	json_util_put(o, "tree", tree_json(&v, LISTED));
	json_util_put(o, "multi_port", multi_port_json(f));
	if (r->verified != NULL) {
		json_util_put(o, "hops", hops_json(f));
		json_util_put(o, "load", load_json(f));
	}
	if (f->adaptive.enabled)
		json_util_put(o, "adaptive",
			forecast_adaptive_json(
				&f->adaptive, f->topo, f->ebb.hosts));
	if (f->measured) {
		json_util_put(o, "ebb", ebb_json(&f->ebb));
		json_util_put(o, "shift", shift_json(&f->shift));
	}
	return o;
}

/* ---- impact of a change ---- */

static void
append_link(json_t *list, const struct topo *t, port_ix p)
{
	const struct topo_port *a = &t->port[p], *b = &t->port[a->peer];

	(void)json_array_append_new(list,
		json_pack("{s:o, s:i, s:o, s:i}", "name",
			names_node_desc(t, a->node), "port", a->num, "peer",
			names_node_desc(t, b->node), "peer_port", b->num));
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
			(void)json_array_append_new(switches,
				names_node_desc(is, is->sw[b.sw[i]].node));
	json_util_put(o, "links_alone", json_util_u64(b.nlinks));
	json_util_put(o, "switches_alone", json_util_u64(b.nsw));
	json_util_put(o, "new_links", json_util_u64(nlinks));
	json_util_put(o, "new_switches", json_util_u64(nsw));
	json_util_put(o, "links", links);
	json_util_put(o, "switches", switches);
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
		json_util_put(o, "text", names_text(text));
		(void)json_array_append_new(list, o);
	}
	o = json_object();
	json_util_put(o, "nodes", json_util_u64(a->n));
	json_util_put(o, "lost", json_util_u64(lost));
	json_util_put(o, "regained", json_util_u64(won));
	json_util_put(o, "list", list);
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
	json_util_put(o, "entries", json_util_u64(x.entries));
	json_util_put(o, "blocks", json_util_u64(x.blocks));
	json_util_put(o, "switches", json_util_u64(x.switches));
	json_util_put(o, "pairs", json_util_u64(x.pairs));
	json_util_put(o, "pairs_moved", json_util_u64(x.moved));
	json_util_put(o, "pairs_cut", json_util_u64(x.cut));
	json_util_put(o, "nodes_lost", json_util_u64(x.nlost));
	for (size_t i = 0; i < x.nlost && i < LISTED; i++) {
		json_t *n = names_node(t, x.lost[i]);

		json_util_put(n, "type",
			json_string(names_type(&t->node[x.lost[i]])));
		(void)json_array_append_new(lost, n);
	}
	json_util_put(o, "lost", lost);
	json_util_put(o, "redundancy", redundancy_json(t, is->topo));
	json_util_put(o, "multi_port", multi_port_lost_json(before, after));
	routes_diff_free(&x);
	return o;
}
