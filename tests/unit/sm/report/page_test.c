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

TEST(sections_are_left_out)
{
	const char *o = "{\"n\": 0, \"m\": 2, \"e\": \"\", \"no\": false,"
			"\"s\": \"tiers\", \"list\": [1, 2], \"none\": [],"
			"\"z\": null, \"o\": {\"m\": 3}}";

	expect_page(o,
		"%(n)?{n}%(m)?{m%(m)d }%(e)?{e}%(no)?{no}%(none)?{none}"
		"%(z)?{z}%(list)?{list}%(list)*{ %()d}%(missing)*{ %()d}",
		"m2 list 1 2");
	expect_page(o, "%(n)!{n}%(m)!{m}%(e)!{e}%(z)!{z}%(x)!{x}", "nezx");
	expect_page(o, "%(n)&{n}%(e)&{e}%(z)&{z}%(x)&{x}", "ne");
	expect_page(o, "%(n)~{n}%(e)~{e}%(z)~{z}%(x)~{x}", "zx");
	expect_page(o, "%(s=tiers)?{a}%(s=tier)?{b}%(s=tierss)!{c}%(n=0)!{d}",
		"acd");
	expect_page(o, "%(o.m)?{%(o.m)d%(m)?{ of %(m)d}%(n)?{x}}.", "3 of 2.");
	/* a section that is not closed ends with the text */
	expect_page(o, "a%(m)?{b%(m)?{c", "abc");
	expect_page(o, "a%(n)?{b%(m)?{c", "a");
	expect_page(o, "a%(list)*{b", "abb");
	expect_page(o, "}{%", "}{%");
}

TEST(elements_are_numbered)
{
	const char *o = "{\"l\": [{\"k\": 5}, {\"k\": 6}, {\"k\": 7}]}";

	expect_page(o, "%(l)*{%(#)?{, }%(#)d: %(k)d}", "1: 5, 2: 6, 3: 7");
	expect_page(o, "%(l)*2{%(k)d%(#)!{-}}", "5-6");
	expect_page(
		"[[1, 2], [3]]", "%()*{%(#)?{; }%()*{%(#)?{,}%()d}}", "1,2; 3");
}
