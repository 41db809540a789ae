#include "sm/ctl/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 }; /* the longest segment of a path, or name of a label */

static const struct metrics_row rows[] = {
	{"heddle_up", false, "1 if heddled answered, else 0.", "", NULL},
	{"heddle_build_info", false, "Version of heddled.", "[version]",
		"version"},
	{"heddle_uptime_seconds", false, "Time since heddled was started.",
		"uptime", NULL},
	{"heddle_memory_bytes", false, "Resident memory of heddled.",
		"memory.resident", NULL},
	{"heddle_memory_peak_bytes", false,
		"The most resident memory of heddled since its start.",
		"memory.peak", NULL},

	/* role and state */
	{"heddle_role", false,
		"1 for the role of the daemon: discovering, standby or master.",
		"roles.*", "role"},
	{"heddle_priority", false, "SM priority of this daemon.",
		"port.priority", NULL},
	{"heddle_other_managers", false,
		"Other subnet managers seen by the last sweep.", "others",
		NULL},
	{"heddle_alarm", false, "1 while any alarm is on, else 0.", "alarm",
		NULL},
	{"heddle_alarms", false,
		"1 while this alarm of heddle-events(7) is on, else 0.",
		"alarms.[name].on", "alarm"},
	{"heddle_alarm_info", false, "The texts of all alarms that are on.",
		"[alarm]", "reason"},
	{"heddle_dirty", false, "1 while a sweep is pending.", "dirty", NULL},
	{"heddle_state_writable", false,
		"1 if LIDs can be saved for the next restart.",
		"state_writable", NULL},
	{"heddle_state_lost", false,
		"1 if the state file of a previous run could not be used.",
		"state_lost", NULL},
	{"heddle_config_reloads_total", true,
		"Reloads of the configuration, refused ones included.",
		"config.reloads", NULL},
	{"heddle_config_reloads_refused_total", true,
		"Reloads of the configuration that were refused.",
		"config.bad_reloads", NULL},
	{"heddle_config_refused", false,
		"1 if the last reload was refused and the previous "
		"configuration stays in force.",
		"config.refused", NULL},
	{"heddle_config_refused_info", false,
		"Why the last reload was refused.", "config.[refused]",
		"reason"},

	/* the view */
	{"heddle_generation", false,
		"Number of the view, the last state of the fabric that was "
		"written and acknowledged; 0 before the first.",
		"generation", NULL},
	{"heddle_view_age_seconds", false, "Time since the view was made.",
		"age", NULL},
	{"heddle_engine_info", false,
		"Engine and switch order of the routes in force.",
		"[engine,order]", "engine order"},
	{"heddle_fallback", false,
		"1 if a preferred engine could not route the fabric.",
		"fallback", NULL},
	{"heddle_fallback_info", false,
		"Why the preferred engines could not route the fabric.",
		"[tried]", "reason"},
	{"heddle_nodes", false, "Nodes of the fabric, by kind.",
		"fabric.switches|hosts|routers|aggregation", "kind"},
	{"heddle_links", false, "Links of the fabric.", "fabric.links", NULL},
	{"heddle_link_transitions_total", true,
		"Links that went down, came up, were reset or changed their "
		"rate: down, up, reset, rate.",
		"events.links.*", "transition"},
	{"heddle_node_transitions_total", true,
		"Nodes that left or came: gone, new.", "events.nodes.*",
		"transition"},
	{"heddle_missing", false,
		"Nodes and links that were there before and are not.",
		"missing.nodes|links", "kind"},
	{"heddle_deviations", false,
		"Deviations from the plan of fabric.expected, by kind, see "
		"heddlectl verify; only while there is a plan that can be "
		"used.",
		"expected.kinds.*", "kind"},
	{"heddle_links_degraded", false,
		"Links below the width or speed that both ends support.",
		"degraded.links", NULL},
	{"heddle_links_bad", false,
		"Links that are bad by their counters; only while "
		"health.enabled is true, as all heddle_health families.",
		"health.bad", NULL},
	{"heddle_health_links", false,
		"Bad links that are drained, and that are kept in use because "
		"of a limit, with health.action drain.",
		"health.drained|kept", "state"},
	{"heddle_link_verdicts_total", true,
		"Links that turned bad, or good again, and bad ones that were "
		"kept in use because of a limit: bad, good, kept.",
		"events.health.*", "verdict"},
	{"heddle_health_passes_total", true,
		"Passes in which the counters of all ports were read.",
		"health.passes", NULL},
	{"heddle_health_pass_seconds", false, "Duration of the last pass.",
		"health.pass_seconds", NULL},
	{"heddle_health_ports", false,
		"Ports with a link in the last pass, and those that were read.",
		"health.ports|read", "state"},
	{"heddle_health_ber", false,
		"The highest bit error ratio of a port in an hour: raw, before "
		"error correction, where it is known, and effective, after it.",
		"health.ber.raw|effective", "kind"},
	{"heddle_health_requests_total", true,
		"Requests for counters, by what became of them; alien: "
		"messages that answer none.",
		"health.asked|unanswered|refused|alien", "event"},
	{"heddle_ports_linked", false, "Port ends with a link.",
		"counts.ports_linked", NULL},
	{"heddle_ports_active", false, "Port ends in state Active.",
		"counts.ports_active", NULL},
	{"heddle_ports_unreachable", false,
		"Ports with a LID that are unreachable.", "unreachable", NULL},
	{"heddle_ports_mismatched", false,
		"Ports whose MTU or VLs are below what both ends support.",
		"change.mismatched_ports", NULL},
	{"heddle_ports_own_settings", false,
		"Ports that keep other settings than they were sent.",
		"settings.ports", NULL},
	{"heddle_quarantined", false,
		"Nodes in quarantine: excluded from transit.", "quarantined",
		NULL},
	{"heddle_quarantined_info", false, "A node in quarantine, and why.",
		"quarantined.[guid,name,why]", "guid name reason"},
	{"heddle_drains", false,
		"Switches and links that are drained: clear, to be pulled; "
		"pending; still used; or absent.",
		"drains.clear|pending|used|absent", "state"},
	{"heddle_drain_transitions_total", true,
		"Drains that began or ended: "
		"begun, ended.",
		"events.drains.*", "transition"},
	{"heddle_foreign_adaptive", false,
		"Switches that may not forward by the verified routes: "
		"adaptive "
		"routing, or the like, of another manager.",
		"foreign_adaptive", NULL},
	{"heddle_foreign_adaptive_info", false,
		"A switch that may not forward by the verified routes, and "
		"why.",
		"foreign_adaptive.[guid,name,why]", "guid name reason"},
	{"heddle_adaptive_switches", false,
		"Switches by adaptive routing (routing.adaptive): those that "
		"choose among ports, and those that cannot.",
		"adaptive.choosing|cannot", "kind"},
	{"heddle_adaptive_complete", false,
		"1 if all adaptive groups are written.", "adaptive.complete",
		NULL},
	{"heddle_adaptive_no_room", false,
		"Pairs of switch and destination without an adaptive group "
		"for want of room in the switch.",
		"adaptive.no_room", NULL},
	{"heddle_adaptive_narrow", false,
		"Pairs of switch and destination whose adaptive group has "
		"fewer ports than it may have, until a rebalance.",
		"adaptive.narrow", NULL},
	{"heddle_lids", false, "LIDs used and free.", "lids.used|free",
		"state"},
	{"heddle_lid_conflict", false,
		"1 if two ports claimed the same LID in the last run.",
		"lids.conflict", NULL},
	{"heddle_tree_irregularities", false,
		"Irregularities of the fabric as a tree, by kind, see "
		"heddlectl tree.",
		"tree.irregular.*", "kind"},

	{"heddle_nodes_several_ports", false,
		"Multi-port nodes: nodes with several ports, or groups of "
		"ports that stand in for each other.",
		"multi_port.nodes", NULL},
	{"heddle_nodes_single_point_of_failure", false,
		"Multi-port nodes that the failure of one switch or link cuts "
		"off from a leaf.",
		"multi_port.single_points", NULL},

	/* routes */
	{"heddle_routes_verified", false,
		"1 if the routes passed verification, on a standby those of "
		"the master; switches of heddle_foreign_adaptive may not "
		"forward by them.",
		"verified.ok", NULL},
	{"heddle_routes_pairs", false, "Pairs of switch and LID verified.",
		"verified.pairs", NULL},
	{"heddle_routes_pairs_cut_off", false,
		"Pairs of switch and LID without a physical path.",
		"verified.cut_off", NULL},
	{"heddle_routes_layers", false, "Routing layers of the routes.",
		"verified.layers", NULL},
	{"heddle_routes_vls", false,
		"VLs that routing layers take on a link between switches.",
		"verified.vls", NULL},
	{"heddle_routes_layers_shared_ports", false,
		"Ports between switches at which routing layers share VLs.",
		"layers_shared_ports", NULL},
	{"heddle_routes_load", false,
		"Load of the busiest link, as heddlectl routes has it: pairs "
		"of hosts, more on a slower link.",
		"verified.load_max", NULL},
	{"heddle_routes_hops", false,
		"Links between switches on the longest route.",
		"verified.hops_max", NULL},

	/* the last change */
	{"heddle_change_info", false,
		"How the tables of the last change were written.",
		"change.[method,kind]", "method kind"},
	{"heddle_change_entries", false,
		"Forwarding entries that the last change modified.",
		"change.entries", NULL},
	{"heddle_change_blocks", false,
		"Forwarding table blocks that the last change wrote.",
		"change.blocks", NULL},
	{"heddle_change_stages", false, "Stages of the last change.",
		"change.stages", NULL},
	{"heddle_change_smps", false, "SMPs of the last change.", "change.smps",
		NULL},
	{"heddle_change_blocked_dependencies", false,
		"Dependencies blocked during the last change.",
		"change.blocked", NULL},
	{"heddle_change_cut_pairs", false,
		"Pairs of switch and LID that lost packets because of blocked "
		"dependencies.",
		"change.pairs_cut", NULL},
	{"heddle_run_seconds", false, "Duration of the run that made the view.",
		"times.total", NULL},
	{"heddle_run_phase_seconds", false,
		"Of heddle_run_seconds, its phases; their sum is less.",
		"times.discover|readback|route|push", "phase"},
	{"heddle_run_smps", false, "SMPs sent in the run that made the view.",
		"counts.smps", NULL},
	{"heddle_run_failed_sets", false,
		"Set requests that failed in the run that made the view.",
		"counts.failed_sets", NULL},
	{"heddle_blocked_dependencies", false,
		"Dependencies that are blocked now.", "blocked.dependencies",
		NULL},
	{"heddle_blocked_pairs", false,
		"Pairs of switch and LID that lose packets because of blocked "
		"dependencies.",
		"blocked.pairs", NULL},
	{"heddle_blocked_deadline_seconds", false,
		"Time until the first blocked dependency raises an alarm; "
		"below 0 when overdue.",
		"blocked.left", NULL},

	/* work done */
	{"heddle_sweeps_total", true,
		"Sweeps of the fabric started: full "
		"ones, and light ones, which read the state of switches alone.",
		"sweeps.full|light", "kind"},
	{"heddle_probes_total", true, "Local probes triggered by traps.",
		"sweeps.probes", NULL},
	{"heddle_runs_total", true, "Runs that ended.", "sweeps.runs", NULL},
	{"heddle_runs_failed_total", true, "Runs that failed.",
		"sweeps.runs_failed", NULL},
	{"heddle_last_run_ok", false, "1 if the last run succeeded.",
		"sweeps.last_ok", NULL},
	{"heddle_plan_failures_total", true,
		"Runs that failed and left the previous tables in force.",
		"sweeps.plan_failures", NULL},
	{"heddle_pushes_stopped_total", true,
		"Pushes stopped because the fabric changed meanwhile.",
		"sweeps.pushes_stopped", NULL},
	{"heddle_blocks_checked_total", true, "Blocks read back after a push.",
		"sweeps.checked_blocks", NULL},
	{"heddle_blocks_differing_total", true,
		"Blocks read back after a push that differed from what was "
		"acknowledged.",
		"sweeps.differing_blocks", NULL},
	{"heddle_tables_altered_total", true,
		"Blocks and ports modified by something other than this "
		"daemon.",
		"sweeps.altered", NULL},
	{"heddle_pkey_tables_altered_total", true,
		"P_Key tables modified by something other than this daemon.",
		"sweeps.altered_key_tables", NULL},
	{"heddle_rows_read_total", true,
		"SL2VL rows read in search of dependencies that another subnet "
		"manager left blocked.",
		"sweeps.rows_read", NULL},
	{"heddle_rows_left", false,
		"SL2VL rows still to be read in that search.",
		"sweeps.rows_left", NULL},
	{"heddle_rows_freed_total", true,
		"SL2VL rows left blocked by another subnet manager, now "
		"unblocked.",
		"sweeps.rows_freed", NULL},
	{"heddle_adaptive_switched_off_total", true,
		"Switches on which adaptive routing, or the like, of another "
		"manager was switched off.",
		"sweeps.adaptive_off", NULL},
	{"heddle_links_lost_late_total", true,
		"Links taken for lost because answers were late.",
		"sweeps.links_lost_late", NULL},
	{"heddle_traps_total", true, "Traps received.", "traps.received", NULL},
	{"heddle_traps_repeated_total", true,
		"Of the traps received, repetitions.", "traps.repeated", NULL},
	{"heddle_traps_refused_total", true,
		"Of the traps received, those refused.", "traps.refused", NULL},
	{"heddle_traps_ours_total", true,
		"Of the traps received, those caused by our own writes.",
		"traps.ours", NULL},
	{"heddle_faults_total", true,
		"Faults that traps reported: errors of links that reached a "
		"threshold, packets with a wrong key; by kind.",
		"faults.link_errors|buffer_overruns|flow_control|m_key|p_key|"
		"q_key|switch_p_key",
		"kind"},
	{"heddle_m_key_ports", false,
		"Ports that are not written because their M_Key is not known, "
		"and links to nodes that do not answer, which may be the "
		"reason (silent).",
		"m_keys.unknown|silent", "state"},

	/* the wire */
	{"heddle_smps_sent_total", true, "SMPs sent, retries included.",
		"wire.sent", NULL},
	{"heddle_smps_retried_total", true,
		"SMPs sent again for lack of an answer.", "wire.retried", NULL},
	{"heddle_smps_by_lid_total", true, "SMPs sent LID-routed.",
		"wire.by_lid", NULL},
	{"heddle_smps_strayed_total", true,
		"LID-routed SMPs without answer, sent again by directed route.",
		"wire.strayed", NULL},
	{"heddle_smps_timeouts_total", true, "SMPs given up after all retries.",
		"wire.timeouts", NULL},
	{"heddle_smps_completed_total", true,
		"SMPs answered, by attribute and method.",
		"wire.by_attribute.*.get|set", "attribute method"},
	{"heddle_smps_in_flight", false, "SMPs waiting for an answer.",
		"wire.in_flight", NULL},
	{"heddle_smps_window", false, "SMPs that may be in flight at once.",
		"wire.window", NULL},
	{"heddle_mads_odd_total", true,
		"Messages received that were not expected or not valid, by "
		"kind.",
		"wire.late|alien|mismatched|busy|malformed|requests_refused|"
		"ring_dropped",
		"event"},

	/* subnet administration, partitions, levels */
	{"heddle_sa_requests_total", true, "Requests to subnet administration.",
		"sa.requests", NULL},
	{"heddle_sa_answers_total", true,
		"Answers of subnet administration, refusals included.",
		"sa.answers", NULL},
	{"heddle_sa_records_total", true,
		"Records in answers of subnet administration.", "sa.records",
		NULL},
	{"heddle_sa_busy_total", true, "Requests answered by busy.", "sa.busy",
		NULL},
	{"heddle_sa_refused_total", true, "Requests refused.", "sa.refused",
		NULL},
	{"heddle_sa_dropped_total", true, "Requests dropped.", "sa.dropped",
		NULL},
	{"heddle_sa_parked_total", true,
		"Requests parked until the fabric is up, or their sender "
		"known.",
		"sa.parked", NULL},
	{"heddle_sa_unanswered_total", true,
		"Parked requests that got no answer.", "sa.unanswered", NULL},
	{"heddle_sa_reports_total", true, "Reports sent to subscribers.",
		"sa.reports", NULL},
	{"heddle_sa_reports_given_up_total", true,
		"Reports that a subscriber did not acknowledge.",
		"sa.reports_given_up", NULL},
	{"heddle_sa_held", false,
		"Records that subnet administration holds, by kind.",
		"sa.services|subscriptions|groups|group_members|"
		"tables_in_progress",
		"kind"},
	{"heddle_partition_ports", false, "Ports in a partition.",
		"partitions.list.[name].ports", "partition"},
	{"heddle_partition_full_ports", false,
		"Ports that are full members of a partition.",
		"partitions.list.[name].full", "partition"},
	{"heddle_partition_nobody", false,
		"Members in the configuration that match no port.",
		"partitions.nobody", NULL},
	{"heddle_partition_no_room", false,
		"1 if a P_Key table is too small for its keys.",
		"partitions.no_room", NULL},
	{"heddle_qos_layers", false,
		"Routing layers, on each of which a level has an SL.",
		"qos.layers", NULL},
	{"heddle_qos_level_weight", false,
		"Weight of a QoS level at a class of ports, out of the sum "
		"over all levels of the priority.",
		"qos.levels.[name,priority].weight.*", "level priority ports"},
	{"heddle_qos_shortage", false,
		"1 if links have fewer VLs than the QoS levels need.",
		"qos.shortage", NULL},
	{"heddle_qos_shortage_info", false, "The VL shortage in words.",
		"qos.[shortage]", "reason"},
	{"heddle_qos_ports_short", false,
		"Ports with fewer VLs than the QoS levels need.", "qos.short",
		NULL},
	{"heddle_qos_ports_missing", false,
		"Ports whose QoS tables are not as configured.", "qos.missing",
		NULL},
	{"heddle_qos_nodes_cannot_map", false,
		"Nodes that cannot map SLs to VLs.", "qos.cannot_map", NULL},
	{"heddle_control_events_total", true,
		"The control socket: connections, requests, and errors.",
		"control.accepted|requests|malformed|refused|dropped", "event"},
};

