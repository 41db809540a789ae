#include "sm/report_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sm/asking.h"
#include "sm/base/file.h"
#include "sm/base/loop.h"
#include "sm/base/version.h"
#include "sm/ctl/client.h"
#include "sm/output.h"
#include "sm/report/fabric_report.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/problem.h"
#include "sm/report/report_faults.h"
#include "sm/view/cut_points.h"
#include "sm/what_if/comparison.h"
#include "sm/what_if/forecast.h"
#include "sm/what_if/plan_json.h"
#include "sm/what_if/snapshot_read.h"

/* Seconds for all answers together; a fabric that changes meanwhile is read
 * again, so many times; events and nodes that are listed, at most. */
enum { PATIENCE_S = 120, READINGS = 3, EVENTS = 1000, NODES = 500 };

/* What is asked for, and what it is about. */
struct report {
	const struct report_command *c;
	bool progress; /* standard error is a terminal */
	int fd;
	struct mono until;
	struct lft_pool *pool;
	struct snapshot given;
	struct forecast now;
	json_t *status, *page;
};

static void
show_progress(void *cookie, const char *doing)
{
	const struct report *r = cookie;

	if (r->progress)
		(void)fprintf(stderr, "\r\033[K%s%s", doing,
			*doing != '\0' ? " ..." : "");
}

static int
fail_report(const char *word, const struct reason *why)
{
	problem_print(word, "report: %s", why->text);
	return EXIT_PROBLEM;
}

/* ---- asking ---- */

/* Ask for the result of a request, which is taken over, in *out, which replaces
 * what is there. */
static int
ask_result(struct report *r, json_t *request, json_t **out)
{
	enum client_fault fault;
	struct reason why;
	json_t *reply = client_ask(r->fd, request, r->until, &fault, &why);
	int code = EXIT_OK;

	json_decref(request);
	json_decref(*out);
	*out = json_incref(json_object_get(reply, "result"));
	if (reply == NULL) {
		problem_print(asking_fault_word(fault), "report: %s", why.text);
		code = asking_fault_code(fault);
	} else if (*out == NULL) {
		problem_print(json_util_text(reply, "code"), "report: %s",
			json_util_text(reply, "error"));
		code = asking_reply_code(reply) == EXIT_REFUSED ? EXIT_REFUSED
								: EXIT_PROBLEM;
	}
	json_decref(reply);
	return code;
}

/* Ask for a command's result, and put it into the page by this name. */
static int
ask_into(struct report *r, json_t *request, const char *key)
{
	json_t *result = NULL;
	int code = ask_result(r, request, &result);

	json_util_put(r->page, M(key, result));
	return code;
}

/* The last events only. */
static void
cut_events(json_t *events)
{
	json_t *list = json_object_get(events, "events"), *last = json_array();
	size_t n = json_array_size(list), from = n > EVENTS ? n - EVENTS : 0;

	for (size_t i = from; i < n; i++)
		(void)json_array_append(last, json_array_get(list, i));
	json_util_put(events, M("left_out", from), M("events", last));
}

static int
ask_lists(struct report *r)
{
	json_t *found = NULL;
	int code = ask_into(r, json_util_object(M("cmd", "events")), "events");

	if (code == EXIT_OK)
		cut_events(json_object_get(r->page, "events"));
	if (code == EXIT_OK)
		code = ask_into(
			r, json_util_object(M("cmd", "drains")), "drains");
	if (code == EXIT_OK)
		code = ask_into(r, json_util_object(M("cmd", "links")), "gone");
	if (code == EXIT_OK)
		code = ask_result(r,
			json_util_object(M("cmd", "links"),
				M("bad", json_true()),
				M("errors", json_true())),
			&found);
	if (code == EXIT_OK)
		json_util_put(r->page, M("faults", report_faults_json(found)));
	json_decref(found);
	return code;
}

/* All of the daemon's answers are to be about one view of the fabric: false
 * where it has another one since. */
static bool
is_of_one_view(const struct report *r, const json_t *snapshot)
{
	return json_util_num(r->status, "generation") ==
	       json_util_num(snapshot, "generation");
}

/* Where the switches are on the map. */
static int
ask_map(struct report *r)
{
	json_t *map = NULL;
	int code = ask_result(r,
		json_util_object(M("cmd", "topology"), M("format", "map")),
		&map);

	(void)json_object_set(r->page, "map", json_object_get(map, "map"));
	json_decref(map);
	return code;
}

static int
ask_all(struct report *r, json_t **snapshot)
{
	int code = EXIT_OK;

	for (unsigned i = 0; i < READINGS; i++) {
		show_progress(r, "asking heddled");
		code = ask_result(r,
			json_util_object(
				M("cmd", "snapshot"), M("tables", json_true())),
			snapshot);
		if (code == EXIT_OK)
			code = ask_map(r);
		if (code == EXIT_OK)
			code = ask_lists(r);
		if (code == EXIT_OK)
			code = ask_result(r,
				json_util_object(M("cmd", "status")),
				&r->status);
		if (code != EXIT_OK || is_of_one_view(r, *snapshot))
			break;
	}
	if (code == EXIT_OK)
		json_util_put(r->page, M("mixed", json_boolean(!is_of_one_view(
							  r, *snapshot))));
	return code;
}

