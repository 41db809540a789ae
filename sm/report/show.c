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
static const char READ_BACK[] = "as switches hold it, judged as if all packets "
				"had one VL";

/* ---- status ---- */

/* The other subnet managers of the last sweep. */
static void
status_others(const json_t *r, struct buf *out)
{
	static const char *const state[] = {
		"not active", "discovering", "standby", "master"};
	const json_t *o;
	size_t i;

	json_array_foreach(json_object_get(r, "others"), i, o)
	{
		long long s = json_util_num(o, "state");

		buf_printf(out, "other SM    %s \"%s\" ", page_text(o, "guid"),
			page_text(o, "name"));
		if (json_util_yes(o, "answers") && s >= 0 && s < 4)
			buf_printf(out, "priority %lld, %s\n",
				json_util_num(o, "priority"), state[s]);
		else
			buf_printf(out, "does not answer\n");
	}
}

static void
status_head(const json_t *r, struct buf *out)
{
	const json_t *port = json_object_get(r, "port");
	const json_t *master = json_object_get(r, "master");
	const json_t *sweeps = json_object_get(r, "sweeps");

	page_line("ALARM       ", r, "alarm", out);
	buf_printf(out, "role        %s, %s%s%s%s\n", page_text(r, "role"),
		page_text(r, "phase"),
		json_util_has_text(r, "writing") ? " " : "",
		json_util_has_text(r, "writing") ? page_text(r, "writing") : "",
		json_util_yes(r, "dirty") ? ", more pending" : "");
	buf_printf(out, "port        %s/%lld %s priority %lld\n",
		page_text(port, "device"), json_util_num(port, "port"),
		page_text(port, "guid"), json_util_num(port, "priority"));
	if (json_is_object(master))
		buf_printf(out, "master      %s \"%s\" priority %lld\n",
			page_text(master, "guid"), page_text(master, "name"),
			json_util_num(master, "priority"));
	status_others(r, out);
	buf_printf(out,
		"sweeps      %lld full, %lld light, %lld probes; last run "
		"%s%s\n",
		json_util_num(sweeps, "full"), json_util_num(sweeps, "light"),
		json_util_num(sweeps, "probes"),
		json_util_yes(sweeps, "last_ok") ? "ok" : "failed: ",
		json_util_yes(sweeps, "last_ok")
			? ""
			: page_text(sweeps, "last_why"));
}

static void
status_fabric(const json_t *r, struct buf *out)
{
	const json_t *c = json_object_get(r, "counts");
	const json_t *l = json_object_get(r, "lids");

	buf_printf(out, "view        generation %lld, %.0f s old, cause: %s\n",
		json_util_num(r, "generation"), json_util_real(r, "age"),
		page_text(r, "cause"));
	fabric_counts_line(json_object_get(r, "fabric"), out);
	buf_printf(out,
		"ports       %lld of %lld linked are Active, %lld "
		"unreachable\n",
		json_util_num(c, "ports_active"),
		json_util_num(c, "ports_linked"),
		json_util_num(r, "unreachable"));
	buf_printf(out,
		"LIDs        %lld used by %lld ports, %lld free of %lld-%lld\n",
		json_util_num(l, "used"), json_util_num(l, "ports"),
		json_util_num(l, "free"), json_util_num(l, "first"),
		json_util_num(l, "last"));
	page_line("            ", l, "conflict", out);
}

/* The last change: a line if it needed stages or blocking, and its
 * consequences. */
static void
status_change(const json_t *c, struct buf *out)
{
	if (json_util_has_text(c, "cause"))
		buf_printf(out,
			"change      %s in %lld stage%s, %zu dependencies "
			"blocked, %lld pairs cut meanwhile\n",
			page_text(c, "kind"), json_util_num(c, "stages"),
			names_plural(json_util_num(c, "stages")),
			json_array_size(json_object_get(c, "blocked")),
			json_util_num(c, "pairs_cut"));
	if (json_util_num(c, "stay_blocked") > 0)
		buf_printf(out,
			"            %lld dependencies stay blocked for "
			"connections made with earlier SLs\n",
			json_util_num(c, "stay_blocked"));
	if (json_util_num(c, "mismatched_ports") > 0)
		buf_printf(out,
			"            %lld ports run below the MTU or VLs that "
			"both ends support, and were not bounced for it\n",
			json_util_num(c, "mismatched_ports"));
}

