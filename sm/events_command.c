#include "sm/events_command.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "sm/base/buf.h"
#include "sm/report/events_select.h"
#include "sm/report/json_util.h"
#include "sm/state/event_file.h"

enum { PROBLEM = 1 };

/* Events that are shown before those that are waited for. */
enum { FOLLOWED = 10 };

/* ---- from files ---- */

/* Events that are read from files. */
struct reading {
	const struct events_select *what;
	uint64_t after, below; /* numbers between these */
	json_t *list;
};

static void
take_line(void *cookie, const struct event_file_line *l)
{
	struct reading *r = cookie;
	json_t *o;

	if (l->seq <= r->after || l->seq >= r->below ||
		l->time < r->what->since || l->seq <= r->what->after)
		return;
	o = json_loadb(l->text, l->n, 0, NULL);
	if (o != NULL && events_select_takes(r->what, o)) {
		(void)json_array_append(r->list, o);
		r->after = l->seq; /* a segment may be read twice */
	}
	json_decref(o);
}

static int
read_segment(
	const struct events_command *c, const char *path, struct reading *r)
{
	struct event_file_faults faults;
	struct buf text = {0};
	struct reason why;

	if (event_file_read(path, take_line, r, &faults, &why) != 0) {
		c->complain(c->cookie, why.text);
		return PROBLEM;
	}
	if (faults.bad > 0)
		buf_printf(&text, "%s: line %zu is not an event", path,
			faults.first);
	if (faults.bad > 1)
		buf_printf(&text, ", nor are %zu others", faults.bad - 1);
	if (faults.cut)
		buf_printf(&text, "%s%s: the last line was cut",
			text.n > 0 ? "; " : "", path);
	if (text.n > 0)
		c->complain(c->cookie, text.text);
	buf_free(&text);
	return 0;
}

/* Both segments, the older one first. */
static int
read_files(const struct events_command *c, const char *path, struct reading *r)
{
	struct buf former = {0};
	int code;

	buf_printf(&former, "%s.1", path);
	code = read_segment(c, former.text, r);
	buf_free(&former);
	return read_segment(c, path, r) != 0 ? PROBLEM : code;
}

/* ---- from the daemon ---- */

/* The events of a reply that are wanted, the last `most` of them. */
static json_t *
choose_events(
	const struct events_select *what, const json_t *result, size_t most)
{
	const json_t *events = json_object_get(result, "events"), *e;
	json_t *list = json_array();
	size_t i;

	json_array_foreach(events, i, e)
	{
		if (events_select_takes(what, e))
			(void)json_array_append(
				list, json_array_get(events, i));
	}
	while (json_array_size(list) > most)
		(void)json_array_remove(list, 0);
	return list;
}

/* Show events, which are taken over, with what else the daemon said. */
static void
show_events_of(const struct events_command *c, json_t *result, json_t *list)
{
	json_t *o = json_object();

	if (result != NULL)
		(void)json_object_update(o, result);
	json_util_put(o, "events", list);
	c->show(c->cookie, o);
	json_decref(o);
}

static json_t *
ask_after(const struct events_command *c, uint64_t after, bool wait, int *code)
{
	json_t *request = json_pack("{s:s, s:I, s:b}", "cmd", "events", "since",
		(json_int_t)after, "wait", wait);
	json_t *reply = c->ask(c->cookie, request, wait, code);

	json_decref(request);
	return reply;
}

/* Show what comes, until the daemon is gone for good. */
static int
follow_events(const struct events_command *c, const struct events_select *what,
	uint64_t after)
{
	int code = 0;
	json_t *reply;

	while ((reply = ask_after(c, after, true, &code)) != NULL) {
		json_t *result = json_object_get(reply, "result");
		json_t *list = choose_events(what, result, SIZE_MAX);

		after = (uint64_t)json_util_num(result, "last");
		if (json_array_size(list) > 0)
			show_events_of(c, result, list);
		else
			json_decref(list);
		json_decref(reply);
	}
	return code;
}

/* Events that the daemon has no more in memory are looked for if something
 * particular is. */
static bool
wants_older(const struct events_command *c, const struct events_select *what,
	const json_t *result)
{
	return (c->since != NULL || c->kind != NULL || c->port != NULL) &&
	       *json_util_text(result, "file") != '\0' &&
	       json_util_num(result, "first") > 1 &&
	       (uint64_t)json_util_num(result, "first") > what->after + 1;
}

static int
show_from_daemon(const struct events_command *c,
	const struct events_select *what, uint64_t *last)
{
	struct reading r = {.what = what, .list = json_array()};
	int code = 0;
	json_t *reply = ask_after(c, what->after, false, &code), *list;
	json_t *result = json_object_get(reply, "result");

	if (reply == NULL) {
		json_decref(r.list);
		return code;
	}
	*last = (uint64_t)json_util_num(result, "last");
	r.below = (uint64_t)json_util_num(result, "first");
	if (wants_older(c, what, result))
		code = read_files(c, json_util_text(result, "file"), &r);
	list = choose_events(what, result,
		c->follow && c->since == NULL ? FOLLOWED : SIZE_MAX);
	(void)json_array_extend(r.list, list);
	json_decref(list);
	show_events_of(c, result, r.list);
	json_decref(reply);
	return code;
}

int
events_command_run(const struct events_command *c, struct reason *why)
{
	struct events_select what = {.port = c->port};
	struct reading r = {.what = &what, .below = UINT64_MAX};
	uint64_t last = 0;
	int code;

	if ((c->since != NULL && events_select_since(&what, c->since,
					 (double)time(NULL), why) != 0) ||
		(c->kind != NULL &&
			events_select_kind(&what, c->kind, why) != 0))
		return -1;
	if (c->file != NULL && c->follow)
		return reason_set(
			why, "--follow waits for a daemon, not for a file");
	if (c->file == NULL) {
		code = show_from_daemon(c, &what, &last);
		return code == 0 && c->follow ? follow_events(c, &what, last)
					      : code;
	}
	r.list = json_array();
	code = read_files(c, c->file, &r);
	show_events_of(c, NULL, r.list);
	return code;
}
