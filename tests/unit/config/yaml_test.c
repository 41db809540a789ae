/* The YAML reader: places, refusals with their exact words, bounds. */
#include "config/yaml.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "tests/unit/suite.h"

static const struct refusal {
	const char *what;
	const char *text;
	const char *says; /* the whole report */
} refusals[] = {
	{"tab", "fabric:\n\tport: auto\n",
		"t.yaml:2:1: error: a tab cannot indent; use spaces\n"
		"   port: auto\n"
		"  ^\n"},
	{"tab after spaces", "a:\n  \tb: 1\n",
		"t.yaml:2:3: error: a tab cannot indent; use spaces\n"
		"     b: 1\n"
		"    ^\n"},
	{"duplicate key", "a: 1\nb: 2\na: 3\n",
		"t.yaml:3:1: error: duplicate key 'a'\n"
		"  a: 3\n"
		"  ^\n"
		"t.yaml:1:1: note: given here before\n"
		"  a: 1\n"
		"  ^\n"},
	{"duplicate key in flow", "x: {a: 1, a: 2}\n",
		"t.yaml:1:11: error: duplicate key 'a'\n"
		"  x: {a: 1, a: 2}\n"
		"            ^\n"
		"t.yaml:1:5: note: given here before\n"
		"  x: {a: 1, a: 2}\n"
		"      ^\n"},
	{"anchor and alias", "a: &x 1\nb: *x\n",
		"t.yaml:1:4: error: anchors are not allowed\n"
		"  a: &x 1\n"
		"     ^\n"
		"t.yaml:2:4: error: aliases are not allowed; quote values that "
		"begin with *\n"
		"  b: *x\n"
		"     ^\n"},
	{"anchored map", "a: &x\n  b: 1\n",
		"t.yaml:1:4: error: anchors are not allowed\n"
		"  a: &x\n"
		"     ^\n"},
	{"merge key", "<<: {a: 1}\n",
		"t.yaml:1:1: error: merge keys are not allowed; write the keys "
		"out\n"
		"  <<: {a: 1}\n"
		"  ^\n"},
	{"tag", "a: !!int 1\n",
		"t.yaml:1:4: error: tags are not allowed; types come from the "
		"key\n"
		"  a: !!int 1\n"
		"     ^\n"},
	{"tagged list", "a: !x [1]\n",
		"t.yaml:1:4: error: tags are not allowed; types come from the "
		"key\n"
		"  a: !x [1]\n"
		"     ^\n"},
	{"directive", "%YAML 1.1\n---\na: 1\n",
		"t.yaml:1:1: error: %directives are not allowed\n"
		"  %YAML 1.1\n"
		"  ^\n"},
	{"two documents", "a: 1\n---\nb: 2\n",
		"t.yaml:2:1: error: a second document starts here; one is "
		"allowed\n"
		"  ---\n"
		"  ^\n"},
	{"key that is a list", "? [a]\n: 1\n",
		"t.yaml:1:3: error: a key must be a single word\n"
		"  ? [a]\n"
		"    ^\n"},
	{"key without a name", "\"\": 1\n",
		"t.yaml:1:1: error: key without a name\n"
		"  \"\": 1\n"
		"  ^\n"},
	{"not UTF-8", "a: x\xff\n",
		"t.yaml:1:5: error: byte 0xff is not UTF-8 text\n"
		"  a: x?\n"
		"      ^\n"},
	{"overlong", "\xc0\xaf\n",
		"t.yaml:1:1: error: byte 0xc0 is not UTF-8 text\n"
		"  ??\n"
		"  ^\n"},
	{"surrogate", "\xed\xa0\x80\n",
		"t.yaml:1:1: error: byte 0xed is not UTF-8 text\n"
		"  ???\n"
		"  ^\n"},
	{"bell", "a: \a\n",
		"t.yaml:1:4: error: character U+0007 is not allowed here\n"
		"  a: ?\n"
		"     ^\n"},
	{"escaped NUL", "a: \"x\\0y\"\n",
		"t.yaml:1:4: error: a NUL character is not allowed\n"
		"  a: \"x\\0y\"\n"
		"     ^\n"},
	{"columns count characters", "\"\xc3\xa9\xc3\xa9\": *x\n",
		"t.yaml:1:7: error: aliases are not allowed; quote values that "
		"begin with *\n"
		"  \"\xc3\xa9\xc3\xa9\": *x\n"
		"        ^\n"},
	{"bad indentation", "a:\n  b: 1\n c: 2\n",
		"t.yaml:3:2: error: did not find expected key\n"
		"   c: 2\n"
		"   ^\n"
		"t.yaml:1:1: note: while parsing a block mapping\n"
		"  a:\n"
		"  ^\n"},
	{"open quote", "a: \"b\n",
		"t.yaml:2:1: error: found unexpected end of stream\n"
		"t.yaml:1:4: note: while scanning a quoted scalar\n"
		"  a: \"b\n"
		"     ^\n"},
	{"CRLF lines", "a: 1\r\nb: *x\r\n",
		"t.yaml:2:4: error: aliases are not allowed; quote values that "
		"begin with *\n"
		"  b: *x\n"
		"     ^\n"},
};

