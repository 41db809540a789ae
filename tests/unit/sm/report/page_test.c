#include "sm/report/page.h"

#include "tests/unit/suite.h"

static void
expect_page(const char *json, const char *text, const char *want)
{
	AUTO(json) json_t *o = json_loads(json, JSON_DECODE_ANY, NULL);
	AUTO(buf) struct buf out = {0};

	page_print(&out, o, text);
	ck_assert_str_eq(out.text, want);
}

TEST(members_stand_where_the_text_names_them)
{
	const char *o = "{\"n\": 7, \"s\": \"leaf\", \"r\": 2.25, \"e\": \"\","
			"\"o\": {\"list\": [{\"k\": 40}, {\"k\": 41}]}}";

	expect_page(o, "%(n)d %(s)s %(r).1f %(r)g", "7 leaf 2.2 2.25");
	expect_page(o, "[%(n)4d|%(n)-4d|%(s)6s|%(s)-6s|%(r)6.2f]",
		"[   7|7   |  leaf|leaf  |  2.25]");
	expect_page(o, "%(n)x %(r).1e", "0x0007 2.2e+00");
	expect_page(o, "%(o.list.1.k)d of %(o.list)n", "41 of 2");
	expect_page("3", "%()d", "3");
	expect_page(o, "100%% of 5 %", "100% of 5 %");
	/* what is missing reads as 0 or "-" */
	expect_page(o, "%(none)d %(none)s %(e)s %(o.none.x).1f %(none)n",
		"0 - - 0.0 0");
}

TEST(members_choose_words)
{
	const char *o = "{\"one\": 1, \"two\": 2, \"yes\": true, \"no\": false,"
			"\"s\": \"x\", \"e\": \"\"}";

	expect_page(o, "node%(one)[|s], link%(two)[|s]", "node, links");
	expect_page(
		o, "entr%(one)[y|ies], entr%(two)[y|ies]", "entry, entries");
	expect_page(o, "%(yes)[ok|failed] %(no)[ok|failed]", "ok failed");
	expect_page(o, "%(s)[some|none] %(e)[some|none]", "some none");
	/* a text that is cut takes nothing from behind its end */
	expect_page(o, "a%(one)[b", "ab");
	expect_page(o, "a%(two)[b", "a");
	expect_page(o, "a%(two", "a-");
}

TEST(lines_are_left_out)
{
	AUTO(json)
	json_t *o =
		json_loads("{\"n\": 0, \"m\": 2, \"e\": \"\", \"no\": false,"
			   "\"list\": [1, 2], \"none\": [], \"z\": null}",
			0, NULL);
	AUTO(buf) struct buf out = {0};

	page_if(&out, o, "n", "n");
	page_if(&out, o, "m", "m%(m)d ");
	page_if(&out, o, "e", "e");
	page_if(&out, o, "no", "no");
	page_if(&out, o, "none", "none");
	page_if(&out, o, "z", "z");
	page_if(&out, o, "list", "list");
	page_each(&out, json_object_get(o, "list"), " %()d");
	page_each(&out, json_object_get(o, "missing"), " %()d");
	ck_assert_str_eq(out.text, "m2 list 1 2");
}
