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
short_losses(const json_t *p, struct buf *out)
{
	const json_t *v = json_object_get(p, "verdict"), *e;
	size_t i;

	buf_printf(out, "%s\n", json_util_text(v, "text"));
	json_array_foreach(json_object_get(v, "losses"), i, e)
	{
		if (i > 0 && i <= LOSSES)
			buf_printf(
				out, "        %s\n", json_util_text(e, "text"));
	}
}

static void
short_question(const json_t *p, struct buf *out)
{
	const json_t *m = json_object_get(p, "misfit");
	long long misfits = json_util_num(m, "switches_missing") +
			    json_util_num(m, "tables_strange") +
			    json_util_num(m, "lids_moved");

	if (plan_page_asks(p)) {
		buf_printf(out, "question    ");
		plan_page_question(p, "failure of ", "drain of ", out);
		buf_printf(out, "\n");
	}
	if (misfits > 0)
		buf_printf(out,
			"MISFIT      the tables are not of this fabric in %lld "
			"place%s\n",
			misfits, names_plural(misfits));
}

static void
short_paths(const json_t *p, struct buf *out)
{
	const json_t *m = json_object_get(p, "impact");
	long long lost =
		json_util_num(json_object_get(m, "multi_port"), "lost");

	if (!json_is_object(m))
		return;
	buf_printf(out,
		"paths       %lld of %lld host pairs take another path, %lld "
		"lose theirs\n",
		json_util_num(m, "pairs_moved"), json_util_num(m, "pairs"),
		json_util_num(m, "pairs_cut") +
			json_util_num(m, "pairs_parted"));
	if (lost > 0)
		buf_printf(out,
			"redundancy  %lld multi-port node%s lose%s it\n", lost,
			names_plural(lost), lost == 1 ? "s" : "");
}

static void
short_redundancy(const json_t *p, struct buf *out)
{
	const json_t *r =
		json_object_get(json_object_get(p, "impact"), "redundancy");
	long long links = json_util_num(r, "new_links");
	long long switches = json_util_num(r, "new_switches");

	if (links + switches > 0)
		buf_printf(out,
			"redundancy  %lld link%s and %lld switch%s become "
			"single points of failure\n",
			links, names_plural(links), switches,
			names_plural_es(switches));
}

static void
short_writes(const json_t *p, struct buf *out)
{
	const json_t *m = json_object_get(p, "impact");
	const json_t *first =
		json_array_get(json_object_get(p, "transition"), 0);
	char packets[16];

	if (!json_is_object(m))
		return;
	loss_count_text(
		json_util_real(json_object_get(first, "expected"), "packets"),
		packets);
	buf_printf(out,
		"writes      %lld block%s of %lld switch%s (%s); %s packets "
		"lost while tables change\n",
		json_util_num(m, "blocks"),
		names_plural(json_util_num(m, "blocks")),
		json_util_num(m, "switches"),
		names_plural_es(json_util_num(m, "switches")),
		json_util_text(first, "kind"), packets);
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
short_verified(const json_t *f, struct buf *out)
{
	const json_t *v = json_object_get(f, "verified");

	if (!json_is_object(v)) {
		buf_printf(out, "NO ROUTES   %s\n", json_util_text(f, "why"));
		return;
	}
	buf_printf(out,
		"%s %lld pairs, %lld unreachable, %lld loops, %lld cyclic "
		"channels\n",
		json_util_yes(v, "ok") ? "verified   " : "FAILS      ",
		json_util_num(v, "pairs"), json_util_num(v, "unreachable"),
		json_util_num(v, "loops"), json_util_num(v, "cyclic_channels"));
}

static void
short_routing(const json_t *f, struct buf *out)
{
	const json_t *r = json_object_get(f, "routing");

	if (*json_util_text(r, "engine") == '\0')
		return;
	buf_printf(out, "routing     %s%s%s\n", json_util_text(r, "engine"),
		json_util_yes(r, "fallback") ? " (FALLBACK)" : "",
		page_order(f).s);
	if (json_util_yes(r, "fallback"))
		page_line("            ", r, "tried", out);
}

static void
short_load(const json_t *p, const json_t *f, struct buf *out)
{
	const json_t *l = json_object_get(f, "load");
	const json_t *was = json_object_get(json_object_get(p, "now"), "load");

	if (!json_is_object(l))
		return;
	buf_printf(out, "load        at most %lld pairs on a link",
		json_util_num(l, "max"));
	if (f != json_object_get(p, "now") && json_is_object(was))
		buf_printf(out, " instead of %lld", json_util_num(was, "max"));
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
	short_losses(p, &text);
	short_question(p, &text);
	short_paths(p, &text);
	short_redundancy(p, &text);
	short_pieces(p, &text);
	short_verified(f, &text);
	short_writes(p, &text);
	short_load(p, f, &text);
	forecast_adaptive_short(f, &text);
	short_routing(f, &text);
	fabric_counts_line(json_object_get(p, "fabric"), &text);
	put_lines(out, &text, LINES);
	buf_free(&text);
}
