#include "sm/report/show.h"
#include "sm/report/adaptive_json.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/loss_json.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/report/terminal.h"
#include "sm/report/verify_json.h"

#include <stdbool.h>
#include <string.h>

/* Of routes without an order, which a standby read. */
#define READ_BACK "as switches hold it, judged as if all packets had one VL"

/* ---- status ---- */

/* The other subnet managers of the last sweep, but the master, which has a line
 * of its own. */
static void
status_others(const json_t *r, struct buf *out)
{
	const char *master =
		json_util_text(json_object_get(r, "master"), "guid");
	static const char *const state[] = {
		"not active", "discovering", "standby", "master"};
	const json_t *o;
	size_t i;

	json_array_foreach(json_object_get(r, "others"), i, o)
	{
		long long s = json_util_num(o, "state");

		if (strcmp(json_util_text(o, "guid"), master) == 0)
			continue;
		page_print(out, o, "other SM    %(guid)s \"%(name)s\" ");
		if (json_util_yes(o, "answers") && s >= 0 && s < 4) {
			page_print(out, o, "priority %(priority)d, ");
			buf_printf(out, "%s\n", state[s]);
		} else {
			buf_printf(out, "does not answer\n");
		}
	}
}

static void
status_head(const json_t *r, struct buf *out)
{
	page_line("ALARM       ", r, "alarm", out);
	page_print(out, r, "role        %(role)s");
	if (strcmp(json_util_text(r, "phase"), json_util_text(r, "role")) != 0)
		page_print(out, r, ", %(phase)s");
	page_if(out, r, "writing", " %(writing)s");
	page_print(out, r,
		"%(dirty)[, more pending|]\n"
		"port        %(port.device)s/%(port.port)d %(port.guid)s "
		"priority %(port.priority)d\n");
	page_if(out, r, "master",
		"master      %(master.guid)s \"%(master.name)s\" priority "
		"%(master.priority)d\n");
	status_others(r, out);
	page_print(out, r,
		"sweeps      %(sweeps.full)d full, %(sweeps.light)d light, "
		"%(sweeps.probes)d probes; last run "
		"%(sweeps.last_ok)[ok|failed: ]");
	if (!json_util_yes(json_object_get(r, "sweeps"), "last_ok"))
		page_print(out, r, "%(sweeps.last_why)s");
	buf_printf(out, "\n");
}

static void
status_fabric(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"view        generation %(generation)d, %(age).0f s old, "
		"cause: %(cause)s\n");
	fabric_counts_line(json_object_get(r, "fabric"), out);
	page_print(out, r,
		"ports       %(counts.ports_active)d of "
		"%(counts.ports_linked)d linked are Active, %(unreachable)d "
		"unreachable\n"
		"LIDs        %(lids.used)d used by %(lids.ports)d ports, "
		"%(lids.free)d free of %(lids.first)d-%(lids.last)d\n");
	page_line("            ", json_object_get(r, "lids"), "conflict", out);
}

/* The last change: a line if it needed stages or blocking, and its
 * consequences. */
static void
status_change(const json_t *c, struct buf *out)
{
	page_if(out, c, "cause",
		"change      %(kind)s in %(stages)d stage%(stages)[|s], "
		"%(blocked)n dependencies blocked, %(pairs_cut)d pairs cut "
		"meanwhile\n");
	page_if(out, c, "stay_blocked",
		"            %(stay_blocked)d dependencies stay blocked for "
		"connections made with earlier SLs\n");
	page_if(out, c, "mismatched_ports",
		"            %(mismatched_ports)d ports run below the MTU or "
		"VLs that both ends support, and were not bounced for it\n");
}

/* The named ports that are silent, or not; what: before each. */
static void
m_key_ports(const json_t *m, int silent, const char *what, struct buf *out)
{
	long long left = json_util_num(m, silent ? "silent" : "unknown");
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(m, "ports"), i, p)
	{
		if (json_util_yes(p, "silent") != silent)
			continue;
		buf_printf(out, "            %s", what);
		page_print(out, p, "port %(port)d of %(guid)s \"%(name)s\"\n");
		left--;
	}
	if (left > 0)
		buf_printf(out, "            and %lld more\n", left);
}

