#include "sm/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sm/report/problem.h"
#include "sm/report/terminal.h"

void
output_clean(const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		(void)putchar((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f
				      ? '?'
				      : c);
	}
}

/* Columns of the terminal; 0: standard output is none, or does not say. */
static unsigned
terminal_width(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
		return 0;
	return w.ws_col;
}

static bool
has_colours(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) != 0 && (no == NULL || *no == '\0') &&
	       term != NULL && strcmp(term, "dumb") != 0;
}

void
output_page(const struct buf *page)
{
	struct buf out = {0};

	/* before there are colours in it */
	for (size_t i = 0; i < page->n; i++)
		if (((unsigned char)page->text[i] < 0x20 &&
			    page->text[i] != '\n') ||
			page->text[i] == 0x7f)
			page->text[i] = '?';
	terminal_format(page->text, terminal_width(), has_colours(), &out);
	(void)fwrite(out.text, 1, out.n, stdout);
	buf_free(&out);
}

void
output_json(const json_t *value)
{
	(void)json_dumpf(value, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
	(void)putchar('\n');
}

int
output_flush(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	(void)fprintf(stderr,
		"heddlectl: cannot write to standard output: %s\n",
		strerror(errno));
	return code == EXIT_OK ? EXIT_PROBLEM : code;
}