const struct metrics_row *
metrics_all(size_t *n)
{
	*n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

/* The row that is being written. */
struct writing {
	const struct metrics_row *row;
	struct buf *out;
	size_t begin;	   /* where its text begins in out */
	struct buf labels; /* so far, such as a="x",b="y" */
	unsigned nlabels;
	bool told; /* one of the labels is not empty */
};

/* The labels before one was added, to be restored. */
struct mark {
	size_t n;
	unsigned nlabels;
	bool told;
};

static struct mark
save_labels(const struct writing *w)
{
	return (struct mark){w->labels.n, w->nlabels, w->told};
}

static void
restore_labels(struct writing *w, struct mark m)
{
	w->labels.n = m.n;
	if (w->labels.text != NULL)
		w->labels.text[m.n] = '\0';
	w->nlabels = m.nlabels;
	w->told = m.told;
}

/* Copy the segment of path before the first of ends to word; returns what
 * follows it. */
static const char *
cut_segment(const char *path, const char *ends, char word[WORD])
{
	size_t n = strcspn(path, ends);

	(void)snprintf(word, WORD, "%.*s", (int)n, path);
	return path[n] != '\0' ? path + n + 1 : path + n;
}

void
metrics_escape(const char *s, struct buf *b)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '\\' || c == '"')
			buf_printf(b, "\\%c", c);
		else if (c == '\n')
			buf_printf(b, "\\n");
		else
			buf_printf(b, "%c", c < 0x20 || c == 0x7f ? '?' : c);
	}
}

