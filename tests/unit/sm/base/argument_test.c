/* Options and operands of a command line. */
#include "sm/base/argument.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"

static const struct argument rows[] = {
	{"--config", "-c", "FILE"},
	{"--once", "-o", NULL},
	{"--since", NULL, "N"},
	{"--since-when", NULL, NULL},
};

static const struct {
	const char *line;  /* words, between blanks */
	const char *found; /* word=value, operands as they are */
} lines[] = {
	{"", ""},
	{"-c x --config y --config=z=1 -cw",
		"--config=x --config=y --config=z=1 --config=w"},
	{"--once a -o - b", "--once a --once - b"},
	{"-oc x", "--once --config=x"},
	{"-c --once", "--config=--once"},
	{"--config= -c-- x", "--config= --config=-- x"},
	{"a -- --once -- -c", "a --once -- -c"},
	{"--", ""},
	{"--since 5 --since-when", "--since=5 --since-when"},
	/* what is wrong ends the line */
	{"--once -c", "--once ! --config needs FILE"},
	{"--since", "! --since needs N"},
	{"--once=yes a", "! --once takes no value"},
	{"--sinec 5", "! unknown option '--sinec'; did you mean '--since'?"},
	{"--conf x", "! unknown option '--conf'; did you mean '--config'?"},
	{"--onc=x", "! unknown option '--onc=x'; did you mean '--once'?"},
	{"--sin", "! unknown option '--sin'; did you mean '--since'?"},
	{"--xyzzy", "! unknown option '--xyzzy'"},
	{"-x", "! unknown option '-x'"},
	{"-5", "! unknown option '-5'"},
	{"-ox", "--once ! unknown option '-ox'"},
	{"-once", "--once ! unknown option '-once'; did you mean '--once'?"},
	{"-:", "! unknown option '-:'"},
	{"-?", "! unknown option '-?'"},
};

static void
put_word(struct buf *out, const char *word, const char *value)
{
	buf_printf(out, "%s%s%s%s", out->n > 0 ? " " : "", word,
		value != NULL ? "=" : "", value != NULL ? value : "");
}

LOOP_TEST(read_line, 0, LEN(lines))
{
	char *text = strdup(lines[_i].line), *argv[16] = {text}, *save = NULL;
	AUTO(buf) struct buf found = {0};
	struct argument_line l;
	enum argument_kind kind = ARGUMENT_OPTION;
	int argc = 1;

	for (char *w = strtok_r(text, " ", &save); w != NULL;
		w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argument_begin(&l, argc, argv);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		argument_know(&l, &rows[i]);
	while (kind != ARGUMENT_WRONG &&
		(kind = argument_next(&l)) != ARGUMENT_END) {
		if (kind == ARGUMENT_OPERAND)
			ck_assert_ptr_eq(l.value, argv[l.at]);
		if (kind == ARGUMENT_OPTION)
			put_word(&found, rows[l.ix].word, l.value);
		else
			put_word(&found, kind == ARGUMENT_WRONG ? "!" : l.value,
				NULL);
	}
	if (kind == ARGUMENT_WRONG)
		put_word(&found, l.why.text, NULL);
	ck_assert_str_eq(found.text != NULL ? found.text : "", lines[_i].found);
	free(text);
}

/* A line is left in the middle, and the next is read from its beginning. */
TEST(another_line)
{
	char a[] = "a", oo[] = "-oo", b[] = "b", o[] = "-o";
	char *first[] = {a, oo, NULL}, *second[] = {b, o, NULL};
	struct argument_line l;

	argument_begin(&l, 2, first);
	argument_know(&l, &rows[1]);
	ck_assert_int_eq(argument_next(&l), ARGUMENT_OPTION);
	argument_begin(&l, 2, second);
	ck_assert_int_eq(argument_next(&l), ARGUMENT_WRONG);
	ck_assert_str_eq(l.why.text, "unknown option '-o'");
}

TEST(help)
{
	AUTO(buf) struct buf b = {0};

	argument_help(&b, &rows[0], 2, "the file");
	argument_help(&b, &rows[3], 0, "then");
	ck_assert_str_eq(b.text, "  -c, --config FILE     the file\n"
				 "--since-when          then\n");
}
