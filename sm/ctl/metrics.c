#include "sm/ctl/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORD = 64 }; /* longest segment of a path, name of a label */

static const struct metrics_row rows[] = {
	{"heddle_up", false, "Whether heddled answered.", "", NULL},
	{"heddle_build_info", false, "Version of heddled.", "[version]",
		"version"},
	{"heddle_uptime_seconds", false, "Since heddled was started.", "uptime",
		NULL},
	{"heddle_memory_bytes", false, "Memory of heddled, now and at most.",
		"memory.resident|peak", "kind"},

	/* what it is */
	{"heddle_role_info", false,
		"What the daemon is: discovering, standby, master.", "[role]",
		"role"},
	{"heddle_priority", false, "SM priority of this daemon.",
		"port.priority", NULL},
	{"heddle_other_managers", false, "Other subnet managers seen.",
		"others", NULL},
	{"heddle_alarm", false,
		"Whether there is something that somebody should see to.",
		"alarm", NULL},
	{"heddle_alarm_info", false, "The alarm, while there is one.",
		"[alarm]", "reason"},
	{"heddle_dirty", false, "Whether something waits for the next run.",
		"dirty", NULL},
	{"heddle_state_writable", false,
		"Whether LIDs can be saved for the next start.",
		"state_writable", NULL},
	{"heddle_state_lost", false,
		"Whether the state file of an earlier life could not be used.",
		"state_lost", NULL},
	{"heddle_config_reloads_total", true,
		"Reloads of the configuration, refused ones included.",
		"config.reloads", NULL},
	{"heddle_config_reloads_refused_total", true,
		"Reloads of the configuration that were refused.",
		"config.bad_reloads", NULL},
	{"heddle_config_refused", false,
		"Whether the last reload was refused, the older configuration "
		"being in force.",
		"config.refused", NULL},
	{"heddle_config_refused_info", false,
		"Why the last reload was refused.", "config.[refused]",
		"reason"},

	/* the view */
	{"heddle_generation", false, "Number of the view; 0 before the first.",
		"generation", NULL},
	{"heddle_view_age_seconds", false, "Since the view was made.", "age",
		NULL},
	{"heddle_engine_info", false, "Whose routes these are.",
		"[engine,order]", "engine order"},
	{"heddle_fallback", false,
		"Whether another engine was asked first and could not.",
		"fallback", NULL},
	{"heddle_fallback_info", false,
		"What engines asked first could not do.", "[tried]", "reason"},
	{"heddle_nodes", false, "Nodes of the fabric.",
		"fabric.switches|hosts|routers|aggregation", "kind"},
	{"heddle_links", false, "Cables.", "fabric.links", NULL},
	{"heddle_ports_linked", false, "Port ends with a cable.",
		"counts.ports_linked", NULL},
	{"heddle_ports_active", false, "Port ends in state Active.",
		"counts.ports_active", NULL},
	{"heddle_ports_unreachable", false,
		"Ports with a LID that cannot be reached.", "unreachable",
		NULL},
	{"heddle_ports_mismatched", false,
		"Ports whose MTU or lanes are not what both ends can do.",
		"change.mismatched_ports", NULL},
	{"heddle_quarantined", false, "Nodes that are kept out.", "quarantined",
		NULL},
	{"heddle_quarantined_info", false, "A node that is kept out, and why.",
		"quarantined.[guid,name,why]", "guid name reason"},
	{"heddle_lids", false, "LIDs.", "lids.used|free", "state"},
	{"heddle_lid_conflict", false,
		"Whether ports claimed the same LID in the last run.",
		"lids.conflict", NULL},
	{"heddle_tree_oddities", false,
		"What contradicts the fabric being a tree.", "tree.odd.*",
		"kind"},

	{"heddle_nodes_several_ports", false,
		"Nodes with several ports, or groups of ports that stand in "
		"for each other.",
		"homes.nodes", NULL},
	{"heddle_nodes_single_point_of_failure", false,
		"Of these, those that one switch or cable cuts off from a "
		"leaf.",
		"homes.single_points", NULL},

	/* routes */
	{"heddle_routes_verified", false,
		"Whether the verifier found the routes right.", "verified.ok",
		NULL},
	{"heddle_routes_pairs", false,
		"Pairs of switch and LID: judged, and those that no cable "
		"joins.",
		"verified.pairs|cut_off", "kind"},
	{"heddle_routes_lanes", false, "Virtual lanes that the routes need.",
		"verified.lanes", NULL},
	{"heddle_routes_load", false, "Routes over the busiest cable.",
		"verified.load_max", NULL},
	{"heddle_routes_hops", false, "Switches on the longest route.",
		"verified.hops_max", NULL},

	/* the last change */
	{"heddle_change_info", false, "How the last change was written.",
		"change.[method,way]", "method way"},
	{"heddle_change_entries", false,
		"Forwarding entries that the last change altered.",
		"change.entries", NULL},
	{"heddle_change_blocks", false, "Blocks of the last change.",
		"change.blocks", NULL},
	{"heddle_change_stages", false, "Stages of the last change.",
		"change.stages", NULL},
	{"heddle_change_smps", false, "SMPs of the last change.", "change.smps",
		NULL},
	{"heddle_change_blocked_turns", false,
		"Turns that were closed during the last change.",
		"change.blocked", NULL},
	{"heddle_change_cut_pairs", false,
		"Pairs of switch and LID that lost packets by closed turns.",
		"change.pairs_cut", NULL},
	{"heddle_run_seconds", false, "Duration of the run that made the view.",
		"times.discover|readback|route|push|total", "phase"},
	{"heddle_run_smps", false, "SMPs sent in the run that made the view.",
		"counts.smps", NULL},
	{"heddle_run_failed_sets", false,
		"Set requests that failed in the run that made the view.",
		"counts.failed_sets", NULL},
	{"heddle_blocked_turns", false, "Turns that are closed now.",
		"held.turns", NULL},
	{"heddle_blocked_pairs", false,
		"Pairs of switch and LID that lose packets by closed turns.",
		"held.pairs", NULL},
	{"heddle_blocked_deadline_seconds", false,
		"Time left for the first closed turn to open; below 0 when it "
		"is over.",
		"held.left", NULL},

	/* work done */
	{"heddle_sweeps_total", true, "Sweeps of the fabric begun.",
		"sweeps.full|light", "kind"},
	{"heddle_probes_total", true, "Looks at the place of a trap.",
		"sweeps.probes", NULL},
	{"heddle_runs_total", true, "Runs that ended.", "sweeps.runs", NULL},
	{"heddle_runs_failed_total", true, "Runs that did not end well.",
		"sweeps.runs_failed", NULL},
	{"heddle_last_run_ok", false, "Whether the last run ended well.",
		"sweeps.last_ok", NULL},
	{"heddle_plan_failures_total", true, "Runs without a commit.",
		"sweeps.plan_failures", NULL},
	{"heddle_pushes_stopped_total", true,
		"Pushes that a change of the fabric overtook.",
		"sweeps.pushes_stopped", NULL},
	{"heddle_blocks_checked_total", true, "Blocks read after a push.",
		"sweeps.checked_blocks", NULL},
	{"heddle_blocks_untrue_total", true,
		"Blocks read after a push that were not as acknowledged.",
		"sweeps.untrue_blocks", NULL},
	{"heddle_tables_altered_total", true,
		"Blocks and ports found as another hand had written them.",
		"sweeps.altered", NULL},
	{"heddle_pkey_tables_altered_total", true,
		"P_Key tables that another hand had written.",
		"sweeps.altered_key_tables", NULL},
	{"heddle_rows_read_total", true,
		"SL2VL rows read for turns that another manager closed.",
		"sweeps.rows_read", NULL},
	{"heddle_rows_left", false, "SL2VL rows still to be read for these.",
		"sweeps.rows_left", NULL},
	{"heddle_rows_freed_total", true,
		"SL2VL rows that another manager left closed, now open.",
		"sweeps.rows_freed", NULL},
	{"heddle_links_lost_late_total", true,
		"Links found down where answers were late.", "sweeps.ways_lost",
		NULL},
	{"heddle_traps_total", true,
		"Traps: all received; of these repeated, refused, caused by "
		"our own plan.",
		"traps.received|repeated|refused|ours", "event"},

	/* the wire */
	{"heddle_smps_sent_total", true, "SMPs sent, retries included.",
		"wire.sent", NULL},
	{"heddle_smps_retried_total", true, "SMPs sent again.", "wire.retried",
		NULL},
	{"heddle_smps_by_lid_total", true, "SMPs sent routed by LID.",
		"wire.by_lid", NULL},
	{"heddle_smps_strayed_total", true,
		"Of these: without answer, sent again directed.",
		"wire.strayed", NULL},
	{"heddle_smps_timeouts_total", true, "SMPs given up.", "wire.timeouts",
		NULL},
	{"heddle_smps_completed_total", true, "SMPs answered, by attribute.",
		"wire.by_attribute.*.get|set", "attribute method"},
	{"heddle_smps_in_flight", false, "SMPs waiting for an answer.",
		"wire.in_flight", NULL},
	{"heddle_smps_window", false, "SMPs that may be in flight.",
		"wire.window", NULL},
	{"heddle_mads_odd_total", true, "Messages that fit nothing expected.",
		"wire.late|alien|mismatched|busy|malformed|requests_refused|"
		"ring_dropped",
		"event"},

	/* subnet administration, partitions, levels */
	{"heddle_sa_events_total", true,
		"Subnet administration: requests, and what became of them.",
		"sa.requests|answers|records|busy|refused|dropped|reports|"
		"reports_given_up",
		"event"},
	{"heddle_sa_held", false, "What subnet administration holds.",
		"sa.services|subscriptions|groups|group_members|"
		"tables_in_progress",
		"kind"},
	{"heddle_partition_ports", false, "Ports in a partition.",
		"partitions.list.[name].ports", "partition"},
	{"heddle_partition_full_ports", false,
		"Ports that are full members of a partition.",
		"partitions.list.[name].full", "partition"},
	{"heddle_partition_nobody", false,
		"Members in the configuration that no port answers to.",
		"partitions.nobody", NULL},
	{"heddle_partition_no_room", false,
		"Whether a P_Key table cannot hold all that it shall.",
		"partitions.no_room", NULL},
	{"heddle_qos_lanes", false, "Routing lanes of each level.", "qos.lanes",
		NULL},
	{"heddle_qos_level_weight", false,
		"Weight of a level at a class of ports.",
		"qos.levels.[name,priority].weight.*", "level priority ports"},
	{"heddle_qos_shortage", false,
		"Whether links have fewer lanes than the levels want.",
		"qos.shortage", NULL},
	{"heddle_qos_shortage_info", false, "That shortage in words.",
		"qos.[shortage]", "reason"},
	{"heddle_qos_ports_short", false,
		"Ports with fewer lanes than the levels want.", "qos.short",
		NULL},
	{"heddle_qos_ports_missing", false,
		"Ports whose tables are not as they shall be.", "qos.missing",
		NULL},
	{"heddle_qos_nodes_cannot_map", false,
		"Nodes that cannot map service levels to lanes.",
		"qos.cannot_map", NULL},
	{"heddle_control_events_total", true,
		"The control socket: connections, requests, and what was "
		"wrong.",
		"control.accepted|requests|malformed|refused|dropped", "event"},
};

