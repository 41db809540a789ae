/* The table of kinds, and the text of an event. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/event/alarm_kind.h"
#include "sm/event/event.h"
#include "sm/event/event_journal.h"
#include "sm/event/event_time.h"
#include "tests/unit/manual.h"
#include "tests/unit/suite.h"

static bool
has_field(const struct event_row *r, const char *name, size_t n)
{
	for (unsigned i = 0; r->field[i].name != NULL; i++)
		if (strlen(r->field[i].name) == n &&
			memcmp(r->field[i].name, name, n) == 0)
			return true;
	return false;
}

/* Brackets pair, and in braces are fields of the kind. */
static void
check_text(const struct event_row *r)
{
	int depth = 0;

	for (const char *s = r->text; *s != '\0'; s++) {
		depth += *s == '[' ? 1 : *s == ']' ? -1 : 0;
		ck_assert_int_ge(depth, 0);
		if (*s == '{')
			ck_assert_msg(has_field(r, s + 1, strcspn(s, "}") - 1),
				"%s: %s", r->name, s);
	}
	ck_assert_int_eq(depth, 0);
}

TEST(every_row)
{
	for (unsigned k = 0; k < EVENT_KINDS; k++) {
		const struct event_row *r = event_kind_row((enum event_kind)k);

		ck_assert_msg(r->name != NULL, "kind %u has no row", k);
		ck_assert_uint_eq(strlen(r->message_id), 32);
		for (const char *s = r->message_id; *s != '\0'; s++)
			ck_assert(isdigit((unsigned char)*s) ||
				  (*s >= 'a' && *s <= 'f'));
		for (unsigned other = 0; other < k; other++)
			ck_assert_str_ne(r->message_id,
				event_kind_row((enum event_kind)other)
					->message_id);
		ck_assert_uint_eq(event_kind_find(r->name), k);
		ck_assert(r->help != NULL && *r->help != '\0');
		/* the last place ends the list */
		ck_assert_ptr_null(r->field[EVENT_FIELDS - 1].name);
		for (unsigned i = 0; r->field[i].name != NULL; i++)
			ck_assert(r->field[i].help != NULL);
		check_text(r);
	}
	ck_assert_uint_eq(event_kind_find("nothing"), EVENT_KINDS);
}

static void
expect_text(const struct event *e, const char *want)
{
	AUTO(buf) struct buf text = {0};

	event_print(e, &text);
	ck_assert_str_eq(text.text, want);
}

/* What has no value is left out, with the brackets that it is in. */
TEST(texts)
{
	const struct event_end spine = {.guid = 0xa1, .name = "spine1"},
			       leaf = {.guid = 0xb2, .port = 7}, none = {0};
	struct event e = {.kind = EVENT_NODE_GONE};

	event_end(&e, "node", &spine);
	expect_text(&e, "node: gone \"spine1\" (0x00000000000000a1)");
	event_end(&e, "linked_to", &leaf);
	event_number(&e, "more", 3);
	expect_text(&e,
		"node: gone \"spine1\" (0x00000000000000a1), was linked "
		"to 0x00000000000000b2 port 7 and by 3 more");
	event_end(&e, "linked_to", &none);
	expect_text(&e, "node: gone \"spine1\" (0x00000000000000a1) and by 3 "
			"more");
	e = (struct event){.kind = EVENT_QUARANTINED};
	event_end(&e, "node", &leaf);
	event_text(&e, "why", "");
	expect_text(&e, "node: quarantined 0x00000000000000b2 port 7");
	event_text(&e, "why", "[{why}]");
	expect_text(&e, "node: quarantined 0x00000000000000b2 port 7: [{why}]");
	e = (struct event){.kind = EVENT_LINK_RATE};
	event_end(&e, "a", &leaf);
	event_end(&e, "b", &leaf);
	event_rate(&e, "rate", 2000);
	event_rate(&e, "was", 25);
	expect_text(&e, "link: rate changed 0x00000000000000b2 port 7 - "
			"0x00000000000000b2 port 7: 200 Gb/s, was 2.5 Gb/s");
	/* the text in front of a bracket is not in it */
	e = (struct event){.kind = EVENT_CHANGE};
	event_text(&e, "cause", "names");
	event_seconds(&e, "took", 0.002);
	event_text(&e, "transition", "");
	event_number(&e, "blocks", 0);
	event_number(&e, "settings", 40);
	event_text(&e, "engine", "ftree");
	expect_text(&e, "change: names: written in 2 ms: blocks 0, settings "
			"40, engine ftree");
}

/* The fields of the journal, each with its end. */
TEST(journal)
{
	static const char want[] =
		"MESSAGE=node: quarantined \"leaf1\" (0x00000000000000b2) "
		"port 7: slow\nand deaf;MESSAGE_ID="
		"439f30f8433445e292b93807c8da58f0;PRIORITY=4;"
		"SYSLOG_IDENTIFIER=heddled;HEDDLE_EVENT=quarantined;"
		"HEDDLE_SEQ=12;HEDDLE_NODE_GUID=0x00000000000000b2;"
		"HEDDLE_NODE_NAME=leaf1;HEDDLE_NODE_PORT=7;"
		"HEDDLE_WHY=slow\nand deaf;";
	const struct event_end leaf = {
		.guid = 0xb2, .port = 7, .name = "leaf1"};
	struct event e = {.kind = EVENT_QUARANTINED};
	AUTO(buf) struct buf out = {0};

	event_end(&e, "node", &leaf);
	event_text(&e, "why", "slow\nand deaf");
	ck_assert_uint_eq(event_journal_fields(&e, 12, &out), 10);
	for (size_t i = 0; i < out.n; i++)
		if (out.text[i] == '\0')
			out.text[i] = ';';
	ck_assert_str_eq(out.text, want);
}

