/*
 * heddlectl: ask heddled, show the answer. The tables below drive parsing, help
 * and completion; most commands are one request over the control socket, and a
 * page of sm/report. What a command does beyond that has a file of its own:
 * asking.h and waiting.h (the request), output.h and problem.h (what is
 * printed), events_command.h, import_command.h, metrics_command.h,
 * sm/what_if/planner.h.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/schema.h"
#include "sm/asking.h"
#include "sm/base/argument.h"
#include "sm/base/loop.h"
#include "sm/base/suggest.h"
#include "sm/base/version.h"
#include "sm/completion.h"
#include "sm/ctl/client.h"
#include "sm/ctl/ctl.h"
#include "sm/ctl/metrics.h"
#include "sm/events_asking.h"
#include "sm/events_command.h"
#include "sm/import_command.h"
#include "sm/metrics_command.h"
#include "sm/output.h"
#include "sm/problem.h"
#include "sm/record_command.h"
#include "sm/report/config_json.h"
#include "sm/report/drains_json.h"
#include "sm/report/json_util.h"
#include "sm/report/show.h"
#include "sm/report/standby_json.h"
#include "sm/report/topology_json.h"
#include "sm/report/verify_json.h"
#include "sm/report_command.h"
#include "sm/verify_command.h"
#include "sm/waiting.h"
#include "sm/what_if/planner.h"

enum { PATIENCE_MS = 300000 };

enum kind {
	FLAG_WAIT,
	FLAG_FOLLOW,
	LOCAL, /* a text that is not in the request */
	SECONDS,
	NUMBER, /* a member of the request */
	TEXT,	/* a member of the request */
	FORMAT,
	OUTPUT,
	FLAG,	  /* a member of the request, true */
	DURATION, /* a member of the request, in seconds */
	CONFIG,
};

struct option_row {
	struct argument is;
	enum kind kind;
	const char *key; /* in the request */
	const char *help;
};

/* A command: its request is {"cmd": cmd, "what": what} with its operands under
 * these keys. */
struct command {
	const char *name;
	const char *operands; /* in the help */
	unsigned min_operands, max_operands;
	const char *cmd, *what; /* what: NULL for none */
	const char *key[2];
	const struct option_row *option; /* ends with a NULL word */
	/* NULL: report, whose result is a file */
	void (*show)(const json_t *result, struct buf *out);
	const char *help;
};