/* Ports that cannot be written for want of their M_Key. */
static void
status_m_keys(const json_t *m, struct buf *out)
{
	if (json_util_num(m, "unknown") > 0) {
		page_print(out, m,
			"M_Keys      %(unknown)d port%(unknown)[|s] not "
			"written: %(unknown)[its|their] M_Key is not known\n");
		m_key_ports(m, false, "", out);
	}
	if (json_util_num(m, "silent") > 0) {
		page_print(out, m,
			"M_Keys      %(silent)d node%(silent)[|s] that "
			"%(silent)[does|do] not answer: a hang, or an M_Key "
			"that is not known\n");
		m_key_ports(m, true, "behind ", out);
	}
}

/* Dependencies that are blocked now, and drift that was found. */
static void
status_blocked(const json_t *r, struct buf *out)
{
	const json_t *h = json_object_get(r, "blocked");
	const json_t *s = json_object_get(r, "sweeps");

	if (json_util_num(h, "dependencies") > 0) {
		page_print(out, h,
			"blocked     %(dependencies)d dependencies, %(pairs)d "
			"pairs lose packets");
		if (json_is_real(json_object_get(h, "left")))
			page_print(out, h, ", alarm in %(left).0f s");
		buf_printf(out, "\n");
	}
	if (json_util_num(s, "untrue_blocks") + json_util_num(s, "altered") +
			json_util_num(s, "altered_key_tables") +
			json_util_num(s, "rows_freed") >
		0)
		page_print(out, s,
			"drift       %(untrue_blocks)d acknowledged but not "
			"held, %(altered)d tables and %(altered_key_tables)d "
			"P_Key tables modified, %(rows_freed)d dependencies "
			"blocked by others\n");
}

/* What traps reported: link errors, and packets with wrong keys. */
static void
status_faults(const json_t *f, struct buf *out)
{
	if (json_util_has_text(f, "last"))
		buf_printf(out,
			"faults      reported: %lld by links, %lld M_Keys, "
			"%lld P_Keys, %lld Q_Keys; last: %s\n",
			json_util_num(f, "link_errors") +
				json_util_num(f, "buffer_overruns") +
				json_util_num(f, "flow_control"),
			json_util_num(f, "m_key"),
			json_util_num(f, "p_key") +
				json_util_num(f, "switch_p_key"),
			json_util_num(f, "q_key"), page_text(f, "last"));
}

static void
status_tree(const json_t *tree, struct buf *out)
{
	size_t shown = json_array_size(json_object_get(tree, "first"));

	show_tiers(tree, out);
	if (json_util_num(tree, "irregularities") > (long long)shown)
		buf_printf(out, "            list all: heddlectl tree\n");
}

static void
status_redundancy(const json_t *redundancy, struct buf *out)
{
	if (json_is_null(redundancy))
		buf_printf(out, "redundancy  being counted\n");
	show_redundancy(redundancy, out);
	page_if(out, redundancy, "single_points",
		"            list them: heddlectl tree --list multi-port\n");
}

/* The exception to the verdict on the routes. */
static void
status_except(const json_t *verdict, const char *margin, struct buf *out)
{
	if (json_util_num(verdict, "except") > 0)
		buf_printf(out, "%s", margin);
	page_if(out, verdict, "except",
		"except for %(except)d switch%(except)[|es], which may not "
		"forward by these routes\n");
}

/* What the verdict on the routes leaves out. */
static void
status_unwritten(const json_t *m_keys, struct buf *out)
{
	long long n = json_util_num(m_keys, "unknown") +
		      json_util_num(m_keys, "silent");

	if (n > 0)
		buf_printf(out,
			"            without %lld port%s that could not be "
			"written, see M_Keys\n",
			n, names_plural(n));
}

static void
status_routes(const json_t *r, struct buf *out)
{
	const json_t *v = json_object_get(r, "verified");

	if (json_util_has_text(r, "order")) {
		page_print(out, r,
			"routing     %(engine)s%(fallback)[ (FALLBACK)|]");
		buf_printf(out, "%s, %s\n", page_order(r).s, page_layers(v).s);
	} else {
		buf_printf(out, "routing     " READ_BACK "\n");
	}
	page_line("            ", r, "tried", out);
	page_line("            ", r, "layers_short", out);
	page_line("            ", r, "layers_shared", out);
	page_print(out, v,
		"verified    %(pairs)d pairs, %(unreachable)d missing, "
		"%(loops)d loops, %(cyclic_channels)d cyclic channels\n");
	status_except(v, "            ", out);
	status_unwritten(json_object_get(r, "m_keys"), out);
	status_change(json_object_get(r, "change"), out);
	page_print(out, r,
		"last run    %(times.total).3f s: discover "
		"%(times.discover).3f, readback %(times.readback).3f, route "
		"%(times.route).3f, push %(times.push).3f; %(counts.smps)d "
		"SMPs, %(counts.lft_blocks)d LFT blocks\n");
}