const struct metrics_row *
metrics_all(size_t *n)
{
	*n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

/* One row on its way into the page. */
struct writing {
	const struct metrics_row *row;
	struct buf *out;
	size_t begin;	   /* of its text in out */
	struct buf labels; /* so far: a="x",b="y" */
	unsigned nlabels;
	bool told; /* a label is not empty */
};

/* What was there before a label was added. */
struct mark {
	size_t n;
	unsigned nlabels;
	bool told;
};

static struct mark
mark(const struct writing *w)
{
	return (struct mark){w->labels.n, w->nlabels, w->told};
}

static void
back_to(struct writing *w, struct mark m)
{
	w->labels.n = m.n;
	if (w->labels.text != NULL)
		w->labels.text[m.n] = '\0';
	w->nlabels = m.nlabels;
	w->told = m.told;
}

/* Copy the segment of path before the first of ends; what follows it. */
static const char *
cut(const char *path, const char *ends, char word[WORD])
{
	size_t n = strcspn(path, ends);

	(void)snprintf(word, WORD, "%.*s", (int)n, path);
	return path[n] != '\0' ? path + n + 1 : path + n;
}

static void
put_escaped(struct buf *b, const char *s)
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

/* The next of the row's labels has this value. */
static void
add_label(struct writing *w, const char *value)
{
	const char *names = w->row->labels;
	char name[WORD];

	for (unsigned i = 0; i < w->nlabels; i++)
		names = cut(names, " ", name);
	(void)cut(names, " ", name);
	buf_printf(&w->labels, "%s%s=\"", w->nlabels > 0 ? "," : "", name);
	put_escaped(&w->labels, value);
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
worth(const json_t *j)
{
	if (json_is_real(j))
		return json_real_value(j);
	if (json_is_string(j))
		return json_string_length(j) > 0;
	if (json_is_array(j))
		return (double)json_array_size(j);
	return !json_is_false(j);
}

/* One sample; a second one with the same labels would spoil the page. */
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
			buf_printf(w->out, "%.9g\n", worth(j));
	}
	buf_free(&key);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as a path of the table */
static void walk(struct writing *w, json_t *at, const char *path);

/* [x,y]: labels are members of the element. */
static void
walk_element(
	struct writing *w, json_t *at, const char *members, const char *rest)
{
	struct mark m = mark(w);
	char word[WORD];

	while (*members != '\0') {
		members = cut(members, ",", word);
		add_member_label(w, json_object_get(at, word));
	}
	walk(w, at, rest);
	back_to(w, m);
}

/* The label is the member's name. */
static void
walk_named(struct writing *w, json_t *at, const char *key, const char *rest)
{
	struct mark m = mark(w);

	add_label(w, key);
	walk(w, json_object_get(at, key), rest);
	back_to(w, m);
}

static void
walk_all(struct writing *w, json_t *at, const char *rest)
{
	const char *key;
	json_t *member;

	json_object_foreach(at, key, member) walk_named(w, at, key, rest);
}

static void
walk(struct writing *w, json_t *at, const char *path)
{
	char segment[2 * WORD], word[WORD];
	const char *rest = path + strcspn(path, "."), *s = segment;

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
		walk_all(w, at, rest);
	} else if (strchr(s, '|') != NULL) {
		while (*s != '\0') {
			s = cut(s, "|", word);
			walk_named(w, at, word, rest);
		}
	} else {
		walk(w, json_object_get(at, s), rest);
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

		walk(&w, root, rows[i].path);
		buf_free(&w.labels);
	}
	json_decref(root);
}

int
metrics_write(const char *file, const struct buf *text, struct reason *why)
{
	struct buf temp = {0};
	ssize_t put = -1;
	int fd, ret = 0;

	/* Not *.prom: a collector that reads the directory skips it. */
	buf_printf(&temp, "%s.XXXXXX", file);
	fd = mkstemp(temp.text);
	if (fd >= 0)
		put = write(fd, text->text, text->n);
	if (put != (ssize_t)text->n || fchmod(fd, 0644) != 0 ||
		rename(temp.text, file) != 0)
		ret = reason_set(why, "%s: %s", file,
			put >= 0 && put != (ssize_t)text->n ? "disk full"
							    : strerror(errno));
	if (ret != 0 && fd >= 0)
		(void)unlink(temp.text);
	if (fd >= 0)
		(void)close(fd);
	buf_free(&temp);
	return ret;
}