/* Ports that do not take what they are sent; what they lack of what traffic
 * needs is an alarm besides. */
static void
status_settings(const json_t *r, struct buf *out)
{
	const json_t *s = json_object_get(r, "settings");
	long long n = json_util_num(s, "ports");

	if (n > 0)
		buf_printf(out,
			"settings    %lld port%s keep%s other settings than "
			"configured\n            %s\n",
			n, names_plural(n), n == 1 ? "s" : "",
			page_text(s, "first"));
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
		buf_printf(out, "            %sport %lld of %s \"%s\"\n", what,
			json_util_num(p, "port"), page_text(p, "guid"),
			page_text(p, "name"));
		left--;
	}
	if (left > 0)
		buf_printf(out, "            and %lld more\n", left);
}

/* Ports that cannot be written for want of their M_Key. */
static void
status_m_keys(const json_t *r, struct buf *out)
{
	const json_t *m = json_object_get(r, "m_keys");
	long long n = json_util_num(m, "unknown");

	if (n > 0) {
		buf_printf(out,
			"M_Keys      %lld port%s not written: %s M_Key is not "
			"known\n",
			n, names_plural(n), n == 1 ? "its" : "their");
		m_key_ports(m, false, "", out);
	}
	n = json_util_num(m, "silent");
	if (n > 0) {
		buf_printf(out,
			"M_Keys      %lld node%s that %s not answer: a hang, "
			"or an M_Key that is not known\n",
			n, names_plural(n), n == 1 ? "does" : "do");
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
		buf_printf(out,
			"blocked     %lld dependencies, %lld pairs lose "
			"packets",
			json_util_num(h, "dependencies"),
			json_util_num(h, "pairs"));
		if (json_is_real(json_object_get(h, "left")))
			buf_printf(out, ", alarm in %.0f s",
				json_util_real(h, "left"));
		buf_printf(out, "\n");
	}
	if (json_util_num(s, "untrue_blocks") + json_util_num(s, "altered") +
			json_util_num(s, "altered_key_tables") +
			json_util_num(s, "rows_freed") >
		0)
		buf_printf(out,
			"drift       %lld acknowledged but not held, %lld "
			"tables and %lld P_Key tables modified, %lld "
			"dependencies blocked by others\n",
			json_util_num(s, "untrue_blocks"),
			json_util_num(s, "altered"),
			json_util_num(s, "altered_key_tables"),
			json_util_num(s, "rows_freed"));
}

/* What traps reported: link errors, and packets with wrong keys. */
static void
status_faults(const json_t *r, struct buf *out)
{
	const json_t *f = json_object_get(r, "faults");

	if (!json_util_has_text(f, "last"))
		return;
	buf_printf(out,
		"faults      reported: %lld by links, %lld M_Keys, %lld "
		"P_Keys, %lld Q_Keys; last: %s\n",
		json_util_num(f, "link_errors") +
			json_util_num(f, "buffer_overruns") +
			json_util_num(f, "flow_control"),
		json_util_num(f, "m_key"),
		json_util_num(f, "p_key") + json_util_num(f, "switch_p_key"),
		json_util_num(f, "q_key"), page_text(f, "last"));
}

static void
status_tree(const json_t *r, struct buf *out)
{
	const json_t *tree = json_object_get(r, "tree");
	size_t shown = json_array_size(json_object_get(tree, "first"));

	show_tiers(tree, out);
	if (json_util_num(tree, "irregularities") > (long long)shown)
		buf_printf(out, "            list all: heddlectl tree\n");
}

static void
status_redundancy(const json_t *r, struct buf *out)
{
	const json_t *redundancy = json_object_get(r, "multi_port");

	if (json_is_null(redundancy))
		buf_printf(out, "redundancy  being counted\n");
	show_redundancy(redundancy, out);
	if (json_util_num(redundancy, "single_points") > 0)
		buf_printf(out, "            list them: heddlectl tree --list "
				"multi-port\n");
}