/* Of the counters of ports, where they are read. */
static void
status_health(const json_t *h, struct buf *out)
{
	if (!json_util_yes(h, "enabled"))
		return;
	page_print(out, h,
		"health      %(read)d of %(ports)d ports read in "
		"%(pass_seconds).1f s, %(bad)d bad link%(bad)[|s]");
	show_acted(h, out);
	page_if(out, h, "bad", "; list: heddlectl links --bad");
	buf_printf(out, "\n");
}

/* What was there before and is not, links that could be faster, and that are
 * bad. */
static void
status_links(const json_t *r, struct buf *out)
{
	const json_t *m = json_object_get(r, "missing");
	const json_t *d = json_object_get(r, "degraded");

	if (json_util_num(m, "nodes") + json_util_num(m, "links") > 0) {
		page_print(out, m,
			"missing     %(nodes)d node%(nodes)[|s], %(links)d "
			"link%(links)[|s] that were there before; list all: "
			"heddlectl links\n");
		show_missing(m, out);
	}
	if (json_util_num(d, "links") > 0) {
		page_print(out, d,
			"degraded    %(links)d link%(links)[|s] below the "
			"width or speed that both ends support\n");
		show_degraded(d, out);
	}
	status_health(json_object_get(r, "health"), out);
}

static void
status_wire(const json_t *w, struct buf *out)
{
	page_print(out, w,
		"wire        window %(window)d, %(in_flight)d in flight, "
		"%(sent)d sent (%(by_lid)d by "
		"LID%(directed_only)[: never answered, all are directed now|])"
		", %(retried)d retried, %(timeouts)d timeouts, %(late)d late, "
		"%(alien)d alien\n");
}

/* The configuration and state files, if one of them was refused or lost. */
static void
status_files(const json_t *r, struct buf *out)
{
	const json_t *c = json_object_get(r, "config");

	page_line("config      REFUSED, the previous one stays in force: ", c,
		"refused", out);
	if (!json_util_yes(r, "state_writable"))
		buf_printf(out, "state       CANNOT BE WRITTEN: LIDs may "
				"change at the next restart\n");
	page_line("state       NOT USED: ", r, "state_lost", out);
	page_line("events      NOT WRITTEN, kept in memory: ", r,
		"events_unwritten", out);
	page_line("recording   HAS A GAP, no replay goes past it: ", r,
		"record_trouble", out);
}

static void
status_trouble(const json_t *r, struct buf *out)
{
	page_each(out, json_object_get(r, "quarantined"),
		"quarantine  %(guid)s \"%(name)s\" %(why)s\n");
	page_each(out, json_object_get(r, "foreign_adaptive"),
		"unverified  %(guid)s \"%(name)s\" %(why)s\n");
	page_each(out, json_object_get(r, "unreachable_ports"),
		"unreachable %(guid)s port %(port)d \"%(name)s\"\n");
}

static void
status_partitions(const json_t *p, struct buf *out)
{
	page_each(out, json_object_get(p, "list"),
		"partition   %(name)s %(pkey)x: %(ports)d ports, %(full)d of "
		"them full members\n");
	page_each(out, json_object_get(p, "nobody"),
		"            %(partition)s: no port matches \"%(member)s\"\n");
	page_line("            ", p, "no_room", out);
}

static void
put_numbers(const json_t *list, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e)
		page_print(out, e, i > 0 ? " %()d" : "%()d");
}

static void
status_qos(const json_t *q, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(q, "levels"), i, e)
	{
		page_print(out, e, "QoS level   %(name)s: SL ");
		put_numbers(json_object_get(e, "sls"), out);
		page_print(out, e,
			", %(priority)s priority, weight %(weight.hosts)d "
			"hosts, %(weight.switches)d switches\n");
	}
	if (i > 0)
		page_if(out, q, "missing",
			"            %(missing)d ports lack their tables\n");
	page_line("            ", q, "shortage", out);
}

