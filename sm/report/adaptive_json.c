#include "sm/report/adaptive_json.h"

#include "config/qos_options.h"
#include "sm/policy/qos.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"

enum { LISTED = 100 };

json_t *
adaptive_json_troubled(
	const struct view *v, const struct view_quarantine *all, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_util_append(list, M("guid", names_guid(all[i].guid)),
			M("name",
				all[i].node != TOPO_NONE
					? names_node_desc(v->topo, all[i].node)
					: json_string("")),
			M("why", names_text(all[i].why)));
	return list;
}

json_t *
adaptive_json(const struct view *v, const struct sm_status *s)
{
	const struct sm_adaptive *a = &s->adaptive_use;

	return json_util_object(M("enabled", a->enabled),
		M("complete", json_boolean(!a->left)),
		M("switches", a->switches), M("choosing", a->on),
		M("cannot", a->fixed), M("no_room", a->no_room),
		M("narrow", a->narrow), M("why", names_text(a->why)),
		M("escape", a->escape),
		M("no_escape", names_text(a->no_escape)),
		M("cannot_list",
			adaptive_json_troubled(v, v->fixed,
				v->nfixed < LISTED ? v->nfixed : LISTED)));
}

void
adaptive_json_put(json_t *o, const struct view *v,
	const struct route_step *step, sw_ix to)
{
	const struct route_set *set =
		route_sets_get(v->routes->sets, step->sw, to);
	const char *why = view_fixed_why(v, step->sw);
	unsigned out = step->out;
	json_t *ports;

	if (why != NULL)
		json_util_put(o, M("cannot_choose", names_text(why)));
	if (set == NULL)
		return;
	ports = json_array();
	for (unsigned p = route_set_next(set, 0); p < ROUTE_SET_WORDS * 64;
		p = route_set_next(set, p + 1))
		if (p != out)
			json_util_add(ports, json_integer(p));
	json_util_put(o, M("alternatives", ports));
}

/* Whether groups are made for the LIDs of a port: see find_targets of
 * distribution/plan/plan_adaptive.c. */
static bool
is_destination(const struct topo *t, port_ix to)
{
	sw_ix s = topo_switch_of(t, to);

	for (uint32_t i = 0; s != TOPO_NONE && i < t->sw[s].nend; i++)
		if (t->end[t->sw[s].end + i].port == to)
			return t->end[t->sw[s].end + i].host &&
			       to != t->sm_port;
	return false;
}

static json_t *
choosing_sls(const struct view *v)
{
	uint16_t sls = qos_adaptive_sls(v->qos->cfg, &v->routes->layers);
	json_t *list = json_array();

	for (unsigned sl = 0; sl < QOS_SLS; sl++)
		if ((sls >> sl & 1) != 0)
			json_util_add(list, json_integer((json_int_t)sl));
	return list;
}

static json_t *
choosing_lids(const struct view *v, port_ix to)
{
	const struct topo_port *p = &v->topo->port[to];
	json_t *list = json_array();

	for (unsigned k = 1; k < 1U << p->lmc; k += 2)
		json_util_add(list, json_integer((json_int_t)(p->lid + k)));
	return list;
}

void
adaptive_json_put_path(json_t *o, const struct view *v,
	const struct route_step *step, int n, port_ix to)
{
	sw_ix last = topo_switch_of(v->topo, to);
	json_t *c;
	bool by_lid;
	int k = 0;

	if (v->qos == NULL || !v->qos->cfg->routing.adaptive.enabled)
		return;
	by_lid = qos_adaptive_by_lid(v->qos->cfg);
	for (int i = 0; i < n && is_destination(v->topo, to); i++)
		k += route_sets_get(v->routes->sets, step[i].sw, last) != NULL;
	c = json_util_object(M("by", by_lid ? "lid" : "sl"), M("switches", k),
		M("of", n), M("sls", choosing_sls(v)));
	if (by_lid)
		json_util_put(c, M("lids", choosing_lids(v, to)));
	json_util_put(o, M("choose", c));
}

void
adaptive_json_show(const json_t *a, struct buf *out)
{
	if (!json_util_yes(a, "enabled") && json_util_num(a, "choosing") == 0)
		return;
	page_print(out, a,
		"adaptive    %(choosing)d of %(switches)d switches choose "
		"among ports%(why)?{: %(why)s}"
		"%(why)!{%(complete)!{, groups are being written}}\n"
		"%(escape)?{%(no_escape)!{            of them %(escape)d by "
		"all "
		"shortest paths: they are listed as escaping\n}}"
		"%(no_escape)?{            none by all shortest paths: "
		"%(no_escape)s\n}"
		"%(cannot)?{            %(cannot)d cannot"
		"%(cannot_list)?{%(cannot)[:|, the first:] "
		"%(cannot_list.0.guid)s \"%(cannot_list.0.name)s\" "
		"%(cannot_list.0.why)s}\n}"
		"%(no_room)?{            %(no_room)d times a destination has "
		"no "
		"group in a switch, for want of room\n}"
		"%(narrow)?{            %(narrow)d times a destination's group "
		"in a switch lacks a port that is back: rebalance\n}");
}

void
adaptive_json_show_step(const json_t *step, struct buf *out)
{
	page_print(out, step,
		"%(alternatives)?{       or by another port of its adaptive "
		"group:%(alternatives)*{ %()d}\n}"
		"%(cannot_choose)?{       chooses no other port: it "
		"%(cannot_choose)s\n}");
}

/* " of SL 1, 2". */
static void
show_numbers(const char *what, const json_t *list, struct buf *out)
{
	const json_t *x;
	size_t i;

	json_array_foreach(list, i, x)
		buf_printf(out, "%s%s %lld", i > 0 ? "," : "",
			i > 0 ? "" : what, (long long)json_integer_value(x));
}

void
adaptive_json_show_path(const json_t *path, struct buf *out)
{
	const json_t *c = json_object_get(path, "choose");
	const json_t *sls = json_object_get(c, "sls"),
		     *lids = json_object_get(c, "lids");

	if (c == NULL)
		return;
	if (json_util_num(c, "switches") == 0 || json_array_size(sls) == 0 ||
		(lids != NULL && json_array_size(lids) == 0)) {
		buf_printf(out, "        in order: no packet on this path may "
				"choose among ports\n");
		return;
	}
	buf_printf(out, "        packets");
	show_numbers(" to LID", lids, out);
	if (lids == NULL || json_array_size(sls) < QOS_SLS)
		show_numbers(" of SL", sls, out);
	buf_printf(out,
		" may choose among ports in %lld of %lld switches; others stay "
		"in order\n",
		json_util_num(c, "switches"), json_util_num(c, "of"));
}
