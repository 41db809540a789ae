#include "sm/what_if/plan_page.h"

#include <stdbool.h>
#include <string.h>

#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/loss_json.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/report/show.h"
#include "sm/what_if/forecast_adaptive.h"

enum { NODES = 10 }; /* multi-port nodes shown */

/* ---- one forecast ---- */

static void
plan_page_routing(const json_t *f, struct buf *out)
{
	const json_t *s = json_object_get(f, "routing");
	const json_t *list = json_object_get(f, "ranks"), *e;
	size_t i;

	if (json_util_has_text(s, "engine"))
		buf_printf(out, "routing     %s%s%s%s\n",
			json_util_text(s, "engine"),
			json_util_yes(s, "fallback") ? " (FALLBACK)" : "",
			page_order(f).s,
			json_util_yes(s, "rebalanced") ? ", rebalanced" : "");
	page_line("            tried: ", s, "tried", out);
	page_line("            ", f, "note", out);
	page_line("            a path may descend and climb again only below ",
		f, "turn_leaf", out);
	if (json_array_size(list) == 0 || json_array_size(list) > 16)
		return;
	buf_printf(out, "ranks       ");
	json_array_foreach(list, i, e)
		buf_printf(out, "%s%lld: %lld switch%s", i > 0 ? ", " : "",
			json_util_num(e, "rank"), json_util_num(e, "switches"),
			names_plural_es(json_util_num(e, "switches")));
	buf_printf(out, "\n");
}

static void
plan_page_tree(const json_t *f, struct buf *out)
{
	const json_t *tree = json_object_get(f, "tree");
	long long more =
		json_util_num(tree, "irregularities") -
		(long long)json_array_size(json_object_get(tree, "first"));

	if (!json_is_object(tree))
		return;
	show_tiers(tree, out);
	if (more > 0)
		buf_printf(out, "            and %lld more\n", more);
}

static void
plan_page_verdict(const json_t *f, struct buf *out)
{
	const json_t *v = json_object_get(f, "verified");

	if (!json_is_object(v)) {
		buf_printf(out, "NO ROUTES   %s\n", json_util_text(f, "why"));
		return;
	}
	buf_printf(out,
		"%s %lld pairs, %lld unreachable, %lld loop%s, %lld cyclic "
		"channel%s, %s\n",
		json_util_yes(v, "ok") ? "verified   " : "FAILS      ",
		json_util_num(v, "pairs"), json_util_num(v, "unreachable"),
		json_util_num(v, "loops"),
		names_plural(json_util_num(v, "loops")),
		json_util_num(v, "cyclic_channels"),
		names_plural(json_util_num(v, "cyclic_channels")),
		page_layers(v).s);
	if (json_util_num(v, "cut_off") > 0)
		buf_printf(out, "            %lld pairs have no path at all\n",
			json_util_num(v, "cut_off"));
	page_line("            ", v, "first_fault", out);
	if (json_util_has_text(v, "cycle") &&
		strcmp(json_util_text(v, "cycle"),
			json_util_text(v, "first_fault")) != 0)
		buf_printf(out, "            %s\n", json_util_text(v, "cycle"));
}

static void
plan_page_hops(const json_t *f, struct buf *out)
{
	const json_t *h = json_object_get(f, "hops");
	const json_t *list = json_object_get(h, "pairs"), *e;
	const char *sep = "; ";
	double all = 0;
	size_t i;

	if (!json_is_object(h))
		return;
	buf_printf(out, "hops        mean %.2f, at most %lld",
		json_util_real(h, "mean"), json_util_num(h, "max"));
	json_array_foreach(list, i, e) all += json_number_value(e);
	json_array_foreach(list, i, e)
	{
		if (json_integer_value(e) == 0)
			continue;
		buf_printf(out, "%s%zu: %.1f%%", sep, i,
			100 * json_number_value(e) / all);
		sep = ", ";
	}
	buf_printf(out, "\n");
}

