/*
 * A status as Prometheus metrics: against a golden page, against the grammar of
 * the format, against the status of a running daemon, and against the manual
 * page. With HEDDLE_UPDATE=1 page and manual are rewritten instead.
 */
#include "sm/ctl/metrics.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/event/alarm_kind.h"
#include "sm/report/status_json.h"
#include "sm/view/view_redundancy.h"
#include "tests/sim/model/world.h"
#include "tests/topo/shape.h"
#include "tests/unit/manual.h"
#include "tests/unit/suite.h"

static const struct metrics_row *
row_of(const char *name, size_t len)
{
	size_t n;
	const struct metrics_row *row = metrics_all(&n);

	for (size_t i = 0; i < n; i++)
		if (strlen(row[i].name) == len &&
			strncmp(row[i].name, name, len) == 0)
			return &row[i];
	return NULL;
}

/* ---- the grammar ---- */

static const char *
skip_word(const char *s, const char *more)
{
	const char *from = s;

	while (isalpha((unsigned char)*s) || *s == '_' ||
		(s > from && isdigit((unsigned char)*s)) ||
		(*s != '\0' && strchr(more, *s) != NULL))
		s++;
	return s > from ? s : NULL;
}

/* {name="value",...} */
static const char *
skip_labels(const char *s)
{
	do {
		s = skip_word(s + 1, "");
		if (s == NULL || *s++ != '=' || *s++ != '"')
			return NULL;
		for (; *s != '"'; s++) {
			if (*s == '\0' || *s == '\n' ||
				(*s == '\\' && strchr("\\\"n", *++s) == NULL))
				return NULL;
		}
		s++;
	} while (*s == ',');
	return *s == '}' ? s + 1 : NULL;
}

/* The family that this line belongs to, its samples after HELP and TYPE. */
static const struct metrics_row *
judge_line(const char *line, const struct metrics_row *family, unsigned *step)
{
	const bool help = strncmp(line, "# HELP ", 7) == 0;
	const bool type = strncmp(line, "# TYPE ", 7) == 0;
	const char *name = help || type ? line + 7 : line;
	const char *end = skip_word(name, ":");
	const struct metrics_row *row;
	char *rest;

	ck_assert_msg(end != NULL, "%s", line);
	row = row_of(name, (size_t)(end - name));
	ck_assert_msg(row != NULL, "%s", line);
	if (help) {
		ck_assert_msg(row != family && *step != 1, "%s", line);
		ck_assert_str_eq(end + 1, row->help);
		*step = 1;
		return row;
	}
	ck_assert_msg(row == family, "out of its family: %s", line);
	if (type) {
		ck_assert_uint_eq(*step, 1);
		ck_assert_str_eq(end, row->counter ? " counter" : " gauge");
		*step = 2;
		return row;
	}
	ck_assert_msg(*step >= 2, "%s", line);
	*step = 3;
	if (*end == '{')
		end = skip_labels(end);
	ck_assert_msg(end != NULL && *end == ' ' && end[1] > ' ', "%s", line);
	(void)strtod(end + 1, &rest);
	ck_assert_msg(*rest == '\0', "%s", line);
	return row;
}

static void
judge_page(const struct buf *page)
{
	const struct metrics_row *family = NULL;
	char *copy = strdup(page->text), *save = NULL;
	unsigned step = 0;

	ck_assert(page->text[page->n - 1] == '\n');
	for (char *l = strtok_r(copy, "\n", &save); l != NULL;
		l = strtok_r(NULL, "\n", &save))
		family = judge_line(l, family, &step);
	ck_assert_uint_eq(step, 3);
	free(copy);
}

/* ---- tests ---- */

TEST(table)
{
	size_t n;
	const struct metrics_row *row = metrics_all(&n);

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(row[i].name);
		const char *end = skip_word(row[i].name, "");

		ck_assert_ptr_nonnull(end);
		ck_assert_msg(*end == '\0', "%s", row[i].name);
		ck_assert(strncmp(row[i].name, "heddle_", 7) == 0);
		ck_assert_msg(row_of(row[i].name, len) == &row[i], "twice: %s",
			row[i].name);
		ck_assert_msg(row[i].counter == (strcmp(row[i].name + len - 6,
							 "_total") == 0),
			"%s", row[i].name);
		ck_assert(strpbrk(row[i].help, "\\\n") == NULL);
		ck_assert_msg((row[i].labels != NULL) ==
				      (strpbrk(row[i].path, "[|*") != NULL),
			"%s", row[i].name);
	}
}

