#include "sm/command_table.h"

#include <string.h>

#include "sm/ctl/metrics.h"
#include "sm/record_command.h"
#include "sm/report/drains_json.h"
#include "sm/report/show.h"
#include "sm/report/verify_json.h"

#define NO_OPTION {NULL, NULL, NULL}, OPTION_TEXT, NULL, NULL

static const struct command commands[] = {
	{"status", "", 0, 0, "status", NULL, {NULL, NULL}, show_status,
		"role, fabric, routes, verification, wire",
		{{{"--wait-generation", NULL, "N"}, OPTION_NUMBER,
			 "wait_generation",
			 "answer when the view has reached generation N"},
			{{"--wait-sweep", NULL, "N"}, OPTION_NUMBER,
				"wait_sweep",
				"answer when N full sweeps are over"},
			{{"--timeout", NULL, "S"}, OPTION_SECONDS, NULL,
				"give up after S seconds (default 300)"}}},
	{"topology", "", 0, 0, "topology", NULL, {NULL, NULL}, show_topology,
		"the nodes; or the fabric as a picture, or for Slurm",
		{{{"--format", NULL, "F"}, OPTION_FORMAT, "format",
			 "table (default), json, ibnetdiscover,\n"
			 "                            svg: a picture, dot: for "
			 "Graphviz,\n"
			 "                            slurm, slurm-yaml: "
			 "topology.conf, .yaml"},
			{{"--hosts", NULL, "PATTERN"}, OPTION_TEXT, "hosts",
				"dot: draw these hosts; slurm: list only "
				"these"}}},
	{"tree", "", 0, 0, "tree", NULL, {NULL, NULL}, show_tree,
		"tier of each switch, the evidence for it, inconsistencies",
		{{{"--list", NULL, "L"}, OPTION_TEXT, "list",
			"irregularities (default), switches with tiers, or "
			"multi-port:\n"
			"                            nodes with a single point "
			"of failure"}}},
	{"routes", "[[FROM] TO]", 0, 2, "routes", NULL, {"from", "to"},
		show_routes,
		"summary; out-ports towards TO; the path FROM TO and why",
		{{{"--switch", NULL, "X"}, OPTION_TEXT, "switch",
			"the forwarding table of switch X"}}},
	{"path", "A B", 2, 2, "path", NULL, {"from", "to"}, show_path,
		"why A and B are slow: both directions link by link, and the\n"
		"      worst link in one sentence",
		{{NO_OPTION}}},
	{"rebalance", "", 0, 0, "rebalance", NULL, {NULL, NULL}, show_routes,
		"compute and write fresh tables, if they are better",
		{{{"--wait", NULL, NULL}, OPTION_WAIT, NULL,
			 "answer with the status when it is done"},
			{{"--timeout", NULL, "S"}, OPTION_SECONDS, NULL,
				"give up after S seconds (default 300)"}}},
	{"groups", "[GROUP]", 0, 1, "groups", NULL, {"group", NULL},
		show_groups,
		"multicast groups; members and tree of GROUP, an MGID or\n"
		"      an MLID",
		{{NO_OPTION}}},
	{"change", "", 0, 0, "explain", "change", {NULL, NULL}, show_change,
		"how the last change was written to the switches, and why",
		{{{"--rate", NULL, "N"}, OPTION_NUMBER, "rate",
			"packets a second that each host sends (default "
			"6100000)"}}},
	{"pkeys", "A [B]", 1, 2, "explain", "partitions", {"from", "to"},
		show_pkeys,
		"the partitions of A, and whether A and B may talk, and why",
		{{NO_OPTION}}},
	{"events", "", 0, 0, "events", NULL, {NULL, NULL}, show_events,
		"what happened: links and nodes that went and came, what was\n"
		"      done about it, commands, reloads, alarms",
		{{{"--since", NULL, "T"}, OPTION_LOCAL, "since",
			 "only the events after number T or since time T:\n"
			 "                            17, 2h, \"2026-11-26 "
			 "14:40\", yesterday"},
			{{"--port", NULL, "X"}, OPTION_LOCAL, "port",
				"only those of node X, a name or GUID, or "
				"X/PORT"},
			{{"--kind", NULL, "K"}, OPTION_LOCAL, "kind",
				"only those of kind K: link-down, change, ..."},
			{{"--follow", NULL, NULL}, OPTION_FOLLOW, NULL,
				"show the last ones, and others as they "
				"happen"},
			{{"--file", NULL, "FILE"}, OPTION_LOCAL, "file",
				"read FILE, of a daemon that does not run"}}},
	{"links", "[accept]", 0, 1, "links", NULL, {"what", NULL}, show_links,
		"what is missing, and links that could be faster, or are bad;\n"
		"      accept: what is missing now is to be forgotten",
		{{{"--bad", NULL, NULL}, OPTION_FLAG, "bad",
			 "the links that are bad or slow, and why"},
			{{"--slow", NULL, NULL}, OPTION_FLAG, "slow",
				"the links below the width or speed that both "
				"ends can do"},
			{{"--errors", NULL, NULL}, OPTION_FLAG, "errors",
				"the links that counted errors in the last "
				"day, worst first"}}},
	{"verify", "[FILE]", 0, 1, "verify", NULL, {"plan", NULL}, show_verify,
		"whether the fabric is as planned, in FILE or by "
		"fabric.expected:\n"
		"      what is missing, swapped, moved, slower",
		{{{"--write", NULL, "FILE"}, OPTION_LOCAL, "write",
			 "write the fabric as it is now to FILE, as a plan"},
			{{"--topology", NULL, "FILE"}, OPTION_LOCAL, "topology",
				"compare FILE, ibnetdiscover's output, and ask "
				"no heddled"}}},
	{"partitions", "[accept]", 0, 1, "partitions", NULL, {"what", NULL},
		show_names,
		"nodes whose names wait to be accepted as members;\n"
		"      accept: they are",
		{{NO_OPTION}}},
	{"drain", "NODE[/PORT]", 1, 1, "drain", NULL, {"node", NULL},
		drains_show,
		"lead all routes around a switch, or the link at a port, and "
		"wait\n      until it may be pulled",
		{{{"--for", NULL, "TIME"}, OPTION_DURATION, "for",
			 "take it back after TIME: 90s, 30m, 2h"},
			{{"--reason", NULL, "TEXT"}, OPTION_TEXT, "reason",
				"why, for those who look later"},
			{{"--force", NULL, NULL}, OPTION_FLAG, "force",
				"even if hosts are cut off when it is "
				"pulled"}}},
	{"undrain", "NODE[/PORT]", 1, 1, "undrain", NULL, {"node", NULL},
		show_undrain, "use it again", {{NO_OPTION}}},
	{"drains", "[NODE[/PORT]]", 0, 1, "drains", NULL, {"node", NULL},
		drains_show,
		"what is drained, by whom and why, and what may be pulled",
		{{NO_OPTION}}},
	{"report", "", 0, 0, "snapshot", NULL, {NULL, NULL}, NULL,
		"the fabric as one page for a browser: map, loads, errors, "
		"paths,\n      what needs attention, events",
		{{{"--output", "-o", "FILE"}, OPTION_OUTPUT, NULL,
			 "the file to write"},
			{{"--compare", NULL, NULL}, OPTION_FLAG, "compare",
				"with a table of every engine on this fabric: "
				"takes its time"}}},
	{"config", "show", 1, 1, "config", NULL, {"what", NULL}, show_config,
		"the configuration in force, without secrets",
		{{{"--config", NULL, "FILE"}, OPTION_CONFIG, NULL,
			 "the configuration of FILE; needs no heddled"},
			{{"--origin", NULL, NULL}, OPTION_FLAG, "origin",
				"each key, its value, and the line it comes "
				"from"}}},
	{"record", "[save FILE]", 0, 2, "record", NULL, {"what", "file"},
		record_command_show,
		"what is recorded (record.dir), and how far back it goes;\n"
		"      save: all of it in FILE, for heddle-sim replay",
		{{{"--dir", NULL, "DIR"}, OPTION_LOCAL, "dir",
			"read DIR, of a daemon that does not run"}}},
	{"metrics", "", 0, 0, "status", NULL, {NULL, NULL}, metrics_text,
		"the status as Prometheus metrics",
		{{{"--output", NULL, "FILE"}, OPTION_OUTPUT, NULL,
			"write them to FILE atomically, also when heddled is "
			"down"}}},
	{"sweep", "", 0, 0, "sweep", NULL, {NULL, NULL}, show_sweep,
		"sweep the whole fabric again",
		{{{"--wait", NULL, NULL}, OPTION_WAIT, NULL,
			 "answer with the status when the sweep is over"},
			{{"--timeout", NULL, "S"}, OPTION_SECONDS, NULL,
				"give up after S seconds (default 300)"}}},
	{"handover", "", 0, 0, "handover", NULL, {NULL, NULL}, show_handover,
		"hand the fabric over to the best standby (root only)",
		{{NO_OPTION}}},
};

const struct command *
command_table_at(size_t i)
{
	return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i] : NULL;
}

const struct command *
command_table_find(const char *name)
{
	const struct command *c;

	for (size_t i = 0; (c = command_table_at(i)) != NULL; i++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}
