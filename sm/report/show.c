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

/* The numbers in a list, with blanks between them. */
#define NUMBERS(list) "%(" list ")*{%(#)?{ }%()d}"

/* Of routes without an order, which a standby read. */
#define READ_BACK "as switches hold it, judged as if all packets had one VL"

/* The exception to the verdict on the routes. */
#define EXCEPT                                                                 \
	"except for %(except)d switch%(except)[|es], which may not forward "   \
	"by these routes\n"

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
		bool told = json_util_yes(o, "answers") && s >= 0 && s < 4;

		if (strcmp(json_util_text(o, "guid"), master) == 0)
			continue;
		page_print(out, o, "other SM    %(guid)s \"%(name)s\" ");
		page_print(out, o,
			told ? "priority %(priority)d, " : "does not answer");
		buf_printf(out, "%s\n", told ? state[s] : "");
	}
}

static void
status_head(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"%(alarm)?{ALARM       %(alarm)s\n}role        %(role)s");
	if (strcmp(json_util_text(r, "phase"), json_util_text(r, "role")) != 0)
		page_print(out, r, ", %(phase)s");
	page_print(out, r,
		"%(writing)?{ %(writing)s}"
		"%(dirty)[, more pending|]\n"
		"port        %(port.device)s/%(port.port)d %(port.guid)s "
		"priority %(port.priority)d\n"
		"%(master)?{master      %(master.guid)s \"%(master.name)s\" "
		"priority %(master.priority)d\n}");
	status_others(r, out);
	page_print(out, r,
		"sweeps      %(sweeps.full)d full, %(sweeps.light)d light, "
		"%(sweeps.probes)d probes; "
		"%(sweeps.last_ok)?{last run ok}%(sweeps.last_ok)!{"
		"%(sweeps.last_why)?{last run failed: %(sweeps.last_why)s}"
		"%(sweeps.last_why)!{no run has ended yet}}\n");
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
		"%(lids.free)d free of %(lids.first)d-%(lids.last)d\n"
		"%(lids.conflict)?{            %(lids.conflict)s\n}");
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
	const json_t *s = json_object_get(r, "sweeps");

	page_print(out, json_object_get(r, "blocked"),
		"%(dependencies)?{blocked     %(dependencies)d dependencies, "
		"%(pairs)d pairs lose packets%(left)&{, alarm in %(left).0f s}"
		"\n}");
	if (json_util_num(s, "differing_blocks") + json_util_num(s, "altered") +
			json_util_num(s, "altered_key_tables") +
			json_util_num(s, "rows_freed") >
		0)
		page_print(out, s,
			"drift       %(differing_blocks)d acknowledged but not "
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
status_tree(const json_t *r, struct buf *out)
{
	const json_t *tree = json_object_get(r, "tree");
	const json_t *redundancy = json_object_get(r, "multi_port");
	size_t shown = json_array_size(json_object_get(tree, "first"));

	show_tiers(tree, out);
	if (json_util_num(tree, "irregularities") > (long long)shown)
		buf_printf(out, "            list all: heddlectl tree\n");
	if (json_is_null(redundancy))
		buf_printf(out, "redundancy  being counted\n");
	show_redundancy(redundancy, out);
	page_print(out, redundancy,
		"%(single_points)?{            list them: heddlectl tree "
		"--list "
		"multi-port\n}");
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
			"routing     %(engine)s%(fallback)[ "
			"(FALLBACK)|]" PAGE_ORDER);
		buf_printf(out, ", %s\n", page_layers(v).s);
	} else {
		buf_printf(out, "routing     " READ_BACK "\n");
	}
	page_print(out, r,
		"%(tried)?{            %(tried)s\n}"
		"%(layers_short)?{            %(layers_short)s\n}"
		"%(layers_shared)?{            %(layers_shared)s\n}");
	page_print(out, v,
		"verified    %(pairs)d pairs, %(unreachable)d missing, "
		"%(loops)d loops, %(cyclic_channels)d cyclic channels\n"
		"%(except)?{            " EXCEPT "}");
	status_unwritten(json_object_get(r, "m_keys"), out);
	page_print(out, json_object_get(r, "change"),
		"%(cause)?{change      %(kind)s in %(stages)d "
		"stage%(stages)[|s], %(blocked)n dependencies blocked, "
		"%(pairs_cut)d pairs cut meanwhile\n}"
		"%(stay_blocked)?{            %(stay_blocked)d dependencies "
		"stay blocked for connections made with earlier SLs\n}"
		"%(mismatched_ports)?{            %(mismatched_ports)d ports "
		"run below the MTU or VLs that both ends support, and were not "
		"bounced for it\n}");
	page_print(out, r,
		"last run    %(times.total).3f s: discover "
		"%(times.discover).3f, readback %(times.readback).3f, route "
		"%(times.route).3f, push %(times.push).3f; %(counts.smps)d "
		"SMPs, %(counts.lft_blocks)d LFT blocks\n");
}