/* The exception to the verdict on the routes. */
static void
status_except(const json_t *verdict, const char *margin, struct buf *out)
{
	long long n = json_util_num(verdict, "except");

	if (n > 0)
		buf_printf(out,
			"%sexcept for %lld switch%s, which may not forward by "
			"these routes\n",
			margin, n, names_plural_es(n));
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
	const json_t *t = json_object_get(r, "times");
	const json_t *c = json_object_get(r, "counts");

	if (json_util_has_text(r, "order"))
		buf_printf(out, "routing     %s%s%s, %s\n",
			page_text(r, "engine"),
			json_util_yes(r, "fallback") ? " (FALLBACK)" : "",
			page_order(r).s, page_layers(v).s);
	else
		buf_printf(out, "routing     %s\n", READ_BACK);
	page_line("            ", r, "tried", out);
	page_line("            ", r, "layers_short", out);
	page_line("            ", r, "layers_shared", out);
	buf_printf(out,
		"verified    %lld pairs, %lld missing, %lld loops, %lld "
		"cyclic channels\n",
		json_util_num(v, "pairs"), json_util_num(v, "unreachable"),
		json_util_num(v, "loops"), json_util_num(v, "cyclic_channels"));
	status_except(v, "            ", out);
	status_unwritten(json_object_get(r, "m_keys"), out);
	status_change(json_object_get(r, "change"), out);
	buf_printf(out,
		"last run    %.3f s: discover %.3f, readback %.3f, route "
		"%.3f, push %.3f; %lld SMPs, %lld LFT blocks\n",
		json_util_real(t, "total"), json_util_real(t, "discover"),
		json_util_real(t, "readback"), json_util_real(t, "route"),
		json_util_real(t, "push"), json_util_num(c, "smps"),
		json_util_num(c, "lft_blocks"));
}

/* Of the counters of ports, where they are read. */
static void
status_health(const json_t *h, struct buf *out)
{
	long long bad = json_util_num(h, "bad");

	if (!json_util_yes(h, "enabled"))
		return;
	buf_printf(out,
		"health      %lld of %lld ports read in %.1f s, %lld bad "
		"link%s",
		json_util_num(h, "read"), json_util_num(h, "ports"),
		json_util_real(h, "pass_seconds"), bad, names_plural(bad));
	show_acted(h, out);
	buf_printf(out, "%s\n", bad > 0 ? "; list: heddlectl links --bad" : "");
}

/* What was there before and is not, links that could be faster, and that are
 * bad. */
static void
status_links(const json_t *r, struct buf *out)
{
	const json_t *m = json_object_get(r, "missing");
	const json_t *d = json_object_get(r, "degraded");
	long long nodes = json_util_num(m, "nodes");
	long long links = json_util_num(m, "links");
	long long slow = json_util_num(d, "links");

	if (nodes + links > 0) {
		buf_printf(out,
			"missing     %lld node%s, %lld link%s that were there "
			"before; list all: heddlectl links\n",
			nodes, names_plural(nodes), links, names_plural(links));
		show_missing(m, out);
	}
	if (slow > 0) {
		buf_printf(out,
			"degraded    %lld link%s below the width or speed that "
			"both ends support\n",
			slow, names_plural(slow));
		show_degraded(d, out);
	}
	status_health(json_object_get(r, "health"), out);
}