static const struct option_row status_options[] = {
	{{"--wait-generation", NULL, "N"}, NUMBER, "wait_generation",
		"answer when the view has reached generation N"},
	{{"--wait-sweep", NULL, "N"}, NUMBER, "wait_sweep",
		"answer when N full sweeps are over"},
	{{"--timeout", NULL, "S"}, SECONDS, NULL,
		"give up after S seconds (default 300)"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row topology_options[] = {
	{{"--format", NULL, "F"}, FORMAT, "format",
		"table (default), json, ibnetdiscover,\n"
		"                            svg: a picture, dot: for "
		"Graphviz,\n"
		"                            slurm, slurm-yaml: "
		"topology.conf, .yaml"},
	{{"--hosts", NULL, "PATTERN"}, TEXT, "hosts",
		"dot: draw these hosts; slurm: list only these"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row tree_options[] = {
	{{"--list", NULL, "L"}, TEXT, "list",
		"irregularities (default), switches with tiers, or "
		"multi-port:\n"
		"                            nodes with a single point of "
		"failure"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row routes_options[] = {
	{{"--switch", NULL, "X"}, TEXT, "switch",
		"the forwarding table of switch X"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row rebalance_options[] = {
	{{"--wait", NULL, NULL}, FLAG_WAIT, NULL,
		"answer with the status when it is done"},
	{{"--timeout", NULL, "S"}, SECONDS, NULL,
		"give up after S seconds (default 300)"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row sweep_options[] = {
	{{"--wait", NULL, NULL}, FLAG_WAIT, NULL,
		"answer with the status when the sweep is over"},
	{{"--timeout", NULL, "S"}, SECONDS, NULL,
		"give up after S seconds (default 300)"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row events_options[] = {
	{{"--since", NULL, "T"}, LOCAL, "since",
		"only the events after number T or since time T:\n"
		"                            17, 2h, "
		"\"2026-11-26 14:40\", yesterday"},
	{{"--port", NULL, "X"}, LOCAL, "port",
		"only those of node X, a name or GUID, or X/PORT"},
	{{"--kind", NULL, "K"}, LOCAL, "kind",
		"only those of kind K: link-down, change, ..."},
	{{"--follow", NULL, NULL}, FLAG_FOLLOW, NULL,
		"show the last ones, and others as they happen"},
	{{"--file", NULL, "FILE"}, LOCAL, "file",
		"read FILE, of a daemon that does not run"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row links_options[] = {
	{{"--bad", NULL, NULL}, FLAG, "bad",
		"the links that are bad or slow, and why"},
	{{"--slow", NULL, NULL}, FLAG, "slow",
		"the links below the width or speed that both ends can do"},
	{{"--errors", NULL, NULL}, FLAG, "errors",
		"the links that counted errors in the last day, worst first"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row verify_options[] = {
	{{"--write", NULL, "FILE"}, LOCAL, "write",
		"write the fabric as it is now to FILE, as a plan"},
	{{"--topology", NULL, "FILE"}, LOCAL, "topology",
		"compare FILE, ibnetdiscover's output, and ask no heddled"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row metrics_options[] = {
	{{"--output", NULL, "FILE"}, OUTPUT, NULL,
		"write them to FILE atomically, also when heddled is down"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row change_options[] = {
	{{"--rate", NULL, "N"}, NUMBER, "rate",
		"packets a second that each host sends (default 6100000)"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row drain_options[] = {
	{{"--for", NULL, "TIME"}, DURATION, "for",
		"take it back after TIME: 90s, 30m, 2h"},
	{{"--reason", NULL, "TEXT"}, TEXT, "reason",
		"why, for those who look later"},
	{{"--force", NULL, NULL}, FLAG, "force",
		"even if hosts are cut off when it is pulled"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row config_options[] = {
	{{"--config", NULL, "FILE"}, CONFIG, NULL,
		"the configuration of FILE; needs no heddled"},
	{{"--origin", NULL, NULL}, FLAG, "origin",
		"each key, its value, and the line it comes from"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row record_options[] = {
	{{"--dir", NULL, "DIR"}, LOCAL, "dir",
		"read DIR, of a daemon that does not run"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row report_options[] = {
	{{"--output", "-o", "FILE"}, OUTPUT, NULL, "the file to write"},
	{{"--compare", NULL, NULL}, FLAG, "compare",
		"with a table of every engine on this fabric: takes its time"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row no_options[] = {
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct command commands[] = {
	{"status", "", 0, 0, "status", NULL, {NULL, NULL}, status_options,
		show_status, "role, fabric, routes, verification, wire"},
	{"topology", "", 0, 0, "topology", NULL, {NULL, NULL}, topology_options,
		show_topology,
		"the nodes; or the fabric as a picture, or for Slurm"},
	{"tree", "", 0, 0, "tree", NULL, {NULL, NULL}, tree_options, show_tree,
		"tier of each switch, the evidence for it, inconsistencies"},
	{"routes", "[[FROM] TO]", 0, 2, "routes", NULL, {"from", "to"},
		routes_options, show_routes,
		"summary; out-ports towards TO; the path FROM TO and why"},
	{"path", "A B", 2, 2, "path", NULL, {"from", "to"}, no_options,
		show_path,
		"why A and B are slow: both directions link by link, and the\n"
		"      worst link in one sentence"},
	{"rebalance", "", 0, 0, "rebalance", NULL, {NULL, NULL},
		rebalance_options, show_routes,
		"compute and write fresh tables, if they are better"},
	{"groups", "[GROUP]", 0, 1, "groups", NULL, {"group", NULL}, no_options,
		show_groups,
		"multicast groups; members and tree of GROUP, an MGID or\n"
		"      an MLID"},
	{"change", "", 0, 0, "explain", "change", {NULL, NULL}, change_options,
		show_change,
		"how the last change was written to the switches, and why"},
	{"pkeys", "A [B]", 1, 2, "explain", "partitions", {"from", "to"},
		no_options, show_pkeys,
		"the partitions of A, and whether A and B may talk, and why"},
	{"events", "", 0, 0, "events", NULL, {NULL, NULL}, events_options,
		show_events,
		"what happened: links and nodes that went and came, what was\n"
		"      done about it, commands, reloads, alarms"},
	{"links", "[accept]", 0, 1, "links", NULL, {"what", NULL},
		links_options, show_links,
		"what is missing, and links that could be faster, or are bad;\n"
		"      accept: what is missing now is to be forgotten"},
	{"verify", "[FILE]", 0, 1, "verify", NULL, {"plan", NULL},
		verify_options, show_verify,
		"whether the fabric is as planned, in FILE or by "
		"fabric.expected:\n"
		"      what is missing, swapped, moved, slower"},
	{"partitions", "[accept]", 0, 1, "partitions", NULL, {"what", NULL},
		no_options, show_names,
		"nodes whose names wait to be accepted as members;\n"
		"      accept: they are"},
	{"drain", "NODE[/PORT]", 1, 1, "drain", NULL, {"node", NULL},
		drain_options, drains_show,
		"lead all routes around a switch, or the link at a port, and "
		"wait\n      until it may be pulled"},
	{"undrain", "NODE[/PORT]", 1, 1, "undrain", NULL, {"node", NULL},
		no_options, show_undrain, "use it again"},
	{"drains", "[NODE[/PORT]]", 0, 1, "drains", NULL, {"node", NULL},
		no_options, drains_show,
		"what is drained, by whom and why, and what may be pulled"},
	{"report", "", 0, 0, "snapshot", NULL, {NULL, NULL}, report_options,
		NULL,
		"the fabric as one page for a browser: map, loads, errors, "
		"paths,\n      what needs attention, events"},
	{"config", "show", 1, 1, "config", NULL, {"what", NULL}, config_options,
		show_config, "the configuration in force, without secrets"},
	{"record", "[save FILE]", 0, 2, "record", NULL, {"what", "file"},
		record_options, record_command_show,
		"what is recorded (record.dir), and how far back it goes;\n"
		"      save: all of it in FILE, for heddle-sim replay"},
	{"metrics", "", 0, 0, "status", NULL, {NULL, NULL}, metrics_options,
		metrics_text, "the status as Prometheus metrics"},
	{"sweep", "", 0, 0, "sweep", NULL, {NULL, NULL}, sweep_options,
		show_sweep, "sweep the whole fabric again"},
	{"handover", "", 0, 0, "handover", NULL, {NULL, NULL}, no_options,
		show_handover,
		"hand the fabric over to the best standby (root only)"},
};

enum { NCOMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* What the command line says. */
struct ask {
	const char *socket;
	const char *output; /* a file, or NULL */
	const char *config; /* a file, or NULL: that of the daemon */
	const struct command *cmd;
	const char *operand[2];
	unsigned noperands;
	json_t *request;
	json_t *local; /* what is not in it, by the keys of options */
	struct mono patience;
	bool json, wait, follow, text;
};

/* Options of heddlectl itself; those before HELP may follow a command too. */
static const struct argument own_options[] = {
	{"--json", NULL, NULL},
	{"--socket", NULL, "PATH"},
	{"--help", "-h", NULL},
	{"--version", "-V", NULL},
};

enum { JSON, SOCKET, HELP, VERSION, OWN_OPTIONS };

/* Words that are looked for, and the commands that do it. */
static const char *const elsewhere[][2] = {
	{"explain", "change, or pkeys A [B]"},
	{"nodes", "topology"},
	{"reload", "systemctl reload heddled"},
	{"show", "status"},
};

static void
print_command(const struct command *c, struct buf *out)
{
	buf_printf(out, "  %s%s%s\n      %s\n", c->name,
		*c->operands != '\0' ? " " : "", c->operands, c->help);
	for (const struct option_row *o = c->option; o->is.word != NULL; o++)
		argument_help(out, &o->is, 6, o->help);
}

static const struct command *
find_command(const char *name)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* Print the help of one command, or of all (NULL). False: there is no such
 * command. */
static bool
print_help(const char *name)
{
	const struct command *one = name != NULL ? find_command(name) : NULL;
	bool plan = name != NULL && strcmp(name, "plan") == 0;
	bool import = name != NULL && strcmp(name, "import") == 0;
	struct buf b = {0};

	if (name != NULL && one == NULL && !plan && !import)
		return false;
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (name == NULL || one == &commands[i])
			print_command(&commands[i], &b);
	if (name == NULL || plan)
		planner_help(&b);
	if (name == NULL || import)
		import_command_help(&b);
	(void)printf("usage: heddlectl [--socket PATH] [--json] COMMAND "
		     "[ARGUMENT ...]\n\n%s\n%s\n"
		     "A node or port is a LID, a GUID (0x...), a name or a "
		     "part of one.\n",
		name != NULL ? "Command:" : "Commands:", b.text);
	if (name == NULL)
		(void)printf("heddlectl help COMMAND shows one command.\n"
			     "The socket is %s, or $HEDDLE_SOCKET.\n",
			CTL_DEFAULT_SOCKET);
	(void)printf("Exit codes: 0 ok, 1 problem, 2 usage, 3 heddled not "
		     "running, 4 refused.\n");
	buf_free(&b);
	return true;
}

/* The nearest command to a word that is none, or where else it is done. */
static int
fail_command(const char *word)
{
	struct suggest s = suggest_for(word);

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (strcmp(elsewhere[i][0], word) == 0) {
			problem_print("bad-argument",
				"unknown command '%s': see heddlectl %s", word,
				elsewhere[i][1]);
			return EXIT_USAGE;
		}
	for (size_t i = 0; i < NCOMMANDS; i++)
		suggest_offer(&s, commands[i].name);
	suggest_offer(&s, "plan");
	suggest_offer(&s, "import");
	suggest_offer(&s, "help");
	if (s.best == NULL)
		return problem_usage("unknown command", word);
	problem_print("bad-argument",
		"unknown command '%s'; did you mean '%s'?", word, s.best);
	return EXIT_USAGE;
}

static int
set_number(struct ask *a, const struct option_row *o, const char *value)
{
	char *end;
	unsigned long long n = strtoull(value, &end, 10);

	if (*value < '0' || *value > '9' || *end != '\0' || n > INT64_MAX)
		return problem_usage("not a number:", value);
	(void)json_object_set_new(
		a->request, o->key, json_integer((json_int_t)n));
	return EXIT_OK;
}

static int
set_seconds(struct ask *a, const char *value)
{
	char *end;
	double s = strtod(value, &end);

	if (end == value || *end != '\0' || !isfinite(s) || s < 0 || s > 1e9)
		return problem_usage("not a number of seconds:", value);
	a->patience = mono_ms((int64_t)(s * 1000));
	return EXIT_OK;
}

/* From a second to four hundred days. */
static int
set_duration(struct ask *a, const struct option_row *o, const char *value)
{
	static const struct schema_option duration = {.key = "for",
		.type = SCHEMA_DURATION,
		.min = 1000000000,
		.max = UINT64_C(400) * 86400 * 1000000000};
	static const struct schema_env none;
	struct mono d = {0};
	struct reason why;

	if (schema_set(&duration, value, &d, &none, &why) != 0) {
		problem_print("bad-argument", "%s: %s", o->is.word, why.text);
		return EXIT_USAGE;
	}
	(void)json_object_set_new(
		a->request, o->key, json_integer(d.ns / 1000000000));
	return EXIT_OK;
}

static int
set_format(struct ask *a, const struct option_row *o, const char *value)
{
	if (strcmp(value, "json") == 0)
		a->json = true;
	else if (topology_is_text(value))
		a->text = true;
	else if (strcmp(value, "table") != 0)
		return problem_usage("unknown format", value);
	(void)json_object_set_new(
		a->request, o->key, json_string(a->text ? value : "json"));
	return EXIT_OK;
}

static int
set_option(struct ask *a, const struct option_row *o, const char *value)
{
	switch (o->kind) {
	case FLAG_WAIT:
		a->wait = true;
		return EXIT_OK;
	case FLAG_FOLLOW:
		a->follow = true;
		return EXIT_OK;
	case LOCAL:
		if (a->local == NULL)
			a->local = json_object();
		if (json_object_set_new(a->local, o->key, json_string(value)) !=
			0)
			return problem_usage("value is not UTF-8:", o->is.word);
		return EXIT_OK;
	case SECONDS:
		return set_seconds(a, value);
	case NUMBER:
		return set_number(a, o, value);
	case FORMAT:
		return set_format(a, o, value);
	case OUTPUT:
		a->output = value;
		return EXIT_OK;
	case FLAG:
		(void)json_object_set_new(a->request, o->key, json_true());
		return EXIT_OK;
	case DURATION:
		return set_duration(a, o, value);
	case CONFIG:
		a->config = value;
		return EXIT_OK;
	case TEXT:
	default:
		if (json_object_set_new(
			    a->request, o->key, json_string(value)) != 0)
			return problem_usage("value is not UTF-8:", o->is.word);
		return EXIT_OK;
	}
}

/* Take an option that may stand before and after the command. */
static void
take_own_option(struct ask *a, const struct argument_line *l)
{
	if (l->ix == JSON)
		a->json = true;
	else
		a->socket = l->value;
}

/* The arguments after the command's name, argv[0]. */
static int
parse_rest(struct ask *a, int argc, char **argv)
{
	const struct option_row *own = a->cmd->option;
	struct argument_line l;
	enum argument_kind kind;
	int ret = EXIT_OK;

	argument_begin(&l, argc, argv);
	for (unsigned i = 0; i < HELP; i++)
		argument_know(&l, &own_options[i]);
	for (size_t i = 0; own[i].is.word != NULL; i++)
		argument_know(&l, &own[i].is);
	while (ret == EXIT_OK && (kind = argument_next(&l)) != ARGUMENT_END) {
		if (kind == ARGUMENT_WRONG)
			ret = problem_option(a->cmd->name, &l.why);
		else if (kind == ARGUMENT_OPTION && l.ix < HELP)
			take_own_option(a, &l);
		else if (kind == ARGUMENT_OPTION)
			ret = set_option(a, &own[l.ix - HELP], l.value);
		else if (a->noperands >= a->cmd->max_operands)
			ret = problem_usage("unexpected argument", l.value);
		else
			a->operand[a->noperands++] = l.value;
	}
	return ret;
}

/* Put the operands into the request. */
static int
set_operands(struct ask *a)
{
	/* routes TO, routes FROM TO */
	unsigned skip = a->cmd->show == show_routes && a->noperands == 1;

	if (a->cmd->show == metrics_text && a->json)
		return problem_usage(
			"metrics cannot be printed as JSON; use status", NULL);
	if (a->noperands < a->cmd->min_operands) {
		problem_print("bad-argument", "%s: expected %s", a->cmd->name,
			a->cmd->operands);
		return EXIT_USAGE;
	}
	if (a->noperands > 0 && json_object_get(a->request, "switch") != NULL)
		return problem_usage(
			"--switch cannot be combined with FROM or TO", NULL);
	if (a->cmd->show == show_config && strcmp(a->operand[0], "show") != 0)
		return problem_usage(
			"config: expected show, not", a->operand[0]);
	/* what is shown can be a configuration again: nothing is broken at the
	 * width of a terminal */
	if (a->cmd->show == show_config &&
		json_object_get(a->request, "origin") == NULL)
		a->text = !a->json;
	for (unsigned i = 0; i < a->noperands; i++)
		if (json_object_set_new(a->request, a->cmd->key[i + skip],
			    json_string(a->operand[i])) != 0)
			return problem_usage("an operand is not UTF-8", NULL);
	return EXIT_OK;
}

/* ---- what could come next ---- */

/* Commands that are carried out here, without the tables above. */
static const struct {
	const char *name, *operands;
} local_commands[] = {
	{"plan", ""},
	{"import", "OPENSM.CONF"},
	{"help", ""},
};

enum { NLOCAL = sizeof(local_commands) / sizeof(local_commands[0]) };

static const char *
command_name(size_t i)
{
	if (i < NCOMMANDS)
		return commands[i].name;
	return i - NCOMMANDS < NLOCAL ? local_commands[i - NCOMMANDS].name
				      : NULL;
}

static const char *
command_operands(const char *name)
{
	const struct command *c = find_command(name);

	if (c != NULL)
		return c->operands;
	for (size_t i = 0; i < NLOCAL; i++)
		if (strcmp(local_commands[i].name, name) == 0)
			return local_commands[i].operands;
	return NULL;
}

static const char *
command_option(const char *name, size_t i, const char **arg)
{
	const struct command *c = find_command(name);

	*arg = NULL;
	if (strcmp(name, "plan") == 0)
		return planner_option(i, arg);
	if (strcmp(name, "import") == 0)
		return import_command_option(i, arg);
	if (c == NULL)
		return NULL;
	/* the row that ends the table has no word */
	for (size_t k = 0; k < i; k++)
		if (c->option[k].is.word == NULL)
			return NULL;
	*arg = c->option[i].is.arg;
	return c->option[i].is.word;
}

static bool
wants_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* What the command line asks for, where it is not a request to the daemon. */
enum {
	ASK_HELP = -1,
	ASK_VERSION = -2,
	ASK_PLAN = -3,
	ASK_IMPORT = -4,
	ASK_COMPLETE = -5,
};

/* The options before the command; *i is its index. */
static int
parse_before(struct ask *a, int argc, char **argv, int *i)
{
	struct argument_line l;
	enum argument_kind kind;

	argument_begin(&l, argc, argv);
	for (unsigned k = 0; k < OWN_OPTIONS; k++)
		argument_know(&l, &own_options[k]);
	while ((kind = argument_next(&l)) == ARGUMENT_OPTION) {
		if (l.ix == HELP)
			return ASK_HELP;
		if (l.ix == VERSION)
			return ASK_VERSION;
		take_own_option(a, &l);
	}
	*i = l.at;
	if (kind == ARGUMENT_WRONG)
		return problem_usage(l.why.text, NULL);
	return kind == ARGUMENT_OPERAND
		       ? EXIT_OK
		       : problem_usage("no command given", NULL);
}

/* EXIT_OK, a usage error or one of ASK_*: help of the command *help, or plan
 * and import with the arguments after argv[*rest]. */
static int
parse_arguments(
	struct ask *a, int argc, char **argv, int *rest, const char **help)
{
	int i, ret = parse_before(a, argc, argv, &i);

	if (ret != EXIT_OK)
		return ret;
	*rest = i;
	if (strcmp(argv[i], "complete") == 0)
		return ASK_COMPLETE;
	if (strcmp(argv[i], "help") == 0) {
		*help = argv[i + 1];
		return ASK_HELP;
	}
	for (int k = i + 1; k < argc && strcmp(argv[k], "--") != 0; k++)
		if (wants_help(argv[k])) {
			*help = argv[i];
			return ASK_HELP;
		}
	if (strcmp(argv[i], "plan") == 0)
		return ASK_PLAN;
	if (strcmp(argv[i], "import") == 0)
		return ASK_IMPORT;
	a->cmd = find_command(argv[i]);
	if (a->cmd == NULL)
		return fail_command(argv[i]);
	a->request = json_pack("{s:s}", "cmd", a->cmd->cmd);
	if (a->cmd->what != NULL)
		json_util_put(a->request, "what", json_string(a->cmd->what));
	ret = parse_rest(a, argc - i, argv + i);
	return ret != EXIT_OK ? ret : set_operands(a);
}

/* ---- asking ---- */

static void
print_result(const struct ask *a, const json_t *result)
{
	const char *text = json_string_value(json_object_get(result, "text"));
	struct buf out = {0};

	if (a->text && text != NULL) {
		output_clean(text);
		return;
	}
	if (a->json) {
		output_json(result);
		return;
	}
	standby_json_line(result, (uint64_t)time(NULL), &out);
	if (a->wait)
		show_status(result, &out);
	else
		a->cmd->show(result, &out);
	if (out.text != NULL)
		output_page(&out);
	buf_free(&out);
}

static bool
is_said(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s != NULL && *s != '\0';
}

/* Whether something that is drained still carries traffic. */
static bool
has_used_drain(const json_t *result)
{
	const json_t *d;
	size_t i;

	json_array_foreach(json_object_get(result, "drains"), i,
		d) if (strcmp(json_util_text(d, "state"), "used") ==
		       0) return true;
	return false;
}

/* An alarm is a problem; so is a failed sweep that was waited for. */
static int
exit_code_of(const struct ask *a, const json_t *result)
{
	const json_t *sweeps = json_object_get(result, "sweeps");

	if (is_said(result, "alarm") || has_used_drain(result))
		return EXIT_PROBLEM;
	if (a->wait && !json_is_true(json_object_get(sweeps, "last_ok")))
		return EXIT_PROBLEM;
	return EXIT_OK;
}

/* ---- events ---- */

/* How events are asked for and shown. */
struct events_cookie {
	const struct ask *a;
	struct events_asking daemon;
};

static json_t *
ask_events(void *cookie, const json_t *request, bool again, int *code)
{
	struct events_cookie *q = cookie;

	return events_asking_reply(&q->daemon, request, again, code);
}

static void
show_some_events(void *cookie, const json_t *result)
{
	const struct events_cookie *q = cookie;
	const json_t *e;
	size_t i;

	if (!q->a->follow || !q->a->json) {
		print_result(q->a, result);
	} else {
		json_array_foreach(json_object_get(result, "events"), i, e)
			print_result(q->a, e);
	}
	(void)fflush(stdout);
}

static void
complain_of_events(void *cookie, const char *text)
{
	(void)cookie;
	(void)fprintf(stderr, "heddlectl: %s\n", text);
}

static int
run_events(const struct ask *a)
{
	struct events_cookie q = {a, {a->socket, a->patience, a->json, -1}};
	const struct events_command c = {
		.since = json_string_value(json_object_get(a->local, "since")),
		.kind = json_string_value(json_object_get(a->local, "kind")),
		.port = json_string_value(json_object_get(a->local, "port")),
		.file = json_string_value(json_object_get(a->local, "file")),
		.follow = a->follow,
		.ask = ask_events,
		.show = show_some_events,
		.complain = complain_of_events,
		.cookie = &q};
	struct reason why;
	int code = events_command_run(&c, &why);

	events_asking_close(&q.daemon);
	return code >= 0 ? code : problem_option(a->cmd->name, &why);
}

static int
run_record(const struct ask *a)
{
	struct events_cookie q = {a, {a->socket, a->patience, a->json, -1}};
	const struct record_command c = {.what = a->operand[0],
		.file = a->operand[1],
		.dir = json_string_value(json_object_get(a->local, "dir")),
		.ask = ask_events,
		.show = show_some_events,
		.complain = complain_of_events,
		.cookie = &q};
	struct reason why;
	int code = record_command_run(&c, &why);

	events_asking_close(&q.daemon);
	return code >= 0 ? code : problem_option(a->cmd->name, &why);
}

/* ---- verify ---- */

static json_t *
ask_for_verify(void *cookie, const json_t *request, int *code)
{
	const struct ask *a = cookie;
	struct asking q = {-1, mono_add(loop_now(), a->patience), a->json};
	enum client_fault fault;
	struct reason why;
	json_t *reply, *result;

	q.fd = client_connect(a->socket, &fault, &why);
	if (q.fd < 0) {
		problem_print(asking_fault_word(fault), "%s", why.text);
		*code = asking_fault_code(fault);
		return NULL;
	}
	reply = asking_reply(&q, request, code);
	result = json_incref(json_object_get(reply, "result"));
	json_decref(reply);
	(void)close(q.fd);
	return result;
}

static int
run_verify(struct ask *a)
{
	const struct verify_command c = {.plan = a->operand[0],
		.topology = json_string_value(
			json_object_get(a->local, "topology")),
		.write = json_string_value(json_object_get(a->local, "write")),
		.ask = ask_for_verify,
		.cookie = a};
	struct reason why;
	int code;
	json_t *result = verify_command_run(&c, &code, &why);

	if (result != NULL)
		print_result(a, result);
	else if (why.text[0] != '\0')
		problem_print("bad-argument", "%s", why.text);
	json_decref(result);
	return code;
}

static int
run_command(const struct ask *a)
{
	struct asking q = {-1, mono_add(loop_now(), a->patience), a->json};
	const json_t *result;
	enum client_fault fault;
	struct reason why;
	json_t *reply = NULL;
	int code;

	q.fd = client_connect(a->socket, &fault, &why);
	if (q.fd < 0) {
		problem_print(asking_fault_word(fault), "%s", why.text);
		code = asking_fault_code(fault);
	} else {
		reply = asking_reply(&q, a->request, &code);
	}
	if (reply != NULL && a->wait)
		reply = waiting_after(&q, reply, &code);
	if (reply != NULL && strcmp(a->cmd->name, "drain") == 0)
		reply = waiting_drained(
			&q, reply, json_object_get(a->request, "node"), &code);
	else if (a->cmd->show == show_undrain &&
		 json_object_get(json_object_get(reply, "result"),
			 "wait_generation") != NULL)
		reply = waiting_after(&q, reply, &code);
	if (reply != NULL && a->cmd->show == show_handover)
		reply = waiting_handed_over(&q, reply, &code);
	result = json_object_get(reply, "result");
	if (a->cmd->show == metrics_text) {
		code = metrics_command_print(&q, result, a->output, code);
	} else if (reply != NULL) {
		print_result(a, result);
		if (a->cmd->show != show_handover &&
			a->cmd->show != show_undrain)
			code = exit_code_of(a, result);
	}
	json_decref(reply);
	if (q.fd >= 0)
		(void)close(q.fd);
	return code;
}

static int
run_report(const struct ask *a)
{
	const struct report_command c = {.socket = a->socket,
		.output = a->output,
		.json = a->json,
		.compare = json_util_yes(a->request, "compare")};

	return report_command_run(&c);
}

/* The configuration of a file, as the daemon would answer that has it. */
static int
show_config_file(const struct ask *a)
{
	struct config *c = planner_read_config(a->config, a->json);
	json_t *result;

	if (c == NULL)
		return EXIT_USAGE;
	result = config_json(
		c, c, json_is_true(json_object_get(a->request, "origin")));
	print_result(a, result);
	json_decref(result);
	config_unref(c);
	return EXIT_OK;
}

/* argv: the word complete, "--" and the words of the line. */
static int
run_complete(int argc, char **argv, const char *socket)
{
	static const struct completion_source from = {
		command_name, command_operands, command_option};
	struct buf out = {0};

	if (argc < 3 || strcmp(argv[1], "--") != 0)
		return problem_usage("complete: expected -- WORD ...", NULL);
	completion_words(&from, (size_t)argc - 2, argv + 2, socket, &out);
	if (out.text != NULL)
		output_clean(out.text);
	buf_free(&out);
	return EXIT_OK;
}

int
main(int argc, char **argv)
{
	const char *socket = getenv("HEDDLE_SOCKET");
	struct ask a = {
		.socket = socket != NULL && *socket != '\0'
				  ? socket
				  : CTL_DEFAULT_SOCKET,
		.patience = mono_ms(PATIENCE_MS),
	};
	const char *help = NULL;
	int rest = argc, ret;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--json") == 0)
			problem_use_json();
	ret = parse_arguments(&a, argc, argv, &rest, &help);
	if (ret == ASK_PLAN)
		ret = planner_run(argc - rest, argv + rest, a.socket, a.json);
	else if (ret == ASK_IMPORT)
		ret = import_command_run(argc - rest, argv + rest);
	else if (ret == ASK_COMPLETE)
		ret = run_complete(argc - rest, argv + rest, a.socket);
	else if (ret == ASK_HELP)
		ret = print_help(help) ? EXIT_OK : fail_command(help);
	else if (ret == ASK_VERSION)
		ret = printf("heddlectl %s\n", VERSION_TEXT) > 0 ? EXIT_OK
								 : EXIT_PROBLEM;
	else if (ret == EXIT_OK && a.cmd->show == show_events)
		ret = run_events(&a);
	else if (ret == EXIT_OK && a.cmd->show == record_command_show)
		ret = run_record(&a);
	else if (ret == EXIT_OK && a.cmd->show == NULL)
		ret = run_report(&a);
	else if (ret == EXIT_OK && a.cmd->show == show_verify)
		ret = run_verify(&a);
	else if (ret == EXIT_OK && a.config != NULL)
		ret = show_config_file(&a);
	else if (ret == EXIT_OK)
		ret = run_command(&a);
	json_decref(a.request);
	json_decref(a.local);
	return output_flush(ret);
}