/* What was there before and is not, links that could be faster, and that are
 * bad. */
static void
status_links(const json_t *r, struct buf *out)
{
	const json_t *m = json_object_get(r, "missing");
	const json_t *d = json_object_get(r, "degraded");
	const json_t *h = json_object_get(r, "health");

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
	page_print(out, h,
		"%(enabled)?{health      %(read)d of %(ports)d ports read in "
		"%(pass_seconds).1f s, %(bad)d bad link%(bad)[|s]" SHOW_ACTED
		"}");
}

/* The configuration and state files, if one of them was refused or lost. */
static void
status_files(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"wire        window %(wire.window)d, %(wire.in_flight)d in "
		"flight, %(wire.sent)d sent (%(wire.by_lid)d by "
		"LID%(wire.directed_only)[: never answered, all are directed "
		"now|]), %(wire.retried)d retried, %(wire.timeouts)d timeouts, "
		"%(wire.late)d late, %(wire.alien)d alien\n"
		"%(config.refused)?{config      REFUSED, the previous one "
		"stays in force: %(config.refused)s\n}"
		"%(state_writable)!{state       CANNOT BE WRITTEN: LIDs may "
		"change at the next restart\n}"
		"%(state_lost)?{state       NOT USED: %(state_lost)s\n}"
		"%(events_unwritten)?{events      NOT WRITTEN, kept in memory: "
		"%(events_unwritten)s\n}"
		"%(record_trouble)?{recording   HAS A GAP, no replay goes past "
		"it: %(record_trouble)s\n}"
		"%(drains.all)?{drained     %(drains.all)d: %(drains.clear)d "
		"clear, %(drains.pending)d pending, %(drains.used)d still "
		"used, %(drains.absent)d absent; list: heddlectl drains\n}");
}

static void
status_sharing(const json_t *r, struct buf *out)
{
	const json_t *q = json_object_get(r, "qos");

	page_print(out, json_object_get(r, "partitions"),
		"%(list)*{partition   %(name)s %(pkey)x: %(ports)d ports, "
		"%(full)d of them full members\n}"
		"%(nobody)*{            %(partition)s: no port matches "
		"\"%(member)s\"\n}"
		"%(no_room)?{            %(no_room)s\n}");
	page_print(out, q,
		"%(levels)*{QoS level   %(name)s: SL " NUMBERS(
			"sls") ", %(priority)s priority, weight "
			       "%(weight.hosts)d hosts, "
			       "%(weight.switches)d switches\n}");
	page_print(out, q,
		"%(levels)?{%(missing)?{            %(missing)d ports lack "
		"their tables\n}}%(shortage)?{            %(shortage)s\n}");
}

