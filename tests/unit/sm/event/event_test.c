/* The table of kinds, and the text of an event. */
#include <ctype.h>
#include <string.h>

#include "sm/event/event.h"
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

START_TEST(every_row)
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
END_TEST

static void
expect_text(const struct event *e, const char *want)
{
	struct buf text = {0};

	event_print(e, &text);
	ck_assert_str_eq(text.text, want);
	buf_free(&text);
}

/* What has no value is left out, with the brackets that it is in. */
START_TEST(texts)
{
	const struct event_end spine = {0xa1, 0, "spine1"},
			       leaf = {0xb2, 7, ""}, none = {0};
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
}
END_TEST

START_TEST(durations)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {{0, "0 s"}, {0.131, "0.13 s"}, {9.94, "9.9 s"},
		{9.96, "10 s"}, {59.4, "59 s"}, {59.6, "1 min"},
		{200, "3 min 20 s"}, {3600, "1 h"}, {7260, "2 h 1 min"},
		{86399.9, "1 d"}, {187200, "2 d 4 h"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf text = {0};

		event_print_seconds(rows[i].seconds, &text);
		ck_assert_str_eq(text.text, rows[i].text);
		buf_free(&text);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("event");
	TCase *t = tcase_create("event");

	tcase_add_test(t, every_row);
	tcase_add_test(t, texts);
	tcase_add_test(t, durations);
	suite_add_tcase(s, t);
	return suite_run(s);
}
