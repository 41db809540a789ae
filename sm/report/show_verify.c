#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/report/verify_json.h"

/* What was not compared, and why. */
static void
show_limits(const json_t *r, struct buf *out)
{
	json_t *left_out = json_object_get(r, "left_out"), *n;
	const char *of;

	json_object_foreach(left_out, of, n)
		buf_printf(out, "left out    %lld %s%s: the plan has none\n",
			json_integer_value(n), of,
			of[0] == 's' ? names_plural_es(json_integer_value(n))
				     : names_plural(json_integer_value(n)));
	page_print(out, r,
		"%(unread)?{left out    %(unread)d line%(unread)[|s] of the "
		"plan, whose LinkType is not Data\n}");
	page_print(out, json_object_get(r, "links"),
		"%(unknown)?{unknown     %(unknown)d planned "
		"link%(unknown)[|s]: neither end answers\n}");
	page_print(out, json_object_get(r, "nodes"),
		"%(unnamed)?{unknown     the name%(unnamed)[|s] of %(unnamed)d "
		"node%(unnamed)[|s]: not read yet, or not given\n}");
}

/* How many there are of each kind. */
static void
show_kinds(const json_t *r, struct buf *out)
{
	json_t *kinds = json_object_get(r, "kinds"), *n;
	const char *kind, *between = ": ";

	json_object_foreach(kinds, kind, n)
	{
		if (json_integer_value(n) == 0)
			continue;
		buf_printf(
			out, "%s%lld %s", between, json_integer_value(n), kind);
		between = ", ";
	}
	page_print(out, r, "%(drained)?{; %(drained)d of them drained}");
}

void
show_verify(const json_t *r, struct buf *out)
{
	long long more = json_util_num(r, "deviations") -
			 (long long)json_array_size(json_object_get(r, "list"));

	if (json_util_has_text(r, "written")) {
		page_print(out, r,
			"wrote %(written)s: %(nodes)d nodes, %(links)d "
			"links\n");
		return;
	}
	page_print(out, r,
		"plan        %(plan)s\n"
		"%(as_planned)[as planned|there     ]  %(nodes.matched)d of "
		"%(nodes.planned)d planned nodes, %(links.there)d of "
		"%(links.planned)d planned links\n");
	show_limits(r, out);
	if (json_util_yes(r, "as_planned"))
		return;
	page_print(out, r, "deviations  %(deviations)d");
	show_kinds(r, out);
	page_print(out, r, "\n%(list)*{  %(text)s%(drained)[; drained|]\n}");
	if (more > 0)
		buf_printf(out, "  and %lld more: heddlectl verify %s\n", more,
			page_text(r, "plan"));
}

void
show_verify_status(const json_t *expected, struct buf *out)
{
	if (!json_is_object(expected))
		return;
	buf_printf(out, "cabling     ");
	if (json_util_has_text(expected, "unused")) {
		page_print(out, expected,
			"NOT COMPARED with its plan: %(unused)s\n");
	} else if (!json_util_yes(expected, "compared")) {
		page_print(out, expected, "not compared yet with %(file)s\n");
	} else if (json_util_num(expected, "deviations") == 0) {
		page_print(out, expected, "as planned, by %(file)s\n");
	} else {
		page_print(out, expected,
			"%(deviations)d deviation%(deviations)[|s]");
		show_kinds(expected, out);
		buf_printf(out, "; list: heddlectl verify\n");
	}
}
