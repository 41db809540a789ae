#include "sm/event/event.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const node_name[] = {
	[EVENT_IS_UNKNOWN] = NULL,
	[EVENT_IS_SWITCH] = "switch",
	[EVENT_IS_HOST] = "host",
	[EVENT_IS_OTHER] = "other",
};

const char *
event_node_name(enum event_node is)
{
	return node_name[is];
}

enum event_node
event_node_of(const char *name)
{
	for (unsigned i = EVENT_IS_SWITCH; i <= EVENT_IS_OTHER; i++)
		if (name != NULL && strcmp(node_name[i], name) == 0)
			return (enum event_node)i;
	return EVENT_IS_UNKNOWN;
}

/* The place for the value of a field; the field is of this type. */
static struct event_value *
value_of(struct event *e, const char *field, enum event_type type)
{
	const struct event_field *f = event_kind_row(e->kind)->field;
	unsigned i = 0;

	while (f[i].name != NULL && strcmp(f[i].name, field) != 0)
		i++;
	assert(f[i].name != NULL && f[i].type == type);
	return &e->value[i];
}

void
event_text(struct event *e, const char *field, const char *text)
{
	struct event_value *v = value_of(e, field, EVENT_TEXT);

	v->is_set = text != NULL && *text != '\0';
	v->is.text = text;
}

void
event_number(struct event *e, const char *field, uint64_t number)
{
	struct event_value *v = value_of(e, field, EVENT_NUMBER);

	v->is_set = true;
	v->is.number = number;
}

void
event_rate(struct event *e, const char *field, uint32_t rate)
{
	struct event_value *v = value_of(e, field, EVENT_RATE);

	v->is_set = true;
	v->is.number = rate;
}

void
event_seconds(struct event *e, const char *field, double seconds)
{
	struct event_value *v = value_of(e, field, EVENT_SECONDS);

	v->is_set = true;
	v->is.seconds = seconds;
}

void
event_end(struct event *e, const char *field, const struct event_end *end)
{
	struct event_value *v = value_of(e, field, EVENT_END);

	v->is_set = end->guid != 0;
	v->is.end = end;
}

/* ---- in words ---- */

void
event_print_seconds(double seconds, struct buf *out)
{
	static const struct {
		uint64_t size, below;
		const char *unit;
	} units[] = {{86400, 3600, "d"}, {3600, 60, "h"}, {60, 1, "min"}};
	static const char *const lower[] = {"h", "min", "s"};
	uint64_t s = (uint64_t)(seconds + 0.5);

	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t rest = s % units[i].size / units[i].below;

		if (s < units[i].size)
			continue;
		buf_printf(out, "%llu %s",
			(unsigned long long)(s / units[i].size), units[i].unit);
		if (rest > 0)
			buf_printf(out, " %llu %s", (unsigned long long)rest,
				lower[i]);
		return;
	}
	if (seconds > 0 && seconds < 0.0995)
		buf_printf(out, "%.2g ms", seconds * 1000);
	else if (seconds < 9.95)
		buf_printf(out, "%.2g s", seconds);
	else
		buf_printf(out, "%.0f s", seconds);
}

/* "leaf1" (0x0002c90200000001) port 5 */
static void
print_end(const struct event_end *end, struct buf *out)
{
	unsigned long long guid = end->guid;

	if (end->name[0] != '\0')
		buf_printf(out, "\"%s\" (0x%016llx)", end->name, guid);
	else
		buf_printf(out, "0x%016llx", guid);
	if (end->port != 0)
		buf_printf(out, " port %u", end->port);
}

static void
print_value(enum event_type type, const struct event_value *v, struct buf *out)
{
	unsigned long long n = v->is.number;

	switch (type) {
	case EVENT_NUMBER:
		buf_printf(out, "%llu", n);
		break;
	case EVENT_RATE:
		buf_printf(out, "%llu", n / 10);
		if (n % 10 != 0)
			buf_printf(out, ".%llu", n % 10);
		buf_printf(out, " Gb/s");
		break;
	case EVENT_SECONDS:
		event_print_seconds(v->is.seconds, out);
		break;
	case EVENT_END:
		print_end(v->is.end, out);
		break;
	case EVENT_TEXT:
	default:
		buf_printf(out, "%s", v->is.text);
		break;
	}
}

static bool
is_zero(enum event_type type, const struct event_value *v)
{
	return type == EVENT_NUMBER && v->is.number == 0;
}

/* The value named at text, which is behind a brace; false: it is not set, or 0.
 */
static bool
print_field(const struct event *e, const char *text, size_t n, struct buf *out)
{
	const struct event_field *f = event_kind_row(e->kind)->field;

	for (unsigned i = 0; f[i].name != NULL; i++) {
		if (strlen(f[i].name) != n || memcmp(f[i].name, text, n) != 0)
			continue;
		if (e->value[i].is_set)
			print_value(f[i].type, &e->value[i], out);
		return e->value[i].is_set && !is_zero(f[i].type, &e->value[i]);
	}
	abort(); /* a field that its kind does not have */
}

/*
 * Append the text up to the end, or to the bracket that closes it. *whole: each
 * value in it, outside of inner brackets, is set. What follows it.
 */
/* NOLINTBEGIN(misc-no-recursion): as deep as brackets of the table */
static const char *
print_part(
	const struct event *e, const char *text, bool *whole, struct buf *out)
{
	*whole = true;
	while (*text != '\0' && *text != ']') {
		size_t n = strcspn(text, "{[]"), before;
		bool inner;

		buf_put(out, text, n);
		before = out->n;
		text += n;
		if (*text == '{') {
			n = strcspn(text, "}");
			*whole &= print_field(e, text + 1, n - 1, out);
			text += n + 1;
		} else if (*text == '[') {
			text = print_part(e, text + 1, &inner, out) + 1;
			if (!inner)
				out->n = before;
		}
	}
	return text;
}
/* NOLINTEND(misc-no-recursion) */

void
event_print(const struct event *e, struct buf *out)
{
	bool whole;

	(void)print_part(e, event_kind_row(e->kind)->text, &whole, out);
	buf_put(out, "", 0); /* terminates it where brackets were left out */
}
