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
	size_t ranks = json_array_size(json_object_get(f, "ranks"));

	page_print(out, f,
		"%(routing.engine)?{routing     %(routing.engine)s"
		"%(routing.fallback)[ (FALLBACK)|]" PAGE_ORDER
		"%(routing.rebalanced)[, rebalanced|]\n}"
		"%(routing.tried)?{            tried: %(routing.tried)s\n}"
		"%(note)?{            %(note)s\n}"
		"%(turn_leaf)?{            a path may descend and climb again "
		"only below %(turn_leaf)s\n}");
	if (ranks <= 16)
		page_print(out, f,
			"%(ranks)?{ranks       %(ranks)*{%(#)?{, }%(rank)d: "
			"%(switches)d switch%(switches)[|es]}\n}");
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
		page_print(out, f, "NO ROUTES   %(why)s\n");
		return;
	}
	page_print(out, v,
		"%(ok)[verified   |FAILS      ] %(pairs)d pairs, "
		"%(unreachable)d unreachable, %(loops)d loop%(loops)[|s], "
		"%(cyclic_channels)d cyclic channel%(cyclic_channels)[|s], ");
	buf_printf(out, "%s\n", page_layers(v).s);
	page_print(out, v,
		"%(cut_off)?{            %(cut_off)d pairs have no path at "
		"all\n}"
		"%(first_fault)?{            %(first_fault)s\n}");
	if (strcmp(json_util_text(v, "cycle"),
		    json_util_text(v, "first_fault")) != 0)
		page_print(out, v, "%(cycle)?{            %(cycle)s\n}");
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

	if (!json_is_object(l))
		return;
	page_print(out, l,
		"load        highest %(max)d, mean %(mean).1f; saturation "
		"%(saturation).3f\n");
	if (json_array_size(json_object_get(l, "levels")) <= 12)
		page_print(out, l,
			"%(levels)*{  rank %(from)d-%(to)d  %(links)d "
			"link%(links)[|s], load %(min)d to %(max)d, mean "
			"%(mean).1f, %(idle)d idle\n}");
	page_print(out, l,
		"%(worst)*3{  busy      %(name)s port %(port)d -> %(peer)s "
		"port %(peer_port)d: %(pairs)d pairs\n}");
}

