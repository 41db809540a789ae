#include "sm/report/adaptive_json.h"

#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"

enum { LISTED = 100 };

static json_t *
cannot_json(const struct view *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->nfixed && i < LISTED; i++) {
		const struct view_quarantine *q = &v->fixed[i];

		(void)json_array_append_new(
			list, json_pack("{s:o, s:o, s:o}", "guid",
				      names_guid(q->guid), "name",
				      names_node_desc(v->topo, q->node), "why",
				      names_text(q->why)));
	}
	return list;
}

json_t *
adaptive_json(const struct view *v, const struct sm_status *s)
{
	const struct sm_adaptive *a = &s->adaptive_use;
	json_t *o = json_object();

	json_util_put(o, "enabled", json_boolean(a->enabled));
	json_util_put(o, "complete", json_boolean(!a->left));
	json_util_put(o, "switches", json_util_u64(a->switches));
	json_util_put(o, "choosing", json_util_u64(a->on));
	json_util_put(o, "cannot", json_util_u64(a->fixed));
	json_util_put(o, "no_room", json_util_u64(a->no_room));
	json_util_put(o, "why", names_text(a->why));
	json_util_put(o, "cannot_list", cannot_json(v));
	return o;
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
		json_util_put(o, "cannot_choose", names_text(why));
	if (set == NULL)
		return;
	ports = json_array();
	for (unsigned p = route_set_next(set, 0); p < ROUTE_SET_WORDS * 64;
		p = route_set_next(set, p + 1))
		if (p != out)
			(void)json_array_append_new(ports, json_integer(p));
	json_util_put(o, "alternatives", ports);
}

static void
show_cannot(const json_t *a, struct buf *out)
{
	const json_t *first =
		json_array_get(json_object_get(a, "cannot_list"), 0);
	long long n = json_util_num(a, "cannot");

	if (n == 0)
		return;
	buf_printf(out, "            %lld cannot", n);
	if (first != NULL)
		buf_printf(out, "%s %s \"%s\" %s", n > 1 ? ", the first:" : ":",
			page_text(first, "guid"), page_text(first, "name"),
			page_text(first, "why"));
	buf_printf(out, "\n");
}

void
adaptive_json_show(const json_t *a, struct buf *out)
{
	if (!json_util_yes(a, "enabled") && json_util_num(a, "choosing") == 0)
		return;
	buf_printf(out, "adaptive    %lld of %lld switches choose among ports",
		json_util_num(a, "choosing"), json_util_num(a, "switches"));
	if (json_util_has_text(a, "why"))
		buf_printf(out, ": %s", page_text(a, "why"));
	else if (!json_util_yes(a, "complete"))
		buf_printf(out, ", groups are being written");
	buf_printf(out, "\n");
	show_cannot(a, out);
	if (json_util_num(a, "no_room") > 0)
		buf_printf(out,
			"            %lld times a destination has no group in "
			"a switch, for want of room\n",
			json_util_num(a, "no_room"));
}

void
adaptive_json_show_step(const json_t *step, struct buf *out)
{
	const json_t *list = json_object_get(step, "alternatives"), *p;
	size_t i;

	json_array_foreach(list, i, p) buf_printf(out, "%s %lld",
		i == 0 ? "       or by another port of its adaptive group:"
		       : "",
		(long long)json_integer_value(p));
	if (i > 0)
		buf_printf(out, "\n");
	page_line("       chooses no other port: it ", step, "cannot_choose",
		out);
}
