#include "sm/report/terminal.h"

#include <string.h>

/* A line goes on at most so far to the right; shorter terminals get it as it
 * is. */
enum { MOST_INDENT = 24, LEAST_WIDTH = 40 };

/* True for a byte that begins a character. */
static bool
begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t
count_columns(const char *s, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += begins_character(s[i]);
	return columns;
}

size_t
terminal_columns(const char *s)
{
	return count_columns(s, strlen(s));
}

void
terminal_put_padded(const char *s, size_t width, struct buf *out)
{
	size_t n = terminal_columns(s);

	buf_printf(out, "%s%*s", s, n < width ? (int)(width - n) : 0, "");
}

/* The column at which the text behind the first word of a line begins, where
 * at least two blanks part them; else a little more than its own indent. */
static size_t
text_column(const char *line, size_t n)
{
	size_t indent = strspn(line, " "), i;

	for (i = indent; i + 2 < n && i < MOST_INDENT; i++)
		if (line[i] == ' ' && line[i + 1] == ' ') {
			i += strspn(line + i, " ");
			return i <= MOST_INDENT ? i : indent + 4;
		}
	return indent >= 8 && indent <= MOST_INDENT ? indent : indent + 4;
}

/* How many bytes of a line fit into so many columns: up to a blank if there is
 * one behind `from`, else as many as fit. */
static size_t
fitting_bytes(const char *line, size_t n, size_t from, size_t width)
{
	size_t i, columns = 0, blank = 0;

	for (i = 0; i < n; i++) {
		if (begins_character(line[i]) && ++columns > width)
			break;
		if (line[i] == ' ' && i > from)
			blank = i;
	}
	if (i == n || (line[i] == ' ' && i > from))
		return i;
	return blank > 0 ? blank : i;
}

static void
put_line(const char *line, size_t n, unsigned width, struct buf *out)
{
	size_t indent = text_column(line, n), begin = indent;
	size_t fits = fitting_bytes(line, n, begin, width);

	while (fits < n) {
		buf_put(out, line, fits);
		line += fits;
		n -= fits;
		while (n > 0 && *line == ' ') {
			line++;
			n--;
		}
		if (n == 0)
			return;
		buf_printf(out, "\n%*s", (int)indent, "");
		fits = fitting_bytes(line, n, 0, width - indent);
	}
	buf_put(out, line, n);
}

void
terminal_format(const char *text, unsigned width, bool colours, struct buf *out)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		bool red = colours && strncmp(text, "ALARM ", 6) == 0;

		if (red)
			buf_printf(out, "\033[1;31m");
		if (width < LEAST_WIDTH)
			buf_put(out, text, n);
		else
			put_line(text, n, width, out);
		if (red)
			buf_printf(out, "\033[0m");
		text += n;
		if (*text == '\n') {
			buf_put(out, "\n", 1);
			text++;
		}
	}
}
