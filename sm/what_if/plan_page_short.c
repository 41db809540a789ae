#include "sm/what_if/plan_page.h"

#include <stdbool.h>
#include <string.h>

#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/loss_json.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/what_if/forecast_adaptive.h"

/* The page has so many lines at most; losses after the first one so many. */
enum { LINES = 10, LOSSES = 2 };

/* ---- lines, each of them left out if there is nothing to say ---- */

static void
short_question(const json_t *p, struct buf *out)
{
	const json_t *m = json_object_get(p, "misfit");
	long long misfits = json_util_num(m, "switches_missing") +
			    json_util_num(m, "tables_strange") +
			    json_util_num(m, "lids_moved");

	page_print(out, p,
		"%(verdict.text)s\n"
		"%(verdict.losses)*3{%(#)?{        %(text)s\n}}");
	if (plan_page_asks(p))
		page_print(out, p,
			"question    " PLAN_PAGE_QUESTION(
				"failure of ", "drain of ") "\n");
	if (misfits > 0)
		buf_printf(out,
			"MISFIT      the tables are not of this fabric in %lld "
			"place%s\n",
			misfits, names_plural(misfits));
}

static void
short_paths(const json_t *m, struct buf *out)
{
	const json_t *r = json_object_get(m, "redundancy");

	if (!json_is_object(m))
		return;
	page_print(out, m,
		"paths       %(pairs_moved)d of %(pairs)d host pairs take "
		"another path, ");
	buf_printf(out, "%lld lose theirs\n",
		json_util_num(m, "pairs_cut") +
			json_util_num(m, "pairs_parted"));
	page_print(out, json_object_get(m, "multi_port"),
		"%(lost)?{redundancy  %(lost)d multi-port node%(lost)[|s] "
		"lose%(lost)[s|] it\n}");
	if (json_util_num(r, "new_links") + json_util_num(r, "new_switches") >
		0)
		page_print(out, r,
			"redundancy  %(new_links)d link%(new_links)[|s] and "
			"%(new_switches)d switch%(new_switches)[|es] become "
			"single points of failure\n");
}

static void
short_writes(const json_t *p, struct buf *out)
{
	const json_t *first =
		json_array_get(json_object_get(p, "transition"), 0);
	char packets[16];

	if (!json_is_object(json_object_get(p, "impact")))
		return;
	loss_count_text(
		json_util_real(json_object_get(first, "expected"), "packets"),
		packets);
	page_print(out, p,
		"writes      %(impact.blocks)d block%(impact.blocks)[|s] of "
		"%(impact.switches)d switch%(impact.switches)[|es] "
		"(%(transition.0.kind)s); ");
	buf_printf(out, "%s packets lost while tables change\n", packets);
}

static void
short_pieces(const json_t *p, struct buf *out)
{
	bool then =
		json_is_object(json_object_get(p, "then")) && plan_page_asks(p);
	size_t n = json_array_size(
		json_object_get(p, then ? "pieces_then" : "pieces"));
	long long loose = json_util_num(p, then ? "loose_then" : "loose");

	if (n > 0)
		buf_printf(out, "IN PIECES   %zu more piece%s\n", n,
			names_plural((long long)n));
	if (loose > 0)
		buf_printf(out, "unlinked    %lld node%s without any link\n",
			loose, names_plural(loose));
}

static void
short_load(const json_t *p, const json_t *f, struct buf *out)
{
	const json_t *l = json_object_get(f, "load");
	const json_t *was = json_object_get(json_object_get(p, "now"), "load");

	if (!json_is_object(l))
		return;
	page_print(out, l, "load        at most %(max)d pairs on a link");
	if (f != json_object_get(p, "now") && json_is_object(was))
		page_print(out, was, " instead of %(max)d");
	buf_printf(out, "\n");
}

/* Append the first lines of a text. */
static void
put_lines(struct buf *out, const struct buf *text, unsigned most)
{
	const char *at = text->text, *nl;

	while (most-- > 0 && (nl = strchr(at, '\n')) != NULL) {
		buf_put(out, at, (size_t)(nl + 1 - at));
		at = nl + 1;
	}
}

void
plan_page_short(const json_t *p, struct buf *out)
{
	const json_t *then = json_object_get(p, "then");
	const json_t *f =
		json_is_object(then) ? then : json_object_get(p, "now");
	struct buf text = {0};

	/* what matters less comes later, and goes first */
	short_question(p, &text);
	short_paths(json_object_get(p, "impact"), &text);
	short_pieces(p, &text);
	page_print(&text, f,
		"%(verified)?{%(verified.ok)[verified   |FAILS      ] "
		"%(verified.pairs)d pairs, %(verified.unreachable)d "
		"unreachable, %(verified.loops)d loops, "
		"%(verified.cyclic_channels)d cyclic channels\n}"
		"%(verified)!{NO ROUTES   %(why)s\n}");
	short_writes(p, &text);
	short_load(p, f, &text);
	forecast_adaptive_short(f, &text);
	page_print(&text, f,
		"%(routing.engine)?{routing     %(routing.engine)s"
		"%(routing.fallback)[ (FALLBACK)|]" PAGE_ORDER "\n"
		"%(routing.fallback)?{%(routing.tried)?{            "
		"%(routing.tried)s\n}}}");
	fabric_counts_line(json_object_get(p, "fabric"), &text);
	put_lines(out, &text, LINES);
	buf_free(&text);
}
