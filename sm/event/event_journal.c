#include "sm/event/event_journal.h"

#include <ctype.h>

/* The begin of a field: HEDDLE_ and its name in capitals. */
static void
put_key(const char *name, const char *suffix, struct buf *out)
{
	buf_printf(out, "HEDDLE_");
	for (; *name != '\0'; name++) {
		char c = (char)toupper((unsigned char)*name);

		buf_put(out, &c, 1);
	}
	buf_printf(out, "%s=", suffix);
}

static size_t
put_end(const char *name, const struct event_end *end, struct buf *out)
{
	put_key(name, "_GUID", out);
	buf_printf(out, "0x%016llx%c", (unsigned long long)end->guid, 0);
	put_key(name, "_NAME", out);
	buf_printf(out, "%s%c", end->name, 0);
	put_key(name, "_PORT", out);
	buf_printf(out, "%u%c", end->port, 0);
	return 3;
}

static size_t
put_value(const struct event_field *f, const struct event_value *v,
	struct buf *out)
{
	if (f->type == EVENT_END)
		return put_end(f->name, v->is.end, out);
	put_key(f->name, "", out);
	switch (f->type) {
	case EVENT_NUMBER:
		buf_printf(out, "%llu", (unsigned long long)v->is.number);
		break;
	case EVENT_RATE:
		buf_printf(out, "%g", (double)v->is.number / 10);
		break;
	case EVENT_SECONDS:
		buf_printf(out, "%.9g", v->is.seconds);
		break;
	case EVENT_TEXT:
	case EVENT_END:
	default:
		buf_printf(out, "%s", v->is.text);
		break;
	}
	buf_put(out, "", 1);
	return 1;
}

size_t
event_journal_fields(const struct event *e, uint64_t seq, struct buf *out)
{
	const struct event_row *row = event_kind_row(e->kind);
	struct buf text = {0};
	size_t n = 6;

	event_print(e, &text);
	buf_printf(out, "MESSAGE=%s%c", text.text, 0);
	buf_printf(out, "MESSAGE_ID=%s%c", row->message_id, 0);
	buf_printf(out, "PRIORITY=%d%c", log_syslog(row->level), 0);
	buf_printf(out, "SYSLOG_IDENTIFIER=heddled%c", 0);
	buf_printf(out, "HEDDLE_EVENT=%s%c", row->name, 0);
	buf_printf(out, "HEDDLE_SEQ=%llu%c", (unsigned long long)seq, 0);
	buf_free(&text);
	for (unsigned i = 0; row->field[i].name != NULL; i++)
		if (e->value[i].is_set)
			n += put_value(&row->field[i], &e->value[i], out);
	return n;
}