/* Add the next of the row's labels, with this value. */
static void
add_label(struct writing *w, const char *value)
{
	const char *names = w->row->labels;
	char name[WORD];

	for (unsigned i = 0; i < w->nlabels; i++)
		names = cut_segment(names, " ", name);
	(void)cut_segment(names, " ", name);
	buf_printf(&w->labels, "%s%s=\"", w->nlabels > 0 ? "," : "", name);
	metrics_escape(value, &w->labels);
	buf_printf(&w->labels, "\"");
	w->nlabels++;
	w->told |= *value != '\0';
}

static void
add_member_label(struct writing *w, const json_t *member)
{
	char number[WORD] = "";

	if (json_is_integer(member))
		(void)snprintf(number, sizeof(number), "%lld",
			(long long)json_integer_value(member));
	add_label(
		w, json_is_string(member) ? json_string_value(member) : number);
}

static double
sample_value(const json_t *j)
{
	if (json_is_real(j))
		return json_real_value(j);
	if (json_is_string(j))
		return json_string_length(j) > 0;
	if (json_is_array(j))
		return (double)json_array_size(j);
	return !json_is_false(j);
}

/* Write one sample; a second one with the same labels would invalidate the
 * page, so it is left out. */
static void
put_sample(struct writing *w, const json_t *j)
{
	struct buf key = {0};

	if (w->nlabels > 0 && !w->told)
		return;
	buf_printf(&key, "\n%s", w->row->name);
	if (w->nlabels > 0)
		buf_printf(&key, "{%s}", w->labels.text);
	buf_printf(&key, " ");
	if (w->out->n == w->begin)
		buf_printf(w->out, "# HELP %s %s\n# TYPE %s %s\n", w->row->name,
			w->row->help, w->row->name,
			w->row->counter ? "counter" : "gauge");
	if (strstr(w->out->text + w->begin, key.text) == NULL) {
		buf_put(w->out, key.text + 1, key.n - 1);
		if (json_is_integer(j))
			buf_printf(w->out, "%lld\n",
				(long long)json_integer_value(j));
		else
			buf_printf(w->out, "%.9g\n", sample_value(j));
	}
	buf_free(&key);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as a path of the table */
static void walk_path(struct writing *w, json_t *at, const char *path);

/* [x,y]: the labels are members of the element. */
static void
walk_element(
	struct writing *w, json_t *at, const char *members, const char *rest)
{
	struct mark m = save_labels(w);
	char word[WORD];

	while (*members != '\0') {
		members = cut_segment(members, ",", word);
		add_member_label(w, json_object_get(at, word));
	}
	walk_path(w, at, rest);
	restore_labels(w, m);
}

/* The label is the name of the member. */
static void
walk_named(struct writing *w, json_t *at, const char *key, const char *rest)
{
	struct mark m = save_labels(w);

	add_label(w, key);
	walk_path(w, json_object_get(at, key), rest);
	restore_labels(w, m);
}

static void
walk_path(struct writing *w, json_t *at, const char *path)
{
	char segment[2 * WORD], word[WORD];
	const char *rest = path + strcspn(path, "."), *s = segment, *key;
	json_t *member;

	if (at == NULL || json_is_null(at))
		return;
	if (*path == '\0') {
		put_sample(w, at);
		return;
	}
	(void)snprintf(
		segment, sizeof(segment), "%.*s", (int)(rest - path), path);
	rest += *rest == '.';
	if (*s == '[') {
		segment[strlen(segment) - 1] = '\0';
		if (json_is_object(at))
			walk_element(w, at, s + 1, rest);
		for (size_t i = 0; i < json_array_size(at); i++)
			walk_element(w, json_array_get(at, i), s + 1, rest);
	} else if (*s == '*') {
		json_object_foreach(at, key, member)
			walk_named(w, at, key, rest);
	} else if (strchr(s, '|') != NULL) {
		while (*s != '\0') {
			s = cut_segment(s, "|", word);
			walk_named(w, at, word, rest);
		}
	} else {
		walk_path(w, json_object_get(at, s), rest);
	}
}
/* NOLINTEND(misc-no-recursion) */

void
metrics_text(const json_t *status, struct buf *out)
{
	json_t *root = status != NULL ? json_deep_copy(status) : json_false();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct writing w = {
			.row = &rows[i], .out = out, .begin = out->n};

		walk_path(&w, root, rows[i].path);
		buf_free(&w.labels);
	}
	json_decref(root);
}