TEST(durations)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {{0, "0 s"}, {0.0123, "12 ms"}, {0.131, "0.13 s"},
		{9.94, "9.9 s"}, {9.96, "10 s"}, {59.4, "59 s"},
		{59.6, "1 min"}, {200, "3 min 20 s"}, {3600, "1 h"},
		{7260, "2 h 1 min"}, {86399.9, "1 d"}, {187200, "2 d 4 h"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event e = {.kind = EVENT_ALARM_OFF};
		char want[64];

		event_text(&e, "alarm", "vls");
		event_seconds(&e, "lasted", rows[i].seconds);
		(void)snprintf(want, sizeof(want),
			"alarm: off vls, was on for %s", rows[i].text);
		expect_text(&e, want);
	}
}

TEST(times)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {{0, "1970-01-01T00:00:00.000000Z"},
		{1763722111.123456, "2025-11-21T10:48:31.123456Z"},
		{1763722111.9999996, "2025-11-21T10:48:32.000000Z"}};
	static const char *const wrong[] = {"", "2025-11-21T10:48:31.123456",
		"2025-11-21 10:48:31.123456Z", "2025-11-21T10:48:31.12345xZ"};
	char text[EVENT_TIME_TEXT];
	double back;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		event_time_print(rows[i].seconds, text);
		ck_assert_str_eq(text, rows[i].text);
		ck_assert(event_time_read(text, strlen(text), &back));
		ck_assert_double_eq_tol(back, rows[i].seconds, 1e-6);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert(!event_time_read(wrong[i], strlen(wrong[i]), &back));
}

static const char *
type_name(enum event_type type)
{
	switch (type) {
	case EVENT_NUMBER:
		return "number";
	case EVENT_SECONDS:
		return "seconds";
	case EVENT_RATE:
		return "Gb/s";
	case EVENT_END:
		return "end";
	case EVENT_TEXT:
	default:
		return "text";
	}
}

static const char *
level_name(enum log_level level)
{
	return level == LOG_LEVEL_INFO	 ? "info"
	       : level == LOG_LEVEL_WARN ? "warning"
					 : "error";
}

/* A text of the manual: each sentence on a line of its own. */
static void
print_sentences(const char *text, struct buf *out)
{
	for (; *text != '\0'; text++)
		if (text[0] == ' ' && text[-1] == '.')
			buf_printf(out, "\n");
		else
			buf_put(out, text, 1);
	buf_printf(out, "\n");
}

/* The fields of a kind from `from` to the one named `end`, and where that is.
 */
static unsigned
print_fields(const struct event_row *r, unsigned from, const char *end,
	struct buf *out)
{
	unsigned i = from;

	for (; r->field[i].name != NULL && strcmp(r->field[i].name, end) != 0;
		i++)
		buf_printf(out, ".It Va %s Pq %s\n%s\n", r->field[i].name,
			type_name(r->field[i].type), r->field[i].help);
	return i;
}

/* What a run wrote has the same fields in every kind, described once. */
static const char written[] = "transition";

/* The entry of a kind in the manual. */
static void
print_entry(const struct event_row *r, struct buf *out)
{
	unsigned i;

	buf_printf(out, ".It Sy %s Pq %s\n.Li %s\n.br\n", r->name,
		level_name(r->level), r->message_id);
	print_sentences(r->help, out);
	if (r->field[0].name == NULL)
		return;
	buf_printf(out, ".Bl -tag -width Ds -compact\n");
	i = print_fields(r, 0, written, out);
	if (r->field[i].name != NULL)
		buf_printf(out, ".It Va transition No to Va with\nsee above\n");
	buf_printf(out, ".El\n");
}

/* The manual page lists exactly what the table does. */
TEST(manual)
{
	AUTO(buf) struct buf want = {0};

	for (unsigned k = 0; k < EVENT_KINDS; k++)
		print_entry(event_kind_row((enum event_kind)k), &want);
	manual_expect("man/heddle-events.7", "EVENTS", &want);
}

/* The fields of what a run wrote: those of any kind that a run answers, and of
 * all such kinds the same. */
TEST(manual_written)
{
	AUTO(buf) struct buf want = {0};

	for (unsigned k = 0; k < EVENT_KINDS; k++) {
		const struct event_row *r = event_kind_row((enum event_kind)k);
		struct buf rest = {0}, before = {0};
		unsigned i = print_fields(r, 0, written, &before);

		(void)print_fields(r, i, "", &rest);
		if (want.n == 0)
			buf_put(&want, rest.text, rest.n);
		else if (rest.n > 0)
			ck_assert_str_eq(rest.text, want.text);
		buf_free(&before);
		buf_free(&rest);
	}
	manual_expect("man/heddle-events.7", "WRITTEN", &want);
}

/* So do its alarms. */
TEST(manual_alarms)
{
	AUTO(buf) struct buf want = {0};

	for (unsigned k = 0; k < ALARM_KINDS; k++) {
		const struct alarm_row *r = alarm_kind_row((enum alarm_kind)k);

		ck_assert_msg(r->name != NULL, "alarm %u has no row", k);
		buf_printf(&want, ".It Sy %s%s\n", r->name,
			r->page ? " Pq page" : "");
		print_sentences(r->help, &want);
		print_sentences(r->next, &want);
	}
	manual_expect("man/heddle-events.7", "ALARMS", &want);
}
