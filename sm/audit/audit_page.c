#include "sm/audit/audit_page.h"

#include <stdbool.h>
#include <string.h>

#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/what_if/plan_page.h"

/* ---- folding lines ---- */

/* Where the text of a line begins: after its label, or after its leading
 * blanks. */
static size_t
indent_of(const char *line, size_t n)
{
	enum { LABEL_MAX = 14, MORE = 2 };
	size_t lead = 0, i;

	while (lead < n && line[lead] == ' ')
		lead++;
	for (i = lead; i + 1 < n && i < LABEL_MAX; i++)
		if (line[i] == ' ' && line[i + 1] == ' ') {
			while (i < n && line[i] == ' ')
				i++;
			return i < AUDIT_PAGE_WIDTH / 2 ? i : lead + MORE;
		}
	return lead + MORE;
}

static void
fold_line(const char *line, size_t n, struct buf *out)
{
	size_t indent = indent_of(line, n), room = AUDIT_PAGE_WIDTH;

	while (n > room) {
		size_t cut = room;

		while (cut > 0 && line[cut] != ' ')
			cut--;
		if (cut <= (room == AUDIT_PAGE_WIDTH ? indent : 0))
			for (cut = room; cut < n && line[cut] != ' '; cut++)
				;
		if (cut == n)
			break;
		buf_put(out, line, cut);
		buf_printf(out, "\n%*s", (int)indent, "");
		line += cut + 1;
		n -= cut + 1;
		room = AUDIT_PAGE_WIDTH - indent;
	}
	buf_put(out, line, n);
	buf_put(out, "\n", 1);
}

static void
fold_page(const struct buf *page, struct buf *out)
{
	const char *at = page->text, *end = page->text + page->n;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((nl == NULL ? end : nl) - at);

		fold_line(at, n, out);
		at += n + 1;
	}
}

/* ---- what was read ---- */

static void
page_seen(const json_t *a, struct buf *out)
{
	const json_t *list = json_object_get(a, "managers"), *e;
	size_t i;

	fabric_counts_line(json_object_get(a, "fabric"), out);
	json_array_foreach(list, i, e)
		buf_printf(out, "manager     on %s, port GUID %s\n",
			json_util_text(e, "name"), json_util_text(e, "guid"));
}

static void
page_vls(const json_t *a, struct buf *out)
{
	const json_t *l = json_object_get(a, "sl2vl");
	const json_t *s = json_object_get(a, "sa");
	const json_t *d = json_object_get(a, "dependencies");

	buf_printf(out,
		"VLs         %lld VL%s in use, according to %lld SL to VL "
		"table%s\n",
		json_util_num(l, "vls"), names_plural(json_util_num(l, "vls")),
		json_util_num(l, "maps_read"),
		names_plural(json_util_num(l, "maps_read")));
	if (json_util_num(l, "vls") > 1 &&
		json_util_num(d, "cyclic_on_one_vl") == 0)
		buf_printf(out, "            the VLs do not matter: there is "
				"no credit loop even with a single one\n");
	if (json_util_num(s, "paths") > 0)
		buf_printf(out,
			"SLs         %lld path%s read from subnet "
			"administration, those of %s: SLs of %lld pairs of "
			"port and LID are known, of %lld unknown\n",
			json_util_num(s, "paths"),
			names_plural(json_util_num(s, "paths")),
			json_util_text(s, "asked"),
			json_util_num(s, "pairs_told"),
			json_util_num(s, "pairs_assumed"));
	if (json_util_num(d, "cyclic_on_one_vl") > 0 &&
		json_util_num(d, "cyclic") == 0)
		buf_printf(out,
			"            with one VL %lld link directions would be "
			"in credit loops: the VLs break them\n",
			json_util_num(d, "cyclic_on_one_vl"));
}

static void
page_groups(const json_t *a, struct buf *out)
{
	const json_t *g = json_object_get(a, "groups");
	const json_t *s = json_object_get(a, "sa");

	buf_printf(out, "multicast   %lld tree%s to %lld port%s of hosts",
		json_util_num(g, "trees"),
		names_plural(json_util_num(g, "trees")),
		json_util_num(g, "ports"),
		names_plural(json_util_num(g, "ports")));
	if (json_util_yes(s, "answers"))
		buf_printf(out, "; subnet administration knows %lld group%s",
			json_util_num(s, "groups"),
			names_plural(json_util_num(s, "groups")));
	buf_printf(out, "\n");
}

