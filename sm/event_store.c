#include "sm/event_store.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/event/event_time.h"
#include "sm/report/events_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/state/event_file.h"

/* After a failure to write, the next attempt. */
enum { AGAIN_MS = 10000 };

struct event_store {
	char *ring[EVENT_STORE_KEPT]; /* JSON, of number n at n % KEPT */
	uint64_t last;		      /* number of the newest */
	struct event_writer *writer;  /* NULL: there are no files */
	char *file;		      /* "" for none */
};

/* ---- what is in the files ---- */

static void
keep_line(struct event_store *s, uint64_t seq, char *line)
{
	char **place = &s->ring[seq % EVENT_STORE_KEPT];

	free(*place);
	*place = line;
	s->last = seq;
}

static void
take_line(void *cookie, const struct event_file_line *l)
{
	struct event_store *s = cookie;
	char *line;

	if (l->seq <= s->last)
		return;
	line = mem_alloc(l->n + 1);
	memcpy(line, l->text, l->n);
	line[l->n] = '\0';
	keep_line(s, l->seq, line);
}

static void
read_file(struct event_store *s, const char *dir, const char *name,
	struct reason *why)
{
	struct event_file_faults faults;
	struct buf path = {0};
	struct reason one;

	buf_printf(&path, "%s/%s", dir, name);
	if (event_file_read(path.text, take_line, s, &faults, &one) != 0)
		(void)reason_add(
			why, "%s%s", *why->text != '\0' ? "; " : "", one.text);
	else if (faults.cut)
		(void)reason_add(why, "%s%s: the last line was cut",
			*why->text != '\0' ? "; " : "", path.text);
	buf_free(&path);
}

/* ---- the store ---- */

struct event_store *
event_store_new(
	struct loop *l, const struct event_store_job *job, struct reason *why)
{
	struct event_store *s = mem_zalloc(1, sizeof(*s));
	const struct event_writer_job writer = {.dir = job->dir,
		.most = job->most,
		.again = mono_ms(AGAIN_MS),
		.told = job->told,
		.cookie = job->cookie};
	struct buf file = {0};

	*why = (struct reason){""};
	buf_printf(&file, "%s", "");
	if (job->most > 0) {
		read_file(s, job->dir, EVENT_FILE_FORMER, why);
		read_file(s, job->dir, EVENT_FILE_NAME, why);
		buf_printf(&file, "%s/" EVENT_FILE_NAME, job->dir);
		s->writer = event_writer_new(l, &writer, why);
	}
	s->file = file.text;
	if (s->last < job->after)
		s->last = job->after;
	if (job->most == 0 || s->writer != NULL)
		return s;
	event_store_free(s);
	return NULL;
}

void
event_store_free(struct event_store *s)
{
	if (s == NULL)
		return;
	event_writer_free(s->writer);
	for (unsigned i = 0; i < EVENT_STORE_KEPT; i++)
		free(s->ring[i]);
	free(s->file);
	free(s);
}

uint64_t
event_store_add(struct event_store *s, const struct event *e, double time)
{
	json_t *o = events_json_one(e, s->last + 1, time);
	struct buf line = {0};
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));

	json_decref(o);
	keep_line(s, s->last + 1, text);
	if (s->writer == NULL)
		return s->last;
	buf_printf(&line, "%s\n", text);
	event_writer_submit(s->writer, line.text, line.n);
	buf_free(&line);
	return s->last;
}

/* The event with this number as an object, or NULL. */
static json_t *
find_event(const struct event_store *s, uint64_t seq)
{
	const char *text = s->ring[seq % EVENT_STORE_KEPT];
	json_t *o = text != NULL ? json_loads(text, 0, NULL) : NULL;

	if (o != NULL && json_util_num(o, "seq") == (long long)seq)
		return o;
	json_decref(o);
	return NULL;
}

bool
event_store_ended(const struct event_store *s)
{
	json_t *o = find_event(s, s->last);
	bool ended = o == NULL ||
		     event_kind_find(json_util_text(o, "kind")) == EVENT_STOP;

	json_decref(o);
	return ended;
}

uint64_t
event_store_last(const struct event_store *s)
{
	return s->last;
}

static double
time_of(const json_t *event)
{
	const char *text = json_util_text(event, "time");
	double seconds = 0;

	(void)event_time_read(text, strlen(text), &seconds);
	return seconds;
}

json_t *
event_store_json(const struct event_store *s, uint64_t since, double time)
{
	uint64_t oldest =
		s->last > EVENT_STORE_KEPT ? s->last - EVENT_STORE_KEPT + 1 : 1;
	json_t *list = json_array(), *o;

	while (oldest <= s->last && s->ring[oldest % EVENT_STORE_KEPT] == NULL)
		oldest++;
	if (since < oldest - 1)
		since = oldest - 1;
	for (uint64_t n = since + 1; n <= s->last; n++) {
		o = find_event(s, n);
		if (o == NULL)
			continue;
		json_util_put(o, "age", json_real(time - time_of(o)));
		(void)json_array_append_new(list, o);
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "first", json_util_u64(oldest),
		"last", json_util_u64(s->last), "file", names_text(s->file),
		"events", list);
}