static void
status_wire(const json_t *r, struct buf *out)
{
	const json_t *w = json_object_get(r, "wire");

	buf_printf(out,
		"wire        window %lld, %lld in flight, %lld sent (%lld by "
		"LID%s), %lld retried, %lld timeouts, %lld late, %lld alien\n",
		json_util_num(w, "window"), json_util_num(w, "in_flight"),
		json_util_num(w, "sent"), json_util_num(w, "by_lid"),
		json_is_true(json_object_get(w, "directed_only"))
			? ": never answered, all are directed now"
			: "",
		json_util_num(w, "retried"), json_util_num(w, "timeouts"),
		json_util_num(w, "late"), json_util_num(w, "alien"));
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
status_drains(const json_t *d, struct buf *out)
{
	if (json_util_num(d, "all") > 0)
		buf_printf(out,
			"drained     %lld: %lld clear, %lld pending, %lld "
			"still used, %lld absent; list: heddlectl drains\n",
			json_util_num(d, "all"), json_util_num(d, "clear"),
			json_util_num(d, "pending"), json_util_num(d, "used"),
			json_util_num(d, "absent"));
}

static void
status_trouble(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "quarantined");
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e) buf_printf(out,
		"quarantine  %s \"%s\" %s\n", page_text(e, "guid"),
		page_text(e, "name"), page_text(e, "why"));
	list = json_object_get(r, "foreign_adaptive");
	json_array_foreach(list, i, e) buf_printf(out,
		"unverified  %s \"%s\" %s\n", page_text(e, "guid"),
		page_text(e, "name"), page_text(e, "why"));
	list = json_object_get(r, "unreachable_ports");
	json_array_foreach(list, i, e) buf_printf(out,
		"unreachable %s port %lld \"%s\"\n", page_text(e, "guid"),
		json_util_num(e, "port"), page_text(e, "name"));
}

static void
status_partitions(const json_t *p, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(p, "list"), i, e) buf_printf(out,
		"partition   %s 0x%04llx: %lld ports, %lld of them "
		"full members\n",
		page_text(e, "name"), json_util_num(e, "pkey"),
		json_util_num(e, "ports"), json_util_num(e, "full"));
	json_array_foreach(json_object_get(p, "nobody"), i, e)
		buf_printf(out, "            %s: no port matches \"%s\"\n",
			page_text(e, "partition"), page_text(e, "member"));
	page_line("            ", p, "no_room", out);
}

static void
put_numbers(const json_t *list, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e) buf_printf(
		out, "%s%lld", i > 0 ? " " : "", json_integer_value(e));
}

static void
status_qos(const json_t *q, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(q, "levels"), i, e)
	{
		const json_t *w = json_object_get(e, "weight");

		buf_printf(out, "QoS level   %s: SL ", page_text(e, "name"));
		put_numbers(json_object_get(e, "sls"), out);
		buf_printf(out,
			", %s priority, weight %lld hosts, %lld "
			"switches\n",
			page_text(e, "priority"), json_util_num(w, "hosts"),
			json_util_num(w, "switches"));
	}
	if (i > 0 && json_util_num(q, "missing") > 0)
		buf_printf(out, "            %lld ports lack their tables\n",
			json_util_num(q, "missing"));
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
		buf_printf(out, "level  %s: SL %lld", page_text(e, "name"),
			json_util_num(e, "sl"));
		if (json_array_size(json_object_get(e, "vls")) > 0)
			buf_printf(out, ", VL ");
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
		status_tree(r, out);
		status_redundancy(r, out);
		status_routes(r, out);
		adaptive_json_show(json_object_get(r, "adaptive"), out);
		status_partitions(json_object_get(r, "partitions"), out);
		status_qos(json_object_get(r, "qos"), out);
	}
	status_settings(r, out);
	status_m_keys(r, out);
	status_blocked(r, out);
	status_wire(r, out);
	status_files(r, out);
	status_drains(json_object_get(r, "drains"), out);
	show_verify_status(json_object_get(r, "expected"), out);
	status_trouble(r, out);
	status_faults(r, out);
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
	const json_t *port = json_object_get(e, "out");
	const json_t *next = json_object_get(e, "next");

	if (!json_is_integer(port))
		buf_printf(out, "  drop");
	else
		buf_printf(out, "%6lld", json_util_num(e, "out"));
	if (json_is_object(next))
		buf_printf(out, "  -> %s port %lld", page_text(next, "name"),
			json_util_num(next, "port"));
}

/* A switch's place in the order, if that is known. */
static void
put_rank(const json_t *r, struct buf *out)
{
	if (json_object_get(r, "rank") != NULL)
		buf_printf(out, " rank %lld", json_util_num(r, "rank"));
}

