#include "sm/report/routes_json.h"

#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "routing/tiers/topo_class.h"
#include "sm/base/mem.h"
#include "sm/base/reason.h"
#include "sm/report/adaptive_json.h"
#include "sm/report/hop_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/port_find.h"
#include "sm/report/standby_json.h"
#include "sm/report/tree_json.h"
#include "sm/view/view_slvl.h"

void
routes_json_facts(json_t *o, const struct routes *r)
{
	struct engine_fact fact[ENGINE_FACTS];
	unsigned n = registry_status(r, fact);

	for (unsigned i = 0; i < n; i++) {
		const struct engine_fact *f = &fact[i];

		json_util_put(o,
			M(f->key, !f->is_switch ? json_util_u64(f->n)
				  : f->sw == TOPO_NONE
					  ? json_null()
					  : names_node_desc(r->topo,
						    r->topo->sw[f->sw].node)));
	}
}

/* The properties of the routes of a view as a whole. */
static json_t *
routes_json(const struct view *v)
{
	const struct routes *r = v->routes;
	json_t *o = json_object();

	json_util_put(o, M("generation", v->generation));
	standby_json_put(o, v);
	json_util_put(o, M("engine", names_text(v->story.engine)),
		M("order", standby_json_order(v)),
		M("note", names_text(r->note)));
	routes_json_facts(o, r);
	return o;
}

/* ---- summary ---- */