static void
plan_page_metrics(const json_t *f, struct buf *out)
{
	page_print(out, json_object_get(f, "ebb"),
		"%(trials)?{bisection   %(mean).3f of the full bandwidth "
		"(%(trials)d random ones, spread %(spread).3f, worst flow "
		"%(lowest).3f)\n}");
	page_print(out, json_object_get(f, "shift"),
		"%(shifts)?{shifts      %(mean).3f of the full bandwidth, at "
		"most %(worst)d flow%(worst)[|s] on a link (%(all)[all "
		"|]%(shifts)d shift%(shifts)[|s], the worst is by "
		"%(worst_by)d)\n}"
		"%(first_worst)&{            over all shifts, at most "
		"%(first_worst)d flow%(first_worst)[|s] of a switch's own "
		"hosts "
		"on one link out of it\n}");
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

void
plan_page_forecast(const json_t *f, struct buf *out)
{
	const json_t *h = json_object_get(f, "multi_port");

	plan_page_routing(f, out);
	plan_page_tree(f, out);
	plan_page_verdict(f, out);
	show_redundancy(h, out);
	plan_page_nodes(json_object_get(h, "list"),
		json_util_num(h, "single_points"), out);
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
		page_print(out, p,
			"layers      %(layers_asked)d configured, "
			"%(now.verified.layers)d used: a topology file does "
			"not say how many VLs links have; %(vls_assumed)d are "
			"assumed\n");
	else
		page_print(out, p,
			"%(layers_short)?{layers      %(layers_short)s\n}");
	page_print(
		out, p, "%(layers_shared)?{layers      %(layers_shared)s\n}");
}

static void
plan_page_head(const json_t *p, struct buf *out)
{
	page_print(out, p, "topology    %(topology)s\n");
	fabric_counts_line(json_object_get(p, "fabric"), out);
	page_print(out, p,
		"LIDs        up to %(lids.highest)d, %(lids.assigned)d new, "
		"%(lids.moved)d moved, %(lids.conflicts)d "
		"conflict%(lids.conflicts)[|s]\n"
		"%(lids.conflict)?{            %(lids.conflict)s\n}");
	plan_page_layers(p, out);
}

/* The source of the tables, and how they misfit the topology. */
static void
plan_page_from(const json_t *p, struct buf *out)
{
	if (!json_util_has_text(p, "from"))
		return;
	page_print(out, p, "\nIN FORCE, from %(from)s\n");
	page_print(out, json_object_get(p, "misfit"),
		"%(switches_missing)?{MISFIT      %(switches_missing)d "
		"switch%(switches_missing)[|es] without a table\n}"
		"%(tables_strange)?{MISFIT      %(tables_strange)d "
		"table%(tables_strange)[|s] of switches that are not in the "
		"topology\n}"
		"%(lids_moved)?{MISFIT      %(lids_moved)d "
		"port%(lids_moved)[|s] "
		"with another LID than in the tables\n}");
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
plan_page_redundancy(const json_t *r, struct buf *out)
{
	if (json_util_num(r, "links_alone") +
			json_util_num(r, "switches_alone") ==
		0) {
		buf_printf(out, "  single points of failure: none\n");
		return;
	}
	page_print(out, r,
		"  single points of failure: %(links_alone)d "
		"link%(links_alone)[|s], %(switches_alone)d "
		"switch%(switches_alone)[|es]");
	buf_printf(out, "%s\n",
		json_util_num(r, "new_links") +
					json_util_num(r, "new_switches") >
				0
			? "; new:"
			: " (none new)");
	page_print(out, r,
		"%(links)*{            link %(name)s port %(port)d - %(peer)s "
		"port %(peer_port)d\n}"
		"%(switches)*{            switch %()s\n}");
}

static void
plan_page_impact(const json_t *m, struct buf *out)
{
	const json_t *h = json_object_get(m, "multi_port");

	page_print(out, m,
		"  writes    %(entries)d entr%(entries)[y|ies] in %(blocks)d "
		"block%(blocks)[|s] of %(switches)d switch%(switches)[|es]\n"
		"  paths     %(pairs_moved)d of %(pairs)d host pairs take "
		"another path, %(pairs_cut)d are cut\n"
		"%(pairs_parted)?{            %(pairs_parted)d are in "
		"different "
		"pieces afterwards\n}"
		"%(nodes_lost)?{  lost      %(nodes_lost)d "
		"node%(nodes_lost)[|s]:"
		"%(lost)*10{%(#)?{,} %(name)s}}");
	if (json_util_num(m, "nodes_lost") > 0)
		buf_printf(out, "%s\n",
			json_util_num(m, "nodes_lost") > 10 ? ", ..." : "");
	plan_page_redundancy(json_object_get(m, "redundancy"), out);
	page_print(out, h,
		"%(nodes)?{  nodes     %(lost)d of %(nodes)d multi-port "
		"node%(nodes)[|s] lose%(lost)[s|] redundancy"
		"%(regained)?{, %(regained)d gain%(regained)[s|] some}"
		"%(lost)?{:}\n}");
	if (json_util_num(h, "nodes") > 0)
		plan_page_nodes(json_object_get(h, "list"),
			json_util_num(h, "lost"), out);
}

static void
plan_page_method(const json_t *e, struct buf *out)
{
	char packets[16];

	loss_count_text(
		json_util_real(json_object_get(e, "expected"), "packets"),
		packets);
	page_print(out, e,
		"            %(method)-18s %(kind)-7s %(smps)7d %(phases)6d "
		"%(dependencies_blocked)7d %(ports_blocked)5d %(pairs_cut)7d ");
	buf_printf(out, "%8s\n", packets);
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
	page_print(out, first,
		"%(cause)?{            %(cause)s\n}"
		"%(pairs_cut_paper)?{            blocking all newly forbidden "
		"dependencies would cut %(pairs_cut_paper)d pairs\n}");
	loss_show(json_object_get(first, "expected"), out);
}

bool
plan_page_asks(const json_t *p)
{
	return json_array_size(json_object_get(p, "failures")) > 0 ||
	       json_array_size(json_object_get(p, "drains")) > 0;
}

void
plan_page(const json_t *p, struct buf *out)
{
	const json_t *then = json_object_get(p, "then");
	bool from_daemon = json_util_yes(p, "from_daemon");

	page_print(out, p,
		/* the verdict names the first loss */
		"%(verdict.text)s\n"
		"%(verdict.losses)*{%(#)?{        %(text)s\n}}\n");
	plan_page_head(p, out);
	plan_page_from(p, out);
	plan_page_divided(json_object_get(p, "pieces"),
		json_util_num(p, "loose"), from_daemon, out);
	plan_page_forecast(json_object_get(p, "now"), out);
	plan_page_pieces(json_object_get(p, "pieces"), out);
	if (!json_is_object(then))
		return;
	page_print(out, p,
		plan_page_asks(p)
			? "\nAFTER " PLAN_PAGE_QUESTION(
				  "THE FAILURE OF ", "THE DRAIN OF ") "\n"
			: "\n%(rebalance)[REBALANCED|ROUTED AGAIN]\n");
	page_print(out, p,
		"%(cut_off)?{CUT OFF     heddled's own port: heddled then "
		"reaches no switch and writes nothing; the tables below stay "
		"until its port is back or another subnet manager takes "
		"over\n}");
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