/* The switches of a path, and the link by which it leaves each. */
static void
put_steps(const json_t *r, const json_t *steps, struct buf *out)
{
	const json_t *s;
	size_t i;

	json_array_foreach(steps, i, s)
	{
		buf_printf(out, "%4zu   %s \"%s\"", i + 1,
			page_text(s, "switch"), page_text(s, "name"));
		put_rank(s, out);
		buf_printf(out, " in %lld", json_util_num(s, "in"));
		if (json_util_has_text(s, "direction"))
			buf_printf(out, " %s", page_text(s, "direction"));
		buf_printf(out, " out");
		put_out(s, out);
		if (json_util_has_text(s, "width"))
			buf_printf(out, "  %s %s %g Gb/s",
				page_text(s, "width"), page_text(s, "speed"),
				json_util_real(s, "gbps"));
		if (json_object_get(s, "load") != NULL)
			buf_printf(out, ", load %lld (mean %.1f)",
				json_util_num(s, "load"),
				json_util_real(r, "load_mean"));
		if (json_util_num(s, "drained") > 0)
			buf_printf(out, ", %lld link%s drained",
				json_util_num(s, "drained"),
				names_plural(json_util_num(s, "drained")));
		buf_printf(out, "\n");
		page_line("       may leave by another port: it ", s,
			"foreign_adaptive", out);
		adaptive_json_show_step(s, out);
	}
}

static void
path_why(const json_t *r, struct buf *out)
{
	if (!json_util_has_text(r, "order")) {
		buf_printf(out, "why    %s\n", READ_BACK);
		return;
	}
	if (strcmp(page_text(r, "order"), "none") == 0) {
		buf_printf(out, "why    engine %s, no order of switches\n",
			page_text(r, "engine"));
		return;
	}
	buf_printf(out,
		"why    engine %s, order %s: a path climbs to lower ranks "
		"first and then only descends%s%s\n",
		page_text(r, "engine"), page_text(r, "order"),
		json_util_has_text(r, "turn_leaf")
			? "; a path may descend and climb again only below "
			: "",
		json_util_has_text(r, "turn_leaf") ? page_text(r, "turn_leaf")
						   : "");
}

static void
routes_path(const json_t *r, struct buf *out)
{
	const json_t *steps = json_object_get(r, "steps");
	const json_t *back = json_object_get(r, "back");
	const json_t *from = json_object_get(r, "from");
	const json_t *to = json_object_get(r, "to");

	buf_printf(out, "from   %s port %lld LID %lld \"%s\"\n",
		page_text(from, "guid"), json_util_num(from, "port"),
		json_util_num(from, "lid"), page_text(from, "name"));
	put_steps(r, steps, out);
	buf_printf(out, "to     %s port %lld LID %lld \"%s\"\n",
		page_text(to, "guid"), json_util_num(to, "port"),
		json_util_num(to, "lid"), page_text(to, "name"));
	if (json_array_size(back) > 0) {
		buf_printf(out, "back\n");
		put_steps(r, back, out);
	}
	put_qos_levels(json_object_get(r, "levels"), out);
	path_why(r, out);
	page_line("       ", r, "note", out);
}

static void
routes_column(const json_t *r, struct buf *out)
{
	const json_t *to = json_object_get(r, "to");
	const json_t *list = json_object_get(r, "entries");
	size_t width = names_column(list);
	const json_t *e;
	size_t i;

	buf_printf(out, "to %s port %lld LID %lld \"%s\"\n",
		page_text(to, "guid"), json_util_num(to, "port"),
		json_util_num(to, "lid"), page_text(to, "name"));
	buf_printf(
		out, "%-18s  %-*s  %4s\n", "SWITCH", (int)width, "NAME", "OUT");
	json_array_foreach(list, i, e)
	{
		buf_printf(out, "%-18s  ", page_text(e, "switch"));
		terminal_put_padded(page_text(e, "name"), width, out);
		put_out(e, out);
		buf_printf(out, "\n");
	}
}