static struct yaml_value *
read_text(struct arena *a, const char *text, size_t n, struct diag_list *d)
{
	struct yaml_value *v;

	diag_begin(d, "t.yaml", text, n);
	v = yaml_read(a, text, n, d);
	diag_end(d);
	return v;
}

static char *
report_text(const struct diag_list *d)
{
	struct buf b = {0};

	diag_text(d, &b);
	return b.text != NULL ? b.text : mem_strdup("");
}

LOOP_TEST(test_refusals, 0, LEN(refusals))
{
	const struct refusal *r = &refusals[_i];
	AUTO(arena) struct arena *a = arena_new();
	AUTO(diag_list) struct diag_list d;
	AUTO(mem) char *says = NULL;

	(void)read_text(a, r->text, strlen(r->text), &d);
	says = report_text(&d);
	ck_assert_msg(strcmp(says, r->says) == 0, "%s:\n%swanted:\n%s", r->what,
		says, r->says);
}

TEST(test_tree)
{
	static const char text[] = "# comment\n"
				   "a:\n"
				   "  b: off\n"
				   "  c: [1, \"two\", ]\n"
				   "d:\n";
	AUTO(arena) struct arena *a = arena_new();
	AUTO(diag_list) struct diag_list d;
	struct yaml_value *root, *b, *c;

	root = read_text(a, text, sizeof(text) - 1, &d);
	ck_assert_ptr_nonnull(root);
	ck_assert_uint_eq(diag_count(&d), 0);
	ck_assert_int_eq((int)root->kind, YAML_KIND_MAP);
	ck_assert_uint_eq(root->n, 2);
	ck_assert_str_eq(root->first->key, "a");
	ck_assert_uint_eq(root->first->key_at.line, 2);
	b = root->first->first;
	ck_assert_str_eq(b->key, "b");
	ck_assert_uint_eq(b->key_at.line, 3);
	ck_assert_uint_eq(b->key_at.col, 3);
	ck_assert_str_eq(b->text, "off"); /* not a boolean: text */
	ck_assert_uint_eq(b->at.col, 6);
	c = b->next;
	ck_assert_int_eq((int)c->kind, YAML_KIND_LIST);
	ck_assert_uint_eq(c->n, 2);
	ck_assert(c->first->plain);
	ck_assert_str_eq(c->first->next->text, "two");
	ck_assert(!c->first->next->plain);
	ck_assert_uint_eq(c->first->next->at.line, 4);
	ck_assert_uint_eq(c->first->next->at.col, 10);
	ck_assert(yaml_empty(root->first->next));
}

TEST(test_nothing)
{
	static const char *const text[] = {"", "\n\n", "# only words\n",
		"---\n", "\xef\xbb\xbf", "--- \n...\n"};
	size_t i;

	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		AUTO(arena) struct arena *a = arena_new();
		AUTO(diag_list) struct diag_list d;
		struct yaml_value *root;

		root = read_text(a, text[i], strlen(text[i]), &d);
		ck_assert_msg(
			root != NULL && diag_count(&d) == 0, "text %zu", i);
		ck_assert_int_eq((int)root->kind, YAML_KIND_MAP);
		ck_assert_uint_eq(root->n, 0);
	}
}