static int
by_rank(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

json_t *
routes_json_ranks(const struct routes *r)
{
	uint32_t nsw = r->topo->nsw, n;
	uint32_t *rank = mem_dup(r->rank, nsw * sizeof(*rank));
	json_t *list = json_array();

	if (r->order == ROUTE_NO_ORDER)
		nsw = 0;
	qsort(rank, nsw, sizeof(*rank), by_rank);
	/* the last ones are not known */
	while (nsw > 0 && rank[nsw - 1] == ROUTE_NO_RANK)
		nsw--;
	for (uint32_t i = 0; i < nsw; i += n) {
		for (n = 1; i + n < nsw && rank[i + n] == rank[i]; n++)
			;
		json_util_append(list, M("rank", rank[i]), M("switches", n));
	}
	free(rank);
	return list;
}

static json_t *
busiest_json(const struct view *v)
{
	const struct verify_report *r = &v->routes->report;
	json_t *o;

	if (r->load_max == 0 || r->load_sw >= v->topo->nsw)
		return json_null();
	o = json_object();
	hop_json_switch(o, v->topo, r->load_sw);
	json_util_put(o, M("port", r->load_port),
		M("next", names_port(
				  v->topo, topo_port_behind(v->topo, r->load_sw,
						   r->load_port))));
	return o;
}

static struct answer *
summary_answer(struct view *v)
{
	const struct routes *r = v->routes;
	const struct verify_report *q = &r->report;
	json_t *o = routes_json(v);

	json_util_put(o, M("tried", names_text(v->story.tried)),
		M("fallback", v->story.fallback),
		M("rebalanced", v->story.rebalanced));
	if (!v->read_only)
		json_util_put(o, M("ranks", routes_json_ranks(r)));
	json_util_put(o, M("layers", q->layers), M("vls", q->vls),
		M("pairs", q->pairs), M("unreachable", q->unreachable),
		M("cut_off", q->cut_off), M("loops", q->loops),
		M("cyclic_channels", q->cyclic_channels),
		M("except", v->nadaptive), M("load_max", q->load_max),
		M("load_mean", q->load_mean), M("busiest", busiest_json(v)),
		M("hops_max", q->hops_max), M("hops_mean", q->hops_mean),
		M("top", r->top), M("entries_kept", r->entries_kept),
		M("entries_changed", r->entries_changed));
	return answer_result(o);
}

/* ---- one path ---- */

/* How many links of the switch no route leads over, being drained. */
static void
put_drained(json_t *o, const struct topo *t, sw_ix s)
{
	node_ix n = t->sw[s].node;
	unsigned idle = 0;

	for (unsigned p = 1; p <= t->node[n].nports; p++)
		idle += (t->port[topo_port_of(t, n, p)].flags & TP_IDLE) != 0;
	if (idle > 0)
		json_util_put(o, M("drained", idle));
}

/* Whether the last step of a path leads to a compute host. */
static bool
leads_to_host(const struct topo *t, const struct route_step *last)
{
	const struct topo_switch *sw = &t->sw[last->sw];

	for (uint32_t i = 0; i < sw->nend; i++)
		if (t->end[sw->end + i].out == last->out)
			return t->end[sw->end + i].host;
	return false;
}

static json_t *
steps_json(const struct view *v, const struct route_step *step, int n)
{
	const struct routes *r = v->routes;
	json_t *list = json_array();

	for (int i = 0; i < n; i++) {
		const char *why = view_adaptive_why(v, step[i].sw);
		json_t *o = json_object();

		hop_json_switch(o, r->topo, step[i].sw);
		json_util_put(o, M("in", step[i].in), M("out", step[i].out));
		if (!v->read_only && r->order != ROUTE_NO_ORDER)
			json_util_put(o, M("rank", r->rank[step[i].sw]),
				M("direction", i + 1 >= n ? "exit"
					       : routes_above(r, step[i + 1].sw,
							 step[i].sw)
						       ? "up"
						       : "down"));
		json_util_put(o,
			M("next", names_port(r->topo,
					  topo_port_behind(r->topo, step[i].sw,
						  step[i].out))));
		hop_json_link(o, r, &step[i]);
		put_drained(o, r->topo, step[i].sw);
		if (why != NULL)
			json_util_put(
				o, M("foreign_adaptive", names_text(why)));
		if (leads_to_host(r->topo, &step[n - 1]))
			adaptive_json_put(o, v, &step[i], step[n - 1].sw);
		json_util_add(list, o);
	}
	return list;
}

/*
 * QoS levels: the SL of each, and its VLs on the link of the source and out of
 * each switch, as far as the SL2VL tables are known.
 */
static json_t *
levels_json(const struct view *v, port_ix a, port_ix b,
	const struct route_step *step, int n)
{
	const struct topo *t = v->topo;
	sw_ix from = topo_switch_of(t, a), to = topo_switch_of(t, b);
	json_t *list = json_array(), *vls;
	const char *name;
	unsigned layer = 0;
	uint8_t sl, vl;

	if (from != TOPO_NONE && to != TOPO_NONE)
		layer = routes_layer(&v->routes->layers, from, to);
	for (unsigned i = 0; view_slvl_levels(v) &&
			     (name = view_slvl_sl(v, i, layer, &sl)) != NULL;
		i++) {
		vls = json_array();
		for (int k = -1; k < n; k++) {
			node_ix node = k < 0 ? t->port[a].node
					     : t->sw[step[k].sw].node;
			unsigned in = k < 0 ? 0 : step[k].in;
			unsigned out = k < 0 ? t->port[a].num : step[k].out;

			if (hop_json_vl(v, node, in, out, sl, &vl))
				json_util_add(vls, json_integer(vl));
		}
		json_util_append(list, M("name", names_text(name)), M("sl", sl),
			M("vls", vls));
	}
	return list;
}

static struct answer *
path_answer(struct view *v, const char *from, const char *to)
{
	struct route_step step[HOP_JSON_STEPS];
	const struct topo *t = v->topo;
	struct reason why;
	uint16_t slid, dlid;
	port_ix a, b;
	json_t *o;
	int n;

	a = port_find(t, from, &slid, &why);
	if (a == TOPO_NONE)
		return answer_error("not-found", why.text);
	b = port_find(t, to, &dlid, &why);
	if (b == TOPO_NONE)
		return answer_error("not-found", why.text);
	n = routes_trace(v->routes, a, dlid, step, HOP_JSON_STEPS, &why);
	if (n < 0)
		return answer_error("no-path", why.text);
	if (n > HOP_JSON_STEPS)
		n = HOP_JSON_STEPS;
	o = routes_json(v);
	json_util_put(o, M("from", hop_json_port(t, a, slid)),
		M("to", hop_json_port(t, b, dlid)),
		M("steps", steps_json(v, step, n)),
		M("levels", levels_json(v, a, b, step, n)),
		M("load_mean", v->routes->report.load_mean));
	/* the steps of the way back, which no table makes the same */
	n = routes_trace(v->routes, b, slid, step, HOP_JSON_STEPS, &why);
	if (n > HOP_JSON_STEPS)
		n = HOP_JSON_STEPS;
	json_util_put(o, M("back", steps_json(v, step, n)));
	return answer_result(o);
}

/* ---- one destination, one switch ---- */

static json_t *
column_item(const struct view *v, size_t i, const void *param)
{
	const uint16_t *lid = param;
	sw_ix s = (sw_ix)i;
	uint8_t out = routes_port(v->routes, s, *lid);
	json_t *o = json_object();

	hop_json_switch(o, v->topo, s);
	json_util_put(o,
		M("out", out == LFT_DROP ? json_null() : json_integer(out)),
		M("next", names_port(
				  v->topo, topo_port_behind(v->topo, s, out))));
	return o;
}

static struct answer *
column_answer(struct view *v, const char *to)
{
	const struct answer_list list = {
		.key = "entries",
		.n = v->topo->nsw,
		.item = column_item,
	};
	struct reason why;
	uint16_t lid;
	port_ix p = port_find(v->topo, to, &lid, &why);
	json_t *o;

	if (p == TOPO_NONE)
		return answer_error("not-found", why.text);
	o = routes_json(v);
	json_util_put(o, M("to", hop_json_port(v->topo, p, lid)));
	return answer_list(o, v, &list, &lid, sizeof(lid));
}

/* Element i is LID i + 1; LIDs without an owner are left out. */
static json_t *
row_item(const struct view *v, size_t i, const void *param)
{
	const sw_ix *s = param;
	uint16_t lid = (uint16_t)(i + 1);
	port_ix p = topo_by_lid(v->topo, lid, NULL);
	uint8_t out;
	json_t *o;

	if (p == TOPO_NONE)
		return NULL;
	out = routes_port(v->routes, *s, lid);
	o = hop_json_port(v->topo, p, lid);
	json_util_put(o,
		M("out", out == LFT_DROP ? json_null() : json_integer(out)),
		M("next", names_port(v->topo,
				  topo_port_behind(v->topo, *s, out))));
	return o;
}

static struct answer *
row_answer(struct view *v, const char *name)
{
	const struct answer_list list = {
		.key = "entries",
		.n = v->topo->max_lid,
		.item = row_item,
	};
	struct reason why;
	sw_ix s = port_find_switch(v->topo, name, &why);
	json_t *o;

	if (s == TOPO_NONE)
		return answer_error("not-found", why.text);
	o = routes_json(v);
	hop_json_switch(o, v->topo, s);
	if (!v->read_only && v->routes->order != ROUTE_NO_ORDER)
		json_util_put(o, M("rank", v->routes->rank[s]));
	json_util_put(o, M("reading", tree_json_class(v)),
		M("read",
			names_topo_class(topo_class_of_switch(v->routes, s))));
	return answer_list(o, v, &list, &s, sizeof(s));
}

struct answer *
routes_answer(json_t *request, struct view *v)
{
	const char *cmd, *from = NULL, *to = NULL, *sw = NULL;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s, s?s, s?s !}", "cmd",
		    &cmd, "from", &from, "to", &to, "switch", &sw) != 0)
		return answer_error("bad-argument", err.text);
	if ((sw != NULL && to != NULL) || (from != NULL && to == NULL))
		return answer_error("bad-argument",
			"routes takes 'from' and 'to', 'to' "
			"alone, 'switch', or nothing");
	if (sw != NULL)
		return row_answer(v, sw);
	if (from != NULL)
		return path_answer(v, from, to);
	if (to != NULL)
		return column_answer(v, to);
	return summary_answer(v);
}