/* For one path: the SL of every level, and the VLs along the path. */
static void
put_qos_levels(const json_t *list, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e)
	{
		page_print(out, e, "level  %(name)s: SL %(sl)d");
		page_if(out, e, "vls", ", VL ");
		put_numbers(json_object_get(e, "vls"), out);
		buf_printf(out, "\n");
	}
}

void
show_status(const json_t *r, struct buf *out)
{
	status_head(r, out);
	if (json_util_num(r, "generation") > 0) {
		status_fabric(r, out);
		status_links(r, out);
		status_tree(json_object_get(r, "tree"), out);
		status_redundancy(json_object_get(r, "multi_port"), out);
		status_routes(r, out);
		adaptive_json_show(json_object_get(r, "adaptive"), out);
		status_partitions(json_object_get(r, "partitions"), out);
		status_qos(json_object_get(r, "qos"), out);
	}
	/* what ports lack of what traffic needs is an alarm besides */
	page_if(out, json_object_get(r, "settings"), "ports",
		"settings    %(ports)d port%(ports)[|s] keep%(ports)[s|] other "
		"settings than configured\n            %(first)s\n");
	status_m_keys(json_object_get(r, "m_keys"), out);
	status_blocked(r, out);
	status_wire(json_object_get(r, "wire"), out);
	status_files(r, out);
	page_if(out, json_object_get(r, "drains"), "all",
		"drained     %(all)d: %(clear)d clear, %(pending)d pending, "
		"%(used)d still used, %(absent)d absent; list: heddlectl "
		"drains\n");
	show_verify_status(json_object_get(r, "expected"), out);
	status_trouble(r, out);
	status_faults(json_object_get(r, "faults"), out);
}

/* ---- topology ---- */

static void
node_line(const json_t *n, struct buf *out)
{
	const json_t *ports = json_object_get(n, "ports");
	unsigned linked = 0, active = 0;
	long long lid = 0;
	const json_t *p;
	size_t i;

	json_array_foreach(ports, i, p)
	{
		if (lid == 0)
			lid = json_util_num(p, "lid");
		if (!json_is_object(json_object_get(p, "peer")))
			continue;
		linked++;
		active += strcmp(page_text(p, "state"), "Active") == 0 ? 1 : 0;
	}
	buf_printf(out, "%-11s  %-18s  %5lld  %4u/%-4u  %s\n",
		page_text(n, "type"), page_text(n, "guid"), lid, active, linked,
		page_text(n, "name"));
}

void
show_topology(const json_t *r, struct buf *out)
{
	const json_t *nodes = json_object_get(r, "nodes");
	const json_t *n;
	size_t i;

	buf_printf(out, "%-11s  %-18s  %5s  %9s  %s\n", "TYPE", "GUID", "LID",
		"ACT/LINK", "NAME");
	json_array_foreach(nodes, i, n) node_line(n, out);
}

/* ---- routes ---- */

static void
put_out(const json_t *e, struct buf *out)
{
	page_print(out, e,
		json_is_integer(json_object_get(e, "out")) ? "%(out)6d"
							   : "  drop");
	page_if(out, e, "next", "  -> %(next.name)s port %(next.port)d");
}

/* A switch's place in the order, if that is known. */
static void
put_rank(const json_t *r, struct buf *out)
{
	if (json_object_get(r, "rank") != NULL)
		page_print(out, r, " rank %(rank)d");
}

/* The switches of a path, and the link by which it leaves each. */
static void
put_steps(const json_t *r, const json_t *steps, struct buf *out)
{
	const json_t *s;
	size_t i;

	json_array_foreach(steps, i, s)
	{
		buf_printf(out, "%4zu", i + 1);
		page_print(out, s, "   %(switch)s \"%(name)s\"");
		put_rank(s, out);
		page_print(out, s, " in %(in)d");
		page_if(out, s, "direction", " %(direction)s");
		buf_printf(out, " out");
		put_out(s, out);
		page_if(out, s, "width", "  %(width)s %(speed)s %(gbps)g Gb/s");
		if (json_object_get(s, "load") != NULL) {
			page_print(out, s, ", load %(load)d");
			page_print(out, r, " (mean %(load_mean).1f)");
		}
		page_if(out, s, "drained",
			", %(drained)d link%(drained)[|s] drained");
		buf_printf(out, "\n");
		page_line("       may leave by another port: it ", s,
			"foreign_adaptive", out);
		adaptive_json_show_step(s, out);
	}
}

