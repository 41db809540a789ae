#include "tests/sim/replay/simreplay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sm/base/argument.h"
#include "sm/base/log.h"
#include "sm/event/event_time.h"
#include "sm/record/record_bundle.h"
#include "sm/record/record_entry.h"
#include "sm/report/events_select.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/routes_json.h"
#include "tests/sim/replay/entry_show.h"
#include "tests/sim/replay/replay.h"

enum { SAME, OTHER, USAGE, BROKEN };

enum { UNTIL, TRACE, EVENTS, LIST, LOG, HELP, OPTIONS };

static const struct argument options[OPTIONS] = {
	[UNTIL] = {"--until", NULL, "TIME"},
	[TRACE] = {"--trace", NULL, "A"},
	[EVENTS] = {"--events", NULL, NULL},
	[LIST] = {"--list", NULL, NULL},
	[LOG] = {"--log", NULL, NULL},
	[HELP] = {"--help", "-h", NULL},
};

static const char usage[] =
	"usage: heddle-sim replay BUNDLE [--until TIME] [--trace A B]\n"
	"           [--events] [--list] [--log]\n";

struct asked {
	const char *bundle;
	const char *from, *to; /* of --trace, or NULL */
	uint64_t until;
	bool events, list, log, help;
};

/* What is told on the way. */
struct telling {
	const struct asked *asked;
	const struct replay *replay;
	char *path; /* between the ends, as it was told last */
};

/* ---- times ---- */

/* Local time to the microsecond; "-" where it is not known. */
static void
print_wall(uint64_t wall)
{
	time_t seconds = (time_t)(wall / 1000000000);
	char text[32];
	struct tm tm;

	if (wall == 0 || localtime_r(&seconds, &tm) == NULL ||
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm) == 0)
		printf("-");
	else
		printf("%s.%06u", text, (unsigned)(wall % 1000000000 / 1000));
}

static int
read_until(const char *text, uint64_t *out, struct reason *why)
{
	struct events_select s = {.since = 0};
	double seconds;

	if (event_time_read(text, strlen(text), &seconds))
		s.since = seconds;
	else if (events_select_since(&s, text, (double)time(NULL), why) != 0)
		return -1;
	if (s.since <= 0)
		return reason_set(why,
			"\"%s\" is not a time such as 2h, 14:40 or "
			"\"2026-11-26 14:40\"",
			text);
	*out = (uint64_t)(s.since * 1e9);
	return 0;
}

/* ---- the command line ---- */

static int
take_operand(struct asked *a, const char *value, struct reason *why)
{
	if (a->from != NULL && a->to == NULL)
		a->to = value;
	else if (a->bundle == NULL)
		a->bundle = value;
	else
		return reason_set(why, "unexpected argument %s", value);
	return 0;
}

static int
take_option(struct asked *a, const struct argument_line *l, struct reason *why)
{
	switch (l->ix) {
	case UNTIL:
		return read_until(l->value, &a->until, why);
	case TRACE:
		a->from = l->value;
		break;
	case EVENTS:
		a->events = true;
		break;
	case LIST:
		a->list = true;
		break;
	case LOG:
		a->log = true;
		break;
	default:
		a->help = true;
		break;
	}
	return 0;
}

static int
read_arguments(int argc, char **argv, struct asked *a, struct reason *why)
{
	struct argument_line l;
	enum argument_kind kind;
	int rc = 0;

	argument_begin(&l, argc, argv);
	for (unsigned i = 0; i < OPTIONS; i++)
		argument_know(&l, &options[i]);
	while (rc == 0 && (kind = argument_next(&l)) != ARGUMENT_END) {
		if (kind == ARGUMENT_WRONG)
			return reason_set(why, "%s", l.why.text);
		rc = kind == ARGUMENT_OPTION ? take_option(a, &l, why)
					     : take_operand(a, l.value, why);
	}
	if (rc != 0 || a->help)
		return rc;
	if (a->from != NULL && a->to == NULL)
		return reason_set(why, "--trace: expected two ports, A B");
	return a->bundle != NULL ? 0 : reason_set(why, "expected BUNDLE");
}

/* ---- what is told on the way ---- */

static void
tell_begin(void *cookie, struct mono now)
{
	const struct telling *t = cookie;

	if (!t->asked->events)
		return;
	print_wall(replay_wall(t->replay, now));
	printf("  the daemon begins\n");
}

static void
tell_event(void *cookie, const struct event *e, struct mono now)
{
	const struct telling *t = cookie;
	struct buf text = {0};

	if (!t->asked->events)
		return;
	event_print(e, &text);
	print_wall(replay_wall(t->replay, now));
	printf("  %s\n", text.text);
	buf_free(&text);
}

/* Append the steps of a path: "h1 > leaf1:8 > spine4:8 > h32", a switch with
 * its out-port. */
static void
print_steps(const json_t *from, const json_t *steps, const json_t *to,
	struct buf *out)
{
	const json_t *step;
	size_t i;

	buf_printf(out, "%s", json_util_text(from, "name"));
	json_array_foreach(steps, i, step) buf_printf(out, " > %s:%lld",
		json_util_text(step, "name"), json_util_num(step, "out"));
	buf_printf(out, " > %s\n", json_util_text(to, "name"));
}

