#include "sm/report/show.h"

#include <stdbool.h>
#include <time.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/report/terminal.h"

/* How many switches of a tier were placed by which evidence. */
static void
put_origins(const json_t *tier, struct buf *out)
{
	static const char *const origin[][2] = {{"configured", "configured"},
		{"told", "reported by the switch"}, {"remembered", "as before"},
		{"hosts", "from hosts"}, {"links", "from links"}};
	const char *sep = " (";

	for (size_t i = 0; i < sizeof(origin) / sizeof(origin[0]); i++) {
		if (json_util_num(tier, origin[i][0]) == 0)
			continue;
		buf_printf(out, "%s%lld %s", sep,
			json_util_num(tier, origin[i][0]), origin[i][1]);
		sep = ", ";
	}
	buf_printf(out, "%s", *sep == ',' ? ")" : "");
}

/* The time of a decision that is kept although the fabric looks different now;
 * nothing otherwise. */
static void
put_kept_class(const json_t *tree, struct buf *out)
{
	const json_t *reading = json_object_get(tree, "reading");
	const json_t *odd = json_object_get(tree, "irregular");
	time_t at = (time_t)json_util_num(reading, "at");
	char when[40] = "an unknown time";
	struct tm tm;

	if (json_object_get(odd, "stays-tree") == NULL &&
		json_object_get(odd, "stays-mesh") == NULL)
		return;
	if (at > 0 && gmtime_r(&at, &tm) != NULL)
		(void)strftime(
			when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	buf_printf(out, "            engine %s: kept as decided at %s\n",
		json_util_text(reading, "engine"), when);
}

static void
put_tiers(const json_t *tree, struct buf *out)
{
	const char *word = "tree";
	json_t *odd = json_object_get(tree, "irregular"), *e;
	const char *what;
	size_t i;

	json_array_foreach(json_object_get(tree, "tiers"), i, e)
	{
		if (json_util_num(e, "switches") == 0)
			continue; /* all switches of the tier failed */
		buf_printf(out, "%-11s ", word);
		page_print(out, e,
			"tier %(tier)d: %(switches)d "
			"switch%(switches)[|es]");
		put_origins(e, out);
		buf_printf(out, "\n");
		word = "";
	}
	page_print(out, tree,
		"%(unplaced)?{            %(unplaced)d switches have no "
		"tier\n}");
	json_object_foreach(odd, what, e) buf_printf(
		out, "            %lld %s\n", json_integer_value(e), what);
	put_kept_class(tree, out);
	page_print(out, tree,
		"%(not_believed)*{            %(guid)s \"%(name)s\": role "
		"ignored, its answer has a wrong signature\n}");
}

/* Irregularities in a list of this name. */
#define IRREGULAR(list) "%(" list ")*{            %(what)s: %(text)s\n}"

void
show_tiers(const json_t *tree, struct buf *out)
{
	put_tiers(tree, out);
	page_print(out, tree, IRREGULAR("first"));
}

void
show_redundancy(const json_t *redundancy, struct buf *out)
{
	const json_t *points = json_object_get(redundancy, "points");
	long long more = json_util_num(redundancy, "points_all");

	if (json_util_num(redundancy, "nodes") == 0)
		return;
	page_print(out, redundancy,
		"redundancy  %(nodes)d multi-port node%(nodes)[|s], "
		"%(single_points)d with a single point of failure\n");
	page_print(out, redundancy,
		/* a switch, or the link at one of its ports */
		"%(points)*{            \"%(name)s\"%(port)?{ port %(port)d}: "
		"%(nodes)d node%(nodes)[ depends|s depend] on it\n}");
	more -= (long long)json_array_size(points);
	if (more > 0)
		buf_printf(out, "            and %lld more\n", more);
}

static void
put_redundancy(const json_t *r, struct buf *out)
{
	const json_t *redundancy = json_object_get(r, "multi_port");
	const json_t *list = json_object_get(r, "list"), *e;
	size_t i, width;

	show_redundancy(redundancy, out);
	if (json_util_num(redundancy, "nodes") == 0)
		buf_printf(out, "redundancy  no multi-port nodes\n");
	if (json_array_size(list) == 0)
		return;
	width = names_column(list);
	buf_printf(
		out, "%-18s  %-*s  %s\n", "NODE", (int)width, "NAME", "WHAT");
	json_array_foreach(list, i, e)
	{
		page_print(out, e, "%(guid)-18s  ");
		terminal_put_padded(json_util_text(e, "name"), width, out);
		page_print(out, e, "  %(text)s\n");
	}
}

void
show_tree(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "list"), *e;
	size_t i, width;

	if (json_object_get(r, "multi_port") != NULL) {
		put_redundancy(r, out);
		return;
	}
	put_tiers(r, out);
	if (!json_is_string(
		    json_object_get(json_array_get(list, 0), "origin"))) {
		page_print(out, r, IRREGULAR("list"));
		return;
	}
	width = names_column(list);
	buf_printf(out, "%4s  %-18s  %-*s  %s\n", "TIER", "SWITCH", (int)width,
		"NAME", "BY");
	json_array_foreach(list, i, e)
	{
		page_print(out, e,
			"%(tier)&{%(tier)4d}%(tier)~{   -}  %(guid)-18s  ");
		terminal_put_padded(json_util_text(e, "name"), width, out);
		page_print(out, e, "  %(origin)s\n");
	}
}