static void
routes_row(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "entries");
	size_t width = names_column(list);
	const json_t *e;
	size_t i;

	buf_printf(out, "switch %s \"%s\"", page_text(r, "switch"),
		page_text(r, "name"));
	put_rank(r, out);
	buf_printf(out, "\n");
	buf_printf(out, "%5s  %-18s  %-*s  %4s\n", "LID", "GUID", (int)width,
		"OWNER", "OUT");
	json_array_foreach(list, i, e)
	{
		buf_printf(out, "%5lld  %-18s  ", json_util_num(e, "lid"),
			page_text(e, "guid"));
		terminal_put_padded(page_text(e, "name"), width, out);
		put_out(e, out);
		buf_printf(out, "\n");
	}
}

static void
summary_engine(const json_t *r, struct buf *out)
{
	if (!json_util_has_text(r, "order")) {
		buf_printf(out, "engine    %s, generation %lld\n", READ_BACK,
			json_util_num(r, "generation"));
		return;
	}
	buf_printf(out, "engine    %s%s, order %s, %s, generation %lld\n",
		page_text(r, "engine"),
		json_util_yes(r, "fallback") ? " (FALLBACK)" : "",
		page_text(r, "order"), page_layers(r).s,
		json_util_num(r, "generation"));
}

static void
summary_ranks(const json_t *ranks, struct buf *out)
{
	const json_t *e;
	size_t i;

	if (json_array_size(ranks) == 0)
		return;
	buf_printf(out, "ranks    ");
	json_array_foreach(ranks, i, e) buf_printf(out, " %lld:%lld",
		json_util_num(e, "rank"), json_util_num(e, "switches"));
	buf_printf(out, " (rank:switches, top first)\n");
}

static void
routes_summary(const json_t *r, struct buf *out)
{
	const json_t *busy = json_object_get(r, "busiest");

	summary_engine(r, out);
	page_line("          ", r, "note", out);
	page_line("tried     ", r, "tried", out);
	summary_ranks(json_object_get(r, "ranks"), out);
	buf_printf(out,
		"verified  %lld pairs, %lld missing, %lld cut off, %lld "
		"loops, %lld cyclic channels\n",
		json_util_num(r, "pairs"), json_util_num(r, "unreachable"),
		json_util_num(r, "cut_off"), json_util_num(r, "loops"),
		json_util_num(r, "cyclic_channels"));
	status_except(r, "          ", out);
	buf_printf(out, "load      highest %lld, mean %.1f",
		json_util_num(r, "load_max"), json_util_real(r, "load_mean"));
	if (json_is_object(busy))
		buf_printf(out, "; busiest %s port %lld",
			page_text(busy, "name"), json_util_num(busy, "port"));
	buf_printf(out, "\nhops      longest %lld, mean %.2f\n",
		json_util_num(r, "hops_max"), json_util_real(r, "hops_mean"));
	buf_printf(out,
		"entries   %lld kept, %lld changed; top LID %lld; %lld "
		"switches reranked\n",
		json_util_num(r, "entries_kept"),
		json_util_num(r, "entries_changed"), json_util_num(r, "top"),
		json_util_num(r, "reranked"));
}

void
show_routes(const json_t *r, struct buf *out)
{
	if (json_object_get(r, "wait_generation") != NULL)
		buf_printf(out,
			"Rebalance requested (heddlectl status "
			"--wait-generation %lld waits for it)\n",
			json_util_num(r, "wait_generation"));
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
	buf_printf(out,
		"Sweep requested (heddlectl status --wait-sweep %lld waits "
		"for it)\n",
		json_util_num(r, "wait_sweep"));
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
	const json_t *to = json_object_get(r, "master");

	buf_printf(out, "Handed over to %s \"%s\", priority %lld\n",
		page_text(to, "guid"), page_text(to, "name"),
		json_util_num(to, "priority"));
}

/* ---- explain ---- */

static void
explain_phases(const json_t *r, struct buf *out)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(r, "phases"), i, p)
	{
		buf_printf(out, "%4zu   %s", i + 1, page_text(p, "what"));
		if (json_util_num(p, "stage") > 0 &&
			json_util_num(r, "stages") > 1)
			buf_printf(
				out, ", stage %lld", json_util_num(p, "stage"));
		buf_printf(out, ": %lld SMPs%s\n", json_util_num(p, "smps"),
			json_util_yes(p, "drain") ? ", after a drain" : "");
	}
}

