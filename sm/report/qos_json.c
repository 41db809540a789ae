#include "sm/report/qos_json.h"

#include "config/qos_options.h"
#include "sm/policy/qos.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/view/view_slvl.h"

static json_t *
sls_json(const struct slvl *l, unsigned level)
{
	json_t *list = json_array();

	for (unsigned k = 0; k < l->layers; k++)
		json_util_add(list, json_integer(l->sl[level][k]));
	return list;
}

static json_t *
level_json(const struct qos *q, unsigned i)
{
	const struct qos_level_options *o = qos_level(q->cfg, i);
	const struct vlarb_want *w = &q->want;

	return json_pack("{s:o, s:o, s:s, s:{s:i, s:i, s:i, s:i}}", "name",
		names_text(qos_level_name(q->cfg, i)), "sls",
		sls_json(&w->levels, i), "priority",
		o->high != 0 ? "high" : "low", "weight", "hosts",
		w->weight[VLARB_HOST][i], "switches",
		w->weight[VLARB_SWITCH][i], "port0", w->weight[VLARB_PORT0][i],
		"routers", w->weight[VLARB_ROUTER][i]);
}

json_t *
qos_json(const struct view *v)
{
	const struct qos *q = v->qos;
	json_t *list;

	if (q == NULL)
		return json_null();
	list = json_array();
	for (unsigned i = 0; q->want.levels.wanted && i < q->want.levels.n; i++)
		json_util_add(list, level_json(q, i));
	return json_util_object(M("levels", list),
		M("layers", q->want.levels.layers), M("ports", q->ports),
		M("short", q->short_of), M("cannot_map", q->cannot_map),
		M("missing", q->missing),
		M("together", q->want.levels.together),
		M("shortage", names_text(q->shortage)));
}

void
qos_json_layers(json_t *o, const struct config *c, const struct routes *r)
{
	char few[VIEW_SLVL_SHORT] = "", shared[VIEW_SLVL_SHORT] = "";
	uint32_t ports = 0;

	if (c != NULL && r != NULL) {
		view_slvl_why_few(c, r, few, sizeof(few));
		ports = view_slvl_why_shared(c, r, shared, sizeof(shared));
	}
	json_util_put(o, M("layers_short", names_text(few)),
		M("layers_shared", names_text(shared)),
		M("layers_shared_ports", ports));
}