static void
path_why(const json_t *r, struct buf *out)
{
	const char *order = json_util_text(r, "order");

	if (*order == '\0') {
		buf_printf(out, "why    " READ_BACK "\n");
	} else if (strcmp(order, "none") == 0) {
		page_print(out, r,
			"why    engine %(engine)s, no order of switches\n");
	} else {
		page_print(out, r,
			"why    engine %(engine)s, order %(order)s: a path "
			"climbs to lower ranks first and then only descends");
		page_if(out, r, "turn_leaf",
			"; a path may descend and climb again only below "
			"%(turn_leaf)s");
		buf_printf(out, "\n");
	}
}

static void
routes_path(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"from   %(from.guid)s port %(from.port)d LID %(from.lid)d "
		"\"%(from.name)s\"\n");
	put_steps(r, json_object_get(r, "steps"), out);
	page_print(out, r,
		"to     %(to.guid)s port %(to.port)d LID %(to.lid)d "
		"\"%(to.name)s\"\n");
	page_if(out, r, "back", "back\n");
	put_steps(r, json_object_get(r, "back"), out);
	put_qos_levels(json_object_get(r, "levels"), out);
	path_why(r, out);
	page_line("       ", r, "note", out);
}

/* A line an entry of a table: head, the name in its column, and the port. */
static void
put_entries(const json_t *list, const char *head, size_t width, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e)
	{
		page_print(out, e, head);
		terminal_put_padded(page_text(e, "name"), width, out);
		put_out(e, out);
		buf_printf(out, "\n");
	}
}

static void
routes_column(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "entries");
	size_t width = names_column(list);

	page_print(out, r,
		"to %(to.guid)s port %(to.port)d LID %(to.lid)d "
		"\"%(to.name)s\"\n");
	buf_printf(
		out, "%-18s  %-*s  %4s\n", "SWITCH", (int)width, "NAME", "OUT");
	put_entries(list, "%(switch)-18s  ", width, out);
}

static void
routes_row(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "entries");
	size_t width = names_column(list);

	page_print(out, r, "switch %(switch)s \"%(name)s\"");
	put_rank(r, out);
	buf_printf(out, "\n");
	buf_printf(out, "%5s  %-18s  %-*s  %4s\n", "LID", "GUID", (int)width,
		"OWNER", "OUT");
	put_entries(list, "%(lid)5d  %(guid)-18s  ", width, out);
}

static void
summary_engine(const json_t *r, struct buf *out)
{
	if (json_util_has_text(r, "order")) {
		page_print(out, r,
			"engine    %(engine)s%(fallback)[ (FALLBACK)|], order "
			"%(order)s, ");
		buf_printf(out, "%s", page_layers(r).s);
	} else {
		buf_printf(out, "engine    " READ_BACK);
	}
	page_print(out, r, ", generation %(generation)d\n");
}

static void
routes_summary(const json_t *r, struct buf *out)
{
	summary_engine(r, out);
	page_line("          ", r, "note", out);
	page_line("tried     ", r, "tried", out);
	page_if(out, r, "ranks", "ranks    ");
	page_each(out, json_object_get(r, "ranks"), " %(rank)d:%(switches)d");
	page_if(out, r, "ranks", " (rank:switches, top first)\n");
	page_print(out, r,
		"verified  %(pairs)d pairs, %(unreachable)d missing, "
		"%(cut_off)d cut off, %(loops)d loops, %(cyclic_channels)d "
		"cyclic channels\n");
	status_except(r, "          ", out);
	page_print(
		out, r, "load      highest %(load_max)d, mean %(load_mean).1f");
	page_if(out, r, "busiest",
		"; busiest %(busiest.name)s port %(busiest.port)d");
	page_print(out, r,
		"\nhops      longest %(hops_max)d, mean %(hops_mean).2f\n"
		"entries   %(entries_kept)d kept, %(entries_changed)d changed; "
		"top LID %(top)d; %(reranked)d switches reranked\n");
}