static void
explain_blocked(const json_t *r, struct buf *out)
{
	const json_t *u;
	size_t i;

	json_array_foreach(json_object_get(r, "blocked"), i, u)
	{
		buf_printf(out, "%s %s \"%s\" port %lld",
			json_util_yes(u, "port") ? "down   " : "blocked",
			page_text(u, "switch"), page_text(u, "name"),
			json_util_num(u, "in"));
		if (!json_util_yes(u, "port"))
			buf_printf(out, " to %lld", json_util_num(u, "out"));
		buf_printf(out, ", used by %lld pair%s\n",
			json_util_num(u, "pairs"),
			names_plural(json_util_num(u, "pairs")));
	}
}

static void
explain_port(const json_t *p, struct buf *out)
{
	const json_t *k;
	size_t i;

	buf_printf(out, "port       %s \"%s\" port %lld, LID %lld%s\n",
		page_text(p, "guid"), page_text(p, "name"),
		json_util_num(p, "port"), json_util_num(p, "lid"),
		json_util_yes(p, "guarded") ? "; its switch enforces partitions"
					    : "");
	json_array_foreach(json_object_get(p, "keys"), i, k) buf_printf(out,
		"%4lld   0x%04llx %s member of %s%s\n",
		json_util_num(k, "index"), json_util_num(k, "pkey"),
		json_util_yes(k, "full") ? "full" : "limited",
		json_util_has_text(k, "partition") ? page_text(k, "partition")
						   : "an unknown partition",
		json_util_yes(k, "configured") ? "" : ", not as configured");
}

void
show_pkeys(const json_t *r, struct buf *out)
{
	const json_t *to = json_object_get(r, "to");

	explain_port(json_object_get(r, "from"), out);
	if (to == NULL)
		return;
	explain_port(to, out);
	buf_printf(out, "%s %s\n",
		json_util_yes(r, "talk") ? "may talk  " : "may not   ",
		page_text(r, "why"));
}

void
show_change(const json_t *r, struct buf *out)
{
	buf_printf(out, "change     of generation %lld: %s\n",
		json_util_num(r, "generation"), page_text(r, "because"));
	buf_printf(out,
		"method     %s: %s, %lld stage%s; %lld entries in %lld blocks, "
		"%lld blocks kept; %lld SMPs, %.3f s\n",
		page_text(r, "method"), page_text(r, "kind"),
		json_util_num(r, "stages"),
		names_plural(json_util_num(r, "stages")),
		json_util_num(r, "entries"), json_util_num(r, "blocks"),
		json_util_num(r, "kept"), json_util_num(r, "smps"),
		json_util_real(r, "push"));
	buf_printf(out,
		"mixture    %lld dependencies of old and new tables together, "
		"%lld channels on cycles, %lld switches with unknown tables\n",
		json_util_num(r, "dependencies"), json_util_num(r, "cyclic"),
		json_util_num(r, "unread"));
	page_line("because    ", r, "cause", out);
	page_line("ports down ", r, "ports_down", out);
	if (json_util_has_text(r, "stale"))
		buf_printf(out,
			"stale      connections made with earlier SLs could "
			"close a cycle with these tables\n"
			"           %s\n"
			"           %lld dependencies stay blocked for them "
			"until their ports come up anew\n",
			page_text(r, "stale"),
			json_util_num(r, "stay_blocked"));
	if (json_util_num(r, "pairs_cut") > 0 ||
		json_util_num(r, "pairs_cut_paper") > 0)
		buf_printf(out,
			"cut        %lld pairs meanwhile; blocking all newly "
			"forbidden dependencies would have cut %lld\n",
			json_util_num(r, "pairs_cut"),
			json_util_num(r, "pairs_cut_paper"));
	explain_phases(r, out);
	explain_blocked(r, out);
	loss_show(json_object_get(r, "expected"), out);
}
