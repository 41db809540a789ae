#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/report/verify_json.h"

/* What was not compared, and why. */
static void
show_limits(const json_t *r, struct buf *out)
{
	json_t *left_out = json_object_get(r, "left_out"), *n;
	const json_t *links = json_object_get(r, "links");
	long long unknown = json_util_num(links, "unknown");
	long long unread = json_util_num(r, "unread");
	long long unnamed =
		json_util_num(json_object_get(r, "nodes"), "unnamed");
	const char *of;

	json_object_foreach(left_out, of, n)
		buf_printf(out, "left out    %lld %s%s: the plan has none\n",
			json_integer_value(n), of,
			of[0] == 's' ? names_plural_es(json_integer_value(n))
				     : names_plural(json_integer_value(n)));
	if (unread > 0)
		buf_printf(out,
			"left out    %lld line%s of the plan, whose LinkType "
			"is not Data\n",
			unread, names_plural(unread));
	if (unknown > 0)
		buf_printf(out,
			"unknown     %lld planned link%s: neither end "
			"answers\n",
			unknown, names_plural(unknown));
	if (unnamed > 0)
		buf_printf(out,
			"unknown     the name%s of %lld node%s: not read yet, "
			"or not given\n",
			names_plural(unnamed), unnamed, names_plural(unnamed));
}

/* How many there are of each kind. */
static void
show_kinds(const json_t *r, struct buf *out)
{
	json_t *kinds = json_object_get(r, "kinds"), *n;
	long long drained = json_util_num(r, "drained");
	const char *kind, *between = ": ";

	json_object_foreach(kinds, kind, n)
	{
		if (json_integer_value(n) == 0)
			continue;
		buf_printf(
			out, "%s%lld %s", between, json_integer_value(n), kind);
		between = ", ";
	}
	if (drained > 0)
		buf_printf(out, "; %lld of them drained", drained);
}

static void
show_list(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "list"), *x;
	long long more = json_util_num(r, "deviations") -
			 (long long)json_array_size(list);
	size_t i;

	json_array_foreach(list, i, x)
		buf_printf(out, "  %s%s\n", json_util_text(x, "text"),
			json_util_yes(x, "drained") ? "; drained" : "");
	if (more > 0)
		buf_printf(out, "  and %lld more: heddlectl verify %s\n", more,
			page_text(r, "plan"));
}

void
show_verify(const json_t *r, struct buf *out)
{
	const json_t *nodes = json_object_get(r, "nodes");
	const json_t *links = json_object_get(r, "links");

	if (json_util_has_text(r, "written")) {
		buf_printf(out, "wrote %s: %lld nodes, %lld links\n",
			json_util_text(r, "written"), json_util_num(r, "nodes"),
			json_util_num(r, "links"));
		return;
	}
	buf_printf(out, "plan        %s\n", page_text(r, "plan"));
	buf_printf(out,
		"%s  %lld of %lld planned nodes, %lld of %lld planned links\n",
		json_util_yes(r, "as_planned") ? "as planned" : "there     ",
		json_util_num(nodes, "matched"),
		json_util_num(nodes, "planned"), json_util_num(links, "there"),
		json_util_num(links, "planned"));
	show_limits(r, out);
	if (json_util_yes(r, "as_planned"))
		return;
	buf_printf(out, "deviations  %lld", json_util_num(r, "deviations"));
	show_kinds(r, out);
	buf_printf(out, "\n");
	show_list(r, out);
}

void
show_verify_status(const json_t *expected, struct buf *out)
{
	long long n = json_util_num(expected, "deviations");

	if (!json_is_object(expected))
		return;
	buf_printf(out, "cabling     ");
	if (json_util_has_text(expected, "unused")) {
		buf_printf(out, "NOT COMPARED with its plan: %s\n",
			json_util_text(expected, "unused"));
	} else if (!json_util_yes(expected, "compared")) {
		buf_printf(out, "not compared yet with %s\n",
			page_text(expected, "file"));
	} else if (n == 0) {
		buf_printf(out, "as planned, by %s\n",
			page_text(expected, "file"));
	} else {
		buf_printf(out, "%lld deviation%s", n, names_plural(n));
		show_kinds(expected, out);
		buf_printf(out, "; list: heddlectl verify\n");
	}
}