void
show_routes(const json_t *r, struct buf *out)
{
	if (json_object_get(r, "wait_generation") != NULL)
		page_print(out, r,
			"Rebalance requested (heddlectl status "
			"--wait-generation %(wait_generation)d waits for "
			"it)\n");
	else if (json_is_array(json_object_get(r, "steps")))
		routes_path(r, out);
	else if (!json_is_array(json_object_get(r, "entries")))
		routes_summary(r, out);
	else if (json_is_object(json_object_get(r, "to")))
		routes_column(r, out);
	else
		routes_row(r, out);
}

void
show_sweep(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"Sweep requested (heddlectl status --wait-sweep %(wait_sweep)d "
		"waits for it)\n");
}

/* The status afterwards. */
void
show_undrain(const json_t *r, struct buf *out)
{
	(void)r;
	buf_printf(out, "Undrained\n");
}

/* The status afterwards. */
void
show_handover(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"Handed over to %(master.guid)s \"%(master.name)s\", priority "
		"%(master.priority)d\n");
}

/* ---- explain ---- */

static void
explain_phases(const json_t *r, struct buf *out)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(r, "phases"), i, p)
	{
		buf_printf(out, "%4zu", i + 1);
		page_print(out, p, "   %(what)s");
		if (json_util_num(r, "stages") > 1)
			page_if(out, p, "stage", ", stage %(stage)d");
		page_print(
			out, p, ": %(smps)d SMPs%(drain)[, after a drain|]\n");
	}
}

static void
explain_blocked(const json_t *r, struct buf *out)
{
	const json_t *u;
	size_t i;

	json_array_foreach(json_object_get(r, "blocked"), i, u)
	{
		page_print(out, u,
			"%(port)[down   |blocked] %(switch)s \"%(name)s\" port "
			"%(in)d");
		if (!json_util_yes(u, "port"))
			page_print(out, u, " to %(out)d");
		page_print(out, u, ", used by %(pairs)d pair%(pairs)[|s]\n");
	}
}

static void
explain_port(const json_t *p, struct buf *out)
{
	const json_t *k;
	size_t i;

	page_print(out, p,
		"port       %(guid)s \"%(name)s\" port %(port)d, LID "
		"%(lid)d%(guarded)[; its switch enforces partitions|]\n");
	json_array_foreach(json_object_get(p, "keys"), i, k)
	{
		page_print(out, k,
			"%(index)4d   %(pkey)x %(full)[full|limited] member of "
			"%(partition)[|an unknown partition]");
		page_if(out, k, "partition", "%(partition)s");
		page_print(out, k, "%(configured)[|, not as configured]\n");
	}
}

void
show_pkeys(const json_t *r, struct buf *out)
{
	const json_t *to = json_object_get(r, "to");

	explain_port(json_object_get(r, "from"), out);
	if (to == NULL)
		return;
	explain_port(to, out);
	page_print(out, r, "%(talk)[may talk  |may not   ] %(why)s\n");
}

void
show_change(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"change     of generation %(generation)d: %(because)s\n"
		"method     %(method)s: %(kind)s, %(stages)d "
		"stage%(stages)[|s]; %(entries)d entries in %(blocks)d blocks, "
		"%(kept)d blocks kept; %(smps)d SMPs, %(push).3f s\n"
		"mixture    %(dependencies)d dependencies of old and new "
		"tables together, %(cyclic)d channels on cycles, %(unread)d "
		"switches with unknown tables\n");
	page_line("because    ", r, "cause", out);
	page_line("ports down ", r, "ports_down", out);
	page_if(out, r, "stale",
		"stale      connections made with earlier SLs could close a "
		"cycle with these tables\n"
		"           %(stale)s\n"
		"           %(stay_blocked)d dependencies stay blocked for "
		"them until their ports come up anew\n");
	if (json_util_num(r, "pairs_cut") > 0 ||
		json_util_num(r, "pairs_cut_paper") > 0)
		page_print(out, r,
			"cut        %(pairs_cut)d pairs meanwhile; blocking "
			"all newly forbidden dependencies would have cut "
			"%(pairs_cut_paper)d\n");
	explain_phases(r, out);
	explain_blocked(r, out);
	loss_show(json_object_get(r, "expected"), out);
}
