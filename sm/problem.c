#include "sm/problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "sm/report/json_util.h"

/* NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables) */
static bool json_errors;

void
problem_use_json(void)
{
	json_errors = true;
}

void
problem_print(const char *code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)fprintf(stderr, "heddlectl: %s\n", text);
	if (json_errors)
		json_util_print_error(code, text);
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
