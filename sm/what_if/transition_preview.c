#include "sm/what_if/transition_preview.h"

#include <string.h>

#include "distribution/tables/vlarb.h"
#include "sm/report/json_util.h"
#include "sm/report/loss_json.h"
#include "sm/report/names.h"
#include "sm/what_if/groups_preview.h"

enum { LISTED = 20, METHODS = TRANSITION_DYNAMIC + 1 };

bool
transition_preview_method(const char *name, enum transition_method_kind *out)
{
	for (int m = 0; m < METHODS; m++)
		if (strcmp(transition_method_name(
				   (enum transition_method_kind)m),
			    name) == 0) {
			*out = (enum transition_method_kind)m;
			return true;
		}
	return false;
}

static void
put_rows(struct device_store *h, const struct vlarb_want *w,
	const struct topo *t, sw_ix s)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	uint8_t row[SL2VL_ROW];

	for (unsigned out = 1; out <= n->nports; out++) {
		port_ix p = n->first_port + out;
		unsigned vls = vlarb_vls(w, t, p);

		for (unsigned in = 0; vls > 0 && in <= n->nports; in++) {
			unsigned from =
				vl_map_in(w->levels.map, n->first_port + in);

			slvl_row(&w->levels,
				slvl_hop_at(&w->levels, t, from, p, vls), row);
			device_put(h, device_at_row(n->guid, in, out), row);
		}
	}
}

/*
 * A device store in which every switch has acknowledged all of the old routes,
 * the rows of SL2VL that give layers their VLs, and adaptive groups.
 */
static struct device_store *
store_as_acknowledged(
	const struct transition_preview_ask *ask, const struct vlarb_want *w)
{
	const struct routes *r = ask->was;
	struct device_store *h = device_new(r->pool);
	const struct topo *t = r->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		for (uint32_t b = 0; b < r->nblocks; b++)
			device_set_block(h, guid, b, routes_ref_of(r, s, b));
		device_set_top(h, guid, r->top);
		if (w->levels.layers > 1)
			put_rows(h, w, t, s);
	}
	device_drained(h);
	groups_preview_before(&(struct groups_preview_ask){
		ask->was, ask->is, ask->by_lid, h, ask->given});
	return h;
}

/* The number of switches with another highest LID (LinearFDBTop). */
static uint64_t
tops_changed(const struct transition_preview_ask *ask)
{
	const struct topo *t = ask->is->topo, *was = ask->was->topo;
	uint64_t n = 0;

	for (sw_ix s = 0; ask->was->top != ask->is->top && s < t->nsw; s++)
		n += topo_sw_live(t, s) &&
		     topo_switch_in(was, t, s) != TOPO_NONE;
	return n;
}

static json_t *
dependencies_json(const struct transition_result *x, const struct topo *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < x->ndeps && i < LISTED; i++)
		json_util_append(list,
			M("name", names_node_desc(t, t->sw[x->dep[i].sw].node)),
			M("in", x->dep[i].in), M("out", x->dep[i].out),
			M("by_port", x->dep[i].by_port),
			M("pairs", x->dep[i].pairs));
	return list;
}

/* Add the packets that hosts lose by the change, and while waiting for it. */
static void
put_expected(json_t *o, const struct transition_preview_ask *ask,
	const struct transition_result *x)
{
	struct loss_estimate_job job = {.change = x,
		.to = ask->is,
		.from = ask->was,
		.pace = ask->pace};
	struct loss_estimate e;

	loss_estimate_compute(&job, &e);
	json_util_put(o, M("packets_cut", loss_by_blocking(&e, ask->rate)),
		M("expected", loss_json(&e, ask->rate)));
	loss_estimate_clear(&e);
}

/* Every blocked dependency or port takes two writes: it is blocked and
 * unblocked. */
static json_t *
method_json(const struct transition_preview_ask *ask,
	const struct transition_result *x, uint64_t groups)
{
	json_t *o = json_object();
	uint64_t ports = 0;

	for (size_t i = 0; i < x->ndeps; i++)
		ports += x->dep[i].by_port;
	json_util_put(o, M("method", transition_method_name(x->method)),
		M("kind", transition_kind_name(x->kind)),
		M("stages", x->nstages),
		M("phases", x->nstages + (x->ndeps > 0 ? 2U : 0U)),
		M("writes", x->nwrites),
		M("dependencies_blocked", x->ndeps - ports),
		M("ports_blocked", ports), M("tops", tops_changed(ask)),
		M("groups", groups),
		M("smps",
			x->nwrites + 2 * x->ndeps + tops_changed(ask) + groups),
		M("pairs_cut", x->cut_pairs),
		M("pairs_cut_paper", x->paper_pairs), M("cyclic", x->cyclic),
		M("unread", x->unread), M("cause", names_text(x->cause)),
		M("ports_down",
			names_text(x->ports_down != NULL ? x->ports_down : "")),
		M("dependencies", dependencies_json(x, ask->is->topo)));
	put_expected(o, ask, x);
	return o;
}

/* The Sets of adaptive groups beside the transition of a job, by its store,
 * which has all of them then. */
static uint64_t
count_groups(const struct transition_preview_ask *ask,
	const struct transition_job *job, struct device_store *hw)
{
	const struct groups_preview_ask groups = {
		ask->was, ask->is, ask->by_lid, hw, ask->given};

	if (ask->was->sets == NULL && ask->is->sets == NULL)
		return 0;
	return groups_preview_count(&groups, transition_find(job));
}

json_t *
transition_preview_report(const struct transition_preview_ask *ask)
{
	const struct route_layers *was = &ask->was->layers;
	struct sl_history *history = sl_history_new();
	struct vlarb_want w = {
		.max_vls = ask->max_vls, .high = ask->lists == SLVL_BOTH_LISTS};
	struct device_store *hw;
	json_t *list = json_array();
	bool end = false;

	slvl_of_layers(&ask->levels, was, &w.levels);
	sl_history_add_routes(history, ask->was, &w.levels);
	for (int m = -1; m < (ask->all ? METHODS : 0) && !end; m++) {
		struct transition_job job = {.to = ask->is,
			.from = ask->was,
			.history = history,
			.method = m < 0 ? ask->method
					: (enum transition_method_kind)m,
			.max_stages = ask->max_stages,
			.levels = ask->levels,
			.max_vls = ask->max_vls,
			.lists = ask->lists,
			/* trees are no part of the report */
			.guests = ask->was->sets != NULL};
		struct transition_result *x;

		if (m >= 0 && job.method == ask->method)
			continue;
		job.hw = hw = store_as_acknowledged(ask, &w);
		x = transition_find(&job);
		json_util_add(
			list, method_json(ask, x, count_groups(ask, &job, hw)));
		end = x->ports_down != NULL; /* no other is safe */
		transition_free(x);
		device_free(hw);
	}
	sl_history_free(history);
	return list;
}