void
show_status(const json_t *r, struct buf *out)
{
	status_head(r, out);
	if (json_util_num(r, "generation") > 0) {
		status_fabric(r, out);
		status_links(r, out);
		status_tree(r, out);
		status_routes(r, out);
		adaptive_json_show(json_object_get(r, "adaptive"), out);
		status_sharing(r, out);
	}
	/* what ports lack of what traffic needs is an alarm besides */
	page_print(out, json_object_get(r, "settings"),
		"%(ports)?{settings    %(ports)d port%(ports)[|s] "
		"keep%(ports)[s|] other settings than configured\n"
		"            %(first)s\n}");
	status_m_keys(json_object_get(r, "m_keys"), out);
	status_blocked(r, out);
	status_files(r, out);
	show_verify_status(json_object_get(r, "expected"), out);
	page_print(out, r,
		"%(quarantined)*{quarantine  %(guid)s \"%(name)s\" %(why)s\n}"
		"%(foreign_adaptive)*{unverified  %(guid)s \"%(name)s\" "
		"%(why)s\n}"
		"%(unreachable_ports)*{unreachable %(guid)s port %(port)d "
		"\"%(name)s\"\n}");
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

/* By which port an entry leads, and where to. */
#define OUT                                                                    \
	"%(out)&{%(out)6d}%(out)~{  drop}"                                     \
	"%(next)?{  -> %(next.name)s port %(next.port)d}"

/* A switch's place in the order, if that is known. */
#define RANK "%(rank)&{ rank %(rank)d}"

/* An end of a path. */
#define END(of)                                                                \
	"%(" of ".guid)s port %(" of ".port)d LID %(" of ".lid)d "             \
	"\"%(" of ".name)s\"\n"

/* The switches of a path, and the link by which it leaves each. */
static void
put_steps(const json_t *r, const char *which, struct buf *out)
{
	const json_t *s;
	size_t i;

	json_array_foreach(json_object_get(r, which), i, s)
	{
		buf_printf(out, "%4zu", i + 1);
		page_print(out, s,
			"   %(switch)s \"%(name)s\"" RANK
			" in %(in)d%(direction)?{ %(direction)s} out" OUT
			"%(width)?{  %(width)s %(speed)s %(gbps)g Gb/s}"
			"%(load)&{, load %(load)d}");
		if (json_object_get(s, "load") != NULL)
			page_print(out, r, " (mean %(load_mean).1f)");
		page_print(out, s,
			"%(drained)?{, %(drained)d link%(drained)[|s] drained}"
			"\n%(foreign_adaptive)?{       may leave by another "
			"port: it %(foreign_adaptive)s\n}");
		adaptive_json_show_step(s, out);
	}
}

static void
routes_path(const json_t *r, struct buf *out)
{
	page_print(out, r, "from   " END("from"));
	put_steps(r, "steps", out);
	page_print(out, r, "to     " END("to") "%(back)?{back\n}");
	put_steps(r, "back", out);
	page_print(out, r,
		"%(levels)*{level  %(name)s: SL %(sl)d"
		"%(vls)?{, VL " NUMBERS(
			"vls") "}\n}"
			       "why    %(order)!{" READ_BACK "}"
			       "%(order=none)?{engine %(engine)s, no order of "
			       "switches}");
	if (json_util_has_text(r, "order"))
		page_print(out, r,
			"%(order=none)!{engine %(engine)s, order %(order)s: a "
			"path climbs to lower ranks first and then only "
			"descends%(turn_leaf)?{; a path may descend and climb "
			"again only below %(turn_leaf)s}}");
	page_print(out, r, "\n%(note)?{       %(note)s\n}");
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
		page_print(out, e, OUT "\n");
	}
}

static void
routes_table(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "entries");
	size_t width = names_column(list);

	if (json_is_object(json_object_get(r, "to"))) {
		page_print(out, r, "to " END("to"));
		buf_printf(out, "%-18s  %-*s  %4s\n", "SWITCH", (int)width,
			"NAME", "OUT");
		put_entries(list, "%(switch)-18s  ", width, out);
	} else {
		page_print(out, r, "switch %(switch)s \"%(name)s\"" RANK "\n");
		buf_printf(out, "%5s  %-18s  %-*s  %4s\n", "LID", "GUID",
			(int)width, "OWNER", "OUT");
		put_entries(list, "%(lid)5d  %(guid)-18s  ", width, out);
	}
}

