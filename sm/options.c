#include "sm/options.h"

#include <stddef.h>

#include "sm/base/argument.h"

enum what {
	CONFIG,
	ONCE,
	JSON,
	MODE, /* any of the modes; only one may be given */
};

static const struct option_row {
	struct argument is;
	enum what what;
	enum options_mode mode;
	const char *help;
} rows[] = {
	{{"--config", "-c", "FILE"}, CONFIG, OPTIONS_RUN,
		"configuration (default " OPTIONS_DEFAULT_FILE ")"},
	{{"--once", NULL, NULL}, ONCE, OPTIONS_RUN,
		"bring the fabric up, print a summary, exit"},
	{{"--check-config", NULL, NULL}, MODE, OPTIONS_CHECK,
		"check the configuration, print all errors, exit"},
	{{"--audit", NULL, NULL}, MODE, OPTIONS_AUDIT,
		"judge the routes of another subnet manager; writes nothing"},
	{{"--json", NULL, NULL}, JSON, OPTIONS_RUN,
		"with --check-config and --audit: print JSON"},
	{{"--print-config", NULL, NULL}, MODE, OPTIONS_PRINT,
		"print every key with its value, exit"},
	{{"--config-schema", NULL, NULL}, MODE, OPTIONS_SCHEMA,
		"print the JSON Schema of the configuration, exit"},
	{{"--version", "-V", NULL}, MODE, OPTIONS_VERSION,
		"print the version, exit"},
	{{"--help", "-h", NULL}, MODE, OPTIONS_HELP, "print this help, exit"},
};

static int
apply_option(const struct option_row *r, const char *value, struct options *out,
	struct reason *why)
{
	switch (r->what) {
	case CONFIG:
		if (*value == '\0')
			return reason_set(why, "%s needs a file", r->is.word);
		out->file = value;
		out->file_given = true;
		return 0;
	case ONCE:
		out->once = true;
		return 0;
	case JSON:
		out->json = true;
		return 0;
	case MODE:
		if (out->mode != OPTIONS_RUN && out->mode != r->mode)
			return reason_set(why,
				"%s cannot be combined with the other options",
				r->is.word);
		out->mode = r->mode;
		return 0;
	default:
		return -1;
	}
}

int
options_parse(
	int argc, char *const *argv, struct options *out, struct reason *why)
{
	struct argument_line l;
	enum argument_kind kind;

	*out = (struct options){.file = OPTIONS_DEFAULT_FILE};
	argument_begin(&l, argc, argv);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		argument_know(&l, &rows[i].is);
	while ((kind = argument_next(&l)) == ARGUMENT_OPTION)
		if (apply_option(&rows[l.ix], l.value, out, why) != 0)
			return -1;
	if (kind == ARGUMENT_WRONG)
		return reason_set(why, "%s", l.why.text);
	if (kind == ARGUMENT_OPERAND)
		return reason_set(why, "unexpected argument '%s'", l.value);
	if (out->once && out->mode != OPTIONS_RUN)
		return reason_set(why,
			"--once cannot be combined with the other options");
	if (out->json && out->mode != OPTIONS_CHECK &&
		out->mode != OPTIONS_AUDIT)
		return reason_set(
			why, "--json needs --check-config or --audit");
	return 0;
}

void
options_help(struct buf *out)
{
	buf_printf(out, "usage: heddled [-c FILE] [--once]\n"
			"       heddled [-c FILE] --audit [--json]\n"
			"       heddled [-c FILE] --check-config [--json]\n"
			"       heddled [-c FILE] --print-config\n"
			"       heddled --config-schema | --version | --help\n"
			"\n"
			"The InfiniBand subnet manager. Runs in the "
			"foreground.\n\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		argument_help(out, &rows[i].is, 2, rows[i].help);
	buf_printf(out,
		"\n"
		"Signals: HUP reloads the configuration, TERM and INT exit.\n"
		"Exit codes: 0 done, 1 failure, 2 usage, 78 bad configuration. "
		"See heddled(8).\n");
}
