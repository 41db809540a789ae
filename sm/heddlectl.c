/*
 * heddlectl: ask heddled, show the answer. The tables below drive both parsing
 * and help; the rest is one request over the control socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/import/import.h"
#include "config/schema.h"
#include "routing/driver/registry.h"
#include "sm/base/argument.h"
#include "sm/base/loop.h"
#include "sm/base/suggest.h"
#include "sm/base/version.h"
#include "sm/completion.h"
#include "sm/ctl/client.h"
#include "sm/ctl/ctl.h"
#include "sm/ctl/metrics.h"
#include "sm/ctl/port_metrics.h"
#include "sm/events_command.h"
#include "sm/report/config_json.h"
#include "sm/report/drains_json.h"
#include "sm/report/json_util.h"
#include "sm/report/show.h"
#include "sm/report/standby_json.h"
#include "sm/report/terminal.h"
#include "sm/what_if/planner.h"

enum {
	EXIT_OK = 0,
	EXIT_PROBLEM = 1,
	EXIT_USAGE = 2,
	EXIT_UNREACHABLE = 3,
	EXIT_REFUSED = 4,
};

enum { PATIENCE_MS = 300000 };

/* A hand-over takes less than that, and is looked at so often. */
enum { HANDOVER_MS = 10000, LOOK_NS = 50000000 };