static void
plan_page_load(const json_t *f, struct buf *out)
{
	const json_t *l = json_object_get(f, "load");
	const json_t *list = json_object_get(l, "levels"), *e;
	size_t i;

	if (!json_is_object(l))
		return;
	buf_printf(out,
		"load        highest %lld, mean %.1f; saturation %.3f\n",
		json_util_num(l, "max"), json_util_real(l, "mean"),
		json_util_real(l, "saturation"));
	if (json_array_size(list) <= 12) {
		json_array_foreach(list, i, e) buf_printf(out,
			"  rank %lld-%lld  %lld link%s, load %lld to %lld, "
			"mean %.1f, %lld idle\n",
			json_util_num(e, "from"), json_util_num(e, "to"),
			json_util_num(e, "links"),
			names_plural(json_util_num(e, "links")),
			json_util_num(e, "min"), json_util_num(e, "max"),
			json_util_real(e, "mean"), json_util_num(e, "idle"));
	}
	list = json_object_get(l, "worst");
	json_array_foreach(list, i, e) if (i < 3) buf_printf(out,
		"  busy      %s port %lld -> %s port %lld: %lld pairs\n",
		json_util_text(e, "name"), json_util_num(e, "port"),
		json_util_text(e, "peer"), json_util_num(e, "peer_port"),
		json_util_num(e, "pairs"));
}

static void
plan_page_metrics(const json_t *f, struct buf *out)
{
	const json_t *e = json_object_get(f, "ebb");
	const json_t *s = json_object_get(f, "shift");

	if (json_is_object(e) && json_util_num(e, "trials") > 0)
		buf_printf(out,
			"bisection   %.3f of the full bandwidth (%lld random "
			"ones, spread %.3f, worst flow %.3f)\n",
			json_util_real(e, "mean"), json_util_num(e, "trials"),
			json_util_real(e, "spread"),
			json_util_real(e, "lowest"));
	if (json_is_object(s) && json_util_num(s, "shifts") > 0)
		buf_printf(out,
			"shifts      %.3f of the full bandwidth, at most %lld "
			"flow%s on a link (%s%lld shift%s, the worst is by "
			"%lld)\n",
			json_util_real(s, "mean"), json_util_num(s, "worst"),
			names_plural(json_util_num(s, "worst")),
			json_util_yes(s, "all") ? "all " : "",
			json_util_num(s, "shifts"),
			names_plural(json_util_num(s, "shifts")),
			json_util_num(s, "worst_by"));
	if (json_is_integer(json_object_get(s, "first_worst")))
		buf_printf(out,
			"            over all shifts, at most %lld flow%s of a "
			"switch's own hosts on one link out of it\n",
			json_util_num(s, "first_worst"),
			names_plural(json_util_num(s, "first_worst")));
}

/* The first NODES of a list of n: texts, or objects with a text. */
static void
plan_page_nodes(const json_t *list, long long n, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e) if (i < NODES)
		buf_printf(out, "            %s\n",
			json_is_string(e) ? json_string_value(e)
					  : json_util_text(e, "text"));
	if (n > NODES)
		buf_printf(out, "            and %lld more\n", n - NODES);
}

static void
plan_page_multi_port(const json_t *h, struct buf *out)
{
	show_redundancy(h, out);
	plan_page_nodes(json_object_get(h, "list"),
		json_util_num(h, "single_points"), out);
}

void
plan_page_forecast(const json_t *f, struct buf *out)
{
	plan_page_routing(f, out);
	plan_page_tree(f, out);
	plan_page_verdict(f, out);
	plan_page_multi_port(json_object_get(f, "multi_port"), out);
	plan_page_hops(f, out);
	plan_page_load(f, out);
	plan_page_metrics(f, out);
	forecast_adaptive_page(f, out);
}

/* ---- the plan ---- */