/* Read n bytes; the first complaint must be this one and no tree come out. */
static void
must_stop(const char *text, size_t n, const char *code)
{
	AUTO(arena) struct arena *a = arena_new();
	AUTO(diag_list) struct diag_list d;
	struct yaml_value *root = read_text(a, text, n, &d);

	ck_assert_ptr_null(root);
	ck_assert_uint_ge(d.n, 1);
	ck_assert_str_eq(d.item[0].code, code);
}

TEST(test_bounds)
{
	size_t n = 10u * 1024 * 1024, i;
	char *text = mem_alloc(n);
	AUTO(buf) struct buf b = {0};

	memset(text, '#', n);
	must_stop(text, n, "too-big");
	memset(text, '[', n);
	must_stop(text, YAML_MAX_BYTES, "too-deep");
	memset(text, '{', n);
	must_stop(text, YAML_MAX_BYTES, "key-type");
	for (i = 0; i < YAML_MAX_BYTES; i++)
		text[i] = "- "[i % 2];
	must_stop(text, YAML_MAX_BYTES, "too-deep");
	memset(text, 0, n);
	must_stop(text, YAML_MAX_BYTES, "control-character");
	free(text);
	buf_printf(&b, "a: [");
	for (i = 0; i < YAML_MAX_NODES; i++)
		buf_put(&b, "1,", 2);
	buf_printf(&b, "]\n");
	must_stop(b.text, b.n, "too-big");
}

/* 32 levels are fine, 33 are not. */
TEST(test_depth)
{
	unsigned extra, i;

	for (extra = 0; extra < 2; extra++) {
		AUTO(arena) struct arena *a = arena_new();
		AUTO(buf) struct buf b = {0};
		AUTO(diag_list) struct diag_list d;

		for (i = 0; i < YAML_MAX_DEPTH + extra; i++)
			buf_put(&b, "[", 1);
		for (i = 0; i < YAML_MAX_DEPTH + extra; i++)
			buf_put(&b, "]", 1);
		(void)read_text(a, b.text, b.n, &d);
		ck_assert_uint_eq(diag_count(&d), extra);
	}
}

/* The list stays a page long, in order, and counts the rest. */
TEST(test_many)
{
	AUTO(arena) struct arena *a = arena_new();
	AUTO(buf) struct buf b = {0};
	AUTO(diag_list) struct diag_list d;
	AUTO(mem) char *says = NULL;
	size_t i;

	for (i = 0; i < 50; i++)
		buf_printf(&b, "k%zu: *a\n", i);
	(void)read_text(a, b.text, b.n, &d);
	ck_assert_uint_eq(d.n, DIAG_MAX);
	ck_assert_uint_eq(diag_count(&d), 50);
	for (i = 1; i < d.n; i++)
		ck_assert_uint_lt(d.item[i - 1].at.line, d.item[i].at.line);
	says = report_text(&d);
	ck_assert_ptr_nonnull(strstr(says, "t.yaml: 30 more errors\n"));
}

/* A long line is shown around the caret, and the caret stays under it. */
TEST(test_long_line)
{
	AUTO(arena) struct arena *a = arena_new();
	AUTO(buf) struct buf b = {0};
	AUTO(diag_list) struct diag_list d;
	size_t i;

	buf_printf(&b, "a: [");
	for (i = 0; i < 1000; i++)
		buf_printf(&b, "\xc3\xa9, ");
	buf_printf(&b, "*x]\n");
	(void)read_text(a, b.text, b.n, &d);
	ck_assert_uint_eq(d.n, 1);
	ck_assert_uint_eq(d.item[0].at.col, 3005);
	ck_assert_uint_lt(d.item[0].caret, 80);
	ck_assert_uint_lt(strlen(d.item[0].excerpt), 160);
	ck_assert_ptr_nonnull(strstr(d.item[0].excerpt, "*x]"));
}