enum { SMINFO_MASTER = 3 };

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
		"table (default), json or ibnetdiscover"},
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct option_row tree_options[] = {
	{{"--list", NULL, "L"}, TEXT, "list",
		"oddities (default), switches with tiers, or homes:\n"
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

static const struct option_row no_options[] = {
	{{NULL, NULL, NULL}, TEXT, NULL, NULL},
};

static const struct command commands[] = {
	{"status", "", 0, 0, "status", NULL, {NULL, NULL}, status_options,
		show_status, "role, fabric, routes, verification, wire"},
	{"topology", "", 0, 0, "topology", NULL, {NULL, NULL}, topology_options,
		show_topology, "the nodes"},
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
	{"config", "show", 1, 1, "config", NULL, {"what", NULL}, config_options,
		show_config, "the configuration in force, without secrets"},
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

/* Commands that need no daemon. */
static const struct argument import_output = {"--output", "-o", "FILE"};
static const char import_help[] =
	"  import [-o FILE] OPENSM.CONF [PARTITIONS.CONF]\n"
	"      print OpenSM's configuration as heddle.yaml (- for none)\n";

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
	if (name == NULL || import) {
		buf_printf(&b, "%s", import_help);
		argument_help(&b, &import_output, 6,
			"write a new FILE for heddled alone");
	}
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

/* With --json, an error is an object on standard output as well. */
/* NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables) */
static bool json_errors;

static void print_error(const char *code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Say what went wrong; code: as in the daemon's answers. */
static void
print_error(const char *code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)fprintf(stderr, "heddlectl: %s\n", text);
	if (json_errors)
		json_util_print_error(code, text);
}

static int
fail_usage(const char *what, const char *which)
{
	print_error("bad-argument", "%s%s%s%s", what, which != NULL ? " '" : "",
		which != NULL ? which : "", which != NULL ? "'" : "");
	(void)fprintf(stderr, "Try heddlectl help.\n");
	return EXIT_USAGE;
}

/* The nearest command to a word that is none, or where else it is done. */
static int
fail_command(const char *word)
{
	struct suggest s = suggest_for(word);

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (strcmp(elsewhere[i][0], word) == 0) {
			print_error("bad-argument",
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
		return fail_usage("unknown command", word);
	print_error("bad-argument", "unknown command '%s'; did you mean '%s'?",
		word, s.best);
	return EXIT_USAGE;
}

/* An option of a command is not known, or its value is not right. */
static int
fail_option(const char *command, const struct reason *why)
{
	print_error("bad-argument", "%s: %s", command, why->text);
	(void)fprintf(stderr, "Try heddlectl help %s.\n", command);
	return EXIT_USAGE;
}

static int
set_number(struct ask *a, const struct option_row *o, const char *value)
{
	char *end;
	unsigned long long n = strtoull(value, &end, 10);

	if (*value < '0' || *value > '9' || *end != '\0' || n > INT64_MAX)
		return fail_usage("not a number:", value);
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
		return fail_usage("not a number of seconds:", value);
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
		print_error("bad-argument", "%s: %s", o->is.word, why.text);
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
	else if (strcmp(value, "ibnetdiscover") == 0)
		a->text = true;
	else if (strcmp(value, "table") != 0)
		return fail_usage("unknown format", value);
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
			return fail_usage("value is not UTF-8:", o->is.word);
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
			return fail_usage("value is not UTF-8:", o->is.word);
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
			ret = fail_option(a->cmd->name, &l.why);
		else if (kind == ARGUMENT_OPTION && l.ix < HELP)
			take_own_option(a, &l);
		else if (kind == ARGUMENT_OPTION)
			ret = set_option(a, &own[l.ix - HELP], l.value);
		else if (a->noperands >= a->cmd->max_operands)
			ret = fail_usage("unexpected argument", l.value);
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
		return fail_usage(
			"metrics cannot be printed as JSON; use status", NULL);
	if (a->noperands < a->cmd->min_operands) {
		print_error("bad-argument", "%s: expected %s", a->cmd->name,
			a->cmd->operands);
		return EXIT_USAGE;
	}
	if (a->noperands > 0 && json_object_get(a->request, "switch") != NULL)
		return fail_usage(
			"--switch cannot be combined with FROM or TO", NULL);
	if (a->cmd->show == show_config && strcmp(a->operand[0], "show") != 0)
		return fail_usage("config: expected show, not", a->operand[0]);
	/* what is shown can be a configuration again: nothing is broken at the
	 * width of a terminal */
	if (a->cmd->show == show_config &&
		json_object_get(a->request, "origin") == NULL)
		a->text = !a->json;
	for (unsigned i = 0; i < a->noperands; i++)
		if (json_object_set_new(a->request, a->cmd->key[i + skip],
			    json_string(a->operand[i])) != 0)
			return fail_usage("an operand is not UTF-8", NULL);
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
	if (strcmp(name, "import") == 0 && i == 0) {
		*arg = import_output.arg;
		return import_output.word;
	}
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
		return fail_usage(l.why.text, NULL);
	return kind == ARGUMENT_OPERAND ? EXIT_OK
					: fail_usage("no command given", NULL);
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

static int
fault_code(enum client_fault fault)
{
	switch (fault) {
	case CLIENT_UNREACHABLE:
		return EXIT_UNREACHABLE;
	case CLIENT_FORBIDDEN:
		return EXIT_REFUSED;
	case CLIENT_TIMEOUT:
	case CLIENT_BROKEN:
	default:
		return EXIT_PROBLEM;
	}
}

/* The same as a word, for JSON. */
static const char *
fault_word(enum client_fault fault)
{
	switch (fault) {
	case CLIENT_UNREACHABLE:
		return "unreachable";
	case CLIENT_FORBIDDEN:
		return "refused";
	case CLIENT_TIMEOUT:
		return "timeout";
	case CLIENT_BROKEN:
	default:
		return "broken";
	}
}

static int
reply_code(const json_t *reply)
{
	const char *code = json_string_value(json_object_get(reply, "code"));

	if (json_is_true(json_object_get(reply, "ok")))
		return EXIT_OK;
	if (code != NULL && strcmp(code, "refused") == 0)
		return EXIT_REFUSED;
	if (code != NULL && strcmp(code, "bad-argument") == 0)
		return EXIT_USAGE;
	return EXIT_PROBLEM;
}

/* Ask heddled; NULL and *code when there is no result to show. */
static json_t *
ask_daemon(const struct ask *a, int fd, const json_t *request,
	struct mono until, int *code)
{
	enum client_fault fault;
	struct reason why;
	const char *error;
	json_t *reply = client_ask(fd, request, until, &fault, &why);

	if (reply == NULL) {
		print_error(fault_word(fault), "%s", why.text);
		*code = fault_code(fault);
		return NULL;
	}
	*code = reply_code(reply);
	if (*code == EXIT_OK)
		return reply;
	error = json_string_value(json_object_get(reply, "error"));
	(void)fprintf(stderr, "heddlectl: %s\n",
		error != NULL ? error : "failed, no reason given");
	if (a->json) {
		(void)json_dumpf(reply, stdout, JSON_COMPACT);
		(void)putchar('\n');
	}
	json_decref(reply);
	return NULL;
}

/* Wait until the sweep or the rebalance that was asked for is over; the answer
 * is the status after it. */
static json_t *
wait_after(const struct ask *a, int fd, json_t *reply, struct mono until,
	int *code)
{
	const json_t *result = json_object_get(reply, "result");
	const char *key = json_object_get(result, "wait_sweep") != NULL
				  ? "wait_sweep"
				  : "wait_generation";
	json_t *request = json_pack("{s:s, s:O}", "cmd", "status", key,
		json_object_get(result, key));
	json_t *after = NULL;

	if (request != NULL)
		after = ask_daemon(a, fd, request, until, code);
	else
		*code = EXIT_PROBLEM;
	json_decref(request);
	json_decref(reply);
	return after;
}

/* What wait_after waits for, from the first drain of an answer that is not in
 * force yet; NULL: it is. */
static json_t *
pending_drain(const json_t *reply)
{
	const json_t *list =
		json_object_get(json_object_get(reply, "result"), "drains");
	const json_t *d = json_array_get(list, 0);

	if (strcmp(json_util_text(d, "state"), "pending") != 0)
		return NULL;
	return json_pack("{s:{s:O}}", "result", "wait_generation",
		json_object_get(d, "generation"));
}

/* Wait until what was drained is in force, which may take two runs; a standby
 * waits for nothing. The answer is what is drained. */
static json_t *
wait_drained(const struct ask *a, int fd, json_t *reply, struct mono until,
	int *code)
{
	bool waits = json_object_get(json_object_get(reply, "result"),
			     "wait_generation") != NULL;
	json_t *request = json_pack("{s:s, s:O}", "cmd", "drains", "node",
		json_object_get(a->request, "node"));
	json_t *after = waits ? reply : NULL;

	if (!waits)
		json_decref(reply);
	do {
		reply = after != NULL ? wait_after(a, fd, after, until, code)
				      : json_null();
		if (reply == NULL)
			break;
		json_decref(reply);
		reply = ask_daemon(a, fd, request, until, code);
		after = waits ? pending_drain(reply) : NULL;
	} while (after != NULL);
	json_decref(request);
	return reply;
}

/* True if by this status another manager is master. */
static bool
is_handed_over(const json_t *status)
{
	const json_t *master = json_object_get(status, "master");
	const char *role = json_string_value(json_object_get(status, "role"));

	return role != NULL && strcmp(role, "standby") == 0 &&
	       json_integer_value(json_object_get(master, "state")) ==
		       SMINFO_MASTER;
}

/* Wait until the standby in the reply is master; the answer is the status then.
 */
static json_t *
wait_handed_over(const struct ask *a, int fd, json_t *reply, int *code)
{
	static const struct timespec pause = {0, LOOK_NS};
	struct mono until = mono_add(loop_now(), mono_ms(HANDOVER_MS));
	json_t *request = json_pack("{s:s}", "cmd", "status");

	do {
		json_decref(reply);
		(void)nanosleep(&pause, NULL);
		reply = ask_daemon(a, fd, request, until, code);
	} while (reply != NULL && mono_before(loop_now(), until) &&
		 !is_handed_over(json_object_get(reply, "result")));
	json_decref(request);
	if (reply == NULL || is_handed_over(json_object_get(reply, "result")))
		return reply;
	(void)fprintf(stderr,
		"heddlectl: not handed over: the log of heddled says why\n");
	*code = EXIT_PROBLEM;
	json_decref(reply);
	return NULL;
}

/* Print text that came from the wire: control characters do not reach the
 * terminal. */
static void
print_clean(const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		(void)putchar((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f
				      ? '?'
				      : c);
	}
}

/* Columns of the terminal; 0: standard output is none, or does not say. */
static unsigned
terminal_width(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
		return 0;
	return w.ws_col;
}

static bool
has_colours(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) != 0 && (no == NULL || *no == '\0') &&
	       term != NULL && strcmp(term, "dumb") != 0;
}

/* Print a page for a person. */
static void
print_page(const struct buf *page)
{
	struct buf out = {0};

	/* before there are colours in it */
	for (size_t i = 0; i < page->n; i++)
		if (((unsigned char)page->text[i] < 0x20 &&
			    page->text[i] != '\n') ||
			page->text[i] == 0x7f)
			page->text[i] = '?';
	terminal_format(page->text, terminal_width(), has_colours(), &out);
	(void)fwrite(out.text, 1, out.n, stdout);
	buf_free(&out);
}

/* All nodes of the command "counters", page by page, as far as they come, in a
 * new array. */
static json_t *
ask_counters(const struct ask *a, int fd, struct mono until, int *code)
{
	json_t *request = json_pack("{s:s}", "cmd", "counters");
	json_t *nodes = json_array();
	bool more = true;

	while (more) {
		json_t *reply = ask_daemon(a, fd, request, until, code);
		const json_t *page = json_object_get(reply, "result");
		json_t *next = json_object_get(page, "next");

		more = json_is_string(next);
		if (more)
			(void)json_object_set(request, "after", next);
		(void)json_array_extend(nodes, json_object_get(page, "nodes"));
		json_decref(reply);
	}
	json_decref(request);
	return nodes;
}

/* Metrics are printed for a daemon that is down or in alarm, too: neither is a
 * failure to print them. code: of asking. */
static int
print_metrics(const struct ask *a, const json_t *result, int fd,
	struct mono until, int code)
{
	const json_t *health = json_object_get(result, "health");
	json_t *nodes = NULL;
	struct buf out = {0};
	struct reason why;

	metrics_text(result, &out);
	if (json_util_yes(health, "port_metrics"))
		nodes = ask_counters(a, fd, until, &code);
	port_metrics_text(nodes, &out);
	json_decref(nodes);
	if (a->output == NULL)
		(void)fputs(out.text, stdout);
	else if (metrics_write(a->output, &out, &why) != 0) {
		(void)fprintf(stderr, "heddlectl: %s\n", why.text);
		code = EXIT_PROBLEM;
	}
	buf_free(&out);
	return code;
}

static void
print_result(const struct ask *a, const json_t *result)
{
	const char *text = json_string_value(json_object_get(result, "text"));
	struct buf out = {0};

	if (a->text && text != NULL) {
		print_clean(text);
		return;
	}
	if (a->json) {
		(void)json_dumpf(
			result, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
		(void)putchar('\n');
		return;
	}
	standby_json_line(result, (uint64_t)time(NULL), &out);
	if (a->wait)
		show_status(result, &out);
	else
		a->cmd->show(result, &out);
	if (out.text != NULL)
		print_page(&out);
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

/* How events are asked for, over one connection. */
struct events_asking {
	const struct ask *a;
	int fd; /* -1: not connected */
};

/* While events are followed, a daemon that is restarted is waited for. */
static int
connect_again(struct events_asking *q, bool again, int *code)
{
	static const struct timespec pause = {1, 0};
	enum client_fault fault;
	struct reason why;

	while (q->fd < 0) {
		q->fd = client_connect(q->a->socket, &fault, &why);
		if (q->fd >= 0)
			break;
		if (!again || fault != CLIENT_UNREACHABLE) {
			print_error(fault_word(fault),
				"%s; heddlectl events --file FILE reads what "
				"it wrote to state.dir",
				why.text);
			*code = fault_code(fault);
			return -1;
		}
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

static json_t *
ask_events(void *cookie, const json_t *request, bool again, int *code)
{
	static const struct timespec pause = {1, 0};
	struct events_asking *q = cookie;
	enum client_fault fault;
	struct reason why;
	json_t *reply;

	while (connect_again(q, again, code) == 0) {
		if (!again)
			return ask_daemon(q->a, q->fd, request,
				mono_add(loop_now(), q->a->patience), code);
		reply = client_ask(q->fd, request, MONO_NEVER, &fault, &why);
		*code = reply != NULL ? reply_code(reply) : EXIT_OK;
		if (reply != NULL && *code == EXIT_OK)
			return reply;
		/* the daemon has ended, or nothing happened for an hour */
		if (*code == EXIT_USAGE || *code == EXIT_REFUSED) {
			print_error(
				"failed", "%s", json_util_text(reply, "error"));
			json_decref(reply);
			return NULL;
		}
		json_decref(reply);
		(void)close(q->fd);
		q->fd = -1;
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

static void
show_some_events(void *cookie, const json_t *result)
{
	const struct events_asking *q = cookie;
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
	struct events_asking q = {a, -1};
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

	if (q.fd >= 0)
		(void)close(q.fd);
	return code >= 0 ? code : fail_option(a->cmd->name, &why);
}

static int
run_command(const struct ask *a)
{
	struct mono until = mono_add(loop_now(), a->patience);
	const json_t *result;
	enum client_fault fault;
	struct reason why;
	json_t *reply = NULL;
	int code;
	int fd = client_connect(a->socket, &fault, &why);

	if (fd < 0) {
		print_error(fault_word(fault), "%s", why.text);
		code = fault_code(fault);
	} else {
		reply = ask_daemon(a, fd, a->request, until, &code);
	}
	if (reply != NULL && a->wait)
		reply = wait_after(a, fd, reply, until, &code);
	if (reply != NULL && strcmp(a->cmd->name, "drain") == 0)
		reply = wait_drained(a, fd, reply, until, &code);
	else if (a->cmd->show == show_undrain &&
		 json_object_get(json_object_get(reply, "result"),
			 "wait_generation") != NULL)
		reply = wait_after(a, fd, reply, until, &code);
	if (reply != NULL && a->cmd->show == show_handover)
		reply = wait_handed_over(a, fd, reply, &code);
	result = json_object_get(reply, "result");
	if (a->cmd->show == metrics_text) {
		code = print_metrics(a, result, fd, until, code);
	} else if (reply != NULL) {
		print_result(a, result);
		if (a->cmd->show != show_handover &&
			a->cmd->show != show_undrain)
			code = exit_code_of(a, result);
	}
	json_decref(reply);
	if (fd >= 0)
		(void)close(fd);
	return code;
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

/* "-" stands for no file. */
static const char *
operand_or_null(const char *s)
{
	return s == NULL || strcmp(s, "-") == 0 ? NULL : s;
}

/* What the arguments of import say. */
struct import_args {
	const char *output; /* a file, or NULL */
	const char *file[2];
	unsigned n;
};

/* argv[0] is the word import. */
static int
parse_import(struct import_args *a, int argc, char **argv)
{
	struct argument_line l;
	enum argument_kind kind;

	argument_begin(&l, argc, argv);
	argument_know(&l, &import_output);
	while ((kind = argument_next(&l)) != ARGUMENT_END) {
		if (kind == ARGUMENT_WRONG)
			return fail_option("import", &l.why);
		if (kind == ARGUMENT_OPTION)
			a->output = l.value;
		else if (a->n == 2)
			return fail_usage("unexpected argument", l.value);
		else
			a->file[a->n++] = operand_or_null(l.value);
	}
	if (a->file[0] == NULL && a->file[1] == NULL)
		return fail_usage(
			"import: expected OPENSM.CONF [PARTITIONS.CONF]", NULL);
	return EXIT_OK;
}

/*
 * A new file that the daemon can read and other users cannot: of the group
 * heddle, where there is one and we may, else of our user alone. 0 or -1.
 */
static int
write_import(const char *file, const struct buf *yaml)
{
	const struct group *g = geteuid() == 0 ? getgrnam("heddle") : NULL;
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok = f != NULL;

	if (ok && g != NULL)
		ok = fchown(fd, (uid_t)-1, g->gr_gid) == 0 &&
		     fchmod(fd, 0640) == 0;
	ok = ok && fwrite(yaml->text, 1, yaml->n, f) == yaml->n;
	if (f != NULL && fclose(f) != 0)
		ok = false;
	if (!ok) {
		int error = errno;

		if (fd >= 0)
			(void)unlink(file);
		print_error("failed", "%s: %s%s", file, strerror(error),
			error == EEXIST ? "; nothing was written" : "");
		return -1;
	}
	(void)fprintf(stderr, "heddlectl: wrote %s, which %s can read\n", file,
		g != NULL ? "root and the group heddle" : "only you");
	return 0;
}

/* Keys in a file that every user can read are refused by heddled. */
static void
warn_open_output(void)
{
	char name[4096] = "FILE";
	struct stat st;
	ssize_t n;

	if (fstat(STDOUT_FILENO, &st) != 0 || !S_ISREG(st.st_mode) ||
		(st.st_mode & S_IROTH) == 0)
		return;
	n = readlink("/proc/self/fd/1", name, sizeof(name) - 1);
	if (n > 0)
		name[n] = '\0';
	(void)fprintf(stderr,
		"heddlectl: the result has secret keys, and every user can "
		"read it; heddled will refuse it until: chmod o= %s\n",
		name);
}

/* What was not carried over, as far as it fits a screen. */
static void
print_lost(const struct import_result *r)
{
	enum { SHOWN = 20 };
	const char *at = r->lost.text;

	(void)fprintf(stderr, "heddlectl: %zu thing%s not carried over:\n",
		r->nlost, r->nlost == 1 ? " was" : "s were");
	for (size_t i = 0; i < r->nlost && i < SHOWN; i++) {
		size_t n = strcspn(at, "\n");

		(void)fprintf(stderr, "  %.*s\n", (int)n, at);
		at += n + 1;
	}
	if (r->nlost > SHOWN)
		(void)fprintf(stderr,
			"  and %zu more: see the comments of the result\n",
			r->nlost - SHOWN);
}

static int
run_import(int argc, char **argv)
{
	struct import_args a = {0};
	struct import_result r = {0};
	struct reason why;
	int ret = parse_import(&a, argc, argv);

	if (ret != EXIT_OK)
		return ret;
	if (import_files(a.file[0], a.file[1], IMPORT_OPENSM_DIR,
		    registry_modules(), &r, &why) != 0) {
		print_error("bad-argument", "%s", why.text);
		return EXIT_USAGE;
	}
	if (a.output == NULL)
		(void)fwrite(r.yaml.text, 1, r.yaml.n, stdout);
	else if (write_import(a.output, &r.yaml) != 0)
		ret = EXIT_USAGE;
	if (r.nlost > 0)
		print_lost(&r);
	if (a.output == NULL && r.has_secrets)
		warn_open_output();
	if (ret == EXIT_OK && r.nlost > 0)
		ret = EXIT_PROBLEM;
	import_free(&r);
	return ret;
}

/* argv: the word complete, "--" and the words of the line. */
static int
run_complete(int argc, char **argv, const char *socket)
{
	static const struct completion_source from = {
		command_name, command_operands, command_option};
	struct buf out = {0};

	if (argc < 3 || strcmp(argv[1], "--") != 0)
		return fail_usage("complete: expected -- WORD ...", NULL);
	completion_words(&from, (size_t)argc - 2, argv + 2, socket, &out);
	if (out.text != NULL)
		print_clean(out.text);
	buf_free(&out);
	return EXIT_OK;
}

/* An answer that cannot be written to standard output is a failure. */
static int
flush_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	(void)fprintf(stderr,
		"heddlectl: cannot write to standard output: %s\n",
		strerror(errno));
	return code == EXIT_OK ? EXIT_PROBLEM : code;
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
		json_errors |= strcmp(argv[i], "--json") == 0;
	ret = parse_arguments(&a, argc, argv, &rest, &help);
	if (ret == ASK_PLAN)
		ret = planner_run(argc - rest, argv + rest, a.socket, a.json);
	else if (ret == ASK_IMPORT)
		ret = run_import(argc - rest, argv + rest);
	else if (ret == ASK_COMPLETE)
		ret = run_complete(argc - rest, argv + rest, a.socket);
	else if (ret == ASK_HELP)
		ret = print_help(help) ? EXIT_OK : fail_command(help);
	else if (ret == ASK_VERSION)
		ret = printf("heddlectl %s\n", VERSION_TEXT) > 0 ? EXIT_OK
								 : EXIT_PROBLEM;
	else if (ret == EXIT_OK && a.cmd->show == show_events)
		ret = run_events(&a);
	else if (ret == EXIT_OK && a.config != NULL)
		ret = show_config_file(&a);
	else if (ret == EXIT_OK)
		ret = run_command(&a);
	json_decref(a.request);
	json_decref(a.local);
	return flush_output(ret);
}