static void
plan_page_layers(const json_t *p, struct buf *out)
{
	long long layers = json_util_num(
		json_object_get(json_object_get(p, "now"), "verified"),
		"layers");

	if (json_object_get(p, "vls_assumed") != NULL &&
		json_util_num(p, "layers_asked") > layers)
		buf_printf(out,
			"layers      %lld configured, %lld used: a topology "
			"file does not say how many VLs links have; %lld are "
			"assumed\n",
			json_util_num(p, "layers_asked"), layers,
			json_util_num(p, "vls_assumed"));
	else
		page_line("layers      ", p, "layers_short", out);
	page_line("layers      ", p, "layers_shared", out);
}

static void
plan_page_head(const json_t *p, struct buf *out)
{
	const json_t *f = json_object_get(p, "fabric");
	const json_t *l = json_object_get(p, "lids");

	buf_printf(out, "topology    %s\n", json_util_text(p, "topology"));
	fabric_counts_line(f, out);
	buf_printf(out,
		"LIDs        up to %lld, %lld new, %lld moved, %lld "
		"conflict%s\n",
		json_util_num(l, "highest"), json_util_num(l, "assigned"),
		json_util_num(l, "moved"), json_util_num(l, "conflicts"),
		names_plural(json_util_num(l, "conflicts")));
	page_line("            ", l, "conflict", out);
	plan_page_layers(p, out);
}

/* The source of the tables, and how they misfit the topology. */
static void
plan_page_from(const json_t *p, struct buf *out)
{
	const json_t *m = json_object_get(p, "misfit");

	if (!json_util_has_text(p, "from"))
		return;
	buf_printf(out, "\nIN FORCE, from %s\n", json_util_text(p, "from"));
	if (json_util_num(m, "switches_missing") > 0)
		buf_printf(out, "MISFIT      %lld switch%s without a table\n",
			json_util_num(m, "switches_missing"),
			names_plural_es(json_util_num(m, "switches_missing")));
	if (json_util_num(m, "tables_strange") > 0)
		buf_printf(out,
			"MISFIT      %lld table%s of switches that are not in "
			"the topology\n",
			json_util_num(m, "tables_strange"),
			names_plural(json_util_num(m, "tables_strange")));
	if (json_util_num(m, "lids_moved") > 0)
		buf_printf(out,
			"MISFIT      %lld port%s with another LID than in the "
			"tables\n",
			json_util_num(m, "lids_moved"),
			names_plural(json_util_num(m, "lids_moved")));
}

/* The number of other components, stated first: what follows is not the whole
 * fabric. */
static void
plan_page_divided(
	const json_t *list, long long loose, bool from_daemon, struct buf *out)
{
	size_t n = json_array_size(list);

	if (n > 0)
		buf_printf(out,
			"IN PIECES   %zu more piece%s below: no link joins %s "
			"to this one, %s\n",
			n, names_plural((long long)n), n == 1 ? "it" : "them",
			from_daemon ? "its tables stay as they are"
				    : "each needs a manager of its own");
	if (loose > 0)
		buf_printf(out, "unlinked    %lld node%s without any link\n",
			loose, names_plural(loose));
}

static void
plan_page_pieces(const json_t *list, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e)
	{
		buf_printf(out, "\nPIECE %zu OF %zu\n", i + 2,
			json_array_size(list) + 1);
		fabric_counts_line(json_object_get(e, "fabric"), out);
		plan_page_forecast(json_object_get(e, "now"), out);
	}
}

static void
plan_page_lost(const json_t *m, struct buf *out)
{
	const json_t *list = json_object_get(m, "lost"), *e;
	size_t i;

	if (json_util_num(m, "nodes_lost") == 0)
		return;
	buf_printf(out,
		"  lost      %lld node%s:", json_util_num(m, "nodes_lost"),
		names_plural(json_util_num(m, "nodes_lost")));
	json_array_foreach(list, i, e) if (i < 10) buf_printf(
		out, "%s %s", i > 0 ? "," : "", json_util_text(e, "name"));
	buf_printf(out, "%s\n",
		json_util_num(m, "nodes_lost") > 10 ? ", ..." : "");
}

