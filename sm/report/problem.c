#include "sm/report/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <jansson.h>

/* NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables) */
static bool json_errors;

void
problem_use_json(void)
{
	json_errors = true;
}

void
problem_json(const char *code, const char *text)
{
	json_t *o;

	if (!json_errors)
		return;
	o = json_pack("{s:b, s:s, s:s}", "ok", 0, "code", code, "error", text);
	if (o == NULL) /* a text that is not UTF-8 */
		o = json_pack("{s:b, s:s, s:s}", "ok", 0, "code", code, "error",
			"not UTF-8");
	(void)json_dumpf(o, stdout, JSON_COMPACT);
	(void)putchar('\n');
	json_decref(o);
}

void
problem_print(const char *code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)fprintf(stderr, "%sheddlectl: %s\n",
		isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "", text);
	problem_json(code, text);
}

int
problem_usage(const char *what, const char *which)
{
	problem_print("bad-argument", "%s%s%s%s", what,
		which != NULL ? " '" : "", which != NULL ? which : "",
		which != NULL ? "'" : "");
	(void)fprintf(stderr, "Try heddlectl help.\n");
	return EXIT_USAGE;
}

int
problem_option(const char *command, const struct reason *why)
{
	problem_print("bad-argument", "%s: %s", command, why->text);
	(void)fprintf(stderr, "Try heddlectl help %s.\n", command);
	return EXIT_USAGE;
}