static void
routes_summary(const json_t *r, struct buf *out)
{
	if (json_util_has_text(r, "order")) {
		page_print(out, r,
			"engine    %(engine)s%(fallback)[ (FALLBACK)|], order "
			"%(order)s, ");
		buf_printf(out, "%s", page_layers(r).s);
	} else {
		buf_printf(out, "engine    " READ_BACK);
	}
	page_print(out, r,
		", generation %(generation)d\n"
		"%(note)?{          %(note)s\n}%(tried)?{tried     %(tried)s\n}"
		"%(ranks)?{ranks    %(ranks)*{ %(rank)d:%(switches)d} "
		"(rank:switches, top first)\n}"
		"verified  %(pairs)d pairs, %(unreachable)d missing, "
		"%(cut_off)d cut off, %(loops)d loops, %(cyclic_channels)d "
		"cyclic channels\n%(except)?{          " EXCEPT "}"
		"load      highest %(load_max)d, mean %(load_mean).1f"
		"%(busiest)?{; busiest %(busiest.name)s port "
		"%(busiest.port)d}\n"
		"hops      longest %(hops_max)d, mean %(hops_mean).2f\n"
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
	else if (json_is_array(json_object_get(r, "entries")))
		routes_table(r, out);
	else
		routes_summary(r, out);
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

#define EXPLAIN_PORT                                                           \
	"port       %(guid)s \"%(name)s\" port %(port)d, LID "                 \
	"%(lid)d%(guarded)[; its switch enforces partitions|]\n"               \
	"%(keys)*{%(index)4d   %(pkey)x %(full)[full|limited] member of "      \
	"%(partition)?{%(partition)s}%(partition)!{an unknown partition}"      \
	"%(configured)[|, not as configured]\n}"

void
show_pkeys(const json_t *r, struct buf *out)
{
	page_print(out, json_object_get(r, "from"), EXPLAIN_PORT);
	if (json_object_get(r, "to") == NULL)
		return;
	page_print(out, json_object_get(r, "to"), EXPLAIN_PORT);
	page_print(out, r, "%(talk)[may talk  |may not   ] %(why)s\n");
}

#define PHASE "%(smps)d SMPs%(drain)[, after a drain|]\n"

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
		"switches with unknown tables\n"
		"%(cause)?{because    %(cause)s\n}"
		"%(ports_down)?{ports down %(ports_down)s\n}"
		"%(stale)?{stale      connections made with earlier SLs could "
		"close a cycle with these tables\n"
		"           %(stale)s\n"
		"           %(stay_blocked)d dependencies stay blocked for "
		"them until their ports come up anew\n}");
	if (json_util_num(r, "pairs_cut") > 0 ||
		json_util_num(r, "pairs_cut_paper") > 0)
		page_print(out, r,
			"cut        %(pairs_cut)d pairs meanwhile; blocking "
			"all newly forbidden dependencies would have cut "
			"%(pairs_cut_paper)d\n");
	page_print(out, r,
		json_util_num(r, "stages") > 1
			? "%(phases)*{%(#)4d   %(what)s%(stage)?{, stage "
			  "%(stage)d}: " PHASE "}"
			: "%(phases)*{%(#)4d   %(what)s: " PHASE "}");
	page_print(out, r,
		"%(blocked)*{%(port)[down   |blocked] %(switch)s \"%(name)s\" "
		"port %(in)d%(port)!{ to %(out)d}, used by %(pairs)d "
		"pair%(pairs)[|s]\n}");
	loss_show(json_object_get(r, "expected"), out);
}