static void
plan_page_redundancy(const json_t *m, struct buf *out)
{
	const json_t *r = json_object_get(m, "redundancy");
	const json_t *list = json_object_get(r, "links"), *e;
	long long links = json_util_num(r, "links_alone");
	long long switches = json_util_num(r, "switches_alone");
	bool news = json_util_num(r, "new_links") +
			    json_util_num(r, "new_switches") >
		    0;
	size_t i;

	if (links + switches == 0) {
		buf_printf(out, "  single points of failure: none\n");
		return;
	}
	buf_printf(out,
		"  single points of failure: %lld link%s, %lld switch%s%s\n",
		links, names_plural(links), switches,
		names_plural_es(json_util_num(r, "switches_alone")),
		news ? "; new:" : " (none new)");
	json_array_foreach(list, i, e) buf_printf(out,
		"            link %s port %lld - %s port %lld\n",
		json_util_text(e, "name"), json_util_num(e, "port"),
		json_util_text(e, "peer"), json_util_num(e, "peer_port"));
	list = json_object_get(r, "switches");
	json_array_foreach(list, i, e) buf_printf(
		out, "            switch %s\n", json_string_value(e));
}

/* Multi-port nodes that lose redundancy. */
static void
plan_page_multi_port_lost(const json_t *h, struct buf *out)
{
	long long lost = json_util_num(h, "lost");

	if (json_util_num(h, "nodes") == 0)
		return;
	buf_printf(out,
		"  nodes     %lld of %lld multi-port node%s lose%s redundancy",
		lost, json_util_num(h, "nodes"),
		names_plural(json_util_num(h, "nodes")), lost == 1 ? "s" : "");
	if (json_util_num(h, "regained") > 0)
		buf_printf(out, ", %lld gain%s some",
			json_util_num(h, "regained"),
			json_util_num(h, "regained") == 1 ? "s" : "");
	buf_printf(out, "%s\n", lost > 0 ? ":" : "");
	plan_page_nodes(json_object_get(h, "list"), lost, out);
}

static void
plan_page_impact(const json_t *m, struct buf *out)
{
	buf_printf(out,
		"  writes    %lld entr%s in %lld block%s of %lld switch%s\n",
		json_util_num(m, "entries"),
		json_util_num(m, "entries") == 1 ? "y" : "ies",
		json_util_num(m, "blocks"),
		names_plural(json_util_num(m, "blocks")),
		json_util_num(m, "switches"),
		names_plural_es(json_util_num(m, "switches")));
	buf_printf(out,
		"  paths     %lld of %lld host pairs take another path, %lld "
		"are cut\n",
		json_util_num(m, "pairs_moved"), json_util_num(m, "pairs"),
		json_util_num(m, "pairs_cut"));
	if (json_util_num(m, "pairs_parted") > 0)
		buf_printf(out,
			"            %lld are in different pieces afterwards\n",
			json_util_num(m, "pairs_parted"));
	plan_page_lost(m, out);
	plan_page_redundancy(m, out);
	plan_page_multi_port_lost(json_object_get(m, "multi_port"), out);
}

static void
plan_page_method(const json_t *e, struct buf *out)
{
	char packets[16];

	loss_count_text(
		json_util_real(json_object_get(e, "expected"), "packets"),
		packets);
	buf_printf(out,
		"            %-18s %-7s %7lld %6lld %7lld %5lld %7lld %8s\n",
		json_util_text(e, "method"), json_util_text(e, "kind"),
		json_util_num(e, "smps"), json_util_num(e, "phases"),
		json_util_num(e, "dependencies_blocked"),
		json_util_num(e, "ports_blocked"),
		json_util_num(e, "pairs_cut"), packets);
}

