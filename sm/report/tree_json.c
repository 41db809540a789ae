#include "sm/report/tree_json.h"

#include <string.h>

#include "routing/tiers/topo_class.h"
#include "routing/tiers/tree.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/redundancy_json.h"
#include "sm/report/standby_json.h"
#include "sm/view/view_redundancy.h"

enum { NOT_BELIEVED = 100 };

static json_t *
tier_json(const struct view *v, const struct tree *t, uint32_t tier)
{
	json_t *o = json_object();
	unsigned origin[TREE_LINKS + 1] = {0}, all = 0, leaves = 0;

	for (sw_ix s = 0; s < v->topo->nsw; s++) {
		if (t->tier[s] != tier)
			continue;
		all++;
		leaves += t->leaf[s];
		origin[t->origin[s]]++;
	}
	json_util_put(
		o, M("tier", tier), M("switches", all), M("leaves", leaves));
	for (unsigned i = TREE_CONFIGURED; i <= TREE_LINKS; i++)
		json_util_put(
			o, M(tree_origin_name((enum tree_origin)i), origin[i]));
	return o;
}

static json_t *
end_json(const struct view *v, sw_ix s, uint8_t port)
{
	json_t *o = names_node(v->topo, v->topo->sw[s].node);

	if (port != 0)
		json_util_put(o, M("port", port));
	return o;
}

static json_t *
irregularity_json(const struct view *v, size_t i, const void *param)
{
	const struct irregularity_kind *o = &tree_kept(v->routes)->odd[i];
	char text[400];
	json_t *j;

	(void)param;
	irregularity_text(v->topo, o, text, sizeof(text));
	j = json_util_object(M("what", irregularity_name(o->what)),
		M("text", names_text(text)));
	if (o->sw != TOPO_NONE)
		json_util_put(j, M("switch", end_json(v, o->sw, o->port)));
	if (o->other != TOPO_NONE)
		json_util_put(
			j, M("other", end_json(v, o->other, o->other_port)));
	if (o->guid != 0)
		json_util_put(j, M("guid", names_guid(o->guid)));
	return j;
}

static json_t *
switch_json(const struct view *v, size_t i, const void *param)
{
	const struct tree *t = tree_kept(v->routes);
	json_t *o = end_json(v, (sw_ix)i, 0);

	(void)param;
	json_util_put(o,
		M("tier", t->tier[i] != UINT32_MAX ? json_integer(t->tier[i])
						   : json_null()),
		M("origin", tree_origin_name((enum tree_origin)t->origin[i])),
		M("leaf", t->leaf[i]), M("top", t->top[i]));
	return o;
}

/* Switches that answered the role attribute with a wrong signature. */
static json_t *
bad_roles_json(const struct view *v)
{
	json_t *list = json_array();

	for (sw_ix s = 0; s < v->topo->nsw; s++)
		if ((v->topo->node[v->topo->sw[s].node].flags & TN_BAD_ROLE) &&
			json_array_size(list) < NOT_BELIEVED)
			json_util_add(list, end_json(v, s, 0));
	return list;
}

json_t *
tree_json_class(const struct view *v)
{
	const struct topo_class *r = topo_class_kept(v->routes);

	if (r->engine == NULL)
		return json_null();
	return json_util_object(M("engine", r->engine),
		M("options", names_guid(r->options)),
		M("at", r->when != 0 ? json_util_u64(r->when) : json_null()));
}

static json_t *
figures_json(const struct view *v, const struct tree *t)
{
	json_t *o = json_object(), *tiers = json_array(), *odd = json_object();
	unsigned unplaced = 0, all = 0;

	for (uint32_t i = 0; i < t->ntiers; i++)
		json_util_add(tiers, tier_json(v, t, i));
	for (sw_ix s = 0; s < v->topo->nsw; s++)
		unplaced += t->tier[s] == UINT32_MAX;
	for (unsigned i = 0; i < TREE_ODDITIES; i++) {
		all += t->count[i];
		if (t->count[i] > 0)
			json_util_put(
				odd, M(irregularity_name((enum irregularity)i),
					     t->count[i]));
	}
	standby_json_put(o, v);
	json_util_put(o, M("tiers", tiers), M("unplaced", unplaced),
		M("regular", t->regular), M("irregularities", all),
		M("irregular", odd), M("reading", tree_json_class(v)),
		M("not_believed", bad_roles_json(v)));
	return o;
}

json_t *
tree_json(const struct view *v, size_t most)
{
	const struct tree *t = tree_kept(v->routes);
	json_t *o, *first = json_array();

	if (t == NULL) {
		json_decref(first);
		return json_null();
	}
	o = figures_json(v, t);
	for (size_t i = 0; i < t->nodd && i < most; i++)
		json_util_add(first, irregularity_json(v, i, NULL));
	json_util_put(o, M("first", first));
	return o;
}

/* All nodes with a single point of failure; this does not depend on a tree. */
static struct answer *
redundancy_answer(struct view *v)
{
	struct answer_list list = {.key = "list", .item = redundancy_json_node};
	json_t *o;

	if (v->redundancy == NULL)
		return answer_error("busy", "still being counted: try again");
	list.n = v->redundancy->nsingle;
	o = json_util_object(M("multi_port", redundancy_json_all(v)));
	standby_json_put(o, v);
	return answer_list(o, v, &list, NULL, 0);
}

struct answer *
tree_answer(json_t *request, struct view *v)
{
	const struct tree *t = tree_kept(v->routes);
	struct answer_list list = {.key = "list", .item = irregularity_json};
	const char *cmd, *which = "irregularities";
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s !}", "cmd", &cmd,
		    "list", &which) != 0)
		return answer_error("bad-argument", err.text);
	if (strcmp(which, "multi-port") == 0)
		return redundancy_answer(v);
	if (strcmp(which, "switches") != 0 &&
		strcmp(which, "irregularities") != 0)
		return answer_error("bad-argument",
			"'list' is irregularities, switches or multi-port");
	if (t == NULL)
		return answer_error("no-view", "no tree was recognized");
	list.n = t->nodd;
	if (strcmp(which, "switches") == 0) {
		list.n = v->topo->nsw;
		list.item = switch_json;
	}
	return answer_list(figures_json(v, t), v, &list, NULL, 0);
}
