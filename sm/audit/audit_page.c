#include "sm/audit/audit_page.h"

#include <stdbool.h>
#include <string.h>

#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/page.h"
#include "sm/report/terminal.h"
#include "sm/what_if/plan_page.h"

/* ---- what was read ---- */

static void
page_vls(const json_t *a, struct buf *out)
{
	const json_t *l = json_object_get(a, "sl2vl");
	const json_t *d = json_object_get(a, "dependencies");

	page_print(out, l,
		"VLs         %(vls)d VL%(vls)[|s] in use, according to "
		"%(maps_read)d SL to VL table%(maps_read)[|s]\n");
	if (json_util_num(l, "vls") > 1 &&
		json_util_num(d, "cyclic_on_one_vl") == 0)
		buf_printf(out, "            the VLs do not matter: there is "
				"no credit loop even with a single one\n");
	page_print(out, json_object_get(a, "sa"),
		"%(paths)?{SLs         %(paths)d path%(paths)[|s] read from "
		"subnet administration, those of %(asked)s: SLs of "
		"%(pairs_told)d pairs of port and LID are known, of "
		"%(pairs_assumed)d unknown\n}");
	page_print(out, d,
		"%(cyclic)!{%(cyclic_on_one_vl)?{            with one VL "
		"%(cyclic_on_one_vl)d link directions would be in credit "
		"loops: the VLs break them\n}}");
}

static void
page_groups(const json_t *a, struct buf *out)
{
	page_print(out, a,
		"multicast   %(groups.trees)d tree%(groups.trees)[|s] to "
		"%(groups.ports)d port%(groups.ports)[|s] of hosts"
		"%(sa.answers)?{; subnet administration knows %(sa.groups)d "
		"group%(sa.groups)[|s]}\n"
		"sent        %(wire.sent)d request%(wire.sent)[|s] to nodes, "
		"%(wire.to_sa)d to subnet administration; %(wire.sets)d Sets: "
		"nothing was written\n");
}

/* ---- findings ---- */

static void
page_findings(const json_t *a, struct buf *out)
{
	page_print(out, a,
		"%(findings)?{\nFINDINGS, most severe first\n}"
		"%(findings)*{%(severity=fault)?{FAULT     }"
		"%(severity=risk)?{RISK      }%(severity=unknown)?{UNKNOWN   }"
		"%(severity=note)?{note      }  %(text)s\n"
		"%(lines)*{            - %()s\n}}"
		"\nWITH HEDDLE'S ROUTES FOR THE SAME LINKS\n"
		"%(better)!{  - no difference\n}%(better)*{  - %()s\n}");
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

	page_print(&page, a, "%(text)s\n");
	if (json_object_get(a, "fabric") == NULL) { /* it was not read */
		terminal_format(page.text, AUDIT_PAGE_WIDTH, false, out);
		buf_free(&page);
		return;
	}
	buf_printf(&page, "\n");
	fabric_counts_line(json_object_get(a, "fabric"), &page);
	page_print(&page, a,
		"%(managers)*{manager     on %(name)s, port GUID %(guid)s\n}");
	page_vls(a, &page);
	page_groups(a, &page);
	page_findings(a, &page);
	page_figures(a, &page);
	buf_printf(&page, "\nAS FOUND\n");
	plan_page_forecast(json_object_get(a, "found"), &page);
	buf_printf(&page, "\nAS HEDDLE WOULD ROUTE IT\n");
	plan_page_forecast(json_object_get(a, "heddle"), &page);
	terminal_format(page.text, AUDIT_PAGE_WIDTH, false, out);
	buf_free(&page);
}