TEST(golden)
{
	AUTO(buf) struct buf want, page = {0};
	json_error_t err;
	json_t *j = json_load_file(
		source_path("tests/golden/metrics.json"), 0, &err);

	ck_assert_msg(j != NULL, "%d: %s", err.line, err.text);
	metrics_text(j, &page);
	json_decref(j);
	judge_page(&page);
	if (getenv("HEDDLE_UPDATE") != NULL)
		write_file(source_path("tests/golden/metrics.prom"), page.text);
	want = read_file(source_path("tests/golden/metrics.prom"));
	ck_assert_str_eq(page.text, want.text);
}

TEST(no_answer)
{
	AUTO(buf) struct buf page = {0};

	metrics_text(NULL, &page);
	judge_page(&page);
	ck_assert_str_eq(page.text,
		"# HELP heddle_up 1 if heddled answered, else 0.\n"
		"# TYPE heddle_up gauge\n"
		"heddle_up 0\n");
}

/* Every path of the table exists in the status of a daemon. */
TEST(running_daemon)
{
	/* These exist only in case of a fault, or with a control socket. */
	static const char *const silent[] = {"heddle_alarm_info",
		"heddle_config_refused_info", "heddle_fallback_info",
		"heddle_quarantined_info", "heddle_foreign_adaptive_info",
		"heddle_tree_irregularities", "heddle_blocked_deadline_seconds",
		"heddle_qos_shortage_info", "heddle_control_events_total"};
	struct sim_options o = sim_defaults();
	AUTO(fabric) struct fabric *f = shape_of("two:2:4:3");
	AUTO(world)
	struct world *w = world_new(f, &o,
		"qos:\n  levels:\n    gold: {weight: 8, sl: 3}\n"
		"health: {enabled: true, interval: 1s}\n"
		"partitions:\n  all: {pkey: 0x10, members: {ALL: full, nobody: "
		"full}}\n");
	struct status_daemon d = {.config_file = ""};
	struct status_control ctl = {0};
	struct sm_status sm;
	struct deviations found = {.n = 0};
	struct status_facts facts = {.daemon = &d,
		.config = w->config,
		.sm = &sm,
		.ctl = &ctl,
		.cabling = {true, "plan", "", &found, 1}};
	AUTO(buf) struct buf page = {0};
	size_t n, missing = 0;
	const struct metrics_row *row = metrics_all(&n);
	AUTO(json) json_t *j = NULL;

	world_start(w);
	ck_assert(world_settle(w, mono_ms(30000)));
	world_run(w, mono_ms(3000)); /* two readings make a ratio */
	sm_status(w->sm, &sm);
	facts.wire = sm_xact_stats(w->sm);
	facts.view = sm_view(w->sm);
	facts.events = sm_events(w->sm);
	facts.drains = sm_drains(w->sm);
	facts.health = sm_health(w->sm);
	facts.now = facts.view->when;
	sm_view(w->sm)->redundancy =
		view_redundancy_count(facts.view, NULL, NULL);
	j = status_json(&facts);
	metrics_text(j, &page);
	judge_page(&page);
	for (size_t i = 0; i < n; i++) {
		char help[128];
		bool may = false;

		for (size_t k = 0; k < sizeof(silent) / sizeof(silent[0]); k++)
			may |= strcmp(silent[k], row[i].name) == 0;
		(void)snprintf(help, sizeof(help), "# HELP %s ", row[i].name);
		if (may || strstr(page.text, help) != NULL)
			continue;
		missing++;
		(void)fprintf(stderr, "not in a status: %s %s\n", row[i].name,
			row[i].path);
	}
	ck_assert_uint_eq(missing, 0);
}

/* The values of a label that its row lists: ".. kind: switches, hosts." */
static void
print_values(const struct metrics_row *row, struct buf *out)
{
	const char *bar = strchr(row->path, '|'), *from = bar, *label;

	if (bar == NULL)
		return;
	while (from > row->path && from[-1] != '.')
		from--;
	/* before them a path has at most one other label, a '*' */
	label = row->labels;
	if (memchr(row->path, '*', (size_t)(from - row->path)) != NULL)
		label = strchr(label, ' ') + 1;
	buf_printf(out, "%.*s: ", (int)strcspn(label, " "), label);
	for (; *from != '\0' && *from != '.'; from++)
		if (*from == '|')
			buf_printf(out, ", ");
		else
			buf_put(out, from, 1);
	buf_printf(out, ".\n");
}

/* The manual page lists exactly what the table does. */
TEST(manual)
{
	const struct metrics_row *row;
	AUTO(buf) struct buf want = {0};
	size_t n;

	row = metrics_all(&n);
	for (size_t i = 0; i < n; i++) {
		buf_printf(&want, ".It Li %s%s%s\n%s\n", row[i].name,
			row[i].labels != NULL ? " Ns Brq " : "",
			row[i].labels != NULL ? row[i].labels : "",
			row[i].help);
		print_values(&row[i], &want);
	}
	manual_expect("man/heddle-metrics.7", "METRICS", &want);
}