/* The path from A to B and back, as heddlectl routes has it; or why not. */
static char *
print_path(const struct telling *t, struct view *v)
{
	json_t *ask = json_pack("{s:s, s:s, s:s}", "cmd", "routes", "from",
		t->asked->from, "to", t->asked->to);
	struct answer *a = routes_answer(ask, v);
	struct buf text = {0}, page = {0};
	json_t *reply, *r, *from, *to;

	while (answer_more(a, 1 << 16, &text))
		continue;
	view_unref(answer_free(a));
	reply = json_loadb(text.text, text.n, 0, NULL);
	r = json_object_get(reply, "result");
	from = json_object_get(r, "from");
	to = json_object_get(r, "to");
	if (r == NULL) {
		buf_printf(&page, "%s\n", json_util_text(reply, "error"));
	} else {
		print_steps(from, json_object_get(r, "steps"), to, &page);
		buf_printf(&page, "%28s", "");
		print_steps(to, json_object_get(r, "back"), from, &page);
	}
	json_decref(reply);
	json_decref(ask);
	buf_free(&text);
	return page.text;
}

/* A view was committed: tell the path if it is another one now. */
static void
tell_path(void *cookie, struct view *v, struct mono now)
{
	struct telling *t = cookie;
	char *path;

	if (t->asked->from == NULL)
		return;
	path = print_path(t, v);
	if (t->path == NULL || strcmp(path, t->path) != 0) {
		print_wall(replay_wall(t->replay, now));
		printf("  %s", path);
	}
	free(t->path);
	t->path = path;
}

/* ---- the end ---- */

static int
tell_end(const struct replay_report *r)
{
	printf("replayed    %llu event%s of %u daemon%s, until ",
		(unsigned long long)r->inputs,
		names_plural((long long)r->inputs), r->begins,
		names_plural((long long)r->begins));
	print_wall(r->wall);
	printf("\ncompared    %llu message%s that it sent, %llu of them "
	       "Set%s\n",
		(unsigned long long)r->sent, names_plural((long long)r->sent),
		(unsigned long long)r->sets, names_plural((long long)r->sets));
	if (r->beyond > 0)
		printf("not there   %llu that its last events led to: the "
		       "recording ends before\n",
			(unsigned long long)r->beyond);
	switch (r->end) {
	case REPLAY_SAME:
		printf("verdict     the same decisions, to the end of the "
		       "recording\n");
		return SAME;
	case REPLAY_UNTIL:
		printf("verdict     the same decisions, to the time that was "
		       "given\n");
		return SAME;
	case REPLAY_DIFFERS:
		printf("verdict     ANOTHER DECISION: %s\n", r->why.text);
		return OTHER;
	case REPLAY_BROKEN:
	default:
		printf("verdict     the same decisions up to there, and no "
		       "further: %s\n",
			r->why.text);
		return BROKEN;
	}
}

static int
replay_bundle(const struct asked *a, struct record_reader *reader)
{
	const struct replay_source source = {reader, record_reader_next};
	struct telling t = {.asked = a};
	const struct replay_listener listener = {
		&t, tell_begin, tell_path, tell_event};
	struct replay *r = replay_new(&source, &listener);
	struct replay_report report;
	int code;

	t.replay = r;
	replay_run(r, a->until, &report);
	code = tell_end(&report);
	buf_free(&report.why);
	free(t.path);
	replay_free(r);
	return code;
}

/* ---- a list ---- */

static int
list_bundle(const struct asked *a, struct record_reader *reader)
{
	struct mono began = {0};
	uint64_t wall = 0, now = 0;
	struct record_image last = {.known = false};
	struct record_entry e;
	struct buf line = {0};
	struct reason why;
	uint8_t *p;
	size_t n;
	int rc;

	while ((rc = record_reader_next(reader, &p, &n, &why)) == 1) {
		if (record_entry_read(p, n, &last, &e, &why) != 0) {
			rc = -1;
			break;
		}
		if (e.kind == RECORD_BEGIN) {
			began = e.is.begin.now;
			now = wall = e.is.begin.wall;
		} else if (e.kind == RECORD_CLOCK) {
			began = e.is.clock.now;
			now = wall = e.is.clock.wall;
			continue;
		} else if ((e.kind == RECORD_INPUT ||
				   e.kind == RECORD_ANSWER) &&
			   wall != 0 && e.is.input.in.now.ns != 0) {
			now = wall +
			      (uint64_t)(e.is.input.in.now.ns - began.ns);
		}
		if (now > a->until)
			break;
		line.n = 0;
		entry_show_line(&e, &line);
		print_wall(now);
		printf("  %s\n", line.text);
	}
	buf_free(&line);
	if (rc >= 0)
		return SAME;
	(void)fprintf(stderr, "heddle-sim: %s\n", why.text);
	return BROKEN;
}

int
simreplay_run(int argc, char **argv)
{
	struct asked a = {.until = UINT64_MAX};
	struct record_reader *reader;
	struct reason why;
	int code;

	if (read_arguments(argc, argv, &a, &why) != 0) {
		(void)fprintf(
			stderr, "heddle-sim: replay: %s\n%s", why.text, usage);
		return USAGE;
	}
	if (a.help) {
		(void)fputs(usage, stdout);
		return SAME;
	}
	reader = record_reader_open(a.bundle, &why);
	if (reader == NULL) {
		(void)fprintf(stderr, "heddle-sim: %s\n", why.text);
		return BROKEN;
	}
	log_set_level(a.log ? LOG_LEVEL_INFO : LOG_LEVEL_ERROR);
	code = a.list ? list_bundle(&a, reader) : replay_bundle(&a, reader);
	record_reader_free(reader);
	return code;
}
