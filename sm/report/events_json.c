#include "sm/report/events_json.h"

#include "sm/base/buf.h"
#include "sm/event/event_time.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

/* ---- events ---- */

static void
append_end(json_t *list, const struct event_end *end)
{
	if (end->guid == 0)
		return;
	json_util_append(list, M("guid", names_guid(end->guid)),
		M("name", names_text(end->name)), M("port", end->port));
}

json_t *
events_ends_json(const struct event_end *a, const struct event_end *b)
{
	json_t *list = json_array();

	append_end(list, a);
	append_end(list, b);
	return list;
}

static const char *
severity_name(enum log_level level)
{
	return level == LOG_LEVEL_ERROR	 ? "error"
	       : level == LOG_LEVEL_WARN ? "warning"
					 : "info";
}

/* Put a value into ends or fields. */
static void
put_value(const struct event_field *f, const struct event_value *v,
	json_t *ends, json_t *fields)
{
	switch (f->type) {
	case EVENT_END:
		append_end(ends, v->is.end);
		json_util_put(json_array_get(ends, json_array_size(ends) - 1),
			M("is", f->name));
		break;
	case EVENT_NUMBER:
		json_util_put(fields, M(f->name, v->is.number));
		break;
	case EVENT_RATE:
		json_util_put(fields, M(f->name, (double)v->is.number / 10));
		break;
	case EVENT_SECONDS:
		json_util_put(fields, M(f->name, v->is.seconds));
		break;
	case EVENT_TEXT:
	default:
		json_util_put(fields, M(f->name, names_text(v->is.text)));
		break;
	}
}

json_t *
events_json_one(const struct event *e, uint64_t seq, double time)
{
	const struct event_row *row = event_kind_row(e->kind);
	json_t *ends = json_array(), *fields = json_object(), *o;
	char when[EVENT_TIME_TEXT];
	struct buf text = {0};

	event_time_print(time, when);
	for (unsigned i = 0; row->field[i].name != NULL; i++)
		if (e->value[i].is_set)
			put_value(&row->field[i], &e->value[i], ends, fields);
	event_print(e, &text);
	o = json_util_object(M("seq", seq), M("time", when),
		M("kind", row->name), M("severity", severity_name(row->level)),
		M("text", names_text(text.text)), M("ends", ends),
		M("fields", fields));
	buf_free(&text);
	return o;
}

json_t *
events_counts_json(const struct event_log *l)
{
	json_t *o = json_object();

	for (unsigned k = 0; k < EVENT_KINDS; k++) {
		enum event_kind kind = (enum event_kind)k;
		const struct event_row *c = event_kind_row(kind);

		if (c->group == NULL)
			continue;
		if (json_object_get(o, c->group) == NULL)
			json_util_put(o, M(c->group, json_object()));
		json_util_put(json_object_get(o, c->group),
			M(c->count, event_log_count(l, kind)));
	}
	return o;
}

/* ---- what is missing ---- */

/* Append what is missing of a kind to list, which takes at most `most`. */
static long long
list_missing(const struct event_log *l, bool nodes, const struct topo *t,
	size_t most, struct mono now, json_t *list)
{
	size_t n;
	const struct event_missing *m = event_log_missing(l, &n);
	long long told = 0;

	for (size_t i = 0; i < n; i++) {
		if (m[i].is_node != nodes || !event_log_is_told(&m[i], t))
			continue;
		told++;
		if (json_array_size(list) >= most)
			continue;
		json_util_append(list, M("kind", nodes ? "node" : "link"),
			M("age", mono_seconds(mono_sub(now, m[i].since))),
			M("ends", events_ends_json(&m[i].a, &m[i].b)));
	}
	return told;
}

json_t *
events_missing_json(const struct event_log *l, const struct topo *t,
	size_t most, struct mono now)
{
	json_t *list = json_array();
	long long nodes = list_missing(l, true, t, most, now, list);
	long long links = list_missing(l, false, t, most, now, list);

	return json_util_object(
		M("nodes", nodes), M("links", links), M("list", list));
}