/*
 * How the tables change: a line per method, what forbade the direct change, and
 * the loss estimate of the first method, phase by phase.
 */
static void
plan_page_transition(const json_t *list, struct buf *out)
{
	const json_t *e, *first = json_array_get(list, 0);
	size_t i;

	if (first == NULL)
		return;
	buf_printf(out, "  change    %-18s %-7s %7s %6s %7s %5s %7s %8s\n",
		"method", "kind", "SMPs", "phases", "blocked", "ports", "pairs",
		"packets");
	json_array_foreach(list, i, e) plan_page_method(e, out);
	page_line("            ", first, "cause", out);
	if (json_util_num(first, "pairs_cut_paper") > 0)
		buf_printf(out,
			"            blocking all newly forbidden dependencies "
			"would cut %lld pairs\n",
			json_util_num(first, "pairs_cut_paper"));
	loss_show(json_object_get(first, "expected"), out);
}

/* The verdict, and each loss after the first one. */
static void
plan_page_losses(const json_t *p, struct buf *out)
{
	const json_t *v = json_object_get(p, "verdict"), *e;
	size_t i;

	buf_printf(out, "%s\n", json_util_text(v, "text"));
	json_array_foreach(json_object_get(v, "losses"), i, e) if (i > 0)
		buf_printf(out, "        %s\n", json_util_text(e, "text"));
	buf_printf(out, "\n");
}

bool
plan_page_asks(const json_t *p)
{
	return json_array_size(json_object_get(p, "failures")) > 0 ||
	       json_array_size(json_object_get(p, "drains")) > 0;
}

void
plan_page_question(
	const json_t *p, const char *fail, const char *drain, struct buf *out)
{
	const json_t *first = json_object_get(p, "failures"), *e;
	const json_t *second = json_object_get(p, "drains");
	size_t i;

	json_array_foreach(first, i, e) buf_printf(
		out, "%s%s", i > 0 ? ", " : fail, json_string_value(e));
	if (json_array_size(first) > 0 && json_array_size(second) > 0)
		buf_printf(out, "; ");
	json_array_foreach(second, i, e) buf_printf(
		out, "%s%s", i > 0 ? ", " : drain, json_string_value(e));
}

void
plan_page(const json_t *p, struct buf *out)
{
	const json_t *then = json_object_get(p, "then");
	bool from_daemon = json_util_yes(p, "from_daemon");

	plan_page_losses(p, out);
	plan_page_head(p, out);
	plan_page_from(p, out);
	plan_page_divided(json_object_get(p, "pieces"),
		json_util_num(p, "loose"), from_daemon, out);
	plan_page_forecast(json_object_get(p, "now"), out);
	plan_page_pieces(json_object_get(p, "pieces"), out);
	if (!json_is_object(then))
		return;
	if (!plan_page_asks(p))
		buf_printf(out, "\n%s\n",
			json_util_yes(p, "rebalance") ? "REBALANCED"
						      : "ROUTED AGAIN");
	if (plan_page_asks(p)) {
		buf_printf(out, "\nAFTER ");
		plan_page_question(p, "THE FAILURE OF ", "THE DRAIN OF ", out);
		buf_printf(out, "\n");
	}
	if (json_util_yes(p, "cut_off"))
		buf_printf(out, "CUT OFF     heddled's own port: heddled then "
				"reaches no switch and writes nothing; the "
				"tables below stay until its port is back or "
				"another subnet manager takes over\n");
	if (json_is_object(json_object_get(p, "impact")))
		plan_page_impact(json_object_get(p, "impact"), out);
	plan_page_transition(json_object_get(p, "transition"), out);
	plan_page_divided(json_object_get(p, "pieces_then"),
		json_util_num(p, "loose_then"), from_daemon, out);
	if (plan_page_asks(p))
		fabric_counts_line(json_object_get(p, "fabric_then"), out);
	plan_page_forecast(then, out);
	plan_page_pieces(json_object_get(p, "pieces_then"), out);
}
