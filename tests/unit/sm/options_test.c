/* heddled's command line: what is accepted, what is refused. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/options.h"
#include "tests/unit/suite.h"

static const struct {
	const char *argv[6];
	enum options_mode mode;
	const char *file;
	bool once, json;
} good[] = {
	{{NULL}, OPTIONS_RUN, OPTIONS_DEFAULT_FILE, false, false},
	{{"-c", "x"}, OPTIONS_RUN, "x", false, false},
	{{"-cx"}, OPTIONS_RUN, "x", false, false},
	{{"--config", "x"}, OPTIONS_RUN, "x", false, false},
	{{"--config=x=y"}, OPTIONS_RUN, "x=y", false, false},
	{{"-c", "--once"}, OPTIONS_RUN, "--once", false, false},
	{{"--once", "-c", "x"}, OPTIONS_RUN, "x", true, false},
	{{"--check-config"}, OPTIONS_CHECK, OPTIONS_DEFAULT_FILE, false, false},
	{{"--json", "--check-config", "-c", "x"}, OPTIONS_CHECK, "x", false,
		true},
	{{"--audit", "--json"}, OPTIONS_AUDIT, OPTIONS_DEFAULT_FILE, false,
		true},
	{{"--print-config"}, OPTIONS_PRINT, OPTIONS_DEFAULT_FILE, false, false},
	{{"--config-schema"}, OPTIONS_SCHEMA, OPTIONS_DEFAULT_FILE, false,
		false},
	{{"--version"}, OPTIONS_VERSION, OPTIONS_DEFAULT_FILE, false, false},
	{{"-h"}, OPTIONS_HELP, OPTIONS_DEFAULT_FILE, false, false},
};

static const struct {
	const char *argv[6];
	const char *says;
} bad[] = {
	{{"--wat"}, "unknown option '--wat'"},
	{{"file"}, "unexpected argument 'file'"},
	{{""}, "unexpected argument ''"},
	{{"-c"}, "--config needs FILE"},
	{{"-c", ""}, "--config needs a file"},
	{{"--config="}, "--config needs a file"},
	{{"--once=yes"}, "--once takes no value"},
	{{"-hx"}, "unknown option '-hx'"},
	{{"--conf", "x"}, "unknown option '--conf'; did you mean '--config'?"},
	{{"--once", "--check-config"}, "--once cannot be combined"},
	{{"--print-config", "--check-config"},
		"--check-config cannot be combined"},
	{{"--json"}, "--json needs"},
	{{"--audit", "--once"}, "--once cannot be combined"},
};

static int
parse_words(const char *const *words, struct options *o, struct reason *why)
{
	char *argv[8] = {NULL};
	int argc = 1, ret;

	argv[0] = strdup("heddled");
	for (; words[argc - 1] != NULL; argc++)
		argv[argc] = strdup(words[argc - 1]);
	ret = options_parse(argc, argv, o, why);
	if (ret == 0) /* the file points into argv */
		o->file = strdup(o->file);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return ret;
}

TEST(accepted)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct options o;
		struct reason why = {""};

		ck_assert_msg(parse_words(good[i].argv, &o, &why) == 0,
			"%zu: %s", i, why.text);
		ck_assert_int_eq(o.mode, good[i].mode);
		ck_assert_str_eq(o.file, good[i].file);
		ck_assert(o.once == good[i].once);
		ck_assert(o.json == good[i].json);
		ck_assert(o.file_given ==
			  (strcmp(o.file, OPTIONS_DEFAULT_FILE) != 0));
		free((void *)(uintptr_t)o.file);
	}
}

TEST(refused)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct options o;
		struct reason why = {""};

		ck_assert_int_eq(parse_words(bad[i].argv, &o, &why), -1);
		ck_assert_msg(strstr(why.text, bad[i].says) != NULL, "%zu: %s",
			i, why.text);
	}
}

TEST(help_names_all)
{
	AUTO(buf) struct buf b = {0};

	options_help(&b);
	ck_assert_ptr_nonnull(strstr(b.text, "-c, --config FILE"));
	ck_assert_ptr_nonnull(strstr(b.text, "--config-schema"));
}
