/*
 * heddlectl: ask heddled, show the answer. command_table.h drives parsing, help
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
#include "sm/command_table.h"
#include "sm/completion.h"
#include "sm/ctl/client.h"
#include "sm/ctl/ctl.h"
#include "sm/ctl/metrics.h"
#include "sm/events_asking.h"
#include "sm/events_command.h"
#include "sm/import_command.h"
#include "sm/metrics_command.h"
#include "sm/output.h"
#include "sm/record_command.h"
#include "sm/report/config_json.h"
#include "sm/report/json_util.h"
#include "sm/report/problem.h"
#include "sm/report/show.h"
#include "sm/report/standby_json.h"
#include "sm/report/topology_json.h"
#include "sm/report/verify_json.h"
#include "sm/report_command.h"
#include "sm/verify_command.h"
#include "sm/waiting.h"
#include "sm/what_if/planner.h"

enum { PATIENCE_MS = 300000 };

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

/* Print the help of one command, or of all (NULL). False: there is no such
 * command. */
static bool
print_help(const char *name)
{
	const struct command *one =
		name != NULL ? command_table_find(name) : NULL;
	bool plan = name != NULL && strcmp(name, "plan") == 0;
	bool import = name != NULL && strcmp(name, "import") == 0;
	const struct command *c;
	struct buf b = {0};

	if (name != NULL && one == NULL && !plan && !import)
		return false;
	for (size_t i = 0; (c = command_table_at(i)) != NULL; i++)
		if (name == NULL || one == c)
			print_command(c, &b);
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

/* Commands that are carried out here, without a row of command_table. */
static const struct {
	const char *name, *operands;
} local_commands[] = {
	{"plan", ""},
	{"import", "OPENSM.CONF"},
	{"help", ""},
};

enum { NLOCAL = sizeof(local_commands) / sizeof(local_commands[0]) };

/* The names of all commands, these last; NULL behind the last one. */
static const char *
command_name(size_t i)
{
	size_t n = 0;

	while (command_table_at(n) != NULL)
		n++;
	if (i < n)
		return command_table_at(i)->name;
	return i - n < NLOCAL ? local_commands[i - n].name : NULL;
}

/* The nearest command to a word that is none, or where else it is done. */
static int
fail_command(const char *word)
{
	struct suggest s = suggest_for(word);
	const char *name;

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (strcmp(elsewhere[i][0], word) == 0) {
			problem_print("bad-argument",
				"unknown command '%s': see heddlectl %s", word,
				elsewhere[i][1]);
			return EXIT_USAGE;
		}
	for (size_t i = 0; (name = command_name(i)) != NULL; i++)
		suggest_offer(&s, name);
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
	case OPTION_WAIT:
		a->wait = true;
		return EXIT_OK;
	case OPTION_FOLLOW:
		a->follow = true;
		return EXIT_OK;
	case OPTION_LOCAL:
		if (a->local == NULL)
			a->local = json_object();
		if (json_object_set_new(a->local, o->key, json_string(value)) !=
			0)
			return problem_usage("value is not UTF-8:", o->is.word);
		return EXIT_OK;
	case OPTION_SECONDS:
		return set_seconds(a, value);
	case OPTION_NUMBER:
		return set_number(a, o, value);
	case OPTION_FORMAT:
		return set_format(a, o, value);
	case OPTION_OUTPUT:
		a->output = value;
		return EXIT_OK;
	case OPTION_FLAG:
		(void)json_object_set_new(a->request, o->key, json_true());
		return EXIT_OK;
	case OPTION_DURATION:
		return set_duration(a, o, value);
	case OPTION_CONFIG:
		a->config = value;
		return EXIT_OK;
	case OPTION_TEXT:
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

static const char *
command_operands(const char *name)
{
	const struct command *c = command_table_find(name);

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
	const struct command *c = command_table_find(name);

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
	a->cmd = command_table_find(argv[i]);
	if (a->cmd == NULL)
		return fail_command(argv[i]);
	a->request = json_util_object(M("cmd", a->cmd->cmd));
	if (a->cmd->what != NULL)
		json_util_put(a->request, M("what", a->cmd->what));
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

	if (json_util_has_text(result, "alarm") || has_used_drain(result))
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
	json_t *reply, *result;

	if (!asking_connect(&q, a->socket, code))
		return NULL;
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
	json_t *reply = NULL;
	int code;

	if (asking_connect(&q, a->socket, &code))
		reply = asking_reply(&q, a->request, &code);
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
	struct config *c = planner_read_config(a->config);
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