/* Ask for everything, and read the snapshot. */
static int
read_fabric(struct report *r)
{
	json_t *snapshot = NULL;
	enum client_fault fault;
	struct reason why;
	int code;

	r->fd = client_connect(r->c->socket, &fault, &why);
	if (r->fd < 0) {
		problem_print(asking_fault_word(fault), "report: %s", why.text);
		return asking_fault_code(fault);
	}
	code = ask_all(r, &snapshot);
	show_progress(r, "reading the fabric");
	if (code == EXIT_OK &&
		snapshot_read(snapshot, r->pool, &r->given, &why) != 0)
		code = fail_report("broken", &why);
	json_decref(snapshot);
	return code;
}

/* ---- the page ---- */

/* What the page shows of the status. The rest is about this daemon and its
 * host, and is not passed on with the page. */
static json_t *
choose_status(const json_t *status)
{
	static const char *const shown[] = {"version", "role", "alarm",
		"generation", "cause", "age", "engine", "fallback", "tried",
		"order", "fabric", "missing", "health", "tree", "multi_port",
		"verified", "change", "quarantined", "foreign_adaptive",
		"unreachable", "unreachable_ports", "others"};
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		(void)json_object_set(
			o, shown[i], json_object_get(status, shown[i]));
	return o;
}

/* Every engine on this fabric, with the configuration in force. */
static void
put_comparison(struct report *r, const struct forecast_job *job)
{
	const char *best;
	json_t *engines = comparison_json(job, r->given.topo, &best);

	json_util_put(r->page, M("best", names_text(best != NULL ? best : "")),
		M("engines", engines));
}

static void
put_fabric(struct report *r)
{
	const struct forecast_job job = {.cfg = r->given.cfg,
		.given = &r->given,
		.pool = r->pool,
		.told = show_progress,
		.cookie = r};
	struct fabric_report_facts facts = {.routes = r->given.routes};
	struct cut_points cuts;
	json_t *o;

	forecast_judge(&job, r->given.routes, &r->now);
	cut_points_find_in_use(r->given.topo, &cuts);
	facts.cut_link = cuts.link;
	facts.ncut_links = cuts.nlinks;
	facts.cut_switch = cuts.sw;
	facts.ncut_switches = cuts.nsw;
	show_progress(r, "packing the tables");
	o = fabric_report_json(&facts);
	(void)json_object_update(r->page, o);
	json_decref(o);
	cut_points_free(&cuts);
	json_util_put(r->page, M("forecast", plan_json_forecast(&r->now)),
		M("redundancy",
			json_util_object(M("nodes", r->now.redundancy.n),
				M("single", r->now.redundancy.single),
				M("list", plan_json_single_points(
						  &r->now, NODES)))));
	if (r->c->compare)
		put_comparison(r, &job);
}

static void
make_page(struct report *r, struct buf *out)
{
	put_fabric(r);
	json_util_put(r->page, M("version", VERSION_TEXT),
		M("made", (uint64_t)time(NULL)),
		M("status", choose_status(r->status)));
	if (r->given.standby != NULL)
		json_util_put(
			r->page, M("standby", json_incref(r->given.standby)));
	fabric_report_page(r->page, out);
	show_progress(r, "");
}

static void
print_written(const struct report *r, size_t bytes)
{
	json_t *o;

	if (!r->c->json) {
		(void)printf("wrote %s, %.1f MB: open it in a browser\n",
			r->c->output, (double)bytes / 1e6);
		return;
	}
	o = json_util_object(
		M("file", names_text(r->c->output)), M("bytes", bytes));
	output_json(o);
	json_decref(o);
}

static int
write_page(struct report *r)
{
	struct buf text = {0};
	struct reason why;
	int code = EXIT_OK;

	make_page(r, &text);
	if (file_replace(r->c->output, &text, &why) != 0)
		code = fail_report("failed", &why);
	else
		print_written(r, text.n);
	buf_free(&text);
	return code;
}

static void
report_free(struct report *r)
{
	if (r->fd >= 0)
		(void)close(r->fd);
	json_decref(r->page);
	json_decref(r->status);
	forecast_free(&r->now);
	snapshot_read_free(&r->given);
	lft_pool_free(r->pool);
}

int
report_command_run(const struct report_command *c)
{
	struct report r = {.c = c,
		.progress = isatty(STDERR_FILENO) != 0,
		.fd = -1,
		.until = mono_add(
			loop_now(), mono_ms((int64_t)PATIENCE_S * 1000)),
		.pool = lft_pool_new(),
		.page = json_object()};
	struct reason missing = {"-o FILE is missing"};
	int code;

	if (c->output == NULL || *c->output == '\0')
		code = problem_option("report", &missing);
	else
		code = read_fabric(&r);
	if (code == EXIT_OK)
		code = write_page(&r);
	report_free(&r);
	return code;
}