/* Prometheus gives these labels to every metric; Grafana fills one. */
static bool
is_label_of(const struct metrics_row *row, const char *name, size_t n)
{
	const char *const more[] = {"job", "instance", row->labels};

	for (size_t i = 0; i < 3; i++)
		for (const char *at = more[i]; at != NULL && *at != '\0';
			at += strspn(at, " ")) {
			size_t len = strcspn(at, " ");

			if (len == n && strncmp(at, name, n) == 0)
				return true;
			at += len;
		}
	return false;
}

/* Braces behind a metric have labels of it; \" is a quote in JSON. */
static void
check_labels(const struct metrics_row *row, const char *at)
{
	if (*at != '{')
		return;
	do {
		const char *end = skip_word(++at, "");

		ck_assert_msg(
			end != NULL && is_label_of(row, at, (size_t)(end - at)),
			"%s has no label %.40s", row->name, at);
		at = strchr(end, '"') + 1;
		at = strchr(at, '"') + 1;
	} while (*at == ',');
}

/* Alert rules and dashboard: each metric in them is one, and has the labels
 * that it is selected by; the dashboard is JSON. */
TEST(monitoring)
{
	static const char *const text[] = {
		"config/monitoring/heddle-alerts.yaml",
		"config/monitoring/heddle-dashboard.json"};
	json_t *j = json_load_file(source_path(text[1]), 0, NULL);
	size_t metrics = 0;

	ck_assert_ptr_nonnull(j);
	json_decref(j);
	for (size_t i = 0; i < 2; i++) {
		AUTO(buf) struct buf b = read_file(source_path(text[i]));

		for (const char *at = b.text;
			(at = strstr(at, "heddle_")) != NULL; metrics++) {
			const char *end = skip_word(at, "");
			const struct metrics_row *row =
				row_of(at, (size_t)(end - at));

			ck_assert_msg(row != NULL, "%s: %.60s", text[i], at);
			check_labels(row, end);
			at = end;
		}
	}
	ck_assert_uint_gt(metrics, 40);
}

/* One rule calls for the alarms that are marked so, another for all others. */
TEST(alarm_rules)
{
	AUTO(buf)
	struct buf rules = read_file(
			   source_path("config/monitoring/heddle-alerts.yaml")),
		   is = {0}, is_not = {0};
	AUTO(buf) struct buf names = {0};

	for (unsigned k = 0; k < ALARM_KINDS; k++) {
		const struct alarm_row *row =
			alarm_kind_row((enum alarm_kind)k);

		if (row->page)
			buf_printf(&names, "%s%s", names.n > 0 ? "|" : "",
				row->name);
	}
	buf_printf(&is, "heddle_alarms{alarm=~\"%s\"}", names.text);
	buf_printf(&is_not, "heddle_alarms{alarm!~\"%s\"}", names.text);
	ck_assert_msg(strstr(rules.text, is.text) != NULL, "%s", is.text);
	ck_assert_msg(
		strstr(rules.text, is_not.text) != NULL, "%s", is_not.text);
	buf_free(&is);
	buf_free(&is_not);
}

/* The alarms of this status that are on, as "name name ". */
static void
expect_alarms(const struct status_facts *f, const char *want)
{
	AUTO(json) json_t *j = status_json(f);
	AUTO(buf) struct buf on = {0};
	json_t *alarm;
	size_t i;

	json_array_foreach(json_object_get(j, "alarms"), i, alarm)
	{
		if (json_is_true(json_object_get(alarm, "on")))
			buf_printf(&on, "%s ",
				json_string_value(
					json_object_get(alarm, "name")));
	}
	ck_assert_uint_eq(i, ALARM_KINDS);
	ck_assert_str_eq(on.n > 0 ? on.text : "", want);
	ck_assert_int_eq(*json_string_value(json_object_get(j, "alarm")) != 0,
		*want != '\0');
}

/* Alarms are told by name where there is a text of theirs. */
TEST(alarms)
{
	static const struct xact_stats wire;
	struct status_daemon d = {
		.config_file = "", .device = "", .state_writable = true};
	struct sm_status sm = {.writing = ""};
	struct status_facts f = {.daemon = &d, .sm = &sm, .wire = &wire};

	expect_alarms(&f, "");
	f.cabling = (struct status_cabling){true, "", "no", NULL, 0};
	expect_alarms(&f, "cabling ");
	f.cabling.wanted = false;
	sm.alarms = 1U << ALARM_NO_PORT;
	(void)snprintf(sm.alarm, sizeof(sm.alarm), "no port");
	expect_alarms(&f, "no-port ");
	(void)snprintf(d.refused, sizeof(d.refused), "a mistake");
	d.state_writable = false;
	expect_alarms(&f, "no-port configuration state ");
}
