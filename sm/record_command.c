#include "sm/record_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sm/event/event_time.h"
#include "sm/record/record_bundle.h"
#include "sm/record/record_file.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"

enum { PROBLEM = 1 };

/* The daemon writes what it has at once; that is looked at so often. */
enum { LOOK_NS = 50000000, LOOKS = 200 };

/* ---- what there is ---- */

/* Whether a recording has all of its segments: from, to are in the list. */
static const char *
find_gap(const struct record_file_list *l, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (l->segment[i].number != i - from)
			return i == from ? "before" : "after";
	return "none";
}

static void
put_time(json_t *o, const char *key, double seconds)
{
	char text[EVENT_TIME_TEXT];

	event_time_print(seconds, text);
	json_util_put(o, M(key, text));
}

static json_t *
describe_recording(const char *dir, const struct record_file_list *l,
	size_t from, size_t to)
{
	char name[RECORD_FILE_NAME], path[4096];
	uint64_t bytes = 0;
	struct stat st;
	json_t *o = json_object();

	for (size_t i = from; i < to; i++)
		bytes += l->segment[i].size;
	put_time(o, "began", (double)l->segment[from].recording / 1e9);
	record_file_name(&l->segment[to - 1], name);
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (stat(path, &st) == 0)
		put_time(o, "until",
			(double)st.st_mtim.tv_sec +
				(double)st.st_mtim.tv_nsec / 1e9);
	json_util_put(o, M("segments", to - from), M("bytes", bytes),
		M("gap", find_gap(l, from, to)));
	return o;
}

static int
list_recordings(const char *dir, json_t *result, struct reason *why)
{
	struct record_file_list l;
	json_t *list = json_array();

	if (record_file_list(dir, &l, why) != 0) {
		json_decref(list);
		return -1;
	}
	for (size_t i = 0, to; i < l.n; i = to) {
		for (to = i; to < l.n &&
			     l.segment[to].recording == l.segment[i].recording;)
			to++;
		json_util_add(list, describe_recording(dir, &l, i, to));
	}
	record_file_list_free(&l);
	json_util_put(result, M("recordings", list));
	return 0;
}

/* ---- the command ---- */

static json_t *
ask_once(const struct record_command *c, int *code)
{
	json_t *request = json_util_object(M("cmd", "record"));
	json_t *reply = c->ask(c->cookie, request, false, code);
	json_t *result = json_incref(json_object_get(reply, "result"));

	json_decref(request);
	json_decref(reply);
	return result;
}

/* What the daemon says, once all that it had then is on disk. */
static json_t *
ask_daemon(const struct record_command *c, int *code)
{
	static const struct timespec pause = {0, LOOK_NS};
	json_t *o = ask_once(c, code);
	long long put = json_util_num(o, "put");

	for (int i = 0;
		o != NULL && json_util_num(o, "written") < put && i < LOOKS;
		i++) {
		json_decref(o);
		(void)nanosleep(&pause, NULL);
		o = ask_once(c, code);
	}
	return o;
}

static int
save_bundle(const struct record_command *c, const char *dir, json_t *result,
	struct reason *why)
{
	uint64_t segments, bytes;

	if (record_bundle_save(dir, c->file, &segments, &bytes, why) != 0)
		return -1;
	json_util_put(result, M("saved", json_util_object(M("file", c->file),
						 M("segments", segments),
						 M("bytes", bytes))));
	return 0;
}

int
record_command_run(const struct record_command *c, struct reason *why)
{
	struct reason failed = {""};
	const char *dir;
	json_t *result;
	int code = 0;

	if (c->what != NULL &&
		(strcmp(c->what, "save") != 0 || c->file == NULL))
		return reason_set(why, "expected nothing more, or save FILE");
	result = c->dir != NULL ? json_pack("{s:s}", "dir", c->dir)
				: ask_daemon(c, &code);
	if (result == NULL)
		return code;
	dir = json_string_value(json_object_get(result, "dir"));
	if (dir == NULL && c->what != NULL)
		(void)reason_set(&failed, "nothing is recorded: record.dir is "
					  "not set");
	else if (dir != NULL && list_recordings(dir, result, &failed) == 0 &&
		 c->what != NULL)
		(void)save_bundle(c, dir, result, &failed);
	if (failed.text[0] != '\0') {
		c->complain(c->cookie, failed.text);
		code = PROBLEM;
	}
	if (failed.text[0] == '\0' || c->what == NULL)
		c->show(c->cookie, result);
	json_decref(result);
	return code;
}

/* ---- for a person ---- */

static void
show_time(const json_t *o, const char *key, struct buf *out)
{
	const char *text = json_util_text(o, key);
	double seconds;
	struct tm tm;
	time_t t;
	char local[32];

	if (!event_time_read(text, strlen(text), &seconds))
		return;
	t = (time_t)seconds;
	if (localtime_r(&t, &tm) != NULL &&
		strftime(local, sizeof(local), "%Y-%m-%d %H:%M:%S", &tm) > 0)
		buf_printf(out, "%s", local);
}

static double
mib_of(const json_t *o)
{
	return (double)json_util_num(o, "bytes") / (1 << 20);
}

static const char *
gap_words(const char *gap)
{
	if (strcmp(gap, "before") == 0)
		return "its beginning is missing: listed, not replayed";
	return strcmp(gap, "after") == 0
		       ? "replayed up to a gap behind its first segments"
		       : "replayed from its beginning";
}

void
record_command_show(const json_t *result, struct buf *out)
{
	const json_t *all = json_object_get(result, "recordings"), *o;
	const json_t *saved = json_object_get(result, "saved");
	size_t i;

	if (!json_util_has_text(result, "dir")) {
		buf_printf(out, "recording   off: record.dir is not set\n");
		return;
	}
	page_print(out, result,
		"recording   %(dir)s\n%(size)?{room        %(size)d MiB\n}"
		"%(trouble)?{TROUBLE     %(trouble)s\n}"
		"%(missing)?{GAP         %(missing)d entries of the present "
		"recording are missing: no replay goes past them\n}");
	json_array_foreach(all, i, o)
	{
		buf_printf(out, "%s", i == 0 ? "since       " : "            ");
		show_time(o, "began", out);
		buf_printf(out, " until ");
		show_time(o, "until", out);
		buf_printf(out, "  %8.2f MiB  %s\n", mib_of(o),
			gap_words(json_util_text(o, "gap")));
	}
	if (saved != NULL)
		buf_printf(out,
			"saved       %s: %.2f MiB; replay it with\n"
			"            heddle-sim replay %s\n",
			json_util_text(saved, "file"), mib_of(saved),
			json_util_text(saved, "file"));
}