static void
page_wire(const json_t *a, struct buf *out)
{
	const json_t *w = json_object_get(a, "wire");

	buf_printf(out,
		"sent        %lld request%s to nodes, %lld to subnet "
		"administration; %lld Sets: nothing was written\n",
		json_util_num(w, "sent"),
		names_plural(json_util_num(w, "sent")),
		json_util_num(w, "to_sa"), json_util_num(w, "sets"));
}

/* ---- findings ---- */

static void
page_findings(const json_t *a, struct buf *out)
{
	static const char *const label[][2] = {{"fault", "FAULT"},
		{"risk", "RISK"}, {"unknown", "UNKNOWN"}, {"note", "note"}};
	const json_t *list = json_object_get(a, "findings"), *e, *l;
	size_t i, k;

	if (json_array_size(list) > 0)
		buf_printf(out, "\n"
				"FINDINGS, most severe first\n");
	json_array_foreach(list, i, e)
	{
		const char *name = "";

		for (k = 0; k < sizeof(label) / sizeof(label[0]); k++)
			if (strcmp(label[k][0],
				    json_util_text(e, "severity")) == 0)
				name = label[k][1];
		buf_printf(out, "%-10s  %s\n", name, json_util_text(e, "text"));
		json_array_foreach(json_object_get(e, "lines"), k, l)
			buf_printf(out, "            - %s\n",
				json_string_value(l));
	}
}

static void
page_better(const json_t *a, struct buf *out)
{
	const json_t *list = json_object_get(a, "better"), *e;
	size_t i;

	buf_printf(out, "\n"
			"WITH HEDDLE'S ROUTES FOR THE SAME LINKS\n");
	if (json_array_size(list) == 0)
		buf_printf(out, "  - no difference\n");
	json_array_foreach(list, i, e)
		buf_printf(out, "  - %s\n", json_string_value(e));
}

/* ---- figures ---- */

struct figure {
	const char *what, *group, *key;
	int decimals;
	double scale;
};

static const struct figure figures[] = {
	{"pairs that do not arrive", "verified", "unreachable", 0, 1},
	{"pairs that loop", "verified", "loops", 0, 1},
	{"channels in credit loops", "verified", "cyclic_channels", 0, 1},
	{"load of the busiest link", "load", "max", 0, 1},
	{"load of the mean link", "load", "mean", 1, 1},
	{"static saturation, % of a host's rate", "load", "saturation", 1, 100},
	{"random bisections, % of full bandwidth", "ebb", "mean", 1, 100},
	{"shifts, % of full bandwidth", "shift", "mean", 1, 100},
	{"worst shift, flows on one link", "shift", "worst", 0, 1},
	{"links between switches, mean path", "hops", "mean", 2, 1},
	{"links between switches, longest path", "hops", "max", 0, 1},
};

/* Side by side: the figures of the routes found, and of Heddle's. */
static void
page_figures(const json_t *a, struct buf *out)
{
	const json_t *sides[] = {
		json_object_get(a, "found"), json_object_get(a, "heddle")};

	buf_printf(
		out, "\n%-40s %12s %12s\n", "FIGURES", "as found", "by Heddle");
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		const struct figure *f = &figures[i];

		buf_printf(out, "%-40s", f->what);
		for (size_t k = 0; k < 2; k++) {
			const json_t *o = json_object_get(sides[k], f->group);

			if (json_is_object(o))
				buf_printf(out, " %12.*f", f->decimals,
					f->scale * json_util_real(o, f->key));
			else
				buf_printf(out, " %12s", "-");
		}
		buf_printf(out, "\n");
	}
}

void
audit_page(const json_t *a, struct buf *out)
{
	struct buf page = {0};

	buf_printf(&page, "%s\n", json_util_text(a, "text"));
	if (json_object_get(a, "fabric") == NULL) { /* it was not read */
		fold_page(&page, out);
		buf_free(&page);
		return;
	}
	buf_printf(&page, "\n");
	page_seen(a, &page);
	page_vls(a, &page);
	page_groups(a, &page);
	page_wire(a, &page);
	page_findings(a, &page);
	page_better(a, &page);
	page_figures(a, &page);
	buf_printf(&page, "\nAS FOUND\n");
	plan_page_forecast(json_object_get(a, "found"), &page);
	buf_printf(&page, "\nAS HEDDLE WOULD ROUTE IT\n");
	plan_page_forecast(json_object_get(a, "heddle"), &page);
	fold_page(&page, out);
	buf_free(&page);
}
